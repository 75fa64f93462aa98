#include "confirm/live.h"

#include <string.h>

#include "temp_tree.h"

static void expect_plot(const struct live_plot *plot, const char *wanted)
{
	struct buf out = BUF_INIT;

	for (size_t row = 0; row < plot->rows; row++) {
		live_plot_row(&out, plot, row);
		buf_add_char(&out, '\n');
	}
	assert_string_equal(buf_text(&out), wanted);
	buf_release(&out);
}

static void numbers_rise_from_the_bottom(void **state)
{
	static const double numbers[] = {0, 1, 2, 3, 4, 5};
	struct live_plot plot = {.numbers = numbers, .count = 6, .columns = 6, .rows = 2, .least = 0, .most = 5};

	expect_plot(&plot, "   .:|\n.:||||\n");
	plot.columns = 3;
	plot.braille = true;
	plot.rows = 1;
	expect_plot(&plot, "⣠⣴⣾\n");
}

static void what_is_not_known_is_left_out(void **state)
{
	static const double numbers[] = {5, -1, 5, -1};
	struct live_plot plot = {.numbers = numbers, .count = 4, .columns = 4, .rows = 1, .least = 0, .most = 5};

	expect_plot(&plot, "| | \n");
	/* more numbers than places: the highest shows */
	plot.columns = 2;
	expect_plot(&plot, "||\n");
	/* fewer: each is as wide as it takes */
	plot.columns = 8;
	expect_plot(&plot, "||  ||  \n");
	/* all alike */
	plot.columns = 4;
	plot.least = 5;
	expect_plot(&plot, ". . \n");
	plot.count = 0;
	expect_plot(&plot, "    \n");
}

static void take(struct reported *reported, uint32_t connection, const char *text)
{
	reported_take(reported, connection, str_from(text));
}

static void expect_row(const struct reported *reported, const struct live_look *look, size_t row, const char *wanted)
{
	struct buf out = BUF_INIT;

	live_row(&out, reported, look, row);
	assert_string_equal(buf_text(&out), wanted);
	buf_release(&out);
}

static void rows_say_how_far_it_is(void **state)
{
	struct live_look look = {.columns = 70, .plot_rows = 1, .steps = 48, .seconds = 75};
	struct reported reported;
	struct buf line = BUF_INIT;

	reported_init(&reported);
	assert_int_equal(live_height(&reported, &look), 3);
	expect_row(&reported, &look, 0, "vramlint  torch is not imported yet  1:15");
	expect_row(&reported, &look, 1, "");
	take(&reported, 0, "{\"ev\":\"hello\",\"pid\":3,\"rank\":0}\n");
	expect_row(&reported, &look, 0, "vramlint  before the first step  1:15");
	take(&reported, 0, "{\"ev\":\"step\",\"i\":1,\"t\":1,\"live\":1000000}\n{\"ev\":\"step\",\"i\":3,\"t\":2,\"live\":3000000,\"host\":500}\n");
	expect_row(&reported, &look, 0, "vramlint  step 3 of 48  2.0 steps/s  1:15");
	expect_row(&reported, &look, 1, "  tensors 3.0 MB  host 500 B");
	live_line(&line, &reported, &look);
	assert_string_equal(buf_text(&line), "step 3 of 48, 2.0 steps/s, tensors 3.0 MB, host 500 B");
	take(&reported, 1, "{\"ev\":\"hello\",\"pid\":4,\"rank\":1}\n{\"ev\":\"step\",\"i\":2,\"t\":2,\"live\":7,\"dev\":[{\"d\":0,\"allocated\":1000,\"reserved\":2000},{\"d\":1,\"allocated\":500}]}\n");
	assert_int_equal(live_height(&reported, &look), 4);
	expect_row(&reported, &look, 1, "  rank 0  step 3  tensors 3.0 MB  host 500 B");
	expect_row(&reported, &look, 2, "  rank 1  step 2  allocated 1.5 kB  reserved 2.0 kB");
	/* nothing was said of the second step */
	look.columns = 22;
	look.steps = 4;
	expect_row(&reported, &look, 3, "......|||    3.0 MB");
	look.columns = 12;
	expect_row(&reported, &look, 2, "  rank 1  st");
	expect_row(&reported, &look, 3, "");
	expect_row(&reported, &look, 9, "");
	buf_release(&line);
	reported_release(&reported);
}

static void many_ranks_are_counted(void **state)
{
	struct live_look look = {.columns = 70, .steps = 48};
	struct reported reported;

	reported_init(&reported);
	for (uint32_t i = 0; i < 9; i++)
		take(&reported, i, "{\"ev\":\"hello\",\"pid\":3}\n{\"ev\":\"step\",\"i\":1}\n");
	assert_int_equal(live_height(&reported, &look), 6);
	expect_row(&reported, &look, 5, "  and 5 more");
	reported_release(&reported);
}

static void odd_numbers_do_no_harm(void **state)
{
	struct live_look look = {.columns = 40, .plot_rows = 3, .steps = 0};
	struct reported reported;
	struct buf out = BUF_INIT;

	reported_init(&reported);
	take(&reported, 0, "{\"ev\":\"hello\",\"pid\":3}\n"
			   "{\"ev\":\"step\",\"i\":-5,\"t\":-1,\"live\":0}\n{\"ev\":\"step\",\"i\":9000000000000000,\"t\":-2,\"live\":8e15}\n"
			   "{\"ev\":\"step\",\"i\":7,\"t\":1e300,\"live\":null,\"host\":null}\n");
	for (size_t row = 0; row < 8; row++)
		live_row(&out, &reported, &look, row);
	live_line(&out, &reported, &look);
	assert_null(strstr(buf_text(&out), "nan"));
	buf_release(&out);
	reported_release(&reported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_rise_from_the_bottom), cmocka_unit_test(what_is_not_known_is_left_out),
		cmocka_unit_test(rows_say_how_far_it_is),	cmocka_unit_test(many_ranks_are_counted),
		cmocka_unit_test(odd_numbers_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
