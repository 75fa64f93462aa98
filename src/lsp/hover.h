/* What a finding, or a comment that suppresses some, is about: shown where the pointer rests. */
#ifndef VRAMLINT_LSP_HOVER_H
#define VRAMLINT_LSP_HOVER_H

#include "lsp/session.h"

/* Answers textDocument/hover. */
void hover_answer(struct session *session, const struct message *message);

#endif
