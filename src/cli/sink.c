#include "cli/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os.h"
#include "cli/ci.h"
#include "cli/message.h"
#include "cli/output.h"
#include "report/guard.h"
#include "report/summary.h"

/* Whatever an output takes from REPORT it has failed to take. */
static void fail(struct sink *sink, struct report *report)
{
	sink->write_failed = true;
	buf_reset(&report->out);
}

/* Prints what the reports for standard output have so far. */
static void print(struct sink *sink)
{
	for (size_t i = 0; i < sink->outputs->count; i++) {
		struct report *report = &sink->reports[i];
		struct buf guarded = BUF_INIT;

		if (sink->outputs->items[i].path || report->out.length == 0)
			continue;
		progress_erase(&sink->progress);
		if (sink->guarded && !report->format->for_programs) {
			guard_add(&guarded, buf_get(&report->out));
			buf_release(&report->out);
			report->out = guarded;
		}
		if (sink->to_stderr) {
			fwrite(report->out.bytes, 1, report->out.length, stderr);
			buf_reset(&report->out);
			continue;
		}
		if (sink->write_failed || !output_write(&report->out, &sink->write_error))
			fail(sink, report);
	}
}

/* Whether a report that people see shows problems. */
static bool problems_are_shown(const struct sink *sink)
{
	for (size_t i = 0; i < sink->outputs->count; i++) {
		if (!sink->outputs->items[i].path && sink->reports[i].format->shows_problems)
			return true;
	}
	return false;
}

static void tell_problems(struct sink *sink, const struct run_file *file)
{
	const struct lint_result *result = file->result;
	struct buf place = BUF_INIT;

	for (size_t i = 0; result && i < result->problem_count; i++) {
		const struct lint_problem *problem = &result->problems[i];

		progress_erase(&sink->progress);
		buf_reset(&place);
		excerpt_add_place(&place, &problem->at);
		message_warning("%s%s: %s", file->path, buf_text(&place), problem->text);
	}
	buf_release(&place);
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

static void tell_file(struct sink *sink, const struct run_file *file)
{
	const struct lint_result *result = file->result;

	progress_erase(&sink->progress);
	if (!result)
		message_note("could not check '%s'", file->path);
	else if (result->skipped)
		message_note("skipped '%s': it names nothing that could leak", file->path);
	else
		message_note("checked '%s': %zu finding%s", file->path, result->finding_count,
			     result->finding_count == 1 ? "" : "s");
}

static void failure_add(struct sink *sink, const char *text)
{
	buf_add(&sink->failures, text, strlen(text) + 1);
}

static void on_file(struct run_sink *base, const struct run_file *file)
{
	struct sink *sink = (struct sink *)base;

	report_totals_add(&sink->totals, file, file->settings->fail_on);
	if (file->error)
		failure_add(sink, file->error);
	if (file->fix)
		take_fix(sink, file);
	if (!problems_are_shown(sink))
		tell_problems(sink, file);
	for (size_t i = 0; i < sink->outputs->count; i++)
		sink->reports[i].format->file(&sink->reports[i], file);
	print(sink);
	if (sink->verbose)
		tell_file(sink, file);
	if (file->result && file->result->explanation)
		fprintf(stderr, "%s:\n%s", file->path, file->result->explanation);
}

static void on_progress(struct run_sink *base, size_t done, size_t total)
{
	progress_draw(&((struct sink *)base)->progress, done, total);
}

void sink_init(struct sink *sink, const struct outputs *outputs, struct report_options options)
{
	memset(sink, 0, sizeof *sink);
	sink->base = (struct run_sink){on_file, on_progress};
	sink->outputs = outputs;
	sink->reports = mem_new(outputs->count, sizeof *sink->reports);
	sink->guarded = ci_reads_commands() && !os_is_file(1);
	sink->quiet = options.quiet;
	buf_init(&sink->failures);
	progress_init(&sink->progress, !options.quiet);
	for (size_t i = 0; i < outputs->count; i++) {
		struct report_options own = options;

		own.colour = options.colour && !outputs->items[i].path;
		own.links = outputs->items[i].path ? NULL : options.links;
		report_init(&sink->reports[i], outputs->items[i].format, own);
		outputs->items[i].format->begin(&sink->reports[i]);
	}
}

void sink_release(struct sink *sink)
{
	for (size_t i = 0; i < sink->outputs->count; i++)
		report_release(&sink->reports[i]);
	free(sink->reports);
	buf_release(&sink->failures);
	fixer_release(&sink->fixer);
}

void sink_add_failure(struct sink *sink, const char *text)
{
	failure_add(sink, text);
	for (size_t i = 0; i < sink->outputs->count; i++) {
		if (sink->reports[i].format->failure)
			sink->reports[i].format->failure(&sink->reports[i], text);
	}
}

/* Writes the reports that have a file of their own. */
static void write_files(struct sink *sink)
{
	struct err err;

	for (size_t i = 0; i < sink->outputs->count; i++) {
		const char *path = sink->outputs->items[i].path;

		if (path && !os_write_file(path, buf_get(&sink->reports[i].out), &err))
			failure_add(sink, err.message);
	}
}

/* A report for the page of a job goes there as well, and lines about what was left out to standard error. */
static void write_extras(struct sink *sink)
{
	const char *path = ci_job_summary_path();
	struct err err;

	for (size_t i = 0; i < sink->outputs->count; i++) {
		struct report *report = &sink->reports[i];
		char *line = report->remarks.bytes;

		if (path && report->job_summary.length > 0 &&
		    !os_append_file(path, buf_get(&report->job_summary), &err))
			message_warning("%s; the summary of the job is missing", err.message);
		for (char *end; line && (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			message_warning("%s", line);
		}
	}
}

/* Who sent all reports to files wants to know how it went. */
static void print_summary(struct sink *sink)
{
	struct buf line = BUF_INIT;

	for (size_t i = 0; i < sink->outputs->count; i++) {
		if (!sink->outputs->items[i].path)
			return;
	}
	if (sink->quiet || sink->totals.files == sink->totals.paths)
		return;
	summary_add(&line, &sink->totals);
	if (!output_write(&line, &sink->write_error))
		sink->write_failed = true;
	buf_release(&line);
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
	sink->totals.paths = paths;
	sink->totals.fixed = sink->fixer.fixed;
	sink->totals.fixed_files = sink->fixer.files;
	for (size_t i = 0; i < sink->outputs->count; i++)
		sink->reports[i].format->end(&sink->reports[i], &sink->totals);
	progress_erase(&sink->progress);
	print(sink);
	write_files(sink);
	print_summary(sink);
	write_extras(sink);
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
