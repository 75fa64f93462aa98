/* Work on numbered items, by several threads, with results delivered in order of the numbers.
 *
 * Knows nothing of files or findings. Results of at most WINDOW items are held
 * at a time, so that one slow item does not pile up all the others. */
#ifndef VRAMLINT_ENGINE_POOL_H
#define VRAMLINT_ENGINE_POOL_H

#include <stddef.h>

struct pool_job {
	void *context; /* handed to all functions below */
	size_t count;  /* items, numbered from 0 */
	size_t window; /* at least 1 */
	int threads;   /* at least 1; fewer are started where there is less to do or no more can be had */

	/* On the calling thread. A worker serves one thread at a time. */
	void *(*worker_new)(void *context);
	void (*worker_free)(void *context, void *worker);
	/* On the worker's thread, whose stack is 16 MiB. */
	void *(*work)(void *context, void *worker, size_t index);
	/* On the calling thread, in order; takes RESULT. */
	void (*deliver)(void *context, size_t index, void *result);
	/* On the calling thread, about ten times a second while there is work; may be NULL. DONE counts items worked on. */
	void (*tick)(void *context, size_t done);
};

/* Returns when all is delivered. Where no thread can be started the calling one does the work. */
void pool_run(const struct pool_job *job);

#endif
