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

const char *os_temp_new(const char *above, struct arena *arena, struct err *err)
{
	char *path = arena_format(arena, "%s/vramlint-XXXXXX", above);

	if (mkdtemp(path))
		return path;
	os_failed(err, ERR_WRITE, "make a folder in", above, errno);
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

/* Of a folder that may not be entered nothing can be removed. */
static int open_one(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
	if (S_ISDIR(stat->st_mode) && (stat->st_mode & 0700) != 0700)
		chmod(path, 0700);
	return 0;
}

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
	remove(path);
	return 0;
}

void os_temp_remove(const char *folder)
{
	enum { DESCRIPTORS = 16 };

	/* what was opened has to be looked into in turn: as deep as folders that may not be entered lie in each other */
	for (int i = 0; i < 3; i++)
		nftw(folder, open_one, DESCRIPTORS, FTW_PHYS);
	nftw(folder, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}
