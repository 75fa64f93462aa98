/* prctl on Linux. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "base/os_supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <dirent.h>
#include <sys/prctl.h>
#endif

#include "base/mem.h"
#include "base/os.h"
#include "base/os_private.h"
#include "base/vec.h"

extern char **environ;

struct connection {
	int descriptor;
	uint32_t number;
};

struct os_supervised {
	pid_t child;  /* also the number of its group */
	bool has_exited;
	int listener;
	char *path;
	VEC(struct connection) connections;
	uint32_t next_number;
	bool had_terminal; /* it was handed the terminal */
	struct sigaction old_child, old_interrupt, old_terminate;
};

/* The end that handlers write to; there is one command at a time. */
static int signal_pipe[2] = {-1, -1};

static void on_signal(int number)
{
	int saved = errno;
	char byte = (char)number;

	if (write(signal_pipe[1], &byte, 1) < 0)
		errno = 0; /* full: a wake-up is under way */
	errno = saved;
}

static bool catch_signals(struct os_supervised *supervised)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	if (pipe(signal_pipe) != 0)
		return false;
	for (int i = 0; i < 2; i++) {
		fcntl(signal_pipe[i], F_SETFD, FD_CLOEXEC);
		fcntl(signal_pipe[i], F_SETFL, O_NONBLOCK);
	}
	sigemptyset(&action.sa_mask);
	sigaction(SIGCHLD, &action, &supervised->old_child);
	sigaction(SIGINT, &action, &supervised->old_interrupt);
	sigaction(SIGTERM, &action, &supervised->old_terminate);
	return true;
}

static void release_signals(struct os_supervised *supervised)
{
	if (signal_pipe[0] < 0)
		return;
	sigaction(SIGCHLD, &supervised->old_child, NULL);
	sigaction(SIGINT, &supervised->old_interrupt, NULL);
	sigaction(SIGTERM, &supervised->old_terminate, NULL);
	close(signal_pipe[0]);
	close(signal_pipe[1]);
	signal_pipe[0] = signal_pipe[1] = -1;
}

/* Makes the group of PROCESS the one that the terminal speaks to, where there is one and it speaks to us. */
static bool hand_terminal(pid_t from, pid_t process)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	bool handed = false;

	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != from)
		return false;
	sigaction(SIGTTOU, &ignore, &old);
	handed = tcsetpgrp(STDIN_FILENO, process) == 0;
	sigaction(SIGTTOU, &old, NULL);
	return handed;
}

static bool listen_at(struct os_supervised *supervised, const char *path, struct err *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof address.sun_path)
		return err_set(err, ERR_LIMIT, "the path of a socket, '%s', is too long", path);
	memcpy(address.sun_path, path, strlen(path) + 1);
	supervised->listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (supervised->listener < 0 || bind(supervised->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
	    chmod(path, 0600) != 0 || listen(supervised->listener, 128) != 0)
		return os_failed(err, ERR_WRITE, "listen at", path, errno);
	fcntl(supervised->listener, F_SETFD, FD_CLOEXEC);
	fcntl(supervised->listener, F_SETFL, O_NONBLOCK);
	supervised->path = mem_dup_text(path);
	return true;
}

/* In the child: becomes the command. ERRORS is where the errno goes, if that fails. */
_Noreturn static void become(const char *const *arguments, const char *const *environment, int errors)
{
	setpgid(0, 0);
	for (; *environment; environment++)
		putenv((char *)(uintptr_t)*environment);
	signal(SIGPIPE, SIG_DFL);
#ifdef SIGXFSZ
	signal(SIGXFSZ, SIG_DFL);
#endif
	execvp(arguments[0], (char *const *)(uintptr_t)arguments);
	if (write(errors, &errno, sizeof errno) < 0)
		_exit(126);
	_exit(127);
}

static bool start(struct os_supervised *supervised, const char *const *arguments, const char *const *environment,
		  struct err *err)
{
	int errors[2], number = 0;

	if (pipe(errors) != 0)
		return os_failed(err, ERR_LIMIT, "start", arguments[0], errno);
	fcntl(errors[0], F_SETFD, FD_CLOEXEC);
	fcntl(errors[1], F_SETFD, FD_CLOEXEC);
	fflush(NULL);
	supervised->child = fork();
	if (supervised->child == 0)
		become(arguments, environment, errors[1]);
	close(errors[1]);
	if (supervised->child < 0)
		number = errno;
	else if (read(errors[0], &number, sizeof number) != sizeof number)
		number = 0;
	close(errors[0]);
	if (number == 0) {
		setpgid(supervised->child, supervised->child);
		supervised->had_terminal = hand_terminal(getpgrp(), supervised->child);
		return true;
	}
	if (supervised->child > 0)
		waitpid(supervised->child, NULL, 0);
	supervised->child = 0;
	return os_failed(err, ERR_READ, "run", arguments[0], number);
}

struct os_supervised *os_supervise_new(const char *const *arguments, const char *const *environment, const char *path,
				       struct err *err)
{
	struct os_supervised *supervised = mem_new(1, sizeof *supervised);

	supervised->listener = -1;
#ifdef __linux__
	/* what outlives its parent becomes our child, so that it can be ended */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
	if (!catch_signals(supervised))
		os_failed(err, ERR_LIMIT, "start", arguments[0], errno);
	else if (listen_at(supervised, path, err) && start(supervised, arguments, environment, err))
		return supervised;
	os_supervise_free(supervised);
	return NULL;
}

/* ---- its end ---- */

void os_supervise_end(struct os_supervised *supervised, enum os_pressure pressure)
{
	static const int signals[] = {[OS_ASK] = SIGINT, [OS_DEMAND] = SIGTERM, [OS_FORCE] = SIGKILL};

	if (supervised->child > 0)
		kill(-supervised->child, signals[pressure]);
}

#ifdef __linux__
/* Kills all children that we have by now; returns how many. */
static int kill_children(void)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	int count = 0;

	while (folder && (entry = readdir(folder))) {
		char path[300], text[512], *behind;
		long process = strtol(entry->d_name, NULL, 10);
		FILE *file;
		size_t length;
		int parent = 0;

		if (process <= 0)
			continue;
		snprintf(path, sizeof path, "/proc/%ld/stat", process);
		file = fopen(path, "r");
		if (!file)
			continue;
		length = fread(text, 1, sizeof text - 1, file);
		fclose(file);
		text[length] = '\0';
		behind = strrchr(text, ')'); /* the name may hold anything */
		if (!behind || sscanf(behind + 1, " %*c %d", &parent) != 1 || parent != getpid())
			continue;
		kill((pid_t)process, SIGKILL);
		count++;
	}
	if (folder)
		closedir(folder);
	return count;
}
#else
static int kill_children(void)
{
	return 0;
}
#endif

static void end_all(struct os_supervised *supervised)
{
	/* each round may bring forth children of those that were killed */
	enum { ROUNDS = 100 };

	os_supervise_end(supervised, OS_FORCE);
	for (int i = 0; i < ROUNDS && kill_children() > 0; i++) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		poll(NULL, 0, 10);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

void os_supervise_free(struct os_supervised *supervised)
{
	if (!supervised)
		return;
	if (supervised->child > 0)
		end_all(supervised);
	if (supervised->had_terminal)
		hand_terminal(supervised->child, getpgrp());
	for (size_t i = 0; i < supervised->connections.count; i++)
		close(supervised->connections.items[i].descriptor);
	VEC_RELEASE(&supervised->connections);
	if (supervised->listener >= 0)
		close(supervised->listener);
	if (supervised->path)
		unlink(supervised->path);
	free(supervised->path);
	release_signals(supervised);
	free(supervised);
}

/* ---- what happens ---- */

static void accept_all(struct os_supervised *supervised)
{
	int descriptor;

	while ((descriptor = accept(supervised->listener, NULL, NULL)) >= 0) {
		fcntl(descriptor, F_SETFD, FD_CLOEXEC);
		VEC_ADD(&supervised->connections, ((struct connection){descriptor, supervised->next_number++}));
	}
}

/* Reaps what has ended; whether the command is among it. */
static bool reap(struct os_supervised *supervised, int *status)
{
	bool exited = false;
	pid_t process;
	int how;

	while ((process = waitpid(-1, &how, WNOHANG)) > 0) {
		if (process != supervised->child || supervised->has_exited)
			continue;
		exited = supervised->has_exited = true;
		*status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
	}
	return exited;
}

/* Takes note of signals: *REPORT is set where one of them is news. */
static bool take_signals(struct os_supervised *supervised, enum os_report *report, int *status)
{
	char numbers[64];
	ssize_t got = read(signal_pipe[0], numbers, sizeof numbers);

	for (ssize_t i = 0; i < got; i++) {
		if (numbers[i] != SIGINT && numbers[i] != SIGTERM)
			continue;
		os_supervise_end(supervised, numbers[i] == SIGINT ? OS_ASK : OS_DEMAND);
		*report = OS_REPORT_INTERRUPTED;
		return true;
	}
	*report = OS_REPORT_EXITED;
	return reap(supervised, status);
}

/* Reads from the connection at INDEX. */
static enum os_report take_bytes(struct os_supervised *supervised, size_t index, uint32_t *connection, struct buf *bytes)
{
	enum { PIECE = 1 << 16 };
	struct connection *from = &supervised->connections.items[index];
	ssize_t got;

	buf_reserve(bytes, PIECE);
	got = read(from->descriptor, bytes->bytes + bytes->length, PIECE);
	*connection = from->number;
	if (got > 0) {
		bytes->length += (size_t)got;
		bytes->bytes[bytes->length] = '\0';
		return OS_REPORT_BYTES;
	}
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return OS_REPORT_NONE;
	close(from->descriptor);
	*from = supervised->connections.items[--supervised->connections.count];
	return OS_REPORT_CLOSED;
}

enum os_report os_supervise_next(struct os_supervised *supervised, double seconds, uint32_t *connection, struct buf *bytes,
				 int *status)
{
	double until = os_seconds() + seconds;
	struct pollfd *ready = NULL;
	enum os_report report = OS_REPORT_NONE;

	for (;;) {
		size_t count = supervised->connections.count;
		double left = until - os_seconds();

		if (seconds >= 0 && left <= 0)
			break;
		ready = mem_resize(ready, count + 2, sizeof *ready);
		ready[0] = (struct pollfd){signal_pipe[0], POLLIN, 0};
		ready[1] = (struct pollfd){supervised->listener, POLLIN, 0};
		for (size_t i = 0; i < count; i++)
			ready[i + 2] = (struct pollfd){supervised->connections.items[i].descriptor, POLLIN, 0};
		if (poll(ready, (nfds_t)(count + 2), seconds < 0 ? -1 : (int)(left * 1000) + 1) < 0)
			continue;
		if (ready[1].revents)
			accept_all(supervised);
		/* what was said before the end comes first */
		for (size_t i = 0; i < count && report == OS_REPORT_NONE; i++) {
			if (ready[i + 2].revents)
				report = take_bytes(supervised, i, connection, bytes);
		}
		if (report != OS_REPORT_NONE || (ready[0].revents && take_signals(supervised, &report, status)))
			break;
		report = OS_REPORT_NONE;
	}
	free(ready);
	return report;
}
