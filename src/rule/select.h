/* Which rules run, and from which confidence on.
 *
 * Immutable once made; sized for one rule set. */
#ifndef VRAMLINT_RULE_SELECT_H
#define VRAMLINT_RULE_SELECT_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/buf.h"
#include "rule/rule.h"

/* Whether ENTRY of such a list means RULE: its code, the beginning of its code, its name (case matters not), or ALL. */
bool select_names(struct str entry, const struct rule *rule);
bool select_is_all(struct str entry);

struct selection {
	bool *enabled;              /* by rule index */
	enum proof min_confidence;
};

/* Enables what SELECT names (NULL: the rules that are on or hint by default) less what IGNORE names (may be NULL).
 * Both are comma-separated lists of codes, code prefixes ("VL1"), names or ALL; the more specific entry wins between
 * the two lists, as in ruff. Names that no rule has are appended to WARNINGS, a line each with the nearest name. */
void selection_init(struct selection *selection, const struct rule_set *rules, const char *select, const char *ignore,
		    enum proof min_confidence, struct arena *arena, struct buf *warnings);

#endif
