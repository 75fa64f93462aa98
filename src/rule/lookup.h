/* The definitions and the imports of a file by name, as the makers of fixes ask for them.
 *
 * Borrows what was lowered and is made of it at the first question, so that a file without one pays nothing. One thread. */
#ifndef VRAMLINT_RULE_LOOKUP_H
#define VRAMLINT_RULE_LOOKUP_H

#include "flow/lower.h"

struct lookup_entry;
/* All in order of their names, those of one name in order of their places. */
struct lookup_table {
	struct lookup_entry *items;
	size_t count, room;
};

struct lookup {
	const struct lower *lower; /* of the whole file; the only member that is set by who makes one */
	bool is_made;
	struct lookup_table definitions, imports;
};

void lookup_release(struct lookup *lookup);
/* The first function or class in SPAN, a part of the file or all of it, that is called NAME; or NULL. */
const struct def *lookup_definition(struct lookup *lookup, struct str name, struct span span);
/* The first import in the file that has NAME for what it binds or in the path of that; of a path that is relative only what
 * is taken from there counts. NULL where there is none. */
const struct import *lookup_import(struct lookup *lookup, struct str name);

#endif
