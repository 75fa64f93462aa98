#include "report/diff.h"

/* A line whose text is known, and where it begins in the source. */
struct known_line {
	const struct excerpt *excerpt;
	uint32_t start;
};

static struct known_line known_line(const struct excerpt *excerpt)
{
	return (struct known_line){excerpt,
				   excerpt->span.start - snippet_column_offset(excerpt, excerpt->start.column)};
}

static bool line_holds(struct known_line line, struct span span)
{
	return line.excerpt->line_text && span.start >= line.start &&
	       span.end <= line.start + line.excerpt->line_length;
}

static bool line_find(const struct finding *finding, struct span span, struct known_line *line)
{
	*line = known_line(&finding->at);
	if (line_holds(*line, span))
		return true;
	for (size_t i = 0; i < finding->note_count; i++) {
		*line = known_line(&finding->notes[i].at);
		if (line_holds(*line, span))
			return true;
	}
	return false;
}

static bool all_edits_are_known(const struct finding *finding)
{
	struct known_line line;

	for (size_t i = 0; i < finding->edit_count; i++) {
		if (!line_find(finding, finding->edits[i].span, &line))
			return false;
	}
	return finding->edit_count > 0;
}

/* Appends LINE as it is after the edits from FIRST on that lie in it; returns the first edit after those. */
static size_t apply(struct buf *out, struct known_line line, const struct finding *finding, size_t first)
{
	struct str text = {line.excerpt->line_text, line.excerpt->line_length};
	uint32_t done = 0;
	size_t i = first;

	for (; i < finding->edit_count && line_holds(line, finding->edits[i].span); i++) {
		struct span span = finding->edits[i].span;

		if (span.start - line.start > done)
			buf_add(out, text.at + done, span.start - line.start - done);
		buf_add_text(out, finding->edits[i].text);
		done = span.end - line.start;
	}
	buf_add(out, text.at + done, text.length - done);
	return i;
}

static void add_new_lines(struct buf *out, const struct snippet_frame *frame, struct str text, struct span marked,
			  uint32_t number)
{
	for (size_t start = 0; start < text.length || start == 0;) {
		size_t end = str_find(text, STR("\n"), start);
		struct snippet_view view;

		if (end > text.length)
			end = text.length;
		view = snippet_view_get(frame, (struct str){text.at + start, end - start}, marked);
		snippet_add_line(out, frame, &view, number++, '+');
		start = end + 1;
	}
}

void diff_add(struct buf *out, const struct snippet_frame *frame, const struct finding *finding)
{
	struct buf after = BUF_INIT;

	if (!all_edits_are_known(finding))
		return;
	snippet_add_bar(out, frame);
	for (size_t i = 0; i < finding->edit_count;) {
		struct known_line line;
		struct snippet_view view;
		struct span marked;

		line_find(finding, finding->edits[i].span, &line);
		marked = (struct span){finding->edits[i].span.start - line.start, finding->edits[i].span.end - line.start};
		view = snippet_view_get(frame, (struct str){line.excerpt->line_text, line.excerpt->line_length}, marked);
		if (line.excerpt->cell != finding->at.cell)
			snippet_add_cell(out, frame, line.excerpt->cell);
		snippet_add_line(out, frame, &view, line.excerpt->start.line, '-');
		buf_reset(&after);
		i = apply(&after, line, finding, i);
		if (after.length > 0) /* nothing is left of a line that was removed */
			add_new_lines(out, frame, buf_get(&after), marked, line.excerpt->start.line);
	}
	buf_release(&after);
}

const char *diff_remark(const struct finding *finding)
{
	if (finding->edit_count == 0 || finding->fix_is_safe)
		return NULL;
	return "'--fix --unsafe-fixes' does it, and may change what the code does";
}
