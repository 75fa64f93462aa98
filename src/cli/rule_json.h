/* A rule as a JSON object, the same for every command that prints one. */
#ifndef VRAMLINT_CLI_RULE_JSON_H
#define VRAMLINT_CLI_RULE_JSON_H

#include "rule/rule.h"
#include "text/json_writer.h"

/* "on", "hint" or "opt-in" */
const char *rule_default_name(const struct rule *rule);
/* Writes RULE where a value may stand; WHOLE: with its document. Later versions only add members. */
void rule_json_add(struct json_writer *writer, const struct rule *rule, bool whole);

#endif
