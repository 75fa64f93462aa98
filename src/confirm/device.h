/* What a run shows of its accelerators besides leaks: reserved memory that grows though tensors don't, memory that nobody is
 * known to hold, what rounding costs. Borrows what it is given; all but device_look is pure. */
#ifndef VRAMLINT_CONFIRM_DEVICE_H
#define VRAMLINT_CONFIRM_DEVICE_H

#include "confirm/reported.h"

/* How one device's numbers have changed over the steps that count: from their lows in the first quarter of these to their lows
 * in the last, so that what comes and goes within steps doesn't matter. */
struct device_growth {
	int64_t first, last;                    /* steps */
	int64_t apart;                          /* steps between the two lows of what grows steadily */
	int64_t allocated, requested, reserved; /* bytes; requested is 0 where it is not told */
	int64_t beyond;                         /* of what is reserved beyond the most that was ever allocated till then */
	int64_t rises, late_rises;              /* steps in which more was reserved than before, and those in the later half */
	bool fragments;                         /* reserved grows on and on, and not for tensors */
};

/* False where fewer than eight steps tell of DEVICE. */
bool device_growth_of(const struct reported_process *process, int64_t device, struct device_growth *growth);

/* What the driver said of a GPU when most of it was used. */
struct device_driver {
	const char *uuid;    /* of the arena of what was reported */
	int64_t total, used; /* by all processes of the machine */
	const char *version; /* or NULL */
};

struct device_watch {
	struct os_gpus *gpus;
	bool is_over;  /* there is no such library */
	double asked;  /* when it was last */
	VEC(struct device_driver) seen;
};

/* Asks the driver, a few times a minute and only of GPUs that the run has reported. NOW: seconds. */
void device_look(struct device_watch *watch, struct reported *reported, double now);
void device_watch_release(struct device_watch *watch);
/* What it said of the GPU with UUID, or NULL. */
const struct device_driver *device_driver_of(const struct device_watch *watch, const char *uuid);

#endif
