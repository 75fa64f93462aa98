#include "flow/analysis.h"

#include <stdlib.h>
#include <string.h>

static bool is_function(const struct def *def)
{
	return def->kind == DEF_FUNCTION;
}

static void begin_root(struct interp *in, struct def *def)
{
	struct root root = {.def = def, .id = (uint32_t)in->roots.count, .first_event = in->events.count};
	in->root = root.id;
	in->anchor = arena_take(in->arena, 1);
	in->forward_depth = in->method_depth = 0;
	in->trial = false;
	in->frame = NULL;
	in->call = NULL;
	in->path = NULL;
	memset(in->cond_open, 0, sizeof in->cond_open);
	memset(in->periods_open, 0, sizeof in->periods_open);
	in->module_depth = 0;
	in->compared_count = 0;
	in->lazy_birth = false;
	in->lazy_name.length = 0;
	grad_set(in, GRAD_ON);
	grad_because(in, in->grad_found);
	VEC_ADD(&in->roots, root);
}

/* Notes which of the statements since event FIRST that switched grad off nothing has undone. */
static void note_lasting(struct interp *in, size_t first)
{
	const struct origin_set *from = cell_get(in, in->grad_cell).origins;
	bool off = grad_is_off(in);
	for (size_t i = first; from && i < in->events.count; i++) {
		struct event *event = &in->events.items[i];
		if (event->kind == EVENT_GRAD_CONTEXT && event->mode == 0)
			event->lasts |= (off || event->left) && origin_has(from, origin_make(object_site(in, object_get(in, event->objects[0])), ORIGIN_SELF));
	}
}

static void end_root(struct interp *in)
{
	note_lasting(in, in->roots.items[in->roots.count - 1].first_event);
	in->roots.items[in->roots.count - 1].end_event = in->events.count;
	arena_reset(&in->scratch);
	in->log.count = 0; /* nobody undoes what a root left behind */
}

/* Arguments of which nothing is known but what their use will show. */
static struct args *unknown_args(struct interp *in, const struct def *def, bool method)
{
	struct args *args = args_new(in, def->param_count);
	for (uint32_t i = method ? 1 : 0; i < def->param_count; i++) {
		const struct param *param = &def->params[i];
		/* each call brings new ones */
		clear_slots(in, input_object(in, param, 0, param->name, def->head));
		if (param->kind != PARAM_PLAIN) {
			args->more = false;
			continue;
		}
		struct value value = input_value(in, param, 0, param->name, def->head);
		if (param->annotation) {
			struct value type = eval(in, param->annotation);
			const struct model_class *class = type.dotted ? model_class_get(in->model, type.dotted) : NULL;
			if (class)
				object_prove(in, &value, class->kinds);
		}
		args_add(args, value, param->keyword_only ? param->name : (struct str){"", 0}, NULL);
	}
	return args;
}

/* What the file calls by the name of DEF: its function, or what decorators or a later line have made of that. */
static struct object *function_by_name(struct interp *in, const struct def *def)
{
	struct value value = value_bottom();
	int32_t place = def->parent == in->module ? def_local(in->module, def->name) : -1;
	if (place >= 0)
		value = cell_get(in, in->module_scope->first_cell + (uint32_t)place);
	else if (def->parent && def->parent->kind == DEF_CLASS)
		class_member(in, def->parent, NULL, def->name, &value);
	struct object *object = value.object_count == 1 && (value.kinds & KIND_FUNCTION) ? object_get(in, value.objects[0]) : NULL;
	for (uint8_t i = 0; i < value.object_count; i++) { /* of several that a decorator may return, one that switches grad */
		struct object *one = object_get(in, value.objects[i]);
		if (one->function == def && one->grad_mode)
			return one;
	}
	return object && object->function ? object : in->functions[def->index];
}

/* Whether a decorator of the project may have put another function around DEF: a later one of its name has not. */
static bool may_be_wrapped(struct interp *in, const struct def *def)
{
	for (uint32_t i = 0; i < def->decorator_count; i++)
		if (!eval(in, def->decorators[i]).dotted)
			return true;
	return false;
}

/* The function DEF for those who call it by its name: where another function wraps it, grad is as that leaves it for it. */
static struct object *function_as_called(struct interp *in, struct def *def, uint32_t self, struct args *args)
{
	struct object *named = function_by_name(in, def);
	if (named->function == def)
		return named;
	if (!may_be_wrapped(in, def))
		return in->functions[def->index];
	size_t first = in->events.count;
	uint32_t mark = state_mark(in);
	in->watched = def;
	in->watched_mode = GRAD_ON;
	call_def(in, named, self, args, NULL);
	in->watched = NULL;
	state_undo(in, mark);
	in->events.count = first;
	if (in->watched_mode != GRAD_ON)
		grad_set(in, in->watched_mode);
	return in->functions[def->index];
}

static void call_function(struct interp *in, struct def *def)
{
	struct frame frame = {.def = def, .scope = in->module_scope};
	in->frame = &frame;
	struct args *args = unknown_args(in, def, false);
	in->frame = NULL;
	struct object *function = function_as_called(in, def, 0, args);
	if (def->is_generator) {
		bool off = false;
		struct object generator = *function;
		generator.bound_args = args;
		run_generator(in, &generator, NULL, &off);
	} else {
		call_def(in, function, 0, args, NULL);
	}
}

static bool function_body(struct interp *in, struct loop *loop, void *context)
{
	(void)loop;
	call_function(in, context);
	return true;
}

static void run_function(struct interp *in, struct def *def)
{
	if (!in->functions[def->index])
		return;
	begin_root(in, def);
	if (model_step_get(in->model, def->name)) {
		struct loop *loop = loop_enter(in, def, LOOP_VIRTUAL, def->head);
		loop->virtual_name = "step";
		loop->def = def;
		run_loop(in, loop, function_body, def, true);
	} else {
		call_function(in, def);
	}
	end_root(in);
}

/* ---- classes ---- */

struct method_walk {
	struct object *self;
	struct object *method;
	struct def *def;
	const struct model_hook *hook;
	int next_loop;
	const char *loops[4];
	int loop_count;
	struct args *args;
};

static void walk_method(struct interp *in, struct method_walk *walk);

static bool method_body(struct interp *in, struct loop *loop, void *context)
{
	struct method_walk inner = *(struct method_walk *)context;
	(void)loop;
	inner.next_loop++;
	walk_method(in, &inner);
	return true;
}

/* Whoever owns the instance may have switched the modes that its constructor or another method set. */
static void forget_modes(struct interp *in, struct object *object, int depth)
{
	uint32_t mode = object_slot(in, object, STR("%mode"), false);
	if (mode)
		cell_set(in, mode, value_bottom());
	for (size_t i = 0; depth > 0 && i < object->slots.count; i++) {
		struct value held = cell_get(in, object->slots.items[i].cell);
		for (uint8_t k = 0; k < held.object_count; k++)
			if (held.objects[k] != object->id)
				forget_modes(in, object_get(in, held.objects[k]), depth - 1);
	}
}

/* What the last line of DEF's body returns, or NULL. */
static const struct expr *returned_last(const struct def *def)
{
	const struct stmt *last = def->body.count ? def->body.stmts[def->body.count - 1] : NULL;
	return last && last->kind == STMT_RETURN ? last->value : NULL;
}

static bool gives_something(const struct expr *target, const struct expr *value, struct str name)
{
	if (target->kind == EXPR_NAME)
		return str_equal(target->name, name) && (!value || value->kind != EXPR_CONSTANT);
	bool items = (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST);
	bool pairs = items && value && value->kind == EXPR_TUPLE && value->count == target->count;
	for (uint16_t i = 0; items && i < target->count; i++)
		if (gives_something(target->items[i], pairs ? value->items[i] : NULL, name))
			return true;
	return false;
}

/* Whether BLOCK anywhere gives NAME more than None. */
static bool is_ever_something(const struct block *block, struct str name)
{
	for (uint32_t i = 0; i < block->count; i++) {
		const struct stmt *s = block->stmts[i];
		bool plain = s->kind == STMT_ASSIGN;
		for (uint16_t k = 0; (plain || s->kind == STMT_AUGMENT || s->kind == STMT_FOR) && k < s->target_count; k++)
			if (gives_something(s->targets[k], plain ? s->value : NULL, name))
				return true;
		bool inside = s->kind != STMT_DEF && (is_ever_something(&s->body, name) || is_ever_something(&s->other, name) ||
						      is_ever_something(&s->final, name));
		for (uint32_t k = 0; k < s->handler_count && !inside; k++)
			inside = is_ever_something(&s->handlers[k].body, name);
		if (inside)
			return true;
	}
	return false;
}

/* An autograd function's arguments that its backward returns gradients for are tensors. */
static void know_differentiated(struct interp *in, const struct method_walk *walk)
{
	const struct object *backward = class_method(in, walk->self->class_def, STR("backward"));
	if (!walk->self->library || !model_class_is(in->model, walk->self->library, "torch.autograd.Function") || !backward ||
	    !backward->function)
		return;
	const struct expr *grads = returned_last(backward->function);
	bool several = grads && grads->kind == EXPR_TUPLE;
	uint32_t count = several ? grads->count : grads && walk->args->count == 2 ? 1 : 0;
	for (uint32_t i = 0; i < count && i + 1 < walk->args->count; i++) {
		const struct expr *grad = several ? grads->items[i] : grads;
		if (grad->kind == EXPR_STAR)
			return;
		if (grad->kind != EXPR_CONSTANT &&
		    (grad->kind != EXPR_NAME || is_ever_something(&backward->function->body, grad->name)))
			object_prove(in, &walk->args->values[i + 1], KIND_TENSOR);
	}
}

static void walk_method(struct interp *in, struct method_walk *walk)
{
	if (walk->next_loop < walk->loop_count) {
		const char *name = walk->loops[walk->next_loop];
		/* the hooks of a framework share its loops; otherwise each method is called in a loop of its own */
		const char *node = walk->hook ? (const char *)walk->self->class_def : (const char *)walk->def;
		struct loop *loop = loop_enter(in, node + (name[0] == 'e'), LOOP_VIRTUAL, walk->def->head);
		loop->virtual_name = name;
		if (!walk->hook || !loop->def)
			loop->def = walk->def;
		run_loop(in, loop, method_body, walk, true);
		return;
	}
	struct frame frame = {.def = walk->def, .scope = in->module_scope};
	in->frame = &frame;
	walk->args = unknown_args(in, walk->def, !walk->method->is_static);
	in->frame = NULL;
	if (str_is(walk->def->name, "forward"))
		know_differentiated(in, walk);
	forget_modes(in, walk->self, 4);
	struct value grad = cell_get(in, in->grad_cell);
	size_t first = in->events.count;
	if (walk->hook && walk->hook->grad)
		grad_enter(in, walk->hook->grad, NULL);
	bool off = false;
	struct value result;
	uint32_t self = walk->method->is_static ? 0 : walk->self->id;
	struct object *method = function_as_called(in, walk->def, self, walk->args);
	if (walk->def->is_generator) {
		struct object generator = *method;
		generator.bound_args = walk->args;
		generator.self = self;
		result = run_generator(in, &generator, NULL, &off);
	} else {
		result = call_def(in, method, self, walk->args, NULL);
	}
	if (walk->hook && walk->hook->consumes_return) {
		struct event *event = event_add(in, EVENT_CONSUME, walk->def->head);
		event_value(in, event, &result);
		event_add(in, EVENT_STEP, walk->def->head);
	}
	note_lasting(in, first);
	cell_set(in, in->grad_cell, grad);
}

/* Which loops somebody else runs this method in. */
static void method_loops(struct interp *in, struct method_walk *walk)
{
	const struct model_class *library = walk->self->library;
	walk->hook = library ? model_hook_get(in->model, library, walk->def->name) : NULL;
	if (!walk->hook)
		walk->hook = model_step_get(in->model, walk->def->name);
	if (walk->hook) {
		walk->loop_count = walk->hook->loop_count;
		memcpy(walk->loops, walk->hook->loops, sizeof walk->loops);
		return;
	}
	bool module = walk->self->kinds & KIND_MODULE;
	if ((module && str_is(walk->def->name, "forward")) || str_is(walk->def->name, "__getitem__")) {
		walk->loops[walk->loop_count++] = "step";
	} else {
		walk->loops[walk->loop_count++] = "call";
	}
}

struct class_walk {
	struct class_info *class;
	struct object *self;
	const bool *wanted;
	bool *skip; /* methods that were walked before, in the order of the class */
	const struct map *called; /* names that are called somewhere in the file */
	bool sorted;              /* … or that others walk are skipped by now */
};

/* Whether somebody out of sight calls the method, whoever else does. */
static bool is_entry(const struct method_walk *method)
{
	return method->hook || str_is(method->def->name, "forward") || str_starts(method->def->name, "__");
}

/* Walks the methods that nobody calls first: what they call is judged as they call it, and not once more alone. */
static void walk_callers(struct interp *in, struct class_walk *walk)
{
	walk->sorted = true;
	for (int pass = 0; pass < 2; pass++) {
		uint32_t place = 0;
		for (uint32_t i = in->first_child[walk->class->def->index]; i-- > 0; i = in->next_child[i]) {
			struct def *def = in->defs[i];
			if (!is_function(def))
				continue;
			bool *skip = &walk->skip[place++];
			struct object *method = in->functions[i];
			if (*skip || str_is(def->name, "__init__") || !method || !method->function)
				continue;
			struct method_walk inner = {.self = walk->self, .method = method, .def = def};
			method_loops(in, &inner);
			bool called = map_has(walk->called, def->name) && !is_entry(&inner);
			if (pass == 0 && !called)
				walk_method(in, &inner);
			else if (pass == 1 && called && in->visited[i])
				*skip = true;
		}
	}
}

static bool class_body(struct interp *in, struct loop *loop, void *context)
{
	struct class_walk *walk = context;
	(void)loop;
	if (!walk->sorted)
		walk_callers(in, walk);
	uint32_t place = 0;
	for (uint32_t i = in->first_child[walk->class->def->index]; i-- > 0; i = in->next_child[i]) {
		struct def *def = in->defs[i];
		if (!is_function(def) || walk->skip[place++] || str_is(def->name, "__init__"))
			continue;
		struct object *method = in->functions[i];
		if (!method || !method->function)
			continue;
		struct method_walk inner = {.self = walk->self, .method = method, .def = def};
		method_loops(in, &inner);
		walk_method(in, &inner);
	}
	return true;
}

static void run_class(struct interp *in, struct class_info *class, const bool *wanted, const struct map *called)
{
	bool any = false;
	uint32_t methods = 0;
	for (uint32_t i = in->first_child[class->def->index]; i-- > 0; i = in->next_child[i])
		methods += is_function(in->defs[i]);
	bool *skip = ARENA_ARRAY(in->arena, bool, methods + 1u);
	methods = 0;
	for (uint32_t i = in->first_child[class->def->index]; i-- > 0; i = in->next_child[i]) {
		if (!is_function(in->defs[i]))
			continue;
		skip[methods++] = in->visited[i];
		any |= !in->visited[i] && (!wanted || wanted[i]);
	}
	if (!any)
		return;
	begin_root(in, class->def);
	struct object *init = class_method(in, class->def, STR("__init__"));
	struct frame frame = {.def = class->def, .scope = in->module_scope};
	in->frame = &frame;
	struct args *args = init && init->function ? unknown_args(in, init->function, true) : args_new(in, 0);
	in->frame = NULL;
	struct value instance = class_instantiate(in, class, args, NULL);
	struct class_walk walk = {class, object_get(in, instance.objects[0]), wanted, skip, called, false};
	walk.self->name = STR("self");
	struct loop *protocol = loop_enter(in, class, LOOP_VIRTUAL, class->def->head);
	protocol->is_struct = true;
	protocol->virtual_name = "use";
	run_loop(in, protocol, class_body, &walk, true);
	end_root(in);
}

/* ---- the file ---- */

static void run_module(struct interp *in, struct def *module)
{
	begin_root(in, module);
	in->visited[module->index] = true;
	struct frame frame = {.def = module, .scope = in->module_scope};
	in->frame = &frame;
	exec_block(in, &module->body);
	in->frame = NULL;
	end_root(in);
}

static void run_rest(struct interp *in, const struct lower *lower, const bool *wanted, bool with_callers)
{
	for (uint32_t i = 0; i < in->def_count; i++) {
		struct def *def = in->defs[i];
		struct class_info *class = def->kind == DEF_CLASS ? class_find(in, def) : NULL;
		if (in->budget <= 0)
			return;
		if (class && with_callers == map_has(&lower->called, def->name))
			run_class(in, class, wanted, &lower->called);
		if (!is_function(def) || in->visited[i] || (wanted && !wanted[i]))
			continue;
		if (def->parent && def->parent->kind == DEF_CLASS)
			continue;
		if (with_callers == map_has(&lower->called, def->name))
			run_function(in, def);
	}
}

/* Work is linear in what was lowered: so many evaluations an expression, however calls nest. */
enum { EVALUATIONS = 20, EVALUATIONS_AT_LEAST = 60000, AWAY = 3, AWAY_AT_LEAST = 6000 };

void analysis_run(struct analysis *analysis, const struct model *model, struct arena *arena, struct str text,
		  const struct lower *lower, struct def *module, const bool *wanted, const struct unit_source *units,
		  const char *path)
{
	struct interp *in = &analysis->in;
	memset(analysis, 0, sizeof *analysis);
	in->model = model;
	in->arena = arena;
	in->text = text;
	in->units = units;
	in->path_name = path;
	in->module = module;
	in->defs = lower->defs;
	in->asked = &lower->asked;
	in->def_count = lower->def_count;
	in->visited = ARENA_ARRAY(arena, bool, lower->def_count + 1u);
	in->functions = ARENA_ARRAY(arena, struct object *, lower->def_count + 1u);
	in->budget = (int64_t)lower->expr_count * EVALUATIONS + EVALUATIONS_AT_LEAST;
	in->away_budget = (int64_t)lower->expr_count * AWAY + AWAY_AT_LEAST;
	in->first_child = ARENA_ARRAY(arena, uint32_t, lower->def_count + 1u);
	in->next_child = ARENA_ARRAY(arena, uint32_t, lower->def_count + 1u);
	for (uint32_t i = lower->def_count; i-- > 0;) { /* from the back, so that lists are in order */
		const struct def *parent = lower->defs[i]->parent;
		if (!parent)
			continue;
		in->next_child[i] = in->first_child[parent->index];
		in->first_child[parent->index] = i + 1;
	}
	origin_table_init(&in->origins, arena);
	struct str none = {"", 0};
	cell_new(in, none, 0, NULL); /* number 0 stands for no cell */
	in->grad_cell = cell_new(in, none, 0, NULL);
	VEC_ADD(&in->objects, NULL);
	VEC_ADD(&in->sites, NULL);
	in->grad_found = site_new(in, SITE_INPUT, module, 0, (struct span){0, 0})->id;
	in->module_scope = ARENA_NEW(arena, struct scope);
	in->module_scope->def = module;
	in->module_scope->first_cell = (uint32_t)in->cells.count;
	for (uint32_t i = 0; i < module->local_count; i++)
		cell_new(in, module->locals[i], 0, module);
	run_module(in, module);
	run_rest(in, lower, wanted, false);
	run_rest(in, lower, wanted, true);
	for (size_t i = 0; i < in->hooked.count; i++) {
		begin_root(in, module);
		hook_run_alone(in, i);
		end_root(in);
	}
}

void analysis_release(struct analysis *analysis)
{
	struct interp *in = &analysis->in;
	for (size_t i = 1; i < in->objects.count; i++)
		VEC_RELEASE(&in->objects.items[i]->slots);
	for (size_t i = 0; i < in->loops.count; i++)
		VEC_RELEASE(&in->loops.items[i]->born);
	VEC_RELEASE(&in->cells);
	VEC_RELEASE(&in->log);
	VEC_RELEASE(&in->objects);
	VEC_RELEASE(&in->sites);
	VEC_RELEASE(&in->loops);
	VEC_RELEASE(&in->calls);
	VEC_RELEASE(&in->events);
	VEC_RELEASE(&in->roots);
	VEC_RELEASE(&in->hooked);
	VEC_RELEASE(&in->loaded);
	VEC_RELEASE(&in->stars);
	arena_release(&in->scratch);
}
