/* Growing arrays of any type.
 *
 *	struct { struct span *items; size_t count, room; } spans = {0};
 *	VEC_ADD(&spans, ((struct span){1, 2}));
 *	VEC_RELEASE(&spans);
 *
 * A vector is any struct with the members items, count and room. The caller owns it. */
#ifndef VRAMLINT_BASE_VEC_H
#define VRAMLINT_BASE_VEC_H

#include <stdlib.h>
#include "base/mem.h"

#define VEC(type)                                                                                                      \
	struct {                                                                                                       \
		type *items;                                                                                           \
		size_t count, room;                                                                                    \
	}

#define VEC_ADD(vec, ...)                                                                                              \
	do {                                                                                                           \
		if ((vec)->count == (vec)->room) {                                                                     \
			(vec)->room = (vec)->room ? (vec)->room * 2 : 8;                                               \
			(vec)->items = mem_resize((vec)->items, (vec)->room, sizeof *(vec)->items);                    \
		}                                                                                                      \
		(vec)->items[(vec)->count++] = (__VA_ARGS__);                                                          \
	} while (0)

#define VEC_RELEASE(vec)                                                                                               \
	do {                                                                                                           \
		free((vec)->items);                                                                                    \
		(vec)->items = NULL;                                                                                   \
		(vec)->count = (vec)->room = 0;                                                                        \
	} while (0)

#endif
