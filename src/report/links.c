#include "report/links.h"

#include <string.h>

#include "base/os.h"
#include "report/place.h"

const char *links_file_url(const char *path, struct arena *arena)
{
	struct buf url = BUF_INIT;
	const char *copy;

	buf_add_text(&url, "file://");
	place_add_uri(&url, str_from(path));
	copy = arena_dup(arena, buf_text(&url));
	buf_release(&url);
	return copy;
}

static bool is_file(const char *path)
{
	struct os_stat stat;

	return os_stat_get(path, &stat, NULL) && stat.kind == OS_FILE;
}

const char *const *links_find(const struct rule_set *rules, struct arena *arena)
{
	const char *program = os_program_path(arena);
	const char *slash = program ? strrchr(program, '/') : NULL;
	const char *folder;
	const char **links;

	if (!slash)
		return NULL;
	folder = os_real_path(
		arena_format(arena, "%.*s/../share/doc/vramlint/rules", (int)(slash - program), program), arena);
	if (!folder)
		return NULL;
	links = ARENA_ARRAY(arena, const char *, rules->count + 1);
	for (size_t i = 0; i < rules->count; i++) {
		const char *path = arena_format(arena, "%s/%s.md", folder, rules->rules[i]->name);

		if (is_file(path))
			links[rules->rules[i]->index] = links_file_url(path, arena);
	}
	return links;
}
