/* Changes of text as the protocol's WorkspaceEdit, written where a value may stand. */
#ifndef VRAMLINT_LSP_EDITS_H
#define VRAMLINT_LSP_EDITS_H

#include "lsp/session.h"
#include "text/edit.h"

/* COUNT edits, ordered by place, of DOCUMENT's text as it was checked; none reaches over cells. */
void edits_add(struct session *session, const struct document *document, const struct edit *edits, size_t count);
/* What makes TEXT of DOCUMENT's, which is no notebook. */
void edits_add_difference(struct session *session, const struct document *document, struct str text);

#endif
