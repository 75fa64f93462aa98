/* What is changed where it lies: no new value takes its name, and no holder gets one more. */
#include "flow/interp.h"

/* len(x) of range(len(x)), where NODE is that: x. */
static const struct expr *counted_container(const struct expr *node)
{
	if (!node || node->kind != EXPR_CALL || node->count != 2 || !str_is(node->items[0]->name, "range"))
		return NULL;
	const struct expr *call = node->items[1];
	bool length = call->kind == EXPR_CALL && call->count == 2 && str_is(call->items[0]->name, "len");
	const struct expr *of = length ? call->items[1] : NULL;
	return of && (of->kind == EXPR_NAME || of->kind == EXPR_ATTRIBUTE) ? of : NULL;
}

/* What ITERABLE is, where it is one thing that is iterated whole; else NULL. */
static const struct object *iterated_whole(struct interp *in, const struct value *iterable)
{
	bool one = iterable->object_count == 1 && !iterable->many_objects && !(iterable->flags & (VALUE_PARAMETER | VALUE_VIEW));
	return one ? object_get(in, iterable->objects[0]) : NULL;
}

static bool is_container(const struct object *object)
{
	return (object->kinds & KIND_CONTAINER) && !object->iterator;
}

uint32_t container_covered(struct interp *in, const struct value *iterable)
{
	const struct object *object = iterated_whole(in, iterable);
	if (!object)
		return 0;
	return object->covers ? object->covers : is_container(object) ? object->id : 0;
}

void note_covered(struct interp *in, struct loop *loop, const struct value *iterable, const struct expr *node)
{
	const struct expr *counted = counted_container(node);
	struct value over = counted ? eval(in, counted) : *iterable;
	const struct object *object = iterated_whole(in, &over);
	loop->covers[0] = object && is_container(object) ? object->id : 0;
	loop->covers[1] = object && object->covers != loop->covers[0] && !counted ? object->covers : 0;
	loop->converted[0] = loop->converted[1] = NULL;
}

/* The first and the last name that LOOP assigns: key and element of pairs, both the same where there is one. */
static const struct expr *loop_name(const struct loop *loop, bool last)
{
	const struct expr *target = loop->target;
	if (target && (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST) && target->count == 2)
		target = target->items[last ? 1 : 0];
	return target && target->kind == EXPR_NAME ? target : NULL;
}

/* The loop around here that goes over all of COVERED, or of anything where that is 0, and gives E; every iteration gets here. */
static struct loop *covering_loop(struct interp *in, uint32_t covered, const struct expr *e, bool element)
{
	const struct def *def = in->frame ? in->frame->def : in->module;
	for (struct loop *loop = in->path; loop && e->kind == EXPR_NAME && loop->def == def; loop = loop->outer) {
		if (loop->depth < 63 && in->cond_open[loop->depth])
			return NULL;
		bool covers = covered ? loop->covers[0] == covered || loop->covers[1] == covered : loop->covers[0] || loop->covers[1];
		const struct expr *name = covers ? loop_name(loop, element) : NULL;
		if (name && str_equal(name->name, e->name))
			return loop;
	}
	return NULL;
}

bool keeps_keys(const struct expr *e)
{
	const struct expr *pair = e->items[0], *target = e->clause_count == 1 && e->clauses[0].iterable ? e->clauses[0].target : NULL;
	if (target && target->kind == EXPR_TUPLE && target->count == 2)
		target = target->items[0];
	return target && pair->kind == EXPR_PAIR && target->kind == EXPR_NAME && pair->items[0]->kind == EXPR_NAME &&
	       str_equal(pair->items[0]->name, target->name);
}

/* Whether nothing of a graph comes with VALUE. */
static bool is_plain(const struct value *value)
{
	for (uint32_t i = 0; value->origins && i < value->origins->count; i++)
		if (origin_tag_of(value->origins->items[i]) != ORIGIN_CUT)
			return false;
	return !value->object_count;
}

/* All that COVERED holds or, where that is 0, all that LOOP goes over, has become VALUE once the loop is over. */
static void convert_in(struct interp *in, struct loop *loop, uint32_t covered, const struct value *value)
{
	if (!loop || !is_plain(value))
		return;
	for (int i = 0; i < 2; i++) {
		if (!loop->covers[i] || (covered && loop->covers[i] != covered))
			continue;
		if (!loop->converted[i]) {
			loop->converted[i] = ARENA_NEW(in->arena, struct value);
			*loop->converted[i] = *value;
		} else {
			*loop->converted[i] = value_join(&in->origins, loop->converted[i], value);
		}
	}
}

void note_replaced(struct interp *in, const struct object *holder, const struct expr *target, const struct value *value,
		   size_t first)
{
	enum { NEAR = 64 };
	struct event *now = first < in->events.count ? &in->events.items[first] : NULL;
	if (!now || now->kind != EVENT_STORE)
		return;
	now->target = target;
	if (!is_plain(value))
		return;
	for (size_t i = first; i-- > 0 && i + NEAR > first;) {
		struct event *e = &in->events.items[i];
		if (e->kind != EVENT_STORE || e->holder != holder->id || e->root != now->root)
			continue;
		bool same = e->op == STORE_APPEND ? str_is(source_text(in, target->items[1]->span), "-1")
						  : e->target && str_equal(source_text(in, e->target->span), source_text(in, target->span));
		if (e->path == now->path && e->call == now->call && e->side == now->side)
			e->undone = same;
		return;
	}
}

void note_conversion(struct interp *in, const struct object *holder, const struct expr *key, const struct value *value)
{
	convert_in(in, covering_loop(in, holder->id, key, false), holder->id, value);
}

void convert_covered(struct interp *in, const struct loop *loop)
{
	for (int i = 0; i < 2; i++)
		if (loop->converted[i]) /* where there was nothing to go over, there is nothing else either */
			convert_all(in, object_get(in, loop->covers[i]), loop->converted[i]);
}

void convert_all(struct interp *in, struct object *object, const struct value *value)
{
	for (size_t i = 0; i <= object->slots.count; i++) {
		uint32_t cell = object_cell(object, i);
		bool hidden = i < object->slots.count && str_starts(object->slots.items[i].name, "%");
		if (cell && !hidden && !value_is_bottom(&in->cells.items[cell].value))
			cell_set(in, cell, *value);
	}
}

void drop_item(struct interp *in, const struct value *owner, const struct value *key)
{
	struct str name = key ? key_name(in, key) : (struct str){NULL, 0};
	if (!name.at || owner->object_count != 1 || owner->many_objects || !is_dict(in, object_get(in, owner->objects[0])))
		return;
	uint32_t cell = object_slot(in, object_get(in, owner->objects[0]), name, false);
	if (cell)
		cell_set(in, cell, value_bottom());
}

void change_in_place(struct interp *in, const struct expr *place, const struct value *value)
{
	uint32_t cell = 0;
	convert_in(in, covering_loop(in, 0, place, true), 0, value);
	if (place->kind == EXPR_NAME) {
		cell = lookup_cell(in, place->name);
	} else if (place->kind == EXPR_ATTRIBUTE || place->kind == EXPR_SUBSCRIPT) {
		struct value owner = eval(in, place->items[0]);
		struct value key = place->kind == EXPR_SUBSCRIPT && place->count == 2 ? eval(in, place->items[1]) : value_of(KIND_UNKNOWN);
		struct str name = place->kind == EXPR_ATTRIBUTE ? place->name : key_name(in, &key);
		if (name.at && owner.object_count == 1 && !owner.many_objects)
			cell = object_slot(in, object_get(in, owner.objects[0]), name, false);
		else if (place->kind == EXPR_SUBSCRIPT && owner.object_count == 1)
			note_conversion(in, object_get(in, owner.objects[0]), place->items[1], value);
	}
	if (cell)
		cell_set(in, cell, *value);
}
