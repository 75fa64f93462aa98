#include "engine/callers.h"

struct search {
	const struct unit *unit;
	struct str name;
	struct calls_seen *seen;
	int depth;
};

enum { DEEPEST = 200 };

static struct str text_at(const struct search *s, struct span span)
{
	const struct unit *unit = s->unit;
	if (span.start < unit->base || span.end > unit->base + unit->text.length || span.end < span.start)
		return (struct str){"", 0};
	return (struct str){unit->text.at + (span.start - unit->base), span.end - span.start};
}

/* Whether EXPR, a context or a decorator, says that grad goes off. */
static bool is_quiet(const struct search *s, const struct expr *expr)
{
	struct str text = text_at(s, expr->span);
	return str_find(text, STR("no_grad"), 0) != SIZE_MAX || str_find(text, STR("inference_mode"), 0) != SIZE_MAX ||
	       str_find(text, STR("set_grad_enabled(False)"), 0) != SIZE_MAX;
}

static void search_block(struct search *s, const struct block *block, bool quiet);
static void search_def(struct search *s, const struct def *def, bool quiet);

static void search_expr(struct search *s, const struct expr *e, bool quiet)
{
	if (!e || s->depth >= DEEPEST)
		return;
	s->depth++;
	const struct expr *callee = e->kind == EXPR_CALL && e->count ? e->items[0] : NULL;
	if (callee && (callee->kind == EXPR_NAME || callee->kind == EXPR_ATTRIBUTE) && str_equal(callee->name, s->name)) {
		s->seen->all++;
		s->seen->quiet += quiet;
	}
	for (uint16_t i = 0; i < e->count; i++)
		search_expr(s, e->items[i], quiet);
	for (uint16_t i = 0; i < e->clause_count; i++) {
		search_expr(s, e->clauses[i].iterable, quiet);
		search_expr(s, e->clauses[i].condition, quiet);
	}
	if (e->kind == EXPR_LAMBDA && e->def)
		search_def(s, e->def, quiet);
	s->depth--;
}

static void search_stmt(struct search *s, const struct stmt *stmt, bool quiet)
{
	bool inside = quiet;
	for (uint32_t i = 0; i < stmt->item_count; i++) {
		search_expr(s, stmt->items[i].value, quiet);
		inside |= is_quiet(s, stmt->items[i].value);
	}
	search_expr(s, stmt->value, quiet);
	for (uint16_t i = 0; i < stmt->target_count; i++)
		search_expr(s, stmt->targets[i], quiet);
	search_block(s, &stmt->body, inside);
	search_block(s, &stmt->other, quiet);
	search_block(s, &stmt->final, quiet);
	for (uint32_t i = 0; i < stmt->handler_count; i++)
		search_block(s, &stmt->handlers[i].body, quiet);
	if (stmt->def)
		search_def(s, stmt->def, false);
}

static void search_block(struct search *s, const struct block *block, bool quiet)
{
	if (s->depth >= DEEPEST)
		return;
	s->depth++;
	for (uint32_t i = 0; i < block->count; i++) {
		const struct stmt *stmt = block->stmts[i];
		search_stmt(s, stmt, quiet);
		/* switched by a statement, to the end of the block */
		if (stmt->kind == STMT_EXPR && stmt->value)
			quiet |= str_find(text_at(s, stmt->value->span), STR("set_grad_enabled(False)"), 0) != SIZE_MAX;
	}
	s->depth--;
}

static void search_def(struct search *s, const struct def *def, bool quiet)
{
	for (uint32_t i = 0; i < def->decorator_count; i++)
		quiet |= is_quiet(s, def->decorators[i]);
	search_block(s, &def->body, quiet);
}

void callers_count(const struct unit *unit, struct str name, struct calls_seen *seen)
{
	struct search search = {unit, name, seen, 0};
	search_def(&search, unit->module, false);
}
