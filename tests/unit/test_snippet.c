#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/snippet.h"
#include "report/visible.h"

static struct buf out;

static int set_up(void **state)
{
	buf_init(&out);
	return 0;
}

static int tear_down(void **state)
{
	buf_release(&out);
	return 0;
}

static const char *shown(const char *text, size_t length)
{
	buf_reset(&out);
	visible_add(&out, (struct str){text, length});
	assert_int_equal(visible_width((struct str){text, length}) > 0, length > 0);
	return buf_text(&out);
}

#define SHOWN(literal) shown((literal), sizeof(literal) - 1)

static void what_moves_the_cursor_or_turns_text_is_escaped(void **state)
{
	assert_string_equal(SHOWN("plain"), "plain");
	assert_string_equal(SHOWN("a\nb\rc\td"), "a\\nb\\rc\\td");
	assert_string_equal(SHOWN("\x1b[31m\x07\x7f"), "\\x1b[31m\\x07\\x7f");
	assert_string_equal(SHOWN("a\0b"), "a\\x00b");
	assert_string_equal(SHOWN("\xC2\x9B"), "\\x9b");
	assert_string_equal(SHOWN("\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\x8F"), "\\u202e\\u2066\\u200f");
	assert_string_equal(SHOWN("\xE2\x80\xA8"), "\\u2028");
	assert_string_equal(SHOWN("\xF3\xA0\x80\x81"), "\\U000e0001");
}

static void letters_of_all_scripts_stay(void **state)
{
	assert_string_equal(SHOWN("é 日本 🙂 नि क्‍ष"), "é 日本 🙂 नि क्‍ष");
}

static void bytes_that_are_not_utf8_are_escaped(void **state)
{
	assert_string_equal(SHOWN("a\xFF" "b\xE6\x97"), "a\\xffb\\xe6\\x97");
	assert_string_equal(SHOWN("\xED\xA0\x80"), "\\xed\\xa0\\x80");
}

static void width_is_in_columns(void **state)
{
	assert_int_equal(visible_width(STR("abc")), 3);
	assert_int_equal(visible_width(STR("日本")), 4);
	assert_int_equal(visible_width(STR("e\xCC\x81")), 1);
	assert_int_equal(visible_width(STR("\x1b")), 4);
}

static const struct snippet_frame wide_frame = {false, 2, 0};

/* LINE with the bytes from START to END marked. */
static const char *marked(const struct snippet_frame *frame, const char *line, uint32_t start, uint32_t end,
			  const char *label)
{
	struct snippet_view view = snippet_view_get(frame, str_from(line), (struct span){start, end});

	buf_reset(&out);
	snippet_add_line(&out, frame, &view, 7, '|');
	snippet_add_mark(&out, frame, &view, (struct snippet_mark){'^', STYLE_ERROR, label});
	return buf_text(&out);
}

static void marks_stand_under_what_they_mark(void **state)
{
	assert_string_equal(marked(&wide_frame, "a = b", 4, 5, NULL), " 7 | a = b\n"
								     "   |     ^\n");
	assert_string_equal(marked(&wide_frame, "a = b", 0, 5, "all"), " 7 | a = b\n"
								       "   | ^^^^^ all\n");
}

static void an_empty_mark_is_one_column(void **state)
{
	struct snippet_view view = snippet_view_get(&wide_frame, STR("ab"), (struct span){1, 1});

	assert_int_equal(view.mark_end - view.mark_start, 1);
	assert_string_equal(marked(&wide_frame, "ab", 1, 1, NULL), " 7 | ab\n"
								   "   |  ^\n");
	assert_string_equal(marked(&wide_frame, "ab", 2, 2, NULL), " 7 | ab\n"
								   "   |   ^\n");
	assert_string_equal(marked(&wide_frame, "", 0, 0, NULL), " 7 |\n"
								 "   | ^\n");
}

static void tabs_become_spaces_up_to_the_next_stop(void **state)
{
	assert_string_equal(marked(&wide_frame, "\tab\tc", 4, 5, NULL), " 7 |     ab  c\n"
									"   |         ^\n");
}

static void wide_and_combining_characters_keep_marks_in_place(void **state)
{
	assert_string_equal(marked(&wide_frame, "日e\xCC\x81x", 6, 7, NULL), " 7 | 日e\xCC\x81x\n"
									     "   |    ^\n");
	assert_string_equal(marked(&wide_frame, "日x", 0, 3, NULL), " 7 | 日x\n"
								    "   | ^^\n");
	assert_string_equal(marked(&wide_frame, "\x1bx", 1, 2, NULL), " 7 | \\x1bx\n"
								      "   |     ^\n");
}

static void blanks_at_the_end_are_not_printed(void **state)
{
	assert_string_equal(marked(&wide_frame, "a  \t", 0, 1, NULL), " 7 | a\n"
								      "   | ^\n");
}

/* 30 columns of source behind a gutter of 5. */
static const struct snippet_frame narrow_frame = {false, 2, 35};

static void a_long_line_is_cut_behind_the_mark(void **state)
{
	assert_string_equal(marked(&narrow_frame, "abcdefghijklmnopqrstuvwxyz0123456789", 2, 4, NULL),
			    " 7 | abcdefghijklmnopqrstuvwxyz012…\n"
			    "   |   ^^\n");
}

static void a_long_line_is_cut_before_the_mark(void **state)
{
	assert_string_equal(marked(&narrow_frame, "abcdefghijklmnopqrstuvwxyz0123456789", 34, 36, NULL),
			    " 7 | …hijklmnopqrstuvwxyz0123456789\n"
			    "   |                             ^^\n");
}

static void a_long_line_is_cut_on_both_sides(void **state)
{
	char line[201];

	memset(line, 'x', 200);
	memcpy(line + 100, "MARK", 4);
	line[200] = '\0';
	assert_string_equal(marked(&narrow_frame, line, 100, 104, NULL), " 7 | …xxxxxxxxxxxxMARKxxxxxxxxxxxx…\n"
									 "   |              ^^^^\n");
	memset(line + 60, 'M', 100);
	assert_string_equal(marked(&narrow_frame, line, 60, 160, NULL), " 7 | …MMMMMMMMMMMMMMMMMMMMMMMMMMMM…\n"
									"   |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n");
}

static void of_a_huge_line_only_the_neighbourhood_is_read(void **state)
{
	const size_t size = 3000000;
	struct buf line = BUF_INIT;
	struct snippet_view view;

	for (size_t i = 0; i < size / 3; i++)
		buf_add_text(&line, "日");
	memcpy(line.bytes + size / 2, "MARK_7_BYTES", 12);
	assert_string_equal(marked(&narrow_frame, buf_text(&line), (uint32_t)size / 2, (uint32_t)size / 2 + 12, NULL),
			    " 7 | …日日日日MARK_7_BYTES日日日日…\n"
			    "   |          ^^^^^^^^^^^^\n");
	view = snippet_view_get(&narrow_frame, buf_get(&line), (struct span){0, (uint32_t)size});
	assert_true(view.line.length < 1000);
	view = snippet_view_get(&narrow_frame, buf_get(&line), (struct span){(uint32_t)size, (uint32_t)size});
	assert_true(view.line.length < 1000);
	assert_int_equal(view.to, view.width);
	buf_release(&line);
}

static void a_line_that_just_fits_is_not_cut(void **state)
{
	assert_null(strstr(marked(&narrow_frame, "abcdefghijklmnopqrstuvwxyz0123", 29, 30, NULL), "…"));
	assert_non_null(strstr(marked(&narrow_frame, "abcdefghijklmnopqrstuvwxyz01234", 0, 1, NULL), "…"));
}

static void a_wide_character_cut_in_half_leaves_a_space(void **state)
{
	/* 40 columns; the last 29 are shown, of which the first is half of a character. */
	assert_string_equal(marked(&narrow_frame, "日日日日日日日日日日日日日日日日日日日日", 57, 60, NULL),
			    " 7 | … 日日日日日日日日日日日日日日\n"
			    "   |                             ^^\n");
}

static void a_label_without_room_gets_its_own_line(void **state)
{
	assert_string_equal(marked(&narrow_frame, "abcdefghijklmnopqrstuvwxyz", 20, 22, "not so short"),
			    " 7 | abcdefghijklmnopqrstuvwxyz\n"
			    "   |                     ^^\n"
			    "   |     not so short\n");
	assert_string_equal(marked(&narrow_frame, "abcdefghijklmnopqrstuvwxyz", 6, 26, "not so short"),
			    " 7 | abcdefghijklmnopqrstuvwxyz\n"
			    "   |       ^^^^^^^^^^^^^^^^^^^^\n"
			    "   |       not so short\n");
}

static void a_long_label_is_broken_at_spaces(void **state)
{
	assert_string_equal(marked(&narrow_frame, "abcdefghijklmnopqrstuvwxyz", 4, 6, "1. one two three four five six seven"),
			    " 7 | abcdefghijklmnopqrstuvwxyz\n"
			    "   |     ^^\n"
			    "   |     1. one two three four five\n"
			    "   |        six seven\n");
}

static void words_are_kept_whole(void **state)
{
	struct buf wrapped = BUF_INIT;

	visible_add_wrapped(&wrapped, STR("aa bb cccccccc d"), 5, STR("> "), 0);
	assert_string_equal(buf_text(&wrapped), "aa bb\n> cccccccc\n> d");
	buf_reset(&wrapped);
	visible_add_wrapped(&wrapped, STR("use 'f(x, y)', or 'g(xxxxxx, y)'"), 11, STR(""), 0);
	assert_string_equal(buf_text(&wrapped), "use\n'f(x, y)',\nor\n'g(xxxxxx,\ny)'");
	buf_reset(&wrapped);
	visible_add_wrapped(&wrapped, STR("aa  bb \n"), 0, STR("> "), 0);
	assert_string_equal(buf_text(&wrapped), "aa  bb \\n");
	buf_reset(&wrapped);
	visible_add_wrapped(&wrapped, STR("日本 日本"), 8, STR(""), 0);
	assert_string_equal(buf_text(&wrapped), "日本\n日本");
	buf_release(&wrapped);
}

static struct excerpt excerpt_of(const char *line, uint32_t start, uint32_t end, uint32_t end_line)
{
	return (struct excerpt){.start = {3, start}, .end = {end_line, end}, .line_text = line,
				.line_length = strlen(line)};
}

static void an_excerpt_is_marked_by_code_points(void **state)
{
	struct excerpt excerpt = excerpt_of("x = 日本", 5, 7, 3);
	struct snippet_view view = snippet_view_of(&wide_frame, &excerpt);

	assert_int_equal(view.mark_start, 4);
	assert_int_equal(view.mark_end, 8);
	assert_int_equal(snippet_column_offset(&excerpt, 6), 7);
	assert_int_equal(snippet_column_offset(&excerpt, 99), 10);
}

static void an_excerpt_of_several_lines_is_marked_to_the_end_of_its_first(void **state)
{
	struct excerpt excerpt = excerpt_of("  f(a,  ", 3, 2, 5);
	struct snippet_view view = snippet_view_of(&wide_frame, &excerpt);

	assert_int_equal(view.mark_start, 2);
	assert_int_equal(view.mark_end, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_moves_the_cursor_or_turns_text_is_escaped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(letters_of_all_scripts_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bytes_that_are_not_utf8_are_escaped, set_up, tear_down),
		cmocka_unit_test(width_is_in_columns),
		cmocka_unit_test_setup_teardown(marks_stand_under_what_they_mark, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_empty_mark_is_one_column, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tabs_become_spaces_up_to_the_next_stop, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wide_and_combining_characters_keep_marks_in_place, set_up, tear_down),
		cmocka_unit_test_setup_teardown(blanks_at_the_end_are_not_printed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_long_line_is_cut_behind_the_mark, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_long_line_is_cut_before_the_mark, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_long_line_is_cut_on_both_sides, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_a_huge_line_only_the_neighbourhood_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_line_that_just_fits_is_not_cut, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_wide_character_cut_in_half_leaves_a_space, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_label_without_room_gets_its_own_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_long_label_is_broken_at_spaces, set_up, tear_down),
		cmocka_unit_test_setup_teardown(words_are_kept_whole, set_up, tear_down),
		cmocka_unit_test(an_excerpt_is_marked_by_code_points),
		cmocka_unit_test(an_excerpt_of_several_lines_is_marked_to_the_end_of_its_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
