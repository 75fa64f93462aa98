/* What a definition was lowered to, node by node, as text. */
#ifndef VRAMLINT_TESTS_IR_DUMP_H
#define VRAMLINT_TESTS_IR_DUMP_H

#include "base/buf.h"
#include "flow/ir.h"

static inline void ir_dump_def(struct buf *out, const struct def *def);
static inline void ir_dump_block(struct buf *out, const struct block *block);

static inline void ir_dump_expr(struct buf *out, const struct expr *e)
{
	if (!e) {
		buf_add_char(out, '-');
		return;
	}
	buf_format(out, "(%d", (int)e->kind);
	if (e->op)
		buf_format(out, " op %c", e->op);
	if (e->name.length)
		buf_format(out, " '%.*s'", STR_ARG(e->name));
	if (e->number != INT64_MIN)
		buf_format(out, " = %lld", (long long)e->number);
	buf_format(out, " %u:%u", e->span.start, e->span.end);
	for (uint16_t i = 0; i < e->clause_count; i++) {
		const struct clause *clause = &e->clauses[i];

		buf_format(out, " clause %u:%u ", clause->span.start, clause->span.end);
		ir_dump_expr(out, clause->target);
		ir_dump_expr(out, clause->iterable);
		ir_dump_expr(out, clause->condition);
	}
	for (uint16_t i = 0; i < e->count; i++)
		ir_dump_expr(out, e->items[i]);
	if (e->def)
		ir_dump_def(out, e->def);
	buf_add_char(out, ')');
}

static inline void ir_dump_exprs(struct buf *out, const char *what, struct expr *const *items, uint32_t count)
{
	if (count)
		buf_format(out, " %s ", what);
	for (uint32_t i = 0; i < count; i++)
		ir_dump_expr(out, items[i]);
}

static inline void ir_dump_names(struct buf *out, const char *what, const struct str *names, uint32_t count)
{
	if (count)
		buf_format(out, " %s", what);
	for (uint32_t i = 0; i < count; i++)
		buf_format(out, " %.*s", STR_ARG(names[i]));
}

static inline void ir_dump_stmt(struct buf *out, const struct stmt *s)
{
	buf_format(out, "[%d%s %u:%u", (int)s->kind, s->is_async ? " async" : "", s->span.start, s->span.end);
	if (s->op)
		buf_format(out, " op %c", s->op);
	ir_dump_exprs(out, "targets", s->targets, s->target_count);
	ir_dump_exprs(out, "value", &s->value, s->value != NULL);
	ir_dump_exprs(out, "type", &s->annotation, s->annotation != NULL);
	for (uint32_t i = 0; i < s->import_count; i++)
		buf_format(out, " import %.*s as %.*s", STR_ARG(s->imports[i].dotted), STR_ARG(s->imports[i].name));
	for (uint32_t i = 0; i < s->item_count; i++) {
		ir_dump_exprs(out, "with", &s->items[i].value, 1);
		ir_dump_exprs(out, "as", &s->items[i].target, s->items[i].target != NULL);
	}
	ir_dump_block(out, &s->body);
	for (uint32_t i = 0; i < s->handler_count; i++) {
		const struct handler *handler = &s->handlers[i];

		buf_format(out, " handler %u:%u '%.*s'", handler->span.start, handler->span.end, STR_ARG(handler->name));
		ir_dump_exprs(out, "type", &handler->type, handler->type != NULL);
		ir_dump_names(out, "bound", handler->bound, handler->bound_count);
		ir_dump_block(out, &handler->body);
	}
	if (s->other.count)
		buf_add_text(out, " else");
	ir_dump_block(out, &s->other);
	if (s->final.count)
		buf_add_text(out, " finally");
	ir_dump_block(out, &s->final);
	if (s->def)
		ir_dump_def(out, s->def);
	buf_add_text(out, "]\n");
}

static inline void ir_dump_block(struct buf *out, const struct block *block)
{
	if (block->count)
		buf_add_text(out, " {\n");
	for (uint32_t i = 0; i < block->count; i++)
		ir_dump_stmt(out, block->stmts[i]);
	if (block->count)
		buf_add_char(out, '}');
}

/* All but the parent and the number, which say where the definition stands. */
static inline void ir_dump_def(struct buf *out, const struct def *def)
{
	buf_format(out, "<%d '%.*s' %u:%u head %u:%u%s%s%s%s", (int)def->kind, STR_ARG(def->name), def->span.start,
		   def->span.end, def->head.start, def->head.end, def->is_async ? " async" : "",
		   def->is_generator ? " generator" : "", def->has_inner ? " inner" : "", def->truncated ? " truncated" : "");
	for (uint32_t i = 0; i < def->param_count; i++) {
		const struct param *param = &def->params[i];

		buf_format(out, " param %d%s %.*s", (int)param->kind, param->keyword_only ? " keyword" : "", STR_ARG(param->name));
		ir_dump_exprs(out, "default", &param->fallback, param->fallback != NULL);
		ir_dump_exprs(out, "type", &param->annotation, param->annotation != NULL);
	}
	ir_dump_exprs(out, "decorators", def->decorators, def->decorator_count);
	ir_dump_exprs(out, "bases", def->bases, def->base_count);
	ir_dump_names(out, "locals", def->locals, def->local_count);
	ir_dump_names(out, "outer", def->outer, def->outer_count);
	ir_dump_block(out, &def->body);
	buf_add_text(out, ">");
}

#endif
