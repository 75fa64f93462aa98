/* Pages that are written around what is reported: files of the program with markers in them. Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_FRAME_H
#define VRAMLINT_REPORT_FRAME_H

#include "base/buf.h"

/* The embedded file NAME, which must be there. */
struct str frame_get(const char *name);
/* Appends FRAME up to MARKER, which must be in it, and takes that, with the marker, off its front. */
void frame_add_up_to(struct buf *out, struct str *frame, struct str marker);

#endif
