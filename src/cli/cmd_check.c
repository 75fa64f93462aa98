#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "base/path.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/settings_text.h"
#include "cli/sink.h"
#include "cli/terminal.h"
#include "engine/config.h"
#include "engine/run.h"
#include "engine/walk.h"

struct check_values {
	struct setting_texts settings[SETTING_COUNT];
	struct setting_texts configs;
	int colour; /* enum colour_when */
	int threads;
	const char *format;
	const char *stdin_filename;
	bool exit_zero, quiet, timing, isolated, no_cache, explain, show_files, show_settings;
};

static const struct option_choice colour_choices[] = {
	{"auto", COLOUR_AUTO}, {"always", COLOUR_ALWAYS}, {"never", COLOUR_NEVER}, {NULL, 0},
};

#define VALUE(member) offsetof(struct check_values, member)

static const struct option_row check_options[] = {
#include "cli/setting_options.inc"
	{"output-format", 0, OPTION_TEXT, "FORMAT", "one of those below (default: full)", VALUE(format), NULL},
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

static void check_stdin(const struct task *task, struct sink *sink)
{
	const struct run_totals none = {0};
	struct buf text = BUF_INIT;
	struct err err;

	if (!os_read_stdin(SOURCE_LIMIT, &text, &err))
		sink_add_failure(sink, err.message);
	else if (task->is_left_out)
		sink_finish(sink, none, 0);
	else
		sink_finish(sink, run_text(task->settings, task->stdin_name, buf_get(&text), &sink->base), 0);
	buf_release(&text);
}

static void check_paths(const struct task *task, const struct check_values *values, struct sink *sink)
{
	const struct run_totals none = {0};
	const struct walk *walk = &task->walk;

	for (size_t i = 0; i < walk->problem_count; i++)
		sink_add_failure(sink, walk->problems[i].text);
	if (walk->file_count > 0)
		sink_finish(sink, run_files(walk->files, walk->file_count, values->threads, &sink->base),
			    walk->problem_count);
	else if (walk->excluded_count > 0)
		sink_finish(sink, none, walk->problem_count);
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

static int check(const struct check_values *values, const struct report_format *format, const struct task *task)
{
	struct report_options options = {terminal_wants_colour((enum colour_when)values->colour), terminal_columns(),
					 values->quiet};
	double started = os_seconds();
	struct sink sink;
	int status;

	sink_init(&sink, format, options);
	if (task->stdin_name)
		check_stdin(task, &sink);
	else
		check_paths(task, values, &sink);
	if (values->timing)
		print_timing(&sink.timing, linter_import_seconds(task->settings->linter), os_seconds() - started);
	if (sink_tell_failures(&sink))
		status = STATUS_FAILED;
	else
		status = sink.totals.failing > 0 && !values->exit_zero ? STATUS_FINDINGS : STATUS_CLEAN;
	sink_release(&sink);
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
	struct check_values values = {.colour = COLOUR_AUTO};
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
