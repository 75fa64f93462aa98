/* One JSON object a line and finding: programs read it. */
#include "report/json_lines.h"

#include "report/formats.h"
#include "rule/rule.h"
#include "text/json_writer.h"

static void write_text(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_text(writer, text);
}

static void write_number(struct json_writer *writer, const char *key, uint32_t number)
{
	json_key(writer, key);
	json_int(writer, number);
}

void json_lines_write_place(struct json_writer *writer, const struct excerpt *at)
{
	if (at->cell)
		write_number(writer, "cell", at->cell);
	write_number(writer, "line", at->start.line);
	write_number(writer, "column", at->start.column);
	write_number(writer, "end_line", at->end.line);
	write_number(writer, "end_column", at->end.column);
}

static void write_trail(struct json_writer *writer, const struct finding *finding)
{
	json_key(writer, "trail");
	json_array_begin(writer);
	for (size_t i = 0; i < finding->note_count; i++) {
		json_object_begin(writer);
		json_lines_write_place(writer, &finding->notes[i].at);
		write_text(writer, "text", finding->notes[i].text);
		json_object_end(writer);
	}
	json_array_end(writer);
}

/* Edits are places in the decoded text, in bytes: "start", "end" (exclusive) and the "text" to put there. In a notebook
 * the text is the source of the "cell". */
static void write_fix(struct json_writer *writer, const struct source *source, const struct finding *finding)
{
	json_key(writer, "fix");
	json_object_begin(writer);
	json_member_bool(writer, "safe", finding->fix_is_safe);
	json_key(writer, "edits");
	json_array_begin(writer);
	for (size_t i = 0; i < finding->edit_count; i++) {
		const struct edit *edit = &finding->edits[i];
		bool cell = finding->at.cell != 0;
		uint32_t start = cell ? source_cell_offset(source, edit->span.start) : edit->span.start;

		json_object_begin(writer);
		if (cell)
			write_number(writer, "cell", source_cell(source, edit->span.start));
		write_number(writer, "start", start);
		write_number(writer, "end", start + edit->span.end - edit->span.start);
		write_text(writer, "text", edit->text);
		json_object_end(writer);
	}
	json_array_end(writer);
	json_object_end(writer);
}

void json_lines_write_finding(struct json_writer *writer, const struct run_file *file, const struct finding *finding)
{
	json_object_begin(writer);
	write_text(writer, "path", file->path);
	json_lines_write_place(writer, &finding->at);
	write_text(writer, "code", finding->rule->code);
	write_text(writer, "name", finding->rule->name);
	write_text(writer, "severity", severity_name(finding->severity));
	write_text(writer, "cost", cost_name(finding->cost));
	write_text(writer, "proof", proof_name(finding->proof));
	write_text(writer, "message", finding->message);
	write_text(writer, "scope", finding->scope);
	write_text(writer, "fingerprint", finding->fingerprint);
	if (finding->growth)
		write_text(writer, "growth", finding->growth);
	if (finding->help)
		write_text(writer, "help", finding->help);
	if (finding->note_count)
		write_trail(writer, finding);
	if (finding->edit_count)
		write_fix(writer, file->source, finding);
	json_object_end(writer);
}

static void json_lines_file(struct report *report, const struct run_file *file)
{
	for (size_t i = 0; file->result && i < file->result->finding_count; i++) {
		struct json_writer writer;

		json_writer_init(&writer, &report->out);
		json_lines_write_finding(&writer, file, &file->result->findings[i]);
		buf_add_char(&report->out, '\n');
	}
}

const struct report_format report_json_lines = {
	.name = "json-lines",
	.summary = "one JSON object a line and finding, with all that is known about it",
	.for_programs = true,
	.begin = report_no_begin,
	.file = json_lines_file,
	.end = report_no_end,
};
