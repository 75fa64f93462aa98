#include "text/ipython.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* CELL becomes WANTED, which is NULL where nothing of it is Python; "if True:" stands before HEADERS lines. */
static void check_headers(const char *cell, const char *wanted, size_t headers)
{
	struct ipython_cell made;
	char *text = mem_dup(cell, strlen(cell));

	ipython_cell_init(&made, text, strlen(cell));
	assert_int_equal(made.is_python, wanted != NULL);
	if (wanted) {
		assert_string_equal(text, wanted);
		assert_int_equal(made.headers.count, headers);
	}
	for (size_t i = 0, at = 0; wanted && i < strlen(cell); i++) {
		bool masked = at < made.masks.count && i >= made.masks.items[at].start;

		assert_true(masked || cell[i] == text[i]);
		if (masked && i + 1 == made.masks.items[at].end)
			at++;
	}
	ipython_cell_release(&made);
	free(text);
}

static void check(const char *cell, const char *wanted)
{
	check_headers(cell, wanted, 0);
}

static void python_stays(void **state)
{
	static const char *const cells[] = {
		"", "\n", "x = 1", "x = y % 3\n", "x = (1\n% 3)\n", "t = '''\n%time\n!ls\n'''\nx = 2", "'what?'  # ?\n", "# !ls\n",
		"if a != b:\n\tpass", "x = 1 \\\n% 3\n", "print('a'  # it's\n)", "s = 'it\\'s' ; '!ls'", "x = lambda a=1: a",
		"await f(x)", "x %= 3", "x = r'\\' + '?'", "d = {'a':\n!b}", "f'{x!r}'", "x = [\n%a\n]", "a == b",
	};

	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
		check(cells[i], cells[i]);
}

static void magics_give_way(void **state)
{
	check("%matplotlib inline\nx", "0                 \nx");
	check("!ls\r\nx", "0  \r\nx");
	check_headers("  !", "  0", 1);
	check("if x:\n    !ls {y}\n    z", "if x:\n    0      \n    z");
	check("!a \\\n  b\nx", "0   \n   \nx");
	check("x = !ls", "x = 0  ");
	check("x = %who_ls  \ny", "x = 0        \ny");
	check("x?", "0 ");
	check("x.y[0]??\nz", "0       \nz");
	check("?x\n??y", "0 \n0  ");
	check("f(a\n)?", "f(a\n)?"); /* no question for IPython either */
	check("!echo '(\nx", "0       \nx");
	check("!h\xc3\xa9\nx", "0   \nx");
	check(",f a b\n;f a\n/f a", "0     \n0   \n0   ");
	check("pip install torch", "0                ");
	check("pip install torch\nx", "pip install torch\nx");
	check("run + 1", "run + 1");
}

static void timed_code_stays(void **state)
{
	check("%time x = f()", "0;    x = f()");
	check("%timeit -n 10 -r3 -q f(x)", "0;                   f(x)");
	check("%prun -s time -q f(x)", "0;               f(x)");
	check("%time", "0    ");
	check("%timeit  ", "0        ");
	check("%time x?", "0;    0 ");
	check("y = %time f()", "y =       f()");
	check("y = %timeit -o f()", "y = 0             ");
	check("if x:\n  %time f()", "if x:\n  0;    f()");
	check("%timex f()", "0         ");
	check_headers("%time for x in y: f(x)", "      for x in y: f(x)", 1);
	check_headers("if x:\n  %time with y: z\n  a", "if x:\n        with y: z\n  a", 1);
}

static void cell_magics_decide(void **state)
{
	check("%%bash\nls", NULL);
	check("\n \n%%html\n<b>", NULL);
	check("%%timex\nx", NULL);
	check("%%", NULL);
	check("%%time\n%%writefile x.py\nx", NULL);
	check("%%time\nx = 1", "      \nx = 1");
	check("\n%%capture out\n\n%%time\n!ls\nx", "\n             \n\n      \n0  \nx");
	check("x\n%%bash\ny", "x\n0     \ny");
	check("%%time?", "0      ");
}

static bool is_apart(const char *cell)
{
	char *text = mem_dup(cell, strlen(cell));
	struct ipython_cell made;
	bool apart;

	ipython_cell_init(&made, text, strlen(cell));
	apart = made.is_apart;
	ipython_cell_release(&made);
	free(text);
	return apart;
}

static void some_magics_know_the_variables(void **state)
{
	assert_true(is_apart("%%bash\nls"));
	assert_true(is_apart("%%time\n%%writefile x.py\nls"));
	assert_false(is_apart("%%px\nx"));
	assert_false(is_apart("%%R -i x\nx"));
}

static void indented_cells_are_python(void **state)
{
	check_headers("  x = 1\n\n  !ls\n", "  x = 1\n\n  0  \n", 1);
	check_headers("%%time\n  x = 1\n", "      \n  x = 1\n", 1);
	check_headers("  %%time\n  x", "        \n  x", 1);
	check("  x = 1\ny", "  x = 1\ny");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(python_stays),	      cmocka_unit_test(magics_give_way),
		cmocka_unit_test(timed_code_stays),   cmocka_unit_test(cell_magics_decide),
		cmocka_unit_test(indented_cells_are_python), cmocka_unit_test(some_magics_know_the_variables),
	};

	return cmocka_run_group_tests_name("ipython", tests, NULL, NULL);
}
