#include "lsp/hover.h"

#include <ctype.h>
#include <string.h>

#include "lsp/check.h"
#include "lsp/diagnostic.h"
#include "rule/rule.h"

/* TEXT as it is, where Markdown would make something else of it. */
static void text_add(struct buf *out, bool markdown, const char *text)
{
	for (; *text; text++) {
		if (markdown && strchr("\\`*_[]<>|~&", *text))
			buf_add_char(out, '\\');
		buf_add_char(out, *text);
	}
}

/* Prose of ours with code between quotes, as code where OUT is Markdown. */
static void prose_add(struct buf *out, bool markdown, const char *text)
{
	while (markdown && *text) {
		const char *quote = strchr(text, '\''), *end = quote ? strchr(quote + 1, '\'') : NULL;
		struct buf plain = BUF_INIT;

		if (!end || memchr(quote + 1, '`', (size_t)(end - quote - 1)) || end == quote + 1)
			break;
		buf_add(&plain, text, (size_t)(quote - text));
		text_add(out, true, buf_text(&plain));
		buf_release(&plain);
		buf_format(out, "`%.*s`", (int)(end - quote - 1), quote + 1);
		text = end + 1;
	}
	text_add(out, markdown, text);
}

static void finding_add(struct buf *out, bool markdown, const struct finding *finding)
{
	const char *bold = markdown ? "**" : "";

	buf_format(out, "%s%s %s%s: ", bold, finding->rule->code, finding->rule->name, bold);
	prose_add(out, markdown, finding->message);
	if (finding->growth) {
		buf_format(out, "\n\n%scost%s: ", bold, bold);
		prose_add(out, markdown, finding->growth);
	}
	if (finding->help) {
		buf_format(out, "\n\n%shelp%s: ", bold, bold);
		prose_add(out, markdown, finding->help);
	}
	buf_add_text(out, "\n\n");
	for (size_t i = 0; i < finding->note_count; i++) {
		const struct finding_note *note = &finding->notes[i];

		buf_format(out, "%zu. ", i + 1);
		if (note->at.cell && note->at.cell != finding->at.cell)
			buf_format(out, "cell %u, ", note->at.cell);
		buf_format(out, "line %u: ", note->at.start.line);
		prose_add(out, markdown, note->text);
		buf_add_char(out, '\n');
	}
}

/* Behind what stands there already, set off from it. */
static void part_begin(struct buf *out, bool markdown)
{
	if (out->length)
		buf_add_text(out, markdown ? "\n\n---\n\n" : "\n\n");
}

/* ---- suppressions ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/* The word of SOURCE that holds OFFSET, in a comment that may suppress something; empty where there is none. */
static struct span word_at(const struct source *source, uint32_t offset)
{
	uint32_t line = source_line(source, offset), start = source->line_starts[line - 1];
	struct str text = source_line_text(source, line);
	struct span none = {0, 0}, word = {offset, offset};
	size_t comment;

	for (comment = offset - start; comment > 0 && text.at[comment - 1] != '#'; comment--)
		;
	if (comment == 0 || (str_find(text, STR("vramlint"), comment) == SIZE_MAX && str_find(text, STR("noqa"), comment) == SIZE_MAX))
		return none;
	while (word.start > start && is_word(source->text[word.start - 1]))
		word.start--;
	while (word.end < start + text.length && is_word(source->text[word.end]))
		word.end++;
	return word;
}

/* ---- the answer ---- */

struct pointed {
	struct span span; /* of what is explained; the smallest of all findings */
	const struct rule *rule;
};

static void findings_add(struct buf *out, const struct client *client, const struct document *document, uint32_t offset,
			 struct pointed *pointed)
{
	for (size_t i = 0; i < document->result.finding_count; i++) {
		const struct finding *finding = &document->result.findings[i];
		struct span span = finding->at.span;

		if (offset < span.start || offset > span.end)
			continue;
		if (!client->shows_findings) {
			part_begin(out, client->hover_is_markdown);
			finding_add(out, client->hover_is_markdown, finding);
		}
		if (!pointed->rule || span.end - span.start < pointed->span.end - pointed->span.start)
			*pointed = (struct pointed){span, finding->rule};
	}
}

static void hover_write(struct session *session, const struct document *document, uint32_t offset, struct buf *out,
			struct pointed *pointed)
{
	bool markdown = session->client.hover_is_markdown;
	struct span word;

	findings_add(out, &session->client, document, offset, pointed);
	if (!pointed->rule) {
		word = word_at(&document->source, offset);
		pointed->span = word;
		if (word.end > word.start)
			pointed->rule = rule_set_find(document->settings->rules, source_slice(&document->source, word));
	}
	if (pointed->rule) {
		part_begin(out, markdown);
		buf_add_text(out, pointed->rule->document);
	}
}

void hover_answer(struct session *session, const struct message *message)
{
	struct json_writer *json = &session->wire.json;
	struct document_part *part;
	struct document *document = documents_find(&session->documents, field_text(message->params, "textDocument.uri"), &part);
	struct pointed pointed = {{0, 0}, NULL};
	struct buf text = BUF_INIT;
	struct position position;

	if (part && position_read(field(message->params, "position"), &position) && check_document(session, document))
		hover_write(session, document,
			    document_offset(document, part, &document->source, session->client.encoding, position), &text,
			    &pointed);
	wire_answer(&session->wire, message->id);
	if (pointed.rule) {
		json_object_begin(json);
		json_member_object(json, "contents");
		json_member_text(json, "kind", session->client.hover_is_markdown ? "markdown" : "plaintext");
		json_member_text(json, "value", buf_text(&text));
		json_object_end(json);
		json_key(json, "range");
		diagnostic_add_span(json, session->client.encoding, &document->source, pointed.span);
		json_object_end(json);
	} else {
		json_text(json, NULL);
	}
	wire_send(&session->wire);
	buf_release(&text);
}
