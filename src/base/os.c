/* realpath, and the strerror_r that returns a number. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include "base/os.h"
#include "base/os_private.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/mem.h"
#include "base/vec.h"

bool os_failed(struct err *err, enum err_code code, const char *verb, const char *path, int number)
{
	enum { PATH_SHOWN = 300 }; /* a longer one would push the reason out of the message */
	size_t length = strlen(path);
	bool is_cut = length > PATH_SHOWN;
	char reason[128];

	if (strerror_r(number, reason, sizeof reason) != 0)
		snprintf(reason, sizeof reason, "error %d", number);
	reason[0] = (char)tolower((unsigned char)reason[0]);
	return err_set(err, code, "cannot %s '%s%s': %s", verb, is_cut ? "..." : "",
		       is_cut ? path + length - PATH_SHOWN : path, reason);
}

static void stat_fill(struct os_stat *stat, const struct stat *raw)
{
	stat->kind = S_ISREG(raw->st_mode) ? OS_FILE : S_ISDIR(raw->st_mode) ? OS_FOLDER : OS_OTHER;
	stat->size = raw->st_size > 0 ? (uint64_t)raw->st_size : 0;
	stat->device = (uint64_t)raw->st_dev;
	stat->inode = (uint64_t)raw->st_ino;
	stat->modified = (int64_t)raw->st_mtim.tv_sec * 1000000000 + raw->st_mtim.tv_nsec;
}

static bool is_missing(int number)
{
	return number == ENOENT || number == ENOTDIR;
}

/* What NAME within FOLDER leads to; 0, or the errno where it cannot be told. */
static int stat_at(int folder, const char *name, struct os_stat *stat)
{
	struct stat raw;

	*stat = (struct os_stat){.kind = OS_MISSING};
	if (fstatat(folder, name, &raw, AT_SYMLINK_NOFOLLOW) != 0)
		return is_missing(errno) ? 0 : errno;
	if (S_ISLNK(raw.st_mode)) {
		stat->is_link = true;
		if (fstatat(folder, name, &raw, 0) != 0)
			return is_missing(errno) ? 0 : errno;
	}
	stat_fill(stat, &raw);
	return 0;
}

bool os_stat_get(const char *path, struct os_stat *stat, struct err *err)
{
	int number = stat_at(AT_FDCWD, path, stat);

	return number == 0 || os_failed(err, ERR_READ, "read", path, number);
}

bool os_stat_same(const struct os_stat *a, const struct os_stat *b)
{
	return a->kind == b->kind && a->size == b->size && a->device == b->device && a->inode == b->inode &&
	       a->modified == b->modified;
}

static int entry_order(const void *a, const void *b)
{
	return strcmp(((const struct os_entry *)a)->name, ((const struct os_entry *)b)->name);
}

bool os_list(const char *path, struct arena *arena, struct os_entry **entries, size_t *count, struct err *err)
{
	DIR *folder = opendir(path);
	VEC(struct os_entry) found = {0};
	struct dirent *item;
	int number;

	*entries = NULL;
	*count = 0;
	if (!folder)
		return os_failed(err, ERR_READ, "read", path, errno);
	while (errno = 0, (item = readdir(folder))) {
		struct os_entry entry = {item->d_name, {.kind = OS_MISSING}};

		if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
			continue;
		/* What cannot be told stays OS_MISSING: one bad link must not hide its neighbours. */
		stat_at(dirfd(folder), item->d_name, &entry.stat);
		entry.name = arena_dup(arena, item->d_name);
		VEC_ADD(&found, entry);
	}
	number = errno;
	closedir(folder);
	if (number == 0 && found.count) {
		qsort(found.items, found.count, sizeof *found.items, entry_order);
		*entries = ARENA_ARRAY(arena, struct os_entry, found.count);
		memcpy(*entries, found.items, found.count * sizeof *found.items);
		*count = found.count;
	}
	VEC_RELEASE(&found);
	return number == 0 || os_failed(err, ERR_READ, "read", path, number);
}

static bool too_big(struct err *err, const char *path, size_t limit)
{
	return err_set(err, ERR_TOO_BIG, "cannot read '%s': larger than %zu bytes", path, limit);
}

/* Reads DESCRIPTOR to its end, of which HINT bytes are expected. */
static bool read_all(int descriptor, const char *path, size_t hint, size_t limit, struct buf *buf, struct err *err)
{
	size_t start = buf->length;
	size_t room = hint + 1;

	for (;;) {
		ssize_t got;

		buf_reserve(buf, room);
		got = read(descriptor, buf->bytes + buf->length, room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return os_failed(err, ERR_READ, "read", path, errno);
		if (got == 0)
			return true;
		buf->length += (size_t)got;
		buf->bytes[buf->length] = '\0';
		if (limit && buf->length - start > limit)
			return too_big(err, path, limit);
		/* Once past what was expected, in steps. */
		room = buf->length - start <= hint ? hint + 1 - (buf->length - start) : (size_t)64 << 10;
	}
}

bool os_read_file(const char *path, size_t limit, struct buf *buf, struct err *err)
{
	/* O_NONBLOCK: opening a pipe without a writer would wait for ever. */
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct os_stat stat;
	struct stat raw;
	bool ok;

	if (descriptor < 0)
		return os_failed(err, ERR_READ, "read", path, errno);
	if (fstat(descriptor, &raw) != 0) {
		ok = os_failed(err, ERR_READ, "read", path, errno);
		goto out;
	}
	stat_fill(&stat, &raw);
	if (stat.kind != OS_FILE)
		ok = err_set(err, ERR_READ, "cannot read '%s': %s", path,
			     stat.kind == OS_FOLDER ? "is a folder" : "is not a regular file");
	else if (limit && stat.size > limit)
		ok = too_big(err, path, limit);
	else
		ok = read_all(descriptor, path, (size_t)stat.size, limit, buf, err);
out:
	close(descriptor);
	return ok;
}

bool os_put_all(int descriptor, struct str bytes)
{
	while (bytes.length > 0) {
		ssize_t put = write(descriptor, bytes.at, bytes.length);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		bytes = (struct str){bytes.at + put, bytes.length - (size_t)put};
	}
	return true;
}

void os_signals_hold(sigset_t *before)
{
	sigset_t ending;

	sigemptyset(&ending);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ending, before);
}

void os_signals_let_go(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Makes the new file, open as DESCRIPTOR, what the old one was, full of BYTES and safe on the disk. */
static bool file_complete(int descriptor, const struct stat *old, struct str bytes)
{
	struct stat made;

	if (fstat(descriptor, &made) != 0)
		return false;
	if ((made.st_uid != old->st_uid || made.st_gid != old->st_gid) && fchown(descriptor, old->st_uid, old->st_gid) != 0)
		return false;
	return fchmod(descriptor, old->st_mode & 07777) == 0 && os_put_all(descriptor, bytes) && fsync(descriptor) == 0;
}

/* A name change is safe on the disk once its folder is. */
static void folder_sync(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (descriptor < 0)
		return;
	fsync(descriptor);
	close(descriptor);
}

/* Replacing a file needs no right to write to it, but who took that right away wants it left as it is. */
static bool may_replace(const char *target, struct stat *old)
{
	return target && stat(target, old) == 0 && faccessat(AT_FDCWD, target, W_OK, AT_EACCESS) == 0;
}

bool os_may_replace_file(const char *path, struct err *err)
{
	char *target = realpath(path, NULL), *slash;
	struct stat old;
	bool ok = may_replace(target, &old) || os_failed(err, ERR_WRITE, "write", path, errno);

	if (ok) {
		slash = strrchr(target, '/');
		slash[slash == target] = '\0'; /* the root keeps its slash */
		ok = faccessat(AT_FDCWD, target, W_OK, AT_EACCESS) == 0 || os_failed(err, ERR_WRITE, "make a file beside", path, errno);
	}
	free(target);
	return ok;
}

bool os_replace_file(const char *path, struct str bytes, struct err *err)
{
	static const char name[] = ".vramlint-XXXXXX";
	char *target = realpath(path, NULL), *made = NULL;
	struct stat old;
	sigset_t signals;
	int descriptor = -1;
	bool ok = false;

	os_signals_hold(&signals);
	if (!may_replace(target, &old)) {
		os_failed(err, ERR_WRITE, "write", path, errno);
		goto out;
	}
	if (!S_ISREG(old.st_mode)) {
		err_set(err, ERR_WRITE, "cannot write '%s': is not a regular file", path);
		goto out;
	}
	made = mem_new(strlen(target) + sizeof name, 1);
	strcpy(made, target);
	strcpy(strrchr(made, '/') + 1, name);
	descriptor = mkstemp(made);
	if (descriptor < 0) {
		os_failed(err, ERR_WRITE, "make a file beside", path, errno);
		goto out;
	}
	ok = file_complete(descriptor, &old, bytes);
	ok = close(descriptor) == 0 && ok;
	ok = ok && rename(made, target) == 0;
	if (!ok) {
		os_failed(err, ERR_WRITE, "write", path, errno);
		unlink(made);
		goto out;
	}
	*strrchr(made, '/') = '\0';
	folder_sync(made[0] ? made : "/");
out:
	os_signals_let_go(&signals);
	free(made);
	free(target);
	return ok;
}

bool os_read_stdin(size_t limit, struct buf *buf, struct err *err)
{
	return read_all(STDIN_FILENO, "standard input", (size_t)64 << 10, limit, buf, err);
}

char *os_real_path(const char *path, struct arena *arena)
{
	char *resolved = realpath(path, NULL);
	char *copy = resolved ? arena_dup(arena, resolved) : NULL;

	free(resolved);
	return copy;
}

char *os_program_path(struct arena *arena)
{
	return os_real_path("/proc/self/exe", arena);
}

char *os_current_folder(struct arena *arena, struct err *err)
{
	size_t room = 256;
	char *path = mem_new(room, 1);
	char *copy = NULL;

	while (!getcwd(path, room) && errno == ERANGE) {
		room *= 2;
		path = mem_resize(path, room, 1);
		path[0] = '\0';
	}
	if (path[0] == '/')
		copy = arena_dup(arena, path);
	else
		os_failed(err, ERR_READ, "find", "the current folder", errno);
	free(path);
	return copy;
}

const char *os_env(const char *name)
{
	return getenv(name);
}

const char *os_user_config(struct arena *arena, const char *name)
{
	const char *folder = os_env("XDG_CONFIG_HOME"), *home = os_env("HOME");

	if (folder && folder[0] == '/')
		return arena_format(arena, "%s/%s", folder, name);
	return home && home[0] == '/' ? arena_format(arena, "%s/.config/%s", home, name) : NULL;
}

bool os_is_terminal(int descriptor)
{
	return isatty(descriptor) == 1;
}

int os_terminal_columns(int descriptor)
{
	struct winsize size;

	return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int os_terminal_lines(int descriptor)
{
	struct winsize size;

	return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

bool os_owns_terminal(int descriptor)
{
	return tcgetpgrp(descriptor) == getpgrp();
}

bool os_can_write(int descriptor)
{
	struct pollfd ready = {descriptor, POLLOUT, 0};

	return poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT);
}

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double os_seconds(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

double os_thread_seconds(void)
{
	return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

bool os_flush(FILE *stream, struct err *err)
{
	bool had_failed = ferror(stream);

	if (fflush(stream) != 0)
		return os_failed(err, ERR_WRITE, "write", "output", errno);
	if (had_failed)
		return err_set(err, ERR_WRITE, "cannot write 'output': an earlier write failed");
	return true;
}

void os_ignore_write_signals(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

void os_trim_memory(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
