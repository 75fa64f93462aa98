#include "cli/candidates.h"

#include "cli/command.h"
#include "report/report.h"

static void add(struct candidates *candidates, const char *word, const char *summary)
{
	candidates->items[candidates->count++] = (struct candidate){word, summary};
}

static struct candidates of_rules(enum candidate_kind kind, const struct rule_set *rules, struct arena *arena)
{
	struct candidates found = {kind, ARENA_ARRAY(arena, struct candidate, rules->count * 2 + 1), 0};

	for (size_t i = 0; i < rules->count; i++)
		add(&found, rules->rules[i]->name, rules->rules[i]->summary);
	for (size_t i = 0; i < rules->count; i++)
		add(&found, rules->rules[i]->code, rules->rules[i]->summary);
	if (kind == CANDIDATE_LIST)
		add(&found, "ALL", "every rule");
	return found;
}

static struct candidates of_formats(struct arena *arena)
{
	struct candidates found = {CANDIDATE_WORDS, NULL, 0};
	size_t count = 0;

	while (report_formats[count])
		count++;
	found.items = ARENA_ARRAY(arena, struct candidate, count + 1);
	add(&found, "auto", "what fits the place: github in its jobs, else full");
	for (size_t i = 0; i < count; i++)
		add(&found, report_formats[i]->name, report_formats[i]->summary);
	return found;
}

static struct candidates of_commands(struct arena *arena)
{
	struct candidates found = {CANDIDATE_WORDS, NULL, 0};
	size_t count = 0;

	while (commands[count])
		count++;
	found.items = ARENA_ARRAY(arena, struct candidate, count);
	for (size_t i = 0; i < count; i++)
		add(&found, commands[i]->name, commands[i]->summary);
	return found;
}

static struct candidates of_choices(const struct option_choice *choices, struct arena *arena)
{
	struct candidates found = {CANDIDATE_WORDS, NULL, 0};
	size_t count = 0;

	while (choices[count].name)
		count++;
	found.items = ARENA_ARRAY(arena, struct candidate, count);
	for (size_t i = 0; i < count; i++)
		add(&found, choices[i].name, NULL);
	return found;
}

/* "bash|zsh|fish" */
static struct candidates of_words(struct str text, struct arena *arena)
{
	struct candidates found = {CANDIDATE_WORDS, ARENA_ARRAY(arena, struct candidate, text.length + 1), 0};
	size_t start = 0;

	for (size_t i = 0; i <= text.length; i++) {
		if (i < text.length && text.at[i] != '|')
			continue;
		add(&found, arena_dup_bytes(arena, text.at + start, i - start), NULL);
		start = i + 1;
	}
	return found;
}

/* "PATH" of "[PATH]...", "FORMAT" of "FORMAT[=FILE]" */
static struct str first_word(const char *text)
{
	struct str word = {text + strspn(text, "[="), 0};

	word.length = strcspn(word.at, "[]=.,: ");
	return word;
}

static struct candidates of_name(const char *text, const struct rule_set *rules, struct arena *arena)
{
	struct str name = first_word(text);

	if (memchr(name.at, '|', name.length) && !(name.at[0] >= 'A' && name.at[0] <= 'Z'))
		return of_words(name, arena);
	if (str_is(name, "RULES"))
		return of_rules(CANDIDATE_LIST, rules, arena);
	if (str_is(name, "RULE"))
		return of_rules(CANDIDATE_WORDS, rules, arena);
	if (str_is(name, "FORMAT"))
		return of_formats(arena);
	if (str_is(name, "COMMAND"))
		return of_commands(arena);
	if (str_is(name, "DIR"))
		return (struct candidates){CANDIDATE_FOLDERS, NULL, 0};
	if (str_starts(name, "FILE") || str_is(name, "NAME"))
		return (struct candidates){CANDIDATE_FILES, NULL, 0};
	if (str_is(name, "PATH"))
		return (struct candidates){CANDIDATE_SOURCES, NULL, 0};
	if (str_is(name, "COMMIT"))
		return (struct candidates){CANDIDATE_REFS, NULL, 0};
	return (struct candidates){CANDIDATE_NOTHING, NULL, 0};
}

struct candidates candidates_of_value(const struct option_row *row, const struct rule_set *rules, struct arena *arena)
{
	if (row->choices)
		return of_choices(row->choices, arena);
	return of_name(row->argument ? row->argument : "", rules, arena);
}

struct candidates candidates_of_operands(const char *operands, const struct rule_set *rules, struct arena *arena)
{
	return of_name(operands, rules, arena);
}
