/* What a notebook's cell holds beside Python, made Python of the same length.
 *
 * Magics (`%pip`, `!ls`, `x = !ls`, `thing?`) give way to a 0 and spaces; `%time f()`, `%%time` and their like lose the
 * magic and keep the Python behind it; a cell whose first line hands it to something else (`%%bash`) is none. What is
 * a magic follows IPython's core/inputtransformer2.py, without its prompts (`>>> `, `In [1]: `). Pure functions. */
#ifndef VRAMLINT_TEXT_IPYTHON_H
#define VRAMLINT_TEXT_IPYTHON_H

#include <stdbool.h>
#include "base/str.h"
#include "base/vec.h"

struct ipython_cell {
	VEC(struct span) masks;   /* what was replaced, in order */
	VEC(struct span) headers; /* before the line that starts here a line "if True:" makes it Python; the span is the
				     indentation of that line; in order */
	bool is_python;           /* else nothing of it is, and the rest says nothing */
	bool is_apart;            /* then: nor can it reach what the notebook's Python holds */
	bool is_magic;            /* its first line is a cell magic, and must stay the first */
};

/* Replaces in TEXT, which is what the cell holds, of less than 4 GiB. CELL is released by the caller. */
void ipython_cell_init(struct ipython_cell *cell, char *text, size_t length);
void ipython_cell_release(struct ipython_cell *cell);

#endif
