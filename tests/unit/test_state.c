#include "flow_fixture.h"

static struct flow flow;
static struct interp *in;

static int begin(void **state)
{
	flow_init(&flow, "");
	in = &flow.analysis.in;
	return 0;
}

static int end(void **state)
{
	flow_release(&flow);
	return 0;
}

static uint32_t cell_with(int64_t number)
{
	struct value v = value_of(KIND_NUMBER);
	uint32_t cell = cell_new(in, STR("x"), 0, NULL);

	if (number >= 0) {
		v.number = number;
		cell_set(in, cell, v);
	}
	return cell;
}

static void put(uint32_t cell, int64_t number, uint32_t kinds)
{
	struct value v = value_of(kinds);

	v.number = number;
	cell_set(in, cell, v);
}

static int64_t number_in(uint32_t cell)
{
	return cell_get(in, cell).number;
}

static void a_cell_holds_what_was_set_last(void **state)
{
	uint32_t a = cell_with(-1), b = cell_with(2);
	struct value v = cell_get(in, a);

	assert_int_not_equal(a, 0);
	assert_int_not_equal(a, b);
	assert_true(value_is_bottom(&v));
	put(a, 1, KIND_NUMBER);
	put(a, 3, KIND_NUMBER);
	assert_true(number_in(a) == 3);
	assert_true(number_in(b) == 2);
}

static void undoing_gives_back_what_was(void **state)
{
	uint32_t a = cell_with(1), b = cell_with(2), outer, inner;

	outer = state_mark(in);
	put(a, 3, KIND_NUMBER);
	inner = state_mark(in);
	put(a, 4, KIND_NUMBER);
	put(b, 5, KIND_NUMBER);
	put(a, 6, KIND_NUMBER);
	state_undo(in, inner);
	assert_true(number_in(a) == 3);
	assert_true(number_in(b) == 2);
	state_undo(in, outer);
	assert_true(number_in(a) == 1);
	state_undo(in, outer);
	assert_true(number_in(a) == 1);
}

static void a_delta_has_each_changed_cell_once_with_its_last_value(void **state)
{
	uint32_t a = cell_with(1), b = cell_with(2), mark = state_mark(in);
	struct delta *first, *second;

	cell_with(-1);
	put(a, 3, KIND_NUMBER);
	put(a, 4, KIND_NUMBER);
	first = state_delta(in, mark, NULL);
	assert_int_equal(first->count, 1);
	assert_int_equal(first->items[0].cell, a);
	assert_true(first->items[0].value.number == 4);
	assert_null(first->next);
	put(b, 5, KIND_NUMBER);
	second = state_delta(in, mark, first);
	assert_int_equal(second->count, 2);
	assert_ptr_equal(second->next, first);
	assert_int_equal(state_delta(in, state_mark(in), NULL)->count, 0);
}

/* Two sides of a branch: what both set alike stays, what one set may be either. */
static void sides_are_joined(void **state)
{
	uint32_t a = cell_with(1), b = cell_with(1), c = cell_with(1), mark = state_mark(in);
	struct delta *ends;

	put(a, 7, KIND_NUMBER);
	put(b, 7, KIND_NUMBER);
	ends = state_delta(in, mark, NULL);
	state_undo(in, mark);
	put(a, 7, KIND_NUMBER);
	put(c, 9, KIND_TEXT);
	ends = state_delta(in, mark, ends);
	state_join(in, mark, ends, false);
	assert_true(number_in(a) == 7);
	assert_true(number_in(b) == VALUE_NO_NUMBER); /* 7, or 1 as before */
	assert_int_equal(cell_get(in, b).kinds, KIND_NUMBER);
	assert_int_equal(cell_get(in, c).kinds, KIND_NUMBER | KIND_TEXT);
	/* and the join itself can be undone */
	state_undo(in, mark);
	assert_true(number_in(a) == 1);
	assert_true(number_in(c) == 1);
}

static void the_state_at_entry_may_be_one_side(void **state)
{
	uint32_t a = cell_with(1), mark = state_mark(in);
	struct delta *ends;

	put(a, 7, KIND_TEXT);
	ends = state_delta(in, mark, NULL);
	state_join(in, mark, ends, false);
	assert_int_equal(cell_get(in, a).kinds, KIND_TEXT);
	state_undo(in, mark);
	put(a, 7, KIND_TEXT);
	ends = state_delta(in, mark, NULL);
	state_join(in, mark, ends, true);
	assert_int_equal(cell_get(in, a).kinds, KIND_TEXT | KIND_NUMBER);
}

static void no_side_at_all_is_the_state_at_entry(void **state)
{
	uint32_t a = cell_with(1), mark = state_mark(in);

	put(a, 7, KIND_TEXT);
	state_join(in, mark, NULL, true);
	assert_true(number_in(a) == 1);
}

/* The variables of a call that ends are dropped; those that an inner function may still read are not. */
static void variables_of_a_frame_end_with_it(void **state)
{
	struct call call = {0};
	struct def plain = {0}, closed = {.has_inner = true};
	uint32_t own, kept, outer = cell_with(1), mark;
	struct delta *ends;

	in->call = &call;
	own = cell_new(in, STR("own"), 0, &plain);
	kept = cell_new(in, STR("kept"), 0, &closed);
	in->call = NULL;
	mark = state_mark(in);
	put(own, 2, KIND_NUMBER);
	put(kept, 3, KIND_NUMBER);
	put(outer, 4, KIND_NUMBER);
	ends = state_delta(in, mark, NULL);
	state_leave(in, mark, ends, &call);
	struct value v = cell_get(in, own);
	assert_true(value_is_bottom(&v));
	assert_true(number_in(kept) == 3);
	assert_true(number_in(outer) == 4);
}

static void joining_many_sides_takes_each_once(void **state)
{
	enum { SIDES = 300 };
	uint32_t cells[SIDES], shared = cell_with(0), mark;
	struct delta *ends = NULL;

	for (int i = 0; i < SIDES; i++)
		cells[i] = cell_with(1);
	mark = state_mark(in);
	for (int i = 0; i < SIDES; i++) {
		put(cells[i], 1, KIND_NUMBER);
		put(shared, i, i % 2 ? KIND_NUMBER : KIND_TEXT);
		ends = state_delta(in, mark, ends);
		state_undo(in, mark);
	}
	state_join(in, mark, ends, false);
	assert_int_equal(cell_get(in, shared).kinds, KIND_NUMBER | KIND_TEXT);
	for (int i = 0; i < SIDES; i++)
		assert_true(number_in(cells[i]) == 1); /* set to what it was */
	assert_int_equal(state_mark(in) - mark, SIDES + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_cell_holds_what_was_set_last, begin, end),
		cmocka_unit_test_setup_teardown(undoing_gives_back_what_was, begin, end),
		cmocka_unit_test_setup_teardown(a_delta_has_each_changed_cell_once_with_its_last_value, begin, end),
		cmocka_unit_test_setup_teardown(sides_are_joined, begin, end),
		cmocka_unit_test_setup_teardown(the_state_at_entry_may_be_one_side, begin, end),
		cmocka_unit_test_setup_teardown(no_side_at_all_is_the_state_at_entry, begin, end),
		cmocka_unit_test_setup_teardown(variables_of_a_frame_end_with_it, begin, end),
		cmocka_unit_test_setup_teardown(joining_many_sides_takes_each_once, begin, end),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
