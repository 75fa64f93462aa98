/* All rules' queries as one: a single pass over a tree gives every rule its candidates.
 *
 * A query set is immutable and shared; a cursor belongs to one worker. The text
 * predicates #match?, #not-match?, #eq?, #not-eq? and #any-of? are evaluated here, patterns with PCRE2. */
#ifndef VRAMLINT_PY_QUERY_H
#define VRAMLINT_PY_QUERY_H

#include <tree_sitter/api.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct query_source {
	const char *name; /* for messages: "queries/tensor-append.scm" */
	struct str text;
};

struct query_set;

enum { QUERY_CAPTURES = 6 };

struct query_capture {
	const char *name; /* owned by the set */
	struct span span;
};

/* One match: which source's pattern it was and what it captured. */
struct query_match {
	uint32_t source;
	uint32_t capture_count;
	struct query_capture captures[QUERY_CAPTURES];
};

/* What MATCH captured as NAME; false where it is none of its captures. */
bool query_match_span(const struct query_match *match, const char *name, struct span *span);

struct query_match_list {
	struct query_match *items;
	size_t count, room;
};

/* NULL with ERR set (file, line, what is wrong) where a query does not compile. */
struct query_set *query_set_new(const TSLanguage *language, const struct query_source *sources, size_t count,
				struct err *err);
void query_set_free(struct query_set *set);
/* Whether source SOURCE has a capture called NAME. */
bool query_set_has_capture(const struct query_set *set, uint32_t source, struct str name);

/* Appends the matches below NODE, in order of place; OFFSET is added to every span. CURSOR is reused. */
void query_set_run(const struct query_set *set, TSQueryCursor *cursor, TSNode node, struct str text, uint32_t offset,
		   struct query_match_list *matches);

/* How many of MATCHES, sorted by where their first capture begins, begin before START. */
size_t query_matches_before(const struct query_match_list *matches, uint32_t start);

#endif
