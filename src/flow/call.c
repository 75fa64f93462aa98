#include <string.h>
#include "flow/interp.h"
#include "flow/lower.h"

enum { CALL_DEPTH = 6 };

/* ---- calls of project functions ---- */

/* How many calls of DEF are under way. */
static uint32_t in_chain(const struct call *call, const struct def *def)
{
	uint32_t count = 0;
	for (; call; call = call->outer)
		count += call->callee == def;
	return count;
}

static bool any_recorded(struct interp *in, const struct origin_set *set)
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

/* ---- unresolved calls ---- */

static bool carries(struct interp *in, const struct value *value)
{
	const struct origin_set *set = deep_origins(in, value);
	for (uint32_t i = 0; i < set->count; i++)
		if (origin_tag_of(set->items[i]) != ORIGIN_CUT)
			return true;
	return false;
}

/* Whether a module's result, or something computed from parameters, is in VALUE. */
static bool recorded(struct interp *in, const struct value *value)
{
	const struct origin_set *set = deep_origins(in, value);
	for (uint32_t i = 0; i < set->count; i++) {
		const struct site *site = in->sites.items[origin_site(set->items[i])];
		enum origin_tag tag = origin_tag_of(set->items[i]);
		if (tag != ORIGIN_CUT && (site->kind == SITE_FORWARD || site->kind == SITE_ELEMENT ||
					  (site->kind == SITE_LEAF && tag != ORIGIN_SELF) ||
					  (site->kind == SITE_CALL && site->module_given)))
			return true;
	}
	return false;
}

/* Who gets a module or an optimizer may zero its gradients and switch its mode. */
static void hand_object(struct interp *in, const struct object *object, const struct expr *node)
{
	struct event *zero = event_add(in, EVENT_ZERO, node->span);
	zero->objects[0] = object->id;
	zero->object_count = 1;
	zero->handed = true;
	event_add(in, EVENT_MODE, node->span)->holder = object->id;
}

static void hand_over(struct interp *in, const struct args *args, const struct expr *node)
{
	/* an optimizer, or all parameters of a module, together with something to walk */
	bool optimizer = false, walked = false;
	for (uint32_t i = 0; i < args->count; i++) {
		bool whole = (args->values[i].flags & VALUE_PARAMETER) && (args->values[i].flags & VALUE_STRUCT);
		optimizer |= (args->values[i].kinds & KIND_OPTIMIZER) || whole;
		walked |= !(args->values[i].flags & VALUE_PARAMETER) && recorded(in, &args->values[i]);
	}
	optimizer &= walked;
	for (uint32_t i = 0; i < args->count; i++) {
		const struct value *value = &args->values[i];
		for (uint8_t j = 0; j < value->object_count; j++) {
			struct object *object = object_get(in, value->objects[j]);
			uint32_t kinds = object->kinds | object->proved;
			bool module = (kinds & KIND_MODULE) != 0;
			if (module && !(value->flags & VALUE_PARAMETER))
				set_mode(in, object, STR("%mode"), VALUE_NO_NUMBER);
			if (node && (module || (kinds & (KIND_OPTIMIZER | KIND_METRIC)) || object->class_def ||
				     (object->library && object->library->threads)))
				hand_object(in, object, node);
		}
		if (!node || !carries(in, value) || (value->flags & VALUE_PARAMETER))
			continue;
		bool walks = optimizer && !(value->kinds & KIND_OPTIMIZER) && recorded(in, value);
		struct event *event = event_add(in, walks ? EVENT_CONSUME : EVENT_ESCAPE, node->span);
		event_value(in, event, value);
	}
	if (optimizer && node)
		event_add(in, EVENT_STEP, node->span);
}

/* Whether a function out of sight makes a thing rather than computes a value: classes do, and so do builders of models,
 * whose names say it. What the thing is, its use has to prove. */
static bool makes_instance(struct str name)
{
	static const char *const words[] = {"model", "net", "network", "module", "backbone", "encoder", "decoder", "transformer"};
	if (!name.length)
		return false;
	if (name.at[0] >= 'A' && name.at[0] <= 'Z')
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_ends(name, words[i]))
			return true;
	return false;
}

bool used_as_module(const struct interp *in, struct str name)
{
	const struct asked_method *asked = in->asked && name.length ? map_get(in->asked, name) : NULL;
	for (; asked; asked = asked->next) {
		const struct model_rule *rule = model_any_method(in->model, asked->name);
		if (rule && (rule->proves & KIND_MODULE))
			return true;
	}
	return false;
}

struct value opaque_instance(struct interp *in, struct str name, const struct expr *node)
{
	struct object *object = input_object(in, node, 6, name, node->span);
	object->opaque = true;
	object->name.length = 0; /* whoever it is given to names it */
	return object_value(in, object);
}

struct value unknown_call(struct interp *in, const struct value *callee, struct str name, const struct value *receiver,
			  struct args *args, const struct expr *node, bool plain_function)
{
	struct value out = value_of(KIND_UNKNOWN);
	struct origin_set *inputs = in->origins.empty;
	bool module_given = false;
	for (uint32_t i = 0; i < args->count; i++) {
		args->values[i] = drained(in, &args->values[i], node);
		inputs = origin_union(&in->origins, inputs, deep_origins(in, &args->values[i]));
		for (uint8_t j = 0; j < args->values[i].object_count; j++) {
			struct object *object = object_get(in, args->values[i].objects[j]);
			module_given |= ((object->kinds | object->proved) & KIND_MODULE) != 0;
		}
	}
	if (receiver && receiver->origins)
		inputs = origin_union(&in->origins, inputs, receiver->origins);
	hand_over(in, args, node);
	for (uint8_t i = 0; node && receiver && i < receiver->object_count; i++)
		hand_object(in, object_get(in, receiver->objects[i]), node); /* a method of its own may do anything to it */
	bool named = node && in->naming_frame == in->frame && used_as_module(in, in->naming);
	if (node && (named || (plain_function && makes_instance(name))) && !any_recorded(in, inputs))
		return opaque_instance(in, name, node);
	bool off = grad_is_off(in);
	out.origins = origin_retag(&in->origins, inputs, off ? ORIGIN_CUT : ORIGIN_CALL);
	if (!node)
		return out;
	out.made = node->span;
	out.born = in->path;
	uint32_t object = callee && callee->object_count ? callee->objects[0] : 0;
	/* what is called is what the loop goes over: its parts, not its steps */
	struct loop *over = object && !receiver && object_get(in, object)->fresh ? object_get(in, object)->birth : NULL;
	if (over && loop_within(in->path, over))
		over->is_struct = true;
	struct site *site = site_new(in, object && !plain_function && !receiver ? SITE_FORWARD : SITE_CALL, node, 0, node->span);
	site->object = object;
	site->name = name;
	site->inputs = inputs;
	site->module_given = module_given;
	site->plain_function = plain_function;
	site->grad_off = off;
	site->mode = object ? (int8_t)object_mode(in, object_get(in, object)) : -1;
	site->frozen = object && hidden_number(in, object_get(in, object), STR("%frozen")) == 1;
	out.origins = origin_add(&in->origins, out.origins, origin_make(site->id, off ? ORIGIN_CUT : ORIGIN_SELF));
	if (off)
		out.flags |= VALUE_GRAD_OFF;
	if (site->kind == SITE_FORWARD) {
		in->forward_count++;
		in->recorded_count += grad_now(in) == GRAD_ON;
	}
	if (site->kind == SITE_FORWARD && in->module_depth == 0) {
		struct event *event = event_add(in, EVENT_FORWARD, node->span);
		event_value(in, event, &out);
		event->objects[0] = object;
		event->object_count = 1;
		event->site = site;
		event->name = name;
		event->mode = object_mode(in, object_get(in, object));
	}
	return out;
}

/* ---- modules ---- */

struct value forward_call(struct interp *in, struct object *module, const struct value *callee, struct args *args,
			  const struct expr *node)
{
	struct value inputs[16] = {value_bottom()};
	uint32_t count = 0;
	for (uint32_t i = 0; i < args->count && count < 16; i++) {
		inputs[count] = args->values[i];
		if (inputs[count].object_count && !(inputs[count].flags & VALUE_PARAMETER))
			inputs[count] = element_of(in, &args->values[i], node);
		count++;
	}
	struct value out = combine(in, inputs, count, node->span);
	bool inference = false;
	for (uint32_t i = 0; i < count; i++)
		inference |= (inputs[i].flags & VALUE_INFERENCE) != 0;
	out.kinds = module->library && str_starts(str_from(module->library->name), "torch.nn.") ? KIND_TENSOR
										     : KIND_TENSOR | KIND_UNKNOWN;
	out.counter = NULL;
	out.flags &= (uint16_t)~(VALUE_COUNTER | VALUE_VIEW | VALUE_LOADER);
	if (module->kinds & KIND_CRITERION) {
		out.extent = EXTENT_SCALAR;
		return out;
	}
	in->forward_count++;
	in->recorded_count += grad_now(in) == GRAD_ON;
	bool off = grad_is_off(in), frozen = hidden_number(in, module, STR("%frozen")) == 1;
	struct origin_set *recorded = out.origins;
	if (out.origins)
		out.origins = origin_retag(&in->origins, out.origins, off ? ORIGIN_CUT : ORIGIN_CALL);
	struct site *site = site_new(in, SITE_FORWARD, node, module->id, node->span);
	site->object = module->id;
	site->proof = frozen || off ? PROOF_NONE : PROOF_FLOW;
	site->frozen = frozen;
	site->mode = (int8_t)object_mode(in, module);
	site->name = module->name;
	site->grad_off = off;
	site->inputs = recorded;
	if (off)
		out.flags |= VALUE_GRAD_OFF;
	if (recorded || !frozen)
		out.origins = origin_add(&in->origins, out.origins, origin_make(site->id, off ? ORIGIN_CUT : ORIGIN_SELF));
	if (in->module_depth == 0) {
		struct event *event = event_add(in, EVENT_FORWARD, node->span);
		event_value(in, event, &out);
		event->objects[0] = module->id;
		event->object_count = 1;
		event->site = site;
		event->name = module->name;
		event->mode = object_mode(in, module);
		event->frozen = frozen;
		event->inference_input = inference && grad_now(in) == GRAD_ON && !frozen;
	}
	(void)callee;
	return out;
}

/* ---- library calls and instances ---- */

static void keep_modules(struct interp *in, struct object *object, struct args *args)
{
	for (uint32_t i = 0; i < args->count; i++) {
		const struct value *v = &args->values[i];
		uint32_t cell = object_slot(in, object, args->names[i].length ? args->names[i]
							: str_from(arena_format(in->arena, "%u", i)), true);
		bool container = false;
		for (uint8_t j = 0; j < v->object_count; j++) {
			uint32_t kinds = object_get(in, v->objects[j])->kinds;
			container |= (kinds & KIND_CONTAINER) && !(kinds & KIND_MODULE);
		}
		if (container && !(v->flags & VALUE_PARAMETER))
			add_element(in, object, element_of(in, v, NULL));
		else
			cell_set(in, cell, *v);
	}
}

static void fill_container(struct interp *in, struct object *object, struct args *args, const struct expr *node)
{
	const struct value *first = args_get(args, 0, NULL);
	if (first && factory_given(in, object, first)) {
		/* defaultdict(list): what it is filled with is made when it is asked for */
	} else if (first && is_generator(in, first) && !(object->kinds & KIND_CONTAINER)) {
		lazy_wrapper(in, object, args, node);
	} else if (first && is_generator(in, first)) {
		drain_into(in, object_get(in, first->objects[0]), object, object->span, object->name);
	} else if (first && first->object_count) {
		bool range;
		object->literal = is_parts(in, first, &range);
		for (uint8_t i = 0; i < first->object_count; i++) {
			struct object *from = object_get(in, first->objects[i]);
			copy_slots(in, object, from);
			if (from->rest)
				add_element(in, object, cell_get(in, from->rest));
			else if (from->input)
				add_element(in, object, element_of(in, first, node));
		}
	} else if (first) {
		add_element(in, object, element_of(in, first, node));
	}
	record_named(in, object, args);
}

static struct str callee_name(struct interp *in, const struct expr *node)
{
	const struct expr *callee = node && node->count ? node->items[0] : NULL;
	return callee ? source_text(in, callee->span) : (struct str){"", 0};
}

/* How many worker processes a loader is given: 0, 1 for some, -1 for unknown. */
static int worker_count(const struct args *args)
{
	const struct value *workers = args_get(args, 5, "num_workers");
	if (!workers)
		return args->more ? -1 : 0;
	return workers->number == VALUE_NO_NUMBER ? -1 : workers->number > 0;
}

/* Whether an optimizer has anything to remember from step to step: plain SGD has not. */
static int keeps_state(struct interp *in, const struct args *args, const struct expr *node)
{
	const struct value *momentum = args_get(args, 2, "momentum");
	return !str_ends(callee_name(in, node), "SGD") || (momentum && momentum->number != 0);
}

static void note_made(struct interp *in, const struct object *object, const struct args *args, const struct expr *node)
{
	struct event *event = event_add(in, EVENT_MADE, node->span);
	event->objects[0] = object->id;
	event->object_count = 1;
	event->name = object->library ? str_from(object->library->name) : (struct str){"", 0};
	if (args->count)
		event_value(in, event, args_get(args, 0, "dataset") ? args_get(args, 0, "dataset") : &args->values[0]);
	if (object->kinds & KIND_OPTIMIZER)
		event->mode = keeps_state(in, args, node);
	else
		event->mode = object->kinds & KIND_LOADER ? worker_count(args) : -1;
}

static struct value library_instance(struct interp *in, const struct model_class *class, struct args *args,
				     const struct expr *node)
{
	struct object *object = object_new(in, node, 0, class->kinds ? class->kinds : KIND_INSTANCE, node->span);
	object->library = class;
	struct value out = object_value(in, object);
	if (class->bound) {
		const struct value *bound = args_get(args, 1, class->bound);
		object->bounded = bound && !value_only(bound, KIND_NONE);
	}
	if (class->kinds & (KIND_MODULE | KIND_OPTIMIZER))
		keep_modules(in, object, args);
	else if (class->kinds & (KIND_CONTAINER | KIND_LOGGER | KIND_LOADER))
		fill_container(in, object, args, node);
	if (class->record)
		record_named(in, object, args);
	if (class->kinds & KIND_DISTRIBUTION) {
		struct value all = combine(in, args->values, args->count, node->span);
		out.origins = all.origins;
		out.flags |= all.flags & VALUE_GRAD_OFF;
	}
	if (class->threads || (class->kinds & (KIND_OPTIMIZER | KIND_LOADER)))
		note_made(in, object, args, node);
	if (class->made) {
		struct str none = {"", 0};
		apply_rule(in, class->made, &out, args, node, none);
	}
	return out;
}

static bool known_root(struct interp *in, const char *dotted)
{
	size_t n = strcspn(dotted, ".");
	return map_has(&in->model->imports, (struct str){dotted, n});
}

static struct value library_call(struct interp *in, const char *dotted, struct args *args, const struct expr *node)
{
	const char *name = model_canonical(in->model, dotted);
	const struct model_rule *rule = model_call(in->model, name);
	const struct model_class *class = model_class_get(in->model, name);
	struct str last = str_from(strrchr(name, '.') ? strrchr(name, '.') + 1 : name);
	bool class_like = last.length && last.at[0] >= 'A' && last.at[0] <= 'Z';
	/* "torch.*" knows of functions what "torch.nn.*" knows of classes: the exact entry wins, then what the name's case says */
	if (rule && rule->returns.copies && map_get(&in->model->calls, str_from(name)))
		return apply_rule(in, rule, NULL, args, node, last);
	if (class && (!rule || (class_like && !map_get(&in->model->calls, str_from(name))) ||
		      map_get(&in->model->classes, str_from(name))))
		return library_instance(in, class, args, node);
	if (rule)
		return apply_rule(in, rule, NULL, args, node, last);
	struct value out = unknown_call(in, NULL, last, NULL, args, node, true);
	if (!known_root(in, name) && name[0] != '.' && out.origins && out.origins->count <= 1 && !args->more) {
		/* nothing that could carry a graph went in, and the library is not about tensors */
		bool project = strchr(name, '.') == NULL;
		if (!project)
			return out;
	}
	return out;
}


/* The arguments that partial keeps, then those of the call. */
static struct args *with_bound(struct interp *in, const struct args *bound, const struct args *given)
{
	struct args *all = args_new(in, bound->count + given->count);
	for (uint32_t i = 0; i < bound->count; i++)
		args_add(all, bound->values[i], bound->names[i], bound->nodes[i]);
	for (uint32_t i = 0; i < given->count; i++)
		args_add(all, given->values[i], given->names[i], given->nodes[i]);
	all->more = bound->more || given->more;
	return all;
}

struct value under_mode(struct interp *in, const struct object *context, const struct value *function, const struct expr *node)
{
	const struct object *from = object_get(in, function->objects[0]);
	struct object *object = object_new(in, node, 0x600u + from->id, KIND_FUNCTION, node->span);
	alias_function(object, from);
	object->bound_args = from->bound_args;
	object->library_function = from->library_function;
	object->name = from->name;
	object->grad_mode = context->grad_mode;
	object->grad_argument = context->grad_argument;
	return object_value(in, object);
}

static struct value call_what(struct interp *in, struct object *object, const struct value *callee, struct args *args,
			      const struct expr *node)
{
	struct value self = object_value(in, object);
	if ((object->kinds & KIND_GRADMODE) && args->count == 1 && (args->values[0].kinds & KIND_FUNCTION) && args->values[0].object_count == 1)
		return under_mode(in, object, &args->values[0], node);
	if (object->kinds & KIND_CLASS)
		return class_instantiate(in, class_find(in, object->class_def), args, node);
	if (object->bound_args && (object->kinds & KIND_FUNCTION))
		args = with_bound(in, object->bound_args, args);
	if (object->makes)
		return record_make(in, object, args, node);
	if (object->library_function)
		return library_call(in, object->library_function, args, node);
	if (object->function)
		return call_def(in, object, object->self, args, node);
	if (object->receiver.kinds)
		return call_method(in, &object->receiver, object->method, args, node);
	if (object->class_def) {
		bool module = object->kinds & KIND_MODULE;
		struct object *method = class_method(in, object->class_def, module ? STR("forward") : STR("__call__"));
		if (!method && module)
			method = class_method(in, object->class_def, STR("__call__"));
		if (method && method->function)
			return call_def(in, method, object->id, args, node);
		if (module)
			return forward_call(in, object, callee, args, node);
	}
	const struct model_rule *rule = model_instance_call(in->model, object->library);
	if (rule && rule->returns.graph != GRAPH_FORWARD)
		return apply_rule(in, rule, &self, args, node, callee_name(in, node));
	if (object->kinds & (KIND_MODULE | KIND_CRITERION))
		return forward_call(in, object, callee, args, node);
	return unknown_call(in, &self, callee_name(in, node), NULL, args, node, false);
}

static struct value call_object(struct interp *in, struct object *object, const struct value *callee, struct args *args,
				const struct expr *node)
{
	struct value out = call_what(in, object, callee, args, node);
	if (in->hooked.count && !(object->kinds & (KIND_FUNCTION | KIND_CLASS)))
		hooks_run(in, object, args, &out);
	return out;
}

/* Whether OBJECT hands what it is given to another of those in VALUE. */
static bool wraps_another(struct interp *in, const struct object *object, const struct value *value)
{
	if (!object->library || !object->library->wraps)
		return false;
	for (size_t i = 0; i <= object->slots.count; i++) {
		uint32_t cell = object_cell(object, i);
		struct value held = cell ? cell_get(in, cell) : value_bottom();
		for (uint8_t k = 0; k < held.object_count; k++)
			for (uint8_t o = 0; o < value->object_count; o++)
				if (held.objects[k] == value->objects[o] && held.objects[k] != object->id)
					return true;
	}
	return false;
}

/* `if gpus > 1: net = DataParallel(net)`: net, which is called in both cases. */
static struct value unwrapped(struct interp *in, const struct value *value)
{
	struct value out = *value;
	if (value->object_count < 2)
		return out;
	out.object_count = 0;
	for (uint8_t i = 0; i < value->object_count; i++)
		if (!wraps_another(in, object_get(in, value->objects[i]), value))
			out.objects[out.object_count++] = value->objects[i];
	return out;
}

struct value call_value(struct interp *in, const struct value *what, struct args *args, const struct expr *node)
{
	struct value out = value_bottom(), reduced = unwrapped(in, what);
	const struct value *callee = &reduced;
	if (callee->dotted && node)
		out = library_call(in, callee->dotted, args, node);
	struct sides sides = sides_begin(in, callee->object_count);
	for (uint8_t i = 0; i < callee->object_count; i++) {
		side_begin(in, &sides);
		struct value v = call_object(in, object_get(in, callee->objects[i]), callee, args, node);
		side_end(in, &sides);
		out = value_join(&in->origins, &out, &v);
	}
	sides_end(in, &sides);
	if (callee->dotted || callee->object_count)
		return out;
	return unknown_call(in, callee, callee_name(in, node), NULL, args, node, false);
}

/* ---- methods ---- */

static const struct model_class *class_of_kind(struct interp *in, const struct value *v)
{
	if (value_only(v, KIND_TEXT))
		return model_class_get(in->model, "builtins.str");
	return NULL;
}

static struct value call_object_method(struct interp *in, struct object *object, const struct value *whole,
				       struct str name, struct args *args, const struct expr *node)
{
	if (object->is_module) {
		struct value member = import_member(in, object, name);
		return value_is_bottom(&member) ? unknown_call(in, NULL, name, NULL, args, node, true)
						: call_value(in, &member, args, node);
	}
	uint32_t cell = object_slot(in, object, name, false);
	struct value held = cell && (object->class_def || !(object->kinds & KIND_CONTAINER)) ? cell_get(in, cell) : value_bottom();
	struct value self = object_value(in, object);
	self.origins = whole->origins;
	self.flags = whole->flags;
	if (!value_is_bottom(&held) && !(object->input && value_only(&held, KIND_UNKNOWN)))
		return call_value(in, &held, args, node);
	if (object->class_def) {
		struct object *method = class_method(in, object->class_def, name);
		if (method && method->function && method->is_property && !(object->kinds & KIND_CLASS)) {
			struct value got = call_def(in, method, object->id, args_new(in, 1), node);
			return call_value(in, &got, args, node);
		}
		if (method && method->function) {
			bool unbound = (object->kinds & KIND_CLASS) && !method->is_class_method;
			return call_def(in, method, method->is_static || unbound ? 0 : object->id, args, node);
		}
		struct value member;
		if (class_member(in, object->class_def, NULL, name, &member))
			return call_value(in, &member, args, node);
		if (str_is(name, "_replace"))
			return record_replace(in, &self, args, node);
	}
	const struct model_class *library = object->library ? object->library
					   : object->class_def ? class_library_base(in, object->class_def) : NULL;
	const struct model_rule *rule = model_method(in->model, library, name);
	if (!rule && !library)
		rule = model_any_method(in->model, name);
	if (rule && object->class_def && (object->kinds & KIND_CLASS) && str_is(name, "apply"))
		for (uint32_t i = 0; i < args->count && i < 32; i++)
			object->applied |= holds_tensor(in, &args->values[i], 0) ? 1u << i : 0;
	if (rule) {
		object->proved |= rule->proves | (in->statement_value == node ? rule->proves_alone : 0);
		return apply_rule(in, rule, &self, args, node, name);
	}
	if (object->input) {
		rule = model_method(in->model, model_class_get(in->model, "torch.Tensor"), name);
		if (rule)
			return apply_rule(in, rule, &self, args, node, name);
		if (value_only(&self, KIND_UNKNOWN) && object->proved == KIND_TENSOR) {
			self.kinds = KIND_TENSOR;
			self.object_count = 0;
			return call_method(in, &self, name, args, node);
		}
	}
	const struct class_info *class = object->class_def && !(object->kinds & KIND_CLASS) ? class_find(in, object->class_def) : NULL;
	if (class && !library && (!class->open || used_as_module(in, name))) { /* no method, but an attribute that is set elsewhere */
		struct value outside = read_attribute(in, &self, name, node);
		return call_value(in, &outside, args, node);
	}
	return unknown_call(in, object->input ? &self : NULL, callee_name(in, node), &self, args, node, false);
}

/* Methods of super(): those behind the class that the running method stands in. */
static bool call_super(struct interp *in, const struct expr *e, struct args *args, struct value *out)
{
	const struct expr *inner = e->items[0]->items[0];
	if (inner->kind != EXPR_CALL || !inner->count || inner->items[0]->kind != EXPR_NAME ||
	    !str_is(inner->items[0]->name, "super") || !in->frame)
		return false;
	struct frame *frame = in->frame;
	*out = value_of(KIND_NONE);
	if (!frame->self || !frame->in_class)
		return true;
	struct object *self = object_get(in, frame->self);
	struct value member;
	struct def *start = self->class_def ? self->class_def : frame->in_class;
	if (class_member(in, start, frame->in_class, e->items[0]->name, &member) && member.object_count) {
		struct object *method = object_get(in, member.objects[0]);
		if (method->function)
			*out = call_def(in, method, frame->self, args, e);
		return true;
	}
	const struct model_rule *rule = model_method(in->model, class_library_base(in, start), e->items[0]->name);
	struct value receiver = object_value(in, self);
	if (rule)
		*out = apply_rule(in, rule, &receiver, args, e, e->items[0]->name);
	return true;
}

/* Whether VALUE is a module's result or was computed from one: its methods are recorded operations, then. */
static bool is_recorded(struct interp *in, const struct value *value)
{
	for (uint32_t i = 0; value->origins && i < value->origins->count; i++) {
		origin element = value->origins->items[i];
		enum site_kind kind = in->sites.items[origin_site(element)]->kind;
		if (origin_tag_of(element) <= ORIGIN_OP && (kind == SITE_FORWARD || kind == SITE_DERIVED))
			return true;
		if (kind == SITE_ELEMENT && origin_tag_of(element) <= ORIGIN_OP &&
		    in->sites.items[in->sites.items[origin_site(element)]->parent]->kind == SITE_FORWARD)
			return true;
	}
	return false;
}

/* stack.enter_context(torch.no_grad()) and guard.__enter__(): the mode holds from here to the end of the block around. */
static bool enters_grad(struct interp *in, const struct value *receiver, struct str name, struct args *args, struct value *out)
{
	const struct value *context = str_is(name, "enter_context") ? args_get(args, 0, NULL)
				      : str_is(name, "__enter__")    ? receiver : NULL;
	if (!context || !(context->kinds & KIND_GRADMODE))
		return false;
	for (uint8_t i = 0; i < context->object_count; i++) {
		const struct object *object = object_get(in, context->objects[i]);
		if (object->grad_mode && context->object_count == 1 && value_only(context, KIND_GRADMODE))
			grad_enter(in, object->grad_mode, &object->grad_argument);
		else
			grad_set(in, GRAD_BOTH);
	}
	*out = *context;
	return true;
}

/* The rule of the libraries' modules and optimizers that RECEIVER may be, where it is one for all: which of them it is makes
 * no difference then. */
static const struct model_rule *same_rule(struct interp *in, const struct value *receiver, struct str name)
{
	const struct model_rule *rule = NULL;
	for (uint8_t i = 0; i < receiver->object_count; i++) {
		struct object *object = object_get(in, receiver->objects[i]);
		const struct model_class *library = object->library ? object->library
						   : object->class_def ? class_library_base(in, object->class_def) : NULL;
		const struct model_rule *one = model_method(in->model, library, name);
		if (!one || !(object->kinds & (KIND_MODULE | KIND_OPTIMIZER)) || (i && one != rule) ||
		    (object->class_def && class_method(in, object->class_def, name)))
			return NULL;
		rule = one;
	}
	return rule && rule->returns.graph != GRAPH_FORWARD ? rule : NULL;
}

struct value call_method(struct interp *in, const struct value *of, struct str name, struct args *args, const struct expr *node)
{
	struct value out = value_bottom(), reduced = unwrapped(in, of);
	const struct value *receiver = &reduced;
	if (str_is(name, "reset") && (!receiver->object_count || object_get(in, receiver->objects[0])->input))
		in->resets_unknown = true;
	if (enters_grad(in, receiver, name, args, &out))
		return out;
	if (receiver->dotted) {
		const char *dotted = arena_format(in->arena, "%s.%.*s", receiver->dotted, STR_ARG(name));
		out = library_call(in, dotted, args, node);
	}
	bool tensors = value_only(receiver, KIND_TENSOR | KIND_NUMBER) || (receiver->flags & VALUE_PARAMETER);
	bool group = (receiver->flags & VALUE_PARAMETER) && receiver->object_count &&
		     (object_get(in, receiver->objects[0])->kinds & KIND_OPTIMIZER);
	if (group && args->count && str_is(name, "get"))
		return read_item(in, receiver, &args->values[0], node);
	if (receiver->object_count > 1 && !tensors && !receiver->dotted && !(receiver->kinds & KIND_TENSOR)) {
		const struct model_rule *same = same_rule(in, receiver, name);
		if (same)
			return apply_rule(in, same, receiver, args, node, name);
	}
	struct sides sides = sides_begin(in, tensors ? 0 : receiver->object_count);
	for (uint8_t i = 0; i < receiver->object_count && !tensors; i++) {
		side_begin(in, &sides);
		struct value v = call_object_method(in, object_get(in, receiver->objects[i]), receiver, name, args, node);
		side_end(in, &sides);
		out = value_join(&in->origins, &out, &v);
	}
	sides_end(in, &sides);
	bool more = is_more_than_objects(in, receiver);
	if (receiver->dotted || (receiver->object_count && !tensors && !(receiver->kinds & KIND_TENSOR) && !more))
		return out;
	const struct model_class *class = class_of_kind(in, receiver);
	const struct model_rule *rule = model_method(in->model, class, name);
	if (!class) {
		rule = tensors ? NULL : model_any_method(in->model, name);
		if (!rule)
			rule = model_method(in->model, model_class_get(in->model, "torch.Tensor"), name);
	}
	if (receiver->object_count && !tensors) { /* a tensor or something else: the tensor's part of the answer */
		struct value tensor = *receiver;
		tensor.kinds = more ? KIND_UNKNOWN : KIND_TENSOR;
		tensor.object_count = 0;
		struct value v = call_method(in, &tensor, name, args, node);
		return value_join(&in->origins, &out, &v);
	}
	if (rule)
		return apply_rule(in, rule, receiver, args, node, name);
	if (value_only(receiver, KIND_TENSOR)) {
		struct value values[9] = {*receiver};
		uint32_t count = 1;
		for (uint32_t i = 0; i < args->count && count < 9; i++)
			values[count++] = args->values[i];
		struct value v = combine(in, values, count, node->span);
		v.kinds = KIND_TENSOR;
		return v;
	}
	if (value_only(receiver, KIND_TEXT | KIND_NUMBER | KIND_SMALL | KIND_NONE))
		return value_of(receiver->kinds);
	if (is_recorded(in, receiver)) {
		struct value v = combine(in, receiver, 1, node->span);
		v.kinds = KIND_UNKNOWN;
		return v;
	}
	return unknown_call(in, NULL, callee_name(in, node), receiver, args, node, false);
}

struct value eval_call(struct interp *in, const struct expr *e)
{
	const struct expr *callee = e->items[0];
	const struct expr *statement = in->statement_value;
	struct value receiver = value_bottom(), function = value_bottom();
	bool method = callee->kind == EXPR_ATTRIBUTE;
	if (method)
		receiver = eval(in, callee->items[0]);
	else
		function = eval(in, callee);
	size_t before = in->events.count;
	struct args *args = eval_args(in, e);
	for (size_t i = before; method && str_is(callee->name, "enter_context") && i < in->events.count; i++)
		if (in->events.items[i].kind == EVENT_MARK)
			in->events.items[i].block_end = UINT32_MAX; /* it lasts as long as the stack does */
	in->statement_value = statement;
	uint32_t recorded = in->recorded_count;
	size_t first = in->events.count;
	struct value out;
	if (method) {
		if (!call_super(in, e, args, &out))
			out = call_method(in, &receiver, callee->name, args, e);
	} else {
		out = call_value(in, &function, args, e);
	}
	note_retry(in, e->span, first, recorded);
	in->statement_value = statement;
	return out;
}
