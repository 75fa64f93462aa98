#include "confirm/tell.h"

#include <string.h>

#include "report/visible.h"
#include "text/json_writer.h"

struct tell_totals tell_count(const struct judgements *judgements)
{
	struct tell_totals totals = {.unpredicted = judgements->unpredicted.count};

	for (size_t i = 0; i < judgements->findings.count; i++) {
		switch (judgements->findings.items[i].verdict) {
		case VERDICT_CONFIRMED:
			totals.confirmed++;
			break;
		case VERDICT_CONFIRMED_HOST:
			totals.host++;
			break;
		case VERDICT_REFUTED:
			totals.refuted++;
			break;
		case VERDICT_NOT_OBSERVED:
			totals.not_observed++;
			break;
		}
	}
	return totals;
}

/* The process that says most: the one with most steps. NULL where no agent was there. */
static const struct reported_process *main_process(const struct reported *reported)
{
	const struct reported_process *best = NULL;

	for (size_t i = 0; i < reported->processes.count; i++) {
		const struct reported_process *process = reported->processes.items[i];

		if (!best || process->steps > best->steps)
			best = process;
	}
	return best;
}

bool tell_saw_steps(const struct confirm_outcome *outcome)
{
	const struct reported_process *process = main_process(&outcome->reported);

	return process && process->steps > 0;
}

/* "10.3 kB" */
static void add_bytes(struct buf *out, double bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	size_t unit = 0;

	while (bytes >= 1000 && unit < 4) {
		bytes /= 1000;
		unit++;
	}
	buf_format(out, unit && bytes < 100 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

/* ---- for people ---- */

/* Whether the line of the store at INDEX was named before: it is listed once for each way that leads there. */
static bool is_repeated(const struct reported_holder *holder, size_t index)
{
	const struct reported_line *stores = holder->stores.items;

	for (size_t i = 0; i < index; i++) {
		if (stores[i].line == stores[index].line && strcmp(stores[i].path, stores[index].path) == 0)
			return true;
	}
	return false;
}

static void add_growth(struct buf *out, const struct judged *judged)
{
	const struct growth *growth = &judged->growth;
	const struct reported_holder *holder = judged->holder;
	size_t shown = 0;

	buf_add_text(out, "    it grows by ");
	if (growth->bytes > 0) {
		add_bytes(out, growth->bytes);
		buf_add_text(out, " of tensors");
		if (growth_is_uneven(growth)) {
			buf_add_text(out, " (half of the steps by ");
			add_bytes(out, growth->least_bytes);
			buf_add_text(out, " to ");
			add_bytes(out, growth->most_bytes);
			buf_add_char(out, ')');
		}
	}
	if (growth->nodes > 0)
		buf_format(out, "%s%.0f graph nodes", growth->bytes > 0 ? " and " : "", growth->nodes);
	buf_add_text(out, " a step");
	if (growth->host_bytes > 0) {
		buf_add_text(out, ", in host memory ");
		add_bytes(out, growth->host_bytes);
	}
	buf_format(out, "; of %lld of %lld steps something is left%s\n    held by ", (long long)growth->births, (long long)growth->steps,
		   growth->is_emptied ? ", until it is emptied" : "");
	visible_add(out, str_from(holder->key));
	for (size_t i = 0; i < holder->stores.count && shown < 3; i++) {
		if (is_repeated(holder, i))
			continue;
		buf_add_text(out, shown++ ? ", " : "; stored at ");
		visible_add(out, str_from(holder->stores.items[i].path));
		buf_format(out, ":%lld", (long long)holder->stores.items[i].line);
	}
	for (size_t i = 0; i < holder->allocs.count && i < 1; i++) {
		buf_add_text(out, "; made at ");
		visible_add(out, str_from(holder->allocs.items[i].path));
		buf_format(out, ":%lld", (long long)holder->allocs.items[i].line);
	}
	if (holder->chain_steps > 1)
		buf_format(out, "; one graph spans %lld steps", (long long)holder->chain_steps);
	buf_add_char(out, '\n');
}

static void add_reason(struct buf *out, const struct judged *judged)
{
	if (judged->probe)
		buf_format(out, "    seen %lld times in %lld steps (%s)\n", (long long)judged->probe->hits,
			   (long long)judged->probe->steps, judged->probe->kind);
	else if (judged->verdict >= VERDICT_CONFIRMED_HOST)
		add_growth(out, judged);
	else if (judged->holder && judged->holder->bounded)
		buf_format(out, "    %s does not grow any more: %s\n", judged->holder->key, judged->holder->bounded);
	else if (judged->verdict == VERDICT_REFUTED)
		buf_format(out, "    its line ran %lld times, and nothing grew there\n", (long long)judged->hits);
	else if (judged->hits > 0)
		buf_format(out, "    its line ran %lld times, too few to tell\n", (long long)judged->hits);
	else
		buf_add_text(out, "    its line was not seen to run\n");
}

static void add_finding(struct buf *out, const struct judged *judged)
{
	const struct predicted *finding = judged->finding;

	visible_add(out, str_from(finding->shown));
	buf_format(out, ":%lld:%lld: %s %s %s: ", (long long)finding->line, (long long)finding->column,
		   verdict_name(judged->verdict), finding->code, finding->name);
	visible_add(out, str_from(finding->message));
	buf_add_char(out, '\n');
	add_reason(out, judged);
}

static void add_head(struct buf *out, const struct confirm_outcome *outcome, const char *command)
{
	const struct reported_process *process = main_process(&outcome->reported);

	if (!process) {
		buf_format(out, "no agent was heard of in '%s': its Python did not import torch, or runs with -I, -E or -S\n", command);
		return;
	}
	buf_format(out, "%lld step%s of '%s' in %.1f s, torch %s%s%s\n", (long long)process->steps, process->steps == 1 ? "" : "s",
		   command, outcome->seconds, process->torch ? process->torch : "?",
		   process->has_shim ? "" : ", without exact accounting",
		   outcome->end == CONFIRM_TIMED_OUT     ? "; the time was up"
		   : outcome->end == CONFIRM_INTERRUPTED ? "; interrupted"
							 : "");
	if (process->crash) {
		buf_format(out, "it ended in step %lld with ", (long long)process->crash_step);
		visible_add(out, str_from(process->crash));
		buf_add_text(out, process->is_oom ? " (out of memory)\n" : "\n");
	}
	if (process->steps > 0 && process->steps < 24)
		buf_add_text(out, "verdicts are provisional: fewer than 24 steps\n");
	buf_add_char(out, '\n');
}

void tell_text(struct buf *out, const struct confirm_outcome *outcome, const struct judgements *judgements,
	       const char *command)
{
	struct tell_totals totals = tell_count(judgements);

	add_head(out, outcome, command);
	for (size_t i = 0; i < judgements->findings.count; i++)
		add_finding(out, &judgements->findings.items[i]);
	for (size_t i = 0; i < judgements->unpredicted.count; i++) {
		const struct judged *judged = &judgements->unpredicted.items[i];

		buf_add_text(out, "unpredicted: ");
		visible_add(out, str_from(judged->holder->key));
		buf_add_text(out, " grows, which no finding says\n");
		add_growth(out, judged);
	}
	buf_format(out, "%zu confirmed (%zu in host memory only), %zu refuted, %zu not observed, %zu unpredicted\n",
		   totals.confirmed + totals.host, totals.host, totals.refuted, totals.not_observed, totals.unpredicted);
	if (outcome->reported.bad_lines)
		buf_format(out, "%zu lines of the agents' reports made no sense\n", outcome->reported.bad_lines);
}

/* ---- for programs ---- */

static void lines_add(struct json_writer *json, const char *key, const struct reported_line *lines, size_t count)
{
	json_member_array(json, key);
	for (size_t i = 0; i < count; i++) {
		json_object_begin(json);
		json_member_text(json, "path", lines[i].path);
		json_member_int(json, "line", lines[i].line);
		json_member_int(json, "count", lines[i].count);
		json_object_end(json);
	}
	json_array_end(json);
}

static void judged_add(struct json_writer *json, const struct judged *judged)
{
	const struct predicted *finding = judged->finding;
	const struct reported_holder *holder = judged->holder;

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
	if (judged->probe) {
		json_member_text(json, "probe", judged->probe->kind);
		json_member_int(json, "probe_hits", judged->probe->hits);
	}
	if (holder) {
		json_member_text(json, "holder", holder->key);
		json_member_int(json, "tensor_bytes_per_step", (int64_t)judged->growth.bytes);
		json_member_int(json, "tensor_bytes_lower_quartile", (int64_t)judged->growth.least_bytes);
		json_member_int(json, "tensor_bytes_upper_quartile", (int64_t)judged->growth.most_bytes);
		json_member_int(json, "graph_nodes_per_step", (int64_t)judged->growth.nodes);
		json_member_int(json, "steps_left", judged->growth.births);
		json_member_int(json, "steps_judged", judged->growth.steps);
		if (holder->bounded)
			json_member_text(json, "bounded", holder->bounded);
		lines_add(json, "stored", holder->stores.items, holder->stores.count);
		lines_add(json, "made", holder->allocs.items, holder->allocs.count);
	}
	json_object_end(json);
}

static void processes_add(struct json_writer *json, const struct reported *reported)
{
	json_member_array(json, "processes");
	for (size_t i = 0; i < reported->processes.count; i++) {
		const struct reported_process *process = reported->processes.items[i];

		json_object_begin(json);
		json_member_int(json, "pid", process->process);
		json_member_text(json, "role", process->role);
		json_member_int(json, "rank", process->rank);
		json_member_text(json, "torch", process->torch);
		json_member_text(json, "clock", process->clock);
		json_member_int(json, "steps", process->steps);
		json_member_text(json, "ended", process->why);
		json_member_text(json, "crash", process->crash);
		json_object_end(json);
	}
	json_array_end(json);
}

void tell_json(struct buf *out, const struct confirm_outcome *outcome, const struct judgements *judgements,
	       const char *command)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object_begin(&json);
	json_member_text(&json, "schema", "vramlint-confirm/1");
	json_member_text(&json, "command", command);
	json_member_int(&json, "status", outcome->status);
	processes_add(&json, &outcome->reported);
	json_member_array(&json, "findings");
	for (size_t i = 0; i < judgements->findings.count; i++)
		judged_add(&json, &judgements->findings.items[i]);
	for (size_t i = 0; i < judgements->unpredicted.count; i++)
		judged_add(&json, &judgements->unpredicted.items[i]);
	json_array_end(&json);
	json_object_end(&json);
	buf_add_char(out, '\n');
}
