#include <string.h>
#include "flow/interp.h"
#include "flow/lower.h"

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

struct str callee_name(struct interp *in, const struct expr *node)
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
	for (uint8_t i = 0; i < value->object_count; i++)
		if (value->objects[i] != object->id && object_holds(in, object, value->objects[i]))
			return true;
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
		rule = model_method(in->model, in->model->tensor, name);
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
			rule = model_method(in->model, in->model->tensor, name);
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
