#include "confirm/workers.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/os_tree.h"
#include "confirm/verdict.h"
#include "temp_tree.h"

static struct reported_worker worker;

enum { MB = 1000000 };

/* A worker that has OWN(i) megabytes at the i-th of COUNT readings, STEPS_EACH steps and a second apart. */
static struct worker_growth with(int64_t (*own)(int64_t i), int64_t count, int64_t steps_each)
{
	worker.process = 7;
	worker.readings.count = 0;
	for (int64_t i = 0; i < count; i++)
		VEC_ADD(&worker.readings, ((struct reported_reading){.step = i * steps_each, .seconds = (double)i, .own = own(i) * MB}));
	return worker_growth_of(&worker);
}

static int64_t steady(int64_t i) { return 200 + i; }
static int64_t flat(int64_t i) { return 200 + i % 2 * 3; }
static int64_t filled(int64_t i) { return i < 20 ? 200 + i : 220; }
static int64_t late(int64_t i) { return i < 30 ? 200 : 170 + i; }
static int64_t falling(int64_t i) { return 300 - i; }

static int tear_down(void **state)
{
	VEC_RELEASE(&worker.readings);
	return 0;
}

static void what_rises_early_and_late_grows(void **state)
{
	struct worker_growth growth = with(steady, 40, 2);

	assert_true(growth.grows);
	assert_false(growth.by_seconds);
	assert_int_equal((int)growth.bytes, MB / 2);
	assert_int_equal(growth.first, 210 * MB);
	assert_int_equal(growth.last, 239 * MB);
	assert_true(with(steady, 10, 2).grows);
}

static void the_rest_does_not(void **state)
{
	assert_false(with(flat, 40, 2).grows);
	assert_false(with(filled, 40, 2).grows);
	assert_false(with(late, 40, 2).grows);
	assert_false(with(falling, 40, 2).grows);
	assert_false(with(steady, 0, 2).grows);
	assert_false(with(steady, 5, 2).grows);
	/* over too few steps, or too short a time where there are none */
	assert_false(with(steady, 9, 1).grows);
	assert_false(with(steady, 6, 0).grows);
}

static void without_steps_it_is_by_seconds(void **state)
{
	struct worker_growth growth = with(steady, 40, 0);

	assert_true(growth.grows);
	assert_true(growth.by_seconds);
	assert_int_equal((int)growth.bytes, MB);
}

static enum verdict verdict_on(const char *rule, int64_t hits)
{
	const struct predicted finding = {.path = "/x.py", .name = rule, .line = 3, .end_line = 3};
	struct reported_process process = {.last = -1};
	struct reported reported = {.bad_lines = 0};
	struct judgements judgements;
	enum verdict verdict;

	VEC_ADD(&process.covers, ((struct reported_cover){.finding = 0, .hits = hits, .steps = 9}));
	VEC_ADD(&reported.processes, &process);
	VEC_ADD(&reported.workers, &worker);
	judge_run(&reported, &finding, 1, &judgements);
	verdict = judgements.findings.items[0].verdict;
	assert_true((judgements.findings.items[0].worker == &worker) == (verdict == VERDICT_CONFIRMED_HOST));
	judgements_release(&judgements);
	VEC_RELEASE(&process.covers);
	VEC_RELEASE(&reported.processes);
	VEC_RELEASE(&reported.workers);
	return verdict;
}

static void it_speaks_for_rules_of_workers_only(void **state)
{
	with(steady, 40, 2);
	assert_int_equal(verdict_on("tensor-cache", 0), VERDICT_CONFIRMED_HOST);
	assert_int_equal(verdict_on("tensor-append", 0), VERDICT_NOT_OBSERVED);
	assert_int_equal(verdict_on("tensor-cache", 3), VERDICT_NOT_OBSERVED);
	assert_int_equal(verdict_on("tensor-cache", 30), VERDICT_REFUTED);
	with(flat, 40, 2);
	assert_int_equal(verdict_on("tensor-cache", 0), VERDICT_NOT_OBSERVED);
}

static void readings_are_reported_as_events(void **state)
{
	static const char text[] = "{\"ev\":\"worker\",\"pid\":7,\"parent\":3,\"step\":2,\"ms\":1500,\"own\":4096}\n"
				   "{\"ev\":\"worker\",\"pid\":8,\"parent\":3,\"step\":2,\"ms\":1500,\"own\":4096}\n"
				   "{\"ev\":\"worker\",\"pid\":7,\"parent\":3,\"step\":3,\"ms\":1600,\"own\":8192}\n";
	struct reported reported;

	reported_init(&reported);
	reported_take(&reported, 0, STR(text));
	assert_int_equal(reported.workers.count, 2);
	assert_int_equal(reported.workers.items[0]->parent, 3);
	assert_int_equal(reported.workers.items[0]->readings.count, 2);
	assert_int_equal(reported.workers.items[0]->readings.items[1].own, 8192);
	assert_true(reported.workers.items[0]->readings.items[0].seconds > 1.4);
	assert_int_equal(reported.bad_lines, 0);
	reported_release(&reported);
}

#ifdef __linux__
static void a_process_below_one_that_trains_is_looked_at(void **state)
{
	struct workers_watch watch = {.began = os_seconds() - 10};
	struct buf events = BUF_INIT, hello = BUF_INIT;
	struct reported reported;
	pid_t child = fork();

	if (child == 0) {
		alarm(30); /* it does not outlive a test that fails */
		pause();
		_exit(0);
	}
	reported_init(&reported);
	workers_look(&watch, &reported, &events);
	assert_int_equal(events.length, 0);
	buf_format(&hello, "{\"ev\":\"hello\",\"pid\":%d}\n{\"ev\":\"step\",\"i\":5}\n", (int)getpid());
	reported_take(&reported, 0, buf_get(&hello));
	watch.looked = watch.searched = 0;
	workers_look(&watch, &reported, &events);
	assert_non_null(strstr(buf_text(&events), "\"step\":5"));
	reported_take(&reported, 1, buf_get(&events));
	assert_int_equal(reported.workers.count, 1);
	assert_int_equal(reported.workers.items[0]->process, child);
	assert_true(reported.workers.items[0]->readings.items[0].own > 4096);
	/* not before its time */
	buf_reset(&events);
	watch.looked = os_seconds() + 100;
	workers_look(&watch, &reported, &events);
	assert_int_equal(events.length, 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(os_own_memory(child), -1);
	workers_release(&watch);
	reported_release(&reported);
	buf_release(&events);
	buf_release(&hello);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_rises_early_and_late_grows),
		cmocka_unit_test(the_rest_does_not),
		cmocka_unit_test(without_steps_it_is_by_seconds),
		cmocka_unit_test(it_speaks_for_rules_of_workers_only),
		cmocka_unit_test(readings_are_reported_as_events),
#ifdef __linux__
		cmocka_unit_test(a_process_below_one_that_trains_is_looked_at),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, tear_down);
}
