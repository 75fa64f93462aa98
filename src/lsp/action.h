/* What can be done about a finding: fix it, suppress it, read about it. */
#ifndef VRAMLINT_LSP_ACTION_H
#define VRAMLINT_LSP_ACTION_H

#include "lsp/session.h"

/* Commands that the client may ask to be carried out, ended by NULL. */
extern const char *const action_commands[];

/* Answers textDocument/codeAction, codeAction/resolve and workspace/executeCommand. */
void action_answer(struct session *session, const struct message *message);
void action_resolve(struct session *session, const struct message *message);
void action_execute(struct session *session, const struct message *message);

#endif
