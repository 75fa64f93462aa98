#include "confirm/reported.h"

#include <stdlib.h>
#include <string.h>

#include "text/json_field.h"

/* Longer lines are no part of the protocol. */
enum { LINE_LIMIT = 1 << 20 };
/* What one process may report: more than any script has, and a limit for one gone wild. */
enum { MOST_ITEMS = 100000, MOST_WORKERS = 1000, MOST_PROCESSES = 4096, MOST_TEXT = 256 << 20 };

void reported_init(struct reported *reported)
{
	*reported = (struct reported){.bad_lines = 0};
	arena_init(&reported->arena);
}

static void process_release(struct reported_process *process)
{
	for (size_t i = 0; i < process->holders.count; i++) {
		struct reported_holder *holder = process->holders.items[i];

		VEC_RELEASE(&holder->births);
		VEC_RELEASE(&holder->stores);
		VEC_RELEASE(&holder->allocs);
	}
	VEC_RELEASE(&process->lacks);
	VEC_RELEASE(&process->curve);
	VEC_RELEASE(&process->holders);
	VEC_RELEASE(&process->covers);
	VEC_RELEASE(&process->probes);
	VEC_RELEASE(&process->unheld);
	VEC_RELEASE(&process->layouts);
	VEC_RELEASE(&process->crash_at);
}

void reported_release(struct reported *reported)
{
	for (size_t i = 0; i < reported->processes.count; i++)
		process_release(reported->processes.items[i]);
	for (size_t i = 0; i < reported->streams.count; i++) {
		buf_release(&reported->streams.items[i]->rest);
		free(reported->streams.items[i]);
	}
	for (size_t i = 0; i < reported->workers.count; i++)
		VEC_RELEASE(&reported->workers.items[i]->readings);
	VEC_RELEASE(&reported->processes);
	VEC_RELEASE(&reported->workers);
	VEC_RELEASE(&reported->streams);
	arena_release(&reported->arena);
}

/* ---- events ---- */

static const char *text_of(struct reported *reported, const cJSON *event, const char *name)
{
	const char *text = reported->arena.used < MOST_TEXT ? field_text(event, name) : NULL;

	return text ? arena_dup(&reported->arena, text) : NULL;
}

static void take_lack(struct reported *reported, struct reported_process *process, const cJSON *what)
{
	if (!cJSON_IsString(what) || process->lacks.count >= 100)
		return;
	for (size_t i = 0; i < process->lacks.count; i++) {
		if (strcmp(process->lacks.items[i], what->valuestring) == 0)
			return;
	}
	VEC_ADD(&process->lacks, arena_dup(&reported->arena, what->valuestring));
}

static void take_hello(struct reported *reported, struct reported_stream *stream, const cJSON *event)
{
	struct reported_process *process;
	const cJSON *lack;

	if (reported->processes.count >= MOST_PROCESSES)
		return;
	process = ARENA_NEW(&reported->arena, struct reported_process);
	process->process = field_number(event, "pid", 0);
	process->role = text_of(reported, event, "role");
	process->torch = text_of(reported, event, "torch");
	process->device = text_of(reported, event, "device");
	process->rank = field_number(event, "rank", -1);
	process->has_shim = field_is_true(event, "shim");
	process->last = -1;
	cJSON_ArrayForEach(lack, field(event, "degraded"))
		take_lack(reported, process, lack);
	stream->process = process;
	VEC_ADD(&reported->processes, process);
}

/* ---- accelerators ---- */

static size_t at_most(int count, size_t most)
{
	return count < 0 ? 0 : (size_t)count < most ? (size_t)count : most;
}

/* The size of DEVICE, or -1. */
static int64_t total_of(const struct reported_process *process, int64_t device)
{
	for (size_t i = 0; i < process->gpu_count; i++) {
		if (process->gpus[i].device == device)
			return process->gpus[i].total;
	}
	return -1;
}

static void take_devices(struct reported *reported, struct reported_process *process, const cJSON *event)
{
	const cJSON *list = field(event, "list"), *item;
	size_t most = at_most(cJSON_GetArraySize(list), REPORTED_DEVICES), count = 0;
	struct reported_gpu *gpus;

	if (most == 0)
		return;
	gpus = ARENA_ARRAY(&reported->arena, struct reported_gpu, most);
	cJSON_ArrayForEach(item, list) {
		if (count < most && cJSON_IsObject(item)) {
			gpus[count++] = (struct reported_gpu){
				.device = field_number(item, "d", 0), .total = field_number(item, "total", -1),
				.kind = text_of(reported, item, "kind"), .name = text_of(reported, item, "name"),
				.uuid = text_of(reported, item, "uuid")};
		}
	}
	process->gpus = gpus;
	process->gpu_count = count;
	if (count > 0)
		process->device = arena_format(&reported->arena, "%s:%lld", gpus->kind ? gpus->kind : "cuda", (long long)gpus->device);
}

static void step_devices(struct reported *reported, const struct reported_process *process, const cJSON *event,
			 struct reported_step *step)
{
	const cJSON *list = field(event, "dev"), *item;
	size_t most = at_most(cJSON_GetArraySize(list), REPORTED_DEVICES);
	struct reported_device *devices;

	if (most == 0)
		return;
	devices = ARENA_ARRAY(&reported->arena, struct reported_device, most);
	cJSON_ArrayForEach(item, list) {
		int64_t number = field_number(item, "d", 0);

		if (step->device_count < most && cJSON_IsObject(item)) {
			devices[step->device_count++] = (struct reported_device){
				.device = number,
				.allocated = field_number(item, "allocated", -1), .reserved = field_number(item, "reserved", -1),
				.requested = field_number(item, "requested", -1), .active = field_number(item, "active", -1),
				.inactive_split = field_number(item, "inactive_split", -1), .peak = field_number(item, "peak", -1),
				.retries = field_number(item, "retries", -1), .ooms = field_number(item, "ooms", -1),
				.total = field_number(item, "total", total_of(process, number))};
		}
	}
	step->devices = devices;
}

/* What is told of a device replaces what was. */
static void take_blocks(struct reported *reported, struct reported_process *process, const cJSON *event)
{
	int64_t device = field_number(event, "d", 0);
	const cJSON *item;
	size_t kept = 0;

	for (size_t i = 0; i < process->unheld.count; i++) {
		if (process->unheld.items[i].device != device)
			process->unheld.items[kept++] = process->unheld.items[i];
	}
	process->unheld.count = kept;
	cJSON_ArrayForEach(item, field(event, "list")) {
		if (process->unheld.count < 100)
			VEC_ADD(&process->unheld, ((struct reported_unheld){
				.device = device, .path = text_of(reported, item, "path"), .line = field_number(item, "line", 0),
				.bytes = field_number(item, "bytes", 0), .births = cJSON_GetArraySize(field(item, "births"))}));
	}
}

static void take_layout(struct reported *reported, struct reported_process *process, const cJSON *event)
{
	const cJSON *asked = cJSON_GetArrayItem(field(event, "asked"), 0);
	struct reported_layout layout = {
		.device = field_number(event, "d", 0), .free = field_number(event, "free", 0),
		.largest = field_number(event, "largest", 0), .pieces = field_number(event, "pieces", 0),
		.waiting = field_number(event, "waiting", 0), .is_expandable = field_is_true(event, "expandable"),
		.asked = {.path = text_of(reported, asked, "path"), .line = field_number(asked, "line", 0),
			  .count = field_number(asked, "n", 0)}};

	for (size_t i = 0; i < process->layouts.count; i++) {
		if (process->layouts.items[i].device == layout.device) {
			process->layouts.items[i] = layout;
			return;
		}
	}
	if (process->layouts.count < REPORTED_DEVICES)
		VEC_ADD(&process->layouts, layout);
}

static void take_snapshot(struct reported *reported, struct reported_process *process, const cJSON *event)
{
	process->snapshot = text_of(reported, event, "path");
	process->no_snapshot = text_of(reported, event, "why");
}

static void take_step(struct reported *reported, struct reported_process *process, const cJSON *event)
{
	const cJSON *time = field(event, "t");
	struct reported_step step = {.step = field_number(event, "i", 0), .live = field_number(event, "live", -1),
				   .host = field_number(event, "host", -1), .rss = field_number(event, "rss", -1),
				   .seconds = cJSON_IsNumber(time) ? time->valuedouble : 0};

	if (process->curve.count < MOST_ITEMS) {
		step_devices(reported, process, event, &step);
		VEC_ADD(&process->curve, step);
	}
	process->steps = step.step > process->steps ? step.step : process->steps;
}

static struct reported_holder *holder_get(struct reported *reported, struct reported_process *process, const char *key)
{
	struct reported_holder *holder;

	for (size_t i = 0; i < process->holders.count; i++) {
		if (strcmp(process->holders.items[i]->key, key) == 0)
			return process->holders.items[i];
	}
	if (process->holders.count >= 1000)
		return NULL;
	holder = ARENA_NEW(&reported->arena, struct reported_holder);
	holder->key = arena_dup(&reported->arena, key);
	holder->host_bytes = holder->used = holder->first = holder->last = -1;
	VEC_ADD(&process->holders, holder);
	return holder;
}

static int64_t number_at(const cJSON *list, int index)
{
	return field_whole(cJSON_GetArrayItem(list, index), 0);
}

static void take_births(struct reported_holder *holder, const cJSON *event)
{
	const cJSON *birth;

	holder->births.count = 0;
	cJSON_ArrayForEach(birth, field(event, "births")) {
		int count = cJSON_GetArraySize(birth);

		if (cJSON_IsArray(birth) && holder->births.count < MOST_ITEMS)
			VEC_ADD(&holder->births, ((struct reported_birth){number_at(birth, 0), number_at(birth, 1), number_at(birth, 2),
									number_at(birth, 3), number_at(birth, count > 4 ? 4 : 2)}));
	}
}

/* "train.py:30" */
static void take_allocs(struct reported *reported, struct reported_holder *holder, const cJSON *event)
{
	const cJSON *alloc;

	holder->allocs.count = 0;
	cJSON_ArrayForEach(alloc, field(event, "alloc")) {
		const char *text = cJSON_GetStringValue(alloc), *colon = text ? strrchr(text, ':') : NULL;

		if (colon && holder->allocs.count < 20)
			VEC_ADD(&holder->allocs,
				((struct reported_line){.path = arena_dup_bytes(&reported->arena, text, (size_t)(colon - text)),
							.line = atoi(colon + 1), .count = 1}));
	}
}

static void take_holder(struct reported *reported, struct reported_process *process, const cJSON *event)
{
	const char *key = field_text(event, "key");
	struct reported_holder *holder = key ? holder_get(reported, process, key) : NULL;

	if (!holder)
		return;
	holder->tensors = field_number(event, "tensors", 0);
	holder->bytes = field_number(event, "bytes", 0);
	holder->nodes = field_number(event, "nodes", 0);
	holder->host_bytes = field_number(event, "host_bytes", -1);
	holder->chain_steps = field_number(event, "chain_steps", 0);
	holder->used = field_number(event, "used", -1);
	holder->series = text_of(reported, event, "series");
	holder->first = field_number(event, "from", -1);
	holder->last = field_number(event, "at", -1);
	holder->place = (struct reported_caller){text_of(reported, event, "path"), field_number(event, "line", 0)};
	take_births(holder, event);
	take_allocs(reported, holder, event);
}

static void callers_of(struct reported *reported, const cJSON *via, struct reported_caller *callers)
{
	const cJSON *caller;
	size_t count = 0;

	cJSON_ArrayForEach(caller, via) {
		const char *path = text_of(reported, caller, "path");

		if (path && count < REPORTED_CALLERS)
			callers[count++] = (struct reported_caller){path, field_number(caller, "line", 0)};
	}
}

static void take_store(struct reported *reported, struct reported_process *process, const cJSON *event)
{
	const char *key = field_text(event, "key");
	struct reported_holder *holder = key ? holder_get(reported, process, key) : NULL;
	const cJSON *line;

	if (!holder)
		return;
	holder->stores.count = 0; /* what is told last holds */
	cJSON_ArrayForEach(line, field(event, "lines")) {
		struct reported_line store = {.path = text_of(reported, line, "path"), .line = field_number(line, "line", 0),
					      .count = field_number(line, "n", 1)};

		callers_of(reported, field(line, "via"), store.callers);
		if (store.path && holder->stores.count < 100)
			VEC_ADD(&holder->stores, store);
	}
}

static void take_bounded(struct reported *reported, struct reported_process *process, const cJSON *event)
{
	const char *key = field_text(event, "key"), *why = text_of(reported, event, "why");
	struct reported_holder *holder = key ? holder_get(reported, process, key) : NULL;

	if (!holder)
		return;
	holder->bounded = why; /* null takes back what was said before */
	if (field(event, "births"))
		take_births(holder, event);
}

static void take_cover(struct reported_process *process, const cJSON *event)
{
	struct reported_cover cover = {field_number(event, "id", -1), field_number(event, "hits", 0), field_number(event, "steps", 0)};

	for (size_t i = 0; i < process->covers.count; i++) {
		if (process->covers.items[i].finding == cover.finding) {
			process->covers.items[i] = cover;
			return;
		}
	}
	if (process->covers.count < MOST_ITEMS)
		VEC_ADD(&process->covers, cover);
}

static void take_probe(struct reported *reported, struct reported_process *process, const cJSON *event)
{
	const char *kind = text_of(reported, event, "kind");

	struct reported_probe probe = {.finding = field_number(event, "id", -1), .kind = kind, .path = text_of(reported, event, "path"),
				       .note = text_of(reported, event, "note"), .line = field_number(event, "line", 0),
				       .hits = field_number(event, "hits", 0), .steps = field_number(event, "steps", 0)};

	if (!kind)
		return;
	callers_of(reported, field(event, "via"), probe.callers);
	for (size_t i = 0; i < process->probes.count; i++) {
		struct reported_probe *known = &process->probes.items[i];
		bool same_path = known->path && probe.path ? strcmp(known->path, probe.path) == 0 : known->path == probe.path;

		if (strcmp(known->kind, kind) == 0 && known->line == probe.line && known->finding == probe.finding && same_path) {
			*known = probe;
			return;
		}
	}
	if (process->probes.count < 1000)
		VEC_ADD(&process->probes, probe);
}

static void take_crash(struct reported *reported, struct reported_process *process, const cJSON *event)
{
	const char *type = field_text(event, "type"), *message = field_text(event, "message");
	const cJSON *place;

	process->crash = arena_format(&reported->arena, "%s: %s", type ? type : "an error", message ? message : "");
	process->is_oom = field_is_true(event, "oom");
	process->crash_step = field_number(event, "step", 0);
	process->at_crash.device_count = 0;
	step_devices(reported, process, event, &process->at_crash);
	process->crash_live = field_number(event, "live", -1);
	process->crash_at.count = 0;
	cJSON_ArrayForEach(place, field(event, "at")) {
		struct reported_line at = {.path = text_of(reported, place, "path"), .line = field_number(place, "line", 0)};

		if (at.path && process->crash_at.count < 100)
			VEC_ADD(&process->crash_at, at);
	}
}

static void take_bye(struct reported *reported, struct reported_process *process, const cJSON *event)
{
	const cJSON *window = field(event, "window");

	process->has_left = true;
	process->why = text_of(reported, event, "why");
	process->steps = field_number(event, "steps", process->steps);
	if (cJSON_GetArraySize(window) == 2) {
		process->first = number_at(window, 0);
		process->last = number_at(window, 1);
	}
}

/* From the supervisor itself. */
static void take_worker(struct reported *reported, const cJSON *event)
{
	int64_t process = field_number(event, "pid", 0);
	struct reported_reading reading = {.step = field_number(event, "step", 0), .own = field_number(event, "own", 0),
					   .seconds = (double)field_number(event, "ms", 0) / 1000};
	struct reported_worker *worker = NULL;

	for (size_t i = 0; i < reported->workers.count; i++) {
		if (reported->workers.items[i]->process == process)
			worker = reported->workers.items[i];
	}
	if (!worker && reported->workers.count < MOST_WORKERS) {
		worker = ARENA_NEW(&reported->arena, struct reported_worker);
		worker->process = process;
		worker->parent = field_number(event, "parent", 0);
		VEC_ADD(&reported->workers, worker);
	}
	if (worker && worker->readings.count < MOST_ITEMS)
		VEC_ADD(&worker->readings, reading);
}

static void take_event(struct reported *reported, struct reported_stream *stream, const cJSON *event)
{
	const char *kind = field_text(event, "ev");
	struct reported_process *process = stream->process;

	if (!kind)
		reported->bad_lines++;
	else if (strcmp(kind, "hello") == 0)
		take_hello(reported, stream, event);
	else if (strcmp(kind, "worker") == 0)
		take_worker(reported, event);
	else if (!process)
		reported->bad_lines++;
	else if (strcmp(kind, "step") == 0)
		take_step(reported, process, event);
	else if (strcmp(kind, "devices") == 0)
		take_devices(reported, process, event);
	else if (strcmp(kind, "blocks") == 0)
		take_blocks(reported, process, event);
	else if (strcmp(kind, "layout") == 0)
		take_layout(reported, process, event);
	else if (strcmp(kind, "missing") == 0)
		process->missing = text_of(reported, event, "why");
	else if (strcmp(kind, "snapshot") == 0)
		take_snapshot(reported, process, event);
	else if (strcmp(kind, "degraded") == 0)
		take_lack(reported, process, field(event, "what"));
	else if (strcmp(kind, "clock") == 0)
		process->clock = text_of(reported, event, "kind");
	else if (strcmp(kind, "holder") == 0)
		take_holder(reported, process, event);
	else if (strcmp(kind, "store") == 0)
		take_store(reported, process, event);
	else if (strcmp(kind, "bounded") == 0)
		take_bounded(reported, process, event);
	else if (strcmp(kind, "cover") == 0)
		take_cover(process, event);
	else if (strcmp(kind, "probe") == 0)
		take_probe(reported, process, event);
	else if (strcmp(kind, "crash") == 0)
		take_crash(reported, process, event);
	else if (strcmp(kind, "bye") == 0)
		take_bye(reported, process, event);
}

static void record_line(struct reported *reported, struct str line)
{
	if (reported->record && reported->record->length <= REPORTED_RECORD_LIMIT) {
		buf_add_str(reported->record, line);
		buf_add_char(reported->record, '\n');
	}
}

static void take_line(struct reported *reported, struct reported_stream *stream, struct str line)
{
	cJSON *event;

	if (line.length == 0)
		return;
	event = cJSON_ParseWithLength(line.at, line.length);
	if (cJSON_IsObject(event)) {
		take_event(reported, stream, event);
		record_line(reported, line);
	} else {
		reported->bad_lines++;
	}
	cJSON_Delete(event);
}

/* ---- streams ---- */

static struct reported_stream *stream_get(struct reported *reported, uint32_t connection)
{
	while (reported->streams.count <= connection) {
		struct reported_stream *stream = mem_new(1, sizeof *stream);

		VEC_ADD(&reported->streams, stream);
	}
	return reported->streams.items[connection];
}

void reported_take(struct reported *reported, uint32_t connection, struct str bytes)
{
	struct reported_stream *stream = stream_get(reported, connection);

	for (size_t at = 0; at < bytes.length;) {
		size_t end = str_find(bytes, STR("\n"), at);
		bool ends = end != SIZE_MAX;

		end = ends ? end : bytes.length;
		if (!stream->skips)
			buf_add(&stream->rest, bytes.at + at, end - at);
		if (stream->rest.length > LINE_LIMIT) {
			stream->skips = true;
			reported->bad_lines++;
			buf_release(&stream->rest);
		}
		if (ends && !stream->skips)
			take_line(reported, stream, buf_get(&stream->rest));
		if (ends) {
			stream->skips = false;
			buf_reset(&stream->rest);
		}
		at = end + 1;
	}
}

bool reported_is_done(const struct reported *reported)
{
	for (size_t i = 0; i < reported->processes.count; i++) {
		const struct reported_process *process = reported->processes.items[i];

		if (process->has_left && process->why && strcmp(process->why, "steps") == 0)
			return true;
	}
	return false;
}
