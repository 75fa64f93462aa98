/* A borrowed slice of bytes: where it starts and how long it is.
 *
 * Slices own nothing and need not end in NUL. */
#ifndef VRAMLINT_BASE_STR_H
#define VRAMLINT_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *at;
	size_t length;
};

/* Half-open range of byte offsets in one source. */
struct span {
	uint32_t start;
	uint32_t end;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})
/* For printf("%.*s", STR_ARG(s)). */
#define STR_ARG(s) (int)(s).length, (s).at

static inline struct str str_from(const char *text)
{
	return (struct str){text, text ? strlen(text) : 0};
}

static inline bool str_equal(struct str a, struct str b)
{
	return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

static inline bool str_is(struct str a, const char *text)
{
	return str_equal(a, str_from(text));
}

static inline bool str_starts(struct str a, const char *prefix)
{
	size_t n = strlen(prefix);
	return a.length >= n && memcmp(a.at, prefix, n) == 0;
}

static inline bool str_ends(struct str a, const char *suffix)
{
	size_t n = strlen(suffix);
	return a.length >= n && memcmp(a.at + a.length - n, suffix, n) == 0;
}

/* Order by bytes, shorter first where one begins the other; <0, 0, >0. */
int str_compare(struct str a, struct str b);
/* Offset of the first NEEDLE in TEXT at or after FROM, or SIZE_MAX. */
size_t str_find(struct str text, struct str needle, size_t from);
/* Edit distance (Levenshtein), at most LIMIT (then LIMIT is returned); for "did you mean". */
size_t str_distance(struct str a, struct str b, size_t limit);
/* Bytes (1 to 4) of the UTF-8 sequence at offset AT, or 0 where the bytes there are none. Source: Unicode, table 3-7. */
size_t str_utf8_length(struct str text, size_t at);
/* FNV-1a, 64 bits. */
uint64_t str_hash(struct str text);

#endif
