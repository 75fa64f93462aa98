/* What the agents in a run's processes have reported.
 *
 * Lines of JSON go in, numbers come out. Owns all of it. One thread. The protocol, confirm/1, is described in
 * docs/confirm-protocol.md. */
#ifndef VRAMLINT_CONFIRM_REPORTED_H
#define VRAMLINT_CONFIRM_REPORTED_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

/* What a holder keeps that was made in one step. */
struct reported_birth {
	int64_t step, tensors, bytes, nodes;
	int64_t device; /* of the bytes, those that lie on an accelerator; on a CPU run all of them stand for it */
};

enum { REPORTED_CALLERS = 5 };

struct reported_caller {
	const char *path;
	int64_t line;
};

/* A line of the user's code. */
struct reported_line {
	const char *path;
	int64_t line;
	int64_t count; /* times that it did what it is listed for */
	struct reported_caller callers[REPORTED_CALLERS]; /* lines that it was reached by, innermost first; the rest have no path */
};

/* Something that holds tensors or graphs. */
struct reported_holder {
	const char *key; /* "losses in train_one_epoch" */
	struct reported_caller place; /* where its name is first given a value; or no path */
	const char *series; /* the clock that its births count in ("opt", "batch", "bwd", "fwd"), or NULL: that of the process */
	VEC(struct reported_birth) births;
	VEC(struct reported_line) stores; /* lines that store there */
	VEC(struct reported_line) allocs; /* lines that make what is kept */
	int64_t tensors, bytes, nodes, host_bytes, chain_steps;
	int64_t used;            /* bytes that what is kept needs; fewer than `bytes` where views keep large storages; -1: not known */
	int64_t first, last;     /* steps, of the clock that its births count in, that it is judged over; -1: as the process */
	const char *bounded; /* why it does not grow any more ("filled", "window", "sawtooth"), or NULL */
};

/* How often the line of a finding ran. */
struct reported_cover {
	int64_t finding, hits, steps;
};

struct reported_probe {
	int64_t finding; /* or -1 */
	const char *kind, *path, *note;
	int64_t line, hits, steps;
	struct reported_caller callers[REPORTED_CALLERS]; /* as of a line */
};

enum { REPORTED_DEVICES = 8 };

/* What the caching allocator of one accelerator says at a step: bytes; -1: not known. */
struct reported_device {
	int64_t device;
	int64_t allocated, reserved, requested, active, inactive_split;
	int64_t peak;           /* allocated, highest since the process began, or since the script has reset it */
	int64_t retries, ooms;  /* times, since the process began */
	int64_t total;          /* of the device */
};

/* One accelerator that a process uses. */
struct reported_gpu {
	int64_t device;         /* as torch numbers it */
	int64_t total;          /* bytes, or -1 */
	const char *kind;       /* "cuda" (ROCm's too), "xpu", "mps" */
	const char *name, *uuid; /* or NULL */
};

/* What grows on a device and nobody is known to hold, by the line that made it. */
struct reported_unheld {
	int64_t device;
	const char *path;        /* or NULL: not known */
	int64_t line, bytes;
	int64_t births;          /* steps that something is left of */
};

/* How the memory lies that an allocator has and tensors do not use; bytes. */
struct reported_layout {
	int64_t device;
	int64_t free, largest, pieces; /* in all, of the largest piece, how many */
	int64_t waiting;               /* let go, but another stream has it still */
	bool is_expandable;            /* the allocator's setting that makes pieces grow together */
	struct reported_line asked;    /* the line that made it ask the driver last; no path: not known */
};

struct reported_step {
	int64_t step;
	int64_t live, host, rss; /* bytes; -1: not known */
	double seconds;
	const struct reported_device *devices; /* REPORTED_DEVICES at most */
	size_t device_count;
};

struct reported_process {
	int64_t process;
	const char *role, *torch, *device, *clock;
	int64_t rank;
	bool has_shim, has_left;
	const char *why;       /* it has: "steps", "end", … */
	VEC(const char *) lacks; /* what cannot be seen in it ("saved", "tracer", …), each once */
	const struct reported_gpu *gpus; /* none until it has used one; REPORTED_DEVICES at most */
	size_t gpu_count;
	VEC(struct reported_unheld) unheld;
	VEC(struct reported_layout) layouts;
	const char *missing;   /* why there is no history of its devices' memory, or NULL */
	const char *snapshot, *no_snapshot; /* the file with it, or why there is none; both NULL: not yet, or not asked for */
	int64_t steps;
	int64_t first, last;   /* steps that verdicts rest on */
	VEC(struct reported_step) curve;
	VEC(struct reported_holder *) holders;
	VEC(struct reported_cover) covers;
	VEC(struct reported_probe) probes;
	const char *crash;     /* "RuntimeError: …", or NULL */
	bool is_oom;
	int64_t crash_step;
	struct reported_step at_crash; /* with what its devices said then */
	int64_t crash_live;    /* bytes of tensors then; -1: not known */
	VEC(struct reported_line) crash_at; /* lines of the user's code, innermost last */
};

struct reported_reading {
	int64_t step;    /* of its parent */
	double seconds;
	int64_t own;     /* bytes, of os_own_memory */
};

/* What the supervisor saw of a process below one that trains: forked workers of a data loader have no agent. */
struct reported_worker {
	int64_t process, parent;
	VEC(struct reported_reading) readings;
};

struct reported_stream {
	struct buf rest;        /* a line that has not ended */
	bool skips;             /* a line that is too long, up to its end */
	struct reported_process *process;
};

struct reported {
	struct arena arena;
	VEC(struct reported_process *) processes; /* in the order in which they came */
	VEC(struct reported_worker *) workers;
	VEC(struct reported_stream *) streams;    /* by number of the connection */
	size_t bad_lines;       /* no JSON, or too long */
	struct buf *record;     /* lines that are JSON are added here, too; borrowed, may be NULL */
};

/* A record that has grown beyond this takes no more lines. */
enum { REPORTED_RECORD_LIMIT = 64 << 20 };

void reported_init(struct reported *reported);
void reported_release(struct reported *reported);
/* BYTES came on CONNECTION. */
void reported_take(struct reported *reported, uint32_t connection, struct str bytes);
/* Whether any process has said that it did all its steps. */
bool reported_is_done(const struct reported *reported);

#endif
