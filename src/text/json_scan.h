/* Reads JSON from front to back, value by value, and knows where each one stands.
 *
 *	if (json_scan_object(&s))
 *		while (json_scan_key(&s, &key))
 *			json_scan_skip(&s);
 *
 * Builds nothing: what is skipped costs a look at its bytes. The first fault ends the reading: from then on every
 * function returns false, and json_scan_err says what and where. What Python's json reads is read (NaN and Infinity are
 * numbers). Owns nothing. One thread at a time. */
#ifndef VRAMLINT_TEXT_JSON_SCAN_H
#define VRAMLINT_TEXT_JSON_SCAN_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* How deep lists and objects may lie in each other. */
enum { JSON_SCAN_DEPTH = 1000 };

struct json_scan {
	struct str text;   /* borrowed */
	size_t at;         /* the next byte */
	unsigned depth;
	bool is_first;     /* nothing was read of the list or object at hand */
	const char *fault; /* or NULL */
	size_t fault_at;
};

enum json_kind { JSON_NONE, JSON_OBJECT, JSON_ARRAY, JSON_TEXT, JSON_NUMBER, JSON_WORD };

/* A string: the bytes between its quotes, as written. */
struct json_literal {
	size_t start;
	size_t end;
	bool has_escapes;
};

void json_scan_init(struct json_scan *scan, struct str text);
/* What kind of value comes next. JSON_WORD is true, false and null. */
enum json_kind json_scan_kind(struct json_scan *scan);
/* Into the object or list that comes next. */
bool json_scan_object(struct json_scan *scan);
bool json_scan_array(struct json_scan *scan);
/* On to the next key of the object at hand; false, and out of it, where there is none. */
bool json_scan_key(struct json_scan *scan, struct json_literal *key);
/* On to the next value of the list at hand; false, and out of it, where there is none. */
bool json_scan_item(struct json_scan *scan);
bool json_scan_text(struct json_scan *scan, struct json_literal *literal);
/* A number that is whole and not negative; any other is UINT32_MAX. */
bool json_scan_whole(struct json_scan *scan, uint32_t *number);
/* Over one value of any kind. */
bool json_scan_skip(struct json_scan *scan);
/* Whether nothing but space is left. */
bool json_scan_end(struct json_scan *scan);

/* Ends the reading: FAULT, a sentence without end, at byte AT; behind the text it is that this ends too early. */
bool json_scan_fail(struct json_scan *scan, size_t at, const char *fault);
/* "FAULT at line 3 column 7" as ERR_PARSE; columns in code points. Returns false. */
bool json_scan_err(const struct json_scan *scan, struct err *err);

/* The bytes from *AT on up to END as one character of text: its UTF-8 goes to OUT (may be NULL), *AT beyond it. A
 * surrogate without its other half becomes U+FFFD. Only for literals that were read without fault. */
void json_literal_step(struct str text, size_t *at, size_t end, struct buf *out);
/* Appends what LITERAL says. */
void json_literal_add(struct buf *out, struct str text, struct json_literal literal);
bool json_literal_is(struct str text, struct json_literal literal, const char *word);

#endif
