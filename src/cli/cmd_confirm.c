#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "base/os_memory.h"
#include "base/size.h"
#include "cli/ci.h"
#include "cli/confirm_table.h"
#include "cli/confirm_view.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/outputs.h"
#include "cli/prediction.h"
#include "confirm/page.h"
#include "confirm/picture.h"
#include "confirm/record.h"
#include "confirm/results.h"
#include "confirm/tell.h"
#include "text/notebook.h"

struct confirm_values {
	struct setting_texts settings[SETTING_COUNT], configs, check;
	bool isolated, quiet, unprotected;
	int steps, time_limit, stop;
	const char *json, *html, *svg, *sarif, *python, *fail_over, *snapshot, *record, *read;
};

#define VALUE(member) offsetof(struct confirm_values, member)

static const struct option_choice stop_choices[] = {
	{"exit", CONFIRM_EXIT}, {"raise", CONFIRM_RAISE}, {"run", CONFIRM_RUN}, {NULL, 0}};

static const struct option_row confirm_options[] = {
	{"steps", 0, OPTION_COUNT, "N", "steps of training that are looked at (default: 48)", VALUE(steps), NULL},
	{"time-limit", 0, OPTION_COUNT, "SECONDS", "end the command after so long (default: 600; 0: never)", VALUE(time_limit),
	 NULL},
	{"stop", 0, OPTION_CHOICE, "HOW",
	 "after the steps: exit at once, raise KeyboardInterrupt, or let it run (default: exit)", VALUE(stop), stop_choices},
	{"check", 0, OPTION_TEXTS, "PATH", "code whose findings are judged (default: the script, else the current folder)",
	 VALUE(check), NULL},
	{"python", 0, OPTION_TEXT, "PROGRAM", "runs the script (default: that of the active environment)", VALUE(python), NULL},
	{"json", 0, OPTION_TEXT, "FILE", "write the report for programs to FILE", VALUE(json), NULL},
	{"html", 0, OPTION_TEXT, "FILE", "write a page with curves, holders and code to FILE", VALUE(html), NULL},
	{"svg", 0, OPTION_TEXT, "FILE", "write the curves as a picture to FILE", VALUE(svg), NULL},
	{"sarif", 0, OPTION_TEXT, "FILE", "write findings with their verdicts as SARIF to FILE", VALUE(sarif), NULL},
	{"record", 0, OPTION_TEXT, "FILE", "keep all that was seen in FILE", VALUE(record), NULL},
	{"read", 0, OPTION_TEXT, "FILE", "judge the run that --record kept in FILE; nothing is run", VALUE(read), NULL},
	{"fail-over", 0, OPTION_TEXT, "BYTES",
	 "growth of up to so much a step leaves the exit status 0: 4096, 64k, 1MiB (default: 0)", VALUE(fail_over), NULL},
	{"snapshot", 0, OPTION_TEXT, "FILE", "write a memory snapshot for pytorch's viewer to FILE", VALUE(snapshot), NULL},
	{"unprotected", 0, OPTION_FLAG, NULL, "let the script write where it says", VALUE(unprotected), NULL},
	{"quiet", 'q', OPTION_FLAG, NULL, "print no progress", VALUE(quiet), NULL},
#include "cli/setting_options.inc"
	{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL},
};

/* ---- what is run ---- */

/* The script or notebook among the words of the command, or NULL. */
static const char *script_of(const struct option_result *result)
{
	for (size_t i = 0; i < result->operand_count; i++) {
		if (str_ends(str_from(result->operands[i]), ".py") || notebook_is_name(result->operands[i]))
			return result->operands[i];
	}
	return NULL;
}

/* What the command is about, where nothing else is said: its script, or the current folder. */
static const char *subject_of(const struct option_result *result)
{
	const char *script = script_of(result);

	return script ? script : ".";
}

/* The findings of the code that is named, or of what the command is about. */
static bool predict(struct prediction *prediction, const struct confirm_values *values, const struct option_result *result,
		    struct config *config)
{
	const char *subject = subject_of(result);

	if (values->check.count)
		return prediction_make(prediction, config, values->check.items, values->check.count);
	return prediction_make(prediction, config, &subject, 1);
}

static const char *python_of(const struct confirm_values *values, struct arena *arena)
{
	const char *environment = os_env("VIRTUAL_ENV");
	const char *path = environment ? arena_format(arena, "%s/bin/python", environment) : NULL;
	struct os_stat stat;

	if (values->python)
		return values->python;
	return path && os_stat_get(path, &stat, NULL) && stat.kind == OS_FILE ? path : "python3";
}

/* The words of the command, with a Python before a script and before -m. */
static const char *const *command_words(const struct confirm_values *values, const struct option_result *result,
					struct arena *arena)
{
	const char *first = result->operands[0];
	bool is_script = str_ends(str_from(first), ".py") || strcmp(first, "-m") == 0;
	const char **words = ARENA_ARRAY(arena, const char *, result->operand_count + 2);

	if (is_script)
		words[0] = python_of(values, arena);
	memcpy(words + is_script, result->operands, result->operand_count * sizeof *words);
	return words;
}

static const char *in_words(const struct option_result *result, struct arena *arena)
{
	struct buf text = BUF_INIT;
	const char *copy;

	for (size_t i = 0; i < result->operand_count; i++)
		buf_format(&text, "%s%s", i ? " " : "", result->operands[i]);
	copy = arena_dup(arena, buf_text(&text));
	buf_release(&text);
	return copy;
}

/* For confirm_request. */
static void warn(const char *text, void *context)
{
	message_warning("%s", text);
}

/* ---- the command ---- */

/* Whether all reports can be written, as far as that can be told before a run that may take long. */
static bool reports_are_possible(const struct confirm_values *values, struct arena *arena, struct err *err)
{
	const char *const paths[] = {values->json, values->html, values->svg, values->sarif};
	static const char *const names[] = {"--json", "--html", "--svg", "--sarif"};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		const char *slash = paths[i] ? strrchr(paths[i], '/') : NULL;
		struct os_stat stat;

		if (!paths[i])
			continue;
		if (!*paths[i])
			return err_set(err, ERR_USAGE, "option '%s' names no file", names[i]);
		if (outputs_is_code(paths[i]))
			return err_set(err, ERR_USAGE, "option '%s' would overwrite '%s', which is code; name another file", names[i],
				       paths[i]);
		for (size_t j = 0; j < i; j++) {
			if (paths[j] && strcmp(paths[j], paths[i]) == 0)
				return err_set(err, ERR_USAGE, "options '%s' and '%s' would both write '%s'", names[j], names[i],
					       paths[i]);
		}
		if (slash && slash > paths[i] &&
		    (!os_stat_get(arena_dup_bytes(arena, paths[i], (size_t)(slash - paths[i])), &stat, err) || stat.kind != OS_FOLDER))
			return err_set(err, ERR_USAGE, "option '%s' cannot write '%s': there is no such folder", names[i], paths[i]);
	}
	return true;
}

static bool write_file(const char *path, struct buf *text)
{
	struct err err;
	bool ok = os_write_file(path, buf_get(text), &err);

	if (!ok)
		message_error("%s", err.message);
	buf_reset(text);
	return ok;
}

/* All of them, whatever becomes of one. */
static bool write_reports(const struct confirm_values *values, const struct told *told, struct prediction *prediction)
{
	struct report_host host;
	struct evidence evidence;
	struct buf text = BUF_INIT;
	bool shows_code = values->sarif || values->html, ok = true;

	if (shows_code)
		evidence_init(&evidence, told);
	if (values->json) {
		tell_json(&text, told);
		ok = write_file(values->json, &text) && ok;
	}
	if (values->sarif) {
		ci_host_get(&host, &prediction->arena);
		results_tell(&text, &evidence, prediction->settings, &host);
		ok = write_file(values->sarif, &text) && ok;
	}
	if (values->html) {
		page_tell(&text, &evidence);
		ok = write_file(values->html, &text) && ok;
	}
	if (values->svg) {
		picture_file(&text, told);
		ok = write_file(values->svg, &text) && ok;
	}
	if (shows_code)
		evidence_release(&evidence);
	buf_release(&text);
	return ok;
}

/* Whether the run is long enough for an answer: what ends by itself is, however short. */
static bool is_answered(const struct told *told)
{
	const struct confirm_outcome *outcome = told->outcome;

	if (!told_saw_steps(told))
		return false;
	return reported_is_done(&outcome->reported) || (outcome->end == CONFIRM_DONE && outcome->status == 0) ||
	       (outcome->end == CONFIRM_TIMED_OUT && !told_is_provisional(told));
}

static int status_of(const struct told *told)
{
	if (told_fails(told))
		return STATUS_FINDINGS;
	return is_answered(told) ? STATUS_CLEAN : STATUS_FAILED;
}

static int report(const struct confirm_values *values, const struct confirm_outcome *outcome,
		  struct prediction *prediction, const char *command)
{
	/* a record may be of another machine */
	struct os_memory memory = values->read ? (struct os_memory){-1, -1, false} : os_memory_get("");
	struct told told = {.outcome = outcome, .command = command, .folder = prediction->current};
	struct judgements judgements;
	struct buf text = BUF_INIT;
	bool is_written;
	int status;

	judge_run(&outcome->reported, prediction->findings.items, prediction->findings.count, &judgements);
	told.judgements = &judgements;
	size_from_text(values->fail_over, &told.fail_over);
	told_init(&told, &memory);
	tell_text(&text, &told);
	status = status_of(&told);
	/* files first: the terminal may have gone */
	is_written = write_reports(values, &told, prediction);
	if (output_finish(&text) != STATUS_CLEAN || !is_written)
		status = STATUS_FAILED;
	told_release(&told);
	judgements_release(&judgements);
	buf_release(&text);
	return status;
}

/* A run takes minutes: what cannot be written at its end is told before. */
static bool may_write_all(const struct confirm_values *values)
{
	const char *const paths[] = {values->json, values->sarif, values->html, values->svg, values->record, values->snapshot};
	bool ok = true;
	struct err err;

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (paths[i] && !os_may_write_file(paths[i], &err)) {
			message_error("%s", err.message);
			ok = false;
		}
	}
	return ok;
}

static bool snapshot_was_kept(const struct confirm_request *request, const struct confirm_outcome *outcome)
{
	if (!request->snapshot || (outcome->snapshots > 0 && outcome->snapshot_err.code == ERR_NONE))
		return true;
	message_error("%s", outcome->snapshot_err.code ? outcome->snapshot_err.message
						       : "no memory snapshot was made: nothing that imports torch came to its end");
	return false;
}

static bool keep(const char *path, const struct buf *record)
{
	struct err err;

	if (record->length > REPORTED_RECORD_LIMIT)
		message_warning("the record in '%s' ends before the run did: it has reached its limit of %d MiB", path,
				REPORTED_RECORD_LIMIT >> 20);
	if (os_write_file(path, buf_get(record), &err))
		return true;
	message_error("%s", err.message);
	return false;
}

/* Fills PREDICTION with what the record predicted, or with what the code that is to be checked says now. */
static bool predict_again(struct prediction *prediction, const struct confirm_values *values,
			  const struct option_result *result, struct config *config, const struct record *record,
			  struct reported *reported)
{
	struct err err;

	if (values->check.count > 0) {
		if (!predict(prediction, values, result, config))
			return false;
		record_rebase(record, prediction->findings.items, prediction->findings.count, reported);
		return true;
	}
	arena_init(&prediction->arena);
	prediction->current = os_current_folder(&prediction->arena, &err);
	for (size_t i = 0; i < record->findings.count; i++)
		VEC_ADD(&prediction->findings, record->findings.items[i]);
	return true;
}

static int judge_record(const struct confirm_values *values, const struct option_result *result, struct config *config)
{
	struct prediction prediction = {.findings = {NULL, 0, 0}};
	struct confirm_outcome outcome;
	struct record record;
	struct err err;
	int status = STATUS_FAILED;

	if (!record_read(values->read, &record, &outcome, &err))
		message_error("%s", err.message);
	else if (predict_again(&prediction, values, result, config, &record, &outcome.reported))
		status = report(values, &outcome, &prediction, record.command);
	prediction_release(&prediction);
	record_release(&record);
	confirm_outcome_release(&outcome);
	return status;
}

static int confirm(const struct confirm_values *values, const struct option_result *result, struct config *config)
{
	struct confirm_view view;
	struct prediction prediction = {.findings = {NULL, 0, 0}};
	struct confirm_request request = {.steps = values->steps, .time_limit = values->time_limit,
					  .stop = (enum confirm_stop)values->stop, .protects = !values->unprotected, .snapshot = values->snapshot,
					  .warn = warn,
					  .context = &view};
	struct confirm_outcome outcome;
	struct buf record = BUF_INIT;
	const char *command;
	struct err err;
	int status = STATUS_FAILED;

	if (!may_write_all(values) || !predict(&prediction, values, result, config))
		goto out;
	request.command = command_words(values, result, &prediction.arena);
	request.findings = prediction.findings.items;
	request.finding_count = prediction.findings.count;
	confirm_view_init(&view, values->steps);
	if (!values->quiet)
		request.progress = confirm_view_show;
	request.farewell = view.is_block && !values->quiet ? confirm_view_farewell : NULL;
	command = in_words(result, &prediction.arena);
	if (values->record) {
		record_begin(&record, &request, command);
		request.record = &record;
	}
	if (!confirm_run(&request, &outcome, &err)) {
		message_error("%s", err.message);
	} else {
		status = report(values, &outcome, &prediction, command);
		status = snapshot_was_kept(&request, &outcome) ? status : STATUS_FAILED;
	}
	if (values->record && !keep(values->record, &record))
		status = STATUS_FAILED;
	confirm_outcome_release(&outcome);
out:
	buf_release(&record);
	prediction_release(&prediction);
	return status;
}

/* Whether they fit together; else ERR says why not. */
static bool are_sound(const struct confirm_values *values, const struct option_result *result, struct err *err)
{
	double fail_over;

	if (values->read && (result->operand_count > 0 || values->record || values->snapshot))
		return err_set(err, ERR_USAGE, "'--read' judges a run that is over: it takes no command, no '--record' and no '--snapshot'");
	if (result->operand_count == 0 && !values->read)
		return err_set(err, ERR_USAGE, "'confirm' takes a command: vramlint confirm -- train.py");
	if (result->operand_count > 0 && notebook_is_name(result->operands[0]))
		return err_set(err, ERR_USAGE,
			       "'%s' is a notebook and no program: vramlint confirm -- jupyter nbconvert --to notebook --execute '%s'",
			       result->operands[0], result->operands[0]);
	if (!size_from_text(values->fail_over, &fail_over))
		return err_set(err, ERR_USAGE, "option '--fail-over' takes a number of bytes, such as 4096, 64k or 1MiB, not '%s'",
			       values->fail_over);
	return true;
}

static const struct confirm_values fallback = {.steps = 48, .time_limit = 600};

/* Runs with what the table [confirm] of the configuration says beneath ARGUMENTS. */
static int run_with_table(const struct command *command, int count, char *const *arguments, struct option_result *result,
			  struct config *config)
{
	struct confirm_values values = fallback, trial = fallback;
	const char *subject = subject_of(result);
	char *const *joined = confirm_table_join(config_for_run(config, &subject, 1), confirm_options, &trial, &count, arguments,
						 &result->arena);
	struct option_result joined_result;
	struct err err;
	int status;

	if (!joined)
		return STATUS_FAILED;
	if (command_parse(command, count, joined, &values, &joined_result, &status)) {
		if (!are_sound(&values, &joined_result, &err) || !reports_are_possible(&values, &joined_result.arena, &err))
			status = command_usage_error(command, &err);
		else
			status = values.read ? judge_record(&values, &joined_result, config) : confirm(&values, &joined_result, config);
	}
	option_result_release(&joined_result);
	return status;
}

static int confirm_command_run(const struct command *command, int count, char *const *arguments)
{
	struct confirm_values values = fallback;
	struct option_result result;
	struct config *config;
	struct err err;
	int status;

	if (!command_parse(command, count, arguments, &values, &result, &status))
		goto out;
	if (!are_sound(&values, &result, &err)) {
		status = command_usage_error(command, &err);
		goto out;
	}
	config = config_new(&(struct config_request){.options = values.settings, .configs = values.configs.items,
						     .config_count = values.configs.count, .isolated = values.isolated},
			    &err);
	status = config ? run_with_table(command, count, arguments, &result, config) : command_usage_error(command, &err);
	config_free(config);
out:
	option_result_release(&result);
	return status;
}

const struct command command_confirm = {
	.name = "confirm",
	.operands = "-- COMMAND...",
	.summary = "run your script for some steps and see whether what was found happens",
	.details = "COMMAND is a script with its arguments, -m and a module, or a program such as torchrun. Exit status: 0 nothing\n"
		   "was confirmed, 1 something grows, 2 nothing could be told.",
	.options = confirm_options,
	.run = confirm_command_run,
};
