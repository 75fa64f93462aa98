#include "flow/judging.h"

#include <string.h>

/* What is made, added or registered again and again, and what is never emptied. */

/* The innermost loop of PATH, a step or an epoch, that OBJECT outlives. */
static const struct loop *repeated_over(const struct judging *j, const struct loop *path, const struct object *object)
{
	const struct loop *loop = loop_around(j, path, LOOP_STEP, LOOP_EPOCH);
	return loop && !loop_within(object->birth, loop) ? loop : NULL;
}

static bool reset_within(struct judging *j, uint32_t holder, const struct loop *loop)
{
	for (uint32_t i = 0; i < index_count(&j->resets, holder); i++)
		if (loop_within(index_event(j, &j->resets, holder, i)->path, loop))
			return true;
	return false;
}

/* ---- hooks ---- */

static void judge_hooked(struct judging *j, const struct event *event)
{
	struct fact fact = new_fact(FACT_HOOKED, event);
	for (uint8_t i = 0; i < event->object_count && !fact.loop; i++) {
		fact.holder = object_get(j->in, event->objects[i]);
		fact.loop = repeated_over(j, event->path, fact.holder);
	}
	if (!fact.loop || !again_and_again(event, fact.loop) || index_count(&j->resets, event->holder))
		return;
	bool gradients = str_is(event->name, "gradient") || str_starts(event->name, "backward");
	fact.what = gradients ? "gradients" : "outputs";
	if (fact.holder->input) /* the loop may go over the parts that get a hook each */
		fact.proof = j->has_step[fact.loop->id] || j->has_backward[fact.loop->id] ? PROOF_USAGE : PROOF_NAME;
	VEC_ADD(&j->facts, fact);
}

/* ---- optimizers, loaders and writers ---- */

/* Whether something in LOOP loads a state into OBJECT or gives it to somebody out of sight, who may. */
static bool renewed_in(struct judging *j, uint32_t object, const struct loop *loop)
{
	for (uint32_t i = 0; i < index_count(&j->marks, object); i++) {
		const struct event *mark = index_event(j, &j->marks, object, i);
		if (mark->kind == EVENT_MARK && strcmp(mark->mark, "loads-state") == 0 && loop_within(mark->path, loop))
			return true;
	}
	for (uint32_t i = 0; i < index_count(&j->zeros, object); i++) {
		const struct event *zero = index_event(j, &j->zeros, object, i);
		if (zero->handed && loop_within(zero->path, loop))
			return true;
	}
	return false;
}

/* The loop of PATH whose every iteration runs a loop of steps, or the step loop itself: 's', 'e' or 0 of how LOOP holds it. */
static char steps_in(const struct judging *j, const struct loop *path, const struct loop *loop)
{
	const struct loop *step = time_loop(j, path);
	if (step == loop)
		return 's';
	return step && time_loop(j, step->outer) == loop ? 'e' : 0;
}

/* An optimizer that is made anew for each step or epoch, over the same modules, though it has a state to lose. */
static void judge_optimizer(struct judging *j, const struct event *made, const struct object *optimizer,
			    const struct loop *loop)
{
	uint32_t modules[16];
	uint32_t count = optimizer_modules(j->in, optimizer, modules, 0, 16, 3);
	char stepped = 0;
	for (uint32_t i = 0; i < index_count(&j->steps, optimizer->id) && stepped != 's'; i++) {
		char found = steps_in(j, index_event(j, &j->steps, optimizer->id, i)->path, loop);
		stepped = found ? found : stepped;
	}
	if (!stepped || !count || made->mode == 0 || renewed_in(j, optimizer->id, loop))
		return;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t up = modules[i]; up; up = object_get(j->in, up)->owner)
			if (loop_within(object_get(j->in, up)->birth, loop) || renewed_in(j, up, loop))
				return;
	struct fact fact = new_fact(FACT_REMADE, made);
	fact.what = stepped == 's' ? "optimizer" : "optimizer-of-epoch";
	fact.loop = loop;
	fact.holder = optimizer;
	VEC_ADD(&j->facts, fact);
}

/* What runs threads until it is closed, and nobody closes it. */
static void judge_threads(struct judging *j, const struct event *made, const struct object *object, const struct loop *loop)
{
	if (!leaks(j, loop) || j->loops[loop->id] == LOOP_CALL || reset_within(j, object->id, loop) ||
	    index_count(&j->zeros, object->id))
		return;
	struct fact fact = new_fact(FACT_REMADE, made);
	fact.what = "threads";
	fact.loop = loop;
	fact.holder = object;
	VEC_ADD(&j->facts, fact);
}

/* A loader that is made for one batch, again in every step, over data that stay the same. */
static void judge_loader(struct judging *j, const struct event *made, const struct object *loader, const struct loop *loop)
{
	bool same = made->value.object_count > 0;
	for (uint8_t i = 0; i < made->value.object_count; i++)
		same &= !loop_within(object_get(j->in, made->value.objects[i])->birth, loop);
	if (j->loops[loop->id] != LOOP_STEP || !j->has_step[loop->id] || !same)
		return;
	struct fact fact = new_fact(FACT_REMADE, made);
	fact.what = "loader";
	fact.loop = loop;
	fact.holder = loader;
	VEC_ADD(&j->facts, fact);
}

/* Big lists of Python objects in a dataset that worker processes read. */
static void judge_copies(struct judging *j, const struct event *made, const struct object *dataset)
{
	enum { BIG = 10000 };
	const uint32_t plain = KIND_NUMBER | KIND_TEXT | KIND_CONTAINER | KIND_INSTANCE | KIND_NONE;
	for (size_t i = 0; i < dataset->slots.count; i++) {
		struct value held = cell_get(j->in, dataset->slots.items[i].cell);
		const struct object *list = held.object_count == 1 ? object_get(j->in, held.objects[0]) : NULL;
		if (!list || !(list->kinds & KIND_CONTAINER) || list->size < BIG || !list->rest || list->iterator || list->repeated)
			continue;
		struct value element = cell_get(j->in, list->rest);
		if (!value_only(&element, plain) || holds_tensor(j->in, &element, 2))
			continue;
		struct fact fact = new_fact(FACT_WORKER_COPY, made);
		fact.where = list->filled.end ? list->filled : list->span;
		fact.where_def = list->def;
		fact.holder = list;
		VEC_ADD(&j->facts, fact);
	}
}

void judge_made(struct judging *j, const struct event *made)
{
	const struct object *object = object_get(j->in, made->objects[0]);
	const struct loop *loop = time_loop(j, made->path);
	if ((object->kinds & KIND_LOADER) && made->mode == 1)
		for (uint8_t i = 0; i < made->value.object_count; i++)
			judge_copies(j, made, object_get(j->in, made->value.objects[i]));
	if (!loop || loop->form == LOOP_VIRTUAL || !every_iteration(made, loop))
		return;
	if (object->kinds & KIND_OPTIMIZER)
		judge_optimizer(j, made, object, loop);
	else if (object->kinds & KIND_LOADER)
		judge_loader(j, made, object, loop);
	else if (object->library && object->library->threads)
		judge_threads(j, made, object, loop);
}

/* Whether OBJECT is a copy, made in LOOP and only kept, of a module that outlives it. */
static bool is_snapshot(struct judging *j, const struct object *object, const struct loop *loop)
{
	return (object->kinds & KIND_MODULE) && object->twin_of && loop_within(object->birth, loop) &&
	       !loop_within(object_get(j->in, object->twin_of)->birth, loop) && !index_count(&j->forwards, object->id) &&
	       !index_count(&j->zeros, object->id);
}

static bool holds_snapshot(struct judging *j, const struct value *value, const struct loop *loop, int depth)
{
	for (uint8_t i = 0; i < value->object_count; i++) {
		const struct object *object = object_get(j->in, value->objects[i]);
		if (is_snapshot(j, object, loop))
			return true;
		for (size_t k = 0; depth > 0 && (object->kinds & KIND_CONTAINER) && k < object->slots.count; k++) {
			struct value held = cell_get(j->in, object->slots.items[k].cell);
			if (holds_snapshot(j, &held, loop, depth - 1))
				return true;
		}
	}
	return false;
}

void judge_snapshot(struct judging *j, const struct event *store)
{
	const struct object *holder = object_get(j->in, store->holder);
	const struct loop *loop = repeated_over(j, store->path, holder);
	if (!loop || store->bounded || store->in_handler || holder->input || (store->op != STORE_APPEND && store->op != STORE_EXTEND) ||
	    !again_and_again(store, loop) || index_count(&j->resets, holder->id) || !holds_snapshot(j, &store->value, loop, 1))
		return;
	struct fact fact = new_fact(FACT_REMADE, store);
	fact.what = "snapshots";
	fact.holder = holder;
	fact.loop = loop;
	place(&fact);
	VEC_ADD(&j->facts, fact);
}

/* Parameters made in the loop go to an optimizer that outlives it. */
static void judge_added(struct judging *j, const struct event *event)
{
	const struct loop *loop = time_loop(j, event->path);
	if (!loop || j->loops[loop->id] != LOOP_STEP || !every_iteration(event, loop) || !event->object_count)
		return;
	struct fact fact = new_fact(FACT_REMADE, event);
	fact.holder = object_get(j->in, event->objects[0]);
	fact.loop = loop;
	fact.what = "parameters";
	bool fresh = false;
	for (uint32_t i = 0; i < event->origins->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(event->origins->items[i])];
		const struct loop *made = site->object ? object_get(j->in, site->object)->birth : site->path;
		fresh |= site->kind == SITE_LEAF && loop_within(made, loop);
	}
	if (fresh && !loop_within(fact.holder->birth, loop))
		VEC_ADD(&j->facts, fact);
}

/* ---- metrics ---- */

/* The epoch around PATH that METRIC outlives, or NULL; *INNER is the loop inside it through which PATH goes, or NULL. */
static const struct loop *epoch_of(const struct judging *j, const struct loop *path, const struct object *metric,
				   const struct loop **inner)
{
	const struct loop *epoch = loop_around(j, path, LOOP_EPOCH, LOOP_EPOCH);
	*inner = NULL;
	for (; path && path != epoch; path = path->outer)
		*inner = path;
	return epoch && !metric->input && !loop_within(metric->birth, epoch) ? epoch : NULL;
}

static bool between(const struct loop *path, const struct loop *epoch, const struct loop *inner)
{
	return loop_within(path, epoch) && !(inner && loop_within(path, inner));
}

static bool given_away(struct judging *j, uint32_t object)
{
	for (uint32_t up = object; up; up = object_get(j->in, up)->owner)
		for (uint32_t i = 0; i < index_count(&j->zeros, up); i++)
			if (index_event(j, &j->zeros, up, i)->handed)
				return true;
	return false;
}

static bool keeps_lists(struct judging *j, const struct object *metric, int depth)
{
	if (metric->library && model_class_is(j->in->model, metric->library, "torchmetrics.list_state"))
		return true;
	for (size_t i = 0; depth > 0 && i <= metric->slots.count; i++) {
		uint32_t cell = object_cell(metric, i);
		struct value held = cell ? cell_get(j->in, cell) : value_bottom();
		for (uint8_t k = 0; k < held.object_count; k++)
			if (keeps_lists(j, object_get(j->in, held.objects[k]), depth - 1))
				return true;
	}
	return false;
}

/* A metric of a library. */
static void judge_updates(struct judging *j, const struct event *update)
{
	const struct loop *inner;
	const struct object *metric = update->object_count == 1 ? object_get(j->in, update->objects[0]) : NULL;
	const struct loop *epoch = metric ? epoch_of(j, update->path, metric, &inner) : NULL;
	if (!epoch || j->in->resets_unknown || given_away(j, metric->id) || reset_within(j, metric->id, epoch))
		return;
	if (metric->bounded)
		return;
	bool computed = false;
	for (uint32_t i = 0; i < index_count(&j->marks, metric->id); i++) {
		const struct event *mark = index_event(j, &j->marks, metric->id, i);
		if (mark->kind == EVENT_LOG)
			return; /* a framework that is given the metric itself resets it */
		computed |= strcmp(mark->mark, "computes") == 0 && between(mark->path, epoch, inner);
	}
	if (!computed)
		return;
	struct fact fact = new_fact(FACT_UNRESET, update);
	fact.what = keeps_lists(j, metric, 2) ? "list" : "total";
	fact.holder = metric;
	fact.loop = epoch;
	VEC_ADD(&j->facts, fact);
}

static bool offers_start(struct str method)
{
	return str_starts(method, "reset") || str_starts(method, "clear");
}

/* Whether CLASS or one of its bases has a method to start anew. */
static bool can_reset(struct judging *j, const struct def *class, int depth)
{
	const struct class_info *info = class_find(j->in, class);
	for (uint32_t i = 0; i < class->local_count; i++)
		if (offers_start(class->locals[i]))
			return true;
	for (uint32_t i = 0; info && depth > 0 && i < info->base_count; i++)
		if (can_reset(j, info->bases[i], depth - 1))
			return true;
	return false;
}

void judge_meter(struct judging *j, const struct event *store)
{
	struct interp *in = j->in;
	const struct object *holder = object_get(in, store->holder);
	const struct call *update = store->call;
	while (update && (update->self != holder->owner || !update->self))
		update = update->outer;
	if (!update || !update->node || store->in_handler || store->bounded || !(store->tensor || store->origins->count))
		return;
	const struct object *metric = object_get(in, update->self);
	const struct loop *inner;
	const struct loop *epoch = metric->class_def && can_reset(j, metric->class_def, 4) ? epoch_of(j, update->path, metric, &inner) : NULL;
	if (!epoch || j->in->resets_unknown || given_away(j, metric->id) || reset_within(j, holder->id, epoch))
		return;
	bool computed = false;
	for (size_t i = 0; i < in->calls.count; i++) {
		const struct call *call = in->calls.items[i];
		if (call->self != metric->id || !between(call->path, epoch, NULL))
			continue;
		if (offers_start(call->callee->name))
			return;
		computed |= call->callee != update->callee && between(call->path, epoch, inner);
	}
	if (!computed)
		return;
	struct fact fact = new_fact(FACT_UNRESET, store);
	fact.what = "list";
	fact.holder = metric;
	fact.loop = epoch;
	place_at(&fact, update);
	VEC_ADD(&j->facts, fact);
}

/* ---- caches ---- */

void judge_registration(struct judging *j, const struct event *store)
{
	uint32_t self = store->call ? store->call->self : 0;
	if (!self || store->value.object_count != 1 || store->value.objects[0] != self)
		return;
	const struct object *object = object_get(j->in, self), *holder = object_get(j->in, store->holder);
	const struct loop *loop = loop_around(j, object->birth, LOOP_STEP, LOOP_EPOCH);
	if (!(object->kinds & KIND_MODULE) || !loop || loop_within(holder->birth, loop) || store->bounded || holder->input ||
	    index_count(&j->resets, holder->id))
		return;
	struct fact fact = new_fact(FACT_REGISTERED, store);
	fact.holder = holder;
	fact.loop = loop;
	VEC_ADD(&j->facts, fact);
}

/* A function whose results are kept by its arguments keeps those as well. */
static void judge_cached(struct judging *j, const struct event *call)
{
	struct fact fact = new_fact(FACT_CACHED, call);
	const struct object *self = call->object_count ? object_get(j->in, call->objects[0]) : NULL;
	if (self && (self->kinds & KIND_MODULE)) {
		fact.what = "self";
		fact.loop = loop_around(j, self->birth, LOOP_STEP, LOOP_EPOCH);
		fact.holder = self;
	}
	if (!fact.loop && call->tensor) {
		fact.what = "argument";
		fact.loop = loop_around(j, call->value.counter, LOOP_STEP, LOOP_STEP);
	}
	if (!fact.loop && call->tensor_result) {
		fact.what = "results";
		fact.loop = call->key.counter && j->loops[call->key.counter->id] == LOOP_STEP ? call->key.counter : NULL;
	}
	if (fact.loop)
		VEC_ADD(&j->facts, fact);
}

bool has_workers(struct judging *j, const struct def *class)
{
	struct interp *in = j->in;
	if (!j->workers) {
		j->workers = ARENA_ARRAY(in->arena, bool, in->def_count + 1u);
		for (size_t i = 0; i < in->events.count; i++) {
			const struct event *made = &in->events.items[i];
			for (uint8_t k = 0; made->kind == EVENT_MADE && made->mode == 1 && k < made->value.object_count; k++) {
				const struct def *def = object_get(in, made->value.objects[k])->class_def;
				if (def)
					j->workers[def_number(in, def)] = true;
			}
		}
	}
	return class && j->workers[def_number(in, class)];
}

/* ---- results that stay bound ---- */

/* The forward that made VALUE, or a container of its results, in an iteration of LOOP. */
static const struct site *made_by_forward(struct judging *j, const struct value *value, const struct loop *loop)
{
	struct interp *in = j->in;
	const struct object *object = value->object_count == 1 ? object_get(in, value->objects[0]) : NULL;
	bool holds = object && (object->kinds & KIND_CONTAINER) && !(object->kinds & KIND_MODULE) && loop_within(object->birth, loop);
	const struct origin_set *origins = holds ? deep_origins(in, value) : value->origins;
	for (uint32_t i = 0; origins && i < origins->count; i++) {
		const struct site *site = in->sites.items[origin_site(origins->items[i])];
		bool made = value->made.start == site->span.start && value->made.end == site->span.end;
		if (site->kind == SITE_FORWARD && loop_within(site->path, loop) && (made || holds))
			return site;
	}
	return NULL;
}

static const struct event *forward_of(struct judging *j, const struct site *site, const struct loop *loop)
{
	for (size_t i = 0; i < j->in->events.count; i++) {
		const struct event *event = &j->in->events.items[i];
		if (event->kind == EVENT_FORWARD && loop_within(event->path, loop) &&
		    (event->site == site || origin_reaches(event->origins, site->id, ORIGIN_CUT)))
			return event;
	}
	return NULL;
}

void judge_late(struct judging *j)
{
	struct interp *in = j->in;
	for (size_t i = 0; i < in->loops.count; i++) {
		const struct loop *loop = in->loops.items[i];
		if (j->loops[i] != LOOP_STEP || loop->form == LOOP_VIRTUAL || j->has_backward[i] || j->has_step[i])
			continue;
		for (uint32_t k = 0; loop->head && k < loop->head->count; k++) {
			const struct cell_value *item = &loop->head->items[k];
			const struct cell *cell = &in->cells.items[item->cell];
			bool local = !cell->object && !(cell->def && cell->def->kind == DEF_COMPREHENSION);
			const struct site *site = local && item->value.extent != EXTENT_SCALAR
							  ? made_by_forward(j, &item->value, loop) : NULL;
			const struct event *event = site ? forward_of(j, site, loop) : NULL;
			if (!event)
				continue;
			struct fact fact = new_fact(FACT_LATE, event);
			fact.loop = loop;
			fact.site = site;
			fact.name = cell->name;
			VEC_ADD(&j->facts, fact);
		}
	}
}

bool judge_repeated(struct judging *j, const struct event *mark)
{
	static const struct {
		const char *mark;
		void (*judge)(struct judging *j, const struct event *event);
	} marks[] = {{"hooked", judge_hooked}, {"adds-parameters", judge_added}, {"updates", judge_updates},
		     {"cached", judge_cached}};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (strcmp(mark->mark, marks[i].mark) == 0) {
			marks[i].judge(j, mark);
			return true;
		}
	return false;
}
