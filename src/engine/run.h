/* All files through the analysis, on several threads, in an order that never changes.
 *
 * Prints nothing: results go to a sink, one file after another, in the order
 * of the walk whatever the number of threads. */
#ifndef VRAMLINT_ENGINE_RUN_H
#define VRAMLINT_ENGINE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include "engine/fix.h"
#include "engine/lint.h"
#include "engine/walk.h"

struct run_file {
	const char *path;                 /* to be shown */
	const struct lint_result *result; /* NULL where the file could not be read or decoded */
	const char *error;                /* then: why; else NULL */
	const struct source *source;      /* the text that was checked, where there is something to say about it; else NULL */
	const struct run_fix *fix;        /* where fixes were wanted: what came of them; else NULL */
};

/* The fixes of one file, made in memory. Where something was fixed, result and source are those after it. */
struct run_fix {
	const struct fix_outcome *outcome;
	const char *path;            /* to open the file by; NULL for a document in memory */
	struct str raw;              /* the bytes of the file as they were read */
	const struct source *before; /* the text then */
	struct str fixed;            /* the bytes of the fixed file; empty where nothing was fixed */
	const char *error;           /* why the fixes cannot be written, so that none was made; or NULL */
};

struct run_sink {
	void (*file)(struct run_sink *sink, const struct run_file *file);             /* called from one thread at a time */
	void (*progress)(struct run_sink *sink, size_t done, size_t total);          /* may be NULL; about ten times a second */
};

struct run_totals {
	size_t files;   /* looked at, without notebooks in other languages that nobody named */
	size_t failed;  /* could not be read, decoded or parsed at all */
	struct lint_timing timing;
};

/* Checks all FILES with THREADS workers (0: as many as cores), and makes the fixes that FIXES (NULL: none) wants; they are
 * handed to the sink, and it is for the caller to write them once all files are checked, as files look into each other.
 * LIMITS: see lint_worker_limit. */
struct run_totals run_files(const struct linter *linter, const struct walk_file *files, size_t count, int threads,
			    const struct fix_policy *fixes, const struct lint_limits *limits, struct run_sink *sink);
/* The same for one document that is already in memory, such as standard input. */
struct run_totals run_text(const struct linter *linter, const char *shown, struct str raw,
			   const struct fix_policy *fixes, const struct lint_limits *limits, struct run_sink *sink);

#endif
