#include "rule/trained.h"

static bool lies_within(struct span span, struct span reach)
{
	return span.start >= reach.start && span.end <= reach.end;
}

/* Whether what SITE stands for is computed by the code in REACH, or by what that calls. */
static bool is_made_within(const struct site *site, struct span reach)
{
	const struct call *call = site->call;

	if (site->kind != SITE_FORWARD && site->kind != SITE_CALL && site->kind != SITE_ELEMENT && site->kind != SITE_DERIVED)
		return false;
	if (lies_within(site->span, reach))
		return true;
	while (call && !(call->node && lies_within(call->span, reach)))
		call = call->outer;
	return call != NULL;
}

/* Whether SITE is the forward in question when another call gets there, and not to evaluate. */
static bool is_other_run(const struct interp *in, const struct fact *fact, const struct site *site)
{
	const struct span own = fact->event->node;

	if (site->kind == SITE_ELEMENT)
		site = in->sites.items[site->parent];
	return site->mode != 0 && site->call != fact->event->call && site->span.start == own.start && site->span.end == own.end;
}

bool trained_through(const struct analysis *analysis, const struct fact *fact, struct span reach, size_t *budget)
{
	const struct interp *in = &analysis->in;

	for (size_t i = 0; i < in->events.count; i++) {
		const struct event *event = &in->events.items[i];
		bool walks = event->kind == EVENT_CONSUME, leaves = event->kind == EVENT_ESCAPE || event->kind == EVENT_RETURN;
		size_t cost = walks || leaves ? 1 + event->origins->count : 1;

		if (*budget < cost)
			return true;
		*budget -= cost;
		for (uint32_t k = 0; (walks || leaves) && k < event->origins->count; k++) {
			const struct site *site = in->sites.items[origin_site(event->origins->items[k])];

			if (origin_tag_of(event->origins->items[k]) != ORIGIN_CUT && is_made_within(site, reach) &&
			    (walks || is_other_run(in, fact, site)))
				return true;
		}
	}
	return false;
}
