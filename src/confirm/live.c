#include "confirm/live.h"

#include <math.h>
#include <string.h>

#include "confirm/say.h"
#include "report/visible.h"

enum { RANKS_SHOWN = 4 };

/* ---- what there is ---- */

/* The processes that are shown: those that train, or else the first. Returns how many there are, at most RANKS_SHOWN of
 * which are put into SHOWN. */
static size_t shown_get(const struct reported *reported, const struct reported_process **shown)
{
	size_t count = 0;

	for (size_t i = 0; i < reported->processes.count; i++) {
		if (reported->processes.items[i]->steps <= 0)
			continue;
		if (count < RANKS_SHOWN)
			shown[count] = reported->processes.items[i];
		count++;
	}
	if (count == 0 && reported->processes.count)
		shown[count++] = reported->processes.items[0];
	return count;
}

static const struct reported_step *last_step(const struct reported_process *process)
{
	return process->curve.count ? &process->curve.items[process->curve.count - 1] : NULL;
}

static int64_t steps_of(const struct reported *reported)
{
	int64_t steps = 0;

	for (size_t i = 0; i < reported->processes.count; i++) {
		if (reported->processes.items[i]->steps > steps)
			steps = reported->processes.items[i]->steps;
	}
	return steps;
}

/* Of late, or -1 where too little is known. */
static double steps_a_second(const struct reported_process *process)
{
	enum { LATELY = 16 };
	const struct reported_step *last = last_step(process), *before;

	if (process->curve.count < 2)
		return -1;
	before = &process->curve.items[process->curve.count > LATELY ? process->curve.count - LATELY : 0];
	return last->seconds > before->seconds ? (double)(last->step - before->step) / (last->seconds - before->seconds) : -1;
}

/* Of all devices together, allocated or RESERVED; -1: there is none, or it does not say. */
static int64_t on_devices(const struct reported_step *step, bool reserved)
{
	int64_t sum = -1;

	for (size_t i = 0; i < step->device_count; i++) {
		int64_t bytes = reserved ? step->devices[i].reserved : step->devices[i].allocated;

		if (bytes >= 0)
			sum = (sum < 0 ? 0 : sum) + bytes;
	}
	return sum;
}

static int64_t tensors_of(const struct reported_step *step)
{
	int64_t allocated = on_devices(step, false);

	return allocated >= 0 ? allocated : step->live;
}

static void add_memory(struct buf *out, const struct reported_step *step, const char *between)
{
	int64_t reserved = step ? on_devices(step, true) : -1, host = !step ? -1 : step->host >= 0 ? step->host : step->rss;
	const char *before = "";

	if (step && tensors_of(step) >= 0) {
		buf_add_text(out, step->device_count ? "allocated " : "tensors ");
		say_bytes(out, (double)tensors_of(step));
		before = between;
	}
	if (reserved >= 0) {
		buf_format(out, "%sreserved ", before);
		say_bytes(out, (double)reserved);
		before = between;
	}
	if (host >= 0) {
		buf_format(out, "%shost ", before);
		say_bytes(out, (double)host);
	}
}

static void add_speed(struct buf *out, const struct reported_process *process, const char *between)
{
	double speed = process ? steps_a_second(process) : -1;

	if (speed > 0)
		buf_format(out, speed < 10 ? "%s%.1f steps/s" : "%s%.0f steps/s", between, speed);
}

/* ---- the plot ---- */

/* Whether a mark stands in place X of WIDTH, LEVEL of HEIGHT from below, as far as numbers go. */
static bool is_filled(const struct live_plot *plot, size_t x, size_t width, size_t level, size_t height)
{
	size_t first = plot->count * x / width, end = plot->count * (x + 1) / width;
	double number = -1, part;

	/* the numbers of a place, of which the highest shows, or the one that it is wider than */
	for (size_t i = first; i < (end > first ? end : first + 1) && i < plot->count; i++)
		number = plot->numbers[i] > number ? plot->numbers[i] : number;
	if (number < 0)
		return false;
	part = plot->most > plot->least ? (number - plot->least) / (plot->most - plot->least) : 0;
	return (double)level <= part * (double)(height - 1) + 0.5;
}

static void add_braille(struct buf *out, const struct live_plot *plot, size_t column, size_t row)
{
	/* the dots of a cell from below, left and right. Source: Unicode, Braille Patterns */
	static const unsigned left[] = {0x40, 0x04, 0x02, 0x01}, right[] = {0x80, 0x20, 0x10, 0x08};
	enum { LEVELS = 4, SIDES = 2, FIRST_PATTERN = 0x2800 };
	size_t height = plot->rows * LEVELS, base = (plot->rows - 1 - row) * LEVELS;
	unsigned dots = 0;

	for (size_t i = 0; i < LEVELS; i++) {
		if (is_filled(plot, column * SIDES, plot->columns * SIDES, base + i, height))
			dots |= left[i];
		if (is_filled(plot, column * SIDES + 1, plot->columns * SIDES, base + i, height))
			dots |= right[i];
	}
	buf_add_codepoint(out, FIRST_PATTERN + dots);
}

static void add_ascii(struct buf *out, const struct live_plot *plot, size_t column, size_t row)
{
	static const char marks[] = " .:|";
	enum { LEVELS = 3 };
	size_t height = plot->rows * LEVELS, base = (plot->rows - 1 - row) * LEVELS, filled = 0;

	while (filled < LEVELS && is_filled(plot, column, plot->columns, base + filled, height))
		filled++;
	buf_add_char(out, marks[filled]);
}

void live_plot_row(struct buf *out, const struct live_plot *plot, size_t row)
{
	for (size_t column = 0; column < plot->columns; column++) {
		if (plot->braille)
			add_braille(out, plot, column, row);
		else
			add_ascii(out, plot, column, row);
	}
}

/* The place among COUNT of a step among LAST. */
static size_t place_of(int64_t step, int64_t last, size_t count)
{
	if (step < 1)
		return 0;
	return (int64_t)count == last ? (size_t)(step - 1) : (size_t)((double)(step - 1) / (double)last * (double)count);
}

/* Where nothing was said of some steps, it was as before: up to the last that something was said of. */
static void fill_gaps(double *numbers, size_t count)
{
	size_t end = count;

	while (end > 0 && numbers[end - 1] < 0)
		end--;
	for (size_t i = 1; i < end; i++)
		numbers[i] = numbers[i] < 0 ? numbers[i - 1] : numbers[i];
}

/* Fills PLOT with what PROCESS has shown, over all of the steps that are to come; the array is the caller's. */
static double *plot_fill(struct live_plot *plot, const struct reported_process *process, int64_t steps)
{
	enum { MOST = 4096 };
	int64_t last = process && process->steps > steps ? process->steps : steps > 1 ? steps : 1;
	double *numbers;

	plot->count = last > MOST ? MOST : (size_t)last;
	numbers = mem_new(plot->count, sizeof *numbers);
	for (size_t i = 0; i < plot->count; i++)
		numbers[i] = -1;
	plot->least = plot->most = -1;
	for (size_t i = 0; process && i < process->curve.count; i++) {
		const struct reported_step *step = &process->curve.items[i];
		double bytes = (double)(tensors_of(step) >= 0 ? tensors_of(step) : step->host >= 0 ? step->host : step->rss);
		size_t at = place_of(step->step, last, plot->count);

		if (bytes < 0)
			continue;
		if (at < plot->count)
			numbers[at] = bytes;
		plot->least = plot->least < 0 || bytes < plot->least ? bytes : plot->least;
		plot->most = bytes > plot->most ? bytes : plot->most;
	}
	fill_gaps(numbers, plot->count);
	/* so that what hardly moves looks like it */
	if (plot->most - plot->least < plot->most / 50)
		plot->least = plot->most - plot->most / 50;
	plot->numbers = numbers;
	return numbers;
}

static void add_plot(struct buf *out, const struct reported_process *process, const struct live_look *look, size_t row)
{
	enum { LABEL = 10, LEAST_PLOT = 10 };
	struct live_plot plot = {.rows = look->plot_rows, .braille = look->braille};
	double *numbers;

	if (look->columns < LABEL + LEAST_PLOT)
		return;
	plot.columns = look->columns - LABEL;
	numbers = plot_fill(&plot, process, look->steps);
	live_plot_row(out, &plot, row);
	if (plot.most >= 0 && (row == 0 || row + 1 == plot.rows)) {
		buf_add_char(out, ' ');
		say_bytes(out, row == 0 ? plot.most : plot.least);
	}
	free(numbers);
}

/* ---- rows ---- */

static void add_head(struct buf *out, const struct reported *reported, const struct live_look *look)
{
	const struct reported_process *shown[RANKS_SHOWN];
	size_t count = shown_get(reported, shown);

	buf_add_text(out, "vramlint  ");
	if (steps_of(reported) == 0) {
		buf_format(out, "%s", count ? "before the first step" : "torch is not imported yet");
	} else {
		buf_format(out, "step %lld of %lld", (long long)steps_of(reported), (long long)look->steps);
		add_speed(out, shown[0], "  ");
	}
	buf_format(out, "  %d:%02d", (int)look->seconds / 60, (int)look->seconds % 60);
}

static void add_process(struct buf *out, const struct reported_process *process, bool is_one_of_many)
{
	buf_add_text(out, "  ");
	if (is_one_of_many) {
		if (process->rank >= 0)
			buf_format(out, "rank %lld", (long long)process->rank);
		else
			buf_format(out, "process %lld", (long long)process->process);
		buf_format(out, "  step %lld  ", (long long)process->steps);
	}
	add_memory(out, last_step(process), "  ");
}

static size_t process_rows(size_t count)
{
	return count > RANKS_SHOWN ? RANKS_SHOWN + 1 : count ? count : 1;
}

size_t live_height(const struct reported *reported, const struct live_look *look)
{
	const struct reported_process *shown[RANKS_SHOWN];

	return 1 + process_rows(shown_get(reported, shown)) + look->plot_rows;
}

void live_row(struct buf *out, const struct reported *reported, const struct live_look *look, size_t index)
{
	const struct reported_process *shown[RANKS_SHOWN];
	size_t count = shown_get(reported, shown), rows = process_rows(count), width = 0;
	struct buf text = BUF_INIT;
	struct str rest;

	if (index == 0)
		add_head(&text, reported, look);
	else if (index <= rows && index <= RANKS_SHOWN && index <= count)
		add_process(&text, shown[index - 1], count > 1);
	else if (index <= rows && count > RANKS_SHOWN)
		buf_format(&text, "  and %zu more", count - RANKS_SHOWN);
	else if (index > rows && index - rows - 1 < look->plot_rows)
		add_plot(&text, count ? shown[0] : NULL, look, index - rows - 1);
	for (rest = buf_get(&text); rest.length;) {
		struct visible_piece piece = visible_piece_get(rest);

		width += piece.width;
		if (width > look->columns)
			break;
		buf_add(out, piece.text, piece.length);
		rest = (struct str){rest.at + piece.taken, rest.length - piece.taken};
	}
	buf_release(&text);
}

void live_line(struct buf *out, const struct reported *reported, const struct live_look *look)
{
	const struct reported_process *shown[RANKS_SHOWN];
	size_t count = shown_get(reported, shown);

	if (steps_of(reported) == 0) {
		buf_format(out, "%s", count ? "before the first step" : "torch is not imported yet");
		return;
	}
	buf_format(out, "step %lld of %lld", (long long)steps_of(reported), (long long)look->steps);
	add_speed(out, shown[0], ", ");
	if (last_step(shown[0])) {
		buf_add_text(out, ", ");
		add_memory(out, last_step(shown[0]), ", ");
	}
}
