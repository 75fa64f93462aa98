/* Runs a person's own command with an agent in it, for some steps, and says what it saw.
 *
 * Writes its own files in a temporary folder only, which goes when the run ends. One run at a time. */
#ifndef VRAMLINT_CONFIRM_CONFIRM_H
#define VRAMLINT_CONFIRM_CONFIRM_H

#include "base/err.h"
#include "confirm/device.h"
#include "confirm/reported.h"
#include "confirm/verdict.h"

enum confirm_stop { CONFIRM_EXIT, CONFIRM_RAISE, CONFIRM_RUN };

struct confirm_request {
	const char *const *command; /* ended by NULL: what is run */
	int64_t steps;
	double time_limit;          /* seconds; 0: none */
	enum confirm_stop stop;
	bool protects;              /* torch.save is led elsewhere */
	const char *snapshot;       /* the file that a memory snapshot is written to, or NULL: none is made */
	const struct predicted *findings;
	size_t finding_count;
	void (*progress)(const struct reported *reported, void *context); /* a few times a second; may be NULL */
	void *context;
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
	double seconds;
};

/* Runs it. False with ERR set where it could not be started; OUTCOME is to be released in either case. */
bool confirm_run(const struct confirm_request *request, struct confirm_outcome *outcome, struct err *err);
void confirm_outcome_release(struct confirm_outcome *outcome);

#endif
