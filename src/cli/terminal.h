/* What the terminal can show: colour and width. Reads the environment. */
#ifndef VRAMLINT_CLI_TERMINAL_H
#define VRAMLINT_CLI_TERMINAL_H

#include <stdbool.h>

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* Whether standard output gets colour. For COLOUR_AUTO: FORCE_COLOR or CLICOLOR_FORCE (set, not "0"), then NO_COLOR
 * (not empty), CLICOLOR=0 and TERM=dumb, then whether it is a terminal. Sources: no-color.org, force-color.org,
 * bixense.com. */
bool terminal_wants_colour(enum colour_when when);
/* Whether standard output gets links: FORCE_HYPERLINK ("0": no), else whether it is a terminal other than "dumb".
 * Source: supports-hyperlinks. */
bool terminal_wants_links(void);
/* Columns to write in: COLUMNS, the terminal's own, or 120. */
int terminal_columns(void);
/* Whether a line on standard error can be drawn over. */
bool terminal_can_redraw(void);
/* Takes away what standard output shows, where it is a terminal that can. */
void terminal_clear(void);

#endif
