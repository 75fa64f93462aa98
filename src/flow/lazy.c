#include "flow/interp.h"

/* ---- iterators that do their work where they are consumed ---- */

/* What an iterator needs to make its next element. */
struct lazy {
	const struct model_rule *rule; /* of the call that made it; NULL: a generator expression */
	bool method;                   /* the first source is the receiver */
	struct args *args;             /* what it goes over, or a function and that */
	const struct expr *node;
	bool busy;                     /* is making one: it may go over itself */
};

bool is_generator(struct interp *in, const struct value *value)
{
	const struct object *object = value->object_count == 1 ? object_get(in, value->objects[0]) : NULL;
	return object && ((object->kinds & KIND_GENERATOR) || object->lazy);
}

/* What OBJECT goes over. */
static void set_sources(struct interp *in, struct object *object, const struct args *sources)
{
	bool range;
	object->iterator = true;
	object->literal = false;
	for (uint32_t i = 0; i < sources->count; i++) {
		object->literal |= is_parts(in, &sources->values[i], &range);
		cell_set(in, object_slot(in, object, str_from(arena_format(in->arena, "%%%u", i)), true), sources->values[i]);
	}
}

void lazy_wrapper(struct interp *in, struct object *object, const struct args *args, const struct expr *node)
{
	static const struct model_rule hands_on = {.returns = {.graph = GRAPH_PASS, .iterates = true}};
	if (!object->lazy)
		object->lazy = ARENA_NEW(in->arena, struct lazy);
	*object->lazy = (struct lazy){&hands_on, false, args_keep(in, args), node, false};
	set_sources(in, object, args);
}

struct object *lazy_iterator(struct interp *in, const struct model_rule *rule, const struct value *receiver,
			     const struct args *args, const struct expr *node)
{
	struct object *object = object_new(in, node, 19, KIND_GENERATOR, node->span);
	struct args *sources = args_new(in, args->count + 1);
	if (receiver)
		args_add(sources, *receiver, (struct str){"", 0}, node);
	for (uint32_t i = 0; i < args->count; i++)
		args_add(sources, args->values[i], args->names[i], args->nodes[i]);
	if (!object->lazy)
		object->lazy = ARENA_NEW(in->arena, struct lazy);
	*object->lazy = (struct lazy){rule, receiver != NULL, args_keep(in, sources), node, false};
	set_sources(in, object, sources);
	return object;
}

/* map(f, xs, ys): what calling f with an element of each gives. */
static struct value next_called(struct interp *in, const struct lazy *lazy, const struct expr *node, bool *grad_off)
{
	struct args *elements = args_new(in, lazy->args->count);
	for (uint32_t i = 1; i < lazy->args->count; i++)
		args_add(elements, next_element(in, &lazy->args->values[i], node, grad_off), lazy->args->names[i], lazy->args->nodes[i]);
	return call_value(in, &lazy->args->values[0], elements, lazy->node);
}

static struct value next_of(struct interp *in, struct object *object, const struct lazy *lazy, const struct expr *node, bool *grad_off)
{
	if (!lazy->rule)
		return comprehension_next(in, lazy->node, &lazy->args->values[0], grad_off);
	if (lazy->rule->returns.graph == GRAPH_RETURN)
		return next_called(in, lazy, node, grad_off);
	struct value elements[8];
	uint32_t count = 0;
	int from = lazy->rule->returns.from;
	object->few = false;
	for (uint32_t i = !lazy->method && from > 0 ? (uint32_t)from : 0; i < lazy->args->count && count < 8; i++) {
		const struct value *source = &lazy->args->values[i];
		if (lazy->args->names[i].length || (count && from != MODEL_ALL))
			continue;
		elements[count++] = next_element(in, source, node, grad_off);
		object->few |= is_generator(in, source) && object_get(in, source->objects[0])->few;
	}
	return iterated(in, &lazy->rule->returns, elements, count, lazy->method, lazy->node);
}

struct value lazy_next(struct interp *in, struct object *object, const struct expr *node, bool *grad_off)
{
	enum { LAZY_DEPTH = 20 };
	struct lazy *lazy = object->lazy;
	if (lazy->busy || in->lazy_depth >= LAZY_DEPTH || in->budget-- <= 0)
		return value_of(KIND_UNKNOWN);
	lazy->busy = true;
	in->lazy_depth++;
	struct value out = next_of(in, object, lazy, node, grad_off);
	in->lazy_depth--;
	lazy->busy = false;
	return out;
}

/* ---- consumed as a whole ---- */

struct drain {
	struct object *source, *into;
	const struct expr *node; /* that consumes it, or NULL */
	struct span span;
	struct str name;
	uint32_t gathered; /* cell that joins the elements */
};

static uint32_t gathering_cell(struct interp *in, const void *node)
{
	struct place_key key = {node, in->call, 1, 'G'};
	uint32_t cell = (uint32_t)(uintptr_t)place_get(in, &key);
	if (!cell) {
		cell = cell_new(in, STR("[]"), 0, in->frame ? in->frame->def : in->module);
		place_put(in, &key, (void *)(uintptr_t)cell);
	}
	return cell;
}

static bool drain_body(struct interp *in, struct loop *loop, void *context)
{
	const struct drain *drain = context;
	bool off = false;
	struct value v = run_generator(in, drain->source, drain->node, &off);
	if (drain->source->few)
		loop->is_struct = loop->is_range = true;
	if (drain->into)
		store_into(in, drain->into->id, STORE_APPEND, NULL, v, drain->span, drain->name);
	struct value old = cell_get(in, drain->gathered);
	cell_set(in, drain->gathered, value_join(&in->origins, &old, &v));
	return true;
}

static struct value drain(struct interp *in, struct drain *drain)
{
	struct loop *loop = loop_enter(in, drain->source, LOOP_COMPREHENSION, drain->span);
	loop->is_struct = drain->source->literal;
	drain->source->made_in = loop;
	drain->gathered = gathering_cell(in, drain->source);
	cell_set(in, drain->gathered, value_bottom());
	run_loop(in, loop, drain_body, drain, true);
	struct value out = cell_get(in, drain->gathered);
	return value_is_bottom(&out) ? value_of(KIND_UNKNOWN) : out;
}

struct value drain_generator(struct interp *in, struct object *source, const struct expr *node)
{
	bool off = false;
	if (!source->lazy || !node) /* a function's loops are its own */
		return run_generator(in, source, node, &off);
	struct drain d = {.source = source, .node = node, .span = node->span};
	return drain(in, &d);
}

void drain_into(struct interp *in, struct object *source, struct object *into, struct span span, struct str name)
{
	struct drain d = {.source = source, .into = into, .span = span, .name = name};
	drain(in, &d);
	into->made_in = source->made_in;
}

struct value drained(struct interp *in, const struct value *value, const struct expr *node)
{
	struct object *source = is_generator(in, value) ? object_get(in, value->objects[0]) : NULL;
	if (!source || !source->lazy || !node)
		return *value;
	struct object *list = object_new(in, source->lazy->node, 12, KIND_CONTAINER, node->span);
	list->iterator = true;
	list->literal = source->literal;
	add_element(in, list, drain_generator(in, source, node));
	list->made_in = source->made_in;
	return object_value(in, list);
}

/* ---- reduce ---- */

struct reduction {
	const struct value *function;
	const struct value *over;
	const struct expr *node;
	uint32_t total; /* cell */
};

static bool reduce_body(struct interp *in, struct loop *loop, void *context)
{
	const struct reduction *r = context;
	bool off = false;
	(void)loop;
	struct args *args = args_new(in, 2);
	args_add(args, cell_get(in, r->total), (struct str){"", 0}, NULL);
	args_add(args, next_element(in, r->over, r->node, &off), (struct str){"", 0}, NULL);
	struct value next = call_value(in, r->function, args, r->node);
	assign_cell(in, r->total, next, r->node->span, source_text(in, r->node->items[0]->span), false);
	return true;
}

struct value reduced(struct interp *in, struct args *args, const struct expr *node)
{
	const struct value *over = args_get(args, 1, NULL), *first = args_get(args, 2, "initial");
	if (!over || !node->count)
		return value_of(KIND_UNKNOWN);
	struct reduction r = {&args->values[0], over, node, gathering_cell(in, node)};
	bool off = false, range;
	cell_set(in, r.total, first ? *first : next_element(in, over, node, &off));
	struct loop *loop = loop_enter(in, node, LOOP_COMPREHENSION, node->span);
	loop->is_struct = is_parts(in, over, &range);
	run_loop(in, loop, reduce_body, &r, true);
	return cell_get(in, r.total);
}

/* ---- unpacked ---- */

struct value unpacked(struct interp *in, const struct value *value, const struct expr *node)
{
	struct object *source = is_generator(in, value) ? object_get(in, value->objects[0]) : NULL;
	if (!source)
		return *value;
	struct object *list = object_new(in, node, 20, KIND_CONTAINER, node->span);
	list->literal = true;
	list->library = model_class_get(in->model, "builtins.tuple");
	if (source->lazy)
		add_element(in, list, drain_generator(in, source, node));
	else
		run_parts(in, source, list, node);
	return object_value(in, list);
}
