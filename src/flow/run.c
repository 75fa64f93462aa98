/* Calls of definitions in sight: their bodies are run where they are called. */
#include <string.h>
#include "flow/interp.h"
#include "flow/lower.h"

enum { CALL_DEPTH = 6 };

/* How many calls of DEF are under way. */
static uint32_t in_chain(const struct call *call, const struct def *def)
{
	uint32_t count = 0;
	for (; call; call = call->outer)
		count += call->callee == def;
	return count;
}

bool any_recorded(struct interp *in, const struct origin_set *set)
{
	for (uint32_t i = 0; i < set->count; i++) {
		const struct site *site = in->sites.items[origin_site(set->items[i])];
		if (origin_tag_of(set->items[i]) != ORIGIN_CUT && (site->kind == SITE_FORWARD || site->kind == SITE_DERIVED ||
								   site->kind == SITE_ELEMENT))
			return true;
	}
	return false;
}

/* A function that calls itself with what may have a graph is walked once more there: what it makes of the parts of a nest,
 * it makes of the nest. */
static bool goes_round(struct interp *in, const struct def *def, const struct args *args)
{
	uint32_t count = in_chain(in->call, def);
	bool again = count == 1 && in->call->callee == def;
	for (uint32_t i = 0; again && i < args->count; i++)
		if (any_recorded(in, deep_origins(in, &args->values[i])))
			return false;
	return count > 0;
}

static struct scope *scope_enter(struct interp *in, struct def *def, struct scope *parent)
{
	struct place_key key = {def, in->call, 0, 'S'};
	struct scope *scope = place_get(in, &key);
	if (!scope) {
		scope = ARENA_NEW(in->arena, struct scope);
		scope->def = def;
		scope->call = in->call;
		scope->first_cell = (uint32_t)in->cells.count;
		for (uint32_t i = 0; i < def->local_count; i++)
			cell_new(in, def->locals[i], 0, def);
		place_put(in, &key, scope);
	}
	scope->parent = parent;
	for (uint32_t i = 0; i < def->local_count; i++)
		if (!value_is_bottom(&in->cells.items[scope->first_cell + i].value))
			cell_set(in, scope->first_cell + i, value_bottom());
	return scope;
}

static struct value collect_star(struct interp *in, const struct def *def, const struct param *param,
				 const struct args *args, uint32_t from)
{
	bool names = param->kind == PARAM_DOUBLE_STAR;
	struct object *object = object_new(in, param, 0, KIND_CONTAINER, def->head);
	object->library = model_class_get(in->model, names ? "builtins.dict" : "builtins.tuple");
	object->literal = !args->more;
	uint32_t position = 0, kept = 0;
	for (uint32_t i = 0; i < args->count; i++) {
		bool named = args->names[i].length > 0;
		bool declared = false;
		for (uint32_t j = 0; named && j < def->param_count; j++)
			declared |= str_equal(def->params[j].name, args->names[i]);
		if (names && named && !declared)
			cell_set(in, object_slot(in, object, args->names[i], true), args->values[i]);
		if (!names && !named && position++ >= from) {
			if (args->more)
				add_element(in, object, args->values[i]);
			else
				cell_set(in, object_slot(in, object, position_name(in, kept++), true),
					 args->values[i]);
		}
	}
	return object_value(in, object);
}

static struct value default_of(struct interp *in, struct object *function, const struct param *param)
{
	uint32_t cell = object_slot(in, function, param->name, false);
	return cell ? cell_get(in, cell) : value_bottom();
}

static void bind_params(struct interp *in, struct scope *scope, struct object *function, uint32_t self,
			const struct args *args)
{
	const struct def *def = scope->def;
	uint32_t position = 0;
	if (self && def->param_count && def->params[0].kind == PARAM_STAR) { /* a method that takes self as one of many */
		struct args *all = args_new(in, args->count + 1);
		args_add(all, object_value(in, object_get(in, self)), (struct str){"", 0}, NULL);
		for (uint32_t i = 0; i < args->count; i++)
			args_add(all, args->values[i], args->names[i], args->nodes[i]);
		all->more = args->more;
		args = all;
		self = 0;
	}
	for (uint32_t i = 0; i < def->param_count; i++) {
		const struct param *param = &def->params[i];
		int32_t place = def_local(def, param->name);
		uint32_t cell = scope->first_cell + (uint32_t)place;
		struct value value = value_bottom();
		if (i == 0 && self) {
			value = object_value(in, object_get(in, self));
		} else if (param->kind != PARAM_PLAIN) {
			value = collect_star(in, def, param, args, position);
		} else {
			char name[128];
			size_t n = param->name.length < sizeof name ? param->name.length : sizeof name - 1;
			memcpy(name, param->name.at, n);
			name[n] = '\0';
			const struct value *given = args_get(args, param->keyword_only ? UINT32_MAX : position, name);
			position += !param->keyword_only;
			value = given ? *given : default_of(in, function, param);
			if (!given && args->more) {
				for (uint32_t j = 0; j < args->count; j++)
					if (!args->names[j].length)
						value = value_join(&in->origins, &value, &args->values[j]);
			}
			if (value_is_bottom(&value))
				value = value_of(KIND_UNKNOWN);
		}
		cell_set(in, cell, value);
	}
}

static struct value make_generator(struct interp *in, struct object *function, uint32_t self, struct args *args,
				   const struct expr *node)
{
	const void *place = node ? (const void *)node : (const void *)function->function;
	struct object *generator = object_new(in, place, 0x500u + function->id, KIND_GENERATOR, function->function->head);
	generator->function = function->function;
	generator->scope = function->scope;
	generator->self = self;
	generator->bound_args = args_keep(in, args);
	generator->grad_mode = function->grad_mode;
	generator->grad_argument = function->grad_argument;
	generator->method = function->method;
	copy_slots(in, generator, function);
	return object_value(in, generator);
}

/* Runs the body of FUNCTION; FRAME tells what came of it. */
static void run_body(struct interp *in, struct object *function, uint32_t self, struct args *args,
		     const struct expr *node, struct frame *frame)
{
	struct def *def = function->function;
	struct call *outer_call = in->call;
	struct frame *outer_frame = in->frame;
	const struct expr *statement = in->statement_value;
	const void *copy = in->copy;
	in->visited[def_number(in, def)] = true;
	in->call = call_enter(in, node, def, node ? node->span : def->head);
	in->copy = NULL;
	in->call->self = self;
	frame->caller = outer_frame;
	frame->def = def;
	frame->call = in->call;
	frame->result = frame->yielded = value_bottom();
	frame->entry = state_mark(in);
	frame->self = self;
	frame->handler_depth = outer_frame ? outer_frame->handler_depth : 0;
	for (struct def *up = def->parent; up; up = up->parent)
		if (up->kind == DEF_CLASS) {
			frame->in_class = up;
			break;
		}
	frame->scope = scope_enter(in, def, function->scope);
	bind_params(in, frame->scope, function, self, args);
	struct value grad = cell_get(in, in->grad_cell);
	uint32_t path_depth = in->path ? in->path->depth : 0;
	frame->conditions = in->cond_open[path_depth < 63 ? path_depth : 63];
	in->frame = frame;
	if (function->grad_mode) {
		grad_enter(in, function->grad_mode, &function->grad_argument);
		frame->grad_block = !def->is_generator;
		frame->grad_decorated = true;
	}
	if (in->watched == def)
		in->watched_mode = grad_now(in);
	bool module = self && (object_get(in, self)->kinds & KIND_MODULE);
	bool forward = module && str_is(def->name, "forward");
	in->forward_depth += forward;
	in->method_depth += module;
	bool alive = exec_block(in, &def->body);
	in->forward_depth -= forward;
	in->method_depth -= module;
	if (alive) {
		struct value none = value_of(KIND_NONE);
		frame->result = value_join(&in->origins, &frame->result, &none);
		frame->exits = state_delta(in, frame->entry, frame->exits);
	}
	if (frame->exits)
		state_leave(in, frame->entry, frame->exits, in->call);
	if (function->grad_mode)
		cell_set(in, in->grad_cell, grad);
	in->frame = outer_frame;
	in->call = outer_call;
	in->copy = copy;
	in->statement_value = statement;
}

/* self(x) in a loop that a method of the module runs itself: a forward of its own, no part of another. */
static bool is_own_forward(const struct interp *in)
{
	return in->path != in->module_path && in->forward_depth == 0;
}

/* A method that was called on a module from outside of it is one forward to whoever called. */
static void note_forward(struct interp *in, uint32_t self, uint32_t forwards, bool recorded, const struct value *result,
			 const struct expr *node)
{
	if (!self || in->forward_count == forwards || !node || !deep_origins(in, result)->count)
		return;
	struct event *event = event_add(in, EVENT_FORWARD, node->span);
	event_value(in, event, result);
	event->objects[0] = self;
	event->object_count = 1;
	event->mode = object_mode(in, object_get(in, self));
	if (!recorded && event->grad == GRAD_ON)
		event->grad = GRAD_BOTH; /* the module switches by itself */
}

/* A function whose results are kept by its arguments is called: notes who is kept so, a tensor or what holds one. */
static void note_cached(struct interp *in, const struct object *function, uint32_t self, const struct args *args)
{
	struct event *event = event_add(in, EVENT_MARK, function->cached);
	event->mark = "cached";
	event->objects[0] = self;
	event->object_count = self != 0;
	for (uint32_t i = 0; i < args->count; i++)
		if (args->values[i].counter)
			event->key.counter = args->values[i].counter;
	for (uint32_t i = 0; i < args->count && !event->tensor; i++) {
		event->tensor = holds_tensor(in, &args->values[i], 2) || (args->values[i].flags & VALUE_LOADER);
		event->value = args->values[i];
		event->value.counter = made_over(in, &args->values[i]);
	}
}

/* Whether something was walked backward since event FIRST: forces, penalties and the like need grad to be on. */
static bool walks_itself(const struct interp *in, size_t first)
{
	for (size_t i = first; i < in->events.count; i++)
		if (in->events.items[i].kind == EVENT_CONSUME)
			return true;
	return false;
}

/* A body that does nothing or raises NotImplementedError. */
static bool is_left_open(const struct def *def)
{
	for (uint32_t i = 0; i < def->body.count; i++) {
		const struct stmt *s = def->body.stmts[i];
		const struct expr *e = s->value && s->value->kind == EXPR_CALL && s->value->count ? s->value->items[0] : s->value;
		if (s->kind == STMT_RAISE)
			return e && e->kind == EXPR_NAME && str_is(e->name, "NotImplementedError");
		if (s->kind != STMT_EXPR || !e || (e->kind != EXPR_TEXT && e->kind != EXPR_CONSTANT))
			return false;
	}
	return true;
}

struct value call_def(struct interp *in, struct object *function, uint32_t self, struct args *args,
		      const struct expr *node)
{
	struct def *def = function->function;
	if (!self)
		self = function->self;
	struct object *module = self && node ? object_get(in, self) : NULL;
	if (module && (module->kinds & KIND_MODULE) && str_is(def->name, "forward") && is_left_open(def)) {
		struct value whole = object_value(in, module);
		in->visited[def_number(in, def)] = true;
		return forward_call(in, module, &whole, args, node); /* subclasses out of sight decide */
	}
	if (def->is_generator)
		return make_generator(in, function, self, args, node);
	uint32_t depth = in->call ? in->call->depth : 0;
	bool away = (def->index & DEF_ELSEWHERE) != 0;
	if (in->units && in->units->is_unwanted(in->units->context))
		in->budget = 0;
	if (in->budget <= 0 || depth >= CALL_DEPTH || (away && in->away_budget <= 0)) {
		in->partial = true;
		in->visited[def_number(in, def)] |= in->budget > 0;
		return unknown_call(in, NULL, def->name, NULL, args, node, true);
	}
	if (goes_round(in, def, args)) {
		if (in->handling && in->handling->frame && in->handling->frame->def == def)
			in->handling->recursed = true;
		return value_bottom();
	}
	size_t cached = in->events.count;
	if (function->cached.end)
		note_cached(in, function, self, args);
	bool outermost = self && (object_get(in, self)->kinds & KIND_MODULE) &&
		      (in->module_depth == 0 || (str_is(def->name, "forward") && in->frame && in->frame->self == self && is_own_forward(in)));
	struct loop *module_path = in->module_path;
	if (outermost && in->module_depth == 0)
		in->module_path = in->path;
	uint32_t forwards = in->forward_count, recorded_forwards = in->recorded_count;
	in->module_depth += outermost;
	size_t before = in->events.count;
	struct frame frame = {0};
	bool leaves = away && !(in->frame && in->frame->def && (in->frame->def->index & DEF_ELSEWHERE));
	int64_t budget = in->budget;
	run_body(in, function, self, args, node, &frame);
	if (leaves)
		in->away_budget -= budget - in->budget;
	in->module_depth -= outermost;
	in->module_path = module_path;
	if (function->cached.end && cached < in->events.count)
		in->events.items[cached].tensor_result = (frame.result.kinds & KIND_TENSOR) != 0;
	if (outermost)
		note_forward(in, self, forwards, in->recorded_count > recorded_forwards && !walks_itself(in, before), &frame.result, node);
	return value_is_bottom(&frame.result) ? value_of(KIND_NONE) : frame.result;
}

/* Runs the body of GENERATOR in FRAME; false where it cannot be followed. */
static bool run_yields(struct interp *in, struct object *generator, const struct expr *node, struct frame *frame)
{
	struct def *def = generator->function;
	uint32_t depth = in->call ? in->call->depth : 0;
	if (!def || in->budget <= 0 || depth >= CALL_DEPTH || in_chain(in->call, def))
		return false;
	if (!node && (generator->kinds & KIND_GENERATOR) && generator->node != (const void *)def)
		node = generator->node; /* the call that made it tells it from others */
	run_body(in, generator, generator->self, generator->bound_args ? generator->bound_args : args_new(in, 0), node, frame);
	generator->few = !frame->yields_many && !value_is_bottom(&frame->yielded);
	return !value_is_bottom(&frame->yielded);
}

struct value run_generator(struct interp *in, struct object *generator, const struct expr *node, bool *grad_off)
{
	if (generator->lazy)
		return lazy_next(in, generator, node, grad_off);
	struct frame frame = {0};
	bool any = run_yields(in, generator, node, &frame);
	*grad_off |= frame.yields_grad_off;
	return any ? frame.yielded : value_of(KIND_UNKNOWN);
}

void run_parts(struct interp *in, struct object *generator, struct object *parts, const struct expr *node)
{
	struct frame frame = {.parts = parts};
	if (run_yields(in, generator, node, &frame) && frame.parts)
		return;
	clear_slots(in, parts);
	if (!value_is_bottom(&frame.yielded))
		add_element(in, parts, frame.yielded);
}

void run_context(struct interp *in, struct object *generator, const struct expr *node, struct with_block *block)
{
	struct def *def = generator->function;
	uint32_t depth = in->call ? in->call->depth : 0;
	struct frame frame = {.block = block};
	if (def && in->budget > 0 && depth < CALL_DEPTH && !in_chain(in->call, def))
		run_body(in, generator, generator->self, generator->bound_args ? generator->bound_args : args_new(in, 0), node, &frame);
}
