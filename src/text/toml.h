/* A TOML 1.0 document as values, each with its place.
 *
 * A document owns all of its values; immutable once read. Source: toml.io/en/v1.0.0, tested against Python's tomllib.
 * Integers are of 64 bits, nesting is limited; both are refused beyond. */
#ifndef VRAMLINT_TEXT_TOML_H
#define VRAMLINT_TEXT_TOML_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "text/source.h"

enum toml_kind { TOML_TEXT, TOML_INTEGER, TOML_FLOAT, TOML_BOOL, TOML_DATE, TOML_ARRAY, TOML_TABLE };

struct toml_value {
	enum toml_kind kind;
	struct span span;      /* as written; of a table its header, of one that dotted keys made the first of these */
	struct str text;       /* of a text, decoded and NUL-terminated; of a date as written */
	int64_t integer;
	double number;         /* of a float */
	bool truth;
	struct toml_entry *entries, *last; /* of an array or table, in order */
	size_t count;
	bool fixed;            /* written at once, as [] or {}: nothing may be added */
	bool declared;         /* has a header of its own */
	bool many;             /* an array of [[tables]] */
	uint32_t section;      /* last part of the document in which dotted keys went through it; 0: none */
};

struct toml_entry {
	struct str key;        /* decoded, NUL-terminated; empty in an array */
	struct span key_span;
	struct toml_value *value;
	struct toml_entry *next;
};

struct toml {
	struct source source;
	struct arena arena;
	struct map index;      /* table and key → entry */
	struct toml_value *root;
};

/* Largest document taken on, in bytes. */
enum { TOML_LIMIT = 4 << 20 };

/* Reads TEXT. False with ERR set, and AT to where in toml->source that is. TOML is to be released in either case. */
bool toml_init(struct toml *toml, struct str text, struct span *at, struct err *err);
void toml_release(struct toml *toml);
/* What TABLE, a table of TOML, holds under KEY, or NULL. */
const struct toml_entry *toml_get(const struct toml *toml, const struct toml_value *table, struct str key);
/* "a text", "a number", "a list", … */
const char *toml_kind_name(enum toml_kind kind);

#endif
