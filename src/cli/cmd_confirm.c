#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "base/os_memory.h"
#include "base/size.h"
#include "cli/ci.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/outputs.h"
#include "cli/prediction.h"
#include "confirm/confirm.h"
#include "confirm/page.h"
#include "confirm/picture.h"
#include "confirm/results.h"
#include "confirm/tell.h"

struct confirm_values {
	struct setting_texts settings[SETTING_COUNT], configs, check;
	bool isolated, quiet, unprotected;
	int steps, time_limit, stop;
	const char *json, *html, *svg, *sarif, *python, *fail_over;
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
	{"fail-over", 0, OPTION_TEXT, "BYTES",
	 "growth of up to so much a step leaves the exit status 0: 4096, 64k, 1MiB (default: 0)", VALUE(fail_over), NULL},
	{"unprotected", 0, OPTION_FLAG, NULL, "let torch.save write where the script says", VALUE(unprotected), NULL},
	{"quiet", 'q', OPTION_FLAG, NULL, "print no progress", VALUE(quiet), NULL},
#include "cli/setting_options.inc"
	{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL},
};

/* ---- what is run ---- */

/* The script among the words of the command, or NULL. */
static const char *script_of(const struct option_result *result)
{
	for (size_t i = 0; i < result->operand_count; i++) {
		if (str_ends(str_from(result->operands[i]), ".py"))
			return result->operands[i];
	}
	return NULL;
}

/* The findings of the code that is named, or of the script, or of the current folder. */
static bool predict(struct prediction *prediction, const struct confirm_values *values, const struct option_result *result,
		    struct config *config)
{
	static const char *const here[] = {"."};
	const char *script = script_of(result);

	if (values->check.count)
		return prediction_make(prediction, config, values->check.items, values->check.count);
	return prediction_make(prediction, config, script ? &script : here, 1);
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

static void show_progress(const struct reported *reported, void *context)
{
	int64_t steps = 0;

	for (size_t i = 0; i < reported->processes.count; i++) {
		if (reported->processes.items[i]->steps > steps)
			steps = reported->processes.items[i]->steps;
	}
	fprintf(stderr, "\rvramlint: step %lld ", (long long)steps);
	fflush(stderr);
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
	bool ok = true;

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
	evidence_release(&evidence);
	buf_release(&text);
	return ok;
}

static int status_of(const struct told *told)
{
	if (told_fails(told))
		return STATUS_FINDINGS;
	return told_saw_steps(told) ? STATUS_CLEAN : STATUS_FAILED;
}

static int report(const struct confirm_values *values, const struct confirm_outcome *outcome,
		  struct prediction *prediction, const char *command)
{
	struct os_memory memory = os_memory_get("");
	struct told told = {.outcome = outcome, .command = command, .folder = prediction->current};
	struct judgements judgements;
	struct buf text = BUF_INIT;
	int status;

	judge_run(&outcome->reported, prediction->findings.items, prediction->findings.count, &judgements);
	told.judgements = &judgements;
	size_from_text(values->fail_over, &told.fail_over);
	told_init(&told, &memory);
	tell_text(&text, &told);
	status = status_of(&told);
	if (output_finish(&text) != STATUS_CLEAN || !write_reports(values, &told, prediction))
		status = STATUS_FAILED;
	told_release(&told);
	judgements_release(&judgements);
	buf_release(&text);
	return status;
}

static int confirm(const struct confirm_values *values, const struct option_result *result, struct config *config)
{
	struct prediction prediction;
	struct confirm_request request = {.steps = values->steps, .time_limit = values->time_limit,
					  .stop = (enum confirm_stop)values->stop, .protects = !values->unprotected};
	struct confirm_outcome outcome;
	struct err err;
	int status = STATUS_FAILED;

	if (!predict(&prediction, values, result, config))
		goto out;
	request.command = command_words(values, result, &prediction.arena);
	request.findings = prediction.findings.items;
	request.finding_count = prediction.findings.count;
	if (!values->quiet && os_is_terminal(2))
		request.progress = show_progress;
	if (confirm_run(&request, &outcome, &err))
		status = report(values, &outcome, &prediction, in_words(result, &prediction.arena));
	else
		message_error("%s", err.message);
	confirm_outcome_release(&outcome);
out:
	prediction_release(&prediction);
	return status;
}

static int confirm_command_run(const struct command *command, int count, char *const *arguments)
{
	struct confirm_values values = {.steps = 48, .time_limit = 600};
	struct option_result result;
	struct config *config;
	struct err err;
	double fail_over;
	int status;

	if (!command_parse(command, count, arguments, &values, &result, &status))
		goto out;
	if (result.operand_count == 0) {
		err_set(&err, ERR_USAGE, "'confirm' takes a command: vramlint confirm -- train.py");
		status = command_usage_error(command, &err);
		goto out;
	}
	if (!size_from_text(values.fail_over, &fail_over)) {
		err_set(&err, ERR_USAGE, "option '--fail-over' takes a number of bytes, such as 4096, 64k or 1MiB, not '%s'",
			values.fail_over);
		status = command_usage_error(command, &err);
		goto out;
	}
	if (!reports_are_possible(&values, &result.arena, &err)) {
		status = command_usage_error(command, &err);
		goto out;
	}
	config = config_new(&(struct config_request){.options = values.settings, .configs = values.configs.items,
						     .config_count = values.configs.count, .isolated = values.isolated},
			    &err);
	status = config ? confirm(&values, &result, config) : command_usage_error(command, &err);
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
