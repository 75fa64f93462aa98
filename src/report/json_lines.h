/* Findings as JSON objects, described by docs/schema/finding.schema.json. Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_JSON_LINES_H
#define VRAMLINT_REPORT_JSON_LINES_H

#include "engine/run.h"
#include "text/json_writer.h"

/* The members of an object that say where AT lies: "cell" of a notebook, "line", "column", "end_line", "end_column". */
void json_lines_write_place(struct json_writer *writer, const struct excerpt *at);
/* An object with all that is known about FINDING of FILE. */
void json_lines_write_finding(struct json_writer *writer, const struct run_file *file, const struct finding *finding);

#endif
