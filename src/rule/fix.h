/* The edit that a rule asks for, made for one finding. */
#ifndef VRAMLINT_RULE_FIX_H
#define VRAMLINT_RULE_FIX_H

#include "base/arena.h"
#include "flow/analysis.h"
#include "flow/judge.h"
#include "py/query.h"
#include "rule/finding.h"
#include "rule/rule.h"
#include "rule/syntax.h"
#include "text/source.h"

struct fix_input {
	struct syntax *syntax;
	const struct source *source;
	const struct rule_fix *fix;
	const struct fact *fact;
	const struct judgement *judgement;   /* all facts of the file */
	const struct analysis *analysis;     /* which they come from */
	const struct query_match *candidate; /* where the rule's query captured the place, or NULL */
	struct arena *arena;                 /* owns the edits */
};

/* Sets the edits of FINDING, and whether they are safe; none where the fix cannot be made at this place. */
void fix_make(const struct fix_input *input, struct finding *finding);

/* Whether CODE may have a method called on it without parentheses around it: outside of brackets and quotes there are
 * only names, dots and brackets. */
bool fix_is_primary(struct str code);

#endif
