#include <string.h>
#include "flow/interp.h"

static uint64_t hash_of(const struct place_key *place)
{
	uint64_t hash = (uint64_t)(uintptr_t)place->node * 0x9e3779b97f4a7c15u;
	hash ^= (uint64_t)(uintptr_t)place->within * 0xc2b2ae3d27d4eb4fu;
	hash ^= ((uint64_t)place->variant << 8 | (unsigned char)place->what) * 0x165667b19e3779f9u;
	return hash ^ (hash >> 29);
}

static bool same_place(const struct place_key *a, const struct place_key *b)
{
	return a->node == b->node && a->within == b->within && a->variant == b->variant && a->what == b->what;
}

/* Where PLACE stands in the table, or the free entry where it would. */
static struct place_entry *find_place(const struct place_table *table, const struct place_key *place)
{
	uint64_t mask = table->room - 1;
	for (uint64_t at = hash_of(place) & mask;; at = (at + 1) & mask)
		if (!table->entries[at].value || same_place(&table->entries[at].place, place))
			return &table->entries[at];
}

void *place_get(const struct interp *in, const struct place_key *place)
{
	return in->places.room ? find_place(&in->places, place)->value : NULL;
}

void place_put(struct interp *in, const struct place_key *place, void *value)
{
	struct place_table *table = &in->places;
	if (table->count * 2 >= table->room) {
		struct place_table grown = {.room = table->room ? table->room * 2 : 512, .count = table->count};
		grown.entries = ARENA_ARRAY(in->arena, struct place_entry, grown.room);
		for (uint32_t i = 0; i < table->room; i++)
			if (table->entries[i].value)
				*find_place(&grown, &table->entries[i].place) = table->entries[i];
		*table = grown;
	}
	*find_place(table, place) = (struct place_entry){*place, value};
	table->count++;
}

static const void *within(const struct interp *in)
{
	return in->copy ? in->copy : in->call ? (const void *)in->call : in->anchor;
}

const void *copy_of(struct interp *in, const void *of, uint32_t variant)
{
	struct place_key key = {of, within(in), variant, 'U'};
	char *copy = place_get(in, &key);
	if (!copy) {
		copy = ARENA_NEW(in->arena, char);
		place_put(in, &key, copy);
	}
	return copy;
}

struct object *object_get(struct interp *in, uint32_t id)
{
	return in->objects.items[id];
}

void clear_slots(struct interp *in, struct object *object)
{
	for (size_t i = 0; i <= object->slots.count; i++) {
		uint32_t cell = object_cell(object, i);
		if (cell && !value_is_bottom(&in->cells.items[cell].value))
			cell_set(in, cell, value_bottom());
	}
}

bool object_holds(struct interp *in, const struct object *holder, uint32_t object)
{
	for (size_t i = 0; i <= holder->slots.count; i++) {
		uint32_t cell = object_cell(holder, i);
		if (cell && value_has(&in->cells.items[cell].value, object))
			return true;
	}
	return false;
}

void copy_function(struct object *into, const struct object *from)
{
	into->function = from->function;
	into->scope = from->scope;
	into->self = from->self;
	into->receiver = from->receiver;
	into->method = from->method;
	into->is_static = from->is_static;
	into->is_class_method = from->is_class_method;
	into->grad_mode = from->grad_mode;
	into->grad_argument = from->grad_argument;
	into->cached = from->cached;
}

void alias_function(struct object *into, const struct object *from)
{
	copy_function(into, from);
	into->slots.count = 0;
	for (size_t i = 0; i < from->slots.count; i++)
		VEC_ADD(&into->slots, from->slots.items[i]);
}

void copy_slots(struct interp *in, struct object *into, const struct object *from)
{
	for (size_t i = 0; i < from->slots.count; i++)
		cell_set(in, object_slot(in, into, from->slots.items[i].name, true), cell_get(in, from->slots.items[i].cell));
}

struct object *object_peek(struct interp *in, const void *node, uint32_t variant, uint32_t kinds, struct span span)
{
	struct place_key key = {node, within(in), variant, 'O'};
	struct object *object = place_get(in, &key);
	return object ? object : object_new(in, node, variant, kinds, span);
}

struct object *object_new(struct interp *in, const void *node, uint32_t variant, uint32_t kinds, struct span span)
{
	struct place_key key = {node, within(in), variant, 'O'};
	struct object *object = place_get(in, &key);
	if (object) {
		/* made anew: what the last one held is gone from it */
		object->reborn = true;
		object->kept = NULL;
		object->lazy = NULL;
		object->factory = NULL;
		clear_slots(in, object);
		return object;
	}
	object = ARENA_NEW(in->arena, struct object);
	object->id = (uint32_t)in->objects.count;
	object->kinds = kinds;
	object->node = node;
	object->call = in->call;
	object->birth = in->lazy_birth ? in->lazy_path : in->path;
	object->def = in->frame ? in->frame->def : NULL;
	object->span = span;
	VEC_ADD(&in->objects, object);
	if (object->birth)
		VEC_ADD(&object->birth->born, object);
	place_put(in, &key, object);
	return object;
}

struct value object_value(struct interp *in, struct object *object)
{
	(void)in;
	struct value value = value_of(object->kinds ? object->kinds : KIND_UNKNOWN);
	value.objects[0] = object->id;
	value.object_count = 1;
	value.made = object->span;
	return value;
}

uint32_t object_slot(struct interp *in, struct object *object, struct str name, bool create)
{
	for (size_t i = 0; i < object->slots.count; i++)
		if (str_equal(object->slots.items[i].name, name))
			return object->slots.items[i].cell;
	/* Many slots mean computed names; they share one cell. */
	if (!create || object->slots.count >= 96)
		return create ? object_rest(in, object) : 0;
	uint32_t cell = cell_new(in, name, object->id, NULL);
	VEC_ADD(&object->slots, ((struct slot){name, cell}));
	return cell;
}

uint32_t object_rest(struct interp *in, struct object *object)
{
	if (!object->rest)
		object->rest = cell_new(in, STR("[]"), object->id, NULL);
	return object->rest;
}

uint32_t object_site(struct interp *in, struct object *object)
{
	if (!object->site) {
		struct site *site = site_new(in, SITE_OBJECT, object, 0, object->span);
		site->object = object->id;
		site->path = object->birth;
		object->site = site->id;
	}
	return object->site;
}

struct value object_elements(struct interp *in, struct object *object)
{
	struct value joined = object->rest ? cell_get(in, object->rest) : value_bottom();
	for (size_t i = 0; i < object->slots.count; i++) {
		if (object->slots.items[i].name.length && object->slots.items[i].name.at[0] == '%')
			continue;
		struct value v = cell_get(in, object->slots.items[i].cell);
		joined = value_join(&in->origins, &joined, &v);
	}
	if (!value_is_bottom(&joined))
		joined = value_add_origins(in, joined,
					   origin_one(&in->origins, origin_make(object_site(in, object), ORIGIN_CALL)));
	return joined;
}

void object_prove(struct interp *in, const struct value *value, uint32_t kinds)
{
	for (uint8_t i = 0; i < value->object_count; i++)
		object_get(in, value->objects[i])->proved |= kinds;
}

struct object *input_object(struct interp *in, const void *node, uint32_t variant, struct str name, struct span span)
{
	struct place_key key = {node, within(in), variant | 0x80000000u, 'O'};
	struct object *object = place_get(in, &key);
	if (object)
		return object;
	object = object_new(in, node, variant | 0x80000000u, KIND_UNKNOWN, span);
	object->input = true;
	object->name = name;
	return object;
}

struct value input_value(struct interp *in, const void *node, uint32_t variant, struct str name, struct span span)
{
	struct object *object = input_object(in, node, variant, name, span);
	struct site *site = site_new(in, SITE_INPUT, object, 0, span);
	site->name = name;
	site->object = object->id;
	struct value value = object_value(in, object);
	value.origins = origin_one(&in->origins, origin_make(site->id, ORIGIN_SELF));
	return value;
}

static uint32_t cond_mask(const struct interp *in)
{
	uint32_t mask = 0, depth = in->path ? in->path->depth : 0;
	for (uint32_t i = 0; i <= depth && i < 32; i++)
		mask |= in->cond_open[i] ? 1u << i : 0;
	return mask;
}

static uint32_t rare_mask(const struct interp *in)
{
	uint32_t mask = 0, depth = in->path ? in->path->depth : 0;
	for (uint32_t i = 0; i <= depth && i < 32; i++)
		mask |= in->cond_open[i] > in->periods_open[i] ? 1u << i : 0;
	return mask;
}

struct site *site_new(struct interp *in, enum site_kind kind, const void *node, uint32_t variant, struct span span)
{
	struct place_key key = {node, within(in), variant, (char)('a' + kind)};
	struct site *site = place_get(in, &key);
	if (!site) {
		site = ARENA_NEW(in->arena, struct site);
		site->id = (uint32_t)in->sites.count;
		site->kind = kind;
		site->node = node;
		site->call = in->call;
		site->path = in->path;
		site->def = in->frame ? in->frame->def : NULL;
		site->span = span;
		VEC_ADD(&in->sites, site);
		place_put(in, &key, site);
	}
	site->cond = cond_mask(in);
	return site;
}

struct loop *loop_enter(struct interp *in, const void *node, enum loop_form form, struct span span)
{
	struct place_key key = {node, within(in), in->path ? in->path->id + 1 : 0, 'L'};
	struct loop *loop = place_get(in, &key);
	if (loop)
		return loop;
	loop = ARENA_NEW(in->arena, struct loop);
	loop->outer = in->path;
	loop->depth = in->path ? in->path->depth + 1 : 1;
	loop->id = (uint32_t)in->loops.count;
	loop->node = node;
	loop->call = in->call;
	loop->def = in->frame ? in->frame->def : NULL;
	loop->span = span;
	loop->form = form;
	loop->in_forward = in->forward_depth > 0;
	loop->in_module = in->method_depth > 0;
	VEC_ADD(&in->loops, loop);
	place_put(in, &key, loop);
	return loop;
}

struct call *call_enter(struct interp *in, const struct expr *node, struct def *callee, struct span span)
{
	struct place_key key = {node ? (const void *)node : (const void *)callee, within(in), callee->span.start, 'K'};
	struct call *call = place_get(in, &key);
	if (call) {
		call->path = in->path;
		return call;
	}
	call = ARENA_NEW(in->arena, struct call);
	call->outer = in->call;
	call->depth = in->call ? in->call->depth + 1 : 1;
	call->id = (uint32_t)in->calls.count;
	call->node = node;
	call->span = span;
	call->caller = in->frame ? in->frame->def : NULL;
	call->callee = callee;
	call->path = in->path;
	VEC_ADD(&in->calls, call);
	place_put(in, &key, call);
	return call;
}

/* ---- values with origins ---- */

struct value value_with_origins(struct value value, struct origin_set *origins)
{
	value.origins = origins;
	return value;
}

struct value value_add_origins(struct interp *in, struct value value, struct origin_set *origins)
{
	value.origins = value.origins ? origin_union(&in->origins, value.origins, origins) : origins;
	return value;
}

struct value tag_value(struct interp *in, struct value value, enum origin_tag tag)
{
	if (value.origins)
		value.origins = origin_retag(&in->origins, value.origins, tag);
	return value;
}

/* How deep containers are looked into, how many objects at the most, and how big a thing may be to be taken for a record
 * that is kept with all it holds. */
enum { DEEP = 4, DEEP_OBJECTS = 24, RECORD_SLOTS = 16 };

/* Whether the class of OBJECT says how it is written as text. */
static bool writes_itself(struct interp *in, const struct object *object)
{
	return object->class_def && (class_method(in, object->class_def, STR("__str__")) ||
				     class_method(in, object->class_def, STR("__repr__")));
}

static struct origin_set *deep(struct interp *in, const struct value *value, int depth, int *objects, bool texts)
{
	struct origin_set *set = value->origins ? value->origins : in->origins.empty;
	if (!texts && value_only(value, KIND_TEXT)) /* text keeps no graph, whatever was formatted into it */
		set = in->origins.empty;
	if (depth == 0 || *objects <= 0)
		return set;
	for (uint8_t i = 0; i < value->object_count; i++) {
		struct object *object = object_get(in, value->objects[i]);
		/* What a module, class or function holds is not held by who holds a reference to them, but for a function
		 * object's own defaults and receiver. */
		if (!(object->kinds & (KIND_CONTAINER | KIND_INSTANCE | KIND_FUNCTION | KIND_GENERATOR)) ||
		    (object->kinds & (KIND_MODULE | KIND_LIBRARY)) ||
		    (!(object->kinds & KIND_CONTAINER) && object->slots.count > RECORD_SLOTS) || (texts && writes_itself(in, object)))
			continue;
		(*objects)--;
		if (object->receiver.kinds)
			set = origin_union(&in->origins, set, deep(in, &object->receiver, depth - 1, objects, texts));
		if (object->rest) {
			struct value v = cell_get(in, object->rest);
			set = origin_union(&in->origins, set, deep(in, &v, depth - 1, objects, texts));
		}
		for (size_t j = 0; j < object->slots.count; j++) {
			struct value v = cell_get(in, object->slots.items[j].cell);
			set = origin_union(&in->origins, set, deep(in, &v, depth - 1, objects, texts));
		}
	}
	return set;
}

struct origin_set *deep_origins(struct interp *in, const struct value *value)
{
	int objects = DEEP_OBJECTS;
	return deep(in, value, DEEP, &objects, false);
}

struct origin_set *formatted_origins(struct interp *in, const struct value *value)
{
	int objects = DEEP_OBJECTS;
	return deep(in, value, DEEP, &objects, true);
}

/* ---- events ---- */

struct event *event_add(struct interp *in, enum event_kind kind, struct span node)
{
	struct event event = {.kind = kind, .node = node, .order = in->order++, .root = in->root, .mode = -1};
	event.def = in->frame ? in->frame->def : NULL;
	event.path = in->path;
	event.call = in->call;
	event.cond = cond_mask(in);
	event.rare = rare_mask(in);
	event.side = in->side;
	event.grad = grad_now(in);
	event.grad_from = cell_get(in, in->grad_cell).origins;
	event.in_handler = in->frame && in->frame->handler_depth > 0;
	event.in_hook = in->hook_depth > 0;
	event.value = value_bottom();
	event.origins = in->origins.empty;
	VEC_ADD(&in->events, event);
	return &in->events.items[in->events.count - 1];
}

void event_value(struct interp *in, struct event *event, const struct value *value)
{
	event->value = *value;
	if (in->catches && (event->kind == EVENT_STORE || event->kind == EVENT_ASSIGN)) {
		const struct object *exception = kept_exception(in, value, 2);
		if (exception)
			event->caught = exception->span;
	}
	event->origins = deep_origins(in, value);
}

bool loop_within(const struct loop *path, const struct loop *loop)
{
	for (; path; path = path->outer)
		if (path == loop)
			return true;
	return false;
}

const struct loop *common_path(const struct loop *a, const struct loop *b)
{
	while (a && !loop_within(b, a))
		a = a->outer;
	return a;
}

/* ---- modes of modules, kept in slots that no program can name ---- */

int hidden_number(struct interp *in, struct object *object, struct str slot)
{
	uint32_t cell = object_slot(in, object, slot, false);
	struct value value = cell ? cell_get(in, cell) : value_bottom();
	return value.number == 0 ? 0 : value.number == 1 ? 1 : -1;
}

int object_mode(struct interp *in, struct object *object)
{
	return hidden_number(in, object, STR("%mode"));
}

static void set_mode_deep(struct interp *in, struct object *object, struct str slot, int64_t mode, int depth)
{
	struct value value = value_of(KIND_NUMBER);
	value.number = mode;
	cell_set(in, object_slot(in, object, slot, true), value);
	if (depth == 0)
		return;
	for (size_t i = 0; i <= object->slots.count; i++) {
		uint32_t cell = object_cell(object, i);
		struct value held = cell ? cell_get(in, cell) : value_bottom();
		for (uint8_t j = 0; j < held.object_count; j++) {
			struct object *child = object_get(in, held.objects[j]);
			if (child != object && (child->kinds & KIND_MODULE))
				set_mode_deep(in, child, slot, mode, depth - 1);
		}
	}
}

void set_mode(struct interp *in, struct object *object, struct str slot, int64_t mode)
{
	set_mode_deep(in, object, slot, mode, 5);
}

uint32_t carry_known(const struct interp *in, const struct loop *loop, uint32_t cell)
{
	struct place_key key = {loop, NULL, cell, 'C'};
	const struct site *site = place_get(in, &key);
	return site ? site->id : 0;
}

struct site *carry_site(struct interp *in, struct loop *loop, uint32_t cell)
{
	struct place_key key = {loop, NULL, cell, 'C'};
	struct site *site = place_get(in, &key);
	if (site)
		return site;
	site = ARENA_NEW(in->arena, struct site);
	site->id = (uint32_t)in->sites.count;
	site->kind = SITE_CARRY;
	site->call = loop->call;
	site->path = loop->outer;
	site->def = loop->def;
	site->span = loop->span;
	site->cell = cell;
	site->loop = loop;
	site->name = in->cells.items[cell].name;
	VEC_ADD(&in->sites, site);
	place_put(in, &key, site);
	return site;
}

struct str source_text(const struct interp *in, struct span span)
{
	if (span.start >= span.end)
		return (struct str){"", 0};
	if (span.end <= in->text.length)
		return (struct str){in->text.at + span.start, span.end - span.start};
	const struct unit *unit = unit_of(in, span);
	return unit ? (struct str){unit->text.at + (span.start - unit->base), span.end - span.start} : (struct str){"", 0};
}
