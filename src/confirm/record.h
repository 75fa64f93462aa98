/* What the agents in a run's processes have reported.
 *
 * Lines of JSON go in, numbers come out. Owns all of it. One thread. The protocol, confirm/1, is described in
 * docs/confirm.md. */
#ifndef VRAMLINT_CONFIRM_RECORD_H
#define VRAMLINT_CONFIRM_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

/* What a holder keeps that was made in one step. */
struct record_birth {
	int64_t step, tensors, bytes, nodes;
};

/* A line of the user's code. */
struct record_line {
	const char *path;
	int64_t line;
	int64_t count; /* times that it did what it is listed for */
};

/* Something that holds tensors or graphs. */
struct record_holder {
	const char *key; /* "losses in train_one_epoch" */
	VEC(struct record_birth) births;
	VEC(struct record_line) stores; /* lines that store there */
	VEC(struct record_line) allocs; /* lines that make what is kept */
	int64_t tensors, bytes, nodes, host_bytes, chain_steps;
	const char *bounded; /* why it does not grow any more ("filled", "window", "sawtooth"), or NULL */
};

/* How often the line of a finding ran. */
struct record_cover {
	int64_t finding, hits, steps;
};

struct record_probe {
	int64_t finding; /* or -1 */
	const char *kind, *path, *note;
	int64_t line, hits, steps;
};

struct record_step {
	int64_t step;
	int64_t live, host, rss; /* bytes; -1: not known */
	double seconds;
};

struct record_process {
	int64_t process;
	const char *role, *torch, *device, *clock;
	int64_t rank;
	bool has_shim, has_left;
	const char *why;       /* it has: "steps", "end", … */
	int64_t steps;
	int64_t first, last;   /* steps that verdicts rest on */
	VEC(struct record_step) curve;
	VEC(struct record_holder *) holders;
	VEC(struct record_cover) covers;
	VEC(struct record_probe) probes;
	const char *crash;     /* "RuntimeError: …", or NULL */
	bool is_oom;
	int64_t crash_step;
};

struct record_stream {
	struct buf rest;        /* a line that has not ended */
	bool skips;             /* a line that is too long, up to its end */
	struct record_process *process;
};

struct record {
	struct arena arena;
	VEC(struct record_process *) processes; /* in the order in which they came */
	VEC(struct record_stream *) streams;    /* by number of the connection */
	size_t bad_lines;       /* no JSON, or too long */
};

void record_init(struct record *record);
void record_release(struct record *record);
/* BYTES came on CONNECTION. */
void record_take(struct record *record, uint32_t connection, struct str bytes);
/* Whether any process has said that it did all its steps. */
bool record_is_done(const struct record *record);

#endif
