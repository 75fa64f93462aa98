/* Comments that take findings back, and what is wrong with such comments.
 *
 * The one place where a finding becomes a suppressed one by a comment, so that
 * command line and editor can't disagree. Pure; time is linear in the file. */
#ifndef VRAMLINT_ENGINE_SUPPRESS_H
#define VRAMLINT_ENGINE_SUPPRESS_H

#include "engine/lint.h"
#include "py/pragma.h"
#include "py/query.h"

struct suppress_input {
	const struct rule_set *rules;
	const struct selection *selection;
	const struct py_grammar *grammar;
	const struct source *source;
	TSNode root;
	const struct query_match_list *candidates; /* of all rules, as match_place left them */
	struct arena *scratch;
	bool is_whole; /* all of the file was understood: only then it is known what a comment does not suppress */
	/* Sets scope and fingerprint of COUNT findings, sorted. */
	void (*identify)(struct finding *findings, size_t count, void *context);
	void *context;
};

/* Moves the findings of RESULT that comments suppress to its suppressed ones, and adds findings about comments that
 * are unused, name no rule, or are not to be understood. A rule that is not selected makes no comment unused. */
void suppress(const struct suppress_input *in, struct lint_result *result);

#endif
