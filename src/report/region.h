/* Places of a finding in the unit of columns that a format asks for. Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_REGION_H
#define VRAMLINT_REPORT_REGION_H

#include "rule/finding.h"
#include "text/source.h"

enum column_unit { COLUMN_CHARACTERS, COLUMN_UTF16, COLUMN_BYTES };

/* 1-based, the end column exclusive. */
struct region {
	uint32_t line, column;
	uint32_t end_line, end_column;
};

/* Where AT lies in its file. In a notebook that is a line of its JSON, of which columns 1 to 2 stand for all. Without SOURCE
 * (NULL) what ends on a later line is cut to the first, and a cell is line 1. */
struct region region_of(const struct excerpt *at, const struct source *source, enum column_unit unit);
/* The part of AT on its first line. */
struct region region_of_first_line(const struct excerpt *at, const struct source *source, enum column_unit unit);
/* Where SPAN lies in SOURCE, a plain file. */
struct region region_of_span(const struct source *source, struct span span, enum column_unit unit);

#endif
