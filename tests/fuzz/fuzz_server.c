/* Any bytes from an editor: messages out of a stream that comes in pieces, and what they do to the documents that are open.
 *
 * The first byte says how large the pieces are and how positions count. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "lsp/document.h"
#include "lsp/frame.h"
#include "lsp/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool begins_line(struct str text, size_t at)
{
	return at == 0 || text.at[at - 1] == '\n' || (text.at[at - 1] == '\r' && (at == text.length || text.at[at] != '\n'));
}

/* What is remembered of PART's lines is so. */
static void check_part(const struct document_part *part)
{
	struct str text = buf_get(&part->text);
	uint32_t line = 0;

	if (buf_text(&part->text)[text.length] != '\0')
		BUG("a text has no end");
	if (part->seen_start > text.length || !begins_line(text, part->seen_start))
		BUG("no line begins where one is remembered");
	for (size_t at = 1; at <= part->seen_start; at++)
		line += begins_line(text, at);
	if (line != part->seen_line)
		BUG("another line begins where one is remembered");
}

static void check_offsets(const struct document *document, const struct source *source, enum position_encoding encoding)
{
	static const struct position positions[] = {{0, 0}, {0, 3}, {1, 1}, {2, 1000000}, {1000000, 0}, {UINT32_MAX - 1, UINT32_MAX - 1}};

	for (size_t i = 0; i < document->parts.count; i++) {
		const struct document_part *part = &document->parts.items[i];

		for (size_t k = 0; k < sizeof positions / sizeof *positions; k++) {
			if (document_offset(document, part, source, encoding, positions[k]) > source->length)
				BUG("a position lies outside of its document");
		}
	}
}

static void check_document(const struct document *document, enum position_encoding encoding)
{
	struct source source;

	for (size_t i = 0; i < document->parts.count; i++)
		check_part(&document->parts.items[i]);
	document_source(document, &source);
	if (document->parts.count)
		check_offsets(document, &source, encoding);
	source_release(&source);
}

static void gone(const struct document_part *part, void *context)
{
	*(size_t *)context += strlen(part->uri);
}

static void close_named(struct documents *documents, const char *uri)
{
	struct document *document = documents_find(documents, uri, NULL);

	if (document)
		documents_close(documents, document);
}

/* What MESSAGE asks to do to DOCUMENTS. */
static void follow(struct documents *documents, const struct message *message, enum position_encoding encoding)
{
	struct document *document = NULL;
	size_t lost = 0;

	if (strcmp(message->method, "o") == 0)
		document = documents_open(documents, message->params);
	else if (strcmp(message->method, "c") == 0)
		document = documents_change(documents, message->params, encoding);
	else if (strcmp(message->method, "x") == 0)
		close_named(documents, field_text(message->params, "textDocument.uri"));
	else if (strcmp(message->method, "no") == 0)
		document = documents_open_notebook(documents, message->params);
	else if (strcmp(message->method, "nc") == 0)
		document = documents_change_notebook(documents, message->params, encoding, gone, &lost);
	if (document)
		check_document(document, encoding);
}

/* What goes back to who sent MESSAGE can be read, whatever it was. */
static void check_answer(struct wire *wire, const struct message *message)
{
	cJSON *root;

	wire_fail(wire, message->id, WIRE_NO_METHOD, message->method ? message->method : "");
	root = cJSON_ParseWithLength(wire->body.bytes, wire->body.length);
	if (!root)
		BUG("an answer is no JSON");
	if (message->id && cJSON_IsString(message->id) &&
	    !cJSON_Compare(message->id, cJSON_GetObjectItemCaseSensitive(root, "id"), true))
		BUG("an answer has another id");
	cJSON_Delete(root);
}

static bool take(struct frame_reader *reader, struct documents *documents, struct wire *wire, enum position_encoding encoding)
{
	enum frame_state state;
	struct message *message;
	struct str body;
	struct err err;

	while ((state = frame_reader_next(reader, &body, &err)) != FRAME_MORE) {
		if (state == FRAME_LOST)
			return false;
		message = state == FRAME_BODY ? message_new(body, &err) : NULL;
		if (message && message->root)
			check_answer(wire, message);
		if (message && message->method)
			follow(documents, message, encoding);
		message_free(message);
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_reader reader = {BUF_INIT, 0};
	struct documents documents = {.serials = 0};
	enum position_encoding encoding;
	struct wire wire;
	size_t piece;
	FILE *nowhere;

	if (size == 0 || !(nowhere = fopen("/dev/null", "w")))
		return 0;
	encoding = (enum position_encoding)(data[0] % 3);
	piece = data[0] / 3 + 1;
	wire_init(&wire, nowhere);
	for (size_t at = 1; at < size; at += piece) {
		frame_reader_add(&reader, (const char *)data + at, size - at < piece ? size - at : piece);
		if (!take(&reader, &documents, &wire, encoding))
			break;
	}
	frame_reader_release(&reader);
	documents_release(&documents);
	wire_release(&wire);
	fclose(nowhere);
	return 0;
}
