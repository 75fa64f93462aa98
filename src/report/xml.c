#include "report/xml.h"

#include <utf8proc.h>
#include "report/visible.h"

static bool needs_reference(utf8proc_int32_t code)
{
	switch (utf8proc_category(code)) {
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
	case UTF8PROC_CATEGORY_CF:
		return true;
	default:
		return code == '&' || code == '<' || code == '>' || code == '"' || code == '\'' || code == '\n' ||
		       code == '\r' || code == '\t' || code == 0x7F;
	}
}

/* C0 controls but for white space, and what Unicode promises never to assign. */
static bool is_no_character(utf8proc_int32_t code)
{
	return (code < ' ' && code != '\n' && code != '\r' && code != '\t') || (code >= 0x80 && code < 0xA0) ||
	       code == 0xFFFE || code == 0xFFFF;
}

void xml_add(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.length;) {
		struct str rest = {text.at + i, text.length - i};
		utf8proc_int32_t code;
		utf8proc_ssize_t taken;

		taken = utf8proc_iterate((const utf8proc_uint8_t *)rest.at, (utf8proc_ssize_t)rest.length, &code);
		if (taken <= 0 || is_no_character(code)) {
			struct visible_piece piece = visible_piece_get(rest);

			/* A noncharacter has a shape for terminals, not for XML. */
			if (taken > 0 && code >= 0xFFFE)
				buf_format(out, "\\u%04x", (unsigned)code);
			else
				buf_add(out, piece.text, piece.length);
			i += piece.taken;
			continue;
		}
		/* "##" may begin a command in the log of a job, see report/guard.h. */
		if (needs_reference(code) || (code == '#' && i > 0 && text.at[i - 1] == '#'))
			buf_format(out, "&#%d;", (int)code);
		else
			buf_add(out, rest.at, (size_t)taken);
		i += (size_t)taken;
	}
}

void xml_add_attribute(struct buf *out, const char *name, struct str text)
{
	buf_format(out, " %s=\"", name);
	xml_add(out, text);
	buf_add_char(out, '"');
}
