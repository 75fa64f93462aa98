#include "py/repair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buf.h"

/* What becomes of TEXT is AFTER; NULL: nothing is to be repaired in it. */
static void repair_check(const char *text, const char *after)
{
	struct repair repair;

	repair_init(&repair, str_from(text));
	if (after) {
		assert_non_null(repair.text);
		assert_true(repair.left_out.count > 0);
		if (memcmp(repair.text, after, strlen(text)) != 0)
			fail_msg("%s\nbecame\n%.*s\nand not\n%s", text, (int)strlen(text), repair.text, after);
		assert_int_equal(strlen(after), strlen(text));
	} else {
		assert_null(repair.text);
		assert_int_equal(repair.left_out.count, 0);
	}
	repair_release(&repair);
}

struct repair_case {
	const char *text, *after;
};

static void repair_check_all(const struct repair_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		repair_check(cases[i].text, cases[i].after);
}

static void sound_texts_are_left_alone(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"x = f(a, [1, 2], {'k': \"v\"})\n",
		"x = f(\n    a,\n    b,\n)\ny = 1\n",
		"x = (1\n     + 2\n\n     # why\n     if y else 3)\n",
		"x = [\nf\"{a['b']}\",\n]\n",
		"x = f\"{a[\"b\"]}\" + f'{{' + f'{a:{b}}' + '{'\n",
		"def f(\n    a,\n    b\n):\n    return (a\n\n# note\n            or b)\n",
		"s = '''(\n[\n'''\nt = r\"\\\"(\" + b'\\''\n",
		"s = 'a\\\n(b'\r\nx = 1\r\n",
		"x = 1 \\\n    + (2)\n",
		"# it's (never\nx = 1  # closed [\n",
		"x = (\n    'def f('\n    \"if\"\n)\n",
		"print(*[1], **{2: 3})",
		"from a import *\nx = 1.\ny = ...\nz = 1,\ndef f(): ...\n",
		"if x: y\nelse: z\nfor i in a: return\nwhile x : raise\n",
		"x = lambda: (yield)\nx = 1;\nif \\\n  x:\n    y\n",
		"@f\nclass A: x: int\n",
		"@f\n\n# why\n@g(\n    1)\nasync def h(): return x if y else z\nx: int = (y if z else 1)\n",
		"from a import (\n    b,\n)\nmatch x:\n    case 1 if y: pass\nz = yield from f()\nraise x from y\nz = [a for a in b if a]\n",
		"def f(\n) -> int:\n    try:\n        pass\n    finally:  # x +\n        pass\n",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		repair_check(texts[i], NULL);
}

static void what_is_never_closed_is_left_out(void **state)
{
	static const struct repair_case cases[] = {
		{"f(\nx = 1\n", "f \nx = 1\n"},
		{"f(", "f "},
		{"x = f(a, [1\ny = g()\n", "x = f      \ny = g()\n"},
		{"x = [1, 2\ny = 3\n", "x = _    \ny = 3\n"},
		{"x = f(a, [1)\n", "x = f(a, _ )\n"},
		{"return {'a': f(\n", "return _       \n"},
		{"d[\"k\nx = 1\n", "d   \nx = 1\n"},
		{"x = 'ab\r\ny = 1\r\n", "x = _  \r\ny = 1\r\n"},
		{"x = f'ab\n", "x = _   \n"},
		{"print('a)\n", "print    \n"},
		{"x = f'{a[b]:{c'\n", "x = _          \n"},
		{"print(rf\"{{}} {a + \")\n", "print(_             )\n"},
		{"x = f(\n    a,\n    b\ny = 1\n", "x = f \n      \n     \ny = 1\n"},
		{"x = f(\n    a,\n    def g(): pass\n", "x = f \n      \n    def g(): pass\n"},
		{"x = 1)\n", "x = 1 \n"},
		{"x = f(a))]\n", "x = f(a)  \n"},
		{"if x\\", "    \\"},
	};

	repair_check_all(cases, sizeof cases / sizeof *cases);
}

static void blocks_stay_below_their_head(void **state)
{
	static const struct repair_case cases[] = {
		{"with f(\n    x = 1\n    del x\n", "with f:\n    x = 1\n    del x\n"},
		{"for x in (a, b:\n    return x\n", "for x in _:    \n    return x\n"},
		{"def f(a, b\n    return a\n", "def f():  \n    return a\n"},
		{"class A(B\n    def f(self): pass\n", "class A: \n    def f(self): pass\n"},
		{"if f(x:\n    raise x\n", "if f:  \n    raise x\n"},
		/* what was left out before the head was is looked at again */
		{"if ((\n f[a)]\n pass", "if _:\n f[a ]\n pass"},
	};

	repair_check_all(cases, sizeof cases / sizeof *cases);
}

static void operators_without_a_value_behind_them_are_left_out(void **state)
{
	static const struct repair_case cases[] = {
		{"x = a +\ny\n", "x = a  \ny\n"},
		{"x = a is not  # why\n", "x = a         # why\n"},
		{"x =", "x  "},
		{"loss.\nx = 1\n", "loss \nx = 1\n"},
		{"    assert x ==\n", "    assert x   \n"},
		{"@\ndef f(): pass\n", " \ndef f(): pass\n"},
		{"@f\n# why\n@g()\nx = 1\n", "  \n     \n    \nx = 1\n"},
		{"@f\n", "  \n"},
		{"@f(1)\ndef g\nx = 1\n", "     \n     \nx = 1\n"},
		{"x = f(a) *\n", "x = f(a)  \n"},
		{"from a import\n", "             \n"},
		{"import a as\n", "import a   \n"},
		{"from a.b\nx = 1\n", "        \nx = 1\n"},
		{"x = y if z\nf()\n", "x = y     \nf()\n"},
		{"return f(a) if\n", "return f(a)   \n"},
		{"raise x from\n", "raise x     \n"},
		{"f(a,\nx = 1\n", "f   \nx = 1\n"},
	};

	repair_check_all(cases, sizeof cases / sizeof *cases);
}

static void heads_without_a_colon_get_one_or_go(void **state)
{
	static const struct repair_case cases[] = {
		{"if loss\nx = 1\n", "       \nx = 1\n"},
		{"if loss\n    x = 1\n", "if _:  \n    x = 1\n"},
		{"if loss >\n\n# why\n    x = 1\n", "if loss: \n\n# why\n    x = 1\n"},
		{"for x in f(a)\n    x = 1\n", "for x in f:  \n    x = 1\n"},
		{"with a, (b)\r\n    x = 1\r\n", "with a, _: \r\n    x = 1\r\n"},
		{"    def f(self, a)\n        x = 1\n", "    def f():      \n        x = 1\n"},
		{"class Net\nx = 1\n", "         \nx = 1\n"},
		{"while x", "       "},
		{"else\nx = 1\n", "    \nx = 1\n"},
		{"try", "   "},
		{"try\n    f(\nx = 1\n", "try\n    f \nx = 1\n"},
		{"finally #\n    x = 1\nf(\n", "finally #\n    x = 1\nf \n"},
	};

	repair_check_all(cases, sizeof cases / sizeof *cases);
}

static void places_are_told_in_order(void **state)
{
	struct repair repair;

	repair_init(&repair, STR("a = 1)\nf(g['x\nb = \"y\n"));
	assert_int_equal(repair.left_out.count, 3);
	assert_int_equal(repair.left_out.items[0].start, 5);
	assert_int_equal(repair.left_out.items[0].end, 6);
	assert_int_equal(repair.left_out.items[1].start, 8);
	assert_int_equal(repair.left_out.items[2].start, 18);
	repair_release(&repair);
	assert_null(repair.left_out.items);
}

static void a_long_string_without_an_end_has_no_repair(void **state)
{
	repair_check("f(\nx = '''a\ny = 1\n", NULL);
}

/* Each head would have all that follows read again. */
static void time_is_linear(void **state)
{
	struct repair repair;
	struct buf text = BUF_INIT;

	for (int i = 1; i < 1000; i++)
		buf_format(&text, "if (\n%*s", i, "");
	repair_init(&repair, buf_get(&text));
	assert_null(repair.text);
	buf_reset(&text);
	for (int i = 0; i < 200000; i++)
		buf_add_text(&text, "f((((\n");
	repair_init(&repair, buf_get(&text));
	assert_int_equal(repair.left_out.count, 200000);
	repair_release(&repair);
	buf_reset(&text);
	for (int i = 0; i < 2000000; i++)
		buf_add_text(&text, "{)");
	repair_init(&repair, buf_get(&text));
	assert_int_equal(repair.left_out.count, 1);
	repair_release(&repair);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_texts_are_left_alone),
		cmocka_unit_test(what_is_never_closed_is_left_out),
		cmocka_unit_test(blocks_stay_below_their_head),
		cmocka_unit_test(operators_without_a_value_behind_them_are_left_out),
		cmocka_unit_test(heads_without_a_colon_get_one_or_go),
		cmocka_unit_test(places_are_told_in_order),
		cmocka_unit_test(a_long_string_without_an_end_has_no_repair),
		cmocka_unit_test(time_is_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
