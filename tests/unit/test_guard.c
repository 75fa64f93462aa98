#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/guard.h"

static void becomes(const char *text, const char *expected)
{
	struct buf out = BUF_INIT;

	guard_add(&out, str_from(text));
	assert_string_equal(buf_text(&out), expected);
	buf_release(&out);
}

static void commands_are_broken(void **state)
{
	becomes("::error::x\n", "\\x3a:error::x\n");
	becomes("a\n  \t::add-mask::x\n", "a\n  \t\\x3a:add-mask::x\n");
	becomes("\xE2\x80\x83::group::\n", "\xE2\x80\x83\\x3a:group::\n");
	becomes("12 | x = 1 ##[error]y\n", "12 | x = 1 #\\x23[error]y\n");
	becomes("1 | ##vso[task.setvariable variable=x]y\n", "1 | #\\x23vso[task.setvariable variable=x]y\n");
}

static void the_rest_stays(void **state)
{
	becomes("a.py:12:5: VL101 [error] 'x[1::2]' # one\n\n", "a.py:12:5: VL101 [error] 'x[1::2]' # one\n\n");
	becomes("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_are_broken),
		cmocka_unit_test(the_rest_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
