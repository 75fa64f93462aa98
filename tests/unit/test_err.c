#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void says_what_failed(void **state)
{
	struct err err = {ERR_NONE, ""};

	assert_false(err_set(&err, ERR_READ, "cannot read '%s'", "x.py"));
	assert_int_equal(err.code, ERR_READ);
	assert_string_equal(err.message, "cannot read 'x.py'");
	assert_false(err_set(NULL, ERR_READ, "nobody asks"));
}

static void context_goes_before(void **state)
{
	struct err err;

	err_set(&err, ERR_CONFIG, "no member 'code'");
	assert_false(err_context(&err, "rule '%s'", "x"));
	assert_int_equal(err.code, ERR_CONFIG);
	assert_string_equal(err.message, "rule 'x': no member 'code'");
	assert_false(err_context(NULL, "nobody asks"));
}

static void arguments_may_be_its_own_message(void **state)
{
	struct err err;

	err_set(&err, ERR_PARSE, "inner");
	err_set(&err, ERR_CONFIG, "outer (%s)", err.message);
	assert_string_equal(err.message, "outer (inner)");
}

static void long_messages_are_cut(void **state)
{
	struct err err;
	char text[2000];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	err_set(&err, ERR_READ, "%s", text);
	assert_int_equal(strlen(err.message), sizeof err.message - 1);
	assert_string_equal(err.message + sizeof err.message - 5, "x...");
	err_context(&err, "%s", text);
	assert_string_equal(err.message + sizeof err.message - 5, "x...");
}

static void no_letter_is_cut_in_two(void **state)
{
	char text[2000] = "";
	struct err err;

	/* Whatever the offset, what is before the dots ends a whole sequence. */
	for (size_t offset = 0; offset < 3; offset++) {
		memset(text, 'x', offset);
		for (size_t i = 0; i < 600; i++)
			memcpy(text + offset + 3 * i, "\xe2\x82\xac", 4);
		err_set(&err, ERR_READ, "%s", text);
		assert_string_equal(err.message + strlen(err.message) - 6, "\xe2\x82\xac...");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_failed),      cmocka_unit_test(context_goes_before),
		cmocka_unit_test(arguments_may_be_its_own_message),
		cmocka_unit_test(long_messages_are_cut), cmocka_unit_test(no_letter_is_cut_in_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
