/* Logical lines: which lines of a source are one statement, or the part of a compound one before its block.
 *
 * Read from the tree, in time linear in the source. Everything lies in the arena. */
#ifndef VRAMLINT_PY_LINES_H
#define VRAMLINT_PY_LINES_H

#include "base/arena.h"
#include "py/parse.h"
#include "text/source.h"

/* All arrays are by line, from 1 on. */
struct lines {
	uint32_t count;
	bool *joined;    /* the line goes on in the next one: both are of one logical line */
	bool *has_code;
	uint32_t *first; /* of the logical line; decorators belong to the line of what they decorate */
	uint32_t *last;
	uint32_t *next;  /* the first line of code behind it, or 0 */
	uint32_t *end;   /* of the block, as deep as the line's own indentation, that the line stands in */
};

void lines_init(struct lines *lines, const struct py_grammar *grammar, TSNode root, const struct source *source,
		struct arena *arena);
/* By line: whether it ends inside a string, where a comment would be text. */
bool *lines_in_strings(const struct py_grammar *grammar, TSNode root, const struct source *source, struct arena *arena);

#endif
