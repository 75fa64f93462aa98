/* What the analysis saw, in words: for a person who asks why a line is reported or not.
 *
 * One line an event, with the loops around it and where its value comes from,
 * and what the judgement made of it. */
#ifndef VRAMLINT_FLOW_EXPLAIN_H
#define VRAMLINT_FLOW_EXPLAIN_H

#include "base/buf.h"
#include "flow/judge.h"
#include "text/source.h"

/* Appends the events of the analysis in order of place to OUT, one a line, ended by LF. */
void explain(const struct analysis *analysis, const struct judgement *judgement, const struct source *source,
	     struct buf *out);

#endif
