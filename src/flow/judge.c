#include "flow/judge.h"

#include <string.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Event numbers by key: those of key K are items[start[K]] … items[start[K + 1] - 1]. */
struct index {
	uint32_t *start;
	uint32_t *items;
};

struct judging {
	struct interp *in;
	struct judgement *out;
	uint8_t *site_proof;   /* 1 + enum proof once known, by site id */
	uint8_t *site_busy;
	enum loop_kind *loops;
	bool *has_step, *has_backward;
	VEC(struct fact) facts;
	struct index consumptions; /* by the sites that they reach; all of them under site 0 */
	struct index escapes;      /* likewise */
	struct index resets;       /* by holder */
	struct index zeros;        /* by the first optimizer or module */
	struct index backwards;    /* consumptions by loop id + 1, 0 outside loops */
	struct index contexts;     /* grad contexts, by index of their definition */
	uint8_t *consumed_tag;     /* by site: the closest tag under which a consumption reaches it */
	bool *needed;              /* by site: a consumption reaches it by recorded operations and nothing else explains its graph */
	uint32_t *consumed_parts;  /* by site: how many of its elements are consumed */
	bool trained_off;          /* something was walked backward or stepped while grad was off */
	pcre2_code *module_names;
};

/* ---- indexes over events, so that no judgement looks through all of them ---- */

typedef uint32_t keys_of(struct interp *in, const struct event *event, uint32_t *keys);

static void index_build(struct interp *in, struct index *index, uint32_t key_count, keys_of *keys_of_event)
{
	uint32_t keys[2 * ORIGIN_SET_LIMIT + 3];
	index->start = ARENA_ARRAY(in->arena, uint32_t, key_count + 2u);
	for (size_t i = 0; i < in->events.count; i++) {
		uint32_t n = keys_of_event(in, &in->events.items[i], keys);
		for (uint32_t k = 0; k < n; k++)
			index->start[keys[k] + 2]++;
	}
	for (uint32_t k = 2; k < key_count + 2u; k++)
		index->start[k] += index->start[k - 1];
	index->items = ARENA_ARRAY(in->arena, uint32_t, index->start[key_count + 1] + 1u);
	for (size_t i = 0; i < in->events.count; i++) {
		uint32_t n = keys_of_event(in, &in->events.items[i], keys);
		for (uint32_t k = 0; k < n; k++)
			index->items[index->start[keys[k] + 1]++] = (uint32_t)i;
	}
}

static uint32_t index_count(const struct index *index, uint32_t key)
{
	return index->start[key + 1] - index->start[key];
}

static const struct event *index_event(const struct judging *j, const struct index *index, uint32_t key, uint32_t place)
{
	return &j->in->events.items[index->items[index->start[key] + place]];
}

static uint32_t sites_reached(struct interp *in, const struct event *event, uint32_t *keys)
{
	uint32_t n = 0, sites = (uint32_t)in->sites.count;
	keys[n++] = 0;
	for (uint32_t i = 0; i < event->origins->count; i++) {
		uint32_t site = origin_site(event->origins->items[i]);
		if (origin_tag_of(event->origins->items[i]) == ORIGIN_CUT)
			continue;
		if (keys[n - 1] != site)
			keys[n++] = site;
		/* who walks a part walks what it was read from */
		if (in->sites.items[site]->kind == SITE_ELEMENT)
			keys[n++] = in->sites.items[site]->parent;
	}
	/* a set that lost elements may have reached anything: kept under a number that no site has */
	if (event->origins->overflow)
		keys[n++] = sites;
	return n;
}

static uint32_t consumption_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	return event->kind == EVENT_CONSUME ? sites_reached(in, event, keys) : 0;
}

static uint32_t escape_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	bool escapes = event->kind == EVENT_ESCAPE || event->kind == EVENT_RETURN;
	return escapes ? sites_reached(in, event, keys) : 0;
}

static uint32_t reset_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	(void)in;
	keys[0] = event->holder;
	return event->kind == EVENT_RESET;
}

static uint32_t zero_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	(void)in;
	keys[0] = event->objects[0];
	return event->kind == EVENT_ZERO && event->object_count > 0;
}

static uint32_t backward_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	(void)in;
	keys[0] = event->path ? event->path->id + 1 : 0;
	return event->kind == EVENT_CONSUME;
}

static uint32_t context_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	(void)in;
	keys[0] = event->def ? event->def->index : 0;
	return event->kind == EVENT_GRAD_CONTEXT;
}

/* ---- loops ---- */

static bool is_time(const struct judging *j, const struct loop *loop)
{
	if (loop->form == LOOP_VIRTUAL)
		return !loop->is_struct;
	return !loop->is_struct || (loop->is_range && j->has_step[loop->id]);
}

static struct loop *innermost_time(const struct judging *j, struct loop *path)
{
	while (path && (!is_time(j, path) || path->retry))
		path = path->outer;
	return path;
}

static void mark_outer_epochs(struct judging *j, struct loop *step)
{
	for (struct loop *loop = step->outer; loop; loop = loop->outer)
		if (is_time(j, loop) && j->loops[loop->id] != LOOP_STEP)
			j->loops[loop->id] = LOOP_EPOCH;
}

static void mark_steps(struct judging *j, enum event_kind kind, bool *marks)
{
	struct interp *in = j->in;
	for (size_t i = 0; i < in->events.count; i++) {
		const struct event *event = &in->events.items[i];
		if (event->kind != kind || event->in_handler)
			continue;
		for (struct loop *loop = event->path; loop; loop = loop->outer)
			marks[loop->id] = true;
	}
}

static bool any_in_path(const bool *marks, const struct loop *path)
{
	for (; path; path = path->outer)
		if (marks[path->id])
			return true;
	return false;
}

static void decide_by(struct judging *j, enum event_kind kind, const bool *outranks)
{
	struct interp *in = j->in;
	for (size_t i = 0; i < in->events.count; i++) {
		const struct event *event = &in->events.items[i];
		if (event->kind != kind || (outranks && any_in_path(outranks, event->path)))
			continue;
		struct loop *loop = innermost_time(j, event->path);
		if (!loop || loop->form == LOOP_VIRTUAL)
			continue;
		if (j->loops[loop->id] == LOOP_PLAIN || j->loops[loop->id] == LOOP_INTRA)
			j->loops[loop->id] = LOOP_STEP;
		mark_outer_epochs(j, loop);
	}
}

/* A loop inside a step loop is one of parts, or a phase of its own that nothing outside walks back into. */
static void decide_by_forward(struct judging *j)
{
	struct interp *in = j->in;
	for (size_t i = 0; i < in->events.count; i++) {
		const struct event *event = &in->events.items[i];
		if (event->kind != EVENT_FORWARD)
			continue;
		struct loop *loop = innermost_time(j, event->path);
		if (!loop || loop->form == LOOP_VIRTUAL || j->has_step[loop->id] || j->has_backward[loop->id])
			continue;
		bool inside_step = false;
		for (struct loop *outer = loop->outer; outer; outer = outer->outer)
			inside_step |= j->loops[outer->id] == LOOP_STEP || (outer->virtual_name && outer->virtual_name[0] == 's');
		bool phase = event->mode == 0 || event->grad == GRAD_OFF || event->grad == GRAD_INFERENCE;
		if (j->loops[loop->id] == LOOP_STEP)
			continue;
		bool part = (inside_step || loop->in_module) && !phase;
		j->loops[loop->id] = part || loop->in_forward ? LOOP_INTRA : LOOP_STEP;
		if (j->loops[loop->id] == LOOP_STEP && !inside_step)
			mark_outer_epochs(j, loop);
	}
}

static bool inside_step(const struct judging *j, const struct loop *loop)
{
	for (loop = loop->outer; loop; loop = loop->outer)
		if (j->loops[loop->id] == LOOP_STEP)
			return true;
	return false;
}

static void decide_loops(struct judging *j)
{
	struct interp *in = j->in;
	for (size_t i = 0; i < in->loops.count; i++)
		j->loops[i] = LOOP_PLAIN;
	mark_steps(j, EVENT_STEP, j->has_step);
	mark_steps(j, EVENT_CONSUME, j->has_backward);
	decide_by(j, EVENT_STEP, NULL);
	decide_by(j, EVENT_CONSUME, j->has_step);
	decide_by_forward(j);
	for (size_t i = 0; i < in->loops.count; i++) {
		const struct loop *loop = in->loops.items[i];
		if (loop->virtual_name && !loop->is_struct)
			j->loops[i] = loop->virtual_name[0] == 's' ? LOOP_STEP : loop->virtual_name[0] == 'e' ? LOOP_EPOCH : LOOP_CALL;
		else if (!is_time(j, loop))
			j->loops[i] = LOOP_STRUCT;
		else if (loop->retry)
			j->loops[i] = LOOP_RETRY;
		else if (j->loops[i] == LOOP_PLAIN && inside_step(j, loop))
			j->loops[i] = LOOP_INTRA;
	}
}

static bool leaks(const struct judging *j, const struct loop *loop)
{
	enum loop_kind kind = j->loops[loop->id];
	return kind == LOOP_STEP || kind == LOOP_EPOCH || kind == LOOP_CALL;
}

/* ---- who carries a graph ---- */

static enum proof stronger(enum proof a, enum proof b)
{
	return a > b ? a : b;
}

static enum proof weaker(enum proof a, enum proof b)
{
	return a < b ? a : b;
}

static bool consumed(struct judging *j, uint32_t site, enum origin_tag loosest)
{
	return j->consumed_tag[site] <= (uint8_t)loosest;
}

static bool sibling_consumed(struct judging *j, const struct site *site)
{
	return j->consumed_parts[site->parent] > (consumed(j, site->id, ORIGIN_CALL) ? 1u : 0u);
}

static bool named_like_module(struct judging *j, struct str name)
{
	if (!j->module_names || !name.length)
		return false;
	const char *dot = NULL;
	for (size_t i = 0; i < name.length; i++)
		if (name.at[i] == '.')
			dot = name.at + i + 1;
	struct str last = dot ? (struct str){dot, (size_t)(name.at + name.length - dot)} : name;
	pcre2_match_data *match = pcre2_match_data_create(1, NULL);
	int rc = pcre2_match(j->module_names, (PCRE2_SPTR)last.at, last.length, 0, 0, match, NULL);
	pcre2_match_data_free(match);
	return rc >= 0;
}

/* That the thing called at SITE is a module. */
static enum proof module_proof(struct judging *j, const struct site *site)
{
	enum proof proof = site->proof;
	if (site->frozen)
		return PROOF_NONE;
	if (!site->object)
		return proof;
	const struct object *object = object_get(j->in, site->object);
	if (object->proved & KIND_MODULE)
		proof = stronger(proof, PROOF_USAGE);
	else if (named_like_module(j, site->name))
		proof = stronger(proof, PROOF_NAME);
	return proof;
}

/* An unresolved call that was given a module, or is a method of one. */
static bool is_module_call(struct judging *j, const struct site *site)
{
	return site->module_given || (site->object && (object_get(j->in, site->object)->proved & KIND_MODULE));
}

static enum proof graph_proof(struct judging *j, const struct origin_set *set, enum origin_tag loosest);

static bool is_layer(struct judging *j, const struct site *site)
{
	const struct object *object = site->object ? object_get(j->in, site->object) : NULL;
	return object && object->library && (object->kinds & KIND_MODULE) && !object->class_def &&
	       str_starts(str_from(object->library->name), "torch.nn.") && !object->library->wraps;
}

static enum proof site_proof_now(struct judging *j, const struct site *site)
{
	struct interp *in = j->in;
	if (site->grad_off)
		return PROOF_NONE;
	switch (site->kind) {
	case SITE_LEAF:
		return site->proof;
	case SITE_DERIVED:
		return site->inputs ? graph_proof(j, site->inputs, ORIGIN_OP) : PROOF_NONE;
	case SITE_FORWARD:
		if (site->frozen && site->inputs)
			return graph_proof(j, site->inputs, ORIGIN_OP);
		if (site->proof == PROOF_FLOW)
			return PROOF_FLOW;
		return stronger(module_proof(j, site), consumed(j, site->id, ORIGIN_CALL) && !site->frozen ? PROOF_USAGE : PROOF_NONE);
	case SITE_CALL:
		if (j->needed[site->id] || (is_module_call(j, site) && consumed(j, site->id, ORIGIN_CALL)))
			return PROOF_USAGE;
		return consumed(j, site->id, ORIGIN_CALL) ? PROOF_SIBLING : PROOF_NONE;
	case SITE_ELEMENT: {
		const struct site *whole = in->sites.items[site->parent];
		enum proof proof = whole->kind == SITE_FORWARD ? module_proof(j, whole) : PROOF_NONE;
		/* which of several results carries the graph, only a layer of torch itself is known for */
		if (proof > PROOF_SIBLING && !is_layer(j, whole) && sibling_consumed(j, site))
			proof = PROOF_SIBLING;
		bool module = whole->kind == SITE_FORWARD || is_module_call(j, whole);
		bool own = module ? consumed(j, site->id, ORIGIN_CALL) : j->needed[site->id];
		if (own || j->needed[whole->id])
			proof = stronger(proof, PROOF_USAGE);
		else if (proof < PROOF_SIBLING && sibling_consumed(j, site))
			proof = PROOF_SIBLING;
		return proof;
	}
	case SITE_INPUT:
		if (j->needed[site->id])
			return PROOF_USAGE;
		return str_find(site->name, STR("loss"), 0) != SIZE_MAX ? PROOF_NAME : PROOF_NONE;
	default:
		return PROOF_NONE;
	}
}

static enum proof site_proof(struct judging *j, uint32_t id)
{
	if (j->site_proof[id])
		return (enum proof)(j->site_proof[id] - 1);
	if (j->site_busy[id])
		return PROOF_NONE; /* derived from itself around a loop: the others decide */
	j->site_busy[id] = 1;
	enum proof proof = site_proof_now(j, j->in->sites.items[id]);
	j->site_busy[id] = 0;
	j->site_proof[id] = (uint8_t)(1 + proof);
	return proof;
}

/* A parameter itself keeps no graph; what is computed from it does. */
static bool is_leaf_itself(struct judging *j, origin element)
{
	return origin_tag_of(element) == ORIGIN_SELF && j->in->sites.items[origin_site(element)]->kind == SITE_LEAF;
}

static enum proof graph_proof(struct judging *j, const struct origin_set *set, enum origin_tag loosest)
{
	enum proof proof = PROOF_NONE;
	for (uint32_t i = 0; i < set->count && proof < PROOF_FLOW; i++)
		if (origin_tag_of(set->items[i]) <= loosest && !is_leaf_itself(j, set->items[i]))
			proof = stronger(proof, site_proof(j, origin_site(set->items[i])));
	return proof;
}

/* The site that speaks for a value: the youngest it is, else the youngest it was computed from; not the running total
 * of cell EXCEPT itself. */
static const struct site *top_site(struct judging *j, const struct origin_set *set, uint32_t except)
{
	const struct site *self = NULL, *op = NULL;
	for (uint32_t i = 0; i < set->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(set->items[i])];
		enum origin_tag tag = origin_tag_of(set->items[i]);
		if (site->kind == SITE_OBJECT || site->kind == SITE_CARRY || tag > ORIGIN_OP ||
		    (except && site->kind == SITE_DERIVED && site->cell == except) ||
		    site_proof(j, site->id) == PROOF_NONE)
			continue;
		if (tag == ORIGIN_SELF)
			self = site;
		else
			op = site;
	}
	return self ? self : op;
}

/* ---- consumption ---- */

/* Whether what EVENT did happens in every iteration of LOOP. */
static bool every_iteration(const struct event *event, const struct loop *loop)
{
	if (event->in_handler || !loop_within(event->path, loop))
		return false;
	uint32_t depth = loop->depth < 31 ? loop->depth : 31;
	return (event->cond >> depth) == 0;
}

static bool path_covers(const struct loop *consumption, const struct loop *site)
{
	return site == NULL || loop_within(consumption, site);
}

/* Which consumption frees the saved tensors of SITE's value in the iteration that made it. */
static const struct event *freed_by(struct judging *j, const struct site *site, bool *partly)
{
	const struct event *found = NULL;
	uint32_t conditional = 0;
	*partly = false;
	if (!site)
		return NULL;
	for (uint32_t i = 0; i < index_count(&j->consumptions, site->id); i++) {
		const struct event *event = index_event(j, &j->consumptions, site->id, i);
		if (event->retains || !path_covers(event->path, site->path))
			continue;
		uint32_t depth = site->path ? site->path->depth : 0;
		uint32_t open = event->cond & ~site->cond;
		if (event->in_handler)
			continue;
		if (open >> depth)
			conditional++;
		else
			return event;
		found = event;
	}
	*partly = conditional == 1;
	return found;
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
		if (leaks(j, loop))
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

static const struct loop *common_path(const struct loop *a, const struct loop *b)
{
	while (a && !loop_within(b, a))
		a = a->outer;
	return a;
}

/* Takes out of S the loops beyond what P and the consumption at C share: filled there, walked here. */
static void justify(struct survival *s, const struct loop *p, const struct loop *c)
{
	const struct loop *common = common_path(p, c);
	for (int k = 0; k < s->count; k++)
		if (!loop_within(common, s->loops[k]))
			drop_loop(s, k--);
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
		if (site->kind == SITE_FORWARD && site->mode != 0)
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

/* A value that was handed down to where it is kept is reported at the call that handed it over. */
static void place(struct judging *j, struct fact *fact)
{
	const struct event *event = fact->event;
	const struct call *made = fact->site ? fact->site->call : event->call;
	fact->where = event->node;
	fact->where_def = event->def;
	(void)j;
	for (const struct call *call = event->call; call; call = call->outer) {
		if (call == made)
			return;
		if (call->outer == made && call->node) {
			fact->where = call->span;
			fact->where_def = call->caller;
			fact->elsewhere = true;
			return;
		}
	}
}

/* A holder that is made anew in every iteration carries on through a name of the loop: that is where to look. */
static void place_in_loop(struct fact *fact)
{
	for (const struct call *call = fact->event->call; call && call != fact->loop->call; call = call->outer)
		if (call->outer == fact->loop->call && call->node) {
			fact->where = call->span;
			fact->where_def = call->caller;
			fact->elsewhere = true;
		}
}

static struct fact new_fact(enum fact_kind kind, const struct event *event)
{
	struct fact fact = {.kind = kind, .event = event, .proof = PROOF_FLOW, .mode = event->mode};
	fact.where = event->node;
	fact.where_def = event->def;
	fact.view = event->value.flags & VALUE_VIEW;
	fact.scalar = event->value.extent == EXTENT_SCALAR;
	fact.on_device = event->value.device == DEVICE_ACCELERATOR;
	fact.grad_off = event->value.flags & VALUE_GRAD_OFF;
	return fact;
}

static enum proof loop_proof(const struct judging *j, const struct loop *loop)
{
	return j->loops[loop->id] == LOOP_CALL ? PROOF_NAME : PROOF_FLOW;
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
	fact->proof = weaker(fact->proof, loop_proof(j, s->loops[s->count - 1]));
	if (s->count > 1 && loop_proof(j, s->loops[0]) == PROOF_FLOW)
		fact->proof = stronger(fact->proof, weaker(PROOF_FLOW, fact->graph));
}

/* Keeps only the loops over which a key differs. */
static void keep_key_loops(struct judging *j, const struct event *event, struct survival *s)
{
	for (int k = 0; k < s->count; k++) {
		bool varies = event->key.counter == s->loops[k];
		for (uint32_t i = 0; event->key.origins && i < event->key.origins->count && !varies; i++) {
			const struct site *site = j->in->sites.items[origin_site(event->key.origins->items[i])];
			varies = site->kind == SITE_CARRY && site->loop == s->loops[k] &&
				 origin_tag_of(event->key.origins->items[i]) == ORIGIN_OP;
		}
		if (!varies)
			drop_loop(s, k--);
	}
}

/* Whether a detach lies between the value and a module's output: then a view keeps the output's storage. */
static bool cut_from_forward(struct judging *j, const struct origin_set *set)
{
	for (uint32_t i = 0; i < set->count; i++) {
		enum site_kind kind = j->in->sites.items[origin_site(set->items[i])]->kind;
		if (origin_tag_of(set->items[i]) == ORIGIN_CUT && (kind == SITE_FORWARD || kind == SITE_DERIVED))
			return true;
	}
	return false;
}

static void describe_value(struct judging *j, struct fact *fact)
{
	const struct event *event = fact->event;
	bool partly;
	fact->graph = graph_proof(j, event->origins, ORIGIN_OP);
	fact->site = top_site(j, event->origins, event->kind == EVENT_ACCUMULATE ? event->cell : 0);
	fact->view &= fact->graph != PROOF_NONE ||
		      ((event->value.flags & VALUE_DETACHED) && cut_from_forward(j, event->origins));
	fact->consumption = freed_by(j, fact->site, &partly);
	/* scalar arithmetic on what was freed has nothing else to keep */
	const struct site *site = fact->site;
	for (int i = 0; i < 4 && !fact->consumption && site && site->kind == SITE_DERIVED && site->scalar; i++) {
		site = top_site(j, site->inputs, site->cell);
		fact->consumption = freed_by(j, site, &partly);
	}
	fact->buffers = !fact->consumption ? BUFFERS_KEPT : partly ? BUFFERS_PARTLY : BUFFERS_FREED;
}

static void judge_store(struct judging *j, const struct event *event)
{
	struct interp *in = j->in;
	struct fact fact = new_fact(FACT_STORE, event);
	const struct object *holder = object_get(in, event->holder);
	struct survival s;
	describe_value(j, &fact);
	fact.holder = holder;
	fact.kept_by_owner = holder->owner != 0 || (holder->def == in->module && event->def != in->module);
	survive(j, event, holder->birth, &s);
	if (event->op == STORE_KEY || event->op == STORE_ASSIGN)
		keep_key_loops(j, event, &s);
	apply_resets(j, event, event->holder, &s);
	struct ties ties = {.count = 0};
	tie(&ties, fact.site ? fact.site->id : 0);
	tie(&ties, holder->site);
	tie_value(j, &ties, event->origins);
	apply_justifications(j, event, &ties, fact.buffers == BUFFERS_FREED ? fact.consumption : NULL, &s);
	if (!s.count || (s.window && holder->site && consumed(j, holder->site, ORIGIN_CALL)))
		return; /* a window that is filled for one backward and emptied again */
	fact.emptied = index_count(&j->resets, event->holder) > 0;
	fact.proof = fact.graph ? fact.graph : PROOF_FLOW;
	if (holder->input)
		fact.proof = weaker(fact.proof, PROOF_USAGE);
	finish_growth(j, &fact, &s);
	place(j, &fact);
	VEC_ADD(&j->facts, fact);
}

static void judge_accumulation(struct judging *j, const struct event *event)
{
	struct interp *in = j->in;
	struct fact fact = new_fact(event->through_module ? FACT_CARRY : FACT_ACCUMULATE, event);
	describe_value(j, &fact);
	fact.holder = event->holder ? object_get(in, event->holder) : NULL;
	fact.rebuilt = event->rebuilt;
	struct survival s = {.count = 0};
	for (uint8_t k = 0; k < event->carry_count; k++) {
		if (!leaks(j, event->carries[k]))
			continue;
		s.loops[s.count++] = event->carries[k];
		const struct event *freed = fact.buffers == BUFFERS_FREED ? fact.consumption : NULL;
		struct survival one = {.loops = {event->carries[k]}, .count = 1};
		struct ties ties = {.count = 0};
		tie(&ties, fact.site ? fact.site->id : 0);
		tie(&ties, carry_known(in, event->carries[k], event->cell));
		apply_justifications(j, event, &ties, freed, &one);
		if (!one.count)
			s.count--;
	}
	if (!s.count)
		return;
	for (const struct loop *loop = s.loops[s.count - 1]->outer; loop; loop = loop->outer)
		s.epoch |= j->loops[loop->id] == LOOP_EPOCH;
	fact.proof = fact.graph ? fact.graph : PROOF_FLOW;
	finish_growth(j, &fact, &s);
	if (event->selects)
		fact.growth = GROWTH_CONSTANT;
	place(j, &fact);
	if (fact.holder && loop_within(fact.holder->birth, fact.loop))
		place_in_loop(&fact);
	VEC_ADD(&j->facts, fact);
}

static void judge_log(struct judging *j, const struct event *event)
{
	struct fact fact = new_fact(FACT_LOG, event);
	describe_value(j, &fact);
	for (const struct loop *loop = event->path; loop && !fact.loop; loop = loop->outer)
		if (j->loops[loop->id] == LOOP_STEP || j->loops[loop->id] == LOOP_CALL)
			fact.loop = loop;
	if (!fact.loop || fact.graph == PROOF_NONE)
		return;
	fact.proof = weaker(fact.graph, loop_proof(j, fact.loop));
	place(j, &fact);
	VEC_ADD(&j->facts, fact);
}

/* ---- forwards without need of a graph ---- */

static bool walked_or_handed_on(struct judging *j, const struct event *event)
{
	const struct site *site = event->site ? event->site : top_site(j, event->origins, 0);
	return !site || consumed(j, site->id, ORIGIN_CALL) || (event->mode != 0 && index_count(&j->escapes, site->id));
}

/* A grad context that was made and dropped in the same definition is the cause, and a finding of its own. */
static bool dropped_before(struct judging *j, const struct event *event)
{
	uint32_t def = event->def ? event->def->index : 0;
	for (uint32_t i = 0; i < index_count(&j->contexts, def); i++)
		if (index_event(j, &j->contexts, def, i)->grad_dropped)
			return true;
	return false;
}

static bool arguments_carry(struct judging *j, const struct event *event)
{
	return event->site && event->site->inputs && graph_proof(j, event->site->inputs, ORIGIN_CALL) > PROOF_NONE;
}

static void judge_forward(struct judging *j, const struct event *event)
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
	for (const struct loop *loop = event->path; loop && !fact.loop; loop = loop->outer)
		if (j->loops[loop->id] == LOOP_STEP || j->loops[loop->id] == LOOP_EPOCH)
			fact.loop = loop;
	if (!fact.loop || fact.graph == PROOF_NONE || arguments_carry(j, event) || walked_or_handed_on(j, event) ||
	    dropped_before(j, event))
		return;
	fact.proof = weaker(fact.graph, loop_proof(j, fact.loop));
	VEC_ADD(&j->facts, fact);
}

/* ---- grad contexts ---- */

static bool trains_anything(struct judging *j)
{
	return index_count(&j->consumptions, 0) > 0;
}

static void judge_grad_context(struct judging *j, const struct event *event)
{
	struct fact fact = new_fact(event->grad_dropped ? FACT_GRAD_DROPPED : FACT_GRAD_LEFT, event);
	if (!event->grad_dropped) {
		if (event->mode != 0 || !trains_anything(j))
			return;
		uint32_t def = event->def ? event->def->index : 0;
		for (uint32_t i = 0; i < index_count(&j->contexts, def); i++) {
			const struct event *other = index_event(j, &j->contexts, def, i);
			if (!other->grad_dropped && other->order > event->order && other->mode != 0)
				return;
		}
	}
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

static void judge_yield(struct judging *j, const struct event *event)
{
	if (!event->def || is_context_manager(event->def))
		return;
	if (!j->trained_off)
		return;
	VEC_ADD(&j->facts, new_fact(FACT_GRAD_YIELD, event));
}

/* ---- an optimizer whose modules no gradient can reach ---- */

static bool owns(struct interp *in, uint32_t owner, uint32_t object)
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
static uint32_t optimizer_modules(struct interp *in, const struct object *holder, uint32_t *modules, uint32_t count,
				  uint32_t room, int depth)
{
	for (size_t i = 0; i <= holder->slots.count; i++) {
		uint32_t cell = i < holder->slots.count ? holder->slots.items[i].cell : holder->rest;
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

static void judge_step(struct judging *j, const struct event *step)
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

/* ---- all ---- */

/* Whether SITE carries a graph whoever walks it. */
static bool explains(struct judging *j, const struct site *site)
{
	if (site->grad_off)
		return false;
	return site->kind == SITE_LEAF || (site->kind == SITE_FORWARD && module_proof(j, site) >= PROOF_USAGE);
}

/* backward needs a graph somewhere in SET: where a module's output or a parameter is there, the other operands may be
 * plain numbers, unless it is they themselves that are walked. */
static void note_needed(struct judging *j, const struct origin_set *set)
{
	bool explained = false;
	for (uint32_t i = 0; i < set->count && !explained; i++)
		explained = origin_tag_of(set->items[i]) != ORIGIN_CUT && explains(j, j->in->sites.items[origin_site(set->items[i])]);
	for (uint32_t i = 0; i < set->count; i++) {
		enum origin_tag tag = origin_tag_of(set->items[i]);
		if (tag == ORIGIN_SELF || (tag == ORIGIN_OP && !explained))
			j->needed[origin_site(set->items[i])] = true;
	}
}

static void note_consumed(struct judging *j)
{
	struct interp *in = j->in;
	memset(j->consumed_tag, 0xff, in->sites.count + 1);
	for (uint32_t i = 0; i < index_count(&j->consumptions, 0); i++) {
		const struct origin_set *set = index_event(j, &j->consumptions, 0, i)->origins;
		for (uint32_t k = 0; k < set->count; k++) {
			uint8_t *tag = &j->consumed_tag[origin_site(set->items[k])];
			if (origin_tag_of(set->items[k]) < *tag)
				*tag = (uint8_t)origin_tag_of(set->items[k]);
		}
	}
	for (uint32_t i = 0; i < index_count(&j->consumptions, 0); i++)
		note_needed(j, index_event(j, &j->consumptions, 0, i)->origins);
	for (size_t i = 1; i < in->sites.count; i++) {
		const struct site *site = in->sites.items[i];
		if (site->kind == SITE_ELEMENT && j->consumed_tag[i] <= ORIGIN_CALL)
			j->consumed_parts[site->parent]++;
	}
	for (size_t i = 0; i < in->events.count; i++) {
		const struct event *event = &in->events.items[i];
		j->trained_off |= (event->kind == EVENT_CONSUME || event->kind == EVENT_STEP) && event->grad == GRAD_OFF;
	}
}

static void sort_out(struct judging *j)
{
	struct interp *in = j->in;
	uint32_t sites = (uint32_t)in->sites.count, objects = (uint32_t)in->objects.count;
	index_build(in, &j->consumptions, sites + 1, consumption_keys);
	index_build(in, &j->escapes, sites + 1, escape_keys);
	index_build(in, &j->resets, objects, reset_keys);
	index_build(in, &j->zeros, objects, zero_keys);
	index_build(in, &j->backwards, (uint32_t)in->loops.count + 1, backward_keys);
	index_build(in, &j->contexts, in->def_count + 1, context_keys);
	note_consumed(j);
}

static void judge_event(struct judging *j, const struct event *event)
{
	switch (event->kind) {
	case EVENT_STORE:
		judge_store(j, event);
		break;
	case EVENT_ACCUMULATE:
		judge_accumulation(j, event);
		break;
	case EVENT_LOG:
		judge_log(j, event);
		break;
	case EVENT_FORWARD:
		judge_forward(j, event);
		break;
	case EVENT_GRAD_CONTEXT:
		judge_grad_context(j, event);
		break;
	case EVENT_YIELD:
		judge_yield(j, event);
		break;
	case EVENT_STEP:
		judge_step(j, event);
		break;
	default:
		break;
	}
}

void judge(struct analysis *analysis, struct judgement *judgement)
{
	struct interp *in = &analysis->in;
	struct judging j = {.in = in, .out = judgement};
	size_t loops = in->loops.count + 1, sites = in->sites.count + 1;
	j.site_proof = ARENA_ARRAY(in->arena, uint8_t, sites);
	j.site_busy = ARENA_ARRAY(in->arena, uint8_t, sites);
	j.loops = ARENA_ARRAY(in->arena, enum loop_kind, loops);
	j.has_step = ARENA_ARRAY(in->arena, bool, loops);
	j.has_backward = ARENA_ARRAY(in->arena, bool, loops);
	j.consumed_tag = ARENA_ARRAY(in->arena, uint8_t, sites);
	j.consumed_parts = ARENA_ARRAY(in->arena, uint32_t, sites);
	j.needed = ARENA_ARRAY(in->arena, bool, sites);
	if (in->model->module_name_pattern) {
		int code;
		PCRE2_SIZE at;
		j.module_names = pcre2_compile((PCRE2_SPTR)in->model->module_name_pattern, PCRE2_ZERO_TERMINATED, 0, &code, &at, NULL);
	}
	sort_out(&j);
	decide_loops(&j);
	/* judging makes no events, so that these stay where they are; sites of carries were all made by the walk */
	for (size_t i = 0; i < in->events.count; i++)
		judge_event(&j, &in->events.items[i]);
	judgement->count = j.facts.count;
	judgement->facts = ARENA_ARRAY(in->arena, struct fact, j.facts.count + 1);
	if (j.facts.count)
		memcpy(judgement->facts, j.facts.items, j.facts.count * sizeof *j.facts.items);
	judgement->loops = j.loops;
	for (size_t i = 1; i < in->sites.count; i++)
		j.site_busy[i] = (uint8_t)site_proof(&j, (uint32_t)i);
	judgement->site_proof = j.site_busy;
	VEC_RELEASE(&j.facts);
	pcre2_code_free(j.module_names);
}

const char *loop_kind_name(enum loop_kind kind)
{
	static const char *const names[] = {"plain", "struct", "retry", "step", "epoch", "intra", "call"};
	return names[kind];
}

const char *growth_name(enum growth growth)
{
	static const char *const names[] = {"none", "unbounded", "epoch", "window", "constant"};
	return names[growth];
}

const char *fact_kind_name(enum fact_kind kind)
{
	static const char *const names[] = {"store",	    "accumulate", "carry",     "assign",     "log",
					    "forward", "grad-dropped", "grad-left", "grad-yield", "inference", "cut-trained"};
	return names[kind];
}
