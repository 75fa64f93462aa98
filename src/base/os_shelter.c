/* unshare */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "base/os_shelter.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#endif

#include "base/buf.h"
#include "base/os.h"
#include "base/os_private.h"
#include "base/path.h"
#include "base/vec.h"

int64_t os_free_space(const char *path)
{
	struct statvfs space;

	return statvfs(path, &space) == 0 ? (int64_t)space.f_bavail * (int64_t)space.f_frsize : -1;
}

bool os_may_execute(const char *folder)
{
#ifdef ST_NOEXEC
	struct statvfs space;

	return statvfs(folder, &space) != 0 || !(space.f_flag & ST_NOEXEC);
#else
	return true;
#endif
}

const char *os_shelter_written(const struct os_shelter *shelter, size_t index, struct arena *arena)
{
	return arena_format(arena, "%s/%zu/upper", shelter->place, index);
}

#ifdef __linux__

/* ---- mounts ---- */

/* Puts what FIELD, of /proc/self/mountinfo, stands for in its place: blanks are written "\040" there. */
static void unescape(char *field)
{
	char *to = field;

	for (const char *from = field; *from;) {
		bool is_escape = from[0] == '\\' && from[1] && from[2] && from[3];

		*to++ = is_escape ? (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0')) : *from;
		from += is_escape ? 4 : 1;
	}
	*to = '\0';
}

size_t os_mounts_below(const char *folder, struct arena *arena, const char ***paths)
{
	VEC(const char *) found = {NULL, 0, 0};
	struct buf text = BUF_INIT;
	char *line, *rest = NULL;
	size_t count;

	/* 36 35 98:0 /root /where/it/is rw … */
	if (!os_read_file("/proc/self/mountinfo", 0, &text, NULL))
		text.length = 0;
	for (line = text.length ? strtok_r(text.bytes, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
		char *field = line;

		for (int i = 0; i < 4 && field; i++) {
			field = strchr(field, ' ');
			field += field != NULL;
		}
		if (!field)
			continue;
		field[strcspn(field, " ")] = '\0';
		unescape(field);
		if (path_below(folder, field) && strcmp(folder, field) != 0)
			VEC_ADD(&found, arena_dup(arena, field));
	}
	count = found.count;
	*paths = ARENA_ARRAY(arena, const char *, count + 1);
	if (count)
		memcpy(*paths, found.items, count * sizeof *found.items);
	VEC_RELEASE(&found);
	buf_release(&text);
	return count;
}

/* ---- entering ---- */

static bool put(const char *path, const char *text)
{
	int descriptor = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = descriptor >= 0 && os_put_all(descriptor, str_from(text));

	if (descriptor >= 0)
		close(descriptor);
	return ok;
}

/* Takes this process into a mount namespace of its own, by a user namespace where that needs a right that it lacks; in it, it
 * is the same user. Root needs none, and without its own namespace loses rights over the files of others. */
static int leave_namespace(bool *as_user)
{
	unsigned user = geteuid(), group = getegid();
	char map[64];

	*as_user = false;
	if (unshare(CLONE_NEWNS) != 0) {
		if (user == 0)
			return errno;
		*as_user = true;
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
			return errno;
		put("/proc/self/setgroups", "deny");
		snprintf(map, sizeof map, "%u %u 1", group, group);
		if (!put("/proc/self/gid_map", map))
			return errno;
		snprintf(map, sizeof map, "%u %u 1", user, user);
		if (!put("/proc/self/uid_map", map))
			return errno;
	}
	/* what is mounted here stays here */
	return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0 ? 0 : errno;
}

/* In a user namespace of one user, what belongs to others has no owner: an overlay refuses to write to it. */
static bool is_foreign(const struct stat *stat)
{
	return stat->st_uid != geteuid() || stat->st_gid != getegid();
}

static int make_folder(const char *path, mode_t mode)
{
	return (mkdir(path, 0700) == 0 || errno == EEXIST) && chmod(path, mode) == 0 ? 0 : errno;
}

/* Mounts an overlay over FOLDER whose upper layer lies in PLACE. */
static int cover(const char *folder, const char *place, bool as_user, struct arena *arena)
{
	const char *upper = arena_format(arena, "%s/upper", place), *work = arena_format(arena, "%s/work", place);
	const char *options = arena_format(arena, "lowerdir=.,upperdir=%s,workdir=%s", upper, work);
	struct stat stat;
	int number;

	/* a name may hold what the options cannot: "." holds nothing */
	if (chdir(folder) != 0 || lstat(".", &stat) != 0)
		return errno;
	if (as_user && is_foreign(&stat))
		return EOVERFLOW;
	/* the folder itself shows the mode and owner of the upper layer */
	if ((number = make_folder(place, 0700)) || (number = make_folder(upper, stat.st_mode & 07777)) ||
	    (number = make_folder(work, 0700)))
		return number;
	if (chown(upper, stat.st_uid, stat.st_gid) != 0)
		return errno;
	if (as_user)
		return mount("overlay", ".", "overlay", 0, arena_format(arena, "%s,userxattr", options)) == 0 ? 0 : errno;
	/* so that old folders can be renamed; not all kernels know it */
	if (mount("overlay", ".", "overlay", 0, arena_format(arena, "%s,redirect_dir=on", options)) == 0)
		return 0;
	return mount("overlay", ".", "overlay", 0, options) == 0 ? 0 : errno;
}

static int enter(const struct os_shelter *shelter, size_t *failed, bool *as_user, struct arena *arena)
{
	char *current = os_current_folder(arena, NULL);
	int *open_ends = ARENA_ARRAY(arena, int, shelter->open_count + 1);
	int number;

	*failed = shelter->count;
	if (!current)
		return ENOENT;
	if ((number = leave_namespace(as_user)) || (number = make_folder(shelter->place, 0700)))
		return number;
	/* as they are seen from the new namespace, and not through an overlay yet */
	for (size_t i = 0; i < shelter->open_count; i++)
		open_ends[i] = open(shelter->open[i], O_PATH | O_CLOEXEC);
	for (*failed = 0; *failed < shelter->count; (*failed)++) {
		number = cover(shelter->folders[*failed], arena_format(arena, "%s/%zu", shelter->place, *failed), *as_user, arena);
		if (number)
			return number;
	}
	for (size_t i = 0; i < shelter->open_count; i++) {
		if (open_ends[i] < 0)
			continue;
		if (mount(arena_format(arena, "/proc/self/fd/%d", open_ends[i]), shelter->open[i], NULL, MS_BIND | MS_REC, NULL) != 0)
			return errno;
		close(open_ends[i]);
	}
	return chdir(current) == 0 ? 0 : errno;
}

int os_shelter_enter(const struct os_shelter *shelter, size_t *failed)
{
	struct arena arena;
	bool as_user;
	int number;

	arena_init(&arena);
	number = enter(shelter, failed, &as_user, &arena);
	arena_release(&arena);
	return number;
}

/* ---- trying ---- */

/* Removes a folder and makes it anew, as scripts do with that of their last run: where the filesystem of the upper layer
 * lacks extended attributes all else works, but not this. */
static int make_anew(const struct os_shelter *shelter, bool as_user, struct arena *arena)
{
	const char *below = arena_format(arena, "%s/below", shelter->place);
	const char *folder = arena_format(arena, "%s/old", below);
	int number = make_folder(below, 0700);

	if (number || (number = make_folder(folder, 0700)) ||
	    (number = cover(below, arena_format(arena, "%s/above", shelter->place), as_user, arena)))
		return number;
	return rmdir(folder) == 0 && mkdir(folder, 0700) == 0 ? 0 : errno;
}

static int looked_at; /* by nftw, which hands nothing on */

/* Ends the walk at what is written to without a shelter and could not be with one. */
static int find_foreign(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
	enum { MOST = 3000, DEEPEST = 4 };

	if (++looked_at > MOST || where->level > DEEPEST)
		return -1;
	return !S_ISLNK(stat->st_mode) && is_foreign(stat) && access(path, W_OK) == 0;
}

/* Whether a look at the first files of the folders shows some that others own and that this user may write to. */
static bool has_foreign(const struct os_shelter *shelter, size_t *index)
{
	enum { DESCRIPTORS = 16 };

	for (*index = 0; *index < shelter->count; (*index)++) {
		looked_at = 0;
		if (nftw(shelter->folders[*index], find_foreign, DESCRIPTORS, FTW_PHYS | FTW_MOUNT) > 0)
			return true;
	}
	return false;
}

struct attempt {
	int number;
	size_t failed;
};

static struct attempt attempt(const struct os_shelter *shelter)
{
	struct attempt attempt;
	struct arena arena;
	bool as_user = false;

	arena_init(&arena);
	attempt.number = enter(shelter, &attempt.failed, &as_user, &arena);
	if (attempt.number == 0 && as_user && has_foreign(shelter, &attempt.failed))
		attempt.number = EOVERFLOW;
	if (attempt.number == 0)
		attempt.number = make_anew(shelter, as_user, &arena);
	arena_release(&arena);
	return attempt;
}

static bool say(const struct os_shelter *shelter, const struct attempt *attempt, struct err *err)
{
	const char *subject = attempt->failed < shelter->count ? shelter->folders[attempt->failed] : shelter->place;

	switch (attempt->number) {
	case 0:
		return true;
	case EPERM:
	case EACCES:
	case ENOSPC: /* of user namespaces */
	case EUSERS:
		return err_set(err, ERR_LIMIT, "this system does not let a program have mounts of its own");
	case EOVERFLOW:
		return err_set(err, ERR_LIMIT, "some of it belongs to another user or group");
	case ENODEV:
		return err_set(err, ERR_LIMIT, "this kernel has no overlays");
	case EINVAL:
		return err_set(err, ERR_LIMIT, "its filesystem or that of the folder for temporary files takes no overlay");
	default:
		return os_failed(err, ERR_LIMIT, "put an overlay on", subject, attempt->number);
	}
}

bool os_shelter_try(const struct os_shelter *shelter, size_t *failed, struct err *err)
{
	struct os_shelter trial = *shelter;
	struct attempt result = {EIO, shelter->count};
	struct arena arena;
	int ends[2];
	pid_t child;
	bool ok;

	*failed = shelter->count;
	if (pipe(ends) != 0)
		return os_failed(err, ERR_LIMIT, "try", shelter->place, errno);
	arena_init(&arena);
	trial.place = arena_format(&arena, "%s-trial", shelter->place); /* an upper layer may be used once only */
	fflush(NULL);
	child = fork();
	if (child == 0) {
		result = attempt(&trial);
		_exit(write(ends[1], &result, sizeof result) != sizeof result);
	}
	close(ends[1]);
	if (child > 0 && read(ends[0], &result, sizeof result) != sizeof result)
		result = (struct attempt){EIO, shelter->count};
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	*failed = result.failed;
	ok = say(shelter, &result, err);
	arena_release(&arena);
	return ok;
}

#else

size_t os_mounts_below(const char *folder, struct arena *arena, const char ***paths)
{
	*paths = ARENA_ARRAY(arena, const char *, 1);
	return 0;
}

int os_shelter_enter(const struct os_shelter *shelter, size_t *failed)
{
	*failed = shelter->count;
	return ENOSYS;
}

bool os_shelter_try(const struct os_shelter *shelter, size_t *failed, struct err *err)
{
	*failed = shelter->count;
	return err_set(err, ERR_LIMIT, "this system has no overlays");
}

#endif
