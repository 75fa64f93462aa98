#include <string.h>
#include "flow/interp.h"
#include "flow/lower.h"

struct class_info *class_find(struct interp *in, const struct def *def)
{
	struct place_key key = {def, NULL, 0, 'D'};
	return place_get(in, &key);
}

static void class_keep(struct interp *in, struct class_info *info)
{
	struct place_key key = {info->def, NULL, 0, 'D'};
	place_put(in, &key, info);
}

static void add_base(struct interp *in, struct class_info *info, const struct value *base)
{
	for (uint8_t i = 0; i < base->object_count; i++) {
		struct object *object = object_get(in, base->objects[i]);
		struct class_info *other = object->class_def ? class_find(in, object->class_def) : NULL;
		if (other && info->base_count < 6) {
			info->bases[info->base_count++] = other->def;
			info->open |= other->open;
			if (!info->library)
				info->library = other->library;
			if (!info->maker)
				info->maker = other->maker;
		} else if (object->makes) {
			info->maker = object;
			info->is_tuple = (object->makes->kinds & KIND_CONTAINER) != 0;
		} else {
			info->open = true;
		}
	}
	if (base->dotted) {
		const struct model_class *library = model_class_get(in->model, base->dotted);
		if (library && !info->library)
			info->library = library;
		info->is_tuple |= strcmp(base->dotted, "typing.NamedTuple") == 0;
		info->is_record |= info->is_tuple;
		info->open |= !library && !info->is_tuple && strncmp(base->dotted, "builtins.", 9) != 0;
	}
	if (!base->object_count && !base->dotted)
		info->open = true;
}

static bool is_dataclass(struct interp *in, const struct def *def)
{
	for (uint32_t i = 0; i < def->decorator_count; i++) {
		const struct expr *e = def->decorators[i];
		if (e->kind == EXPR_CALL && e->count)
			e = e->items[0];
		struct value v = eval(in, e);
		if (v.dotted && str_ends(str_from(v.dotted), "dataclass"))
			return true;
	}
	return false;
}

struct class_info *class_define(struct interp *in, struct def *def)
{
	struct class_info *info = class_find(in, def);
	if (info)
		return info;
	info = ARENA_NEW(in->arena, struct class_info);
	info->def = def;
	class_keep(in, info);
	info->object = object_new(in, def, 0, KIND_CLASS, def->head);
	info->object->class_def = def;
	info->object->name = def->name;
	for (uint32_t i = 0; i < def->base_count; i++) {
		if (def->bases[i]->kind == EXPR_KEYWORD)
			continue;
		struct value base = eval(in, def->bases[i]);
		add_base(in, info, &base);
	}
	info->is_record |= is_dataclass(in, def);
	/* a class with a forward and a base out of sight is a module, as far as anyone can tell */
	if (info->open && !info->library && def_local(def, STR("forward")) >= 0)
		info->library = model_class_get(in->model, "torch.nn.Module");
	info->scope = ARENA_NEW(in->arena, struct scope);
	info->scope->def = def;
	info->scope->call = in->call;
	info->scope->parent = in->frame ? in->frame->scope : in->module_scope;
	info->scope->first_cell = (uint32_t)in->cells.count;
	for (uint32_t i = 0; i < def->local_count; i++)
		cell_new(in, def->locals[i], info->object->id, def);
	struct frame frame = {.caller = in->frame, .def = def, .scope = info->scope, .call = in->call};
	frame.entry = state_mark(in);
	struct frame *outer = in->frame;
	struct loop *path = in->path;
	in->frame = &frame;
	in->path = NULL; /* a class is made once, wherever its statement stands */
	in->visited[def_number(in, def)] = true;
	exec_block(in, &def->body);
	in->frame = outer;
	in->path = path;
	return info;
}

enum { CHAIN = 24 };

/* Bases in the order Python looks them up, near enough: depth first, each once. */
static uint32_t resolution(struct interp *in, struct def *def, struct def **order, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (order[i] == def)
			return count;
	if (count == CHAIN)
		return count;
	order[count++] = def;
	struct class_info *info = class_find(in, def);
	for (uint32_t i = 0; info && i < info->base_count; i++)
		count = resolution(in, info->bases[i], order, count);
	return count;
}

bool class_member(struct interp *in, struct def *class_def, const struct def *after, struct str name, struct value *value)
{
	struct def *order[CHAIN];
	uint32_t count = resolution(in, class_def, order, 0);
	bool started = after == NULL;
	for (uint32_t i = 0; i < count; i++) {
		if (!started) {
			started = order[i] == after;
			continue;
		}
		struct class_info *info = class_find(in, order[i]);
		int32_t place = info ? def_local(order[i], name) : -1;
		if (place < 0)
			continue;
		*value = cell_get(in, info->scope->first_cell + (uint32_t)place);
		if (!value_is_bottom(value))
			return true;
	}
	return false;
}

struct object *class_method(struct interp *in, struct def *class_def, struct str name)
{
	struct value value;
	if (!class_member(in, class_def, NULL, name, &value) || !(value.kinds & KIND_FUNCTION) || !value.object_count)
		return NULL;
	return object_get(in, value.objects[0]);
}

const struct model_class *class_library_base(struct interp *in, struct def *class_def)
{
	struct def *order[CHAIN];
	uint32_t count = resolution(in, class_def, order, 0);
	for (uint32_t i = 0; i < count; i++) {
		struct class_info *info = class_find(in, order[i]);
		if (info && info->library)
			return info->library;
	}
	return NULL;
}

static void fill_record(struct interp *in, struct class_info *class, struct object *object, struct args *args)
{
	uint32_t place = 0;
	struct def *order[CHAIN];
	uint32_t count = resolution(in, class->def, order, 0);
	for (uint32_t i = count; i-- > 0;) {
		const struct def *def = order[i];
		struct class_info *info = class_find(in, def);
		for (uint32_t j = 0; j < def->body.count; j++) {
			const struct stmt *s = def->body.stmts[j];
			if (s->kind != STMT_ASSIGN || !s->annotation || s->target_count != 1 || s->targets[0]->kind != EXPR_NAME)
				continue;
			struct str name = s->targets[0]->name;
			char text[96] = "";
			memcpy(text, name.at, name.length < sizeof text ? name.length : sizeof text - 1);
			const struct value *given = args_get(args, place, text);
			int32_t local = def_local(def, name);
			struct value value = given ? *given
					     : local >= 0 ? cell_get(in, info->scope->first_cell + (uint32_t)local) : value_bottom();
			/* field(default_factory=list) */
			if (!given && s->value && s->value->kind == EXPR_CALL)
				for (uint16_t k = 1; k < s->value->count; k++)
					if (s->value->items[k]->kind == EXPR_KEYWORD && str_is(s->value->items[k]->name, "default_factory")) {
						struct value factory = eval(in, s->value->items[k]->items[0]);
						struct args *none = args_new(in, 0);
						value = call_value(in, &factory, none, s->value);
					}
			uint32_t cell = object_slot(in, object, name, true);
			fill_cell(in, cell, value_is_bottom(&value) ? value_of(KIND_UNKNOWN) : value, object->span, name, false);
			if (class->is_tuple)
				cell_set(in, object_slot(in, object, str_from(arena_format(in->arena, "%u", place)), true),
					 cell_get(in, cell));
			place++;
		}
	}
}

struct value class_instantiate(struct interp *in, struct class_info *class, struct args *args, const struct expr *node)
{
	const struct model_class *library = class_library_base(in, class->def);
	uint32_t kinds = library ? library->kinds : 0;
	kinds |= KIND_INSTANCE | (class->is_tuple ? KIND_CONTAINER : 0);
	const void *place = node ? (const void *)node : (const void *)class->def;
	/* One call may make instances of several classes. */
	struct object *object = object_new(in, place, 0x900u + class->object->id, kinds, node ? node->span : class->def->head);
	object->class_def = class->def;
	object->library = library;
	struct object *init = class_method(in, class->def, STR("__init__"));
	if (init && init->function) {
		in->module_depth++; /* what a constructor calls is no forward of the caller's */
		call_def(in, init, object->id, args, node);
		in->module_depth--;
	} else if (class->is_record) {
		fill_record(in, class, object, args);
		struct object *post = class_method(in, class->def, STR("__post_init__"));
		if (post && post->function)
			call_def(in, post, object->id, args_new(in, 0), node);
	} else if (class->maker) {
		record_fill(in, object, class->maker, args);
	}
	return object_value(in, object);
}
