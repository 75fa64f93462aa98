/* Where a document does not parse, and what of it is of use all the same. */
#ifndef VRAMLINT_ENGINE_SYNTAX_H
#define VRAMLINT_ENGINE_SYNTAX_H

#include "base/vec.h"
#include "py/parse.h"
#include "text/source.h"

/* The first place that the parser could not make sense of in what has the tree ROOT, or that its REPAIR left out; false where
 * there is none. HOPELESS: one place is too large to be looked into. */
bool syntax_fault(TSNode root, const struct repair *repair, struct span *fault, bool *hopeless);

struct syntax_faults {
	VEC(struct span) places; /* the first in each cell that has any, in order */
	bool cross;              /* what begins in one cell goes on in another, or one is hopeless */
};

/* The faults in the tree ROOT of the notebook SOURCE, cell by cell, and what its REPAIR left out. FAULTS is released by the
 * caller. */
void syntax_cells(const struct source *source, TSNode root, const struct repair *repair, struct syntax_faults *faults);
/* Appends the program of the notebook SOURCE with spaces for the cells that do not parse alone; FAULTS gets a place in
 * each of those, and is released by the caller. Time is linear in the size of the program. */
void syntax_sound_cells(const struct source *source, struct py_parser *parser, struct buf *text,
			struct syntax_faults *faults);
void syntax_faults_release(struct syntax_faults *faults);

#endif
