#include "text/source.h"

#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FFFD "\xef\xbf\xbd"

static struct source decoded(struct str raw)
{
	struct source source;
	struct err err = {ERR_NONE, ""};

	if (!source_init(&source, raw, &err))
		fail_msg("%s", err.message);
	assert_int_equal(source.text[source.length], 0);
	return source;
}

static void check_decoded(struct str raw, const char *text, const char *encoding)
{
	struct source source = decoded(raw);

	assert_string_equal(source.text, text);
	assert_int_equal(source.length, strlen(text));
	assert_string_equal(source.encoding, encoding);
	assert_int_equal(source.repaired, 0);
	source_release(&source);
}

static void check_refused(struct str raw, enum err_code code, const char *part)
{
	struct source source;
	struct err err = {ERR_NONE, ""};

	assert_false(source_init(&source, raw, &err));
	assert_int_equal(err.code, code);
	if (!strstr(err.message, part))
		fail_msg("'%s' is not in '%s'", part, err.message);
	/* Releasing what failed is harmless. */
	source_release(&source);
}

static void utf8_is_the_default(void **state)
{
	check_decoded(STR("x = 'h\xc3\xa9'\n"), "x = 'h\xc3\xa9'\n", "utf-8");
	check_decoded(STR(""), "", "utf-8");
	check_decoded((struct str){NULL, 0}, "", "utf-8");
	check_decoded(STR("# coding: UTF8\n\xc3\xa9"), "# coding: UTF8\n\xc3\xa9", "utf-8");
	check_decoded(STR("# -*- coding: utf-8-unix -*-\n"), "# -*- coding: utf-8-unix -*-\n", "utf-8");
	check_decoded(STR("# coding: us-ascii\n"), "# coding: us-ascii\n", "utf-8");
}

static void cookies_are_honoured(void **state)
{
	check_decoded(STR("# coding: latin-1\n'\xe9'"), "# coding: latin-1\n'\xc3\xa9'", "latin-1");
	check_decoded(STR("#!/usr/bin/python\n# -*- coding: Latin_1 -*-\n'\xe9'"),
		      "#!/usr/bin/python\n# -*- coding: Latin_1 -*-\n'\xc3\xa9'", "latin-1");
	check_decoded(STR("\r\n \t\f# vim: set fileencoding=cp1252 :\r\n\x80"),
		      "\r\n \t\f# vim: set fileencoding=cp1252 :\r\n\xe2\x82\xac", "cp1252");
	check_decoded(STR("# coding coding=koi8-r\n\xc1"), "# coding coding=koi8-r\n\xd0\xb0", "koi8-r");
	check_decoded(STR("# coding: shift_jis\n\x82\xa0"), "# coding: shift_jis\n\xe3\x81\x82", "shift-jis");
	/* The comment before the cookie is in the encoding, too. */
	check_decoded(STR("# \x82\xa0\n# coding: shift_jis\n"), "# \xe3\x81\x82\n# coding: shift_jis\n", "shift-jis");
}

static void what_looks_like_a_cookie_is_none(void **state)
{
	/* Code before it, the third line, no comment, no name. */
	check_decoded(STR("x = 1\n# coding: latin-1\n"), "x = 1\n# coding: latin-1\n", "utf-8");
	check_decoded(STR("x = 1 # coding: latin-1\n"), "x = 1 # coding: latin-1\n", "utf-8");
	check_decoded(STR("\n\n# coding: latin-1\n"), "\n\n# coding: latin-1\n", "utf-8");
	check_decoded(STR("'coding: latin-1'\n"), "'coding: latin-1'\n", "utf-8");
	check_decoded(STR("# encoding is hard\n# coding:\n"), "# encoding is hard\n# coding:\n", "utf-8");
}

static void unknown_encodings_are_refused(void **state)
{
	check_refused(STR("# coding: klingon\n"), ERR_DECODE, "'klingon' is not known");
	check_refused(STR("# coding: rot13\n"), ERR_DECODE, "'rot13'");
	/* An encoding in which the cookie itself means something else. */
	check_refused(STR("# coding: utf-16\nx = 1\n"), ERR_DECODE, "names 'utf-16'");
	check_refused(STR("# coding: utf-32\nx = 1\n"), ERR_DECODE, "names 'utf-32'");
	check_refused(STR("# coding: ebcdic-us\nx = 1\n"), ERR_DECODE, "names 'ebcdic-us'");
	check_refused(STR("# coding: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"), ERR_DECODE, "'aaaa");
}

static void marks_are_dropped(void **state)
{
	struct source source = decoded(STR("\xef\xbb\xbf# coding: latin-1\nx"));

	assert_true(source.had_mark);
	assert_string_equal(source.text, "# coding: latin-1\nx");
	assert_string_equal(source.encoding, "utf-8");
	source_release(&source);
	check_decoded((struct str){"\xff\xfex\0\xe9\0\n\0", 8}, "x\xc3\xa9\n", "utf-16le");
	check_decoded((struct str){"\xfe\xff\0x\0\xe9\xd8\x3d\xdc\xa9", 10}, "x\xc3\xa9\xf0\x9f\x92\xa9", "utf-16be");
	check_decoded((struct str){"\xff\xfe\0\0x\0\0\0", 8}, "x", "utf-32le");
}

/* TEXT after COUNT lines of 100 bytes. */
static struct str padded(struct buf *raw, const char *head, size_t count, struct str text)
{
	buf_reset(raw);
	buf_add_text(raw, head);
	for (size_t i = 0; i < count; i++) {
		buf_add_repeat(raw, '#', 99);
		buf_add_char(raw, '\n');
	}
	buf_add_str(raw, text);
	return buf_get(raw);
}

static void bad_bytes_are_repaired(void **state)
{
	struct buf raw = BUF_INIT;
	struct source source;

	source = decoded(padded(&raw, "", 6, STR("\xff" "a\xe2\x82" "b\xed\xa0\x80")));
	assert_int_equal(source.repaired, 6);
	assert_string_equal(source.text + 600, FFFD "a" FFFD FFFD "b" FFFD FFFD FFFD);
	source_release(&source);
	/* A stray byte in a multi-byte encoding, and half a letter at the end. */
	source = decoded(padded(&raw, "# coding: euc-jp\n", 6, STR("\xff" "a\xa4")));
	assert_int_equal(source.repaired, 2);
	assert_string_equal(source.text + 617, FFFD "a" FFFD);
	source_release(&source);
	/* One in a hundred, and one more. */
	source = decoded(padded(&raw, "", 1, STR("\xff")));
	assert_int_equal(source.repaired, 1);
	source_release(&source);
	check_refused(padded(&raw, "", 1, STR("\xff\xfe")), ERR_DECODE, "0xff in line 2");
	check_refused(padded(&raw, "# coding: euc-jp\n", 1, STR("\xff\xff")), ERR_DECODE, "'euc-jp'");
	buf_release(&raw);
}

static void binaries_are_refused(void **state)
{
	char bytes[4096];
	uint32_t random = 1;

	memset(bytes, 0, sizeof bytes);
	check_refused((struct str){bytes, sizeof bytes}, ERR_BINARY, "binary");
	for (size_t i = 0; i < sizeof bytes; i++) {
		random = random * 1664525 + 1013904223;
		bytes[i] = (char)(random >> 24);
	}
	check_refused((struct str){bytes, sizeof bytes}, ERR_BINARY, "binary");
	check_refused((struct str){"\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0", 20}, ERR_BINARY, "binary");
}

static void nul_bytes_in_text_are_kept(void **state)
{
	struct source source = decoded((struct str){"x = '\0'\ny\n", 10});

	assert_int_equal(source.length, 10);
	assert_memory_equal(source.text, "x = '\0'\ny\n", 11);
	assert_int_equal(source.line_count, 3);
	source_release(&source);
}

static void a_letter_may_lie_across_the_pieces_of_a_conversion(void **state)
{
	struct buf raw = BUF_INIT;

	for (size_t shift = 0; shift < 2; shift++) {
		struct source source;

		buf_reset(&raw);
		buf_add_text(&raw, "# coding: euc-jp\n");
		buf_add_repeat(&raw, '#', shift);
		for (size_t i = 0; i < 10000; i++)
			buf_add_text(&raw, "\xa4\xa2");
		source = decoded(buf_get(&raw));
		assert_int_equal(source.repaired, 0);
		assert_int_equal(source.length, 17 + shift + 30000);
		source_release(&source);
	}
	buf_release(&raw);
}

static void too_big_is_refused(void **state)
{
	/* The size alone decides; nothing is read. */
	check_refused((struct str){"x", SOURCE_LIMIT + 1}, ERR_TOO_BIG, "larger than");
}

static void every_line_end_counts(void **state)
{
	struct source source = decoded(STR("a\nbb\r\nccc\rd\n\re"));
	static const char *const lines[] = {"a", "bb", "ccc", "d", "", "e"};
	static const uint32_t starts[] = {0, 2, 6, 10, 12, 13};

	assert_int_equal(source.line_count, 6);
	for (uint32_t i = 0; i < 6; i++) {
		assert_int_equal(source.line_starts[i], starts[i]);
		assert_true(str_is(source_line_text(&source, i + 1), lines[i]));
		assert_int_equal(source_line(&source, starts[i]), i + 1);
	}
	assert_int_equal(source_line(&source, 5), 2);
	assert_int_equal(source_line(&source, 999), 6);
	assert_int_equal(source_line_text(&source, 0).length, 0);
	assert_int_equal(source_line_text(&source, 7).length, 0);
	source_release(&source);
	source = decoded(STR("a\r\n"));
	assert_int_equal(source.line_count, 2);
	assert_true(str_is(source_line_text(&source, 1), "a"));
	assert_int_equal(source_line_text(&source, 2).length, 0);
	source_release(&source);
}

static void columns_in_code_points_and_utf16(void **state)
{
	/* e with acute: 2 bytes, 1 unit; the sign: 4 bytes, 2 units. */
	struct source source = decoded(STR("\n\xc3\xa9\xf0\x9f\x92\xa9x\n"));
	struct place place = source_place(&source, 7);

	assert_int_equal(place.line, 2);
	assert_int_equal(place.column, 3);
	assert_int_equal(source_utf16_column(&source, 7), 3);
	assert_int_equal(source_utf16_column(&source, 1), 0);
	assert_int_equal(source_place(&source, 0).column, 1);
	assert_true(str_is(source_slice(&source, (struct span){7, 8}), "x"));
	assert_int_equal(source_slice(&source, (struct span){8, 7}).length, 0);
	assert_int_equal(source_slice(&source, (struct span){7, 900}).length, 2);
	source_release(&source);
}

/* Seconds to decode LINES lines after HEAD, a hundredth of the bytes bad. */
static double seconds_for(struct buf *raw, const char *head, size_t lines)
{
	struct source source;
	clock_t start;

	buf_reset(raw);
	buf_add_text(raw, head);
	for (size_t i = 0; i < lines; i++)
		buf_add_text(raw, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
				  "xxxxxxxxxxxxxxxxxxxxxxxxxxx\xff\n");
	start = clock();
	source = decoded(buf_get(raw));
	assert_int_equal(source.repaired, lines);
	source_release(&source);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void time_is_linear(void **state)
{
	static const char *const heads[] = {"", "# coding: euc-jp\n"};
	struct buf raw = BUF_INIT;

	for (size_t i = 0; i < 2; i++) {
		double small = seconds_for(&raw, heads[i], 4000);
		double large = seconds_for(&raw, heads[i], 64000);

		/* Sixteen times the text; were it quadratic, 256 times the time. The constant covers a coarse clock. */
		assert_true(large < small * 80 + 0.5);
	}
	buf_release(&raw);
}

/* RAW with MORE put behind it, or the words why not. */
static void check_encoded(struct str raw, const char *more, struct str wanted, const char *fault)
{
	struct source source = decoded(raw);
	struct buf text = BUF_INIT, out = BUF_INIT;
	struct err err = {ERR_NONE, ""};

	buf_add(&text, source.text, source.length);
	buf_add_text(&text, more);
	if (source_encode(&source, raw, buf_get(&text), &out, &err)) {
		assert_null(fault);
		assert_true(str_equal(buf_get(&out), wanted));
	} else {
		assert_non_null(fault);
		assert_string_equal(err.message, fault);
	}
	buf_release(&text);
	buf_release(&out);
	source_release(&source);
}

static void text_goes_back_as_it_came(void **state)
{
	check_encoded(STR("h\xc3\xa9"), "\xc3\xa9", STR("h\xc3\xa9\xc3\xa9"), NULL);
	check_encoded(STR("\xef\xbb\xbfx\r\n"), "y", STR("\xef\xbb\xbfx\r\ny"), NULL);
	check_encoded(STR("# coding: latin-1\nh\xe9"), "\xc3\xa9", STR("# coding: latin-1\nh\xe9\xe9"), NULL);
	check_encoded(STR("\xff\xfex\0"), "y", STR("\xff\xfex\0y\0"), NULL);
	check_encoded(STR("\0\0\xfe\xff\0\0\0x"), "y", STR("\0\0\xfe\xff\0\0\0x\0\0\0y"), NULL);
	check_encoded(STR("# coding: shift_jis\n\x83\x65"), "!", STR("# coding: shift_jis\n\x83\x65!"), NULL);
	check_encoded(STR("# coding: latin-1\nh\xe9"), "\xe2\x82\xac", STR(""), "the encoding 'latin-1' has no character '\xe2\x82\xac'");
}

static void what_would_not_come_back_is_refused(void **state)
{
	struct buf long_line = BUF_INIT;

	buf_add_repeat(&long_line, 'x', 200);
	buf_add_char(&long_line, '\xff');
	check_encoded(buf_get(&long_line), "", STR(""), "it has bytes that are not 'utf-8', which would be lost");
	buf_release(&long_line);
	/* a shift that is not needed is not made again */
	check_encoded(STR("# coding: iso-2022-jp\n\x1b(Bx\n"), "", STR(""),
		      "its text can be read but not written back in the encoding 'iso-2022-jp'");
}

static void check_line_end(const char *text, const char *wanted)
{
	struct source source = decoded(str_from(text));

	assert_string_equal(source_line_end(&source), wanted);
	source_release(&source);
}

static void the_first_line_tells_how_lines_end(void **state)
{
	check_line_end("", "\n");
	check_line_end("x", "\n");
	check_line_end("x\n", "\n");
	check_line_end("\n", "\n");
	check_line_end("\r\n", "\r\n");
	check_line_end("x\r\ny\n", "\r\n");
	check_line_end("x\ry", "\r");
}

static void a_copy_is_a_source_of_its_own(void **state)
{
	struct source source, copy;

	source_init_plain(&source, STR("one\ntwo\r\nthree"));
	source_dup(&copy, &source);
	memset(source.text, '!', source.length);
	source_release(&source);
	assert_int_equal(copy.line_count, 3);
	assert_true(str_equal(source_line_text(&copy, 2), STR("two")));
	assert_true(str_equal(source_line_text(&copy, 3), STR("three")));
	assert_int_equal(copy.text[copy.length], 0);
	source_release(&copy);
	source_init_plain(&source, STR(""));
	source_dup(&copy, &source);
	assert_int_equal(copy.line_count, 1);
	source_release(&copy);
	source_release(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_is_the_default),
		cmocka_unit_test(a_copy_is_a_source_of_its_own),
		cmocka_unit_test(cookies_are_honoured),
		cmocka_unit_test(what_looks_like_a_cookie_is_none),
		cmocka_unit_test(unknown_encodings_are_refused),
		cmocka_unit_test(marks_are_dropped),
		cmocka_unit_test(bad_bytes_are_repaired),
		cmocka_unit_test(binaries_are_refused),
		cmocka_unit_test(nul_bytes_in_text_are_kept),
		cmocka_unit_test(a_letter_may_lie_across_the_pieces_of_a_conversion),
		cmocka_unit_test(too_big_is_refused),
		cmocka_unit_test(every_line_end_counts),
		cmocka_unit_test(columns_in_code_points_and_utf16),
		cmocka_unit_test(text_goes_back_as_it_came),
		cmocka_unit_test(what_would_not_come_back_is_refused),
		cmocka_unit_test(the_first_line_tells_how_lines_end),
		cmocka_unit_test(time_is_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
