/* What the text of a query is made of: its patterns, one after another, as far as that shows without compiling it. Pure. */
#ifndef VRAMLINT_PY_QUERY_TEXT_H
#define VRAMLINT_PY_QUERY_TEXT_H

#include <stdbool.h>
#include "base/str.h"

struct query_part {
	struct str text; /* one pattern; or all that is left, where it is not seen where one ends */
	/* Of a pattern in parentheses that captures its outermost node and tests no text, else empty: */
	struct str body; /* … without that capture */
	struct str name; /* … of that capture */
};

/* The part of TEXT that begins at *AT, which moves behind it; false at the end. */
bool query_text_next(struct str text, size_t *at, struct query_part *part);
/* Whether the pattern TEXT captures its outermost node, and asks nothing of what is around that. */
bool query_text_captures_root(struct str text);

#endif
