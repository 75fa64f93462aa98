/* "Did you mean …": of several names the one most like what was written. Owns nothing. */
#ifndef VRAMLINT_BASE_NEAREST_H
#define VRAMLINT_BASE_NEAREST_H

#include <stddef.h>
#include "base/str.h"

struct nearest {
	struct str wanted;
	const char *best; /* the nearest name offered so far, or NULL where none is near */
	size_t limit;     /* a name must be nearer than this */
};

void nearest_init(struct nearest *nearest, struct str wanted);
/* Names at the same distance: the first stays. NAME is borrowed. */
void nearest_offer(struct nearest *nearest, const char *name);

#endif
