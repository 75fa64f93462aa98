/* sched_getaffinity on Linux, _SC_NPROCESSORS_ONLN on macOS. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#elif defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE
#endif

#include "base/os.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

struct os_thread {
	pthread_t id;
	void (*run)(void *);
	void *argument;
};

struct os_mutex {
	pthread_mutex_t lock;
};

struct os_condition {
	pthread_cond_t signal;
};

int os_cpu_count(void)
{
	long count;
#ifdef __linux__
	cpu_set_t allowed;

	/* Fails where the machine has more cores than the set has bits. */
	if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
		return CPU_COUNT(&allowed);
#endif
	count = sysconf(_SC_NPROCESSORS_ONLN);
	return count > 0 ? (int)count : 1;
}

static void *thread_main(void *argument)
{
	struct os_thread *thread = argument;

	thread->run(thread->argument);
	return NULL;
}

struct os_thread *os_thread_new(void (*run)(void *), void *argument, size_t stack, struct err *err)
{
	struct os_thread *thread = mem_new(1, sizeof *thread);
	pthread_attr_t attributes;
	int number;

	thread->run = run;
	thread->argument = argument;
	number = pthread_attr_init(&attributes);
	if (number == 0) {
		number = pthread_attr_setstacksize(&attributes, stack);
		if (number == 0)
			number = pthread_create(&thread->id, &attributes, thread_main, thread);
		pthread_attr_destroy(&attributes);
	}
	if (number == 0)
		return thread;
	err_set(err, ERR_LIMIT, "cannot start a thread with a stack of %zu bytes: error %d", stack, number);
	free(thread);
	return NULL;
}

void os_thread_join(struct os_thread *thread)
{
	if (pthread_join(thread->id, NULL) != 0)
		BUG("a thread that cannot be joined");
	free(thread);
}

struct os_mutex *os_mutex_new(void)
{
	struct os_mutex *mutex = mem_new(1, sizeof *mutex);

	if (pthread_mutex_init(&mutex->lock, NULL) != 0)
		BUG("a mutex that cannot be made");
	return mutex;
}

void os_mutex_free(struct os_mutex *mutex)
{
	if (!mutex)
		return;
	pthread_mutex_destroy(&mutex->lock);
	free(mutex);
}

void os_mutex_lock(struct os_mutex *mutex)
{
	if (pthread_mutex_lock(&mutex->lock) != 0)
		BUG("a mutex that cannot be locked");
}

void os_mutex_unlock(struct os_mutex *mutex)
{
	if (pthread_mutex_unlock(&mutex->lock) != 0)
		BUG("a mutex that cannot be unlocked");
}

struct os_condition *os_condition_new(void)
{
	struct os_condition *condition = mem_new(1, sizeof *condition);

	if (pthread_cond_init(&condition->signal, NULL) != 0)
		BUG("a condition that cannot be made");
	return condition;
}

void os_condition_free(struct os_condition *condition)
{
	if (!condition)
		return;
	pthread_cond_destroy(&condition->signal);
	free(condition);
}

void os_condition_wait(struct os_condition *condition, struct os_mutex *mutex, double seconds)
{
	struct timespec until;

	if (seconds <= 0) {
		pthread_cond_wait(&condition->signal, &mutex->lock);
		return;
	}
	/* The wall clock, because macOS cannot wait by another; a step of the clock costs one early or late wake-up. */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += (time_t)seconds;
	until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	pthread_cond_timedwait(&condition->signal, &mutex->lock, &until);
}

void os_condition_wake_all(struct os_condition *condition)
{
	pthread_cond_broadcast(&condition->signal);
}
