/* The memory of processes that have no agent: forked workers of a data loader.
 *
 * The supervisor reads it from the system while the run goes on, for at most a fiftieth of one core, and reports it as an
 * agent would; what it means is said by a pure function. Memory that a worker shares with its parent until one of them writes
 * to it says nothing here: the agent's own look at the parent's objects writes to them. */
#ifndef VRAMLINT_CONFIRM_WORKERS_H
#define VRAMLINT_CONFIRM_WORKERS_H

#include "base/buf.h"
#include "confirm/reported.h"

struct workers_known {
	int64_t process, parent;
};

struct workers_watch {
	double began;            /* of the run, by os_seconds */
	double first;            /* when there were any, or 0 */
	double spent;            /* seconds of the processor that reading took so far */
	double looked, searched; /* when last */
	VEC(struct workers_known) known;
};

/* Reads what may be read by now, if anything, and appends it to EVENTS, a line each. */
void workers_look(struct workers_watch *watch, const struct reported *reported, struct buf *events);
double workers_wait(const struct workers_watch *watch); /* seconds until there may be more to read, about */
void workers_release(struct workers_watch *watch);

/* How the memory of a worker grows. */
struct worker_growth {
	bool grows;        /* beyond warm-up, early and late */
	double bytes;      /* a step of its parent's, or where there are none, a second */
	bool by_seconds;
	int64_t first, last; /* bytes at warm-up's end, and at the end */
};
struct worker_growth worker_growth_of(const struct reported_worker *worker);
/* The worker that grows most, or NULL. */
const struct reported_worker *workers_most(const struct reported *reported, struct worker_growth *growth);
/* "worker process 7 grew from 233 MB to 253 MB, 738 kB a step" */
void workers_say(struct buf *out, const struct reported_worker *worker);
/* The same in a line, of the one that grows most; nothing where none does. */
void workers_tell(struct buf *out, const struct reported *reported);

#endif
