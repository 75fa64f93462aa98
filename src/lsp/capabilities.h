/* What this server can do, as it tells the client at the beginning, and what it wants to be told. */
#ifndef VRAMLINT_LSP_CAPABILITIES_H
#define VRAMLINT_LSP_CAPABILITIES_H

#include "lsp/session.h"

/* Writes the member `capabilities` of the answer to `initialize`. */
void capabilities_add(struct session *session);
/* Asks to be told of changes of settings and of files, as far as the client wants to be asked. */
void capabilities_register(struct session *session);

#endif
