#include <string.h>
#include "flow/interp.h"
#include "flow/lower.h"

static bool exec_stmt(struct interp *in, const struct stmt *s);

void cond_push(struct interp *in)
{
	uint32_t depth = in->path ? in->path->depth : 0;
	in->cond_open[depth < 63 ? depth : 63]++;
}

void cond_pop(struct interp *in)
{
	uint32_t depth = in->path ? in->path->depth : 0;
	in->cond_open[depth < 63 ? depth : 63]--;
}

/* ---- keeping values ---- */

/* What ties a cell's new value to its own old one, over the loops around here. */
struct chain {
	struct loop *loops[4];
	uint8_t count;
	bool module;  /* the tie goes through a call */
	bool selects; /* the value is the old one or another, unchanged */
};

static struct chain find_chain(struct interp *in, uint32_t cell, const struct value *value)
{
	struct chain chain = {.count = 0};
	uint32_t tied = 0;
	/* sites are numbered in the order they were met: from the back, inner loops come first */
	for (uint32_t i = value->origins && in->path ? value->origins->count : 0; i-- > 0 && chain.count < 4;) {
		origin element = value->origins->items[i];
		const struct site *site = in->sites.items[origin_site(element)];
		enum origin_tag tag = origin_tag_of(element);
		if (site->kind != SITE_CARRY || site->cell != cell || tag == ORIGIN_CUT || !loop_within(in->path, site->loop))
			continue;
		bool op = origin_has(value->origins, origin_make(site->id, ORIGIN_OP));
		if (tag == ORIGIN_SELF && !op && !chain.count && value->origins->count > 1 && !value->object_count &&
		    !origin_has(value->origins, origin_make(site->id, ORIGIN_CALL))) {
			chain.selects = true;
			chain.loops[chain.count++] = site->loop;
		} else if (tag != ORIGIN_SELF && tied != site->id) {
			if (chain.selects)
				chain.count = 0;
			chain.selects = false;
			tied = site->id;
			chain.loops[chain.count++] = site->loop;
			chain.module |= !op;
		}
	}
	return chain;
}

static void add_chain_event(struct interp *in, uint32_t cell, const struct value *value, const struct chain *chain,
			    struct span node, struct str name)
{
	struct event *event = event_add(in, EVENT_ACCUMULATE, node);
	event_value(in, event, value);
	event->cell = cell;
	event->holder = in->cells.items[cell].object;
	memcpy(event->carries, chain->loops, sizeof event->carries);
	event->carry_count = chain->count;
	event->rebuilt = value->flags & VALUE_CONCAT;
	event->through_module = chain->module;
	event->selects = chain->selects;
	event->name = name;
}

/* The containers that CELL held and does not hold any more are let go, unless something else has them. */
static void let_go(struct interp *in, uint32_t cell, const struct value *next, struct span node)
{
	struct value old = cell_get(in, cell);
	for (uint8_t i = 0; i < old.object_count; i++) {
		struct object *object = object_get(in, old.objects[i]);
		bool kept = false;
		for (uint8_t j = 0; j < next->object_count; j++)
			kept |= next->objects[j] == object->id;
		if (kept || !(object->kinds & KIND_CONTAINER) || object->homes > 1)
			continue;
		event_add(in, EVENT_RESET, node)->holder = object->id;
	}
}

/* xs = xs[-n:] keeps the last n: a bound. */
static void cut_back(struct interp *in, uint32_t cell, const struct value *value, struct span node)
{
	struct value old = cell_get(in, cell);
	for (uint8_t i = 0; i < value->object_count; i++)
		for (uint8_t k = 0; k < old.object_count; k++)
			if (old.objects[k] == value->objects[i]) {
				struct event *event = event_add(in, EVENT_RESET, node);
				event->holder = value->objects[i];
				event->bounded = true;
			}
}

static void settle(struct interp *in, uint32_t cell, const struct value *value, struct str name)
{
	for (uint8_t i = 0; i < value->object_count; i++) {
		struct object *object = object_get(in, value->objects[i]);
		if (object->last_home != cell) {
			object->homes++;
			object->last_home = cell;
		}
		if (!object->name.length)
			object->name = name;
		if (!object->owner)
			object->owner = in->cells.items[cell].object;
	}
}

/* A recorded result that gets a name is a site of its own, so that later consumptions can tell it from its inputs. */
static struct value derive(struct interp *in, struct value value, uint32_t cell, struct span node, struct str name)
{
	if (!value.origins || !value_may(&value, KIND_TENSOR) || value.object_count || grad_is_off(in))
		return value;
	bool recorded = false;
	for (uint32_t i = 0; i < value.origins->count; i++) {
		origin element = value.origins->items[i];
		enum site_kind kind = in->sites.items[origin_site(element)]->kind;
		if (kind == SITE_OBJECT || kind == SITE_CARRY)
			continue;
		if (origin_tag_of(element) == ORIGIN_SELF)
			return value;
		recorded |= origin_tag_of(element) == ORIGIN_OP;
	}
	if (!recorded)
		return value;
	struct site *site = site_new(in, SITE_DERIVED, (const void *)(uintptr_t)(node.start + 1u), cell, node);
	site->inputs = value.origins;
	site->scalar = value.extent == EXTENT_SCALAR;
	site->cell = cell;
	site->name = name;
	value.origins = origin_add(&in->origins, value.origins, origin_make(site->id, ORIGIN_SELF));
	return value;
}

static bool is_compared(const struct interp *in, struct str name)
{
	for (uint32_t i = 0; i < in->compared_count; i++)
		if (str_equal(in->compared[i], name))
			return true;
	return false;
}

/* Under `if loss < best:` what is assigned to best stays until something better comes. */
static struct chain kept_best(struct interp *in, uint32_t cell)
{
	struct chain chain = {.count = 0};
	struct value old = cell_get(in, cell);
	for (struct loop *loop = old.origins ? in->path : NULL; loop; loop = loop->outer)
		if (origin_has(old.origins, origin_make(carry_site(in, loop, cell)->id, ORIGIN_SELF))) {
			chain.loops[chain.count++] = loop;
			chain.selects = true;
			break;
		}
	return chain;
}

void assign_cell(struct interp *in, uint32_t cell, struct value value, struct span node, struct str name, bool outer)
{
	if ((value.flags & VALUE_COUNTER) && !value.counter)
		value.counter = in->path;
	struct chain chain = find_chain(in, cell, &value);
	if (!chain.count && is_compared(in, name))
		chain = kept_best(in, cell);
	if (chain.count)
		add_chain_event(in, cell, &value, &chain, node, name);
	if (value.flags & VALUE_VIEW)
		cut_back(in, cell, &value, node);
	let_go(in, cell, &value, node);
	value = derive(in, value, cell, node, name);
	settle(in, cell, &value, name);
	if (outer && (!chain.count || chain.selects)) {
		struct event *event = event_add(in, EVENT_ASSIGN, node);
		event_value(in, event, &value);
		event->cell = cell;
		event->holder = in->cells.items[cell].object;
		event->name = name;
	}
	cell_set(in, cell, value);
}

void fill_cell(struct interp *in, uint32_t cell, struct value value, struct span node, struct str name, bool weak)
{
	struct chain chain = find_chain(in, cell, &value);
	if (chain.count && !chain.selects)
		add_chain_event(in, cell, &value, &chain, node, name);
	struct value old = cell_get(in, cell);
	cell_set(in, cell, weak ? value_join(&in->origins, &old, &value) : value);
}

static struct str element_key(struct interp *in, const struct value *key)
{
	if (key && key->text.at)
		return key->text;
	if (key && key->number != VALUE_NO_NUMBER && key->number >= 0 && key->number < 1000)
		return str_from(arena_format(in->arena, "%d", (int)key->number));
	return (struct str){NULL, 0};
}

static void merge_slots(struct interp *in, struct object *into, const struct value *from)
{
	for (uint8_t i = 0; i < from->object_count; i++) {
		struct object *object = object_get(in, from->objects[i]);
		if (object == into)
			continue;
		for (size_t j = 0; j < object->slots.count; j++)
			cell_set(in, object_slot(in, into, object->slots.items[j].name, true),
				 cell_get(in, object->slots.items[j].cell));
		if (object->rest)
			add_element(in, into, cell_get(in, object->rest));
	}
}

static void add_store_event(struct interp *in, struct object *holder, enum store_op op, const struct value *key,
			    const struct value *value, struct span node, struct str name)
{
	struct event *event = event_add(in, EVENT_STORE, node);
	event_value(in, event, value);
	event->holder = holder->id;
	event->op = op;
	event->name = name;
	event->bounded = holder->bounded || holder->guarded;
	if (key) {
		event->key = *key;
		event->has_key = true;
	}
}

void store_into(struct interp *in, uint32_t holder_id, enum store_op op, const struct value *key, struct value value,
		struct span node, struct str name)
{
	struct object *holder = object_get(in, holder_id);
	struct str slot = element_key(in, key);
	if (op == STORE_KEY || op == STORE_ASSIGN) {
		uint32_t cell = slot.at ? object_slot(in, holder, slot, true) : object_rest(in, holder);
		struct chain chain = find_chain(in, cell, &value);
		if (chain.count && !chain.selects)
			add_chain_event(in, cell, &value, &chain, node, name);
		else
			add_store_event(in, holder, op, key, &value, node, name);
		if (slot.at)
			cell_set(in, cell, value);
		else
			add_element(in, holder, value);
		return;
	}
	if (op == STORE_EXTEND) {
		bool off = false;
		value = next_element(in, &value, NULL, &off);
	}
	add_store_event(in, holder, op, NULL, &value, node, name);
	holder->literal = false;
	if (op == STORE_UPDATE)
		merge_slots(in, holder, &value);
	else
		add_element(in, holder, value);
}

/* ---- assignment ---- */

static struct str text_of(struct interp *in, struct span span)
{
	if (span.end > in->text.length || span.start >= span.end)
		return (struct str){"", 0};
	return (struct str){in->text.at + span.start, span.end - span.start};
}

void freeze(struct interp *in, struct object *object, const struct value *on)
{
	bool whole = in->cond_open[in->path && in->path->depth < 63 ? in->path->depth : 0] == 0;
	int64_t frozen = on->number == 0 ? 1 : on->number == 1 ? 0 : -1;
	set_mode(in, object, STR("%frozen"), whole ? frozen : VALUE_NO_NUMBER);
}

static void assign_attribute(struct interp *in, const struct expr *target, struct value value, struct span node)
{
	struct value object = eval(in, target->items[0]);
	struct str name = text_of(in, target->span);
	if (str_is(target->name, "requires_grad")) {
		for (uint8_t i = 0; i < object.object_count; i++)
			freeze(in, object_get(in, object.objects[i]), &value);
		return;
	}
	if (str_is(target->name, "grad") && (object.flags & VALUE_PARAMETER)) {
		struct event *event = event_add(in, EVENT_ZERO, node);
		memcpy(event->objects, object.objects, sizeof event->objects);
		event->object_count = object.object_count;
		return;
	}
	if (object.flags & VALUE_PARAMETER)
		return;
	bool strong = object.object_count == 1 && !object.many_objects;
	for (uint8_t i = 0; i < object.object_count; i++) {
		struct object *o = object_get(in, object.objects[i]);
		uint32_t cell = object_slot(in, o, target->name, true);
		struct value next = value;
		if (!strong) {
			struct value old = cell_get(in, cell);
			next = value_join(&in->origins, &old, &value);
		}
		assign_cell(in, cell, next, node, name, true);
	}
}

/* t[…] = v on a tensor: with grad on, the tensor becomes a holder of v's graph. */
void write_tensor(struct interp *in, const struct expr *base, const struct value *old, const struct value *value,
			 struct span node)
{
	if (base->kind != EXPR_NAME && base->kind != EXPR_ATTRIBUTE)
		return;
	struct value pair[2] = {*old, *value};
	struct value next = combine(in, pair, 2, node);
	next.flags = old->flags;
	next.made = old->made;
	if (base->kind == EXPR_NAME) {
		uint32_t cell = lookup_cell(in, base->name);
		if (cell)
			assign_cell(in, cell, next, node, base->name, false);
	} else {
		assign_attribute(in, base, next, node);
	}
}

static void assign_subscript(struct interp *in, const struct expr *target, struct value value, struct span node)
{
	struct value object = eval(in, target->items[0]);
	struct value key = target->count == 2 ? eval(in, target->items[1]) : value_of(KIND_UNKNOWN);
	struct str name = text_of(in, target->items[0]->span);
	bool slice = target->count == 2 && target->items[1]->kind == EXPR_SLICE;
	for (uint8_t i = 0; i < object.object_count && !(object.flags & VALUE_PARAMETER); i++) {
		struct object *o = object_get(in, object.objects[i]);
		struct object *method = o->class_def ? class_method(in, o->class_def, STR("__setitem__")) : NULL;
		if (method && method->function) {
			struct args *args = args_new(in, 2);
			args_add(args, key, (struct str){"", 0}, NULL);
			args_add(args, value, (struct str){"", 0}, NULL);
			call_def(in, method, o->id, args, target);
		} else if (slice) {
			event_add(in, EVENT_RESET, node)->holder = o->id;
		} else if (o->kinds & KIND_CONTAINER || o->input) {
			store_into(in, o->id, STORE_KEY, &key, value, node, name);
		}
	}
	if (value_may(&object, KIND_TENSOR) && !object.object_count)
		write_tensor(in, target->items[0], &object, &value, node);
}

static void assign_sequence(struct interp *in, const struct expr *target, const struct value *value, struct span node)
{
	for (uint16_t i = 0; i < target->count; i++) {
		const struct expr *item = target->items[i];
		struct value part;
		if (item->kind == EXPR_STAR) {
			struct object *rest = object_new(in, item, 0, KIND_CONTAINER, item->span);
			rest->library = model_class_get(in->model, "builtins.list");
			add_element(in, rest, element_of(in, value, item));
			part = object_value(in, rest);
			item = item->count ? item->items[0] : item;
		} else {
			part = element_at(in, value, i, target->count, item);
		}
		assign_target(in, item, part, node);
	}
}

void assign_target(struct interp *in, const struct expr *target, struct value value, struct span node)
{
	if (in->budget-- <= 0)
		return;
	switch (target->kind) {
	case EXPR_NAME: {
		uint32_t cell = lookup_cell(in, target->name);
		struct def *def = in->frame ? in->frame->def : in->module;
		if (cell)
			assign_cell(in, cell, value, node, target->name, def_declares_outer(def, target->name));
		break;
	}
	case EXPR_ATTRIBUTE:
		assign_attribute(in, target, value, node);
		break;
	case EXPR_SUBSCRIPT:
		assign_subscript(in, target, value, node);
		break;
	case EXPR_TUPLE:
	case EXPR_LIST:
		assign_sequence(in, target, &value, node);
		break;
	default:
		break;
	}
}

static bool any_container(struct interp *in, const struct value *v)
{
	for (uint8_t i = 0; i < v->object_count; i++)
		if (object_get(in, v->objects[i])->kinds & KIND_CONTAINER)
			return true;
	return false;
}

static void exec_augment(struct interp *in, const struct stmt *s)
{
	const struct expr *target = s->targets[0];
	struct value old = eval(in, target), right = eval(in, s->value);
	bool grows = any_container(in, &old) || (old.object_count && any_container(in, &right));
	for (uint8_t i = 0; i < old.object_count; i++) {
		struct object *o = object_get(in, old.objects[i]);
		struct object *method = o->class_def ? class_method(in, o->class_def, STR("__iadd__")) : NULL;
		if (method && method->function && s->op == '+') {
			struct args *args = args_new(in, 1);
			args_add(args, right, (struct str){"", 0}, NULL);
			struct value v = call_def(in, method, o->id, args, s->value);
			assign_target(in, target, v, s->span);
			return;
		}
	}
	if (grows && (s->op == '+' || s->op == '|')) {
		bool tuple = old.object_count == 1 && object_get(in, old.objects[0])->library &&
			     str_is(str_from(object_get(in, old.objects[0])->library->name), "builtins.tuple");
		if (!tuple) {
			for (uint8_t i = 0; i < old.object_count; i++)
				store_into(in, old.objects[i], s->op == '|' ? STORE_UPDATE : STORE_EXTEND, NULL, right, s->span,
					   text_of(in, target->span));
			return;
		}
	}
	struct value pair[2] = {old, right};
	struct value next = combine(in, pair, 2, s->span);
	if (value_only(&old, KIND_TEXT))
		next.kinds = KIND_TEXT;
	if (grows) {
		next = old;
		next.flags |= VALUE_CONCAT;
		next = tag_value(in, next, ORIGIN_OP);
		for (uint8_t i = 0; i < old.object_count; i++)
			add_element(in, object_get(in, old.objects[i]), element_of(in, &right, s->value));
	}
	assign_target(in, target, next, s->span);
}

/* ---- loops ---- */

static void head_add(struct interp *in, struct loop *loop)
{
	for (uint32_t i = 0; loop->head && i < loop->head->count; i++) {
		struct cell_value *item = &loop->head->items[i];
		if (loop->head->lost[i])
			continue;
		struct value now = cell_get(in, item->cell);
		struct value joined = value_join(&in->origins, &now, &item->value);
		if (value_is_bottom(&joined))
			continue;
		if (loop->is_struct && !loop->is_range) { /* parts, not time: nothing can pile up over it */
			cell_set(in, item->cell, joined);
			continue;
		}
		uint32_t carry = loop->head->carries[i];
		if (!carry)
			carry = loop->head->carries[i] = carry_site(in, loop, item->cell)->id;
		if (!joined.origins)
			joined.origins = in->origins.empty;
		joined.origins = origin_add(&in->origins, origin_without(&in->origins, joined.origins, carry),
					    origin_make(carry, ORIGIN_SELF));
		cell_set(in, item->cell, joined);
	}
}

/* What was made in an iteration is gone in the next, unless something that lives on leads to it. */
static void find_lost(struct interp *in, struct loop *loop)
{
	struct head_list *head = loop->head;
	uint32_t stamp = ++in->stamp;
	enum { ROUNDS = 4 };
	for (int round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < head->count; i++) {
			uint32_t owner = in->cells.items[head->items[i].cell].object;
			struct object *object = owner ? object_get(in, owner) : NULL;
			head->lost[i] = object && loop_within(object->birth, loop) && object->seen != stamp;
			for (uint8_t k = 0; !head->lost[i] && k < head->items[i].value.object_count; k++)
				object_get(in, head->items[i].value.objects[k])->seen = stamp;
		}
	}
}

/* Whether the back edge brings something that the head of this walk did not have. */
static bool head_update(struct interp *in, struct loop *loop, uint32_t mark, bool again)
{
	struct delta *delta = state_delta(in, mark, NULL);
	struct head_list *head = ARENA_NEW(in->arena, struct head_list);
	bool changed = loop->head == NULL;
	uint32_t stamp = ++in->stamp;
	uint32_t old_count = loop->head ? loop->head->count : 0;
	head->items = ARENA_ARRAY(in->arena, struct cell_value, old_count + delta->count + 1);
	head->carries = ARENA_ARRAY(in->arena, uint32_t, old_count + delta->count + 1);
	head->lost = ARENA_ARRAY(in->arena, bool, old_count + delta->count + 1);
	for (uint32_t i = 0; i < old_count; i++) {
		struct cell *cell = &in->cells.items[loop->head->items[i].cell];
		cell->stamp = stamp;
		cell->join_count = head->count;
		head->carries[head->count] = loop->head->carries[i];
		head->items[head->count++] = loop->head->items[i];
	}
	uint32_t depth = loop->call ? loop->call->depth : 0;
	for (uint32_t i = 0; i < delta->count; i++) {
		struct cell *cell = &in->cells.items[delta->items[i].cell];
		if (cell->call && cell->call->depth > depth && !cell->outlives)
			continue; /* a variable of a call that ended within the iteration */
		struct value back = delta->items[i].value;
		uint32_t carry = cell->stamp == stamp ? head->carries[cell->join_count] : 0;
		if (back.origins && carry)
			back.origins = origin_without(&in->origins, back.origins, carry);
		if (cell->stamp != stamp) {
			changed = true;
			cell->stamp = stamp;
			cell->join_count = head->count;
			head->items[head->count++] = (struct cell_value){delta->items[i].cell, back};
			continue;
		}
		struct value *old = &head->items[cell->join_count].value;
		struct value joined = value_join(&in->origins, old, &back);
		/* what values may be must settle; where they come from is worth another walk only the first time */
		changed |= again ? old->kinds != joined.kinds || old->object_count != joined.object_count : !value_same(old, &joined);
		*old = joined;
	}
	loop->head = head;
	find_lost(in, loop);
	return changed;
}

/* A chain that the end of the iteration has dropped again (the name was reset) is none. */
static void confirm_chains(struct interp *in, struct loop *loop, size_t first_event)
{
	for (size_t i = first_event; i < in->events.count; i++) {
		struct event *event = &in->events.items[i];
		if (event->kind != EVENT_ACCUMULATE)
			continue;
		for (uint8_t j = 0; j < event->carry_count; j++) {
			if (event->carries[j] != loop)
				continue;
			struct value end = cell_get(in, event->cell);
			uint32_t site = carry_site(in, loop, event->cell)->id;
			bool kept = end.origins && (origin_has(end.origins, origin_make(site, ORIGIN_OP)) ||
						    origin_has(end.origins, origin_make(site, ORIGIN_CALL)) ||
						    (event->selects && origin_has(end.origins, origin_make(site, ORIGIN_SELF))));
			if (kept)
				continue;
			memmove(&event->carries[j], &event->carries[j + 1], (3u - j) * sizeof event->carries[0]);
			event->carry_count--;
			break;
		}
	}
}

enum { LOOP_WALKS = 3 };

void run_loop(struct interp *in, struct loop *loop, loop_body *body, void *context, bool may_skip)
{
	enum { DEEPEST = 12 };
	uint32_t mark = state_mark(in);
	size_t first_event = in->events.count;
	struct loop_frame frame = {.loop = loop, .mark = mark, .grad_depth = in->frame ? in->frame->grad_depth : 0};
	struct loop *outer_path = in->path;
	struct frame *owner = in->frame;
	if (owner) {
		frame.outer = owner->loops;
		owner->loops = &frame;
	}
	in->path = loop;
	/* nothing that an earlier run of this loop made is there when it starts anew */
	for (size_t i = 0; i < loop->born.count; i++)
		clear_slots(in, loop->born.items[i]);
	mark = frame.mark = state_mark(in);
	struct delta *back = NULL, *exits = owner ? owner->exits : NULL;
	struct value result = owner ? owner->result : value_bottom();
	/* so deep inside other loops nobody counts steps: one walk shows what it does */
	bool again = loop->head != NULL, trial = in->trial || loop->depth > DEEPEST;
	for (int walk = again ? 1 : 0; walk < LOOP_WALKS; walk++) {
		state_undo(in, mark);
		if (owner) {
			owner->exits = exits;
			owner->result = result;
		}
		in->events.count = first_event;
		frame.breaks = frame.continues = NULL;
		head_add(in, loop);
		in->trial = trial || (!again && walk == 0);
		bool alive = body(in, loop, context);
		in->trial = trial;
		back = alive ? state_delta(in, mark, frame.continues) : frame.continues;
		if (back)
			state_join(in, mark, back, false);
		else
			state_undo(in, mark);
		confirm_chains(in, loop, first_event);
		bool seeded = loop->head != NULL;
		/* while a loop around is on its first walk, one walk of this one is enough to learn what it changes */
		if ((!head_update(in, loop, mark, again) && seeded) || trial)
			break;
	}
	in->path = outer_path;
	if (owner)
		owner->loops = frame.outer;
	struct delta *ends = frame.breaks;
	if (may_skip || back)
		ends = state_delta(in, mark, ends);
	if (!may_skip && frame.breaks)
		ends = frame.breaks;
	state_join(in, mark, ends, may_skip);
}

struct for_context {
	const struct stmt *stmt;
	struct value iterable;
	const struct expr *condition; /* of a while loop */
	bool leaves;
};

bool is_parts(struct interp *in, const struct value *iterable, bool *range)
{
	*range = false;
	if (iterable->flags & (VALUE_STRUCT | VALUE_PARAMETER))
		return true;
	if (iterable->object_count == 0)
		return value_only(iterable, KIND_TENSOR) && iterable->origins && iterable->origins->count;
	for (uint8_t i = 0; i < iterable->object_count; i++) {
		struct object *object = object_get(in, iterable->objects[i]);
		if (!object->literal && !(object->kinds & KIND_MODULE))
			return false;
		*range |= !(object->kinds & KIND_MODULE);
	}
	return true;
}

struct value next_element(struct interp *in, const struct value *iterable, const struct expr *node, bool *grad_off)
{
	struct value out = value_bottom();
	bool generators = false;
	for (uint8_t i = 0; i < iterable->object_count; i++) {
		struct object *object = object_get(in, iterable->objects[i]);
		struct object *iter = object->class_def ? class_method(in, object->class_def, STR("__iter__")) : NULL;
		struct value v;
		if (object->kinds & KIND_GENERATOR) {
			v = run_generator(in, object, node, grad_off);
		} else if (iter && iter->function) {
			struct args *none = args_new(in, 0);
			struct value made = call_def(in, iter, object->id, none, node);
			bool again = made.object_count == 1 && (object_get(in, made.objects[0])->kinds & KIND_GENERATOR);
			v = again ? run_generator(in, object_get(in, made.objects[0]), node, grad_off)
				  : element_of(in, &made, node);
		} else {
			continue;
		}
		generators = true;
		out = value_join(&in->origins, &out, &v);
	}
	return generators ? out : element_of(in, iterable, node);
}

static bool for_body(struct interp *in, struct loop *loop, void *context)
{
	struct for_context *c = context;
	bool grad_off = false;
	struct value element = next_element(in, &c->iterable, c->stmt->value, &grad_off);
	assign_target(in, c->stmt->targets[0], element, c->stmt->targets[0]->span);
	struct value grad = cell_get(in, in->grad_cell);
	if (grad_off)
		grad_set(in, GRAD_OFF);
	bool alive = exec_block(in, &c->stmt->body);
	if (grad_off)
		cell_set(in, in->grad_cell, grad);
	(void)loop;
	return alive;
}

/* A body that is one try which leaves the loop on success. */
static bool is_retry(const struct block *body)
{
	const struct stmt *only = NULL;
	for (uint32_t i = 0; i < body->count; i++)
		if (body->stmts[i]->kind == STMT_TRY)
			only = body->stmts[i];
	if (!only || !only->handler_count)
		return false;
	const struct block *ends[2] = {&only->body, &only->other};
	for (int i = 0; i < 2; i++) {
		if (!ends[i]->count)
			continue;
		enum stmt_kind last = ends[i]->stmts[ends[i]->count - 1]->kind;
		if (last == STMT_RETURN || last == STMT_BREAK)
			return true;
	}
	return false;
}

static struct span first_line(struct interp *in, struct span span)
{
	uint32_t end = span.start;
	while (end < span.end && end < in->text.length && in->text.at[end] != '\n' && in->text.at[end] != '\r')
		end++;
	return (struct span){span.start, end};
}

static bool exec_for(struct interp *in, const struct stmt *s)
{
	struct for_context c = {.stmt = s};
	c.iterable = eval(in, s->value);
	struct loop *loop = loop_enter(in, s, LOOP_FOR, first_line(in, s->span));
	loop->is_struct = is_parts(in, &c.iterable, &loop->is_range);
	loop->retry = is_retry(&s->body);
	if (s->targets[0]->kind == EXPR_NAME)
		loop->variable = s->targets[0]->name;
	run_loop(in, loop, for_body, &c, true);
	return s->other.count ? exec_block(in, &s->other) : true;
}

static bool while_body(struct interp *in, struct loop *loop, void *context)
{
	const struct for_context *c = context;
	(void)loop;
	eval(in, c->condition);
	return exec_block(in, &c->stmt->body);
}

static int literal_truth(const struct expr *e)
{
	if (e->kind == EXPR_CONSTANT)
		return str_is(e->name, "True");
	return e->kind == EXPR_NUMBER && e->number != INT64_MIN ? e->number != 0 : -1;
}

static bool exec_while(struct interp *in, const struct stmt *s)
{
	struct for_context c = {.stmt = s, .condition = s->value};
	bool endless = literal_truth(s->value) == 1;
	struct loop *loop = loop_enter(in, s, LOOP_WHILE, first_line(in, s->span));
	loop->retry = is_retry(&s->body);
	run_loop(in, loop, while_body, &c, !endless);
	return s->other.count ? exec_block(in, &s->other) : true;
}

/* ---- comprehensions ---- */

struct comprehension_context {
	const struct expr *e;
	uint16_t clause;
	uint32_t gathered; /* cell that joins the elements until the result is made */
	struct object *result; /* the list, set or dictionary that it makes; NULL for a generator */
	struct loop *loop;     /* of the outermost clause */
	struct value iterable;
};

static void run_clause(struct interp *in, struct comprehension_context *c);

static bool clause_body(struct interp *in, struct loop *loop, void *context)
{
	struct comprehension_context *c = context;
	const struct clause *clause = &c->e->clauses[c->clause];
	bool grad_off = false;
	(void)loop;
	struct value element = next_element(in, &c->iterable, clause->iterable, &grad_off);
	if (clause->target)
		assign_target(in, clause->target, element, clause->target->span);
	struct comprehension_context inner = *c;
	inner.clause++;
	run_clause(in, &inner);
	return true;
}

static void run_element(struct interp *in, struct comprehension_context *c)
{
	const struct expr *element = c->e->items[0];
	bool pair = element->kind == EXPR_PAIR;
	if (pair)
		eval(in, element->items[0]);
	struct value v = eval(in, pair ? element->items[1] : element);
	if (c->result) {
		struct event *event = event_add(in, EVENT_STORE, c->e->span);
		event_value(in, event, &v);
		event->holder = c->result->id;
		event->op = STORE_APPEND;
		event->name = c->result->name;
	}
	struct value old = cell_get(in, c->gathered);
	cell_set(in, c->gathered, value_join(&in->origins, &old, &v));
}

static void run_clause(struct interp *in, struct comprehension_context *c)
{
	if (c->clause == c->e->clause_count) {
		run_element(in, c);
		return;
	}
	const struct clause *clause = &c->e->clauses[c->clause];
	if (!clause->iterable) {
		struct comprehension_context inner = *c;
		eval(in, clause->condition);
		inner.clause++;
		cond_push(in);
		run_clause(in, &inner);
		cond_pop(in);
		return;
	}
	c->iterable = eval(in, clause->iterable);
	struct loop *loop = loop_enter(in, clause, LOOP_COMPREHENSION, clause->span);
	c->loop = loop;
	loop->is_struct = is_parts(in, &c->iterable, &loop->is_range);
	if (clause->target && clause->target->kind == EXPR_NAME)
		loop->variable = clause->target->name;
	run_loop(in, loop, clause_body, c, true);
}

static uint32_t comprehension_cells(struct interp *in, const struct expr *e)
{
	struct place_key key = {e, in->call, 0, 'G'};
	uint32_t first = (uint32_t)(uintptr_t)place_get(in, &key);
	if (first)
		return first;
	first = (uint32_t)in->cells.count;
	for (uint32_t i = 0; i < e->def->local_count; i++)
		cell_new(in, e->def->locals[i], 0, e->def);
	cell_new(in, STR("[]"), 0, e->def);
	place_put(in, &key, (void *)(uintptr_t)first);
	return first;
}

/* The names of a comprehension live in a scope of its own, inside the frame that runs it. */
struct value run_comprehension(struct interp *in, const struct expr *e)
{
	static const char *const classes[] = {"builtins.list", "builtins.set", "builtins.dict"};
	struct scope *scope = ARENA_NEW(in->arena, struct scope);
	scope->def = e->def;
	scope->parent = in->frame ? in->frame->scope : in->module_scope;
	scope->first_cell = comprehension_cells(in, e);
	struct comprehension_context c = {.e = e, .gathered = scope->first_cell + e->def->local_count};
	struct scope *outer = in->frame->scope;
	in->frame->scope = scope;
	cell_set(in, c.gathered, value_bottom());
	if (e->op != '(')
		c.result = object_peek(in, e, 0, KIND_CONTAINER, e->span);
	run_clause(in, &c);
	in->frame->scope = outer;
	struct value element = cell_get(in, c.gathered);
	struct object *result = object_new(in, e, 0, KIND_CONTAINER, e->span);
	result->library = model_class_get(in->model, classes[e->op == '{' ? 1 : e->op == ':' ? 2 : 0]);
	if (!value_is_bottom(&element))
		fill_cell(in, object_rest(in, result), element, e->span, result->name, true);
	result->made_in = e->op == '(' ? c.loop : NULL;
	bool range;
	result->literal = e->clause_count == 1 && is_parts(in, &c.iterable, &range);
	return object_value(in, result);
}

/* ---- branches ---- */

static void narrow_tensor(struct interp *in, uint32_t cell, bool is_tensor)
{
	struct value value = cell_get(in, cell);
	if (is_tensor) {
		if (value.kinds & KIND_UNKNOWN && !value.object_count)
			value.kinds = KIND_TENSOR;
	} else {
		value.kinds &= ~(uint32_t)(KIND_TENSOR | KIND_UNKNOWN);
		value.kinds = value.kinds ? value.kinds : KIND_NUMBER | KIND_CONTAINER;
		if (value.origins)
			value.origins = in->origins.empty;
	}
	cell_set(in, cell, value);
}

static bool is_number_type(struct interp *in, const struct value *type)
{
	if (type->object_count == 1 && !type->dotted) {
		const struct object *several = object_get(in, type->objects[0]);
		bool all = (several->kinds & KIND_CONTAINER) && several->slots.count > 0 && !several->rest;
		for (size_t i = 0; all && i < several->slots.count; i++) {
			struct value one = cell_get(in, several->slots.items[i].cell);
			all = one.dotted && is_number_type(in, &one);
		}
		return all;
	}
	static const char *const names[] = {"builtins.float", "builtins.int", "builtins.bool", "builtins.str", "numbers.Number"};
	for (size_t i = 0; type->dotted && i < sizeof names / sizeof *names; i++)
		if (strcmp(type->dotted, names[i]) == 0)
			return true;
	return false;
}

static void narrow_call(struct interp *in, const struct expr *e, bool truth)
{
	const struct expr *callee = e->items[0];
	if (e->count < 2 || e->items[1]->kind != EXPR_NAME)
		return;
	uint32_t cell = lookup_cell(in, e->items[1]->name);
	struct value function = eval(in, callee);
	if (!cell || !function.dotted)
		return;
	if (strcmp(function.dotted, "torch.is_tensor") == 0) {
		narrow_tensor(in, cell, truth);
	} else if (strcmp(function.dotted, "builtins.hasattr") == 0 && e->count == 3 && !truth) {
		if (str_is(e->items[2]->name, "item") || str_is(e->items[2]->name, "detach"))
			narrow_tensor(in, cell, false);
	} else if (strcmp(function.dotted, "builtins.isinstance") == 0 && e->count == 3) {
		struct value type = eval(in, e->items[2]);
		if (type.dotted && strcmp(type.dotted, "torch.Tensor") == 0)
			narrow_tensor(in, cell, truth);
		else if (!truth && type.dotted && strcmp(type.dotted, "torch.nn.Module") == 0)
			cell_set(in, cell, value_of(KIND_UNKNOWN));
		else if (truth && is_number_type(in, &type))
			narrow_tensor(in, cell, false);
	}
}

void narrow(struct interp *in, const struct expr *e, bool truth)
{
	if (e->kind == EXPR_NOT && e->count)
		narrow(in, e->items[0], !truth);
	else if (e->kind == EXPR_BOOLEAN && truth && e->op != 'o')
		for (uint16_t i = 0; i < e->count; i++)
			narrow(in, e->items[i], true);
	else if (e->kind == EXPR_CALL && e->count)
		narrow_call(in, e, truth);
	else if (e->kind == EXPR_COMPARE && e->count == 2 && (e->op == 's' || e->op == 'S') &&
		 e->items[0]->kind == EXPR_NAME && str_is(e->items[1]->name, "None")) {
		uint32_t cell = lookup_cell(in, e->items[0]->name);
		if (cell && truth == (e->op == 's')) {
			cell_set(in, cell, value_of(KIND_NONE));
		} else if (cell) {
			struct value value = cell_get(in, cell);
			if (value.kinds & ~(uint32_t)KIND_NONE)
				value.kinds &= ~(uint32_t)KIND_NONE;
			cell_set(in, cell, value);
		}
	}
}

/* Runs BLOCK as one side of a branch at MARK: appends its end state to *ENDS if control reaches it. */
static bool run_side(struct interp *in, uint32_t mark, const struct expr *test, bool truth, const struct block *block,
		     struct delta **ends)
{
	state_undo(in, mark);
	cond_push(in);
	narrow(in, test, truth);
	bool alive = exec_block(in, block);
	cond_pop(in);
	if (alive)
		*ends = state_delta(in, mark, *ends);
	state_undo(in, mark);
	return alive;
}

/* Whether E asks if something was not made yet: `x is None`, `not x`, `not hasattr(…)`, `k not in d`. */
static const struct expr *asks_missing(const struct expr *e)
{
	if (e->kind == EXPR_COMPARE && e->count == 2 && e->op == 's' && e->items[1]->kind == EXPR_CONSTANT &&
	    str_is(e->items[1]->name, "None"))
		return e->items[0];
	if (e->kind == EXPR_COMPARE && e->count == 2 && e->op == 'n')
		return e->items[1];
	if (e->kind == EXPR_NOT && e->count == 1 && (e->items[0]->kind == EXPR_NAME || e->items[0]->kind == EXPR_ATTRIBUTE))
		return e->items[0];
	if (e->kind == EXPR_NOT && e->count == 1 && e->items[0]->kind == EXPR_CALL && e->items[0]->count >= 2 &&
	    e->items[0]->items[0]->kind == EXPR_NAME && str_is(e->items[0]->items[0]->name, "hasattr"))
		return e->items[0]->items[1];
	return NULL;
}

/* The path on which what is made under `if x is None` is born: where x lives. */
static struct loop *path_of_home(struct interp *in, const struct expr *e)
{
	while (e->kind == EXPR_SUBSCRIPT)
		e = e->items[0];
	if (e->kind == EXPR_ATTRIBUTE) {
		struct value owner = eval(in, e->items[0]);
		if (owner.object_count)
			return object_get(in, owner.objects[0])->birth;
	}
	if (e->kind == EXPR_NAME) {
		struct value held = eval(in, e);
		for (uint8_t i = 0; i < held.object_count; i++)
			if (object_get(in, held.objects[i])->kinds & (KIND_CONTAINER | KIND_UNKNOWN))
				return object_get(in, held.objects[i])->birth;
		return in->frame && in->frame->call ? in->frame->call->path : NULL;
	}
	return in->path;
}

/* `if len(x) < n:` bounds what is added to x inside. */
static struct object *length_guard(struct interp *in, const struct expr *e)
{
	if (e->kind != EXPR_COMPARE || e->op != '<' || e->count != 2 || e->items[0]->kind != EXPR_CALL)
		return NULL;
	const struct expr *call = e->items[0];
	if (call->count != 2 || call->items[0]->kind != EXPR_NAME || !str_is(call->items[0]->name, "len"))
		return NULL;
	struct value v = eval(in, call->items[1]);
	return v.object_count == 1 ? object_get(in, v.objects[0]) : NULL;
}

static void note_compared(struct interp *in, const struct expr *e)
{
	if (e->kind != EXPR_COMPARE || (e->op != '<' && e->op != '>'))
		return;
	for (uint16_t i = 0; i < e->count && in->compared_count < 8; i++)
		if (e->items[i]->kind == EXPR_NAME || e->items[i]->kind == EXPR_ATTRIBUTE)
			in->compared[in->compared_count++] = text_of(in, e->items[i]->span);
}

static bool is_main_guard(const struct expr *e)
{
	return e->kind == EXPR_COMPARE && e->op == '=' && e->count == 2 && e->items[0]->kind == EXPR_NAME &&
	       str_is(e->items[0]->name, "__name__");
}

/* Whether E is a parameter that the call at hand has set to a constant, or its negation. */
static bool is_given_flag(struct interp *in, const struct expr *e)
{
	if (!in->frame || !in->frame->call || !in->frame->call->node || e->kind != EXPR_NAME)
		return false;
	const struct def *def = in->frame->def;
	int32_t place = def_local(def, e->name);
	return place >= 0 && (uint32_t)place < def->param_count;
}

static bool is_elif(const struct block *other)
{
	return other->count == 1 && other->stmts[0]->kind == STMT_IF && literal_truth(other->stmts[0]->value) < 0;
}

static bool exec_if(struct interp *in, const struct stmt *s)
{
	struct value test = eval(in, s->value);
	int truth = is_main_guard(s->value) ? 1 : literal_truth(s->value);
	if (truth < 0 && is_given_flag(in, s->value) && value_only(&test, KIND_NUMBER) && test.number != VALUE_NO_NUMBER)
		truth = test.number != 0;
	if (truth == 1)
		return exec_block(in, &s->body);
	if (truth == 0)
		return exec_block(in, &s->other);
	struct object *guarded = length_guard(in, s->value);
	const struct expr *missing = asks_missing(s->value);
	struct loop *lazy_path = in->lazy_path;
	struct str lazy_name = in->lazy_name;
	if (missing && in->path) {
		in->lazy_path = path_of_home(in, missing);
		in->lazy_name = text_of(in, missing->span);
	}
	uint32_t mark = state_mark(in);
	struct delta *ends = NULL;
	uint32_t compared = in->compared_count;
	note_compared(in, s->value);
	if (guarded)
		guarded->guarded++;
	bool alive = run_side(in, mark, s->value, true, &s->body, &ends);
	if (guarded)
		guarded->guarded--;
	in->compared_count = compared;
	in->lazy_name = lazy_name;
	in->lazy_path = lazy_path;
	/* a chain of elif is one branch of many sides, not a nest */
	while (is_elif(&s->other)) {
		s = s->other.stmts[0];
		state_undo(in, mark);
		eval(in, s->value);
		alive |= run_side(in, mark, s->value, true, &s->body, &ends);
	}
	alive |= run_side(in, mark, s->value, false, &s->other, &ends);
	if (ends)
		state_join(in, mark, ends, false);
	return alive;
}

static bool exec_match(struct interp *in, const struct stmt *s)
{
	struct value subject = eval(in, s->value);
	uint32_t mark = state_mark(in);
	struct delta *ends = NULL;
	for (uint32_t i = 0; i < s->handler_count; i++) {
		const struct handler *c = &s->handlers[i];
		state_undo(in, mark);
		for (uint32_t j = 0; j < c->bound_count; j++) {
			uint32_t cell = lookup_cell(in, c->bound[j]);
			if (cell)
				cell_set(in, cell, element_of(in, &subject, s->value));
		}
		cond_push(in);
		bool alive = exec_block(in, &c->body);
		cond_pop(in);
		if (alive)
			ends = state_delta(in, mark, ends);
	}
	state_join(in, mark, ends, true);
	return true;
}

static bool exec_try(struct interp *in, const struct stmt *s)
{
	uint32_t mark = state_mark(in);
	struct delta *ends = NULL;
	bool alive = exec_block(in, &s->body);
	struct delta *body_end = state_delta(in, mark, NULL);
	if (alive && s->other.count)
		alive = exec_block(in, &s->other);
	if (alive)
		ends = state_delta(in, mark, ends);
	for (uint32_t i = 0; i < s->handler_count; i++) {
		const struct handler *handler = &s->handlers[i];
		/* an exception may come before, in or after any statement of the body */
		state_join(in, mark, body_end, true);
		if (handler->type)
			eval(in, handler->type);
		if (handler->name.length) {
			uint32_t cell = lookup_cell(in, handler->name);
			if (cell)
				cell_set(in, cell, value_of(KIND_EXCEPTION));
		}
		cond_push(in);
		if (in->frame)
			in->frame->handler_depth++;
		bool handled = exec_block(in, &handler->body);
		if (in->frame)
			in->frame->handler_depth--;
		cond_pop(in);
		if (handled)
			ends = state_delta(in, mark, ends);
		alive |= handled;
	}
	if (ends)
		state_join(in, mark, ends, false);
	else if (s->handler_count)
		state_join(in, mark, body_end, true);
	bool final_alive = s->final.count ? exec_block(in, &s->final) : true;
	return alive && final_alive;
}

/* ---- the rest ---- */

static void leave_loop(struct interp *in, bool again)
{
	struct loop_frame *loop = in->frame ? in->frame->loops : NULL;
	if (!loop)
		return;
	struct delta **list = again ? &loop->continues : &loop->breaks;
	*list = delta_leaving(in, loop->mark, *list, loop->grad_depth);
}

static void exec_return(struct interp *in, const struct stmt *s)
{
	struct value v = s->value ? eval(in, s->value) : value_of(KIND_NONE);
	struct frame *frame = in->frame;
	if (!frame)
		return;
	frame->result = value_join(&in->origins, &frame->result, &v);
	if (!frame->caller) {
		struct event *event = event_add(in, EVENT_RETURN, s->span);
		event_value(in, event, &v);
	}
	frame->exits = delta_leaving(in, frame->entry, frame->exits, 0);
}

static void exec_delete(struct interp *in, const struct stmt *s)
{
	for (uint16_t i = 0; i < s->target_count; i++) {
		const struct expr *target = s->targets[i];
		if (target->kind == EXPR_NAME) {
			uint32_t cell = lookup_cell(in, target->name);
			struct value none = value_bottom();
			if (cell) {
				let_go(in, cell, &none, s->span);
				cell_set(in, cell, value_of(KIND_NONE));
			}
			continue;
		}
		if (!target->count)
			continue;
		struct value owner = eval(in, target->items[0]);
		bool item = target->kind == EXPR_SUBSCRIPT && target->count == 2 && target->items[1]->kind != EXPR_SLICE;
		for (uint8_t j = 0; j < owner.object_count; j++) {
			struct object *object = object_get(in, owner.objects[j]);
			if (target->kind == EXPR_SUBSCRIPT) {
				struct event *event = event_add(in, EVENT_RESET, s->span);
				event->holder = object->id;
				event->popped = item;
				if (!item)
					for (size_t k = 0; k <= object->slots.count; k++) {
						uint32_t cell = k < object->slots.count ? object->slots.items[k].cell : object->rest;
						if (cell)
							cell_set(in, cell, value_bottom());
					}
			} else {
				uint32_t cell = object_slot(in, object, target->name, true);
				struct value none = value_of(KIND_NONE);
				let_go(in, cell, &none, s->span);
				cell_set(in, cell, none);
			}
		}
	}
}

static void exec_import(struct interp *in, const struct stmt *s)
{
	for (uint32_t i = 0; i < s->import_count; i++) {
		uint32_t cell = lookup_cell(in, s->imports[i].name);
		if (!cell)
			continue;
		struct value value = value_of(KIND_LIBRARY);
		const char *dotted = arena_dup_bytes(in->arena, s->imports[i].dotted.at, s->imports[i].dotted.length);
		value.dotted = model_canonical(in->model, dotted);
		value.made = s->span;
		cell_set(in, cell, value);
	}
}

/* What decorators make of a function: the marks that matter, or the result of calling a project's own. */
static struct value decorate(struct interp *in, struct object *function, const struct def *def)
{
	struct value value = object_value(in, function);
	for (uint32_t i = def->decorator_count; i-- > 0;) {
		const struct expr *e = def->decorators[i];
		struct value decorator = eval(in, e);
		const char *dotted = decorator.dotted;
		if (dotted && strcmp(dotted, "builtins.property") == 0)
			function->is_property = true;
		else if (dotted && strcmp(dotted, "builtins.staticmethod") == 0)
			function->is_static = true;
		else if (dotted && strcmp(dotted, "builtins.classmethod") == 0)
			function->is_class_method = true;
		else if (dotted && strstr(dotted, "cached_property"))
			function->is_property = true;
		if (dotted) {
			const struct model_rule *rule = model_call(in->model, dotted);
			for (int j = 0; rule && j < rule->effect_count; j++)
				if (rule->effects[j].kind == EFFECT_GRAD)
					function->grad_mode = rule->effects[j].mode;
			continue;
		}
		for (uint8_t j = 0; j < decorator.object_count; j++) {
			struct object *object = object_get(in, decorator.objects[j]);
			if (object->grad_mode && !(object->kinds & KIND_FUNCTION)) {
				function->grad_mode = object->grad_mode;
				function->grad_argument = object->grad_argument;
			} else if (object->function && in->frame) {
				struct args *args = args_new(in, 1);
				args_add(args, value, (struct str){"", 0}, NULL);
				struct value wrapped = call_value(in, &decorator, args, e);
				if (wrapped.object_count && (wrapped.kinds & KIND_FUNCTION))
					value = wrapped;
			}
		}
	}
	return value;
}

static void exec_def(struct interp *in, const struct stmt *s)
{
	struct def *def = s->def;
	uint32_t cell = lookup_cell(in, def->name);
	struct value value;
	if (def->kind == DEF_CLASS) {
		value = object_value(in, class_define(in, def)->object);
	} else {
		struct object *object = object_new(in, def, 0, KIND_FUNCTION, def->head);
		object->function = def;
		object->scope = in->frame ? in->frame->scope : in->module_scope;
		object->name = def->name;
		in->functions[def->index] = object;
		for (uint32_t i = 0; i < def->param_count; i++)
			if (def->params[i].fallback)
				cell_set(in, object_slot(in, object, def->params[i].name, true), eval(in, def->params[i].fallback));
		value = decorate(in, object, def);
	}
	if (cell)
		cell_set(in, cell, value);
}

/* Whether S makes what an `if x is None` around it found missing: x itself or an item of it. */
static bool is_lazy_target(struct interp *in, const struct stmt *s)
{
	if (!in->lazy_name.length || s->target_count != 1)
		return false;
	struct str target = text_of(in, s->targets[0]->span);
	return target.length >= in->lazy_name.length && memcmp(target.at, in->lazy_name.at, in->lazy_name.length) == 0 &&
	       (target.length == in->lazy_name.length || target.at[in->lazy_name.length] == '[');
}

static bool exec_stmt(struct interp *in, const struct stmt *s)
{
	switch (s->kind) {
	case STMT_EXPR:
		in->statement_value = s->value;
		eval(in, s->value);
		in->statement_value = NULL;
		return true;
	case STMT_ASSERT:
		if (s->value)
			eval(in, s->value);
		return true;
	case STMT_ASSIGN:
		if (s->value) {
			in->lazy_birth = is_lazy_target(in, s);
			struct value v = eval(in, s->value);
			in->lazy_birth = false;
			for (uint16_t i = 0; i < s->target_count; i++)
				assign_target(in, s->targets[i], v, s->span);
		}
		return true;
	case STMT_AUGMENT:
		exec_augment(in, s);
		return true;
	case STMT_RETURN:
		exec_return(in, s);
		return false;
	case STMT_RAISE:
		if (s->value)
			eval(in, s->value);
		return false;
	case STMT_BREAK:
	case STMT_CONTINUE:
		leave_loop(in, s->kind == STMT_CONTINUE);
		return false;
	case STMT_DELETE:
		exec_delete(in, s);
		return true;
	case STMT_IMPORT:
		exec_import(in, s);
		return true;
	case STMT_IF:
		return exec_if(in, s);
	case STMT_FOR:
		return exec_for(in, s);
	case STMT_WHILE:
		return exec_while(in, s);
	case STMT_TRY:
		return exec_try(in, s);
	case STMT_WITH:
		return exec_with(in, s, 0);
	case STMT_MATCH:
		return exec_match(in, s);
	case STMT_DEF:
		exec_def(in, s);
		return true;
	}
	return true;
}

bool exec_block(struct interp *in, const struct block *block)
{
	for (uint32_t i = 0; i < block->count; i++) {
		if (in->budget <= 0) {
			in->partial = true;
			return true;
		}
		if (!exec_stmt(in, block->stmts[i]))
			return false;
	}
	return true;
}
