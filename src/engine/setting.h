/* The keys of the configuration: one table, from which files, options and environment are read.
 *
 * A layer holds what one source, or several over each other, say; each item
 * knows where it was said. Everything lives in the arena that is given. */
#ifndef VRAMLINT_ENGINE_SETTING_H
#define VRAMLINT_ENGINE_SETTING_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/err.h"
#include "rule/finding.h"
#include "text/toml.h"

enum setting_kind {
	TAKES_RULES,    /* codes, prefixes, names or ALL */
	TAKES_RULES_AT, /* a table: pattern → rules; items have the pattern as key */
	TAKES_LEVELS,   /* a table: rule → severity; items have the rule as key */
	TAKES_PROOF,
	TAKES_LEVEL,    /* a severity */
	TAKES_PATTERNS,
	TAKES_SWITCH,
	TAKES_PATH,
	TAKES_FORMATS,  /* one or several */
	TAKES_NAMES,    /* dotted names of Python */
	TAKES_KEPT      /* a table that is kept as it is: items have dotted keys and values as written */
};

enum setting_id {
#define KEY(constant, name, kind, fallback, help) SETTING_##constant,
#define OPTION(constant, name, kind, argument, fallback, help) SETTING_##constant,
#define SWITCH(constant, name, fallback, help, help_off) SETTING_##constant,
#define CHOICE OPTION
#include "engine/setting.inc"
#undef CHOICE
#undef KEY
#undef OPTION
#undef SWITCH
	SETTING_COUNT
};

struct setting_row {
	const char *name;
	enum setting_kind kind;
	const char *fallback; /* in words */
	const char *help;
};

extern const struct setting_row setting_rows[SETTING_COUNT];

enum setting_source { SOURCE_DEFAULT, SOURCE_FALLBACK, SOURCE_FILE, SOURCE_ENVIRONMENT, SOURCE_PAIR, SOURCE_OPTION };

/* Where something was said. The later of enum setting_source wins over the earlier; SOURCE_FALLBACK is an option that is. */
struct setting_place {
	enum setting_source source;
	const char *name;          /* the file as it is shown, "VRAMLINT_SELECT", "--select" */
	const struct source *text; /* of the file, or NULL */
	struct span span;          /* in it */
	const char *folder;        /* absolute: what patterns and paths are relative to */
	const char *path;          /* of the file, absolute, or NULL */
};

struct setting_item {
	const char *key; /* of a table, else NULL */
	const char *text;
	struct setting_place place;
};

struct setting_value {
	bool given;
	struct setting_item *items; /* one, unless it is a list or table */
	size_t count;
	struct setting_place place; /* of the last that said something */
};

struct setting_layer {
	struct setting_value values[SETTING_COUNT];
};

/* What a person wrote for one key on the command line, each time. */
struct setting_texts {
	const char **items;
	size_t count;
};

/* The key called NAME, or SETTING_COUNT. */
enum setting_id setting_find(struct str name);
/* Names of keys near NAME, for "did you mean", or NULL. */
const char *setting_nearest(struct str name);
/* Reads VALUE, a part of PLACE.text, for key ID. On a fault FAULT is where in the text it is. */
bool setting_read(struct setting_layer *layer, enum setting_id id, const struct toml_value *value,
		  struct setting_place place, struct arena *arena, struct span *fault, struct err *err);
/* Reads TEXT, an option's or a variable's, for key ID: lists are separated by commas, tables are PATTERN:RULES or
 * RULE=LEVEL with semicolons between. What was there stays where the kind is a list. */
bool setting_read_text(struct setting_layer *layer, enum setting_id id, const char *text, struct setting_place place,
		       struct arena *arena, struct err *err);
/* Lays OVER on LAYER: its keys replace, those that extend (see setting_adds) add. Of rules of a stronger source a
 * `select` takes away all that was selected and ignored before, anything else adds to that. */
void setting_layer_add(struct setting_layer *layer, const struct setting_layer *over, struct arena *arena);
/* Whether what several files, or sources, say under the key adds up. */
bool setting_adds(enum setting_id id);

/* The last item's text, or NULL where nothing was said. */
const char *setting_text(const struct setting_layer *layer, enum setting_id id);
bool setting_switch(const struct setting_layer *layer, enum setting_id id, bool fallback);
/* "vramlint.toml:3:11", "--select", "VRAMLINT_SELECT", "default". */
const char *setting_place_text(const struct setting_place *place, struct arena *arena);
/* What a value of the kind is, with an example: "a list of rules, as in ["VL1", "tensor-append"]". */
const char *setting_kind_text(enum setting_kind kind);
/* The words that TAKES_PROOF and TAKES_LEVEL take, ended by NULL; NULL for other kinds. */
const char *const *setting_choices(enum setting_kind kind);

#endif
