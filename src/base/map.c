#include "base/map.h"

#include <stdlib.h>

#include "base/mem.h"

#define uthash_malloc(size) mem_new(1, (size))
#define uthash_fatal(message) BUG(message)
#include <uthash.h>

struct map_entry {
	UT_hash_handle hh;
	void *value;
	char key[]; /* hh.keylen bytes */
};

void map_init(struct map *map)
{
	*map = (struct map)MAP_INIT;
}

void map_release(struct map *map)
{
	struct map_entry *entry;
	struct map_entry *next;

	HASH_ITER(hh, map->entries, entry, next) {
		HASH_DEL(map->entries, entry);
		free(entry);
	}
	map_init(map);
}

static struct map_entry *entry_find(const struct map *map, struct str key)
{
	struct map_entry *entry = NULL;
	/* The hash reads through the pointer even where the length is zero. */
	const char *at = key.at ? key.at : "";

	HASH_FIND(hh, map->entries, at, key.length, entry);
	return entry;
}

void *map_get(const struct map *map, struct str key)
{
	struct map_entry *entry = entry_find(map, key);

	return entry ? entry->value : NULL;
}

bool map_has(const struct map *map, struct str key)
{
	return entry_find(map, key) != NULL;
}

void *map_put(struct map *map, struct str key, void *value)
{
	struct map_entry *entry = entry_find(map, key);
	void *before = NULL;

	if (entry) {
		before = entry->value;
		entry->value = value;
		return before;
	}
	entry = mem_new(1, sizeof *entry + key.length);
	entry->value = value;
	if (key.length)
		memcpy(entry->key, key.at, key.length);
	HASH_ADD_KEYPTR(hh, map->entries, entry->key, key.length, entry);
	map->count++;
	return before;
}

void *map_remove(struct map *map, struct str key)
{
	struct map_entry *entry = entry_find(map, key);
	void *value;

	if (!entry)
		return NULL;
	value = entry->value;
	HASH_DEL(map->entries, entry);
	free(entry);
	map->count--;
	return value;
}

void map_each(const struct map *map, bool (*visit)(struct str key, void *value, void *context), void *context)
{
	struct map_entry *next;

	for (struct map_entry *entry = map->entries; entry; entry = next) {
		next = entry->hh.next;
		if (!visit((struct str){entry->key, entry->hh.keylen}, entry->value, context))
			return;
	}
}
