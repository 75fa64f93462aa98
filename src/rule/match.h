/* Facts and candidates to findings: the rules applied.
 *
 * A rule reports a fact where its query captured the place the fact happened at
 * and the facts of one of its variants hold. */
#ifndef VRAMLINT_RULE_MATCH_H
#define VRAMLINT_RULE_MATCH_H

#include "flow/judge.h"
#include "py/query.h"
#include "rule/finding.h"
#include "rule/rule.h"
#include "rule/select.h"
#include "rule/syntax.h"
#include "text/source.h"

struct match_input {
	const struct rule_set *rules;
	const struct selection *selection;
	const struct source *source;
	const struct analysis *analysis;
	const struct judgement *judgement;
	const struct query_match_list *candidates; /* of all rules, as match_place left them */
	struct arena *arena;                 /* owns the findings */
	struct syntax syntax;                /* of the file; without a tree there are no fixes */
	double *seconds;                     /* by rule index, to which the time of each is added; NULL: it is not taken */
};

/* Puts each candidate's `at` capture first, where all that follows looks for its place, and sorts them by it. */
void match_place(const struct rule_set *rules, struct query_match_list *candidates);
/* The findings, sorted by finding_compare, one for a rule and place. */
struct finding *match_rules(const struct match_input *input, size_t *count);

#endif
