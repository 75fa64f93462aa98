#include "rule/select.h"

#include <string.h>

/* How exactly a pick names a rule: the length of the prefix in between. */
enum { NAMED_NOT = -1, NAMED_BY_ALL = 0, NAMED_EXACTLY = 1 << 16 };

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool starts_in_any_case(const char *text, const char *prefix)
{
	for (; *prefix; text++, prefix++) {
		if (*text == '\0' || lower(*text) != lower(*prefix))
			return false;
	}
	return true;
}

static bool is_in_any_case(const char *text, const char *other)
{
	return strlen(text) == strlen(other) && starts_in_any_case(text, other);
}

static int exactness(const char *name, const struct rule *rule)
{
	size_t length = strlen(name);

	if (is_in_any_case(rule->code, name) || is_in_any_case(rule->name, name))
		return NAMED_EXACTLY;
	if (is_in_any_case("ALL", name))
		return NAMED_BY_ALL;
	if (length > 0 && length < NAMED_EXACTLY && starts_in_any_case(rule->code, name))
		return (int)length;
	return NAMED_NOT;
}

bool rule_is_named(const char *name, const struct rule *rule)
{
	return exactness(name, rule) != NAMED_NOT;
}

/* The weightiest of the picks with VERB that name RULE, or NULL; its weight is over 0. */
static const struct rule_pick *weightiest(enum rule_verb verb, const struct rule_pick *picks, size_t count,
					  const struct rule *rule, int64_t *weight)
{
	const struct rule_pick *best = NULL;

	*weight = 0;
	for (size_t i = 0; i < count; i++) {
		int exact = picks[i].verb == verb ? exactness(picks[i].name, rule) : NAMED_NOT;
		int64_t own = (int64_t)picks[i].rank * (2 * NAMED_EXACTLY) + exact + 1;

		if (exact != NAMED_NOT && own > *weight) {
			best = &picks[i];
			*weight = own;
		}
	}
	return best;
}

void rules_choose(bool *chosen, const struct rule_set *rules, const struct rule_pick *picks, size_t count)
{
	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *rule = rules->rules[i];
		int64_t taken, left;

		weightiest(RULE_TAKE, picks, count, rule, &taken);
		weightiest(RULE_LEAVE, picks, count, rule, &left);
		if (taken > 0 || left > 0)
			chosen[rule->index] = taken > left;
	}
}

void selection_init(struct selection *selection, const struct rule_set *rules, const struct rule_pick *picks,
		    size_t count, bool defaults, enum proof min_confidence, struct arena *arena)
{
	selection->enabled = ARENA_ARRAY(arena, bool, rules->count + 1);
	selection->severity = ARENA_ARRAY(arena, signed char, rules->count + 1);
	selection->min_confidence = min_confidence;
	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *rule = rules->rules[i];
		int64_t weight;
		const struct rule_pick *grade = weightiest(RULE_GRADE, picks, count, rule, &weight);

		selection->enabled[rule->index] = defaults && rule->default_state != RULE_OPT_IN;
		selection->severity[rule->index] = grade ? (signed char)grade->severity : SEVERITY_OWN;
	}
	rules_choose(selection->enabled, rules, picks, count);
}

static bool any_rule_is_named(const char *name, const struct rule_set *rules)
{
	if (is_in_any_case("ALL", name))
		return true;
	for (size_t i = 0; i < rules->count; i++) {
		if (rule_is_named(name, rules->rules[i]))
			return true;
	}
	return false;
}

void picks_warn(const struct rule_pick *picks, size_t count, const struct rule_set *rules,
		void (*warn)(const struct rule_pick *pick, const char *text, void *context), void *context)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < count; i++) {
		const struct rule_pick *pick = &picks[i];
		const char *nearest;

		if (any_rule_is_named(pick->name, rules))
			continue;
		nearest = rule_set_nearest(rules, str_from(pick->name));
		buf_reset(&text);
		buf_format(&text, "no rule is called '%s'", pick->name);
		if (nearest)
			buf_format(&text, "; did you mean '%s'?", nearest);
		warn(pick, buf_text(&text), context);
	}
	buf_release(&text);
}
