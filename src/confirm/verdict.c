#include "confirm/verdict.h"

#include <stdlib.h>
#include <string.h>

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {"not-observed", "refuted", "confirmed-host", "confirmed"};

	return names[verdict];
}

/* ---- growth ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *numbers, size_t count)
{
	if (count == 0)
		return 0;
	qsort(numbers, count, sizeof *numbers, by_size);
	return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

/* What is left of each step from FIRST to LAST, as one of its numbers. */
static void spread(const struct reported_holder *holder, int64_t first, int64_t last, bool nodes, double *out)
{
	for (int64_t i = 0; i <= last - first; i++)
		out[i] = 0;
	for (size_t i = 0; i < holder->births.count; i++) {
		const struct reported_birth *birth = &holder->births.items[i];

		if (birth->step >= first && birth->step <= last)
			out[birth->step - first] += (double)(nodes ? birth->nodes : birth->bytes);
	}
}

/* Steps of FIRST to LAST that something is left of. */
static int64_t steps_left(const struct reported_holder *holder, int64_t first, int64_t last, bool *seen)
{
	int64_t count = 0;

	for (int64_t i = 0; i <= last - first; i++)
		seen[i] = false;
	for (size_t i = 0; i < holder->births.count; i++) {
		const struct reported_birth *birth = &holder->births.items[i];
		bool any = birth->tensors > 0 || birth->bytes > 0 || birth->nodes > 0;

		if (birth->step >= first && birth->step <= last && any && !seen[birth->step - first]) {
			seen[birth->step - first] = true;
			count++;
		}
	}
	return count;
}

/* Whether as much is left of late steps as of early ones, or nearly. */
static bool goes_on(const double *left, int64_t steps)
{
	double *early = mem_new((size_t)steps + 1, sizeof *early), *late = early + steps / 2;
	bool on;

	memcpy(early, left, (size_t)steps * sizeof *left);
	on = median(late, (size_t)(steps - steps / 2)) >= median(early, (size_t)(steps / 2)) / 4;
	free(early);
	return on;
}

/* The steps that the births of HOLDER lie in; none where there are none. */
static void tooth_of(const struct reported_holder *holder, int64_t *first, int64_t *last)
{
	*first = *last = 0;
	for (size_t i = 0; i < holder->births.count; i++) {
		int64_t step = holder->births.items[i].step;

		*first = i == 0 || step < *first ? step : *first;
		*last = i == 0 || step > *last ? step : *last;
	}
}

struct growth growth_of(const struct reported_process *process, const struct reported_holder *holder)
{
	/* Of the last steps even what is let go in time may be left; fewer steps than these show nothing. */
	enum { LAST_STEPS = 4, LEAST_STEPS = 8 };
	int64_t first = holder->first >= 0 ? holder->first : process->first;
	int64_t last = (holder->last >= 0 ? holder->last : process->last) - LAST_STEPS, steps;
	struct growth growth = {.host_bytes = -1, .is_emptied = holder->bounded && strcmp(holder->bounded, "sawtooth") == 0};
	double *bytes, *nodes;
	bool *seen;

	if (growth.is_emptied) /* its births are those at its widest */
		tooth_of(holder, &first, &last);
	steps = last - first + 1;
	if ((holder->bounded && !growth.is_emptied) || steps < LEAST_STEPS || steps > 1000000)
		return growth;
	bytes = mem_new((size_t)steps, sizeof *bytes);
	nodes = mem_new((size_t)steps, sizeof *nodes);
	seen = mem_new((size_t)steps, sizeof *seen);
	spread(holder, first, last, false, bytes);
	spread(holder, first, last, true, nodes);
	growth.steps = steps;
	growth.births = steps_left(holder, first, last, seen);
	growth.leaks = growth.births * 5 >= steps * 4 && goes_on(bytes, steps) && goes_on(nodes, steps);
	growth.bytes = median(bytes, (size_t)steps); /* which sorts */
	growth.least_bytes = bytes[(steps - 1) / 4];
	growth.most_bytes = bytes[steps - 1 - (steps - 1) / 4];
	growth.nodes = median(nodes, (size_t)steps);
	if (holder->host_bytes >= 0)
		growth.host_bytes = (double)holder->host_bytes / (double)(holder->births.count ? holder->births.count : 1); /* of all */
	free(bytes);
	free(nodes);
	free(seen);
	return growth;
}

bool growth_is_uneven(const struct growth *growth)
{
	return growth->most_bytes > growth->least_bytes * 1.1;
}

/* ---- who predicted it ---- */

static bool is_at(const char *path, int64_t line, const struct predicted *finding)
{
	return path && line >= finding->line && line <= finding->end_line && strcmp(path, finding->path) == 0;
}

/* Whether FINDING stands where something is put into HOLDER, or at a call that leads there: findings are told at the call
 * that hands a value down. */
static bool stores_at(const struct reported_holder *holder, const struct predicted *finding)
{
	for (size_t i = 0; i < holder->stores.count; i++) {
		const struct reported_line *store = &holder->stores.items[i];

		if (is_at(store->path, store->line, finding))
			return true;
		for (size_t c = 0; c < REPORTED_CALLERS; c++) {
			if (is_at(store->callers[c].path, store->callers[c].line, finding))
				return true;
		}
	}
	return false;
}

/* Which rules a probe speaks for: it fires at lines that other findings may stand at, too. */
static const struct {
	const char *kind, *rule;
} probe_rules[] = {
	{"sync", "raw-tensor-log"},
	{"eval-at-step", "eval-not-restored"},
	{"eval-with-graph", "eval-no-grad"},
	{"eval-with-graph", "no-grad-escape"},
	{"grad-at-backward", "zero-grad"},
	{"grad-never-used", "zero-grad"},
	{"zero-grad-in-place", "zero-grad"},
	{"no-gradient-at-step", "no-grad-escape"},
	{"grad-off-at-step", "no-grad-escape"},
	{"no-graph-at-backward", "no-grad-escape"},
	{"gc-collect", "empty-cache"},
	{"empty-cache", "empty-cache"},
	{"anomaly", "debug-left-on"},
	{"profiler", "debug-left-on"},
	{"memory-history", "debug-left-on"},
	{"optimizer-made", "rebuild-in-loop"},
	{"param-group-added", "rebuild-in-loop"},
	{"thread-started", "rebuild-in-loop"},
	{"hooks-grow", "hook-retain"},
	{"second-backward", "hidden-state"},
	{"second-backward", "retain-graph"},
	{"graph-changed", "hidden-state"},
	{"graph-changed", "retain-graph"},
};

static bool speaks_for(const struct reported_probe *probe, const struct predicted *finding)
{
	for (size_t i = 0; i < sizeof probe_rules / sizeof *probe_rules; i++) {
		if (strcmp(probe_rules[i].kind, probe->kind) == 0 && strcmp(probe_rules[i].rule, finding->name) == 0)
			return true;
	}
	return false;
}

static enum verdict verdict_of(const struct growth *growth)
{
	return growth->bytes > 0 ? VERDICT_CONFIRMED : VERDICT_CONFIRMED_HOST;
}

/* The better verdict of what is known and what PROCESS shows of the finding with number ID. */
static void judge_finding(const struct reported_process *process, int64_t id, struct judged *judged)
{
	/* A line that ran as often and left nothing is no leak. */
	enum { ENOUGH_HITS = 8 };

	for (size_t i = 0; i < process->covers.count; i++) {
		if (process->covers.items[i].finding == id)
			judged->hits += process->covers.items[i].hits;
	}
	for (size_t i = 0; i < process->holders.count; i++) {
		const struct reported_holder *holder = process->holders.items[i];
		struct growth growth = growth_of(process, holder);

		if (!stores_at(holder, judged->finding) || (judged->holder && !growth.leaks))
			continue;
		judged->holder = holder;
		judged->growth = growth;
		if (growth.leaks && verdict_of(&growth) > judged->verdict)
			judged->verdict = verdict_of(&growth);
	}
	for (size_t i = 0; i < process->probes.count; i++) {
		const struct reported_probe *probe = &process->probes.items[i];

		if (probe->finding != id || probe->hits == 0 || !speaks_for(probe, judged->finding))
			continue;
		judged->probe = probe;
		judged->verdict = strcmp(probe->kind, "hooks-grow") == 0 ? VERDICT_CONFIRMED_HOST : VERDICT_CONFIRMED;
	}
	if (judged->verdict == VERDICT_NOT_OBSERVED && judged->hits >= ENOUGH_HITS)
		judged->verdict = VERDICT_REFUTED;
}

static bool is_predicted(const struct reported_holder *holder, const struct predicted *findings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (stores_at(holder, &findings[i]))
			return true;
	}
	return false;
}

/* Results that are gathered grow as well, and are wanted. Graphs are not, nor is storage that nobody can reach. */
static bool is_unwanted(const struct reported_holder *holder, const struct growth *growth)
{
	return !growth->is_emptied && (growth->nodes > 0 || (holder->used >= 0 && holder->used * 2 < holder->bytes));
}

/* Sorts HOLDER into the lists of those that no finding speaks of. */
static void judge_holder(const struct reported_process *process, const struct reported_holder *holder, bool is_told,
			 struct judgements *judgements)
{
	struct judged judged = {.holder = holder, .growth = growth_of(process, holder)};

	judged.verdict = verdict_of(&judged.growth);
	if (judged.growth.leaks && !is_told && is_unwanted(holder, &judged.growth))
		VEC_ADD(&judgements->unpredicted, judged);
	else if (judged.growth.leaks && !is_told)
		VEC_ADD(&judgements->gathered, judged);
	else if (!judged.growth.leaks && holder->bounded)
		VEC_ADD(&judgements->bounded, judged);
}

void judge_run(const struct reported *reported, const struct predicted *findings, size_t count, struct judgements *judgements)
{
	*judgements = (struct judgements){.findings = {NULL, 0, 0}};
	for (size_t i = 0; i < count; i++) {
		struct judged judged = {.finding = &findings[i]};

		for (size_t p = 0; p < reported->processes.count; p++)
			judge_finding(reported->processes.items[p], (int64_t)i, &judged);
		VEC_ADD(&judgements->findings, judged);
	}
	for (size_t p = 0; p < reported->processes.count; p++) {
		const struct reported_process *process = reported->processes.items[p];

		for (size_t i = 0; i < process->holders.count; i++) {
			const struct reported_holder *holder = process->holders.items[i];

			judge_holder(process, holder, is_predicted(holder, findings, count), judgements);
		}
	}
}

void judgements_release(struct judgements *judgements)
{
	VEC_RELEASE(&judgements->findings);
	VEC_RELEASE(&judgements->unpredicted);
	VEC_RELEASE(&judgements->gathered);
	VEC_RELEASE(&judgements->bounded);
}
