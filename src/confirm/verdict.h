/* From what a run has shown and what was predicted to a verdict on each.
 *
 * A leak is told from a filling cache by births, not by curves: what is alive at the end was made in nearly every step, early
 * and late. Source: shared design, measured on nine kinds of noise. Pure. */
#ifndef VRAMLINT_CONFIRM_VERDICT_H
#define VRAMLINT_CONFIRM_VERDICT_H

#include "confirm/reported.h"
#include "rule/finding.h"

/* A finding of the linter, kept beyond its result. */
struct predicted {
	const char *path;  /* absolute */
	const char *shown;
	const char *code, *name, *message;
	enum severity severity;
	enum cost cost;
	int64_t line, end_line, column;
	const struct finding *finding; /* all of it, and the text that it is about, which may be gone when the run ends */
	const struct source *source;
};

enum verdict { VERDICT_NOT_OBSERVED, VERDICT_REFUTED, VERDICT_CONFIRMED_HOST, VERDICT_CONFIRMED };
const char *verdict_name(enum verdict verdict); /* "confirmed-host" */

/* How a holder grows over the steps that count. */
struct growth {
	bool leaks;
	bool is_emptied;       /* … until it is emptied, as by an epoch's end */
	double bytes, nodes;   /* of tensors, of graphs: a step, on average */
	double least_bytes, most_bytes; /* quartiles of the bytes: half of the steps leave between these */
	double device_bytes;   /* of `bytes`, those on an accelerator; on a CPU run all stand for it */
	double host_bytes;     /* a step, or -1 */
	int64_t births;        /* steps that something is left of */
	int64_t steps;         /* that count: where something is left of each second or tenth only, as many as it could be */
	int64_t period;        /* 1, or 2, or 10 */
};

struct judged {
	enum verdict verdict;
	const struct predicted *finding;     /* NULL: nobody predicted it */
	const struct reported_holder *holder;  /* or NULL */
	size_t others;                         /* that leak by the same finding, and are smaller */
	const struct reported_probe *probe;    /* or NULL */
	const struct reported_worker *worker;  /* that grows and may be where it happens, or NULL */
	const char *bounded;   /* why it does not grow, though it happens: as of its holder, or "constant"; or NULL */
	struct growth growth;
	int64_t hits;                        /* of the finding's line */
};

struct judgements {
	VEC(struct judged) findings;    /* as predicted, in that order */
	VEC(struct judged) unpredicted; /* holders that leak and that no finding stores to */
	VEC(struct judged) gathered;    /* that grow by tensors without graphs, as results do: wanted, until told otherwise */
	VEC(struct judged) bounded;     /* that were filled and do not grow any more; holder->bounded says how */
};

/* Whether what is left of a step differs so much from step to step that the average alone would mislead. */
bool growth_is_uneven(const struct growth *growth);
struct growth growth_of(const struct reported_process *process, const struct reported_holder *holder);
void judge_run(const struct reported *reported, const struct predicted *findings, size_t count, struct judgements *judgements);
void judgements_release(struct judgements *judgements);

#endif
