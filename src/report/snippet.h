/* Lines of source in a report: a number, the text, and marks under a part of it.
 *
 * Tabs become spaces, wide and combining characters are counted as a terminal
 * shows them, and what does not fit is cut around the marked part, with "…".
 * Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_SNIPPET_H
#define VRAMLINT_REPORT_SNIPPET_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/str.h"
#include "report/style.h"
#include "rule/finding.h"

struct snippet_frame {
	bool colour;
	size_t gutter;  /* digits of the widest line number */
	size_t columns; /* of the whole output; 0: nothing is cut */
};

/* A line and the part of it that is shown; all but LINE in columns of LINE with its tabs expanded. */
struct snippet_view {
	struct str line; /* of a very long one what surrounds the mark */
	size_t mark_start, mark_end; /* never empty */
	size_t width;
	size_t from, to; /* what of it is shown */
};

/* What stands under a line. */
struct snippet_mark {
	char sign;
	enum style style;
	const char *label; /* escaped when written, or NULL */
};

/* Columns left beside USED ones, a few at least; 0 where nothing is cut. */
size_t snippet_room(const struct snippet_frame *frame, size_t used);
/* How LINE is shown, with the bytes MARKED kept in sight. */
struct snippet_view snippet_view_get(const struct snippet_frame *frame, struct str line, struct span marked);
/* The same for the first line of EXCERPT. */
struct snippet_view snippet_view_of(const struct snippet_frame *frame, const struct excerpt *excerpt);

/* "   |" */
void snippet_add_bar(struct buf *out, const struct snippet_frame *frame);
/* "   : cell 3", above lines of another cell of a notebook than those before. */
void snippet_add_cell(struct buf *out, const struct snippet_frame *frame, uint32_t cell);
/* "12 | text", with SIGN in place of the bar ('+' and '-' colour the text). NUMBER 0 leaves the number out. */
void snippet_add_line(struct buf *out, const struct snippet_frame *frame, const struct snippet_view *view,
		      uint32_t number, char sign);
/* "   |     ^^^^ label"; a label that does not fit goes to lines of its own. */
void snippet_add_mark(struct buf *out, const struct snippet_frame *frame, const struct snippet_view *view,
		      struct snippet_mark mark);

/* Bytes of the part of EXCERPT's line that lies before its column COLUMN (1-based, code points). */
uint32_t snippet_column_offset(const struct excerpt *excerpt, uint32_t column);

#endif
