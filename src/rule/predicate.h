/* The facts that a rule may ask for in its `where`: one C function each, in one table.
 *
 * "growth: unbounded|window" asks the predicate `growth` whether the fact is
 * one of the named ones. The vocabulary is documented in docs/rules.md, which
 * `make lint` compares with the table. */
#ifndef VRAMLINT_RULE_PREDICATE_H
#define VRAMLINT_RULE_PREDICATE_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/err.h"
#include "flow/judge.h"

struct predicate {
	const char *name;
	const char *summary;
	/* the names it understands, separated by "|"; NULL: a PCRE2 pattern between slashes */
	const char *values;
	bool (*holds)(const struct fact *fact, struct str value);
};

/* Ended by an entry without name. */
extern const struct predicate predicates[];

struct predicate_use {
	const struct predicate *predicate;
	struct str *values;
	size_t value_count;
	void *pattern; /* pcre2_code, or NULL */
};

/* Reads "name: value|value" into USE, in ARENA. Errors name the unknown word and what there is. */
bool predicate_use_init(struct predicate_use *use, const char *text, struct arena *arena, struct err *err);
void predicate_use_release(struct predicate_use *use);
bool predicate_use_holds(const struct predicate_use *use, const struct fact *fact);

#endif
