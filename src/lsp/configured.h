/* Faults of configuration files, as diagnostics at their place. */
#ifndef VRAMLINT_LSP_CONFIGURED_H
#define VRAMLINT_LSP_CONFIGURED_H

#include "lsp/session.h"

/* Tells the client of all faults that are known of the configuration of ROOT, unless it knows them already. */
void configured_tell(struct session *session, struct root *root);
/* Takes back what was told of the configuration of ROOT, which is about to go. */
void configured_forget(struct session *session, struct root *root);

#endif
