/* What a run shows of its accelerators besides leaks: reserved memory that grows though tensors don't, memory that nobody is
 * known to hold, what rounding costs. All but device_look are pure. */
#ifndef VRAMLINT_CONFIRM_DEVICE_H
#define VRAMLINT_CONFIRM_DEVICE_H

#include "base/buf.h"
#include "confirm/reported.h"
#include "text/json_writer.h"

/* How one device's numbers have changed over the steps that count. */
struct device_growth {
	int64_t first, last;                   /* steps, of which it has numbers */
	int64_t allocated, requested, reserved; /* bytes by which each has grown; allocated and requested by their lows */
	int64_t beyond;                        /* growth of what is reserved beyond the highest that was ever allocated */
	int64_t stairs;                        /* times that reserved rose, and in the later half of the steps */
	int64_t late_stairs;
	bool fragments;                        /* reserved grows for ever, and not for tensors: no leak */
};

/* False where there are fewer than eight steps with numbers of DEVICE. */
bool device_growth_of(const struct reported_process *process, int64_t device, struct device_growth *growth);

/* What the driver says of a GPU, at the time when most of it was used. */
struct device_driver {
	const char *uuid;
	int64_t total, used;
	const char *driver; /* version, or NULL */
};
struct device_watch {
	struct os_gpus *gpus;
	bool is_over;         /* there is no library, or nothing to ask it of */
	double asked;         /* when, in seconds */
	VEC(struct device_driver) seen;
};
/* Asks the driver, now and then and only of GPUs that the run has reported, while it goes on; NOW in seconds. */
void device_look(struct device_watch *watch, struct reported *reported, double now);
void device_watch_release(struct device_watch *watch);

/* Appends some lines on each device of each process; nothing where there are none. */
void device_tell_text(struct buf *out, const struct reported *reported, const struct device_watch *watch);
/* Adds the member "devices", a list, in the same case. */
void device_tell_json(struct json_writer *json, const struct reported *reported, const struct device_watch *watch);

#endif
