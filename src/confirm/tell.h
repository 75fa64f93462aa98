/* What came of a run, for people and for programs. */
#ifndef VRAMLINT_CONFIRM_TELL_H
#define VRAMLINT_CONFIRM_TELL_H

#include "base/buf.h"
#include "confirm/confirm.h"

struct tell_totals {
	size_t confirmed, host, refuted, not_observed, unpredicted;
};

struct tell_totals tell_count(const struct judgements *judgements);
/* Whether anything could be seen at all: an agent was there, and steps were done. */
bool tell_saw_steps(const struct confirm_outcome *outcome);
/* Appends the report. COMMAND: what was run, in words. */
void tell_text(struct buf *out, const struct confirm_outcome *outcome, const struct judgements *judgements,
	       const char *command);
/* Appends one JSON object, of schema "vramlint-confirm/1". */
void tell_json(struct buf *out, const struct confirm_outcome *outcome, const struct judgements *judgements,
	       const char *command);

#endif
