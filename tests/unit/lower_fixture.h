/* What a piece of Python is lowered to; one at a time. */
#ifndef VRAMLINT_TESTS_LOWER_FIXTURE_H
#define VRAMLINT_TESTS_LOWER_FIXTURE_H

#include "flow_fixture.h"

static struct flow flow;

/* What was lowered last goes where something new is. */
static inline int done(void **state)
{
	if (flow.text)
		flow_release(&flow);
	memset(&flow, 0, sizeof flow);
	return 0;
}

static inline const struct def *lowered(const char *text)
{
	done(NULL);
	flow_lower(&flow, text);
	return flow.module;
}

static inline const struct stmt *only_stmt(const struct block *block)
{
	assert_int_equal(block->count, 1);
	return block->stmts[0];
}

/* The expression that TEXT is. */
static inline const struct expr *expression(const char *text)
{
	const struct stmt *s = only_stmt(&lowered(text)->body);

	assert_int_equal(s->kind, STMT_EXPR);
	return s->value;
}

static inline void is_expr(const struct expr *e, enum expr_kind kind, uint16_t count, const char *name)
{
	assert_int_equal(e->kind, kind);
	assert_int_equal(e->count, count);
	if (!str_is(e->name, name))
		fail_msg("it is called '%.*s', not '%s'", STR_ARG(e->name), name);
}

static inline void names_are(const struct str *names, uint32_t count, const char *expected)
{
	struct buf out = BUF_INIT;

	for (uint32_t i = 0; i < count; i++)
		buf_format(&out, "%s%.*s", i ? " " : "", STR_ARG(names[i]));
	assert_string_equal(out.length ? buf_text(&out) : "", expected);
	buf_release(&out);
}

#endif
