#include "report/html_code.h"

#include <stdlib.h>

#include "base/vec.h"
#include "report/snippet.h"
#include "report/visible.h"
#include "report/xml.h"

enum {
	CONTEXT = 2,       /* lines shown before and after a marked one */
	LINE_LIMIT = 600,  /* bytes of a line that are shown */
	LINE_BEFORE = 200, /* of them before the first mark */
};

void html_add(struct buf *out, struct str text)
{
	struct buf shown = BUF_INIT;

	for (size_t i = 0; i < text.length; i++) {
		size_t start = i;

		while (i < text.length && text.at[i] != '\t')
			i++;
		buf_reset(&shown);
		visible_add(&shown, (struct str){text.at + start, i - start});
		xml_add(out, buf_get(&shown));
		if (i < text.length)
			buf_add_char(out, '\t');
	}
	buf_release(&shown);
}

/* A place of the finding. */
struct mark {
	const struct excerpt *at;
	uint64_t line;     /* as in struct row */
	size_t step;       /* number of the note; 0: what is reported */
	const char *words; /* of the note, or NULL */
};

/* A line that is shown. */
struct row {
	uint64_t line; /* in the order of reading, also over cells */
	uint32_t cell, number;
	struct str text;
	const struct excerpt *marked; /* an excerpt on this line, or NULL */
};

struct drawing {
	const struct source *source; /* or NULL */
	VEC(struct mark) marks;
	VEC(struct row) rows;
};

static int by_line(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->marked == NULL) - (y->marked == NULL); /* the marked one stays of several */
}

static void add_mark(struct drawing *drawing, const struct excerpt *at, size_t step, const char *words)
{
	struct mark mark = {at, (uint64_t)at->cell << 32 | at->start.line, step, words};

	if (drawing->source)
		mark.line = source_line(drawing->source, at->span.start);
	VEC_ADD(&drawing->marks, mark);
	VEC_ADD(&drawing->rows,
		((struct row){mark.line, at->cell, at->start.line, {at->line_text, at->line_length}, at}));
}

/* Line LINE of the source, unless it is one that stands in no cell, or what follows the last line end. */
static void add_context(struct drawing *drawing, uint32_t line)
{
	const struct source *source = drawing->source;
	struct row row = {line, 0, line, source_line_written(source, line), NULL};

	if (source->origins) {
		row.cell = source->origins[line - 1].cell;
		row.number = source->origins[line - 1].line;
	}
	if ((source->origins && source->origins[line - 1].is_added) || (line == source->line_count && row.text.length == 0))
		return;
	VEC_ADD(&drawing->rows, row);
}

static bool is_blank_context(const struct row *row)
{
	if (row->marked)
		return false;
	for (size_t i = 0; i < row->text.length; i++) {
		if (!strchr(" \t\f\r\n", row->text.at[i]))
			return false;
	}
	return true;
}

/* Blank lines at either end show nothing. */
static void trim(struct drawing *drawing)
{
	size_t first = 0;

	while (drawing->rows.count > 0 && is_blank_context(&drawing->rows.items[drawing->rows.count - 1]))
		drawing->rows.count--;
	while (first < drawing->rows.count && is_blank_context(&drawing->rows.items[first]))
		first++;
	drawing->rows.count -= first;
	if (first > 0)
		memmove(drawing->rows.items, drawing->rows.items + first, drawing->rows.count * sizeof *drawing->rows.items);
}

static void collect(struct drawing *drawing, const struct finding *finding)
{
	size_t kept = 0;

	add_mark(drawing, &finding->at, 0, NULL);
	for (size_t i = 0; i < finding->note_count; i++)
		add_mark(drawing, &finding->notes[i].at, i + 1, finding->notes[i].text);
	for (size_t i = 0; drawing->source && i < drawing->marks.count; i++) {
		uint32_t line = (uint32_t)drawing->marks.items[i].line;

		for (uint32_t near = line > CONTEXT ? line - CONTEXT : 1; near <= line + CONTEXT; near++) {
			if (near != line && near <= drawing->source->line_count)
				add_context(drawing, near);
		}
	}
	qsort(drawing->rows.items, drawing->rows.count, sizeof *drawing->rows.items, by_line);
	for (size_t i = 0; i < drawing->rows.count; i++) {
		if (kept == 0 || drawing->rows.items[kept - 1].line != drawing->rows.items[i].line)
			drawing->rows.items[kept++] = drawing->rows.items[i];
	}
	drawing->rows.count = kept;
	trim(drawing);
}

/* ---- one line, in pieces that are marked alike ---- */

static struct span marked_bytes(const struct excerpt *at)
{
	struct span span = {snippet_column_offset(at, at->start.column), (uint32_t)at->line_length};

	if (at->end.line == at->start.line)
		span.end = snippet_column_offset(at, at->end.column);
	return span;
}

static bool is_on(const struct mark *mark, const struct row *row)
{
	return mark->line == row->line;
}

/* Where the piece that begins at FROM ends: where the next mark begins or ends. */
static uint32_t piece_end(const struct drawing *drawing, const struct row *row, uint32_t from, uint32_t limit)
{
	uint32_t end = limit;

	for (size_t i = 0; i < drawing->marks.count; i++) {
		struct span span;

		if (!is_on(&drawing->marks.items[i], row))
			continue;
		span = marked_bytes(drawing->marks.items[i].at);
		if (span.start > from && span.start < end)
			end = span.start;
		if (span.end > from && span.end < end)
			end = span.end;
	}
	return end;
}

static void add_piece(struct buf *out, const struct drawing *drawing, const struct row *row, struct span piece)
{
	bool here = false;
	bool step = false;

	for (size_t i = 0; i < drawing->marks.count; i++) {
		const struct mark *mark = &drawing->marks.items[i];
		struct span span = marked_bytes(mark->at);

		if (is_on(mark, row) && span.start <= piece.start && span.end >= piece.end)
			*(mark->step ? &step : &here) = true;
	}
	if (here || step)
		buf_format(out, "<mark%s>", here && step ? " class=\"here step-too\"" : here ? " class=\"here\"" : "");
	html_add(out, (struct str){row->text.at + piece.start, piece.end - piece.start});
	if (here || step)
		buf_add_text(out, "</mark>");
}

static uint32_t whole_characters(struct str text, uint32_t offset)
{
	while (offset < text.length && ((unsigned char)text.at[offset] & 0xC0) == 0x80)
		offset++;
	return offset;
}

/* What is shown of a line. */
static struct span window(const struct row *row)
{
	struct span shown = {0, (uint32_t)row->text.length};
	uint32_t mark = row->marked ? marked_bytes(row->marked).start : 0;

	if (shown.end <= LINE_LIMIT)
		return shown;
	if (mark > LINE_BEFORE)
		shown.start = whole_characters(row->text, mark - LINE_BEFORE);
	if (shown.end - shown.start > LINE_LIMIT)
		shown.end = whole_characters(row->text, shown.start + LINE_LIMIT);
	return shown;
}

static void add_code(struct buf *out, const struct drawing *drawing, const struct row *row)
{
	struct span shown = window(row);

	buf_add_text(out, shown.start > 0 ? "<code>…" : "<code>");
	for (uint32_t at = shown.start; at < shown.end;) {
		uint32_t end = piece_end(drawing, row, at, shown.end);

		add_piece(out, drawing, row, (struct span){at, end});
		at = end;
	}
	buf_add_text(out, shown.end < row->text.length ? "…</code>" : "</code>");
}

/* ---- rows ---- */

/* Which rows the line beside the code runs along: from the first marked one to the last. */
struct rail {
	size_t first, last;
};

static struct rail rail_of(const struct drawing *drawing)
{
	struct rail rail = {SIZE_MAX, 0};

	for (size_t i = 0; i < drawing->rows.count; i++) {
		if (!drawing->rows.items[i].marked)
			continue;
		if (rail.first == SIZE_MAX)
			rail.first = i;
		rail.last = i;
	}
	return rail;
}

static bool has_words(const struct drawing *drawing, const struct row *row)
{
	for (size_t i = 0; i < drawing->marks.count; i++) {
		if (drawing->marks.items[i].words && is_on(&drawing->marks.items[i], row))
			return true;
	}
	return false;
}

static void open_row(struct buf *out, const char *kind, bool on, bool first, bool last)
{
	buf_format(out, "<div class=\"row%s%s%s%s\">", kind, on ? " on" : "", first ? " first" : "", last ? " last" : "");
}

static void add_line(struct buf *out, const struct drawing *drawing, size_t index, struct rail rail)
{
	const struct row *row = &drawing->rows.items[index];
	bool on = rail.first < rail.last && index >= rail.first && index <= rail.last;
	bool reported = is_on(&drawing->marks.items[0], row);

	open_row(out, "", on && (index > rail.first || reported), index == rail.first, index == rail.last && !has_words(drawing, row));
	buf_format(out, "<span class=\"number\" data-number=\"%lu\"></span><span class=\"rail\">", (unsigned long)row->number);
	if (reported)
		buf_add_text(out, "<span class=\"step here\" title=\"reported here\">!</span>");
	buf_add_text(out, "</span>");
	add_code(out, drawing, row);
	buf_add_text(out, "</div>\n");
}

/* The notes that stand on the row. */
static void add_notes(struct buf *out, const struct drawing *drawing, size_t index, struct rail rail)
{
	const struct row *row = &drawing->rows.items[index];
	size_t last_on_row = 0;
	bool on = rail.first < rail.last;
	bool first = index == rail.first && !is_on(&drawing->marks.items[0], row);

	for (size_t i = 0; i < drawing->marks.count; i++) {
		if (drawing->marks.items[i].words && is_on(&drawing->marks.items[i], row))
			last_on_row = i;
	}
	for (size_t i = 0; i < drawing->marks.count; i++) {
		const struct mark *mark = &drawing->marks.items[i];

		if (!mark->words || !is_on(mark, row))
			continue;
		open_row(out, "", on, first, index == rail.last && i == last_on_row);
		first = false;
		buf_format(out, "<span></span><span class=\"rail\"><span class=\"step\">%zu</span></span><span class=\"words\">",
			   mark->step);
		html_add(out, str_from(mark->words));
		buf_add_text(out, "</span></div>\n");
	}
}

/* What is left out before ROW, or the cell that begins there. */
static void add_gap(struct buf *out, const struct row *row, const struct row *before, bool on)
{
	bool new_cell = row->cell && (!before || before->cell != row->cell);
	uint32_t left_out = before && !new_cell ? row->number - before->number - 1 : 0;

	if (!new_cell && left_out == 0)
		return;
	open_row(out, " gap", on, false, false);
	buf_add_text(out, "<span></span><span class=\"rail\"></span><span class=\"words\">");
	if (new_cell)
		buf_format(out, "cell %lu", (unsigned long)row->cell);
	else
		buf_format(out, "⋯ %lu line%s", (unsigned long)left_out, left_out == 1 ? "" : "s");
	buf_add_text(out, "</span></div>\n");
}

void html_code_add(struct buf *out, const struct source *source, const struct finding *finding)
{
	struct drawing drawing = {source, {NULL, 0, 0}, {NULL, 0, 0}};
	struct rail rail;

	collect(&drawing, finding);
	rail = rail_of(&drawing);
	buf_add_text(out, "<div class=\"code\">\n");
	for (size_t i = 0; i < drawing.rows.count; i++) {
		add_gap(out, &drawing.rows.items[i], i > 0 ? &drawing.rows.items[i - 1] : NULL, i > rail.first && i <= rail.last);
		add_line(out, &drawing, i, rail);
		add_notes(out, &drawing, i, rail);
	}
	buf_add_text(out, "</div>\n");
	VEC_RELEASE(&drawing.marks);
	VEC_RELEASE(&drawing.rows);
}
