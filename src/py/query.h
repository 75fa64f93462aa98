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

/* One match: which source's pattern it was and what it captured, what encloses the rest first. */
struct query_match {
	uint32_t source;
	uint32_t pattern; /* its number among those of all sources, in their order */
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

/* What is remembered of the matches in a text, so that the next one is searched only where it has changed. Zeroed: nothing. */
struct query_memory {
	uint64_t queries; /* that these are the matches of, told by their text; 0: there are none */
	uint32_t *words;  /* the matches, packed */
	size_t count, room;
};

/* What has changed since, in bytes of the text before and of the one now: nodes outside are the same in both, with the same
 * text. */
struct query_change {
	struct span before, now;
};

/* As query_set_run with OFFSET 0, with MEMORY, which is brought up to date. CHANGE is NULL where nothing is known of it. The
 * matches are the same, in an order of their own. It saves work where each pattern captures its outermost node. */
void query_set_run_again(const struct query_set *set, TSQueryCursor *cursor, TSNode node, struct str text,
			 const struct query_change *change, struct query_memory *memory, struct query_match_list *matches);
void query_memory_copy(struct query_memory *copy, const struct query_memory *memory);
void query_memory_release(struct query_memory *memory); /* it is zeroed again */

/* How many of MATCHES, sorted by where their first capture begins, begin before START. */
size_t query_matches_before(const struct query_match_list *matches, uint32_t start);

#endif
