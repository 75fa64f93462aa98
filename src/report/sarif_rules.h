/* The tool and its rules in SARIF. Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_SARIF_RULES_H
#define VRAMLINT_REPORT_SARIF_RULES_H

#include "report/report.h"
#include "rule/rule.h"
#include "text/json_writer.h"

/* "error", "warning" or "note", which a hint is as well. */
const char *sarif_level(enum severity severity);
/* The place of RULE among those that are listed, or -1 where it is not. */
int sarif_rule_index(const struct report_options *options, const struct rule *rule);
/* The member "tool" with all rules that are enabled, whether they found something or not: GitHub closes alerts of rules that
 * are not there. */
void sarif_write_tool(struct json_writer *writer, const struct report_options *options);

#endif
