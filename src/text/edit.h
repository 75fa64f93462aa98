/* Changes to a text: chosen where several meet, carried out, and shown as a unified diff.
 *
 * Pure functions; any thread. Owns nothing. */
#ifndef VRAMLINT_TEXT_EDIT_H
#define VRAMLINT_TEXT_EDIT_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/str.h"

/* Replace SPAN by TEXT. */
struct edit {
	struct span span;
	const char *text;
};

/* Edits that are made together or not at all. */
struct edit_group {
	const struct edit *edits; /* ordered by place, none over another */
	size_t count;
	/* What has to be looked at again once they are made. All edits lie in it but for insertions, such as of an
	 * import at the top of a file. */
	struct span reach;
};

/* Says in CHOSEN which of COUNT groups can be made at once, and returns how many: by place, what begins first and then
 * what reaches further; a group that reaches into one chosen before it is left for another time. At most one group with
 * an edit out of its reach is chosen. Order of COUNT log COUNT. */
size_t edit_choose(const struct edit_group *groups, size_t count, bool *chosen);

/* The edits of the chosen of COUNT groups, ordered by place; on the heap. */
struct edit *edit_order(const struct edit_group *groups, size_t count, const bool *chosen, size_t *edit_count);

/* Appends TEXT with the edits of the chosen of COUNT groups. */
void edit_apply(struct str text, const struct edit_group *groups, size_t count, const bool *chosen, struct buf *out);

/* Appends the unified diff from OLD to NEW, three lines of context, or nothing where they are equal. Names with bytes
 * that a header cannot hold are quoted as git does. Lines end in LF; time is linear in the number of lines, at the price
 * of a diff that is not the shortest where texts have little in common. Source: E. Myers, "An O(ND) Difference Algorithm
 * and Its Variations", 1986. */
void edit_add_diff(struct buf *out, const char *old_name, const char *new_name, struct str old, struct str new);

#endif
