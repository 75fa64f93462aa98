/* What a call in library data does beside what it returns. */
#include <string.h>
#include "flow/interp.h"

static struct value effect_value(struct interp *in, const struct model_effect *effect, struct args *args)
{
	if (effect->value >= 0) {
		const struct value *value = args_get(args, (uint32_t)effect->value, NULL);
		if (!value && args->count)
			value = &args->values[args->count - 1];
		return value ? *value : value_of(KIND_UNKNOWN);
	}
	struct value all = value_bottom();
	for (uint32_t i = 0; i < args->count; i++)
		all = value_join(&in->origins, &all, &args->values[i]);
	return value_is_bottom(&all) ? value_of(KIND_UNKNOWN) : all;
}

static const struct value *effect_target(const struct model_effect *effect, const struct value *receiver, struct args *args)
{
	if (effect->on == MODEL_ALL && !args_get(args, 0, NULL))
		return receiver;
	return effect->on == MODEL_SELF ? receiver : args_get(args, effect->on >= 0 ? (uint32_t)effect->on : 0, NULL);
}

bool literally_true(const struct args *args, const char *name)
{
	for (uint32_t i = 0; i < args->count; i++)
		if (args->names[i].length && str_is(args->names[i], name))
			return args->values[i].number == 1;
	return false;
}

static const struct expr *keyword_node(const struct args *args, const char *name)
{
	for (uint32_t i = 0; i < args->count; i++)
		if (args->names[i].length && str_is(args->names[i], name) && args->nodes[i] && args->nodes[i]->kind == EXPR_KEYWORD)
			return args->nodes[i]->items[0];
	return NULL;
}

static bool true_at(const struct args *args, int position, int further)
{
	const struct value *value = position >= 0 ? args_get(args, (uint32_t)(position + further), NULL) : NULL;
	return value && value_only(value, KIND_NUMBER) && value->number == 1;
}

static void consume(struct interp *in, const struct model_rule *rule, const struct value *value, struct args *args,
		    const struct expr *node)
{
	struct event *event = event_add(in, EVENT_CONSUME, node->span);
	struct value walked = operand(in, value, node);
	event_value(in, event, &walked);
	if (!rule->unless)
		return;
	event->creates = literally_true(args, "create_graph") || true_at(args, rule->unless_at, 1);
	event->retains = event->creates || literally_true(args, rule->unless) || true_at(args, rule->unless_at, 0);
	in->records_gradients |= event->creates;
	event->wants_grads = rule->effects[0].on != MODEL_SELF && rule->returns.kinds != KIND_NONE;
	const struct value *inputs = args_get(args, event->wants_grads ? 1 : UINT32_MAX, "inputs");
	event->only_inputs = inputs != NULL;
	if (inputs)
		event->stops = operand(in, inputs, node).origins;
	const struct expr *flag = keyword_node(args, event->creates ? "create_graph" : rule->unless);
	event->handed = flag && flag->kind != EXPR_CONSTANT;
}

void reset_object(struct interp *in, struct object *object, bool popped, struct span node)
{
	struct event *event = event_add(in, EVENT_RESET, node);
	event->holder = object->id;
	event->popped = popped;
	if (object->kinds & KIND_HANDLE)
		hook_removed(in, object->id);
	if (!popped)
		clear_slots(in, object);
}

static struct str receiver_text(struct interp *in, const struct expr *node)
{
	const struct expr *callee = node->count ? node->items[0] : NULL;
	if (callee && callee->kind == EXPR_ATTRIBUTE)
		callee = callee->items[0];
	return callee ? source_text(in, callee->span) : (struct str){"", 0};
}

static void update_key(struct interp *in, struct object *into, enum store_op op, struct str key_name, struct value value,
		       struct span node, struct str name)
{
	struct value key = value_of(KIND_TEXT);
	key.text = key_name;
	if (op == STORE_ADD) { /* a counter: to what is there under the key */
		struct value old = cell_get(in, object_slot(in, into, key_name, true));
		struct value both[2] = {old, value};
		value = value_is_bottom(&old) ? value : combine(in, both, 2, node);
	}
	store_into(in, into->id, STORE_KEY, &key, value, node, name);
}

/* d.update(a=x), d.update({"a": x}): stores under keys that are known. False where the keys are not. */
static bool update_by_keys(struct interp *in, struct object *into, enum store_op op, struct args *args, const struct expr *node,
			   struct str name)
{
	for (uint32_t i = 0; i < args->count; i++) {
		if (args->names[i].length)
			continue;
		const struct value *from = &args->values[i];
		if (from->object_count != 1 || object_get(in, from->objects[0])->rest || object_get(in, from->objects[0])->input)
			return false;
	}
	for (uint32_t i = 0; i < args->count; i++) {
		if (args->names[i].length) {
			update_key(in, into, op, args->names[i], args->values[i], node->span, name);
			continue;
		}
		struct object *from = object_get(in, args->values[i].objects[0]);
		for (size_t k = 0; k < from->slots.count; k++)
			update_key(in, into, op, from->slots.items[k].name, cell_get(in, from->slots.items[k].cell), node->span, name);
	}
	return true;
}

/* OBJECT lives as long as what was born at BIRTH, and so does what belongs to it. */
static void live_with(struct interp *in, struct object *object, struct loop *birth, int depth)
{
	if (birth && !loop_within(object->birth, birth))
		return;
	object->birth = birth;
	for (size_t i = 0; depth > 0 && i < object->slots.count; i++) {
		struct value held = cell_get(in, object->slots.items[i].cell);
		for (uint8_t k = 0; k < held.object_count; k++)
			if (object_get(in, held.objects[k])->owner == object->id)
				live_with(in, object_get(in, held.objects[k]), birth, depth - 1);
	}
}

static void apply_store(struct interp *in, const struct model_effect *effect, const struct value *target, struct args *args,
			const struct expr *node)
{
	struct value value = effect_value(in, effect, args);
	const struct value *key = effect->key >= 0 ? args_get(args, (uint32_t)effect->key, NULL) : NULL;
	for (uint8_t i = 0; i < target->object_count; i++) {
		struct object *object = object_get(in, target->objects[i]);
		struct str name = receiver_text(in, node);
		/* an alias is called by what it stands for */
		if (node->count && node->items[0]->kind == EXPR_NAME && object->name.length)
			name = object->name;
		/* setdefault keeps what it is given the first time only: that lives where the holder lives */
		for (uint8_t k = 0; effect->op == STORE_KEY && node->kind == EXPR_CALL && k < value.object_count; k++)
			live_with(in, object_get(in, value.objects[k]), object->birth, 2);
		enum store_op op = effect->op;
		if ((op != STORE_UPDATE && op != STORE_ADD) || !update_by_keys(in, object, op, args, node, name))
			store_into(in, object->id, op == STORE_ADD ? STORE_UPDATE : op, key, value, node->span, name);
		if (op == STORE_KEY && node->kind == EXPR_CALL)
			note_keeping(in, object, op, key, &value, true);
	}
}

static void apply_mode(struct interp *in, const struct model_effect *effect, const struct value *target, struct args *args,
		       const struct expr *node)
{
	int64_t mode = strcmp(effect->mode, "eval") == 0 ? 0 : 1;
	if (strcmp(effect->mode, "train") == 0 || strcmp(effect->mode, "argument") == 0) {
		const struct value *flag = args_get(args, 0, "mode");
		mode = !flag ? 1 : flag->number == 0 || flag->number == 1 ? flag->number : VALUE_NO_NUMBER;
	}
	for (uint8_t i = 0; i < target->object_count; i++) {
		struct object *object = object_get(in, target->objects[i]);
		set_mode(in, object, STR("%mode"), mode);
		struct event *event = event_add(in, EVENT_MODE, node->span);
		event->holder = object->id;
		bool back = args->count && (args->values[0].flags & VALUE_MODE); /* the mode of before: no switch */
		event->mode = (int)(mode == VALUE_NO_NUMBER || back ? -1 : mode);
		event->handed = args->count && args->nodes[0] && args->nodes[0]->kind != EXPR_CONSTANT;
		event->name = object->name;
		uint32_t *evals = in->frame ? in->frame->evals : NULL;
		for (int k = 0; evals && mode == 0 && k < 4; k++)
			if (!evals[k] || k == 3) {
				evals[k] = (uint32_t)in->events.count;
				break;
			}
	}
}

static void apply_freeze(struct interp *in, const struct value *target, struct args *args)
{
	struct value on = value_of(KIND_NUMBER);
	on.number = 1;
	const struct value *given = args_get(args, 0, "requires_grad");
	for (uint8_t i = 0; i < target->object_count; i++)
		freeze(in, object_get(in, target->objects[i]), given ? given : &on);
}

static void apply_log(struct interp *in, const struct model_effect *effect, const struct value *receiver, struct args *args,
		      const struct expr *node)
{
	struct value value = effect_value(in, effect, args);
	struct origin_set *all = formatted_origins(in, &value);
	if (effect->value < 0)
		for (uint32_t i = 0; i < args->count; i++)
			all = origin_union(&in->origins, all, formatted_origins(in, &args->values[i]));
	struct event *event = event_add(in, EVENT_LOG, node->span);
	event->value = value;
	event->origins = all;
	event->name = receiver_text(in, node);
	(void)receiver;
}

/* What the call NODE of an in-place method writes to: t.mul_(a).add_(b) writes to t. NULL where it is no method. */
static const struct expr *written_in_place(const struct expr *node)
{
	const struct expr *callee = node->count ? node->items[0] : NULL;
	if (!callee || callee->kind != EXPR_ATTRIBUTE)
		return NULL;
	const struct expr *base = callee->items[0];
	while (base->kind == EXPR_CALL && base->count && base->items[0]->kind == EXPR_ATTRIBUTE &&
	       str_ends(base->items[0]->name, "_"))
		base = base->items[0]->items[0];
	return base;
}

static void apply_inplace(struct interp *in, const struct model_effect *effect, const struct value *receiver,
			  struct args *args, const struct expr *node)
{
	const struct expr *base = written_in_place(node);
	if (!receiver || !base || (receiver->flags & VALUE_PARAMETER))
		return;
	struct value value = effect_value(in, effect, args);
	write_tensor(in, base, receiver, &value, node->span);
}

/* What a function of a library keeps, it keeps somewhere in that library, for as long as the program runs. */
static struct object *library_holder(struct interp *in, const struct model_effect *effect, const struct expr *node)
{
	struct place_key key = {effect, NULL, 0x305, 'L'};
	struct object *holder = place_get(in, &key);
	if (holder)
		return holder;
	struct loop *path = in->path;
	in->path = NULL;
	holder = object_new(in, effect, 0x305, KIND_CONTAINER, (struct span){0, 0}); /* nowhere in sight */
	in->path = path;
	holder->birth = NULL;
	holder->def = in->module;
	holder->call = NULL;
	holder->name = receiver_text(in, node);
	place_put(in, &key, holder);
	return holder;
}

/* module.apply(f): f gets the parts one by one, and what it does to each without a condition it does to the whole. */
static void apply_visit(struct interp *in, const struct value *module, const struct value *function, const struct expr *node)
{
	static const struct str modes[] = {{"%mode", 5}, {"%frozen", 7}};
	if (!(function->kinds & KIND_FUNCTION) || !function->object_count)
		return;
	for (uint8_t i = 0; i < module->object_count; i++) {
		struct object *whole = object_get(in, module->objects[i]);
		struct value part = input_value(in, node, 0x40u + i, whole->name, node->span);
		struct object *object = object_get(in, part.objects[0]);
		object->proved |= KIND_MODULE;
		object->owner = whole->id;
		object->birth = whole->birth;
		cell_set(in, object_slot(in, whole, STR("%part"), true), part);
		for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
			set_mode(in, object, modes[k], VALUE_NO_NUMBER);
		struct args *args = args_new(in, 1);
		args_add(args, part, (struct str){"", 0}, NULL);
		call_value(in, function, args, node);
		for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
			if (hidden_number(in, object, modes[k]) >= 0)
				set_mode(in, whole, modes[k], hidden_number(in, object, modes[k]));
	}
}

/* p.grad.zero_(), p.grad.data.fill_(0) and p.grad.detach_(), which cuts what it was computed from. */
static void note_zeroed_in_place(struct interp *in, const struct expr *node)
{
	const struct expr *base = written_in_place(node);
	if (base && base->kind == EXPR_ATTRIBUTE && str_is(base->name, "data"))
		base = base->items[0];
	if (!base || base->kind != EXPR_ATTRIBUTE || !str_is(base->name, "grad"))
		return;
	struct value owner = eval(in, base->items[0]);
	struct event *event = note_zeroed(in, &owner, node->span);
	if (event)
		event->in_place = !str_is(node->items[0]->name, "detach_");
}

void apply_effect(struct interp *in, const struct model_rule *rule, const struct model_effect *effect,
			 const struct value *receiver, struct args *args, const struct expr *node)
{
	const struct value *target = effect_target(effect, receiver, args);
	struct value held_by_library;
	struct args *none;
	switch (effect->kind) {
	case EFFECT_LOG:
		apply_log(in, effect, receiver, args, node);
		return;
	case EFFECT_INPLACE:
		apply_inplace(in, effect, receiver, args, node);
		return;
	case EFFECT_GRAD:
		return; /* the result is the context; see grad_result */
	case EFFECT_RUN:
		none = args_new(in, 0);
		if (target && (target->kinds & KIND_FUNCTION))
			call_value(in, target, none, node);
		return;
	default:
		break;
	}
	if (!target && effect->kind == EFFECT_STORE && effect->on == MODEL_SELF) {
		held_by_library = object_value(in, library_holder(in, effect, node));
		target = &held_by_library;
	}
	if (!target)
		return;
	switch (effect->kind) {
	case EFFECT_STORE:
		apply_store(in, effect, target, args, node);
		break;
	case EFFECT_RESET:
	case EFFECT_POP:
		if (!target->object_count)
			note_zeroed_in_place(in, node);
		if (!target->object_count) { /* x.detach_(): whatever has x has it without its graph */
			struct event *event = event_add(in, EVENT_RESET, node->span);
			event_value(in, event, target);
			event->detaches = true;
			const struct expr *callee = node->count ? node->items[0] : NULL;
			const struct expr *of = callee && callee->kind == EXPR_ATTRIBUTE ? callee->items[0] : NULL;
			if (of && of->kind == EXPR_SUBSCRIPT && of->items[0]->kind == EXPR_NAME)
				event->cell = lookup_cell(in, of->items[0]->name);
			struct value detached = tag_value(in, *target, ORIGIN_CUT);
			detached.flags |= VALUE_DETACHED;
			if (callee && callee->kind == EXPR_ATTRIBUTE && target == receiver)
				change_in_place(in, callee->items[0], &detached);
		}
		for (uint8_t i = 0; i < target->object_count; i++)
			reset_object(in, object_get(in, target->objects[i]), effect->kind == EFFECT_POP, node->span);
		if (effect->kind == EFFECT_POP)
			drop_item(in, target, args_get(args, 0, NULL));
		break;
	case EFFECT_CONSUME:
		consume(in, rule, target, args, node);
		break;
	case EFFECT_MODE:
		apply_mode(in, effect, target, args, node);
		break;
	case EFFECT_FREEZE:
		apply_freeze(in, target, args);
		break;
	case EFFECT_OPTIM_STEP:
	case EFFECT_OPTIM_ZERO: {
		struct event *event = event_add(in, effect->kind == EFFECT_OPTIM_STEP ? EVENT_STEP : EVENT_ZERO, node->span);
		memcpy(event->objects, target->objects, sizeof event->objects);
		event->object_count = target->object_count;
		const struct value *to_none = args_get(args, UINT32_MAX, "set_to_none");
		event->keeps_grads = to_none && value_only(to_none, KIND_NUMBER) && to_none->number == 0;
		if (effect->kind == EFFECT_OPTIM_STEP)
			step_hooks_run(in, target);
		break;
	}
	case EFFECT_VISIT:
		if (receiver)
			apply_visit(in, receiver, target, node);
		break;
	case EFFECT_ESCAPE: {
		struct event *event = event_add(in, EVENT_ESCAPE, node->span);
		event_value(in, event, target);
		break;
	}
	default:
		break;
	}
}
