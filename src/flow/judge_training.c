#include "flow/judging.h"

#include <string.h>

/* What people do around a training step: release caches, leave debugging on, keep graphs, forget to zero or to switch back. */

/* ---- places ---- */

static const struct loop *step_loop(const struct judging *j, const struct loop *path)
{
	return loop_around(j, path, LOOP_STEP, LOOP_STEP);
}

/* A helper that does nothing of a step itself is reported where the step calls it. */
static void place_at_work(const struct judging *j, struct fact *fact)
{
	const struct call *call = fact->event->call;
	const struct def *def = fact->event->def;
	for (int up = 0; up < 3 && call && call->node && loop_within(call->path, fact->loop) && def &&
			 !index_count(&j->defs, def_number(j->in, def)); up++, call = call->outer) {
		if (def->parent && def->parent->kind == DEF_CLASS)
			return; /* a method is what its object does in the step: the place is there */
		place_at(fact, call);
		def = call->caller;
	}
}

/* A flag that came in as an argument was chosen by the caller. */
static void place_at_caller(struct fact *fact)
{
	const struct call *call = fact->event->call;
	if (!fact->event->handed || !call || !call->node)
		return;
	place_at(fact, call);
}

/* ---- marks ---- */

static const struct loop *trains_within(struct judging *j, const struct event *mark)
{
	for (uint32_t i = 0; i < index_count(&j->consumptions, 0); i++) {
		const struct event *c = index_event(j, &j->consumptions, 0, i);
		bool inside = c->order > mark->order && (!mark->block_end || c->order < mark->block_end);
		bool deeper = c->path && (!mark->path || (c->path != mark->path && loop_within(c->path, mark->path)));
		if (inside && c->root == mark->root && deeper && !c->path->is_range)
			return step_loop(j, c->path) ? step_loop(j, c->path) : c->path;
	}
	return NULL;
}

/* What ends MARK later, or NULL. */
static const struct event *switched_off_later(struct judging *j, const struct event *mark)
{
	/* marks are few; the ones that follow in time come after in the list */
	const struct event *end = j->in->events.items + j->in->events.count;
	for (const struct event *e = mark + 1; e < end && e->root == mark->root; e++)
		if (e->kind == EVENT_MARK && e->mode == 0 && strcmp(e->mark, mark->mark) == 0 && e->objects[0] == mark->objects[0])
			return e;
	return NULL;
}

/* A loop that trains in some function of the file, which the module's own code sets the stage for. */
static const struct loop *any_training(struct judging *j)
{
	for (uint32_t i = 0; i < index_count(&j->consumptions, 0); i++) {
		const struct loop *loop = step_loop(j, index_event(j, &j->consumptions, 0, i)->path);
		if (loop && !loop->is_range)
			return loop;
	}
	return NULL;
}

static bool is_told_to_train(struct judging *j, uint32_t trainer)
{
	for (uint32_t i = 0; i < index_count(&j->marks, trainer); i++) {
		const struct event *mark = index_event(j, &j->marks, trainer, i);
		if (mark->kind == EVENT_MARK && strcmp(mark->mark, "trains") == 0)
			return true;
	}
	return false;
}

void judge_mark(struct judging *j, const struct event *event)
{
	if (event->in_handler)
		return;
	if (judge_repeated(j, event))
		return;
	if (strcmp(event->mark, "debug") == 0) {
		struct fact fact = new_fact(FACT_DEBUG, event);
		const struct object *owner = event->object_count ? object_get(j->in, event->objects[0]) : NULL;
		bool used = event->block_end || !event->handed;
		if (owner && owner->bounded)
			return; /* it ends by itself */
		if (owner && !(owner->kinds & KIND_CONTEXT)) { /* a framework's trainer, which trains when it is told to */
			if (event->mode == 1 && event->cond == 0 && is_told_to_train(j, event->objects[0]))
				VEC_ADD(&j->facts, fact);
			return;
		}
		const struct event *off = switched_off_later(j, event);
		struct event block = *event;
		bool brackets = off && owner && off->path == event->path; /* start() and stop(), as a block would */
		if (brackets)
			block.block_end = off->order;
		fact.loop = trains_within(j, &block);
		bool test = event->def && (str_starts(event->def->name, "test") || (event->def->parent && str_starts(event->def->parent->name, "Test")));
		const struct loop *step = step_loop(j, event->path);
		if (step && step->form != LOOP_VIRTUAL && every_iteration(event, step) && j->has_backward[step->id])
			fact.loop = step; /* in the step itself, every time */
		else if (step)
			return;
		else if (!fact.loop && event->def == j->in->module && !event->handed)
			fact.loop = any_training(j);
		if (fact.loop && !test && event->mode == 1 && used && event->cond == 0 && (!off || brackets))
			VEC_ADD(&j->facts, fact);
		return;
	}
	if (strcmp(event->mark, "releases-cache") != 0)
		return;
	struct fact fact = new_fact(FACT_CACHE, event);
	fact.loop = time_loop(j, event->path);
	if (!fact.loop || j->loops[fact.loop->id] != LOOP_STEP || !every_iteration(event, fact.loop))
		return;
	place_at_work(j, &fact);
	VEC_ADD(&j->facts, fact);
}

/* ---- graphs kept for nobody ---- */

static bool is_work(const struct site *site)
{
	return !site->grad_off && (site->kind == SITE_FORWARD || site->kind == SITE_DERIVED || site->kind == SITE_CALL ||
				   site->kind == SITE_ELEMENT);
}

/* Whether SITE's graph is walked again after EVENT in the same iteration, or may be by somebody out of sight. */
static bool walked_again(struct judging *j, const struct event *event, const struct site *site)
{
	if (site->kind == SITE_ELEMENT) /* several results of one call are of one graph, for all we know */
		site = j->in->sites.items[site->parent];
	if (event->path && !loop_within(site->path, event->path))
		return true; /* made outside the loop that walks it: the next iteration walks it again */
	for (uint32_t i = 0; i < index_count(&j->consumptions, site->id); i++) {
		const struct event *other = index_event(j, &j->consumptions, site->id, i);
		if (other != event && other->order > event->order && other->root == event->root &&
		    (!event->path || loop_within(other->path, event->path)))
			return true;
	}
	return false;
}

/* Whether what EVENT walks reaches back over the iterations: what it leaves behind, the next one walks again. */
static bool reaches_back(struct judging *j, const struct event *event)
{
	for (uint32_t i = 0; i < event->origins->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(event->origins->items[i])];
		if (site->kind != SITE_CARRY || origin_tag_of(event->origins->items[i]) == ORIGIN_CUT || !loop_within(event->path, site->loop))
			continue;
		const struct head_list *head = site->loop->head;
		for (uint32_t k = 0; head && k < head->count; k++)
			if (head->items[k].cell == site->cell && head->items[k].value.origins &&
			    graph_proof(j, head->items[k].value.origins, ORIGIN_CALL) > PROOF_SIBLING)
				return true;
	}
	return false;
}

static bool handed_on(struct judging *j, const struct event *event, const struct site *site)
{
	for (uint32_t i = 0; i < index_count(&j->escapes, site->id); i++)
		if (index_event(j, &j->escapes, site->id, i)->order > event->order)
			return true;
	return false;
}

static const struct site *grads_site(struct judging *j, const struct event *event)
{
	for (size_t i = 1; i < j->in->sites.count; i++) {
		const struct site *site = j->in->sites.items[i];
		if (site->kind == SITE_DERIVED && site->span.start == event->node.start && site->span.end == event->node.end &&
		    site->call == event->call)
			return site;
	}
	return NULL;
}

static bool is_module_forward(struct judging *j, const struct site *site)
{
	return site->kind == SITE_FORWARD && module_proof(j, site) != PROOF_NONE;
}

/* Whether BACKWARD reaches parameters of a module. */
static bool reaches_module(struct judging *j, const struct event *backward)
{
	for (uint32_t i = 0; i < backward->origins->count; i++)
		if (origin_tag_of(backward->origins->items[i]) != ORIGIN_CUT &&
		    is_module_forward(j, j->in->sites.items[origin_site(backward->origins->items[i])]))
			return true;
	return false;
}

/* Whether EVENT lets the gradients go that BACKWARD has filled, with all that they were computed from. */
static bool drops_gradients(struct judging *j, const struct event *event, const struct event *backward)
{
	return event->kind == EVENT_ZERO && !event->keeps_grads && !event->in_place && !(event->tensor && reaches_module(j, backward));
}

static bool zeroed_around(struct judging *j, const struct event *event)
{
	const struct event *end = j->in->events.items + j->in->events.count;
	for (const struct event *e = event + 1; e < end && e->root == event->root; e++)
		if (drops_gradients(j, e, event) && loop_within(e->path, event->path))
			return true;
	for (const struct event *e = j->in->events.items; e < event; e++)
		if (drops_gradients(j, e, event) && e->root == event->root && event->path && loop_within(e->path, event->path) &&
		    !(e->object_count && loop_within(object_get(j->in, e->objects[0])->birth, event->path)))
			return true; /* at the top of the next iteration */
	return false;
}

/* Whether what outlives an iteration keeps gradients that EVENT has recorded: then they stay, whatever drops them from
 * their parameters. */
static bool keeps_recorded(struct judging *j, const struct event *event)
{
	const struct event *end = j->in->events.items + j->in->events.count;
	for (const struct event *e = event + 1; e < end && e->root == event->root; e++) {
		bool kept = e->kind == EVENT_STORE && e->holder && !loop_within(object_get(j->in, e->holder)->birth, event->path);
		for (uint8_t k = 0; e->kind == EVENT_ACCUMULATE && k < e->carry_count; k++)
			kept |= loop_within(event->path, e->carries[k]);
		for (uint32_t i = 0; kept && loop_within(e->path, event->path) && i < e->origins->count; i++)
			if (j->in->sites.items[origin_site(e->origins->items[i])]->kind == SITE_GRADIENT &&
			    origin_tag_of(e->origins->items[i]) != ORIGIN_CUT)
				return true;
	}
	return false;
}

/* Whether EVENT fills gradients of what is made anew in each iteration, an input or a copy of a module: whatever zeroes the
 * optimizer's parameters leaves those, and with their graphs they are cycles. */
static bool fills_what_is_new(struct judging *j, const struct event *event)
{
	for (uint32_t i = 0; event->path && i < event->origins->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(event->origins->items[i])];
		if (origin_tag_of(event->origins->items[i]) == ORIGIN_CUT)
			continue;
		if (site->kind == SITE_LEAF && !site->object && loop_within(site->path, event->path))
			return true;
		const struct object *module = site->kind == SITE_FORWARD && site->object ? object_get(j->in, site->object) : NULL;
		while (module && module->owner && (object_get(j->in, module->owner)->kinds & KIND_MODULE))
			module = object_get(j->in, module->owner);
		if (module && (module->kinds & KIND_MODULE) && loop_within(module->birth, event->path) &&
		    !index_count(&j->zeros, module->id))
			return true;
	}
	return false;
}

void judge_backward(struct judging *j, const struct event *event)
{
	if (!event->retains || event->in_handler)
		return;
	struct fact fact = new_fact(event->creates && !event->wants_grads ? FACT_CREATE : FACT_RETAIN, event);
	fact.loop = time_loop(j, event->path);
	fact.grads = event->wants_grads && event->creates;
	place_at_caller(&fact);
	if (!fact.loop)
		return;
	fact.proof = loop_proof(j, fact.loop);
	if (fact.kind == FACT_CREATE) {
		if (!zeroed_around(j, event) || fills_what_is_new(j, event) || keeps_recorded(j, event))
			VEC_ADD(&j->facts, fact);
		return;
	}
	if (event->creates) {
		const struct site *grads = grads_site(j, event);
		if (!grads || consumed(j, grads->id, ORIGIN_CALL) || index_count(&j->escapes, grads->id)) {
			j->walked_again[event - j->in->events.items] = true;
			return;
		}
		fact.site = grads;
		VEC_ADD(&j->facts, fact);
		return;
	}
	if (reaches_back(j, event))
		fact.what = "carried";
	bool any = false;
	for (uint32_t i = 0; i < event->origins->count; i++)
		if (origin_tag_of(event->origins->items[i]) <= ORIGIN_OP && j->needed[origin_site(event->origins->items[i])] &&
		    j->in->sites.items[origin_site(event->origins->items[i])]->kind == SITE_INPUT)
			return; /* the graph came in from a caller, who may go on with it */
	for (uint32_t i = 0; i < event->origins->count; i++)
		if (origin_tag_of(event->origins->items[i]) <= ORIGIN_OP &&
		    j->in->sites.items[origin_site(event->origins->items[i])]->kind == SITE_GRADIENT)
			return; /* that of recorded gradients is one for all of them */
	for (uint32_t i = 0; i < event->origins->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(event->origins->items[i])];
		if (origin_tag_of(event->origins->items[i]) == ORIGIN_CUT || !is_work(site))
			continue;
		/* data that somebody out of sight hands out, of which nothing says that it has a graph */
		if (origin_tag_of(event->origins->items[i]) == ORIGIN_CALL && (site->kind == SITE_CALL || site->kind == SITE_ELEMENT) &&
		    site_proof(j, site->id) < PROOF_USAGE)
			continue;
		/* graphs that somebody out of sight made may be walked by them again */
		if (origin_tag_of(event->origins->items[i]) <= ORIGIN_OP && site->kind == SITE_CALL)
			return;
		/* what a carried value brings over the loop's border is no reason to keep this iteration's graph */
		bool again = walked_again(j, event, site);
		j->walked_again[event - j->in->events.items] |= again;
		if (again || handed_on(j, event, site))
			return;
		any = true;
		fact.site = site;
	}
	if (any)
		VEC_ADD(&j->facts, fact);
}

/* ---- gradients ---- */

bool zeroed_in(struct judging *j, uint32_t object, const struct loop *loop)
{
	for (uint32_t i = 0; i < index_count(&j->zeros, object); i++)
		if (loop_within(index_event(j, &j->zeros, object, i)->path, loop) || index_event(j, &j->zeros, object, i)->handed)
			return true; /* whoever got it out of sight, even before the loop, may zero it */
	return false;
}

/* Whether something zeroes a part of MODULE in LOOP, or looks at its gradients. */
static bool parts_minded(struct judging *j, struct object *module, const struct loop *loop, int depth)
{
	struct interp *in = j->in;
	module->seen = in->stamp;
	for (size_t i = 0; depth > 0 && i <= module->slots.count; i++) {
		uint32_t cell = object_cell(module, i);
		struct value held = cell ? cell_get(in, cell) : value_bottom();
		for (uint8_t k = 0; k < held.object_count; k++) {
			struct object *part = object_get(in, held.objects[k]);
			bool zeroed = false;
			for (uint32_t z = 0; z < index_count(&j->zeros, part->id) && !zeroed; z++) {
				const struct event *event = index_event(j, &j->zeros, part->id, z);
				zeroed = !event->handed && loop_within(event->path, loop);
			}
			if (zeroed || part->grad_read || (part->seen != in->stamp && parts_minded(j, part, loop, depth - 1)))
				return true;
		}
	}
	return false;
}

/* Whether something zeroes what MODULE, what it belongs to or a part of it collects in LOOP, or looks at that: then it
 * may collect on purpose. */
static bool gradients_minded(struct judging *j, uint32_t module, const struct loop *loop)
{
	enum { PARTS = 4 };
	j->in->stamp++;
	if (parts_minded(j, object_get(j->in, module), loop, PARTS))
		return true;
	for (uint32_t up = module; up; up = object_get(j->in, up)->owner)
		if (object_get(j->in, up)->grad_read || zeroed_in(j, up, loop))
			return true;
	return zeroed_in(j, 0, loop);
}

/* Whether C adds to the gradients of MODULE, as far as its inputs say. */
static bool fills(struct judging *j, const struct event *c, uint32_t module)
{
	bool found = !c->only_inputs;
	for (uint32_t i = 0; !found && c->stops && i < c->stops->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(c->stops->items[i])];
		found = site->kind == SITE_LEAF && site->object && (owns(j->in, module, site->object) || owns(j->in, site->object, module));
	}
	return found && !c->wants_grads;
}

/* The last backward before STEP in the same iteration that adds to the gradients of one of so many MODULES, of anything
 * where there are none. */
static const struct event *backward_before(struct judging *j, const struct event *step, const struct loop *loop,
					   const uint32_t *modules, uint32_t count)
{
	const struct event *found = NULL;
	for (uint32_t i = 0; i < index_count(&j->consumptions, 0); i++) {
		const struct event *c = index_event(j, &j->consumptions, 0, i);
		bool adds = !count && !c->wants_grads;
		for (uint32_t k = 0; k < count && !adds; k++)
			adds = fills(j, c, modules[k]);
		if (adds && c->order < step->order && c->root == step->root && loop_within(c->path, loop))
			found = c;
	}
	return found;
}

static bool owned_in_part(struct judging *j, const struct object *module)
{
	for (size_t i = 0; i <= module->slots.count; i++) {
		uint32_t cell = object_cell(module, i);
		struct value part = cell ? cell_get(j->in, cell) : value_bottom();
		for (uint8_t k = 0; k < part.object_count; k++)
			if (j->owned[part.objects[k]])
				return true;
	}
	return false;
}

static void judge_unowned(struct judging *j, const struct event *backward, const struct loop *loop)
{
	struct interp *in = j->in;
	for (uint32_t i = 0; i < backward->origins->count; i++) {
		const struct site *site = in->sites.items[origin_site(backward->origins->items[i])];
		if (origin_tag_of(backward->origins->items[i]) == ORIGIN_CUT || site->kind != SITE_FORWARD || site->frozen ||
		    site->proof != PROOF_FLOW || !site->object)
			continue;
		uint32_t module = site->object;
		bool known = fills(j, backward, module), free = gradients_minded(j, module, loop);
		for (uint32_t up = module; up && known; up = object_get(in, up)->owner) {
			const struct object *object = object_get(in, up);
			known = !object->input && !loop_within(object->birth, loop);
			module = (object->kinds & KIND_MODULE) ? up : module;
		}
		if (!known || free || j->owned[module] || j->owned[site->object] || owned_in_part(j, object_get(in, module)))
			continue;
		struct fact fact = new_fact(FACT_UNOWNED, backward);
		fact.loop = loop;
		fact.holder = object_get(in, module);
		fact.site = site;
		VEC_ADD(&j->facts, fact);
		return;
	}
}

static void own_parts(struct judging *j, const struct object *module)
{
	for (size_t i = 0; i <= module->slots.count; i++) {
		uint32_t cell = object_cell(module, i);
		struct value part = cell ? cell_get(j->in, cell) : value_bottom();
		for (uint8_t k = 0; k < part.object_count; k++)
			if (object_get(j->in, part.objects[k])->kinds & KIND_MODULE)
				j->owned[part.objects[k]] = true;
	}
}

/* Notes which modules some optimizer owns, with all that belongs to them. */
static void note_owned(struct judging *j)
{
	struct interp *in = j->in;
	if (j->owned)
		return;
	j->owned = ARENA_ARRAY(in->arena, bool, in->objects.count + 1);
	uint32_t modules[16];
	for (size_t i = 1; i < in->objects.count; i++) {
		const struct object *object = in->objects.items[i];
		uint32_t count = object->kinds & KIND_OPTIMIZER ? optimizer_modules(in, object, modules, 0, 16, 3) : 0;
		for (uint32_t k = 0; k < count; k++)
			j->owned[modules[k]] = true;
	}
	for (int round = 0; round < 6; round++)
		for (size_t i = 1; i < in->objects.count; i++) {
			uint32_t owner = in->objects.items[i]->owner;
			j->owned[i] |= owner && j->owned[owner];
			if (j->owned[i])
				own_parts(j, in->objects.items[i]);
		}
}

/* Whether all that OPTIMIZER was given are tensors made to require grad, of no module. */
static bool only_leaves(struct judging *j, const struct object *optimizer, int depth)
{
	bool any = false;
	for (size_t i = 0; i <= optimizer->slots.count; i++) {
		if (i < optimizer->slots.count && optimizer->slots.items[i].name.length && strchr("0%", optimizer->slots.items[i].name.at[0]) == NULL &&
		    !str_is(optimizer->slots.items[i].name, "params"))
			continue; /* lr=… and the like */
		uint32_t cell = object_cell(optimizer, i);
		struct value value = cell ? cell_get(j->in, cell) : value_bottom();
		if (value_is_bottom(&value))
			continue;
		bool leaf = false;
		for (uint32_t k = 0; value.origins && k < value.origins->count; k++)
			leaf |= j->in->sites.items[origin_site(value.origins->items[k])]->kind == SITE_LEAF;
		bool lists = value.object_count > 0 && depth > 0;
		for (uint8_t k = 0; lists && !leaf && k < value.object_count; k++) {
			const struct object *list = object_get(j->in, value.objects[k]);
			lists = (list->kinds & KIND_CONTAINER) && only_leaves(j, list, depth - 1);
		}
		if (!leaf && !lists)
			return false;
		any = true;
	}
	return any;
}

/* Whether backward C walks into a tensor that OPTIMIZER was given and that belongs to no module. */
static bool reaches_leaves(struct judging *j, const struct event *c, const struct object *optimizer, int depth)
{
	for (size_t i = 0; i <= optimizer->slots.count; i++) {
		uint32_t cell = object_cell(optimizer, i);
		struct value value = cell ? cell_get(j->in, cell) : value_bottom();
		for (uint32_t k = 0; value.origins && k < value.origins->count; k++) {
			uint32_t site = origin_site(value.origins->items[k]);
			if (j->in->sites.items[site]->kind == SITE_LEAF && origin_reaches(c->origins, site, ORIGIN_CALL))
				return true;
		}
		for (uint8_t k = 0; depth > 0 && k < value.object_count; k++)
			if (reaches_leaves(j, c, object_get(j->in, value.objects[k]), depth - 1))
				return true;
	}
	return false;
}

/* Judges the zeroing of OPTIMIZER, one of those that STEP steps in LOOP; true where that is a fault. */
static bool judge_optimizer(struct judging *j, const struct event *step, const struct loop *loop, const struct object *optimizer)
{
	struct interp *in = j->in;
	uint32_t modules[16];
	uint32_t count = optimizer_modules(in, optimizer, modules, 0, 16, 3);
	const struct event *backward = backward_before(j, step, loop, modules, count);
	if (!backward || optimizer->input || (!count && !only_leaves(j, optimizer, 3)))
		return false;
	note_owned(j);
	judge_unowned(j, backward, loop);
	if (!count && (in->leaf_grads_read || zeroed_in(j, 0, loop) || backward->only_inputs || !reaches_leaves(j, backward, optimizer, 3)))
		return false;
	bool zeroed = loop_within(optimizer->birth, loop) || zeroed_in(j, optimizer->id, loop);
	for (uint32_t k = 0; k < count && !zeroed; k++)
		zeroed = gradients_minded(j, modules[k], loop);
	if (zeroed)
		return false;
	struct fact fact = new_fact(FACT_UNZEROED, backward);
	fact.loop = loop;
	fact.holder = optimizer;
	VEC_ADD(&j->facts, fact);
	return true;
}

void judge_zeroing(struct judging *j, const struct event *step)
{
	const struct loop *loop = step_loop(j, step->path);
	if (!loop || loop->form == LOOP_VIRTUAL || step->in_handler || step->object_count == VALUE_OBJECTS) /* there may be more */
		return;
	for (uint8_t i = 0; i < step->object_count; i++)
		if (judge_optimizer(j, step, loop, object_get(j->in, step->objects[i])))
			return;
}

void judge_zero_in_place(struct judging *j, const struct event *event)
{
	struct fact fact = new_fact(FACT_GRADS_KEPT, event);
	fact.loop = step_loop(j, event->path);
	if (event->keeps_grads && fact.loop && !event->in_handler)
		VEC_ADD(&j->facts, fact);
}

/* ---- modes ---- */

void judge_mode(struct judging *j, const struct event *event)
{
	if (event->mode != 0 || event->in_handler)
		return;
	for (const struct loop *loop = event->path; loop; loop = loop->outer) {
		bool trained = false, evaluated = false, restored = false;
		if (j->loops[loop->id] != LOOP_STEP && j->loops[loop->id] != LOOP_EPOCH)
			continue;
		for (uint32_t i = 0; i < index_count(&j->forwards, event->holder); i++) {
			const struct event *f = index_event(j, &j->forwards, event->holder, i);
			const struct site *site = f->site ? f->site : top_site(j, f->origins, 0);
			if (!loop_within(f->path, loop))
				continue;
			bool trains = site && f->grad == GRAD_ON && walked(j, site->id);
			trained |= trains && f->mode != 1;
			evaluated |= !trains;
		}
		for (uint32_t up = event->holder; up && !restored; up = object_get(j->in, up)->owner)
			for (uint32_t i = 0; i < index_count(&j->modes, up) && !restored; i++) {
				const struct event *m = index_event(j, &j->modes, up, i);
				restored = m->mode != 0 && loop_within(m->path, loop) && !(event->left && m->def == event->def && loop->def != event->def);
			}
		if (restored)
			return;
		if (!trained || !evaluated || loop_within(object_get(j->in, event->holder)->birth, loop))
			continue;
		struct fact fact = new_fact(FACT_EVAL_LEFT, event);
		fact.loop = loop;
		fact.holder = object_get(j->in, event->holder);
		place_at_caller(&fact);
		VEC_ADD(&j->facts, fact);
		return;
	}
}

/* ---- autograd functions ---- */

/* setup_context(ctx, inputs, output): what newer functions keep is kept there. */
static bool is_setup(const struct def *def)
{
	return str_is(def->name, "setup_context") && def->param_count == 3;
}

/* Whether EVENT keeps the output that setup_context was given. */
static bool keeps_output(struct judging *j, const struct event *event)
{
	if (!is_setup(event->def))
		return false;
	for (uint8_t i = 0; i < event->value.object_count; i++) {
		const struct object *object = object_get(j->in, event->value.objects[i]);
		if (object->input && str_equal(object->name, event->def->params[2].name))
			return true;
	}
	return false;
}

static bool is_function_context(struct judging *j, const struct event *event)
{
	const struct def *def = event->def;
	if (!def || !def->param_count || !def->parent || def->parent->kind != DEF_CLASS || !event->holder ||
	    (!str_is(def->name, "forward") && !is_setup(def)))
		return false;
	struct class_info *class = class_find(j->in, def->parent);
	const struct object *holder = object_get(j->in, event->holder);
	return class && class->library && model_class_is(j->in->model, class->library, "torch.autograd.Function") &&
	       str_equal(holder->name, def->params[0].name);
}

/* Whether a call in this file gave a tensor as the argument NAME of DEF, an autograd function's forward. */
static bool applied_to_tensor(struct judging *j, const struct def *def, struct str name)
{
	const struct class_info *class = def && def->parent ? class_find(j->in, def->parent) : NULL;
	for (uint32_t i = 1; class && i < def->param_count && i <= 32; i++)
		if (str_equal(def->params[i].name, name))
			return class->object->applied >> (i - 1) & 1;
	return false;
}

/* Use behind the assignment may have shown what it is. */
static bool is_tensor(struct judging *j, const struct event *event)
{
	if (event->tensor)
		return true;
	for (uint8_t i = 0; i < event->value.object_count; i++) {
		const struct object *object = object_get(j->in, event->value.objects[i]);
		if ((object->proved & KIND_TENSOR) || (object->input && applied_to_tensor(j, event->def, object->name)))
			return true;
	}
	return false;
}

static bool is_returned(struct judging *j, const struct event *event)
{
	const struct event *end = j->in->events.items + j->in->events.count;
	struct span made = event->value.flags & VALUE_VIEW ? (struct span){0, 0} : event->value.made; /* a part of it is not it */
	for (const struct event *e = event + 1; made.end && e < end && e->root == event->root; e++)
		if (e->kind == EVENT_RETURN && e->def == event->def && e->value.origins == event->value.origins &&
		    e->value.made.start == made.start &&
		    e->value.made.end == made.end)
			return true;
	return false;
}

void judge_assign(struct judging *j, const struct event *event)
{
	if (!is_function_context(j, event)) {
		judge_attribute(j, event);
		return;
	}
	bool output = keeps_output(j, event);
	if (!is_tensor(j, event) && !output)
		return;
	struct fact fact = new_fact(FACT_CTX, event);
	fact.holder = object_get(j->in, event->holder);
	fact.returned = output || is_returned(j, event);
	VEC_ADD(&j->facts, fact);
}
