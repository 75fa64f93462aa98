#include "text/notebook.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "text/ipython.h"
#include "text/json_writer.h"
#include "text/notebook_cells.h"

bool notebook_is_name(const char *path)
{
	return str_ends(str_from(path), ".ipynb");
}

/* ---- the program ---- */

/* A part of the program that is a part of a cell, and the line end behind the cell where that ends it. */
struct run {
	uint32_t start;  /* in the program */
	struct span text; /* in the cells' text */
	size_t cell;
};

struct program {
	struct notebook_cells cells;
	struct buf text;
	struct buf written;
	VEC(struct source_origin) origins;
	VEC(struct span) masks;
	VEC(struct run) runs;
	bool has_gaps;
};

static void program_release(struct program *program)
{
	notebook_cells_release(&program->cells);
	buf_release(&program->text);
	buf_release(&program->written);
	VEC_RELEASE(&program->origins);
	VEC_RELEASE(&program->masks);
	VEC_RELEASE(&program->runs);
}

/* The cell being added. */
struct adding {
	struct program *program;
	const struct notebook_cell *cell;
	struct str written;
	const char *text;   /* the same without what is no Python */
	uint32_t at;        /* what of it was added */
	uint32_t line;      /* the line that AT begins */
	size_t piece;       /* the piece that the line at hand begins in */
};

/* Says where the next line of the program stands, which begins at OFFSET of the cell. */
static void origin_add(struct adding *a, uint32_t offset, bool is_added)
{
	struct source_origin origin = {a->cell->number, a->line, 0, is_added};

	if (a->cell->piece_count) {
		const struct notebook_piece *pieces = &a->program->cells.pieces.items[a->cell->piece];

		while (a->piece + 1 < a->cell->piece_count &&
		       pieces[a->piece + 1].text.start <= a->cell->text.start + offset)
			a->piece++;
		origin.file_line = pieces[a->piece].file_line;
	}
	VEC_ADD(&a->program->origins, origin);
}

static void both_add(struct program *program, const char *text, const char *written, size_t length)
{
	buf_add(&program->text, text, length);
	buf_add(&program->written, written, length);
}

/* A CR at the end of the cell is one with the LF that is put behind it. */
static bool ends_line(struct str text, uint32_t at)
{
	return text.at[at] == '\n' || (text.at[at] == '\r' && at + 1 < text.length && text.at[at + 1] != '\n');
}

/* Adds the cell up to END, where a line begins or the cell ends. */
static void code_add(struct adding *a, uint32_t end)
{
	struct program *program = a->program;
	struct run run = {(uint32_t)program->text.length, {a->cell->text.start + a->at, a->cell->text.start + end},
			  (size_t)(a->cell - program->cells.cells.items)};
	bool begins = true;

	VEC_ADD(&program->runs, run);
	both_add(program, a->text + a->at, a->written.at + a->at, end - a->at);
	for (; a->at < end; a->at++) {
		if (begins)
			origin_add(a, a->at, false);
		begins = ends_line(a->written, a->at);
		a->line += begins;
	}
	if (begins && end == a->written.length) /* the empty line that the cell ends in */
		origin_add(a, end, false);
}

static void header_add(struct adding *a, struct span indent)
{
	struct program *program = a->program;

	code_add(a, indent.start);
	origin_add(a, indent.start, true);
	both_add(program, a->text + indent.start, a->written.at + indent.start, indent.end - indent.start);
	both_add(program, "if True:\n", "if True:\n", strlen("if True:\n"));
}

static void cell_add(struct program *program, const struct notebook_cell *cell)
{
	struct str written = {program->cells.text.bytes + cell->text.start, cell->text.end - cell->text.start};
	char *text = mem_dup(written.length ? written.at : "", written.length);
	struct adding a = {program, cell, written, text, 0, 1, 0};
	struct ipython_cell python;
	size_t mask = 0;

	ipython_cell_init(&python, text, written.length);
	program->has_gaps |= !python.is_python && !python.is_apart;
	for (size_t i = 0; python.is_python && i <= python.headers.count; i++) {
		uint32_t start;
		size_t run = program->runs.count;

		if (i < python.headers.count)
			header_add(&a, python.headers.items[i]);
		else
			code_add(&a, (uint32_t)written.length);
		start = program->runs.items[run].start - (program->runs.items[run].text.start - cell->text.start);
		for (; mask < python.masks.count && python.masks.items[mask].start < a.at; mask++)
			VEC_ADD(&program->masks, (struct span){start + python.masks.items[mask].start,
							       start + python.masks.items[mask].end});
	}
	/* On lines of its own: also behind a backslash, and where its last line has an end already, so that what stands
	 * behind the one cell is not what stands before the next. */
	if (python.is_python) {
		both_add(program, "\n", "\n", 1);
		if (written.length && written.at[written.length - 1] == '\\') {
			a.line++;
			origin_add(&a, (uint32_t)written.length, true);
			both_add(program, "\n", "\n", 1);
		}
	}
	ipython_cell_release(&python);
	free(text);
}

/* Makes the program of the cells, which are there. */
static void program_build(struct program *program)
{
	struct source_origin last = {0, 1, 1, true};

	for (size_t i = 0; i < program->cells.cells.count; i++)
		cell_add(program, &program->cells.cells.items[i]);
	/* the empty line behind all */
	if (program->origins.count)
		last = program->origins.items[program->origins.count - 1];
	last.is_added = true;
	VEC_ADD(&program->origins, last);
}

static bool program_init(struct program *program, struct str raw, struct err *err)
{
	memset(program, 0, sizeof *program);
	if (raw.length > SOURCE_LIMIT)
		return err_set(err, ERR_TOO_BIG, "larger than %zu bytes", SOURCE_LIMIT);
	if (!notebook_cells_init(&program->cells, raw, err))
		return false;
	if (!notebook_is_python(program->cells.language)) {
		err_set(err, ERR_FOREIGN, "the notebook is in '%s', not in Python; nothing in it was checked", program->cells.language);
		program_release(program);
		return false;
	}
	program_build(program);
	return true;
}

static const struct source plain = {.encoding = "utf-8"};

/* Makes SOURCE of PROGRAM, which it releases. */
static void program_finish(struct program *program, struct source *source)
{
	source_init_like(source, &plain, &program->text);
	if (source->line_count != program->origins.count)
		BUG("lines of a notebook without an origin");
	buf_reserve(&program->written, 0);
	source->had_mark = program->cells.had_mark;
	source->written = program->written.bytes;
	source->origins = program->origins.items;
	source->masks = program->masks.items;
	source->mask_count = (uint32_t)program->masks.count;
	source->has_gaps = program->has_gaps;
	buf_init(&program->written);
	program->origins.items = NULL;
	program->masks.items = NULL;
	program_release(program);
}

bool notebook_init(struct source *source, struct str raw, struct err *err)
{
	struct program program;

	*source = plain;
	if (!program_init(&program, raw, err))
		return false;
	program_finish(&program, source);
	return true;
}

void notebook_init_texts(struct source *source, const struct str *texts, size_t count)
{
	struct program program;
	struct notebook_cells *cells = &program.cells;

	memset(&program, 0, sizeof program);
	for (size_t i = 0; i < count; i++) {
		uint32_t start = (uint32_t)cells->text.length;

		if (!texts[i].at)
			continue;
		buf_add_str(&cells->text, texts[i]);
		VEC_ADD(&cells->cells, (struct notebook_cell){.number = (uint32_t)i + 1,
							      .text = {start, (uint32_t)cells->text.length}});
	}
	buf_reserve(&cells->text, 0);
	program_build(&program);
	program_finish(&program, source);
}

/* ---- edits ---- */

/* The first mask that ends behind OFFSET. */
static uint32_t mask_behind(const struct source *source, uint32_t offset)
{
	uint32_t low = 0;
	uint32_t high = source->mask_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (source->masks[middle].end > offset)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Whether a magic ends at OFFSET and with it its line, so that what comes to stand there would be a part of it. */
static bool is_behind_magic(const struct source *source, uint32_t offset)
{
	uint32_t mask = offset ? mask_behind(source, offset - 1) : source->mask_count;

	return mask < source->mask_count && source->masks[mask].end == offset &&
	       (source->text[offset] == '\n' || source->text[offset] == '\r');
}

/* Whether nothing but space stands between OFFSET and a cell magic, which has to stay the first of its cell. */
static bool is_before_cell_magic(const struct source *source, uint32_t offset)
{
	uint32_t cell = source_cell(source, offset);

	while (offset < source->length && strchr(" \t\r\n", source->written[offset]) && source->written[offset])
		offset++;
	return source->written[offset] == '%' && source->written[offset + 1] == '%' && source->text[offset] != '%' &&
	       source_cell(source, offset) == cell;
}

/* Whether a magic stands before OFFSET on its line: what it runs is one line. */
static bool is_run_by_magic(const struct source *source, uint32_t offset)
{
	uint32_t start = source->line_starts[source_line(source, offset) - 1];
	uint32_t mask = mask_behind(source, start);

	return mask < source->mask_count && source->masks[mask].start < offset;
}

bool notebook_allows(const struct source *source, const struct edit *edit)
{
	struct span span = edit->span;
	uint32_t first = source_line(source, span.start);
	uint32_t last = source_line(source, span.end > span.start ? span.end - 1 : span.end);
	uint32_t mask = mask_behind(source, span.start);

	if (span.end > source->length || span.end < span.start)
		return false;
	for (uint32_t line = first; line <= last; line++) {
		const struct source_origin *origin = &source->origins[line - 1];

		if (origin->is_added || origin->cell != source->origins[first - 1].cell)
			return false;
	}
	if ((mask < source->mask_count && source->masks[mask].start < span.end) || is_behind_magic(source, span.start))
		return false;
	if (strpbrk(edit->text, "\r\n") && is_run_by_magic(source, span.start))
		return false;
	return span.end > span.start || !is_before_cell_magic(source, span.start);
}

/* Where the program's OFFSET stands in the cells' text. */
static uint32_t cells_offset(const struct program *program, uint32_t offset, size_t *cell)
{
	size_t low = 0;
	size_t high = program->runs.count;
	const struct run *run;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (program->runs.items[middle].start <= offset)
			low = middle;
		else
			high = middle;
	}
	run = &program->runs.items[low];
	*cell = run->cell;
	offset = run->text.start + (offset - run->start);
	return offset < run->text.end ? offset : run->text.end;
}

/* An edit of the cells' text. */
struct cell_edit {
	struct span span;
	size_t cell;
	const char *text;
};

/* Strings of one cell that are written anew together. */
struct block {
	const struct notebook_cell *cell;
	const struct notebook_piece *pieces; /* of the cell */
	size_t first, last;                  /* of those */
};

/* New strings being made. */
struct weaving {
	struct str raw;
	const struct program *program;
	struct block block;
	size_t piece;       /* the one at hand, and how far it was read */
	size_t raw_at;
	uint32_t text_at;
	struct buf literal; /* the string at hand, escaped, without quotes */
	bool ends_line;     /* it does, and holds something */
	bool lost_end;      /* what was dropped last is the end of a line */
	struct buf strings; /* those that are done */
	struct str between; /* two of them */
};

/* The last piece that begins at or before OFFSET. */
static size_t piece_at(const struct notebook_piece *pieces, size_t count, uint32_t offset)
{
	size_t low = 0;
	size_t high = count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (pieces[middle].text.start <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* What stands between the string INDEX and the one after it. */
static struct str between(struct str raw, const struct notebook_piece *pieces, size_t index)
{
	size_t start = pieces[index].literal.end + 1;

	return (struct str){raw.at + start, pieces[index + 1].literal.start - 1 - start};
}

/* Ends the string at hand. */
static void cut(struct weaving *w)
{
	if (w->literal.length == 0)
		return;
	if (w->strings.length)
		buf_add_str(&w->strings, w->between);
	buf_add_char(&w->strings, '"');
	buf_add_str(&w->strings, buf_get(&w->literal));
	buf_add_char(&w->strings, '"');
	buf_reset(&w->literal);
	w->ends_line = false;
}

/* Reads on up to OFFSET of the cells' text, and takes what is read or drops it. */
static void copy(struct weaving *w, uint32_t offset, bool keep)
{
	struct buf said = BUF_INIT;

	for (;;) {
		const struct notebook_piece *piece = &w->block.pieces[w->piece];
		size_t before = w->raw_at;

		if (w->text_at == piece->text.end && w->piece < w->block.last &&
		    (keep || w->text_at < offset || w->lost_end)) {
			/* A line that lost its end goes on with the next one. */
			if (keep || w->literal.length == 0 || w->ends_line) {
				cut(w);
				w->between = between(w->raw, w->block.pieces, w->piece);
			}
			w->piece++;
			w->raw_at = w->block.pieces[w->piece].literal.start;
			w->lost_end = false;
			continue;
		}
		if (w->text_at >= offset)
			break;
		buf_reset(&said);
		json_literal_step(w->raw, &w->raw_at, piece->literal.end, &said);
		w->text_at += (uint32_t)said.length;
		w->lost_end = !keep && said.bytes[said.length - 1] == '\n';
		if (!keep)
			continue;
		buf_add(&w->literal, w->raw.at + before, w->raw_at - before);
		w->ends_line = said.bytes[said.length - 1] == '\n';
	}
	buf_release(&said);
}

/* TEXT as JSON says it, without quotes. */
static void escaped_add(struct buf *out, struct str text)
{
	struct buf quoted = BUF_INIT;
	struct json_writer writer;

	json_writer_init(&writer, &quoted);
	json_str(&writer, text);
	buf_add(out, quoted.bytes + 1, quoted.length - 2);
	buf_release(&quoted);
}

/* Puts TEXT in, in a list each line as a string of its own. */
static void put(struct weaving *w, struct str text)
{
	for (size_t start = 0; start < text.length;) {
		size_t end = str_find(text, STR("\n"), start);

		end = end == SIZE_MAX ? text.length : end + 1;
		escaped_add(&w->literal, (struct str){text.at + start, end - start});
		w->ends_line = text.at[end - 1] == '\n';
		if (w->ends_line && w->block.cell->is_list)
			cut(w);
		start = end;
	}
}

/* What stands between strings of the list, as far as it shows. */
static struct str between_default(const struct weaving *w, struct buf *made)
{
	const struct notebook_cell *cell = w->block.cell;
	const struct notebook_piece *pieces = w->block.pieces;

	if (w->block.first > 0)
		return between(w->raw, pieces, w->block.first - 1);
	if (cell->piece_count > 1)
		return between(w->raw, pieces, 0);
	buf_add_char(made, ',');
	buf_add(made, w->raw.at + cell->list_start, pieces[0].literal.start - 1 - cell->list_start);
	return buf_get(made);
}

/* Puts the strings that were made in the place of the block's. *DONE: how much of the file was written. */
static void block_write(const struct weaving *w, size_t *done, struct buf *out)
{
	const struct block *block = &w->block;
	size_t start = block->pieces[block->first].literal.start - 1;
	size_t end = block->pieces[block->last].literal.end + 1;
	bool is_gone = w->strings.length == 0 && block->cell->is_list;

	/* A string that is gone from a list takes a comma with it. */
	if (is_gone && block->last + 1 < block->cell->piece_count)
		end = block->pieces[block->last + 1].literal.start - 1;
	else if (is_gone && block->first > 0)
		start = block->pieces[block->first - 1].literal.end + 1;
	buf_add(out, w->raw.at + *done, start - *done);
	if (w->strings.length)
		buf_add_str(out, buf_get(&w->strings));
	else if (!is_gone)
		buf_add_text(out, "\"\"");
	*done = end;
}

/* Takes as many EDITS as reach into strings side by side, of COUNT that are all of one cell. Returns how many. */
static size_t block_find(const struct program *program, struct block *block, const struct cell_edit *edits, size_t count)
{
	size_t pieces = block->cell->piece_count;
	size_t taken = 0;

	block->first = block->last = piece_at(block->pieces, pieces, edits[0].span.start);
	for (; taken < count; taken++) {
		struct span span = edits[taken].span;
		/* a line that loses its end takes the next one along */
		bool whole = span.end == span.start || program->cells.text.bytes[span.end - 1] == '\n';
		size_t last = piece_at(block->pieces, pieces, whole ? span.end : span.end - 1);

		if (piece_at(block->pieces, pieces, span.start) > block->last + 1)
			break;
		if (last > block->last)
			block->last = last;
	}
	return taken;
}

/* Makes EDITS in a list of no strings. */
static void empty_write(struct str raw, const struct notebook_cell *cell, const struct cell_edit *edits, size_t count,
			size_t *done, struct buf *out)
{
	buf_add(out, raw.at + *done, cell->list_start - *done);
	*done = cell->list_start;
	for (size_t i = 0; i < count; i++) {
		buf_add_text(out, i ? ", \"" : "\"");
		escaped_add(out, str_from(edits[i].text));
		buf_add_char(out, '"');
	}
}

/* Makes COUNT edits of one cell. */
static void cell_write(const struct program *program, struct str raw, const struct cell_edit *edits, size_t count,
		       size_t *done, struct buf *out)
{
	const struct notebook_cell *cell = &program->cells.cells.items[edits[0].cell];

	if (cell->piece_count == 0) {
		empty_write(raw, cell, edits, count, done, out);
		return;
	}
	for (size_t i = 0; i < count;) {
		struct weaving w = {.raw = raw, .program = program};
		struct buf made = BUF_INIT;
		size_t taken;

		w.block.cell = cell;
		w.block.pieces = program->cells.pieces.items + cell->piece;
		taken = block_find(program, &w.block, edits + i, count - i);
		w.piece = w.block.first;
		w.raw_at = w.block.pieces[w.piece].literal.start;
		w.text_at = w.block.pieces[w.piece].text.start;
		w.between = between_default(&w, &made);
		for (size_t end = i + taken; i < end; i++) {
			copy(&w, edits[i].span.start, true);
			copy(&w, edits[i].span.end, false);
			put(&w, str_from(edits[i].text));
		}
		copy(&w, w.block.pieces[w.block.last].text.end, true);
		cut(&w);
		block_write(&w, done, out);
		buf_release(&made);
		buf_release(&w.literal);
		buf_release(&w.strings);
	}
}

bool notebook_apply(struct str raw, const struct edit *edits, size_t count, struct buf *out, struct err *err)
{
	struct program program;
	struct cell_edit *moved;
	size_t done = 0;

	if (!program_init(&program, raw, err))
		return false;
	moved = mem_new(count + 1, sizeof *moved);
	for (size_t i = 0; i < count; i++) {
		struct span span = edits[i].span;
		size_t cell;

		moved[i].span.start = cells_offset(&program, span.start, &moved[i].cell);
		moved[i].span.end = moved[i].span.start;
		/* the end that is behind the cell belongs to nobody */
		if (span.end > span.start) {
			moved[i].span.end = cells_offset(&program, span.end - 1, &cell) + 1;
			if (moved[i].span.end > program.cells.cells.items[cell].text.end)
				moved[i].span.end = program.cells.cells.items[cell].text.end;
		}
		moved[i].text = edits[i].text;
	}
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && moved[end].cell == moved[i].cell;)
			end++;
		cell_write(&program, raw, moved + i, end - i, &done, out);
	}
	buf_add(out, raw.at + done, raw.length - done);
	free(moved);
	program_release(&program);
	return true;
}
