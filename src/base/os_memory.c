#include "base/os_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/os.h"

/* Larger files than these have nothing of it. */
enum { FILE_LIMIT = 1 << 20 };

/* The whole of FOLDER/NAME in ARENA, or NULL. */
static const char *text_of(struct arena *arena, const char *folder, const char *name)
{
	struct buf text = BUF_INIT;
	struct err err;
	const char *copy = NULL;

	if (os_read_file(arena_format(arena, "%s/%s", folder, name), FILE_LIMIT, &text, &err))
		copy = arena_dup(arena, buf_text(&text));
	buf_release(&text);
	return copy;
}

/* The number behind NAME at the beginning of a line of TEXT ("MemTotal:  16 kB"), or -1. */
static int64_t number_behind(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (strncmp(line, name, length) == 0)
			return strtoll(line + length, NULL, 10);
	}
	return -1;
}

/* The number that is all of a file, or -1 where there is none, as in "max". */
static int64_t number_in(struct arena *arena, const char *folder, const char *name)
{
	const char *text = text_of(arena, folder, name);

	return text && *text >= '0' && *text <= '9' ? strtoll(text, NULL, 10) : -1;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 ? a : a < b ? a : b;
}

/* How the two versions name their files. */
static const struct control {
	const char *folder, *limit, *usage, *cache;
} controls[] = {
	{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
};

static void limit_by(struct os_memory *memory, struct arena *arena, const struct control *control, const char *folder)
{
	int64_t limit = number_in(arena, folder, control->limit), usage = number_in(arena, folder, control->usage), cache;
	const char *stat;

	/* version 1 writes a number of its own for "no limit", which is larger than any machine */
	if (limit < 0 || (memory->total >= 0 && limit >= memory->total))
		return;
	stat = text_of(arena, folder, "memory.stat");
	cache = stat ? number_behind(stat, control->cache) : 0;
	memory->total = limit;
	memory->is_limited = true;
	if (usage >= 0)
		memory->available = least(memory->available, limit > usage ? limit - usage + (cache > 0 ? cache : 0) : 0);
	memory->available = memory->available > limit ? limit : memory->available;
}

/* The group of this process, "/" or a path, as /proc/self/cgroup names it for version 2 (V2) or 1. */
static const char *group_of(struct arena *arena, const char *groups, bool v2)
{
	for (const char *line = groups; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		size_t length = strcspn(line, "\n");
		const char *first = memchr(line, ':', length);
		const char *second = first ? memchr(first + 1, ':', length - (size_t)(first + 1 - line)) : NULL;
		size_t names;

		if (!second)
			continue;
		names = (size_t)(second - first - 1);
		if (v2 ? names == 0 : names == 6 && strncmp(first + 1, "memory", 6) == 0)
			return arena_dup_bytes(arena, second + 1, length - (size_t)(second + 1 - line));
	}
	return "/";
}

/* The limits of GROUP and of all above it. In a container the path may be one of outside, which is not there; the root is. */
static void limit_by_groups(struct os_memory *memory, struct arena *arena, const char *root, const struct control *control,
			    const char *group)
{
	char *path = arena_dup(arena, strcmp(group, "/") == 0 ? "" : group), *slash;

	for (;;) {
		limit_by(memory, arena, control, arena_format(arena, "%s%s%s", root, control->folder, path));
		slash = strrchr(path, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

struct os_memory os_memory_get(const char *root)
{
	struct os_memory memory = {-1, -1, false};
	struct arena arena;
	const char *text;

	arena_init(&arena);
	text = text_of(&arena, root, "proc/meminfo");
	if (text) {
		memory.total = number_behind(text, "MemTotal:");
		memory.available = number_behind(text, "MemAvailable:");
		memory.total = memory.total >= 0 ? memory.total * 1024 : -1;
		memory.available = memory.available >= 0 ? memory.available * 1024 : -1;
	}
	text = text_of(&arena, root, "proc/self/cgroup");
	for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
		limit_by_groups(&memory, &arena, root, &controls[i], group_of(&arena, text, i == 0));
	arena_release(&arena);
	return memory;
}
