/* All findings as one JSON document: docs/schema/report.schema.json. */
#include <stdlib.h>

#include "base/mem.h"
#include "report/formats.h"
#include "report/json_lines.h"

/* Lists that are filled side by side; one is written at once, the others wait. */
struct lists {
	struct json_writer findings;
	struct buf problem_text, failure_text;
	struct json_writer problems, failures;
};

static void json_begin(struct report *report)
{
	struct lists *lists = report->state = mem_new(1, sizeof *lists);

	json_writer_init(&lists->findings, &report->out);
	json_writer_init(&lists->problems, &lists->problem_text);
	json_writer_init(&lists->failures, &lists->failure_text);
	json_object_begin(&lists->findings);
	json_member_text(&lists->findings, "version", VRAMLINT_VERSION);
	json_member_array(&lists->findings, "findings");
}

static void write_problem(struct json_writer *writer, const char *path, const struct lint_problem *problem)
{
	json_object_begin(writer);
	json_member_text(writer, "path", path);
	if (problem->at.start.line)
		json_lines_write_place(writer, &problem->at);
	json_member_text(writer, "text", problem->text);
	json_object_end(writer);
}

static void write_failure(struct json_writer *writer, const char *path, const char *text)
{
	json_object_begin(writer);
	if (path)
		json_member_text(writer, "path", path);
	json_member_text(writer, "text", text);
	json_object_end(writer);
}

static void json_file(struct report *report, const struct run_file *file)
{
	struct lists *lists = report->state;

	if (file->error)
		write_failure(&lists->failures, file->path, file->error);
	for (size_t i = 0; file->result && i < file->result->problem_count; i++)
		write_problem(&lists->problems, file->path, &file->result->problems[i]);
	for (size_t i = 0; file->result && i < file->result->finding_count; i++)
		json_lines_write_finding(&lists->findings, file, &file->result->findings[i]);
}

static void json_failure(struct report *report, const char *text)
{
	write_failure(&((struct lists *)report->state)->failures, NULL, text);
}

static void write_list(struct json_writer *writer, const char *key, const struct buf *items)
{
	json_member_array(writer, key);
	buf_add_str(writer->out, buf_get(items));
	json_array_end(writer);
}

static void json_end(struct report *report, const struct report_totals *totals)
{
	struct lists *lists = report->state;
	struct json_writer *writer = &lists->findings;

	json_array_end(writer);
	write_list(writer, "problems", &lists->problem_text);
	write_list(writer, "failures", &lists->failure_text);
	json_member_object(writer, "summary");
	json_member_int(writer, "files", (int64_t)(totals->files - totals->failed));
	json_member_int(writer, "failed", (int64_t)totals->failed);
	json_member_int(writer, "findings", (int64_t)totals->findings);
	for (int severity = SEVERITY_ERROR; severity >= SEVERITY_HINT; severity--)
		json_member_int(writer, severity_name((enum severity)severity), (int64_t)totals->by_severity[severity]);
	json_object_end(writer);
	json_object_end(writer);
	buf_add_char(&report->out, '\n');
}

static void json_release(struct report *report)
{
	struct lists *lists = report->state;

	buf_release(&lists->problem_text);
	buf_release(&lists->failure_text);
	free(lists);
}

const struct report_format report_json = {
	.name = "json",
	.summary = "one JSON document: findings, problems, failures and a summary",
	.for_programs = true,
	.begin = json_begin,
	.file = json_file,
	.failure = json_failure,
	.end = json_end,
	.release = json_release,
};
