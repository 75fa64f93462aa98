#include "flow/judging.h"

#include <string.h>

void index_build(struct interp *in, struct index *index, uint32_t key_count, keys_of *keys_of_event)
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

uint32_t index_count(const struct index *index, uint32_t key)
{
	return index->start[key + 1] - index->start[key];
}

const struct event *index_event(const struct judging *j, const struct index *index, uint32_t key, uint32_t place)
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

uint32_t consumption_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	return event->kind == EVENT_CONSUME ? sites_reached(in, event, keys) : 0;
}

uint32_t escape_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	bool escapes = event->kind == EVENT_ESCAPE || event->kind == EVENT_RETURN;
	return escapes ? sites_reached(in, event, keys) : 0;
}

uint32_t reset_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	(void)in;
	keys[0] = event->holder;
	return event->kind == EVENT_RESET && (event->holder || event->detaches);
}

uint32_t restart_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	(void)in;
	keys[0] = event->cell;
	return event->kind == EVENT_RESET && event->cell;
}

uint32_t zero_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	(void)in;
	keys[0] = 0;
	memcpy(keys, event->objects, event->object_count * sizeof *keys);
	return event->kind != EVENT_ZERO ? 0 : event->object_count ? event->object_count : !event->tensor;
}

uint32_t assign_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	(void)in;
	keys[0] = event->cell;
	return (event->kind == EVENT_ASSIGN || event->kind == EVENT_RESET) && event->cell;
}

uint32_t step_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	(void)in;
	memcpy(keys, event->objects, sizeof event->objects);
	keys[event->object_count] = 0;
	return event->kind == EVENT_STEP ? event->object_count + 1u : 0;
}

uint32_t mark_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	(void)in;
	bool log = event->kind == EVENT_LOG;
	memcpy(keys, log ? event->value.objects : event->objects, sizeof event->objects);
	return log ? event->value.object_count : event->kind == EVENT_MARK ? event->object_count : 0;
}

uint32_t backward_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	(void)in;
	keys[0] = event->path ? event->path->id + 1 : 0;
	return event->kind == EVENT_CONSUME;
}

uint32_t context_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	keys[0] = def_number(in, event->def);
	keys[1] = in->def_count + 2; /* all of them */
	return event->kind == EVENT_GRAD_CONTEXT ? 2 : 0;
}

/* An object and those that own it, outermost last. */
static uint32_t with_owners(struct interp *in, uint32_t object, uint32_t *keys, uint32_t count)
{
	enum { MOST = 8 };
	for (int i = 0; object && i < MOST; i++, object = object_get(in, object)->owner)
		keys[count++] = object;
	return count;
}

uint32_t forward_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	uint32_t count = 0;
	for (uint8_t i = 0; event->kind == EVENT_FORWARD && i < event->object_count; i++)
		count = with_owners(in, event->objects[i], keys, count);
	return count;
}

uint32_t mode_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	return event->kind == EVENT_MODE ? with_owners(in, event->holder, keys, 0) : 0;
}

uint32_t work_keys(struct interp *in, const struct event *event, uint32_t *keys)
{
	keys[0] = def_number(in, event->def);
	return event->kind == EVENT_FORWARD || event->kind == EVENT_CONSUME || event->kind == EVENT_STEP;
}
