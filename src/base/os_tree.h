/* Processes that others have started, and what is left of those whose parents are gone.
 *
 * Linux only: elsewhere no process has any. Any thread. */
#ifndef VRAMLINT_BASE_OS_TREE_H
#define VRAMLINT_BASE_OS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

struct os_process {
	int64_t process, parent, group;
	bool is_dead; /* and not waited for yet */
};

/* From now on, what outlives its parent below this process becomes its child. */
void os_tree_adopt(void);
/* All processes below TOP but itself, in ARENA; returns how many. */
size_t os_tree_list(int64_t top, struct arena *arena, struct os_process **processes);
/* Sends SIGNAL to all below this process, or to those that are in its group, too; returns to how many. */
size_t os_tree_signal(int signal, bool only_group);
/* Ends all below this process, what they start meanwhile included, and waits for it. */
void os_tree_end(void);
/* The memory that PROCESS has of no file and no shared segment, in bytes, or -1. Pages that it has from its parent since it was
 * forked count as well, whoever of them writes to them. */
int64_t os_own_memory(int64_t process);
/* How often the kernel has killed a process for want of memory since it began, or -1. */
int64_t os_memory_kills(void);

#endif
