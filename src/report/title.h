/* The code and name of a rule as a report for people shows them. Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_TITLE_H
#define VRAMLINT_REPORT_TITLE_H

#include "base/buf.h"
#include "report/report.h"
#include "rule/rule.h"

/* "VL101 tensor-append", in colour and as a link where OPTIONS want it. Links are OSC 8 of terminals; source:
 * gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda. */
void title_add(struct buf *out, const struct report_options *options, const struct rule *rule);
/* The same with blanks up to WIDTH columns. */
void title_add_padded(struct buf *out, const struct report_options *options, const struct rule *rule, size_t width);

#endif
