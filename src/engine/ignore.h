/* The edits that put suppression comments behind findings: `--add-ignore`.
 *
 * Pure; the edits take the place of the findings' fixes, so that what makes fixes makes these as well. */
#ifndef VRAMLINT_ENGINE_IGNORE_H
#define VRAMLINT_ENGINE_IGNORE_H

#include "engine/lint.h"
#include "py/parse.h"

struct ignore_input {
	const struct py_grammar *grammar;
	const struct source *source;
	TSNode root;
	struct arena *scratch;
	const char *reason; /* one line; "" for none */
};

/* Sets the fix of each finding of RESULT to a comment that suppresses it: its code is added to a comment that is there
 * already, else a new one goes to the end of its line or, where that is no place for one or gets too long, above it.
 * Findings about comments get none. */
void ignore_findings(const struct ignore_input *in, struct lint_result *result);

#endif
