#include <string.h>
#include "flow/interp.h"

/* ---- loops ---- */

static void head_add(struct interp *in, struct loop *loop)
{
	for (uint32_t i = 0; loop->head && i < loop->head->count; i++) {
		struct cell_value *item = &loop->head->items[i];
		if (loop->head->lost[i])
			continue;
		struct value now = cell_get(in, item->cell);
		struct value joined = value_join(&in->origins, &now, &item->value);
		if (value_is_bottom(&joined))
			continue;
		if (loop->is_struct && !loop->is_range) { /* parts, not time: nothing can pile up over it */
			cell_set(in, item->cell, joined);
			continue;
		}
		uint32_t carry = loop->head->carries[i];
		if (!carry)
			carry = loop->head->carries[i] = carry_site(in, loop, item->cell)->id;
		if (!joined.origins)
			joined.origins = in->origins.empty;
		joined.origins = origin_add(&in->origins, origin_without(&in->origins, joined.origins, carry),
					    origin_make(carry, ORIGIN_SELF));
		cell_set(in, item->cell, joined);
	}
}

/* What had one name only, and that has something else at the back edge. */
static bool lost_its_name(struct interp *in, const struct object *object)
{
	struct value now = object->homes == 1 ? cell_get(in, object->last_home) : value_bottom();
	return !value_is_bottom(&now) && !now.many_objects && !value_has(&now, object->id);
}

/* What was made in an iteration is gone in the next, unless something that lives on leads to it. */
static void find_lost(struct interp *in, struct loop *loop)
{
	struct head_list *head = loop->head;
	uint32_t stamp = ++in->stamp;
	enum { ROUNDS = 4 };
	for (int round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < head->count; i++) {
			uint32_t owner = in->cells.items[head->items[i].cell].object;
			struct object *object = owner ? object_get(in, owner) : NULL;
			head->lost[i] = object && object->seen != stamp && (loop_within(object->birth, loop) || lost_its_name(in, object));
			for (uint8_t k = 0; !head->lost[i] && k < head->items[i].value.object_count; k++)
				object_get(in, head->items[i].value.objects[k])->seen = stamp;
		}
	}
}

/* The head of LOOP with room for COUNT more. */
static struct head_list *head_with_room(struct interp *in, struct loop *loop, uint32_t count)
{
	struct head_list *head = loop->head ? loop->head : ARENA_NEW(in->arena, struct head_list);
	struct head_list old = *head;
	if (old.count + count <= old.room)
		return head;
	head->room = old.count + count + old.room / 2;
	head->items = ARENA_ARRAY(in->arena, struct cell_value, head->room);
	head->carries = ARENA_ARRAY(in->arena, uint32_t, head->room);
	head->lost = ARENA_ARRAY(in->arena, bool, head->room);
	if (old.count) {
		memcpy(head->items, old.items, old.count * sizeof *old.items);
		memcpy(head->carries, old.carries, old.count * sizeof *old.carries);
	}
	return head;
}

/* Whether the back edge brings something that the head of this walk did not have. */
static bool head_update(struct interp *in, struct loop *loop, uint32_t mark, bool again)
{
	struct arena_mark before = arena_mark_get(&in->scratch);
	struct delta *delta = state_delta(in, mark, NULL);
	bool changed = loop->head == NULL;
	uint32_t stamp = ++in->stamp;
	struct head_list *head = head_with_room(in, loop, delta->count);
	for (uint32_t i = 0; i < head->count; i++) {
		struct cell *cell = &in->cells.items[head->items[i].cell];
		cell->stamp = stamp;
		cell->join_count = i;
	}
	uint32_t depth = loop->call ? loop->call->depth : 0;
	for (uint32_t i = 0; i < delta->count; i++) {
		struct cell *cell = &in->cells.items[delta->items[i].cell];
		if (cell->call && cell->call->depth > depth && !cell->outlives)
			continue; /* a variable of a call that ended within the iteration */
		struct value back = delta->items[i].value;
		uint32_t carry = cell->stamp == stamp ? head->carries[cell->join_count] : 0;
		if (back.origins && carry)
			back.origins = origin_without(&in->origins, back.origins, carry);
		if (cell->stamp != stamp) {
			changed = true;
			cell->stamp = stamp;
			cell->join_count = head->count;
			head->items[head->count++] = (struct cell_value){delta->items[i].cell, back};
			continue;
		}
		struct value *old = &head->items[cell->join_count].value;
		struct value joined = value_join(&in->origins, old, &back);
		/* what values may be must settle; where they come from is worth another walk only the first time */
		changed |= again ? old->kinds != joined.kinds || old->object_count != joined.object_count : !value_same(old, &joined);
		*old = joined;
	}
	loop->head = head;
	arena_rewind(&in->scratch, before);
	find_lost(in, loop);
	return changed;
}

/* Whether CELL belongs to what an iteration of LOOP made, and the next cannot reach. */
static bool is_lost(const struct loop *loop, uint32_t cell)
{
	for (uint32_t i = 0; loop->head && i < loop->head->count; i++)
		if (loop->head->items[i].cell == cell)
			return loop->head->lost[i];
	return false;
}

/* A chain that the end of the iteration has dropped again (the name was reset) is none. */
static void confirm_chains(struct interp *in, struct loop *loop, size_t first_event)
{
	for (size_t i = first_event; i < in->events.count; i++) {
		struct event *event = &in->events.items[i];
		if (event->kind != EVENT_ACCUMULATE || event->linked)
			continue;
		for (uint8_t j = 0; j < event->carry_count; j++) {
			if (event->carries[j] != loop)
				continue;
			struct value end = cell_get(in, event->cell);
			uint32_t site = carry_site(in, loop, event->cell)->id;
			const struct origin_set *origins = tied_origins(in, &end);
			const struct cell *cell = &in->cells.items[event->cell];
			bool lost = cell->object && (lost_its_name(in, object_get(in, cell->object)) || is_lost(loop, event->cell));
			bool kept = !lost && origins && (origin_has(origins, origin_make(site, ORIGIN_OP)) ||
						(event->through_module && origin_has(origins, origin_make(site, ORIGIN_CALL))) ||
						(event->selects && origin_has(origins, origin_make(site, ORIGIN_SELF))));
			if (kept)
				continue;
			memmove(&event->carries[j], &event->carries[j + 1], (3u - j) * sizeof event->carries[0]);
			event->carry_count--;
			break;
		}
	}
}

enum { LOOP_WALKS = 3 };

void run_loop(struct interp *in, struct loop *loop, loop_body *body, void *context, bool may_skip)
{
	enum { DEEPEST = 12 };
	uint32_t mark = state_mark(in);
	size_t first_event = in->events.count;
	struct loop_frame frame = {.loop = loop, .mark = mark, .grad_depth = in->frame ? in->frame->grad_depth : 0};
	struct loop *outer_path = in->path;
	struct frame *owner = in->frame;
	if (owner) {
		frame.outer = owner->loops;
		owner->loops = &frame;
	}
	in->path = loop;
	/* nothing that an earlier run of this loop made is there when it starts anew */
	for (size_t i = 0; i < loop->born.count; i++)
		clear_slots(in, loop->born.items[i]);
	mark = frame.mark = state_mark(in);
	struct delta *exits = owner ? owner->exits : NULL;
	bool goes_round = false;
	struct value result = owner ? owner->result : value_bottom();
	/* so deep inside other loops nobody counts steps: one walk shows what it does */
	bool again = loop->head != NULL, trial = in->trial || loop->depth > DEEPEST;
	for (int walk = again ? 1 : 0; walk < LOOP_WALKS; walk++) {
		state_undo(in, mark);
		if (owner) {
			owner->exits = exits;
			owner->result = result;
		}
		in->events.count = first_event;
		frame.breaks = frame.continues = NULL;
		head_add(in, loop);
		in->trial = trial || (!again && walk == 0);
		bool alive = body(in, loop, context);
		in->trial = trial;
		struct arena_mark before = arena_mark_get(&in->scratch);
		struct delta *back = alive ? state_delta(in, mark, frame.continues) : frame.continues;
		goes_round = back != NULL;
		if (goes_round)
			state_join(in, mark, back, false);
		else
			state_undo(in, mark);
		arena_rewind(&in->scratch, before);
		confirm_chains(in, loop, first_event);
		bool seeded = loop->head != NULL;
		/* while a loop around is on its first walk, one walk of this one is enough to learn what it changes */
		if ((!head_update(in, loop, mark, again) && seeded) || trial)
			break;
	}
	in->path = outer_path;
	if (owner)
		owner->loops = frame.outer;
	struct arena_mark before = arena_mark_get(&in->scratch);
	struct delta *ends = frame.breaks;
	may_skip &= !loop->never_empty;
	if (may_skip || goes_round)
		ends = state_delta(in, mark, ends);
	if (!may_skip && frame.breaks && !loop->never_empty)
		ends = frame.breaks;
	state_join(in, mark, ends, may_skip);
	arena_rewind(&in->scratch, before);
}

struct for_context {
	const struct stmt *stmt;
	struct value iterable;
	const struct expr *condition; /* of a while loop */
	bool leaves;
};

/* Whether OBJECT, a container, has optimizers among its elements, or in the tuples that these are. */
static bool has_optimizers(struct interp *in, const struct object *object, int depth)
{
	for (size_t i = 0; i <= object->slots.count; i++) {
		uint32_t cell = object_cell(object, i);
		struct value held = cell ? cell_get(in, cell) : value_bottom();
		for (uint8_t k = 0; k < held.object_count; k++) {
			const struct object *element = object_get(in, held.objects[k]);
			if ((element->kinds & KIND_OPTIMIZER) || (depth > 0 && (element->kinds & KIND_CONTAINER) && has_optimizers(in, element, depth - 1)))
				return true;
		}
	}
	return false;
}

bool is_parts(struct interp *in, const struct value *iterable, bool *range)
{
	*range = false;
	if (iterable->flags & (VALUE_STRUCT | VALUE_PARAMETER))
		return true;
	if (iterable->object_count == 0)
		return value_only(iterable, KIND_TENSOR) && iterable->origins && iterable->origins->count;
	for (uint8_t i = 0; i < iterable->object_count; i++) {
		struct object *object = object_get(in, iterable->objects[i]);
		if (!object->literal && !(object->kinds & KIND_MODULE))
			return false;
		*range |= !(object->kinds & KIND_MODULE) && !has_optimizers(in, object, 1);
	}
	return true;
}

struct value next_element(struct interp *in, const struct value *iterable, const struct expr *node, bool *grad_off)
{
	struct value out = value_bottom();
	bool generators = false;
	if (dict_keys(in, iterable, &out))
		return out;
	for (uint8_t i = 0; i < iterable->object_count; i++) {
		struct object *object = object_get(in, iterable->objects[i]);
		struct object *iter = object->class_def ? class_method(in, object->class_def, STR("__iter__")) : NULL;
		struct value v;
		if ((object->kinds & KIND_GENERATOR) || object->lazy) {
			v = run_generator(in, object, node, grad_off);
		} else if (iter && iter->function) {
			struct args *none = args_new(in, 0);
			struct value made = call_def(in, iter, object->id, none, node);
			bool again = made.object_count == 1 && (object_get(in, made.objects[0])->kinds & KIND_GENERATOR);
			struct object *maker = made.object_count == 1 ? object_get(in, made.objects[0]) : NULL;
			struct object *next = maker && maker->class_def ? class_method(in, maker->class_def, STR("__next__")) : NULL;
			v = again ? run_generator(in, maker, node, grad_off)
			    : next && next->function ? call_def(in, next, maker->id, args_new(in, 0), node)
						     : element_of(in, &made, node);
		} else {
			continue;
		}
		generators = true;
		out = value_join(&in->origins, &out, &v);
	}
	return generators ? out : element_of(in, iterable, node);
}

/* What an unknown iterable hands out is new in each iteration. */
static void renew(struct interp *in, const struct value *element)
{
	for (uint8_t i = 0; i < element->object_count; i++) {
		struct object *object = object_get(in, element->objects[i]);
		if (!object->fresh)
			continue;
		clear_slots(in, object);
		object->birth = in->path;
	}
}

/* A generator shows how often it yields when it is run. */
static void note_few(struct interp *in, struct loop *loop, const struct value *iterable)
{
	if (iterable->object_count == 1 && object_get(in, iterable->objects[0])->few)
		loop->is_struct = loop->is_range = true;
}

/* What a loop goes over: a generator expression that stands there does its work in the loop. */
static struct value eval_iterable(struct interp *in, const struct expr *e)
{
	if (e->kind != EXPR_COMPREHENSION || e->op != '(' || !e->clause_count || !e->clauses[0].iterable)
		return eval(in, e);
	struct args *first = args_new(in, 1);
	args_add(first, eval_iterable(in, e->clauses[0].iterable), (struct str){"", 0}, e);
	return object_value(in, lazy_iterator(in, NULL, NULL, first, e));
}

/* Whether ELEMENT is a parameter of a module, or a pair of its name and itself. */
static bool goes_over_parameters(struct interp *in, const struct value *element)
{
	if (element->flags & VALUE_PARAMETER)
		return true;
	uint32_t second = element->object_count == 1 ? object_slot(in, object_get(in, element->objects[0]), STR("1"), false) : 0;
	return second && (cell_get(in, second).flags & VALUE_PARAMETER);
}

static bool for_body(struct interp *in, struct loop *loop, void *context)
{
	struct for_context *c = context;
	bool grad_off = false;
	struct value element = next_element(in, &c->iterable, c->stmt->value, &grad_off);
	note_few(in, loop, &c->iterable);
	loop->never_empty |= goes_over_parameters(in, &element);
	renew(in, &element);
	assign_target(in, c->stmt->targets[0], element, c->stmt->targets[0]->span);
	struct value grad = cell_get(in, in->grad_cell);
	if (grad_off)
		grad_set(in, GRAD_OFF);
	bool alive = exec_block(in, &c->stmt->body);
	if (grad_off)
		cell_set(in, in->grad_cell, grad);
	(void)loop;
	return alive;
}

/* A body that is one try which leaves the loop on success. */
static bool is_retry(const struct block *body)
{
	const struct stmt *only = NULL;
	for (uint32_t i = 0; i < body->count; i++)
		if (body->stmts[i]->kind == STMT_TRY)
			only = body->stmts[i];
	if (!only || !only->handler_count)
		return false;
	const struct block *ends[2] = {&only->body, &only->other};
	for (int i = 0; i < 2; i++) {
		if (!ends[i]->count)
			continue;
		enum stmt_kind last = ends[i]->stmts[ends[i]->count - 1]->kind;
		if (last == STMT_RETURN || last == STMT_BREAK)
			return true;
	}
	return false;
}

static struct span first_line(struct interp *in, struct span span)
{
	struct str text = source_text(in, span);
	uint32_t length = 0;
	while (length < text.length && text.at[length] != '\n' && text.at[length] != '\r')
		length++;
	return (struct span){span.start, span.start + length};
}

bool exec_for(struct interp *in, const struct stmt *s)
{
	struct for_context c = {.stmt = s};
	c.iterable = eval_iterable(in, s->value);
	struct loop *loop = loop_enter(in, s, LOOP_FOR, first_line(in, s->span));
	loop->is_struct = is_parts(in, &c.iterable, &loop->is_range);
	loop->retry = is_retry(&s->body);
	loop->size = c.iterable.object_count == 1 ? object_get(in, c.iterable.objects[0])->size : 0;
	loop->target = s->targets[0];
	note_covered(in, loop, &c.iterable, s->value);
	if (s->targets[0]->kind == EXPR_NAME)
		loop->variable = s->targets[0]->name;
	run_loop(in, loop, for_body, &c, true);
	convert_covered(in, loop);
	return s->other.count ? exec_block(in, &s->other) : true;
}

static bool while_body(struct interp *in, struct loop *loop, void *context)
{
	const struct for_context *c = context;
	(void)loop;
	eval(in, c->condition);
	return exec_block(in, &c->stmt->body);
}

bool exec_while(struct interp *in, const struct stmt *s)
{
	struct for_context c = {.stmt = s, .condition = s->value};
	bool endless = literal_truth(s->value) == 1;
	struct loop *loop = loop_enter(in, s, LOOP_WHILE, first_line(in, s->span));
	loop->retry = is_retry(&s->body);
	run_loop(in, loop, while_body, &c, !endless);
	return s->other.count ? exec_block(in, &s->other) : true;
}

/* ---- comprehensions ---- */

/* Comprehensions over so many things that are known make their elements one by one. */
enum { UNROLLED = 4 };

struct comprehension_context {
	const struct expr *e;
	uint16_t clause;
	uint32_t gathered; /* cell that joins the elements until the result is made */
	struct object *result; /* the list, set or dictionary that it makes; NULL for a generator */
	struct loop *loop;     /* of the outermost clause */
	struct value iterable;
	int64_t size;          /* elements of what the outermost clause goes over, 0: unknown */
	struct value parts[UNROLLED]; /* the elements, where each was made on its own */
	uint32_t part_count;
};

/* Clauses of one comprehension that are run as loops; nobody nests as many, and each carries all that is inside. */
enum { CLAUSE_LOOPS = 20 };

static void run_clause(struct interp *in, struct comprehension_context *c);

static bool clause_body(struct interp *in, struct loop *loop, void *context)
{
	struct comprehension_context *c = context;
	const struct clause *clause = &c->e->clauses[c->clause];
	bool grad_off = false;
	(void)loop;
	struct value element = next_element(in, &c->iterable, clause->iterable, &grad_off);
	if (loop)
		note_few(in, loop, &c->iterable);
	renew(in, &element);
	if (clause->target)
		assign_target(in, clause->target, element, clause->target->span);
	struct comprehension_context inner = *c;
	inner.clause++;
	run_clause(in, &inner);
	return true;
}

static struct value run_element(struct interp *in, struct comprehension_context *c)
{
	const struct expr *element = c->e->items[0];
	bool pair = element->kind == EXPR_PAIR;
	if (pair)
		eval(in, element->items[0]);
	struct value v = eval(in, pair ? element->items[1] : element);
	if (c->result) {
		struct event *event = event_add(in, EVENT_STORE, c->e->span);
		event_value(in, event, &v);
		event->holder = c->result->id;
		event->op = STORE_APPEND;
		event->name = c->result->name;
	}
	struct value old = cell_get(in, c->gathered);
	cell_set(in, c->gathered, value_join(&in->origins, &old, &v));
	return v;
}

/* The elements of ITERABLE where it is a display of few modules, optimizers or other things that hold no elements; else NULL. */
static const struct object *few_things(struct interp *in, const struct value *iterable)
{
	const struct object *object = iterable->object_count == 1 ? object_get(in, iterable->objects[0]) : NULL;
	if (!object || !object->literal || object->rest || (object->kinds & KIND_MODULE) || object->slots.count < 2 ||
	    object->slots.count > UNROLLED)
		return NULL;
	for (uint32_t i = 0; i < object->slots.count; i++) {
		struct value part = cell_get(in, object->slots.items[i].cell);
		if (!str_equal(object->slots.items[i].name, position_name(in, i)) || part.object_count != 1 ||
		    (part.flags & VALUE_PARAMETER) || (object_get(in, part.objects[0])->kinds & KIND_CONTAINER))
			return NULL;
	}
	return object;
}

/* [Adam(m.parameters()) for m in (g, d)]: what is made for one is not what is made for the other. */
static void run_one_by_one(struct interp *in, struct comprehension_context *c, const struct object *things)
{
	struct loop *path = in->path;
	const void *copy = in->copy;
	in->path = c->loop;
	for (uint32_t i = 0; i < things->slots.count; i++) {
		assign_target(in, c->e->clauses[0].target, cell_get(in, things->slots.items[i].cell), c->e->clauses[0].target->span);
		in->copy = copy_of(in, c->e, i);
		c->parts[c->part_count++] = run_element(in, c);
		in->copy = copy;
	}
	in->path = path;
}

static void run_clause(struct interp *in, struct comprehension_context *c)
{
	if (c->clause == c->e->clause_count) {
		run_element(in, c);
		return;
	}
	const struct clause *clause = &c->e->clauses[c->clause];
	if (!clause->iterable) {
		struct comprehension_context inner = *c;
		eval(in, clause->condition);
		inner.clause++;
		cond_push(in);
		run_clause(in, &inner);
		cond_pop(in);
		return;
	}
	c->iterable = eval_iterable(in, clause->iterable);
	if (c->clause == 0 && c->iterable.object_count == 1)
		c->size = object_get(in, c->iterable.objects[0])->size;
	if (c->clause >= CLAUSE_LOOPS) {
		clause_body(in, NULL, c);
		return;
	}
	struct loop *loop = loop_enter(in, clause, LOOP_COMPREHENSION, clause->span);
	c->loop = loop;
	loop->is_struct = is_parts(in, &c->iterable, &loop->is_range);
	if (clause->target && clause->target->kind == EXPR_NAME)
		loop->variable = clause->target->name;
	const struct object *things = c->e->clause_count == 1 && clause->target && strchr("[(", c->e->op) ? few_things(in, &c->iterable) : NULL;
	if (things)
		run_one_by_one(in, c, things);
	else
		run_loop(in, loop, clause_body, c, true);
}

static uint32_t comprehension_cells(struct interp *in, const struct expr *e)
{
	struct place_key key = {e, in->call, 0, 'G'};
	uint32_t first = (uint32_t)(uintptr_t)place_get(in, &key);
	if (first)
		return first;
	first = (uint32_t)in->cells.count;
	for (uint32_t i = 0; i < e->def->local_count; i++)
		cell_new(in, e->def->locals[i], 0, e->def);
	cell_new(in, STR("[]"), 0, e->def);
	place_put(in, &key, (void *)(uintptr_t)first);
	return first;
}

/* i % 10: few different numbers, each one object however often it stands in a list. */
static bool is_remainder(const struct expr *e)
{
	enum { SHARED = 256 };
	return e->kind == EXPR_BINARY && e->op == '%' && e->count == 2 && e->items[1]->number >= 0 && e->items[1]->number <= SHARED;
}

/* The names of a comprehension live in a scope of its own, inside the frame that runs it. */
static struct scope *comprehension_scope(struct interp *in, const struct expr *e)
{
	struct scope *scope = ARENA_NEW(in->arena, struct scope);
	scope->def = e->def;
	scope->parent = in->frame ? in->frame->scope : in->module_scope;
	scope->first_cell = comprehension_cells(in, e);
	return scope;
}

struct value comprehension_next(struct interp *in, const struct expr *e, const struct value *iterable, bool *grad_off)
{
	struct scope *scope = comprehension_scope(in, e), *outer = in->frame->scope;
	struct comprehension_context c = {.e = e, .clause = 1, .gathered = scope->first_cell + e->def->local_count};
	struct value element = next_element(in, iterable, e->clauses[0].iterable, grad_off);
	in->frame->scope = scope;
	cell_set(in, c.gathered, value_bottom());
	renew(in, &element);
	if (e->clauses[0].target)
		assign_target(in, e->clauses[0].target, element, e->clauses[0].target->span);
	run_clause(in, &c);
	in->frame->scope = outer;
	struct value out = cell_get(in, c.gathered);
	return value_is_bottom(&out) ? value_of(KIND_UNKNOWN) : out;
}

struct value run_comprehension(struct interp *in, const struct expr *e)
{
	static const char *const classes[] = {"builtins.list", "builtins.set", "builtins.dict"};
	struct scope *scope = comprehension_scope(in, e);
	struct comprehension_context c = {.e = e, .gathered = scope->first_cell + e->def->local_count};
	struct scope *outer = in->frame->scope;
	in->frame->scope = scope;
	cell_set(in, c.gathered, value_bottom());
	if (e->op != '(')
		c.result = object_peek(in, e, 0, KIND_CONTAINER, e->span);
	run_clause(in, &c);
	in->frame->scope = outer;
	struct value element = cell_get(in, c.gathered);
	struct object *result = object_new(in, e, 0, KIND_CONTAINER, e->span);
	result->library = model_class_get(in->model, classes[e->op == '{' ? 1 : e->op == ':' ? 2 : 0]);
	for (uint32_t i = 0; i < c.part_count; i++)
		cell_set(in, object_slot(in, result, position_name(in, i), true), c.parts[i]);
	if (!value_is_bottom(&element) && !c.part_count)
		fill_cell(in, object_rest(in, result), element, e->span, result->name, true);
	result->made_in = e->op == '(' ? c.loop : NULL;
	result->size = c.size;
	result->covers = keeps_keys(e) ? container_covered(in, &c.iterable) : 0;
	result->repeated = is_remainder(e->items[0]);
	bool range;
	result->literal = e->clause_count == 1 && is_parts(in, &c.iterable, &range);
	return object_value(in, result);
}
