#include "confirm/told.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"

/* As many steps as verdicts should rest on. */
enum { ENOUGH_STEPS = 24 };

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

static struct told_totals totals_of(const struct told *told)
{
	const struct judgements *judgements = told->judgements;
	struct told_totals totals = {.confirmed = 0};

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
	for (size_t i = 0; i < judgements->unpredicted.count; i++)
		totals.unpredicted += !told_repeats(told, i);
	return totals;
}

/* ---- rows ---- */

static enum told_kind kind_of(const struct told *told, const struct reported_holder *holder, const struct growth *growth)
{
	if (growth->leaks && forecast_counts(told->judgements, holder))
		return TOLD_LEAKS;
	if (holder->bounded)
		return TOLD_BOUNDED;
	return growth->leaks ? TOLD_GATHERED : TOLD_OTHER;
}

static double weight_of(const struct told_row *row)
{
	if (row->kind == TOLD_LEAKS || row->kind == TOLD_GATHERED)
		return row->growth.bytes + (row->growth.host_bytes > 0 ? row->growth.host_bytes : row->growth.nodes);
	return (double)row->holder->bytes + (double)row->holder->nodes;
}

static int by_importance(const void *a, const void *b)
{
	const struct told_row *x = a, *y = b;
	double difference = weight_of(y) - weight_of(x);

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (difference != 0)
		return difference < 0 ? -1 : 1;
	return strcmp(x->holder->key, y->holder->key);
}

/* Leaves one row of those that ranks have alike. */
static void fold(struct told *told)
{
	struct map seen = MAP_INIT;
	struct buf name = BUF_INIT;
	size_t kept = 0;

	for (size_t i = 0; i < told->rows.count; i++) {
		struct told_row *row = &told->rows.items[i], *first;

		buf_reset(&name);
		buf_format(&name, "%d %s", row->kind, row->holder->key);
		first = map_get(&seen, buf_get(&name));
		if (first) {
			first->processes++;
			continue;
		}
		told->rows.items[kept] = *row;
		map_put(&seen, buf_get(&name), &told->rows.items[kept++]);
	}
	told->rows.count = kept;
	map_release(&seen);
	buf_release(&name);
}

void told_init(struct told *told, const struct os_memory *memory)
{
	const struct reported *reported = &told->outcome->reported;

	told->process = main_process(reported);
	told->totals = totals_of(told);
	told->forecast = forecast_make(reported, told->judgements, memory);
	for (size_t p = 0; p < reported->processes.count; p++) {
		const struct reported_process *process = reported->processes.items[p];

		for (size_t i = 0; i < process->holders.count; i++) {
			const struct reported_holder *holder = process->holders.items[i];
			struct growth growth = growth_of(process, holder);

			VEC_ADD(&told->rows, ((struct told_row){kind_of(told, holder, &growth), process, holder, growth, 1}));
		}
	}
	if (told->rows.count > 0)
		qsort(told->rows.items, told->rows.count, sizeof *told->rows.items, by_importance);
	fold(told);
}

void told_release(struct told *told)
{
	VEC_RELEASE(&told->rows);
}

/* ---- questions ---- */

bool told_repeats(const struct told *told, size_t index)
{
	const struct judged *items = told->judgements->unpredicted.items;

	for (size_t i = 0; i < index; i++) {
		if (strcmp(items[i].holder->key, items[index].holder->key) == 0)
			return true;
	}
	return false;
}

bool told_line_repeats(const struct reported_line *lines, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (lines[i].line == lines[index].line && strcmp(lines[i].path, lines[index].path) == 0)
			return true;
	}
	return false;
}

bool told_saw_steps(const struct told *told)
{
	return told->process && told->process->steps > 0;
}

/* Whether any verdict rests on something else than bytes that grow. */
static bool has_other_faults(const struct judgements *judgements)
{
	for (size_t i = 0; i < judgements->findings.count; i++) {
		const struct judged *judged = &judgements->findings.items[i];

		if (judged->verdict >= VERDICT_CONFIRMED_HOST && !judged->growth.leaks)
			return true;
	}
	return false;
}

bool told_fails(const struct told *told)
{
	const struct told_totals *totals = &told->totals;

	if (totals->confirmed + totals->host + totals->unpredicted == 0)
		return false;
	return has_other_faults(told->judgements) || told->fail_over <= 0 ||
	       told->forecast.tensors + told->forecast.host > told->fail_over;
}

bool told_is_provisional(const struct told *told)
{
	return told_saw_steps(told) && told->process->steps < ENOUGH_STEPS;
}

size_t told_trainers(const struct told *told)
{
	const struct reported *reported = &told->outcome->reported;
	size_t count = 0;

	for (size_t i = 0; i < reported->processes.count; i++)
		count += reported->processes.items[i]->steps > 0;
	return count;
}
