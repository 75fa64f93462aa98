/* The formats that report.c lists. */
#ifndef VRAMLINT_REPORT_FORMATS_H
#define VRAMLINT_REPORT_FORMATS_H

#include "report/report.h"

extern const struct report_format report_full;
extern const struct report_format report_concise;
extern const struct report_format report_grouped;
extern const struct report_format report_statistics;
extern const struct report_format report_json;
extern const struct report_format report_json_lines;
extern const struct report_format report_sarif;
extern const struct report_format report_github;
extern const struct report_format report_gitlab;
extern const struct report_format report_azure;
extern const struct report_format report_rdjson;
extern const struct report_format report_rdjsonl;
extern const struct report_format report_checkstyle;
extern const struct report_format report_junit;
extern const struct report_format report_html;

/* For `begin` and `end` where there is nothing to do. */
void report_no_begin(struct report *report);
void report_no_end(struct report *report, const struct report_totals *totals);

#endif
