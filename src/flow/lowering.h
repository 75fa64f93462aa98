/* What lowering of expressions and of statements share. */
#ifndef VRAMLINT_FLOW_LOWERING_H
#define VRAMLINT_FLOW_LOWERING_H

#include "base/vec.h"
#include "flow/lower.h"

/* BASE.METHOD() */
struct asked_name {
	struct str base, method;
};

/* A function that is remembered, with all that lowering it left behind. */
struct lowered_function {
	struct lowered_function *next; /* with the same key */
	struct str text;               /* its own copy */
	uint32_t start;                /* of it in the file */
	struct arena arena;            /* of its ir */
	struct def *def;
	const struct def *parent;      /* that its outermost ones have */
	uint32_t expr_count;
	VEC(struct span *) places;     /* all spans in its ir */
	VEC(struct def *) defs;        /* registered */
	VEC(struct def *) scopes;      /* made, comprehensions too */
	VEC(struct str) called;
	VEC(struct asked_name) asked;
};

/* lower_expr.c */
struct str text_of(const struct lower *l, TSNode node);
struct span span_of(const struct lower *l, TSNode node);
/* Sets a span of the ir. */
void set_span(struct lower *l, struct span *span, struct span at);
struct py_child *kids(struct lower *l, TSNode node, uint32_t *count);
enum py_node kind_of(const struct lower *l, TSNode node);
TSNode field_of(const struct py_child *children, uint32_t count, enum py_field field);
bool has_node(TSNode node);
struct expr *new_expr(struct lower *l, enum expr_kind kind, TSNode node);
void add_name(struct lower *l, struct str **list, uint32_t *count, struct str name);
void add_local(struct lower *l, struct def *def, struct str name);
void bind_name(struct lower *l, struct str name);
struct expr *lower_children_as(struct lower *l, TSNode node, enum expr_kind kind);
struct def *new_def(struct lower *l, enum def_kind kind, TSNode node);
void lower_params(struct lower *l, struct def *def, TSNode node);
void bind_params(struct lower *l, struct def *def);
void register_def(struct lower *l, struct def *def);
/* NAME() and BASE.METHOD(); names live as long as what is lowered. */
void note_called(struct lower *l, struct str name);
void note_asked(struct lower *l, struct str base, struct str method);
struct expr *lower_expr(struct lower *l, TSNode node);

/* lower.c */
void bind_comprehension(struct lower *l, const struct expr *target);
struct block lower_block(struct lower *l, TSNode node);

/* lower_memory.c */
/* The function at NODE, in the definition at hand, which is a module or a class. */
struct def *lower_function(struct lower *l, TSNode node);

#endif
