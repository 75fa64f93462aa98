/* What the interpreter knows of one value at one point.
 *
 * Values are small structs passed by copy; they own nothing. */
#ifndef VRAMLINT_FLOW_VALUE_H
#define VRAMLINT_FLOW_VALUE_H

#include <stdint.h>
#include "flow/model.h"
#include "flow/origin.h"

struct loop;

enum value_flag {
	VALUE_VIEW = 1 << 0,        /* a view of a bigger storage */
	VALUE_INFERENCE = 1 << 1,   /* made in inference mode */
	VALUE_LOADER = 1 << 2,      /* came out of a data loader */
	VALUE_CONCAT = 1 << 3,      /* joined from pieces by cat, stack or + on containers */
	VALUE_FULL_STORAGE = 1 << 4, /* a scalar whose storage has the element-wise size */
	VALUE_GRAD_OFF = 1 << 5,    /* made by a module or recorded op while grad was off */
	VALUE_DETACHED = 1 << 6,
	VALUE_STRUCT = 1 << 7,      /* iterating it is no time dimension */
	VALUE_PARAMETER = 1 << 8,   /* a parameter of the modules in its objects */
	VALUE_COUNTER = 1 << 9,     /* a number or text that differs in every iteration of `counter` */
	VALUE_REQUIRES_GRAD = 1 << 10, /* made to require grad by hand */
	VALUE_DATA = 1 << 11,       /* read out of a batch: its text or number is data */
	VALUE_IMPORT = 1 << 13,     /* a name imported from a file of the project, not looked up yet; `text` is the importing file */
	VALUE_MODE = 1 << 14,       /* a module's own word for whether it is in train mode */
	VALUE_IDENTITY = 1 << 12    /* the identity of something; `counter` is the loop whose iterations make a new one */
};

enum device { DEVICE_UNKNOWN, DEVICE_CPU, DEVICE_ACCELERATOR };
enum extent { EXTENT_UNKNOWN, EXTENT_SCALAR, EXTENT_LARGE };

enum { VALUE_OBJECTS = 4 };

struct value {
	uint32_t kinds;  /* set of enum kind; 0 is "nothing yet", the bottom of joins */
	uint16_t flags;
	uint8_t device, extent;
	uint8_t object_count;
	bool many_objects; /* it may be others than those in objects */
	uint32_t objects[VALUE_OBJECTS]; /* ids */
	struct origin_set *origins; /* NULL: none */
	const char *dotted;  /* library name of a KIND_LIBRARY value */
	struct str text;     /* constant text; at NULL: unknown */
	int64_t number;      /* constant integer or truth value; VALUE_NO_NUMBER: unknown */
	struct loop *counter;
	struct loop *born;   /* the loops around where a tensor was made; NULL: none, or unknown */
	struct span made;    /* the expression that made it; empty: unknown */
};

#define VALUE_NO_NUMBER INT64_MIN

static inline struct value value_bottom(void)
{
	return (struct value){.number = VALUE_NO_NUMBER};
}

static inline struct value value_of(uint32_t kinds)
{
	return (struct value){.kinds = kinds, .number = VALUE_NO_NUMBER};
}

/* Whether OBJECT is one of those that V may be. */
static inline bool value_has(const struct value *v, uint32_t object)
{
	for (uint8_t i = 0; i < v->object_count; i++)
		if (v->objects[i] == object)
			return true;
	return false;
}

static inline bool value_is_bottom(const struct value *v)
{
	return v->kinds == 0;
}

/* Whether it can only be of KINDS. */
static inline bool value_only(const struct value *v, uint32_t kinds)
{
	return v->kinds != 0 && (v->kinds & ~kinds) == 0;
}

static inline bool value_may(const struct value *v, uint32_t kinds)
{
	return (v->kinds & (kinds | KIND_UNKNOWN)) != 0;
}

struct value value_join(struct origin_table *table, const struct value *a, const struct value *b);
/* Whether a join of B into A would change what later judgements see. */
bool value_same(const struct value *a, const struct value *b);

#endif
