/* Text that others wrote, made safe and measurable for a terminal.
 *
 * File names, source lines and messages may hold control characters that move
 * the cursor and marks that turn the direction of writing; a report shows them
 * as escapes (\n, \x1b, \u202e). Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_VISIBLE_H
#define VRAMLINT_REPORT_VISIBLE_H

#include "base/buf.h"
#include "base/str.h"

/* One code point, or one byte that is not UTF-8, as it is shown. */
struct visible_piece {
	char text[12];
	size_t length; /* bytes of TEXT */
	size_t width;  /* columns on a terminal; 0 for combining characters */
	size_t taken;  /* bytes of the original */
};

/* The first piece of TEXT, which is not empty. Width: Unicode's East Asian Width, by utf8proc. */
struct visible_piece visible_piece_get(struct str text);
/* Appends all of TEXT. */
void visible_add(struct buf *out, struct str text);
/* Columns that visible_add's output takes. */
size_t visible_width(struct str text);
/* Appends TEXT in lines of up to ROOM columns (0: as one line), broken at spaces; a longer word stands alone. What
 * stands in single quotes is broken only where no line has room for it. Each line but the first begins with NEXT_LINE, which is not counted, and INDENT spaces, which are. */
void visible_add_wrapped(struct buf *out, struct str text, size_t room, struct str next_line, size_t indent);

#endif
