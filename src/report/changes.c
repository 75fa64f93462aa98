#include "report/changes.h"

#include "report/style.h"
#include "report/summary.h"
#include "report/visible.h"
#include "text/edit.h"

static void nothing_begin(struct report *report)
{
}

static void nothing_file(struct report *report, const struct run_file *file)
{
}

static void nothing_end(struct report *report, const struct report_totals *totals)
{
	if (!report->options.quiet)
		summary_add(&report->out, totals);
}

static void changes_end(struct report *report, const struct report_totals *totals)
{
}

static enum style style_of_line(struct str line)
{
	if (str_starts(line, "--- ") || str_starts(line, "+++ "))
		return STYLE_PATH;
	if (str_starts(line, "@@"))
		return STYLE_GUTTER;
	return str_starts(line, "+") ? STYLE_ADDED : str_starts(line, "-") ? STYLE_REMOVED : STYLE_PLAIN;
}

/* DIFF for eyes: what is in it cannot steer a terminal. A tab stays one. */
static void add_shown(struct report *report, struct str diff)
{
	bool colour = report->options.colour;

	for (size_t start = 0; start < diff.length;) {
		size_t end = str_find(diff, STR("\n"), start);
		struct str line = {diff.at + start, end - start};

		style_begin(&report->out, colour, style_of_line(line));
		for (size_t from = 0; from <= line.length;) {
			size_t tab = str_find(line, STR("\t"), from);
			size_t stop = tab < line.length ? tab : line.length;

			if (stop == line.length && stop > from && line.at[stop - 1] == '\r')
				visible_add(&report->out, (struct str){line.at + from, stop - 1 - from});
			else
				visible_add(&report->out, (struct str){line.at + from, stop - from});
			if (tab < line.length)
				buf_add_char(&report->out, '\t');
			from = stop + 1;
		}
		style_end(&report->out, colour, style_of_line(line));
		buf_add_char(&report->out, '\n');
		start = end + 1;
	}
}

static void changes_file(struct report *report, const struct run_file *file)
{
	struct buf diff = BUF_INIT;

	if (!file->fix || file->fix->fixed.length == 0)
		return;
	/* of a notebook the file itself, so that the diff can be applied */
	if (file->fix->before->origins)
		edit_add_diff(&diff, file->path, file->path, file->fix->raw, file->fix->fixed);
	else
		edit_add_diff(&diff, file->path, file->path,
			      (struct str){file->fix->before->text, file->fix->before->length},
			      (struct str){file->source->text, file->source->length});
	if (report->options.colour || report->options.terminal)
		add_shown(report, buf_get(&diff));
	else
		buf_add_str(&report->out, buf_get(&diff));
	buf_release(&diff);
}

const struct report_format report_changes = {
	.name = "diff",
	.summary = "a unified diff of what fixes would change",
	.begin = nothing_begin,
	.file = changes_file,
	.end = changes_end,
};

const struct report_format report_summary_only = {
	.name = "nothing",
	.summary = "the summary only",
	.begin = nothing_begin,
	.file = nothing_file,
	.end = nothing_end,
};
