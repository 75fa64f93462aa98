#include "lower_fixture.h"

#define EXPRESSION(text, ...)                                                                                          \
	do {                                                                                                           \
		is_expr(expression(text), __VA_ARGS__);                                                                \
	} while (0)

static void expressions_have_their_kind(void **state)
{
	EXPRESSION("a", EXPR_NAME, 0, "a");
	EXPRESSION("12", EXPR_NUMBER, 0, "12");
	EXPRESSION("1.5", EXPR_NUMBER, 0, "1.5");
	EXPRESSION("True", EXPR_CONSTANT, 0, "True");
	EXPRESSION("None", EXPR_CONSTANT, 0, "None");
	EXPRESSION("'text'", EXPR_TEXT, 0, "text");
	EXPRESSION("f'{a}-{b}'", EXPR_TEXT, 2, "-");
	EXPRESSION("'a' f'{b}'", EXPR_TEXT, 1, "a");
	EXPRESSION("a.b", EXPR_ATTRIBUTE, 1, "b");
	EXPRESSION("a[b]", EXPR_SUBSCRIPT, 2, "");
	EXPRESSION("a[b, c]", EXPR_SUBSCRIPT, 3, "");
	EXPRESSION("f(a, *b, c=d, **e)", EXPR_CALL, 5, "");
	EXPRESSION("f(a for a in b)", EXPR_CALL, 2, "");
	EXPRESSION("a < b", EXPR_COMPARE, 2, "");
	EXPRESSION("a < b < c", EXPR_COMPARE, 3, "");
	EXPRESSION("a and b", EXPR_BOOLEAN, 2, "");
	EXPRESSION("not a", EXPR_NOT, 1, "");
	EXPRESSION("-a", EXPR_UNARY, 1, "");
	EXPRESSION("a if b else c", EXPR_CONDITIONAL, 3, "");
	EXPRESSION("lambda a: b", EXPR_LAMBDA, 0, "");
	EXPRESSION("(a, b)", EXPR_TUPLE, 2, "");
	EXPRESSION("a, b", EXPR_TUPLE, 2, "");
	EXPRESSION("[a, b]", EXPR_LIST, 2, "");
	EXPRESSION("{a, b}", EXPR_SET, 2, "");
	EXPRESSION("{a: b, **c}", EXPR_DICT, 2, "");
	EXPRESSION("await a", EXPR_AWAIT, 1, "");
	EXPRESSION("(a := b)", EXPR_NAMED, 2, "");
	EXPRESSION("((a))", EXPR_NAME, 0, "a");
	EXPRESSION("a  # why", EXPR_NAME, 0, "a");
	EXPRESSION("[\n  a,  # why\n  b,\n]", EXPR_LIST, 2, "");
}

static void arguments_keep_their_form(void **state)
{
	const struct expr *e = expression("f(a, *b, c=d, **e)");

	is_expr(e->items[0], EXPR_NAME, 0, "f");
	is_expr(e->items[1], EXPR_NAME, 0, "a");
	is_expr(e->items[2], EXPR_STAR, 1, "");
	is_expr(e->items[3], EXPR_KEYWORD, 1, "c");
	is_expr(e->items[3]->items[0], EXPR_NAME, 0, "d");
	is_expr(e->items[4], EXPR_DOUBLE_STAR, 1, "");
}

static void runs_of_one_operator_are_flat(void **state)
{
	const struct expr *e = expression("a + b + c * d + e");

	is_expr(e, EXPR_BINARY, 4, "");
	assert_int_equal(e->op, '+');
	is_expr(e->items[0], EXPR_NAME, 0, "a");
	is_expr(e->items[3], EXPR_NAME, 0, "e");
	is_expr(e->items[2], EXPR_BINARY, 2, "");
	assert_int_equal(e->items[2]->op, '*');
	e = expression("a - b + c");
	is_expr(e, EXPR_BINARY, 2, "");
	is_expr(e->items[0], EXPR_BINARY, 2, "");
	/* formatting is no arithmetic */
	is_expr(expression("a % b % c"), EXPR_BINARY, 2, "");
}

static void operators_are_one_letter(void **state)
{
	static const struct {
		const char *text;
		char op;
	} cases[] = {{"a < b", '<'}, {"a == b", '='}, {"a != b", '!'}, {"a in b", 'i'}, {"a not in b", 'n'},
		     {"a is b", 's'}, {"a is not b", 'S'}, {"a > b", '>'}, {"a @ b", '@'},
		     {"a or b", 'o'}, {"a and b", 'a'}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (expression(cases[i].text)->op != cases[i].op)
			fail_msg("'%s' has the operator '%c'", cases[i].text, expression(cases[i].text)->op);
		}
}

static void integers_that_fit_are_read(void **state)
{
	static const struct {
		const char *text;
		int64_t number;
	} cases[] = {{"0", 0}, {"1_000", 1000}, {"1.0", INT64_MIN}, {"0x10", INT64_MIN}, {"99999999999999999999", INT64_MIN},
		     {"900000000000000000", 900000000000000000}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(expression(cases[i].text)->number == cases[i].number);
		}
}

static void yields_make_generators(void **state)
{
	const struct def *f;

	lowered("def f():\n    x = yield a\n");
	f = flow.lower.defs[1];
	assert_true(f->is_generator);
	is_expr(f->body.stmts[0]->value, EXPR_YIELD, 1, "");
	assert_int_equal(f->body.stmts[0]->value->op, 0);
	lowered("def f():\n    yield from a\n    yield  from b\n    yield\n    yield form\n");
	f = flow.lower.defs[1];
	assert_int_equal(f->body.stmts[0]->value->op, 'f');
	assert_int_equal(f->body.stmts[1]->value->op, 'f');
	is_expr(f->body.stmts[2]->value, EXPR_YIELD, 0, "");
	assert_int_equal(f->body.stmts[3]->value->op, 0);
	lowered("def f():\n    def g():\n        yield a\n    return g\n");
	assert_false(flow.lower.defs[1]->is_generator);
	assert_true(flow.lower.defs[2]->is_generator);
}

static void comprehensions_have_a_scope(void **state)
{
	const struct expr *e = expression("[(y := a) for a, b in c if d for e in a]");

	is_expr(e, EXPR_COMPREHENSION, 1, "");
	assert_int_equal(e->op, '[');
	assert_int_equal(e->clause_count, 3);
	is_expr(e->clauses[0].iterable, EXPR_NAME, 0, "c");
	assert_null(e->clauses[1].iterable);
	is_expr(e->clauses[1].condition, EXPR_NAME, 0, "d");
	names_are(e->def->locals, e->def->local_count, "a b e");
	/* a walrus binds outside of it */
	names_are(flow.module->locals, flow.module->local_count, "y");
	assert_int_equal(expression("[a for b.c in d for e[f] in g]")->def->local_count, 0);
	assert_int_equal(expression("{a: b for a in c}")->op, ':');
	is_expr(expression("{a: b for a in c}")->items[0], EXPR_PAIR, 2, "");
	assert_int_equal(expression("{a for a in c}")->op, '{');
	assert_int_equal(expression("(a for a in c)")->op, '(');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(expressions_have_their_kind, done),
		cmocka_unit_test_teardown(arguments_keep_their_form, done),
		cmocka_unit_test_teardown(runs_of_one_operator_are_flat, done),
		cmocka_unit_test_teardown(operators_are_one_letter, done),
		cmocka_unit_test_teardown(integers_that_fit_are_read, done),
		cmocka_unit_test_teardown(yields_make_generators, done),
		cmocka_unit_test_teardown(comprehensions_have_a_scope, done),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
