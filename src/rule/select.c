#include "rule/select.h"

#include <string.h>

/* How exactly an entry of a list names a rule: the length of the prefix in between. */
enum { NAMED_NOT = -1, NAMED_BY_ALL = 0, NAMED_EXACTLY = 1 << 16 };

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool starts_in_any_case(const char *text, struct str prefix)
{
	for (size_t i = 0; i < prefix.length; i++) {
		if (text[i] == '\0' || lower(text[i]) != lower(prefix.at[i]))
			return false;
	}
	return true;
}

static bool is_in_any_case(const char *text, struct str other)
{
	return strlen(text) == other.length && starts_in_any_case(text, other);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Takes the next entry that is not blank off the front of LIST. */
static bool next_entry(struct str *list, struct str *entry)
{
	while (list->length > 0) {
		const char *comma = memchr(list->at, ',', list->length);
		size_t length = comma ? (size_t)(comma - list->at) : list->length;
		size_t taken = comma ? length + 1 : length;

		*entry = (struct str){list->at, length};
		*list = (struct str){list->at + taken, list->length - taken};
		while (entry->length > 0 && is_blank(entry->at[0]))
			*entry = (struct str){entry->at + 1, entry->length - 1};
		while (entry->length > 0 && is_blank(entry->at[entry->length - 1]))
			entry->length--;
		if (entry->length > 0)
			return true;
	}
	return false;
}

static int entry_names(struct str entry, const struct rule *rule)
{
	if (is_in_any_case(rule->code, entry) || is_in_any_case(rule->name, entry))
		return NAMED_EXACTLY;
	if (is_in_any_case("ALL", entry))
		return NAMED_BY_ALL;
	if (entry.length < NAMED_EXACTLY && starts_in_any_case(rule->code, entry))
		return (int)entry.length;
	return NAMED_NOT;
}

bool select_names(struct str entry, const struct rule *rule)
{
	return entry.length && entry_names(entry, rule) != NAMED_NOT;
}

bool select_is_all(struct str entry)
{
	return is_in_any_case("ALL", entry);
}

static int list_names(const char *text, const struct rule *rule)
{
	struct str list = str_from(text);
	struct str entry;
	int best = NAMED_NOT;

	while (next_entry(&list, &entry)) {
		int named = entry_names(entry, rule);

		if (named > best)
			best = named;
	}
	return best;
}

static bool any_rule_is_named(struct str entry, const struct rule_set *rules)
{
	if (is_in_any_case("ALL", entry))
		return true;
	for (size_t i = 0; i < rules->count; i++) {
		if (entry_names(entry, rules->rules[i]) != NAMED_NOT)
			return true;
	}
	return false;
}

static void warn_of_unknown(const char *text, const struct rule_set *rules, struct buf *warnings)
{
	struct str list = str_from(text);
	struct str entry;

	while (next_entry(&list, &entry)) {
		const char *nearest;

		if (any_rule_is_named(entry, rules))
			continue;
		nearest = rule_set_nearest(rules, entry);
		buf_format(warnings, "no rule is called '%.*s'", STR_ARG(entry));
		if (nearest)
			buf_format(warnings, "; did you mean '%s'?", nearest);
		buf_add_char(warnings, '\n');
	}
}

void selection_init(struct selection *selection, const struct rule_set *rules, const char *select, const char *ignore,
		    enum proof min_confidence, struct arena *arena, struct buf *warnings)
{
	selection->enabled = ARENA_ARRAY(arena, bool, rules->count);
	selection->min_confidence = min_confidence;
	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *rule = rules->rules[i];
		int ignored = list_names(ignore, rule);

		/* Without a list, what is on by default yields to whatever ignores it. */
		if (!select)
			selection->enabled[rule->index] = rule->default_state != RULE_OPT_IN && ignored == NAMED_NOT;
		else
			selection->enabled[rule->index] = list_names(select, rule) > ignored;
	}
	warn_of_unknown(select, rules, warnings);
	warn_of_unknown(ignore, rules, warnings);
}
