#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "cli/check.h"
#include "cli/ci.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/outputs.h"
#include "cli/settings_text.h"
#include "cli/terminal.h"
#include "cli/timing.h"
#include "cli/watch.h"
#include "engine/lint.h"
#include "report/changes.h"
#include "report/links.h"

static const struct option_choice colour_choices[] = {
	{"auto", COLOUR_AUTO}, {"always", COLOUR_ALWAYS}, {"never", COLOUR_NEVER}, {NULL, 0},
};

#define VALUE(member) offsetof(struct check_values, member)

static const struct option_row check_options[] = {
#include "cli/setting_options.inc"
	{"output-format", 0, OPTION_SETTING, "FORMAT",
	 "one of those below (default: auto); FORMAT=FILE writes it to FILE; may be given several times",
	 VALUE(settings[SETTING_OUTPUT_FORMAT]), NULL},
	{"output-file", 'o', OPTION_TEXT, "FILE", "write the report to FILE", VALUE(output_file), NULL},
	{"sarif-category", 0, OPTION_TEXT, "NAME", "tell this upload of SARIF from others of the same commit",
	 VALUE(sarif_category), NULL},
	{"show-suppressed", 0, OPTION_FLAG, NULL, "have in SARIF what is suppressed as well, marked as such",
	 VALUE(show_suppressed), NULL},
	{"statistics", 0, OPTION_FLAG, NULL,
	 "count per rule, in place of findings unless an --output-format shows them", VALUE(statistics), NULL},
	{"diff", 0, OPTION_FLAG, NULL, "print what --fix would change, change nothing; exit status 1 if anything would",
	 VALUE(diff), NULL},
	{"fix-only", 0, OPTION_FLAG, NULL, "make the fixes and do not report what remains", VALUE(fix_only), NULL},
	{"show-fixes", 0, OPTION_FLAG, NULL, "print on standard error what was fixed", VALUE(show_fixes), NULL},
	{"exit-non-zero-on-fix", 0, OPTION_FLAG, NULL, "exit status 1 where anything was fixed",
	 VALUE(exit_non_zero_on_fix), NULL},
	{"add-ignore", 0, OPTION_TEXT, "[=REASON]", "put comments that suppress them behind all findings", VALUE(add_ignore), NULL},
	{"add-noqa", 0, OPTION_TEXT, "[=REASON]", "the same as --add-ignore", VALUE(add_ignore), NULL},
	{"update-baseline", 0, OPTION_FLAG, NULL, "make FILE list all findings that there are now",
	 VALUE(only_new.update_baseline), NULL},
	{"prune-baseline", 0, OPTION_FLAG, NULL, "take out of FILE what is not found any more",
	 VALUE(only_new.prune_baseline), NULL},
	{"diff-base", 0, OPTION_TEXT, "COMMIT", "report only what lines changed since HEAD left COMMIT are part of",
	 VALUE(only_new.diff_base), NULL},
	{"staged", 0, OPTION_FLAG, NULL, "check what is staged in git, and report only what its changes are part of",
	 VALUE(only_new.staged), NULL},
	{"max-findings", 0, OPTION_COUNT, "N", "exit status 0 as long as there are no more than N", VALUE(max_findings), NULL},
	{"exit-zero", 0, OPTION_FLAG, NULL, "exit status 0 even where there are findings", VALUE(exit_zero), NULL},
	{NULL, 'j', OPTION_NUMBER, "N", "use N threads (default: 0, one a core)", VALUE(threads), NULL},
	{"quiet", 'q', OPTION_FLAG, NULL, "print findings and errors only", VALUE(quiet), NULL},
	{"silent", 's', OPTION_FLAG, NULL, "print errors only; the exit status says whether there are findings", VALUE(silent), NULL},
	{"verbose", 'v', OPTION_FLAG, NULL, "say on standard error of each file what was done", VALUE(verbose), NULL},
	{"watch", 'w', OPTION_FLAG, NULL, "check again after each change, until Ctrl-C", VALUE(watch), NULL},
	{"color", 0, OPTION_CHOICE, "WHEN", "auto, always or never (default: auto)", VALUE(colour), colour_choices},
	{"stdin-filename", 0, OPTION_TEXT, "NAME", "what to call standard input, which the path '-' reads",
	 VALUE(stdin_filename), NULL},
	{"no-cache", 0, OPTION_FLAG, NULL, "has no effect: nothing is cached", VALUE(no_cache), NULL},
	{"show-files", 0, OPTION_FLAG, NULL, "list the files that would be checked, and check none", VALUE(show_files), NULL},
	{"show-settings", 0, OPTION_FLAG, NULL, "print the configuration that would count, and check nothing",
	 VALUE(show_settings), NULL},
	{"explain", 0, OPTION_FLAG, NULL, "print on standard error what the analysis saw in each file", VALUE(explain), NULL},
	{"timing", 0, OPTION_FLAG, NULL, "print on standard error where the time went, by rule and by part", VALUE(timing), NULL},
	{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL},
};

static void add_formats(struct buf *out)
{
	buf_add_text(out, "\nFormats:\n");
	outputs_add_help(out);
	buf_add_text(out, "\nExit status: 0 no findings that fail a run, 1 findings, 2 something could not be checked.\n");
}

/* Whether the command line turns ID on. */
static bool is_on(const struct check_values *values, enum setting_id id)
{
	const struct setting_texts *texts = &values->settings[id];

	return texts->count > 0 && strcmp(texts->items[texts->count - 1], "true") == 0;
}

static bool operands_are_valid(const struct check_values *values, const struct option_result *result, struct err *err)
{
	const char *changes = values->only_new.diff_base ? "--diff-base" : values->only_new.staged ? "--staged" : NULL;
	bool fixes = is_on(values, SETTING_FIX) || values->diff || values->fix_only || values->add_ignore;

	if (!only_new_options_are_valid(&values->only_new, err))
		return false;
	if (changes && check_reads_stdin(result))
		return err_set(err, ERR_USAGE, "option '%s' takes files, not standard input", changes);
	/* lines move with the first fix, and what is staged is no file to be written */
	if (fixes && (changes || values->only_new.update_baseline))
		return err_set(err, ERR_USAGE, "option '%s' cannot be combined with one that changes files or shows changes",
			       changes ? changes : "--update-baseline");
	if (values->add_ignore && (is_on(values, SETTING_FIX) || values->fix_only || is_on(values, SETTING_UNSAFE_FIXES)))
		return err_set(err, ERR_USAGE, "option '--add-ignore' cannot be combined with '--fix'; fix first, then suppress what is left");
	for (const char *c = values->add_ignore; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return err_set(err, ERR_USAGE, "the reason of '--add-ignore' must be one line of plain text");
	if (values->watch && values->only_new.staged)
		return err_set(err, ERR_USAGE, "option '--watch' looks at files, not at what '--staged' takes from git");
	if (check_reads_stdin(result) && values->watch)
		return err_set(err, ERR_USAGE, "standard input, '-', cannot be watched");
	if (values->stdin_filename && !*values->stdin_filename)
		return err_set(err, ERR_USAGE, "option '--stdin-filename' names no file");
	if (check_reads_stdin(result))
		return true;
	for (size_t i = 0; i < result->operand_count; i++) {
		if (strcmp(result->operands[i], "-") == 0)
			return err_set(err, ERR_USAGE, "standard input, '-', cannot be checked together with paths");
		if (result->operands[i][0] == '\0')
			return err_set(err, ERR_USAGE, "a path is empty");
	}
	if (values->stdin_filename)
		return err_set(err, ERR_USAGE, "option '--stdin-filename' needs the path '-'");
	return true;
}

/* Says what is wrong with the configuration; returns whether nothing can be checked with it. */
static bool tell_config(const struct config *config, const struct settings *settings)
{
	bool is_useless = settings_tell_faults(config);
	size_t enabled = 0;

	for (size_t i = 0; i < settings->rules->count; i++)
		enabled += settings->selection.enabled[i];
	if (enabled == 0 && !is_useless)
		message_warning("no rule is selected");
	return is_useless;
}

static int show_files(const struct walk *walk)
{
	struct buf out = BUF_INIT;
	int status;

	for (size_t i = 0; i < walk->file_count; i++)
		buf_format(&out, "%s\n", walk->files[i].shown);
	for (size_t i = 0; i < walk->problem_count; i++)
		message_error("%s", walk->problems[i].text);
	status = output_finish(&out);
	buf_release(&out);
	return walk->problem_count ? STATUS_FAILED : status;
}

static int show_settings(const struct settings *settings)
{
	struct buf out = BUF_INIT;
	int status;

	settings_text_add(&out, settings);
	status = output_finish(&out);
	buf_release(&out);
	return status;
}

static void tell_fixes(const struct check_values *values, const struct fixer *fixer)
{
	const char *verb = values->add_ignore ? "suppress" : "fix";

	if (values->show_fixes)
		fputs(buf_text(&fixer->told), stderr);
	if (values->diff && !values->quiet && fixer->fixed == 0)
		fprintf(stderr, "Would %s nothing.\n", verb);
	else if (values->diff && !values->quiet)
		fprintf(stderr, "Would %s %zu finding%s in %zu file%s.\n", verb, fixer->fixed, fixer->fixed == 1 ? "" : "s",
			fixer->files, fixer->files == 1 ? "" : "s");
}

/* How many findings there are beside how many there may be. */
static void tell_limit(const struct check_values *values, const struct sink *sink)
{
	size_t limit = values->max_findings < 0 ? 0 : (size_t)values->max_findings, failing = sink->totals.failing;

	if (values->max_findings < 0 || values->diff || values->fix_only)
		return;
	if (failing > limit)
		message_note("%zu findings are more than the %zu that '--max-findings' allows", failing, limit);
	else if (failing < limit && !values->quiet)
		message_note("'--max-findings' can go down to %zu", failing);
}

static int status_of(const struct check_values *values, const struct sink *sink)
{
	bool found = sink->totals.failing > (size_t)(values->max_findings < 0 ? 0 : values->max_findings);

	if (values->diff)
		found = sink->fixer.fixed > 0;
	else if (values->fix_only)
		found = false;
	found |= values->exit_non_zero_on_fix && sink->fixer.fixed > 0;
	return found && !values->exit_zero ? STATUS_FINDINGS : STATUS_CLEAN;
}

/* What all reports may know; what is found lies in ARENA. */
static struct report_options report_options_of(const struct check_values *values, const struct check_task *task,
					       struct arena *arena)
{
	const struct rule_set *rules = task->settings->rules;
	struct selection *selection = ARENA_NEW(arena, struct selection);
	struct report_host *host = ARENA_NEW(arena, struct report_host);

	*selection = check_task_selection(task, arena);
	ci_host_get(host, arena);
	return (struct report_options){
		.colour = terminal_wants_colour((enum colour_when)values->colour),
		.columns = terminal_columns(),
		.quiet = values->quiet,
		.terminal = os_is_terminal(1),
		.category = values->sarif_category,
		.links = terminal_wants_links() ? links_find(rules, arena) : NULL,
		.rules = rules,
		.selection = selection,
		.host = host,
		.has_baseline = task->settings->baseline != NULL,
		.shows_suppressed = values->show_suppressed,
	};
}

/* Checks, with all that stands beside it ready. */
static int check_all(const struct check_values *values, struct check_task *task, struct only_new *only_new,
		     struct sink *sink)
{
	double started = os_seconds();
	struct err err;

	only_new->limits.ignore_reason = values->add_ignore;
	sink->verbose = values->verbose;
	sink->fixer.writes = !values->diff;
	sink->totals.fixed_by_comments = values->add_ignore != NULL;
	check_task_run(task, values, only_new, sink);
	if (!only_new_finish(only_new, &err))
		sink_add_failure(sink, err.message);
	tell_fixes(values, &sink->fixer);
	if (values->timing)
		timing_print(&sink->timing, task->settings, os_seconds() - started);
	if (sink_tell_failures(sink))
		return STATUS_FAILED;
	tell_limit(values, sink);
	return status_of(values, sink);
}

static int check(const struct check_values *values, struct outputs *outputs, struct check_task *task)
{
	struct only_new_options known = values->only_new;
	struct only_new only_new;
	struct arena arena;
	struct sink sink;
	struct err err;
	int status = STATUS_FAILED;

	if (values->add_ignore && !*values->add_ignore && task->settings->require_reason) {
		message_error("comments need a reason here, as in '--add-ignore=REASON': 'require-reason' is on");
		return STATUS_FAILED;
	}
	known.baseline = task->settings->baseline;
	known.quiet = values->quiet;
	if (values->diff || values->fix_only || values->silent)
		outputs_print(outputs, values->diff && !values->silent ? &report_changes : &report_summary_only);
	arena_init(&arena);
	if (only_new_init(&only_new, &known, &err)) {
		sink_init(&sink, outputs, report_options_of(values, task, &arena));
		status = check_all(values, task, &only_new, &sink);
		sink_release(&sink);
	} else {
		message_error("%s", err.message);
	}
	only_new_release(&only_new);
	arena_release(&arena);
	return status;
}

/* With the configuration at hand: shows what was asked for, or checks. */
static int check_with(const struct command *command, const struct check_values *values,
		      const struct option_result *result, struct config *config, struct os_watch *watch)
{
	struct outputs outputs = {NULL, 0};
	struct check_task task;
	struct err err;
	int status = STATUS_FAILED;

	check_task_init(&task, values, result, config, watch);
	if (tell_config(config, task.settings))
		goto out;
	if (values->show_settings)
		status = show_settings(task.settings);
	else if (values->show_files && !task.stdin_name)
		status = show_files(&task.walk);
	else if (outputs_init(&outputs, &task.settings->layer->values[SETTING_OUTPUT_FORMAT], values->output_file,
			      values->statistics, &err) &&
		 outputs_spare_code(&outputs, &task.walk, &err))
		status = check(values, &outputs, &task);
	else if (err.code == ERR_USAGE)
		status = command_usage_error(command, &err);
	else
		message_error("%s", err.message);
out:
	outputs_release(&outputs);
	check_task_release(&task);
	return status;
}

/* One check of what may be checked again and again. */
struct checking {
	const struct command *command;
	const struct check_values *values;
	const struct option_result *result;
};

/* Reads the configuration and checks. WATCH: NULL where the paths are checked once. */
static int check_once(void *context, struct os_watch *watch)
{
	const struct checking *checking = context;
	const struct check_values *values = checking->values;
	struct config *config;
	struct err err;
	int status;

	config = config_new(&(struct config_request){.options = values->settings, .configs = values->configs.items,
						     .config_count = values->configs.count, .isolated = values->isolated,
						     .explains = values->explain, .times_rules = values->timing},
			    &err);
	status = config ? check_with(checking->command, values, checking->result, config, watch)
			: command_usage_error(checking->command, &err);
	config_free(config);
	return status;
}

static int check_run(const struct command *command, int count, char *const *arguments)
{
	struct check_values values = {.colour = COLOUR_AUTO, .max_findings = -1};
	struct option_result result;
	struct checking checking = {command, &values, &result};
	struct err err;
	int status;

	if (command_parse(command, count, arguments, &values, &result, &status)) {
		values.quiet |= values.silent;
		if (!operands_are_valid(&values, &result, &err))
			status = command_usage_error(command, &err);
		else if (values.watch)
			status = watch_run(check_once, &checking, values.quiet);
		else
			status = check_once(&checking, NULL);
	}
	option_result_release(&result);
	return status;
}

const struct command command_check = {
	.name = "check",
	.operands = "[PATH]...",
	.summary = "find the leaks in Python files and folders",
	.details = "PATH is a file, a folder or '-' for standard input (default: the current folder). Folders are\n"
		   "searched for *.py, *.pyi and *.ipynb; what .gitignore names is left out. Lists have commas between.\n"
		   "The nearest vramlint.toml, or pyproject.toml with [tool.vramlint], says the rest; see\n"
		   "'vramlint config'. Any option can be said in the environment: VRAMLINT_MIN_CONFIDENCE=flow.",
	.options = check_options,
	.add_help = add_formats,
	.run = check_run,
};
