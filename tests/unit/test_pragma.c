#include "py/pragma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

struct subject {
	struct py_grammar grammar;
	struct py_parser parser;
	struct arena arena;
	struct source source;
	struct buf out;
};

static int set_up(void **state)
{
	struct subject *s = calloc(1, sizeof *s);

	py_grammar_init(&s->grammar);
	py_parser_init(&s->parser);
	arena_init(&s->arena);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct subject *s = *state;

	py_parser_release(&s->parser);
	py_grammar_release(&s->grammar);
	arena_release(&s->arena);
	buf_release(&s->out);
	free(s);
	return 0;
}

static void find(struct subject *s, const char *text, struct pragma_list *list)
{
	struct err err = {0};

	arena_reset(&s->arena);
	assert_true(source_init(&s->source, str_from(text), &err));
	TSTree *tree = py_parse(&s->parser, (struct str){s->source.text, s->source.length}, NULL, &err);
	assert_non_null(tree);
	pragmas_find(list, &s->grammar, ts_tree_root_node(tree), &s->source, &s->arena);
	ts_tree_delete(tree);
}

/* "KIND NAME,NAME FIRST-LAST reason|fault", with "; " between two. */
static const char *found(struct subject *s, const char *text)
{
	static const char *const kinds[] = {"ignore", "disable", "enable", "file", "noqa", "malformed"};
	struct pragma_list list;

	find(s, text, &list);
	buf_reset(&s->out);
	for (size_t i = 0; i < list.count; i++) {
		const struct pragma *pragma = &list.items[i];

		buf_format(&s->out, "%s%s ", i ? "; " : "", kinds[pragma->kind]);
		for (size_t k = 0; k < pragma->name_count && !pragma->fault; k++)
			buf_format(&s->out, "%s%.*s", k ? "," : "", STR_ARG(pragma->names[k].text));
		if (pragma->fault)
			buf_add_text(&s->out, pragma->fault);
		else
			buf_format(&s->out, " %u-%u%s%.*s", pragma->first, pragma->last, pragma->reason.length ? " " : "",
				   STR_ARG(pragma->reason));
	}
	source_release(&s->source);
	return buf_text(&s->out);
}

static void what_is_written(void **state)
{
	assert_string_equal(found(*state, "x = 1  # vramlint: ignore[VL101] -- why\n"), "ignore VL101 1-1 why");
	assert_string_equal(found(*state, "x = 1  #vramlint:ignore[a-b,VL1 , c]--why \n"), "ignore a-b,VL1,c 1-1 why");
	assert_string_equal(found(*state, "x = 1  # VRAMLINT : IGNORE [VL101,]\n"), "ignore VL101 1-1");
	assert_string_equal(found(*state, "x = 1  # vramlint: ignore"), "ignore  1-1");
	assert_string_equal(found(*state, "x = 1  # vramlint: ignore[A] --"), "ignore A 1-1");
	assert_string_equal(found(*state, "x = 1  # vramlint: ignore[A] -- see #12, not # 13\n"), "ignore A 1-1 see #12, not # 13");
	assert_string_equal(found(*state, "x = 1  # type: ignore # vramlint: ignore[A] -- b # noqa: E1,VL101 c\n"),
			    "ignore A 1-1 b; noqa E1,VL101 1-1");
	assert_string_equal(found(*state, "x = 1  # vramlint: ignore[A] # fmt: skip\n"), "ignore A 1-1");
}

static void what_flake8_and_ruff_write(void **state)
{
	assert_string_equal(found(*state, "x = 1  # noqa\n"), "noqa  1-1");
	assert_string_equal(found(*state, "x = 1  # NOQA : VL101 E501 because\n"), "noqa VL101,E501 1-1");
	assert_string_equal(found(*state, "x = 1  # noqa: tensor-append\n"), "noqa tensor-append 1-1");
	assert_string_equal(found(*state, "x = 1  # noqa:\n"), "");
	assert_string_equal(found(*state, "x = 1  # noqa: because\n"), "");
	assert_string_equal(found(*state, "# noqa: VL101\nx = 1\n"), "noqa VL101 0-0");
	assert_string_equal(found(*state, "x = 1  # noqaX\n# ruff: noqa\n"), "");
}

static void what_is_malformed(void **state)
{
	assert_string_equal(found(*state, "x = 1  # vramlint: ignor[A]\n"), "malformed 'ignor' is unknown; did you mean 'ignore'?");
	assert_string_equal(found(*state, "x = 1  # vramlint: zzzzzzzz\n"), "malformed 'zzzzzzzz' is unknown");
	assert_string_equal(found(*state, "x = 1  # vramlint:\n"), "malformed 'ignore', 'disable', 'enable' or 'file-ignore' is missing");
	assert_string_equal(found(*state, "x = 1  # vramlint: ignore[A\n"), "malformed ']' is missing");
	assert_string_equal(found(*state, "x = 1  # vramlint: ignore[]\n"), "malformed no rule stands between '[' and ']'");
	assert_string_equal(found(*state, "x = 1  # vramlint: ignore[A B]\n"), "malformed rules stand between '[' and ']', with commas");
	assert_string_equal(found(*state, "x = 1  # vramlint: ignore[A] why\n"), "malformed a reason goes behind '--'");
	assert_string_equal(found(*state, "x = 1  # vramlint ignore[A]\n"), "malformed ':' is missing behind 'vramlint'");
	assert_string_equal(found(*state, "x = 1  # vramlint: disable[A]\n"), "malformed it needs a line of its own");
	assert_string_equal(found(*state, "x = 1\n# vramlint: file-ignore[A]\n"), "malformed it goes above the first line of code");
	assert_string_equal(found(*state, "# vramlint ignores this\nx = 1  # see vramlint: ignore[A]\n"), "");
}

static void what_is_no_comment(void **state)
{
	assert_string_equal(found(*state, "x = '# vramlint: ignore[A]'\n"), "");
	assert_string_equal(found(*state, "x = '''\n# vramlint: ignore[A]\n\\n # noqa\n'''  # noqa\n"), "noqa  1-4");
	assert_string_equal(found(*state, "x = f'{y!r:#<4} # vramlint: ignore[A] {z}'  # noqa\n"), "noqa  1-1");
	assert_string_equal(found(*state, "'''\n# vramlint: file-ignore[A]\n'''\n# vramlint: file-ignore[B]\nx = 1\n"), "file B 1-6");
}

static void lines_of_a_statement(void **state)
{
	assert_string_equal(found(*state, "f(\n  1,  # vramlint: ignore[A]\n  2\n)\n"), "ignore A 1-4");
	assert_string_equal(found(*state, "f(\n  # vramlint: ignore[A]\n  2\n)\n"), "ignore A 1-4");
	assert_string_equal(found(*state, "f(1,\n  2)  # vramlint: ignore[A]\n"), "ignore A 1-2");
	assert_string_equal(found(*state, "# vramlint: ignore[A]\n\n# more\nf(1,\n  2)\n"), "ignore A 4-5");
	assert_string_equal(found(*state, "x = 1 + \\\n  2  # vramlint: ignore[A]\n"), "ignore A 1-2");
	assert_string_equal(found(*state, "for x in (\n  y\n):  # vramlint: ignore[A]\n  z\n"), "ignore A 1-3");
	assert_string_equal(found(*state, "if a:\n  b\n# vramlint: ignore[A]\nelif c:\n  d\n"), "ignore A 4-4");
	assert_string_equal(found(*state, "# vramlint: ignore[A]\n@d(\n 1)\n@e\ndef f(\n  a):\n  pass\n"), "ignore A 2-6");
	assert_string_equal(found(*state, "class C:\n  @d  # vramlint: ignore[A]\n  # b\n  def f(a): pass\n"), "ignore A 2-4");
	assert_string_equal(found(*state, "a; b = '''\n'''; c  # vramlint: ignore[A]\n"), "ignore A 1-2");
	assert_string_equal(found(*state, "x = 1\r\n# vramlint: ignore[A]\r\ny\r\n"), "ignore A 3-3");
	assert_string_equal(found(*state, "x = 1\r# vramlint: ignore[A]\ry\r"), "ignore A 3-3");
	assert_string_equal(found(*state, "x\n# vramlint: ignore[A]\n"), "ignore A 0-0");
}

static void lines_of_a_block(void **state)
{
	assert_string_equal(found(*state, "# vramlint: disable[A]\nx\ny"), "disable A 1-3");
	assert_string_equal(found(*state, "def f():\n  # vramlint: disable[A]\n  x = '''\nz\n'''\n\n  y\n# c\nz\n"), "disable A 2-8");
	assert_string_equal(found(*state, "if a:\n    # vramlint: disable[A]\n  # vramlint: disable[B]\n    b\n  c\nd\n"),
			    "disable A 2-4; disable B 3-5");
}

static void file_ignores_at_the_top(void **state)
{
	assert_string_equal(found(*state, "#!/usr/bin/python\n'doc'\nfrom __future__ import x\nimport a\n# vramlint: file-ignore[A] -- b\nc\n"),
			    "file A 1-7 b");
}

/* Long runs of comments are blanked out for the parser. */
static void long_runs_of_comments(void **state)
{
	struct buf text = BUF_INIT;

	for (int i = 0; i < 100; i++)
		buf_add_text(&text, "# text of a license\n");
	buf_add_text(&text, "# vramlint: file-ignore[A]\n# noqa\nx = 1\n");
	assert_string_equal(found(*state, buf_text(&text)), "file A 1-104; noqa  0-0");
	buf_release(&text);
}

static void text_that_does_not_parse(void **state)
{
	assert_string_equal(found(*state, "x = = (\ny  # vramlint: ignore[A]\n"), "ignore A 2-2");
	found(*state, "'''\n# vramlint: ignore[A]");
	found(*state, "((((\n# vramlint: disable\n)))\n  ]# noqa: A1");
	assert_string_equal(found(*state, ""), "");
	assert_string_equal(found(*state, "#"), "");
}

static void a_long_file_takes_no_longer_than_its_length(void **state)
{
	struct buf text = BUF_INIT;
	struct pragma_list list;

	for (int i = 0; i < 50000; i++)
		buf_format(&text, "%*s# vramlint: disable[A]\n%s", i % 7, "", i % 3 ? "" : "x\n");
	for (int i = 0; i < 50000; i++)
		buf_add_text(&text, "f(1,  # vramlint: ignore[A]\n2)\n");
	find(*state, buf_text(&text), &list);
	assert_int_equal(list.count, 100000);
	source_release(&((struct subject *)*state)->source);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_flake8_and_ruff_write, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_malformed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_comment, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lines_of_a_statement, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lines_of_a_block, set_up, tear_down),
		cmocka_unit_test_setup_teardown(file_ignores_at_the_top, set_up, tear_down),
		cmocka_unit_test_setup_teardown(long_runs_of_comments, set_up, tear_down),
		cmocka_unit_test_setup_teardown(text_that_does_not_parse, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_long_file_takes_no_longer_than_its_length, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
