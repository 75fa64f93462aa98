/* How many findings each rule has, the most first. */
#include <stdlib.h>

#include "base/mem.h"
#include "report/formats.h"
#include "report/style.h"
#include "report/title.h"
#include "report/summary.h"
#include "report/visible.h"
#include "rule/rule.h"

/* Of one rule. */
struct count {
	const struct rule *rule; /* NULL: none was found yet */
	size_t findings, files;
	enum severity worst;
	size_t last_file; /* in which it was found, counted from 1 */
};

/* By number of the rule; grows with the numbers. */
struct counts {
	struct count *items;
	size_t count;
	size_t files; /* seen so far */
};

static void statistics_begin(struct report *report)
{
	report->state = mem_new(1, sizeof(struct counts));
}

static struct count *count_of(struct counts *counts, const struct rule *rule)
{
	if (rule->index >= counts->count) {
		counts->items = mem_resize(counts->items, rule->index + 1, sizeof *counts->items);
		memset(counts->items + counts->count, 0, (rule->index + 1 - counts->count) * sizeof *counts->items);
		counts->count = rule->index + 1;
	}
	counts->items[rule->index].rule = rule;
	return &counts->items[rule->index];
}

static void statistics_file(struct report *report, const struct run_file *file)
{
	struct counts *counts = report->state;

	counts->files++;
	for (size_t i = 0; file->result && i < file->result->finding_count; i++) {
		const struct finding *finding = &file->result->findings[i];
		struct count *count = count_of(counts, finding->rule);

		count->findings++;
		count->files += count->last_file != counts->files;
		count->last_file = counts->files;
		if (finding->severity > count->worst)
			count->worst = finding->severity;
	}
}

static int most_first(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	if (x->findings != y->findings)
		return x->findings < y->findings ? 1 : -1;
	return x->rule && y->rule ? strcmp(x->rule->code, y->rule->code) : 0;
}

static int widest(const struct counts *counts, const char *(*text)(const struct count *count))
{
	size_t width = 0;

	for (size_t i = 0; i < counts->count && counts->items[i].findings; i++) {
		size_t length = strlen(text(&counts->items[i]));

		width = length > width ? length : width;
	}
	return (int)width;
}

static const char *name_of(const struct count *count)
{
	return count->rule->name;
}

static const char *severity_of(const struct count *count)
{
	return severity_name(count->worst);
}

static void add_row(struct buf *out, const struct report_options *options, const struct count *count,
		    int severity_width, int name_width)
{
	buf_format(out, "%6zu  ", count->findings);
	style_add(out, options->colour, style_of_severity(count->worst), severity_of(count));
	buf_add_repeat(out, ' ', (size_t)severity_width - strlen(severity_of(count)) + 2);
	title_add_padded(out, options, count->rule, strlen(count->rule->code) + 1 + (size_t)name_width);
	buf_format(out, "  in %zu file%s: ", count->files, count->files == 1 ? "" : "s");
	visible_add(out, str_from(count->rule->summary));
	buf_add_char(out, '\n');
}

static void statistics_end(struct report *report, const struct report_totals *totals)
{
	struct counts *counts = report->state;
	int severity_width, name_width;

	if (counts->count > 0)
		qsort(counts->items, counts->count, sizeof *counts->items, most_first);
	severity_width = widest(counts, severity_of);
	name_width = widest(counts, name_of);
	for (size_t i = 0; i < counts->count && counts->items[i].findings; i++)
		add_row(&report->out, &report->options, &counts->items[i], severity_width, name_width);
	if (!report->options.quiet && totals->files != totals->paths)
		summary_add(&report->out, totals);
}

static void statistics_release(struct report *report)
{
	free(((struct counts *)report->state)->items);
	free(report->state);
}

const struct report_format report_statistics = {
	.name = "statistics",
	.summary = "for people: how many findings each rule has; the same as --statistics",
	.begin = statistics_begin,
	.file = statistics_file,
	.end = statistics_end,
	.release = statistics_release,
};
