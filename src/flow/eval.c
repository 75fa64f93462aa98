#include <string.h>
#include "flow/interp.h"
#include "flow/lower.h"

/* ---- grad mode ---- */

enum grad_mode grad_now(struct interp *in)
{
	struct value mode = cell_get(in, in->grad_cell);
	return mode.number == VALUE_NO_NUMBER ? GRAD_BOTH : (enum grad_mode)mode.number;
}

bool grad_is_off(struct interp *in)
{
	enum grad_mode mode = grad_now(in);
	return mode == GRAD_OFF || mode == GRAD_INFERENCE;
}

void grad_set(struct interp *in, enum grad_mode mode)
{
	struct value value = value_of(KIND_NUMBER);
	value.number = mode;
	cell_set(in, in->grad_cell, value);
}

void grad_because(struct interp *in, uint32_t from)
{
	struct value mode = cell_get(in, in->grad_cell);
	mode.origins = origin_one(&in->origins, origin_make(from, ORIGIN_SELF));
	cell_set(in, in->grad_cell, mode);
}

/* ---- recorded operations ---- */

/* What KINDS an operation on VALUES has: a tensor if one of them surely is, else whatever they may be. */
static uint32_t combined_kinds(const struct value *values, uint32_t count)
{
	uint32_t kinds = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (value_only(&values[i], KIND_TENSOR))
			return KIND_TENSOR;
		kinds |= values[i].kinds & ~(uint32_t)(KIND_NONE | KIND_CONTAINER | KIND_INSTANCE | KIND_LIBRARY);
	}
	/* number with number stays one; number with what may be a tensor may be a tensor */
	return kinds ? kinds : KIND_UNKNOWN;
}

struct value combine(struct interp *in, const struct value *values, uint32_t count, struct span made)
{
	struct value out = value_of(combined_kinds(values, count));
	struct origin_set *set = in->origins.empty;
	for (uint32_t i = 0; i < count; i++) {
		const struct value *v = &values[i];
		if (v->origins)
			set = origin_union(&in->origins, set, v->origins);
		out.flags |= v->flags & (VALUE_LOADER | VALUE_DATA | VALUE_INFERENCE | VALUE_GRAD_OFF | VALUE_REQUIRES_GRAD | VALUE_DETACHED);
		if (v->device == DEVICE_ACCELERATOR)
			out.device = DEVICE_ACCELERATOR;
		if (v->extent == EXTENT_LARGE || (v->extent == EXTENT_SCALAR && out.extent == EXTENT_UNKNOWN))
			out.extent = v->extent;
		if (v->counter && !out.counter)
			out.counter = v->counter;
	}
	bool off = grad_is_off(in);
	out.origins = origin_retag(&in->origins, set, off ? ORIGIN_CUT : ORIGIN_OP);
	if (off && set->count)
		out.flags |= VALUE_GRAD_OFF;
	if (grad_now(in) == GRAD_INFERENCE)
		out.flags |= VALUE_INFERENCE;
	else
		out.flags &= (uint16_t)~VALUE_INFERENCE; /* a recorded op has made a new one */
	if (count == 1)
		out.device = values[0].device;
	if (out.counter)
		out.flags |= VALUE_COUNTER;
	out.made = made;
	out.born = in->path;
	return out;
}

/* ---- names ---- */

static uint32_t scope_cell(const struct scope *scope, struct str name)
{
	int32_t place = scope->def ? def_local(scope->def, name) : -1;
	return place >= 0 ? scope->first_cell + (uint32_t)place : 0;
}

uint32_t lookup_cell(struct interp *in, struct str name)
{
	struct scope *first = in->frame ? in->frame->scope : in->module_scope;
	for (struct scope *scope = first; scope; scope = scope->parent) {
		/* methods do not see the names of their class */
		if (scope != first && scope->def && scope->def->kind == DEF_CLASS)
			continue;
		uint32_t cell = scope_cell(scope, name);
		if (cell)
			return cell;
	}
	return 0;
}

struct value library_value(struct interp *in, const char *dotted, struct span made)
{
	(void)in;
	struct value value = value_of(KIND_LIBRARY);
	value.dotted = dotted;
	value.made = made;
	return value;
}

static struct value read_name(struct interp *in, const struct expr *e)
{
	uint32_t cell = lookup_cell(in, e->name);
	struct value value = cell ? read_kept(in, cell) : value_bottom();
	if (value.flags & VALUE_IMPORT)
		value = import_cell(in, cell);
	if (!value_is_bottom(&value))
		return value;
	if (!cell || in->cells.items[cell].def->kind == DEF_MODULE) {
		const char *dotted = arena_format(in->arena, "builtins.%.*s", STR_ARG(e->name));
		if (!cell && (model_call(in->model, dotted) || model_class_get(in->model, dotted)))
			return library_value(in, dotted, e->span);
	}
	value = cell ? value_bottom() : import_name(in, e->name);
	if (value_is_bottom(&value) && !cell && in->has_star && e->name.at[0] >= 'A' && e->name.at[0] <= 'Z')
		return library_value(in, arena_dup_bytes(in->arena, e->name.at, e->name.length), e->span); /* a class of there */
	return value_is_bottom(&value) ? value_of(KIND_UNKNOWN) : value;
}

/* ---- displays ---- */

static const struct {
	enum expr_kind kind;
	const char *class_name;
} display_classes[] = {{EXPR_TUPLE, "builtins.tuple"}, {EXPR_LIST, "builtins.list"}, {EXPR_SET, "builtins.set"},
		       {EXPR_DICT, "builtins.dict"}};

static struct object *new_display(struct interp *in, const struct expr *e)
{
	struct object *object = object_new(in, e, 0, KIND_CONTAINER, e->span);
	for (size_t i = 0; i < sizeof display_classes / sizeof *display_classes; i++)
		if (display_classes[i].kind == e->kind)
			object->library = model_class_get(in->model, display_classes[i].class_name);
	return object;
}

void add_element(struct interp *in, struct object *object, struct value value)
{
	uint32_t cell = object_rest(in, object);
	struct value old = cell_get(in, cell);
	cell_set(in, cell, value_join(&in->origins, &old, &value));
}

static struct value eval_display(struct interp *in, const struct expr *e)
{
	enum { LITERAL = 16 };
	bool literal = e->count <= LITERAL;
	struct value values[LITERAL];
	struct value starred = value_bottom(), whole = value_bottom();
	for (uint16_t i = 0; i < e->count; i++) {
		const struct expr *item = e->items[i];
		struct value v = eval(in, item->kind == EXPR_STAR ? item->items[0] : item);
		if (item->kind == EXPR_STAR) {
			literal = false;
			if (v.origins)
				whole = value_add_origins(in, whole, origin_retag(&in->origins, v.origins, ORIGIN_OP));
			for (uint8_t k = 0; k < v.object_count; k++)
				whole = value_add_origins(in, whole, origin_one(&in->origins,
					origin_make(object_site(in, object_get(in, v.objects[k])), ORIGIN_OP)));
			v = element_of(in, &v, item);
		}
		if (i < LITERAL && item->kind != EXPR_STAR)
			values[i] = v;
		else
			starred = value_join(&in->origins, &starred, &v);
		if (i < LITERAL && item->kind == EXPR_STAR)
			values[i] = value_bottom();
	}
	struct object *object = new_display(in, e);
	struct value out = object_value(in, object);
	bool star_seen = false;
	for (uint16_t i = 0; i < e->count && i < LITERAL; i++) {
		star_seen |= e->items[i]->kind == EXPR_STAR;
		if (e->items[i]->kind == EXPR_STAR)
			continue;
		if (star_seen || e->kind == EXPR_SET)
			add_element(in, object, values[i]);
		else
			fill_cell(in, object_slot(in, object, position_name(in, i), true), values[i], e->span, object->name, false);
	}
	if (!value_is_bottom(&starred))
		add_element(in, object, starred);
	object->literal = literal && e->count > 0;
	if (whole.origins) { /* [*old, new] is the old one, grown */
		out.origins = whole.origins;
		out.flags |= VALUE_CONCAT;
	}
	return out;
}

static struct value eval_dict(struct interp *in, const struct expr *e)
{
	/* everything is evaluated first: the values may read the dictionary that this place made last */
	struct value *keys = ARENA_ARRAY(in->arena, struct value, e->count + 1u);
	struct value *values = ARENA_ARRAY(in->arena, struct value, e->count + 1u);
	for (uint16_t i = 0; i < e->count; i++) {
		const struct expr *item = e->items[i];
		bool pair = item->kind == EXPR_PAIR;
		if (pair)
			keys[i] = eval(in, item->items[0]);
		values[i] = eval(in, pair ? item->items[1] : item->kind == EXPR_DOUBLE_STAR && item->count ? item->items[0] : item);
	}
	struct object *object = new_display(in, e);
	for (uint16_t i = 0; i < e->count; i++) {
		struct value v = values[i];
		if (e->items[i]->kind == EXPR_PAIR) {
			struct str name = key_name(in, &keys[i]);
			uint32_t cell = name.at ? object_slot(in, object, name, true) : object_rest(in, object);
			fill_cell(in, cell, v, e->span, object->name, !name.at);
		} else {
			for (uint8_t j = 0; j < v.object_count; j++) {
				struct object *from = object_get(in, v.objects[j]);
				copy_slots(in, object, from);
				if (from->rest)
					add_element(in, object, cell_get(in, from->rest));
			}
		}
	}
	object->literal = e->count > 0 && e->count <= 16;
	return object_value(in, object);
}

/* ---- operators ---- */

static bool is_container_value(struct interp *in, const struct value *v)
{
	for (uint8_t i = 0; i < v->object_count; i++)
		if (object_get(in, v->objects[i])->kinds & KIND_CONTAINER)
			return true;
	return false;
}

/* list + list, tuple + tuple: a new container with the elements of both. */
static struct value concatenate(struct interp *in, const struct value *values, uint32_t count, const struct expr *e)
{
	struct object *object = object_new(in, e, 0, KIND_CONTAINER, e->span);
	struct value out = object_value(in, object);
	out.origins = in->origins.empty;
	for (uint32_t i = 0; i < count; i++) {
		struct value element = element_of(in, &values[i], e);
		add_element(in, object, element);
		if (values[i].origins)
			out = value_add_origins(in, out, origin_retag(&in->origins, values[i].origins, ORIGIN_OP));
		for (uint8_t j = 0; j < values[i].object_count; j++) {
			struct object *part = object_get(in, values[i].objects[j]);
			if (!object->library)
				object->library = part->library;
			out = value_add_origins(in, out, origin_one(&in->origins, origin_make(object_site(in, part), ORIGIN_OP)));
		}
	}
	out.flags |= VALUE_CONCAT;
	return out;
}

/* a | b of dictionaries or sets: a new one with what both have. */
static struct value unite(struct interp *in, const struct value *values, const struct expr *e)
{
	struct value out = concatenate(in, values, 2, e);
	struct object *object = object_get(in, out.objects[0]);
	bool plain = true;
	for (uint32_t i = 0; i < 2; i++)
		for (uint8_t k = 0; k < values[i].object_count; k++)
			plain &= object_get(in, values[i].objects[k])->rest == 0;
	if (!plain)
		return out;
	cell_set(in, object_rest(in, object), value_bottom()); /* all keys are known */
	for (uint32_t i = 0; i < 2; i++)
		for (uint8_t k = 0; k < values[i].object_count; k++)
			copy_slots(in, object, object_get(in, values[i].objects[k]));
	return out;
}

/* [x] * n: a container with the same elements, few where N is a small number. */
static struct value repeat(struct interp *in, const struct value *a, const struct value *b, const struct expr *e)
{
	enum { FEW = 16 };
	bool first = is_container_value(in, a);
	const struct value *times = first ? b : a;
	struct value out = concatenate(in, first ? a : b, 1, e);
	object_get(in, out.objects[0])->size = times->number > 0 ? times->number : 0;
	object_get(in, out.objects[0])->repeated = true;
	object_get(in, out.objects[0])->literal = times->number != VALUE_NO_NUMBER && times->number <= FEW;
	out.flags &= (uint16_t)~VALUE_CONCAT;
	out.origins = in->origins.empty;
	return out;
}

/* a + b where a is of a class of the project that says what it means. */
static bool call_operator(struct interp *in, const struct value *a, const struct value *b, char op, const struct expr *e,
			  struct value *out)
{
	static const struct {
		char op;
		const char *name;
	} names[] = {{'+', "__add__"}, {'-', "__sub__"}, {'*', "__mul__"}, {'/', "__truediv__"}, {'@', "__matmul__"}};
	struct str name = {"", 0};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].op == op)
			name = str_from(names[i].name);
	struct object *methods[VALUE_OBJECTS];
	for (uint8_t i = 0; i < a->object_count && name.length; i++) {
		const struct object *object = object_get(in, a->objects[i]);
		methods[i] = object->class_def && !(object->kinds & KIND_CONTAINER) ? class_method(in, object->class_def, name) : NULL;
		if (!methods[i] || !methods[i]->function)
			return false;
	}
	struct value result = value_bottom();
	struct sides sides = sides_begin(in, name.length ? a->object_count : 0);
	for (uint8_t i = 0; i < a->object_count && name.length; i++) {
		struct args *args = args_new(in, 1);
		args_add(args, *b, (struct str){"", 0}, NULL);
		side_begin(in, &sides);
		struct value v = call_def(in, methods[i], a->objects[i], args, e);
		side_end(in, &sides);
		result = value_join(&in->origins, &result, &v);
	}
	sides_end(in, &sides);
	if (value_is_bottom(&result))
		return false;
	*out = result;
	return true;
}

static struct str joined_text(struct interp *in, struct str a, struct str b)
{
	enum { LONGEST = 100 };
	if (!a.at || !b.at || a.length + b.length > LONGEST)
		return (struct str){NULL, 0};
	return str_from(arena_format(in->arena, "%.*s%.*s", STR_ARG(a), STR_ARG(b)));
}

static struct value eval_binary(struct interp *in, const struct expr *e)
{
	struct value first = eval(in, e->items[0]);
	if (e->op == '%' && value_only(&first, KIND_TEXT)) {
		struct value right = eval(in, e->items[1]);
		struct value out = value_of(KIND_TEXT);
		out.origins = origin_retag(&in->origins, formatted_origins(in, &right), ORIGIN_OP);
		out.counter = right.counter;
		out.made = e->span;
		return out;
	}
	uint32_t count = e->count;
	struct value out = first;
	for (uint32_t i = 1; i < count; i++) {
		struct value pair[2] = {out, eval(in, e->items[i])};
		if (e->op == '+' && (is_container_value(in, &pair[0]) || is_container_value(in, &pair[1]))) {
			out = concatenate(in, pair, 2, e);
			continue;
		}
		if (e->op == '|' && is_container_value(in, &pair[0]) && is_container_value(in, &pair[1])) {
			out = unite(in, pair, e);
			continue;
		}
		if (e->op == '*' && (is_container_value(in, &pair[0]) || is_container_value(in, &pair[1]))) {
			out = repeat(in, &pair[0], &pair[1], e);
			continue;
		}
		if (call_operator(in, &pair[0], &pair[1], e->op, e, &out))
			continue;
		if (e->op == '@') {
			object_prove(in, &pair[0], KIND_TENSOR);
			object_prove(in, &pair[1], KIND_TENSOR);
		}
		out = combine(in, pair, 2, e->span);
		out.text = e->op == '+' ? joined_text(in, pair[0].text, pair[1].text) : (struct str){NULL, 0};
		if (value_only(&pair[0], KIND_TEXT) || value_only(&pair[1], KIND_TEXT))
			out.kinds = KIND_TEXT;
		if (e->op == '%' || (e->op == '/' && value_only(&out, KIND_NUMBER))) {
			out.counter = NULL;
			out.flags &= (uint16_t)~VALUE_COUNTER;
		}
	}
	return out;
}

static struct value eval_compare(struct interp *in, const struct expr *e)
{
	bool tensor = false;
	for (uint16_t i = 0; i < e->count; i++) {
		struct value v = eval(in, e->items[i]);
		tensor |= (v.kinds & KIND_TENSOR) != 0 || (v.object_count == 1 && object_get(in, v.objects[0])->proved == KIND_TENSOR);
		for (uint8_t k = 0; i > 0 && (e->op == 'i' || e->op == 'n') && k < v.object_count; k++)
			object_get(in, v.objects[k])->looked_up = true;
	}
	bool identity = e->op == 's' || e->op == 'S' || e->op == 'i' || e->op == 'n';
	struct value out = value_of(tensor && !identity ? KIND_TENSOR | KIND_NUMBER : KIND_NUMBER);
	out.made = e->span;
	return out;
}

/* Whether calling V, a library's function, gives a context without grad. */
static bool makes_grad_off(const struct interp *in, const struct value *v)
{
	const char *mode = v->dotted ? model_grad_mode(model_call(in->model, v->dotted)) : NULL;
	return mode && (strcmp(mode, "off") == 0 || strcmp(mode, "inference") == 0);
}

static struct value eval_conditional(struct interp *in, const struct expr *e)
{
	if (e->count != 3)
		return value_of(KIND_UNKNOWN);
	int truth = known_truth(in, e->items[1]);
	eval(in, e->items[1]);
	if (truth >= 0)
		return eval(in, truth ? e->items[0] : e->items[2]);
	uint32_t mark = state_mark(in);
	cond_push(in);
	narrow(in, e->items[1], true);
	struct value a = eval(in, e->items[0]);
	struct delta *ends = state_delta(in, mark, NULL);
	state_undo(in, mark);
	narrow(in, e->items[1], false);
	struct value b = eval(in, e->items[2]);
	ends = state_delta(in, mark, ends);
	state_join(in, mark, ends, false);
	cond_pop(in);
	if (makes_grad_off(in, &a) && makes_grad_off(in, &b)) /* the one that this version of torch has */
		return b;
	return value_join(&in->origins, &a, &b);
}

static struct value eval_text(struct interp *in, const struct expr *e)
{
	struct value out = value_of(KIND_TEXT);
	out.origins = in->origins.empty;
	out.made = e->span;
	for (uint16_t i = 0; i < e->count; i++) {
		struct value v = eval(in, e->items[i]);
		out = value_add_origins(in, out, origin_retag(&in->origins, formatted_origins(in, &v), ORIGIN_OP));
		if (v.counter)
			out.counter = v.counter;
	}
	if (!e->count) {
		out.text = e->name.at ? e->name : (struct str){"", 0};
		out.device = str_starts(out.text, "cuda") ? DEVICE_ACCELERATOR : str_is(out.text, "cpu") ? DEVICE_CPU : DEVICE_UNKNOWN;
	}
	return out;
}

static struct value eval_lambda(struct interp *in, const struct expr *e)
{
	struct object *object = object_new(in, e, 0, KIND_FUNCTION, e->span);
	object->function = e->def;
	object->scope = in->frame ? in->frame->scope : in->module_scope;
	for (uint32_t i = 0; i < e->def->param_count; i++)
		if (e->def->params[i].fallback)
			cell_set(in, object_slot(in, object, e->def->params[i].name, true), eval(in, e->def->params[i].fallback));
	return object_value(in, object);
}

static struct value eval_yield(struct interp *in, const struct expr *e)
{
	struct value v = value_of(KIND_NONE);
	if (e->count)
		v = eval(in, e->items[0]);
	if (e->op == 'f')
		v = element_of(in, &v, e);
	struct frame *frame = in->frame;
	if (!frame)
		return value_of(KIND_UNKNOWN);
	if (frame->grad_block && grad_is_off(in) && !frame->block) {
		struct event *event = event_add(in, EVENT_YIELD, e->span);
		event_value(in, event, &v);
	}
	if (frame->block && !frame->block->ran) {
		run_with_block(in, frame->block, v);
		return value_of(KIND_UNKNOWN);
	}
	const struct loop *around = frame->call ? frame->call->path : NULL; /* a yield in no function is a slip */
	for (const struct loop *loop = in->path; loop && loop != around; loop = loop->outer)
		frame->yields_many |= !loop->is_struct;
	uint32_t depth = in->path ? in->path->depth : 0;
	if (in->path != around || e->op == 'f' || in->cond_open[depth < 63 ? depth : 63] != frame->conditions)
		frame->parts = NULL; /* how many come before it is not known */
	if (frame->parts)
		cell_set(in, object_slot(in, frame->parts, position_name(in, frame->yield_count++), true), v);
	frame->yielded = value_join(&in->origins, &frame->yielded, &v);
	frame->yields_grad_off |= grad_is_off(in) && !frame->grad_decorated;
	return value_of(KIND_UNKNOWN);
}

static struct value eval_unary(struct interp *in, const struct expr *e)
{
	struct value v = e->count ? eval(in, e->items[0]) : value_of(KIND_UNKNOWN);
	if (value_only(&v, KIND_NUMBER)) {
		v.number = VALUE_NO_NUMBER;
		return v;
	}
	return combine(in, &v, 1, e->span);
}

static struct value eval_constant(const struct expr *e)
{
	struct value v = value_of(str_is(e->name, "None") ? KIND_NONE : KIND_NUMBER);
	if (v.kinds == KIND_NUMBER)
		v.number = str_is(e->name, "True");
	v.made = e->span;
	return v;
}

static struct value eval_subscript(struct interp *in, const struct expr *e)
{
	struct value object = eval(in, e->items[0]);
	struct value key = value_of(KIND_UNKNOWN);
	if (e->count == 2) {
		key = eval(in, e->items[1]);
	} else {
		bool basic = true;
		for (uint16_t i = 1; i < e->count; i++) {
			struct value part = eval(in, e->items[i]);
			basic &= value_only(&part, KIND_NUMBER | KIND_SMALL | KIND_NONE);
		}
		key = value_of(basic ? KIND_SMALL : KIND_UNKNOWN);
	}
	return read_item(in, &object, &key, e);
}

static struct value eval_kind(struct interp *in, const struct expr *e)
{
	struct value v = value_of(KIND_UNKNOWN);
	switch (e->kind) {
	case EXPR_NAME:
		return read_name(in, e);
	case EXPR_NUMBER:
		v = value_of(KIND_NUMBER);
		v.number = e->number;
		return v;
	case EXPR_TEXT:
		return eval_text(in, e);
	case EXPR_CONSTANT:
		return eval_constant(e);
	case EXPR_ATTRIBUTE:
		v = eval(in, e->items[0]);
		return read_attribute(in, &v, e->name, e);
	case EXPR_SUBSCRIPT:
		return eval_subscript(in, e);
	case EXPR_SLICE:
		for (uint16_t i = 0; i < e->count; i++)
			eval(in, e->items[i]);
		return value_of(KIND_SMALL);
	case EXPR_CALL:
		return eval_call(in, e);
	case EXPR_BINARY:
		return eval_binary(in, e);
	case EXPR_COMPARE:
		return eval_compare(in, e);
	case EXPR_BOOLEAN: {
		struct value a = eval(in, e->items[0]);
		cond_push(in);
		struct value b = eval(in, e->items[1]);
		cond_pop(in);
		return value_join(&in->origins, &a, &b);
	}
	case EXPR_NOT: {
		struct value operand = e->count ? eval(in, e->items[0]) : v;
		v = value_of(KIND_NUMBER);
		if (value_only(&operand, KIND_NUMBER) && (operand.number == 0 || operand.number == 1))
			v.number = !operand.number;
		return v;
	}
	case EXPR_UNARY:
		return eval_unary(in, e);
	case EXPR_CONDITIONAL:
		return eval_conditional(in, e);
	case EXPR_LAMBDA:
		return eval_lambda(in, e);
	case EXPR_TUPLE:
	case EXPR_LIST:
	case EXPR_SET:
		return eval_display(in, e);
	case EXPR_DICT:
		return eval_dict(in, e);
	case EXPR_COMPREHENSION:
		return run_comprehension(in, e);
	case EXPR_AWAIT:
	case EXPR_KEYWORD:
		return e->count ? eval(in, e->items[0]) : v;
	case EXPR_STAR:
	case EXPR_DOUBLE_STAR:
		if (!e->count)
			return v;
		v = eval(in, e->items[0]);
		return element_of(in, &v, e);
	case EXPR_YIELD:
		return eval_yield(in, e);
	case EXPR_NAMED:
		v = eval(in, e->items[1]);
		assign_target(in, e->items[0], v, e->span);
		return v;
	default:
		for (uint16_t i = 0; i < e->count; i++)
			eval(in, e->items[i]);
		return value_of(KIND_UNKNOWN);
	}
}

enum { EVAL_DEPTH = 1500 };

struct value eval(struct interp *in, const struct expr *e)
{
	if (!e)
		return value_of(KIND_NONE);
	if (in->budget-- <= 0 || in->eval_depth >= EVAL_DEPTH) {
		in->partial = true;
		return value_of(KIND_UNKNOWN);
	}
	in->eval_depth++;
	struct value v = eval_kind(in, e);
	in->eval_depth--;
	return v;
}
