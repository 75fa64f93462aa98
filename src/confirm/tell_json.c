#include "confirm/tell.h"

#include <math.h>

#include "confirm/device_tell.h"
#include "confirm/workers.h"
#include "text/json_writer.h"

static void number(struct json_writer *json, const char *key, double value)
{
	struct buf text = BUF_INIT;

	/* JSON has no word for what is no number */
	if (isfinite(value))
		buf_format(&text, "%.*g", 9, value);
	else
		buf_add_text(&text, "null");
	json_key(json, key);
	json_raw(json, buf_get(&text));
	buf_release(&text);
}

/* Rounded, and within what all readers of JSON take for a whole number. */
static int64_t whole(double value)
{
	static const double most = 9007199254740991;

	return isnan(value) ? 0 : value >= most ? (int64_t)most : value <= -most ? -(int64_t)most : (int64_t)llround(value);
}

static void lines_add(struct json_writer *json, const char *key, const struct reported_line *lines, size_t count)
{
	json_member_array(json, key);
	for (size_t i = 0; i < count; i++) {
		json_object_begin(json);
		json_member_text(json, "path", lines[i].path);
		json_member_int(json, "line", lines[i].line);
		json_member_int(json, "count", lines[i].count);
		json_member_array(json, "via");
		for (size_t c = 0; c < REPORTED_CALLERS && lines[i].callers[c].path; c++) {
			json_object_begin(json);
			json_member_text(json, "path", lines[i].callers[c].path);
			json_member_int(json, "line", lines[i].callers[c].line);
			json_object_end(json);
		}
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

/* The members that findings and holders share. */
static void holder_add(struct json_writer *json, const struct reported_holder *holder, const struct growth *growth)
{
	json_member_text(json, "holder", holder->key);
	json_member_int(json, "tensor_bytes_per_step", whole(growth->bytes));
	json_member_int(json, "tensor_bytes_lower_quartile", whole(growth->least_bytes));
	json_member_int(json, "tensor_bytes_upper_quartile", whole(growth->most_bytes));
	json_member_int(json, "graph_nodes_per_step", whole(growth->nodes));
	json_member_known(json, "host_bytes_per_step", growth->leaks ? whole(growth->host_bytes) : -1);
	json_member_int(json, "steps_left", growth->births);
	json_member_int(json, "steps_judged", growth->steps);
	json_member_bool(json, "emptied", growth->is_emptied);
	lines_add(json, "stored", holder->stores.items, holder->stores.count);
	lines_add(json, "made", holder->allocs.items, holder->allocs.count);
}

static void judged_add(struct json_writer *json, const struct judged *judged)
{
	const struct predicted *finding = judged->finding;

	json_object_begin(json);
	json_member_text(json, "verdict", finding ? verdict_name(judged->verdict) : "unpredicted");
	if (finding) {
		json_member_text(json, "path", finding->shown);
		json_member_int(json, "line", finding->line);
		json_member_int(json, "column", finding->column);
		json_member_text(json, "code", finding->code);
		json_member_text(json, "name", finding->name);
		json_member_text(json, "message", finding->message);
		json_member_int(json, "hits", judged->hits);
	}
	json_member_text(json, "bounded", judged->bounded);
	if (judged->probe) {
		json_member_text(json, "probe", judged->probe->kind);
		json_member_int(json, "probe_hits", judged->probe->hits);
	}
	if (judged->worker)
		json_member_int(json, "worker", judged->worker->process);
	if (judged->holder)
		holder_add(json, judged->holder, &judged->growth);
	json_object_end(json);
}

static void curve_add(struct json_writer *json, const struct reported_process *process)
{
	json_member_array(json, "curve");
	for (size_t i = 0; i < process->curve.count; i++) {
		const struct reported_step *step = &process->curve.items[i];

		json_object_begin(json);
		json_member_int(json, "step", step->step);
		number(json, "seconds", step->seconds);
		json_member_known(json, "live", step->live);
		json_member_known(json, "host", step->host);
		json_member_known(json, "resident", step->rss);
		if (step->device_count > 0) {
			json_member_array(json, "devices");
			for (size_t d = 0; d < step->device_count; d++) {
				json_object_begin(json);
				json_member_int(json, "device", step->devices[d].device);
				json_member_known(json, "allocated", step->devices[d].allocated);
				json_member_known(json, "reserved", step->devices[d].reserved);
				json_member_known(json, "requested", step->devices[d].requested);
				json_member_known(json, "total", step->devices[d].total);
				json_object_end(json);
			}
			json_array_end(json);
		}
		json_object_end(json);
	}
	json_array_end(json);
}

static void process_add(struct json_writer *json, const struct reported_process *process)
{
	json_object_begin(json);
	json_member_int(json, "pid", process->process);
	json_member_text(json, "role", process->role);
	json_member_int(json, "rank", process->rank);
	json_member_text(json, "torch", process->torch);
	json_member_text(json, "device", process->device);
	json_member_bool(json, "exact", process->has_shim);
	json_member_array(json, "lacks");
	for (size_t i = 0; i < process->lacks.count; i++)
		json_text(json, process->lacks.items[i]);
	json_array_end(json);
	json_member_text(json, "clock", process->clock);
	json_member_int(json, "steps", process->steps);
	json_member_int(json, "first_judged", process->first);
	json_member_int(json, "last_judged", process->last);
	json_member_text(json, "ended", process->why);
	json_member_text(json, "crash", process->crash);
	if (process->crash) {
		json_member_bool(json, "out_of_memory", process->is_oom);
		json_member_int(json, "crash_step", process->crash_step);
		json_member_known(json, "crash_live", process->crash_live);
		lines_add(json, "crash_at", process->crash_at.items, process->crash_at.count);
	}
	curve_add(json, process);
	json_object_end(json);
}

static const char *kind_name(enum told_kind kind)
{
	static const char *const names[] = {[TOLD_LEAKS] = "leaks", [TOLD_GATHERED] = "gathered", [TOLD_BOUNDED] = "bounded",
					    [TOLD_OTHER] = "unclear"};

	return names[kind];
}

static void row_add(struct json_writer *json, const struct told_row *row)
{
	const struct reported_holder *holder = row->holder;

	json_object_begin(json);
	json_member_text(json, "kind", kind_name(row->kind));
	json_member_int(json, "pid", row->process->process);
	json_member_int(json, "processes", (int64_t)row->processes);
	holder_add(json, holder, &row->growth);
	json_member_text(json, "bounded", holder->bounded);
	json_member_int(json, "tensors", holder->tensors);
	json_member_int(json, "bytes", holder->bytes);
	json_member_int(json, "nodes", holder->nodes);
	json_member_int(json, "chain_steps", holder->chain_steps);
	json_member_text(json, "series", holder->series);
	json_member_array(json, "births");
	for (size_t i = 0; i < holder->births.count; i++) {
		const struct reported_birth *birth = &holder->births.items[i];

		json_object_begin(json);
		json_member_int(json, "step", birth->step);
		json_member_int(json, "tensors", birth->tensors);
		json_member_int(json, "bytes", birth->bytes);
		json_member_int(json, "nodes", birth->nodes);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void end_add(struct json_writer *json, const char *key, const struct forecast_end *end)
{
	if (!end->is_known) {
		json_member_text(json, key, NULL);
		return;
	}
	json_member_object(json, key);
	number(json, "bytes_per_step", end->bytes);
	json_member_int(json, "total", end->total);
	json_member_int(json, "left", end->left);
	number(json, "steps", end->steps);
	number(json, "seconds", end->seconds >= 0 ? end->seconds : NAN);
	json_object_end(json);
}

static void forecast_add(struct json_writer *json, const struct told *told)
{
	const struct forecast *forecast = &told->forecast;

	json_member_object(json, "forecast");
	number(json, "tensor_bytes_per_step", forecast->tensors);
	number(json, "host_bytes_per_step", forecast->host);
	number(json, "seconds_per_step", forecast->step_seconds > 0 ? forecast->step_seconds : NAN);
	end_add(json, "device", &forecast->device);
	end_add(json, "host", &forecast->machine);
	json_object_end(json);
}

static void workers_add(struct json_writer *json, const struct reported *reported)
{
	json_member_array(json, "workers");
	for (size_t i = 0; i < reported->workers.count; i++) {
		struct worker_growth growth = worker_growth_of(reported->workers.items[i]);

		json_object_begin(json);
		json_member_int(json, "pid", reported->workers.items[i]->process);
		json_member_int(json, "parent", reported->workers.items[i]->parent);
		json_member_bool(json, "grows", growth.grows);
		number(json, growth.by_seconds ? "bytes_per_second" : "bytes_per_step", growth.bytes);
		json_member_int(json, "first", growth.first);
		json_member_int(json, "last", growth.last);
		json_object_end(json);
	}
	json_array_end(json);
}

static const char *end_name(enum confirm_end end)
{
	return end == CONFIRM_TIMED_OUT ? "time-limit" : end == CONFIRM_INTERRUPTED ? "interrupted" : "done";
}

void tell_json(struct buf *out, const struct told *told)
{
	const struct confirm_outcome *outcome = told->outcome;
	const struct judgements *judgements = told->judgements;
	struct json_writer json;

	json_writer_init(&json, out);
	json_object_begin(&json);
	json_member_text(&json, "schema", "vramlint-confirm/1");
	json_member_text(&json, "version", VRAMLINT_VERSION);
	json_member_text(&json, "command", told->command);
	json_member_int(&json, "status", outcome->status);
	json_member_text(&json, "end", end_name(outcome->end));
	number(&json, "seconds", outcome->seconds);
	json_member_bool(&json, "provisional", told_is_provisional(told));
	json_member_int(&json, "bad_lines", (int64_t)outcome->reported.bad_lines);
	protection_add(&json, &outcome->protection);
	json_member_object(&json, "summary");
	json_member_int(&json, "confirmed", (int64_t)told->totals.confirmed);
	json_member_int(&json, "confirmed_host", (int64_t)told->totals.host);
	json_member_int(&json, "refuted", (int64_t)told->totals.refuted);
	json_member_int(&json, "not_observed", (int64_t)told->totals.not_observed);
	json_member_int(&json, "unpredicted", (int64_t)told->totals.unpredicted);
	json_object_end(&json);
	json_member_array(&json, "findings");
	for (size_t i = 0; i < judgements->findings.count; i++)
		judged_add(&json, &judgements->findings.items[i]);
	for (size_t i = 0; i < judgements->unpredicted.count; i++) {
		if (!told_repeats(told, i))
			judged_add(&json, &judgements->unpredicted.items[i]);
	}
	json_array_end(&json);
	json_member_array(&json, "holders");
	for (size_t i = 0; i < told->rows.count; i++)
		row_add(&json, &told->rows.items[i]);
	json_array_end(&json);
	forecast_add(&json, told);
	json_member_array(&json, "processes");
	for (size_t i = 0; i < outcome->reported.processes.count; i++)
		process_add(&json, outcome->reported.processes.items[i]);
	json_array_end(&json);
	workers_add(&json, &outcome->reported);
	device_tell_json(&json, told);
	json_object_end(&json);
	buf_add_char(out, '\n');
}
