/* Calls of what is not in sight, modules among it. */
#include <string.h>
#include "flow/interp.h"
#include "flow/lower.h"

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

/* ---- modules out of sight ---- */

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
