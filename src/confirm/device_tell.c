#include "confirm/device_tell.h"

#include <string.h>

#include "confirm/device.h"
#include "confirm/say.h"
#include "report/visible.h"

/* Lines of one device that make what nobody holds. */
enum { UNHELD_NAMED = 3 };

static const struct reported_device *numbers_of(const struct reported_step *step, int64_t device)
{
	for (size_t d = 0; d < step->device_count; d++) {
		if (step->devices[d].device == device)
			return &step->devices[d];
	}
	return NULL;
}

static const struct reported_device *last_numbers(const struct reported_process *process, int64_t device)
{
	const struct reported_device *numbers = numbers_of(&process->at_crash, device);

	for (size_t i = process->curve.count; i > 0 && !numbers; i--)
		numbers = numbers_of(&process->curve.items[i - 1], device);
	return numbers;
}

static const struct reported_layout *layout_of(const struct reported_process *process, int64_t device)
{
	for (size_t i = 0; i < process->layouts.count; i++) {
		if (process->layouts.items[i].device == device)
			return &process->layouts.items[i];
	}
	return NULL;
}

static double per_step(const struct device_growth *growth, int64_t bytes)
{
	return growth->apart > 0 ? (double)bytes / (double)growth->apart : 0;
}

/* ---- for people ---- */

static void add_numbers(struct buf *out, const struct reported_process *process, const struct reported_gpu *gpu)
{
	const struct reported_device *last = last_numbers(process, gpu->device);

	visible_add(out, str_from(gpu->kind ? gpu->kind : "cuda"));
	buf_format(out, ":%lld", (long long)gpu->device);
	if (process->rank > 0)
		buf_format(out, " of rank %lld", (long long)process->rank);
	if (gpu->name) {
		buf_add_text(out, ", ");
		visible_add(out, str_from(gpu->name));
	}
	if (gpu->total > 0) {
		buf_add_text(out, ", ");
		say_bytes(out, (double)gpu->total);
	}
	if (last && last->allocated >= 0) {
		buf_add_text(out, ": allocated ");
		say_bytes(out, (double)last->allocated);
		if (last->peak >= 0) {
			buf_add_text(out, " (at most ");
			say_bytes(out, (double)last->peak);
			buf_add_char(out, ')');
		}
		buf_add_text(out, ", reserved ");
		say_bytes(out, (double)last->reserved);
	}
	buf_add_char(out, '\n');
}

void device_tell_fragmentation(struct buf *out, const struct told *told, const struct reported_process *process,
			       int64_t device, const char *indent)
{
	const struct reported_layout *layout = layout_of(process, device);
	struct device_growth growth;

	if (!device_growth_of(process, device, &growth) || !growth.fragments)
		return;
	buf_format(out, "%sreserved grows by ", indent);
	say_bytes(out, per_step(&growth, growth.reserved));
	buf_format(out, " a step, in %lld rises from step %lld to %lld, of which tensors explain ", (long long)growth.rises,
		   (long long)growth.first, (long long)growth.last);
	say_bytes(out, per_step(&growth, growth.reserved - growth.beyond > 0 ? growth.reserved - growth.beyond : 0));
	buf_add_text(out, ": fragmentation, no leak");
	if (layout && layout->pieces > 0) {
		buf_add_text(out, "; ");
		say_bytes(out, (double)layout->free);
		buf_format(out, " are free in %lld piece%s, the largest of ", (long long)layout->pieces, layout->pieces == 1 ? "" : "s");
		say_bytes(out, (double)layout->largest);
	}
	if (layout && layout->asked.path) {
		buf_add_text(out, "; more was last asked for at ");
		say_place(out, told, layout->asked.path, layout->asked.line);
	}
	buf_add_char(out, '\n');
	if (!layout || !layout->is_expandable)
		buf_format(out, "%swhat helps: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or sizes that vary less\n", indent);
}

/* What small tensors cost by being rounded up, where that is most of the growth. */
static void add_rounding(struct buf *out, const struct device_growth *growth)
{
	int64_t rounding = growth->allocated - growth->requested;

	if (growth->requested <= 0 || rounding * 2 < growth->allocated)
		return;
	buf_add_text(out, "    of the ");
	say_bytes(out, per_step(growth, growth->allocated));
	buf_add_text(out, " by which it grows a step, ");
	say_bytes(out, per_step(growth, rounding));
	buf_add_text(out, " are rounding: each tensor takes 512 B or a multiple\n");
}

/* Whether the same is among the holders, as one that has no name. */
static bool is_told_as_holder(const struct reported_process *process)
{
	for (size_t i = 0; i < process->holders.count; i++) {
		if (strcmp(process->holders.items[i]->key, "<unreached>") == 0)
			return true;
	}
	return false;
}

static void add_unheld(struct buf *out, const struct told *told, const struct reported_process *process, int64_t device)
{
	size_t shown = 0;

	if (is_told_as_holder(process))
		return;
	for (size_t i = 0; i < process->unheld.count && shown < UNHELD_NAMED; i++) {
		const struct reported_unheld *unheld = &process->unheld.items[i];

		if (unheld->device != device)
			continue;
		shown++;
		buf_add_text(out, "    it grows by ");
		say_bytes(out, (double)unheld->bytes / (double)(unheld->births > 0 ? unheld->births : 1));
		buf_add_text(out, " a step that no name is known to hold");
		if (unheld->path) {
			buf_add_text(out, ", made at ");
			say_place(out, told, unheld->path, unheld->line);
		}
		buf_add_char(out, '\n');
	}
}

static void add_trouble(struct buf *out, const struct reported_process *process, const struct reported_gpu *gpu)
{
	const struct reported_device *last = last_numbers(process, gpu->device);
	const struct reported_layout *layout = layout_of(process, gpu->device);

	if (last && last->retries > 0)
		buf_format(out, "    its allocator had to empty its cache and ask again %lld time%s, which takes long: it is nearly full\n",
			   (long long)last->retries, last->retries == 1 ? "" : "s");
	if (last && last->ooms > 0)
		buf_format(out, "    it was out of memory %lld time%s\n", (long long)last->ooms, last->ooms == 1 ? "" : "s");
	if (layout && layout->waiting > 0) {
		buf_add_text(out, "    ");
		say_bytes(out, (double)layout->waiting);
		buf_add_text(out, " were let go and wait for another stream\n");
	}
}

static void add_driver(struct buf *out, const struct told *told, const struct reported_gpu *gpu)
{
	const struct device_driver *driver = device_driver_of(&told->outcome->devices, gpu->uuid);

	if (!driver)
		return;
	buf_add_text(out, "    the GPU: ");
	say_bytes(out, (double)driver->used);
	buf_add_text(out, " of ");
	say_bytes(out, (double)driver->total);
	buf_add_text(out, " used by all processes");
	if (driver->version) {
		buf_add_text(out, "; driver ");
		visible_add(out, str_from(driver->version));
	}
	buf_add_char(out, '\n');
}

void device_tell(struct buf *out, const struct told *told)
{
	const struct reported *reported = &told->outcome->reported;

	for (size_t i = 0; i < reported->processes.count; i++) {
		const struct reported_process *process = reported->processes.items[i];

		for (size_t d = 0; d < process->gpu_count; d++) {
			const struct reported_gpu *gpu = &process->gpus[d];
			struct device_growth growth;

			add_numbers(out, process, gpu);
			device_tell_fragmentation(out, told, process, gpu->device, "    ");
			if (device_growth_of(process, gpu->device, &growth))
				add_rounding(out, &growth);
			add_unheld(out, told, process, gpu->device);
			add_trouble(out, process, gpu);
			add_driver(out, told, gpu);
		}
		if (process->gpu_count > 0 && process->missing) {
			buf_add_text(out, "    births on it are reckoned, as there is no history: ");
			visible_add(out, str_from(process->missing));
			buf_add_char(out, '\n');
		}
	}
}

/* ---- for programs ---- */

static void growth_add(struct json_writer *json, const struct reported_process *process, int64_t device)
{
	struct device_growth growth;

	if (!device_growth_of(process, device, &growth)) {
		json_member_text(json, "growth", NULL);
		return;
	}
	json_member_object(json, "growth");
	json_member_int(json, "first_step", growth.first);
	json_member_int(json, "last_step", growth.last);
	json_member_int(json, "allocated_per_step", (int64_t)per_step(&growth, growth.allocated));
	json_member_int(json, "requested_per_step", (int64_t)per_step(&growth, growth.requested));
	json_member_int(json, "reserved_per_step", (int64_t)per_step(&growth, growth.reserved));
	json_member_int(json, "reserved_beyond_tensors_per_step", (int64_t)per_step(&growth, growth.beyond));
	json_member_int(json, "reserved_rises", growth.rises);
	json_member_bool(json, "fragments", growth.fragments);
	json_object_end(json);
}

static void unheld_add(struct json_writer *json, const struct reported_process *process, int64_t device)
{
	json_member_array(json, "unheld");
	for (size_t i = 0; i < process->unheld.count; i++) {
		const struct reported_unheld *unheld = &process->unheld.items[i];

		if (unheld->device != device)
			continue;
		json_object_begin(json);
		json_member_text(json, "path", unheld->path);
		json_member_int(json, "line", unheld->line);
		json_member_int(json, "bytes", unheld->bytes);
		json_member_int(json, "steps_left", unheld->births);
		json_object_end(json);
	}
	json_array_end(json);
}

static void free_add(struct json_writer *json, const struct reported_process *process, int64_t device)
{
	const struct reported_layout *layout = layout_of(process, device);

	if (!layout) {
		json_member_text(json, "free", NULL);
		return;
	}
	json_member_object(json, "free");
	json_member_int(json, "bytes", layout->free);
	json_member_int(json, "largest", layout->largest);
	json_member_int(json, "pieces", layout->pieces);
	json_member_int(json, "waiting", layout->waiting);
	json_member_bool(json, "expandable_segments", layout->is_expandable);
	json_object_end(json);
}

static void device_add(struct json_writer *json, const struct told *told, const struct reported_process *process,
		       const struct reported_gpu *gpu)
{
	static const struct reported_device unknown = {0, -1, -1, -1, -1, -1, -1, -1, -1, -1};
	const struct reported_device *last = last_numbers(process, gpu->device);
	const struct device_driver *driver = device_driver_of(&told->outcome->devices, gpu->uuid);

	last = last ? last : &unknown;
	json_object_begin(json);
	json_member_int(json, "pid", process->process);
	json_member_int(json, "rank", process->rank);
	json_member_text(json, "kind", gpu->kind);
	json_member_int(json, "device", gpu->device);
	json_member_text(json, "name", gpu->name);
	json_member_text(json, "uuid", gpu->uuid);
	json_member_known(json, "total", gpu->total);
	json_member_known(json, "allocated", last->allocated);
	json_member_known(json, "requested", last->requested);
	json_member_known(json, "reserved", last->reserved);
	json_member_known(json, "peak", last->peak);
	json_member_known(json, "retries", last->retries);
	json_member_known(json, "ooms", last->ooms);
	growth_add(json, process, gpu->device);
	free_add(json, process, gpu->device);
	unheld_add(json, process, gpu->device);
	json_member_text(json, "no_history", process->missing);
	json_member_known(json, "used_by_all", driver ? driver->used : -1);
	json_member_text(json, "driver", driver ? driver->version : NULL);
	json_object_end(json);
}

void device_tell_json(struct json_writer *json, const struct told *told)
{
	const struct reported *reported = &told->outcome->reported;

	json_member_array(json, "devices");
	for (size_t i = 0; i < reported->processes.count; i++) {
		const struct reported_process *process = reported->processes.items[i];

		for (size_t d = 0; d < process->gpu_count; d++)
			device_add(json, told, process, &process->gpus[d]);
	}
	json_array_end(json);
}
