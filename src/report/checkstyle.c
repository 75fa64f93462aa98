/* Checkstyle's XML, which many tools read. */
#include "report/formats.h"
#include "report/place.h"
#include "report/region.h"
#include "report/words.h"
#include "report/xml.h"
#include "rule/rule.h"

static const struct region nowhere = {0, 0, 0, 0};

static void checkstyle_begin(struct report *report)
{
	buf_add_text(&report->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"10.0\">\n");
}

/* REGION all zeros: of the whole file. */
static void add_error(struct buf *out, struct region region, const char *severity, struct str message,
		      const char *source)
{
	buf_add_text(out, "    <error");
	if (region.line)
		buf_format(out, " line=\"%lu\" column=\"%lu\"", (unsigned long)region.line, (unsigned long)region.column);
	xml_add_attribute(out, "severity", str_from(severity));
	xml_add_attribute(out, "message", message);
	xml_add_attribute(out, "source", str_from(source));
	buf_add_text(out, "/>\n");
}

static void add_finding(struct buf *out, const struct source *text, const struct finding *finding)
{
	static const char *const names[] = {
		[SEVERITY_HINT] = "info",
		[SEVERITY_NOTE] = "info",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
	};
	struct buf message = BUF_INIT;
	struct buf source = BUF_INIT;

	words_add(&message, finding, " ");
	buf_format(&source, "vramlint.%s", finding->rule->code);
	add_error(out, region_of(&finding->at, text, COLUMN_CHARACTERS), names[finding->severity], buf_get(&message), buf_text(&source));
	buf_release(&source);
	buf_release(&message);
}

static void add_problem(struct buf *out, const struct source *text, const struct lint_problem *problem)
{
	struct region region = nowhere;
	struct buf message = BUF_INIT;

	if (problem->at.start.line && problem->at.line_text)
		region = region_of(&problem->at, text, COLUMN_CHARACTERS);
	place_add_cell(&message, &problem->at);
	buf_add_text(&message, problem->text);
	add_error(out, region, "warning", buf_get(&message), "vramlint.problem");
	buf_release(&message);
}

static void checkstyle_file(struct report *report, const struct run_file *file)
{
	const struct lint_result *result = file->result;
	struct buf *out = &report->out;

	if (result && result->finding_count + result->problem_count == 0)
		return;
	buf_add_text(out, "  <file");
	xml_add_attribute(out, "name", str_from(file->path));
	buf_add_text(out, ">\n");
	if (file->error)
		add_error(out, nowhere, "error", str_from(file->error), "vramlint.failure");
	for (size_t i = 0; result && i < result->problem_count; i++)
		add_problem(out, file->source, &result->problems[i]);
	for (size_t i = 0; result && i < result->finding_count; i++)
		add_finding(out, file->source, &result->findings[i]);
	buf_add_text(out, "  </file>\n");
}

static void checkstyle_end(struct report *report, const struct report_totals *totals)
{
	buf_add_text(&report->out, "</checkstyle>\n");
}

const struct report_format report_checkstyle = {
	.name = "checkstyle",
	.summary = "Checkstyle's XML",
	.for_programs = true,
	.begin = checkstyle_begin,
	.file = checkstyle_file,
	.end = checkstyle_end,
};
