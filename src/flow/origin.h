/* Where a value comes from, as hash-consed sets of tagged sites.
 *
 * A site is a place that makes, binds or holds values: a module's call, an
 * unresolved call, a parameter, a container, the head of a loop for a name that
 * it carries. An element of a set says how the value came from the site. Sets
 * are immutable, owned by their table, equal exactly if the pointers are. */
#ifndef VRAMLINT_FLOW_ORIGIN_H
#define VRAMLINT_FLOW_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

/* How a value came from a site, from the closest to the loosest tie. */
enum origin_tag {
	ORIGIN_SELF, /* it is what the site made, perhaps one of its elements */
	ORIGIN_OP,   /* computed from it by recorded arithmetic or a known recorded function */
	ORIGIN_CALL, /* went through a module or an unresolved call */
	ORIGIN_CUT   /* computed from it, but a detach or grad off lies between */
};

typedef uint32_t origin; /* site << 2 | tag */

static inline origin origin_make(uint32_t site, enum origin_tag tag)
{
	return site << 2 | (origin)tag;
}

static inline uint32_t origin_site(origin element)
{
	return element >> 2;
}

static inline enum origin_tag origin_tag_of(origin element)
{
	return (enum origin_tag)(element & 3);
}

struct origin_set {
	uint32_t id;
	uint32_t count;
	uint64_t hash;       /* of all that makes it what it is */
	bool overflow;       /* elements were dropped: may justify anything, proves nothing */
	const origin *items; /* ascending */
	struct origin_set *next; /* in its hash chain */
	struct origin_set *as_op, *as_call, *as_cut; /* memo of origin_retag, NULL until asked for */
};

/* A set never holds more; what is added beyond is dropped and `overflow` set. */
enum { ORIGIN_SET_LIMIT = 128 };

struct origin_memo;
struct origin_table {
	struct arena *arena; /* borrowed; owns the sets */
	struct origin_set **buckets;
	uint32_t bucket_count, set_count;
	struct origin_memo *memo; /* results of origin_union */
	uint32_t memo_size;
	struct origin_set *empty;
};

void origin_table_init(struct origin_table *table, struct arena *arena);
struct origin_set *origin_one(struct origin_table *table, origin element);
struct origin_set *origin_union(struct origin_table *table, struct origin_set *a, struct origin_set *b);
struct origin_set *origin_add(struct origin_table *table, struct origin_set *set, origin element);
/* The set as seen behind a step of kind TAG: SELF becomes OP behind arithmetic; all but CUT becomes CALL behind a call;
 * all becomes CUT behind a detach. */
struct origin_set *origin_retag(struct origin_table *table, struct origin_set *set, enum origin_tag tag);
/* SET without the elements of SITE. */
struct origin_set *origin_without(struct origin_table *table, struct origin_set *set, uint32_t site);
bool origin_has(const struct origin_set *set, origin element);
/* Whether SITE is in SET with a tag up to LOOSEST. */
bool origin_reaches(const struct origin_set *set, uint32_t site, enum origin_tag loosest);

#endif
