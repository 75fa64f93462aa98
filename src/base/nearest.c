#include "base/nearest.h"

void nearest_init(struct nearest *nearest, struct str wanted)
{
	/* One slip in three letters, as a person makes them. */
	size_t slips = wanted.length >= 6 ? wanted.length / 3 : 1;

	*nearest = (struct nearest){wanted, NULL, slips + 1};
}

void nearest_offer(struct nearest *nearest, const char *name)
{
	struct str whole = str_from(name);
	size_t distance;

	/* What was only begun is as good as one slip. */
	if (nearest->wanted.length >= 2 && whole.length > nearest->wanted.length &&
	    memcmp(name, nearest->wanted.at, nearest->wanted.length) == 0)
		distance = 1;
	else
		distance = str_distance(nearest->wanted, whole, nearest->limit);

	if (distance < nearest->limit) {
		nearest->best = name;
		nearest->limit = distance;
	}
}
