#include "lower_fixture.h"

static void repeat(struct buf *text, const char *part, int times)
{
	for (int i = 0; i < times; i++)
		buf_add_text(text, part);
}

static void statements_have_their_kind(void **state)
{
	static const struct {
		const char *text;
		enum stmt_kind kind;
		uint16_t targets;
	} cases[] = {
		{"a = b", STMT_ASSIGN, 1}, {"a = b = c", STMT_ASSIGN, 2}, {"a: int", STMT_ASSIGN, 1}, {"a: int = b", STMT_ASSIGN, 1},
		{"a += b", STMT_AUGMENT, 1}, {"return a", STMT_RETURN, 0}, {"del a, b", STMT_DELETE, 2}, {"del a[0]", STMT_DELETE, 1},
		{"raise a", STMT_RAISE, 0}, {"assert a", STMT_ASSERT, 0}, {"import a", STMT_IMPORT, 0},
		{"from a import b", STMT_IMPORT, 0}, {"if a: b", STMT_IF, 0}, {"for a in b: c", STMT_FOR, 1}, {"while a: b", STMT_WHILE, 0},
		{"try: a\nfinally: b", STMT_TRY, 0}, {"with a: b", STMT_WITH, 0}, {"match a:\n    case b: c", STMT_MATCH, 0},
		{"def f(): a", STMT_DEF, 0}, {"class f: a", STMT_DEF, 0}, {"@a\ndef f(): b", STMT_DEF, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct stmt *s = only_stmt(&lowered(cases[i].text)->body);

		if (s->kind != cases[i].kind || s->target_count != cases[i].targets)
			fail_msg("'%s' is of kind %d with %u targets", cases[i].text, (int)s->kind, s->target_count);
		}
	assert_int_equal(lowered("pass\n")->body.count, 0);
}

static void branches_nest_in_else(void **state)
{
	const struct stmt *s = only_stmt(&lowered("if a:\n    b\nelif c:\n    d\nelse:\n    e\n    f\n")->body);

	is_expr(s->value, EXPR_NAME, 0, "a");
	assert_int_equal(s->body.count, 1);
	s = only_stmt(&s->other);
	assert_int_equal(s->kind, STMT_IF);
	is_expr(s->value, EXPR_NAME, 0, "c");
	assert_int_equal(s->other.count, 2);
	s = only_stmt(&lowered("for a in b:\n    c\nelse:\n    d\n")->body);
	assert_int_equal(s->body.count, 1);
	assert_int_equal(s->other.count, 1);
	assert_false(s->is_async);
	s = only_stmt(&lowered("while a:\n    c\nelse:\n    d\n")->body);
	assert_int_equal(s->other.count, 1);
	assert_true(only_stmt(&lowered("async for a in b: c")->body)->is_async);
}

static void tries_have_handlers(void **state)
{
	const struct stmt *s = only_stmt(
		&lowered("try:\n    a\nexcept B as c:\n    d\nexcept (E, F):\n    g\nexcept:\n    h\nelse:\n    i\nfinally:\n    j\n    k\n")->body);

	assert_int_equal(s->handler_count, 3);
	is_expr(s->handlers[0].type, EXPR_NAME, 0, "B");
	assert_true(str_is(s->handlers[0].name, "c"));
	is_expr(s->handlers[1].type, EXPR_TUPLE, 2, "");
	assert_int_equal(s->handlers[1].name.length, 0);
	assert_null(s->handlers[2].type);
	assert_int_equal(s->handlers[2].body.count, 1);
	assert_int_equal(s->other.count, 1);
	assert_int_equal(s->final.count, 2);
	names_are(flow.module->locals, flow.module->local_count, "c");
}

static void contexts_come_one_by_one(void **state)
{
	const struct stmt *s = only_stmt(&lowered("with a as b, c:\n    d\n")->body);

	assert_int_equal(s->item_count, 2);
	is_expr(s->items[0].value, EXPR_NAME, 0, "a");
	is_expr(s->items[0].target, EXPR_NAME, 0, "b");
	is_expr(s->items[1].value, EXPR_NAME, 0, "c");
	assert_null(s->items[1].target);
	assert_int_equal(s->body.count, 1);
	s = only_stmt(&lowered("with (a as b, c as d):\n    e\n")->body);
	assert_int_equal(s->item_count, 2);
	names_are(flow.module->locals, flow.module->local_count, "b d");
}

static void cases_bind_names(void **state)
{
	const struct stmt *s = only_stmt(&lowered("match a:\n    case [b, *c]:\n        d\n    case {'k': e} if f:\n        g\n    case _:\n        h\n")->body);

	is_expr(s->value, EXPR_NAME, 0, "a");
	assert_int_equal(s->handler_count, 3);
	names_are(s->handlers[0].bound, s->handlers[0].bound_count, "b c");
	names_are(s->handlers[1].bound, s->handlers[1].bound_count, "e");
	assert_non_null(s->handlers[1].type);
	assert_int_equal(s->handlers[2].body.count, 1);
}

static void imports_say_what_a_name_stands_for(void **state)
{
	static const struct {
		const char *text, *name, *dotted;
	} cases[] = {
		{"import torch", "torch", "torch"}, {"import torch.nn", "torch", "torch"}, {"import torch.nn as nn", "nn", "torch.nn"},
		{"from torch import nn", "nn", "torch.nn"}, {"from torch import nn as n", "n", "torch.nn"},
		{"from torch.nn import Linear", "Linear", "torch.nn.Linear"}, {"from . import a", "a", ".a"},
		{"from ..b import a", "a", "..b.a"}, {"from a import *", "*", "a"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct stmt *s = only_stmt(&lowered(cases[i].text)->body);

		assert_int_equal(s->import_count, 1);
		if (!str_is(s->imports[0].name, cases[i].name) || !str_is(s->imports[0].dotted, cases[i].dotted))
			fail_msg("'%s' binds '%.*s' to '%.*s'", cases[i].text, STR_ARG(s->imports[0].name),
				 STR_ARG(s->imports[0].dotted));
		names_are(flow.module->locals, flow.module->local_count, cases[i].name[0] == '*' ? "" : cases[i].name);
		}
	assert_int_equal(only_stmt(&lowered("import a, b.c as d")->body)->import_count, 2);
	names_are(flow.module->locals, flow.module->local_count, "a d");
}

/* What one statement of many names takes grows with their number, not with its square. */
static void many_imports_take_little(void **state)
{
	struct buf text = BUF_INIT;
	const struct stmt *s;

	buf_add_text(&text, "from a import b0");
	for (int i = 1; i < 4000; i++)
		buf_format(&text, ", b%d", i);
	s = only_stmt(&lowered(buf_text(&text))->body);
	assert_int_equal(s->import_count, 4000);
	assert_true(str_is(s->imports[3999].dotted, "a.b3999"));
	assert_in_range(flow.arena.used, 1, 4000 * 500);
	assert_int_equal(flow.lower.imports.count, 1);
	assert_ptr_equal(flow.lower.imports.items[0], s);
	buf_release(&text);
}

static void parameters_have_kinds(void **state)
{
	static const struct {
		const char *name;
		enum param_kind kind;
		bool keyword_only, fallback, annotation;
	} expected[] = {
		{"a", PARAM_PLAIN, false, false, false}, {"b", PARAM_PLAIN, false, true, false}, {"c", PARAM_PLAIN, false, false, true},
		{"d", PARAM_PLAIN, false, true, true},   {"e", PARAM_STAR, false, false, false}, {"f", PARAM_PLAIN, true, false, false},
		{"g", PARAM_PLAIN, true, true, false},   {"h", PARAM_DOUBLE_STAR, false, false, false},
	};
	const struct def *def;

	lowered("def f(a, /, b=1, c: int, d: int = 2, *e, f, g=3, **h): pass\n");
	def = flow.lower.defs[1];
	assert_int_equal(def->param_count, 8);
	for (uint32_t i = 0; i < 8; i++) {
		const struct param *param = &def->params[i];

		assert_true(str_is(param->name, expected[i].name));
		assert_int_equal(param->kind, expected[i].kind);
		assert_int_equal(param->keyword_only, expected[i].keyword_only);
		assert_int_equal(param->fallback != NULL, expected[i].fallback);
		assert_int_equal(param->annotation != NULL, expected[i].annotation);
	}
	names_are(def->locals, def->local_count, "a b c d e f g h");
	lowered("def f(a, *, b): pass\n");
	assert_false(flow.lower.defs[1]->params[0].keyword_only);
	assert_true(flow.lower.defs[1]->params[1].keyword_only);
	lowered("f = lambda a, *b: a\n");
	assert_int_equal(flow.lower.defs[1]->kind, DEF_LAMBDA);
	assert_true(str_is(flow.lower.defs[1]->name, "lambda"));
	assert_int_equal(flow.lower.defs[1]->span.start, 4);
	assert_int_equal(flow.lower.defs[1]->span.end, 19);
	names_are(flow.lower.defs[1]->locals, flow.lower.defs[1]->local_count, "a b");
	assert_int_equal(only_stmt(&flow.lower.defs[1]->body)->kind, STMT_RETURN);
}

static void definitions_are_numbered_from_the_outside(void **state)
{
	static const char *const names[] = {"", "A", "m", "inner", "g"};
	const struct def *def;

	lowered("@deco\nclass A(B, metaclass=C):\n    @one\n    @two(3)\n    async def m(self):\n        def inner():\n            return self\ndef g(): pass\n");
	assert_int_equal(flow.lower.def_count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(flow.lower.defs[i]->index, i);
		assert_true(str_is(flow.lower.defs[i]->name, names[i]));
	}
	def = flow.lower.defs[1];
	assert_int_equal(def->kind, DEF_CLASS);
	assert_int_equal(def->span.start, 0);
	assert_int_equal(def->head.start, 6); /* decorators are not the head */
	assert_int_equal(def->head.end, 13);
	assert_int_equal(def->decorator_count, 1);
	assert_int_equal(def->base_count, 2);
	is_expr(def->bases[1], EXPR_KEYWORD, 1, "metaclass");
	names_are(def->locals, def->local_count, "m");
	def = flow.lower.defs[2];
	assert_ptr_equal(def->parent, flow.lower.defs[1]);
	assert_int_equal(def->decorator_count, 2);
	is_expr(def->decorators[0], EXPR_NAME, 0, "one");
	is_expr(def->decorators[1], EXPR_CALL, 2, "");
	assert_true(def->is_async);
	assert_true(def->has_inner);
	assert_false(flow.lower.defs[3]->has_inner);
	assert_false(flow.lower.defs[4]->is_async);
	names_are(flow.module->locals, flow.module->local_count, "A g");
}

static void the_definition_around_a_place_is_found(void **state)
{
	static const char text[] = "0\n@d1\nclass A:\n    def f(a=lambda: 2, b=2):\n        for x[lambda: 3] in (lambda: 4)(): [(lambda: 5)() for i in x]\n"
				   "        def g(): 6\n        7\n    8\n9\ndef h(): pass\n";
	static const char *const names[] = {"", "A", "f", "f", "f", "f", "g", "f", "A", ""};
	const struct def *def;

	lowered(text);
	for (char digit = '0'; digit <= '9'; digit++) {
		def = lower_def_at(&flow.lower, (uint32_t)(strrchr(text, digit) - text));
		if (!def || !str_is(def->name, names[digit - '0']))
			fail_msg("%c is in '%.*s'", digit, def ? (int)def->name.length : 0, def ? def->name.at : "");
	}
	def = lower_def_at(&flow.lower, (uint32_t)sizeof text - 3);
	assert_true(def && str_is(def->name, "h"));
	assert_null(lower_def_at(&flow.lower, (uint32_t)sizeof text + 100));
}

static void bodies_say_what_they_bind(void **state)
{
	const struct def *def;

	lowered("def f(p):\n    global g\n    a = g = 1\n    b, (c, *d) = 1\n    e.x = 1\n    h[0] = 1\n    for i in j: pass\n    with k as l: pass\n"
		"    import m\n    def n(): o = 1\n    q += 1\n    del r\n    s: int\n    (t := 1)\n");
	def = flow.lower.defs[1];
	names_are(def->locals, def->local_count, "p a b c d i l m n q r s t");
	names_are(def->outer, def->outer_count, "g");
	assert_true(def_declares_outer(def, STR("g")));
	assert_false(def_declares_outer(def, STR("a")));
	assert_int_equal(def_local(def, STR("p")), 0);
	assert_int_equal(def_local(def, STR("t")), 12);
	assert_int_equal(def_local(def, STR("g")), -1);
	assert_int_equal(def_local(def, STR("o")), -1);
	lowered("def f():\n    nonlocal a, b\n    a = b = c = 1\n");
	names_are(flow.lower.defs[1]->outer, flow.lower.defs[1]->outer_count, "a b");
	names_are(flow.lower.defs[1]->locals, flow.lower.defs[1]->local_count, "c");
	assert_int_equal(def_local(lowered(""), STR("a")), -1);
}

static void many_names_are_found_again(void **state)
{
	struct buf text = BUF_INIT;

	for (int i = 0; i < 3000; i++)
		buf_format(&text, "name%d = %d\n", i, i);
	lowered(buf_text(&text));
	assert_int_equal(flow.module->local_count, 3000);
	for (int i = 0; i < 3000; i++) {
		buf_reset(&text);
		buf_format(&text, "name%d", i);
		assert_int_equal(def_local(flow.module, buf_get(&text)), i);
	}
	assert_int_equal(def_local(flow.module, STR("name3000")), -1);
	buf_release(&text);
}

static void spans_are_moved_by_the_offset(void **state)
{
	struct str text = STR("x = f(y)\n");

	lowered(text.at);
	struct lower moved = {.parser = &flow.parser, .grammar = &flow_grammar, .text = text, .arena = &flow.arena, .offset = 1000};
	const struct def *module = lower_def(&moved, ts_tree_root_node(flow.tree), NULL);
	const struct stmt *s = only_stmt(&module->body);

	assert_int_equal(s->span.start, 1000);
	assert_int_equal(s->span.end, 1008);
	assert_int_equal(s->value->items[1]->span.start, 1006);
	assert_true(str_is(s->value->items[1]->name, "y"));
	lower_release(&moved);
	assert_int_equal(moved.def_count, 0);
}

static void names_that_are_called_are_noted(void **state)
{
	lowered("f(g)\na.m()\n@h\ndef k(): pass\n");
	assert_true(map_has(&flow.lower.called, STR("f")));
	assert_true(map_has(&flow.lower.called, STR("m")));
	assert_false(map_has(&flow.lower.called, STR("g")));
	assert_false(map_has(&flow.lower.called, STR("k")));
}

static void deep_nesting_is_cut(void **state)
{
	struct buf text = BUF_INIT;

	repeat(&text, "[", 5000);
	repeat(&text, "]", 5000);
	assert_true(lowered(buf_text(&text))->truncated);
	buf_reset(&text);
	repeat(&text, "f(", 100);
	repeat(&text, ")", 100);
	assert_false(lowered(buf_text(&text))->truncated);
	/* a long sum is not deep */
	buf_reset(&text);
	buf_add_text(&text, "a");
	repeat(&text, " + a", 9000);
	is_expr(expression(buf_text(&text)), EXPR_BINARY, 9001, "");
	assert_false(flow.module->truncated);
	buf_reset(&text);
	for (int i = 0; i < 300; i++) {
		for (int k = 0; k < i; k++)
			buf_add_char(&text, ' ');
		buf_add_text(&text, "if a:\n");
	}
	repeat(&text, " ", 300);
	buf_add_text(&text, "b\n");
	assert_true(lowered(buf_text(&text))->truncated);
	buf_release(&text);
}

static void what_does_not_parse_still_holds_statements(void **state)
{
	lowered("def f(:\n    x = 1\ny = 2\n");
	assert_true(ts_node_has_error(ts_tree_root_node(flow.tree)));
	assert_true(def_local(flow.module, STR("y")) >= 0);
	lowered("x = a +\ny = [1, 2\nz = (3\n");
	lowered("class\ndef\nfor in\nwith\nimport\nlambda\n@\n");
}

/* A count is 16 bits wide. */
static void what_is_very_wide_is_cut(void **state)
{
	struct buf text = BUF_INIT;

	buf_add_text(&text, "[0");
	repeat(&text, ",0", 70000);
	buf_add_char(&text, ']');
	assert_int_equal(expression(buf_text(&text))->count, UINT16_MAX);
	buf_reset(&text);
	buf_add_text(&text, "f(0");
	repeat(&text, ",0", 70000);
	buf_add_char(&text, ')');
	assert_int_equal(expression(buf_text(&text))->count, UINT16_MAX);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(statements_have_their_kind, done),
		cmocka_unit_test_teardown(branches_nest_in_else, done),
		cmocka_unit_test_teardown(tries_have_handlers, done),
		cmocka_unit_test_teardown(contexts_come_one_by_one, done),
		cmocka_unit_test_teardown(cases_bind_names, done),
		cmocka_unit_test_teardown(imports_say_what_a_name_stands_for, done),
		cmocka_unit_test_teardown(many_imports_take_little, done),
		cmocka_unit_test_teardown(parameters_have_kinds, done),
		cmocka_unit_test_teardown(definitions_are_numbered_from_the_outside, done),
		cmocka_unit_test_teardown(the_definition_around_a_place_is_found, done),
		cmocka_unit_test_teardown(bodies_say_what_they_bind, done),
		cmocka_unit_test_teardown(many_names_are_found_again, done),
		cmocka_unit_test_teardown(spans_are_moved_by_the_offset, done),
		cmocka_unit_test_teardown(names_that_are_called_are_noted, done),
		cmocka_unit_test_teardown(deep_nesting_is_cut, done),
		cmocka_unit_test_teardown(what_does_not_parse_still_holds_statements, done),
		cmocka_unit_test_teardown(what_is_very_wide_is_cut, done),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
