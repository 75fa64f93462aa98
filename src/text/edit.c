#include "text/edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

/* ---- choosing and carrying out ---- */

/* What stands at INDEX of its list, made to be sorted. */
struct ordered {
	struct span span;
	size_t index;
	const struct edit *edit; /* or NULL for a group */
};

static int by_place(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->span.start != y->span.start)
		return x->span.start < y->span.start ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static int by_reach(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->span.start == y->span.start && x->span.end != y->span.end)
		return x->span.end > y->span.end ? -1 : 1;
	return by_place(a, b);
}

static bool is_within(struct span inner, struct span outer)
{
	return inner.start >= outer.start && inner.end <= outer.end;
}

static bool reaches_out(const struct edit_group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (!is_within(group->edits[i].span, group->reach))
			return true;
	return false;
}

/* Whether an edit of GROUP out of its reach would come to stand inside one of OTHER. */
static bool disturbs(const struct edit_group *group, const struct edit_group *other)
{
	for (size_t i = 0; i < group->count; i++) {
		uint32_t at = group->edits[i].span.start;

		if (is_within(group->edits[i].span, group->reach))
			continue;
		for (size_t k = 0; k < other->count; k++)
			if (other->edits[k].span.start < at && at < other->edits[k].span.end)
				return true;
	}
	return false;
}

size_t edit_choose(const struct edit_group *groups, size_t count, bool *chosen)
{
	struct ordered *order = mem_new(count + 1, sizeof *order);
	const struct edit_group *outward = NULL;
	struct span last = {0, 0};
	size_t taken = 0;

	for (size_t i = 0; i < count; i++) {
		order[i] = (struct ordered){groups[i].reach, i, NULL};
		chosen[i] = false;
	}
	qsort(order, count, sizeof *order, by_reach);
	for (size_t i = 0; i < count; i++) {
		const struct edit_group *group = &groups[order[i].index];
		struct span reach = group->reach;

		if (taken > 0 && (reach.start < last.end || (reach.start == last.start && reach.end == last.end)))
			continue;
		if (group->count == 0 || (outward && reaches_out(group)))
			continue;
		if (reaches_out(group))
			outward = group;
		chosen[order[i].index] = true;
		last = reach;
		taken++;
	}
	for (size_t i = 0; outward && i < count; i++) {
		if (!chosen[i] || &groups[i] == outward || !disturbs(outward, &groups[i]))
			continue;
		chosen[i] = false;
		taken--;
	}
	free(order);
	return taken;
}

struct edit *edit_order(const struct edit_group *groups, size_t count, const bool *chosen, size_t *edit_count)
{
	VEC(struct ordered) order = {0};
	struct edit *edits;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; chosen[i] && k < groups[i].count; k++)
			VEC_ADD(&order, (struct ordered){groups[i].edits[k].span, order.count, &groups[i].edits[k]});
	if (order.count)
		qsort(order.items, order.count, sizeof *order.items, by_place);
	edits = mem_new(order.count + 1, sizeof *edits);
	for (size_t i = 0; i < order.count; i++)
		edits[i] = *order.items[i].edit;
	*edit_count = order.count;
	VEC_RELEASE(&order);
	return edits;
}

void edit_apply(struct str text, const struct edit_group *groups, size_t count, const bool *chosen, struct buf *out)
{
	size_t edit_count;
	struct edit *edits = edit_order(groups, count, chosen, &edit_count);
	size_t done = 0;

	for (size_t i = 0; i < edit_count; i++) {
		struct span span = edits[i].span;

		if (span.start < done || span.end < span.start || span.end > text.length)
			BUG("edits overlap or lie outside of the text");
		buf_add(out, text.at + done, span.start - done);
		buf_add_text(out, edits[i].text);
		done = span.end;
	}
	buf_add(out, text.at + done, text.length - done);
	free(edits);
}

/* ---- the difference of two texts ---- */

struct line {
	struct str text; /* with its end */
	uint64_t hash;
	bool changed; /* taken out of the old text, or put into the new one */
};

struct lines {
	struct line *items;
	size_t count, room;
};

/* After this many lines of difference the best that was found so far is taken and the search begins anew from there, so
 * that no line is looked at more often than this. */
enum { LIMIT = 256, CONTEXT = 3 };

struct search {
	struct lines old, new;
	size_t x, y; /* lines of both that are settled */
	/* After each number of differences: how many lines of OLD the best path on a diagonal (lines of OLD less lines
	 * of NEW) takes, from X and Y on. Diagonals begin at -LIMIT - 1. */
	int furthest[LIMIT + 1][2 * LIMIT + 3];
};

static int *at_diagonal(struct search *search, int differences, int diagonal)
{
	return &search->furthest[differences][diagonal + LIMIT + 1];
}

static struct lines lines_of(struct str text)
{
	struct lines lines = {0};

	for (size_t start = 0; start < text.length;) {
		const char *end = memchr(text.at + start, '\n', text.length - start);
		size_t length = end ? (size_t)(end + 1 - text.at) - start : text.length - start;
		struct str line = {text.at + start, length};

		VEC_ADD(&lines, (struct line){line, str_hash(line), false});
		start += length;
	}
	return lines;
}

/* How many lines are equal from X of the old and Y of the new text on. */
static size_t run_length(const struct search *search, size_t x, size_t y)
{
	size_t n = 0;

	for (; x + n < search->old.count && y + n < search->new.count; n++) {
		const struct line *a = &search->old.items[x + n], *b = &search->new.items[y + n];

		if (a->hash != b->hash || !str_equal(a->text, b->text))
			break;
	}
	return n;
}

/* Whether the best path with this many differences on DIAGONAL ends in a line put in, and not in one taken out. */
static bool ends_in_new_line(struct search *search, int differences, int diagonal)
{
	return diagonal == -differences ||
	       (diagonal != differences && *at_diagonal(search, differences - 1, diagonal - 1) <
						   *at_diagonal(search, differences - 1, diagonal + 1));
}

/* Marks the changes on the path that ends there. */
static void mark_path(struct search *search, int differences, int diagonal)
{
	for (; differences > 0; differences--) {
		bool is_new = ends_in_new_line(search, differences, diagonal);
		int x;

		diagonal += is_new ? 1 : -1;
		x = *at_diagonal(search, differences - 1, diagonal);
		if (is_new)
			search->new.items[search->y + (size_t)(x - diagonal)].changed = true;
		else
			search->old.items[search->x + (size_t)x].changed = true;
	}
}

/* Settles what up to LIMIT differences lead to. */
static void search_on(struct search *search)
{
	long old_left = (long)(search->old.count - search->x), new_left = (long)(search->new.count - search->y);
	int best_differences = 0, best_diagonal = 0;
	long best = -1;

	for (int d = 0; d <= LIMIT && best < old_left + new_left; d++) {
		for (int k = -d; k <= d; k += 2) {
			long x = 0;

			if (d > 0)
				x = ends_in_new_line(search, d, k) ? *at_diagonal(search, d - 1, k + 1)
								  : *at_diagonal(search, d - 1, k - 1) + 1;
			/* A path that has left the text never comes back; it is kept for its neighbours to pass by. */
			if (x <= old_left && x - k <= new_left) {
				x += (long)run_length(search, search->x + (size_t)x, search->y + (size_t)(x - k));
				if (2 * x - k > best) {
					best = 2 * x - k;
					best_differences = d;
					best_diagonal = k;
				}
			}
			*at_diagonal(search, d, k) = (int)x;
		}
	}
	long x = *at_diagonal(search, best_differences, best_diagonal);
	mark_path(search, best_differences, best_diagonal);
	search->x += (size_t)x;
	search->y += (size_t)(x - best_diagonal);
}

static void add_name(struct buf *out, const char *prefix, const char *name)
{
	bool is_plain = true;

	for (const char *c = name; *c; c++)
		is_plain &= (unsigned char)*c >= ' ' && *c != '"' && *c != '\\' && *c != 0x7F;
	buf_add_text(out, prefix);
	if (is_plain) {
		buf_format(out, "%s\n", name);
		return;
	}
	buf_add_char(out, '"');
	for (const char *c = name; *c; c++) {
		if (*c == '"' || *c == '\\')
			buf_format(out, "\\%c", *c);
		else if ((unsigned char)*c < ' ' || *c == 0x7F)
			buf_format(out, "\\%03o", (unsigned char)*c);
		else
			buf_add_char(out, *c);
	}
	buf_add_text(out, "\"\n");
}

static void add_line(struct buf *out, char sign, struct str text)
{
	buf_add_char(out, sign);
	buf_add_str(out, text);
	if (!str_ends(text, "\n"))
		buf_add_text(out, "\n\\ No newline at end of file\n");
}

/* Lines from AT on that all are, or are not, CHANGED. */
static size_t stretch(const struct lines *lines, size_t at, bool changed)
{
	size_t n = 0;

	while (at + n < lines->count && lines->items[at + n].changed == changed)
		n++;
	return n;
}

/* Lines from X and Y on that both texts have. */
static size_t kept(const struct search *search, size_t x, size_t y)
{
	size_t old = stretch(&search->old, x, false), new = stretch(&search->new, y, false);

	return old < new ? old : new;
}

/* "12,3"; of no line the one before it is told. */
static void add_range(struct buf *out, char sign, size_t at, size_t count)
{
	buf_format(out, "%c%zu", sign, count ? at + 1 : at);
	if (count != 1)
		buf_format(out, ",%zu", count);
	buf_add_char(out, ' ');
}

static void add_hunk(struct buf *out, const struct search *search, size_t old_at, size_t old_end, size_t new_at,
		     size_t new_end)
{
	const struct line *old = search->old.items, *new = search->new.items;

	buf_add_text(out, "@@ ");
	add_range(out, '-', old_at, old_end - old_at);
	add_range(out, '+', new_at, new_end - new_at);
	buf_add_text(out, "@@\n");
	while (old_at < old_end || new_at < new_end) {
		if (old_at < old_end && old[old_at].changed) {
			add_line(out, '-', old[old_at++].text);
		} else if (new_at < new_end && new[new_at].changed) {
			add_line(out, '+', new[new_at++].text);
		} else {
			add_line(out, ' ', old[old_at++].text);
			new_at++;
		}
	}
}

static void add_hunks(struct buf *out, const struct search *search)
{
	const struct lines *old = &search->old, *new = &search->new;
	size_t x = 0, y = 0;

	for (;;) {
		size_t same = kept(search, x, y), before = same < CONTEXT ? same : CONTEXT;
		size_t from_x, from_y;

		x += same;
		y += same;
		if (x == old->count && y == new->count)
			return;
		from_x = x - before;
		from_y = y - before;
		for (;;) {
			x += stretch(old, x, true);
			y += stretch(new, y, true);
			same = kept(search, x, y);
			if (same > 2 * CONTEXT || (x + same == old->count && y + same == new->count))
				break;
			x += same;
			y += same;
		}
		same = same < CONTEXT ? same : CONTEXT;
		add_hunk(out, search, from_x, x + same, from_y, y + same);
	}
}

void edit_add_diff(struct buf *out, const char *old_name, const char *new_name, struct str old, struct str new)
{
	struct search *search;

	if (str_equal(old, new))
		return;
	search = mem_new(1, sizeof *search);
	search->old = lines_of(old);
	search->new = lines_of(new);
	while (search->x < search->old.count || search->y < search->new.count)
		search_on(search);
	add_name(out, "--- ", old_name);
	add_name(out, "+++ ", new_name);
	add_hunks(out, search);
	VEC_RELEASE(&search->old);
	VEC_RELEASE(&search->new);
	free(search);
}
