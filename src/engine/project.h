/* The files around those that are checked: found by what imports say, read and lowered once for the whole run.
 *
 * Shared by all threads. What it hands out lives until it is forgotten, which takes that nobody looks. */
#ifndef VRAMLINT_ENGINE_PROJECT_H
#define VRAMLINT_ENGINE_PROJECT_H

#include "engine/overlay.h"
#include "flow/model.h"
#include "flow/unit.h"
#include "py/parse.h"

struct project;

/* Both must outlive it. */
struct project *project_new(const struct py_grammar *grammar, const struct model *model);
void project_free(struct project *project);
/* From now on files that are in OVERLAY (borrowed) count as they are there. Call before anybody looks. */
void project_overlay(struct project *project, const struct overlay *overlay);

/* How one check looks at the project, and what it saw. */
struct project_look {
	struct project *project;
	struct arena *arena; /* owns what is below */
	bool (*stop)(void *context); /* whether nobody wants the result any more; or NULL */
	void *stop_context;
	const char **reads;  /* real paths of the files that it found, each once */
	size_t read_count, room;
	bool seeks;          /* names were looked up, found or not */
	bool asks_around;    /* it was asked who calls a function */
};

/* Imports are looked up beside the importing file, in the folders above it up to the one that holds the project (.git,
 * pyproject.toml, README.md and the like), and in their `src`. Files that are missing, unreadable or large are none. LOOK,
 * of which project and arena are set, is used by one thread. */
struct unit_source project_source(struct project_look *look);
/* Time spent so far on reading, parsing and lowering files, in seconds, summed over threads. */
double project_seconds(struct project *project);

/* The file PATH, real and absolute, or any (NULL), has changed, appeared or gone. Nobody may look meanwhile. Returns
 * whether imports may lead to other files than before. */
bool project_forget(struct project *project, const char *path);
/* Gives back what the files take that were not asked for lately, but for KEPT bytes: they are read again when they are
 * wanted. Nobody may look meanwhile. */
void project_rest(struct project *project, size_t kept);
/* Forgets what has changed on the disk since it was looked at; returns whether anything has. Nobody may look meanwhile. */
bool project_refresh(struct project *project);

#endif
