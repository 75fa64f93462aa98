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

bool os_write_file(const char *path, struct str bytes, struct err *err)
{
	char *target = realpath(path, NULL);
	struct stat old;
	bool ok;

	if (!target && (errno != ENOENT || lstat(path, &old) == 0))
		return os_failed(err, ERR_WRITE, "write", path, errno ? errno : ENOENT);
	if (!target)
		return put_in_place(path, path, mode_of_new_files(), bytes, err);
	if (stat(target, &old) != 0)
		ok = os_failed(err, ERR_WRITE, "write", path, errno);
	else if (S_ISDIR(old.st_mode))
		ok = os_failed(err, ERR_WRITE, "write", path, EISDIR);
	else if (!S_ISREG(old.st_mode)) /* a device or a pipe has to stay what it is */
		ok = put_directly(target, 0, bytes, err);
	else if (access(target, W_OK) != 0) /* replacing it would need no right to write to it */
		ok = os_failed(err, ERR_WRITE, "write", path, errno);
	else
		ok = put_in_place(path, target, old.st_mode & 07777, bytes, err);
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
