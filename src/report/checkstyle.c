/* Checkstyle's XML, which many tools read. */
#include "report/formats.h"
#include "report/words.h"
#include "report/xml.h"
#include "rule/rule.h"

static void checkstyle_begin(struct report *report)
{
	buf_add_text(&report->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"10.0\">\n");
}

/* LINE 0: of the whole file. */
static void add_error(struct buf *out, const struct place *at, const char *severity, struct str message,
		      const char *source)
{
	buf_add_text(out, "    <error");
	if (at->line)
		buf_format(out, " line=\"%lu\" column=\"%lu\"", (unsigned long)at->line, (unsigned long)at->column);
	xml_add_attribute(out, "severity", str_from(severity));
	xml_add_attribute(out, "message", message);
	xml_add_attribute(out, "source", str_from(source));
	buf_add_text(out, "/>\n");
}

static void add_finding(struct buf *out, const struct finding *finding)
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
	add_error(out, &finding->at.start, names[finding->severity], buf_get(&message), buf_text(&source));
	buf_release(&source);
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
		add_error(out, &(struct place){0, 0}, "error", str_from(file->error), "vramlint.failure");
	for (size_t i = 0; result && i < result->problem_count; i++)
		add_error(out, &result->problems[i].at.start, "warning", str_from(result->problems[i].text),
			  "vramlint.problem");
	for (size_t i = 0; result && i < result->finding_count; i++)
		add_finding(out, &result->findings[i]);
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
