#include "confirm/forecast.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"

bool forecast_is_on_cpu(const struct reported_process *process)
{
	return !process->device || strncmp(process->device, "cpu", 3) == 0;
}

double forecast_step_seconds(const struct reported_process *process)
{
	enum { FIRST = 3, LEAST = 3 }; /* the first steps take longer; fewer intervals than these tell nothing */
	size_t count = 0, first = process->curve.count > FIRST + LEAST ? FIRST : 1;
	double *times, middle;

	if (process->curve.count < first + LEAST)
		return -1;
	times = mem_new(process->curve.count, sizeof *times);
	for (size_t i = first; i < process->curve.count; i++) {
		const struct reported_step *step = &process->curve.items[i], *before = step - 1;

		if (step->step > before->step && step->seconds > before->seconds)
			times[count++] = (step->seconds - before->seconds) / (double)(step->step - before->step);
	}
	numbers_sort(times, count);
	middle = count >= LEAST ? times[count / 2] : -1;
	free(times);
	return middle;
}

bool forecast_counts(const struct judgements *judgements, const struct reported_holder *holder)
{
	for (size_t i = 0; i < judgements->gathered.count; i++) {
		if (judgements->gathered.items[i].holder == holder)
			return false;
	}
	return true;
}

struct sums {
	double tensors, host;     /* all that grows */
	double lasting_device, lasting_machine; /* where it lies, without what is emptied at times */
};

static struct sums sum_of(const struct reported_process *process, const struct judgements *judgements)
{
	struct sums sums = {0, 0, 0, 0};

	for (size_t i = 0; i < process->holders.count; i++) {
		const struct reported_holder *holder = process->holders.items[i];
		struct growth growth = growth_of(process, holder);
		double host = growth.host_bytes > 0 ? growth.host_bytes : 0;

		if (!growth.leaks || !forecast_counts(judgements, holder))
			continue;
		sums.tensors += growth.bytes;
		sums.host += host;
		if (!growth.is_emptied) {
			double device = forecast_is_on_cpu(process) ? 0 : growth.device_bytes;

			sums.lasting_device += device;
			sums.lasting_machine += growth.bytes - device + host;
		}
	}
	return sums;
}

static struct forecast_end end_of(double bytes, int64_t total, int64_t left, double step_seconds)
{
	struct forecast_end end = {.bytes = bytes, .total = total, .left = left, .seconds = -1};

	if (bytes < 1 || total <= 0 || left < 0)
		return end;
	end.is_known = true;
	end.steps = (double)left / bytes;
	if (step_seconds > 0)
		end.seconds = end.steps * step_seconds;
	return end;
}

static const struct reported_step *last_step(const struct reported_process *process)
{
	return process->curve.count ? &process->curve.items[process->curve.count - 1] : NULL;
}

/* Of the devices of PROCESS the one that is full first. */
static struct forecast_end device_end(const struct reported_process *process, double bytes, double step_seconds)
{
	const struct reported_step *last = last_step(process);
	struct forecast_end first = {.is_known = false};

	for (size_t i = 0; last && i < last->device_count; i++) {
		const struct reported_device *device = &last->devices[i];
		struct forecast_end end;

		if (device->total <= 0 || device->allocated < 0)
			continue;
		end = end_of(bytes, device->total, device->total > device->allocated ? device->total - device->allocated : 0,
			     step_seconds);
		if (end.is_known && (!first.is_known || end.left < first.left))
			first = end;
	}
	return first;
}

struct forecast forecast_make(const struct reported *reported, const struct judgements *judgements,
			      const struct os_memory *memory)
{
	struct forecast forecast = {.step_seconds = -1};
	int64_t left = memory->available;
	double machine = 0;

	for (size_t i = 0; i < reported->processes.count; i++) {
		const struct reported_process *process = reported->processes.items[i];
		const struct reported_step *last = last_step(process);
		struct sums sums = sum_of(process, judgements);
		double seconds = forecast_step_seconds(process);
		struct forecast_end device;

		if (last && last->rss > 0 && left >= 0)
			left = left > last->rss ? left - last->rss : 0;
		forecast.step_seconds = seconds > forecast.step_seconds ? seconds : forecast.step_seconds;
		if (sums.tensors + sums.host > forecast.tensors + forecast.host) {
			forecast.tensors = sums.tensors;
			forecast.host = sums.host;
		}
		machine += sums.lasting_machine;
		device = device_end(process, sums.lasting_device, seconds);
		if (device.is_known && (!forecast.device.is_known || device.steps < forecast.device.steps))
			forecast.device = device;
	}
	forecast.machine = end_of(machine, memory->total, left, forecast.step_seconds);
	return forecast;
}
