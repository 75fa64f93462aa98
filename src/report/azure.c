/* Logging commands of Azure Pipelines. Source: learn.microsoft.com, "Logging commands". */
#include "report/formats.h"
#include "report/guard.h"
#include "report/place.h"
#include "report/region.h"
#include "report/summary.h"
#include "report/visible.h"
#include "report/words.h"
#include "rule/rule.h"

/* TEXT within a command; what would act on a terminal is shown as elsewhere. */
static void add_escaped(struct buf *out, struct str text)
{
	struct buf shown = BUF_INIT;

	visible_add(&shown, text);
	for (size_t i = 0; i < shown.length; i++) {
		switch (shown.bytes[i]) {
		case '%':
			buf_add_text(out, "%AZP25");
			break;
		case ';':
			buf_add_text(out, "%3B");
			break;
		case ']':
			buf_add_text(out, "%5D");
			break;
		default:
			buf_add_char(out, shown.bytes[i]);
		}
	}
	buf_release(&shown);
}

static void add_issue(struct report *report, const struct run_file *file, const struct finding *finding, struct str text)
{
	struct region region = region_of(&finding->at, file->source, COLUMN_CHARACTERS);
	struct buf *out = &report->out;
	struct buf from_root = BUF_INIT;

	place_add_path(&from_root, report->options.host, file->path);
	buf_format(out, "##vso[task.logissue type=%s;sourcepath=",
		   finding->severity == SEVERITY_ERROR ? "error" : "warning");
	add_escaped(out, buf_get(&from_root));
	buf_format(out, ";linenumber=%lu;columnnumber=%lu", (unsigned long)region.line, (unsigned long)region.column);
	buf_format(out, ";code=%s;]", finding->rule->code);
	add_escaped(out, text);
	buf_add_char(out, '\n');
	buf_release(&from_root);
}

/* Azure knows errors and warnings only, and a hint is none. */
static void add_hint(struct report *report, const char *path, const struct finding *finding, struct str text)
{
	struct buf line = BUF_INIT;

	buf_add_text(&line, "hint: ");
	visible_add(&line, str_from(path));
	excerpt_add_place(&line, &finding->at);
	buf_add_text(&line, ": ");
	visible_add(&line, text);
	buf_add_char(&line, '\n');
	guard_add(&report->out, buf_get(&line));
	buf_release(&line);
}

static void azure_file(struct report *report, const struct run_file *file)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; file->result && i < file->result->finding_count; i++) {
		const struct finding *finding = &file->result->findings[i];

		buf_reset(&text);
		buf_format(&text, "%s %s: ", finding->rule->code, finding->rule->name);
		words_add(&text, finding, " ");
		if (finding->severity == SEVERITY_HINT)
			add_hint(report, file->path, finding, buf_get(&text));
		else
			add_issue(report, file, finding, buf_get(&text));
	}
	if (file->error)
		report->format->failure(report, file->error);
	buf_release(&text);
}

static void azure_failure(struct report *report, const char *text)
{
	buf_add_text(&report->out, "##vso[task.logissue type=error;]");
	add_escaped(&report->out, str_from(text));
	buf_add_char(&report->out, '\n');
}

static void azure_end(struct report *report, const struct report_totals *totals)
{
	if (!report->options.quiet && totals->files != totals->paths)
		summary_add(&report->out, totals);
}

const struct report_format report_azure = {
	.name = "azure",
	.summary = "logging commands of Azure Pipelines, for the log of a job",
	.for_programs = true,
	.begin = report_no_begin,
	.file = azure_file,
	.failure = azure_failure,
	.end = azure_end,
};
