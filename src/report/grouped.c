/* For people: findings under the name of their file, in columns. */
#include "report/formats.h"
#include "report/place.h"
#include "report/style.h"
#include "report/title.h"
#include "report/summary.h"
#include "report/visible.h"
#include "rule/rule.h"

struct widths {
	int position, severity, rule;
};

static void widen(int *width, size_t length)
{
	if (length > (size_t)*width)
		*width = (int)length;
}

static struct widths widths_of(const struct lint_result *result)
{
	struct widths widths = {0, 0, 0};
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < result->finding_count; i++) {
		const struct finding *finding = &result->findings[i];

		buf_reset(&text);
		place_add_position(&text, &finding->at);
		widen(&widths.position, text.length);
		widen(&widths.severity, strlen(severity_name(finding->severity)));
		widen(&widths.rule, strlen(finding->rule->code) + 1 + strlen(finding->rule->name));
	}
	buf_release(&text);
	return widths;
}

/* TEXT in STYLE, and blanks up to WIDTH and two more. */
static void add_cell(struct buf *out, bool colour, enum style style, struct str text, int width)
{
	style_begin(out, colour, style);
	buf_add_str(out, text);
	style_end(out, colour, style);
	buf_add_repeat(out, ' ', (size_t)width - text.length + 2);
}

static void add_row(struct buf *out, const struct report_options *options, const struct finding *finding, const struct widths *widths)
{
	struct buf text = BUF_INIT;
	bool colour = options->colour;

	buf_add_text(out, "  ");
	place_add_position(&text, &finding->at);
	add_cell(out, colour, STYLE_GUTTER, buf_get(&text), widths->position);
	add_cell(out, colour, style_of_severity(finding->severity), str_from(severity_name(finding->severity)),
		 widths->severity);
	title_add_padded(out, options, finding->rule, (size_t)widths->rule + 2);
	visible_add(out, str_from(finding->message));
	buf_add_char(out, '\n');
	buf_release(&text);
}

static void grouped_file(struct report *report, const struct run_file *file)
{
	bool colour = report->options.colour;
	struct widths widths;

	if (!file->result || file->result->finding_count == 0)
		return;
	widths = widths_of(file->result);
	style_begin(&report->out, colour, STYLE_PATH);
	visible_add(&report->out, str_from(file->path));
	style_end(&report->out, colour, STYLE_PATH);
	buf_add_char(&report->out, '\n');
	for (size_t i = 0; i < file->result->finding_count; i++)
		add_row(&report->out, &report->options, &file->result->findings[i], &widths);
	buf_add_char(&report->out, '\n');
}

static void grouped_end(struct report *report, const struct report_totals *totals)
{
	if (!report->options.quiet && totals->files != totals->paths)
		summary_add(&report->out, totals);
}

const struct report_format report_grouped = {
	.name = "grouped",
	.summary = "for people: one line a finding, under the name of its file",
	.begin = report_no_begin,
	.file = grouped_file,
	.end = grouped_end,
};
