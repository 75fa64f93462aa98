/* Whether code that evaluates serves training as well. */
#ifndef VRAMLINT_RULE_TRAINED_H
#define VRAMLINT_RULE_TRAINED_H

#include "flow/analysis.h"
#include "flow/judge.h"

/* Whether something walks a graph that the code in REACH, a part of this file, or what it calls records; or may, because
 * another call than that of FACT, a forward, leads to the same forward and hands the result to somebody out of sight.
 * Takes what it looked at from BUDGET, and says yes once that is spent. */
bool trained_through(const struct analysis *analysis, const struct fact *fact, struct span reach, size_t *budget);

#endif
