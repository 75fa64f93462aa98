#include <stdio.h>
#include <string.h>
#include "flow/interp.h"

/* The kept source of a call: an argument, the receiver, or all of them together. */
struct source_values {
	struct value values[20];
	uint32_t count;
};

/* A container among the operands of an operation stands for its elements. */
struct value operand(struct interp *in, const struct value *value, const struct expr *node)
{
	if (!value->object_count || (value->flags & VALUE_PARAMETER))
		return *value;
	bool container = false;
	for (uint8_t i = 0; i < value->object_count; i++)
		container |= (object_get(in, value->objects[i])->kinds & (KIND_CONTAINER | KIND_GENERATOR)) != 0;
	if (!container)
		return *value;
	struct value elements = value_bottom();
	for (uint8_t i = 0; i < value->object_count; i++) {
		struct object *object = object_get(in, value->objects[i]);
		struct value part = object->kinds & KIND_GENERATOR ? drain_generator(in, object, node)
								    : object_elements(in, object);
		elements = value_join(&in->origins, &elements, &part);
	}
	if (value_is_bottom(&elements))
		elements = value_of(KIND_UNKNOWN);
	/* containers of containers: one level more is enough for rows of tuples */
	if (elements.object_count && !(elements.flags & VALUE_PARAMETER))
		elements = value_add_origins(in, elements, deep_origins(in, &elements));
	if (value->origins)
		elements = value_add_origins(in, elements, value->origins);
	elements.object_count = 0;
	elements.many_objects = false;
	elements.flags &= (uint16_t)~VALUE_VIEW;
	return elements;
}

static void collect(struct interp *in, const struct model_rule *rule, const struct value *receiver,
		    const struct args *args, const struct expr *node, struct source_values *out)
{
	int from = rule->returns.from;
	out->count = 0;
	if (receiver && (from == MODEL_SELF || from == MODEL_ALL))
		out->values[out->count++] = operand(in, receiver, node);
	for (uint32_t i = 0; i < args->count && out->count < 20 && from != MODEL_SELF; i++)
		if (from == MODEL_ALL)
			out->values[out->count++] = operand(in, &args->values[i], node);
	if (from >= 0) {
		const struct value *value = args_get(args, (uint32_t)from, NULL);
		/* a keyword may stand for any position; the first one is the best guess */
		if (!value && args->count)
			value = &args->values[0];
		if (value)
			out->values[out->count++] = operand(in, value, node);
	}
}

static const struct value *source_of(const struct model_rule *rule, const struct value *receiver, const struct args *args)
{
	if (rule->returns.from == MODEL_SELF)
		return receiver;
	return args_get(args, rule->returns.from >= 0 ? (uint32_t)rule->returns.from : 0, NULL);
}

static void shape_result(const struct model_returns *returns, struct value *out)
{
	if (returns->kinds)
		out->kinds = returns->kinds;
	if (returns->view)
		out->flags |= VALUE_VIEW;
	if (returns->concat)
		out->flags |= VALUE_CONCAT;
	if (returns->full_storage)
		out->flags |= VALUE_FULL_STORAGE;
	if (returns->large)
		out->extent = EXTENT_LARGE;
	if (returns->scalar)
		out->extent = EXTENT_SCALAR;
	if (returns->fresh)
		out->flags &= (uint16_t) ~(VALUE_VIEW | VALUE_INFERENCE);
	if (returns->accelerator)
		out->device = DEVICE_ACCELERATOR;
	if (returns->cpu)
		out->device = DEVICE_CPU;
}

static struct value leaf(struct interp *in, const struct value *source, const struct expr *node)
{
	struct value out = value_of(KIND_TENSOR);
	out.made = node->span;
	struct site *site = site_new(in, SITE_LEAF, node, 0, node->span);
	site->proof = PROOF_FLOW;
	bool frozen = false;
	for (uint8_t i = 0; source && i < source->object_count; i++) {
		struct object *object = object_get(in, source->objects[i]);
		frozen |= hidden_number(in, object, STR("%frozen")) == 1;
		site->object = object->id;
		if (object->input)
			site->proof = PROOF_USAGE;
		out.objects[out.object_count++] = object->id;
	}
	if (out.object_count)
		out.flags |= VALUE_PARAMETER;
	bool off = grad_is_off(in);
	out.origins = frozen ? in->origins.empty
			     : origin_one(&in->origins, origin_make(site->id, off ? ORIGIN_CUT : ORIGIN_SELF));
	return out;
}

/* What modules hand out when asked for their parameters: parameters, or pairs of name and parameter. */
static struct value parameters(struct interp *in, const struct model_returns *returns, const struct value *source,
			       const struct expr *node)
{
	struct value out = leaf(in, source, node);
	out.flags |= VALUE_STRUCT;
	if (!returns->counted)
		return out;
	struct object *pair = object_new(in, node, 11, KIND_CONTAINER, node->span);
	struct object *iterator = object_new(in, node, 12, KIND_CONTAINER, node->span);
	struct value part = out;
	part.flags &= (uint16_t)~VALUE_STRUCT;
	cell_set(in, object_slot(in, pair, STR("0"), true), value_of(KIND_TEXT));
	cell_set(in, object_slot(in, pair, STR("1"), true), part);
	pair->literal = true;
	add_element(in, iterator, object_value(in, pair));
	iterator->literal = iterator->iterator = true;
	iterator->library = model_class_get(in->model, "builtins.list");
	struct value pairs = object_value(in, iterator);
	pairs.flags |= VALUE_STRUCT;
	return pairs;
}

/* sum(f(x) for x in xs) is a running total over the generator's loop. */
static void note_fold(struct interp *in, const struct value *source, const struct value *total, const struct expr *node)
{
	for (uint8_t i = 0; i < source->object_count; i++) {
		const struct object *object = object_get(in, source->objects[i]);
		if (!object->made_in)
			continue;
		struct loop *path = in->path;
		in->path = object->made_in;
		struct event *event = event_add(in, EVENT_ACCUMULATE, node->span);
		in->path = path;
		event_value(in, event, total);
		event->carries[0] = object->made_in;
		event->carry_count = 1;
	}
}

struct value iterated(struct interp *in, const struct model_returns *returns, const struct value *elements, uint32_t count,
		      bool method, const struct expr *node)
{
	if (count == 1 && !returns->counted)
		return returns->graph == GRAPH_OP ? combine(in, elements, 1, node->span) : elements[0];
	struct value any = value_bottom();
	for (uint32_t i = 0; returns->in_turn && i < count; i++)
		any = value_join(&in->origins, &any, &elements[i]);
	if (returns->in_turn)
		return any;
	struct object *tuple = object_new(in, node, 11, KIND_CONTAINER, node->span);
	tuple->literal = true;
	tuple->library = model_class_get(in->model, "builtins.tuple");
	uint32_t place = 0;
	if (returns->counted) {
		struct value number = value_of(method ? KIND_TEXT : KIND_NUMBER);
		if (!method)
			number.flags = VALUE_COUNTER;
		cell_set(in, object_slot(in, tuple, STR("0"), true), number);
		place = 1;
	}
	for (uint32_t i = 0; i < count; i++, place++)
		cell_set(in, object_slot(in, tuple, position_name(in, place), true), elements[i]);
	return object_value(in, tuple);
}

/* enumerate, zip, reversed, range, items, …: something to iterate, with what it yields. */
static struct value iterator(struct interp *in, const struct model_rule *rule, const struct value *receiver,
			     struct args *args, const struct expr *node)
{
	bool range, parts = false, generators = false;
	for (uint32_t i = 0; i < args->count && !rule->returns.struct_loop; i++)
		generators |= !args->names[i].length && is_generator(in, &args->values[i]);
	if (generators)
		return object_value(in, lazy_iterator(in, rule, receiver, args, node));
	struct object *object = object_new(in, node, 12, KIND_CONTAINER, node->span);
	object->iterator = true;
	object->literal = false;
	uint32_t sources = args->count + (receiver ? 1 : 0);
	if (rule->returns.counted && !rule->returns.iterates) { /* range */
		struct value number = value_of(KIND_NUMBER);
		number.flags = VALUE_COUNTER;
		const struct value *last = args_get(args, args->count > 1 ? 1 : 0, NULL);
		enum { SMALL_RANGE = 16 };
		object->literal = object->range = last && last->number != VALUE_NO_NUMBER && last->number <= SMALL_RANGE;
		object->size = last && last->number > 0 ? last->number : 0;
		add_element(in, object, number);
		return object_value(in, object);
	}
	struct value elements[8];
	uint32_t count = 0;
	uint32_t first = !receiver && rule->returns.from > 0 ? (uint32_t)rule->returns.from : 0; /* filter(f, xs) */
	for (uint32_t i = first; i < sources && count < 8; i++) {
		const struct value *source = receiver ? (i == 0 ? receiver : &args->values[i - 1]) : &args->values[i];
		if (!receiver && args->names[i].length)
			continue;
		if (rule->returns.from != MODEL_ALL && count)
			break;
		parts |= is_parts(in, source, &range);
		if ((!receiver || rule->returns.graph == GRAPH_NO) && dict_keys(in, source, &elements[count]))
			count++;
		else
			elements[count++] = element_of(in, source, node);
	}
	object->literal = parts || rule->returns.struct_loop;
	const struct value *over = receiver ? receiver : args_get(args, first, NULL);
	object->covers = count == 1 && over && first == 0 ? container_covered(in, over) : 0;
	struct value element = iterated(in, &rule->returns, elements, count, receiver != NULL, node);
	add_element(in, object, element);
	if (rule->returns.folds && args->count)
		note_fold(in, &args->values[0], &element, node);
	return object_value(in, object);
}

/* (values, indices) of max, topk, sort and the like. */
static struct value indexed_pair(struct interp *in, struct value values, const struct expr *node)
{
	struct object *pair = object_new(in, node, 13, KIND_CONTAINER, node->span);
	struct value indices = value_of(KIND_TENSOR);
	indices.made = node->span;
	indices.device = values.device;
	values.kinds = KIND_TENSOR;
	cell_set(in, object_slot(in, pair, STR("0"), true), values);
	cell_set(in, object_slot(in, pair, STR("1"), true), indices);
	cell_set(in, object_slot(in, pair, STR("values"), true), values);
	cell_set(in, object_slot(in, pair, STR("indices"), true), indices);
	pair->literal = true;
	return object_value(in, pair);
}

static bool gives_dimension(const struct args *args, bool method)
{
	uint32_t first = method ? 0 : 1, position = 0;
	for (uint32_t i = 0; i < args->count; i++) {
		if (args->names[i].length) {
			if (str_is(args->names[i], "dim") || str_is(args->names[i], "axis"))
				return true;
			continue;
		}
		if (position++ == first)
			return value_only(&args->values[i], KIND_NUMBER);
	}
	return false;
}

/* A second thing like SOURCE: deepcopy of a module, an instance or a container. */
static struct value twin(struct interp *in, const struct value *source, const struct expr *node)
{
	struct value out = *source;
	out.object_count = 0;
	for (uint8_t i = 0; i < source->object_count; i++) {
		struct object *from = object_get(in, source->objects[i]);
		struct object *copy = object_new(in, node, 0x700u + i, from->kinds, node->span);
		copy->twin_of = from->id;
		copy->class_def = from->class_def;
		copy->library = from->library;
		copy->function = from->function;
		copy->scope = from->scope;
		copy->literal = from->literal;
		copy->proved |= from->proved;
		copy->input = from->input;
		copy_slots(in, copy, from);
		if (from->rest)
			cell_set(in, object_rest(in, copy), cell_get(in, from->rest));
		out.objects[out.object_count++] = copy->id;
	}
	return out;
}

static struct value copied(struct interp *in, const struct model_rule *rule, const struct value *source,
			   struct args *args, const struct expr *node)
{
	if (!rule->returns.class_name)
		return source ? twin(in, source, node) : value_of(KIND_UNKNOWN);
	struct object *object = object_new(in, node, 14, KIND_CONTAINER, node->span);
	object->library = model_class_get(in->model, rule->returns.class_name);
	object->covers = source ? container_covered(in, source) : 0;
	struct value key;
	if (source && !model_class_is(in->model, object->library, "builtins.dict") && dict_keys(in, source, &key)) {
		bool range;
		object->literal = is_parts(in, source, &range);
		add_element(in, object, key);
		return object_value(in, object);
	}
	for (uint8_t i = 0; source && i < source->object_count && !(source->flags & VALUE_PARAMETER); i++) {
		struct object *from = object_get(in, source->objects[i]);
		if ((from->kinds & KIND_GENERATOR) || from->lazy) {
			drain_into(in, from, object, node->span, object->name);
			continue;
		}
		object->literal = from->literal;
		object->size = from->size;
		copy_slots(in, object, from);
		if (from->rest)
			add_element(in, object, cell_get(in, from->rest));
		else if (from->input)
			add_element(in, object, element_of(in, source, node));
	}
	if (source && (!source->object_count || (source->flags & VALUE_PARAMETER)))
		add_element(in, object, element_of(in, source, node));
	record_named(in, object, args);
	return object_value(in, object);
}

/* no_grad(), set_grad_enabled(x): a context object; as a whole statement, something dropped or switched. */
static struct value grad_result(struct interp *in, const char *mode, struct args *args,
				const struct expr *node, struct str name)
{
	struct object *context = object_new(in, node, 15, KIND_GRADMODE, node->span);
	context->grad_mode = mode;
	context->name = name;
	const struct value *argument = args_get(args, 0, "mode");
	context->grad_argument = argument ? *argument : value_of(KIND_NONE);
	if (argument && (argument->kinds & KIND_FUNCTION) && argument->object_count == 1) /* no_grad(f) */
		return under_mode(in, context, argument, node);
	if (in->statement_value == node) {
		bool switches = strcmp(mode, "argument") == 0;
		struct event *event = event_add(in, EVENT_GRAD_CONTEXT, node->span);
		event->grad_dropped = !switches;
		event->name = name;
		bool known = switches && argument && (argument->number == 0 || argument->number == 1);
		event->mode = known ? (int)argument->number : -1;
		event->objects[0] = context->id;
		event->object_count = 1;
		if (in->frame && switches)
			in->frame->switched_off = event->mode == 0 ? (uint32_t)in->events.count : 0;
		bool off = event->mode == 0;
		if (switches)
			grad_enter(in, mode, &context->grad_argument);
		if (off)
			grad_because(in, object_site(in, context));
	}
	return object_value(in, context);
}

static struct value tuple_of(struct interp *in, const struct value *values, uint32_t count, const struct expr *node)
{
	struct object *tuple = object_new(in, node, 11, KIND_CONTAINER, node->span);
	tuple->literal = true;
	for (uint32_t i = 0; i < count; i++)
		cell_set(in, object_slot(in, tuple, position_name(in, i), true), values[i]);
	return object_value(in, tuple);
}

/* The exception that is being handled; sys.exc_info(): its class, itself and its traceback, which holds the frames too. */
static struct value handled_exception(struct interp *in, const struct model_rule *rule, const struct expr *node)
{
	struct value exception = object_value(in, object_get(in, in->handling->exception));
	struct value parts[] = {value_of(KIND_UNKNOWN), exception, exception};
	return rule->returns.kinds & KIND_CONTAINER ? tuple_of(in, parts, 3, node) : exception;
}

/* deepspeed.initialize(…): instances of the classes that NAMES lists, separated by spaces. */
static struct value made_parts(struct interp *in, const char *names, const struct expr *node)
{
	struct object *tuple = object_new(in, node, 11, KIND_CONTAINER, node->span);
	tuple->literal = true;
	for (uint32_t i = 0; *names; i++) {
		size_t n = strcspn(names, " ");
		const struct model_class *class = model_class_get(in->model, arena_dup_bytes(in->arena, names, n));
		struct object *part = object_new(in, node, 0x800u + i, class && class->kinds ? class->kinds : KIND_INSTANCE, node->span);
		part->library = class;
		cell_set(in, object_slot(in, tuple, position_name(in, i), true), object_value(in, part));
		names += n + (names[n] == ' ');
	}
	return object_value(in, tuple);
}

/* d.get(k, default), d.pop(k), d.setdefault(k, default): what lies under the key where it is known. */
static struct value element_by_key(struct interp *in, const struct model_rule *rule, const struct value *source,
				   const struct args *args, const struct expr *node)
{
	const struct value *key = args_get(args, 0, NULL), *fallback = args_get(args, 1, NULL);
	for (uint8_t i = 0; key && i < source->object_count; i++)
		object_get(in, source->objects[i])->looked_up = true;
	bool keyed = rule->returns.from == MODEL_SELF && key && source->object_count && (key->text.at || fallback);
	struct value out = keyed ? read_item(in, source, key, node) : element_of(in, source, node);
	if (keyed && fallback) {
		if (value_only(&out, KIND_UNKNOWN) && !out.object_count && (!out.origins || !out.origins->count))
			out = *fallback;
		else
			out = value_join(&in->origins, &out, fallback);
	}
	return out;
}

/* What calling the argument that RULE names gives, with the arguments behind it; for map, with their elements. */
static struct value called(struct interp *in, const struct model_rule *rule, const struct value *source, struct args *args,
			   const struct expr *node)
{
	uint32_t first = rule->returns.from > 0 ? (uint32_t)rule->returns.from + 1 : 1;
	if (rule->returns.folds)
		return reduced(in, args, node);
	if (rule->returns.kinds & KIND_GENERATOR)
		return object_value(in, lazy_iterator(in, rule, NULL, args, node));
	struct args *rest = args_new(in, args->count);
	for (uint32_t i = first; i < args->count; i++)
		args_add(rest, args->values[i], args->names[i], args->nodes[i]);
	return call_value(in, source, rest, node);
}

static struct value result_of(struct interp *in, const struct model_rule *rule, const struct value *receiver,
			      struct args *args, const struct expr *node, struct str name)
{
	const struct model_returns *returns = &rule->returns;
	const struct value *source = source_of(rule, receiver, args);
	struct source_values sources;
	struct value out = value_bottom();
	if (returns->spread && args->count > 1)
		return tuple_of(in, args->values, args->count, node); /* accelerator.prepare(a, b): in the same places */
	if (returns->opaque)
		return opaque_instance(in, name, node);
	if (returns->parts)
		return made_parts(in, returns->parts, node);
	if (returns->graph == GRAPH_RETURN && source)
		return called(in, rule, source, args, node);
	if (returns->iterates || (returns->counted && returns->graph != GRAPH_MADE))
		return iterator(in, rule, receiver, args, node);
	if (returns->copies)
		return copied(in, rule, source, args, node);
	switch (returns->graph) {
	case GRAPH_NO:
		out = value_of(returns->kinds ? returns->kinds : KIND_UNKNOWN);
		out.origins = in->origins.empty;
		if (receiver)
			out.device = receiver->device;
		break;
	case GRAPH_MADE:
		if (returns->struct_loop || (receiver && (receiver->kinds & KIND_MODULE) && receiver->object_count)) {
			out = parameters(in, returns, receiver ? receiver : source, node);
			if (!returns->struct_loop)
				out.flags &= (uint16_t)~VALUE_STRUCT;
			return out;
		}
		if (receiver && args->count && args->values[0].number == 0) /* requires_grad_(False) */
			return tag_value(in, *receiver, ORIGIN_CUT);
		out = leaf(in, NULL, node);
		if (receiver && receiver->origins) /* requires_grad_() on what was computed keeps its history */
			out.origins = origin_union(&in->origins, out.origins, receiver->origins);
		return out;
	case GRAPH_OP:
		collect(in, rule, receiver, args, node, &sources);
		out = combine(in, sources.values, sources.count, node->span);
		if (!receiver && !rule->prefix && args->count && (returns->kinds & KIND_TENSOR) && !(returns->kinds & KIND_NUMBER))
			object_prove(in, &args->values[0], KIND_TENSOR);
		if (returns->folds && source)
			note_fold(in, source, &out, node);
		break;
	case GRAPH_PASS:
		if (returns->from != MODEL_ALL && source)
			out = *source;
		for (uint32_t i = 0; returns->from == MODEL_ALL && i < args->count; i++) {
			struct value v = args->count == 1 ? operand(in, &args->values[i], node) : args->values[i];
			if (!args->names[i].length)
				out = value_join(&in->origins, &out, &v);
		}
		break;
	case GRAPH_ELEMENT:
		if (source)
			out = element_by_key(in, rule, source, args, node);
		break;
	case GRAPH_CUT:
		out = source ? tag_value(in, *source, ORIGIN_CUT) : value_of(KIND_TENSOR);
		out.flags |= VALUE_DETACHED;
		if (!(out.flags & VALUE_PARAMETER))
			out.object_count = 0;
		break;
	case GRAPH_RETURN:
		break;
	case GRAPH_FORWARD:
		if (receiver && receiver->object_count == 1 && object_get(in, receiver->objects[0])->input)
			return unknown_call(in, receiver, name, NULL, args, node, false);
		if (receiver && receiver->object_count)
			return forward_call(in, object_get(in, receiver->objects[0]), receiver, args, node);
		/* fall through */
	case GRAPH_CALL:
		return unknown_call(in, NULL, name, receiver, args, node, receiver == NULL);
	}
	if (value_is_bottom(&out))
		out = value_of(returns->kinds ? returns->kinds : KIND_UNKNOWN);
	bool passes = returns->graph == GRAPH_PASS || returns->graph == GRAPH_ELEMENT;
	if (!passes || (returns->kinds && !out.object_count))
		shape_result(returns, &out);
	else if (returns->cpu || returns->accelerator)
		out.device = returns->cpu ? DEVICE_CPU : DEVICE_ACCELERATOR;
	if (!passes) {
		out.made = node->span;
		out.born = returns->graph == GRAPH_NO && receiver ? receiver->born : in->path;
	}
	if (returns->identity && source) {
		out.flags |= VALUE_IDENTITY;
		out.counter = made_over(in, source);
	}
	if (returns->mode && receiver && receiver->object_count == 1) {
		int mode = object_mode(in, object_get(in, receiver->objects[0]));
		out.flags |= VALUE_MODE;
		out.number = mode < 0 ? VALUE_NO_NUMBER : mode;
	}
	if (returns->reduces && !gives_dimension(args, receiver != NULL))
		out.extent = EXTENT_SCALAR;
	if (returns->indexed == 'a' || (returns->indexed == 'd' && gives_dimension(args, receiver != NULL)))
		return indexed_pair(in, out, node);
	return out;
}

/* device="cuda", .to(device), requires_grad=True: arguments that any tensor maker understands. */
static void common_arguments(struct args *args, struct value *out)
{
	for (uint32_t i = 0; i < args->count; i++) {
		const struct value *v = &args->values[i];
		bool device = str_is(args->names[i], "device") || (!args->names[i].length && (v->kinds & (KIND_TEXT | KIND_SMALL)));
		if (device && v->device)
			out->device = v->device;
		if (device && v->text.at && str_starts(v->text, "cuda"))
			out->device = DEVICE_ACCELERATOR;
		else if (device && v->text.at && str_starts(v->text, "cpu"))
			out->device = DEVICE_CPU;
	}
}

/* partial(f, a, k=b): a function that holds its arguments. */
static struct value bind_arguments(struct interp *in, struct args *args, const struct expr *node)
{
	const struct value *callee = &args->values[0];
	struct object *object = object_new(in, node, 16, KIND_FUNCTION, node->span);
	const struct object *function = callee->object_count ? object_get(in, callee->objects[0]) : NULL;
	struct args *bound = args_new(in, args->count);
	for (uint32_t i = 1; i < args->count; i++) {
		args_add(bound, args->values[i], args->names[i], args->nodes[i]);
		cell_set(in, object_slot(in, object, str_from(arena_format(in->arena, "bound %u", i)), true), args->values[i]);
	}
	object->bound_args = args_keep(in, bound);
	object->library_function = callee->dotted;
	if (function)
		copy_function(object, function);
	return object_value(in, object);
}

/* A call that rules look for; one with a flag counts as switched off where the flag says no. */
static void mark(struct interp *in, const struct model_rule *rule, const struct value *receiver, struct args *args,
		 const struct expr *node)
{
	int flag = -1;
	const struct value *given = NULL;
	if (rule->unless && args_get(args, UINT32_MAX, rule->unless))
		return;
	bool named = strncmp(rule->mark, "debug(", 6) == 0 && sscanf(rule->mark, "debug(%d)", &flag) != 1;
	if (flag >= 0)
		given = args_get(args, (uint32_t)flag, "enabled");
	if (named) /* off unless the keyword is true */
		flag = literally_true(args, arena_dup_bytes(in->arena, rule->mark + 6, strcspn(rule->mark + 6, ")"))) ? 1 : 0;
	struct event *event = event_add(in, EVENT_MARK, node->span);
	bool off = strcmp(rule->mark, "debug-off") == 0;
	event->mark = rule->mark[0] == 'd' ? "debug" : rule->mark;
	event->mode = off ? 0 : named ? flag : !given ? 1 : value_only(given, KIND_NONE) || given->number == 0 ? 0 : given->number == 1 || value_only(given, KIND_TEXT) ? 1 : -1;
	event->handed = in->statement_value != node;
	if (receiver) {
		memcpy(event->objects, receiver->objects, sizeof event->objects);
		event->object_count = receiver->object_count;
	}
	bool plain = strcmp(rule->mark, "plain") == 0;
	if (plain ? receiver != NULL : args->count > 0)
		event_value(in, event, plain ? receiver : &args->values[0]);
}

struct value apply_rule(struct interp *in, const struct model_rule *rule, const struct value *receiver, struct args *args,
			const struct expr *node, struct str name)
{
	const char *grad = model_grad_mode(rule);
	if (grad)
		return grad_result(in, grad, args, node, name);
	struct value out;
	if (rule->binds && strcmp(rule->binds, "exception") == 0 && in->handling)
		return handled_exception(in, rule, node);
	if (rule->binds && strcmp(rule->binds, "attribute") == 0)
		return named_attribute(in, rule, args, node, &out) ? out : unknown_call(in, NULL, name, receiver, args, node, true);
	if (rule->binds && strcmp(rule->binds, "attributes") == 0 && args->count && has_plain_attributes(in, &args->values[0]))
		return read_attribute(in, &args->values[0], STR("__dict__"), node);
	if (rule->binds && strcmp(rule->binds, "arguments") == 0 && args->count)
		return bind_arguments(in, args, node);
	if (rule->binds && strcmp(rule->binds, "fields") == 0)
		return record_class(in, rule, args, node);
	if (rule->binds && strcmp(rule->binds, "replace") == 0)
		return receiver || args->count ? record_replace(in, receiver ? receiver : &args->values[0], args, node) : value_of(KIND_UNKNOWN);
	if (rule->first && args->count && !(args->values[0].kinds & rule->first))
		return unknown_call(in, NULL, name, receiver, args, node, receiver == NULL);
	if (rule->unless && rule->returns.graph == GRAPH_NO && literally_true(args, "create_graph")) {
		struct value source = operand(in, &args->values[0], node);
		out = combine(in, &source, args->count ? 1 : 0, node->span);
		out.kinds = KIND_TENSOR;
		struct site *grads = site_new(in, SITE_DERIVED, node, 1, node->span);
		grads->inputs = out.origins;
		out.origins = origin_add(&in->origins, out.origins, origin_make(grads->id, ORIGIN_SELF));
	} else if (rule->returns.class_name && !rule->returns.copies) {
		const struct model_class *class = model_class_get(in->model, rule->returns.class_name);
		struct object *object = object_new(in, node, 0, class ? class->kinds : KIND_INSTANCE, node->span);
		object->library = class;
		out = object_value(in, object);
		if (class && (class->kinds & KIND_DISTRIBUTION) && receiver)
			out.origins = receiver->origins;
	} else {
		out = result_of(in, rule, receiver, args, node, name);
	}
	if (!out.object_count || (out.kinds & (KIND_TENSOR | KIND_SMALL | KIND_TEXT))) {
		common_arguments(args, &out);
		if (literally_true(args, "requires_grad")) {
			struct value made = leaf(in, NULL, node);
			made.device = out.device;
			made.extent = out.extent;
			made.flags |= VALUE_REQUIRES_GRAD;
			if (args->count && args->values[0].origins) /* what it was made from has lost its graph here */
				made = value_add_origins(in, made, origin_retag(&in->origins, args->values[0].origins, ORIGIN_CUT));
			out = made;
		}
	}
	for (int i = 0; i < rule->effect_count; i++)
		apply_effect(in, rule, &rule->effects[i], receiver, args, node);
	for (uint8_t i = 0; rule->binds && receiver && i < receiver->object_count; i++)
		for (uint32_t k = 0; k < args->count; k++) /* add_param_group: the optimizer owns these too */
			add_element(in, object_get(in, receiver->objects[i]), args->values[k]);
	if (rule->mark)
		mark(in, rule, receiver, args, node);
	if (rule->hook && receiver)
		hook_register(in, rule, receiver, args, &out, node);
	return out;
}
