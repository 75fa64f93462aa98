#include "flow/lower_memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "flow/lowering.h"

static void function_free(struct lowered_function *function)
{
	while (function) {
		struct lowered_function *next = function->next;
		arena_release(&function->arena);
		VEC_RELEASE(&function->places);
		VEC_RELEASE(&function->defs);
		VEC_RELEASE(&function->scopes);
		VEC_RELEASE(&function->imports);
		VEC_RELEASE(&function->called);
		VEC_RELEASE(&function->asked);
		free(function);
		function = next;
	}
}

static bool free_each(struct str key, void *value, void *context)
{
	function_free(value);
	return true;
}

static void functions_release(struct map *functions)
{
	map_each(functions, free_each, NULL);
	map_release(functions);
}

void lower_memory_settle(struct lower_memory *memory)
{
	functions_release(&memory->before);
	memory->before = memory->now;
	map_init(&memory->now);
}

void lower_memory_release(struct lower_memory *memory)
{
	functions_release(&memory->before);
	functions_release(&memory->now);
}

/* ---- what is known of a function ---- */

struct key {
	uint64_t hash; /* of its text */
	uint32_t length, column, depth;
	uint32_t unused; /* no padding, as all bytes count */
};

static struct key key_of(const struct lower *l, TSNode node, struct str text)
{
	return (struct key){XXH3_64bits(text.at, text.length), (uint32_t)text.length, ts_node_start_point(node).column, l->depth, 0};
}

static struct str key_bytes(const struct key *key)
{
	return (struct str){(const char *)key, sizeof *key};
}

/* Those of the same key are a list. */
static void add(struct map *functions, const struct key *key, struct lowered_function *function)
{
	function->next = map_put(functions, key_bytes(key), function);
}

static struct lowered_function *take(struct map *functions, const struct key *key, struct str text)
{
	struct lowered_function *first = map_get(functions, key_bytes(key)), *next;
	if (!first || !str_equal(first->text, text))
		return NULL;
	next = first->next;
	if (next)
		map_put(functions, key_bytes(key), next);
	else
		map_remove(functions, key_bytes(key));
	return first;
}

/* Whether the parser was given another text than what stands there. */
static bool was_repaired(const struct lower *l, struct span span)
{
	const struct repair *repair = &l->parser->repair;
	for (size_t i = 0; i < repair->left_out.count; i++)
		if (repair->left_out.items[i].start < span.end && repair->left_out.items[i].end > span.start)
			return true;
	return false;
}

/* Puts FUNCTION where NODE is, in the definition at hand, as if it had been lowered there. */
static struct def *put(struct lower *l, struct lowered_function *function, TSNode node)
{
	uint32_t start = span_of(l, node).start, moved = start - function->start; /* wraps where it has moved back */
	for (size_t i = 0; moved && i < function->places.count; i++) {
		function->places.items[i]->start += moved;
		function->places.items[i]->end += moved;
	}
	function->start = start;
	for (size_t i = 0; i < function->scopes.count; i++)
		if (function->scopes.items[i]->parent == function->parent)
			function->scopes.items[i]->parent = l->def;
	function->parent = l->def;
	for (size_t i = 0; i < function->defs.count; i++)
		register_def(l, function->defs.items[i]);
	for (size_t i = 0; i < function->imports.count; i++)
		note_import(l, function->imports.items[i]);
	for (size_t i = 0; i < function->called.count; i++)
		note_called(l, function->called.items[i]);
	for (size_t i = 0; i < function->asked.count; i++)
		note_asked(l, function->asked.items[i].base, function->asked.items[i].method);
	l->expr_count += function->expr_count;
	l->truncated |= function->def->truncated;
	return function->def;
}

static struct lowered_function *make(struct lower *l, TSNode node, struct str text)
{
	struct lowered_function *function = mem_new(1, sizeof *function);
	struct lower outer = *l;
	arena_init(&function->arena);
	function->text = arena_dup_str(&function->arena, text);
	function->parent = l->def;
	function->start = span_of(l, node).start;
	l->text = function->text;
	l->text_start = ts_node_start_byte(node);
	l->arena = &function->arena;
	l->outer_arena = outer.arena;
	l->function = function;
	function->def = lower_def(l, node, l->def);
	function->expr_count = l->expr_count - outer.expr_count;
	l->text = outer.text;
	l->text_start = outer.text_start;
	l->arena = outer.arena;
	l->function = NULL;
	return function;
}

struct def *lower_function(struct lower *l, TSNode node)
{
	struct span span = py_span(node);
	struct str text = text_of(l, node);
	struct key key = key_of(l, node, text);
	struct lowered_function *function;
	if (!l->memory || l->function || was_repaired(l, span))
		return lower_def(l, node, l->def);
	function = take(&l->memory->before, &key, text);
	if (function) {
		add(&l->memory->now, &key, function);
		return put(l, function, node);
	}
	uint32_t bound = l->def->local_count;
	function = make(l, node, text);
	/* a value of its parameters or decorators may bind a name around it, which lives as long as this text */
	if (l->def->local_count != bound)
		key.column = UINT32_MAX;
	add(&l->memory->now, &key, function);
	return function->def;
}
