#include <string.h>
#include "flow/interp.h"

uint32_t cell_new(struct interp *in, struct str name, uint32_t object, struct def *def)
{
	struct cell cell = {.value = value_bottom(), .name = name, .object = object, .def = def};
	if (def && !object) {
		cell.call = in->call;
		cell.outlives = def->has_inner;
	}
	VEC_ADD(&in->cells, cell);
	return (uint32_t)in->cells.count - 1;
}

struct value cell_get(struct interp *in, uint32_t cell)
{
	return in->cells.items[cell].value;
}

void cell_set(struct interp *in, uint32_t cell, struct value value)
{
	struct cell *c = &in->cells.items[cell];
	VEC_ADD(&in->log, ((struct undo){cell, c->value}));
	c->value = value;
}

uint32_t state_mark(const struct interp *in)
{
	return (uint32_t)in->log.count;
}

void state_undo(struct interp *in, uint32_t mark)
{
	while (in->log.count > mark) {
		struct undo *undo = &in->log.items[--in->log.count];
		in->cells.items[undo->cell].value = undo->old;
	}
}

struct delta *state_delta(struct interp *in, uint32_t mark, struct delta *next)
{
	struct delta *delta = ARENA_NEW(&in->scratch, struct delta);
	uint32_t stamp = ++in->stamp, count = 0;
	for (size_t i = mark; i < in->log.count; i++) {
		struct cell *cell = &in->cells.items[in->log.items[i].cell];
		count += cell->stamp != stamp;
		cell->stamp = stamp;
	}
	delta->items = ARENA_ARRAY(&in->scratch, struct cell_value, count ? count : 1);
	delta->next = next;
	stamp = ++in->stamp;
	for (size_t i = mark; i < in->log.count; i++) {
		uint32_t id = in->log.items[i].cell;
		struct cell *cell = &in->cells.items[id];
		if (cell->stamp == stamp)
			continue;
		cell->stamp = stamp;
		delta->items[delta->count++] = (struct cell_value){id, cell->value};
	}
	return delta;
}

static bool ends_with(const struct cell *cell, const struct call *frame)
{
	return frame && cell->call == frame && !cell->outlives;
}

static void join(struct interp *in, uint32_t mark, const struct delta *deltas, bool with_entry, const struct call *frame)
{
	state_undo(in, mark);
	uint32_t stamp = ++in->stamp, sides = with_entry ? 1 : 0;
	VEC(uint32_t) touched = {0};
	for (const struct delta *delta = deltas; delta; delta = delta->next, sides++) {
		for (uint32_t i = 0; i < delta->count; i++) {
			struct cell *cell = &in->cells.items[delta->items[i].cell];
			if (ends_with(cell, frame))
				continue;
			if (cell->stamp != stamp) {
				cell->stamp = stamp;
				cell->join_count = 0;
				cell->join_value = value_bottom();
				VEC_ADD(&touched, delta->items[i].cell);
			}
			cell->join_count++;
			cell->join_value = value_join(&in->origins, &cell->join_value, &delta->items[i].value);
		}
	}
	for (size_t i = 0; i < touched.count; i++) {
		struct cell *cell = &in->cells.items[touched.items[i]];
		struct value joined = cell->join_value;
		if (cell->join_count < sides)
			joined = value_join(&in->origins, &cell->value, &joined);
		cell_set(in, touched.items[i], joined);
	}
	VEC_RELEASE(&touched);
}

void state_join(struct interp *in, uint32_t mark, const struct delta *deltas, bool with_entry)
{
	join(in, mark, deltas, with_entry, NULL);
}

void state_leave(struct interp *in, uint32_t mark, const struct delta *deltas, const struct call *frame)
{
	join(in, mark, deltas, false, frame);
}
