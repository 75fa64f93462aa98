/* nftw */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include "base/os_temp.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/os_private.h"

const char *os_temp_new(struct arena *arena, struct err *err)
{
	const char *above = os_env("TMPDIR");
	char *path = arena_format(arena, "%s/vramlint-XXXXXX", above && *above ? above : "/tmp");

	if (mkdtemp(path))
		return path;
	os_failed(err, ERR_WRITE, "make a folder in", above && *above ? above : "/tmp", errno);
	return NULL;
}

bool os_temp_folder(const char *folder, const char *name, struct err *err)
{
	struct arena arena;
	const char *path;
	bool made;

	arena_init(&arena);
	path = arena_format(&arena, "%s/%s", folder, name);
	made = mkdir(path, 0700) == 0 || os_failed(err, ERR_WRITE, "make the folder", path, errno);
	arena_release(&arena);
	return made;
}

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
	remove(path);
	return 0;
}

void os_temp_remove(const char *folder)
{
	enum { DESCRIPTORS = 16 };

	nftw(folder, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}
