#include "base/os_guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/os_private.h"
#include "base/os_temp.h"
#include "base/os_tree.h"

struct os_guard {
	int descriptor; /* it waits at the other end */
};

static const char dismissal = 'q';

/* ---- in the process beside ---- */

/* Whether PROCESS was started with MARK in its environment. */
static bool is_marked(long process, const char *mark)
{
	enum { MOST = 4 << 20 };
	struct buf text = BUF_INIT;
	char path[64];
	bool found = false;

	snprintf(path, sizeof path, "/proc/%ld/environ", process);
	if (os_read_file(path, MOST, &text, NULL)) {
		for (size_t at = 0; at < text.length && !found; at += strlen(text.bytes + at) + 1)
			found = strcmp(text.bytes + at, mark) == 0;
	}
	buf_release(&text);
	return found;
}

static void signal_below(long top, int number)
{
	struct os_process *processes;
	struct arena arena;
	size_t count;

	arena_init(&arena);
	count = os_tree_list(top, &arena, &processes);
	for (size_t i = 0; i < count; i++)
		kill((pid_t)processes[i].process, number);
	arena_release(&arena);
}

/* Sends SIGNAL to all that are marked and to all below them; whether there were any. */
static bool signal_marked(const char *mark, int number)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	bool any = false;

	while (folder && (entry = readdir(folder))) {
		long process = strtol(entry->d_name, NULL, 10);

		if (process <= 1 || process == getpid() || !is_marked(process, mark))
			continue;
		any = true;
		signal_below(process, number);
		kill((pid_t)process, number);
	}
	if (folder)
		closedir(folder);
	return any;
}

static void clear_up(const char *folder, const char *mark, const char *farewell)
{
	enum { ROUNDS = 30, FORCED_ROUNDS = 100, WAIT_MS = 100, SHORT_WAIT_MS = 20 };

	if (farewell && write(STDERR_FILENO, farewell, strlen(farewell)) < 0)
		errno = 0; /* the terminal has gone as well */
	signal_marked(mark, SIGTERM);
	signal_marked(mark, SIGCONT); /* who is stopped is not told else */
	for (int i = 0; i < ROUNDS && signal_marked(mark, 0); i++)
		poll(NULL, 0, WAIT_MS);
	for (int i = 0; i < FORCED_ROUNDS && signal_marked(mark, SIGKILL); i++)
		poll(NULL, 0, SHORT_WAIT_MS);
	os_temp_remove(folder);
}

/* Keeps nothing open that others might wait for the end of. */
static void let_go_of_all_but(int kept, bool keeps_errors)
{
	int most = (int)sysconf(_SC_OPEN_MAX);

	for (int i = 0; i < (most > 0 && most < 65536 ? most : 65536); i++) {
		if (i != kept && !(keeps_errors && i == STDERR_FILENO))
			close(i);
	}
	if (chdir("/") != 0)
		errno = 0;
}

_Noreturn static void watch(int descriptor, const char *folder, const char *mark, const char *farewell)
{
	static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP, SIGTTOU};
	char order;
	ssize_t got;

	setsid();
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	let_go_of_all_but(descriptor, farewell != NULL);
	while ((got = read(descriptor, &order, 1)) < 0 && errno == EINTR)
		;
	if (got == 0)
		clear_up(folder, mark, farewell);
	_exit(0);
}

/* ---- in ours ---- */

struct os_guard *os_guard_new(const char *folder, const char *mark, const char *farewell, struct err *err)
{
	struct os_guard *guard;
	int ends[2];
	pid_t child;

	if (pipe(ends) != 0) {
		os_failed(err, ERR_LIMIT, "watch over", folder, errno);
		return NULL;
	}
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	fflush(NULL);
	child = fork();
	if (child == 0) {
		/* twice, so that it is nobody's child whom we would have to wait for */
		if (fork() != 0)
			_exit(0);
		close(ends[1]);
		watch(ends[0], folder, mark, farewell);
	}
	close(ends[0]);
	if (child < 0) {
		os_failed(err, ERR_LIMIT, "watch over", folder, errno);
		close(ends[1]);
		return NULL;
	}
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	guard = mem_new(1, sizeof *guard);
	guard->descriptor = ends[1];
	return guard;
}

void os_guard_free(struct os_guard *guard)
{
	if (!guard)
		return;
	while (write(guard->descriptor, &dismissal, 1) < 0 && errno == EINTR)
		;
	close(guard->descriptor);
	free(guard);
}
