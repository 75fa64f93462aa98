#include "flow/judging.h"

#include <string.h>

/* ---- consumption ---- */

bool every_iteration(const struct event *event, const struct loop *loop)
{
	if (event->in_handler || !loop_within(event->path, loop))
		return false;
	uint32_t depth = loop->depth < 31 ? loop->depth : 31;
	return (event->cond >> depth) == 0;
}

bool again_and_again(const struct event *event, const struct loop *loop)
{
	if (event->in_handler || !loop_within(event->path, loop))
		return false;
	return (event->rare >> (loop->depth < 31 ? loop->depth : 31)) == 0;
}

static bool path_covers(const struct loop *consumption, const struct loop *site)
{
	return site == NULL || loop_within(consumption, site);
}

static uint32_t depth_of(const struct loop *path)
{
	return path ? path->depth : 0;
}

/* Which consumption frees the saved tensors of SITE's value in the iteration that made it. */
static const struct event *freed_by(struct judging *j, const struct event *kept, const struct site *site, bool *partly)
{
	const struct event *found = NULL;
	uint32_t conditional = 0;
	*partly = false;
	if (!site)
		return NULL;
	/* what a loop inside made and this iteration keeps, this iteration walks */
	const struct loop *path = common_path(kept->path, site->path);
	for (uint32_t i = 0; i < index_count(&j->consumptions, site->id); i++) {
		const struct event *event = index_event(j, &j->consumptions, site->id, i);
		if (event->retains || !path_covers(event->path, path))
			continue;
		uint32_t depth = depth_of(path);
		uint32_t open = event->cond & ~site->cond;
		if (event->in_handler)
			continue;
		if (!(open >> depth))
			return event;
		conditional += event != found; /* a site and its elements lead to one event twice */
		found = event;
	}
	*partly = conditional == 1;
	return found;
}

/* Whether the walk goes no further than what was made from SITE: gradients of given inputs. */
static bool stops_before(const struct event *walk, const struct site *site)
{
	return walk->stops && origin_reaches(walk->stops, site->id, ORIGIN_CALL);
}

/* What walks the graph that EVENT's value is a part of, or was computed on, and frees it: nobody can walk the value later. */
static const struct event *spent_by(struct judging *j, const struct event *event)
{
	const struct event *walk = NULL;
	for (uint32_t i = 0; i < event->origins->count && !walk; i++) {
		const struct site *site = j->in->sites.items[origin_site(event->origins->items[i])];
		bool partly; /* counts conditions apart from the site's own, of which this part need know nothing */
		if (site->kind == SITE_FORWARD && origin_tag_of(event->origins->items[i]) <= ORIGIN_OP)
			walk = freed_by(j, event, site, &partly);
		if (walk && (walk->cond >> depth_of(common_path(event->path, site->path)) || stops_before(walk, site)))
			walk = NULL;
	}
	return walk;
}

/* What leaves nobody a graph to walk later. */
static const struct event *ended_by(struct judging *j, const struct fact *fact)
{
	if (fact->buffers == BUFFERS_FREED && !stops_before(fact->consumption, fact->site))
		return fact->consumption;
	return spent_by(j, fact->event);
}

/* ---- survival and justification ---- */

struct survival {
	const struct loop *loops[16]; /* leaking, innermost first */
	int count;
	bool window;
	bool epoch;   /* an epoch loop around lets it go each time */
	const struct event *reset;
};

static void drop_loop(struct survival *s, int at)
{
	memmove(&s->loops[at], &s->loops[at + 1], (size_t)(s->count - at - 1) * sizeof s->loops[0]);
	s->count--;
}

static void survive(struct judging *j, const struct event *event, const struct loop *birth, struct survival *s)
{
	memset(s, 0, sizeof *s);
	for (const struct loop *loop = event->path; loop && s->count < 16; loop = loop->outer) {
		if (loop_within(birth, loop)) {
			s->epoch |= j->loops[loop->id] == LOOP_EPOCH || j->loops[loop->id] == LOOP_STEP;
			continue;
		}
		if (leaks(j, loop) && loop != event->last_in)
			s->loops[s->count++] = loop;
	}
}

static void apply_resets(struct judging *j, const struct event *event, uint32_t holder, struct survival *s)
{
	for (uint32_t i = 0; i < index_count(&j->resets, holder); i++) {
		const struct event *reset = index_event(j, &j->resets, holder, i);
		if (reset == event)
			continue;
		for (int k = 0; k < s->count; k++) {
			if (!loop_within(reset->path, s->loops[k]) || reset->in_handler)
				continue;
			if (!reset->bounded && every_iteration(reset, s->loops[k])) {
				s->epoch |= k + 1 < s->count || j->loops[s->loops[k]->id] == LOOP_EPOCH;
				s->reset = reset;
				drop_loop(s, k--);
			} else {
				s->window = true;
				s->reset = reset;
			}
		}
	}
}


/* Takes out of S the loops beyond what P and the consumption at C share: filled there, walked here. */
static void justify(struct survival *s, const struct loop *p, const struct loop *c)
{
	const struct loop *common = common_path(p, c);
	for (int k = 0; k < s->count; k++)
		if (!loop_within(common, s->loops[k]))
			drop_loop(s, k--);
}

/* A criterion, say, that is given what a module in eval mode made. */
static bool judges_evaluation(struct judging *j, const struct site *site)
{
	for (uint32_t i = 0; site->mode == -1 && site->inputs && i < site->inputs->count; i++) {
		const struct site *from = j->in->sites.items[origin_site(site->inputs->items[i])];
		if (from->kind == SITE_FORWARD && from->mode == 0 && origin_tag_of(site->inputs->items[i]) <= ORIGIN_OP)
			return true;
	}
	return false;
}

/* What a module in eval mode made from data without a graph is walked by nobody. */
static bool made_for_evaluation(struct judging *j, const struct origin_set *set)
{
	bool any = false;
	for (uint32_t i = 0; i < set->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(set->items[i])];
		if (origin_tag_of(set->items[i]) == ORIGIN_CUT || site_proof(j, site->id) == PROOF_NONE)
			continue;
		if (site->kind == SITE_ELEMENT)
			site = j->in->sites.items[site->parent];
		if (site->kind == SITE_FORWARD && site->mode != 0 && !judges_evaluation(j, site))
			return false;
		if (site->kind == SITE_LEAF && !site->object)
			return false;
		any |= site->kind == SITE_FORWARD;
	}
	return any;
}

/* The sites by which something later may walk what was kept: the value's own, the holder's, the carried name's. */
struct ties {
	uint32_t sites[10];
	uint32_t count;
};

static void tie(struct ties *ties, uint32_t site)
{
	if (site && ties->count < 10)
		ties->sites[ties->count++] = site;
}

/* All that the value is: of several results that are kept together each may be walked. */
static void tie_value(struct judging *j, struct ties *ties, const struct origin_set *set)
{
	for (uint32_t i = set->count; i-- > 0 && ties->count < 7;) {
		uint32_t site = origin_site(set->items[i]);
		enum site_kind kind = j->in->sites.items[site]->kind;
		if (origin_tag_of(set->items[i]) == ORIGIN_SELF && kind != SITE_CARRY && kind != SITE_OBJECT)
			tie(ties, site);
	}
}

static void justify_by(struct judging *j, const struct event *event, const struct index *index, uint32_t site,
		       const struct event *freed, struct survival *s)
{
	for (uint32_t i = 0; i < index_count(index, site) && s->count; i++) {
		const struct event *later = index_event(j, index, site, i);
		/* a graph that one backward freed cannot be walked by another further out */
		if (later == event ||
		    (freed && freed != later && freed->path != later->path && loop_within(freed->path, later->path)))
			continue;
		justify(s, event->path, later->path);
	}
}

static void apply_justifications(struct judging *j, const struct event *event, const struct ties *ties,
				 const struct event *freed, struct survival *s)
{
	bool evaluation = freed || made_for_evaluation(j, event->origins);
	uint32_t anything = (uint32_t)j->in->sites.count;
	justify_by(j, event, &j->consumptions, anything, freed, s);
	if (!evaluation)
		justify_by(j, event, &j->escapes, anything, NULL, s);
	for (uint32_t k = 0; k < ties->count; k++) {
		justify_by(j, event, &j->consumptions, ties->sites[k], freed, s);
		if (!evaluation)
			justify_by(j, event, &j->escapes, ties->sites[k], NULL, s);
	}
}

/* ---- places ---- */

void place_at(struct fact *fact, const struct call *call)
{
	fact->where = call->span;
	fact->where_def = call->caller;
	fact->elsewhere = true;
}

void place(struct fact *fact)
{
	const struct event *event = fact->event;
	const struct call *made = fact->site ? fact->site->call : event->call;
	fact->where = event->node;
	fact->where_def = event->def;
	for (const struct call *call = event->call; call; call = call->outer) {
		if (call == made)
			return;
		if (call->outer == made && call->node) {
			place_at(fact, call);
			return;
		}
	}
}

/* A holder that is made anew in every iteration carries on through a name of the loop: that is where to look. */
static void place_in_loop(struct fact *fact)
{
	for (const struct call *call = fact->event->call; call && call != fact->loop->call; call = call->outer)
		if (call->outer == fact->loop->call && call->node)
			place_at(fact, call);
}

struct fact new_fact(enum fact_kind kind, const struct event *event)
{
	struct fact fact = {.kind = kind, .event = event, .proof = PROOF_FLOW, .mode = event->mode};
	fact.where = event->node;
	fact.where_def = event->def;
	fact.view = event->value.flags & VALUE_VIEW;
	fact.scalar = event->value.extent == EXTENT_SCALAR;
	fact.on_device = event->value.device == DEVICE_ACCELERATOR;
	fact.grad_off = event->value.flags & VALUE_GRAD_OFF;
	fact.on_host = event->value.device == DEVICE_CPU;
	fact.tensor = event->tensor;
	return fact;
}

enum proof loop_proof(const struct judging *j, const struct loop *loop)
{
	return j->loops[loop->id] == LOOP_CALL ? PROOF_NAME : PROOF_FLOW;
}

/* A class that offers a method to empty or restart what it keeps, which nobody in sight calls, made it for its users. */
static bool offers_reset(struct judging *j, const struct event *event, const struct index *index, uint32_t key)
{
	for (uint32_t i = 0; key && i < index_count(index, key); i++) {
		const struct event *reset = index_event(j, index, key, i);
		bool unseen = false;
		for (const struct loop *loop = reset->path; loop; loop = loop->outer)
			unseen |= j->loops[loop->id] == LOOP_CALL;
		if (unseen && reset->def != event->def)
			return true;
	}
	return false;
}

static void finish_growth(struct judging *j, struct fact *fact, const struct survival *s)
{
	fact->loop = s->loops[s->count - 1];
	/* the step loop says it best where there is one */
	for (int k = 0; k < s->count; k++)
		if (j->loops[s->loops[k]->id] == LOOP_STEP)
			fact->loop = s->loops[k];
	fact->reset = s->reset;
	fact->trains = j->has_step[fact->loop->id] || j->has_backward[fact->loop->id];
	fact->growth = s->window || fact->event->bounded ? GROWTH_WINDOW
		       : s->epoch && s->count == 1 && j->loops[s->loops[0]->id] == LOOP_STEP ? GROWTH_EPOCH
											    : GROWTH_UNBOUNDED;
	const struct loop *outermost = s->loops[s->count - 1];
	fact->proof = weaker(fact->proof, j->steps_itself[outermost->id] ? PROOF_USAGE : loop_proof(j, outermost));
	if (s->count > 1 && loop_proof(j, s->loops[0]) == PROOF_FLOW)
		fact->proof = stronger(fact->proof, weaker(PROOF_FLOW, fact->graph));
	/* in a loop that stands in sight it grows whatever users may call later */
	if (fact->loop->form != LOOP_VIRTUAL)
		return;
	if (offers_reset(j, fact->event, &j->restarts, fact->event->cell) ||
	    offers_reset(j, fact->event, &j->resets, fact->kind == FACT_STORE ? fact->event->holder : 0))
		fact->proof = weaker(fact->proof, PROOF_NAME);
}

/* Whether EVENT keeps something under the argument of a dataset's __getitem__, which differs over LOOP, its calls. */
static bool item_key(const struct judging *j, const struct event *event, const struct loop *loop)
{
	if (loop->form != LOOP_VIRTUAL || !event->def || !str_is(event->def->name, "__getitem__") || !event->key.origins)
		return false;
	for (uint32_t i = 0; i < event->key.origins->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(event->key.origins->items[i])];
		if (site->kind == SITE_INPUT && site->path == loop)
			return true;
	}
	return false;
}

/* Keeps only the loops over which a key differs. */
static void keep_key_loops(struct judging *j, const struct event *event, struct survival *s)
{
	for (int k = 0; k < s->count; k++) {
		bool varies = event->key.counter == s->loops[k] || item_key(j, event, s->loops[k]);
		for (uint32_t i = 0; event->key.origins && i < event->key.origins->count && !varies; i++) {
			const struct site *site = j->in->sites.items[origin_site(event->key.origins->items[i])];
			varies = site->kind == SITE_CARRY && site->loop == s->loops[k] &&
				 (origin_tag_of(event->key.origins->items[i]) == ORIGIN_OP || j->counted[site->id]);
		}
		if (!varies)
			drop_loop(s, k--);
	}
}

/* Whether a detach lies between the value and a module's output: then a view keeps the output's storage. */
static bool cut_from_forward(struct judging *j, const struct origin_set *set)
{
	bool cut = false;
	for (uint32_t i = 0; i < set->count; i++) {
		enum site_kind kind = j->in->sites.items[origin_site(set->items[i])]->kind;
		if (origin_tag_of(set->items[i]) != ORIGIN_CUT || (kind != SITE_FORWARD && kind != SITE_DERIVED))
			continue;
		if (j->consumed_tag[origin_site(set->items[i])] == ORIGIN_SELF)
			return false; /* where backward starts there is one number */
		cut = true;
	}
	return cut;
}

static void describe_value(struct judging *j, struct fact *fact)
{
	const struct event *event = fact->event;
	bool partly;
	fact->graph = graph_proof(j, event->origins, ORIGIN_OP);
	fact->site = top_site(j, event->origins, event->kind == EVENT_ACCUMULATE ? event->cell : 0);
	fact->view &= fact->graph != PROOF_NONE ||
		      ((event->value.flags & VALUE_DETACHED) && cut_from_forward(j, event->origins));
	fact->consumption = freed_by(j, event, fact->site, &partly);
	/* scalar arithmetic on what was freed has nothing else to keep */
	const struct site *site = fact->site;
	for (int i = 0; i < 4 && !fact->consumption && site && site->kind == SITE_DERIVED && site->scalar; i++) {
		site = top_site(j, site->inputs, site->cell);
		fact->consumption = freed_by(j, event, site, &partly);
	}
	if (!fact->consumption && fact->graph != PROOF_NONE) {
		fact->consumption = spent_by(j, event);
		fact->shares = partly = fact->consumption != NULL;
	}
	fact->buffers = !fact->consumption ? BUFFERS_KEPT : partly ? BUFFERS_PARTLY : BUFFERS_FREED;
}

/* Whether what EVENT assigned is let go, or replaced by something without a graph, in each iteration of LOOP. */
static bool let_go_again(struct judging *j, const struct event *event, const struct loop *loop)
{
	for (uint32_t i = 0; event->cell && i < index_count(&j->assigns, event->cell); i++) {
		const struct event *other = index_event(j, &j->assigns, event->cell, i);
		if (other->node.start != event->node.start && loop_within(other->path, loop) &&
		    (other->kind == EVENT_RESET || graph_proof(j, other->origins, ORIGIN_OP) == PROOF_NONE))
			return true;
	}
	return false;
}

/* An attribute, an outer name or an entry keeps the last value: one graph more, until the next takes its place. What
 * backward walks from there is needed. */
static void judge_kept(struct judging *j, const struct event *event, const struct object *holder, uint32_t read_site)
{
	struct fact fact = new_fact(FACT_ASSIGN, event);
	struct survival s;
	survive(j, event, holder ? holder->birth : NULL, &s);
	const struct loop *step = NULL;
	for (int k = 0; k < s.count && !step; k++)
		if (j->loops[s.loops[k]->id] == LOOP_STEP && s.loops[k]->form != LOOP_VIRTUAL)
			step = s.loops[k];
	/* a base out of sight may read what a method leaves there */
	const struct class_info *class = holder && holder->class_def ? class_find(j->in, holder->class_def) : NULL;
	if (!step || (class && class->open) || event->in_handler || !again_and_again(event, step) || event->in_hook || (holder && holder->input))
		return;
	if (read_site && (consumed(j, read_site, ORIGIN_CALL) || index_count(&j->escapes, read_site)))
		return;
	describe_value(j, &fact);
	if (fact.graph == PROOF_NONE || let_go_again(j, event, step))
		return;
	fact.proof = fact.graph;
	fact.holder = holder;
	fact.loop = step;
	fact.growth = GROWTH_CONSTANT;
	fact.trains = j->has_step[step->id] || j->has_backward[step->id];
	place(&fact);
	VEC_ADD(&j->facts, fact);
}

void judge_attribute(struct judging *j, const struct event *event)
{
	const struct object *holder = event->holder ? object_get(j->in, event->holder) : NULL;
	judge_kept(j, event, holder, j->in->cells.items[event->cell].site);
}

static bool is_module(const struct def *def)
{
	return def && def->kind == DEF_MODULE;
}

/* Whether RESET stands under the condition under which an optimizer steps: what was kept for so many batches goes with them. */
static bool ends_with_step(struct judging *j, const struct event *reset)
{
	if (!reset || reset->bounded || !reset->cond)
		return false;
	for (uint32_t i = 0; i < index_count(&j->steps, 0); i++) {
		const struct event *e = index_event(j, &j->steps, 0, i);
		if (e->root == reset->root && e->def == reset->def && e->path == reset->path && e->side == reset->side)
			return true;
	}
	return false;
}

void judge_store(struct judging *j, const struct event *event)
{
	if (event->undone)
		return;
	struct fact fact = new_fact(FACT_STORE, event);
	const struct object *holder = object_get(j->in, event->holder);
	struct survival s;
	describe_value(j, &fact);
	fact.holder = holder;
	fact.kept_by_owner = holder->owner != 0 || (is_module(holder->def) && !is_module(event->def));
	survive(j, event, holder->birth, &s);
	if (event->op == STORE_KEY || event->op == STORE_ASSIGN) {
		int loops = s.count;
		keep_key_loops(j, event, &s);
		if (loops && !s.count && event->key.text.at && fact.kept_by_owner)
			judge_kept(j, event, holder, holder->site);
	}
	apply_resets(j, event, event->holder, &s);
	struct ties ties = {.count = 0};
	tie(&ties, fact.site ? fact.site->id : 0);
	tie(&ties, holder->site);
	tie_value(j, &ties, event->origins);
	apply_justifications(j, event, &ties, ended_by(j, &fact), &s);
	if (!s.count || (s.window && (ends_with_step(j, s.reset) || (holder->site && consumed(j, holder->site, ORIGIN_CALL)))))
		return; /* a window that is filled for one backward and emptied again */
	fact.emptied = index_count(&j->resets, event->holder) > 0;
	fact.memo = holder->looked_up;
	/* numbers of things that are gone are given to new ones: only who keeps the thing as well piles up */
	bool kept_whole = !(event->key.kinds & KIND_NUMBER) || event->value.object_count;
	fact.key = (event->key.flags & VALUE_IDENTITY) && kept_whole ? "identity" : item_key(j, event, s.loops[0]) ? "item" : NULL;
	if (fact.key && fact.key[1] == 't') { /* an item: what a dataset reads, whatever it is, unless it is a number or a text */
		fact.workers = has_workers(j, event->def->parent);
		fact.tensor = !value_only(&event->value, KIND_NUMBER | KIND_TEXT | KIND_NONE | KIND_SMALL);
	}
	if (event->in_hook) {
		fact.kind = FACT_HOOK_STORE;
		/* whoever calls the module may empty it there, or cuts it back each time */
		if ((fact.emptied && s.loops[0]->hook) || s.window)
			return;
	}
	fact.proof = fact.graph ? fact.graph : PROOF_FLOW;
	/* who runs the hook out of sight may empty what came from outside, and made anew what each call of something makes */
	bool alone = event->in_hook && s.loops[0]->hook;
	if (holder->input || (alone && holder->birth && !loop_within(event->path, holder->birth)))
		fact.proof = weaker(fact.proof, alone ? PROOF_NAME : PROOF_USAGE);
	if (holder->opaque) /* an append of its own may detach, convert or bound */
		fact.proof = weaker(fact.proof, PROOF_NAME);
	finish_growth(j, &fact, &s);
	if (!event->in_hook)
		place(&fact);
	VEC_ADD(&j->facts, fact);
}

/* A chain that starts anew every so often is a window; one that backward walks first is the sum of a few steps. */
static void note_restarts(struct judging *j, const struct event *event, struct survival *s)
{
	for (uint32_t i = 0; i < index_count(&j->restarts, event->cell); i++) {
		const struct event *restart = index_event(j, &j->restarts, event->cell, i);
		for (int k = 0; k < s->count; k++) {
			if (!loop_within(restart->path, s->loops[k]))
				continue;
			s->window = true;
			s->reset = restart;
			uint32_t carry = carry_known(j->in, s->loops[k], event->cell);
			for (uint32_t c = 0; carry && c < index_count(&j->consumptions, carry); c++)
				if (loop_within(index_event(j, &j->consumptions, carry, c)->path, s->loops[k])) {
					drop_loop(s, k--);
					break;
				}
		}
	}
}

static bool assigns(const struct expr *target, struct str name, int depth)
{
	if (target->kind == EXPR_NAME)
		return str_equal(target->name, name);
	for (uint16_t i = 0; depth > 0 && i < target->count; i++)
		if (assigns(target->items[i], name, depth - 1))
			return true;
	return false;
}

/* Whether the carried name goes through a function that nobody in sight defines: it may detach. */
static bool passes_unknown(struct judging *j, const struct event *event)
{
	for (uint32_t i = 0; i < event->origins->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(event->origins->items[i])];
		if (site->kind == SITE_ELEMENT)
			site = j->in->sites.items[site->parent];
		for (uint8_t k = 0; site->kind == SITE_FORWARD && k < event->carry_count; k++)
			if (event->carries[k]->target && assigns(event->carries[k]->target, site->name, 3))
				return true; /* each of a row of functions in turn, not one over time */
		if (site->kind != SITE_CALL || !site->inputs)
			continue;
		for (uint8_t k = 0; k < event->carry_count; k++) {
			uint32_t carry = carry_known(j->in, event->carries[k], event->cell);
			if (carry && origin_reaches(site->inputs, carry, ORIGIN_CALL))
				return true;
		}
	}
	return false;
}

/* Whether another class sets the attribute that EVENT carries on. */
static bool set_elsewhere(struct judging *j, const struct event *event)
{
	const struct cell *cell = &j->in->cells.items[event->cell];
	for (size_t i = 0; cell->object && i < j->in->events.count; i++) {
		const struct event *other = &j->in->events.items[i];
		if (other->kind == EVENT_ASSIGN && other->cell != event->cell && other->def && event->def &&
		    other->def->parent != event->def->parent && str_equal(j->in->cells.items[other->cell].name, cell->name))
			return true;
	}
	return false;
}

/* Whether what EVENT carries on, or something in it, is detached in place in LOOP. */
static bool detached_in_place(struct judging *j, const struct event *event, const struct loop *loop)
{
	for (uint32_t i = 0; i < index_count(&j->resets, 0); i++) {
		const struct event *reset = index_event(j, &j->resets, 0, i);
		if (reset->detaches && reset->cell && reset->cell == event->cell && loop_within(reset->path, loop))
			return true; /* an element of it */
		for (uint32_t k = 0; reset->detaches && loop_within(reset->path, loop) && k < reset->origins->count; k++) {
			origin element = reset->origins->items[k];
			enum site_kind kind = j->in->sites.items[origin_site(element)]->kind;
			if (origin_tag_of(element) == ORIGIN_SELF && kind != SITE_OBJECT && kind != SITE_CARRY &&
			    origin_has(event->origins, element))
				return true;
		}
	}
	return false;
}

void judge_accumulation(struct judging *j, const struct event *event)
{
	struct interp *in = j->in;
	struct fact fact = new_fact(event->linked ? FACT_ASSIGN : event->through_module ? FACT_CARRY : FACT_ACCUMULATE, event);
	describe_value(j, &fact);
	fact.holder = event->holder ? object_get(in, event->holder) : NULL;
	fact.rebuilt = event->rebuilt;
	struct survival s = {.count = 0};
	for (const struct loop *around = event->path; around; around = around->outer) {
		uint8_t k = 0;
		while (k < event->carry_count && event->carries[k] != around)
			k++;
		if (k == event->carry_count || !leaks(j, event->carries[k]))
			continue;
		s.loops[s.count++] = event->carries[k];
		const struct event *freed = ended_by(j, &fact);
		struct survival one = {.loops = {event->carries[k]}, .count = 1};
		struct ties ties = {.count = 0};
		tie(&ties, fact.site ? fact.site->id : 0);
		tie(&ties, carry_known(in, event->carries[k], event->cell));
		apply_justifications(j, event, &ties, freed, &one);
		if (!one.count)
			s.count--;
	}
	note_restarts(j, event, &s);
	if (!s.count || detached_in_place(j, event, s.loops[0]))
		return;
	for (const struct loop *loop = s.loops[s.count - 1]->outer; loop; loop = loop->outer)
		s.epoch |= j->loops[loop->id] == LOOP_EPOCH;
	fact.proof = fact.graph ? fact.graph : PROOF_FLOW;
	finish_growth(j, &fact, &s);
	if (fact.kind == FACT_ASSIGN && fact.graph == PROOF_NONE)
		return;
	/* the state of a module, which it or its owner starts anew: whoever calls it decides over which steps it goes on */
	const struct object *holder = fact.holder;
	if (fact.loop->form == LOOP_VIRTUAL && (s.window || (holder && (holder->input || loop_within(holder->birth, fact.loop))) ||
					       set_elsewhere(j, event)))
		fact.proof = weaker(fact.proof, PROOF_NAME);
	if (fact.kind == FACT_CARRY && (fact.loop->form == LOOP_VIRTUAL || passes_unknown(j, event)))
		return;
	if (event->selects)
		fact.growth = GROWTH_CONSTANT;
	place(&fact);
	if (fact.holder && loop_within(fact.holder->birth, fact.loop))
		place_in_loop(&fact);
	VEC_ADD(&j->facts, fact);
}

void judge_log(struct judging *j, const struct event *event)
{
	struct fact fact = new_fact(FACT_LOG, event);
	describe_value(j, &fact);
	fact.loop = loop_around(j, event->path, LOOP_STEP, LOOP_CALL);
	if (!fact.loop || fact.graph == PROOF_NONE || fact.loop == event->last_in)
		return;
	fact.proof = weaker(fact.graph, loop_proof(j, fact.loop));
	place(&fact);
	VEC_ADD(&j->facts, fact);
}

/* ---- out of memory ---- */

void judge_retry(struct judging *j, const struct event *event)
{
	VEC_ADD(&j->facts, new_fact(FACT_RETRY, event));
}

/* Something else takes the place of what EVENT assigned, in each iteration of LOOP. */
static bool is_replaced(struct judging *j, const struct event *event, const struct loop *loop)
{
	for (size_t i = 0; i < j->in->events.count; i++) {
		const struct event *e = &j->in->events.items[i];
		if (e->kind == EVENT_ASSIGN && e->cell == event->cell && !e->in_handler && loop_within(e->path, loop))
			return true;
	}
	return false;
}

/* A list of them grows; a name or an attribute holds the last one. */
void judge_exception(struct judging *j, const struct event *event)
{
	struct survival s;
	if (!event->caught.end || !event->holder)
		return;
	struct fact fact = new_fact(FACT_EXCEPTION, event);
	fact.holder = object_get(j->in, event->holder);
	fact.proof = fact.holder->input ? PROOF_USAGE : PROOF_FLOW;
	survive(j, event, fact.holder->birth, &s);
	if (event->kind == EVENT_STORE) {
		if (event->op == STORE_KEY || event->op == STORE_ASSIGN)
			keep_key_loops(j, event, &s);
		apply_resets(j, event, event->holder, &s);
	}
	if (!s.count || (event->kind == EVENT_ASSIGN && is_replaced(j, event, s.loops[0])))
		return;
	finish_growth(j, &fact, &s);
	if (event->kind == EVENT_ASSIGN)
		fact.growth = GROWTH_CONSTANT;
	place(&fact);
	VEC_ADD(&j->facts, fact);
}
