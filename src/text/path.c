#include "text/path.h"

#include <string.h>

#include "base/buf.h"

const char *path_join(struct arena *arena, const char *folder, const char *name)
{
	if (!folder[0])
		return name;
	return arena_format(arena, "%s%s%s", folder, str_ends(str_from(folder), "/") ? "" : "/", name);
}

char *path_absolute(struct arena *arena, const char *current, const char *path)
{
	struct buf out = BUF_INIT;
	bool had_name = false;
	char *absolute = NULL;

	if (path[0] != '/' && strcmp(current, "/") != 0)
		buf_add_text(&out, current);
	while (*path) {
		size_t length = strcspn(path, "/");

		if (length == 2 && memcmp(path, "..", 2) == 0) {
			const char *slash = out.length ? strrchr(out.bytes, '/') : NULL;

			if (had_name)
				goto out;
			if (slash)
				out.length = (size_t)(slash - out.bytes);
			if (out.bytes)
				out.bytes[out.length] = '\0';
		} else if (length > 0 && !(length == 1 && path[0] == '.')) {
			had_name = true;
			buf_add_char(&out, '/');
			buf_add(&out, path, length);
		}
		path += length + (path[length] == '/');
	}
	absolute = arena_dup(arena, out.length ? out.bytes : "/");
out:
	buf_release(&out);
	return absolute;
}

const char *path_relative(struct arena *arena, const char *folder, const char *path)
{
	struct buf out = BUF_INIT;
	size_t common = 0;
	const char *relative;

	if (strcmp(folder, "/") == 0)
		folder = "";
	if (strcmp(path, "/") == 0)
		path = "";
	/* The end of the longest run of whole names that both begin with. */
	for (size_t i = 0;; i++) {
		bool folder_ends = folder[i] == '/' || !folder[i];
		bool path_ends = path[i] == '/' || !path[i];

		if (folder_ends && path_ends)
			common = i;
		if (folder[i] != path[i] || !folder[i])
			break;
	}
	for (const char *at = folder + common; *at; at++) {
		if (*at == '/')
			buf_add_text(&out, out.length ? "/.." : "..");
	}
	if (path[common]) {
		if (out.length)
			buf_add_char(&out, '/');
		buf_add_text(&out, path + common + 1);
	}
	relative = arena_dup(arena, buf_text(&out));
	buf_release(&out);
	return relative;
}
