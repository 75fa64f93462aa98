#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void grows_and_ends_in_nul(void **state)
{
	struct buf buf = BUF_INIT;

	assert_string_equal(buf_text(&buf), "");
	for (int i = 0; i < 1000; i++) {
		buf_add_char(&buf, 'a');
		assert_int_equal(strlen(buf.bytes), (size_t)i + 1);
	}
	buf_reset(&buf);
	assert_string_equal(buf_text(&buf), "");
	assert_int_equal(buf.length, 0);
	buf_release(&buf);
	assert_null(buf.bytes);
}

static void adds_every_kind(void **state)
{
	struct buf buf;

	buf_init(&buf);
	buf_add(&buf, NULL, 0);
	buf_add(&buf, "ab\0c", 4);
	buf_add_text(&buf, "-");
	buf_add_str(&buf, (struct str){"xyz", 2});
	buf_add_repeat(&buf, '=', 3);
	buf_add_repeat(&buf, '=', 0);
	assert_string_equal(buf.bytes + 5, "xy===");
	buf_format(&buf, "%d%s", 42, "!");
	assert_int_equal(buf.length, 13);
	assert_memory_equal(buf.bytes, "ab\0c-xy===42!", 14);
	assert_true(str_equal(buf_get(&buf), (struct str){"ab\0c-xy===42!", 13}));
	buf_release(&buf);
}

static void what_is_left_after_a_reset_is_ended(void **state)
{
	struct buf buf = BUF_INIT;

	buf_add_text(&buf, "longer text");
	buf_reset(&buf);
	buf_add_repeat(&buf, '=', 2);
	assert_string_equal(buf.bytes, "==");
	buf_release(&buf);
}

static void formats_what_is_long(void **state)
{
	struct buf buf = BUF_INIT;

	buf_format(&buf, "%0500d", 1);
	buf_format(&buf, "%s", "");
	assert_int_equal(buf.length, 500);
	assert_int_equal(strlen(buf.bytes), 500);
	buf_release(&buf);
}

static void codepoints_become_utf8(void **state)
{
	static const struct {
		uint32_t code;
		const char *bytes;
	} cases[] = {
		{'a', "a"},           {0x7F, "\x7f"},           {0x80, "\xc2\x80"},           {0x7FF, "\xdf\xbf"},
		{0x800, "\xe0\xa0\x80"}, {0xFFFF, "\xef\xbf\xbf"}, {0x10000, "\xf0\x90\x80\x80"},
		{0x10FFFF, "\xf4\x8f\xbf\xbf"}, {0x110000, "\xef\xbf\xbd"}, {0xD800, "\xef\xbf\xbd"},
		{0xDFFF, "\xef\xbf\xbd"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct buf buf = BUF_INIT;

		buf_add_codepoint(&buf, cases[i].code);
		assert_string_equal(buf.bytes, cases[i].bytes);
		buf_release(&buf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_and_ends_in_nul),
		cmocka_unit_test(adds_every_kind),
		cmocka_unit_test(what_is_left_after_a_reset_is_ended),
		cmocka_unit_test(formats_what_is_long),
		cmocka_unit_test(codepoints_become_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
