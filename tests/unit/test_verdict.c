#include "confirm/verdict.h"

#include "temp_tree.h"

enum { STEPS = 48, FIRST = 6 };

static struct reported_process process;
static struct reported_holder holder;

/* A holder in which of each step LEFT(step) bytes are left. */
static struct growth with(int64_t (*left)(int64_t step), int64_t nodes)
{
	holder.births.count = 0;
	for (int64_t step = 1; step <= STEPS; step++) {
		if (left(step))
			VEC_ADD(&holder.births, ((struct reported_birth){step, 1, left(step), nodes, left(step)}));
	}
	return growth_of(&process, &holder);
}

static int64_t always(int64_t step) { return 4; }
static int64_t early(int64_t step) { return step < 12 ? 4 : 0; }
static int64_t late(int64_t step) { return step > STEPS - 8 ? 4 : 0; }
static int64_t every_other(int64_t step) { return step % 2 ? 400 : 4; }
static int64_t each_tenth(int64_t step) { return step % 10 ? 0 : 40; }
static int64_t by_chance(int64_t step) { return strchr("\1\2\5\11\13\20\21\25\32\33\37\45\46\53", (int)step) ? 4 : 0; }
static int64_t more_and_more_slowly(int64_t step) { return strchr("\7\10\12\15\21\30\41\54", (int)step) ? 4 : 0; }
static int64_t replaced_at_random(int64_t step) { return strchr("\11\25\36\40\43\45\46\50\51\53\54", (int)step) ? 4 : 0; }
static int64_t fading(int64_t step) { return step < 24 ? 400 : 4; }
static int64_t saw(int64_t step) { return step > 32 ? 4 : 0; }
static int64_t nearly(int64_t step) { return step % 10 ? 4 : 0; }

static int set_up(void **state)
{
	process = (struct reported_process){.first = FIRST, .last = STEPS};
	holder = (struct reported_holder){.key = "xs", .host_bytes = -1, .used = -1, .first = -1, .last = -1};
	return 0;
}

static int tear_down(void **state)
{
	VEC_RELEASE(&holder.births);
	VEC_RELEASE(&holder.stores);
	VEC_RELEASE(&holder.allocs);
	return 0;
}

static void what_is_left_of_nearly_every_step_leaks(void **state)
{
	struct growth growth = with(always, 9);

	assert_true(growth.leaks);
	assert_int_equal((int)growth.bytes, 4);
	assert_int_equal((int)growth.nodes, 9);
	assert_true(with(nearly, 0).leaks);
	growth = with(every_other, 0);
	assert_true(growth.leaks);
	assert_in_range((int)growth.bytes, 190, 210);
	assert_true(growth_is_uneven(&growth));
}

static void what_is_left_now_and_then_leaks_too(void **state)
{
	struct growth growth = with(each_tenth, 0);

	assert_true(growth.leaks);
	assert_int_equal(growth.period, 10);
	assert_int_equal(growth.births, 4);
	assert_int_equal(growth.steps, 4);
	assert_int_equal((int)growth.bytes, 4);
	assert_true(with(by_chance, 0).leaks);
}

static int64_t longer_and_longer(int64_t step) { return 10 * step; }

static void the_spread_is_that_of_the_middle_half(void **state)
{
	struct growth growth = with(always, 9);

	assert_int_equal((int)growth.least_bytes, 4);
	assert_int_equal((int)growth.most_bytes, 4);
	assert_false(growth_is_uneven(&growth));
	growth = with(longer_and_longer, 0); /* 60 to 440 B in steps 6 to 44 */
	assert_int_equal((int)growth.bytes, 250);
	assert_int_equal((int)growth.least_bytes, 150);
	assert_int_equal((int)growth.most_bytes, 350);
	assert_true(growth_is_uneven(&growth));
}

static void caches_windows_and_saw_teeth_do_not(void **state)
{
	assert_false(with(early, 0).leaks);
	assert_false(with(late, 0).leaks);
	assert_false(with(more_and_more_slowly, 0).leaks);
	assert_false(with(replaced_at_random, 0).leaks);
	assert_false(with(fading, 0).leaks);
	assert_false(with(saw, 0).leaks);
}

static void too_few_steps_show_nothing(void **state)
{
	process.last = FIRST + 8;
	assert_false(with(always, 0).leaks);
}

static const struct predicted finding = {.path = "/x.py", .name = "raw-tensor-log", .line = 5, .end_line = 6};

struct outcome {
	enum verdict verdict;
	size_t unpredicted, gathered, bounded;
};

static struct outcome judged(void)
{
	struct reported reported = {.bad_lines = 0};
	struct reported_process *one = &process;
	struct judgements judgements;
	struct outcome outcome;

	VEC_ADD(&reported.processes, one);
	judge_run(&reported, &finding, 1, &judgements);
	outcome = (struct outcome){judgements.findings.items[0].verdict, judgements.unpredicted.count, judgements.gathered.count,
				   judgements.bounded.count};
	judgements_release(&judgements);
	VEC_RELEASE(&reported.processes);
	return outcome;
}

static void check_verdict(enum verdict wanted, size_t wanted_unpredicted)
{
	struct outcome outcome = judged();

	assert_int_equal(outcome.verdict, wanted);
	assert_int_equal(outcome.unpredicted, wanted_unpredicted);
}

static void a_finding_is_what_its_line_stores(void **state)
{
	struct reported_holder *one = &holder;

	VEC_ADD(&process.holders, one);
	with(always, 9);
	check_verdict(VERDICT_NOT_OBSERVED, 1);
	VEC_ADD(&holder.stores, ((struct reported_line){.path = "/x.py", .line = 6, .count = 3}));
	check_verdict(VERDICT_CONFIRMED, 0);
	for (size_t i = 0; i < holder.births.count; i++)
		holder.births.items[i].device = 0;
	check_verdict(VERDICT_CONFIRMED_HOST, 0); /* tensors that a run with a GPU keeps on the CPU */
	for (size_t i = 0; i < holder.births.count; i++)
		holder.births.items[i].bytes = 0;
	check_verdict(VERDICT_CONFIRMED_HOST, 0);
	holder.stores.items[0].path = "/y.py";
	check_verdict(VERDICT_NOT_OBSERVED, 1);
	holder.stores.items[0].callers[1] = (struct reported_caller){"/x.py", 5};
	check_verdict(VERDICT_CONFIRMED_HOST, 0);
	holder.stores.count = 0;
	holder.place = (struct reported_caller){"/x.py", 5}; /* as of a cache at its decorator */
	check_verdict(VERDICT_CONFIRMED_HOST, 0);
	VEC_RELEASE(&process.holders);
}

static void what_is_made_at_a_line_is_about_rules_that_say_so(void **state)
{
	static const struct predicted made = {.path = "/x.py", .name = "create-graph-backward", .line = 5, .end_line = 5};
	struct reported reported = {.bad_lines = 0};
	struct reported_process *one = &process;
	struct reported_holder *held = &holder;
	struct judgements judgements;

	VEC_ADD(&process.holders, held);
	VEC_ADD(&reported.processes, one);
	VEC_ADD(&holder.allocs, ((struct reported_line){.path = "/x.py", .line = 5, .count = 1}));
	with(always, 9);
	judge_run(&reported, &made, 1, &judgements);
	assert_int_equal(judgements.findings.items[0].verdict, VERDICT_CONFIRMED);
	judgements_release(&judgements);
	check_verdict(VERDICT_NOT_OBSERVED, 1); /* that of another rule */
	VEC_RELEASE(&reported.processes);
	VEC_RELEASE(&process.holders);
}

static void only_what_ran_is_refuted(void **state)
{
	check_verdict(VERDICT_NOT_OBSERVED, 0);
	VEC_ADD(&process.covers, ((struct reported_cover){0, 7, 4}));
	check_verdict(VERDICT_NOT_OBSERVED, 0);
	process.covers.items[0].steps = 24;
	check_verdict(VERDICT_REFUTED, 0);
	process.covers.items[0] = (struct reported_cover){0, 8, 4};
	check_verdict(VERDICT_REFUTED, 0);
	VEC_ADD(&process.probes, ((struct reported_probe){.finding = 0, .kind = "anomaly", .hits = 3}));
	check_verdict(VERDICT_REFUTED, 0); /* which is about something else */
	process.probes.items[0].kind = "sync";
	check_verdict(VERDICT_CONFIRMED, 0);
	VEC_RELEASE(&process.covers);
	VEC_RELEASE(&process.probes);
}

/* The verdict on a finding at line 5 and whether it is constant, after a probe at LINE with a CALLER (0: none). */
static enum verdict probed(const char *path, int64_t line, int64_t caller, bool *is_constant)
{
	struct reported reported = {.bad_lines = 0};
	struct reported_process *one = &process;
	struct reported_probe probe = {.finding = -1, .kind = "eval-at-step", .path = path, .line = line, .hits = 3,
				       .callers = {{caller ? "/x.py" : NULL, caller}}};
	const struct predicted eval = {.path = "/x.py", .name = "eval-not-restored", .line = 5, .end_line = 5};
	struct judgements judgements;
	enum verdict verdict;

	VEC_ADD(&process.probes, probe);
	VEC_ADD(&reported.processes, one);
	judge_run(&reported, &eval, 1, &judgements);
	verdict = judgements.findings.items[0].verdict;
	*is_constant = judgements.findings.items[0].bounded && strcmp(judgements.findings.items[0].bounded, "constant") == 0;
	judgements_release(&judgements);
	VEC_RELEASE(&reported.processes);
	VEC_RELEASE(&process.probes);
	return verdict;
}

static void a_probe_speaks_for_the_finding_that_is_nearest(void **state)
{
	bool is_constant;

	assert_int_equal(probed("/x.py", 5, 0, &is_constant), VERDICT_CONFIRMED);
	assert_true(is_constant);
	assert_int_equal(probed("/y.py", 9, 5, &is_constant), VERDICT_CONFIRMED);
	assert_int_equal(probed("/x.py", 70, 0, &is_constant), VERDICT_CONFIRMED); /* the only one in the file */
	assert_int_equal(probed("/y.py", 5, 0, &is_constant), VERDICT_NOT_OBSERVED);
	assert_int_equal(probed(NULL, 0, 0, &is_constant), VERDICT_NOT_OBSERVED);
	assert_false(is_constant);
}

static int64_t from_thirty(int64_t step) { return step >= 30 ? 4 : 0; }

static void a_holder_is_judged_over_its_own_steps(void **state)
{
	assert_false(with(from_thirty, 0).leaks);
	holder.first = 30;
	holder.last = 48;
	assert_true(with(from_thirty, 0).leaks);
}

static void what_is_emptied_at_times_grows_until_then(void **state)
{
	struct growth growth;

	holder.bounded = "sawtooth";
	growth = with(saw, 3);
	assert_true(growth.leaks);
	assert_true(growth.is_emptied);
	holder.bounded = "window";
	assert_false(with(always, 3).leaks);
}

static void what_is_gathered_is_no_leak_that_nobody_predicted(void **state)
{
	struct reported_holder *one = &holder;

	VEC_ADD(&process.holders, one);
	with(always, 0);
	holder.bytes = holder.used = 1000;
	assert_int_equal(judged().unpredicted, 0);
	assert_int_equal(judged().gathered, 1);
	holder.used = 10; /* views of large storages */
	assert_int_equal(judged().unpredicted, 1);
	assert_int_equal(judged().gathered, 0);
	holder.used = holder.bytes;
	holder.key = "<unreached>"; /* that no name leads to it is no wish of anybody's */
	for (size_t i = 0; i < holder.births.count; i++)
		holder.births.items[i].bytes = 4096;
	assert_int_equal(judged().unpredicted, 1);
	for (size_t i = 0; i < holder.births.count; i++)
		holder.births.items[i].bytes = 1; /* a scalar of torch's own */
	assert_int_equal(judged().unpredicted, 0);
	VEC_RELEASE(&process.holders);
}

static void what_is_bounded_is_kept_apart(void **state)
{
	struct reported_holder *one = &holder;

	VEC_ADD(&process.holders, one);
	with(early, 3);
	assert_int_equal(judged().bounded, 0); /* so far nobody has said why */
	holder.bounded = "filled";
	assert_int_equal(judged().bounded, 1);
	assert_int_equal(judged().unpredicted + judged().gathered, 0);
	VEC_RELEASE(&process.holders);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_left_of_nearly_every_step_leaks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_left_now_and_then_leaks_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_spread_is_that_of_the_middle_half, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_bounded_is_kept_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(caches_windows_and_saw_teeth_do_not, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_holder_is_judged_over_its_own_steps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_emptied_at_times_grows_until_then, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_gathered_is_no_leak_that_nobody_predicted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_few_steps_show_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_finding_is_what_its_line_stores, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_made_at_a_line_is_about_rules_that_say_so, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_what_ran_is_refuted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_probe_speaks_for_the_finding_that_is_nearest, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
