#include "cli/watch.h"

#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/terminal.h"

/* What a check reads: code, notebooks, and what says how and what to check. */
static bool is_read(const char *name)
{
	static const char *const endings[] = {".py", ".pyi", ".ipynb", ".toml"};
	struct str whole = str_from(name);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		if (str_ends(whole, endings[i]))
			return true;
	}
	return str_is(whole, ".gitignore") || str_is(whole, ".ignore");
}

/* Watches the folder of the file at PATH. */
static bool folder_follow(struct os_watch *watch, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct buf folder = BUF_INIT;
	bool is_new;

	buf_add(&folder, path, slash ? (size_t)(slash - path) : 0);
	if (!slash)
		buf_add_char(&folder, '.');
	else if (!folder.length)
		buf_add_char(&folder, '/');
	is_new = os_watch_add(watch, buf_text(&folder));
	buf_release(&folder);
	return is_new;
}

bool watch_follow(struct os_watch *watch, const struct walk *walk)
{
	bool is_new = false;

	for (size_t i = 0; i < walk->folder_count; i++)
		is_new |= os_watch_add(watch, walk->folders[i]);
	for (size_t i = 0; i < walk->file_count; i++) {
		const char *configuration = walk->files[i].settings->file;

		is_new |= folder_follow(watch, walk->files[i].path);
		if (configuration)
			is_new |= folder_follow(watch, configuration);
	}
	return is_new;
}

int watch_run(int (*check)(void *context, struct os_watch *watch), void *context, bool quiet)
{
	struct os_watch *watch = os_watch_new(OS_WATCH_BEST, is_read);
	int status;

	for (;;) {
		terminal_clear();
		status = check(context, watch);
		if (os_watch_count(watch) == 0)
			break;
		if (!quiet)
			message_note("watching %zu folder%s for changes; Ctrl-C ends", os_watch_count(watch),
				     os_watch_count(watch) == 1 ? "" : "s");
		os_watch_wait(watch);
	}
	os_watch_free(watch);
	return status;
}
