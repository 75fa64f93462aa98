/* Arrays of numbers. Pure. */
#ifndef VRAMLINT_BASE_NUMBERS_H
#define VRAMLINT_BASE_NUMBERS_H

#include <stddef.h>

/* Puts COUNT numbers, none of them NaN, in order, the least first. */
void numbers_sort(double *numbers, size_t count);

#endif
