#include "text/json_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void nests_with_commas(void **state)
{
	struct buf out = BUF_INIT;
	struct json_writer w;

	json_writer_init(&w, &out);
	json_object_begin(&w);
	json_key(&w, "list");
	json_array_begin(&w);
	json_int(&w, 1);
	json_array_begin(&w);
	json_array_end(&w);
	json_object_begin(&w);
	json_object_end(&w);
	json_bool(&w, false);
	json_array_end(&w);
	json_key(&w, "none");
	json_text(&w, NULL);
	json_key(&w, "least");
	json_int(&w, INT64_MIN);
	json_key(&w, "yes");
	json_bool(&w, true);
	json_object_end(&w);
	assert_string_equal(out.bytes, "{\"list\":[1,[],{},false],\"none\":null,"
				       "\"least\":-9223372036854775808,\"yes\":true}");
	buf_release(&out);
}

static void check_text(struct str text, const char *expected)
{
	struct buf out = BUF_INIT;
	struct json_writer w;

	json_writer_init(&w, &out);
	json_str(&w, text);
	assert_string_equal(out.bytes, expected);
	buf_release(&out);
}

static void escapes(void **state)
{
	check_text((struct str){NULL, 0}, "\"\"");
	check_text(STR("a\"b\\c/"), "\"a\\\"b\\\\c/\"");
	check_text(STR("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
	check_text(STR("\x01\x1f\x7f"), "\"\\u0001\\u001f\\u007f\"");
	/* what acts on a terminal or turns text, in one and in two units of UTF-16 */
	check_text(STR("\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xf3\xa0\x81\x81"), "\"\\u009b\\u202e\\u2028\\udb40\\udc41\"");
	/* what begins a command in the log of a job */
	check_text(STR("##[x] # a"), "\"#\\u0023[x] # a\"");
	check_text((struct str){"a\0b", 3}, "\"a\\u0000b\"");
	check_text(STR("h\xc3\xa9 \xf0\x9f\x92\xa9"), "\"h\xc3\xa9 \xf0\x9f\x92\xa9\"");
}

static void repairs_what_is_no_utf8(void **state)
{
	check_text(STR("a\xff" "b\xc3"), "\"a\xef\xbf\xbd" "b\xef\xbf\xbd\"");
	check_text(STR("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void keys_are_escaped_too(void **state)
{
	struct buf out = BUF_INIT;
	struct json_writer w;

	json_writer_init(&w, &out);
	json_object_begin(&w);
	json_key(&w, "a\"");
	json_text(&w, "x");
	json_object_end(&w);
	assert_string_equal(out.bytes, "{\"a\\\"\":\"x\"}");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nests_with_commas),
		cmocka_unit_test(escapes),
		cmocka_unit_test(repairs_what_is_no_utf8),
		cmocka_unit_test(keys_are_escaped_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
