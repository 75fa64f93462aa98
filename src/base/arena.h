/* Bump allocation for everything that dies together.
 *
 * An arena owns its blocks; nothing taken from it is freed alone. One thread
 * at a time. Memory is zeroed and aligned for any type. */
#ifndef VRAMLINT_BASE_ARENA_H
#define VRAMLINT_BASE_ARENA_H

#include <stddef.h>
#include "base/str.h"

struct arena_block;
struct arena {
	struct arena_block *current; /* the block being filled; earlier ones hang off it */
	struct arena_block *spare;   /* blocks kept by arena_reset for the next use */
	size_t used;                 /* bytes handed out since the last reset */
};

struct arena_mark {
	struct arena_block *block;
	size_t filled;
	size_t used;
};

void arena_init(struct arena *arena);    /* allocates nothing */
void arena_release(struct arena *arena); /* gives all blocks back */
void arena_reset(struct arena *arena);   /* empties it, keeps the blocks */

struct arena_mark arena_mark_get(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark); /* frees what came after MARK */

/* SIZE zeroed bytes; never NULL. */
void *arena_take(struct arena *arena, size_t size);
/* COUNT elements of SIZE bytes; the product is checked. */
void *arena_take_array(struct arena *arena, size_t count, size_t size);

#define ARENA_NEW(arena, type) ((type *)arena_take((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_take_array((arena), (count), sizeof(type)))

/* Copies, NUL-terminated. */
char *arena_dup(struct arena *arena, const char *text);
char *arena_dup_bytes(struct arena *arena, const char *bytes, size_t length);
struct str arena_dup_str(struct arena *arena, struct str text);
/* printf into the arena. */
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
