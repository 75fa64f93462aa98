#include "py/query_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"

/* The parts of TEXT, a line each: "text | body | name". */
static void has_parts(const char *text, const char *expected)
{
	struct buf out = BUF_INIT;
	struct query_part part;

	for (size_t at = 0; query_text_next(str_from(text), &at, &part);)
		buf_format(&out, "%.*s | %.*s | %.*s\n", STR_ARG(part.text), STR_ARG(part.body), STR_ARG(part.name));
	assert_string_equal(buf_text(&out), expected);
	buf_release(&out);
}

static void patterns_stand_one_after_another(void **state)
{
	has_parts("", "");
	has_parts(" ; nothing (here)\n", "");
	has_parts("(call) @a", "(call) @a | (call) | a\n");
	has_parts("; first\n(call) @a ; of (all\n(list)@b(set) @c\n", "(call) @a | (call) | a\n(list)@b | (list) | b\n(set) @c | (set) | c\n");
	has_parts("(a (b \")\" @x) ; )\n) @y (c) @z", "(a (b \")\" @x) ; )\n) @y | (a (b \")\" @x) ; )\n) | y\n(c) @z | (c) | z\n");
}

static void what_more_than_captures_has_no_body(void **state)
{
	has_parts("((a) @x (#eq? @x \"(\")) (b) @y", "((a) @x (#eq? @x \"(\")) |  | \n(b) @y | (b) | y\n");
	has_parts("(a) @x @y", "(a) @x @y |  | \n");
	has_parts("(a (b) @x)", "(a (b) @x) |  | \n");
	has_parts("[(a) (b)] @x (c) @y", "[(a) (b)] @x |  | \n(c) @y | (c) | y\n");
}

static void what_is_not_understood_is_left_whole(void **state)
{
	has_parts("(a) @x \"if\" @y (b) @z", "(a) @x \"if\" @y (b) @z |  | \n");
	has_parts("(a)+ @x (b) @z", "(a)+ @x (b) @z |  | \n");
	has_parts("left: (a) @x", "left: (a) @x |  | \n");
	has_parts("(a (b) @x", "(a (b) @x |  | \n");
	has_parts("(a) @", "(a) @ | (a) | \n");
	has_parts("(a \"", "(a \" |  | \n");
}

static void the_outermost_node_is_captured(void **state)
{
	assert_true(query_text_captures_root(STR("(a (b) @x) @y")));
	assert_true(query_text_captures_root(STR("((a) @x (#match? @x \"y\"))")));
	assert_false(query_text_captures_root(STR("(a (b) @x)")));
	assert_false(query_text_captures_root(STR("((a (b) @x) (#match? @x \"y\"))")));
	assert_false(query_text_captures_root(STR("[(a) (b)] @x")));
	assert_false(query_text_captures_root(STR("((a) (b)) @x")));
	assert_false(query_text_captures_root(STR("(a)? @x")));
	assert_false(query_text_captures_root(STR("left: (a) @x")));
	assert_false(query_text_captures_root(STR("")));
	assert_false(query_text_captures_root(STR("(")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_stand_one_after_another),
		cmocka_unit_test(what_more_than_captures_has_no_body),
		cmocka_unit_test(what_is_not_understood_is_left_whole),
		cmocka_unit_test(the_outermost_node_is_captured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
