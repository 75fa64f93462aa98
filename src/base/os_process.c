#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Ends of the pipes to a child: ours are kept from other children. */
struct pipes {
	int in[2], out[2], errors[2];
};

static void close_end(int *descriptor)
{
	if (*descriptor >= 0)
		close(*descriptor);
	*descriptor = -1;
}

static void close_all(struct pipes *pipes)
{
	int *all[] = {pipes->in, pipes->out, pipes->errors};

	for (int i = 0; i < 3; i++) {
		close_end(&all[i][0]);
		close_end(&all[i][1]);
	}
}

static bool open_all(struct pipes *pipes)
{
	int *all[] = {pipes->in, pipes->out, pipes->errors};

	*pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}};
	for (int i = 0; i < 3; i++) {
		if (pipe(all[i]) != 0)
			return false;
		fcntl(all[i][0], F_SETFD, FD_CLOEXEC);
		fcntl(all[i][1], F_SETFD, FD_CLOEXEC);
	}
	return true;
}

/* 0, or the errno. */
static int start(const char *const *arguments, const struct pipes *pipes, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int number;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipes->in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, pipes->out[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, pipes->errors[1], STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	number = posix_spawnp(child, arguments[0], &actions, &attributes, (char *const *)arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return number;
}

/* Reads what there is on *DESCRIPTOR, and closes it at its end. */
static void take(int *descriptor, struct buf *buf)
{
	enum { PIECE = 1 << 16 };
	ssize_t got;

	buf_reserve(buf, PIECE);
	got = read(*descriptor, buf->bytes + buf->length, PIECE);
	if (got > 0) {
		buf->length += (size_t)got;
		buf->bytes[buf->length] = '\0';
	} else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
		close_end(descriptor);
	}
}

/* Writes what it takes of INPUT, and closes *DESCRIPTOR where nothing is left or nobody reads. */
static void give(int *descriptor, struct str *input)
{
	ssize_t put = input->length ? write(*descriptor, input->at, input->length) : 0;

	if (put > 0)
		*input = (struct str){input->at + put, input->length - (size_t)put};
	if (!input->length || (put < 0 && errno != EINTR && errno != EAGAIN))
		close_end(descriptor);
}

static void exchange(struct pipes *pipes, struct str input, struct buf *out, struct buf *errors)
{
	fcntl(pipes->in[1], F_SETFL, O_NONBLOCK);
	while (pipes->in[1] >= 0 || pipes->out[0] >= 0 || pipes->errors[0] >= 0) {
		/* poll leaves negative descriptors alone */
		struct pollfd all[] = {
			{pipes->in[1], POLLOUT, 0}, {pipes->out[0], POLLIN, 0}, {pipes->errors[0], POLLIN, 0}};

		if (poll(all, 3, -1) < 0 && errno != EINTR)
			break;
		if (all[0].revents)
			give(&pipes->in[1], &input);
		if (all[1].revents)
			take(&pipes->out[0], out);
		if (all[2].revents)
			take(&pipes->errors[0], errors);
	}
}

bool os_run(const char *const *arguments, struct str input, struct buf *out, struct buf *errors, int *status,
	    struct err *err)
{
	struct pipes pipes;
	char reason[128] = "";
	pid_t child;
	int number = open_all(&pipes) ? 0 : errno, raw = 0;

	if (number == 0)
		number = start(arguments, &pipes, &child);
	if (number != 0) {
		close_all(&pipes);
		if (strerror_r(number, reason, sizeof reason) != 0)
			snprintf(reason, sizeof reason, "error %d", number);
		return err_set(err, ERR_READ, "cannot run '%s': %s", arguments[0],
			       number == ENOENT ? "it is not installed" : reason);
	}
	close_end(&pipes.in[0]);
	close_end(&pipes.out[1]);
	close_end(&pipes.errors[1]);
	exchange(&pipes, input, out, errors);
	close_all(&pipes);
	while (waitpid(child, &raw, 0) < 0 && errno == EINTR)
		;
	*status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + (WIFSIGNALED(raw) ? WTERMSIG(raw) : 0);
	return true;
}
