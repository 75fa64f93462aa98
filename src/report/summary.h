/* The last line of a report for people. */
#ifndef VRAMLINT_REPORT_SUMMARY_H
#define VRAMLINT_REPORT_SUMMARY_H

#include "base/buf.h"
#include "report/report.h"

/* Appends what was fixed and what can be, where there is something to say about it, and a line: "Found 3 findings (2 errors, 1 hint) in 2 files." or "All clear: no findings in 12 files." */
void summary_add(struct buf *out, const struct report_totals *totals);

/* Appends what was fixed, or that nothing was. */
void summary_add_fixed(struct buf *out, const struct report_totals *totals);

#endif
