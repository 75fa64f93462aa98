/* Other files of the project, as the interpreter meets them: lowered, shared by all threads, never reported on.
 *
 * Whoever runs the analysis says where they come from (engine/project). */
#ifndef VRAMLINT_FLOW_UNIT_H
#define VRAMLINT_FLOW_UNIT_H

#include "flow/ir.h"

/* One file, lowered once for the whole run. */
struct unit {
	const char *path;    /* absolute */
	const char *shown;   /* as people are told: from the current folder on, where it lies below that */
	struct str text;
	uint32_t base;       /* its spans begin here, beyond those of any file that is reported on; no two units share any */
	struct def *module;
	uint32_t expr_count;
	bool is_package;     /* an __init__.py */
	bool is_reported;    /* its own faults are found when it is checked itself */
};

/* Definitions of units carry this in their index: they have none of the numbers of the file that is reported on. */
#define DEF_ELSEWHERE 0x80000000u

struct unit_source {
	/* The file that DOTTED ("pkg.meters.Average", leading dots where relative) lies in, seen from the file FROM, or NULL
	 * where it is none of the project's. *USED: how much of DOTTED names the file; the rest names things in it. */
	const struct unit *(*find)(void *context, const char *from, const char *dotted, size_t *used);
	/* Whether other files of the project call the function NAME of the file PATH, and all that do have grad off there. */
	bool (*called_quietly)(void *context, const char *path, struct str name);
	/* Whether nobody wants the analysis any more, asked at each call that is walked; it then ends without a result. */
	bool (*is_unwanted)(void *context);
	void *context;
};

#endif
