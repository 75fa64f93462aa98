#include "text/notebook_cells.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT_OLDEST = 2, FORMAT_NEWEST = 4 };

enum cell_kind { CELL_UNKNOWN, CELL_CODE, CELL_OTHER };

struct reading {
	struct notebook_cells *out;
	struct json_scan scan;
	struct str raw;
	uint32_t number;     /* of the cell at hand */
	size_t counted;      /* up to here lines were counted */
	uint32_t file_line;  /* of COUNTED */
	uint32_t format;
	bool has_format, has_cells;
	char kernel[32], kernel_language[32], language[32]; /* from the metadata, in lower case */
	char words[96];      /* the fault at hand */
};

/* The cell at hand, while its keys are read. */
struct cell_reading {
	struct notebook_cell cell;
	enum cell_kind kind;
	bool has_source;
	bool is_foreign;
};

static bool key_is(const struct reading *r, struct json_literal key, const char *word)
{
	return json_literal_is(r->raw, key, word);
}

static bool fail_cell(struct reading *r, size_t at, const char *what)
{
	snprintf(r->words, sizeof r->words, "cell %lu %s", (unsigned long)r->number, what);
	return json_scan_fail(&r->scan, at, r->words);
}

static uint32_t file_line(struct reading *r, size_t at)
{
	for (; r->counted < at; r->counted++) {
		char c = r->raw.at[r->counted];

		r->file_line += c == '\n' || (c == '\r' && r->raw.at[r->counted + 1] != '\n');
	}
	return r->file_line;
}

static bool piece_read(struct reading *r)
{
	struct notebook_piece piece = {.text = {(uint32_t)r->out->text.length, 0}};

	if (!json_scan_text(&r->scan, &piece.literal))
		return false;
	json_literal_add(&r->out->text, r->raw, piece.literal);
	piece.text.end = (uint32_t)r->out->text.length;
	piece.file_line = file_line(r, piece.literal.start);
	VEC_ADD(&r->out->pieces, piece);
	return true;
}

/* Takes back what was read of the cell's source. */
static void source_drop(struct reading *r, struct cell_reading *c)
{
	r->out->text.length = c->cell.text.start;
	r->out->pieces.count = c->cell.piece;
}

static bool source_read(struct reading *r, struct cell_reading *c)
{
	enum json_kind kind = json_scan_kind(&r->scan);

	source_drop(r, c); /* of a key that comes twice the last one counts */
	c->has_source = true;
	c->cell.is_list = kind == JSON_ARRAY;
	if (kind == JSON_TEXT)
		return piece_read(r);
	if (kind != JSON_ARRAY)
		return fail_cell(r, r->scan.at, "has a source that is neither a text nor a list of texts");
	json_scan_array(&r->scan);
	c->cell.list_start = r->scan.at;
	while (json_scan_item(&r->scan)) {
		if (json_scan_kind(&r->scan) != JSON_TEXT)
			return fail_cell(r, r->scan.at, "has a line that is no text");
		if (!piece_read(r))
			return false;
	}
	return !r->scan.fault;
}

/* LITERAL in lower case, cut to SIZE. */
static void word_take(const struct reading *r, struct json_literal literal, char *word, size_t size)
{
	struct buf text = BUF_INIT;
	size_t length;

	json_literal_add(&text, r->raw, literal);
	length = text.length < size - 1 ? text.length : size - 1;
	for (size_t i = 0; i < length; i++)
		word[i] = (char)tolower((unsigned char)text.bytes[i]);
	word[length] = '\0';
	buf_release(&text);
}

/* The text that comes next, or nothing where it is none. */
static bool word_read(struct reading *r, char *word, size_t size)
{
	struct json_literal literal;

	if (json_scan_kind(&r->scan) != JSON_TEXT)
		return json_scan_skip(&r->scan);
	if (!json_scan_text(&r->scan, &literal))
		return false;
	word_take(r, literal, word, size);
	return true;
}

bool notebook_is_python(const char *language)
{
	return !language[0] || strncmp(language, "python", 6) == 0 || strcmp(language, "ipython") == 0;
}

static bool language_read(struct reading *r, struct cell_reading *c)
{
	char word[32] = "";

	if (!word_read(r, word, sizeof word))
		return false;
	c->is_foreign = !notebook_is_python(word);
	return true;
}

/* metadata.vscode.languageId, which notebooks of several languages carry. */
static bool cell_metadata_read(struct reading *r, struct cell_reading *c, const char *name)
{
	struct json_literal key;

	if (json_scan_kind(&r->scan) != JSON_OBJECT)
		return json_scan_skip(&r->scan);
	json_scan_object(&r->scan);
	while (json_scan_key(&r->scan, &key)) {
		if (!key_is(r, key, name))
			json_scan_skip(&r->scan);
		else if (strcmp(name, "vscode") == 0)
			cell_metadata_read(r, c, "languageId");
		else
			language_read(r, c);
	}
	return !r->scan.fault;
}

static bool kind_read(struct reading *r, struct cell_reading *c)
{
	struct json_literal literal;

	if (json_scan_kind(&r->scan) != JSON_TEXT)
		return fail_cell(r, r->scan.at, "has a 'cell_type' that is no text");
	if (!json_scan_text(&r->scan, &literal))
		return false;
	c->kind = key_is(r, literal, "code") ? CELL_CODE : CELL_OTHER;
	return true;
}

static bool cell_read(struct reading *r)
{
	struct cell_reading c = {.kind = CELL_UNKNOWN};
	struct json_literal key;
	size_t at;

	r->number++;
	c.cell.number = r->number;
	c.cell.text.start = (uint32_t)r->out->text.length;
	c.cell.piece = r->out->pieces.count;
	if (json_scan_kind(&r->scan) != JSON_OBJECT)
		return fail_cell(r, r->scan.at, "is no object");
	at = r->scan.at;
	json_scan_object(&r->scan);
	while (json_scan_key(&r->scan, &key)) {
		if (key_is(r, key, "cell_type"))
			kind_read(r, &c);
		else if (key_is(r, key, "source") || key_is(r, key, "input")) /* "input" up to format 3 */
			source_read(r, &c);
		else if (key_is(r, key, "metadata"))
			cell_metadata_read(r, &c, "vscode");
		else if (key_is(r, key, "language")) /* up to format 3 */
			language_read(r, &c);
		else
			json_scan_skip(&r->scan);
	}
	if (r->scan.fault)
		return false;
	if (c.kind == CELL_UNKNOWN)
		return fail_cell(r, at, "has no 'cell_type'");
	if (c.kind == CELL_CODE && !c.has_source)
		return fail_cell(r, at, "has no 'source'");
	if (c.kind == CELL_OTHER || c.is_foreign) {
		source_drop(r, &c);
		return true;
	}
	c.cell.text.end = (uint32_t)r->out->text.length;
	c.cell.piece_count = r->out->pieces.count - c.cell.piece;
	VEC_ADD(&r->out->cells, c.cell);
	return true;
}

static void all_drop(struct reading *r)
{
	r->number = 0;
	r->out->cells.count = 0;
	r->out->pieces.count = 0;
	r->out->text.length = 0;
}

static bool cells_read(struct reading *r)
{
	if (json_scan_kind(&r->scan) != JSON_ARRAY)
		return json_scan_fail(&r->scan, r->scan.at, "'cells' is no list");
	json_scan_array(&r->scan);
	r->has_cells = true;
	while (json_scan_item(&r->scan))
		cell_read(r);
	return !r->scan.fault;
}

/* Up to format 3 cells lie in sheets, of which there never was more than one. */
static bool sheets_read(struct reading *r)
{
	struct json_literal key;

	if (json_scan_kind(&r->scan) != JSON_ARRAY)
		return json_scan_fail(&r->scan, r->scan.at, "'worksheets' is no list");
	json_scan_array(&r->scan);
	r->has_cells = true;
	while (json_scan_item(&r->scan)) {
		if (json_scan_kind(&r->scan) != JSON_OBJECT)
			return json_scan_fail(&r->scan, r->scan.at, "a worksheet is no object");
		json_scan_object(&r->scan);
		while (json_scan_key(&r->scan, &key)) {
			if (key_is(r, key, "cells"))
				cells_read(r);
			else
				json_scan_skip(&r->scan);
		}
	}
	return !r->scan.fault;
}

/* One of the objects in the metadata: texts under the keys FIRST and SECOND. */
static bool words_read(struct reading *r, const char *first, char *a, const char *second, char *b)
{
	struct json_literal key;

	if (json_scan_kind(&r->scan) != JSON_OBJECT)
		return json_scan_skip(&r->scan);
	json_scan_object(&r->scan);
	while (json_scan_key(&r->scan, &key)) {
		if (key_is(r, key, first))
			word_read(r, a, sizeof r->language);
		else if (second && key_is(r, key, second))
			word_read(r, b, sizeof r->language);
		else
			json_scan_skip(&r->scan);
	}
	return !r->scan.fault;
}

static bool metadata_read(struct reading *r)
{
	struct json_literal key;

	if (json_scan_kind(&r->scan) != JSON_OBJECT)
		return json_scan_skip(&r->scan);
	json_scan_object(&r->scan);
	while (json_scan_key(&r->scan, &key)) {
		if (key_is(r, key, "language_info"))
			words_read(r, "name", r->language, NULL, NULL);
		else if (key_is(r, key, "kernelspec"))
			words_read(r, "language", r->kernel_language, "name", r->kernel);
		else
			json_scan_skip(&r->scan);
	}
	return !r->scan.fault;
}

static bool format_read(struct reading *r)
{
	size_t at;

	json_scan_kind(&r->scan);
	at = r->scan.at;
	if (!json_scan_whole(&r->scan, &r->format))
		return false;
	r->has_format = true;
	if (r->format >= FORMAT_OLDEST && r->format <= FORMAT_NEWEST)
		return true;
	return json_scan_fail(&r->scan, at, "the notebook format is not known (2, 3 and 4 are)");
}

static bool notebook_read(struct reading *r)
{
	struct json_literal key;
	size_t at;

	json_scan_kind(&r->scan);
	at = r->scan.at;
	if (at < r->raw.length && r->raw.at[at] != '{')
		return json_scan_fail(&r->scan, at, "not a notebook: there is no '{'");
	json_scan_object(&r->scan);
	while (json_scan_key(&r->scan, &key)) {
		if (key_is(r, key, "cells")) {
			all_drop(r);
			cells_read(r);
		} else if (key_is(r, key, "worksheets")) {
			all_drop(r);
			sheets_read(r);
		} else if (key_is(r, key, "metadata")) {
			metadata_read(r);
		} else if (key_is(r, key, "nbformat")) {
			format_read(r);
		} else {
			json_scan_skip(&r->scan);
		}
	}
	if (!json_scan_end(&r->scan))
		return false;
	if (!r->has_cells)
		return json_scan_fail(&r->scan, at, "not a notebook: there are no 'cells'");
	if (!r->has_format)
		return json_scan_fail(&r->scan, at, "not a notebook: there is no 'nbformat'");
	return true;
}

/* What the code is in: the kernel's own word, what its description says, or its name where that is telling. */
static const char *language_of(const struct reading *r)
{
	static const char *const kernels[][2] = {{"ir", "r"}, {"julia", "julia"}, {"bash", "bash"}, {"javascript", "javascript"}};

	if (r->language[0])
		return r->language;
	if (r->kernel_language[0])
		return r->kernel_language;
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		size_t length = strlen(kernels[i][0]);

		if (strncmp(r->kernel, kernels[i][0], length) == 0 && !isalpha((unsigned char)r->kernel[length]))
			return kernels[i][1];
	}
	return "";
}

bool notebook_cells_init(struct notebook_cells *cells, struct str raw, struct err *err)
{
	struct reading r = {.out = cells, .file_line = 1};

	memset(cells, 0, sizeof *cells);
	buf_init(&cells->text);
	if (!raw.at)
		raw = STR("");
	cells->had_mark = str_starts(raw, "\xEF\xBB\xBF");
	r.raw = raw;
	json_scan_init(&r.scan, raw);
	if (cells->had_mark)
		r.scan.at = 3;
	if (!notebook_read(&r)) {
		json_scan_err(&r.scan, err);
		notebook_cells_release(cells);
		return false;
	}
	buf_reserve(&cells->text, 0); /* there are bytes, be they none */
	strcpy(cells->language, language_of(&r));
	return true;
}

void notebook_cells_release(struct notebook_cells *cells)
{
	buf_release(&cells->text);
	VEC_RELEASE(&cells->pieces);
	VEC_RELEASE(&cells->cells);
}
