#include <string.h>
#include "flow/interp.h"

void grad_enter(struct interp *in, const char *mode, const struct value *argument)
{
	if (strcmp(mode, "off") == 0)
		grad_set(in, GRAD_OFF);
	else if (strcmp(mode, "inference") == 0)
		grad_set(in, argument && value_only(argument, KIND_NUMBER) && argument->number == 0 ? grad_now(in) : GRAD_INFERENCE);
	else if (strcmp(mode, "on") == 0)
		grad_set(in, GRAD_ON);
	else if (argument && (argument->number == 0 || argument->number == 1))
		grad_set(in, argument->number ? GRAD_ON : GRAD_OFF);
	else
		grad_set(in, GRAD_BOTH);
}

static bool asks_grad(struct interp *in, const struct value *context)
{
	bool any = false;
	for (uint8_t i = 0; i < context->object_count; i++)
		any |= object_get(in, context->objects[i])->grad_mode != NULL &&
		       !(object_get(in, context->objects[i])->kinds & (KIND_FUNCTION | KIND_GENERATOR));
	return any;
}

/* Runs the block inside one context more; GRAD is the mode around it, which whoever leaves the block finds again. */
static bool run_inside(struct interp *in, const struct stmt *stmt, uint32_t next, struct value grad)
{
	enum { DEEPEST = 8 };
	struct frame *frame = in->frame;
	bool counted = frame && frame->grad_depth < DEEPEST;
	if (counted)
		frame->grads[frame->grad_depth++] = grad;
	bool alive = next < stmt->item_count ? exec_with(in, stmt, next) : exec_block(in, &stmt->body);
	if (counted)
		frame->grad_depth--;
	return alive;
}

struct delta *delta_leaving(struct interp *in, uint32_t mark, struct delta *next, int kept)
{
	const struct frame *frame = in->frame;
	if (!frame || frame->grad_depth <= kept)
		return state_delta(in, mark, next);
	struct value now = cell_get(in, in->grad_cell);
	cell_set(in, in->grad_cell, frame->grads[kept]);
	struct delta *delta = state_delta(in, mark, next);
	cell_set(in, in->grad_cell, now);
	return delta;
}

/* Runs the inside and puts the grad mode back as it was, GRAD; SETS: the context changes it. */
static bool run_block(struct interp *in, const struct stmt *stmt, uint32_t next, struct value grad, bool sets)
{
	bool block = in->frame ? in->frame->grad_block : false;
	if (in->frame && sets)
		in->frame->grad_block = true;
	bool alive = run_inside(in, stmt, next, grad);
	if (in->frame)
		in->frame->grad_block = block;
	cell_set(in, in->grad_cell, grad);
	return alive;
}

static bool with_grad(struct interp *in, const struct value *context, const struct stmt *stmt, uint32_t next)
{
	struct value grad = cell_get(in, in->grad_cell);
	bool sure = context->object_count == 1 && !(context->kinds & ~(uint32_t)KIND_GRADMODE);
	struct object *object = NULL;
	for (uint8_t i = 0; i < context->object_count; i++)
		if (object_get(in, context->objects[i])->grad_mode)
			object = object_get(in, context->objects[i]);
	if (!sure)
		grad_set(in, GRAD_BOTH); /* nullcontext() if train else no_grad() */
	else
		grad_enter(in, object->grad_mode, &object->grad_argument);
	return run_block(in, stmt, next, grad, true);
}

/* A generator under @contextmanager: the block runs where it yields. */
static bool with_generator(struct interp *in, struct object *generator, const struct with_item *item,
			   const struct stmt *stmt, uint32_t next)
{
	struct value grad = cell_get(in, in->grad_cell);
	struct with_block block = {.stmt = stmt, .next = next, .item = item, .frame = in->frame, .path = in->path,
				   .call = in->call, .grad = grad, .alive = true};
	run_context(in, generator, item->value, &block);
	if (!block.ran)
		run_with_block(in, &block, value_of(KIND_UNKNOWN));
	cell_set(in, in->grad_cell, grad);
	return block.alive;
}

void run_with_block(struct interp *in, struct with_block *block, struct value value)
{
	struct frame *frame = in->frame;
	struct loop *path = in->path;
	struct call *call = in->call;
	struct value grad = cell_get(in, in->grad_cell);
	block->ran = true;
	in->frame = block->frame;
	in->path = block->path;
	in->call = block->call;
	if (block->item->target)
		assign_target(in, block->item->target, value, block->item->target->span);
	bool sets = grad.number != block->grad.number;
	bool inner = in->frame ? in->frame->grad_block : false;
	if (in->frame && sets)
		in->frame->grad_block = true;
	block->alive = run_inside(in, block->stmt, block->next, block->grad);
	if (in->frame)
		in->frame->grad_block = inner;
	in->frame = frame;
	in->path = path;
	in->call = call;
	cell_set(in, in->grad_cell, grad);
}

static bool with_object(struct interp *in, struct object *object, const struct with_item *item, const struct stmt *stmt,
			uint32_t next)
{
	struct object *enter = class_method(in, object->class_def, STR("__enter__"));
	struct object *leave = class_method(in, object->class_def, STR("__exit__"));
	struct value grad = cell_get(in, in->grad_cell);
	struct value entered = object_value(in, object);
	if (enter && enter->function)
		entered = call_def(in, enter, object->id, args_new(in, 0), item->value);
	if (item->target)
		assign_target(in, item->target, entered, item->target->span);
	bool alive = run_inside(in, stmt, next, grad);
	if (leave && leave->function)
		call_def(in, leave, object->id, args_new(in, 0), item->value);
	cell_set(in, in->grad_cell, grad);
	return alive;
}

static bool is_debug(const struct event *event)
{
	return event->kind == EVENT_MARK && strcmp(event->mark, "debug") == 0;
}

/* A context that is a mark: notes where its block ends. */
static bool with_mark(struct interp *in, size_t first, const struct with_item *item, const struct value *context,
		      const struct stmt *stmt, uint32_t next)
{
	if (item->target)
		assign_target(in, item->target, *context, item->target->span);
	size_t last = in->events.count;
	bool alive = run_inside(in, stmt, next, cell_get(in, in->grad_cell));
	for (size_t i = first; i < last && i < in->events.count; i++)
		if (is_debug(&in->events.items[i]))
			in->events.items[i].block_end = in->order;
	return alive;
}

bool speaks_of_grad(struct str text)
{
	static const char *const words[] = {"grad", "inference", "eval", "freeze", "frozen"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_find(text, str_from(words[i]), 0) != SIZE_MAX)
			return true;
	return false;
}

bool exec_with(struct interp *in, const struct stmt *stmt, uint32_t next)
{
	if (next >= stmt->item_count)
		return exec_block(in, &stmt->body);
	const struct with_item *item = &stmt->items[next];
	size_t first = in->events.count;
	struct value context = eval(in, item->value);
	bool marked = false;
	for (size_t i = first; i < in->events.count; i++)
		marked |= is_debug(&in->events.items[i]);
	if (marked)
		return with_mark(in, first, item, &context, stmt, next + 1);
	if (asks_grad(in, &context)) {
		if (item->target)
			assign_target(in, item->target, context, item->target->span);
		return with_grad(in, &context, stmt, next + 1);
	}
	if (context.object_count == 1) {
		struct object *object = object_get(in, context.objects[0]);
		if (object->kinds & KIND_GENERATOR)
			return with_generator(in, object, item, stmt, next + 1);
		if (object->class_def)
			return with_object(in, object, item, stmt, next + 1);
	}
	struct value grad = cell_get(in, in->grad_cell);
	struct span span = item->value->span;
	bool known = context.dotted || (context.object_count && object_get(in, context.objects[0])->library);
	if (!known && speaks_of_grad(source_text(in, span)))
		grad_set(in, GRAD_UNKNOWN);
	if (item->target) {
		struct value inner = context;
		if (!context.object_count && !context.origins)
			inner = value_of(KIND_UNKNOWN);
		assign_target(in, item->target, inner, item->target->span);
	}
	bool alive = run_inside(in, stmt, next + 1, grad);
	for (uint8_t i = 0; i < context.object_count; i++) {
		struct object *object = object_get(in, context.objects[i]);
		if ((object->library && object->library->threads) || (object->kinds & KIND_HANDLE))
			reset_object(in, object, false, item->value->span);
	}
	/* a stack of contexts that the block filled ends with it */
	cell_set(in, in->grad_cell, grad);
	return alive;
}
