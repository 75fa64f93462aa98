#include <string.h>
#include "flow/interp.h"
#include "flow/lower.h"

void cond_push(struct interp *in)
{
	uint32_t depth = in->path ? in->path->depth : 0;
	in->cond_open[depth < 63 ? depth : 63]++;
}

struct sides sides_begin(struct interp *in, uint32_t count)
{
	return (struct sides){.several = count > 1, .mark = count > 1 ? state_mark(in) : 0};
}

void side_begin(struct interp *in, struct sides *sides)
{
	if (sides->several)
		cond_push(in);
}

void side_end(struct interp *in, struct sides *sides)
{
	if (!sides->several)
		return;
	cond_pop(in);
	sides->ends = state_delta(in, sides->mark, sides->ends);
	state_undo(in, sides->mark);
}

void sides_end(struct interp *in, struct sides *sides)
{
	if (sides->several)
		state_join(in, sides->mark, sides->ends, false);
}

void cond_pop(struct interp *in)
{
	uint32_t depth = in->path ? in->path->depth : 0;
	in->cond_open[depth < 63 ? depth : 63]--;
}

int literal_truth(const struct expr *e)
{
	if (e->kind == EXPR_CONSTANT)
		return str_is(e->name, "True");
	return e->kind == EXPR_NUMBER && e->number != INT64_MIN ? e->number != 0 : -1;
}

/* ---- branches ---- */

static void narrow_tensor(struct interp *in, uint32_t cell, bool is_tensor)
{
	struct value value = cell_get(in, cell);
	if (is_tensor) {
		value.kinds = KIND_TENSOR;
		if (!(value.flags & VALUE_PARAMETER)) {
			object_prove(in, &value, KIND_TENSOR);
			value.object_count = 0;
			value.many_objects = false;
		}
	} else {
		value.kinds &= ~(uint32_t)(KIND_TENSOR | KIND_UNKNOWN);
		value.kinds = value.kinds ? value.kinds : KIND_NUMBER | KIND_CONTAINER;
		if (value.origins)
			value.origins = in->origins.empty;
	}
	cell_set(in, cell, value);
}

static bool is_number_type(struct interp *in, const struct value *type)
{
	if (type->object_count == 1 && !type->dotted) {
		const struct object *several = object_get(in, type->objects[0]);
		bool all = (several->kinds & KIND_CONTAINER) && several->slots.count > 0 && !several->rest;
		for (size_t i = 0; all && i < several->slots.count; i++) {
			struct value one = cell_get(in, several->slots.items[i].cell);
			all = one.dotted && is_number_type(in, &one);
		}
		return all;
	}
	static const char *const names[] = {"builtins.float", "builtins.int", "builtins.bool", "builtins.str", "numbers.Number"};
	for (size_t i = 0; type->dotted && i < sizeof names / sizeof *names; i++)
		if (strcmp(type->dotted, names[i]) == 0)
			return true;
	return false;
}

/* Whether TYPE is a class of containers that OBJECT is one of: Mapping takes a dict. */
static bool is_of_type(const struct value *type, const struct object *object)
{
	static const struct {
		const char *dotted, *roles;
	} types[] = {{"builtins.dict", "dict counter"}, {"collections.abc.Mapping", "dict counter"}, {"collections.abc.MutableMapping", "dict counter"},
		     {"builtins.list", "list"}, {"builtins.tuple", "tuple"}, {"builtins.set", "set"}, {"collections.abc.Sequence", "list tuple"}};
	const char *role = object->library ? object->library->role : NULL;
	for (size_t i = 0; role && type->dotted && i < sizeof types / sizeof *types; i++)
		if (strcmp(type->dotted, types[i].dotted) == 0 && strstr(types[i].roles, role))
			return true;
	return false;
}

/* What CELL holds is none of the containers that TYPE, a class or several, stands for. */
static void narrow_from_container(struct interp *in, uint32_t cell, const struct value *type)
{
	struct value value = cell_get(in, cell), left = value;
	const struct object *several = type->object_count == 1 && !type->dotted ? object_get(in, type->objects[0]) : NULL;
	left.object_count = 0;
	for (uint8_t i = 0; i < value.object_count; i++) {
		const struct object *object = object_get(in, value.objects[i]);
		bool gone = is_of_type(type, object);
		for (size_t k = 0; several && (several->kinds & KIND_CONTAINER) && k < several->slots.count; k++) {
			struct value one = cell_get(in, several->slots.items[k].cell);
			gone |= is_of_type(&one, object);
		}
		if (!gone)
			left.objects[left.object_count++] = object->id;
	}
	if (left.object_count == value.object_count)
		return;
	left.kinds &= left.object_count ? ~0u : ~(uint32_t)KIND_CONTAINER;
	if (!left.kinds) { /* control does not get here */
		left.kinds = KIND_NUMBER;
		left.origins = in->origins.empty;
	}
	cell_set(in, cell, left);
}

/* What a test asks of a name. */
enum question {
	ASKS_ELSE,
	ASKS_TENSOR,    /* isinstance(x, torch.Tensor), torch.is_tensor(x), type(x) is torch.Tensor */
	ASKS_NO_TENSOR, /* type(x) is not torch.Tensor */
	ASKS_METHOD,    /* hasattr(x, "item"): what has none is no tensor */
	ASKS_GRAPH,     /* x.requires_grad */
	ASKS_CLASS      /* isinstance(x, C), another class or several */
};

struct asked {
	enum question question;
	const struct expr *of; /* x; with ASKS_GRAPH it may be more than a name */
	struct value type;     /* C */
};

static bool is_tensor_class(const struct value *type)
{
	return type->dotted && strcmp(type->dotted, "torch.Tensor") == 0;
}

/* type(x), x.__class__: x, else NULL. */
static const struct expr *asks_for_class(const struct expr *e)
{
	const struct expr *of = NULL;
	if (e->kind == EXPR_CALL && e->count == 2 && e->items[0]->kind == EXPR_NAME && str_is(e->items[0]->name, "type"))
		of = e->items[1];
	else if (e->kind == EXPR_ATTRIBUTE && str_is(e->name, "__class__"))
		of = e->items[0];
	return of && of->kind == EXPR_NAME ? of : NULL;
}

static struct asked asked_by(struct interp *in, const struct expr *e)
{
	struct asked asked = {.question = ASKS_ELSE};
	if (e->kind == EXPR_ATTRIBUTE && str_is(e->name, "requires_grad"))
		return (struct asked){.question = ASKS_GRAPH, .of = e->items[0]};
	asked.of = e->kind == EXPR_COMPARE && e->count == 2 ? asks_for_class(e->items[0]) : NULL;
	if (asked.of) {
		bool same = e->op == 's' || e->op == '=', other = e->op == 'S' || e->op == '!';
		asked.type = eval(in, e->items[1]);
		if (is_tensor_class(&asked.type) && (same || other))
			asked.question = same ? ASKS_TENSOR : ASKS_NO_TENSOR;
		return asked;
	}
	if (e->kind != EXPR_CALL || e->count < 2 || e->items[1]->kind != EXPR_NAME)
		return asked;
	asked.of = e->items[1];
	struct value function = eval(in, e->items[0]);
	if (function.dotted && strcmp(function.dotted, "torch.is_tensor") == 0)
		asked.question = ASKS_TENSOR;
	if (!function.dotted || e->count != 3)
		return asked;
	asked.type = eval(in, e->items[2]);
	struct str text = asked.type.text;
	if (strcmp(function.dotted, "builtins.isinstance") == 0)
		asked.question = is_tensor_class(&asked.type) ? ASKS_TENSOR : ASKS_CLASS;
	else if (strcmp(function.dotted, "builtins.hasattr") == 0 && text.at && (str_is(text, "item") || str_is(text, "detach")))
		asked.question = ASKS_METHOD;
	return asked;
}

/* What was ASKED of the name in CELL came out as TRUTH. */
static void narrow_asked(struct interp *in, uint32_t cell, const struct asked *asked, bool truth)
{
	switch (asked->question) {
	case ASKS_TENSOR:
	case ASKS_NO_TENSOR:
		narrow_tensor(in, cell, truth == (asked->question == ASKS_TENSOR));
		break;
	case ASKS_METHOD:
		if (!truth)
			narrow_tensor(in, cell, false);
		break;
	case ASKS_GRAPH:
		if (!truth)
			cell_set(in, cell, tag_value(in, cell_get(in, cell), ORIGIN_CUT));
		break;
	case ASKS_CLASS:
		if (truth && is_number_type(in, &asked->type))
			narrow_tensor(in, cell, false);
		else if (!truth && asked->type.dotted && strcmp(asked->type.dotted, "torch.nn.Module") == 0)
			cell_set(in, cell, value_of(KIND_UNKNOWN));
		else if (!truth)
			narrow_from_container(in, cell, &asked->type);
		break;
	case ASKS_ELSE:
		break;
	}
}

/* x is None came out as TRUTH. */
static void narrow_none(struct interp *in, uint32_t cell, bool truth)
{
	if (truth) {
		cell_set(in, cell, value_of(KIND_NONE));
		return;
	}
	struct value value = cell_get(in, cell);
	if (value.kinds & ~(uint32_t)KIND_NONE)
		value.kinds &= ~(uint32_t)KIND_NONE;
	cell_set(in, cell, value);
}

void narrow(struct interp *in, const struct expr *e, bool truth)
{
	if (e->kind == EXPR_NOT && e->count) {
		narrow(in, e->items[0], !truth);
		return;
	}
	if (e->kind == EXPR_BOOLEAN) {
		for (uint16_t i = 0; truth && e->op != 'o' && i < e->count; i++)
			narrow(in, e->items[i], true);
		return;
	}
	struct asked asked = asked_by(in, e);
	uint32_t cell = asked.question != ASKS_ELSE && asked.of->kind == EXPR_NAME ? lookup_cell(in, asked.of->name) : 0;
	if (cell)
		narrow_asked(in, cell, &asked, truth);
	else if (e->kind == EXPR_COMPARE && e->count == 2 && (e->op == 's' || e->op == 'S') && e->items[0]->kind == EXPR_NAME &&
		 str_is(e->items[1]->name, "None") && (cell = lookup_cell(in, e->items[0]->name)))
		narrow_none(in, cell, truth == (e->op == 's'));
}

/* `if torch.cuda.is_available():` holds wherever it matters. */
static bool asks_for_device(const struct expr *test)
{
	if (test->kind == EXPR_COMPARE && test->count == 2 && test->op == '=' && test->items[0]->kind == EXPR_ATTRIBUTE)
		return str_is(test->items[0]->name, "type") && str_is(test->items[1]->name, "cuda");
	return test->kind == EXPR_CALL && test->count && test->items[0]->kind == EXPR_ATTRIBUTE &&
	       str_is(test->items[0]->name, "is_available");
}

/* Whether TEST asks if something is a tensor, or has a graph: it holds wherever that matters. */
static bool asks_for_tensor(struct interp *in, const struct expr *test)
{
	enum question question = asked_by(in, test).question;
	return question == ASKS_TENSOR || question == ASKS_METHOD || question == ASKS_GRAPH;
}

/* `if step % 100 == 0:` comes true again and again. */
static bool asks_remainder(const struct expr *test)
{
	if (test->kind == EXPR_NOT && test->count)
		test = test->items[0];
	if (test->kind == EXPR_COMPARE && test->count == 2)
		test = test->items[0];
	return test->kind == EXPR_BINARY && test->op == '%';
}

/* BLOCK was left by a break or a return: what happened in it since event FIRST was the last of its loop. */
static void note_last(struct interp *in, const struct block *block, size_t first)
{
	enum stmt_kind last = block->count ? block->stmts[block->count - 1]->kind : STMT_EXPR;
	struct loop_frame *loops = in->frame ? in->frame->loops : NULL;
	if (!loops || (last != STMT_BREAK && last != STMT_RETURN && last != STMT_RAISE))
		return;
	for (size_t i = first; i < in->events.count; i++)
		in->events.items[i].last_in = loops->loop;
}

/* Runs BLOCK as one side of the branch that began at MARK, from the state at FROM: appends its end state to *ENDS if control
 * reaches it, and goes back to FROM. */
static bool run_side(struct interp *in, uint32_t mark, uint32_t from, const struct expr *test, bool truth, const struct block *block,
		     struct delta **ends)
{
	bool open = !(truth && (asks_for_device(test) || asks_for_tensor(in, test)));
	uint32_t depth = in->path ? in->path->depth : 0;
	uint32_t *periods = truth && asks_remainder(test) && depth < 63 ? &in->periods_open[depth] : NULL;
	if (open)
		cond_push(in);
	if (periods)
		++*periods;
	narrow(in, test, truth);
	size_t first = in->events.count;
	const struct block *outer = in->side;
	in->side = block;
	bool alive = exec_block(in, block);
	in->side = outer;
	if (!alive)
		note_last(in, block, first);
	if (periods)
		--*periods;
	if (open)
		cond_pop(in);
	if (alive)
		*ends = state_delta(in, mark, *ends);
	state_undo(in, from);
	return alive;
}

/* Whether E asks if something was not made yet: `x is None`, `not x`, `not hasattr(…)`, `k not in d`. */
static const struct expr *asks_missing(const struct expr *e)
{
	if (e->kind == EXPR_COMPARE && e->count == 2 && e->op == 's' && e->items[1]->kind == EXPR_CONSTANT &&
	    str_is(e->items[1]->name, "None"))
		return e->items[0];
	if (e->kind == EXPR_COMPARE && e->count == 2 && e->op == 'n')
		return e->items[1];
	if (e->kind == EXPR_NOT && e->count == 1 && (e->items[0]->kind == EXPR_NAME || e->items[0]->kind == EXPR_ATTRIBUTE))
		return e->items[0];
	if (e->kind == EXPR_NOT && e->count == 1 && e->items[0]->kind == EXPR_CALL && e->items[0]->count >= 2 &&
	    e->items[0]->items[0]->kind == EXPR_NAME && str_is(e->items[0]->items[0]->name, "hasattr"))
		return e->items[0]->items[1];
	return NULL;
}

/* The path on which what is made under `if x is None` is born: where x lives. */
static struct loop *path_of_home(struct interp *in, const struct expr *e)
{
	while (e->kind == EXPR_SUBSCRIPT)
		e = e->items[0];
	if (e->kind == EXPR_ATTRIBUTE) {
		struct value owner = eval(in, e->items[0]);
		if (owner.object_count)
			return object_get(in, owner.objects[0])->birth;
	}
	if (e->kind == EXPR_NAME) {
		struct value held = eval(in, e);
		for (uint8_t i = 0; i < held.object_count; i++)
			if (object_get(in, held.objects[i])->kinds & (KIND_CONTAINER | KIND_UNKNOWN))
				return object_get(in, held.objects[i])->birth;
		return in->frame && in->frame->call ? in->frame->call->path : NULL;
	}
	return in->path;
}

/* `if len(x) < n:` bounds what is added to x inside. */
static struct object *length_guard(struct interp *in, const struct expr *e)
{
	if (e->kind != EXPR_COMPARE || e->op != '<' || e->count != 2 || e->items[0]->kind != EXPR_CALL)
		return NULL;
	const struct expr *call = e->items[0];
	if (call->count != 2 || call->items[0]->kind != EXPR_NAME || !str_is(call->items[0]->name, "len"))
		return NULL;
	struct value v = eval(in, call->items[1]);
	return v.object_count == 1 ? object_get(in, v.objects[0]) : NULL;
}

/* The names that E compares, also as one of two ways in: `best is None or loss < best`. */
static void note_compared(struct interp *in, const struct expr *e)
{
	for (uint16_t i = 0; e->kind == EXPR_BOOLEAN && e->op == 'o' && i < e->count; i++)
		note_compared(in, e->items[i]);
	if (e->kind != EXPR_COMPARE || (e->op != '<' && e->op != '>'))
		return;
	for (uint16_t i = 0; i < e->count && in->compared_count < 8; i++)
		if (e->items[i]->kind == EXPR_NAME || e->items[i]->kind == EXPR_ATTRIBUTE)
			in->compared[in->compared_count++] = source_text(in, e->items[i]->span);
}

static bool is_main_guard(const struct expr *e)
{
	return e->kind == EXPR_COMPARE && e->op == '=' && e->count == 2 && e->items[0]->kind == EXPR_NAME &&
	       str_is(e->items[0]->name, "__name__");
}

/* Whether E is a parameter of the call at hand. */
static bool is_given_flag(struct interp *in, const struct expr *e)
{
	if (!in->frame || !in->frame->call || !in->frame->call->node || e->kind != EXPR_NAME)
		return false;
	const struct def *def = in->frame->def;
	int32_t place = def_local(def, e->name);
	return place >= 0 && (uint32_t)place < def->param_count;
}

/* `if optimizer is not None:` where the call at hand says which: 1 and 0, else -1. */
static int given_or_missing(struct interp *in, const struct expr *e)
{
	if (e->kind != EXPR_COMPARE || e->count != 2 || (e->op != 's' && e->op != 'S') || !str_is(e->items[1]->name, "None") ||
	    !is_given_flag(in, e->items[0]))
		return -1;
	struct value value = eval(in, e->items[0]);
	if (value_only(&value, KIND_NONE))
		return e->op == 's';
	bool known = value.object_count == 1 && (object_get(in, value.objects[0])->kinds & (KIND_OPTIMIZER | KIND_MODULE));
	return known && !(value.kinds & KIND_NONE) ? e->op == 'S' : -1;
}

/* `if self.training:` where that is known. */
static int known_mode(struct interp *in, const struct expr *e)
{
	if (e->kind != EXPR_ATTRIBUTE || e->items[0]->kind != EXPR_NAME)
		return -1;
	struct value value = eval(in, e);
	return !(value.flags & VALUE_MODE) || value.number == VALUE_NO_NUMBER ? -1 : value.number != 0;
}

int known_truth(struct interp *in, const struct expr *e)
{
	int truth = literal_truth(e);
	if (truth >= 0)
		return truth;
	if (e->kind == EXPR_NOT && e->count) {
		truth = known_truth(in, e->items[0]);
		return truth < 0 ? -1 : !truth;
	}
	if (is_given_flag(in, e)) {
		struct value value = eval(in, e);
		if (value_only(&value, KIND_NUMBER) && value.number != VALUE_NO_NUMBER)
			return value.number != 0;
	}
	truth = given_or_missing(in, e);
	return truth < 0 ? known_mode(in, e) : truth;
}

static bool is_elif(struct interp *in, const struct block *other)
{
	return other->count == 1 && other->stmts[0]->kind == STMT_IF && known_truth(in, other->stmts[0]->value) < 0;
}

bool exec_if(struct interp *in, const struct stmt *s)
{
	eval(in, s->value);
	int truth = is_main_guard(s->value) ? 1 : known_truth(in, s->value);
	if (truth == 1)
		return exec_block(in, &s->body);
	if (truth == 0)
		return exec_block(in, &s->other);
	struct object *guarded = length_guard(in, s->value);
	const struct expr *missing = asks_missing(s->value);
	struct loop *lazy_path = in->lazy_path;
	struct str lazy_name = in->lazy_name;
	if (missing && in->path) {
		in->lazy_path = path_of_home(in, missing);
		in->lazy_name = source_text(in, missing->span);
	}
	uint32_t mark = state_mark(in);
	struct delta *ends = NULL;
	uint32_t compared = in->compared_count;
	note_compared(in, s->value);
	if (guarded)
		guarded->guarded++;
	bool alive = run_side(in, mark, mark, s->value, true, &s->body, &ends);
	if (guarded)
		guarded->guarded--;
	in->compared_count = compared;
	in->lazy_name = lazy_name;
	in->lazy_path = lazy_path;
	/* a chain of elif is one branch of many sides, not a nest */
	while (is_elif(in, &s->other)) {
		narrow(in, s->value, false);
		s = s->other.stmts[0];
		eval(in, s->value);
		note_compared(in, s->value);
		alive |= run_side(in, mark, state_mark(in), s->value, true, &s->body, &ends);
		in->compared_count = compared;
	}
	alive |= run_side(in, mark, state_mark(in), s->value, false, &s->other, &ends);
	if (ends)
		state_join(in, mark, ends, false);
	return alive;
}

bool exec_match(struct interp *in, const struct stmt *s)
{
	struct value subject = eval(in, s->value);
	uint32_t mark = state_mark(in);
	struct delta *ends = NULL;
	for (uint32_t i = 0; i < s->handler_count; i++) {
		const struct handler *c = &s->handlers[i];
		state_undo(in, mark);
		for (uint32_t j = 0; j < c->bound_count; j++) {
			uint32_t cell = lookup_cell(in, c->bound[j]);
			if (cell)
				cell_set(in, cell, element_of(in, &subject, s->value));
		}
		cond_push(in);
		bool alive = exec_block(in, &c->body);
		cond_pop(in);
		if (alive)
			ends = state_delta(in, mark, ends);
	}
	state_join(in, mark, ends, true);
	return true;
}

/* ---- exceptions ---- */

static bool says(const struct interp *in, struct span span, struct str words)
{
	return str_find(source_text(in, span), words, 0) != SIZE_MAX;
}

/* What HANDLER says it catches. */
static struct span caught_by(const struct handler *handler)
{
	return handler->type ? handler->type->span : handler->span;
}

/* The class says it or, for RuntimeError and the like, the code that looks at the message. One that drops the frames
 * of the traceback holds nothing. */
static bool handles_out_of_memory(const struct interp *in, const struct handler *handler)
{
	return (says(in, caught_by(handler), STR("OutOfMemoryError")) || says(in, handler->span, STR("out of memory"))) &&
	       !says(in, handler->span, STR("traceback__")) && !says(in, handler->span, STR("with_traceback")) &&
	       !says(in, handler->span, STR("clear_frames"));
}

/* RuntimeError, Exception or everything: out of memory is among them. */
static bool catches_widely(const struct interp *in, const struct handler *handler)
{
	static const char *const names[] = {"RuntimeError", "Exception", "BaseException"};
	struct str type = source_text(in, caught_by(handler));
	bool any = !handler->type;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		any |= str_is(type, names[i]);
	return any && !says(in, handler->span, STR("traceback__")) && !says(in, handler->span, STR("with_traceback"));
}

static bool ran_forward(const struct interp *in, size_t first, uint32_t recorded)
{
	if (in->recorded_count > recorded)
		return true;
	for (size_t i = first; i < in->events.count; i++)
		if (in->events.items[i].kind == EVENT_FORWARD && in->events.items[i].grad == GRAD_ON)
			return true;
	return false;
}

/* Python calls it the exception that is being handled until the block is left: its traceback holds the frames of the
 * forward that failed, with all their tensors. */
static bool run_handler(struct interp *in, const struct handler *handler, bool forward)
{
	struct handling handling = {.outer = in->handling, .frame = in->frame};
	bool out_of_memory = forward && handles_out_of_memory(in, handler);
	bool holds = out_of_memory || (forward && catches_widely(in, handler));
	if (holds) {
		handling.span = caught_by(handler);
		handling.exception = object_new(in, handler, 0, KIND_EXCEPTION, handling.span)->id;
		in->catches = true;
		if (out_of_memory)
			in->handling = &handling;
	}
	if (handler->name.length) {
		uint32_t cell = lookup_cell(in, handler->name);
		if (cell)
			cell_set(in, cell, holds ? object_value(in, object_get(in, handling.exception)) : value_of(KIND_EXCEPTION));
	}
	cond_push(in);
	if (in->frame)
		in->frame->handler_depth++;
	bool handled = exec_block(in, &handler->body);
	if (in->frame)
		in->frame->handler_depth--;
	cond_pop(in);
	in->handling = handling.outer;
	return handled;
}

void note_retry(struct interp *in, struct span node, size_t first, uint32_t recorded)
{
	struct handling *handling = in->handling;
	if (!handling || handling->frame != in->frame)
		return;
	bool forward = handling->recursed || (in->module_depth > 0 && in->recorded_count > recorded);
	handling->recursed = false;
	for (size_t i = first; i < in->events.count; i++) {
		const struct event *event = &in->events.items[i];
		if (event->kind == EVENT_RETRY)
			return;
		forward |= event->kind == EVENT_FORWARD && event->grad == GRAD_ON && event->mode != 0;
	}
	if (forward)
		event_add(in, EVENT_RETRY, node)->caught = handling->span;
}

const struct object *kept_exception(struct interp *in, const struct value *value, int depth)
{
	for (uint8_t i = 0; i < value->object_count; i++) {
		const struct object *object = object_get(in, value->objects[i]);
		if (object->kinds == KIND_EXCEPTION)
			return object;
		bool record = (object->kinds & (KIND_CONTAINER | KIND_INSTANCE)) && !(object->kinds & KIND_MODULE);
		for (size_t k = 0; depth > 0 && record && k < object->slots.count; k++) {
			struct value part = cell_get(in, object->slots.items[k].cell);
			const struct object *found = kept_exception(in, &part, depth - 1);
			if (found)
				return found;
		}
	}
	return NULL;
}

/* try: v = v.item(), except AttributeError: what has no such method is no tensor. */
static void narrow_missing(struct interp *in, const struct block *tried, const struct handler *handler)
{
	const struct expr *e = tried->count == 1 ? tried->stmts[0]->value : NULL;
	const struct expr *callee = e && e->kind == EXPR_CALL && e->count ? e->items[0] : NULL;
	if (!callee || callee->kind != EXPR_ATTRIBUTE || callee->items[0]->kind != EXPR_NAME ||
	    !str_is(source_text(in, caught_by(handler)), "AttributeError") ||
	    !model_method(in->model, in->model->tensor, callee->name))
		return;
	uint32_t cell = lookup_cell(in, callee->items[0]->name);
	if (cell)
		narrow_tensor(in, cell, false);
}

/* Returns of the try statement since UNTIL leave with the grad mode as its finally block, run since event FIRST, has set it. */
static void leave_finally(struct interp *in, const struct delta *until, size_t first)
{
	bool switches = false;
	for (size_t i = first; i < in->events.count; i++)
		switches |= in->events.items[i].kind == EVENT_GRAD_CONTEXT && !in->events.items[i].grad_dropped;
	for (struct delta *exit = in->frame && switches ? in->frame->exits : NULL; exit && exit != until; exit = exit->next)
		for (uint32_t i = 0; i < exit->count; i++)
			if (exit->items[i].cell == in->grad_cell)
				exit->items[i].value = cell_get(in, in->grad_cell);
}

bool exec_try(struct interp *in, const struct stmt *s)
{
	uint32_t mark = state_mark(in);
	const struct delta *returned = in->frame ? in->frame->exits : NULL;
	struct delta *ends = NULL;
	size_t first = in->events.count;
	uint32_t recorded = in->recorded_count;
	if (in->frame && s->final.count)
		in->frame->final_depth++;
	bool alive = exec_block(in, &s->body);
	bool forward = ran_forward(in, first, recorded);
	struct delta *body_end = state_delta(in, mark, NULL);
	if (alive && s->other.count)
		alive = exec_block(in, &s->other);
	if (alive)
		ends = state_delta(in, mark, ends);
	for (uint32_t i = 0; i < s->handler_count; i++) {
		const struct handler *handler = &s->handlers[i];
		/* an exception may come before, in or after any statement of the body */
		state_join(in, mark, body_end, true);
		if (handler->type)
			eval(in, handler->type);
		narrow_missing(in, &s->body, handler);
		bool handled = run_handler(in, handler, forward);
		if (handled)
			ends = state_delta(in, mark, ends);
		alive |= handled;
	}
	if (ends)
		state_join(in, mark, ends, false);
	else if (s->handler_count)
		state_join(in, mark, body_end, true);
	if (in->frame && s->final.count)
		in->frame->final_depth--;
	size_t final = in->events.count;
	bool final_alive = s->final.count ? exec_block(in, &s->final) : true;
	leave_finally(in, returned, final);
	return alive && final_alive;
}
