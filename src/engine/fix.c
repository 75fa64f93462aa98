#include "engine/fix.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "rule/rule.h"
#include "text/notebook.h"

/* Each round makes all fixes that do not meet; a text that needs more of them is not one that a person wrote. */
enum { ROUNDS = 32 };

bool fix_is_wanted(struct fix_policy policy, const struct finding *finding)
{
	return finding->edit_count > 0 && (finding->fix_is_safe || policy.takes_unsafe);
}

struct edit_group fix_group(const struct finding *finding)
{
	struct edit_group group = {finding->edits, finding->edit_count, finding->fix_reach};

	if (group.reach.end == 0 && group.count > 0)
		group.reach = (struct span){group.edits[0].span.start, group.edits[group.count - 1].span.end};
	return group;
}

size_t fix_choose(const struct lint_result *result, struct fix_policy policy, struct arena *arena,
		  struct edit_group **groups, bool **chosen)
{
	size_t count = result->finding_count;

	*groups = ARENA_ARRAY(arena, struct edit_group, count + 1);
	*chosen = ARENA_ARRAY(arena, bool, count + 1);
	for (size_t i = 0; i < count; i++)
		if (fix_is_wanted(policy, &result->findings[i]))
			(*groups)[i] = fix_group(&result->findings[i]);
	return edit_choose(*groups, count, *chosen);
}

/* ---- rounds ---- */

/* A text and what was found in it. */
struct state {
	struct source source;
	struct lint_result result;
	struct buf notebook; /* the file that the source comes from, where that is one */
};

struct fixing {
	struct lint_worker *worker;
	const struct settings *settings;
	const char *path;
	struct str raw; /* the file as it is before the round */
	struct fix_policy policy;
	size_t problems; /* that the text may have */
	struct arena arena; /* of the round */
	struct edit_group *groups;
	struct fix_outcome *outcome;
	VEC(struct fix_count) made;
};

static void state_release(struct state *state)
{
	lint_result_release(&state->result);
	source_release(&state->source);
	buf_release(&state->notebook);
}

/* Whether all of a text could be read as Python; of a notebook all but the cells that could not be read before. */
static bool is_whole(const struct fixing *fixing, const struct lint_result *result)
{
	return !result->failure && result->problem_count <= fixing->problems;
}

/* The notebook after the CHOSEN of COUNT groups, read again. */
static void notebook_after(struct fixing *fixing, size_t count, const bool *chosen, struct state *after)
{
	size_t edit_count;
	struct edit *edits = edit_order(fixing->groups, count, chosen, &edit_count);

	if (!notebook_apply(fixing->raw, edits, edit_count, &after->notebook, NULL) ||
	    !notebook_init(&after->source, buf_get(&after->notebook), NULL))
		BUG("a notebook that was read cannot be read again");
	free(edits);
}

/* The state after the CHOSEN of COUNT groups. */
static struct state state_after(struct fixing *fixing, const struct source *source, size_t count, const bool *chosen)
{
	struct state after = {.notebook = BUF_INIT};
	struct buf text = BUF_INIT;

	if (source->origins) {
		notebook_after(fixing, count, chosen, &after);
	} else {
		edit_apply((struct str){source->text, source->length}, fixing->groups, count, chosen, &text);
		source_init_like(&after.source, source, &text);
	}
	lint_source(fixing->worker, fixing->settings, fixing->path, &after.source, &after.result);
	return after;
}

static void refuse(struct fixing *fixing, const struct finding *finding)
{
	struct buf *out = &fixing->outcome->refusals;

	buf_add_text(out, fixing->path);
	excerpt_add_place(out, &finding->at);
	buf_format(out, ": the fix of %s would break the syntax, so it was not made", finding->rule->code);
	buf_add_char(out, '\0');
}

/* Takes from the CHOSEN between FROM and TO those that break the syntax, by halves. */
static void drop_broken(struct fixing *fixing, const struct source *source, const struct lint_result *result,
			bool *chosen, size_t from, size_t to)
{
	size_t count = result->finding_count;
	bool *part = mem_new(count + 1, sizeof *part);
	struct state after;
	size_t some = 0;
	bool whole;

	for (size_t i = from; i < to; i++)
		some += part[i] = chosen[i];
	if (some > 0) {
		after = state_after(fixing, source, count, part);
		whole = is_whole(fixing, &after.result);
		state_release(&after);
		if (!whole && to - from == 1) {
			chosen[from] = false;
			refuse(fixing, &result->findings[from]);
		} else if (!whole) {
			drop_broken(fixing, source, result, chosen, from, from + (to - from) / 2);
			drop_broken(fixing, source, result, chosen, from + (to - from) / 2, to);
		}
	}
	free(part);
}

static void count_made(struct fixing *fixing, const struct rule *rule)
{
	fixing->outcome->count++;
	for (size_t i = 0; i < fixing->made.count; i++) {
		if (fixing->made.items[i].rule == rule) {
			fixing->made.items[i].count++;
			return;
		}
	}
	VEC_ADD(&fixing->made, (struct fix_count){rule, 1});
}

static int by_code(const void *a, const void *b)
{
	return strcmp(((const struct fix_count *)a)->rule->code, ((const struct fix_count *)b)->rule->code);
}

/* One round from what OUTCOME (or, before any, SOURCE and RESULT) says on; whether anything was fixed. */
static bool fix_round(struct fixing *fixing, const struct source *source, const struct lint_result *result)
{
	struct fix_outcome *outcome = fixing->outcome;
	size_t count = result->finding_count;
	size_t made = 0;
	struct state after;
	bool *chosen;

	arena_reset(&fixing->arena);
	if (fix_choose(result, fixing->policy, &fixing->arena, &fixing->groups, &chosen) == 0)
		return false;
	after = state_after(fixing, source, count, chosen);
	if (!is_whole(fixing, &after.result)) {
		state_release(&after);
		drop_broken(fixing, source, result, chosen, 0, count);
		after = state_after(fixing, source, count, chosen);
	}
	for (size_t i = 0; i < count; i++)
		made += chosen[i];
	if (!is_whole(fixing, &after.result) || made == 0) {
		state_release(&after);
		return false;
	}
	for (size_t i = 0; i < count; i++)
		if (chosen[i])
			count_made(fixing, result->findings[i].rule);
	if (outcome->count > made) { /* SOURCE and RESULT are those of the round before */
		lint_result_release(&outcome->result);
		source_release(&outcome->source);
		buf_release(&outcome->notebook);
	}
	outcome->source = after.source;
	outcome->result = after.result;
	outcome->notebook = after.notebook;
	if (outcome->source.origins)
		fixing->raw = buf_get(&outcome->notebook);
	return true;
}

bool fix_source(struct lint_worker *worker, const struct settings *settings, const char *path, struct str raw, const struct source *source,
		const struct lint_result *result, struct fix_policy policy, struct fix_outcome *outcome)
{
	struct fixing fixing = {.worker = worker, .settings = settings, .path = path, .raw = raw, .policy = policy,
				.outcome = outcome};
	bool wanted = false;

	memset(outcome, 0, sizeof *outcome);
	for (size_t i = 0; i < result->finding_count; i++)
		wanted |= fix_is_wanted(policy, &result->findings[i]);
	/* more problems than are told could hide one of our making */
	if (source->origins && result->problem_count < LINT_PROBLEMS)
		fixing.problems = result->problem_count;
	if (wanted && !is_whole(&fixing, result)) {
		buf_format(&outcome->refusals, "'%s' was not fixed: it cannot be read as a whole", path);
		buf_add_char(&outcome->refusals, '\0');
		return false;
	}
	arena_init(&fixing.arena);
	for (int round = 0; wanted && round < ROUNDS && fix_round(&fixing, source, result); round++) {
		source = &outcome->source;
		result = &outcome->result;
	}
	if (outcome->count > 0) {
		qsort(fixing.made.items, fixing.made.count, sizeof *fixing.made.items, by_code);
		outcome->rules = ARENA_ARRAY(&outcome->result.arena, struct fix_count, fixing.made.count);
		memcpy(outcome->rules, fixing.made.items, fixing.made.count * sizeof *outcome->rules);
		outcome->rule_count = fixing.made.count;
	}
	VEC_RELEASE(&fixing.made);
	arena_release(&fixing.arena);
	return outcome->count > 0;
}

void fix_outcome_release(struct fix_outcome *outcome)
{
	if (outcome->count > 0) {
		lint_result_release(&outcome->result);
		source_release(&outcome->source);
		buf_release(&outcome->notebook);
	}
	buf_release(&outcome->refusals);
}
