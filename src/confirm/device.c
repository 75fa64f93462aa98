#include "confirm/device.h"

#include <stddef.h>
#include <string.h>

#include "base/os_gpu.h"

/* ---- growth ---- */

/* Fewer steps say nothing; segments are of 2 MB at least, so that one of them is no growth. */
enum { LEAST_STEPS = 8, LEAST_RISES = 2 };
static const int64_t LEAST_GROWTH = 4 << 20;

/* One step's numbers of the device that is looked at. */
struct point {
	int64_t step, allocated, requested, reserved, beyond;
};
struct points {
	struct point *items;
	size_t count, room;
};

/* Steps before a verdict's begin; those that a process which has not left would name. */
static int64_t first_of(const struct reported_process *process)
{
	int64_t eighth = process->steps / 8;

	return process->last >= 0 ? process->first : eighth > 3 ? eighth : 3;
}

static void gather(const struct reported_process *process, int64_t device, struct points *points)
{
	int64_t first = first_of(process), peak = 0;

	for (size_t i = 0; i < process->curve.count; i++) {
		const struct reported_step *step = &process->curve.items[i];

		for (size_t d = 0; d < step->device_count; d++) {
			const struct reported_device *now = &step->devices[d];

			if (now->device != device || now->allocated < 0 || now->reserved < 0)
				continue;
			peak = now->allocated > peak ? now->allocated : peak;
			peak = now->peak > peak ? now->peak : peak;
			/* a better clock counts from 1 again */
			while (points->count > 0 && points->items[points->count - 1].step >= step->step)
				points->count--;
			if (step->step >= first)
				VEC_ADD(points, ((struct point){step->step, now->allocated, now->requested, now->reserved,
								now->reserved - peak}));
		}
	}
}

/* The least of the members at OFFSET of the points from FIRST on. */
static int64_t low(const struct point *points, size_t first, size_t count, size_t offset)
{
	int64_t least = INT64_MAX;

	for (size_t i = first; i < first + count; i++) {
		int64_t value = *(const int64_t *)(const void *)((const char *)&points[i] + offset);

		least = value < least ? value : least;
	}
	return least;
}

static int64_t rise(const struct points *points, size_t offset)
{
	size_t quarter = points->count / 4;

	return low(points->items, points->count - quarter, quarter, offset) - low(points->items, 0, quarter, offset);
}

bool device_growth_of(const struct reported_process *process, int64_t device, struct device_growth *growth)
{
	struct points points = {NULL, 0, 0};
	bool enough;

	*growth = (struct device_growth){.first = 0};
	gather(process, device, &points);
	enough = points.count >= LEAST_STEPS;
	if (enough) {
		growth->first = points.items[0].step;
		growth->last = points.items[points.count - 1].step;
		growth->apart = points.items[points.count - points.count / 4].step - growth->first;
		growth->allocated = rise(&points, offsetof(struct point, allocated));
		growth->requested = points.items[0].requested >= 0 ? rise(&points, offsetof(struct point, requested)) : 0;
		growth->reserved = rise(&points, offsetof(struct point, reserved));
		growth->beyond = rise(&points, offsetof(struct point, beyond));
		for (size_t i = 1; i < points.count; i++) {
			bool rises = points.items[i].reserved > points.items[i - 1].reserved;

			growth->rises += rises;
			growth->late_rises += rises && i >= points.count / 2;
		}
		growth->fragments = growth->beyond >= LEAST_GROWTH && growth->beyond * 2 >= growth->reserved &&
				    growth->rises >= LEAST_RISES && growth->late_rises > 0;
	}
	VEC_RELEASE(&points);
	return enough;
}

/* ---- the driver ---- */

static const double PAUSE = 2; /* seconds between two questions */

const struct device_driver *device_driver_of(const struct device_watch *watch, const char *uuid)
{
	for (size_t i = 0; uuid && i < watch->seen.count; i++) {
		if (strcmp(watch->seen.items[i].uuid, uuid) == 0)
			return &watch->seen.items[i];
	}
	return NULL;
}

static void ask(struct device_watch *watch, struct reported *reported, const char *uuid)
{
	struct device_driver *known = (struct device_driver *)device_driver_of(watch, uuid);
	struct os_gpu gpu;

	if (!os_gpus_read(watch->gpus, uuid, &gpu))
		return;
	if (!known) {
		VEC_ADD(&watch->seen, ((struct device_driver){
			.uuid = uuid, .version = gpu.driver[0] ? arena_dup(&reported->arena, gpu.driver) : NULL}));
		known = &watch->seen.items[watch->seen.count - 1];
	}
	if ((int64_t)gpu.used >= known->used) {
		known->used = (int64_t)gpu.used;
		known->total = (int64_t)gpu.total;
	}
}

void device_look(struct device_watch *watch, struct reported *reported, double now)
{
	if (watch->is_over || (watch->asked > 0 && now - watch->asked < PAUSE))
		return;
	for (size_t i = 0; i < reported->processes.count; i++) {
		const struct reported_process *process = reported->processes.items[i];

		for (size_t d = 0; d < process->gpu_count; d++) {
			if (!process->gpus[d].uuid)
				continue;
			if (!watch->gpus)
				watch->gpus = os_gpus_new();
			watch->is_over = !watch->gpus;
			if (watch->is_over)
				return;
			watch->asked = now;
			ask(watch, reported, process->gpus[d].uuid);
		}
	}
}

void device_watch_release(struct device_watch *watch)
{
	os_gpus_free(watch->gpus);
	watch->gpus = NULL;
	VEC_RELEASE(&watch->seen);
}
