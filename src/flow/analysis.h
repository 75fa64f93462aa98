/* The way into the interpreter: one lowered file in, its events out.
 *
 * Module bodies, functions and methods that nobody in sight calls are the roots
 * of walks; everything else is walked where it is called, under the grad mode,
 * loops and arguments of its callers. */
#ifndef VRAMLINT_FLOW_ANALYSIS_H
#define VRAMLINT_FLOW_ANALYSIS_H

#include "flow/interp.h"
#include "flow/lower.h"

struct analysis {
	struct interp in;
};

/* Walks MODULE, lowered by LOWER with its other definitions. WANTED (by definition index, may be NULL) says which
 * definitions are worth a root of their own. UNITS (may be NULL) finds the other files that the one at PATH imports. Everything made lives in ARENA; TEXT must outlive the analysis. */
void analysis_run(struct analysis *analysis, const struct model *model, struct arena *arena, struct str text,
		  const struct lower *lower, struct def *module, const bool *wanted, const struct unit_source *units,
		  const char *path);
void analysis_release(struct analysis *analysis);

#endif
