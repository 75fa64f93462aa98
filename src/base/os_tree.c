/* prctl */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "base/os_tree.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/vec.h"

void os_tree_adopt(void)
{
#ifdef __linux__
	prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

/* Reads the file NAME of PROCESS (0: of the system) into TEXT of SIZE bytes; false where it is gone. */
static bool proc_read(int64_t process, const char *name, char *text, size_t size)
{
	char path[64];
	FILE *file;
	size_t length;

	if (process)
		snprintf(path, sizeof path, "/proc/%lld/%s", (long long)process, name);
	else
		snprintf(path, sizeof path, "/proc/%s", name);
	file = fopen(path, "re");
	if (!file)
		return false;
	length = fread(text, 1, size - 1, file);
	fclose(file);
	text[length] = '\0';
	return length > 0;
}

static bool process_read(int64_t number, struct os_process *process)
{
	char text[512], state;
	const char *behind;
	int parent, group;

	if (!proc_read(number, "stat", text, sizeof text))
		return false;
	behind = strrchr(text, ')'); /* the name may hold anything */
	if (!behind || sscanf(behind + 1, " %c %d %d", &state, &parent, &group) != 3)
		return false;
	*process = (struct os_process){number, parent, group, state == 'Z' || state == 'X'};
	return true;
}

static int by_parent(const void *a, const void *b)
{
	const struct os_process *x = a, *y = b;

	return (x->parent > y->parent) - (x->parent < y->parent);
}

/* The first of COUNT processes, sorted by parent, whose parent is PARENT or later. */
static size_t first_child(const struct os_process *all, size_t count, int64_t parent)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all[middle].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t os_tree_list(int64_t top, struct arena *arena, struct os_process **processes)
{
	VEC(struct os_process) all = {NULL, 0, 0};
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;

	while (folder && (entry = readdir(folder))) {
		struct os_process process;
		long number = strtol(entry->d_name, NULL, 10);

		if (number > 0 && process_read(number, &process))
			VEC_ADD(&all, process);
	}
	if (folder)
		closedir(folder);
	*processes = ARENA_ARRAY(arena, struct os_process, all.count + 1);
	if (all.count)
		qsort(all.items, all.count, sizeof *all.items, by_parent);
	/* while they were read a number may have passed to another process: no more than there are */
	for (size_t done = 0; done <= count && count < all.count; done++) {
		int64_t parent = done ? (*processes)[done - 1].process : top;

		for (size_t i = first_child(all.items, all.count, parent); i < all.count && all.items[i].parent == parent; i++) {
			if (count < all.count)
				(*processes)[count++] = all.items[i];
		}
	}
	VEC_RELEASE(&all);
	return count;
}

size_t os_tree_signal(int number, bool only_group)
{
	struct os_process *processes;
	struct arena arena;
	size_t count, reached = 0;

	arena_init(&arena);
	count = os_tree_list(getpid(), &arena, &processes);
	for (size_t i = 0; i < count; i++) {
		if (!processes[i].is_dead && (!only_group || processes[i].group == getpgrp()))
			reached += kill((pid_t)processes[i].process, number) == 0;
	}
	arena_release(&arena);
	return reached;
}

void os_tree_end(void)
{
	/* each round may bring forth children of those that were killed; who cannot be ended in two seconds hangs in the kernel */
	enum { ROUNDS = 200, WAIT_MS = 10 };

	for (int i = 0; i < ROUNDS && os_tree_signal(SIGKILL, false) > 0; i++) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		poll(NULL, 0, i ? WAIT_MS : 1);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* The number behind NAME in TEXT, or -1. */
static int64_t number_behind(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	long long number;

	return at && sscanf(at + strlen(name), " %lld", &number) == 1 ? number : -1;
}

int64_t os_own_memory(int64_t process)
{
	char text[128];
	long long all, resident, shared;

	if (!proc_read(process, "statm", text, sizeof text) || sscanf(text, "%lld %lld %lld", &all, &resident, &shared) != 3)
		return -1;
	return (resident - shared) * sysconf(_SC_PAGESIZE);
}

int64_t os_memory_kills(void)
{
	char text[16384];

	return proc_read(0, "vmstat", text, sizeof text) ? number_behind(text, "\noom_kill ") : -1;
}
