/* A hash map from byte strings to pointers, over uthash.
 *
 * The map owns its entries and, unless keys are borrowed, copies of the keys;
 * it never owns the values. Iteration is in order of insertion. One thread at
 * a time for changes; any number of readers while nobody changes it. */
#ifndef VRAMLINT_BASE_MAP_H
#define VRAMLINT_BASE_MAP_H

#include <stdbool.h>
#include "base/str.h"

struct map_entry;
struct map {
	struct map_entry *entries;
	size_t count;
};

#define MAP_INIT {NULL, 0}

void map_init(struct map *map);
void map_release(struct map *map);
/* The value under KEY, or NULL. */
void *map_get(const struct map *map, struct str key);
bool map_has(const struct map *map, struct str key);
/* Sets KEY to VALUE (copying the key) and returns the value it had before, or NULL. */
void *map_put(struct map *map, struct str key, void *value);
/* Takes KEY out and returns its value, or NULL. */
void *map_remove(struct map *map, struct str key);
/* Calls VISIT for each entry until it returns false. */
void map_each(const struct map *map, bool (*visit)(struct str key, void *value, void *context), void *context);

#endif
