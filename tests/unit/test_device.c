#include "confirm/device.h"

#include "temp_tree.h"

enum { STEPS = 48, MB = 1 << 20 };

static struct reported_process process;
static struct reported_device numbers[STEPS];

/* A run whose device has ALLOCATED(step) and RESERVED(step) bytes at each step. */
static struct device_growth with(int64_t (*allocated)(int64_t step), int64_t (*reserved)(int64_t step))
{
	struct device_growth growth;

	process.curve.count = 0;
	for (int64_t step = 1; step <= STEPS; step++) {
		numbers[step - 1] = (struct reported_device){.device = 1, .allocated = allocated(step), .requested = allocated(step) / 2,
							     .reserved = reserved(step), .peak = -1};
		VEC_ADD(&process.curve, ((struct reported_step){.step = step, .devices = &numbers[step - 1], .device_count = 1}));
	}
	process.steps = STEPS;
	process.last = -1;
	assert_true(device_growth_of(&process, 1, &growth));
	return growth;
}

static int64_t steady(int64_t step) { return 100 * MB; }
static int64_t leak(int64_t step) { return 100 * MB + step * MB; }
static int64_t varied(int64_t step) { return (60 + step * 7 % 31) * MB; }
static int64_t warm(int64_t step) { return (step < 10 ? 100 + 10 * step : 200) * MB; }
static int64_t stairs(int64_t step) { return 120 * MB + step / 8 * 20 * MB; }
static int64_t one_rise(int64_t step) { return (step < 30 ? 120 : 200) * MB; }
static int64_t along(int64_t step) { return leak(step) / (20 * MB) * 20 * MB + 20 * MB; }
static int64_t longer(int64_t step) { return (step % 8 ? 10 : 80 + step * 5) * MB; }
static int64_t for_longer(int64_t step) { return 120 * MB + step / 8 * 40 * MB; }

static void reserved_that_grows_without_tensors_is_fragmentation(void **state)
{
	struct device_growth growth = with(varied, stairs);

	assert_true(growth.fragments);
	assert_int_equal(growth.first, 6);
	assert_int_equal(growth.last, 48);
	assert_int_equal(growth.rises, 6);
	assert_int_equal(growth.late_rises, 3);
	assert_int_equal(growth.reserved, 80 * MB);
	assert_true(with(steady, stairs).fragments);
}

static void what_tensors_explain_is_not(void **state)
{
	assert_false(with(leak, along).fragments);
	assert_int_equal(with(leak, along).allocated, 33 * MB);
	assert_int_equal(with(leak, along).requested, 33 * MB / 2);
	assert_false(with(steady, warm).fragments);     /* a warm-up */
	assert_false(with(steady, one_rise).fragments); /* one batch that was longer */
	assert_false(with(longer, for_longer).fragments); /* batches that grow longer: the most that was needed grows */
}

static void too_little_says_nothing(void **state)
{
	struct device_growth growth;

	with(varied, stairs);
	assert_false(device_growth_of(&process, 0, &growth));
	process.curve.count = 12; /* of which those from the sixth on count */
	process.steps = 12;
	assert_true(device_growth_of(&process, 1, &growth));
	process.curve.count = 9;
	assert_false(device_growth_of(&process, 1, &growth));
	numbers[8].allocated = numbers[8].reserved = -1;
	process.curve.count = 12;
	assert_true(device_growth_of(&process, 1, &growth));
}

static void a_clock_that_begins_anew_counts_alone(void **state)
{
	struct device_growth growth;
	struct reported_process both = {.steps = STEPS, .last = -1};

	with(varied, stairs);
	for (size_t i = 40; i < STEPS; i++)
		VEC_ADD(&both.curve, process.curve.items[i]);
	for (size_t i = 0; i < STEPS; i++)
		VEC_ADD(&both.curve, process.curve.items[i]);
	assert_true(device_growth_of(&both, 1, &growth));
	assert_int_equal(growth.first, 6);
	VEC_RELEASE(&both.curve);
}

static int tear_down(void **state)
{
	VEC_RELEASE(&process.curve);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reserved_that_grows_without_tensors_is_fragmentation),
		cmocka_unit_test(what_tensors_explain_is_not),
		cmocka_unit_test(too_little_says_nothing),
		cmocka_unit_test(a_clock_that_begins_anew_counts_alone),
	};
	return cmocka_run_group_tests(tests, NULL, tear_down);
}
