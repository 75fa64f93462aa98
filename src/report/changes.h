/* What is printed in place of a report where the fixes are all that is asked for: their diff, or nothing. */
#ifndef VRAMLINT_REPORT_CHANGES_H
#define VRAMLINT_REPORT_CHANGES_H

#include "report/report.h"

extern const struct report_format report_changes; /* a unified diff of each file that was fixed */
extern const struct report_format report_summary_only; /* but for the summary */

#endif
