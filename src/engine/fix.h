/* Fixes: from findings to edits, and from edits to a text in which nothing is left to fix.
 *
 * Reads and writes no file. A worker serves one thread at a time. */
#ifndef VRAMLINT_ENGINE_FIX_H
#define VRAMLINT_ENGINE_FIX_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/buf.h"
#include "engine/lint.h"
#include "text/edit.h"
#include "text/source.h"

/* Which fixes are wanted. */
struct fix_policy {
	bool takes_unsafe; /* also those that may change what the program does */
};

bool fix_is_wanted(struct fix_policy policy, const struct finding *finding);
/* The edits of FINDING with their reach. */
struct edit_group fix_group(const struct finding *finding);
/* Which of RESULT's findings POLICY fixes at once, in CHOSEN; GROUPS are the edits of each. Both hold a place for each
 * finding and lie in ARENA. Returns how many. For edit_apply, code actions and the like. */
size_t fix_choose(const struct lint_result *result, struct fix_policy policy, struct arena *arena,
		  struct edit_group **groups, bool **chosen);

struct fix_count {
	const struct rule *rule;
	size_t count;
};

/* What became of a document. */
struct fix_outcome {
	struct source source;      /* the text after all fixes, with the encoding of the one before */
	struct lint_result result; /* what remains to say about it */
	struct buf notebook;       /* where it is a notebook: the file after all fixes */
	size_t count;              /* fixes made; where 0 source and result are not set */
	struct fix_count *rules;   /* … by rule, in order of codes; in the arena of RESULT */
	size_t rule_count;
	struct buf refusals;       /* why fixes were not made, a NUL-terminated sentence each */
};

/* Makes the fixes that POLICY wants in SOURCE, which was read from RAW and which lint_source checked by SETTINGS under PATH
 * with RESULT: as many at once as do not meet, then checks the text again, until there is nothing left to fix. What would not
 * parse any more is not made; a text that does not parse as a whole is left alone. Returns whether the text changed. OUTCOME
 * is to be released in either case. */
bool fix_source(struct lint_worker *worker, const struct settings *settings, const char *path, struct str raw,
		const struct source *source,
		const struct lint_result *result, struct fix_policy policy, struct fix_outcome *outcome);
void fix_outcome_release(struct fix_outcome *outcome);

#endif
