#include "engine/stamps.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/os.h"

struct stamp {
	char *path;
	uint64_t value;
};

static void stat_add(struct buf *out, const char *name, const struct os_stat *stat)
{
	buf_format(out, "%s\n%d %llu %llu %llu %lld\n", name, (int)stat->kind, (unsigned long long)stat->size,
		   (unsigned long long)stat->device, (unsigned long long)stat->inode, (long long)stat->modified);
}

uint64_t stamp_of(const char *path)
{
	struct buf text = BUF_INIT;
	struct os_entry *entries;
	struct os_stat stat;
	struct arena arena;
	size_t count = 0;
	uint64_t value;

	arena_init(&arena);
	if (os_stat_get(path, &stat, NULL)) {
		stat_add(&text, "", &stat);
		if (stat.kind == OS_FOLDER && os_list(path, &arena, &entries, &count, NULL)) {
			for (size_t i = 0; i < count; i++)
				stat_add(&text, entries[i].name, &entries[i].stat);
		}
	}
	value = str_hash(buf_get(&text));
	buf_release(&text);
	arena_release(&arena);
	return value;
}

void stamps_note(struct stamps *stamps, const char *path)
{
	struct stamp *stamp;

	if (map_has(&stamps->paths, str_from(path)))
		return;
	stamp = mem_new(1, sizeof *stamp);
	stamp->path = mem_dup_text(path);
	stamp->value = stamp_of(path);
	map_put(&stamps->paths, str_from(path), stamp);
}

static bool is_same(struct str path, void *value, void *context)
{
	const struct stamp *stamp = value;
	bool *changed = context;

	(void)path;
	*changed = stamp_of(stamp->path) != stamp->value;
	return !*changed;
}

bool stamps_changed(const struct stamps *stamps)
{
	bool changed = false;

	map_each(&stamps->paths, is_same, &changed);
	return changed;
}

static bool stamp_free(struct str path, void *value, void *context)
{
	struct stamp *stamp = value;

	(void)path;
	(void)context;
	free(stamp->path);
	free(stamp);
	return true;
}

void stamps_release(struct stamps *stamps)
{
	map_each(&stamps->paths, stamp_free, NULL);
	map_release(&stamps->paths);
}
