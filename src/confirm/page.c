#include "confirm/page.h"

#include <stdlib.h>
#include <string.h>

#include "confirm/device_tell.h"
#include "confirm/picture.h"
#include "confirm/say.h"
#include "confirm/workers.h"
#include "report/diff.h"
#include "report/frame.h"
#include "report/html_code.h"

enum {
	FIGURES = 24,     /* holders that are drawn */
	TABLE_ROWS = 100, /* and listed */
	PLACES = 5,       /* lines of one kind named beside the code */
	FOLDED_AFTER = 3, /* so many verdicts of a kind that is no leak stay open */
};

static void add_text(struct buf *out, const char *text)
{
	html_add(out, str_from(text));
}

/* What SAY appends, escaped. */
static void add_said(struct buf *out, void (*say)(struct buf *out, const struct told *told), const struct told *told)
{
	struct buf text = BUF_INIT;

	say(&text, told);
	html_add(out, buf_get(&text));
	buf_release(&text);
}

static void workers_say_all(struct buf *out, const struct told *told)
{
	workers_tell(out, &told->outcome->reported);
}

/* The lines that SAY appends, as items of a list. Returns whether there were any. */
static bool add_said_lines(struct buf *out, void (*say)(struct buf *out, const struct told *told), const struct told *told)
{
	struct buf text = BUF_INIT;
	bool any;

	say(&text, told);
	for (size_t at = 0, end; at < text.length; at = end + 1) {
		end = str_find(buf_get(&text), STR("\n"), at);
		end = end == SIZE_MAX ? text.length : end;
		buf_add_text(out, "<li>");
		html_add(out, (struct str){text.bytes + at, end - at});
		buf_add_text(out, "</li>\n");
	}
	any = text.length > 0;
	buf_release(&text);
	return any;
}

/* ---- the head ---- */

static void add_count(struct buf *out, const char *kind, size_t count, const char *words)
{
	buf_format(out, "<li class=\"%s\"><strong>%zu</strong> %s</li>\n", count ? kind : "none", count, words);
}

static void add_summary(struct buf *out, const struct told *told)
{
	const struct told_totals *totals = &told->totals;
	struct buf lines = BUF_INIT;

	if (add_said_lines(&lines, say_troubles, told)) {
		buf_add_text(out, "<section class=\"troubles\">\n<strong>How it ended</strong>\n<ul>\n");
		buf_add_str(out, buf_get(&lines));
		buf_add_text(out, "</ul>\n</section>\n");
	}
	buf_add_text(out, "<ul class=\"counts\">\n");
	add_count(out, "bad", totals->confirmed, "confirmed");
	add_count(out, "bad", totals->host, "confirmed (host)");
	add_count(out, "bad", totals->unpredicted, "unpredicted");
	add_count(out, "good", totals->refuted, "refuted");
	add_count(out, "open", totals->not_observed, "not observed");
	buf_add_text(out, "</ul>\n");
	buf_reset(&lines);
	add_said_lines(&lines, say_forecast, told);
	add_said_lines(&lines, say_remarks, told);
	add_said_lines(&lines, workers_say_all, told);
	if (lines.length > 0) {
		buf_add_text(out, "<ul class=\"says\">\n");
		buf_add_str(out, buf_get(&lines));
		buf_add_text(out, "</ul>\n");
	}
	buf_release(&lines);
}

/* ---- pictures ---- */

/* One of them is shown, by how wide the page is. */
#define BOTH_WIDTHS(out, add, told, what)                                                                              \
	do {                                                                                                           \
		buf_add_text(out, "<div class=\"wide\">");                                                             \
		add(out, told, what, PICTURE_WIDE);                                                                    \
		buf_add_text(out, "</div>\n<div class=\"narrow\">");                                                   \
		add(out, told, what, PICTURE_NARROW);                                                                  \
		buf_add_text(out, "</div>\n");                                                                         \
	} while (0)

static void add_curves(struct buf *out, const struct told *told)
{
	struct picture_curve curves[PICTURE_CURVES];
	size_t count = picture_curves_get(told, curves);

	if (count == 0)
		return;
	buf_add_text(out, "<section>\n<h2>Memory over steps</h2>\n");
	for (size_t i = 0; i < count; i++) {
		struct buf title = BUF_INIT;
		const char *name, *style;

		picture_add_title(&title, told, &curves[i]);
		buf_add_text(out, "<figure>\n<figcaption><strong>");
		html_add(out, buf_get(&title));
		buf_add_text(out, "</strong> ");
		for (size_t s = 0; curves[i].kind == PICTURE_DEVICE && (name = picture_series_name(&curves[i], s, &style)); s++)
			buf_format(out, "<span class=\"key %s\">%s</span> ", style, name);
		buf_add_text(out, "</figcaption>\n");
		BOTH_WIDTHS(out, picture_add_curve, told, &curves[i]);
		buf_add_text(out, "</figure>\n");
		buf_release(&title);
	}
	buf_add_text(out, "</section>\n");
}

static bool is_drawn(const struct told_row *row)
{
	return row->holder->births.count > 0 && row->kind != TOLD_OTHER;
}

/* The number of HOLDER's figure, or 0. */
static size_t figure_of(const struct told *told, const struct reported_holder *holder)
{
	size_t drawn = 0;

	for (size_t i = 0; i < told->rows.count && drawn < FIGURES; i++) {
		drawn += is_drawn(&told->rows.items[i]);
		if (strcmp(told->rows.items[i].holder->key, holder->key) == 0)
			return is_drawn(&told->rows.items[i]) ? drawn : 0;
	}
	return 0;
}

static void add_births(struct buf *out, const struct told *told)
{
	struct buf text = BUF_INIT;
	size_t drawn = 0;

	for (size_t i = 0; i < told->rows.count && drawn < FIGURES; i++) {
		const struct told_row *row = &told->rows.items[i];

		if (!is_drawn(row))
			continue;
		if (drawn++ == 0)
			buf_add_text(out, "<section>\n<h2>What is left of each step</h2>\n<p class=\"lead\">Each bar is a step, as high as what was made in it "
				     "and is still alive. A leak has bars all over, a cache that has filled early ones only, a window the last ones.</p>\n");
		buf_format(out, "<figure id=\"holder-%zu\">\n<figcaption><code>", drawn);
		add_text(out, row->holder->key);
		buf_add_text(out, "</code> <span class=\"soft\">");
		buf_reset(&text);
		say_births(&text, row);
		html_add(out, buf_get(&text));
		if (row->processes > 1)
			buf_format(out, ", in each of %zu processes", row->processes);
		buf_add_text(out, "</span></figcaption>\n");
		BOTH_WIDTHS(out, picture_add_births, told, row);
		buf_add_text(out, "</figure>\n");
	}
	if (drawn > 0)
		buf_add_text(out, "</section>\n");
	buf_release(&text);
}

/* ---- verdicts ---- */

static void add_place(struct buf *out, const struct told *told, const char *path, int64_t line)
{
	struct buf text = BUF_INIT;

	say_place(&text, told, path, line);
	html_add(out, buf_get(&text));
	buf_release(&text);
}

/* Each of LINES with its code, as items, but for those in the file TRAIL, whose code is there already. */
static void add_lines(struct buf *out, struct evidence *evidence, const char *trail, const char *words,
		      const struct reported_line *lines, size_t count)
{
	size_t shown = 0;

	for (size_t i = 0; i < count && shown < PLACES; i++) {
		enum { LONGEST = 300 };
		struct str code = evidence_line(evidence, lines[i].path, lines[i].line);

		if (told_line_repeats(lines, i) || (trail && strcmp(lines[i].path, trail) == 0))
			continue;
		shown++;
		buf_format(out, "<li>%s at ", words);
		add_place(out, evidence->told, lines[i].path, lines[i].line);
		if (code.length > 0) {
			buf_add_text(out, " <code>");
			html_add(out, code.length > LONGEST ? (struct str){code.at, LONGEST} : code);
			buf_add_text(out, code.length > LONGEST ? "…</code>" : "</code>");
		}
		buf_add_text(out, "</li>\n");
	}
}

static void add_holder(struct buf *out, struct evidence *evidence, const struct judged *judged)
{
	const struct reported_holder *holder = judged->holder;
	size_t figure = holder ? figure_of(evidence->told, holder) : 0;
	const char *trail = judged->growth.leaks && judged->finding ? judged->finding->path : NULL;

	if (!holder || (!judged->growth.leaks && !holder->bounded))
		return;
	buf_add_text(out, "<ul class=\"places\">\n<li>held by <code>");
	add_text(out, holder->key);
	buf_add_text(out, "</code>");
	if (figure)
		buf_format(out, ", <a href=\"#holder-%zu\">what is left of each step</a>", figure);
	if (holder->chain_steps > 1)
		buf_format(out, "; one graph spans %lld steps", (long long)holder->chain_steps);
	buf_add_text(out, "</li>\n");
	add_lines(out, evidence, trail, "stored", holder->stores.items, holder->stores.count);
	add_lines(out, evidence, trail, "made", holder->allocs.items, holder->allocs.count);
	buf_add_text(out, "</ul>\n");
}

static void add_remark(struct buf *out, const char *name, const char *text)
{
	if (!text)
		return;
	buf_format(out, "<dt>%s</dt><dd>", name);
	add_text(out, text);
	buf_add_text(out, "</dd>\n");
}

static void add_item(struct buf *out, struct evidence *evidence, const struct evidence_item *item)
{
	const struct finding *finding = &item->finding;
	const struct finding_verdict *verdict = finding->verdict;
	bool happens = verdict->truth == FINDING_HAPPENS;

	buf_format(out, "<article class=\"finding %s\">\n<h3><span class=\"verdict %s\">%s</span> <span class=\"rule\">%s %s</span> "
		   "<span class=\"place\">", verdict->name, verdict->name, verdict->name, finding->rule->code, finding->rule->name);
	add_text(out, item->is_placed ? item->path : "at a place that is not known");
	if (item->is_placed)
		excerpt_add_place(out, &finding->at);
	if (finding->scope && *finding->scope) {
		buf_add_text(out, " in ");
		add_text(out, finding->scope);
	}
	buf_add_text(out, "</span></h3>\n<p class=\"message\">");
	add_text(out, finding->message);
	buf_add_text(out, "</p>\n<p class=\"why\">");
	add_text(out, verdict->words);
	buf_add_text(out, "</p>\n");
	if (item->is_placed)
		html_code_add(out, item->source, finding);
	add_holder(out, evidence, item->judged);
	if (happens && (finding->growth || finding->help || diff_remark(finding))) {
		buf_add_text(out, "<dl>\n");
		add_remark(out, "cost", finding->growth);
		add_remark(out, "help", finding->help);
		add_remark(out, "fix", diff_remark(finding));
		buf_add_text(out, "</dl>\n");
	}
	buf_add_text(out, "</article>\n");
}

static double growth_in(const struct evidence_item *item)
{
	const struct finding_verdict *verdict = item->finding.verdict;

	return verdict->tensor_bytes + (verdict->host_bytes > 0 ? verdict->host_bytes : verdict->nodes);
}

/* What grows most comes first, the rest as it was found. */
static int by_growth(const void *a, const void *b)
{
	const struct evidence_item *x = *(const struct evidence_item *const *)a, *y = *(const struct evidence_item *const *)b;
	double difference = growth_in(y) - growth_in(x);

	return difference > 0 ? 1 : difference < 0 ? -1 : x < y ? -1 : 1;
}

/* The items of one truth under a heading, folded where there are many that are no leak. */
static void add_items(struct buf *out, struct evidence *evidence, enum finding_truth truth, const char *heading)
{
	const struct evidence_item **items;
	size_t count = 0;

	for (size_t i = 0; i < evidence->items.count; i++)
		count += evidence->items.items[i].finding.verdict->truth == truth;
	if (count == 0)
		return;
	buf_format(out, "<section>\n<h2>%s</h2>\n", heading);
	if (truth != FINDING_HAPPENS)
		buf_format(out, "<details%s><summary>%zu finding%s</summary>\n", count > FOLDED_AFTER ? "" : " open", count,
			   count == 1 ? "" : "s");
	items = mem_new(count, sizeof *items);
	for (size_t i = 0, kept = 0; i < evidence->items.count; i++) {
		if (evidence->items.items[i].finding.verdict->truth == truth)
			items[kept++] = &evidence->items.items[i];
	}
	qsort(items, count, sizeof *items, by_growth);
	for (size_t i = 0; i < count; i++)
		add_item(out, evidence, items[i]);
	free(items);
	buf_format(out, "%s</section>\n", truth != FINDING_HAPPENS ? "</details>\n" : "");
}

/* ---- holders ---- */

static void add_row(struct buf *out, const struct told *told, const struct told_row *row)
{
	static const char *const kinds[] = {[TOLD_LEAKS] = "leaks", [TOLD_GATHERED] = "gathers", [TOLD_BOUNDED] = "bounded",
					    [TOLD_OTHER] = "unclear"};
	const struct reported_holder *holder = row->holder;
	size_t figure = figure_of(told, holder);
	struct buf text = BUF_INIT;

	buf_add_text(out, "<tr><td data-name=\"holder\"><code>");
	add_text(out, holder->key);
	buf_add_text(out, "</code>");
	if (row->processes > 1)
		buf_format(out, " in %zu processes", row->processes);
	buf_add_text(out, "</td><td>");
	if (figure)
		buf_format(out, "<a href=\"#holder-%zu\">%s</a>", figure, kinds[row->kind]);
	else
		buf_add_text(out, kinds[row->kind]);
	buf_add_text(out, "</td><td data-name=\"a step\">");
	if (row->growth.leaks) {
		say_growth(&text, &row->growth);
		text.length -= strlen(" a step");
		html_add(out, buf_get(&text));
	} else {
		buf_add_text(out, "–");
	}
	buf_add_text(out, "</td><td class=\"number\" data-name=\"alive\">");
	say_bytes(out, (double)holder->bytes);
	buf_format(out, "</td><td class=\"number\" data-name=\"tensors\">%lld</td><td class=\"number\" data-name=\"nodes\">%lld</td></tr>\n",
		   (long long)holder->tensors, (long long)holder->nodes);
	buf_release(&text);
}

static void add_table(struct buf *out, const struct told *told)
{
	if (told->rows.count == 0)
		return;
	buf_add_text(out, "<section>\n<h2>Who holds memory over steps</h2>\n<div class=\"scroll\">\n<table>\n<thead><tr><th>holder</th><th>verdict</th>"
		     "<th>a step</th><th>alive</th><th>tensors</th><th>graph nodes</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < told->rows.count && i < TABLE_ROWS; i++)
		add_row(out, told, &told->rows.items[i]);
	buf_add_text(out, "</tbody>\n</table>\n</div>\n");
	if (told->rows.count > TABLE_ROWS)
		buf_format(out, "<p>and %zu more, which --json names</p>\n", told->rows.count - TABLE_ROWS);
	buf_add_text(out, "</section>\n");
}

/* ---- devices ---- */

/* What is told of each device: a paragraph, and a list of what is told indented below it. */
static void add_devices(struct buf *out, const struct told *told)
{
	struct buf text = BUF_INIT;
	bool in_list = false;

	device_tell(&text, told);
	if (text.length > 0)
		buf_add_text(out, "<section>\n<h2>Devices</h2>\n");
	for (size_t at = 0, end; at < text.length; at = end + 1) {
		bool is_below = text.bytes[at] == ' ';

		end = str_find(buf_get(&text), STR("\n"), at);
		end = end == SIZE_MAX ? text.length : end;
		if (is_below != in_list)
			buf_add_text(out, is_below ? "<ul class=\"says\">\n" : "</ul>\n");
		in_list = is_below;
		buf_add_text(out, is_below ? "<li>" : "<p class=\"why\">");
		html_add(out, (struct str){text.bytes + at, end - at});
		buf_add_text(out, is_below ? "</li>\n" : "</p>\n");
	}
	buf_add_text(out, in_list ? "</ul>\n" : "");
	buf_add_text(out, text.length > 0 ? "</section>\n" : "");
	buf_release(&text);
}

/* ---- how it was run ---- */

static void add_process(struct buf *out, const struct told *told, const struct reported_process *process)
{
	buf_format(out, "<dt>process %lld</dt><dd>", (long long)process->process);
	add_text(out, process->role ? process->role : "unknown role");
	if (process->rank >= 0)
		buf_format(out, ", rank %lld", (long long)process->rank);
	buf_format(out, ", %lld steps by the clock of each %s, on ", (long long)process->steps, say_series(process, NULL));
	add_text(out, process->device ? process->device : "cpu");
	if (process->first > 0 && process->last > process->first)
		buf_format(out, ", judged over steps %lld to %lld", (long long)process->first, (long long)process->last);
	if (process->why) {
		buf_add_text(out, "; ended: ");
		add_text(out, process->why);
	}
	buf_add_text(out, "</dd>\n");
}

static void add_run(struct buf *out, const struct told *told)
{
	const struct reported *reported = &told->outcome->reported;
	struct buf text = BUF_INIT;

	buf_add_text(out, "<section>\n<h2>How it was run</h2>\n<dl>\n<dt>command</dt><dd><code>");
	add_text(out, told->command);
	buf_format(out, "</code></dd>\n<dt>exit status</dt><dd>%d</dd>\n", told->outcome->status);
	for (size_t i = 0; i < reported->processes.count && i < TABLE_ROWS; i++)
		add_process(out, told, reported->processes.items[i]);
	protection_tell(&text, &told->outcome->protection);
	if (text.length > 0) {
		buf_add_text(out, "<dt>files</dt><dd>");
		html_add(out, (struct str){text.bytes, text.length - 1}); /* without its line's end */
		buf_add_text(out, "</dd>\n");
	}
	buf_add_text(out, "</dl>\n</section>\n");
	buf_release(&text);
}

void page_tell(struct buf *out, struct evidence *evidence)
{
	const struct told *told = evidence->told;
	struct str frame = frame_get("src/confirm/page.html");

	frame_add_up_to(out, &frame, STR("<!--style-->"));
	buf_add_str(out, frame_get("src/report/page.css"));
	frame_add_up_to(out, &frame, STR("<!--pictures-->"));
	buf_add_str(out, frame_get("src/confirm/picture.css"));
	frame_add_up_to(out, &frame, STR("<!--summary-->"));
	add_said(out, say_run, told);
	frame_add_up_to(out, &frame, STR("<!--body-->\n"));
	add_summary(out, told);
	add_items(out, evidence, FINDING_HAPPENS, "What grows, or happens as it was said");
	add_curves(out, told);
	add_births(out, told);
	add_table(out, told);
	add_devices(out, told);
	add_items(out, evidence, FINDING_UNDECIDED, "Not observed");
	add_items(out, evidence, FINDING_DOES_NOT, "Refuted");
	add_run(out, told);
	buf_add_text(out, "<footer>vramlint " VRAMLINT_VERSION "; ‘vramlint explain CODE’ says more about a rule.</footer>\n");
	buf_add_str(out, frame);
}
