/* Runs a command that goes on for long, with a socket on which it and all that it starts may report.
 *
 * Its standard streams are ours, and so is its process group: what the terminal says (Ctrl-C, Ctrl-Z) is said to both, as
 * without us. One thread, one command at a time. */
#ifndef VRAMLINT_BASE_OS_SUPERVISE_H
#define VRAMLINT_BASE_OS_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/os_shelter.h"

struct os_supervised;

struct os_supervise_request {
	const char *const *arguments;   /* ended by NULL; the first is looked for on PATH */
	const char *const *environment; /* "NAME=VALUE", ended by NULL: over ours */
	const char *socket;             /* a path where nothing is yet */
	const struct os_shelter *shelter; /* one that os_shelter_try found to work, or NULL */
};

/* Starts it and listens. NULL with ERR set where that cannot be done. */
struct os_supervised *os_supervise_new(const struct os_supervise_request *request, struct err *err);
/* Ends all that is left of it, children of children included, and removes the socket. A terminal that it was killed on, and
 * had in a mode of its own, is as before. */
void os_supervise_free(struct os_supervised *supervised);

enum os_report {
	OS_REPORT_BYTES,       /* came on *CONNECTION and were appended to BYTES */
	OS_REPORT_CLOSED,      /* *CONNECTION has ended */
	OS_REPORT_EXITED,      /* the command has: *STATUS is its exit status, or 128 and the signal that ended it */
	OS_REPORT_INTERRUPTED, /* somebody wants us to end; the command was told so too */
	OS_REPORT_SUSPENDED,   /* somebody wants us to stop for a while: os_supervise_suspend does so */
	OS_REPORT_RESIZED,     /* the terminal has another size */
	OS_REPORT_NONE         /* within the time */
};
/* What happens next, within SECONDS (less than 0: no limit). Connections are numbered from 0 on, each once; who says much
 * does not keep the others from being heard. */
enum os_report os_supervise_next(struct os_supervised *supervised, double seconds, uint32_t *connection, struct buf *bytes,
				 int *status);
/* Stops this process and the command until somebody has them go on. */
void os_supervise_suspend(struct os_supervised *supervised);

enum os_pressure { OS_ASK, OS_DEMAND, OS_FORCE }; /* SIGINT, SIGTERM, SIGKILL */
/* Has the command and its children end. */
void os_supervise_end(struct os_supervised *supervised, enum os_pressure pressure);

#endif
