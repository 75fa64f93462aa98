#include "lsp/document.h"

#include <stdlib.h>
#include <string.h>

#include "lsp/uri.h"
#include "text/notebook.h"

/* ---- parts ---- */

static void part_release(struct document_part *part)
{
	free(part->uri);
	buf_release(&part->text);
}

static void part_set(struct document_part *part, const char *text)
{
	buf_reset(&part->text);
	buf_add_text(&part->text, text);
	part->seen_line = 0;
	part->seen_start = 0;
}

/* Whether a line begins at AT. */
static bool begins_line(struct str text, size_t at)
{
	if (at == 0)
		return true;
	return text.at[at - 1] == '\n' || (text.at[at - 1] == '\r' && (at == text.length || text.at[at] != '\n'));
}

static void seek_forward(struct document_part *part, struct str text, uint32_t line)
{
	size_t at = part->seen_start;

	while (part->seen_line < line && at < text.length) {
		at++;
		if (begins_line(text, at)) {
			part->seen_line++;
			part->seen_start = at;
		}
	}
}

static void seek_back(struct document_part *part, struct str text, uint32_t line)
{
	size_t at = part->seen_start;

	while (part->seen_line > line && at > 0) {
		at--;
		if (begins_line(text, at)) {
			part->seen_line--;
			part->seen_start = at;
		}
	}
}

/* The byte of PART's text at POSITION. Lines behind the last are its end. */
static size_t part_offset(struct document_part *part, enum position_encoding encoding, struct position position)
{
	struct str text = buf_get(&part->text);
	size_t start, end;

	seek_forward(part, text, position.line);
	seek_back(part, text, position.line);
	if (part->seen_line < position.line)
		return text.length;
	start = end = part->seen_start;
	while (end < text.length && text.at[end] != '\n' && text.at[end] != '\r')
		end++;
	return start + position_bytes(encoding, (struct str){text.at + start, end - start}, position.character);
}

bool position_read(const cJSON *json, struct position *position)
{
	int64_t line = field_number(json, "line", -1), character = field_number(json, "character", -1);

	*position = (struct position){(uint32_t)line, (uint32_t)character};
	return line >= 0 && line < UINT32_MAX && character >= 0 && character < UINT32_MAX;
}

static void part_replace(struct document_part *part, size_t start, size_t end, struct str text)
{
	struct buf *buf = &part->text;
	size_t tail = buf->length - end;

	buf_reserve(buf, text.length);
	memmove(buf->bytes + start + text.length, buf->bytes + end, tail);
	if (text.length)
		memcpy(buf->bytes + start, text.at, text.length);
	buf->length = start + text.length + tail;
	buf->bytes[buf->length] = '\0';
	/* Where a line begins is known no more if it lay behind, or if a CR before it may have got its LF. */
	if (part->seen_start > start || (part->seen_start == start && start > 0 && buf->bytes[start - 1] == '\r')) {
		part->seen_line = 0;
		part->seen_start = 0;
	}
}

static void part_change(struct document_part *part, const cJSON *change, enum position_encoding encoding)
{
	const char *text = field_text(change, "text");
	struct position from, to;
	size_t start, end;

	if (!text)
		return;
	if (!position_read(field(change, "range.start"), &from) || !position_read(field(change, "range.end"), &to)) {
		if (!field(change, "range"))
			part_set(part, text);
		return;
	}
	end = part_offset(part, encoding, to);
	start = part_offset(part, encoding, from);
	part_replace(part, start < end ? start : end, start < end ? end : start, str_from(text));
}

static void part_change_all(struct document_part *part, const cJSON *changes, enum position_encoding encoding)
{
	const cJSON *change;

	if (!cJSON_IsArray(changes))
		return;
	cJSON_ArrayForEach(change, changes)
		part_change(part, change, encoding);
}

/* ---- documents ---- */

static void document_free(struct document *document)
{
	document_forget(document);
	lint_memory_free(document->memory);
	for (size_t i = 0; i < document->parts.count; i++)
		part_release(&document->parts.items[i]);
	VEC_RELEASE(&document->parts);
	free(document->uri);
	free(document->path);
	free(document);
}

void documents_release(struct documents *documents)
{
	for (size_t i = 0; i < documents->items.count; i++)
		document_free(documents->items.items[i]);
	VEC_RELEASE(&documents->items);
	map_release(&documents->by_uri);
}

void document_forget(struct document *document)
{
	if (!document->checked)
		return;
	lint_result_release(&document->result);
	source_release(&document->source);
	document->checked = 0;
}

struct document *documents_find(const struct documents *documents, const char *uri, struct document_part **part)
{
	struct document *document = uri ? map_get(&documents->by_uri, str_from(uri)) : NULL;

	if (part)
		*part = NULL;
	for (size_t i = 0; part && document && i < document->parts.count; i++) {
		if (strcmp(document->parts.items[i].uri, uri) == 0)
			*part = &document->parts.items[i];
	}
	return document;
}

static void changed(struct documents *documents, struct document *document)
{
	document->serial = ++documents->serials;
}

static char *path_of(const char *uri)
{
	struct arena arena;
	const char *path;
	char *copy = NULL;

	arena_init(&arena);
	path = uri_to_real_path(&arena, uri);
	if (path)
		copy = mem_dup_text(path);
	arena_release(&arena);
	return copy;
}

static struct document *document_new(struct documents *documents, const char *uri, int64_t version, bool is_notebook)
{
	struct document *document = documents_find(documents, uri, NULL);

	if (document) /* opened twice: what was said last counts */
		documents_close(documents, document);
	document = mem_new(1, sizeof *document);
	document->uri = mem_dup_text(uri);
	document->path = path_of(uri);
	document->version = version;
	document->is_notebook = is_notebook;
	VEC_ADD(&documents->items, document);
	map_put(&documents->by_uri, str_from(uri), document);
	changed(documents, document);
	return document;
}

/* Whether ITEM, a TextDocumentItem, is in Python. Those who do not say are taken to be. */
static bool is_python(const cJSON *item)
{
	const char *language = field_text(item, "languageId");

	return !language || strcmp(language, "python") == 0;
}

struct document *documents_open(struct documents *documents, const cJSON *params)
{
	const cJSON *item = field(params, "textDocument");
	const char *uri = field_text(item, "uri"), *text = field_text(item, "text");
	struct document *document;
	struct document_part part = {.is_code = is_python(item)};

	if (!uri || !text)
		return NULL;
	document = document_new(documents, uri, field_number(item, "version", 0), false);
	part.uri = mem_dup_text(uri);
	part.version = document->version;
	part_set(&part, text);
	VEC_ADD(&document->parts, part);
	return document;
}

struct document *documents_change(struct documents *documents, const cJSON *params, enum position_encoding encoding)
{
	struct document_part *part;
	struct document *document = documents_find(documents, field_text(params, "textDocument.uri"), &part);

	if (!part)
		return NULL;
	part_change_all(part, field(params, "contentChanges"), encoding);
	part->version = field_number(params, "textDocument.version", part->version);
	if (!document->is_notebook)
		document->version = part->version;
	changed(documents, document);
	return document;
}

void documents_close(struct documents *documents, struct document *document)
{
	size_t kept = 0;

	for (size_t i = 0; i < document->parts.count; i++)
		map_remove(&documents->by_uri, str_from(document->parts.items[i].uri));
	map_remove(&documents->by_uri, str_from(document->uri));
	for (size_t i = 0; i < documents->items.count; i++) {
		if (documents->items.items[i] != document)
			documents->items.items[kept++] = documents->items.items[i];
	}
	documents->items.count = kept;
	document_free(document);
}

/* ---- notebooks ---- */

static const cJSON *item_of(const cJSON *items, const char *uri)
{
	const cJSON *item;

	if (!cJSON_IsArray(items))
		return NULL;
	cJSON_ArrayForEach(item, items) {
		const char *name = field_text(item, "uri");

		if (name && strcmp(name, uri) == 0)
			return item;
	}
	return NULL;
}

/* The cell that CELL of the notebook describes, with its text from ITEMS; false where it has no address. */
static bool cell_read(const cJSON *cell, const cJSON *items, struct document_part *part)
{
	enum { KIND_CODE = 2 };
	const char *uri = field_text(cell, "document");
	const cJSON *item = uri ? item_of(items, uri) : NULL;
	const char *text = field_text(item, "text");

	if (!uri)
		return false;
	*part = (struct document_part){.uri = mem_dup_text(uri), .version = field_number(item, "version", 0)};
	part->is_code = field_number(cell, "kind", KIND_CODE) == KIND_CODE && is_python(item);
	part_set(part, text ? text : "");
	return true;
}

struct document *documents_open_notebook(struct documents *documents, const cJSON *params)
{
	const char *uri = field_text(params, "notebookDocument.uri");
	const cJSON *cells = field(params, "notebookDocument.cells"), *cell;
	struct document *document;
	struct document_part part;

	if (!uri)
		return NULL;
	document = document_new(documents, uri, field_number(params, "notebookDocument.version", 0), true);
	cJSON_ArrayForEach(cell, cells) {
		if (!cell_read(cell, field(params, "cellTextDocuments"), &part))
			continue;
		VEC_ADD(&document->parts, part);
		map_put(&documents->by_uri, str_from(part.uri), document);
	}
	return document;
}

static const struct document_part *part_named(const struct document *document, const char *uri)
{
	for (size_t i = 0; i < document->parts.count; i++) {
		if (strcmp(document->parts.items[i].uri, uri) == 0)
			return &document->parts.items[i];
	}
	return NULL;
}

/* The cell PART as it was before, where it has been moved: one of OLD, FIRST to LAST, which it is taken from. */
static void take_moved(struct document_part *part, struct document_part *old, size_t first, size_t last)
{
	for (size_t i = first; i < last; i++) {
		if (!old[i].uri || strcmp(old[i].uri, part->uri) != 0)
			continue;
		part_release(part);
		*part = old[i];
		old[i].uri = NULL;
		return;
	}
}

struct splice {
	struct documents *documents;
	struct document *document;
	void (*gone)(const struct document_part *part, void *context);
	void *context;
};

/* Takes cells out and puts others in, as STRUCTURE says. A cell that is moved is taken out here and put in there. */
static void cells_splice(struct splice *splice, const cJSON *structure)
{
	struct document *document = splice->document;
	int64_t start = field_number(structure, "array.start", 0), removed = field_number(structure, "array.deleteCount", 0);
	const cJSON *cells = field(structure, "array.cells"), *cell;
	struct document_part *old = document->parts.items, part;
	size_t count = document->parts.count, first, last;

	first = start < 0 ? 0 : (uint64_t)start > count ? count : (size_t)start;
	last = removed < 0 ? first : (uint64_t)removed > count - first ? count : first + (size_t)removed;
	document->parts.items = NULL;
	document->parts.count = document->parts.room = 0;
	for (size_t i = 0; i < first; i++)
		VEC_ADD(&document->parts, old[i]);
	cJSON_ArrayForEach(cell, cells) {
		if (!cell_read(cell, field(structure, "didOpen"), &part))
			continue;
		if (!item_of(field(structure, "didOpen"), part.uri))
			take_moved(&part, old, first, last);
		VEC_ADD(&document->parts, part);
		map_put(&splice->documents->by_uri, str_from(part.uri), document);
	}
	for (size_t i = first; i < last; i++) {
		const struct document_part *now;

		if (!old[i].uri)
			continue;
		now = part_named(document, old[i].uri);
		if (!now)
			map_remove(&splice->documents->by_uri, str_from(old[i].uri));
		if (!now || !now->is_code)
			splice->gone(&old[i], splice->context);
		part_release(&old[i]);
	}
	for (size_t i = last; i < count; i++)
		VEC_ADD(&document->parts, old[i]);
	free(old);
}

struct document *documents_change_notebook(struct documents *documents, const cJSON *params, enum position_encoding encoding,
					   void (*gone)(const struct document_part *part, void *context), void *context)
{
	struct document *document = documents_find(documents, field_text(params, "notebookDocument.uri"), NULL);
	const cJSON *cells = field(params, "change.cells"), *change;
	struct document_part *part;

	if (!document || !document->is_notebook)
		return NULL;
	if (field(cells, "structure"))
		cells_splice(&(struct splice){documents, document, gone, context}, field(cells, "structure"));
	cJSON_ArrayForEach(change, field(cells, "textContent")) {
		if (documents_find(documents, field_text(change, "document.uri"), &part) != document || !part)
			continue;
		part_change_all(part, field(change, "changes"), encoding);
		part->version = field_number(change, "document.version", part->version);
	}
	document->version = field_number(params, "notebookDocument.version", document->version);
	changed(documents, document);
	return document;
}

/* ---- text ---- */

void document_source(const struct document *document, struct source *source)
{
	size_t count = document->parts.count;
	struct str *texts;

	if (!document->is_notebook) {
		source_init_plain(source, buf_get(&document->parts.items[0].text));
		return;
	}
	texts = mem_new(count + 1, sizeof *texts);
	for (size_t i = 0; i < count; i++) {
		const struct document_part *part = &document->parts.items[i];

		if (part->is_code)
			texts[i] = (struct str){buf_text(&part->text), part->text.length};
	}
	notebook_init_texts(source, texts, count);
	free(texts);
}

const struct document_part *document_part_at(const struct document *document, const struct source *source, uint32_t offset)
{
	uint32_t cell = source_cell(source, offset);

	return &document->parts.items[cell && cell <= document->parts.count ? cell - 1 : 0];
}

/* The line of SOURCE that line LINE (from 0) of cell CELL (from 1) has become; 0 where there is none. */
static uint32_t line_of_cell(const struct source *source, uint32_t cell, uint32_t line)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < source->line_count; i++) {
		const struct source_origin *origin = &source->origins[i];

		if (origin->cell != cell || origin->is_added)
			continue;
		last = i + 1;
		if (origin->line == line + 1)
			break;
	}
	return last;
}

uint32_t document_offset(const struct document *document, const struct document_part *part, const struct source *source,
			 enum position_encoding encoding, struct position position)
{
	uint32_t line = position.line < source->line_count ? position.line + 1 : source->line_count;
	bool is_beyond = position.line >= source->line_count;

	if (document->is_notebook)
		line = line_of_cell(source, (uint32_t)(part - document->parts.items) + 1, position.line);
	if (!line)
		return 0;
	return source->line_starts[line - 1] +
	       (uint32_t)position_bytes(encoding, source_line_written(source, line), is_beyond ? UINT32_MAX : position.character);
}
