#include <string.h>
#include "flow/interp.h"

/* Hooks run where the module they were registered on is called, in the loops around that call: backward runs theirs as
 * often as forward does. */

static const struct str active = {"%active", 7};

static struct hooked *find_hook(struct interp *in, uint32_t handle, uint32_t module)
{
	for (size_t i = 0; i < in->hooked.count; i++)
		if (in->hooked.items[i].handle == handle && in->hooked.items[i].module == module)
			return &in->hooked.items[i];
	return NULL;
}

/* A tuple, made at NODE, of what may be in ELEMENTS, or of tensors without a graph. */
static struct value tuple_with(struct interp *in, const struct expr *node, uint32_t variant, const struct args *elements)
{
	struct object *tuple = object_new(in, node, variant, KIND_CONTAINER, node->span);
	for (uint32_t i = 0; elements && i < elements->count; i++)
		add_element(in, tuple, elements->values[i]);
	if (!elements)
		add_element(in, tuple, value_of(KIND_TENSOR));
	return object_value(in, tuple);
}

static void run_hook(struct interp *in, const struct hooked *hook, const struct args *inputs, const struct value *output)
{
	struct str positional = {"", 0};
	struct args *args = args_new(in, 3);
	struct value function = hook->function;
	const struct expr *node = hook->node, *statement = in->statement_value;
	if (hook->kind[0] != 'g')
		args_add(args, hook->module ? object_value(in, object_get(in, hook->module)) : value_of(KIND_UNKNOWN), positional, NULL);
	if (strcmp(hook->kind, "forward") == 0) {
		args_add(args, tuple_with(in, node, 0x301, inputs), positional, NULL);
		args_add(args, *output, positional, NULL);
	} else if (strcmp(hook->kind, "pre") == 0) {
		args_add(args, tuple_with(in, node, 0x301, inputs), positional, NULL);
	} else if (hook->kind[0] == 's') { /* the arguments of step */
		args_add(args, value_of(KIND_CONTAINER), positional, NULL);
		args_add(args, value_of(KIND_CONTAINER), positional, NULL);
	} else if (hook->kind[0] == 'b') {
		args_add(args, tuple_with(in, node, 0x302, NULL), positional, NULL);
		if (strcmp(hook->kind, "backward") == 0)
			args_add(args, tuple_with(in, node, 0x303, NULL), positional, NULL);
	} else {
		args_add(args, value_of(KIND_TENSOR), positional, NULL);
	}
	in->hook_depth++;
	call_value(in, &function, args, node);
	in->hook_depth--;
	in->statement_value = statement;
}

void hook_register(struct interp *in, const struct model_rule *rule, const struct value *receiver, struct args *args,
		   const struct value *handle, const struct expr *node)
{
	const struct value *function = args_get(args, 0, "hook");
	if (!handle->object_count || (rule->hook[0] != 's' && (!function || !function->object_count)))
		return;
	bool step = rule->hook[0] == 's';
	struct hooked hook = {.handle = handle->objects[0], .function = function ? *function : value_bottom(), .kind = rule->hook, .node = node};
	if (!receiver->object_count && rule->hook[0] == 'g') { /* of one tensor: backward calls it once */
		run_hook(in, &hook, NULL, NULL);
		return;
	}
	struct value on = value_of(KIND_NUMBER);
	on.number = 1;
	cell_set(in, object_slot(in, object_get(in, hook.handle), active, true), on);
	struct event *event = event_add(in, EVENT_MARK, node->span);
	event->mark = "hooked";
	event->holder = hook.handle;
	event->name = str_from(rule->hook);
	memcpy(event->objects, receiver->objects, sizeof event->objects);
	event->object_count = receiver->object_count;
	for (uint8_t i = 0; i < receiver->object_count || i == 0; i++) {
		hook.module = receiver->object_count ? receiver->objects[i] : 0;
		if (step && (!hook.function.object_count || !hook.module))
			continue;
		struct hooked *known = find_hook(in, hook.handle, hook.module);
		if (known)
			known->function = hook.function;
		else
			VEC_ADD(&in->hooked, hook);
	}
}

static bool is_active(struct interp *in, const struct hooked *hook)
{
	return hidden_number(in, object_get(in, hook->handle), active) == 1;
}

void hook_removed(struct interp *in, uint32_t handle)
{
	for (size_t i = 0; i < in->hooked.count; i++)
		if (in->hooked.items[i].handle == handle)
			in->hooked.items[i].removed = true;
}

/* Whether calling MODULE calls the module PART too, which lies in its slots or was read from it. */
static bool contains(struct interp *in, const struct object *module, uint32_t part, int depth)
{
	if (module->id == part)
		return true;
	for (uint32_t up = depth > 0 ? part : 0, steps = 0; up && steps < 8; up = object_get(in, up)->owner, steps++)
		if (up == module->id)
			return true;
	for (size_t i = 0; depth > 0 && i <= module->slots.count; i++) {
		uint32_t cell = object_cell(module, i);
		struct value held = cell ? cell_get(in, cell) : value_bottom();
		for (uint8_t k = 0; k < held.object_count; k++)
			if (held.objects[k] != module->id && contains(in, object_get(in, held.objects[k]), part, depth - 1))
				return true;
	}
	return false;
}

void hooks_run(struct interp *in, struct object *module, const struct args *args, const struct value *result)
{
	if (in->hook_depth)
		return;
	/* the parts of a module of the project are called where its forward is walked */
	int depth = module->class_def ? 0 : 3;
	for (size_t i = 0; i < in->hooked.count; i++) {
		struct hooked *hook = &in->hooked.items[i];
		bool parameter = hook->kind[0] == 'g';
		if (hook->kind[0] == 's' || !is_active(in, hook) || !hook->module || !contains(in, module, hook->module, parameter ? 0 : depth))
			continue;
		hook->ran = true;
		struct hooked copy = *hook; /* running it may register others */
		run_hook(in, &copy, args, result);
	}
}

void step_hooks_run(struct interp *in, const struct value *optimizer)
{
	for (size_t i = 0; i < in->hooked.count && !in->hook_depth; i++) {
		struct hooked hook = in->hooked.items[i]; /* running it may register others */
		for (uint8_t k = 0; hook.kind[0] == 's' && k < optimizer->object_count; k++)
			if (hook.module == optimizer->objects[k] && is_active(in, &hook))
				run_hook(in, &hook, NULL, NULL);
	}
}

static bool run_alone(struct interp *in, struct loop *loop, void *context)
{
	const struct hooked *hook = context;
	(void)loop;
	struct site *site = site_new(in, SITE_FORWARD, hook->node, 0x304, hook->node->span);
	const struct object *module = hook->module ? object_get(in, hook->module) : NULL;
	site->object = hook->module;
	site->mode = -1;
	/* what takes hooks is a module */
	site->proof = module && module->library && (module->kinds & KIND_MODULE) ? PROOF_FLOW : PROOF_USAGE;
	if (module)
		site->name = module->name;
	struct value output = value_of(KIND_TENSOR | KIND_UNKNOWN);
	output.origins = origin_one(&in->origins, origin_make(site->id, ORIGIN_SELF));
	output.made = hook->node->span;
	run_hook(in, hook, NULL, &output);
	return true;
}

bool hook_run_alone(struct interp *in, size_t number)
{
	struct hooked hook = in->hooked.items[number];
	if (hook.kind[0] == 's')
		return false;
	/* a caller in sight shows what becomes of what a function registers */
	for (size_t i = 0; i < in->hooked.count; i++)
		if (in->hooked.items[i].node == hook.node && (in->hooked.items[i].ran || in->hooked.items[i].removed))
			return false;
	struct frame frame = {.def = in->module, .scope = in->module_scope};
	in->frame = &frame;
	struct loop *loop = loop_enter(in, hook.node, LOOP_VIRTUAL, hook.node->span);
	loop->virtual_name = "step";
	loop->hook = true;
	run_loop(in, loop, run_alone, &hook, true);
	in->frame = NULL;
	return true;
}
