#include "base/str.h"

#include <stdlib.h>

#include "base/mem.h"

int str_compare(struct str a, struct str b)
{
	size_t common = a.length < b.length ? a.length : b.length;
	int order = common ? memcmp(a.at, b.at, common) : 0;

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

size_t str_find(struct str text, struct str needle, size_t from)
{
	if (from > text.length || needle.length > text.length - from)
		return SIZE_MAX;
	if (needle.length == 0)
		return from;
	const char *at = text.at + from;
	const char *last = text.at + text.length - needle.length;
	while (at <= last && (at = memchr(at, needle.at[0], (size_t)(last - at) + 1))) {
		if (memcmp(at, needle.at, needle.length) == 0)
			return (size_t)(at - text.at);
		at++;
	}
	return SIZE_MAX;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t str_distance(struct str a, struct str b, size_t limit)
{
	size_t apart = a.length > b.length ? a.length - b.length : b.length - a.length;
	size_t *row;
	size_t distance;

	if (apart >= limit)
		return limit;
	row = mem_new(b.length + 1, sizeof *row);
	for (size_t j = 0; j <= b.length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.length; i++) {
		size_t diagonal = row[0];
		size_t row_least = row[0] = i;

		for (size_t j = 1; j <= b.length; j++) {
			size_t replaced = diagonal + (a.at[i - 1] != b.at[j - 1]);

			diagonal = row[j];
			row[j] = least(replaced, least(row[j], row[j - 1]) + 1);
			row_least = least(row_least, row[j]);
		}
		/* Rows never get smaller, so the end is known. */
		if (row_least >= limit) {
			free(row);
			return limit;
		}
	}
	distance = least(row[b.length], limit);
	free(row);
	return distance;
}

uint64_t str_hash(struct str text)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < text.length; i++) {
		hash ^= (unsigned char)text.at[i];
		hash *= UINT64_C(1099511628211);
	}
	return hash;
}
