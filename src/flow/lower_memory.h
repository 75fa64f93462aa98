/* Functions as they were lowered for a text, so that of its next one only those are lowered that have changed.
 *
 * What makes the ir of a function is its own text, how far it is indented and how deep it is nested. So a function whose
 * text was there before is taken as it is, its places moved to where it is now. Belongs to one document, one thread. */
#ifndef VRAMLINT_FLOW_LOWER_MEMORY_H
#define VRAMLINT_FLOW_LOWER_MEMORY_H

#include "base/map.h"

/* Zeroed: nothing. */
struct lower_memory {
	struct map before; /* functions of the last text */
	struct map now;    /* … and of the one at hand, which its ir is part of */
};

/* The text at hand becomes the last one; no ir of the two may be in use any more. */
void lower_memory_settle(struct lower_memory *memory);
void lower_memory_release(struct lower_memory *memory); /* it is zeroed again */

#endif
