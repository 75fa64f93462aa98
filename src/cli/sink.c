#include "cli/sink.h"

#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/output.h"

/* Prints what the report has so far. */
static void print(struct sink *sink)
{
	if (sink->report.out.length == 0)
		return;
	progress_erase(&sink->progress);
	if (sink->to_stderr) {
		fwrite(sink->report.out.bytes, 1, sink->report.out.length, stderr);
		buf_reset(&sink->report.out);
		return;
	}
	if (sink->write_failed || !output_write(&sink->report.out, &sink->write_error)) {
		sink->write_failed = true;
		buf_reset(&sink->report.out);
	}
}

static void tell_problems(struct sink *sink, const struct run_file *file)
{
	const struct lint_result *result = file->result;

	for (size_t i = 0; result && i < result->problem_count; i++) {
		const struct lint_problem *problem = &result->problems[i];

		progress_erase(&sink->progress);
		if (problem->at.start.line)
			message_warning("%s:%lu:%lu: %s", file->path, (unsigned long)problem->at.start.line,
					(unsigned long)problem->at.start.column, problem->text);
		else
			message_warning("%s: %s", file->path, problem->text);
	}
}

/* Takes over what was fixed, and tells what was not. */
static void take_fix(struct sink *sink, const struct run_file *file)
{
	const struct buf *refusals = &file->fix->outcome->refusals;

	for (size_t at = 0; at < refusals->length; at += strlen(refusals->bytes + at) + 1) {
		progress_erase(&sink->progress);
		message_warning("%s", refusals->bytes + at);
	}
	if (file->fix->error)
		sink_add_failure(sink, file->fix->error);
	fixer_add(&sink->fixer, file->path, file->fix);
}

static void on_file(struct run_sink *base, const struct run_file *file)
{
	struct sink *sink = (struct sink *)base;

	report_totals_add(&sink->totals, file, file->settings->fail_on);
	if (file->error)
		sink_add_failure(sink, file->error);
	if (file->fix)
		take_fix(sink, file);
	if (!sink->report.format->shows_problems)
		tell_problems(sink, file);
	sink->report.format->file(&sink->report, file);
	print(sink);
	if (file->result && file->result->explanation)
		fprintf(stderr, "%s:\n%s", file->path, file->result->explanation);
}

static void on_progress(struct run_sink *base, size_t done, size_t total)
{
	progress_draw(&((struct sink *)base)->progress, done, total);
}

void sink_init(struct sink *sink, const struct report_format *format, struct report_options options)
{
	memset(sink, 0, sizeof *sink);
	sink->base = (struct run_sink){on_file, on_progress};
	buf_init(&sink->failures);
	progress_init(&sink->progress, !options.quiet);
	report_init(&sink->report, format, options);
	format->begin(&sink->report);
}

void sink_release(struct sink *sink)
{
	report_release(&sink->report);
	buf_release(&sink->failures);
	fixer_release(&sink->fixer);
}

void sink_add_failure(struct sink *sink, const char *text)
{
	buf_add(&sink->failures, text, strlen(text) + 1);
}

void sink_write_fixes(struct sink *sink)
{
	struct err err;

	progress_erase(&sink->progress);
	while (fixer_write_next(&sink->fixer, &err))
		if (err.code != ERR_NONE)
			sink_add_failure(sink, err.message);
}

void sink_finish(struct sink *sink, struct run_totals totals, size_t paths)
{
	sink->timing = totals.timing;
	sink->totals.files = totals.files + paths;
	sink->totals.failed = totals.failed + paths;
	sink->totals.fixed = sink->fixer.fixed;
	sink->totals.fixed_files = sink->fixer.files;
	sink->report.format->end(&sink->report, &sink->totals);
	progress_erase(&sink->progress);
	print(sink);
}

bool sink_tell_failures(const struct sink *sink)
{
	const char *text = buf_text(&sink->failures);
	const char *end = text + sink->failures.length;
	size_t told = 0;

	for (; text < end; text += strlen(text) + 1, told++)
		message_error("%s", text);
	if (sink->totals.failed > 0 && (told != 1 || sink->totals.failed != 1))
		message_error("%zu of %zu files or folders could not be checked", sink->totals.failed,
			      sink->totals.files);
	if (sink->write_failed)
		message_error("%s", sink->write_error.message);
	return sink->totals.failed > 0 || told > 0 || sink->write_failed;
}
