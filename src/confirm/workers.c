#include "confirm/workers.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/os.h"
#include "base/os_tree.h"
#include "confirm/say.h"
#include "text/json_writer.h"

/* ---- reading ---- */

static const struct reported_process *process_get(const struct reported *reported, int64_t number)
{
	for (size_t i = 0; i < reported->processes.count; i++) {
		if (reported->processes.items[i]->process == number)
			return reported->processes.items[i];
	}
	return NULL;
}

static bool any_trains(const struct reported *reported)
{
	for (size_t i = 0; i < reported->processes.count; i++) {
		if (reported->processes.items[i]->steps > 0)
			return true;
	}
	return false;
}

/* Those below one that trains which do not train themselves. */
static void search(struct workers_watch *watch, const struct reported *reported)
{
	enum { MOST = 256 };
	struct os_process *processes;
	struct arena arena;
	size_t count;

	watch->known.count = 0;
	if (!any_trains(reported))
		return;
	arena_init(&arena);
	count = os_tree_list(getpid(), &arena, &processes);
	for (size_t i = 0; i < count && watch->known.count < MOST; i++) {
		const struct reported_process *own = process_get(reported, processes[i].process);
		const struct reported_process *parent = process_get(reported, processes[i].parent);

		if (parent && parent->steps > 0 && !(own && own->steps > 0) && !processes[i].is_dead)
			VEC_ADD(&watch->known, ((struct workers_known){processes[i].process, processes[i].parent}));
	}
	arena_release(&arena);
}

static void read_one(const struct workers_watch *watch, const struct workers_known *known, const struct reported *reported,
		     double now, struct buf *events)
{
	const struct reported_process *parent = process_get(reported, known->parent);
	int64_t own = os_own_memory(known->process);
	struct json_writer json;

	if (own <= 0)
		return; /* it has just ended */
	json_writer_init(&json, events);
	json_object_begin(&json);
	json_member_text(&json, "ev", "worker");
	json_member_int(&json, "pid", known->process);
	json_member_int(&json, "parent", known->parent);
	json_member_int(&json, "step", parent ? parent->steps : 0);
	json_member_int(&json, "ms", (int64_t)((now - watch->began) * 1000));
	json_member_int(&json, "own", own);
	json_object_end(&json);
	buf_add_char(events, '\n');
}

/* The longer they run, the more seldom: a curve needs no more points. */
static double between(const struct workers_watch *watch, double now)
{
	static const double OFTEN = 0.01, POINTS = 100;

	return OFTEN + (watch->first > 0 ? now - watch->first : 0) / POINTS;
}

double workers_wait(const struct workers_watch *watch)
{
	static const double NONE = 0.1;
	double wait = watch->known.count ? between(watch, os_seconds()) : NONE;

	return wait < NONE ? wait : NONE;
}

void workers_look(struct workers_watch *watch, const struct reported *reported, struct buf *events)
{
	static const double SEARCH = 1, SOON = 0.05, MOST = 0.02, FREE = 0.05;
	double now = os_seconds(), began;

	if (now - watch->looked < between(watch, now) || watch->spent > FREE + MOST * (now - watch->began))
		return;
	began = os_thread_seconds();
	watch->looked = now;
	if (now - watch->searched > (watch->known.count ? SEARCH : SOON)) {
		watch->searched = now;
		search(watch, reported);
	}
	if (watch->known.count && watch->first <= 0)
		watch->first = now;
	for (size_t i = 0; i < watch->known.count; i++)
		read_one(watch, &watch->known.items[i], reported, now, events);
	watch->spent += os_thread_seconds() - began;
}

void workers_release(struct workers_watch *watch)
{
	VEC_RELEASE(&watch->known);
}

/* ---- judging ---- */

static double median(double *numbers, size_t count)
{
	numbers_sort(numbers, count);
	return numbers[count / 2];
}

struct worker_growth worker_growth_of(const struct reported_worker *worker)
{
	/* Of the readings, the first part is warm-up; what the rest shows in its three parts is told from noise by its size. */
	enum { WARM_PART = 4, LEAST = 5, PARTS = 3, NOISE = 512 * 1024, LEAST_STEPS = 8, LEAST_SECONDS = 5 };
	struct worker_growth growth = {.grows = false};
	size_t warm = worker->readings.count / WARM_PART, left = worker->readings.count - warm;
	const struct reported_reading *readings = worker->readings.items + warm, *last;
	double *bytes, part[PARTS], span;

	if (left < LEAST)
		return growth;
	bytes = mem_new(left, sizeof *bytes);
	for (size_t i = 0; i < left; i++)
		bytes[i] = (double)readings[i].own;
	for (size_t i = 0; i < PARTS; i++)
		part[i] = median(bytes + left * i / PARTS, left * (i + 1) / PARTS - left * i / PARTS);
	free(bytes);
	last = &readings[left - 1];
	growth.first = readings->own;
	growth.last = last->own;
	growth.by_seconds = last->step <= readings->step;
	span = growth.by_seconds ? last->seconds - readings->seconds : (double)(last->step - readings->step);
	growth.grows = span >= (growth.by_seconds ? LEAST_SECONDS : LEAST_STEPS) && part[1] - part[0] > NOISE &&
		       part[2] - part[1] > NOISE && part[2] - part[1] > (part[1] - part[0]) / PARTS;
	growth.bytes = span > 0 ? (double)(growth.last - growth.first) / span : 0;
	return growth;
}

const struct reported_worker *workers_most(const struct reported *reported, struct worker_growth *growth)
{
	const struct reported_worker *most = NULL;

	for (size_t i = 0; i < reported->workers.count; i++) {
		struct worker_growth its = worker_growth_of(reported->workers.items[i]);

		if (its.grows && (!most || its.bytes > growth->bytes)) {
			most = reported->workers.items[i];
			*growth = its;
		}
	}
	return most;
}

void workers_say(struct buf *out, const struct reported_worker *worker)
{
	struct worker_growth growth = worker_growth_of(worker);

	buf_format(out, "worker process %lld grew from ", (long long)worker->process);
	say_bytes(out, (double)growth.first);
	buf_add_text(out, " to ");
	say_bytes(out, (double)growth.last);
	buf_add_text(out, ", ");
	say_bytes(out, growth.bytes);
	buf_add_text(out, growth.by_seconds ? " a second" : " a step");
}

void workers_tell(struct buf *out, const struct reported *reported)
{
	struct worker_growth growth;
	const struct reported_worker *worker = workers_most(reported, &growth);

	if (!worker)
		return;
	workers_say(out, worker);
	buf_add_char(out, '\n');
}
