#include "report/guard.h"

/* The services skip blanks of all kinds, of which those beyond ASCII are not told from letters here. */
static bool may_be_skipped(char c)
{
	return (unsigned char)c <= ' ' || (unsigned char)c >= 0x7F;
}

void guard_add(struct buf *out, struct str text)
{
	bool at_start = true;

	for (size_t i = 0; i < text.length; i++) {
		char c = text.at[i];

		if (c == ':' && at_start)
			buf_add_text(out, "\\x3a");
		else if (c == '#' && i > 0 && text.at[i - 1] == '#')
			buf_add_text(out, "\\x23");
		else
			buf_add_char(out, c);
		at_start = c == '\n' || (at_start && may_be_skipped(c));
	}
}
