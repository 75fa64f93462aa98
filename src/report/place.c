#include "report/place.h"

/* The part of FOLDER below ROOT, "" where they are the same, or NULL where it does not lie there. */
static const char *below(const char *folder, const char *root)
{
	struct str start = str_from(root);

	while (start.length > 0 && start.at[start.length - 1] == '/')
		start.length--;
	if (strncmp(folder, start.at, start.length) != 0 || (folder[start.length] && folder[start.length] != '/'))
		return NULL;
	folder += start.length;
	return *folder ? folder + 1 : folder;
}

void place_add_path(struct buf *out, const struct report_host *host, const char *path)
{
	const char *root = host && host->root ? host->root : host ? host->folder : NULL;
	const char *folder = root && host->folder ? below(host->folder, root) : NULL;
	struct str rest = str_from(folder);

	if (root && path[0] == '/') {
		const char *relative = below(path, root);

		buf_add_text(out, relative ? relative : path);
		return;
	}

	/* Each "../" takes a folder off the end. */
	while (rest.length > 0 && path[0] == '.' && path[1] == '.' && path[2] == '/') {
		while (rest.length > 0 && rest.at[rest.length - 1] != '/')
			rest.length--;
		rest.length -= rest.length > 0;
		path += 3;
	}
	if (rest.length > 0) {
		buf_add_str(out, rest);
		buf_add_char(out, '/');
	}
	buf_add_text(out, path);
}

void place_add_uri(struct buf *out, struct str path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

	for (size_t i = 0; i < path.length; i++) {
		if (memchr(plain, path.at[i], sizeof plain - 1))
			buf_add_char(out, path.at[i]);
		else
			buf_format(out, "%%%02X", (unsigned char)path.at[i]);
	}
}

void place_add_position(struct buf *out, const struct excerpt *at)
{
	struct buf place = BUF_INIT;

	excerpt_add_place(&place, at);
	if (place.length > 0)
		buf_add_text(out, place.bytes + 1); /* without the colon that sets it off from a path */
	buf_release(&place);
}

void place_add_cell(struct buf *out, const struct excerpt *at)
{
	if (at->cell)
		buf_format(out, "cell %lu, line %lu: ", (unsigned long)at->cell, (unsigned long)at->start.line);
}
