#include "lsp/lens.h"

#include <string.h>

#include "lsp/check.h"
#include "lsp/diagnostic.h"
#include "rule/rule.h"

/* What is said beside one loop. */
struct lens {
	struct span loop;
	const struct finding *finding; /* the gravest of it */
	size_t count;
};

typedef VEC(struct lens) lens_list;

static void lens_add(lens_list *lenses, const struct finding *finding)
{
	for (size_t i = 0; i < lenses->count; i++) {
		struct lens *lens = &lenses->items[i];

		if (lens->loop.start != finding->loop.start)
			continue;
		lens->count++;
		if (finding->severity > lens->finding->severity)
			lens->finding = finding;
		return;
	}
	VEC_ADD(lenses, (struct lens){finding->loop, finding, 1});
}

/* Those of PART, where the person wants them to be KIND. */
static lens_list lenses_of(struct session *session, const struct message *message, enum lens_kind kind,
			   struct document **document)
{
	lens_list lenses = {NULL, 0, 0};
	struct document_part *part;
	const struct lint_result *result;

	*document = documents_find(&session->documents, field_text(message->params, "textDocument.uri"), &part);
	if (!part || workspace_root(&session->workspace, (*document)->path)->lens != kind ||
	    !check_document(session, *document))
		return lenses;
	result = &(*document)->result;
	for (size_t i = 0; i < result->finding_count; i++) {
		const struct finding *finding = &result->findings[i];

		if (finding->growth && finding->loop.end &&
		    document_part_at(*document, &(*document)->source, finding->loop.start) == part)
			lens_add(&lenses, finding);
	}
	return lenses;
}

static void title_add(struct buf *title, const struct lens *lens)
{
	const char *growth = lens->finding->growth;

	/* the first part says what grows and how fast, the others why */
	buf_format(title, "vramlint: %.*s", (int)strcspn(growth, ";"), growth);
	if (lens->count > 1)
		buf_format(title, " (and %zu more)", lens->count - 1);
}

void lens_answer(struct session *session, const struct message *message)
{
	struct json_writer *json = &session->wire.json;
	struct document *document;
	lens_list lenses = lenses_of(session, message, LENS_CODE, &document);

	wire_answer(&session->wire, message->id);
	json_array_begin(json);
	for (size_t i = 0; i < lenses.count; i++) {
		struct lens *lens = &lenses.items[i];
		struct buf title = BUF_INIT;

		title_add(&title, lens);
		json_object_begin(json);
		json_key(json, "range");
		diagnostic_add_span(json, session->client.encoding, &document->source, lens->loop);
		json_member_object(json, "command");
		json_member_text(json, "title", buf_text(&title));
		json_member_text(json, "command", "vramlint.explain");
		json_member_array(json, "arguments");
		json_text(json, lens->finding->rule->code);
		json_array_end(json);
		json_object_end(json);
		json_object_end(json);
		buf_release(&title);
	}
	json_array_end(json);
	wire_send(&session->wire);
	VEC_RELEASE(&lenses);
}

void lens_answer_hints(struct session *session, const struct message *message)
{
	struct json_writer *json = &session->wire.json;
	struct document *document;
	lens_list lenses = lenses_of(session, message, LENS_INLAY, &document);

	wire_answer(&session->wire, message->id);
	json_array_begin(json);
	for (size_t i = 0; i < lenses.count; i++) {
		struct lens *lens = &lenses.items[i];
		struct position end = position_of(session->client.encoding, &document->source, lens->loop.end);
		struct buf title = BUF_INIT;

		title_add(&title, lens);
		json_object_begin(json);
		json_member_object(json, "position");
		json_member_int(json, "line", end.line);
		json_member_int(json, "character", end.character);
		json_object_end(json);
		json_member_text(json, "label", buf_text(&title));
		json_member_text(json, "tooltip", lens->finding->message);
		json_member_bool(json, "paddingLeft", true);
		json_object_end(json);
		buf_release(&title);
	}
	json_array_end(json);
	wire_send(&session->wire);
	VEC_RELEASE(&lenses);
}
