/* What was found, as the protocol's diagnostics. */
#ifndef VRAMLINT_LSP_DIAGNOSTIC_H
#define VRAMLINT_LSP_DIAGNOSTIC_H

#include "lsp/session.h"

/* {"start": …, "end": …} */
void diagnostic_add_range(struct json_writer *json, struct position start, struct position end);
/* … of SPAN of SOURCE, within one part. */
void diagnostic_add_span(struct json_writer *json, enum position_encoding encoding, const struct source *source,
			 struct span span);
/* The list of diagnostics of PART of DOCUMENT (all where PART is NULL); none where DOCUMENT was not checked. */
void diagnostic_add_all(struct session *session, const struct document *document, const struct document_part *part);
/* Appends what FINDING says in words: message, cost, help, each on a line. */
void diagnostic_add_words(struct buf *out, const struct finding *finding);

/* Sends the diagnostics of all parts of DOCUMENT, or (unless FORCED) of those where they are not as before; returns whether
 * there are such parts. */
bool diagnostic_publish(struct session *session, struct document *document, bool forced);
/* Sends that URI has none. */
void diagnostic_clear(struct session *session, const char *uri);
/* Answers the request textDocument/diagnostic. */
void diagnostic_answer(struct session *session, const struct message *message);
/* Whether a client that pulls was given other diagnostics of DOCUMENT than it would be now. */
bool diagnostic_differs(struct session *session, struct document *document);

#endif
