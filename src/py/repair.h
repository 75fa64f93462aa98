/* What keeps all that follows from being parsed though the fault is small, as while somebody types: a bracket or a quote that
 * is never closed, or one closed twice, an operator at the end of a statement, the head of a block without a colon,
 * braces open in a string that is formatted.
 *
 * Brackets are taken to be never closed where a line follows that is indented no more than their statement and begins like
 * a statement, or that begins with a word which stands in no expression. Nothing is known of a long string without an end. */
#ifndef VRAMLINT_PY_REPAIR_H
#define VRAMLINT_PY_REPAIR_H

#include "base/str.h"
#include "base/vec.h"

struct repair {
	char *text;                /* as long as the text before, heap; NULL: nothing of that kind is in it */
	VEC(struct span) left_out; /* what was overwritten, in order; line ends in it stay */
	bool is_sure;              /* there is a bracket or a quote to which none fits, whatever the lines look like */
};

/* A text in which spaces stand for what is left out of TEXT, or a name where a value is missing, and a colon at the end of a
 * head without one where a block follows; where none does, the head is left out. Takes time linear in the length; a text that
 * would take more has no repair. */
void repair_init(struct repair *repair, struct str text);
void repair_release(struct repair *repair);

#endif
