/* The files around those that are checked: found by what imports say, read and lowered once for the whole run.
 *
 * Shared by all threads. What it hands out lives as long as it does. */
#ifndef VRAMLINT_ENGINE_PROJECT_H
#define VRAMLINT_ENGINE_PROJECT_H

#include "flow/model.h"
#include "flow/unit.h"
#include "py/parse.h"

struct project;

/* Both must outlive it. */
struct project *project_new(const struct py_grammar *grammar, const struct model *model);
void project_free(struct project *project);
/* Imports are looked up beside the importing file, in the folders above it up to the one that holds the project (.git,
 * pyproject.toml, README.md and the like), and in their `src`. Files that are missing, unreadable or large are none. */
struct unit_source project_source(struct project *project);
/* Time spent so far on reading, parsing and lowering files, in seconds, summed over threads. */
double project_seconds(struct project *project);

#endif
