#include "base/numbers.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void numbers_sort(double *numbers, size_t count)
{
	if (count > 0)
		qsort(numbers, count, sizeof *numbers, by_size);
}
