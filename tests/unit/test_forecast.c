#include "confirm/forecast.h"

#include "confirm/say.h"
#include "temp_tree.h"

static struct reported_process process;
static struct reported_holder holder;
static struct reported reported;
static struct judgements judgements;
static const struct predicted finding = {.path = "/x.py", .name = "tensor-append", .code = "VL101", .line = 5, .end_line = 5};

/* 48 steps of a tenth of a second each, of each of which BYTES and NODES are left. */
static int set_up(void **state)
{
	struct reported_process *one = &process;
	struct reported_holder *kept = &holder;

	process = (struct reported_process){.first = 6, .last = 48, .steps = 48, .device = "cpu", .rank = -1, .crash_live = -1};
	holder = (struct reported_holder){.key = "xs", .host_bytes = 48 * 1000, .used = -1, .first = -1, .last = -1};
	reported = (struct reported){.bad_lines = 0};
	for (int64_t step = 1; step <= 48; step++) {
		VEC_ADD(&process.curve, ((struct reported_step){.step = step, .live = 500 * step, .host = -1, .rss = 1000000,
							       .seconds = (double)step / 10}));
		VEC_ADD(&holder.births, ((struct reported_birth){.step = step, .tensors = 1, .bytes = 500, .nodes = 2, .device = 500}));
	}
	VEC_ADD(&process.holders, kept);
	VEC_ADD(&reported.processes, one);
	VEC_ADD(&holder.stores, ((struct reported_line){.path = "/x.py", .line = 5, .count = 3}));
	return 0;
}

static int tear_down(void **state)
{
	judgements_release(&judgements);
	VEC_RELEASE(&process.curve);
	VEC_RELEASE(&process.holders);
	VEC_RELEASE(&holder.births);
	VEC_RELEASE(&holder.stores);
	VEC_RELEASE(&reported.processes);
	return 0;
}

static struct forecast forecast(int64_t total, int64_t available)
{
	struct os_memory memory = {total, available, false};

	judgements_release(&judgements);
	judge_run(&reported, &finding, 1, &judgements);
	return forecast_make(&reported, &judgements, &memory);
}

static void memory_is_full_when_what_is_left_has_grown_away(void **state)
{
	struct forecast made = forecast(100000000, 16000000);

	assert_true(made.tensors > 499 && made.tensors < 501);
	assert_true(made.step_seconds > 0.099 && made.step_seconds < 0.101);
	assert_true(made.machine.is_known);
	assert_false(made.device.is_known);
	/* 16 MB less the one that the run took, which is free again; by 500 B of tensors and 1000 B of graphs a step */
	assert_int_equal(made.machine.left, 15000000);
	assert_true(made.machine.steps > 9999 && made.machine.steps < 10001);
	assert_true(made.machine.seconds > 999 && made.machine.seconds < 1001);
}

static void nothing_is_said_of_what_is_not_known(void **state)
{
	assert_false(forecast(-1, -1).machine.is_known);
	assert_false(forecast(1000, -1).machine.is_known);
	process.curve.count = 2;
	assert_true(forecast_step_seconds(&process) < 0);
	assert_true(forecast(1000000000, 900000000).machine.is_known);
	assert_true(forecast(1000000000, 900000000).machine.seconds < 0);
	holder.births.count = 5;
	assert_false(forecast(1000000000, 900000000).machine.is_known);
}

static void what_is_emptied_fills_nothing(void **state)
{
	holder.bounded = "sawtooth";
	assert_false(forecast(1000000000, 900000000).machine.is_known);
	assert_true(forecast(1000000000, 900000000).tensors > 499);
	holder.bounded = "window";
	assert_false(forecast(1000000000, 900000000).machine.is_known);
	assert_true(forecast(1000000000, 900000000).tensors == 0);
}

static void a_device_fills_by_tensors_and_the_machine_by_graphs(void **state)
{
	struct reported_device devices[] = {{.device = 0, .allocated = 1000, .total = 2000000},
					    {.device = 1, .allocated = 1990000, .total = 2000000}};
	struct forecast made;

	process.device = "cuda:0";
	process.curve.items[47].devices = devices;
	process.curve.items[47].device_count = 2;
	made = forecast(100000000, 16000000);
	assert_true(made.device.is_known && made.device.steps > 19 && made.device.steps < 21);
	assert_true(made.machine.is_known && made.machine.bytes > 999 && made.machine.bytes < 1001);
}

static void check_said(void (*say)(struct buf *out, const struct told *told), double fail_over, const char *wanted, bool fails)
{
	struct os_memory memory = {100000000, 16000000, false};
	struct confirm_outcome outcome = {.reported = reported, .seconds = 4.8};
	struct told told = {.outcome = &outcome, .judgements = &judgements, .command = "x.py", .folder = "/", .fail_over = fail_over};
	struct buf text = BUF_INIT;

	judgements_release(&judgements);
	judge_run(&reported, &finding, 1, &judgements);
	told_init(&told, &memory);
	say(&text, &told);
	if (!strstr(buf_text(&text), wanted))
		fail_msg("'%s' is not in '%s'", wanted, buf_text(&text));
	assert_int_equal(told_fails(&told), fails);
	told_release(&told);
	buf_release(&text);
}

static void little_growth_may_pass(void **state)
{
	check_said(say_forecast, 0, "host memory (15.0 MB left) are full after about", true);
	check_said(say_forecast, 1000, "over the 1.0 kB that --fail-over allows", true);
	check_said(say_forecast, 2000, "within the 2.0 kB that --fail-over allows", false);
	holder.stores.items[0].line = 9; /* now nobody has predicted it */
	check_said(say_forecast, 1000, "over", true);
	check_said(say_totals, 2000, "1 unpredicted", false);
	VEC_ADD(&process.probes, ((struct reported_probe){.finding = 0, .kind = "sync", .hits = 3, .steps = 2}));
	judgements.findings.count = 0;
	VEC_RELEASE(&process.probes);
}

static void few_steps_are_provisional(void **state)
{
	check_said(say_run, 0, "48 steps of 'x.py' in 4.8 s (10.0 steps a second), torch of unknown version on cpu", true);
	process.steps = 20;
	check_said(say_remarks, 0, "verdicts are provisional", true);
	check_said(say_forecast, 0, "provisional: at ", true);
}

static void a_crash_is_told_with_what_is_known(void **state)
{
	process.crash = "OutOfMemoryError: out of\nmemory";
	process.is_oom = true;
	process.crash_step = 48;
	VEC_ADD(&process.crash_at, ((struct reported_line){.path = "/a/b.py", .line = 3}));
	check_said(say_troubles, 0, "it ran out of memory after step 48 at a/b.py:3: OutOfMemoryError: out of memory\n", true);
	holder.bytes = 24000;
	holder.tensors = 48;
	check_said(say_troubles, 0, "tensors took 24.0 kB, the process 1.0 MB; most is held by xs (24.0 kB in 48 tensors)", true);
	VEC_RELEASE(&process.crash_at);
}

static void numbers_are_words(void **state)
{
	static const struct {
		void (*say)(struct buf *out, double number);
		double number;
		const char *words;
	} said[] = {
		{say_bytes, 0, "0 B"}, {say_bytes, 999, "999 B"}, {say_bytes, 999.9, "1.0 kB"}, {say_bytes, 99960, "100 kB"},
		{say_bytes, 1.25e9, "1.2 GB"}, {say_bytes, 1e20, "100000000 TB"},
		{say_number, 26, "26"}, {say_number, 9999, "9999"}, {say_number, 870400, "870 thousand"}, {say_number, 1.23e6, "1.2 million"},
		{say_number, 3e9, "3 billion"},
		{say_duration, 1, "1 seconds"}, {say_duration, 100, "100 seconds"}, {say_duration, 462, "7.7 minutes"},
		{say_duration, 36 * 3600, "36 hours"}, {say_duration, 3.4 * 86400, "3.4 days"},
	};

	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		struct buf text = BUF_INIT;

		said[i].say(&text, said[i].number);
		assert_string_equal(buf_text(&text), said[i].words);
		buf_release(&text);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_is_full_when_what_is_left_has_grown_away),
		TEST(nothing_is_said_of_what_is_not_known),
		TEST(what_is_emptied_fills_nothing),
		TEST(a_device_fills_by_tensors_and_the_machine_by_graphs),
		TEST(little_growth_may_pass),
		TEST(few_steps_are_provisional),
		TEST(a_crash_is_told_with_what_is_known),
		TEST(numbers_are_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
