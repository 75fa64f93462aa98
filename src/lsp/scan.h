/* All files of the open folders, checked one after another while nothing else is to be done. */
#ifndef VRAMLINT_LSP_SCAN_H
#define VRAMLINT_LSP_SCAN_H

#include "lsp/session.h"

/* Begins anew, where one is under way. */
void scan_begin(struct session *session);
/* Checks the next file, of those in doubt or of the scan under way. */
void scan_step(struct session *session);
/* Ends one that is under way. */
void scan_end(struct session *session);
/* The client no longer wants the work that TOKEN names. */
void scan_cancel(struct session *session, const char *token);
/* Takes back what a scan said of the file PATH (may be NULL), as when its document says it now. Returns whether there was any. */
bool scan_forget(struct session *session, const char *path);
/* The file PATH, which a scan has said something of or came across while it was open, is open no more. */
void scan_return(struct session *session, const char *path);
/* Something has changed that files depend on: those that a scan found something in are to be looked at again. */
void scan_doubt(struct session *session);
/* The same where settings or folders change: a scan under way begins anew. Call before they do. */
void scan_restart(struct session *session);
void scan_release(struct session *session);

#endif
