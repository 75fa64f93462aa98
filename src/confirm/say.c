#include "confirm/say.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "confirm/workers.h"
#include "report/visible.h"

static void add(struct buf *out, const char *text)
{
	visible_add(out, str_from(text));
}

/* NUMBER with a digit behind the point where that says something. */
static void add_short(struct buf *out, double number)
{
	buf_format(out, number < 99.95 && number != (double)(int64_t)number ? "%.1f" : "%.0f", number);
}

void say_bytes(struct buf *out, double bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	size_t unit = 0;

	while (bytes >= 999.5 && unit < 4) {
		bytes /= 1000;
		unit++;
	}
	buf_format(out, unit && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

void say_number(struct buf *out, double number)
{
	static const struct {
		double size;
		const char *name;
	} names[] = {{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (number >= names[i].size) {
			add_short(out, number / names[i].size);
			buf_format(out, " %s", names[i].name);
			return;
		}
	}
	if (number >= 1e4)
		buf_format(out, "%.0f thousand", number / 1000);
	else
		buf_format(out, "%.0f", number);
}

void say_duration(struct buf *out, double seconds)
{
	static const struct {
		double size;
		const char *name;
	} units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		/* "36 hours" says more than "1.5 days" */
		if (seconds < 2 * units[i].size && units[i].size > 1)
			continue;
		add_short(out, seconds / units[i].size);
		buf_format(out, " %ss", units[i].name);
		return;
	}
}

void say_place(struct buf *out, const struct told *told, const char *path, int64_t line)
{
	const char *below = told->folder ? path_below(told->folder, path) : NULL;

	add(out, below && *below ? below : path);
	if (line > 0)
		buf_format(out, ":%lld", (long long)line);
}

void say_growth(struct buf *out, const struct growth *growth)
{
	if (growth->bytes > 0) {
		say_bytes(out, growth->bytes);
		buf_add_text(out, " of tensors");
		if (growth_is_uneven(growth)) {
			buf_add_text(out, " (half of the steps by ");
			say_bytes(out, growth->least_bytes);
			buf_add_text(out, " to ");
			say_bytes(out, growth->most_bytes);
			buf_add_char(out, ')');
		}
	}
	if (growth->nodes > 0) {
		buf_add_text(out, growth->bytes > 0 ? " and " : "");
		say_number(out, growth->nodes);
		buf_format(out, " graph node%s", growth->nodes >= 1.5 ? "s" : "");
	}
	if (growth->bytes <= 0 && growth->nodes <= 0)
		buf_add_text(out, "a little");
	if (growth->host_bytes >= 1 && growth->nodes > 0) {
		buf_add_text(out, " (");
		say_bytes(out, growth->host_bytes);
		buf_add_text(out, " of host memory)");
	}
	buf_add_text(out, " a step");
}

/* ---- holders ---- */

static bool is_bounded_as(const struct reported_holder *holder, const char *why)
{
	return holder->bounded && strcmp(holder->bounded, why) == 0;
}

void say_bounded(struct buf *out, const struct reported_holder *holder)
{
	static const struct {
		const char *why, *words;
	} kinds[] = {
		{"filled", "was filled in early steps and does not grow any more: a cache"},
		{"window", "keeps what the last steps made and lets go of the rest: a window"},
		{"maxlen", "keeps as many as it may hold and lets go of the rest: a window"},
		{"sawtooth", "grows for some steps and is emptied again: a saw-tooth"},
		{"step", "is walked by backward in the step that made it, and goes"},
		{"garbage", "is a reference cycle that the garbage collector frees when it comes to it"},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (is_bounded_as(holder, kinds[i].why)) {
			buf_add_text(out, kinds[i].words);
			return;
		}
	}
	buf_add_text(out, "does not grow any more");
	if (holder->bounded) {
		buf_add_text(out, ": ");
		add(out, holder->bounded);
	}
}

/* How many of the steps that could have left something did. */
static void add_share(struct buf *out, const struct growth *growth)
{
	if (growth->period > 1)
		buf_format(out, "each %lld steps something is left, %lld of %lld times", (long long)growth->period,
			   (long long)growth->births, (long long)growth->steps);
	else
		buf_format(out, "something is left of %lld of %lld steps", (long long)growth->births, (long long)growth->steps);
	buf_add_text(out, growth->is_emptied ? ", until it is emptied" : "");
}

void say_births(struct buf *out, const struct told_row *row)
{
	switch (row->kind) {
	case TOLD_LEAKS:
		add_share(out, &row->growth);
		buf_add_text(out, row->growth.is_emptied ? ": it grows within an epoch" : ": a leak");
		return;
	case TOLD_GATHERED:
		add_share(out, &row->growth);
		buf_add_text(out, ", without a graph: results that are gathered");
		return;
	case TOLD_BOUNDED:
		buf_add_text(out, "it ");
		say_bounded(out, row->holder);
		return;
	case TOLD_OTHER:
		buf_add_text(out, "too few steps have left something to tell");
		return;
	}
}

const char *say_series(const struct reported_process *process, const struct reported_holder *holder)
{
	static const char *const names[][2] = {
		{"opt", "optimizer step"}, {"batch", "batch"}, {"bwd", "backward"}, {"fwd", "forward"}};
	const char *series = holder && holder->series ? holder->series : process->clock;

	for (size_t i = 0; series && i < sizeof names / sizeof *names; i++) {
		if (strcmp(names[i][0], series) == 0)
			return names[i][1];
	}
	return "step";
}

/* ---- verdicts ---- */

static void add_probe(struct buf *out, const struct told *told, const struct reported_probe *probe)
{
	static const char *const words[][2] = {
		{"sync", "a tensor was read there, which waits for a GPU"},
		{"eval-at-step", "the model was in eval mode when the optimizer stepped"},
		{"eval-with-graph", "a forward in eval mode recorded a graph that no backward used"},
		{"grad-at-backward", "gradients of the step before were still there at backward"},
		{"grad-never-used", "gradients were gathered that no optimizer uses"},
		{"zero-grad-in-place", "gradients were zeroed in place, and kept"},
		{"metric-kept", "a metric was computed and went on with what it had, without a reset"},
		{"no-gradient-for-some", "no backward reached some of the parameters that the optimizer steps"},
		{"no-gradient-at-step", "the optimizer stepped without any gradient"},
		{"grad-off-at-step", "gradients were switched off when the optimizer stepped"},
		{"no-graph-at-backward", "backward found no graph"},
		{"gc-collect", "the garbage collector was run"},
		{"empty-cache", "the allocator's cache was emptied"},
		{"synchronize", "it waited for the device"},
		{"anomaly", "anomaly detection was on"},
		{"profiler", "a profiler was on"},
		{"memory-history", "memory was being recorded"},
		{"optimizer-made", "an optimizer was made anew"},
		{"param-group-added", "a parameter group was added"},
		{"thread-started", "a thread was started"},
		{"hooks-grow", "hooks that were registered are still there"},
		{"second-backward", "backward went through a graph a second time, of which the run died"},
		{"graph-changed", "a tensor of the graph was changed, of which the run died"},
	};
	const char *said = NULL;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		said = strcmp(words[i][0], probe->kind) == 0 ? words[i][1] : said;
	add(out, said ? said : probe->kind);
	buf_format(out, ", %lld time%s", (long long)probe->hits, probe->hits == 1 ? "" : "s");
	if (probe->steps > 1)
		buf_format(out, " in %lld steps", (long long)probe->steps);
	if (probe->path && probe->line > 0) {
		buf_add_text(out, ", at ");
		say_place(out, told, probe->path, probe->line);
	}
	if (probe->note && *probe->note) {
		buf_add_text(out, " (");
		add(out, probe->note);
		buf_add_char(out, ')');
	}
}

void say_reason(struct buf *out, const struct told *told, const struct judged *judged)
{
	const struct growth *growth = &judged->growth;

	if (judged->holder && growth->leaks) {
		add(out, judged->holder->key);
		buf_add_text(out, " grows by ");
		say_growth(out, growth);
		buf_add_text(out, "; ");
		add_share(out, growth);
		if (judged->others)
			buf_format(out, "; %zu other holder%s the same way", judged->others, judged->others == 1 ? " grows" : "s grow");
	} else if (judged->probe) {
		add_probe(out, told, judged->probe);
		if (judged->bounded && judged->finding->cost <= COST_PEAK)
			buf_add_text(out, "; that takes memory, but does not grow");
	} else if (judged->worker) {
		workers_say(out, judged->worker);
		buf_add_text(out, "; its line was seen to run in no other process");
	} else if (judged->holder && judged->holder->bounded) {
		add(out, judged->holder->key);
		buf_add_char(out, ' ');
		say_bounded(out, judged->holder);
	} else if (judged->verdict == VERDICT_REFUTED) {
		buf_format(out, "its line ran %lld times, and nothing grew there", (long long)judged->hits);
	} else if (judged->hits > 0) {
		buf_format(out, "its line ran %lld time%s, too few to tell", (long long)judged->hits, judged->hits == 1 ? "" : "s");
	} else {
		buf_add_text(out, "its line was not seen to run");
	}
}

/* ---- the run ---- */

void say_run(struct buf *out, const struct told *told)
{
	const struct reported_process *process = told->process;

	if (!process) {
		buf_add_text(out, "no agent was heard of in '");
		add(out, told->command);
		buf_add_text(out, "': its Python did not import torch, or runs with -I, -E or -S");
		return;
	}
	buf_format(out, "%lld step%s of '", (long long)process->steps, process->steps == 1 ? "" : "s");
	add(out, told->command);
	buf_format(out, "' in %.1f s", told->outcome->seconds);
	if (told->forecast.step_seconds > 0)
		buf_format(out, " (%.*f steps a second)", told->forecast.step_seconds > 0.1 ? 1 : 0, 1 / told->forecast.step_seconds);
	buf_add_text(out, ", torch ");
	add(out, process->torch ? process->torch : "of unknown version");
	buf_add_text(out, " on ");
	add(out, process->device ? process->device : "cpu");
	buf_add_text(out, process->has_shim || !forecast_is_on_cpu(process) ? "" : ", without exact accounting");
}

static void line_end(struct buf *out)
{
	buf_add_char(out, '\n');
}

/* What is known of memory at the end: who held most. */
static void add_last_state(struct buf *out, const struct reported_process *process)
{
	const struct reported_step *last = process->curve.count ? &process->curve.items[process->curve.count - 1] : NULL;
	const struct reported_holder *most = NULL;
	int64_t live = process->crash && process->crash_live >= 0 ? process->crash_live : last ? last->live : -1;

	for (size_t i = 0; i < process->holders.count; i++)
		most = !most || process->holders.items[i]->bytes > most->bytes ? process->holders.items[i] : most;
	if (live < 0 && !most)
		return;
	buf_add_text(out, "last known: ");
	if (live >= 0) {
		buf_add_text(out, "tensors took ");
		say_bytes(out, (double)live);
	}
	if (last && last->rss > 0) {
		buf_add_text(out, live >= 0 ? ", the process " : "the process took ");
		say_bytes(out, (double)last->rss);
	}
	if (most) {
		buf_add_text(out, live >= 0 || (last && last->rss > 0) ? "; most is held by " : "most is held by ");
		add(out, most->key);
		buf_add_text(out, " (");
		say_bytes(out, (double)most->bytes);
		buf_format(out, " in %lld tensor%s)", (long long)most->tensors, most->tensors == 1 ? "" : "s");
	}
	line_end(out);
}

/* TEXT of an exception, in one line and no longer than can be read. */
static void add_message(struct buf *out, const char *text)
{
	enum { LONGEST = 400 };
	struct buf line = BUF_INIT;

	for (; *text && line.length < LONGEST; text++)
		buf_add_char(&line, *text == '\n' ? ' ' : *text);
	visible_add(out, buf_get(&line));
	buf_add_text(out, *text ? "…" : "");
	buf_release(&line);
}

static void add_crash(struct buf *out, const struct told *told, const struct reported_process *process)
{
	const struct reported_line *at = process->crash_at.count ? &process->crash_at.items[process->crash_at.count - 1] : NULL;

	if (told_trainers(told) > 1 && process->rank >= 0)
		buf_format(out, "rank %lld ", (long long)process->rank);
	else
		buf_add_text(out, "it ");
	buf_format(out, "%s after step %lld", process->is_oom ? "ran out of memory" : "ended", (long long)process->crash_step);
	if (at) {
		buf_add_text(out, " at ");
		say_place(out, told, at->path, at->line);
	}
	buf_add_text(out, process->is_oom ? ": " : " with ");
	add_message(out, process->crash);
	line_end(out);
	add_last_state(out, process);
}

/* Whether all that have done any steps have done as many. */
static bool have_done_alike(const struct reported *reported)
{
	int64_t steps = 0;

	for (size_t i = 0; i < reported->processes.count; i++) {
		int64_t own = reported->processes.items[i]->steps;

		if (own > 0 && steps > 0 && own != steps)
			return false;
		steps = own > 0 ? own : steps;
	}
	return true;
}

/* Ranks are told where there are several. */
static void add_ranks(struct buf *out, const struct told *told)
{
	const struct reported *reported = &told->outcome->reported;
	const char *between = "";

	if (told_trainers(told) < 2)
		return;
	buf_format(out, "%zu processes trained", told_trainers(told));
	if (have_done_alike(reported)) {
		buf_format(out, ", %lld steps each\n", (long long)told->process->steps);
		return;
	}
	buf_add_text(out, ": ");
	for (size_t i = 0; i < reported->processes.count; i++) {
		const struct reported_process *process = reported->processes.items[i];

		if (process->steps <= 0)
			continue;
		if (process->rank >= 0)
			buf_format(out, "%srank %lld", between, (long long)process->rank);
		else
			buf_format(out, "%sprocess %lld", between, (long long)process->process);
		buf_format(out, " %lld steps", (long long)process->steps);
		between = ", ";
	}
	line_end(out);
}

/* What an agent cannot see, by its name for it, and what follows. The shim's absence is told with the run. */
static const struct {
	const char *name, *sentence;
} lacks[] = {
	{"saved", "what graphs have saved for backward is not counted: this torch would run hooks of the script's to tell it"},
	{"sequence", "the age of graphs is not known: this torch does not number their nodes"},
	{"tracer", "the lines that store are not known: a debugger or a coverage tool traces the script"},
	{"monitoring", "the lines that store are not known: other tools have taken all of sys.monitoring"},
	{"optimizers", "steps of optimizers are not seen with this torch"},
	{"batches", "batches of a DataLoader are not seen with this torch"},
	{"backward", "backward passes are not seen with this torch"},
	{"forward", "forward passes are not seen with this torch"},
};

static void add_lacks(struct buf *out, const struct reported_process *process)
{
	for (size_t i = 0; process && i < process->lacks.count; i++) {
		for (size_t l = 0; l < sizeof lacks / sizeof *lacks; l++) {
			if (strcmp(lacks[l].name, process->lacks.items[i]) == 0)
				buf_format(out, "%s\n", lacks[l].sentence);
		}
	}
}

void say_troubles(struct buf *out, const struct told *told)
{
	enum { KILLED = 128 + 9 };
	const struct confirm_outcome *outcome = told->outcome;
	bool crashed = false;

	if (outcome->end == CONFIRM_TIMED_OUT)
		buf_add_text(out, "the time was up; --time-limit gives it more\n");
	if (outcome->end == CONFIRM_INTERRUPTED)
		buf_add_text(out, "it was interrupted\n");
	for (size_t i = 0; i < outcome->reported.processes.count; i++) {
		const struct reported_process *process = outcome->reported.processes.items[i];

		if (process->crash) {
			add_crash(out, told, process);
			crashed = true;
		}
	}
	if (!crashed && outcome->end == CONFIRM_DONE && outcome->status > 0 && outcome->status < 128 &&
	    !reported_is_done(&outcome->reported))
		buf_format(out, "it ended with exit status %d\n", outcome->status);
	if (!crashed && outcome->end == CONFIRM_DONE && outcome->status > 128 && told->process && !told->process->has_left) {
		buf_format(out, "it was ended by signal %d%s\n", outcome->status - 128,
			   outcome->status == KILLED ? ", as the system does where memory runs out" : "");
		add_last_state(out, told->process);
	}
}

void say_remarks(struct buf *out, const struct told *told)
{
	size_t bad_lines = told->outcome->reported.bad_lines;

	add_ranks(out, told);
	add_lacks(out, told->process);
	if (told->outcome->lacked_memory)
		buf_add_text(out, "meanwhile the kernel ran out of memory and killed a process\n");
	if (told_is_provisional(told))
		buf_add_text(out, "verdicts are provisional: fewer than 24 steps\n");
	if (bad_lines)
		buf_format(out, "%zu line%s of the agents' reports made no sense\n", bad_lines, bad_lines == 1 ? "" : "s");
}

/* ---- the forecast ---- */

static void add_end(struct buf *out, const struct told *told, const struct forecast_end *end, const char *memory)
{
	static const double YEAR = 365.0 * 86400;

	if (!end->is_known)
		return;
	buf_format(out, "%sat ", told_is_provisional(told) ? "provisional: " : "");
	say_bytes(out, end->bytes);
	buf_add_text(out, " a step");
	if (end == &told->forecast.machine && told_trainers(told) > 1)
		buf_format(out, " in %zu processes", told_trainers(told));
	buf_add_text(out, " the ");
	say_bytes(out, (double)end->total);
	buf_format(out, " of %s (", memory);
	say_bytes(out, (double)end->left);
	buf_add_text(out, " left) ");
	if (end->seconds > YEAR) {
		buf_add_text(out, "last for more than a year at this speed\n");
		return;
	}
	buf_add_text(out, "are full after about ");
	say_number(out, end->steps);
	buf_add_text(out, " steps");
	if (end->seconds >= 0) {
		buf_add_text(out, ", ");
		say_duration(out, end->seconds);
		buf_add_text(out, " at this speed");
	}
	line_end(out);
}

void say_forecast(struct buf *out, const struct told *told)
{
	add_end(out, told, &told->forecast.device, "device memory");
	add_end(out, told, &told->forecast.machine, "host memory");
	if (told->fail_over > 0 && told->forecast.tensors + told->forecast.host > 0) {
		buf_add_text(out, "it grows by ");
		say_bytes(out, told->forecast.tensors + told->forecast.host);
		buf_format(out, " a step in all, %s the ", told_fails(told) ? "over" : "within");
		say_bytes(out, told->fail_over);
		buf_add_text(out, " that --fail-over allows\n");
	}
}

void say_totals(struct buf *out, const struct told *told)
{
	const struct told_totals *totals = &told->totals;

	buf_format(out, "%zu confirmed", totals->confirmed + totals->host);
	if (totals->host > 0)
		buf_format(out, " (%zu in host memory only)", totals->host);
	buf_format(out, ", %zu refuted, %zu not observed, %zu unpredicted", totals->refuted, totals->not_observed,
		   totals->unpredicted);
}
