#include "report/ranking.h"

#include <stdlib.h>

int ranking_confidence(enum proof proof)
{
	switch (proof) {
	case PROOF_FLOW:
		return 95;
	case PROOF_USAGE:
		return 75;
	case PROOF_SIBLING:
		return 40;
	default:
		return 20;
	}
}

void ranking_add(struct ranking *ranking, const struct finding *finding, void *item)
{
	int importance = ((int)finding->severity + 1) * ranking_confidence(finding->proof);

	VEC_ADD(ranking, ((struct ranked){item, finding->severity, importance, ranking->count}));
}

static int by_order(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

static int by_importance(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->importance != y->importance ? y->importance - x->importance : by_order(a, b);
}

void ranking_sort(struct ranking *ranking)
{
	if (ranking->count > 0)
		qsort(ranking->items, ranking->count, sizeof *ranking->items, by_importance);
}

size_t ranking_cap(struct ranking *ranking, size_t limit)
{
	size_t dropped = ranking->count > limit ? ranking->count - limit : 0;

	if (dropped == 0)
		return 0;
	ranking_sort(ranking);
	ranking->count = limit;
	qsort(ranking->items, ranking->count, sizeof *ranking->items, by_order);
	return dropped;
}

void ranking_release(struct ranking *ranking)
{
	VEC_RELEASE(ranking);
}
