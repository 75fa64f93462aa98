#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "py/parse.h"

struct fixture {
	struct py_grammar grammar;
	struct py_parser parser;
	struct arena arena;
	TSTree *tree;
};

static int set_up(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof fixture);
	py_grammar_init(&fixture.grammar);
	py_parser_init(&fixture.parser);
	arena_init(&fixture.arena);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	ts_tree_delete(fixture->tree);
	py_parser_release(&fixture->parser);
	py_grammar_release(&fixture->grammar);
	arena_release(&fixture->arena);
	return 0;
}

static TSNode parsed(struct fixture *fixture, const char *text)
{
	struct err err;

	if (fixture->tree)
		ts_tree_delete(fixture->tree);
	fixture->tree = py_parse(&fixture->parser, str_from(text), NULL, &err);
	assert_non_null(fixture->tree);
	return ts_tree_root_node(fixture->tree);
}

static struct py_child *children_of(struct fixture *fixture, TSNode node, uint32_t expected)
{
	uint32_t count;
	struct py_child *children = py_children(&fixture->parser, &fixture->grammar, node, &fixture->arena, &count);

	assert_int_equal(count, expected);
	return children;
}

/* Every kind that the analysis tells apart exists in the grammar, else code for it would never run. */
static void every_kind_is_in_the_grammar(void **state)
{
	struct fixture *fixture = *state;
	bool node_found[PY_NODE_COUNT] = {false}, field_found[PY_FIELD_COUNT] = {false};

	for (uint32_t i = 0; i < fixture->grammar.symbols; i++)
		node_found[fixture->grammar.nodes[i]] = true;
	for (uint32_t i = 0; i < fixture->grammar.field_ids; i++)
		field_found[fixture->grammar.fields[i]] = true;
	for (int i = 1; i < PY_NODE_COUNT; i++)
		if (!node_found[i])
			fail_msg("no node of the grammar is of kind %d", i);
	for (int i = 1; i < PY_FIELD_COUNT; i++)
		if (!field_found[i])
			fail_msg("no field of the grammar is field %d", i);
}

static void nodes_have_kinds(void **state)
{
	struct fixture *fixture = *state;
	TSNode root = parsed(fixture, "f(1)\nif a: b\n@c\ndef d(): pass\n");

	assert_int_equal(py_kind(&fixture->grammar, root), PY_MODULE);
	assert_int_equal(py_kind(&fixture->grammar, ts_node_named_child(root, 0)), PY_EXPRESSION_STATEMENT);
	assert_int_equal(py_kind(&fixture->grammar, ts_node_named_child(ts_node_named_child(root, 0), 0)), PY_CALL);
	assert_int_equal(py_kind(&fixture->grammar, ts_node_named_child(root, 1)), PY_IF);
	assert_int_equal(py_kind(&fixture->grammar, ts_node_named_child(root, 2)), PY_DECORATED);
	/* a keyword is no node of interest, though its name may be that of one */
	assert_int_equal(py_kind(&fixture->grammar, ts_node_child(ts_node_named_child(root, 1), 0)), PY_OTHER);
}

static void children_are_those_that_matter(void **state)
{
	struct fixture *fixture = *state;
	TSNode root = parsed(fixture, "# note\na\n# note\nb = 1 # note\n");
	struct py_child *children = children_of(fixture, root, 2);

	assert_int_equal(py_kind(&fixture->grammar, children[0].node), PY_EXPRESSION_STATEMENT);
	assert_int_equal(children[0].field, PY_NO_FIELD);
	children = children_of(fixture, ts_node_named_child(children[1].node, 0), 2);
	assert_int_equal(children[0].field, PY_F_LEFT);
	assert_int_equal(children[1].field, PY_F_RIGHT);
	children = children_of(fixture, children[1].node, 0);
	assert_null(children);
}

/* An operator is not named, but has a field. */
static void what_carries_a_field_is_a_child(void **state)
{
	struct fixture *fixture = *state;
	TSNode node = ts_node_named_child(ts_node_named_child(parsed(fixture, "a + b\n"), 0), 0);
	struct py_child *children = children_of(fixture, node, 3);

	assert_int_equal(children[0].field, PY_F_LEFT);
	assert_int_equal(children[1].field, PY_F_OPERATOR);
	assert_int_equal(children[2].field, PY_F_RIGHT);
}

static void children_of_one_node_do_not_disturb_another(void **state)
{
	struct fixture *fixture = *state;
	TSNode root = parsed(fixture, "a\nb\nc\n");
	struct py_child *first = children_of(fixture, root, 3);

	children_of(fixture, first[0].node, 1);
	assert_int_equal(ts_node_start_byte(first[2].node), 4);
	root = parsed(fixture, "x\n");
	children_of(fixture, root, 1);
}

static void spans_are_bytes(void **state)
{
	struct fixture *fixture = *state;
	TSNode node = ts_node_named_child(parsed(fixture, "'\xc3\xa4\xc3\xb6'\nb\n"), 1);
	struct span span = py_span(node);

	assert_int_equal(span.start, 7);
	assert_int_equal(span.end, 8);
}

static void a_parser_is_used_again(void **state)
{
	struct fixture *fixture = *state;

	assert_true(ts_node_has_error(parsed(fixture, "def (\n")));
	assert_false(ts_node_has_error(parsed(fixture, "x = 1\n")));
	assert_int_equal(ts_node_child_count(parsed(fixture, "")), 0);
}

/* The tree of TEXT by way of MEMORY, which must be as the one of TEXT alone. */
static TSTree *parsed_again(struct fixture *fixture, struct py_memory *memory, const char *text)
{
	struct err err;
	TSTree *tree = py_parse(&fixture->parser, str_from(text), memory, &err);
	char *own, *alone;

	assert_non_null(tree);
	own = ts_node_string(ts_tree_root_node(tree));
	alone = ts_node_string(parsed(fixture, text));
	assert_string_equal(own, alone);
	free(own);
	free(alone);
	return tree;
}

static void what_has_changed_is_parsed_alone(void **state)
{
	struct fixture *fixture = *state;
	struct py_memory memory = {0};
	struct buf text = BUF_INIT;

	for (int i = 0; i < 5000; i++)
		buf_format(&text, "%sx%d = [f(%d)]\n", i % 20 ? "    " : "def f():\n    ", i, i);
	ts_tree_delete(parsed_again(fixture, &memory, buf_text(&text)));
	assert_true(memory.is_current);
	assert_null(memory.before);
	text.bytes[strstr(text.bytes, "x2500 ") - text.bytes] = 'y';
	ts_tree_delete(parsed_again(fixture, &memory, buf_text(&text)));
	assert_true(memory.new_change.end - memory.new_change.start < 50);
	ts_tree_delete(parsed_again(fixture, &memory, "x = 1\ny = 2\n"));
	ts_tree_delete(parsed_again(fixture, &memory, "x = 12\ny = 2\n"));
	assert_true(memory.is_current);
	assert_non_null(memory.before);
	assert_int_equal(memory.old_change.start, 5);
	assert_int_equal(memory.old_change.end, 5);
	assert_int_equal(memory.new_change.end, 6);
	py_memory_release(&memory);
	assert_null(memory.tree);
	buf_release(&text);
}

static void errors_are_parsed_afresh_and_forgotten(void **state)
{
	struct fixture *fixture = *state;
	struct py_memory memory = {0};

	ts_tree_delete(parsed_again(fixture, &memory, "x = 1\ny = (2)\n"));
	ts_tree_delete(parsed_again(fixture, &memory, "x = 1\ny = (2) 3\n"));
	assert_false(memory.is_current);
	assert_null(memory.before);
	ts_tree_delete(parsed_again(fixture, &memory, "x = 1\ny = (2, 3)\n"));
	assert_true(memory.is_current);
	assert_non_null(memory.before); /* grown from the first one */
	py_memory_release(&memory);
}

static void what_can_be_repaired_is(void **state)
{
	struct fixture *fixture = *state;
	struct py_memory memory = {0};
	TSTree *tree;

	ts_tree_delete(parsed_again(fixture, &memory, "x = 1\ny = f\nz = 3\n"));
	assert_int_equal(fixture->parser.repair.left_out.count, 0);
	for (int hastily = 0; hastily < 2; hastily++) {
		memory.may_guess = hastily;
		tree = parsed_again(fixture, &memory, "x = 1\ny = f(2, \nz = 3\n");
		assert_false(ts_node_has_error(ts_tree_root_node(tree)));
		assert_true(memory.is_current);
		assert_int_equal(memory.is_guess, hastily);
		assert_int_equal(memory.before != NULL, hastily);
		assert_int_equal(fixture->parser.repair.left_out.count, 1);
		assert_int_equal(fixture->parser.repair.left_out.items[0].start, 11);
		ts_tree_delete(tree);
	}
	tree = parsed_again(fixture, &memory, "x = 1\ny = f(2, 3)\nz = 3\n");
	assert_int_equal(fixture->parser.repair.left_out.count, 0);
	assert_false(memory.is_guess);
	ts_tree_delete(tree);
	py_memory_release(&memory);
}

/* Lines in brackets that are indented less than their statement are unusual, and right. */
static void what_is_right_is_not_repaired(void **state)
{
	struct fixture *fixture = *state;
	struct py_memory memory = {.may_guess = true};
	const char *text = "if x:\n    y = f(\na, b)\n";

	ts_tree_delete(parsed_again(fixture, &memory, text));
	ts_tree_delete(parsed_again(fixture, &memory, "if x:\n    y = f(\na, bc)\n"));
	assert_int_equal(fixture->parser.repair.left_out.count, 0);
	assert_false(memory.is_guess);
	/* to the parser the end of a line is but a space where no statement may end */
	ts_tree_delete(parsed_again(fixture, &memory, "if x:\n    y = f +\n    bc\n"));
	assert_false(memory.is_guess);
	/* read without a look inside of the string, a quote is never closed */
	ts_tree_delete(parsed_again(fixture, &memory, "x = f\"{'\"'}\"\n"));
	ts_tree_delete(parsed_again(fixture, &memory, "y = f\"{'\"'}\"\n"));
	memory.may_guess = false;
	ts_tree_delete(parsed_again(fixture, &memory, "y = f\"{'\"'}\"\n"));
	assert_true(memory.looks_faulty);
	memory.may_guess = true;
	ts_tree_delete(parsed_again(fixture, &memory, "z = f\"{'\"'}\"\n"));
	assert_false(memory.is_guess);
	py_memory_release(&memory);
}

static void a_repair_that_mends_not_all_is_none(void **state)
{
	struct fixture *fixture = *state;

	assert_true(ts_node_has_error(parsed(fixture, "f(\ny = 2\nprint 1 2\n")));
	assert_int_equal(fixture->parser.repair.left_out.count, 0);
	assert_false(ts_node_has_error(parsed(fixture, "f(\ny = 2\nprint(1, 2)\n")));
	assert_int_equal(fixture->parser.repair.left_out.count, 1);
}

static bool at_once(void *context)
{
	++*(int *)context;
	return true;
}

static void parsing_stops_when_told(void **state)
{
	struct fixture *fixture = *state;
	struct buf text = BUF_INIT;
	struct err err = {0};
	int asked = 0;

	for (int i = 0; i < 5000; i++)
		buf_add_text(&text, "x = [f(1)]\n");
	fixture->parser.stop = at_once;
	fixture->parser.stop_context = &asked;
	assert_null(py_parse(&fixture->parser, buf_get(&text), NULL, &err));
	assert_string_equal(err.message, "the result is not wanted any more");
	assert_int_equal(asked, 1);
	fixture->parser.stop = NULL;
	ts_tree_delete(py_parse(&fixture->parser, buf_get(&text), NULL, &err));
	buf_release(&text);
}

static void nothing_is_left_after_release(void **state)
{
	struct py_grammar grammar;

	py_grammar_init(&grammar);
	assert_non_null(grammar.language);
	py_grammar_release(&grammar);
	assert_null(grammar.nodes);
	assert_null(grammar.fields);
}

static void text_repeat(struct buf *text, const char *part, int times)
{
	for (int i = 0; i < times; i++)
		buf_add_text(text, part);
}

static void long_runs_of_comments_are_left_out(void **state)
{
	struct fixture *fixture = *state;
	struct buf text = BUF_INIT;
	TSNode root;

	text_repeat(&text, "# few\n", 3);
	buf_add_text(&text, "a\n");
	text_repeat(&text, "\t# many\n\n", 300);
	buf_add_text(&text, "b\n");
	root = parsed(fixture, buf_text(&text));
	assert_int_equal(ts_node_named_child_count(root), 3 + 2);
	assert_int_equal(ts_node_start_byte(ts_node_named_child(root, 4)), text.length - 2);
	buf_release(&text);
}

static void every_line_end_ends_a_comment(void **state)
{
	assert_int_equal(ts_node_named_child_count(parsed(*state, "# a\nb\n# c\n")), 3);
	assert_int_equal(ts_node_named_child_count(parsed(*state, "# a\r\nb\r\n# c\r\n")), 3);
	assert_int_equal(ts_node_named_child_count(parsed(*state, "# a\rb\r# c\r")), 3);
}

static void comment_signs_do_not_hide_the_end_of_a_string(void **state)
{
	struct fixture *fixture = *state;
	struct buf text = BUF_INIT;
	TSNode root;

	buf_add_text(&text, "a = '''\n");
	text_repeat(&text, "# many\n", 300);
	buf_add_text(&text, "#'''\nb\n");
	root = parsed(fixture, buf_text(&text));
	assert_false(ts_node_has_error(root));
	assert_int_equal(ts_node_named_child_count(root), 2);
	buf_release(&text);
}

static void a_text_that_is_read_over_and_over_is_given_up(void **state)
{
	struct fixture *fixture = *state;
	struct buf text = BUF_INIT;
	struct err err = {ERR_NONE, ""};

	buf_add_text(&text, "a = (");
	text_repeat(&text, "\\\n", 100000);
	assert_null(py_parse(&fixture->parser, buf_get(&text), NULL, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	parsed(fixture, "a\n");
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_kind_is_in_the_grammar, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nodes_have_kinds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(children_are_those_that_matter, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_carries_a_field_is_a_child, set_up, tear_down),
		cmocka_unit_test_setup_teardown(children_of_one_node_do_not_disturb_another, set_up, tear_down),
		cmocka_unit_test_setup_teardown(spans_are_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_parser_is_used_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_has_changed_is_parsed_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(errors_are_parsed_afresh_and_forgotten, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_can_be_repaired_is, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_right_is_not_repaired, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_repair_that_mends_not_all_is_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(parsing_stops_when_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(long_runs_of_comments_are_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(every_line_end_ends_a_comment, set_up, tear_down),
		cmocka_unit_test_setup_teardown(comment_signs_do_not_hide_the_end_of_a_string, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_text_that_is_read_over_and_over_is_given_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_left_after_release, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
