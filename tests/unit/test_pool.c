#include "engine/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/os.h"

/* A job that only counts, and checks what the pool promises. */
struct fake {
	struct os_mutex *mutex;
	size_t window;
	size_t expected; /* the item to be delivered next */
	size_t held;     /* results made and not delivered */
	size_t most_held;
	int workers;
	int most_workers;
	int ticks;
	size_t slow_item; /* takes this one until all other items in the window are done */
	double item_seconds;
};

struct fake_worker {
	struct fake *fake;
	size_t in_use;
};

static void *worker_new(void *context)
{
	struct fake *fake = context;
	struct fake_worker *worker = mem_new(1, sizeof *worker);

	worker->fake = fake;
	fake->workers++;
	if (fake->workers > fake->most_workers)
		fake->most_workers = fake->workers;
	return worker;
}

static void worker_free(void *context, void *worker)
{
	((struct fake *)context)->workers--;
	free(worker);
}

static size_t held_get(struct fake *fake)
{
	size_t held;

	os_mutex_lock(fake->mutex);
	held = fake->held;
	os_mutex_unlock(fake->mutex);
	return held;
}

static void *work(void *context, void *data, size_t index)
{
	struct fake *fake = context;
	struct fake_worker *worker = data;
	size_t *result = mem_new(1, sizeof *result);
	double until = os_seconds() + fake->item_seconds;

	/* Not by an assertion, which jumps and would leave this thread's stack. */
	if (worker->in_use++ > 0)
		abort();
	/* The others fill the window and must stop there. */
	while (index == fake->slow_item && held_get(fake) + 1 < fake->window)
		;
	while (fake->item_seconds > 0 && os_seconds() < until)
		;
	*result = index * 3;
	os_mutex_lock(fake->mutex);
	fake->held++;
	if (fake->held > fake->most_held)
		fake->most_held = fake->held;
	os_mutex_unlock(fake->mutex);
	worker->in_use--;
	return result;
}

static void deliver(void *context, size_t index, void *result)
{
	struct fake *fake = context;

	assert_int_equal(index, fake->expected++);
	assert_int_equal(*(size_t *)result, index * 3);
	free(result);
	os_mutex_lock(fake->mutex);
	fake->held--;
	os_mutex_unlock(fake->mutex);
}

static void tick(void *context, size_t done)
{
	struct fake *fake = context;

	assert_true(done >= fake->expected);
	fake->ticks++;
}

static struct fake run_fake(struct fake fake, size_t count, int threads)
{
	struct pool_job job = {
		.context = &fake, .count = count, .window = fake.window, .threads = threads, .worker_new = worker_new,
		.worker_free = worker_free, .work = work, .deliver = deliver, .tick = tick,
	};

	fake.mutex = os_mutex_new();
	pool_run(&job);
	os_mutex_free(fake.mutex);
	assert_int_equal(fake.expected, count);
	assert_int_equal(fake.held, 0);
	assert_int_equal(fake.workers, 0);
	return fake;
}

static void delivers_all_in_order(void **state)
{
	for (int threads = 1; threads <= 8; threads++) {
		for (size_t window = 1; window <= 64; window *= 4)
			run_fake((struct fake){.window = window, .slow_item = SIZE_MAX}, 500, threads);
	}
}

static void starts_no_more_threads_than_items(void **state)
{
	struct fake fake = run_fake((struct fake){.window = 9, .slow_item = SIZE_MAX}, 3, 8);

	assert_int_equal(fake.most_workers, 3);
	run_fake((struct fake){.window = 9, .slow_item = SIZE_MAX}, 0, 8);
}

static void a_slow_item_holds_the_window_up(void **state)
{
	struct fake fake = run_fake((struct fake){.window = 16, .slow_item = 5}, 400, 4);

	/* The slow one saw the window full but for itself, and nobody went beyond. */
	assert_int_equal(fake.most_held, 16);
}

static void ticks_while_it_works(void **state)
{
	struct fake fake = run_fake((struct fake){.window = 4, .slow_item = SIZE_MAX, .item_seconds = 0.15}, 3, 1);

	assert_true(fake.ticks >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delivers_all_in_order),
		cmocka_unit_test(starts_no_more_threads_than_items),
		cmocka_unit_test(a_slow_item_holds_the_window_up),
		cmocka_unit_test(ticks_while_it_works),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
