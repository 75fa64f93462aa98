/* Syntax to ir: one definition, with those nested in it.
 *
 * Reads nothing but the given node, so that a definition parsed alone lowers to
 * the same ir as within its file. */
#ifndef VRAMLINT_FLOW_LOWER_H
#define VRAMLINT_FLOW_LOWER_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "flow/ir.h"
#include "flow/lower_memory.h"
#include "py/parse.h"

struct asked_method {
	struct str name;
	const struct asked_method *next;
};

struct lowered_function;
struct lower {
	struct py_parser *parser;
	const struct py_grammar *grammar;
	struct str text;      /* what the node's offsets point into */
	struct lower_memory *memory; /* or NULL: nothing is remembered; as long as what was lowered is used, it stays as it is */
	uint32_t first_index; /* or-ed into the index of every definition */
	uint32_t offset;      /* added to every span: where TEXT begins in its file */
	struct arena *arena;  /* owns the result, but for what the memory owns */
	struct def **defs;    /* every definition lowered, outermost first (heap; freed by lower_release) */
	uint32_t def_count, def_room;
	/* Freed by lower_release as well, and in order of place: */
	VEC(const struct def *) named;    /* every module, function and class */
	VEC(const struct stmt *) imports; /* every statement that imports */
	struct def *def;      /* the definition being lowered */
	struct lowered_function *function; /* … as part of one that will be remembered, or NULL */
	uint32_t text_start;  /* where TEXT begins for the offsets of nodes */
	struct arena *outer_arena; /* … and the arena for what is not part of it */
	uint32_t depth;
	uint32_t expr_count;
	struct map called;    /* names that are called somewhere, as function or method */
	struct map asked;     /* of what is called a method of, its last name: the methods, a list of struct asked_method */
	bool truncated;
};

/* Expressions nested more deeply than this become EXPR_UNKNOWN. */
enum { LOWER_DEPTH_LIMIT = 160 };

/* Lowers NODE: a module, a (decorated) function or class, as a child of PARENT (may be NULL). */
struct def *lower_def(struct lower *lower, TSNode node, struct def *parent);
/* Nothing of the result may be in use any more. */
void lower_release(struct lower *lower);
/* The innermost function or class that OFFSET lies in, or the module; NULL where nothing was lowered there. */
const struct def *lower_def_at(const struct lower *lower, uint32_t offset);

/* The place of NAME among the names that DEF binds, parameters included, or -1. */
int32_t def_local(const struct def *def, struct str name);
/* Whether the definition declares NAME global or nonlocal. */
bool def_declares_outer(const struct def *def, struct str name);

#endif
