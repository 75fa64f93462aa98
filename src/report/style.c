#include "report/style.h"

static const char *const sequences[] = {
	[STYLE_PLAIN] = "",	    [STYLE_PATH] = "\x1b[1m",	 [STYLE_GUTTER] = "\x1b[34m", [STYLE_CODE] = "\x1b[1m",
	[STYLE_ERROR] = "\x1b[1;31m", [STYLE_WARNING] = "\x1b[1;33m", [STYLE_NOTE] = "\x1b[1;36m", [STYLE_HINT] = "\x1b[36m",
	[STYLE_REMOVED] = "\x1b[31m", [STYLE_ADDED] = "\x1b[32m",
};

void style_begin(struct buf *out, bool colour, enum style style)
{
	if (colour)
		buf_add_text(out, sequences[style]);
}

void style_end(struct buf *out, bool colour, enum style style)
{
	if (colour && style != STYLE_PLAIN)
		buf_add_text(out, "\x1b[0m");
}

void style_add(struct buf *out, bool colour, enum style style, const char *text)
{
	style_begin(out, colour, style);
	buf_add_text(out, text);
	style_end(out, colour, style);
}

enum style style_of_severity(enum severity severity)
{
	switch (severity) {
	case SEVERITY_ERROR:
		return STYLE_ERROR;
	case SEVERITY_WARNING:
		return STYLE_WARNING;
	case SEVERITY_NOTE:
		return STYLE_NOTE;
	case SEVERITY_HINT:
		break;
	}
	return STYLE_HINT;
}
