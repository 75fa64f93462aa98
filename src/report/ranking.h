/* Findings by importance, for formats of which a reader takes only so many.
 *
 * A ranking owns its table, not the items. One thread. */
#ifndef VRAMLINT_REPORT_RANKING_H
#define VRAMLINT_REPORT_RANKING_H

#include "base/vec.h"
#include "rule/finding.h"

struct ranked {
	void *item; /* the format's own */
	enum severity severity;
	int importance;
	size_t order; /* of coming */
};

struct ranking {
	struct ranked *items;
	size_t count, room;
};

/* How sure a finding with that proof is, in percent: an order with distances, not a measurement. */
int ranking_confidence(enum proof proof);
void ranking_add(struct ranking *ranking, const struct finding *finding, void *item);
/* By importance, which is severity times confidence, the greatest first; equals stay in the order they came in. */
void ranking_sort(struct ranking *ranking);
/* Drops all but the LIMIT most important and leaves these in the order they came in; returns how many went. */
size_t ranking_cap(struct ranking *ranking, size_t limit);
void ranking_release(struct ranking *ranking);

#endif
