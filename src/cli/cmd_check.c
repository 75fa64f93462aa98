#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "cli/ci.h"
#include "cli/links.h"
#include "cli/message.h"
#include "cli/only_new.h"
#include "cli/output.h"
#include "cli/outputs.h"
#include "cli/sink.h"
#include "cli/terminal.h"
#include "cli/watch.h"
#include "engine/lint.h"
#include "engine/run.h"
#include "engine/walk.h"
#include "report/changes.h"
#include "rule/rule.h"
#include "rule/select.h"

struct check_values {
	const char *select, *ignore;
	int min_confidence; /* enum proof */
	int min_severity, fail_on; /* enum severity */
	int colour;         /* enum colour_when */
	int threads;
	struct option_list formats;
	const char *output_file;
	const char *sarif_category;
	const char *rules, *models;
	const char *stdin_filename;
	bool exit_zero, quiet, verbose, timing, isolated, no_cache, force_exclude, explain, statistics, watch;
	const char *add_ignore; /* the reason, or NULL */
	int max_findings;       /* -1: no limit */
	struct only_new_options only_new;
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
	{"min-severity", 0, OPTION_CHOICE, "LEVEL", "leave out what is below hint, note, warning or error (default: hint)",
	 VALUE(min_severity), severity_choices},
	{"output-format", 0, OPTION_LIST, "FORMAT",
	 "one of those below (default: auto); FORMAT=FILE writes it to FILE; may be given several times",
	 VALUE(formats), NULL},
	{"output-file", 'o', OPTION_TEXT, "FILE", "write the report to FILE", VALUE(output_file), NULL},
	{"sarif-category", 0, OPTION_TEXT, "NAME", "tell this upload of SARIF from others of the same commit",
	 VALUE(sarif_category), NULL},
	{"statistics", 0, OPTION_FLAG, NULL,
	 "count per rule, in place of findings unless an --output-format shows them", VALUE(statistics), NULL},
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
	{"verbose", 'v', OPTION_FLAG, NULL, "say on standard error of each file what was done", VALUE(verbose), NULL},
	{"watch", 'w', OPTION_FLAG, NULL, "check again after each change, until Ctrl-C", VALUE(watch), NULL},
	{"color", 0, OPTION_CHOICE, "WHEN", "auto, always or never (default: auto)", VALUE(colour), colour_choices},
	{"stdin-filename", 0, OPTION_TEXT, "NAME", "what to call standard input, which the path '-' reads",
	 VALUE(stdin_filename), NULL},
	{"rules", 0, OPTION_TEXT, "DIR", "load more rules from DIR", VALUE(rules), NULL},
	{"models", 0, OPTION_TEXT, "DIR", "load more knowledge about libraries from DIR", VALUE(models), NULL},
	{"force-exclude", 0, OPTION_FLAG, NULL, "leave out what the configuration excludes even where it is named itself",
	 VALUE(force_exclude), NULL},
	{"isolated", 0, OPTION_FLAG, NULL, "read no configuration files", VALUE(isolated), NULL},
	{"no-cache", 0, OPTION_FLAG, NULL, "neither read nor write the cache", VALUE(no_cache), NULL},
	{"explain", 0, OPTION_FLAG, NULL, "print on standard error what the analysis saw in each file", VALUE(explain), NULL},
	{"timing", 0, OPTION_FLAG, NULL, "print on standard error where the time went", VALUE(timing), NULL},
	{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL},
};

static void add_formats(struct buf *out)
{
	buf_add_text(out, "\nFormats:\n");
	outputs_add_help(out);
	buf_add_text(out, "\nExit status: 0 no findings that fail a run, 1 findings, 2 something could not be checked.\n");
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
	if (values->watch && values->only_new.staged)
		return err_set(err, ERR_USAGE, "option '--watch' looks at files, not at what '--staged' takes from git");
	if (reads_stdin(result) && values->watch)
		return err_set(err, ERR_USAGE, "standard input, '-', cannot be watched");
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
	static const struct fix_policy safe = {false}, all = {true};

	if (!values->fix && !values->diff && !values->fix_only && !values->add_ignore)
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

static void check_stdin(const struct checker *checker, const struct check_values *values, struct only_new *only_new,
			struct sink *sink)
{
	struct buf text = BUF_INIT;
	const char *shown = values->stdin_filename ? values->stdin_filename : "<stdin>";
	struct err err;

	struct run_totals totals = {.files = 0};

	sink->to_stderr = fixes_wanted(values) && !values->diff;
	if (os_read_stdin(SOURCE_LIMIT, &text, &err))
		totals = run_text(checker->linter, shown, buf_get(&text), fixes_wanted(values), &only_new->limits,
				  only_new_sink(only_new, &sink->base));
	else
		sink_add_failure(sink, err.message);
	sink_finish(sink, totals, 0);
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
			size_t count, struct only_new *only_new, struct sink *sink, struct os_watch *watch)
{
	static const char *const here[] = {"."};
	struct run_totals totals = {0};
	struct walk walk;
	struct err err;
	bool is_empty;

	if (count == 0) {
		paths = here;
		count = 1;
	}
	walk_init(&walk, paths, count);
	while (watch && watch_follow(watch, &walk)) {
		walk_release(&walk);
		walk_init(&walk, paths, count);
	}
	for (size_t i = 0; i < walk.problem_count; i++)
		sink_add_failure(sink, walk.problems[i].text);
	is_empty = walk.file_count == 0;
	if (only_new->changed && !changed_select(only_new->changed, &walk, &err)) {
		sink_add_failure(sink, err.message);
	} else if (!is_empty) {
		totals = run_files(checker->linter, walk.files, walk.file_count, values->threads, fixes_wanted(values),
				   &only_new->limits, only_new_sink(only_new, &sink->base));
		/* files that were found may all turn out to be notebooks in other languages */
		is_empty = totals.files == 0;
		if (!is_empty)
			sink_write_fixes(sink);
	}
	if (is_empty && walk.problem_count == 0)
		no_file(sink, paths, count);
	sink_finish(sink, totals, walk.problem_count);
	walk_release(&walk);
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
	if (values->show_fixes)
		fputs(buf_text(&fixer->told), stderr);
	if (values->diff && !values->quiet)
		fprintf(stderr, "Would %s %zu finding%s in %zu file%s.\n", values->add_ignore ? "suppress" : "fix", fixer->fixed, fixer->fixed == 1 ? "" : "s",
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

/* WATCH: NULL where the paths are checked once. */
static int check(const struct check_values *values, const struct outputs *outputs, const struct option_result *result,
		 struct os_watch *watch)
{
	struct report_options options = {
		.colour = terminal_wants_colour((enum colour_when)values->colour),
		.columns = terminal_columns(),
		.quiet = values->quiet,
		.terminal = os_is_terminal(1),
		.fail_on = (enum severity)values->fail_on,
		.category = values->sarif_category,
	};
	struct report_host host;
	double started = os_seconds();
	struct only_new only_new;
	struct checker checker;
	struct sink sink;
	struct err err;
	int status;

	if (!checker_init(&checker, values, &err)) {
		message_error("%s", err.message);
		return STATUS_FAILED;
	}
	if (!only_new_init(&only_new, &values->only_new, &checker.rules, &checker.selection, &err)) {
		message_error("%s", err.message);
		only_new_release(&only_new);
		checker_release(&checker);
		return STATUS_FAILED;
	}
	only_new.limits.ignore_reason = values->add_ignore;
	if (terminal_wants_links())
		options.links = links_find(&checker.rules, &checker.arena);
	ci_host_get(&host, &checker.arena);
	options.rules = &checker.rules;
	options.selection = &checker.selection;
	options.host = &host;
	sink_init(&sink, outputs, options);
	sink.verbose = values->verbose;
	sink.min_severity = (enum severity)values->min_severity;
	sink.fixer.writes = !values->diff;
	sink.totals.fixed_by_comments = values->add_ignore != NULL;
	if (reads_stdin(result))
		check_stdin(&checker, values, &only_new, &sink);
	else
		check_paths(&checker, values, result->operands, result->operand_count, &only_new, &sink, watch);
	if (!only_new_finish(&only_new, &err))
		sink_add_failure(&sink, err.message);
	tell_fixes(values, &sink.fixer);
	if (values->timing)
		print_timing(&sink.timing, linter_import_seconds(checker.linter), os_seconds() - started);
	if (sink_tell_failures(&sink))
		status = STATUS_FAILED;
	else {
		tell_limit(values, &sink);
		status = status_of(values, &sink);
	}
	sink_release(&sink);
	only_new_release(&only_new);
	checker_release(&checker);
	return status;
}

struct watched_check {
	const struct check_values *values;
	const struct outputs *outputs;
	const struct option_result *result;
};

static int check_again(void *context, struct os_watch *watch)
{
	const struct watched_check *again = context;

	return check(again->values, again->outputs, again->result, watch);
}

static int check_watching(const struct check_values *values, const struct outputs *outputs,
			  const struct option_result *result)
{
	struct watched_check again = {values, outputs, result};

	return watch_run(check_again, &again, values->quiet);
}

static int check_run(const struct command *command, int count, char *const *arguments)
{
	struct check_values values = {.min_confidence = PROOF_USAGE, .min_severity = SEVERITY_HINT,
				      .fail_on = SEVERITY_NOTE, .max_findings = -1};
	struct outputs outputs = {NULL, 0};
	struct option_result result;
	struct err err;
	int status;

	if (!command_parse(command, count, arguments, &values, &result, &status))
		goto out;
	if (outputs_init(&outputs, &values.formats, values.output_file, values.statistics, &err) &&
	    operands_are_valid(&values, &result, &err)) {
		if (values.diff || values.fix_only)
			outputs_print(&outputs, values.diff ? &report_changes : &report_nothing);
		status = values.watch ? check_watching(&values, &outputs, &result) : check(&values, &outputs, &result, NULL);
	} else {
		status = command_usage_error(command, &err);
	}
out:
	outputs_release(&outputs);
	option_list_release(&values.formats);
	option_result_release(&result);
	return status;
}

const struct command command_check = {
	.name = "check",
	.operands = "[PATH]...",
	.summary = "find the leaks in Python files and folders",
	.details = "PATH is a file, a folder or '-' for standard input (default: the current folder). Folders are\n"
		   "searched for *.py, *.pyi and *.ipynb; what .gitignore names is left out.",
	.options = check_options,
	.add_help = add_formats,
	.run = check_run,
};
