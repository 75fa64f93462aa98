#include "report/snippet.h"

#include "report/visible.h"

enum { TAB_WIDTH = 4, NARROWEST = 20, LABEL_NARROWEST = 36, LABEL_INDENT = 3 };
#define CUT "\xE2\x80\xA6" /* … */

uint32_t snippet_column_offset(const struct excerpt *excerpt, uint32_t column)
{
	uint32_t offset = 0;

	for (uint32_t at = 1; at < column && offset < excerpt->line_length; at++) {
		do
			offset++;
		while (offset < excerpt->line_length && ((unsigned char)excerpt->line_text[offset] & 0xC0) == 0x80);
	}
	return offset;
}

/* The piece at OFFSET of LINE, which would stand at column POSITION: as elsewhere, but a tab is spaces. */
static struct visible_piece piece_at(struct str line, size_t offset, size_t position)
{
	struct visible_piece piece = {"    ", 0, 0, 1};

	if (line.at[offset] != '\t')
		return visible_piece_get((struct str){line.at + offset, line.length - offset});
	piece.length = piece.width = TAB_WIDTH - position % TAB_WIDTH;
	return piece;
}

/* Which columns to show of a line that is wider than ROOM, so that the marked ones are among them. */
static void choose_window(struct snippet_view *view, size_t room)
{
	size_t inner = room - 2; /* a cut on both sides */
	size_t marked = view->mark_end - view->mark_start;

	if (view->mark_end <= room - 1) {
		view->from = 0;
		view->to = room - 1;
	} else if (view->mark_start + room - 1 >= view->width) {
		view->from = view->width > room - 1 ? view->width - (room - 1) : 0;
		view->to = view->width;
	} else {
		view->from = view->mark_start - (marked < inner ? (inner - marked) / 2 : 0);
		view->to = view->from + inner;
	}
}

static bool is_inside_code_point(struct str line, size_t offset)
{
	return offset < line.length && ((unsigned char)line.at[offset] & 0xC0) == 0x80;
}

/* Leaves out what is too far from the mark to be shown in ROOM columns: a line may be megabytes long. */
static struct str near_mark(struct str line, struct span *marked, size_t room)
{
	size_t reach = room * 8; /* bytes; few characters have more than that for a column */
	size_t start = marked->start > reach ? marked->start - reach : 0;
	size_t end = marked->start + 2 * reach < line.length ? marked->start + 2 * reach : line.length;

	while (is_inside_code_point(line, start))
		start++;
	while (is_inside_code_point(line, end))
		end++;
	marked->start -= (uint32_t)start;
	marked->end = (uint32_t)((marked->end < end ? marked->end : end) - start);
	return (struct str){line.at + start, end - start};
}

size_t snippet_room(const struct snippet_frame *frame, size_t used)
{
	if (frame->columns == 0)
		return 0;
	return frame->columns > used + NARROWEST ? frame->columns - used : NARROWEST;
}

struct snippet_view snippet_view_get(const struct snippet_frame *frame, struct str line, struct span marked)
{
	struct snippet_view view = {line, SIZE_MAX, SIZE_MAX, 0, 0, 0};
	size_t room = snippet_room(frame, frame->gutter + 3);

	if (room > 0 && line.length > room * 24)
		view.line = line = near_mark(line, &marked, room);
	for (size_t offset = 0; offset < line.length;) {
		struct visible_piece piece = piece_at(line, offset, view.width);

		if (view.mark_start == SIZE_MAX && offset + piece.taken > marked.start)
			view.mark_start = view.width;
		if (view.mark_end == SIZE_MAX && offset >= marked.end)
			view.mark_end = view.width;
		view.width += piece.width;
		offset += piece.taken;
	}
	if (view.mark_start == SIZE_MAX)
		view.mark_start = view.width;
	if (view.mark_end == SIZE_MAX)
		view.mark_end = view.width;
	if (view.mark_end <= view.mark_start)
		view.mark_end = view.mark_start + 1;
	view.to = view.width;
	if (room > 0 && view.width > room)
		choose_window(&view, room);
	return view;
}

struct snippet_view snippet_view_of(const struct snippet_frame *frame, const struct excerpt *excerpt)
{
	struct str line = {excerpt->line_text, excerpt->line_length};
	struct span marked = {snippet_column_offset(excerpt, excerpt->start.column), (uint32_t)excerpt->line_length};

	if (excerpt->end.line == excerpt->start.line)
		marked.end = snippet_column_offset(excerpt, excerpt->end.column);
	else
		while (marked.end > marked.start && (line.at[marked.end - 1] == ' ' || line.at[marked.end - 1] == '\t'))
			marked.end--;
	return snippet_view_get(frame, line, marked);
}

static void add_gutter(struct buf *out, const struct snippet_frame *frame, uint32_t number, char sign)
{
	style_begin(out, frame->colour, STYLE_GUTTER);
	if (number)
		buf_format(out, "%*lu %c", (int)frame->gutter, (unsigned long)number, sign);
	else
		buf_format(out, "%*s %c", (int)frame->gutter, "", sign);
	style_end(out, frame->colour, STYLE_GUTTER);
}

void snippet_add_bar(struct buf *out, const struct snippet_frame *frame)
{
	add_gutter(out, frame, 0, '|');
	buf_add_char(out, '\n');
}

void snippet_add_cell(struct buf *out, const struct snippet_frame *frame, uint32_t cell)
{
	add_gutter(out, frame, 0, ':');
	buf_format(out, " cell %lu\n", (unsigned long)cell);
}

static size_t blank_tail(const struct buf *out, size_t start)
{
	size_t length = out->length;

	while (length > start && out->bytes[length - 1] == ' ')
		length--;
	return length;
}

static void add_shown(struct buf *out, const struct snippet_view *view)
{
	size_t position = 0;

	if (view->from > 0)
		buf_add_text(out, CUT);
	for (size_t offset = 0; offset < view->line.length && position <= view->to;) {
		struct visible_piece piece = piece_at(view->line, offset, position);
		size_t end = position + piece.width;

		if (position >= view->from && end <= view->to && (piece.width > 0 || position > view->from || end == 0))
			buf_add(out, piece.text, piece.length);
		else if (position < view->from && end > view->from)
			buf_add_repeat(out, ' ', end - view->from); /* half of a wide piece */
		position = end;
		offset += piece.taken;
	}
	if (view->to < view->width)
		buf_add_text(out, CUT);
}

void snippet_add_line(struct buf *out, const struct snippet_frame *frame, const struct snippet_view *view,
		      uint32_t number, char sign)
{
	enum style style = sign == '+' ? STYLE_ADDED : sign == '-' ? STYLE_REMOVED : STYLE_PLAIN;
	struct buf text = BUF_INIT;

	add_gutter(out, frame, number, sign);
	add_shown(&text, view);
	if (blank_tail(&text, 0) > 0) {
		buf_add_char(out, ' ');
		style_begin(out, frame->colour, style);
		buf_add(out, text.bytes, blank_tail(&text, 0));
		style_end(out, frame->colour, style);
	}
	buf_add_char(out, '\n');
	buf_release(&text);
}

/* LABEL beside marks from START to END where the line has room for it, else below them. */
static void add_label(struct buf *out, const struct snippet_frame *frame, struct str label, size_t start, size_t end)
{
	size_t used = frame->gutter + 3; /* "12 | " */
	size_t width = visible_width(label);
	size_t least = width < LABEL_NARROWEST || used + TAB_WIDTH + width <= frame->columns ? width : LABEL_NARROWEST;
	struct buf next_line = BUF_INIT;

	if (frame->columns == 0 || used + end + 1 + width <= frame->columns) {
		buf_add_char(out, ' ');
		visible_add(out, label);
		return;
	}
	if (used + start + least > frame->columns)
		start = TAB_WIDTH;
	add_gutter(&next_line, frame, 0, '|');
	buf_add_repeat(&next_line, ' ', start + 1);
	buf_add_char(out, '\n');
	buf_add_str(out, buf_get(&next_line));
	visible_add_wrapped(out, label, snippet_room(frame, used + start), buf_get(&next_line), LABEL_INDENT);
	buf_release(&next_line);
}

void snippet_add_mark(struct buf *out, const struct snippet_frame *frame, const struct snippet_view *view,
		      struct snippet_mark mark)
{
	size_t start = view->mark_start > view->from ? view->mark_start - view->from : 0;
	size_t end = view->mark_end;

	if (view->to < view->width && end > view->to)
		end = view->to;
	end = end > view->from + start ? end - view->from : start + 1;
	if (view->from > 0) {
		start++;
		end++;
	}
	add_gutter(out, frame, 0, '|');
	buf_add_repeat(out, ' ', start + 1);
	style_begin(out, frame->colour, mark.style);
	buf_add_repeat(out, mark.sign, end - start);
	style_end(out, frame->colour, mark.style);
	if (mark.label)
		add_label(out, frame, str_from(mark.label), start, end);
	buf_add_char(out, '\n');
}
