#include "engine/pool.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/os.h"

enum { THREAD_STACK = 16 << 20 };
static const double tick_seconds = 0.1;

struct slot {
	void *result;
	bool is_ready;
};

/* All below the first line is guarded by the mutex. */
struct pool {
	const struct pool_job *job;
	struct os_mutex *mutex;
	struct os_condition *ready; /* the caller waits: the next result is there */
	struct os_condition *room;  /* workers wait: the window moved on */
	struct slot *slots;         /* item i lies in slots[i % window] */
	size_t next;      /* item to be worked on */
	size_t delivered;
	size_t done;
};

struct pool_thread {
	struct pool *pool;
	void *worker;
	struct os_thread *thread;
};

static void thread_run(void *argument)
{
	const struct pool_thread *self = argument;
	struct pool *pool = self->pool;
	const struct pool_job *job = pool->job;

	os_mutex_lock(pool->mutex);
	while (pool->next < job->count) {
		size_t index;
		void *result;

		if (pool->next >= pool->delivered + job->window) {
			os_condition_wait(pool->room, pool->mutex, 0);
			continue;
		}
		index = pool->next++;
		os_mutex_unlock(pool->mutex);
		result = job->work(job->context, self->worker, index);
		os_mutex_lock(pool->mutex);
		pool->slots[index % job->window] = (struct slot){result, true};
		pool->done++;
		if (index == pool->delivered)
			os_condition_wake_all(pool->ready);
	}
	os_mutex_unlock(pool->mutex);
}

static void results_deliver(struct pool *pool)
{
	const struct pool_job *job = pool->job;
	double ticked = os_seconds();

	os_mutex_lock(pool->mutex);
	while (pool->delivered < job->count) {
		struct slot *slot = &pool->slots[pool->delivered % job->window];
		double now = os_seconds();

		if (job->tick && now - ticked >= tick_seconds) {
			size_t done = pool->done;

			ticked = now;
			os_mutex_unlock(pool->mutex);
			job->tick(job->context, done);
			os_mutex_lock(pool->mutex);
		}
		if (!slot->is_ready) {
			os_condition_wait(pool->ready, pool->mutex, tick_seconds);
			continue;
		}
		slot->is_ready = false;
		os_mutex_unlock(pool->mutex);
		job->deliver(job->context, pool->delivered, slot->result);
		os_mutex_lock(pool->mutex);
		pool->delivered++;
		os_condition_wake_all(pool->room);
	}
	os_mutex_unlock(pool->mutex);
}

static void work_here(const struct pool_job *job, void *worker)
{
	for (size_t i = 0; i < job->count; i++)
		job->deliver(job->context, i, job->work(job->context, worker, i));
}

void pool_run(const struct pool_job *job)
{
	struct pool pool = {.job = job};
	size_t wanted = (size_t)job->threads < job->count ? (size_t)job->threads : job->count;
	struct pool_thread *threads;
	size_t started = 0;

	if (job->count == 0)
		return;
	if (job->window == 0 || job->threads < 1)
		BUG("a pool without threads or window");
	threads = mem_new(wanted, sizeof *threads);
	pool.slots = mem_new(job->window, sizeof *pool.slots);
	pool.mutex = os_mutex_new();
	pool.ready = os_condition_new();
	pool.room = os_condition_new();
	for (size_t i = 0; i < wanted; i++) {
		threads[i] = (struct pool_thread){&pool, job->worker_new(job->context), NULL};
		threads[i].thread = os_thread_new(thread_run, &threads[i], THREAD_STACK, NULL);
		started += threads[i].thread != NULL;
	}
	if (started)
		results_deliver(&pool);
	else
		work_here(job, threads[0].worker);
	for (size_t i = 0; i < wanted; i++) {
		if (threads[i].thread)
			os_thread_join(threads[i].thread);
		job->worker_free(job->context, threads[i].worker);
	}
	os_condition_free(pool.room);
	os_condition_free(pool.ready);
	os_mutex_free(pool.mutex);
	free(pool.slots);
	free(threads);
}
