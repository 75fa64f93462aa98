/* All files of the open folders, checked one after another while nothing else is to be done. */
#ifndef VRAMLINT_LSP_SCAN_H
#define VRAMLINT_LSP_SCAN_H

#include "lsp/session.h"

/* Begins anew, where one is under way. */
void scan_begin(struct session *session);
/* Checks the next file. */
void scan_step(struct session *session);
/* Ends one that is under way. */
void scan_end(struct session *session);
/* The client no longer wants the work that TOKEN names. */
void scan_cancel(struct session *session, const char *token);
/* Takes back what a scan said of the file PATH (may be NULL), as when its document says it now. Returns whether there was any. */
bool scan_forget(struct session *session, const char *path);
/* The file PATH has changed on the disk, or has gone: what a scan said of it is said anew. */
void scan_again(struct session *session, const char *path);

#endif
