#include "lsp/uri.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/os.h"
#include "base/path.h"

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *uri_to_path(struct arena *arena, const char *uri)
{
	static const char scheme[] = "file://", host[] = "localhost";
	char *path, *out;

	if (strncasecmp(uri, scheme, sizeof scheme - 1) != 0)
		return NULL;
	uri += sizeof scheme - 1;
	if (strncasecmp(uri, host, sizeof host - 1) == 0)
		uri += sizeof host - 1;
	if (*uri != '/')
		return NULL;
	path = out = arena_dup(arena, uri);
	for (; *uri && *uri != '?' && *uri != '#'; uri++) {
		int high = *uri == '%' ? digit_of(uri[1]) : -1;
		int low = high >= 0 ? digit_of(uri[2]) : -1;

		if (low >= 0 && high + low == 0)
			return NULL;
		*out++ = low >= 0 ? (char)(high * 16 + low) : *uri;
		uri += low >= 0 ? 2 : 0;
	}
	*out = '\0';
	return path;
}

const char *uri_to_real_path(struct arena *arena, const char *uri)
{
	const char *path = uri_to_path(arena, uri), *real = path ? os_real_path(path, arena) : NULL;
	const char *slash = path ? strrchr(path, '/') : NULL, *folder;

	if (real || !slash)
		return real;
	folder = os_real_path(arena_format(arena, "%.*s/", (int)(slash - path), path), arena);
	return folder ? path_join(arena, folder, slash + 1) : path;
}
