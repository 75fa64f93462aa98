/* Colours of a report, as escape sequences of terminals (ECMA-48). Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_STYLE_H
#define VRAMLINT_REPORT_STYLE_H

#include <stdbool.h>
#include "base/buf.h"
#include "rule/finding.h"

enum style {
	STYLE_PLAIN,
	STYLE_PATH,
	STYLE_GUTTER, /* line numbers, frame and the marks of the trail */
	STYLE_CODE,   /* code and name of a rule */
	STYLE_ERROR,
	STYLE_WARNING,
	STYLE_NOTE,
	STYLE_HINT,
	STYLE_REMOVED,
	STYLE_ADDED
};

/* Starts STYLE; nothing where COLOUR is false. */
void style_begin(struct buf *out, bool colour, enum style style);
/* Back to plain text. */
void style_end(struct buf *out, bool colour, enum style style);
/* TEXT, which must be safe to show, in STYLE. */
void style_add(struct buf *out, bool colour, enum style style, const char *text);
enum style style_of_severity(enum severity severity);

#endif
