/* Rules as data: rules/NAME.json, queries/NAME.scm and rules/NAME.md.
 *
 * A rule set owns all of its rules and is immutable once loaded; any number of
 * threads may read it. Built-in rules are embedded in the program; a user's own
 * come through the same door from a folder. */
#ifndef VRAMLINT_RULE_RULE_H
#define VRAMLINT_RULE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/err.h"
#include "rule/finding.h"

enum rule_default { RULE_ON, RULE_HINT, RULE_OPT_IN };
/* How often its findings are right, as measured or judged. */
enum rule_precision { PRECISION_LOW, PRECISION_MEDIUM, PRECISION_HIGH, PRECISION_VERY_HIGH };

struct predicate_use;

/* What a fix does with the code under its capture. */
enum fix_kind {
	FIX_NONE,
	FIX_APPEND,   /* text behind the value that is kept */
	FIX_REMOVE,   /* the statement that it is all of */
	FIX_ARGUMENT, /* the keyword argument `text` of the call, away with it */
	FIX_AROUND    /* the context `text` around the code that runs it: a decorator or a with block */
};
enum fix_safety { FIX_UNSAFE, FIX_SAFE, FIX_AS_NUMBER /* safe where what is kept is read as numbers only */ };

struct rule_fix {
	enum fix_kind kind;
	const char *capture;
	const char *text;  /* NULL for FIX_REMOVE */
	enum fix_safety safety;
	bool only_safe;    /* not offered where it is not safe */
};

/* One way of saying it: the facts that must hold and the words for them. */
struct rule_variant {
	struct predicate_use *where;
	size_t where_count;
	const char *message;      /* with {placeholders}, see docs/rules.md */
	const char *growth;       /* or NULL */
	const char *help;         /* or NULL */
	const char *help_outside; /* in its place where the code stands in no function; or NULL */
	const char *help_training; /* likewise where training runs the function too; or NULL */
	struct rule_fix fix;
	enum cost cost;
	enum severity severity;
	bool severity_given;      /* else it follows from cost and growth */
	enum proof least;         /* reported from this proof on, whatever the limit of the run; PROOF_NONE: the run's limit */
};

struct rule {
	const char *code;     /* "VL101" */
	const char *name;     /* "tensor-append" */
	const char *summary;  /* one line for lists */
	const char *document; /* markdown, the whole of rules/NAME.md */
	const char *query;    /* the text of queries/NAME.scm */
	const char *since;    /* "0.1.0" */
	const char *at;       /* capture that must lie where the fact happened */
	const char *origin;   /* file it was read from, for messages */
	const char **tags;
	size_t tag_count;
	enum rule_default default_state;
	enum rule_precision precision; /* where the file says nothing: high of rules that are on, medium of hints, else low */
	struct rule_variant *variants; /* tried in order; the first whose facts hold reports */
	size_t variant_count;
	size_t index; /* place in the rule set */
};

struct rule_set {
	struct arena arena;
	struct rule **rules; /* sorted by code */
	size_t count;
};

/* Loads the built-in rules and then those of FOLDER (may be NULL). A rule of FOLDER replaces a built-in one of the same
 * code or name. Errors name the file, the place and the remedy. */
bool rule_set_init(struct rule_set *set, const char *folder, struct err *err);
void rule_set_release(struct rule_set *set);
/* The rule with that code or name (case matters not), or NULL. */
const struct rule *rule_set_find(const struct rule_set *set, struct str name);
/* "low", "medium", "high", "very-high" */
const char *rule_precision_name(const struct rule *rule);
/* Whether any variant of RULE asks for PREDICATE to be VALUE, as for "event" to be "store". */
bool rule_asks_for(const struct rule *rule, const char *predicate, const char *value);
/* The rule name or code nearest to NAME, for "did you mean", or NULL where none is near. */
const char *rule_set_nearest(const struct rule_set *set, struct str name);

#endif
