#include "lsp/diagnostic.h"

#include <inttypes.h>
#include <string.h>

#include "lsp/check.h"
#include "report/links.h"
#include "rule/rule.h"

static void position_add(struct json_writer *json, struct position position)
{
	json_object_begin(json);
	json_member_int(json, "line", position.line);
	json_member_int(json, "character", position.character);
	json_object_end(json);
}

void diagnostic_add_range(struct json_writer *json, struct position start, struct position end)
{
	json_object_begin(json);
	json_key(json, "start");
	position_add(json, start);
	json_key(json, "end");
	position_add(json, end);
	json_object_end(json);
}

void diagnostic_add_span(struct json_writer *json, enum position_encoding encoding, const struct source *source,
			 struct span span)
{
	struct position start = position_of(encoding, source, span.start), end = position_of(encoding, source, span.end);

	/* the end of a cell's last line stands at the start of the next cell */
	if (span.end > span.start && source_cell(source, span.end) != source_cell(source, span.start))
		end = position_of(encoding, source, span.end - 1);
	diagnostic_add_range(json, start, end);
}

/* ---- one finding ---- */

static int severity_of(enum severity severity)
{
	switch (severity) {
	case SEVERITY_ERROR:
		return 1;
	case SEVERITY_WARNING:
		return 2;
	case SEVERITY_NOTE:
		return 3;
	case SEVERITY_HINT:
		break;
	}
	return 4;
}

void diagnostic_add_words(struct buf *out, const struct finding *finding)
{
	buf_add_text(out, finding->message);
	if (finding->growth)
		buf_format(out, "\ncost: %s", finding->growth);
	if (finding->help)
		buf_format(out, "\nhelp: %s", finding->help);
}

static void related_add(struct session *session, const struct document *document, const struct finding *finding)
{
	struct json_writer *json = &session->wire.json;

	json_member_array(json, "relatedInformation");
	for (size_t i = 0; i < finding->note_count; i++) {
		const struct finding_note *note = &finding->notes[i];
		const struct document_part *part = document_part_at(document, &document->source, note->at.span.start);

		json_object_begin(json);
		json_member_object(json, "location");
		json_member_text(json, "uri", part->uri);
		json_key(json, "range");
		diagnostic_add_span(json, session->client.encoding, &document->source, note->at.span);
		json_object_end(json);
		json_member_text(json, "message", note->text);
		json_object_end(json);
	}
	json_array_end(json);
}

static void data_add(struct json_writer *json, const struct finding *finding)
{
	json_member_object(json, "data");
	json_member_text(json, "name", finding->rule->name);
	json_member_text(json, "fingerprint", finding->fingerprint);
	json_member_text(json, "cost", cost_name(finding->cost));
	json_member_text(json, "proof", proof_name(finding->proof));
	json_member_text(json, "fix", !finding->edit_count ? NULL : finding->fix_is_safe ? "safe" : "unsafe");
	json_object_end(json);
}

static bool has_tag(const struct rule *rule, const char *tag)
{
	for (size_t i = 0; i < rule->tag_count; i++) {
		if (strcmp(rule->tags[i], tag) == 0)
			return true;
	}
	return false;
}

static void finding_add(struct session *session, const struct document *document, const struct finding *finding)
{
	struct json_writer *json = &session->wire.json;
	struct root *root = workspace_root(&session->workspace, document->path);
	const char *const *links = workspace_links(root, document->settings);
	struct buf words = BUF_INIT;

	json_object_begin(json);
	json_key(json, "range");
	diagnostic_add_span(json, session->client.encoding, &document->source, finding->at.span);
	json_member_int(json, "severity", severity_of(finding->severity));
	json_member_text(json, "code", finding->rule->code);
	if (links && links[finding->rule->index]) {
		json_member_object(json, "codeDescription");
		json_member_text(json, "href", links[finding->rule->index]);
		json_object_end(json);
	}
	json_member_text(json, "source", "vramlint");
	diagnostic_add_words(&words, finding);
	json_member_text(json, "message", buf_text(&words));
	if (session->client.takes_tags && has_tag(finding->rule, "unnecessary")) {
		json_member_array(json, "tags");
		json_int(json, 1);
		json_array_end(json);
	}
	if (session->client.takes_related && finding->note_count)
		related_add(session, document, finding);
	data_add(json, finding);
	json_object_end(json);
	buf_release(&words);
}

void diagnostic_add_all(struct session *session, const struct document *document, const struct document_part *part)
{
	struct json_writer *json = &session->wire.json;

	json_array_begin(json);
	for (size_t i = 0; document->checked && i < document->result.finding_count; i++) {
		const struct finding *finding = &document->result.findings[i];

		if (!part || document_part_at(document, &document->source, finding->at.span.start) == part)
			finding_add(session, document, finding);
	}
	json_array_end(json);
}

/* ---- to the client ---- */

static bool publish_part(struct session *session, struct document *document, struct document_part *part, bool forced)
{
	struct json_writer *json = &session->wire.json;
	size_t start;
	uint64_t hash;

	wire_notify(&session->wire, "textDocument/publishDiagnostics");
	json_object_begin(json);
	json_member_text(json, "uri", part->uri);
	if (document->serial) /* else it is not open */
		json_member_int(json, "version", part->version);
	start = session->wire.body.length;
	json_key(json, "diagnostics");
	diagnostic_add_all(session, document, part);
	hash = str_hash((struct str){session->wire.body.bytes + start, session->wire.body.length - start});
	json_object_end(json);
	if (!forced && hash == part->shown)
		return false;
	part->shown = hash;
	wire_send(&session->wire);
	return true;
}

bool diagnostic_publish(struct session *session, struct document *document, bool forced)
{
	bool sent = false;

	for (size_t i = 0; i < document->parts.count; i++) {
		if (document->parts.items[i].is_code)
			sent |= publish_part(session, document, &document->parts.items[i], forced);
	}
	return sent;
}

void diagnostic_clear(struct session *session, const char *uri)
{
	struct json_writer *json = &session->wire.json;

	wire_notify(&session->wire, "textDocument/publishDiagnostics");
	json_object_begin(json);
	json_member_text(json, "uri", uri);
	json_member_array(json, "diagnostics");
	json_array_end(json);
	json_object_end(json);
	wire_send(&session->wire);
}

/* The diagnostics of PART (NULL: there are none) in words of JSON, in the writer's buffer, and their hash. */
static uint64_t items_write(struct session *session, struct document *document, const struct document_part *part,
			    struct buf *items)
{
	struct json_writer *json = &session->wire.json;

	buf_reset(&session->wire.body);
	json_writer_init(json, &session->wire.body);
	if (part) {
		diagnostic_add_all(session, document, part);
	} else {
		json_array_begin(json);
		json_array_end(json);
	}
	buf_add_str(items, buf_get(&session->wire.body));
	return str_hash(buf_get(items));
}

void diagnostic_answer(struct session *session, const struct message *message)
{
	struct json_writer *json = &session->wire.json;
	const char *previous = field_text(message->params, "previousResultId");
	struct document_part *part;
	struct document *document = documents_find(&session->documents, field_text(message->params, "textDocument.uri"), &part);
	struct buf items = BUF_INIT;
	char id[24];
	uint64_t hash;

	if (document)
		check_hastily(session, document);
	if (inbox_is_cancelled(session->inbox, message->id)) {
		wire_fail(&session->wire, message->id, WIRE_CANCELLED, "cancelled");
		return;
	}
	hash = items_write(session, document, part, &items);
	snprintf(id, sizeof id, "%016" PRIx64, hash);
	if (part)
		part->shown = hash;
	wire_answer(&session->wire, message->id);
	json_object_begin(json);
	json_member_text(json, "kind", previous && strcmp(previous, id) == 0 ? "unchanged" : "full");
	json_member_text(json, "resultId", id);
	if (!previous || strcmp(previous, id) != 0) {
		json_key(json, "items");
		json_raw(json, buf_get(&items));
	}
	json_object_end(json);
	wire_send(&session->wire);
	buf_release(&items);
}

bool diagnostic_differs(struct session *session, struct document *document)
{
	bool differs = false;

	for (size_t i = 0; i < document->parts.count && !differs; i++) {
		struct buf items = BUF_INIT;

		/* what was never asked for will be */
		differs = document->parts.items[i].shown &&
			  items_write(session, document, &document->parts.items[i], &items) != document->parts.items[i].shown;
		buf_release(&items);
	}
	return differs;
}
