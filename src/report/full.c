/* The report for people: each finding with its source, its trail, how it grows and what to write instead. */
#include <string.h>

#include "report/diff.h"
#include "report/formats.h"
#include "report/snippet.h"
#include "report/style.h"
#include "report/summary.h"
#include "report/title.h"
#include "report/visible.h"
#include "rule/rule.h"

static size_t digits(uint32_t number)
{
	size_t count = 1;

	while (number >= 10) {
		number /= 10;
		count++;
	}
	return count;
}

static struct snippet_frame frame_for(const struct report *report, const struct finding *finding)
{
	struct snippet_frame frame = {report->options.colour, digits(finding->at.start.line), 0};

	if (report->options.columns > 0)
		frame.columns = (size_t)report->options.columns;
	for (size_t i = 0; i < finding->note_count; i++) {
		size_t width = digits(finding->notes[i].at.start.line);

		if (width > frame.gutter)
			frame.gutter = width;
	}
	return frame;
}

/* "path:line:column: ", without the place where AT speaks of the whole file. */
static void add_place(struct report *report, const char *path, const struct excerpt *at)
{
	struct buf *out = &report->out;

	style_begin(out, report->options.colour, STYLE_PATH);
	visible_add(out, str_from(path));
	excerpt_add_place(out, at);
	style_end(out, report->options.colour, STYLE_PATH);
	buf_add_text(out, ": ");
}

static void add_headline(struct report *report, const char *path, const struct finding *finding)
{
	struct buf *out = &report->out;
	bool colour = report->options.colour;

	add_place(report, path, &finding->at);
	style_add(out, colour, style_of_severity(finding->severity), severity_name(finding->severity));
	buf_add_char(out, ' ');
	title_add(out, &report->options, finding->rule);
	buf_add_text(out, ": ");
	visible_add(out, str_from(finding->message));
	buf_add_char(out, '\n');
}

/* The excerpt just shown, and how; none before the first. */
struct shown {
	const struct excerpt *at;
	struct snippet_view view;
};

/* The line of AT with a mark under it; the line itself only where it is not the one just shown, *LAST. */
static void add_excerpt(struct buf *out, const struct snippet_frame *frame, const struct excerpt *at,
			struct snippet_mark mark, struct shown *last)
{
	struct snippet_view view = snippet_view_of(frame, at);

	if (last->at && at->start.line == last->at->start.line && at->cell == last->at->cell &&
	    str_equal(view.line, last->view.line) && view.mark_start >= last->view.from &&
	    view.mark_end <= last->view.to) {
		view.from = last->view.from;
		view.to = last->view.to;
	} else {
		if (last->at && last->at->cell != at->cell)
			snippet_add_cell(out, frame, at->cell);
		else if (last->at)
			snippet_add_bar(out, frame);
		snippet_add_line(out, frame, &view, at->start.line, '|');
	}
	snippet_add_mark(out, frame, &view, mark);
	*last = (struct shown){at, view};
}

static void add_trail(struct buf *out, const struct snippet_frame *frame, const struct finding *finding)
{
	struct snippet_mark mark = {'^', style_of_severity(finding->severity), NULL};
	struct shown last = {NULL, {{NULL, 0}, 0, 0, 0, 0, 0}};
	struct buf label = BUF_INIT;

	snippet_add_bar(out, frame);
	add_excerpt(out, frame, &finding->at, mark, &last);
	for (size_t i = 0; i < finding->note_count; i++) {
		const struct finding_note *note = &finding->notes[i];

		buf_reset(&label);
		buf_format(&label, "%zu. %s", i + 1, note->text);
		mark = (struct snippet_mark){'-', STYLE_GUTTER, buf_text(&label)};
		add_excerpt(out, frame, &note->at, mark, &last);
	}
	buf_release(&label);
}

/* "   = help: …" */
static void add_remark(struct buf *out, const struct snippet_frame *frame, const char *name, const char *text)
{
	size_t indent = frame->gutter + 1 + strlen("= ") + strlen(name) + strlen(": ");
	struct buf next_line = BUF_INIT;

	buf_add_repeat(&next_line, ' ', indent);
	buf_add_repeat(out, ' ', frame->gutter + 1);
	style_add(out, frame->colour, STYLE_GUTTER, "=");
	buf_add_char(out, ' ');
	style_add(out, frame->colour, STYLE_CODE, name);
	buf_add_text(out, ": ");
	visible_add_wrapped(out, str_from(text), snippet_room(frame, indent), buf_get(&next_line), 0);
	buf_add_char(out, '\n');
	buf_release(&next_line);
}

static void add_finding(struct report *report, const char *path, const struct finding *finding)
{
	struct buf *out = &report->out;
	struct snippet_frame frame = frame_for(report, finding);

	add_headline(report, path, finding);
	add_trail(out, &frame, finding);
	if (finding->growth || finding->help || finding->edit_count)
		snippet_add_bar(out, &frame);
	if (finding->growth)
		add_remark(out, &frame, "cost", finding->growth);
	if (finding->help)
		add_remark(out, &frame, "help", finding->help);
	if (diff_remark(finding))
		add_remark(out, &frame, "fix", diff_remark(finding));
	diff_add(out, &frame, finding);
	buf_add_char(out, '\n');
}

static void add_problem(struct report *report, const char *path, const struct lint_problem *problem)
{
	struct buf *out = &report->out;
	struct snippet_frame frame = {report->options.colour, digits(problem->at.start.line), 0};
	struct snippet_mark mark = {'^', STYLE_WARNING, NULL};
	struct shown last = {NULL, {{NULL, 0}, 0, 0, 0, 0, 0}};

	if (report->options.columns > 0)
		frame.columns = (size_t)report->options.columns;
	add_place(report, path, &problem->at);
	style_add(out, frame.colour, STYLE_WARNING, "problem");
	buf_add_text(out, ": ");
	visible_add(out, str_from(problem->text));
	buf_add_char(out, '\n');
	if (problem->at.start.line && problem->at.line_text) {
		snippet_add_bar(out, &frame);
		add_excerpt(out, &frame, &problem->at, mark, &last);
	}
	buf_add_char(out, '\n');
}

static void full_file(struct report *report, const struct run_file *file)
{
	const struct lint_result *result = file->result;

	for (size_t i = 0; result && i < result->problem_count; i++)
		add_problem(report, file->path, &result->problems[i]);
	for (size_t i = 0; result && i < result->finding_count; i++)
		add_finding(report, file->path, &result->findings[i]);
}

static void full_end(struct report *report, const struct report_totals *totals)
{
	if (report->options.quiet || totals->files == totals->paths)
		return;
	summary_add(&report->out, totals);
	if (totals->findings > 0)
		buf_add_text(&report->out, "'vramlint explain CODE' says more about a rule.\n");
}

const struct report_format report_full = {
	.name = "full",
	.summary = "for people: source, trail, growth and what to write instead",
	.shows_problems = true,
	.begin = report_no_begin,
	.file = full_file,
	.end = full_end,
};
