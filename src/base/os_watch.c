/* st_mtim by its POSIX name. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "base/os_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"

enum { QUIET_MS = 50, LOOK_MS = 500, NO_WATCH = -1 };

struct watched {
	int number;    /* of inotify, or NO_WATCH: looked at */
	uint64_t seen; /* of what is looked at: all its entries */
	char path[];   /* NUL-terminated */
};

struct os_watch {
	bool (*is_wanted)(const char *name);
	int inotify; /* descriptor, or -1 */
	struct map folders; /* path -> struct watched */
};

static uint64_t mix(uint64_t sum, const void *bytes, size_t length)
{
	return sum * UINT64_C(0x9E3779B97F4A7C15) + str_hash((struct str){bytes, length});
}

static uint64_t entry_seen(int folder, const char *name, bool (*is_wanted)(const char *name))
{
	struct stat stat;
	uint64_t sum = str_hash(str_from(name));
	bool is_folder;

	if (fstatat(folder, name, &stat, 0) != 0)
		return is_wanted(name) ? sum : 0;
	is_folder = S_ISDIR(stat.st_mode);
	if (!is_folder && !is_wanted(name))
		return 0;
	sum = mix(sum, &stat.st_ino, sizeof stat.st_ino);
	sum = mix(sum, &stat.st_dev, sizeof stat.st_dev);
	if (is_folder)
		return sum;
	sum = mix(sum, &stat.st_size, sizeof stat.st_size);
	sum = mix(sum, &stat.st_mtim.tv_sec, sizeof stat.st_mtim.tv_sec);
	return mix(sum, &stat.st_mtim.tv_nsec, sizeof stat.st_mtim.tv_nsec);
}

/* The same for the same entries, whatever their order. */
static uint64_t folder_seen(const char *path, bool (*is_wanted)(const char *name))
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	uint64_t sum = 1;

	if (!folder)
		return 0;
	while ((entry = readdir(folder))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			sum += entry_seen(dirfd(folder), entry->d_name, is_wanted);
	}
	closedir(folder);
	return sum;
}

struct os_watch *os_watch_new(enum os_watch_how how, bool (*is_wanted)(const char *name))
{
	struct os_watch *watch = mem_new(1, sizeof *watch);

	watch->is_wanted = is_wanted;
	watch->inotify = -1;
#ifdef __linux__
	if (how == OS_WATCH_BEST)
		watch->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
#endif
	return watch;
}

static bool watched_free(struct str path, void *folder, void *context)
{
	free(folder);
	return true;
}

void os_watch_free(struct os_watch *watch)
{
	if (!watch)
		return;
	map_each(&watch->folders, watched_free, NULL);
	map_release(&watch->folders);
	if (watch->inotify >= 0)
		close(watch->inotify);
	free(watch);
}

static int inotify_watch(const struct os_watch *watch, const char *folder)
{
#ifdef __linux__
	if (watch->inotify >= 0)
		return inotify_add_watch(watch->inotify, folder,
					 IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
						 IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR);
#endif
	return NO_WATCH;
}

bool os_watch_add(struct os_watch *watch, const char *folder)
{
	struct str path = str_from(folder);
	struct watched *watched = map_get(&watch->folders, path);
	/* One that is asked for again has the number it had, unless another folder has taken its path. */
	int number = inotify_watch(watch, folder);

	if (watched && watched->number == number)
		return false;
	if (!watched) {
		watched = mem_new(1, sizeof *watched + path.length + 1);
		memcpy(watched->path, folder, path.length);
		map_put(&watch->folders, path, watched);
	}
	watched->number = number;
	if (number == NO_WATCH)
		watched->seen = folder_seen(folder, watch->is_wanted);
	return true;
}

size_t os_watch_count(const struct os_watch *watch)
{
	return watch->folders.count;
}

#ifdef __linux__
struct search {
	int number;
	struct str path; /* found */
};

static bool has_another_number(struct str path, void *folder, void *context)
{
	struct search *search = context;

	if (((struct watched *)folder)->number != search->number)
		return true;
	search->path = path;
	return false;
}

/* A folder that has gone or moved away. */
static void forget(struct os_watch *watch, int number)
{
	struct search search = {number, {NULL, 0}};

	map_each(&watch->folders, has_another_number, &search);
	if (search.path.at)
		free(map_remove(&watch->folders, search.path));
}

static bool event_counts(struct os_watch *watch, const struct inotify_event *event)
{
	if (event->mask & IN_MOVE_SELF)
		inotify_rm_watch(watch->inotify, event->wd);
	if (event->mask & IN_IGNORED)
		forget(watch, event->wd);
	if (event->mask & (IN_Q_OVERFLOW | IN_MOVE_SELF | IN_DELETE_SELF))
		return true;
	return event->len > 0 && ((event->mask & IN_ISDIR) || watch->is_wanted(event->name));
}

/* Takes the events that are there; whether one of them counts. */
static bool take_events(struct os_watch *watch)
{
	_Alignas(struct inotify_event) char bytes[16 << 10];
	bool counts = false;
	ssize_t got;

	while ((got = read(watch->inotify, bytes, sizeof bytes)) > 0) {
		for (ssize_t at = 0; at < got;) {
			const struct inotify_event *event = (const struct inotify_event *)(const void *)(bytes + at);

			counts |= event_counts(watch, event);
			at += (ssize_t)(sizeof *event + event->len);
		}
	}
	return counts;
}
#else
static bool take_events(struct os_watch *watch)
{
	return false;
}
#endif

struct looking {
	const struct os_watch *watch;
	bool any, changed;
};

static bool look_at(struct str path, void *data, void *context)
{
	struct watched *folder = data;
	struct looking *looking = context;
	uint64_t seen;

	if (folder->number != NO_WATCH)
		return true;
	seen = folder_seen(folder->path, looking->watch->is_wanted);
	looking->any = true;
	looking->changed |= seen != folder->seen;
	folder->seen = seen;
	return true;
}

/* Whether something changed by now, after MS milliseconds at most (-1: no limit). *LOOKS: some folders are looked at. */
static bool changed_within(struct os_watch *watch, int ms, bool *looks)
{
	struct pollfd ready = {watch->inotify, POLLIN, 0};
	struct looking looking = {watch, false, false};
	bool told = false;

	poll(&ready, watch->inotify >= 0, ms);
	if (watch->inotify >= 0)
		told = take_events(watch);
	map_each(&watch->folders, look_at, &looking);
	*looks = looking.any;
	return told || looking.changed;
}

void os_watch_wait(struct os_watch *watch)
{
	bool looks;
	bool changed = changed_within(watch, 0, &looks);

	while (!changed)
		changed = changed_within(watch, looks ? LOOK_MS : -1, &looks);
	while (changed)
		changed = changed_within(watch, QUIET_MS, &looks);
}
