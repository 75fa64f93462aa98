#include <string.h>
#include "flow/interp.h"

/* One part of the result of an unresolved call or forward: of the same graph, but proved on its own. */
static struct value part_of(struct interp *in, const struct value *value, uint32_t variant)
{
	struct value out = *value;
	if (!value->origins)
		return out;
	for (uint32_t i = 0; i < value->origins->count; i++) {
		origin element = value->origins->items[i];
		struct site *whole = in->sites.items[origin_site(element)];
		if (origin_tag_of(element) != ORIGIN_SELF || (whole->kind != SITE_FORWARD && whole->kind != SITE_CALL))
			continue;
		struct site *part = site_new(in, SITE_ELEMENT, whole, variant, whole->span);
		part->parent = whole->id;
		part->position = variant;
		part->path = whole->path;
		part->name = whole->name;
		part->object = whole->object;
		part->grad_off = whole->grad_off;
		part->cond = whole->cond;
		out.origins = origin_add(&in->origins, origin_without(&in->origins, out.origins, whole->id),
					 origin_make(part->id, ORIGIN_SELF));
	}
	return out;
}

static struct value child_input(struct interp *in, struct object *object, struct str name)
{
	struct str full = name;
	if (object->name.length && object->name.length + name.length < 64)
		full = str_from(arena_format(in->arena, "%.*s.%.*s", STR_ARG(object->name), STR_ARG(name)));
	struct value value = input_value(in, object, 16 + (uint32_t)(str_hash(name) & 0xffffff), full, object->span);
	struct object *child = object_get(in, value.objects[0]);
	child->owner = object->id;
	child->birth = object->birth;
	return value;
}

bool is_more_than_objects(struct interp *in, const struct value *value)
{
	if (!(value->kinds & KIND_UNKNOWN) || !value->origins)
		return false;
	for (uint8_t i = 0; i < value->object_count; i++)
		if (object_get(in, value->objects[i])->kinds & KIND_UNKNOWN)
			return false;
	for (uint32_t i = 0; i < value->origins->count; i++) {
		const struct site *site = in->sites.items[origin_site(value->origins->items[i])];
		if (origin_tag_of(value->origins->items[i]) <= ORIGIN_OP &&
		    (site->kind == SITE_FORWARD || site->kind == SITE_CALL || site->kind == SITE_ELEMENT))
			return true;
	}
	return false;
}

struct value element_of(struct interp *in, const struct value *value, const struct expr *node)
{
	struct value out = value_bottom();
	if (value->flags & VALUE_PARAMETER) {
		out = *value;
		out.flags &= (uint16_t)~VALUE_STRUCT;
		return out;
	}
	for (uint8_t i = 0; i < value->object_count; i++) {
		struct object *object = object_get(in, value->objects[i]);
		if (object->lazy || ((object->kinds & KIND_GENERATOR) && object->function)) {
			bool off = false;
			struct value yielded = run_generator(in, object, node, &off);
			out = value_join(&in->origins, &out, &yielded);
			continue;
		}
		if (object->input && !object->rest) {
			struct value element = input_value(in, object, 1, object->name, object->span);
			element.origins = in->origins.empty;
			object_get(in, element.objects[0])->fresh = true;
			cell_set(in, object_rest(in, object), element);
		}
		struct value v = object_elements(in, object);
		if (value_is_bottom(&v) && (object->kinds & KIND_MODULE) && !(object->kinds & KIND_CONTAINER))
			v = child_input(in, object, STR("[]")); /* one of its parts */
		if ((object->kinds & KIND_LOADER) || value_is_bottom(&v)) {
			v = value_of(KIND_UNKNOWN);
			v.flags = object->kinds & KIND_LOADER ? VALUE_LOADER | VALUE_DATA : 0;
			v.born = in->path;
		}
		if (value->origins)
			v = value_add_origins(in, v, origin_retag(&in->origins, value->origins, ORIGIN_CALL));
		out = value_join(&in->origins, &out, &v);
	}
	if (value->object_count && !(value->kinds & KIND_TENSOR) && !is_more_than_objects(in, value))
		return out;
	if (value_only(value, KIND_TEXT | KIND_NUMBER))
		return value_of(value->kinds);
	struct value part = *value;
	part.flags = (uint16_t)((part.flags | VALUE_VIEW) & ~(VALUE_STRUCT | VALUE_IDENTITY));
	part.object_count = 0;
	part.many_objects = false;
	part.number = VALUE_NO_NUMBER;
	part.text = (struct str){NULL, 0};
	part.dotted = NULL;
	if (part.kinds & (KIND_CONTAINER | KIND_LIBRARY | KIND_FUNCTION | KIND_GENERATOR | KIND_CLASS))
		part.kinds = (part.kinds & KIND_TENSOR) | KIND_UNKNOWN;
	return value_join(&in->origins, &out, &part);
}

bool is_dict(struct interp *in, const struct object *object)
{
	return object->library && !object->iterator && model_class_is(in->model, object->library, in->model->dict->name);
}

bool dict_keys(struct interp *in, const struct value *value, struct value *key)
{
	bool text = true;
	for (uint8_t i = 0; i < value->object_count; i++) {
		const struct object *object = object_get(in, value->objects[i]);
		if (object->class_def || !is_dict(in, object))
			return false;
		text &= !object->rest;
	}
	*key = value_of(text ? KIND_TEXT : KIND_UNKNOWN);
	return value->object_count > 0;
}

struct str position_name(struct interp *in, uint32_t position)
{
	static const char *const first[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
	return str_from(position < sizeof first / sizeof *first ? first[position] : arena_format(in->arena, "%u", position));
}

struct value element_at(struct interp *in, const struct value *value, uint32_t position,
			const struct expr *node)
{
	struct value out = value_bottom();
	uint8_t found = 0;
	for (uint8_t i = 0; i < value->object_count; i++) {
		struct object *object = object_get(in, value->objects[i]);
		uint32_t cell = object_slot(in, object, position_name(in, position), false);
		struct value v = cell ? cell_get(in, cell) : value_bottom();
		if (value_is_bottom(&v))
			continue;
		found++;
		out = value_join(&in->origins, &out, &v);
	}
	if (found && found == value->object_count && !(value->kinds & KIND_TENSOR))
		return out;
	struct value whole = element_of(in, value, node);
	struct value part = value->object_count ? whole : part_of(in, &whole, position + 1);
	return value_join(&in->origins, &out, &part);
}

static struct value bound_method(struct interp *in, const struct value *receiver, struct str name, const struct expr *node)
{
	struct object *method = object_new(in, node, 1, KIND_FUNCTION, node->span);
	method->receiver = *receiver;
	method->method = name;
	return object_value(in, method);
}

static struct value bind_function(struct interp *in, struct object *function, struct object *self,
				  const struct expr *node)
{
	if (function->is_static || !function->function)
		return object_value(in, function);
	struct object *bound = object_new(in, node, 2 + function->id, KIND_FUNCTION, node->span);
	alias_function(bound, function);
	bound->self = self->id;
	return object_value(in, bound);
}

static struct value field_value(struct interp *in, const struct model_rule *rule, const struct value *receiver,
				struct str name, const struct expr *node)
{
	struct args *none = args_new(in, 0);
	return apply_rule(in, rule, receiver, none, node, name);
}

struct value read_kept(struct interp *in, uint32_t cell)
{
	struct value value = cell_get(in, cell);
	uint32_t site = in->cells.items[cell].site;
	if (!site || value_is_bottom(&value) || !value.origins || !value.origins->count)
		return value;
	return value_add_origins(in, value, origin_one(&in->origins, origin_make(site, ORIGIN_CALL)));
}

static struct value read_object_attribute(struct interp *in, struct object *object, const struct value *whole,
					  struct str name, const struct expr *node)
{
	uint32_t cell = object_slot(in, object, name, false);
	struct value held = cell ? read_kept(in, cell) : value_bottom();
	if (!value_is_bottom(&held))
		return held;
	if (object->is_module) {
		struct value member = import_member(in, object, name);
		return value_is_bottom(&member) ? value_of(KIND_UNKNOWN) : member;
	}
	if (object->class_def) {
		struct object *method = class_method(in, object->class_def, name);
		if (method && method->is_property && !(object->kinds & KIND_CLASS)) {
			struct args *none = args_new(in, 1);
			return call_def(in, method, object->id, none, node);
		}
		if (method && method->function)
			return object->kinds & KIND_CLASS && !method->is_class_method ? object_value(in, method)
										      : bind_function(in, method, object, node);
		struct value member;
		if (class_member(in, object->class_def, NULL, name, &member))
			return member;
	}
	const struct model_class *library = object->library ? object->library
					   : object->class_def ? class_library_base(in, object->class_def) : NULL;
	struct value self = object_value(in, object);
	if (whole->origins)
		self.origins = whole->origins;
	const struct model_rule *field = model_field(in->model, library, name);
	if (field)
		return field_value(in, field, &self, name, node);
	if (model_method(in->model, library, name))
		return bound_method(in, &self, name, node);
	if (str_is(name, "__dict__") && attributes_of(in, object, &held))
		return held;
	if (unnamed_attribute(in, object, &held))
		return value_add_origins(in, held, origin_one(&in->origins, origin_make(object_site(in, object), ORIGIN_CALL)));
	if (object->input || (object->kinds & (KIND_MODULE | KIND_INSTANCE))) {
		struct value child = child_input(in, object, name);
		/* reads of what nobody assigned give the same unknown thing each time */
		cell_set(in, object_slot(in, object, name, true), child);
		return child;
	}
	return value_of(KIND_UNKNOWN);
}

struct value read_attribute(struct interp *in, const struct value *object, struct str name, const struct expr *node)
{
	struct value out = value_bottom();
	enum { LONGEST_NAME = 200 };
	if (object->dotted && strlen(object->dotted) + name.length > LONGEST_NAME)
		return value_of(KIND_UNKNOWN);
	if (object->dotted) {
		const char *dotted = arena_format(in->arena, "%s.%.*s", object->dotted, STR_ARG(name));
		out = library_value(in, model_canonical(in->model, dotted), node->span);
	}
	bool parameter = object->flags & VALUE_PARAMETER;
	in->leaf_grads_read |= str_is(name, "grad") && !(object->object_count && (object->flags & VALUE_PARAMETER));
	for (uint8_t i = 0; i < object->object_count && str_is(name, "grad"); i++)
		object_get(in, object->objects[i])->grad_read |= parameter || object_get(in, object->objects[i])->input;
	for (uint8_t i = 0; i < object->object_count && !parameter; i++) {
		struct value v = read_object_attribute(in, object_get(in, object->objects[i]), object, name, node);
		out = value_join(&in->origins, &out, &v);
	}
	if ((object->object_count && !parameter && !(object->kinds & KIND_TENSOR)) || object->dotted)
		return out;
	const struct model_class *tensor = in->model->tensor;
	const struct model_rule *field = value_may(object, KIND_TENSOR) ? model_field(in->model, tensor, name) : NULL;
	struct value v;
	if (field) {
		v = field_value(in, field, object, name, node);
		if (in->records_gradients && str_is(name, "grad"))
			v.origins = origin_one(&in->origins, origin_make(site_new(in, SITE_GRADIENT, node, 0, node->span)->id, ORIGIN_SELF));
	} else if (value_may(object, KIND_TENSOR) && model_method(in->model, tensor, name)) {
		v = bound_method(in, object, name, node);
	} else {
		struct value part = part_of(in, object, 0x1000000u | (uint32_t)(str_hash(name) & 0xffffff));
		v = tag_value(in, part, part.origins == object->origins ? ORIGIN_OP : ORIGIN_SELF);
		v.kinds = KIND_UNKNOWN;
		v.number = VALUE_NO_NUMBER;
		v.text = (struct str){NULL, 0};
		v.object_count = 0;
	}
	return value_join(&in->origins, &out, &v);
}

struct str key_name(struct interp *in, const struct value *key)
{
	if (key->text.at)
		return key->text;
	if (key->number != VALUE_NO_NUMBER && key->number >= 0 && key->number < 1000)
		return position_name(in, (uint32_t)key->number);
	return (struct str){NULL, 0};
}

static struct value find_item(struct interp *in, struct object *object, const struct value *key, const struct expr *node)
{
	if (object->class_def && !(object->kinds & KIND_CONTAINER)) {
		struct object *method = class_method(in, object->class_def, STR("__getitem__"));
		if (method && method->function) {
			struct args *args = args_new(in, 1);
			args_add(args, *key, (struct str){"", 0}, NULL);
			return call_def(in, method, object->id, args, node);
		}
	}
	struct str name = key_name(in, key);
	uint32_t cell = name.at ? object_slot(in, object, name, false) : 0;
	struct value v = cell ? cell_get(in, cell) : value_bottom();
	if (!value_is_bottom(&v)) {
		if (object->rest) {
			struct value rest = cell_get(in, object->rest);
			/* a slot that was written later than the rest still wins; others may be in the rest */
			if ((object->kinds & KIND_CONTAINER) && !(object->literal) && !value_is_bottom(&rest))
				v = value_join(&in->origins, &v, &rest);
		}
		return value_add_origins(in, v, origin_one(&in->origins, origin_make(object_site(in, object), ORIGIN_CALL)));
	}
	if (object->input)
		return child_input(in, object, name.at ? name : STR("[]"));
	/* a key that no store named is among those that had no name, or not there */
	if (name.at && !object->rest && (object->kinds & KIND_CONTAINER) && !(object->kinds & KIND_MODULE))
		return value_of(KIND_UNKNOWN);
	if (name.at && object->rest && !(object->kinds & KIND_MODULE)) {
		struct value rest = cell_get(in, object->rest);
		if (!value_is_bottom(&rest))
			return value_add_origins(in, rest,
						 origin_one(&in->origins, origin_make(object_site(in, object), ORIGIN_CALL)));
	}
	struct value all = object_elements(in, object);
	return value_is_bottom(&all) ? value_of(KIND_UNKNOWN) : all;
}

static struct value read_object_item(struct interp *in, struct object *object, const struct value *key,
				     const struct expr *node)
{
	struct value v;
	if (!make_missing(in, object, key, node, &v))
		v = find_item(in, object, key, node);
	if (object->factory)
		note_keeping(in, object, STORE_KEY, key, &v, true);
	return v;
}

struct value read_item(struct interp *in, const struct value *object, const struct value *key, const struct expr *node)
{
	struct value out = value_bottom();
	bool slice = key->kinds == KIND_SMALL;
	bool parameter = object->flags & VALUE_PARAMETER;
	if (parameter && object->object_count && (object_get(in, object->objects[0])->kinds & KIND_OPTIMIZER)) {
		if (key->text.at && !str_is(key->text, "params"))
			return value_of(KIND_NUMBER); /* what a group says of its parameters */
		struct value params = *object; /* one of the groups, or the parameters of one */
		params.flags |= VALUE_STRUCT;
		return params;
	}
	for (uint8_t i = 0; i < object->object_count && !parameter; i++) {
		struct object *o = object_get(in, object->objects[i]);
		struct value v = slice ? object_value(in, o) : read_object_item(in, o, key, node);
		if (slice)
			v.flags |= VALUE_VIEW;
		/* a slice is a shorter container of the same elements; for us, the same one unless it is assigned back */
		if (slice && object->origins)
			v.origins = object->origins;
		out = value_join(&in->origins, &out, &v);
	}
	if (object->object_count && !parameter && !(object->kinds & KIND_TENSOR))
		return out;
	struct value v;
	if (value_only(object, KIND_TENSOR)) {
		v = combine(in, object, 1, node->span);
		/* slices and numbers give a view; masks and lists of indices copy */
		if (key->kinds == KIND_SMALL || value_only(key, KIND_NUMBER))
			v.flags |= VALUE_VIEW;
		v.flags |= object->flags & (VALUE_DETACHED | (key->kinds == KIND_SMALL ? VALUE_CONCAT : 0));
		v.extent = EXTENT_UNKNOWN;
	} else {
		uint32_t variant = key->text.at ? 0x2000000u | (uint32_t)(str_hash(key->text) & 0xffffff)
				  : key->number != VALUE_NO_NUMBER ? (uint32_t)key->number + 1u : 0x3000000u;
		struct value part = part_of(in, object, variant);
		v = tag_value(in, part, part.origins == object->origins ? ORIGIN_OP : ORIGIN_SELF);
		if (grad_is_off(in))
			v = tag_value(in, v, ORIGIN_CUT);
		v.kinds = object->kinds & (KIND_TENSOR | KIND_TEXT) ? (object->kinds & (KIND_TENSOR | KIND_TEXT)) | KIND_UNKNOWN
								     : KIND_UNKNOWN;
		v.object_count = 0;
		v.flags = object->flags & (VALUE_LOADER | VALUE_DATA | VALUE_GRAD_OFF);
		v.number = VALUE_NO_NUMBER;
		v.text = (struct str){NULL, 0};
	}
	v.dotted = NULL;
	return value_join(&in->origins, &out, &v);
}
