/* The code cells that the JSON of a Jupyter notebook holds, and where each piece of them stands in it.
 *
 * Formats 2 to 4; other cells are counted and left out, and so are those of another language. The caller owns the
 * struct; RAW is borrowed. Source: nbformat's schemas, docs/format_description. */
#ifndef VRAMLINT_TEXT_NOTEBOOK_CELLS_H
#define VRAMLINT_TEXT_NOTEBOOK_CELLS_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "text/json_scan.h"

/* One string of a cell's source: a line of it, as a rule. */
struct notebook_piece {
	struct span text; /* what it says, in the cells' text */
	struct json_literal literal;
	uint32_t file_line; /* 1-based line of the file that it stands in */
};

struct notebook_cell {
	uint32_t number;  /* 1-based, over all cells of the notebook */
	struct span text; /* in the cells' text */
	size_t piece;     /* the first of its pieces */
	size_t piece_count;
	bool is_list;     /* else the source is one string */
	size_t list_start; /* then: beyond its "[" in the file */
};

struct notebook_cells {
	struct buf text; /* the sources of all code cells, one behind the other, in UTF-8 */
	VEC(struct notebook_piece) pieces;
	VEC(struct notebook_cell) cells;
	char language[32]; /* what the notebook says that its code is, in lower case; "" where it does not */
	bool had_mark;     /* RAW begins with a byte order mark */
};

/* Errors: ERR_PARSE, with line and column. */
bool notebook_cells_init(struct notebook_cells *cells, struct str raw, struct err *err);
void notebook_cells_release(struct notebook_cells *cells);
/* Whether LANGUAGE, in lower case, names Python; so does "". */
bool notebook_is_python(const char *language);

#endif
