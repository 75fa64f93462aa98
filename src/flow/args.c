#include <string.h>
#include "flow/interp.h"

static struct args *args_in(struct arena *arena, uint32_t room)
{
	struct args *args = ARENA_NEW(arena, struct args);
	args->values = ARENA_ARRAY(arena, struct value, room ? room : 1);
	args->names = ARENA_ARRAY(arena, struct str, room ? room : 1);
	args->nodes = ARENA_ARRAY(arena, const struct expr *, room ? room : 1);
	return args;
}

struct args *args_new(struct interp *in, uint32_t room)
{
	return args_in(&in->scratch, room);
}

struct args *args_keep(struct interp *in, const struct args *args)
{
	struct args *kept = args_in(in->arena, args->count);
	for (uint32_t i = 0; i < args->count; i++)
		args_add(kept, args->values[i], args->names[i], args->nodes[i]);
	kept->more = args->more;
	return kept;
}

void args_add(struct args *args, struct value value, struct str name, const struct expr *node)
{
	args->values[args->count] = value;
	args->names[args->count] = name;
	args->nodes[args->count++] = node;
}

const struct value *args_get(const struct args *args, uint32_t position, const char *name)
{
	uint32_t seen = 0;
	for (uint32_t i = 0; i < args->count; i++) {
		if (name && args->names[i].length && str_is(args->names[i], name))
			return &args->values[i];
		if (!args->names[i].length && seen++ == position)
			return &args->values[i];
	}
	return NULL;
}

enum { STARRED = 12 };

/* *xs with known elements becomes as many arguments; otherwise one that stands for all. */
static void add_starred(struct interp *in, struct args *args, const struct value *value, const struct expr *node)
{
	struct object *object = value->object_count == 1 ? object_get(in, value->objects[0]) : NULL;
	if (object && object->literal && !object->rest && object->slots.count <= STARRED) {
		for (size_t i = 0; i < object->slots.count; i++)
			args_add(args, cell_get(in, object->slots.items[i].cell), (struct str){"", 0}, node);
		return;
	}
	args_add(args, element_of(in, value, node), (struct str){"", 0}, node);
	args->more = true;
}

static void add_named(struct interp *in, struct args *args, const struct value *value, const struct expr *node)
{
	struct object *object = value->object_count == 1 ? object_get(in, value->objects[0]) : NULL;
	for (size_t i = 0; object && i < object->slots.count && i < STARRED; i++)
		args_add(args, cell_get(in, object->slots.items[i].cell), object->slots.items[i].name, node);
	args->more |= !object || object->rest;
}

struct args *eval_args(struct interp *in, const struct expr *e)
{
	uint32_t room = e->count;
	for (uint16_t i = 1; i < e->count; i++)
		if (e->items[i]->kind == EXPR_STAR || e->items[i]->kind == EXPR_DOUBLE_STAR)
			room += STARRED;
	struct args *args = args_new(in, room);
	for (uint16_t i = 1; i < e->count; i++) {
		const struct expr *item = e->items[i];
		struct value v = item->count && (item->kind == EXPR_STAR || item->kind == EXPR_DOUBLE_STAR ||
						 item->kind == EXPR_KEYWORD)
					 ? eval(in, item->items[0])
					 : eval(in, item);
		if (item->kind == EXPR_STAR)
			add_starred(in, args, &v, item);
		else if (item->kind == EXPR_DOUBLE_STAR)
			add_named(in, args, &v, item);
		else
			args_add(args, v, item->kind == EXPR_KEYWORD ? item->name : (struct str){"", 0}, item);
	}
	return args;
}
