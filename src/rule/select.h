/* Which rules run, how severe they are, and from which confidence on.
 *
 * Immutable once made; sized for one rule set. Rules are named by their code, a
 * prefix of it ("VL1"), their name or ALL, in any case of letters. */
#ifndef VRAMLINT_RULE_SELECT_H
#define VRAMLINT_RULE_SELECT_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/buf.h"
#include "rule/rule.h"

struct selection {
	bool *enabled;              /* by rule index */
	enum proof min_confidence;
	signed char *severity;      /* by rule index: enum severity instead of the rule's own, or SEVERITY_OWN; NULL: all own */
};

enum { SEVERITY_OWN = -1 };

enum rule_verb { RULE_TAKE, RULE_LEAVE, RULE_GRADE };

/* One entry of a list of rules: NAME is taken, left out or, by RULE_GRADE, given SEVERITY. */
struct rule_pick {
	const char *name;
	enum rule_verb verb;
	enum severity severity;
	int rank;          /* what was said at a higher rank wins over what was said lower */
	const void *place; /* where it was said, as whoever made the pick knows it, or NULL */
};

/* Whether NAME names RULE. */
bool rule_is_named(const char *name, const struct rule *rule);
/* Sets CHOSEN, by rule index, to what PICKS take and do not leave: of two picks that name a rule the higher rank wins,
 * then the more exact name, then leaving. A rule that no pick names stays as it is in CHOSEN. */
void rules_choose(bool *chosen, const struct rule_set *rules, const struct rule_pick *picks, size_t count);
/* What PICKS select and grade. DEFAULTS: what is on, or hint, by default is selected where nothing leaves it. */
void selection_init(struct selection *selection, const struct rule_set *rules, const struct rule_pick *picks,
		    size_t count, bool defaults, enum proof min_confidence, struct arena *arena);
/* Calls WARN for each pick whose name no rule has, with a sentence that has the nearest name. */
void picks_warn(const struct rule_pick *picks, size_t count, const struct rule_set *rules,
		void (*warn)(const struct rule_pick *pick, const char *text, void *context), void *context);

#endif
