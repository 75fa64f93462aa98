/* How long memory lasts at the growth and the speed that a run has shown.
 *
 * Only what is judged to grow counts, what is emptied at times does not. Pure. */
#ifndef VRAMLINT_CONFIRM_FORECAST_H
#define VRAMLINT_CONFIRM_FORECAST_H

#include "base/os_memory.h"
#include "confirm/verdict.h"

/* One memory that fills up. */
struct forecast_end {
	bool is_known;
	double bytes;    /* growth a step */
	int64_t total, left; /* bytes of that memory: all, and what was free at the end of the run */
	double steps;    /* that fill it */
	double seconds;  /* that they take, or -1 */
};

struct forecast {
	double tensors, host;  /* bytes that all of it grows by a step, in the process in which it grows most: tensors, graphs */
	double step_seconds;   /* or -1 */
	struct forecast_end device, machine;
};

/* MEMORY is that of the machine once the run has ended, so that what its processes took is free again. */
struct forecast forecast_make(const struct reported *reported, const struct judgements *judgements,
			      const struct os_memory *memory);
/* Whether HOLDER, which leaks, is predicted or unwanted, and not gathered as results are. */
bool forecast_counts(const struct judgements *judgements, const struct reported_holder *holder);
/* Seconds that PROCESS took for a step, as the median of its curve without the first steps; -1 where that cannot be told. */
double forecast_step_seconds(const struct reported_process *process);
/* Whether the process trains on its CPU's memory. */
bool forecast_is_on_cpu(const struct reported_process *process);

#endif
