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

size_t str_utf8_length(struct str text, size_t at)
{
	const unsigned char *bytes = (const unsigned char *)text.at + at;
	size_t left = at < text.length ? text.length - at : 0;
	unsigned char low = 0x80;
	unsigned char high = 0xBF;
	size_t length;

	if (left == 0)
		return 0;
	if (bytes[0] < 0x80)
		return 1;
	if (bytes[0] < 0xC2 || bytes[0] > 0xF4)
		return 0;
	length = bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;
	if (left < length)
		return 0;
	/* The second byte rules out overlong forms, surrogates and what lies over U+10FFFF. */
	if (bytes[0] == 0xE0)
		low = 0xA0;
	else if (bytes[0] == 0xED)
		high = 0x9F;
	else if (bytes[0] == 0xF0)
		low = 0x90;
	else if (bytes[0] == 0xF4)
		high = 0x8F;
	if (bytes[1] < low || bytes[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++) {
		if (bytes[i] < 0x80 || bytes[i] > 0xBF)
			return 0;
	}
	return length;
}
