/* A process beside this one that clears up if this one is killed and cannot do so itself.
 *
 * It is no child of ours, takes no signal of the terminal's and goes when told. One at a time. */
#ifndef VRAMLINT_BASE_OS_GUARD_H
#define VRAMLINT_BASE_OS_GUARD_H

#include "base/err.h"

struct os_guard;

/* What it does if we are gone without os_guard_free: writes FAREWELL (may be NULL) to standard error, ends all processes that
 * have MARK ("NAME=VALUE") in the environment that they were started with, and all below them, and removes FOLDER, which
 * os_temp_new made. NULL with ERR set where there can be none. To be called while this process has one thread. */
struct os_guard *os_guard_new(const char *folder, const char *mark, const char *farewell, struct err *err);
void os_guard_free(struct os_guard *guard); /* it does nothing of all that */

#endif
