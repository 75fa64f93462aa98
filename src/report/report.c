#include "report/report.h"

#include <string.h>

#include "report/formats.h"

const struct report_format *const report_formats[] = {
	&report_full,   &report_concise, &report_grouped, &report_statistics, &report_json,
	&report_json_lines, &report_sarif, &report_github, &report_gitlab, &report_azure,
	&report_rdjson, &report_rdjsonl, &report_checkstyle, &report_junit, &report_html,
	NULL,
};

const struct report_format *report_format_find(const char *name)
{
	for (size_t i = 0; report_formats[i]; i++) {
		if (strcmp(report_formats[i]->name, name) == 0)
			return report_formats[i];
	}
	return NULL;
}

void report_init(struct report *report, const struct report_format *format, struct report_options options)
{
	report->format = format;
	report->options = options;
	report->state = NULL;
	buf_init(&report->out);
	buf_init(&report->remarks);
	buf_init(&report->job_summary);
}

void report_release(struct report *report)
{
	if (report->state)
		report->format->release(report);
	report->state = NULL;
	buf_release(&report->out);
	buf_release(&report->remarks);
	buf_release(&report->job_summary);
}

void report_no_begin(struct report *report)
{
}

void report_no_end(struct report *report, const struct report_totals *totals)
{
}

void report_totals_add(struct report_totals *totals, const struct run_file *file, enum severity fail_on)
{
	const struct lint_result *result = file->result;

	totals->files++;
	if (!result) {
		totals->failed++;
		return;
	}
	totals->problems += result->problem_count;
	totals->suppressed += result->suppressed_count;
	totals->findings += result->finding_count;
	totals->reported += result->finding_count > 0;
	for (size_t i = 0; i < result->finding_count; i++) {
		enum severity severity = result->findings[i].severity;

		totals->by_severity[severity]++;
		totals->failing += severity >= fail_on;
		if (result->findings[i].edit_count > 0)
			result->findings[i].fix_is_safe ? totals->fixable++ : totals->fixable_unsafe++;
	}
}
