#include "flow/judging.h"

#include <string.h>

/* ---- forwards without need of a graph ---- */

static bool walked_or_handed_on(struct judging *j, const struct event *event)
{
	const struct site *site = event->site ? event->site : top_site(j, event->origins, 0);
	return !site || walked(j, site->id) || (event->mode != 0 && index_count(&j->escapes, site->id));
}

/* A grad context that was made and dropped in the same definition is the cause, and a finding of its own. */
static bool dropped_before(struct judging *j, const struct event *event)
{
	uint32_t def = def_number(j->in, event->def);
	for (uint32_t i = 0; i < index_count(&j->contexts, def); i++)
		if (index_event(j, &j->contexts, def, i)->grad_dropped)
			return true;
	return false;
}

static bool arguments_carry(struct judging *j, const struct event *event)
{
	return event->site && event->site->inputs && graph_proof(j, event->site->inputs, ORIGIN_CALL) > PROOF_SIBLING;
}

/* Whether the function that this file leaves to others to call is called by them with grad off. */
static bool quiet_elsewhere(struct judging *j, const struct event *event)
{
	const struct interp *in = j->in;
	const struct call *call = event->call;
	while (call && call->outer)
		call = call->outer;
	if (!in->units || !in->path_name || !call || call->node || !call->callee || call->callee->kind != DEF_FUNCTION)
		return false;
	return in->units->called_quietly(in->units->context, in->path_name, call->callee->name);
}

void judge_forward(struct judging *j, const struct event *event)
{
	if (event->inference_input && event->site && consumed(j, event->site->id, ORIGIN_CALL)) {
		struct fact inference = new_fact(FACT_INFERENCE, event);
		inference.site = event->site;
		VEC_ADD(&j->facts, inference);
	}
	if (event->grad != GRAD_ON || event->frozen || event->mode != 0 || event->in_handler)
		return;
	struct fact fact = new_fact(FACT_FORWARD, event);
	fact.site = event->site ? event->site : top_site(j, event->origins, 0);
	fact.graph = event->site ? site_proof(j, event->site->id) : graph_proof(j, event->origins, ORIGIN_OP);
	fact.holder = event->object_count ? object_get(j->in, event->objects[0]) : NULL;
	fact.loop = loop_around(j, event->path, LOOP_STEP, LOOP_EPOCH);
	if (!fact.loop || fact.graph == PROOF_NONE || arguments_carry(j, event) || walked_or_handed_on(j, event) ||
	    dropped_before(j, event))
		return;
	fact.proof = weaker(fact.graph, loop_proof(j, fact.loop));
	if (!quiet_elsewhere(j, event))
		VEC_ADD(&j->facts, fact);
}

/* ---- grad contexts ---- */

/* Whether C walks what was recorded before grad was switched off, which the mode does not touch. */
static bool walks_recorded(struct judging *j, const struct event *c)
{
	for (uint32_t i = 0; i < c->origins->count; i++)
		if (origin_tag_of(c->origins->items[i]) <= ORIGIN_OP &&
		    j->in->sites.items[origin_site(c->origins->items[i])]->kind == SITE_FORWARD)
			return true;
	return false;
}

/* The outermost loop over which the mode that C ran under was carried, or NULL. */
static const struct loop *carried_over(struct judging *j, const struct event *c)
{
	const struct loop *found = NULL;
	for (uint32_t i = 0; i < c->grad_from->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(c->grad_from->items[i])];
		if (site->kind == SITE_CARRY && (!found || site->loop->depth < found->depth))
			found = site->loop;
	}
	return found;
}

/* Whether some statement in LOOP, other than those that a return of EVENT's function leaves out, switches grad back on. */
static bool restored_round(struct judging *j, const struct event *event, const struct loop *loop)
{
	for (uint32_t i = 0; i < index_count(&j->contexts, j->in->def_count + 2); i++) {
		const struct event *other = index_event(j, &j->contexts, j->in->def_count + 2, i);
		if (!other->grad_dropped && other->mode != 0 && loop_within(other->path, loop) && !(event->left && other->def == event->def))
			return true;
	}
	return false;
}

/* Whether grad is off for C, which comes behind EVENT, but for loops that may not have run: nothing asks whether to switch it
 * off, and nothing may have switched it back. */
static bool off_behind(struct judging *j, const struct event *event, const struct event *c)
{
	for (uint32_t i = 0; i < index_count(&j->contexts, j->in->def_count + 2); i++) {
		const struct event *other = index_event(j, &j->contexts, j->in->def_count + 2, i);
		if (!other->grad_dropped && other->mode != 0 && other->order > event->order && other->order < c->order)
			return false;
	}
	return event->cond == 0 && c->order > event->order;
}

/* Whether backward starts where grad is off because EVENT switched it off: behind it, or round a loop. */
static bool trains_under(struct judging *j, const struct event *event)
{
	uint32_t site = object_get(j->in, event->objects[0])->site;
	for (uint32_t i = 0; i < index_count(&j->consumptions, 0); i++) {
		const struct event *c = index_event(j, &j->consumptions, 0, i);
		if (c->root != event->root || c->grad == GRAD_ON || !c->grad_from || !origin_has(c->grad_from, origin_make(site, ORIGIN_SELF)))
			continue;
		const struct loop *loop = carried_over(j, c);
		if (c->grad == GRAD_OFF ? !walks_recorded(j, c)
					: (loop && !restored_round(j, event, loop)) || off_behind(j, event, c))
			return true;
	}
	return false;
}

/* The call of a function that nobody in sight calls, as part of which EVENT happened; NULL: the file's own code. */
static const struct call *entry_of(const struct event *event)
{
	const struct call *call = event->call;
	while (call && call->outer)
		call = call->outer;
	return call && !call->node ? call : NULL;
}

/* Whether a function that whoever calls EVENT's may call next trains, and takes grad to be on. */
static bool trains_beside(struct judging *j, const struct event *event)
{
	bool trains = false;
	for (uint32_t i = 0; i < index_count(&j->consumptions, 0); i++) {
		const struct event *c = index_event(j, &j->consumptions, 0, i);
		if (c->root == event->root && entry_of(c) == entry_of(event))
			return false; /* it trains itself, before */
		trains |= c->grad == GRAD_ON && c->grad_from && origin_has(c->grad_from, origin_make(j->in->grad_found, ORIGIN_SELF));
	}
	return trains;
}

/* Whether another function beside DEF switches the mode to something else: setUp and tearDown. */
static bool restored_beside(struct judging *j, const struct def *def)
{
	if (!def || !def->parent || (def->index & DEF_ELSEWHERE))
		return false;
	for (uint32_t i = j->in->first_child[def->parent->index]; i-- > 0; i = j->in->next_child[i])
		for (uint32_t k = 0; i != def->index && k < index_count(&j->contexts, i); k++)
			if (index_event(j, &j->contexts, i, k)->mode != 0 && !index_event(j, &j->contexts, i, k)->grad_dropped)
				return true;
	return false;
}

void judge_grad_context(struct judging *j, const struct event *event)
{
	struct fact fact = new_fact(event->grad_dropped ? FACT_GRAD_DROPPED : FACT_GRAD_LEFT, event);
	if (!event->grad_dropped && (event->mode != 0 || !event->object_count))
		return;
	if (event->grad_dropped || trains_under(j, event) || (event->lasts && trains_beside(j, event) && !restored_beside(j, event->def)))
		VEC_ADD(&j->facts, fact);
}

static bool is_context_manager(const struct def *def)
{
	for (uint32_t i = 0; i < def->decorator_count; i++) {
		const struct expr *e = def->decorators[i];
		if (e->kind == EXPR_CALL && e->count)
			e = e->items[0];
		if (str_ends(e->name, "contextmanager") || str_ends(e->name, "fixture"))
			return true;
	}
	return false;
}

void judge_yield(struct judging *j, const struct event *event)
{
	if (!event->def || is_context_manager(event->def))
		return;
	if (!j->trained_off)
		return;
	VEC_ADD(&j->facts, new_fact(FACT_GRAD_YIELD, event));
}

/* ---- an optimizer whose modules no gradient can reach ---- */

bool owns(struct interp *in, uint32_t owner, uint32_t object)
{
	for (int i = 0; object && i < 8; i++) {
		if (object == owner)
			return true;
		object = object_get(in, object)->owner;
	}
	return false;
}

/* How CONSUMPTION reaches MODULE: 2 by a recorded path, 1 only behind a cut, 0 not at all. */
static int reach(struct judging *j, const struct event *consumption, uint32_t module)
{
	int found = 0;
	for (uint32_t i = 0; i < consumption->origins->count; i++) {
		origin element = consumption->origins->items[i];
		const struct site *site = j->in->sites.items[origin_site(element)];
		if ((site->kind != SITE_FORWARD && site->kind != SITE_LEAF && site->kind != SITE_ELEMENT) || !site->object ||
		    !owns(j->in, module, site->object))
			continue;
		if (origin_tag_of(element) != ORIGIN_CUT)
			return 2;
		found = 1;
	}
	return found;
}

/* Parameters come one by one, in lists, or in groups: dictionaries in a list. */
uint32_t optimizer_modules(struct interp *in, const struct object *holder, uint32_t *modules, uint32_t count,
				  uint32_t room, int depth)
{
	for (size_t i = 0; i <= holder->slots.count; i++) {
		uint32_t cell = object_cell(holder, i);
		struct value value = cell ? cell_get(in, cell) : value_bottom();
		for (uint8_t k = 0; k < value.object_count; k++) {
			const struct object *object = object_get(in, value.objects[k]);
			if ((value.flags & VALUE_PARAMETER) && count < room)
				modules[count++] = value.objects[k];
			else if (!(value.flags & VALUE_PARAMETER) && (object->kinds & KIND_CONTAINER) && depth > 0)
				count = optimizer_modules(in, object, modules, count, room, depth - 1);
		}
	}
	return count;
}

void judge_step(struct judging *j, const struct event *step)
{
	struct interp *in = j->in;
	if (step->object_count != 1 || !step->path)
		return;
	uint32_t modules[8];
	uint32_t count = optimizer_modules(in, object_get(in, step->objects[0]), modules, 0, 8, 3);
	uint32_t since = 0;
	for (uint32_t i = 0; i < index_count(&j->zeros, step->objects[0]); i++) {
		const struct event *event = index_event(j, &j->zeros, step->objects[0], i);
		if (event->path == step->path && event->order < step->order)
			since = event->order;
	}
	const struct event *cut = NULL;
	uint32_t loop = step->path->id + 1, module = 0, trained = 0;
	for (uint32_t k = 0; k < count; k++) {
		const struct event *found = NULL;
		for (uint32_t i = 0; i < index_count(&j->backwards, loop); i++) {
			const struct event *c = index_event(j, &j->backwards, loop, i);
			if (c->order > step->order || c->order < since || c->root != step->root)
				continue;
			int reached = c->grad == GRAD_OFF || c->grad == GRAD_INFERENCE ? 2 : reach(j, c, modules[k]);
			if (reached == 1)
				found = c;
			if (reached == 2) {
				found = NULL;
				trained++;
				break;
			}
		}
		if (found && !cut) {
			cut = found;
			module = modules[k];
		}
	}
	/* where other modules of the optimizer are trained, a detach says that this one was left out on purpose */
	if (!cut || (trained && (cut->value.flags & VALUE_DETACHED)))
		return;
	struct fact fact = new_fact(FACT_CUT_TRAINED, cut);
	if (cut->value.made.end)
		fact.where = cut->value.made;
	fact.loop = step->path;
	fact.holder = object_get(in, module);
	VEC_ADD(&j->facts, fact);
}
