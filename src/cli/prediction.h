/* What the linter finds in code that is about to be run, kept beyond its results. One thread. */
#ifndef VRAMLINT_CLI_PREDICTION_H
#define VRAMLINT_CLI_PREDICTION_H

#include "base/vec.h"
#include "confirm/verdict.h"
#include "engine/run.h"

struct prediction {
	struct run_sink base; /* first: the run knows no more than this */
	struct arena arena;
	const char *current;  /* the current folder, absolute, or NULL */
	const struct settings *settings; /* of some file, or NULL where there was none; borrowed from the configuration */
	VEC(struct predicted) findings;
	VEC(struct source *) sources;    /* one for each file that has findings */
};

/* Checks PATHS, as CONFIG says. False where something of it could not be, which is told. PREDICTION is to be released in either
 * case, before CONFIG goes. */
bool prediction_make(struct prediction *prediction, struct config *config, const char *const *paths, size_t count);
void prediction_release(struct prediction *prediction);

#endif
