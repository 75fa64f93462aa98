#include <string.h>
#include "flow/interp.h"

/* ---- dictionaries that make what is missing ---- */

/* Calls the factory of HOLDER as if it had been called where HOLDER was made: what is made once for all steps stays. */
static struct value make_one(struct interp *in, struct object *holder, uint32_t variant)
{
	struct loop *path = in->path;
	const void *copy = in->copy;
	in->path = holder->birth;
	in->copy = copy_of(in, holder, variant);
	struct value made;
	const struct model_class *class = holder->factory->dotted ? model_class_get(in->model, holder->factory->dotted) : NULL;
	if (class) {
		struct object *object = object_new(in, holder->node, 7, KIND_CONTAINER, holder->span);
		object->library = class;
		made = object_value(in, object);
	} else {
		made = call_value(in, holder->factory, args_new(in, 0), holder->node);
	}
	in->copy = copy;
	in->path = path;
	return made;
}

bool factory_given(struct interp *in, struct object *holder, const struct value *factory)
{
	const struct model_class *class = factory->dotted ? model_class_get(in->model, factory->dotted) : NULL;
	bool own = factory->object_count && value_only(factory, KIND_FUNCTION | KIND_CLASS);
	if ((!factory->dotted && !own) || !holder->node)
		return false;
	if (factory->dotted && (!class || !(class->kinds & KIND_CONTAINER)))
		return true;
	holder->factory = ARENA_NEW(in->arena, struct value);
	*holder->factory = *factory;
	struct value made = make_one(in, holder, 0);
	if (made.object_count && value_only(&made, KIND_CONTAINER | KIND_INSTANCE))
		add_element(in, holder, made); /* stands for those under keys that are not known */
	else
		holder->factory = NULL; /* numbers and the like: nothing that could be filled in place */
	return true;
}

/* What __missing__ of HOLDER's class, where it has one, gives for KEY, under which there is nothing. */
static bool call_missing(struct interp *in, struct object *holder, struct str name, const struct value *key,
			 const struct expr *node, struct value *found)
{
	struct object *method = holder->class_def ? class_method(in, holder->class_def, STR("__missing__")) : NULL;
	uint32_t cell = name.at ? object_slot(in, holder, name, false) : 0;
	struct value there = cell ? cell_get(in, cell) : value_bottom(), rest = holder->rest ? cell_get(in, holder->rest) : value_bottom();
	if (!method || !method->function || !value_is_bottom(&there) || !value_is_bottom(&rest))
		return false;
	struct loop *path = in->path;
	size_t before = in->objects.count;
	struct args *args = args_new(in, 1);
	args_add(args, *key, (struct str){"", 0}, node);
	in->path = holder->birth; /* what it keeps in HOLDER is made once, and stays there */
	*found = call_def(in, method, holder->id, args, node);
	in->path = path;
	for (uint8_t i = 0; i < found->object_count; i++)
		if (found->objects[i] >= before && !object_holds(in, holder, found->objects[i]))
			object_get(in, found->objects[i])->birth = path;
	return true;
}

bool make_missing(struct interp *in, struct object *holder, const struct value *key, const struct expr *node, struct value *found)
{
	struct str name = key_name(in, key);
	if (!holder->factory)
		return call_missing(in, holder, name, key, node, found);
	if (!name.at) {
		holder->any_key = true;
		return false;
	}
	uint32_t cell = object_slot(in, holder, name, true);
	*found = cell_get(in, cell);
	if (value_is_bottom(found) && !holder->any_key) {
		*found = make_one(in, holder, (uint32_t)str_hash(name));
		cell_set(in, cell, *found);
	}
	return !value_is_bottom(found) && !holder->any_key;
}
