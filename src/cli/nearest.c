#include "cli/nearest.h"

void nearest_init(struct nearest *nearest, struct str wanted)
{
	/* One slip in three letters, as a person makes them. */
	*nearest = (struct nearest){wanted, NULL, wanted.length / 3 + 2};
}

void nearest_offer(struct nearest *nearest, const char *name)
{
	size_t distance = str_distance(nearest->wanted, str_from(name), nearest->limit);

	if (distance < nearest->limit) {
		nearest->best = name;
		nearest->limit = distance;
	}
}
