/* Runs a person's own command with an agent in it, for some steps, and says what it saw.
 *
 * Writes its own files in a temporary folder only, which goes when the run ends. One run at a time. */
#ifndef VRAMLINT_CONFIRM_CONFIRM_H
#define VRAMLINT_CONFIRM_CONFIRM_H

#include "base/err.h"
#include "confirm/device.h"
#include "confirm/protection.h"
#include "confirm/reported.h"
#include "confirm/verdict.h"

enum confirm_stop { CONFIRM_EXIT, CONFIRM_RAISE, CONFIRM_RUN };

enum confirm_moment {
	CONFIRM_PROGRESS, /* some time has passed: a few times a second */
	CONFIRM_RESIZED,  /* the terminal has another size */
	CONFIRM_PAUSED,   /* this program is about to be stopped for a while: the terminal is another's */
	CONFIRM_RESUMED,
	CONFIRM_ENDED     /* the last */
};

struct confirm_request {
	const char *const *command; /* ended by NULL: what is run */
	int64_t steps;
	double time_limit;          /* seconds; 0: none */
	enum confirm_stop stop;
	bool protects;              /* what it writes is kept away from where it would go */
	const char *snapshot;       /* the file that a memory snapshot is written to, or NULL: none is made */
	const struct predicted *findings;
	size_t finding_count;
	struct buf *record;         /* what the agents say is added here, line by line; may be NULL */
	void (*progress)(const struct reported *reported, enum confirm_moment moment, void *context); /* may be NULL */
	void (*warn)(const char *text, void *context);                                                /* may be NULL */
	void *context;
	const char *farewell;       /* what a terminal is to be told if this program is killed; may be NULL */
};

enum confirm_end {
	CONFIRM_DONE,       /* it did its steps, or ended before */
	CONFIRM_TIMED_OUT,
	CONFIRM_INTERRUPTED
};

struct confirm_outcome {
	struct reported reported;
	struct device_watch devices; /* what the driver said of them */
	size_t snapshots;            /* files written */
	struct err snapshot_err;     /* why not, where there is a code */
	enum confirm_end end;
	int status;       /* of the command */
	bool is_forced;   /* it would not end and was killed */
	bool lacked_memory; /* the kernel has killed some process for want of it meanwhile */
	double seconds;
	struct protection protection;
};

/* Runs it. False with ERR set where it could not be started; OUTCOME is to be released in either case. */
bool confirm_run(const struct confirm_request *request, struct confirm_outcome *outcome, struct err *err);
void confirm_outcome_release(struct confirm_outcome *outcome);

#endif
