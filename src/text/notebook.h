/* A Jupyter notebook as one program: its code cells, one behind the other, each on lines of its own.
 *
 * The program is a source like any other: offsets and lines of its text are those of the analysis, while source_place
 * counts within cells. What is no Python in a cell gives way to spaces (text/ipython.h). Pure functions; any thread. */
#ifndef VRAMLINT_TEXT_NOTEBOOK_H
#define VRAMLINT_TEXT_NOTEBOOK_H

#include "text/edit.h"
#include "text/source.h"

/* Whether PATH says that it is one: "x.ipynb". */
bool notebook_is_name(const char *path);

/* Reads RAW, which is JSON in UTF-8. Errors: ERR_PARSE with line and column; ERR_TOO_BIG; ERR_FOREIGN where it is a
 * notebook in another language than Python. */
bool notebook_init(struct source *source, struct str raw, struct err *err);

/* The same of a notebook in Python that is open in an editor: TEXTS are its cells in order, without the bytes (at is NULL)
 * where they are no code. Such a program cannot be edited by notebook_apply. */
void notebook_init_texts(struct source *source, const struct str *texts, size_t count);

/* Whether EDIT may be made in the program: it lies in one cell and changes no magic, nor what a magic runs. */
bool notebook_allows(const struct source *source, const struct edit *edit);

/* Appends RAW with EDITS made in its program: ordered by place, none over another, each one allowed. Only the strings of
 * the lines that they change are written anew; every other byte stays. Errors as notebook_init. */
bool notebook_apply(struct str raw, const struct edit *edits, size_t count, struct buf *out, struct err *err);

#endif
