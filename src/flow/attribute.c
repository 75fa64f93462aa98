#include "flow/interp.h"

/* ---- attributes by names that are computed ---- */

/* Whether what OBJECT has is what somebody in sight gave it: no module, no class, nothing from outside. */
static bool is_plain(const struct object *object)
{
	uint32_t kinds = KIND_MODULE | KIND_CLASS | KIND_CONTAINER | KIND_OPTIMIZER;
	bool made = object->class_def || (object->library && object->library->record);
	return made && !(object->kinds & kinds) && !object->input && !object->is_module;
}

bool has_plain_attributes(struct interp *in, const struct value *value)
{
	for (uint8_t i = 0; i < value->object_count; i++)
		if (!is_plain(object_get(in, value->objects[i])))
			return false;
	return value->object_count > 0;
}

bool unnamed_attribute(struct interp *in, const struct object *object, struct value *held)
{
	if (!object->rest || !is_plain(object))
		return false;
	*held = cell_get(in, object->rest);
	return !value_is_bottom(held);
}

static bool set_by_name(struct interp *in, struct args *args, const struct expr *node)
{
	const struct value *object = &args->values[0], *key = &args->values[1];
	struct str shown = source_text(in, args->nodes[0]->span);
	if (args->count != 3 || args->more)
		return false;
	if (key->text.at) {
		shown = str_from(arena_format(in->arena, "%.*s.%.*s", STR_ARG(shown), STR_ARG(key->text)));
		set_attribute(in, object, key->text, shown, args->values[2], node->span);
		return true;
	}
	if (!has_plain_attributes(in, object))
		return false;
	for (uint8_t i = 0; i < object->object_count; i++)
		store_into(in, object->objects[i], STORE_KEY, key, args->values[2], node->span, shown);
	return true;
}

bool named_attribute(struct interp *in, const struct model_rule *rule, struct args *args, const struct expr *node, struct value *out)
{
	if (args->count < 2)
		return false;
	*out = value_of(KIND_NONE);
	if (rule->returns.kinds == KIND_NONE)
		return set_by_name(in, args, node);
	const struct value *object = &args->values[0];
	struct str name = args->more ? (struct str){NULL, 0} : args->values[1].text;
	struct value held = value_bottom();
	for (uint8_t i = 0; !name.at && i < object->object_count; i++) {
		struct value one;
		if (!unnamed_attribute(in, object_get(in, object->objects[i]), &one))
			return false;
		held = value_join(&in->origins, &held, &one);
	}
	if (!value_is_bottom(&held)) {
		struct value other = args->count > 2 ? args->values[2] : value_of(KIND_UNKNOWN);
		*out = value_join(&in->origins, &held, &other);
		return true;
	}
	if (!name.at && args->count == 2 && object->dotted) /* some class of that module, if it is one of classes */
		name = STR("Either");
	if (!name.at)
		return false;
	*out = read_attribute(in, object, name, node);
	return true;
}

/* ---- attributes as a dictionary ---- */

bool attributes_of(struct interp *in, struct object *object, struct value *out)
{
	if (!is_plain(object))
		return false;
	struct object *view = object_new(in, object, 23, KIND_CONTAINER, object->span);
	view->library = in->model->dict;
	view->viewed = object->id;
	view->birth = object->birth;
	view->owner = object->owner;
	copy_slots(in, view, object);
	if (object->rest)
		add_element(in, view, cell_get(in, object->rest));
	*out = object_value(in, view);
	return true;
}

void store_attribute(struct interp *in, uint32_t object, enum store_op op, const struct value *key, struct value value,
		     struct span node, struct str name)
{
	struct value whole = object_value(in, object_get(in, object));
	if (op == STORE_KEY && key && key->text.at)
		set_attribute(in, &whole, key->text, name, value, node);
	else
		store_into(in, object, op, key, value, node, name);
}
