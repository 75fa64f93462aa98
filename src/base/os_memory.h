/* How much memory this machine, or the container that holds this process, has and has left. */
#ifndef VRAMLINT_BASE_OS_MEMORY_H
#define VRAMLINT_BASE_OS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct os_memory {
	int64_t total;       /* bytes; -1: not known */
	int64_t available;   /* what could be had now without swapping; -1: not known */
	bool is_limited;     /* by a container or control group that has less than the machine */
};

/* Reads it below ROOT, "" for that of this process: the least of what /proc/meminfo says and the limits of the control groups,
 * version 1 or 2, around it; caches of files that would be given up count as available. Sources: proc_meminfo(5);
 * Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of Linux. */
struct os_memory os_memory_get(const char *root);

#endif
