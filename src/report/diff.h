/* The edits of a finding as lines before and after. Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_DIFF_H
#define VRAMLINT_REPORT_DIFF_H

#include "base/buf.h"
#include "report/snippet.h"
#include "rule/finding.h"

/* Appends the changed lines, "12 - old" and "12 + new". Shows all of the edits or, where one of them touches a line
 * whose text the finding does not hold, none: half of a change would mislead. */
void diff_add(struct buf *out, const struct snippet_frame *frame, const struct finding *finding);
/* What a reader should know of the edits before they are made; NULL where there is nothing. Static. */
const char *diff_remark(const struct finding *finding);

#endif
