/* `check --watch`: the same check again after each change of what it read. */
#ifndef VRAMLINT_CLI_WATCH_H
#define VRAMLINT_CLI_WATCH_H

#include "base/os_watch.h"
#include "engine/walk.h"

/* Watches the folders of WALK as well. False where all of them were watched already, so that nothing that changed since
 * the walk began can be lost; else walk again. */
bool watch_follow(struct os_watch *watch, const struct walk *walk);
/* Calls CHECK(CONTEXT, WATCH), which calls watch_follow, now and after each change; returns, with the status of the last
 * check, only where there is nothing to watch. QUIET: says nothing between checks. */
int watch_run(int (*check)(void *context, struct os_watch *watch), void *context, bool quiet);

#endif
