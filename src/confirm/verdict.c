#include "confirm/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "confirm/workers.h"

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {"not-observed", "refuted", "confirmed-host", "confirmed"};

	return names[verdict];
}

/* ---- growth ---- */

static double median(double *numbers, size_t count)
{
	if (count == 0)
		return 0;
	numbers_sort(numbers, count);
	return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

/* What is left of one step. */
struct left {
	int64_t step;
	double bytes, nodes;
};

static int by_step(const void *a, const void *b)
{
	const struct left *x = a, *y = b;

	return (x->step > y->step) - (x->step < y->step);
}

/* What HOLDER has left of the steps FIRST to LAST, in their order, each once; returns how many. ROOM for all births. */
static size_t left_of(const struct reported_holder *holder, int64_t first, int64_t last, struct left *left)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < holder->births.count; i++) {
		const struct reported_birth *birth = &holder->births.items[i];

		if (birth->step >= first && birth->step <= last && (birth->tensors > 0 || birth->bytes > 0 || birth->nodes > 0))
			left[count++] = (struct left){birth->step, (double)birth->bytes, (double)birth->nodes};
	}
	if (count > 0)
		qsort(left, count, sizeof *left, by_step);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && left[kept - 1].step == left[i].step) {
			left[kept - 1].bytes += left[i].bytes;
			left[kept - 1].nodes += left[i].nodes;
		} else {
			left[kept++] = left[i];
		}
	}
	return kept;
}

/* The numbers of COUNT steps, of bytes or of nodes. */
static void numbers_of(const struct left *left, size_t count, bool nodes, double *out)
{
	for (size_t i = 0; i < count; i++)
		out[i] = nodes ? left[i].nodes : left[i].bytes;
}

/* How many steps lie between two that something is left of. */
static int64_t period_of(const struct left *left, size_t count, double *scratch)
{
	for (size_t i = 1; i < count; i++)
		scratch[i - 1] = (double)(left[i].step - left[i - 1].step);
	return count > 1 ? (int64_t)median(scratch, count - 1) : 1;
}

static double sum(const double *numbers, size_t count)
{
	double all = 0;

	for (size_t i = 0; i < count; i++)
		all += numbers[i];
	return all;
}

/* Whether as much is left of late steps as of early ones, or nearly: of most of them, or on the whole, as where each second
 * step leaves little. */
static bool goes_on(const struct left *left, size_t count, bool nodes, double *scratch)
{
	size_t half = count / 2;
	double *late = scratch + half, early_sum;

	numbers_of(left, count, nodes, scratch);
	early_sum = sum(scratch, half);
	return sum(late, count - half) >= early_sum / 4 || median(late, count - half) >= median(scratch, half) / 4;
}

/* What a step leaves of bytes or nodes, on average; 0 where fewer than a quarter of the steps leave any. Sorts SCRATCH. */
static double left_by_step(const struct left *left, size_t count, bool nodes, double *scratch)
{
	numbers_of(left, count, nodes, scratch);
	numbers_sort(scratch, count);
	return scratch[count - 1 - (count - 1) / 4] > 0 ? sum(scratch, count) / (double)count : 0;
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

/* Whether about as many steps of the second half as of the first have something left: a cache fills ever more slowly, and of
 * what is replaced at random most is young. */
static bool is_balanced(const struct left *left, size_t count, int64_t first, int64_t last)
{
	size_t early = 0;

	while (early < count && left[early].step <= first + (last - first) / 2)
		early++;
	return early <= 2 * (count - early) + 1 && count - early <= 2 * early + 1;
}

/* From what is LEFT of COUNT steps among FIRST to LAST. SCRATCH: as many numbers. */
static void measure(const struct left *left, size_t count, int64_t first, int64_t last, double *scratch, struct growth *growth)
{
	/* What happens each tenth step, say, is a habit when it was seen so often; what comes irregularly, when more so. */
	enum { REGULAR_TIMES = 4, TIMES = 8 };
	int64_t period = period_of(left, count, scratch);
	bool is_regular, is_dense, begins, goes;

	growth->period = period;
	growth->births = (int64_t)count;
	growth->steps = period > 1 ? (left[count - 1].step - left[0].step) / period + 1 : last - first + 1;
	is_regular = growth->births * 5 >= growth->steps * 4;
	is_dense = is_regular && period == 1;
	begins = left[0].step <= first + 2 * period + (last - first) / 8;
	goes = left[count - 1].step >= last - 2 * period - (last - first) / 8;
	growth->leaks = growth->births >= (is_regular ? REGULAR_TIMES : TIMES) && begins && goes &&
			(is_dense || is_balanced(left, count, first, last)) && goes_on(left, count, false, scratch) &&
			goes_on(left, count, true, scratch);
	growth->nodes = left_by_step(left, count, true, scratch) / (double)period;
	growth->bytes = left_by_step(left, count, false, scratch) / (double)period;
	growth->least_bytes = scratch[(count - 1) / 4] / (double)period;
	growth->most_bytes = scratch[count - 1 - (count - 1) / 4] / (double)period;
}

/* How much of what HOLDER keeps lies on an accelerator, 0 to 1. */
static double device_share(const struct reported_holder *holder)
{
	double bytes = 0, device = 0;

	for (size_t i = 0; i < holder->births.count; i++) {
		bytes += (double)holder->births.items[i].bytes;
		device += (double)holder->births.items[i].device;
	}
	return bytes > 0 ? device / bytes : 0;
}

struct growth growth_of(const struct reported_process *process, const struct reported_holder *holder)
{
	/* Of the last steps even what is let go in time may be left; fewer steps than these show nothing. */
	enum { LAST_STEPS = 4, LEAST_STEPS = 8 };
	int64_t first = holder->first >= 0 ? holder->first : process->first;
	int64_t last = (holder->last >= 0 ? holder->last : process->last) - LAST_STEPS;
	struct growth growth = {.host_bytes = -1, .is_emptied = holder->bounded && strcmp(holder->bounded, "sawtooth") == 0};
	struct left *left;
	double *scratch;
	size_t count;

	if (growth.is_emptied) /* its births are those at its widest */
		tooth_of(holder, &first, &last);
	growth.steps = last - first + 1;
	if ((holder->bounded && !growth.is_emptied) || growth.steps < LEAST_STEPS || holder->births.count == 0)
		return growth;
	left = mem_new(holder->births.count, sizeof *left);
	scratch = mem_new(holder->births.count, sizeof *scratch);
	count = left_of(holder, first > 1 ? first : 1, last, left);
	if (count > 0)
		measure(left, count, first, last, scratch, &growth);
	growth.device_bytes = growth.bytes * device_share(holder);
	if (holder->host_bytes >= 0)
		growth.host_bytes = (double)holder->host_bytes / (double)holder->births.count / (double)(growth.period > 1 ? growth.period : 1);
	free(left);
	free(scratch);
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

/* Rules that are told where the kept graph is made, and not where it is stored. */
static bool is_told_where_made(const struct predicted *finding)
{
	return strcmp(finding->name, "create-graph-backward") == 0 || strcmp(finding->name, "eval-no-grad") == 0;
}

static bool is_made_at(const struct reported_holder *holder, const struct predicted *finding)
{
	for (size_t i = 0; i < holder->allocs.count; i++) {
		if (is_at(holder->allocs.items[i].path, holder->allocs.items[i].line, finding))
			return true;
	}
	return false;
}

/* Whether FINDING speaks of HOLDER: it stands where it is stored; or, of a cache, at its decorator or its definition. */
static bool is_about(const struct reported_holder *holder, const struct predicted *finding)
{
	return stores_at(holder, finding) || is_at(holder->place.path, holder->place.line, finding) ||
	       (is_told_where_made(finding) && is_made_at(holder, finding));
}

/* Which rules a probe speaks for: it fires at lines that other findings may stand at, too. A fault may show far from the line
 * that is to blame. */
static const struct probe_rule {
	const char *kind, *rule;
	bool shows_elsewhere;
} probe_rules[] = {
	{"sync", "raw-tensor-log", false},
	{"metric-kept", "metric-no-reset", true},
	{"eval-at-step", "eval-not-restored", true},
	{"eval-with-graph", "eval-no-grad", false},
	{"eval-with-graph", "no-grad-escape", true},
	{"grad-at-backward", "zero-grad", true},
	{"grad-never-used", "zero-grad", true},
	{"zero-grad-in-place", "zero-grad", true},
	{"no-gradient-at-step", "no-grad-escape", true},
	{"no-gradient-for-some", "no-grad-escape", true},
	{"grad-off-at-step", "no-grad-escape", true},
	{"no-graph-at-backward", "no-grad-escape", true},
	{"gc-collect", "empty-cache", false},
	{"empty-cache", "empty-cache", false},
	{"anomaly", "debug-left-on", true},
	{"profiler", "debug-left-on", true},
	{"memory-history", "debug-left-on", true},
	{"optimizer-made", "rebuild-in-loop", true},
	{"param-group-added", "rebuild-in-loop", true},
	{"thread-started", "rebuild-in-loop", true},
	{"hooks-grow", "hook-retain", true},
	{"second-backward", "hidden-state", true},
	{"second-backward", "retain-graph", true},
	{"graph-changed", "hidden-state", true},
	{"graph-changed", "retain-graph", true},
};

static const struct probe_rule *speaks_for(const struct reported_probe *probe, const struct predicted *finding)
{
	for (size_t i = 0; i < sizeof probe_rules / sizeof *probe_rules; i++) {
		if (strcmp(probe_rules[i].kind, probe->kind) == 0 && strcmp(probe_rules[i].rule, finding->name) == 0)
			return &probe_rules[i];
	}
	return NULL;
}

/* How near to FINDING what PROBE saw happened: 2 on its line or reached from there, 1 in its file, 0 elsewhere. */
static int nearness(const struct reported_probe *probe, const struct predicted *finding)
{
	int near = probe->path && strcmp(probe->path, finding->path) == 0;

	if (is_at(probe->path, probe->line, finding))
		return 2;
	for (size_t i = 0; i < REPORTED_CALLERS && probe->callers[i].path; i++) {
		if (is_at(probe->callers[i].path, probe->callers[i].line, finding))
			return 2;
		near |= strcmp(probe->callers[i].path, finding->path) == 0;
	}
	return near;
}

/* Whether PROBE saw what the finding with number ID says: at its line; or where no finding stands at what was seen and this
 * is the only one in the file that speaks of such. */
static bool is_probed(const struct reported_probe *probe, const struct predicted *findings, size_t count, size_t id)
{
	const struct probe_rule *rule = speaks_for(probe, &findings[id]);
	int near = nearness(probe, &findings[id]);

	if (probe->hits == 0 || !rule)
		return false;
	if (probe->finding == (int64_t)id || near == 2)
		return true;
	if (near == 0 || !rule->shows_elsewhere)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (i != id && speaks_for(probe, &findings[i]) && nearness(probe, &findings[i]) > 0)
			return false;
	}
	return true;
}

static enum verdict verdict_of(const struct growth *growth)
{
	return growth->device_bytes > 0 ? VERDICT_CONFIRMED : VERDICT_CONFIRMED_HOST;
}

static double weight_of(const struct growth *growth)
{
	return growth->bytes + (growth->host_bytes > 0 ? growth->host_bytes : growth->nodes);
}

/* Growth that was stored by the finding's line, or from there: the largest, of several. */
static void judge_by_holders(const struct reported_process *process, struct judged *judged)
{
	size_t leaking = 0;

	for (size_t i = 0; i < process->holders.count; i++) {
		const struct reported_holder *holder = process->holders.items[i];
		struct growth growth;

		if (!is_about(holder, judged->finding))
			continue;
		growth = growth_of(process, holder);
		if (judged->holder && !growth.leaks)
			continue;
		if (growth.leaks && verdict_of(&growth) > judged->verdict)
			judged->verdict = verdict_of(&growth);
		leaking += growth.leaks;
		if (judged->growth.leaks && weight_of(&judged->growth) >= weight_of(&growth))
			continue;
		judged->holder = holder;
		judged->growth = growth;
	}
	if (leaking > judged->others + 1)
		judged->others = leaking - 1;
}

/* The better verdict of what is known and what PROCESS shows of the finding with number ID. */
static void judge_finding(const struct reported_process *process, const struct predicted *findings, size_t count, size_t id,
			  struct judged *judged)
{
	/* A line that ran as often and left nothing is no leak; one that runs now and then, when it was watched for long. */
	enum { ENOUGH_HITS = 8, FEW_HITS = 4, ENOUGH_STEPS = 24 };
	bool is_seen = false;

	for (size_t i = 0; i < process->covers.count; i++) {
		const struct reported_cover *cover = &process->covers.items[i];

		if (cover->finding != (int64_t)id)
			continue;
		judged->hits += cover->hits;
		is_seen |= cover->hits >= FEW_HITS && cover->steps >= ENOUGH_STEPS;
	}
	judge_by_holders(process, judged);
	for (size_t i = 0; i < process->probes.count; i++) {
		const struct reported_probe *probe = &process->probes.items[i];

		if (is_probed(probe, findings, count, id) && (!judged->probe || probe->hits > judged->probe->hits))
			judged->probe = probe;
	}
	if (judged->probe && judged->verdict < VERDICT_CONFIRMED_HOST) {
		bool grows = strcmp(judged->probe->kind, "hooks-grow") == 0;

		judged->verdict = grows ? VERDICT_CONFIRMED_HOST : VERDICT_CONFIRMED;
		judged->bounded = grows ? NULL : "constant";
	}
	if (judged->verdict == VERDICT_NOT_OBSERVED && (is_seen || judged->hits >= ENOUGH_HITS))
		judged->verdict = VERDICT_REFUTED;
	if (judged->verdict <= VERDICT_REFUTED && judged->holder)
		judged->bounded = judged->holder->bounded;
}

/* What may happen in workers of a data loader, where no agent watches lines: of the rules that speak of them, where the line
 * ran nowhere else and a worker grows. */
static void judge_by_worker(const struct reported *reported, struct judged *judged)
{
	static const char *const rules[] = {"tensor-cache", "dataloader-cow"};
	struct worker_growth growth;

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (judged->verdict != VERDICT_NOT_OBSERVED || judged->hits > 0 || strcmp(judged->finding->name, rules[i]) != 0)
			continue;
		judged->worker = workers_most(reported, &growth);
		if (judged->worker)
			judged->verdict = VERDICT_CONFIRMED_HOST;
	}
}

static bool is_predicted(const struct reported_holder *holder, const struct predicted *findings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_about(holder, &findings[i]))
			return true;
	}
	return false;
}

/* Results that are gathered grow as well, and are wanted. Graphs are not, nor is storage that nobody can reach, by a view that
 * needs little of it or by any name; of the latter some bytes a step are scalars that torch itself keeps. */
static bool is_unwanted(const struct reported_holder *holder, const struct growth *growth)
{
	enum { SCALARS = 1024 };
	bool has_no_name = strcmp(holder->key, "<unreached>") == 0 && growth->bytes >= SCALARS;

	return !growth->is_emptied && (growth->nodes > 0 || has_no_name || (holder->used >= 0 && holder->used * 2 < holder->bytes));
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
			judge_finding(reported->processes.items[p], findings, count, i, &judged);
		judge_by_worker(reported, &judged);
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
