#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os_private.h"

/* Writes to what PATH leads to, as it lies there. */
static bool put_directly(const char *path, int flags, struct str bytes, struct err *err)
{
	int descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
	int number = 0;

	if (descriptor < 0)
		return os_failed(err, ERR_WRITE, "write", path, errno);
	if (!os_put_all(descriptor, bytes))
		number = errno;
	if (close(descriptor) != 0 && number == 0)
		number = errno;
	return number == 0 || os_failed(err, ERR_WRITE, "write", path, number);
}

/* What a new file's mode would be; there is no asking without setting it. */
static mode_t mode_of_new_files(void)
{
	mode_t mask = umask(022);

	umask(mask);
	return 0666 & ~mask;
}

/* A whole file beside TARGET takes its name. */
static bool put_in_place(const char *path, const char *target, mode_t mode, struct str bytes, struct err *err)
{
	static const char pattern[] = ".vramlint-XXXXXX";
	const char *slash = strrchr(target, '/');
	size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
	char *made = mem_new(folder + sizeof pattern, 1);
	sigset_t signals;
	int number = 0;
	int descriptor;

	memcpy(made, target, folder);
	strcpy(made + folder, pattern);
	os_signals_hold(&signals);
	descriptor = mkstemp(made);
	if (descriptor < 0 || fchmod(descriptor, mode) != 0 || !os_put_all(descriptor, bytes))
		number = errno;
	if (descriptor >= 0 && close(descriptor) != 0 && number == 0)
		number = errno;
	if (number == 0 && rename(made, target) != 0)
		number = errno;
	if (number != 0 && descriptor >= 0)
		unlink(made);
	os_signals_let_go(&signals);
	free(made);
	return number == 0 || os_failed(err, ERR_WRITE, "write", path, number);
}

enum way { WAY_NONE, WAY_NEW, WAY_REPLACE, WAY_DIRECT };

/* How PATH, which leads to TARGET (or to nothing: NULL, with errno of that), can be written; errno says why not. */
static enum way way_of(const char *path, const char *target, struct stat *old)
{
	int number = errno;

	if (!target && number == ENOENT && lstat(path, old) != 0)
		return WAY_NEW;
	if (!target)
		errno = number ? number : ENOENT;
	else if (stat(target, old) != 0)
		return WAY_NONE;
	else if (S_ISDIR(old->st_mode))
		errno = EISDIR;
	else if (!S_ISREG(old->st_mode)) /* a device or a pipe has to stay what it is */
		return WAY_DIRECT;
	else if (access(target, W_OK) == 0) /* replacing it would need no right to write to it */
		return WAY_REPLACE;
	return WAY_NONE;
}

bool os_write_file(const char *path, struct str bytes, struct err *err)
{
	char *target = realpath(path, NULL);
	struct stat old;
	enum way way = way_of(path, target, &old);
	bool ok;

	if (way == WAY_NEW)
		ok = put_in_place(path, path, mode_of_new_files(), bytes, err);
	else if (way == WAY_DIRECT)
		ok = put_directly(target, 0, bytes, err);
	else if (way == WAY_REPLACE)
		ok = put_in_place(path, target, old.st_mode & 07777, bytes, err);
	else
		ok = os_failed(err, ERR_WRITE, "write", path, errno);
	free(target);
	return ok;
}

bool os_may_write_file(const char *path, struct err *err)
{
	char *target = realpath(path, NULL);
	struct stat old;
	enum way way = way_of(path, target, &old);
	int number = errno;
	char *folder = mem_dup_text(target ? target : path), *slash = strrchr(folder, '/');
	bool ok = false;

	if (slash)
		slash[slash == folder] = '\0'; /* the root keeps its slash */
	if (way != WAY_NONE) {
		ok = access(way == WAY_DIRECT ? target : slash ? folder : ".", W_OK) == 0;
		number = errno;
	}
	ok = ok || os_failed(err, ERR_WRITE, "write", path, number);
	free(folder);
	free(target);
	return ok;
}

bool os_append_file(const char *path, struct str bytes, struct err *err)
{
	return put_directly(path, O_CREAT | O_APPEND, bytes, err);
}

bool os_is_file(int descriptor)
{
	struct stat raw;

	return fstat(descriptor, &raw) == 0 && S_ISREG(raw.st_mode);
}
