/* Beside a loop what grows in it, where the person wants to see that: code lenses or inlay hints. */
#ifndef VRAMLINT_LSP_LENS_H
#define VRAMLINT_LSP_LENS_H

#include "lsp/session.h"

/* Answer textDocument/codeLens and textDocument/inlayHint. */
void lens_answer(struct session *session, const struct message *message);
void lens_answer_hints(struct session *session, const struct message *message);

#endif
