/* Lets a command write into folders and keeps them as they are: what it writes goes into other ones, what it reads is as it
 * left it. It is done by overlays in a mount namespace of its own, which Linux has to allow.
 *
 * Owns nothing. */
#ifndef VRAMLINT_BASE_OS_SHELTER_H
#define VRAMLINT_BASE_OS_SHELTER_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/err.h"

struct os_shelter {
	const char *place;           /* an absolute folder, without ',', ':' and '\\' in it, outside of all others here */
	const char *const *folders;  /* absolute, without links, none in another: what is kept */
	size_t count;
	const char *const *open;     /* folders in them that are written to none the less */
	size_t open_count;
};

/* Whether it works here: enters in a process of its own. *FAILED is the index of the folder that it does not work for, or
 * `count` where it works for none. To be called while this process has one thread. */
bool os_shelter_try(const struct os_shelter *shelter, size_t *failed, struct err *err);
/* Where what is written to folder INDEX goes, in ARENA. */
const char *os_shelter_written(const struct os_shelter *shelter, size_t index, struct arena *arena);
/* For the child that os_shelter_try has shown that it works: from now on this process and all that it starts see overlays.
 * 0, or the errno. */
int os_shelter_enter(const struct os_shelter *shelter, size_t *failed);
/* Where something is mounted below FOLDER, in ARENA. */
size_t os_mounts_below(const char *folder, struct arena *arena, const char ***paths);
/* Bytes that are free where PATH lies, or -1. */
int64_t os_free_space(const char *path);
/* Whether programs and libraries that lie in FOLDER may be used, as far as its filesystem goes. */
bool os_may_execute(const char *folder);

#endif
