#include "flow/judging.h"

#include <string.h>

/* What backward walks must carry a graph somewhere. Where a module's output or a parameter is among the operands, that
 * is it; else the result of an unresolved call; what came in from outside only where nothing else is there. */
enum carrier { CARRIER_NONE, CARRIER_INPUT, CARRIER_CALL, CARRIER_MODULE };

static enum carrier carrier_of(struct judging *j, const struct site *site)
{
	if (site->kind == SITE_ELEMENT)
		site = j->in->sites.items[site->parent];
	if (site->grad_off || site->frozen)
		return CARRIER_NONE;
	return site->kind == SITE_FORWARD || site->kind == SITE_LEAF ? CARRIER_MODULE
	       : site->kind == SITE_CALL				? CARRIER_CALL
	       : site->kind == SITE_INPUT				? CARRIER_INPUT
									: CARRIER_NONE;
}

static void note_needed(struct judging *j, const struct origin_set *set)
{
	enum carrier best = CARRIER_NONE;
	for (uint32_t i = 0; i < set->count; i++) {
		enum carrier carrier = carrier_of(j, j->in->sites.items[origin_site(set->items[i])]);
		if (origin_tag_of(set->items[i]) != ORIGIN_CUT && carrier > best)
			best = carrier;
	}
	for (uint32_t i = 0; i < set->count; i++) {
		uint32_t site = origin_site(set->items[i]);
		enum origin_tag tag = origin_tag_of(set->items[i]);
		if (tag == ORIGIN_SELF || (tag == ORIGIN_OP && carrier_of(j, j->in->sites.items[site]) == best))
			j->needed[site] = true;
	}
}

/* numpy() stops at a tensor with a graph. */
static void note_plain(struct judging *j, const struct event *event)
{
	for (uint32_t i = 0; i < event->origins->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(event->origins->items[i])];
		if (site->kind == SITE_ELEMENT)
			site = j->in->sites.items[site->parent];
		if (origin_tag_of(event->origins->items[i]) <= ORIGIN_OP && (site->kind == SITE_FORWARD || site->kind == SITE_CALL) &&
		    !walked(j, site->id))
			j->plain[site->id] = true;
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
		if (site->kind == SITE_FORWARD && site->object && j->consumed_tag[i] <= ORIGIN_OP)
			j->walked[site->object] = true;
		if (site->kind == SITE_ELEMENT && j->consumed_tag[i] <= ORIGIN_CALL)
			j->consumed_parts[site->parent]++;
	}
	for (size_t i = 0; i < in->events.count; i++) {
		const struct event *event = &in->events.items[i];
		if (event->kind == EVENT_MARK && strcmp(event->mark, "plain") == 0)
			note_plain(j, event);
		j->trained_off |= (event->kind == EVENT_CONSUME || event->kind == EVENT_STEP) && event->grad == GRAD_OFF;
		for (uint8_t k = 0; event->kind == EVENT_ACCUMULATE && !event->selects && k < event->carry_count; k++)
			j->counted[carry_known(in, event->carries[k], event->cell)] = true;
	}
}

static void sort_out(struct judging *j)
{
	struct interp *in = j->in;
	uint32_t sites = (uint32_t)in->sites.count, objects = (uint32_t)in->objects.count;
	index_build(in, &j->consumptions, sites + 1, consumption_keys);
	index_build(in, &j->escapes, sites + 1, escape_keys);
	index_build(in, &j->resets, objects, reset_keys);
	index_build(in, &j->restarts, (uint32_t)in->cells.count, restart_keys);
	index_build(in, &j->assigns, (uint32_t)in->cells.count, assign_keys);
	index_build(in, &j->marks, objects, mark_keys);
	index_build(in, &j->steps, objects, step_keys);
	index_build(in, &j->zeros, objects, zero_keys);
	index_build(in, &j->backwards, (uint32_t)in->loops.count + 1, backward_keys);
	index_build(in, &j->contexts, in->def_count + 3, context_keys);
	index_build(in, &j->forwards, objects, forward_keys);
	index_build(in, &j->modes, objects, mode_keys);
	index_build(in, &j->defs, in->def_count + 2, work_keys);
	note_consumed(j);
}

static void judge_event(struct judging *j, const struct event *event)
{
	switch (event->kind) {
	case EVENT_STORE:
		judge_store(j, event);
		judge_meter(j, event);
		judge_registration(j, event);
		judge_snapshot(j, event);
		judge_exception(j, event);
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
		judge_zeroing(j, event);
		break;
	case EVENT_CONSUME:
		judge_backward(j, event);
		break;
	case EVENT_ZERO:
		judge_zero_in_place(j, event);
		break;
	case EVENT_MADE:
		judge_made(j, event);
		break;
	case EVENT_MARK:
		judge_mark(j, event);
		break;
	case EVENT_MODE:
		judge_mode(j, event);
		break;
	case EVENT_ASSIGN:
		judge_assign(j, event);
		judge_exception(j, event);
		break;
	case EVENT_RETRY:
		judge_retry(j, event);
		break;
	default:
		break;
	}
}

/* What grows is said once: that the last of the same values also stays elsewhere adds nothing. */
static void drop_repeated(struct judging *j)
{
	bool *grows = ARENA_ARRAY(j->in->arena, bool, j->in->sites.count + 1);
	for (size_t i = 0; i < j->facts.count; i++)
		if (j->facts.items[i].site && j->facts.items[i].growth == GROWTH_UNBOUNDED)
			grows[j->facts.items[i].site->id] = true;
	size_t kept = 0;
	for (size_t i = 0; i < j->facts.count; i++) {
		const struct fact *fact = &j->facts.items[i];
		if (fact->kind == FACT_ASSIGN && fact->growth == GROWTH_CONSTANT && fact->site && grows[fact->site->id])
			continue;
		j->facts.items[kept++] = *fact;
	}
	j->facts.count = kept;
}

/* A backward whose graph is walked again in one of the ways that lead to it is needed as it stands. */
static void drop_needed_elsewhere(struct judging *j)
{
	size_t kept = 0;
	for (size_t i = 0; i < j->facts.count; i++) {
		const struct fact fact = j->facts.items[i];
		bool needed = false;
		for (uint32_t k = 0; fact.kind == FACT_RETAIN && !fact.event->handed && k < index_count(&j->consumptions, 0); k++) {
			const struct event *event = index_event(j, &j->consumptions, 0, k);
			needed |= j->walked_again[event - j->in->events.items] && event->node.start == fact.event->node.start &&
				  event->node.end == fact.event->node.end;
		}
		if (!needed)
			j->facts.items[kept++] = fact;
	}
	j->facts.count = kept;
}

/* What happens in another file is reported here only where this file makes it a fault, its loop stands here, or where the
 * other file isn't reported on itself. Then the place is the call that leads there. */
static void bring_home(struct judging *j)
{
	const struct interp *in = j->in;
	size_t kept = 0;
	for (size_t i = 0; i < j->facts.count; i++) {
		struct fact fact = j->facts.items[i];
		bool away = fact.where.start >= in->text.length && in->loaded.count;
		bool keeps = fact.kind == FACT_STORE || fact.kind == FACT_ACCUMULATE;
		const struct unit *unit = away ? unit_of(in, fact.where) : NULL;
		bool ours = keeps && fact.loop && (fact.loop->span.start < in->text.length || (unit && !unit->is_reported));
		const struct call *call = fact.event->call;
		while (away && ours && call && !(call->node && call->span.start < in->text.length))
			call = call->outer;
		if (away && (!ours || !call))
			continue;
		if (away)
			place_at(&fact, call);
		j->facts.items[kept++] = fact;
	}
	j->facts.count = kept;
}

void judge(struct analysis *analysis, struct judgement *judgement)
{
	struct interp *in = &analysis->in;
	struct judging j = {.in = in, .out = judgement};
	size_t loops = in->loops.count + 1, sites = in->sites.count + 1;
	j.site_proof = ARENA_ARRAY(in->arena, uint8_t, sites);
	j.site_busy = ARENA_ARRAY(in->arena, uint8_t, sites);
	j.loops = ARENA_ARRAY(in->arena, enum loop_kind, loops);
	j.steps_itself = ARENA_ARRAY(in->arena, bool, loops);
	j.has_step = ARENA_ARRAY(in->arena, bool, loops);
	j.has_backward = ARENA_ARRAY(in->arena, bool, loops);
	j.consumed_tag = ARENA_ARRAY(in->arena, uint8_t, sites);
	j.plain = ARENA_ARRAY(in->arena, bool, sites);
	j.consumed_parts = ARENA_ARRAY(in->arena, uint32_t, sites);
	j.walked_again = ARENA_ARRAY(in->arena, bool, in->events.count + 1);
	j.walked = ARENA_ARRAY(in->arena, bool, in->objects.count + 1);
	j.counted = ARENA_ARRAY(in->arena, bool, sites);
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
	judge_late(&j);
	drop_needed_elsewhere(&j);
	drop_repeated(&j);
	bring_home(&j);
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
					    "forward", "grad-dropped", "grad-left", "grad-yield", "inference",
					    "cache-release", "debug", "retain", "create-graph", "unzeroed", "grads-kept", "unowned", "eval-left", "ctx",
					    "retry", "exception", "hook-store", "hooked", "remade", "unreset", "registered", "cached", "worker-copy", "late", "cut-trained"};
	return names[kind];
}
