/* syscall() on Linux: the C library of Debian 12 does not have pidfd_open by name. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "base/os_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "base/mem.h"

/* How often a process is looked for where the system does not tell of its end. */
enum { LOOK_MS = 5000 };

enum order { ORDER_STOP = 's', ORDER_WATCH = 'w' };

struct os_reader {
	int descriptor;
	int orders[2];   /* a pipe: from other threads to the one that takes */
	int64_t wanted;  /* the process to watch, set before it is ordered */
	pid_t process;   /* being watched, or 0 */
	int process_end; /* readable when it is gone, or -1 */
};

struct os_reader *os_reader_new(int descriptor)
{
	struct os_reader *reader = mem_new(1, sizeof *reader);

	reader->descriptor = descriptor;
	reader->process_end = -1;
	if (pipe(reader->orders) != 0)
		BUG("a pipe that cannot be made");
	fcntl(reader->orders[0], F_SETFD, FD_CLOEXEC);
	fcntl(reader->orders[1], F_SETFD, FD_CLOEXEC);
	return reader;
}

void os_reader_free(struct os_reader *reader)
{
	if (!reader)
		return;
	close(reader->orders[0]);
	close(reader->orders[1]);
	if (reader->process_end >= 0)
		close(reader->process_end);
	free(reader);
}

static void give_order(struct os_reader *reader, enum order order)
{
	char byte = (char)order;

	while (write(reader->orders[1], &byte, 1) < 0 && errno == EINTR)
		;
}

void os_reader_watch(struct os_reader *reader, int64_t process)
{
	reader->wanted = process;
	give_order(reader, ORDER_WATCH);
}

void os_reader_stop(struct os_reader *reader)
{
	give_order(reader, ORDER_STOP);
}

static bool is_gone(pid_t process)
{
	return process > 0 && kill(process, 0) != 0 && errno == ESRCH;
}

static void watch_begin(struct os_reader *reader)
{
	reader->process = reader->wanted > 0 && reader->wanted <= INT32_MAX ? (pid_t)reader->wanted : 0;
#ifdef SYS_pidfd_open
	if (reader->process > 0 && reader->process_end < 0)
		reader->process_end = (int)syscall(SYS_pidfd_open, reader->process, 0);
#endif
}

/* Follows an order; false where it is to stop. */
static bool follow(struct os_reader *reader)
{
	char order;

	if (read(reader->orders[0], &order, 1) != 1)
		return true;
	if (order == ORDER_STOP)
		return false;
	watch_begin(reader);
	return true;
}

/* *GOT: bytes read; 0 at the end. False where there are none yet. */
static bool read_some(struct os_reader *reader, struct buf *buf, ssize_t *got)
{
	enum { PIECE = 1 << 16 };

	buf_reserve(buf, PIECE);
	*got = read(reader->descriptor, buf->bytes + buf->length, PIECE);
	if (*got < 0 && (errno == EINTR || errno == EAGAIN))
		return false;
	if (*got > 0) {
		buf->length += (size_t)*got;
		buf->bytes[buf->length] = '\0';
	}
	return true;
}

bool os_reader_take(struct os_reader *reader, struct buf *buf)
{
	for (;;) {
		struct pollfd ready[] = {{reader->descriptor, POLLIN, 0}, {reader->orders[0], POLLIN, 0},
					 {reader->process_end, POLLIN, 0}};
		bool looks = reader->process > 0 && reader->process_end < 0;
		ssize_t got;

		if (poll(ready, 3, looks ? LOOK_MS : -1) < 0 && errno != EINTR)
			return false;
		if (ready[1].revents && !follow(reader))
			return false;
		/* what was said before the end still counts */
		if (ready[0].revents && read_some(reader, buf, &got))
			return got > 0;
		if (!ready[0].revents && (ready[2].revents || is_gone(reader->process)))
			return false;
	}
}
