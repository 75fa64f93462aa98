#include "rule/lookup.h"

#include "base/vec.h"

struct lookup_entry {
	struct str name;
	uint32_t place; /* where the name of a definition ends; of an import, how many names came before */
	const void *what;
};

static void add(struct lookup_table *table, struct str name, size_t place, const void *what)
{
	VEC_ADD(table, (struct lookup_entry){name, (uint32_t)place, what});
}

static void add_definitions(struct lookup *lookup)
{
	for (size_t i = 0; i < lookup->lower->named.count; i++) {
		const struct def *def = lookup->lower->named.items[i];

		if (def->kind != DEF_MODULE)
			add(&lookup->definitions, def->name, def->head.end, def);
	}
}

static void add_import(struct lookup_table *table, const struct import *import)
{
	struct str rest = import->dotted;
	bool is_relative = str_starts(rest, "."), is_all = str_is(import->name, "*");

	add(table, import->name, table->count, import);
	for (size_t dot; (dot = str_find(rest, STR("."), 0)) != SIZE_MAX;) {
		if (!is_relative)
			add(table, (struct str){rest.at, dot}, table->count, import);
		rest = (struct str){rest.at + dot + 1, rest.length - dot - 1};
	}
	if (!is_relative || !is_all)
		add(table, rest, table->count, import);
}

static void add_imports(struct lookup *lookup)
{
	for (size_t i = 0; i < lookup->lower->imports.count; i++) {
		const struct stmt *statement = lookup->lower->imports.items[i];

		for (uint32_t k = 0; k < statement->import_count; k++)
			add_import(&lookup->imports, &statement->imports[k]);
	}
}

static int compare(const struct lookup_entry *entry, struct str name, uint32_t place)
{
	int order = str_compare(entry->name, name);

	return order ? order : (entry->place > place) - (entry->place < place);
}

static int by_name(const void *a, const void *b)
{
	const struct lookup_entry *other = b;

	return compare(a, other->name, other->place);
}

static void put_in_order(struct lookup_table *table)
{
	if (table->count)
		qsort(table->items, table->count, sizeof *table->items, by_name);
}

static void make(struct lookup *lookup)
{
	if (lookup->is_made)
		return;
	lookup->is_made = true;
	add_definitions(lookup);
	add_imports(lookup);
	put_in_order(&lookup->definitions);
	put_in_order(&lookup->imports);
}

void lookup_release(struct lookup *lookup)
{
	VEC_RELEASE(&lookup->definitions);
	VEC_RELEASE(&lookup->imports);
	lookup->is_made = false;
}

/* The first called NAME whose place is FROM or behind that, or NULL. */
static const struct lookup_entry *first_from(const struct lookup_table *table, struct str name, uint32_t from)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&table->items[middle], name, from) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->count && str_equal(table->items[low].name, name) ? &table->items[low] : NULL;
}

const struct def *lookup_definition(struct lookup *lookup, struct str name, struct span span)
{
	const struct lookup_entry *entry;

	make(lookup);
	entry = first_from(&lookup->definitions, name, span.start);
	return entry && entry->place <= span.end ? entry->what : NULL;
}

const struct import *lookup_import(struct lookup *lookup, struct str name)
{
	const struct lookup_entry *entry;

	make(lookup);
	entry = first_from(&lookup->imports, name, 0);
	return entry ? entry->what : NULL;
}
