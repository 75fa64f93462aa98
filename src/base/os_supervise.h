/* Runs a command that goes on for long, with a socket on which it and all that it starts may report.
 *
 * Its standard streams are ours. One thread. */
#ifndef VRAMLINT_BASE_OS_SUPERVISE_H
#define VRAMLINT_BASE_OS_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"

struct os_supervised;

/* Starts ARGUMENTS (ended by NULL), the first of which is looked for on PATH, with ENVIRONMENT ("NAME=VALUE", ended by NULL)
 * over ours, and listens on the Unix socket PATH, which is not there yet. NULL with ERR set where that cannot be done. */
struct os_supervised *os_supervise_new(const char *const *arguments, const char *const *environment, const char *path,
				       struct err *err);
/* Ends all that is left of it, children of children included, and removes the socket. */
void os_supervise_free(struct os_supervised *supervised);

enum os_report {
	OS_REPORT_BYTES,       /* came on *CONNECTION and were appended to BYTES */
	OS_REPORT_CLOSED,      /* *CONNECTION has ended */
	OS_REPORT_EXITED,      /* the command has: *STATUS is its exit status, or 128 and the signal that ended it */
	OS_REPORT_INTERRUPTED, /* somebody wants us to end; the command was told so too */
	OS_REPORT_NONE         /* within the time */
};
/* What happens next, within SECONDS (less than 0: no limit). Connections are numbered from 0 on, each once. */
enum os_report os_supervise_next(struct os_supervised *supervised, double seconds, uint32_t *connection, struct buf *bytes,
				 int *status);

enum os_pressure { OS_ASK, OS_DEMAND, OS_FORCE }; /* SIGINT, SIGTERM, SIGKILL */
/* Has the command and its children end. */
void os_supervise_end(struct os_supervised *supervised, enum os_pressure pressure);

#endif
