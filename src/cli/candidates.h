/* What may stand as an option's value or as an operand: the words that a shell offers for it.
 *
 * Told by the name it has in help: RULES, RULE, FORMAT, COMMAND, DIR, FILE, NAME, PATH, COMMIT, or the words themselves
 * ("bash|zsh|fish"). For any other name (N, REASON) nothing is offered. Borrows from RULES and the tables of commands;
 * the arrays lie in the caller's arena. */
#ifndef VRAMLINT_CLI_CANDIDATES_H
#define VRAMLINT_CLI_CANDIDATES_H

#include "base/arena.h"
#include "cli/option.h"
#include "rule/rule.h"

enum candidate_kind {
	CANDIDATE_NOTHING,
	CANDIDATE_WORDS,   /* one of ITEMS */
	CANDIDATE_LIST,    /* some of ITEMS, with commas */
	CANDIDATE_FOLDERS,
	CANDIDATE_FILES,
	CANDIDATE_SOURCES, /* what can be checked, and folders */
	CANDIDATE_REFS     /* branches and tags of git */
};

struct candidate {
	const char *word;    /* of letters, digits and '-' only */
	const char *summary; /* a line, or NULL */
};

struct candidates {
	enum candidate_kind kind;
	struct candidate *items;
	size_t count;
};

struct candidates candidates_of_value(const struct option_row *row, const struct rule_set *rules, struct arena *arena);
/* OPERANDS as a command's table has them: "[PATH]...". */
struct candidates candidates_of_operands(const char *operands, const struct rule_set *rules, struct arena *arena);

#endif
