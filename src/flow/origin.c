#include "flow/origin.h"

#include <string.h>

struct origin_memo {
	struct origin_set *a, *b, *result;
};

enum { BUCKETS = 1024, MEMO = 8192 };

static uint64_t hash_items(const origin *items, uint32_t count, bool overflow)
{
	uint64_t hash = 14695981039346656037u ^ (overflow ? 0x9e3779b97f4a7c15u : 0);
	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ items[i]) * 1099511628211u;
	return hash ^ (hash >> 29);
}

static void grow(struct origin_table *table)
{
	uint32_t count = table->bucket_count * 4;
	struct origin_set **buckets = ARENA_ARRAY(table->arena, struct origin_set *, count);
	for (uint32_t i = 0; i < table->bucket_count; i++) {
		for (struct origin_set *set = table->buckets[i], *next; set; set = next) {
			next = set->next;
			uint64_t slot = set->hash & (count - 1);
			set->next = buckets[slot];
			buckets[slot] = set;
		}
	}
	table->buckets = buckets;
	table->bucket_count = count;
}

static struct origin_set *intern(struct origin_table *table, const origin *items, uint32_t count, bool overflow)
{
	uint64_t hash = hash_items(items, count, overflow);
	struct origin_set **slot = &table->buckets[hash & (table->bucket_count - 1)];
	for (struct origin_set *set = *slot; set; set = set->next)
		if (set->hash == hash && set->count == count && set->overflow == overflow &&
		    (count == 0 || memcmp(set->items, items, count * sizeof *items) == 0))
			return set;
	struct origin_set *set = ARENA_NEW(table->arena, struct origin_set);
	origin *copy = ARENA_ARRAY(table->arena, origin, count ? count : 1);
	if (count)
		memcpy(copy, items, count * sizeof *items);
	set->items = copy;
	set->count = count;
	set->overflow = overflow;
	set->hash = hash;
	set->id = table->set_count++;
	set->next = *slot;
	*slot = set;
	if (table->set_count > table->bucket_count * 2)
		grow(table);
	return set;
}

void origin_table_init(struct origin_table *table, struct arena *arena)
{
	memset(table, 0, sizeof *table);
	table->arena = arena;
	table->bucket_count = BUCKETS;
	table->buckets = ARENA_ARRAY(arena, struct origin_set *, BUCKETS);
	table->memo_size = MEMO;
	table->memo = ARENA_ARRAY(arena, struct origin_memo, MEMO);
	table->empty = intern(table, NULL, 0, false);
}

struct origin_set *origin_one(struct origin_table *table, origin element)
{
	return intern(table, &element, 1, false);
}

static uint32_t merge(const struct origin_set *a, const struct origin_set *b, origin *out)
{
	uint32_t i = 0, j = 0, n = 0;
	while (i < a->count || j < b->count) {
		if (j == b->count || (i < a->count && a->items[i] < b->items[j]))
			out[n++] = a->items[i++];
		else if (i == a->count || b->items[j] < a->items[i])
			out[n++] = b->items[j++];
		else
			out[n++] = a->items[i++], j++;
	}
	return n;
}

struct origin_set *origin_union(struct origin_table *table, struct origin_set *a, struct origin_set *b)
{
	if (a == b || !b->count)
		return !b->overflow || a->overflow ? a : origin_union(table, b, a);
	if (!a->count && !a->overflow)
		return b;
	if (a->id > b->id) {
		struct origin_set *swap = a;
		a = b;
		b = swap;
	}
	struct origin_memo *memo = &table->memo[(a->id * 31u + b->id * 7919u) & (table->memo_size - 1)];
	if (memo->a == a && memo->b == b)
		return memo->result;
	origin items[2 * ORIGIN_SET_LIMIT];
	uint32_t count = merge(a, b, items);
	bool overflow = a->overflow || b->overflow;
	const origin *kept = items;
	if (count > ORIGIN_SET_LIMIT) {
		/* The youngest sites, which have the highest numbers, say most about a value. */
		kept = items + (count - ORIGIN_SET_LIMIT);
		count = ORIGIN_SET_LIMIT;
		overflow = true;
	}
	struct origin_set *result = intern(table, kept, count, overflow);
	*memo = (struct origin_memo){a, b, result};
	return result;
}

struct origin_set *origin_add(struct origin_table *table, struct origin_set *set, origin element)
{
	return origin_has(set, element) ? set : origin_union(table, set, origin_one(table, element));
}

static origin retag_one(origin element, enum origin_tag tag)
{
	enum origin_tag old = origin_tag_of(element);
	if (old == ORIGIN_CUT || old >= tag)
		return element;
	return origin_make(origin_site(element), tag);
}

struct origin_set *origin_retag(struct origin_table *table, struct origin_set *set, enum origin_tag tag)
{
	struct origin_set **memo = tag == ORIGIN_OP ? &set->as_op : tag == ORIGIN_CALL ? &set->as_call : &set->as_cut;
	if (tag == ORIGIN_SELF || !set->count)
		return set;
	if (*memo)
		return *memo;
	origin items[ORIGIN_SET_LIMIT];
	uint32_t count = 0;
	for (uint32_t i = 0; i < set->count; i++) {
		/* Raising tags keeps the order by site, so that duplicates are neighbours. */
		origin element = retag_one(set->items[i], tag);
		uint32_t at = count;
		while (at > 0 && items[at - 1] > element)
			at--;
		if (at > 0 && items[at - 1] == element)
			continue;
		memmove(items + at + 1, items + at, (count - at) * sizeof *items);
		items[at] = element;
		count++;
	}
	*memo = intern(table, items, count, set->overflow);
	return *memo;
}

struct origin_set *origin_without(struct origin_table *table, struct origin_set *set, uint32_t site)
{
	if (!origin_reaches(set, site, ORIGIN_CUT))
		return set;
	origin items[ORIGIN_SET_LIMIT];
	uint32_t count = 0;
	for (uint32_t i = 0; i < set->count; i++)
		if (origin_site(set->items[i]) != site)
			items[count++] = set->items[i];
	return count == set->count ? set : intern(table, items, count, set->overflow);
}

bool origin_has(const struct origin_set *set, origin element)
{
	uint32_t low = 0, high = set->count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (set->items[middle] < element)
			low = middle + 1;
		else
			high = middle;
	}
	return low < set->count && set->items[low] == element;
}

bool origin_reaches(const struct origin_set *set, uint32_t site, enum origin_tag loosest)
{
	for (int tag = ORIGIN_SELF; tag <= (int)loosest; tag++)
		if (origin_has(set, origin_make(site, (enum origin_tag)tag)))
			return true;
	return false;
}
