#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "base/path.h"
#include "cli/message.h"
#include "cli/only_new.h"
#include "cli/output.h"
#include "cli/settings_text.h"
#include "cli/sink.h"
#include "cli/terminal.h"
#include "engine/config.h"
#include "engine/run.h"
#include "engine/walk.h"
#include "report/changes.h"

struct check_values {
	struct setting_texts settings[SETTING_COUNT];
	struct setting_texts configs;
	int colour; /* enum colour_when */
	int threads;
	const char *format;
	const char *stdin_filename;
	bool exit_zero, quiet, timing, isolated, no_cache, explain, show_files, show_settings;
	const char *add_ignore; /* the reason, or NULL */
	int max_findings;       /* -1: no limit */
	struct only_new_options only_new;
	bool fix, unsafe_fixes, diff, show_fixes, fix_only, exit_non_zero_on_fix;
};

static const struct option_choice colour_choices[] = {
	{"auto", COLOUR_AUTO}, {"always", COLOUR_ALWAYS}, {"never", COLOUR_NEVER}, {NULL, 0},
};

#define VALUE(member) offsetof(struct check_values, member)

static const struct option_row check_options[] = {
#include "cli/setting_options.inc"
	{"output-format", 0, OPTION_TEXT, "FORMAT", "one of those below (default: full)", VALUE(format), NULL},
	{"fix", 0, OPTION_FLAG, NULL, "make the fixes that are safe: what the code does stays the same", VALUE(fix), NULL},
	{"unsafe-fixes", 0, OPTION_FLAG, NULL, "with --fix or --diff: also the fixes after which it may do something else",
	 VALUE(unsafe_fixes), NULL},
	{"diff", 0, OPTION_FLAG, NULL, "print what --fix would change, change nothing; exit status 1 if anything would",
	 VALUE(diff), NULL},
	{"fix-only", 0, OPTION_FLAG, NULL, "make the fixes and do not report what remains", VALUE(fix_only), NULL},
	{"show-fixes", 0, OPTION_FLAG, NULL, "print on standard error what was fixed", VALUE(show_fixes), NULL},
	{"exit-non-zero-on-fix", 0, OPTION_FLAG, NULL, "exit status 1 where anything was fixed",
	 VALUE(exit_non_zero_on_fix), NULL},
	{"add-ignore", 0, OPTION_TEXT, "[=REASON]", "put comments that suppress them behind all findings", VALUE(add_ignore), NULL},
	{"add-noqa", 0, OPTION_TEXT, "[=REASON]", "the same as --add-ignore", VALUE(add_ignore), NULL},
	{"baseline", 0, OPTION_TEXT, "FILE", "leave out the findings that FILE lists", VALUE(only_new.baseline), NULL},
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
	{"color", 0, OPTION_CHOICE, "WHEN", "auto, always or never (default: auto)", VALUE(colour), colour_choices},
	{"stdin-filename", 0, OPTION_TEXT, "NAME", "what to call standard input, which the path '-' reads",
	 VALUE(stdin_filename), NULL},
	{"no-cache", 0, OPTION_FLAG, NULL, "neither read nor write the cache", VALUE(no_cache), NULL},
	{"show-files", 0, OPTION_FLAG, NULL, "list the files that would be checked, and check none", VALUE(show_files), NULL},
	{"show-settings", 0, OPTION_FLAG, NULL, "print the configuration that would count, and check nothing",
	 VALUE(show_settings), NULL},
	{"explain", 0, OPTION_FLAG, NULL, "print on standard error what the analysis saw in each file", VALUE(explain), NULL},
	{"timing", 0, OPTION_FLAG, NULL, "print on standard error where the time went", VALUE(timing), NULL},
	{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL},
};

static void add_formats(struct buf *out)
{
	buf_add_text(out, "\nFormats:\n");
	for (size_t i = 0; report_formats[i]; i++)
		buf_format(out, "  %-12s %s\n", report_formats[i]->name, report_formats[i]->summary);
	buf_add_text(out, "\nExit status: 0 no findings that fail a run, 1 findings, 2 something could not be checked.\n");
}

/* The format that the command line or, where it says nothing, SETTINGS name. */
static const struct report_format *format_find(const struct check_values *values, const struct settings *settings,
					       struct err *err)
{
	const char *wanted = settings->format_count ? settings->formats[0] : "full";
	const char *name = values->format ? values->format : wanted;
	const struct report_format *format = report_format_find(name);
	struct buf names = BUF_INIT;
	struct arena arena;

	if (format)
		return format;
	for (size_t i = 0; report_formats[i]; i++)
		buf_format(&names, "%s%s", i == 0 ? "" : report_formats[i + 1] ? ", " : " or ",
			   report_formats[i]->name);
	err_set(err, ERR_USAGE, "option '--output-format' takes %s, not '%s'", buf_text(&names), name);
	if (!values->format) {
		arena_init(&arena);
		err_set(err, ERR_CONFIG, "%s: 'output-format' takes %s, not '%s'",
			setting_place_text(&settings->layer->values[SETTING_OUTPUT_FORMAT].place, &arena), buf_text(&names),
			name);
		arena_release(&arena);
	}
	buf_release(&names);
	return NULL;
}

static bool reads_stdin(const struct option_result *result)
{
	return result->operand_count == 1 && strcmp(result->operands[0], "-") == 0;
}

static bool operands_are_valid(const struct check_values *values, const struct option_result *result, struct err *err)
{
	const char *changes = values->only_new.diff_base ? "--diff-base" : values->only_new.staged ? "--staged" : NULL;
	bool fixes = values->fix || values->diff || values->fix_only || values->add_ignore;

	if (!only_new_options_are_valid(&values->only_new, err))
		return false;
	if (changes && reads_stdin(result))
		return err_set(err, ERR_USAGE, "option '%s' takes files, not standard input", changes);
	/* lines move with the first fix, and what is staged is no file to be written */
	if (fixes && (changes || values->only_new.update_baseline))
		return err_set(err, ERR_USAGE, "option '%s' cannot be combined with one that changes files or shows changes",
			       changes ? changes : "--update-baseline");
	if (values->add_ignore && (values->fix || values->fix_only || values->unsafe_fixes))
		return err_set(err, ERR_USAGE, "option '--add-ignore' cannot be combined with '--fix'; fix first, then suppress what is left");
	for (const char *c = values->add_ignore; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return err_set(err, ERR_USAGE, "the reason of '--add-ignore' must be one line of plain text");
	if (reads_stdin(result))
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

static void no_file(struct sink *sink, const char *const *paths, size_t count)
{
	struct err err;

	if (count == 1)
		err_set(&err, ERR_READ, "no Python file in '%s'", paths[0]);
	else
		err_set(&err, ERR_READ, "no Python file in any of the %zu paths", count);
	sink_add_failure(sink, err.message);
}

/* What is to be checked: files, or standard input with its settings. */
struct task {
	const char *const *paths;
	size_t path_count;
	struct walk walk;
	const char *stdin_name;           /* as shown, or NULL */
	const struct settings *settings;  /* of the whole run */
	bool is_left_out;                 /* standard input is a file that the configuration leaves out */
};

static void task_init(struct task *task, const struct check_values *values, const struct option_result *result,
		      struct config *config)
{
	static const char *const here[] = {"."};
	struct arena arena;
	const char *path, *current;

	*task = (struct task){.paths = result->operands, .path_count = result->operand_count};
	arena_init(&task->walk.arena);
	if (!reads_stdin(result)) {
		if (task->path_count == 0) {
			task->paths = here;
			task->path_count = 1;
		}
		walk_init(&task->walk, config, task->paths, task->path_count);
		task->settings = config_for_run(config, task->paths, task->path_count);
		return;
	}
	task->stdin_name = values->stdin_filename ? values->stdin_filename : "<stdin>";
	arena_init(&arena);
	current = os_current_folder(&arena, NULL);
	path = current ? path_absolute(&arena, current, task->stdin_name) : NULL;
	task->settings = path ? config_for_file(config, path) : config_for_run(config, NULL, 0);
	task->is_left_out = path && values->stdin_filename && task->settings->force_exclude &&
			    settings_file_excluded_by(task->settings, path);
	arena_release(&arena);
}

/* The fixes to make, or NULL. */
static const struct fix_policy *fixes_wanted(const struct check_values *values, const struct settings *settings)
{
	static const struct fix_policy safe = {false, NULL}, all = {true, NULL};

	bool is_asked = values->fix || values->diff || values->fix_only || values->add_ignore;
	const struct only_new_options *known = &values->only_new;

	/* what a configuration wants yields to an option that it does not go with */
	if (!is_asked && (!settings->fix || known->diff_base || known->staged || known->update_baseline))
		return NULL;
	return values->unsafe_fixes ? &all : &safe;
}

/* Sends the document itself, fixed or as it is, to standard output, and the report to standard error. */
static void print_fixed(struct sink *sink, struct buf *text)
{
	struct buf *fixed = &sink->fixer.text;

	if (!sink->write_failed && !output_write(fixed->length > 0 ? fixed : text, &sink->write_error))
		sink->write_failed = true;
}

static void check_stdin(const struct task *task, const struct check_values *values, struct only_new *only_new,
			struct sink *sink)
{
	const struct fix_policy *fixes = fixes_wanted(values, task->settings);
	const struct run_totals none = {0};
	struct buf text = BUF_INIT;
	struct err err;

	sink->to_stderr = fixes && !values->diff;
	if (!os_read_stdin(SOURCE_LIMIT, &text, &err))
		sink_add_failure(sink, err.message);
	else if (task->is_left_out)
		sink_finish(sink, none, 0);
	else
		sink_finish(sink, run_text(task->settings, task->stdin_name, buf_get(&text), fixes, &only_new->limits,
					   only_new_sink(only_new, &sink->base)), 0);
	if (sink->to_stderr)
		print_fixed(sink, &text);
	buf_release(&text);
}

static void check_paths(struct task *task, const struct check_values *values, struct only_new *only_new, struct sink *sink)
{
	struct run_totals totals = {0};
	struct walk *walk = &task->walk;
	bool is_empty = walk->file_count + walk->excluded_count == 0;
	struct err err;

	for (size_t i = 0; i < walk->problem_count; i++)
		sink_add_failure(sink, walk->problems[i].text);
	if (only_new->changed && !changed_select(only_new->changed, walk, &err)) {
		sink_add_failure(sink, err.message);
		return;
	}
	if (walk->file_count > 0) {
		totals = run_files(walk->files, walk->file_count, values->threads, fixes_wanted(values, task->settings),
				   &only_new->limits, only_new_sink(only_new, &sink->base));
		sink_write_fixes(sink);
	}
	if (!is_empty)
		sink_finish(sink, totals, walk->problem_count);
	else if (walk->problem_count == 0)
		no_file(sink, task->paths, task->path_count);
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

static void print_timing(const struct lint_timing *timing, double imports, double total)
{
	fprintf(stderr,
		"timing: prefilter %.3f s, parse %.3f s, query %.3f s, lower %.3f s, imports %.3f s, interpret %.3f s, rules %.3f s "
		"(sums over threads); whole run %.3f s\n",
		timing->prefilter, timing->parse, timing->query, timing->lower, imports, timing->interpret - imports, timing->rules,
		total);
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

static int check(const struct check_values *values, const struct report_format *format, struct task *task)
{
	struct report_options options = {terminal_wants_colour((enum colour_when)values->colour), terminal_columns(),
					 values->quiet, os_is_terminal(1)};
	struct only_new_options known = values->only_new;
	double started = os_seconds();
	struct only_new only_new;
	struct sink sink;
	struct err err;
	int status;

	if (!known.baseline)
		known.baseline = task->settings->baseline;
	if (values->add_ignore && !*values->add_ignore && task->settings->require_reason) {
		message_error("comments need a reason here, as in '--add-ignore=REASON': 'require-reason' is on");
		return STATUS_FAILED;
	}
	if (!only_new_init(&only_new, &known, &err)) {
		message_error("%s", err.message);
		only_new_release(&only_new);
		return STATUS_FAILED;
	}
	only_new.limits.ignore_reason = values->add_ignore;
	sink_init(&sink, values->diff ? &report_changes : values->fix_only ? &report_nothing : format, options);
	sink.fixer.writes = !values->diff;
	sink.totals.fixed_by_comments = values->add_ignore != NULL;
	if (task->stdin_name)
		check_stdin(task, values, &only_new, &sink);
	else
		check_paths(task, values, &only_new, &sink);
	if (!only_new_finish(&only_new, &err))
		sink_add_failure(&sink, err.message);
	tell_fixes(values, &sink.fixer);
	if (values->timing)
		print_timing(&sink.timing, linter_import_seconds(task->settings->linter), os_seconds() - started);
	if (sink_tell_failures(&sink)) {
		status = STATUS_FAILED;
	} else {
		tell_limit(values, &sink);
		status = status_of(values, &sink);
	}
	sink_release(&sink);
	only_new_release(&only_new);
	return status;
}

/* With the configuration at hand: shows what was asked for, or checks. */
static int check_with(const struct command *command, const struct check_values *values,
		      const struct option_result *result, struct config *config)
{
	const struct report_format *format;
	struct task task;
	struct err err;
	int status = STATUS_FAILED;

	task_init(&task, values, result, config);
	if (tell_config(config, task.settings))
		goto out;
	format = format_find(values, task.settings, &err);
	if (!format && err.code == ERR_USAGE)
		status = command_usage_error(command, &err);
	else if (!format)
		message_error("%s", err.message);
	else if (values->show_settings)
		status = show_settings(task.settings);
	else if (values->show_files && !task.stdin_name)
		status = show_files(&task.walk);
	else
		status = check(values, format, &task);
out:
	walk_release(&task.walk);
	return status;
}

static int check_run(const struct command *command, int count, char *const *arguments)
{
	struct check_values values = {.colour = COLOUR_AUTO, .max_findings = -1};
	struct config *config = NULL;
	struct option_result result;
	struct err err;
	int status;

	if (!command_parse(command, count, arguments, &values, &result, &status))
		goto out;
	if (operands_are_valid(&values, &result, &err))
		config = config_new(&(struct config_request){values.settings, values.configs.items, values.configs.count,
							     values.isolated, values.explain},
				    &err);
	status = config ? check_with(command, &values, &result, config) : command_usage_error(command, &err);
	config_free(config);
out:
	option_result_release(&result);
	return status;
}

const struct command command_check = {
	.name = "check",
	.operands = "[PATH]...",
	.summary = "find the leaks in Python files and folders",
	.details = "PATH is a file, a folder or '-' for standard input (default: the current folder). Folders are\n"
		   "searched for *.py and *.pyi; what .gitignore names is left out. Lists have commas between.\n"
		   "The nearest vramlint.toml, or pyproject.toml with [tool.vramlint], says the rest; see\n"
		   "'vramlint config'. Any option can be said in the environment: VRAMLINT_MIN_CONFIDENCE=flow.",
	.options = check_options,
	.add_help = add_formats,
	.run = check_run,
};
