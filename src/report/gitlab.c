/* GitLab's Code Quality report: a JSON array. Source: docs.gitlab.com, "Code Quality report format". */
#include <stdlib.h>

#include "base/mem.h"
#include "report/formats.h"
#include "report/place.h"
#include "report/region.h"
#include "rule/fingerprint.h"
#include "rule/rule.h"
#include "text/json_writer.h"

static void gitlab_begin(struct report *report)
{
	struct json_writer *writer = report->state = mem_new(1, sizeof *writer);

	json_writer_init(writer, &report->out);
	json_array_begin(writer);
}

static const char *severity_for(enum severity severity)
{
	static const char *const names[] = {
		[SEVERITY_HINT] = "info",
		[SEVERITY_NOTE] = "minor",
		[SEVERITY_WARNING] = "major",
		[SEVERITY_ERROR] = "critical",
	};

	return names[severity];
}

/* The widget shows no name of the check, so it stands in the description. */
static void write_description(struct json_writer *writer, const struct finding *finding)
{
	struct buf text = BUF_INIT;

	buf_format(&text, "%s %s: ", finding->rule->code, finding->rule->name);
	place_add_cell(&text, &finding->at);
	buf_add_text(&text, finding->message);
	json_member_text(writer, "description", buf_text(&text));
	buf_release(&text);
}

static void write_finding(struct json_writer *writer, const char *path, const struct source *source,
			  const struct finding *finding)
{
	struct region region = region_of(&finding->at, source, COLUMN_CHARACTERS);
	struct buf fingerprint = BUF_INIT;

	fingerprint_add_of_project(&fingerprint, path, finding);
	json_object_begin(writer);
	write_description(writer, finding);
	json_member_text(writer, "check_name", finding->rule->name);
	json_member_text(writer, "fingerprint", buf_text(&fingerprint));
	json_member_text(writer, "severity", severity_for(finding->severity));
	json_member_object(writer, "location");
	json_member_text(writer, "path", path);
	json_member_object(writer, "lines");
	json_member_int(writer, "begin", region.line);
	json_member_int(writer, "end", region.end_line);
	json_object_end(writer);
	json_object_end(writer);
	json_object_end(writer);
	buf_release(&fingerprint);
}

static void gitlab_file(struct report *report, const struct run_file *file)
{
	struct buf path = BUF_INIT;

	place_add_path(&path, report->options.host, file->path);
	for (size_t i = 0; file->result && i < file->result->finding_count; i++)
		write_finding(report->state, buf_text(&path), file->source, &file->result->findings[i]);
	buf_release(&path);
}

static void gitlab_end(struct report *report, const struct report_totals *totals)
{
	json_array_end(report->state);
	buf_add_char(&report->out, '\n');
}

static void gitlab_release(struct report *report)
{
	free(report->state);
}

const struct report_format report_gitlab = {
	.name = "gitlab",
	.summary = "GitLab's Code Quality report",
	.for_programs = true,
	.begin = gitlab_begin,
	.file = gitlab_file,
	.end = gitlab_end,
	.release = gitlab_release,
};
