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
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os.h"
#include "base/os_private.h"
#include "base/os_tree.h"
#include "base/vec.h"

/* More than any training has processes, fewer than a process may have descriptors: the rest waits. */
enum { MOST_CONNECTIONS = 512 };

/* What is taken note of, and by whom it was sent. */
static const int caught[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH};
enum { CAUGHT = sizeof caught / sizeof *caught };

struct connection {
	int descriptor;
	uint32_t number;
};

struct os_supervised {
	pid_t child;
	bool has_exited, has_told; /* … so */
	double exited;             /* when */
	int status;
	int listener;
	double deaf_until;         /* there was no descriptor for one more connection */
	char *path;
	VEC(struct connection) connections;
	size_t turn;               /* whose it is to be heard */
	uint32_t next_number;
	struct pollfd *ready;
	bool was_told_alone;       /* to stop for a while: the command was not */
	struct sigaction before[CAUGHT];
	bool has_terminal;
	struct termios terminal;   /* as it was before */
};

/* ---- signals ---- */

/* The end that handlers write to; there is one command at a time. */
static int signal_pipe[2] = {-1, -1};

struct note {
	unsigned char number;
	bool is_for_all; /* the terminal has sent it, to the whole group */
};

static void on_signal(int number, siginfo_t *from, void *context)
{
	int saved = errno;
	struct note note = {(unsigned char)number, from && from->si_code > 0};

	if (write(signal_pipe[1], &note, sizeof note) < 0)
		errno = 0; /* full: a wake-up is under way */
	errno = saved;
}

static bool catch_signals(struct os_supervised *supervised)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};

	if (pipe(signal_pipe) != 0)
		return false;
	for (int i = 0; i < 2; i++) {
		fcntl(signal_pipe[i], F_SETFD, FD_CLOEXEC);
		fcntl(signal_pipe[i], F_SETFL, O_NONBLOCK);
	}
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < CAUGHT; i++) {
		sigaction(caught[i], NULL, &supervised->before[i]);
		/* nohup and the like: what is to be ignored stays so */
		if (supervised->before[i].sa_handler != SIG_IGN || caught[i] == SIGCHLD)
			sigaction(caught[i], &action, NULL);
	}
	return true;
}

static void release_signals(struct os_supervised *supervised)
{
	if (signal_pipe[0] < 0)
		return;
	for (size_t i = 0; i < CAUGHT; i++)
		sigaction(caught[i], &supervised->before[i], NULL);
	close(signal_pipe[0]);
	close(signal_pipe[1]);
	signal_pipe[0] = signal_pipe[1] = -1;
}

/* ---- its beginning ---- */

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

/* What a child that did not become the command leaves for us. */
struct failure {
	int number;
	bool is_shelter;
};

/* In the child: becomes the command. ERRORS is where a failure goes. */
_Noreturn static void become(const struct os_supervise_request *request, int errors)
{
	struct failure failure = {0, true};
	size_t failed;

#ifndef __linux__
	setpgid(0, 0); /* there the group is all that is known of its children */
#endif
	for (const char *const *variable = request->environment; *variable; variable++)
		putenv((char *)(uintptr_t)*variable);
	signal(SIGPIPE, SIG_DFL);
#ifdef SIGXFSZ
	signal(SIGXFSZ, SIG_DFL);
#endif
	if (request->shelter)
		failure.number = os_shelter_enter(request->shelter, &failed);
	if (failure.number == 0) {
		execvp(request->arguments[0], (char *const *)(uintptr_t)request->arguments);
		failure = (struct failure){errno, false};
	}
	if (write(errors, &failure, sizeof failure) < 0)
		_exit(126);
	_exit(127);
}

static bool start(struct os_supervised *supervised, const struct os_supervise_request *request, struct err *err)
{
	const char *name = request->arguments[0];
	struct failure failure = {0, false};
	int errors[2];

	if (pipe(errors) != 0)
		return os_failed(err, ERR_LIMIT, "start", name, errno);
	fcntl(errors[0], F_SETFD, FD_CLOEXEC);
	fcntl(errors[1], F_SETFD, FD_CLOEXEC);
	fflush(NULL);
	supervised->child = fork();
	if (supervised->child == 0)
		become(request, errors[1]);
	close(errors[1]);
	if (supervised->child < 0)
		failure.number = errno;
	else if (read(errors[0], &failure, sizeof failure) != sizeof failure)
		failure.number = 0;
	close(errors[0]);
	if (failure.number == 0)
		return true;
	if (supervised->child > 0)
		waitpid(supervised->child, NULL, 0);
	supervised->child = 0;
	return failure.is_shelter ? os_failed(err, ERR_LIMIT, "put overlays on folders in", request->shelter->place, failure.number)
				  : os_failed(err, ERR_READ, "run", name, failure.number);
}

struct os_supervised *os_supervise_new(const struct os_supervise_request *request, struct err *err)
{
	struct os_supervised *supervised = mem_new(1, sizeof *supervised);

	supervised->listener = -1;
	supervised->has_terminal = tcgetattr(STDIN_FILENO, &supervised->terminal) == 0;
	os_tree_adopt(); /* so that what outlives its parent can be ended */
	if (!catch_signals(supervised))
		os_failed(err, ERR_LIMIT, "start", request->arguments[0], errno);
	else if (listen_at(supervised, request->socket, err) && start(supervised, request, err))
		return supervised;
	os_supervise_free(supervised);
	return NULL;
}

/* ---- its end ---- */

/* Whether the command has left our group, so that the terminal does not speak to it. */
static bool is_apart(const struct os_supervised *supervised)
{
	return supervised->child > 0 && !supervised->has_exited && getpgid(supervised->child) != getpgrp();
}

/* Sends SIGNAL to the command and to those that the terminal would send it to, or to ALL that it has started. */
static void pass_on(struct os_supervised *supervised, int number, bool all)
{
#ifdef __linux__
	size_t reached = os_tree_signal(number, !all);

	/* the latter where /proc is not to be seen */
	if ((!all && is_apart(supervised)) || (reached == 0 && supervised->child > 0 && !supervised->has_exited))
		kill(supervised->child, number);
#else
	if (supervised->child > 0)
		kill(-supervised->child, number);
#endif
}

void os_supervise_end(struct os_supervised *supervised, enum os_pressure pressure)
{
	static const int signals[] = {[OS_ASK] = SIGINT, [OS_DEMAND] = SIGTERM, [OS_FORCE] = SIGKILL};

	pass_on(supervised, signals[pressure], pressure == OS_FORCE);
	pass_on(supervised, SIGCONT, false); /* who is stopped does not hear */
}

void os_supervise_suspend(struct os_supervised *supervised)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, own;

	if (supervised->was_told_alone)
		pass_on(supervised, SIGTSTP, false);
	sigemptyset(&stop.sa_mask);
	sigaction(SIGTSTP, &stop, &own);
	raise(SIGTSTP);
	/* here somebody has us go on */
	sigaction(SIGTSTP, &own, NULL);
	pass_on(supervised, SIGCONT, false);
}

void os_supervise_free(struct os_supervised *supervised)
{
	if (!supervised)
		return;
	if (supervised->child > 0) {
#ifndef __linux__
		os_supervise_end(supervised, OS_FORCE);
#endif
		os_tree_end();
	}
	if (supervised->has_terminal && supervised->status == 128 + SIGKILL && os_owns_terminal(STDIN_FILENO))
		tcsetattr(STDIN_FILENO, TCSANOW, &supervised->terminal);
	for (size_t i = 0; i < supervised->connections.count; i++)
		close(supervised->connections.items[i].descriptor);
	VEC_RELEASE(&supervised->connections);
	if (supervised->listener >= 0)
		close(supervised->listener);
	if (supervised->path)
		unlink(supervised->path);
	free(supervised->path);
	free(supervised->ready);
	release_signals(supervised);
	free(supervised);
}

/* ---- what happens ---- */

static void accept_all(struct os_supervised *supervised, double now)
{
	static const double LATER = 0.1;

	while (supervised->connections.count < MOST_CONNECTIONS) {
		int descriptor = accept(supervised->listener, NULL, NULL);

		if (descriptor < 0) {
			if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
				supervised->deaf_until = now + LATER;
			return;
		}
		fcntl(descriptor, F_SETFD, FD_CLOEXEC);
		fcntl(descriptor, F_SETFL, O_NONBLOCK);
		VEC_ADD(&supervised->connections, ((struct connection){descriptor, supervised->next_number++}));
	}
}

/* Reaps what has ended. */
static void reap(struct os_supervised *supervised)
{
	pid_t process;
	int how;

	while ((process = waitpid(-1, &how, WNOHANG)) > 0) {
		if (process != supervised->child || supervised->has_exited)
			continue;
		supervised->has_exited = true;
		supervised->exited = os_seconds();
		supervised->status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
	}
}

/* Takes note of one signal; OS_REPORT_NONE where it is no news. */
static enum os_report take_signal(struct os_supervised *supervised)
{
	struct note note;

	if (read(signal_pipe[0], &note, sizeof note) != sizeof note)
		return OS_REPORT_NONE;
	switch (note.number) {
	case SIGINT:
	case SIGQUIT:
	case SIGTERM:
	case SIGHUP:
		if (!note.is_for_all || is_apart(supervised))
			os_supervise_end(supervised, note.number == SIGINT ? OS_ASK : OS_DEMAND);
		return OS_REPORT_INTERRUPTED;
	case SIGTSTP:
		supervised->was_told_alone = !note.is_for_all || is_apart(supervised);
		return OS_REPORT_SUSPENDED;
	case SIGWINCH:
		return OS_REPORT_RESIZED;
	default:
		reap(supervised);
		return OS_REPORT_NONE;
	}
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

/* Waits for what there is to take; false where there was nothing within SECONDS. `ready` then has the signals, the listener and then the
 * connections, as they stand. */
static bool wait_for(struct os_supervised *supervised, double seconds, double now)
{
	size_t count = supervised->connections.count;
	bool listens = now >= supervised->deaf_until && count < MOST_CONNECTIONS;

	supervised->ready = mem_resize(supervised->ready, count + 2, sizeof *supervised->ready);
	supervised->ready[0] = (struct pollfd){signal_pipe[0], POLLIN, 0};
	supervised->ready[1] = (struct pollfd){listens ? supervised->listener : -1, POLLIN, 0};
	for (size_t i = 0; i < count; i++)
		supervised->ready[i + 2] = (struct pollfd){supervised->connections.items[i].descriptor, POLLIN, 0};
	return poll(supervised->ready, (nfds_t)(count + 2), seconds < 0 ? -1 : (int)(seconds * 1000) + 1) > 0;
}

/* Hears the next connection that has something to say, in turn. */
static enum os_report take_turn(struct os_supervised *supervised, uint32_t *connection, struct buf *bytes)
{
	size_t count = supervised->connections.count;

	for (size_t i = 0; i < count; i++) {
		size_t index = (supervised->turn + i) % count;
		enum os_report report = OS_REPORT_NONE;

		if (supervised->ready[index + 2].revents)
			report = take_bytes(supervised, index, connection, bytes);
		if (report != OS_REPORT_NONE) {
			supervised->turn = index + 1;
			return report;
		}
	}
	return OS_REPORT_NONE;
}

enum os_report os_supervise_next(struct os_supervised *supervised, double seconds, uint32_t *connection, struct buf *bytes,
				 int *status)
{
	/* What was said before the end comes first, unless somebody never stops. */
	static const double HEARD_OUT = 1;
	double until = os_seconds() + seconds;

	for (;;) {
		double now = os_seconds();
		bool ends = supervised->has_exited && !supervised->has_told, any;
		enum os_report report = OS_REPORT_NONE;

		any = wait_for(supervised, ends ? 0 : seconds < 0 ? -1 : until > now ? until - now : 0, now);
		if (any && supervised->ready[0].revents)
			report = take_signal(supervised);
		if (any && report == OS_REPORT_NONE && !(ends && now - supervised->exited > HEARD_OUT))
			report = take_turn(supervised, connection, bytes);
		if (any && supervised->ready[1].revents)
			accept_all(supervised, now);
		if (ends && report == OS_REPORT_NONE) {
			supervised->has_told = true;
			*status = supervised->status;
			return OS_REPORT_EXITED;
		}
		if (report != OS_REPORT_NONE || (seconds >= 0 && now >= until))
			return report;
	}
}
