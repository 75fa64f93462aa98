#include "lsp/edits.h"

#include "lsp/diagnostic.h"

static void edit_add(struct session *session, const struct source *source, const struct edit *edit)
{
	struct json_writer *json = &session->wire.json;

	json_object_begin(json);
	json_key(json, "range");
	diagnostic_add_span(json, session->client.encoding, source, edit->span);
	json_member_text(json, "newText", edit->text);
	json_object_end(json);
}

void edits_add(struct session *session, const struct document *document, const struct edit *edits, size_t count)
{
	struct json_writer *json = &session->wire.json;
	const struct source *source = &document->source;
	bool versions = session->client.takes_versions;

	json_object_begin(json);
	json_key(json, versions ? "documentChanges" : "changes");
	versions ? json_array_begin(json) : json_object_begin(json);
	for (size_t i = 0; i < count;) {
		const struct document_part *part = document_part_at(document, source, edits[i].span.start);

		if (versions) {
			json_object_begin(json);
			json_member_object(json, "textDocument");
			json_member_text(json, "uri", part->uri);
			json_member_int(json, "version", part->version);
			json_object_end(json);
		}
		json_member_array(json, versions ? "edits" : part->uri);
		while (i < count && document_part_at(document, source, edits[i].span.start) == part)
			edit_add(session, source, &edits[i++]);
		json_array_end(json);
		if (versions)
			json_object_end(json);
	}
	versions ? json_array_end(json) : json_object_end(json);
	json_object_end(json);
}

/* Whether a line begins at AT of TEXT, so that what stands before and behind can be told apart in any encoding. */
static bool begins_line(struct str text, size_t at)
{
	return at == 0 || at == text.length || text.at[at - 1] == '\n';
}

void edits_add_difference(struct session *session, const struct document *document, struct str text)
{
	struct str old = {document->source.text, document->source.length};
	size_t least = old.length < text.length ? old.length : text.length, first = 0, last = 0;
	struct arena arena;
	struct edit edit;

	while (first < least && old.at[first] == text.at[first])
		first++;
	while (first > 0 && !begins_line(old, first))
		first--;
	while (last < least - first && old.at[old.length - 1 - last] == text.at[text.length - 1 - last])
		last++;
	while (last > 0 && !(begins_line(old, old.length - last) && begins_line(text, text.length - last)))
		last--;
	arena_init(&arena);
	edit.span = (struct span){(uint32_t)first, (uint32_t)(old.length - last)};
	edit.text = arena_dup_bytes(&arena, text.at + first, text.length - last - first);
	edits_add(session, document, &edit, 1);
	arena_release(&arena);
}
