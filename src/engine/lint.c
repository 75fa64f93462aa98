#include "engine/lint.h"

#include <stdlib.h>
#include <string.h>
#include "base/os.h"
#include "base/vec.h"
#include "engine/baseline.h"
#include "engine/changed.h"
#include "engine/ignore.h"
#include "engine/prefilter.h"
#include "engine/project.h"
#include "engine/suppress.h"
#include "engine/syntax.h"
#include "flow/analysis.h"
#include "flow/explain.h"
#include "flow/judge.h"
#include "py/parse.h"
#include "py/query.h"
#include "rule/fingerprint.h"
#include "rule/match.h"
#include "text/notebook.h"

struct linter {
	const struct rule_set *rules;
	struct model model;
	struct py_grammar grammar;
	struct query_set *queries;
	struct project *project;
	bool explains;
	struct os_mutex *mutex;      /* guards what is below */
	struct rule_work *rule_work; /* by rule index; NULL: it is not taken */
};

struct lint_memory {
	struct py_memory parsed;
	struct query_memory matches;
	uint64_t matches_of; /* version of the tree that they are of */
	struct lower_memory lowered;
};

struct lint_worker {
	struct lint_limits limits;
	struct lint_memory *memory; /* or NULL */
	bool hurries;
	bool (*stale)(void *context); /* or NULL */
	void *stale_context;
	bool is_stale; /* it has said so for the document at hand */
	struct py_parser parser;
	TSQueryCursor *cursor;
	struct arena arena; /* facts of the file at hand */
	struct query_match_list candidates;
	struct lint_timing timing;
};

static bool compile_queries(struct linter *linter, struct err *err)
{
	size_t count = linter->rules->count;
	struct query_source *sources = mem_new(count + 1, sizeof *sources);
	for (size_t i = 0; i < count; i++)
		sources[i] = (struct query_source){linter->rules->rules[i]->origin, str_from(linter->rules->rules[i]->query)};
	linter->queries = query_set_new(linter->grammar.language, sources, count, err);
	free(sources);
	for (size_t i = 0; linter->queries && i < count; i++) {
		const struct rule *rule = linter->rules->rules[i];
		if (!query_set_has_capture(linter->queries, (uint32_t)i, str_from(rule->at)))
			return err_set(err, ERR_CONFIG, "cannot use '%s': its query captures nothing as '@%s'", rule->origin, rule->at);
		for (size_t k = 0; k < rule->variant_count; k++) {
			const char *capture = rule->variants[k].fix.capture;
			if (capture && !query_set_has_capture(linter->queries, (uint32_t)i, str_from(capture)))
				return err_set(err, ERR_CONFIG, "cannot use '%s': its fix wants '@%s', which its query does not capture",
					       rule->origin, capture);
		}
	}
	return linter->queries != NULL;
}

struct linter *linter_new(const struct rule_set *rules, const struct model_extra *knowledge, struct err *err)
{
	struct linter *linter = mem_new(1, sizeof *linter);
	linter->rules = rules;
	linter->mutex = os_mutex_new();
	if (!model_init(&linter->model, knowledge, err)) {
		os_mutex_free(linter->mutex);
		free(linter);
		return NULL;
	}
	py_grammar_init(&linter->grammar);
	linter->project = project_new(&linter->grammar, &linter->model);
	if (!compile_queries(linter, err)) {
		linter_free(linter);
		return NULL;
	}
	return linter;
}

void linter_free(struct linter *linter)
{
	if (!linter)
		return;
	query_set_free(linter->queries);
	project_free(linter->project);
	py_grammar_release(&linter->grammar);
	model_release(&linter->model);
	os_mutex_free(linter->mutex);
	free(linter->rule_work);
	free(linter);
}

void linter_explain(struct linter *linter)
{
	linter->explains = true;
}

void linter_overlay(struct linter *linter, const struct overlay *overlay)
{
	project_overlay(linter->project, overlay);
}

bool linter_forget(struct linter *linter, const char *path)
{
	return project_forget(linter->project, path);
}

bool linter_refresh(struct linter *linter)
{
	return project_refresh(linter->project);
}

void linter_rest(struct linter *linter, size_t kept)
{
	project_rest(linter->project, kept);
}

void linter_time_rules(struct linter *linter)
{
	linter->rule_work = mem_new(linter->rules->count + 1, sizeof *linter->rule_work);
}

struct rule_work linter_rule_work(const struct linter *linter, const struct rule *rule)
{
	return linter->rule_work ? linter->rule_work[rule->index] : (struct rule_work){0, 0};
}

static void count_work(const struct linter *linter, const double *seconds, const struct query_match_list *candidates)
{
	os_mutex_lock(linter->mutex);
	for (size_t i = 0; i < linter->rules->count; i++)
		linter->rule_work[i].seconds += seconds[i];
	for (size_t i = 0; i < candidates->count; i++)
		linter->rule_work[candidates->items[i].source].candidates++;
	os_mutex_unlock(linter->mutex);
}

double linter_import_seconds(const struct linter *linter)
{
	return project_seconds(linter->project);
}

/* Matches open at a time. Those of nodes around the one at hand are open, each costs time at every node, and only code
 * that a machine wrote nests deeper; there the outermost lose captures that come late in their node. */
enum { OPEN_MATCHES = 512 };
/* How deep matches may begin; tree-sitter itself counts wrong beyond 65535. */
enum { QUERY_DEPTH = 20000 };

/* Whether nobody wants the result at hand any more. */
static bool is_stale(void *context)
{
	struct lint_worker *worker = context;
	if (!worker->is_stale && worker->stale)
		worker->is_stale = worker->stale(worker->stale_context);
	return worker->is_stale;
}

struct lint_worker *lint_worker_new(void)
{
	struct lint_worker *worker = mem_new(1, sizeof *worker);
	py_parser_init(&worker->parser);
	worker->parser.stop = is_stale;
	worker->parser.stop_context = worker;
	worker->cursor = ts_query_cursor_new();
	ts_query_cursor_set_match_limit(worker->cursor, OPEN_MATCHES);
	ts_query_cursor_set_max_start_depth(worker->cursor, QUERY_DEPTH);
	arena_init(&worker->arena);
	return worker;
}

void lint_worker_free(struct lint_worker *worker)
{
	if (!worker)
		return;
	py_parser_release(&worker->parser);
	ts_query_cursor_delete(worker->cursor);
	arena_release(&worker->arena);
	VEC_RELEASE(&worker->candidates);
	free(worker);
}

void lint_worker_rest(struct lint_worker *worker)
{
	arena_release(&worker->arena);
	VEC_RELEASE(&worker->candidates);
	os_trim_memory();
}

void lint_worker_limit(struct lint_worker *worker, const struct lint_limits *limits)
{
	worker->limits = limits ? *limits : (struct lint_limits){NULL, NULL, NULL};
}

struct lint_memory *lint_memory_new(void)
{
	return mem_new(1, sizeof(struct lint_memory));
}

void lint_memory_forget(struct lint_memory *memory)
{
	py_memory_release(&memory->parsed);
	query_memory_release(&memory->matches);
	lower_memory_release(&memory->lowered);
}

void lint_memory_free(struct lint_memory *memory)
{
	if (!memory)
		return;
	lint_memory_forget(memory);
	free(memory);
}

void lint_worker_hurry(struct lint_worker *worker, bool hurries)
{
	worker->hurries = hurries;
}

void lint_worker_remember(struct lint_worker *worker, struct lint_memory *memory)
{
	worker->memory = memory;
}

void lint_worker_stop_when(struct lint_worker *worker, bool (*stale)(void *context), void *context)
{
	worker->stale = stale;
	worker->stale_context = context;
}

struct lint_timing lint_worker_timing(const struct lint_worker *worker)
{
	return worker->timing;
}

static double lap(double *since)
{
	double now = os_seconds(), spent = now - *since;
	*since = now;
	return spent;
}

/* ---- problems ---- */

static void add_problem(struct lint_result *result, const struct source *source, struct span span, const char *text)
{
	if (!result->problems)
		result->problems = ARENA_ARRAY(&result->arena, struct lint_problem, LINT_PROBLEMS);
	if (result->problem_count == LINT_PROBLEMS)
		return;
	struct lint_problem *problem = &result->problems[result->problem_count++];
	problem->text = text;
	if (span.end)
		problem->at = excerpt_at(source, span, &result->arena);
}

/* Says that what begins at SPAN does not parse, and WHAT became of it. */
static void add_fault(struct lint_result *result, const struct source *source, struct span span, const char *what)
{
	/* an error may span the rest of the file; its first line says where it begins */
	uint32_t line_end = span.start;
	while (line_end < span.end && source->text[line_end] != '\n' && source->text[line_end] != '\r')
		line_end++;
	if (line_end == span.start)
		line_end = span.start < source->length ? span.start + 1 : span.start;
	span.end = line_end ? line_end : 1;
	add_problem(result, source, span, what);
}

/* False where the tree, from which the parser left out what its REPAIR says, is of no use. */
static bool report_syntax(struct lint_result *result, const struct source *source, TSNode root, const struct repair *repair)
{
	struct span span;
	bool hopeless;
	if (!syntax_fault(root, repair, &span, &hopeless))
		return true;
	if (hopeless) {
		result->failure = arena_format(&result->arena, "cannot parse what begins in line %u", source_line(source, span.start));
		return false;
	}
	if (!source->origins)
		add_fault(result, source, span, "cannot parse this; the rest of the file was checked as far as it makes sense without it");
	return true;
}

/* The tree of a notebook in place of TREE, its first one: what does not parse in one cell leaves the others alone. NULL with
 * a failure in RESULT where there is none. */
static TSTree *separate_cells(struct lint_worker *worker, const struct source *source, TSTree *tree,
			      struct lint_result *result)
{
	const char *what = "cannot parse this; the rest of the cell was checked as far as it makes sense without it";
	struct syntax_faults faults;
	struct buf text = BUF_INIT;
	struct err err;
	syntax_cells(source, ts_tree_root_node(tree), &worker->parser.repair, &faults);
	if (faults.cross) {
		what = "cannot parse this; the cell was left out, the others were checked";
		syntax_faults_release(&faults);
		syntax_sound_cells(source, &worker->parser, &text, &faults);
		ts_tree_delete(tree);
		tree = py_parse(&worker->parser, buf_get(&text), NULL, &err);
		if (!tree)
			result->failure = arena_dup(&result->arena, err.message);
	}
	for (size_t i = 0; i < faults.places.count; i++)
		add_fault(result, source, faults.places.items[i], what);
	syntax_faults_release(&faults);
	buf_release(&text);
	return tree;
}

/* ---- one file ---- */

static bool *wanted_defs(struct lint_worker *worker, const struct lower *lower)
{
	bool *wanted = ARENA_ARRAY(&worker->arena, bool, lower->def_count + 1u);
	const struct query_match_list *list = &worker->candidates;
	/* candidates and definitions are both in order of place: for each definition look from the first one inside */
	for (uint32_t i = 0; i < lower->def_count; i++) {
		struct span span = lower->defs[i]->span;
		size_t low = query_matches_before(list, span.start);
		wanted[i] = low < list->count && list->items[low].captures[0].span.start < span.end;
	}
	return wanted;
}

/* "Trainer.fit" for what stands at OFFSET. */
static const char *scope_at(const struct lower *lower, uint32_t offset, struct arena *arena)
{
	const char *scope = "";
	for (const struct def *inner = lower_def_at(lower, offset); inner; inner = inner->parent)
		if (inner->kind == DEF_FUNCTION || inner->kind == DEF_CLASS)
			scope = arena_format(arena, "%.*s%s%s", STR_ARG(inner->name), *scope ? "." : "", scope);
	return scope;
}

/* In a notebook a fix that would change a magic, or more than one cell at a time, is none. */
static void drop_reaching_edits(const struct source *source, struct finding *finding)
{
	for (size_t i = 0; i < finding->edit_count; i++)
		if (!notebook_allows(source, &finding->edits[i]))
			finding->edit_count = 0;
}

struct identifying {
	const struct lower *lower;
	const struct source *source;
	struct arena *arena;
};

static void identify(struct finding *findings, size_t count, void *context)
{
	const struct identifying *with = context;
	for (size_t i = 0; i < count; i++)
		findings[i].scope = scope_at(with->lower, findings[i].at.span.start, with->arena);
	fingerprints_set(findings, count, with->source, with->arena);
}

/* The matches of all rules in the tree ROOT of TEXT. */
static void find_candidates(struct lint_worker *worker, const struct linter *linter, TSNode root, struct str text)
{
	struct lint_memory *memory = worker->memory;
	worker->candidates.count = 0;
	if (!memory || !memory->parsed.is_current) {
		query_set_run(linter->queries, worker->cursor, root, text, 0, &worker->candidates);
		return;
	}
	struct query_change change = {memory->parsed.old_change, memory->parsed.new_change};
	bool is_next = memory->parsed.before && memory->parsed.is_bounded && memory->matches_of + 1 == memory->parsed.version;
	query_set_run_again(linter->queries, worker->cursor, root, text, is_next ? &change : NULL, &memory->matches,
			    &worker->candidates);
	memory->matches_of = memory->parsed.version;
}

/* The same of a text whose tree is a guess: what is remembered stays that of the last text without errors. */
static void guess_candidates(struct lint_worker *worker, const struct linter *linter, TSNode root, struct str text)
{
	struct lint_memory *memory = worker->memory;
	struct query_change change = {memory->parsed.old_change, memory->parsed.new_change};
	bool is_known = memory->parsed.is_bounded && memory->matches_of == memory->parsed.version;
	struct query_memory copy;
	query_memory_copy(&copy, &memory->matches);
	worker->candidates.count = 0;
	query_set_run_again(linter->queries, worker->cursor, root, text, is_known ? &change : NULL, &copy, &worker->candidates);
	query_memory_release(&copy);
}

static void analyse(struct lint_worker *worker, const struct settings *settings, const char *path,
		    const struct source *source, TSNode root, struct lint_result *result)
{
	const struct linter *linter = settings->linter;
	struct str text = {source->text, source->length};
	struct lower lower = {.parser = &worker->parser, .grammar = &linter->grammar, .text = text, .arena = &worker->arena};
	struct analysis analysis;
	struct judgement judgement;
	double clock = os_seconds();
	result->is_guess = worker->memory && worker->memory->parsed.is_guess;
	if (result->is_guess && !worker->memory->parsed.is_current)
		guess_candidates(worker, linter, root, text);
	else
		find_candidates(worker, linter, root, text);
	worker->timing.query += lap(&clock);
	if (!worker->candidates.count || is_stale(worker))
		return;
	match_place(linter->rules, &worker->candidates);
	if (worker->memory && worker->memory->parsed.is_current)
		lower.memory = &worker->memory->lowered;
	struct def *module = lower_def(&lower, root, NULL);
	bool *wanted = wanted_defs(worker, &lower);
	worker->timing.lower += lap(&clock);
	if (is_stale(worker)) {
		lower_release(&lower);
		return;
	}
	struct project_look look = {.project = linter->project, .arena = &result->arena, .stop = is_stale, .stop_context = worker};
	struct unit_source units = project_source(&look);
	analysis_run(&analysis, &linter->model, &worker->arena, text, &lower, module, wanted, path ? &units : NULL, path);
	worker->timing.interpret += lap(&clock);
	if (is_stale(worker)) {
		analysis_release(&analysis);
		lower_release(&lower);
		return;
	}
	judge(&analysis, &judgement);
	worker->timing.judge += lap(&clock);
	result->reads = look.reads;
	result->read_count = look.read_count;
	result->seeks = look.seeks;
	result->asks_around = look.asks_around;
	struct match_input input = {linter->rules, &settings->selection, source, &analysis, &judgement, &worker->candidates,
				    &result->arena, {&linter->grammar, root, text, SYNTAX_BUDGET, {.lower = &lower}, MAP_INIT, MAP_INIT}, NULL};
	if (linter->rule_work)
		input.seconds = ARENA_ARRAY(&worker->arena, double, linter->rules->count + 1);
	result->findings = match_rules(&input, &result->finding_count);
	if (input.seconds)
		count_work(linter, input.seconds, &worker->candidates);
	/* a fix is as safe as what could be looked at is whole */
	for (size_t i = 0; source->origins && i < result->finding_count; i++)
		result->findings[i].fix_is_safe &= !source->has_gaps && !result->problem_count;
	struct identifying with = {&lower, source, &result->arena};
	identify(result->findings, result->finding_count, &with);
	bool is_whole = !result->problem_count && !module->truncated;
	suppress(&(struct suppress_input){linter->rules, &settings->selection, &linter->grammar, source, root, &worker->candidates,
					  &worker->arena, is_whole, identify, &with}, result);
	if (linter->explains) {
		struct buf words = BUF_INIT;
		explain(&analysis, &judgement, source, &words);
		result->explanation = arena_dup(&result->arena, buf_text(&words));
		buf_release(&words);
	}
	if (module->truncated)
		add_problem(result, source, (struct span){0, 0}, "some code is nested too deeply to be understood; it was left out");
	worker->timing.rules += lap(&clock);
	analysis_release(&analysis);
	lower_release(&lower);
}

int lint_suppressed_order(const void *a, const void *b)
{
	return finding_compare(&((const struct lint_suppressed *)a)->finding, &((const struct lint_suppressed *)b)->finding);
}

/* Takes out of RESULT what is known already and what is not about a change. */
static void restrict_to_new(const struct lint_limits *limits, const char *path, struct lint_result *result)
{
	size_t kept = 0, known = 0;
	if (!result->finding_count || (!limits->baseline && !limits->changed))
		return;
	struct lint_suppressed *suppressed =
		ARENA_ARRAY(&result->arena, struct lint_suppressed, result->suppressed_count + result->finding_count);
	for (size_t i = 0; i < result->finding_count; i++) {
		const struct finding *finding = &result->findings[i];
		if (limits->baseline && baseline_has(limits->baseline, path, finding))
			suppressed[known++] = (struct lint_suppressed){.finding = *finding, .kind = SUPPRESSED_BY_BASELINE};
		else if (!limits->changed || changed_touches(limits->changed, path, finding))
			result->findings[kept++] = *finding;
	}
	result->finding_count = kept;
	if (result->suppressed_count)
		memcpy(suppressed + known, result->suppressed, result->suppressed_count * sizeof *suppressed);
	result->suppressed = suppressed;
	result->suppressed_count += known;
	if (result->suppressed_count)
		qsort(suppressed, result->suppressed_count, sizeof *suppressed, lint_suppressed_order);
}

static void drop_mild(const struct settings *settings, struct lint_result *result)
{
	size_t kept = 0;
	for (size_t i = 0; i < result->finding_count; i++)
		if (result->findings[i].severity >= settings->min_severity)
			result->findings[kept++] = result->findings[i];
	result->finding_count = kept;
}

/* What the settings leave to people has no fix. */
static void drop_unfixable(const struct settings *settings, struct lint_result *result)
{
	for (size_t i = 0; settings->fixable && i < result->finding_count; i++)
		if (!settings->fixable[result->findings[i].rule->index])
			result->findings[i].edit_count = 0;
}

/* Bytes of one file; each costs up to some hundred bytes of memory while the file is looked at. */
enum { LARGEST = 16 << 20 };

void lint_source(struct lint_worker *worker, const struct settings *settings, const char *path,
		 const struct source *source, struct lint_result *result)
{
	memset(result, 0, sizeof *result);
	arena_init(&result->arena);
	worker->is_stale = false;
	struct str text = {source->text, source->length};
	double clock = os_seconds();
	result->skipped = !prefilter_passes(&settings->linter->model, text) && !pragmas_are_likely(text);
	worker->timing.prefilter += lap(&clock);
	if (result->skipped) {
		result->explanation = settings->linter->explains ? "nothing here has a name that could leak\n" : NULL;
		return;
	}
	if (text.length > LARGEST) {
		result->failure = arena_format(&result->arena, "is larger than %u MB; leave it out or split it", LARGEST >> 20);
		return;
	}
	struct err err;
	if (worker->memory)
		worker->memory->parsed.may_guess = worker->hurries && !source->origins;
	TSTree *tree = py_parse(&worker->parser, text, worker->memory ? &worker->memory->parsed : NULL, &err);
	worker->timing.parse += lap(&clock);
	if (!tree) {
		result->failure = arena_dup(&result->arena, err.message);
		result->is_stale = worker->is_stale;
		return;
	}
	if (source->origins && (ts_node_has_error(ts_tree_root_node(tree)) || worker->parser.repair.left_out.count) &&
	    !(tree = separate_cells(worker, source, tree, result))) {
		result->is_stale = worker->is_stale;
		return;
	}
	TSNode root = ts_tree_root_node(tree);
	if (report_syntax(result, source, root, &worker->parser.repair))
		analyse(worker, settings, path, source, root, result);
	if (worker->is_stale) {
		result->is_stale = true;
		result->failure = "the result is not wanted any more";
		result->finding_count = result->suppressed_count = result->problem_count = 0;
	}
	drop_unfixable(settings, result);
	restrict_to_new(&worker->limits, path ? path : "", result);
	drop_mild(settings, result); /* what a baseline lists of it is still there */
	if (worker->limits.ignore_reason)
		ignore_findings(&(struct ignore_input){&settings->linter->grammar, source, root, &worker->arena,
						       worker->limits.ignore_reason}, result);
	for (size_t i = 0; source->origins && i < result->finding_count; i++)
		drop_reaching_edits(source, &result->findings[i]);
	ts_tree_delete(tree);
	if (worker->memory)
		py_memory_settle(&worker->memory->parsed);
	arena_reset(&worker->arena);
}

void lint_remark(const char *text, struct lint_result *result)
{
	memset(result, 0, sizeof *result);
	arena_init(&result->arena);
	result->skipped = true;
	add_problem(result, NULL, (struct span){0, 0}, arena_dup(&result->arena, text));
}

void lint_result_release(struct lint_result *result)
{
	arena_release(&result->arena);
}
