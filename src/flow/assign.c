#include <string.h>
#include "flow/interp.h"
#include "flow/lower.h"

/* ---- keeping values ---- */

/* What ties a cell's new value to its own old one, over the loops around here. */
struct chain {
	struct loop *loops[4];
	uint8_t count;
	bool module;  /* the tie goes through a call */
	bool selects; /* the value is the old one or another, unchanged */
};

const struct origin_set *tied_origins(struct interp *in, const struct value *value)
{
	const struct object *object = value->object_count == 1 ? object_get(in, value->objects[0]) : NULL;
	bool fresh = object && (object->kinds & KIND_CONTAINER) && !(object->kinds & KIND_MODULE) && object->birth &&
		     loop_within(in->path, object->birth);
	return fresh ? deep_origins(in, value) : value->origins;
}

static struct chain find_chain(struct interp *in, uint32_t cell, const struct value *value)
{
	struct chain chain = {.count = 0};
	uint32_t tied = 0;
	const struct origin_set *origins = in->path ? tied_origins(in, value) : NULL;
	/* sites are numbered in the order they were met: from the back, inner loops come first */
	for (uint32_t i = origins ? origins->count : 0; i-- > 0 && chain.count < 4;) {
		origin element = origins->items[i];
		const struct site *site = in->sites.items[origin_site(element)];
		enum origin_tag tag = origin_tag_of(element);
		if (site->kind != SITE_CARRY || site->cell != cell || tag == ORIGIN_CUT || !loop_within(in->path, site->loop))
			continue;
		bool op = origin_has(origins, origin_make(site->id, ORIGIN_OP));
		if (tag == ORIGIN_SELF && !op && !chain.count && origins->count > 1 && !value->object_count &&
		    !origin_has(origins, origin_make(site->id, ORIGIN_CALL))) {
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
	in->cells.items[cell].chained = true;
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

/* Whether CELL is a name of a function: what it holds ends with the call. */
static bool is_local(const struct interp *in, uint32_t cell)
{
	const struct cell *c = &in->cells.items[cell];
	return !c->object && c->def && c->def->kind != DEF_MODULE;
}

/* How many other names of the function at hand hold OBJECT now: each is gone, or something else, in the next iteration. */
static uint32_t passing_names(struct interp *in, uint32_t cell, const struct object *object)
{
	const struct scope *scope = in->frame ? in->frame->scope : in->module_scope;
	uint32_t count = 0;
	if (!str_equal(in->cells.items[cell].name, object->name))
		return 0; /* an alias: who called it first may keep it */
	for (uint32_t i = 0; scope && in->path && i < scope->def->local_count; i++)
		count += scope->first_cell + i != cell && value_has(&in->cells.items[scope->first_cell + i].value, object->id);
	return count;
}

/* The containers that CELL held and does not hold any more are let go, unless something else has them. */
void let_go(struct interp *in, uint32_t cell, const struct value *next, struct span node)
{
	struct value old = cell_get(in, cell);
	for (uint8_t i = 0; i < old.object_count; i++) {
		struct object *object = object_get(in, old.objects[i]);
		bool kept = value_has(next, object->id);
		bool local = is_local(in, cell);
		uint32_t others = local ? object->homes : object->homes - object->local_homes;
		if (kept || !(object->kinds & KIND_CONTAINER) || (others > 1 && others - passing_names(in, cell, object) > 1))
			continue;
		event_add(in, EVENT_RESET, node)->holder = object->id;
	}
}

/* xs = xs[-n:] keeps the last n: a bound. */
static void cut_back(struct interp *in, uint32_t cell, const struct value *value, struct span node)
{
	struct value old = cell_get(in, cell);
	for (uint8_t i = 0; i < value->object_count; i++)
		if (value_has(&old, value->objects[i])) {
			struct event *event = event_add(in, EVENT_RESET, node);
			event->holder = value->objects[i];
			event->bounded = true;
		}
}

/* Whether OBJECT is OWNER or belongs to it, however far up: whoever owns must not be owned in turn. */
static bool belongs_to(struct interp *in, uint32_t object, uint32_t owner)
{
	while (object && object != owner)
		object = object_get(in, object)->owner;
	return object == owner;
}

static void settle(struct interp *in, uint32_t cell, const struct value *value, struct str name)
{
	for (uint8_t i = 0; i < value->object_count; i++) {
		struct object *object = object_get(in, value->objects[i]);
		if (object->last_home != cell) {
			object->homes++;
			object->local_homes += is_local(in, cell);
			object->last_home = cell;
		}
		if (!object->name.length)
			object->name = name;
		if (!object->owner && !belongs_to(in, in->cells.items[cell].object, object->id))
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

static bool carries_cell(struct interp *in, const struct value *value, uint32_t cell)
{
	const struct origin_set *origins = tied_origins(in, value);
	for (uint32_t i = 0; origins && i < origins->count; i++) {
		const struct site *site = in->sites.items[origin_site(origins->items[i])];
		if (site->kind == SITE_CARRY && site->cell == cell && origin_tag_of(origins->items[i]) != ORIGIN_CUT &&
		    loop_within(in->path, site->loop))
			return true;
	}
	return false;
}

/* A name that is carried over a loop and gets something that does not come from its old value starts anew. */
static void note_reset(struct interp *in, uint32_t cell, const struct value *next, struct span node)
{
	struct value old = cell_get(in, cell);
	if (carries_cell(in, &old, cell) && !carries_cell(in, next, cell))
		event_add(in, EVENT_RESET, node)->cell = cell;
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

bool holds_tensor(struct interp *in, const struct value *value, int depth)
{
	if (value_only(value, KIND_TENSOR) || (value_only(value, KIND_TENSOR | KIND_NUMBER) && (value->kinds & KIND_TENSOR)))
		return true;
	for (uint8_t i = 0; depth > 0 && i < value->object_count; i++) {
		const struct object *object = object_get(in, value->objects[i]);
		if (object->proved & KIND_TENSOR)
			return true;
		bool record = (object->kinds & (KIND_CONTAINER | KIND_INSTANCE)) && !(object->kinds & KIND_MODULE);
		for (size_t k = 0; record && k < object->slots.count; k++) {
			struct value part = cell_get(in, object->slots.items[k].cell);
			if (holds_tensor(in, &part, depth - 1))
				return true;
		}
	}
	return false;
}

/* Whether VALUE, made anew where the old value of CELL was made, holds that: a list linked from new to old. */
static bool links_old(struct interp *in, const struct value *old, const struct value *value)
{
	for (uint8_t i = 0; i < value->object_count; i++) {
		const struct object *object = object_get(in, value->objects[i]);
		bool record = (object->kinds & (KIND_CONTAINER | KIND_INSTANCE)) && !(object->kinds & KIND_MODULE);
		if (record && value_has(old, object->id) && object_holds(in, object, object->id))
			return true;
	}
	return false;
}

static bool note_link(struct interp *in, uint32_t cell, const struct value *value, struct span node, struct str name)
{
	struct value old = cell_get(in, cell);
	struct chain chain = {.count = 0};
	if (!old.origins || !value->object_count || !links_old(in, &old, value))
		return false;
	for (struct loop *loop = in->path; loop && chain.count < 4; loop = loop->outer) {
		uint32_t carry = carry_known(in, loop, cell);
		if (carry && origin_has(old.origins, origin_make(carry, ORIGIN_SELF)))
			chain.loops[chain.count++] = loop;
	}
	if (!chain.count)
		return false;
	add_chain_event(in, cell, value, &chain, node, name);
	in->events.items[in->events.count - 1].linked = true;
	return true;
}

/* An attribute or outer name gets VALUE, for others to read. */
static void note_assignment(struct interp *in, uint32_t cell, const struct value *value, struct span node, struct str name)
{
	struct event *event = event_add(in, EVENT_ASSIGN, node);
	event_value(in, event, value);
	event->cell = cell;
	event->holder = in->cells.items[cell].object;
	event->name = name;
	event->tensor = holds_tensor(in, value, 2);
	if (!event->origins->count || in->cells.items[cell].site)
		return;
	struct site *site = site_new(in, SITE_OBJECT, in->module, cell, node);
	site->cell = cell;
	in->cells.items[cell].site = site->id;
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
	bool linked = note_link(in, cell, &value, node, name);
	note_reset(in, cell, &value, node);
	if (value.flags & VALUE_VIEW)
		cut_back(in, cell, &value, node);
	let_go(in, cell, &value, node);
	value = derive(in, value, cell, node, name);
	settle(in, cell, &value, name);
	if (outer && !linked && (!chain.count || chain.selects))
		note_assignment(in, cell, &value, node, name);
	cell_set(in, cell, value);
}

void fill_cell(struct interp *in, uint32_t cell, struct value value, struct span node, struct str name, bool weak)
{
	struct chain chain = find_chain(in, cell, &value);
	if (chain.count && !chain.selects)
		add_chain_event(in, cell, &value, &chain, node, name);
	if (!weak && in->cells.items[cell].chained && !carries_cell(in, &value, cell))
		event_add(in, EVENT_RESET, node)->cell = cell;
	struct value old = cell_get(in, cell);
	cell_set(in, cell, weak ? value_join(&in->origins, &old, &value) : value);
}

static void merge_slots(struct interp *in, struct object *into, const struct value *from)
{
	for (uint8_t i = 0; i < from->object_count; i++) {
		struct object *object = object_get(in, from->objects[i]);
		if (object == into)
			continue;
		if (object->covers == into->id && object->rest) { /* d.update({k: f(v) for k, v in d.items()}) */
			struct value all = cell_get(in, object->rest);
			convert_all(in, into, &all);
			continue;
		}
		for (size_t j = 0; j < object->slots.count; j++)
			cell_set(in, object_slot(in, into, object->slots.items[j].name, true),
				 cell_get(in, object->slots.items[j].cell));
		if (object->rest)
			add_element(in, into, cell_get(in, object->rest));
	}
}

struct loop *made_over(const struct interp *in, const struct value *value)
{
	struct loop *loop = value->object_count ? in->objects.items[value->objects[0]]->birth : value->born;
	for (uint32_t i = 0; !value->object_count && value->origins && i < value->origins->count; i++) {
		const struct site *site = in->sites.items[origin_site(value->origins->items[i])];
		if (site->kind != SITE_CARRY && site->path && (!loop || site->path->depth > loop->depth))
			loop = site->path;
	}
	while (loop && !loop_within(in->path, loop))
		loop = loop->outer;
	return loop;
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
	event->tensor = holds_tensor(in, value, 2);
	if (key) {
		event->key = *key;
		event->has_key = true;
		if (value_only(key, KIND_TENSOR)) { /* tensors are told apart by identity */
			event->key.flags |= VALUE_IDENTITY;
			event->key.counter = made_over(in, key);
		}
	}
}

void note_keeping(struct interp *in, const struct object *holder, enum store_op op, const struct value *key,
		  const struct value *value, bool each_key)
{
	for (uint8_t i = 0; i < value->object_count; i++) {
		struct object *object = object_get(in, value->objects[i]);
		if (!(object->kinds & (KIND_CONTAINER | KIND_INSTANCE)) || (object->kinds & KIND_MODULE) || object == holder)
			continue;
		if (key && key_name(in, key).at) { /* always the same entry */
			object->kept = NULL;
			continue;
		}
		if (!object->kept)
			object->kept = ARENA_NEW(in->arena, struct keeping);
		*object->kept = (struct keeping){.holder = holder->id, .op = op, .has_key = key, .each_key = each_key, .path = in->path};
		if (key)
			object->kept->key = *key;
	}
}

/* HOLDER, which others keep, got VALUE: so did they, over the loops in which each iteration keeps another one. */
static void keep_further(struct interp *in, const struct object *holder, bool grows, const struct value *value,
			 struct span node, struct str name)
{
	enum { FURTHER = 3 };
	const struct loop *path = in->path;
	for (int i = 0; i < FURTHER && holder->kept && deep_origins(in, value)->count; i++) {
		const struct keeping *kept = holder->kept;
		path = common_path(path, kept->path);
		if (!kept->each_key)
			path = common_path(path, holder->birth);
		if (!path || (kept->each_key && grows))
			return;
		holder = object_get(in, kept->holder);
		add_store_event(in, object_get(in, kept->holder), kept->op, kept->has_key ? &kept->key : NULL, value, node, name);
		in->events.items[in->events.count - 1].path = (struct loop *)path;
	}
}

void store_into(struct interp *in, uint32_t holder_id, enum store_op op, const struct value *key, struct value value,
		struct span node, struct str name)
{
	struct object *holder = object_get(in, holder_id);
	if (holder->viewed) {
		store_attribute(in, holder->viewed, op, key, value, node, name);
		return;
	}
	struct str slot = key ? key_name(in, key) : (struct str){NULL, 0};
	if (op == STORE_KEY || op == STORE_ASSIGN) {
		uint32_t cell = slot.at ? object_slot(in, holder, slot, true) : object_rest(in, holder);
		struct chain chain = find_chain(in, cell, &value);
		if (chain.count && !chain.selects) {
			add_chain_event(in, cell, &value, &chain, node, name);
		} else {
			add_store_event(in, holder, op, key, &value, node, name);
			keep_further(in, holder, false, &value, node, name);
		}
		note_keeping(in, holder, op, key, &value, false);
		if (slot.at)
			cell_set(in, cell, value);
		else
			add_element(in, holder, value);
		return;
	}
	if (op == STORE_EXTEND && is_generator(in, &value)) {
		drain_into(in, object_get(in, value.objects[0]), holder, node, name);
		return;
	}
	if (op == STORE_EXTEND) {
		bool off = false;
		value = next_element(in, &value, NULL, &off);
	}
	add_store_event(in, holder, op, NULL, &value, node, name);
	keep_further(in, holder, true, &value, node, name);
	note_keeping(in, holder, op, NULL, &value, false);
	holder->literal = false;
	for (const struct loop *loop = in->path; loop && !loop_within(holder->birth, loop); loop = loop->outer)
		if (loop->size > holder->size) {
			holder->size = loop->size;
			holder->filled = node;
		}
	if (op == STORE_UPDATE)
		merge_slots(in, holder, &value);
	else
		add_element(in, holder, value);
}

/* ---- assignment ---- */

void freeze(struct interp *in, struct object *object, const struct value *on)
{
	bool whole = in->cond_open[in->path && in->path->depth < 63 ? in->path->depth : 0] == 0;
	int64_t frozen = on->number == 0 ? 1 : on->number == 1 ? 0 : -1;
	set_mode(in, object, STR("%frozen"), whole ? frozen : VALUE_NO_NUMBER);
}

/* Whether OBJECT is what was read from a module out of sight: a parameter of it or a part. */
static bool is_part_of_module(struct interp *in, const struct object *object)
{
	const struct object *owner = object->input && object->owner ? object_get(in, object->owner) : NULL;
	return owner && ((owner->kinds | owner->proved) & KIND_MODULE);
}

struct event *note_zeroed(struct interp *in, const struct value *parameters, struct span node)
{
	bool known = (parameters->flags & VALUE_PARAMETER) != 0, tensor = !parameters->object_count && value_only(parameters, KIND_TENSOR);
	bool unknown = !parameters->object_count && (parameters->kinds & KIND_UNKNOWN);
	for (uint8_t i = 0; i < parameters->object_count; i++) {
		known |= is_part_of_module(in, object_get(in, parameters->objects[i]));
		unknown |= object_get(in, parameters->objects[i])->input;
	}
	in->leaf_grads_read |= !known;
	if (!known && !unknown && !tensor)
		return NULL;
	struct event *event = event_add(in, EVENT_ZERO, node);
	memcpy(event->objects, parameters->objects, sizeof event->objects);
	event->object_count = known ? parameters->object_count : 0;
	event->tensor = tensor;
	return event;
}

/* Whether a tensor's ATTRIBUTE is its data without its graph: what is written there keeps none. */
static bool is_bare_data(struct interp *in, struct str attribute)
{
	const struct model_rule *field = model_field(in->model, in->model->tensor, attribute);
	return field && field->returns.graph == GRAPH_CUT;
}

void set_attribute(struct interp *in, const struct value *object, struct str attribute, struct str name, struct value value,
		   struct span node)
{
	if (str_is(attribute, "requires_grad")) {
		for (uint8_t i = 0; i < object->object_count; i++)
			freeze(in, object_get(in, object->objects[i]), &value);
		return;
	}
	if (str_is(attribute, "grad"))
		note_zeroed(in, object, node);
	if (object->flags & VALUE_PARAMETER)
		return;
	bool strong = object->object_count == 1 && !object->many_objects, bare = is_bare_data(in, attribute);
	for (uint8_t i = 0; i < object->object_count; i++) {
		struct object *o = object_get(in, object->objects[i]);
		uint32_t cell = object_slot(in, o, attribute, true);
		/* what a thing of which nothing is known has there is a tensor's data */
		struct value next = o->input && bare ? tag_value(in, value, ORIGIN_CUT) : value;
		if (!strong) {
			struct value old = cell_get(in, cell);
			next = value_join(&in->origins, &old, &value);
		}
		size_t first = in->events.count;
		assign_cell(in, cell, next, node, name, true);
		bool chained = first < in->events.count && in->events.items[first].kind == EVENT_ACCUMULATE;
		if (!chained)
			keep_further(in, o, false, &value, node, name);
	}
}

static void assign_attribute(struct interp *in, const struct expr *target, struct value value, struct span node)
{
	struct value object = eval(in, target->items[0]);
	const struct object *owner = object.object_count == 1 ? object_get(in, object.objects[0]) : NULL;
	const struct object *property =
		owner && owner->class_def && !(owner->kinds & KIND_CLASS) ? class_method(in, owner->class_def, target->name) : NULL;
	if (property && property->is_property && property->setter) {
		struct args *args = args_new(in, 1);
		args_add(args, value, (struct str){"", 0}, NULL);
		call_def(in, object_get(in, property->setter), owner->id, args, target);
		return;
	}
	set_attribute(in, &object, target->name, source_text(in, target->span), value, node);
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

/* xs[len(xs):] = …, which puts something behind what there is. */
static bool is_end(struct interp *in, const struct expr *target)
{
	const struct expr *slice = target->items[1], *start = slice->count == 1 ? slice->items[0] : NULL;
	struct str text = source_text(in, slice->span);
	return start && start->kind == EXPR_CALL && start->count == 2 && start->items[0]->kind == EXPR_NAME &&
	       str_is(start->items[0]->name, "len") && str_ends(text, ":") &&
	       str_equal(source_text(in, start->items[1]->span), source_text(in, target->items[0]->span));
}

static void assign_subscript(struct interp *in, const struct expr *target, struct value value, struct span node)
{
	struct value object = eval(in, target->items[0]);
	struct value key = target->count == 2 ? eval(in, target->items[1]) : value_of(KIND_UNKNOWN);
	struct str name = source_text(in, target->items[0]->span);
	bool slice = target->count == 2 && target->items[1]->kind == EXPR_SLICE;
	for (uint8_t i = 0; i < object.object_count && !(object.flags & VALUE_PARAMETER); i++) {
		struct object *o = object_get(in, object.objects[i]);
		struct object *method = o->class_def ? class_method(in, o->class_def, STR("__setitem__")) : NULL;
		if (method && method->function) {
			struct args *args = args_new(in, 2);
			args_add(args, key, (struct str){"", 0}, NULL);
			args_add(args, value, (struct str){"", 0}, NULL);
			call_def(in, method, o->id, args, target);
		} else if (slice && is_end(in, target)) {
			store_into(in, o->id, STORE_EXTEND, NULL, value, node, name);
		} else if (slice) {
			event_add(in, EVENT_RESET, node)->holder = o->id;
		} else if (o->kinds & KIND_CONTAINER || o->input) {
			size_t first = in->events.count;
			store_into(in, o->id, STORE_KEY, &key, value, node, name);
			if (object.object_count != 1 || target->count != 2)
				continue;
			note_replaced(in, o, target, &value, first);
			note_conversion(in, o, target->items[1], &value);
		}
	}
	if (value_may(&object, KIND_TENSOR) && !object.object_count)
		write_tensor(in, target->items[0], &object, &value, node);
}

static void assign_sequence(struct interp *in, const struct expr *target, const struct value *given, struct span node)
{
	struct value whole = unpacked(in, given, target), *value = &whole;
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
			part = element_at(in, value, i, item);
			if (item->kind == EXPR_NAME && !part.object_count && value_only(&part, KIND_UNKNOWN) && used_as_module(in, item->name))
				part = opaque_instance(in, item->name, item);
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

void exec_augment(struct interp *in, const struct stmt *s)
{
	const struct expr *target = s->targets[0];
	struct value old = eval(in, target), right = eval(in, s->value);
	if (old.flags & VALUE_PARAMETER)
		return; /* changed in place */
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
					   source_text(in, target->span));
			return;
		}
	}
	if (old.flags & VALUE_PARAMETER) /* p -= g: a parameter is written in place, which only grad off allows, and stays what it is */
		return;
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
