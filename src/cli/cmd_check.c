#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/sink.h"
#include "cli/terminal.h"
#include "engine/lint.h"
#include "engine/run.h"
#include "engine/walk.h"
#include "report/changes.h"
#include "rule/rule.h"
#include "rule/select.h"

struct check_values {
	const char *select, *ignore;
	int min_confidence; /* enum proof */
	int fail_on;        /* enum severity */
	int colour;         /* enum colour_when */
	int threads;
	const char *format;
	const char *rules, *models;
	const char *stdin_filename;
	bool exit_zero, quiet, timing, isolated, no_cache, explain;
	bool fix, unsafe_fixes, diff, show_fixes, fix_only, exit_non_zero_on_fix;
};

/* What a run needs before there are files. */
struct checker {
	struct rule_set rules;
	struct arena arena;
	struct selection selection;
	struct linter *linter;
};

static const struct option_choice confidence_choices[] = {
	{"flow", PROOF_FLOW}, {"usage", PROOF_USAGE}, {"sibling", PROOF_SIBLING}, {"name", PROOF_NAME}, {NULL, 0},
};

static const struct option_choice severity_choices[] = {
	{"hint", SEVERITY_HINT},   {"note", SEVERITY_NOTE}, {"warning", SEVERITY_WARNING},
	{"error", SEVERITY_ERROR}, {NULL, 0},
};

static const struct option_choice colour_choices[] = {
	{"auto", COLOUR_AUTO}, {"always", COLOUR_ALWAYS}, {"never", COLOUR_NEVER}, {NULL, 0},
};

#define VALUE(member) offsetof(struct check_values, member)

static const struct option_row check_options[] = {
	{"select", 0, OPTION_TEXT, "RULES", "report these only: codes, prefixes of codes, names or ALL, with commas",
	 VALUE(select), NULL},
	{"ignore", 0, OPTION_TEXT, "RULES", "leave these out; the more exact of --select and --ignore wins",
	 VALUE(ignore), NULL},
	{"min-confidence", 0, OPTION_CHOICE, "PROOF",
	 "what a finding must rest on: flow, usage, sibling or name (default: usage)", VALUE(min_confidence),
	 confidence_choices},
	{"output-format", 0, OPTION_TEXT, "FORMAT", "one of those below (default: full)", VALUE(format), NULL},
	{"fail-on", 0, OPTION_CHOICE, "LEVEL",
	 "least severity that makes the exit status 1: hint, note, warning or error (default: note)", VALUE(fail_on),
	 severity_choices},
	{"fix", 0, OPTION_FLAG, NULL, "make the fixes that are safe: what the code does stays the same", VALUE(fix), NULL},
	{"unsafe-fixes", 0, OPTION_FLAG, NULL, "with --fix or --diff: also the fixes after which it may do something else",
	 VALUE(unsafe_fixes), NULL},
	{"diff", 0, OPTION_FLAG, NULL, "print what --fix would change, change nothing; exit status 1 if anything would",
	 VALUE(diff), NULL},
	{"fix-only", 0, OPTION_FLAG, NULL, "make the fixes and do not report what remains", VALUE(fix_only), NULL},
	{"show-fixes", 0, OPTION_FLAG, NULL, "print on standard error what was fixed", VALUE(show_fixes), NULL},
	{"exit-non-zero-on-fix", 0, OPTION_FLAG, NULL, "exit status 1 where anything was fixed",
	 VALUE(exit_non_zero_on_fix), NULL},
	{"exit-zero", 0, OPTION_FLAG, NULL, "exit status 0 even where there are findings", VALUE(exit_zero), NULL},
	{NULL, 'j', OPTION_NUMBER, "N", "use N threads (default: 0, one a core)", VALUE(threads), NULL},
	{"quiet", 'q', OPTION_FLAG, NULL, "print findings and errors only", VALUE(quiet), NULL},
	{"color", 0, OPTION_CHOICE, "WHEN", "auto, always or never (default: auto)", VALUE(colour), colour_choices},
	{"stdin-filename", 0, OPTION_TEXT, "NAME", "what to call standard input, which the path '-' reads",
	 VALUE(stdin_filename), NULL},
	{"rules", 0, OPTION_TEXT, "DIR", "load more rules from DIR", VALUE(rules), NULL},
	{"models", 0, OPTION_TEXT, "DIR", "load more knowledge about libraries from DIR", VALUE(models), NULL},
	{"isolated", 0, OPTION_FLAG, NULL, "read no configuration files", VALUE(isolated), NULL},
	{"no-cache", 0, OPTION_FLAG, NULL, "neither read nor write the cache", VALUE(no_cache), NULL},
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

static const struct report_format *format_from_name(const char *name, struct err *err)
{
	const struct report_format *format = report_format_find(name);
	struct buf names = BUF_INIT;

	if (format)
		return format;
	for (size_t i = 0; report_formats[i]; i++)
		buf_format(&names, "%s%s", i == 0 ? "" : report_formats[i + 1] ? ", " : " or ",
			   report_formats[i]->name);
	err_set(err, ERR_USAGE, "option '--output-format' takes %s, not '%s'", buf_text(&names), name);
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

static void warn_of_selection(const struct rule_set *rules, const struct selection *selection, struct buf *warnings)
{
	size_t enabled = 0;
	char *line = warnings->bytes;
	char *end;

	for (; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		message_warning("%s", line);
	}
	for (size_t i = 0; i < rules->count; i++)
		enabled += selection->enabled[i];
	if (enabled == 0)
		message_warning("no rule is selected");
}

static bool checker_init(struct checker *checker, const struct check_values *values, struct err *err)
{
	struct buf warnings = BUF_INIT;

	arena_init(&checker->arena);
	if (!rule_set_init(&checker->rules, values->rules, err)) {
		arena_release(&checker->arena);
		return false;
	}
	selection_init(&checker->selection, &checker->rules, values->select, values->ignore,
		       (enum proof)values->min_confidence, &checker->arena, &warnings);
	warn_of_selection(&checker->rules, &checker->selection, &warnings);
	buf_release(&warnings);
	checker->linter = linter_new(&checker->rules, &checker->selection, values->models, err);
	if (checker->linter && values->explain)
		linter_explain(checker->linter);
	if (checker->linter)
		return true;
	rule_set_release(&checker->rules);
	arena_release(&checker->arena);
	return false;
}

static void checker_release(struct checker *checker)
{
	linter_free(checker->linter);
	rule_set_release(&checker->rules);
	arena_release(&checker->arena);
}

/* The fixes to make, or NULL. */
static const struct fix_policy *fixes_wanted(const struct check_values *values)
{
	static const struct fix_policy policies[2][2] = {{{false, true}, {false, false}}, {{true, true}, {true, false}}};

	if (!values->fix && !values->diff && !values->fix_only)
		return NULL;
	return &policies[values->unsafe_fixes][values->diff];
}

/* Sends the document itself, fixed or as it is, to standard output, and the report to standard error. */
static void print_fixed(struct sink *sink, struct buf *text)
{
	struct buf *fixed = &sink->fixer.text;

	if (!sink->write_failed && !output_write(fixed->length > 0 ? fixed : text, &sink->write_error))
		sink->write_failed = true;
}

static void check_stdin(const struct checker *checker, const struct check_values *values, struct sink *sink)
{
	struct buf text = BUF_INIT;
	const char *shown = values->stdin_filename ? values->stdin_filename : "<stdin>";
	struct err err;

	sink->to_stderr = fixes_wanted(values) && !values->diff;
	if (os_read_stdin(SOURCE_LIMIT, &text, &err))
		sink_finish(sink, run_text(checker->linter, shown, buf_get(&text), fixes_wanted(values), &sink->base), 0);
	else
		sink_add_failure(sink, err.message);
	if (sink->to_stderr)
		print_fixed(sink, &text);
	buf_release(&text);
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

static void check_paths(const struct checker *checker, const struct check_values *values, const char *const *paths,
			size_t count, struct sink *sink)
{
	static const char *const here[] = {"."};
	struct walk walk;

	if (count == 0) {
		paths = here;
		count = 1;
	}
	walk_init(&walk, paths, count);
	for (size_t i = 0; i < walk.problem_count; i++)
		sink_add_failure(sink, walk.problems[i].text);
	if (walk.file_count > 0) {
		struct run_totals totals = run_files(checker->linter, walk.files, walk.file_count, values->threads,
						     fixes_wanted(values), &sink->base);

		sink_write_fixes(sink);
		sink_finish(sink, totals, walk.problem_count);
	} else if (walk.problem_count == 0)
		no_file(sink, paths, count);
	walk_release(&walk);
}

static void print_timing(const struct lint_timing *timing, double total)
{
	fprintf(stderr,
		"timing: prefilter %.3f s, parse %.3f s, query %.3f s, lower %.3f s, interpret %.3f s, rules %.3f s "
		"(sums over threads); whole run %.3f s\n",
		timing->prefilter, timing->parse, timing->query, timing->lower, timing->interpret, timing->rules, total);
}

static void tell_fixes(const struct check_values *values, const struct fixer *fixer)
{
	if (values->show_fixes)
		fputs(buf_text(&fixer->told), stderr);
	if (values->diff && !values->quiet && fixer->fixed == 0)
		fputs("Would fix nothing.\n", stderr);
	else if (values->diff && !values->quiet)
		fprintf(stderr, "Would fix %zu finding%s in %zu file%s.\n", fixer->fixed, fixer->fixed == 1 ? "" : "s",
			fixer->files, fixer->files == 1 ? "" : "s");
}

static int status_of(const struct check_values *values, const struct sink *sink)
{
	bool found = sink->totals.failing > 0;

	if (values->diff)
		found = sink->fixer.fixed > 0;
	else if (values->fix_only)
		found = false;
	found |= values->exit_non_zero_on_fix && sink->fixer.fixed > 0;
	return found && !values->exit_zero ? STATUS_FINDINGS : STATUS_CLEAN;
}

static int check(const struct check_values *values, const struct report_format *format,
		 const struct option_result *result)
{
	struct report_options options = {terminal_wants_colour((enum colour_when)values->colour), terminal_columns(),
					 values->quiet, os_is_terminal(1)};
	double started = os_seconds();
	struct checker checker;
	struct sink sink;
	struct err err;
	int status;

	if (!checker_init(&checker, values, &err)) {
		message_error("%s", err.message);
		return STATUS_FAILED;
	}
	sink_init(&sink, values->diff ? &report_changes : values->fix_only ? &report_nothing : format, options,
		  (enum severity)values->fail_on);
	sink.fixer.writes = !values->diff;
	if (reads_stdin(result))
		check_stdin(&checker, values, &sink);
	else
		check_paths(&checker, values, result->operands, result->operand_count, &sink);
	tell_fixes(values, &sink.fixer);
	if (values->timing)
		print_timing(&sink.timing, os_seconds() - started);
	if (sink_tell_failures(&sink))
		status = STATUS_FAILED;
	else
		status = status_of(values, &sink);
	sink_release(&sink);
	checker_release(&checker);
	return status;
}

static int check_run(const struct command *command, int count, char *const *arguments)
{
	struct check_values values = {.min_confidence = PROOF_USAGE, .fail_on = SEVERITY_NOTE, .format = "full"};
	const struct report_format *format;
	struct option_result result;
	struct err err;
	int status;

	if (!command_parse(command, count, arguments, &values, &result, &status))
		goto out;
	format = format_from_name(values.format, &err);
	if (format && operands_are_valid(&values, &result, &err))
		status = check(&values, format, &result);
	else
		status = command_usage_error(command, &err);
out:
	option_result_release(&result);
	return status;
}

const struct command command_check = {
	.name = "check",
	.operands = "[PATH]...",
	.summary = "find the leaks in Python files and folders",
	.details = "PATH is a file, a folder or '-' for standard input (default: the current folder). Folders are\n"
		   "searched for *.py and *.pyi; what .gitignore names is left out.",
	.options = check_options,
	.add_help = add_formats,
	.run = check_run,
};
