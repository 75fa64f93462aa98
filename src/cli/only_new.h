/* What `check` leaves out: findings that a baseline lists, and those that are not about what has changed in git. One
 * thread. */
#ifndef VRAMLINT_CLI_ONLY_NEW_H
#define VRAMLINT_CLI_ONLY_NEW_H

#include "engine/baseline.h"
#include "engine/changed.h"
#include "engine/run.h"

struct only_new_options {
	const char *baseline;  /* file, or NULL */
	const char *diff_base; /* commit, or NULL */
	bool update_baseline, prune_baseline, staged, quiet;
};

struct only_new {
	struct run_sink base;  /* first: takes results on their way to NEXT */
	struct run_sink *next;
	struct only_new_options options;
	struct baseline *baseline; /* or NULL */
	struct changed *changed;   /* or NULL */
	struct lint_limits limits; /* for the run */
	const struct rule_set *rules;
	const struct selection *selection;
};

/* Whether the options go together. ERR_USAGE says which do not. */
bool only_new_options_are_valid(const struct only_new_options *options, struct err *err);
/* Reads what OPTIONS name, for a run of those RULES that SELECTION has enabled. ONLY_NEW is to be released in either case. */
bool only_new_init(struct only_new *only_new, const struct only_new_options *options, const struct rule_set *rules,
		   const struct selection *selection, struct err *err);
void only_new_release(struct only_new *only_new);
/* The sink for a run, which hands on to NEXT. */
struct run_sink *only_new_sink(struct only_new *only_new, struct run_sink *next);
/* After the run: tells which entries of the baseline are stale, and writes it where that was asked for. */
bool only_new_finish(struct only_new *only_new, struct err *err);

#endif
