/* Shows on standard error how a run under `confirm` goes.
 *
 * On a terminal: a few rows at its bottom, which scrolling stops above, as package managers do it. The script's own output
 * goes to the same terminal and stays as it is: it scrolls in what is left, progress bars included; nothing that it prints is
 * ever drawn over. Where the terminal cannot, or something else may draw there, a plain line now and then. One thread. */
#ifndef VRAMLINT_CLI_CONFIRM_VIEW_H
#define VRAMLINT_CLI_CONFIRM_VIEW_H

#include "confirm/confirm.h"

struct confirm_view {
	bool is_block, is_on; /* rows at the bottom; … that are there now */
	bool braille, colour;
	int64_t steps;
	double began, told;   /* by os_seconds */
	int lines, columns;   /* of the terminal, when the rows were made room for */
	size_t height;        /* of the rows */
};

/* What gives a terminal back as it was, whether rows are shown or not. */
extern const char confirm_view_farewell[];

void confirm_view_init(struct confirm_view *view, int64_t steps);
/* For confirm_request: VIEW is a struct confirm_view. */
void confirm_view_show(const struct reported *reported, enum confirm_moment moment, void *view);

#endif
