/* Reviewdog's diagnostic format, whole (rdjson) or a line a diagnostic (rdjsonl). Source: proto/rdf of
 * reviewdog/reviewdog; columns count bytes of UTF-8. */
#include <stdlib.h>

#include "base/mem.h"
#include "report/formats.h"
#include "report/region.h"
#include "report/words.h"
#include "rule/rule.h"
#include "text/json_writer.h"

/* A suggestion replaces one range; edits further apart than this would quote too much of the file between them. */
enum { SUGGESTION_LIMIT = 4096 };

static void write_source(struct json_writer *writer)
{
	json_member_object(writer, "source");
	json_member_text(writer, "name", "vramlint");
	json_object_end(writer);
}

static void write_position(struct json_writer *writer, const char *key, uint32_t line, uint32_t column)
{
	json_member_object(writer, key);
	json_member_int(writer, "line", line);
	json_member_int(writer, "column", column);
	json_object_end(writer);
}

static void write_range(struct json_writer *writer, struct region region)
{
	json_member_object(writer, "range");
	write_position(writer, "start", region.line, region.column);
	write_position(writer, "end", region.end_line, region.end_column);
	json_object_end(writer);
}

static void write_location(struct json_writer *writer, const struct run_file *file, const struct excerpt *at)
{
	json_member_object(writer, "location");
	json_member_text(writer, "path", file->path);
	write_range(writer, region_of(at, file->source, COLUMN_BYTES));
	json_object_end(writer);
}

/* All edits of a fix as one, with what stands between them. */
static void write_suggestion(struct json_writer *writer, const struct source *source, const struct finding *finding)
{
	struct span whole = {finding->edits[0].span.start, finding->edits[finding->edit_count - 1].span.end};
	struct buf text = BUF_INIT;
	uint32_t done = whole.start;

	if (whole.end - whole.start > SUGGESTION_LIMIT)
		return;
	for (size_t i = 0; i < finding->edit_count; i++) {
		buf_add_str(&text, source_slice(source, (struct span){done, finding->edits[i].span.start}));
		buf_add_text(&text, finding->edits[i].text);
		done = finding->edits[i].span.end;
	}
	json_member_array(writer, "suggestions");
	json_object_begin(writer);
	write_range(writer, region_of_span(source, whole, COLUMN_BYTES));
	json_member_text(writer, "text", buf_text(&text));
	json_object_end(writer);
	json_array_end(writer);
	buf_release(&text);
}

static void write_related(struct json_writer *writer, const struct run_file *file, const struct finding *finding)
{
	json_member_array(writer, "related_locations");
	for (size_t i = 0; i < finding->note_count; i++) {
		json_object_begin(writer);
		json_member_text(writer, "message", finding->notes[i].text);
		write_location(writer, file, &finding->notes[i].at);
		json_object_end(writer);
	}
	json_array_end(writer);
}

static void write_code(struct json_writer *writer, const struct rule *rule)
{
	struct buf text = BUF_INIT;

	buf_format(&text, "%s %s", rule->code, rule->name);
	json_member_object(writer, "code");
	json_member_text(writer, "value", buf_text(&text));
	json_object_end(writer);
	buf_release(&text);
}

static void write_diagnostic(struct json_writer *writer, const struct run_file *file, const struct finding *finding,
			     bool alone)
{
	static const char *const severities[] = {
		[SEVERITY_HINT] = "INFO",
		[SEVERITY_NOTE] = "INFO",
		[SEVERITY_WARNING] = "WARNING",
		[SEVERITY_ERROR] = "ERROR",
	};
	struct buf message = BUF_INIT;

	words_add(&message, finding, "\n");
	json_object_begin(writer);
	json_member_text(writer, "message", buf_text(&message));
	write_location(writer, file, &finding->at);
	json_member_text(writer, "severity", severities[finding->severity]);
	if (alone)
		write_source(writer);
	write_code(writer, finding->rule);
	if (finding->edit_count > 0 && file->source && !finding->at.cell)
		write_suggestion(writer, file->source, finding);
	if (finding->note_count > 0)
		write_related(writer, file, finding);
	json_object_end(writer);
	buf_release(&message);
}

static void rdjson_begin(struct report *report)
{
	struct json_writer *writer = report->state = mem_new(1, sizeof *writer);

	json_writer_init(writer, &report->out);
	json_object_begin(writer);
	write_source(writer);
	json_member_array(writer, "diagnostics");
}

static void rdjson_file(struct report *report, const struct run_file *file)
{
	for (size_t i = 0; file->result && i < file->result->finding_count; i++)
		write_diagnostic(report->state, file, &file->result->findings[i], false);
}

static void rdjson_end(struct report *report, const struct report_totals *totals)
{
	json_array_end(report->state);
	json_object_end(report->state);
	buf_add_char(&report->out, '\n');
}

static void rdjson_release(struct report *report)
{
	free(report->state);
}

static void rdjsonl_file(struct report *report, const struct run_file *file)
{
	for (size_t i = 0; file->result && i < file->result->finding_count; i++) {
		struct json_writer writer;

		json_writer_init(&writer, &report->out);
		write_diagnostic(&writer, file, &file->result->findings[i], true);
		buf_add_char(&report->out, '\n');
	}
}

const struct report_format report_rdjson = {
	.name = "rdjson",
	.summary = "reviewdog's diagnostic format",
	.for_programs = true,
	.begin = rdjson_begin,
	.file = rdjson_file,
	.end = rdjson_end,
	.release = rdjson_release,
};

const struct report_format report_rdjsonl = {
	.name = "rdjsonl",
	.summary = "the same, a line a diagnostic",
	.for_programs = true,
	.begin = report_no_begin,
	.file = rdjsonl_file,
	.end = report_no_end,
};
