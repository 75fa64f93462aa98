#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/region.h"

/* "é" is two bytes and one unit, "💩" four bytes and two units. */
#define LINE_1 "\xC3\xA9 = f(\xF0\x9F\x92\xA9, x"
#define TEXT LINE_1 "\n  \xF0\x9F\x92\xA9)\n"

static struct source source;

static int set_up(void **state)
{
	return source_init(&source, STR(TEXT), NULL) ? 0 : -1;
}

static int tear_down(void **state)
{
	source_release(&source);
	return 0;
}

static struct excerpt excerpt(uint32_t from, uint32_t to)
{
	struct str line = source_line_text(&source, source_line(&source, from));

	return (struct excerpt){
		.span = {from, to},
		.start = source_place(&source, from),
		.end = source_place(&source, to),
		.line_text = line.at,
		.line_length = line.length,
	};
}

static void is(struct region region, uint32_t line, uint32_t column, uint32_t end_line, uint32_t end_column)
{
	assert_int_equal(region.line, line);
	assert_int_equal(region.column, column);
	assert_int_equal(region.end_line, end_line);
	assert_int_equal(region.end_column, end_column);
}

static void columns_are_counted_in_units(void **state)
{
	struct excerpt at = excerpt(5, 14); /* f(💩, x */

	is(region_of(&at, &source, COLUMN_CHARACTERS), 1, 5, 1, 11);
	is(region_of(&at, &source, COLUMN_UTF16), 1, 5, 1, 12);
	is(region_of(&at, &source, COLUMN_BYTES), 1, 6, 1, 15);
}

static void several_lines_end_on_the_last(void **state)
{
	struct excerpt at = excerpt(5, 22);

	is(region_of(&at, &source, COLUMN_CHARACTERS), 1, 5, 2, 5);
	is(region_of(&at, &source, COLUMN_UTF16), 1, 5, 2, 6);
	is(region_of(&at, &source, COLUMN_BYTES), 1, 6, 2, 8);
	is(region_of_first_line(&at, &source, COLUMN_UTF16), 1, 5, 1, 12);
	is(region_of(&at, NULL, COLUMN_UTF16), 1, 5, 1, 12);
}

static void spans_are_found_in_the_source(void **state)
{
	is(region_of_span(&source, (struct span){7, 11}, COLUMN_UTF16), 1, 7, 1, 9);
	is(region_of_span(&source, (struct span){23, 23}, COLUMN_BYTES), 3, 1, 3, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(columns_are_counted_in_units, set_up, tear_down),
		cmocka_unit_test_setup_teardown(several_lines_end_on_the_last, set_up, tear_down),
		cmocka_unit_test_setup_teardown(spans_are_found_in_the_source, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
