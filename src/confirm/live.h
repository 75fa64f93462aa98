/* What a run looks like while it goes on, as rows of text for a terminal or as a line for a log.
 *
 * Text only: who draws it and where is src/cli's. Owns nothing. */
#ifndef VRAMLINT_CONFIRM_LIVE_H
#define VRAMLINT_CONFIRM_LIVE_H

#include "base/buf.h"
#include "confirm/reported.h"

struct live_look {
	size_t columns;   /* no row is wider */
	size_t plot_rows; /* 0: no plot */
	bool braille;     /* else ASCII */
	int64_t steps;    /* that are looked at */
	double seconds;   /* that the run has taken so far */
};

/* How many rows there are to show. */
size_t live_height(const struct reported *reported, const struct live_look *look);
/* Appends row INDEX, without the end of the line. */
void live_row(struct buf *out, const struct reported *reported, const struct live_look *look, size_t index);
/* Appends all of it in a line: "step 12 of 48, 3.1 steps/s, tensors 1.2 GB, host 900 MB". */
void live_line(struct buf *out, const struct reported *reported, const struct live_look *look);

/* Appends row ROW of a plot of COUNT numbers, which is COLUMNS wide and ROWS high: column x stands for the numbers whose
 * place in the array is about x of COLUMNS. Numbers less than 0 are not known. */
struct live_plot {
	const double *numbers;
	size_t count, columns, rows;
	double least, most; /* at the bottom and at the top */
	bool braille;
};
void live_plot_row(struct buf *out, const struct live_plot *plot, size_t row);

#endif
