#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void compares_by_bytes(void **state)
{
	assert_true(str_compare(STR("a"), STR("b")) < 0);
	assert_true(str_compare(STR("b"), STR("a")) > 0);
	assert_true(str_compare(STR("ab"), STR("a")) > 0);
	assert_true(str_compare(STR("\xff"), STR("a")) > 0);
	assert_int_equal(str_compare(STR("ab"), STR("ab")), 0);
	assert_int_equal(str_compare((struct str){NULL, 0}, STR("")), 0);
}

static void finds(void **state)
{
	assert_int_equal(str_find(STR("abcabc"), STR("bc"), 0), 1);
	assert_int_equal(str_find(STR("abcabc"), STR("bc"), 2), 4);
	assert_int_equal(str_find(STR("aab"), STR("ab"), 0), 1);
	assert_true(str_find(STR("abc"), STR("abcd"), 0) == SIZE_MAX);
	assert_true(str_find(STR("abc"), STR("c"), 3) == SIZE_MAX);
	assert_true(str_find(STR("abc"), STR("c"), 9) == SIZE_MAX);
	assert_int_equal(str_find(STR("abc"), STR(""), 3), 3);
	/* Beyond the slice there is more text, which does not count. */
	assert_true(str_find((struct str){"abcd", 3}, STR("cd"), 0) == SIZE_MAX);
}

static void measures_distance(void **state)
{
	assert_int_equal(str_distance(STR("kitten"), STR("sitting"), 9), 3);
	assert_int_equal(str_distance(STR("tensor-append"), STR("tensor-apend"), 4), 1);
	assert_int_equal(str_distance(STR("same"), STR("same"), 4), 0);
	assert_int_equal(str_distance(STR(""), STR("abc"), 9), 3);
	assert_int_equal(str_distance(STR("abcdef"), STR("uvwxyz"), 4), 4);
	assert_int_equal(str_distance(STR("a"), STR("abcdefgh"), 3), 3);
}

static void hashes_like_fnv1a(void **state)
{
	/* From the reference's test vectors. */
	assert_true(str_hash(STR("")) == UINT64_C(0xcbf29ce484222325));
	assert_true(str_hash(STR("a")) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(str_hash(STR("foobar")) == UINT64_C(0x85944171f73967e8));
}

static void tells_utf8_from_other_bytes(void **state)
{
	assert_int_equal(str_utf8_length(STR("a"), 0), 1);
	assert_int_equal(str_utf8_length(STR("\xc3\xa9"), 0), 2);
	assert_int_equal(str_utf8_length(STR("\xe2\x82\xac"), 0), 3);
	assert_int_equal(str_utf8_length(STR("\xf0\x9f\x92\xa9"), 0), 4);
	assert_int_equal(str_utf8_length(STR("\xf4\x8f\xbf\xbf"), 0), 4);
	assert_int_equal(str_utf8_length(STR("\xf4\x90\x80\x80"), 0), 0); /* over U+10FFFF */
	assert_int_equal(str_utf8_length(STR("\xc0\xaf"), 0), 0);         /* overlong */
	assert_int_equal(str_utf8_length(STR("\xe0\x9f\xbf"), 0), 0);     /* overlong */
	assert_int_equal(str_utf8_length(STR("\xf0\x8f\xbf\xbf"), 0), 0); /* overlong */
	assert_int_equal(str_utf8_length(STR("\xed\xa0\x80"), 0), 0);     /* surrogate */
	assert_int_equal(str_utf8_length(STR("\x80"), 0), 0);
	assert_int_equal(str_utf8_length(STR("\xff"), 0), 0);
	assert_int_equal(str_utf8_length((struct str){"\xe2\x82\xac", 2}, 0), 0); /* cut */
	assert_int_equal(str_utf8_length(STR("a"), 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares_by_bytes),     cmocka_unit_test(finds),
		cmocka_unit_test(measures_distance),     cmocka_unit_test(hashes_like_fnv1a),
		cmocka_unit_test(tells_utf8_from_other_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
