#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/vec.h"
#include "py/parse.h"
#include "py/query.h"

static struct py_grammar grammar;

static int set_up(void **state)
{
	py_grammar_init(&grammar);
	return 0;
}

static int tear_down(void **state)
{
	py_grammar_release(&grammar);
	return 0;
}

static struct query_set *compiled(const char *const *texts, size_t count)
{
	struct query_source sources[4];
	struct err err = {0};
	struct query_set *set;

	for (size_t i = 0; i < count; i++)
		sources[i] = (struct query_source){i ? "second.scm" : "first.scm", str_from(texts[i])};
	set = query_set_new(grammar.language, sources, count, &err);
	if (!set)
		fail_msg("%s", err.message);
	return set;
}

/* "SOURCE @capture TEXT …", one line a match. */
static const char *matches_text(const struct query_set *set, const char *text, uint32_t offset, struct buf *out)
{
	struct query_match_list list = {0};
	struct py_parser parser;
	struct err err;
	TSQueryCursor *cursor = ts_query_cursor_new();
	TSTree *tree;

	py_parser_init(&parser);
	tree = py_parse(&parser, str_from(text), NULL, &err);
	assert_non_null(tree);
	query_set_run(set, cursor, ts_tree_root_node(tree), str_from(text), offset, &list);
	buf_reset(out);
	for (size_t i = 0; i < list.count; i++) {
		buf_format(out, "%u", list.items[i].source);
		for (uint32_t k = 0; k < list.items[i].capture_count; k++) {
			const struct query_capture *capture = &list.items[i].captures[k];

			buf_format(out, " @%s %.*s", capture->name, (int)(capture->span.end - capture->span.start),
				   text + (capture->span.start - offset));
		}
		buf_add_char(out, '\n');
	}
	free(list.items);
	ts_tree_delete(tree);
	ts_query_cursor_delete(cursor);
	py_parser_release(&parser);
	return out->length ? buf_text(out) : "";
}

static void finds(const char *query, const char *text, const char *expected)
{
	struct query_set *set = compiled(&query, 1);
	struct buf out = BUF_INIT;

	assert_string_equal(matches_text(set, text, 0, &out), expected);
	buf_release(&out);
	query_set_free(set);
}

static void captures_are_reported(void **state)
{
	finds("(call function: (_) @callee arguments: (argument_list (_) @value)) @store", "f(a, b)\n",
	      "0 @store f(a, b) @callee f @value a\n0 @store f(a, b) @callee f @value b\n");
	finds("(call) @c", "x = 1\n", "");
	finds("; a comment\n(integer) @n\n(float) @n", "1 + 2.0\n", "0 @n 1\n0 @n 2.0\n");
}

static void offsets_are_added(void **state)
{
	const char *query = "(integer) @n";
	struct query_set *set = compiled(&query, 1);
	struct buf out = BUF_INIT;

	assert_string_equal(matches_text(set, "x = 12\n", 4000, &out), "0 @n 12\n");
	buf_release(&out);
	query_set_free(set);
}

static void each_match_tells_its_source(void **state)
{
	static const char *const texts[] = {"(integer) @a", "(string) @b\n(integer) @c"};
	struct query_set *set = compiled(texts, 2);
	struct buf out = BUF_INIT;

	assert_string_equal(matches_text(set, "1\n'x'\n", 0, &out), "0 @a 1\n1 @c 1\n1 @b 'x'\n");
	assert_true(query_set_has_capture(set, 0, STR("a")));
	assert_false(query_set_has_capture(set, 0, STR("b")));
	assert_true(query_set_has_capture(set, 1, STR("b")));
	assert_true(query_set_has_capture(set, 1, STR("c")));
	assert_false(query_set_has_capture(set, 1, STR("a")));
	assert_false(query_set_has_capture(set, 1, STR("missing")));
	buf_release(&out);
	query_set_free(set);
}

static void what_several_ask_is_searched_once_for_all(void **state)
{
	static const char *const texts[] = {"(call (_) @value) @keep", "(call (_) @value) @log (integer) @value", "(integer) @value"};
	struct query_set *set = compiled(texts, 3);
	struct buf out = BUF_INIT;

	assert_string_equal(matches_text(set, "f(1)\n", 0, &out),
			    "0 @keep f(1) @value f\n1 @log f(1) @value f\n0 @keep f(1) @value (1)\n1 @log f(1) @value (1)\n"
			    "1 @value 1\n2 @value 1\n");
	assert_true(query_set_has_capture(set, 1, STR("log")));
	assert_false(query_set_has_capture(set, 1, STR("keep")));
	assert_true(query_set_has_capture(set, 1, STR("value")));
	buf_release(&out);
	query_set_free(set);
}

static void text_is_tested(void **state)
{
	finds("((identifier) @n (#eq? @n \"a\"))", "a\nb\n", "0 @n a\n");
	finds("((identifier) @n (#not-eq? @n \"a\"))", "a\nb\n", "0 @n b\n");
	finds("((identifier) @n (#match? @n \"^lo\"))", "loss\nslow\n", "0 @n loss\n");
	finds("((identifier) @n (#not-match? @n \"^lo\"))", "loss\nslow\n", "0 @n slow\n");
	finds("((identifier) @n (#any-of? @n \"a\" \"c\"))", "a\nb\nc\n", "0 @n a\n0 @n c\n");
	finds("((identifier) @n (#match? @n \"a\") (#not-eq? @n \"a\"))", "a\nab\nb\n", "0 @n ab\n");
	/* the pattern is Perl's, with its lookahead */
	finds("((identifier) @n (#match? @n \"^(?!lo)\"))", "loss\nslow\n", "0 @n slow\n");
}

static void captures_are_compared(void **state)
{
	finds("((assignment left: (_) @l right: (_) @r) (#eq? @l @r))", "a = a\na = b\nab = a\n", "0 @l a @r a\n");
	finds("((assignment left: (_) @l right: (_) @r) (#not-eq? @l @r))", "a = a\na = b\n", "0 @l a @r b\n");
}

/* What an optional capture did not catch cannot be held against the match. */
static void tests_of_what_was_not_captured_hold(void **state)
{
	finds("((argument_list (identifier)? @n) @a (#eq? @n \"x\"))", "f()\n", "0 @a ()\n");
}

static void mistakes_are_placed(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"(integer) @a\n(nonsense) @b", "'second.scm': line 2, column 2: no node is called that"},
		{"(call !wrong) @b", "'second.scm': line 1, column 8: no field is called that"},
		{"((call) @b (#eq? @c \"x\"))", "no capture is called that"},
		{"((call) @b (#match? @b \"(\"))", "'second.scm': pattern '('"},
		{"((call) @b (#frob? @b \"x\"))", "'#frob?' is unknown"},
		{"((call) @b (#eq? @b))", "'#eq?'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct query_source sources[2] = {{"first.scm", STR("(integer) @n\n(float) @n")},
						  {"second.scm", str_from(cases[i].text)}};
		struct err err = {0};

		assert_null(query_set_new(grammar.language, sources, 2, &err));
		assert_int_equal(err.code, ERR_CONFIG);
		if (!strstr(err.message, cases[i].message))
			fail_msg("'%s' is told as: %s", cases[i].text, err.message);
	}
}

static void no_query_finds_nothing(void **state)
{
	struct query_set *set = compiled(NULL, 0);
	struct buf out = BUF_INIT;

	assert_string_equal(matches_text(set, "f(a)\n", 0, &out), "");
	buf_release(&out);
	query_set_free(set);
	query_set_free(NULL);
}

static TSTree *remembered(struct py_parser *parser, const char *text, struct py_memory *parsed)
{
	struct err err;
	TSTree *tree = py_parse(parser, str_from(text), parsed, &err);

	assert_non_null(tree);
	assert_true(parsed->is_current);
	return tree;
}

static int by_place(const void *a, const void *b)
{
	const struct query_match *x = a, *y = b;

	if (x->captures[0].span.start != y->captures[0].span.start)
		return x->captures[0].span.start < y->captures[0].span.start ? -1 : 1;
	return (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

/* How many matches of those in AFTER were searched for, where BEFORE was searched already; the rest is remembered. */
static size_t searched(const struct query_set *set, const char *before, const char *after)
{
	struct query_match_list list = {0}, all = {0}, ranged = {0};
	struct query_memory memory = {0};
	struct py_memory parsed = {0};
	struct py_parser parser;
	TSQueryCursor *cursor = ts_query_cursor_new();
	TSTree *tree;
	size_t count;

	py_parser_init(&parser);
	tree = remembered(&parser, before, &parsed);
	query_set_run_again(set, cursor, ts_tree_root_node(tree), str_from(before), NULL, &memory, &list);
	ts_tree_delete(tree);
	tree = remembered(&parser, after, &parsed);
	struct query_change change = {parsed.old_change, parsed.new_change};
	list.count = 0;
	query_set_run_again(set, cursor, ts_tree_root_node(tree), str_from(after), &change, &memory, &list);
	query_set_run(set, cursor, ts_tree_root_node(tree), str_from(after), 0, &all);
	assert_int_equal(list.count, all.count);
	if (all.count) {
		qsort(list.items, list.count, sizeof *list.items, by_place);
		qsort(all.items, all.count, sizeof *all.items, by_place);
	}
	for (size_t i = 0; i < all.count; i++) {
		assert_int_equal(list.items[i].pattern, all.items[i].pattern);
		assert_int_equal(list.items[i].source, all.items[i].source);
		assert_int_equal(list.items[i].capture_count, all.items[i].capture_count);
		for (uint32_t k = 0; k < all.items[i].capture_count; k++) {
			assert_ptr_equal(list.items[i].captures[k].name, all.items[i].captures[k].name);
			assert_int_equal(list.items[i].captures[k].span.start, all.items[i].captures[k].span.start);
			assert_int_equal(list.items[i].captures[k].span.end, all.items[i].captures[k].span.end);
		}
	}
	ts_query_cursor_set_byte_range(cursor, change.now.start, change.now.end + 1);
	query_set_run(set, cursor, ts_tree_root_node(tree), str_from(after), 0, &ranged);
	count = memory.queries ? ranged.count : all.count;
	ts_tree_delete(tree);
	VEC_RELEASE(&list);
	VEC_RELEASE(&all);
	VEC_RELEASE(&ranged);
	py_memory_release(&parsed);
	query_memory_release(&memory);
	py_parser_release(&parser);
	ts_query_cursor_delete(cursor);
	return count;
}

static void only_what_has_changed_is_searched(void **state)
{
	const char *const texts[] = {"; all (calls\n(call function: (identifier) @name) @call",
				     "((call) @call (#match? @call \"^[(\\\"fg]\"))\n(assignment right: (_) @value) @store"};
	struct query_set *set = compiled(texts, 2);

	(void)state;
	assert_int_equal(searched(set, "f(1)\nx = f(2)\ng(3)\n", "f(1)\nx = f(22)\ng(3)\n"), 3);
	assert_int_equal(searched(set, "f(1)\nx = f(2)\ng(3)\n", "f(1)\nx = f(2)\nh(3)\n"), 1);
	assert_int_equal(searched(set, "f(1)\nf(2)\n", "f(1)\nf(2)\n"), 0);
	assert_int_equal(searched(set, "if x:\n    f(1)\nf(2)\n", "if x:\n    f(1)\n    f(2)\n"), 2);
	searched(set, "", "f(1)\n");
	searched(set, "f(1)\n", "");
	query_set_free(set);
}

static void what_asks_for_its_surroundings_is_searched_anew(void **state)
{
	static const char *const texts[] = {"(decorator (_) @keep)", "right: (call) @call", "(module (_) @x) (call) @y", "[(call) (list)] @x",
					    "((call) @x . (comment))", "(call)", "((assignment (call) @x) (#eq? @x \"f(1)\"))"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct query_set *set = compiled(&texts[i], 1);
		struct query_memory memory = {0};
		struct py_memory parsed = {0};
		struct query_match_list list = {0};
		struct py_parser parser;
		TSQueryCursor *cursor = ts_query_cursor_new();

		py_parser_init(&parser);
		TSTree *tree = remembered(&parser, "x = f(1)\n", &parsed);
		query_set_run_again(set, cursor, ts_tree_root_node(tree), STR("x = f(1)\n"), NULL, &memory, &list);
		assert_int_equal(memory.queries, 0);
		ts_tree_delete(tree);
		py_memory_release(&parsed);
		query_memory_release(&memory);
		VEC_RELEASE(&list);
		py_parser_release(&parser);
		ts_query_cursor_delete(cursor);
		query_set_free(set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captures_are_reported),
		cmocka_unit_test(offsets_are_added),
		cmocka_unit_test(each_match_tells_its_source),
		cmocka_unit_test(what_several_ask_is_searched_once_for_all),
		cmocka_unit_test(text_is_tested),
		cmocka_unit_test(captures_are_compared),
		cmocka_unit_test(tests_of_what_was_not_captured_hold),
		cmocka_unit_test(mistakes_are_placed),
		cmocka_unit_test(no_query_finds_nothing),
		cmocka_unit_test(only_what_has_changed_is_searched),
		cmocka_unit_test(what_asks_for_its_surroundings_is_searched_anew),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
