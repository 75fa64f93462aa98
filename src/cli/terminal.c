#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"

enum { OUTPUT = 1, ERRORS = 2, COLUMNS_UNKNOWN = 120, COLUMNS_LEAST = 40, COLUMNS_MOST = 1000 };

static bool is_set(const char *name)
{
	const char *value = os_env(name);

	return value && *value;
}

static bool is_text(const char *name, const char *text)
{
	const char *value = os_env(name);

	return value && strcmp(value, text) == 0;
}

bool terminal_wants_colour(enum colour_when when)
{
	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	if ((is_set("FORCE_COLOR") && !is_text("FORCE_COLOR", "0")) ||
	    (is_set("CLICOLOR_FORCE") && !is_text("CLICOLOR_FORCE", "0")))
		return true;
	if (is_set("NO_COLOR") || is_text("CLICOLOR", "0") || is_text("TERM", "dumb"))
		return false;
	return os_is_terminal(OUTPUT);
}

bool terminal_wants_links(void)
{
	if (is_set("FORCE_HYPERLINK"))
		return !is_text("FORCE_HYPERLINK", "0");
	return os_is_terminal(OUTPUT) && !is_text("TERM", "dumb");
}

int terminal_columns(void)
{
	const char *text = os_env("COLUMNS");
	char *end = NULL;
	long columns = text ? strtol(text, &end, 10) : 0;

	if (!text || *end || columns <= 0 || columns > COLUMNS_MOST)
		columns = os_terminal_columns(OUTPUT);
	if (columns <= 0)
		columns = COLUMNS_UNKNOWN;
	return columns < COLUMNS_LEAST ? COLUMNS_LEAST : (int)columns;
}

bool terminal_can_redraw(void)
{
	return os_is_terminal(ERRORS) && !is_text("TERM", "dumb");
}

void terminal_clear(void)
{
	if (!os_is_terminal(OUTPUT) || is_text("TERM", "dumb"))
		return;
	fputs("\x1b[H\x1b[2J", stdout);
	fflush(stdout);
}
