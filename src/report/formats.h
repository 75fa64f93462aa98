/* The formats that report.c lists. */
#ifndef VRAMLINT_REPORT_FORMATS_H
#define VRAMLINT_REPORT_FORMATS_H

#include "report/report.h"

extern const struct report_format report_full;
extern const struct report_format report_concise;
extern const struct report_format report_json_lines;

#endif
