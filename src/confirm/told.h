/* All that is told of a run, put in order once for text, JSON, page and pictures.
 *
 * Borrows the outcome and the judgements; owns its rows. */
#ifndef VRAMLINT_CONFIRM_TOLD_H
#define VRAMLINT_CONFIRM_TOLD_H

#include "confirm/confirm.h"
#include "confirm/forecast.h"

/* A holder among all of a run. */
struct told_row {
	enum told_kind {
		TOLD_LEAKS,    /* it grows, and a finding says so or it is none that anybody wants */
		TOLD_GATHERED, /* it grows without graphs: results, which may be wanted */
		TOLD_BOUNDED,  /* it does not grow any more */
		TOLD_OTHER     /* too little is known */
	} kind;
	const struct reported_process *process;
	const struct reported_holder *holder;
	struct growth growth;
	size_t processes; /* that have one of that name and kind: ranks do alike */
};

struct told_totals {
	size_t confirmed, host, refuted, not_observed, unpredicted;
};

struct told {
	const struct confirm_outcome *outcome;
	const struct judgements *judgements;
	const char *command;  /* what was run, in words */
	const char *folder;   /* the current one, absolute: paths below it are shown without it; or NULL */
	double fail_over;     /* bytes a step: growth up to that does not count */
	const struct reported_process *process; /* the one with most steps, or NULL where no agent was heard of */
	struct told_totals totals;
	struct forecast forecast;
	VEC(struct told_row) rows; /* what leaks first, the largest before the others */
};

/* The members up to FAIL_OVER are set; the rest is filled in. MEMORY: of the machine, after the run. */
void told_init(struct told *told, const struct os_memory *memory);
void told_release(struct told *told);

/* Whether the unpredicted holder with number INDEX is one that another process has shown before. */
bool told_repeats(const struct told *told, size_t index);
/* Whether the line with number INDEX is one of those before it: stores are listed once for each way that leads there. */
bool told_line_repeats(const struct reported_line *lines, size_t index);
/* Whether anything could be seen at all: an agent was there, and steps were done. */
bool told_saw_steps(const struct told *told);
/* Whether something was confirmed that counts: what is no growth always does, growth where all of it is more than the limit. */
bool told_fails(const struct told *told);
/* Fewer steps than verdicts should rest on. */
bool told_is_provisional(const struct told *told);
/* Processes that have trained: several where there are ranks. */
size_t told_trainers(const struct told *told);

#endif
