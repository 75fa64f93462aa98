#include "confirm/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "confirm/say.h"
#include "report/frame.h"
#include "report/html_code.h"
#include "report/visible.h"

enum {
	LEFT = 72,          /* room for the labels of amounts */
	RIGHT = 10,
	CURVE_HEIGHT = 200,
	BIRTHS_HEIGHT = 110,
	ABOVE = 18,         /* … and for the names of phases */
	LETTER = 7,         /* width of one, or somewhat less */
	BELOW = 24,         /* room for the labels of steps */
	POINTS = 300,       /* of a curve at most, and bars of births */
	BAR_WIDTH = 3,      /* least */
	ROWS_DRAWN = 12,    /* holders in a document */
	LABELS = 30,        /* on an axis at most */
	NODE_BYTES = 560,   /* of a graph's node in host memory, measured */
};

/* The area that something is drawn in, and what its corners stand for. */
struct plot {
	struct buf *out;
	double width, height;   /* of the whole */
	double first, last;     /* steps */
	double low, high;       /* amounts */
};

static double x_of(const struct plot *plot, double step)
{
	double span = plot->last > plot->first ? plot->last - plot->first : 1;

	return LEFT + (step - plot->first) / span * (plot->width - LEFT - RIGHT);
}

static double y_of(const struct plot *plot, double amount)
{
	return plot->height - BELOW - (amount - plot->low) / (plot->high - plot->low) * (plot->height - ABOVE - BELOW);
}

/* 1, 2 or 5 times a power of ten, the smallest of which no more than COUNT fit into SPAN. */
static double nice_step(double span, int count)
{
	static const double sizes[] = {1, 2, 5};
	double power, ideal = span / count;

	if (!(ideal > 0))
		return 1;
	power = pow(10, floor(log10(ideal)));
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		if (sizes[i] * power >= ideal * 0.9999999)
			return sizes[i] * power;
	}
	return 10 * power;
}

static void add_text(const struct plot *plot, double x, double y, const char *anchor, const char *text)
{
	buf_format(plot->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	html_add(plot->out, str_from(text));
	buf_add_text(plot->out, "</text>\n");
}

static void add_line(const struct plot *plot, const char *style, double x1, double y1, double x2, double y2)
{
	buf_format(plot->out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#888\"/>\n", style, x1, y1, x2,
		   y2);
}

/* ---- axes ---- */

/* AMOUNT as a label where labels are STEP apart. */
static void label_bytes(struct buf *out, double amount, double step)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	size_t unit = 0;
	double size = 1;
	int digits;

	while (fabs(amount) >= size * 1000 && unit < 4) {
		size *= 1000;
		unit++;
	}
	digits = step < size ? (int)ceil(-log10(step / size) - 1e-9) : 0;
	buf_format(out, "%.*f %s", digits > 3 ? 3 : digits, amount / size, units[unit]);
}

/* Fits LOW and HIGH to what is drawn, and says where labels begin: of a curve that changes by little the difference to its lowest
 * is what is of interest. */
struct scale {
	double step;
	double base; /* what labels are more than, or 0 */
};

static struct scale scale_fit(struct plot *plot, double least, double most)
{
	struct scale scale = {1, 0};

	if (most - least < 1)
		most = least + 8;
	if (least > 0 && least < 0.5 * most)
		least = 0;
	scale.step = nice_step(most - least, 5);
	if (scale.step < 1)
		scale.step = 1;
	if (least > 0 && most - least < 0.2 * most)
		scale.base = least;
	plot->low = scale.base + floor((least - scale.base) / scale.step) * scale.step;
	plot->high = scale.base + ceil((most - scale.base) / scale.step) * scale.step;
	if (plot->high <= plot->low)
		plot->high = plot->low + scale.step;
	return scale;
}

static void add_amounts(const struct plot *plot, struct scale scale)
{
	struct buf label = BUF_INIT;

	for (int i = 0; i < LABELS && plot->low + i * scale.step <= plot->high + scale.step / 2; i++) {
		double amount = plot->low + i * scale.step, y = y_of(plot, amount);

		buf_reset(&label);
		if (scale.base > 0)
			buf_add_char(&label, '+');
		label_bytes(&label, amount - scale.base, scale.step);
		add_line(plot, "grid", LEFT, y, plot->width - RIGHT, y);
		add_text(plot, LEFT - 6, y + 4, "end", buf_text(&label));
	}
	buf_release(&label);
}

/* Steps up to LAST, each SHIFT of a step to the right of where it begins, and behind WORDS the last. */
static void add_steps(const struct plot *plot, const char *words, double last, double shift)
{
	double step = nice_step(last - plot->first, plot->width > 600 ? 12 : 6), floor_y = plot->height - BELOW, room;
	struct buf label = BUF_INIT;

	step = step < 1 ? 1 : step;
	add_line(plot, "axis", LEFT, floor_y, plot->width - RIGHT, floor_y);
	buf_format(&label, "%s %.0f", words, last);
	add_text(plot, plot->width - RIGHT, plot->height - 6, "end", buf_text(&label));
	room = plot->width - RIGHT - LETTER * (double)(label.length + 3);
	for (int i = 0; i < LABELS && (ceil(plot->first / step) + i) * step <= last; i++) {
		double at = (ceil(plot->first / step) + i) * step, x = x_of(plot, at + shift);

		add_line(plot, "axis", x, floor_y, x, floor_y + 4);
		buf_reset(&label);
		buf_format(&label, "%.0f", at);
		if (x <= room)
			add_text(plot, x, plot->height - 6, "middle", buf_text(&label));
	}
	buf_release(&label);
}

/* ---- curves ---- */

static int64_t amount_of(const struct picture_curve *curve, const struct reported_step *step, size_t series)
{
	switch (curve->kind) {
	case PICTURE_TENSORS:
		return series == 0 ? step->live : -1;
	case PICTURE_DEVICE:
		if (curve->device >= step->device_count || series > 1)
			return -1;
		return series == 0 ? step->devices[curve->device].allocated : step->devices[curve->device].reserved;
	case PICTURE_HOST:
		return series == 0 ? step->host >= 0 ? step->host : step->rss : -1;
	}
	return -1;
}

const char *picture_series_name(const struct picture_curve *curve, size_t index, const char **style)
{
	static const struct {
		const char *name, *style;
	} names[][3] = {
		[PICTURE_TENSORS] = {{"allocated", "allocated"}, {NULL, NULL}},
		[PICTURE_DEVICE] = {{"allocated", "allocated"}, {"reserved", "reserved"}, {NULL, NULL}},
		[PICTURE_HOST] = {{"host", "host"}, {NULL, NULL}},
	};

	*style = names[curve->kind][index].style;
	return names[curve->kind][index].name;
}

/* Where the clock began to count as it did in the end: one that was found later begins anew. */
static size_t begin_of(const struct reported_process *process)
{
	size_t begin = 0;

	for (size_t i = 1; i < process->curve.count; i++)
		begin = process->curve.items[i].step <= process->curve.items[i - 1].step ? i : begin;
	return begin;
}

static bool is_known(const struct picture_curve *curve)
{
	size_t count = 0;

	for (size_t i = begin_of(curve->process); i < curve->process->curve.count; i++)
		count += amount_of(curve, &curve->process->curve.items[i], 0) >= 0;
	return count > 1;
}

static void curve_keep(struct picture_curve *curves, size_t *count, struct picture_curve curve)
{
	if (*count < PICTURE_CURVES && is_known(&curve))
		curves[(*count)++] = curve;
}

size_t picture_curves_get(const struct told *told, struct picture_curve *curves)
{
	const struct reported *reported = &told->outcome->reported;
	size_t count = 0;

	for (size_t i = 0; i < reported->processes.count; i++) {
		const struct reported_process *process = reported->processes.items[i];
		size_t devices = 0;

		if (process->steps <= 0)
			continue;
		for (size_t s = 0; s < process->curve.count; s++)
			devices = process->curve.items[s].device_count > devices ? process->curve.items[s].device_count : devices;
		for (size_t d = 0; d < devices; d++)
			curve_keep(curves, &count, (struct picture_curve){PICTURE_DEVICE, process, d});
		if (devices == 0)
			curve_keep(curves, &count, (struct picture_curve){PICTURE_TENSORS, process, 0});
		curve_keep(curves, &count, (struct picture_curve){PICTURE_HOST, process, 0});
	}
	return count;
}

/* "memory of cuda:0 (NVIDIA H100)" */
static void add_device(struct buf *out, const struct picture_curve *curve)
{
	const struct reported_process *process = curve->process;
	const struct reported_gpu *gpu = NULL;
	int64_t number = (int64_t)curve->device;

	for (size_t i = 0; i < process->curve.count; i++) {
		if (curve->device < process->curve.items[i].device_count)
			number = process->curve.items[i].devices[curve->device].device;
	}
	for (size_t i = 0; i < process->gpu_count; i++)
		gpu = process->gpus[i].device == number ? &process->gpus[i] : gpu;
	buf_add_text(out, "memory of ");
	visible_add(out, str_from(gpu && gpu->kind ? gpu->kind : "device"));
	buf_format(out, ":%lld", (long long)number);
	if (gpu && gpu->name) {
		buf_add_text(out, " (");
		visible_add(out, str_from(gpu->name));
		buf_add_char(out, ')');
	}
}

void picture_add_title(struct buf *out, const struct told *told, const struct picture_curve *curve)
{
	const struct reported_process *process = curve->process;

	if (told_trainers(told) > 1 && process->rank >= 0)
		buf_format(out, "rank %lld: ", (long long)process->rank);
	switch (curve->kind) {
	case PICTURE_TENSORS:
		buf_add_text(out, "tensors in the CPU's memory");
		return;
	case PICTURE_DEVICE:
		add_device(out, curve);
		return;
	case PICTURE_HOST:
		buf_add_text(out, process->curve.items[process->curve.count - 1].host >= 0 ? "host memory, by malloc"
											    : "host memory that the process takes");
		return;
	}
}

/* Which of COUNT points are drawn where there are many: of each few the least and the most of the first
 * series. */
static size_t points_choose(const struct picture_curve *curve, size_t *chosen)
{
	size_t count = curve->process->curve.count, begin = begin_of(curve->process), kept = 0;
	size_t size = count - begin > POINTS ? (count - begin) / (POINTS / 2) + 1 : 1;

	for (size_t from = begin; from < count; from += size) {
		size_t end = from + size < count ? from + size : count, least = from, most = from;

		for (size_t i = from; i < end; i++) {
			int64_t amount = amount_of(curve, &curve->process->curve.items[i], 0);

			least = amount < amount_of(curve, &curve->process->curve.items[least], 0) ? i : least;
			most = amount > amount_of(curve, &curve->process->curve.items[most], 0) ? i : most;
		}
		chosen[kept++] = least < most ? least : most;
		if (least != most)
			chosen[kept++] = least < most ? most : least;
	}
	if (kept == 0 || chosen[kept - 1] != count - 1)
		chosen[kept++] = count - 1;
	return kept;
}

static void add_phases(const struct plot *plot, const struct reported_process *process)
{
	double top = ABOVE, height = plot->height - ABOVE - BELOW, x;

	if ((double)process->first <= plot->first || (double)process->first >= plot->last)
		return;
	x = x_of(plot, (double)process->first);
	buf_format(plot->out, "<rect class=\"warm\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#eee\"/>\n", LEFT, top, x - LEFT,
		   height);
	add_line(plot, "edge", x, 4, x, top + height);
	add_text(plot, x + 5, top - 5, "start", "judged from here");
	if (x - LEFT > 8 * LETTER)
		add_text(plot, x - 5, top - 5, "end", "warm-up");
	if (process->last > process->first && (double)process->last < plot->last - 1) {
		x = x_of(plot, (double)process->last);
		add_line(plot, "edge", x, 4, x, top + height);
		if (plot->width - RIGHT - x > 12 * LETTER)
			add_text(plot, x + 5, top - 5, "start", "not watched");
	}
}

static void add_crash(const struct plot *plot, const struct reported_process *process)
{
	double x = plot->width - RIGHT;

	if (!process->crash)
		return;
	add_line(plot, "crash", x, ABOVE, x, plot->height - BELOW);
	buf_format(plot->out, "<text class=\"crash\" x=\"%.1f\" y=\"%d\" text-anchor=\"end\">%s</text>\n", x, ABOVE - 5,
		   process->is_oom ? "out of memory" : "ended by an error");
}

static void add_series(const struct plot *plot, const struct picture_curve *curve, size_t series, const size_t *chosen, size_t count)
{
	const char *style;
	bool begun = false;

	picture_series_name(curve, series, &style);
	buf_format(plot->out, "<path class=\"line %s\" fill=\"none\" stroke=\"#0a5fb4\" d=\"", style);
	for (size_t i = 0; i < count; i++) {
		const struct reported_step *step = &curve->process->curve.items[chosen[i]];
		int64_t amount = amount_of(curve, step, series);

		if (amount >= 0)
			buf_format(plot->out, "%c%.1f %.1f", begun ? 'L' : 'M', x_of(plot, (double)step->step), y_of(plot, (double)amount));
		begun = amount >= 0;
	}
	buf_add_text(plot->out, "\"/>\n");
}

/* Stripes that say their amounts when pointed at. */
static void add_stripes(const struct plot *plot, const struct picture_curve *curve, const size_t *chosen, size_t count)
{
	double from = LEFT;

	for (size_t i = 0; i < count; i++) {
		const struct reported_step *step = &curve->process->curve.items[chosen[i]];
		double x = x_of(plot, (double)step->step), to = plot->width - RIGHT;
		const char *style, *name;

		if (i + 1 < count)
			to = (x + x_of(plot, (double)curve->process->curve.items[chosen[i + 1]].step)) / 2;
		buf_format(plot->out, "<rect class=\"hit\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill-opacity=\"0\"><title>step %lld",
			   from, ABOVE, to > from ? to - from : 0, plot->height - ABOVE - BELOW, (long long)step->step);
		for (size_t s = 0; (name = picture_series_name(curve, s, &style)); s++) {
			int64_t amount = amount_of(curve, step, s);

			buf_format(plot->out, "%s %s ", s ? "," : ":", name);
			if (amount >= 0)
				say_bytes(plot->out, (double)amount);
			else
				buf_add_text(plot->out, "not known");
		}
		buf_add_text(plot->out, "</title></rect>\n");
		from = to;
	}
}

/* Sets what PLOT spans to what there is of CURVE from its point BEGIN on. */
static struct scale curve_fit(struct plot *plot, const struct picture_curve *curve, size_t begin)
{
	const struct reported_process *process = curve->process;
	double least = INFINITY, most = 0;
	const char *style;

	plot->first = plot->last = (double)process->curve.items[begin].step;
	for (size_t i = begin; i < process->curve.count; i++) {
		const struct reported_step *step = &process->curve.items[i];

		plot->first = fmin(plot->first, (double)step->step);
		plot->last = fmax(plot->last, (double)step->step);
		for (size_t s = 0; picture_series_name(curve, s, &style); s++) {
			if (amount_of(curve, step, s) < 0)
				continue;
			least = fmin(least, (double)amount_of(curve, step, s));
			most = fmax(most, (double)amount_of(curve, step, s));
		}
	}
	return scale_fit(plot, least, most);
}

static void add_base(const struct plot *plot, struct scale scale)
{
	struct buf text = BUF_INIT;

	if (scale.base > 0) {
		buf_add_text(&text, "above ");
		say_bytes(&text, scale.base);
		add_text(plot, plot->width - RIGHT - 4, plot->height - BELOW - 6, "end", buf_text(&text));
	}
	buf_release(&text);
}

static void curve_draw(struct buf *out, const struct picture_curve *curve, int width)
{
	struct plot plot = {.out = out, .width = width, .height = CURVE_HEIGHT};
	size_t *chosen = mem_new(curve->process->curve.count + POINTS, sizeof *chosen), count = points_choose(curve, chosen);
	struct scale scale = curve_fit(&plot, curve, begin_of(curve->process));
	const char *style;

	add_phases(&plot, curve->process);
	add_amounts(&plot, scale);
	add_base(&plot, scale);
	add_steps(&plot, "step", plot.last, 0);
	for (size_t s = 0; picture_series_name(curve, s, &style); s++)
		add_series(&plot, curve, s, chosen, count);
	add_crash(&plot, curve->process);
	add_stripes(&plot, curve, chosen, count);
	free(chosen);
}

static void svg_open(struct buf *out, int width, int height, struct str label)
{
	buf_format(out, "<svg class=\"picture\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", width, height);
	html_add(out, label);
	buf_add_text(out, "\">\n");
}

void picture_add_curve(struct buf *out, const struct told *told, const struct picture_curve *curve, int width)
{
	struct buf label = BUF_INIT;

	picture_add_title(&label, told, curve);
	svg_open(out, width, CURVE_HEIGHT, buf_get(&label));
	curve_draw(out, curve, width);
	buf_add_text(out, "</svg>\n");
	buf_release(&label);
}

/* ---- births ---- */

static const char *kind_style(enum told_kind kind)
{
	static const char *const styles[] = {
		[TOLD_LEAKS] = "leaks", [TOLD_GATHERED] = "gathered", [TOLD_BOUNDED] = "bounded", [TOLD_OTHER] = "other"};

	return styles[kind];
}

/* What is left of some steps that lie side by side. */
struct bar {
	int64_t first, last;
	double tensors, bytes, nodes;
};

/* The steps that ROW's births may lie in. */
static void births_range(const struct told_row *row, int64_t *first, int64_t *last)
{
	const struct reported_holder *holder = row->holder;

	*first = 0;
	*last = holder->last > 0 ? holder->last : row->process->steps;
	for (size_t i = 0; i < holder->births.count; i++) {
		*last = holder->births.items[i].step > *last ? holder->births.items[i].step : *last;
	}
	*last = *last < *first + 1 ? *first + 1 : *last;
}

static size_t bars_get(const struct told_row *row, int64_t first, int64_t last, size_t most, struct bar *bars)
{
	int64_t size = (last - first) / (int64_t)most + 1;
	size_t count = (size_t)((last - first) / size + 1);

	for (size_t i = 0; i < count; i++) {
		bars[i] = (struct bar){.first = first + (int64_t)i * size, .last = first + (int64_t)(i + 1) * size - 1};
		bars[i].last = bars[i].last > last ? last : bars[i].last;
	}
	for (size_t i = 0; i < row->holder->births.count; i++) {
		const struct reported_birth *birth = &row->holder->births.items[i];
		struct bar *bar;

		if (birth->step < first || birth->step > last)
			continue;
		bar = &bars[(birth->step - first) / size];
		bar->tensors += (double)birth->tensors;
		bar->bytes += (double)birth->bytes;
		bar->nodes += (double)birth->nodes;
	}
	return count;
}

static void add_bar(const struct plot *plot, const struct told_row *row, const struct bar *bar, bool by_nodes)
{
	double from = x_of(plot, (double)bar->first), to = x_of(plot, (double)bar->last + 1), floor_y = plot->height - BELOW;
	double amount = by_nodes ? bar->nodes : bar->bytes, y = y_of(plot, amount);
	double gap = to - from > 6 ? 1 : 0; /* a narrower one is drawn now and then only */

	if (amount > 0)
		buf_format(plot->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#888\"/>\n",
			   kind_style(row->kind), from, y, to - from - gap, floor_y - y);
	buf_format(plot->out, "<rect class=\"hit\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill-opacity=\"0\"><title>", from, ABOVE,
		   to - from, floor_y - ABOVE);
	if (bar->first == bar->last)
		buf_format(plot->out, "made in step %lld: ", (long long)bar->first);
	else
		buf_format(plot->out, "made in steps %lld to %lld: ", (long long)bar->first, (long long)bar->last);
	if (bar->tensors <= 0 && bar->nodes <= 0 && bar->bytes <= 0) {
		buf_add_text(plot->out, "nothing is left");
	} else {
		say_bytes(plot->out, bar->bytes);
		buf_format(plot->out, " in %.0f tensor%s, %.0f graph node%s are left", bar->tensors, bar->tensors == 1 ? "" : "s", bar->nodes,
			   bar->nodes == 1 ? "" : "s");
	}
	buf_add_text(plot->out, "</title></rect>\n");
}

static void births_draw(struct buf *out, const struct told_row *row, int width)
{
	struct plot plot = {.out = out, .width = width, .height = BIRTHS_HEIGHT};
	size_t most = (size_t)(width - LEFT - RIGHT) / BAR_WIDTH, count;
	struct bar *bars = mem_new(most + 2, sizeof *bars);
	double highest[2] = {0, 0};
	struct buf label = BUF_INIT;
	int64_t first, last;
	bool by_nodes;

	births_range(row, &first, &last);
	count = bars_get(row, first, last, most, bars);
	for (size_t i = 0; i < count; i++) {
		highest[0] = fmax(highest[0], bars[i].bytes);
		highest[1] = fmax(highest[1], bars[i].nodes);
	}
	/* what most of the memory is: graphs, next to which the numbers at their ends are nothing */
	by_nodes = highest[0] <= 0 || highest[1] * NODE_BYTES > highest[0];
	plot.first = (double)first;
	plot.last = (double)last + 1;
	plot.high = fmax(highest[by_nodes], 1) * 1.05;
	if (by_nodes) {
		say_number(&label, highest[1]);
		buf_add_text(&label, highest[1] == 1 ? " node" : " nodes");
	} else {
		say_bytes(&label, highest[0]);
	}
	add_line(&plot, "grid", LEFT, y_of(&plot, highest[by_nodes]), width - RIGHT, y_of(&plot, highest[by_nodes]));
	add_text(&plot, LEFT - 6, y_of(&plot, highest[by_nodes]) + 4, "end", buf_text(&label));
	add_text(&plot, LEFT - 6, y_of(&plot, 0) + 4, "end", "0");
	for (size_t i = 0; i < count; i++)
		add_bar(&plot, row, &bars[i], by_nodes);
	add_steps(&plot, say_series(row->process, row->holder), (double)last, last - first < (int64_t)most ? 0.5 : 0);
	buf_release(&label);
	free(bars);
}

void picture_add_births(struct buf *out, const struct told *told, const struct told_row *row, int width)
{
	struct buf label = BUF_INIT;

	buf_add_text(&label, row->holder->key);
	buf_add_text(&label, ": ");
	say_births(&label, row);
	svg_open(out, width, BIRTHS_HEIGHT, buf_get(&label));
	births_draw(out, row, width);
	buf_add_text(out, "</svg>\n");
	buf_release(&label);
}

/* ---- a document ---- */

/* Lines of text one below the other. */
struct sheet {
	struct buf body;
	double top;
};

static void sheet_text(struct sheet *sheet, struct str text, const char *style)
{
	enum { LETTERS = 135, LINE = 17 };
	struct buf lines = BUF_INIT;

	visible_add_wrapped(&lines, text, LETTERS, STR("\n"), 0);
	for (size_t at = 0, end; at < lines.length; at = end + 1) {
		struct str line;

		end = str_find(buf_get(&lines), STR("\n"), at);
		end = end == SIZE_MAX ? lines.length : end;
		line = (struct str){lines.bytes + at, end - at < 4 * LETTERS ? end - at : 4 * LETTERS};
		sheet->top += LINE;
		buf_format(&sheet->body, "<text class=\"%s\" x=\"16\" y=\"%.0f\">", style, sheet->top);
		html_add(&sheet->body, line);
		buf_add_text(&sheet->body, "</text>\n");
	}
	buf_release(&lines);
}

/* Each line of TEXT, which each end in LF. */
static void sheet_lines(struct sheet *sheet, const struct buf *text, const char *style)
{
	for (size_t at = 0, end; at < text->length; at = end + 1) {
		end = str_find(buf_get(text), STR("\n"), at);
		end = end == SIZE_MAX ? text->length : end;
		sheet_text(sheet, (struct str){text->bytes + at, end - at}, style);
	}
}

static void sheet_begin_drawing(struct sheet *sheet)
{
	sheet->top += 6;
	buf_format(&sheet->body, "<g transform=\"translate(0 %.0f)\">\n", sheet->top);
}

static void sheet_end_drawing(struct sheet *sheet, int height)
{
	buf_add_text(&sheet->body, "</g>\n");
	sheet->top += height + 8;
}

static void sheet_curves(struct sheet *sheet, const struct told *told)
{
	struct picture_curve curves[PICTURE_CURVES];
	size_t count = picture_curves_get(told, curves);
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < count; i++) {
		buf_reset(&text);
		picture_add_title(&text, told, &curves[i]);
		if (curves[i].kind == PICTURE_DEVICE)
			buf_add_text(&text, ": allocated, and reserved above it");
		sheet_text(sheet, buf_get(&text), "title");
		sheet_begin_drawing(sheet);
		curve_draw(&sheet->body, &curves[i], PICTURE_WIDE);
		sheet_end_drawing(sheet, CURVE_HEIGHT);
	}
	buf_release(&text);
}

static void sheet_births(struct sheet *sheet, const struct told *told)
{
	struct buf text = BUF_INIT;
	size_t drawn = 0;

	for (size_t i = 0; i < told->rows.count && drawn < ROWS_DRAWN; i++) {
		const struct told_row *row = &told->rows.items[i];

		if (row->holder->births.count == 0 || row->kind == TOLD_OTHER)
			continue;
		drawn++;
		buf_reset(&text);
		buf_format(&text, "what is left in %s of each %s", row->holder->key, say_series(row->process, row->holder));
		sheet_text(sheet, buf_get(&text), "title");
		buf_reset(&text);
		say_births(&text, row);
		sheet_text(sheet, buf_get(&text), "");
		sheet_begin_drawing(sheet);
		births_draw(&sheet->body, row, PICTURE_WIDE);
		sheet_end_drawing(sheet, BIRTHS_HEIGHT);
	}
	buf_release(&text);
}

void picture_file(struct buf *out, const struct told *told)
{
	struct sheet sheet = {BUF_INIT, 10};
	struct buf text = BUF_INIT;

	say_run(&text, told);
	sheet_text(&sheet, buf_get(&text), "title");
	buf_reset(&text);
	say_troubles(&text, told);
	say_remarks(&text, told);
	say_forecast(&text, told);
	say_totals(&text, told);
	sheet_lines(&sheet, &text, "");
	sheet.top += 12;
	sheet_curves(&sheet, told);
	sheet_births(&sheet, told);
	sheet.top += 10;
	buf_format(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n<style>",
		   PICTURE_WIDE, sheet.top, PICTURE_WIDE, sheet.top);
	buf_add_str(out, frame_get("src/confirm/picture.css"));
	buf_add_text(out, "</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	buf_add_str(out, buf_get(&sheet.body));
	buf_add_text(out, "</svg>\n");
	buf_release(&sheet.body);
	buf_release(&text);
}
