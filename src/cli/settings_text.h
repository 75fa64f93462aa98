/* Settings for people and for programs: what counts, and where each value was said. */
#ifndef VRAMLINT_CLI_SETTINGS_TEXT_H
#define VRAMLINT_CLI_SETTINGS_TEXT_H

#include "base/buf.h"
#include "engine/config.h"

/* Prints what CONFIG has to complain of on standard error; returns whether nothing can be done with it. */
bool settings_tell_faults(const struct config *config);
/* As TOML with the places as comments. */
void settings_text_add(struct buf *out, const struct settings *settings);
/* As one JSON object. */
void settings_json_add(struct buf *out, const struct settings *settings);
/* The JSON schema (draft 7) of configuration files. */
void settings_schema_add(struct buf *out, const struct rule_set *rules);

#endif
