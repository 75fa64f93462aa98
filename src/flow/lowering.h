/* What lowering of expressions and of statements share. */
#ifndef VRAMLINT_FLOW_LOWERING_H
#define VRAMLINT_FLOW_LOWERING_H

#include "flow/lower.h"

/* lower_expr.c */
struct str text_of(const struct lower *l, TSNode node);
struct span span_of(const struct lower *l, TSNode node);
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
struct expr *lower_expr(struct lower *l, TSNode node);

/* lower.c */
void bind_comprehension(struct lower *l, const struct expr *target);
struct block lower_block(struct lower *l, TSNode node);

#endif
