#include "confirm/picture.h"

#include "temp_tree.h"

static struct reported_process process;
static struct reported_holder holder;
static struct reported reported;
static struct confirm_outcome outcome;
static struct judgements judgements;
static struct told told;
static struct buf drawn;

static int set_up(void **state)
{
	struct reported_process *one = &process;

	process = (struct reported_process){.steps = 48, .rank = -1, .first = 6, .last = 48};
	holder = (struct reported_holder){.key = "a < b", .host_bytes = -1, .used = -1, .first = -1, .last = -1};
	reported = (struct reported){.bad_lines = 0};
	VEC_ADD(&reported.processes, one);
	return 0;
}

static int tear_down(void **state)
{
	VEC_RELEASE(&process.curve);
	VEC_RELEASE(&process.holders);
	VEC_RELEASE(&holder.births);
	VEC_RELEASE(&reported.processes);
	buf_release(&drawn);
	return 0;
}

static void step(int64_t number, int64_t live)
{
	VEC_ADD(&process.curve, ((struct reported_step){.step = number, .live = live, .host = -1, .rss = -1}));
}

static size_t count_of(const char *text)
{
	size_t count = 0;

	for (size_t at = 0; (at = str_find(buf_get(&drawn), str_from(text), at)) != SIZE_MAX; at++)
		count++;
	return count;
}

static void draw_curve(int width)
{
	struct picture_curve curves[PICTURE_CURVES];

	outcome = (struct confirm_outcome){.reported = reported};
	told = (struct told){.outcome = &outcome, .judgements = &judgements, .process = &process};
	buf_reset(&drawn);
	assert_int_equal(picture_curves_get(&told, curves), 1);
	picture_add_curve(&drawn, &told, &curves[0], width);
}

static void draw_births(enum told_kind kind)
{
	struct told_row row = {.kind = kind, .process = &process, .holder = &holder, .processes = 1};

	buf_reset(&drawn);
	picture_add_births(&drawn, &told, &row, PICTURE_WIDE);
}

static void a_curve_has_its_points_and_phases(void **state)
{
	for (int64_t i = 1; i <= 48; i++)
		step(i, 1000 * i);
	draw_curve(PICTURE_WIDE);
	assert_int_equal(count_of("class=\"hit\""), 48);
	assert_int_equal(count_of("<title>step 7: allocated 7.0 kB</title>"), 1);
	assert_int_equal(count_of(">warm-up<"), 1);
	assert_int_equal(count_of("class=\"crash\""), 0);
	process.crash = "OutOfMemoryError: x";
	process.is_oom = true;
	draw_curve(PICTURE_NARROW);
	assert_int_equal(count_of(">out of memory<"), 1);
}

static void small_changes_of_large_amounts_are_seen(void **state)
{
	step(1, 300000000);
	step(2, 300000064);
	draw_curve(PICTURE_WIDE);
	assert_int_equal(count_of(">above 300 MB<"), 1);
	assert_int_equal(count_of(">+20 B<"), 1);
}

static void long_runs_are_thinned_and_keep_their_peaks(void **state)
{
	for (int64_t i = 1; i <= 100000; i++)
		step(i, i == 77777 ? 9999999 : 1000);
	draw_curve(PICTURE_WIDE);
	assert_in_range(count_of("class=\"hit\""), 100, 400);
	assert_int_equal(count_of("<title>step 77777: allocated 10.0 MB</title>"), 1);
}

static void a_clock_that_begins_anew_is_drawn_from_there(void **state)
{
	step(1, 5);
	step(2, 5);
	step(1, 70);
	step(2, 71);
	step(3, 72);
	draw_curve(PICTURE_WIDE);
	assert_int_equal(count_of("class=\"hit\""), 3);
	assert_int_equal(count_of("allocated 5 B"), 0);
}

static void numbers_without_end_are_drawn_all_the_same(void **state)
{
	step(INT64_MAX - 1, INT64_MAX - 1);
	step(INT64_MAX, INT64_MAX);
	draw_curve(PICTURE_WIDE);
	assert_in_range(count_of("<line"), 1, 200);
	process.curve.count = 0;
	step(1, 0);
	step(2, 0);
	draw_curve(PICTURE_WIDE);
	assert_int_equal(count_of("nan"), 0);
	assert_int_equal(count_of("inf"), 0);
}

static void each_birth_has_a_bar_in_the_colour_of_its_kind(void **state)
{
	for (int64_t i = 3; i <= 7; i++)
		VEC_ADD(&holder.births, ((struct reported_birth){.step = i, .tensors = 2, .bytes = 4000}));
	draw_births(TOLD_BOUNDED);
	assert_int_equal(count_of("class=\"bounded\""), 5);
	assert_int_equal(count_of("<title>made in step 3: 4.0 kB in 2 tensors, 0 graph nodes are left</title>"), 1);
	assert_int_equal(count_of("<title>made in step 8: nothing is left</title>"), 1);
	assert_int_equal(count_of("a < b"), 0);
	assert_int_equal(count_of("a &#60; b"), 1);
	draw_births(TOLD_LEAKS);
	assert_int_equal(count_of("class=\"leaks\""), 5);
}

static void graphs_are_counted_in_nodes(void **state)
{
	VEC_ADD(&holder.births, ((struct reported_birth){.step = 1, .tensors = 1, .bytes = 4, .nodes = 26}));
	draw_births(TOLD_LEAKS);
	assert_int_equal(count_of(">26 nodes<"), 1);
}

static void many_births_share_bars(void **state)
{
	for (int64_t i = 1; i <= 100000; i++)
		VEC_ADD(&holder.births, ((struct reported_birth){.step = i, .tensors = 1, .bytes = 4}));
	VEC_ADD(&holder.births, ((struct reported_birth){.step = -7, .tensors = 1, .bytes = 4}));
	draw_births(TOLD_LEAKS);
	assert_in_range(count_of("class=\"leaks\""), 100, PICTURE_WIDE / 3);
	VEC_ADD(&holder.births, ((struct reported_birth){.step = 9000000000000000, .tensors = 1, .bytes = 9000000000000000}));
	draw_births(TOLD_LEAKS);
	assert_in_range(count_of("class=\"leaks\""), 1, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_curve_has_its_points_and_phases),
		TEST(small_changes_of_large_amounts_are_seen),
		TEST(long_runs_are_thinned_and_keep_their_peaks),
		TEST(a_clock_that_begins_anew_is_drawn_from_there),
		TEST(numbers_without_end_are_drawn_all_the_same),
		TEST(each_birth_has_a_bar_in_the_colour_of_its_kind),
		TEST(graphs_are_counted_in_nodes),
		TEST(many_births_share_bars),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
