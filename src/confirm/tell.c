#include "confirm/tell.h"

#include <string.h>

#include "confirm/device_tell.h"
#include "confirm/say.h"
#include "confirm/workers.h"
#include "report/visible.h"

/* Places of one kind that are named of a holder, and holders that do not leak. */
enum { PLACES_NAMED = 3, BOUNDED_NAMED = 5 };

static void add_places(struct buf *out, const struct told *told, const char *words, const struct reported_line *lines,
		       size_t count)
{
	size_t shown = 0;

	for (size_t i = 0; i < count && shown < PLACES_NAMED; i++) {
		if (told_line_repeats(lines, i))
			continue;
		buf_add_text(out, shown++ ? ", " : words);
		say_place(out, told, lines[i].path, lines[i].line);
	}
	if (shown)
		buf_add_char(out, '\n');
}

/* Who holds it, and which lines put it there. */
static void add_holder(struct buf *out, const struct told *told, const struct judged *judged)
{
	const struct reported_holder *holder = judged->holder;

	if (!holder || !judged->growth.leaks)
		return;
	add_places(out, told, "    stored at ", holder->stores.items, holder->stores.count);
	add_places(out, told, "    made at ", holder->allocs.items, holder->allocs.count);
	if (holder->chain_steps > 1)
		buf_format(out, "    one graph spans %lld steps: each step's is tied to the one before\n", (long long)holder->chain_steps);
}

static void add_finding(struct buf *out, const struct told *told, const struct judged *judged)
{
	const struct predicted *finding = judged->finding;

	visible_add(out, str_from(finding->shown));
	buf_format(out, ":%lld:%lld: %s %s %s: ", (long long)finding->line, (long long)finding->column,
		   verdict_name(judged->verdict), finding->code, finding->name);
	visible_add(out, str_from(finding->message));
	buf_add_text(out, "\n    ");
	say_reason(out, told, judged);
	buf_add_char(out, '\n');
	add_holder(out, told, judged);
}

static void add_unpredicted(struct buf *out, const struct told *told, const struct judged *judged)
{
	const struct reported_holder *holder = judged->holder;

	if (holder->stores.count > 0) {
		say_place(out, told, holder->stores.items[0].path, holder->stores.items[0].line);
		buf_add_text(out, ": ");
	}
	buf_add_text(out, "unpredicted: ");
	say_reason(out, told, judged);
	buf_add_text(out, ", and no finding says so\n");
	add_holder(out, told, judged);
}

/* What looks like a leak to who watches a counter, and is none. */
static void add_bounded(struct buf *out, const struct told *told)
{
	size_t shown = 0, left_out = 0;

	for (size_t i = 0; i < told->rows.count; i++) {
		const struct told_row *row = &told->rows.items[i];

		if (row->kind != TOLD_BOUNDED && row->kind != TOLD_GATHERED)
			continue;
		if (shown == BOUNDED_NAMED) {
			left_out++;
			continue;
		}
		buf_add_text(out, shown++ ? "    " : "no leak:\n    ");
		visible_add(out, str_from(row->holder->key));
		if (row->kind == TOLD_BOUNDED) {
			buf_add_char(out, ' ');
			say_bounded(out, row->holder);
		} else {
			buf_add_text(out, " gathers ");
			say_growth(out, &row->growth);
			buf_add_text(out, " without a graph, as results are");
		}
		buf_add_text(out, ", ");
		say_bytes(out, (double)row->holder->bytes);
		buf_add_char(out, '\n');
	}
	if (left_out)
		buf_format(out, "    and %zu more, which --json names\n", left_out);
}

void tell_text(struct buf *out, const struct told *told)
{
	const struct judgements *judgements = told->judgements;

	say_run(out, told);
	buf_add_char(out, '\n');
	say_troubles(out, told);
	say_remarks(out, told);
	workers_tell(out, &told->outcome->reported);
	protection_tell(out, &told->outcome->protection);
	if (!told->process)
		return;
	buf_add_char(out, '\n');
	for (size_t i = 0; i < judgements->findings.count; i++)
		add_finding(out, told, &judgements->findings.items[i]);
	for (size_t i = 0; i < judgements->unpredicted.count; i++) {
		if (told_repeats(told, i))
			continue;
		add_unpredicted(out, told, &judgements->unpredicted.items[i]);
	}
	add_bounded(out, told);
	device_tell(out, told);
	say_forecast(out, told);
	say_totals(out, told);
	buf_add_char(out, '\n');
}
