/* What came of a run, for people and for programs. */
#ifndef VRAMLINT_CONFIRM_TELL_H
#define VRAMLINT_CONFIRM_TELL_H

#include "base/buf.h"
#include "confirm/told.h"

/* Appends the report. */
void tell_text(struct buf *out, const struct told *told);
/* Appends one JSON object, of schema "vramlint-confirm/1": docs/schema/confirm.schema.json. */
void tell_json(struct buf *out, const struct told *told);

#endif
