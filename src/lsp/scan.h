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
/* The client opens the file PATH (may be NULL): what a scan said of it is taken back, as its document says it now. */
void scan_forget(struct session *session, const char *path);

#endif
