#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "flow/origin.h"

static struct arena arena;
static struct origin_table table;

static int set_up(void **state)
{
	arena_init(&arena);
	origin_table_init(&table, &arena);
	return 0;
}

static int tear_down(void **state)
{
	arena_release(&arena);
	return 0;
}

static struct origin_set *one(uint32_t site, enum origin_tag tag)
{
	return origin_one(&table, origin_make(site, tag));
}

static struct origin_set *both(struct origin_set *a, struct origin_set *b)
{
	return origin_union(&table, a, b);
}

static void an_origin_is_a_site_and_a_tag(void **state)
{
	origin element = origin_make(12345, ORIGIN_CUT);

	assert_int_equal(origin_site(element), 12345);
	assert_int_equal(origin_tag_of(element), ORIGIN_CUT);
	assert_int_equal(origin_tag_of(origin_make(1, ORIGIN_SELF)), ORIGIN_SELF);
}

static void equal_sets_are_the_same(void **state)
{
	struct origin_set *ab = both(one(1, ORIGIN_SELF), one(2, ORIGIN_OP));

	assert_ptr_equal(one(1, ORIGIN_SELF), one(1, ORIGIN_SELF));
	assert_ptr_not_equal(one(1, ORIGIN_SELF), one(1, ORIGIN_OP));
	assert_ptr_equal(both(one(2, ORIGIN_OP), one(1, ORIGIN_SELF)), ab);
	assert_ptr_equal(both(ab, one(1, ORIGIN_SELF)), ab);
	assert_ptr_equal(both(ab, ab), ab);
	assert_ptr_equal(both(table.empty, ab), ab);
	assert_ptr_equal(both(ab, table.empty), ab);
	assert_ptr_equal(both(table.empty, table.empty), table.empty);
	assert_int_equal(table.empty->count, 0);
}

static void unions_are_sorted_and_whole(void **state)
{
	struct origin_set *a = table.empty, *b = table.empty, *all;

	for (uint32_t i = 1; i <= 40; i++) {
		a = origin_add(&table, a, origin_make(i * 2, ORIGIN_SELF));
		b = origin_add(&table, b, origin_make(i * 3, ORIGIN_SELF));
	}
	all = both(a, b);
	assert_int_equal(all->count, 40 + 40 - 13); /* multiples of six up to 80 */
	for (uint32_t i = 1; i < all->count; i++)
		assert_true(all->items[i - 1] < all->items[i]);
	assert_false(all->overflow);
	assert_ptr_equal(both(b, a), all);
	assert_ptr_equal(both(a, b), all); /* out of the memo */
}

static void adding_what_is_there_changes_nothing(void **state)
{
	struct origin_set *set = both(one(1, ORIGIN_SELF), one(2, ORIGIN_OP));

	assert_ptr_equal(origin_add(&table, set, origin_make(1, ORIGIN_SELF)), set);
	assert_int_equal(origin_add(&table, set, origin_make(1, ORIGIN_OP))->count, 3);
}

static void membership_is_by_element_or_by_looseness(void **state)
{
	struct origin_set *set = both(one(5, ORIGIN_OP), both(one(7, ORIGIN_CUT), one(9, ORIGIN_SELF)));

	assert_true(origin_has(set, origin_make(5, ORIGIN_OP)));
	assert_false(origin_has(set, origin_make(5, ORIGIN_SELF)));
	assert_false(origin_has(set, origin_make(6, ORIGIN_OP)));
	assert_false(origin_has(table.empty, origin_make(5, ORIGIN_OP)));
	assert_true(origin_has(set, origin_make(9, ORIGIN_SELF)));
	assert_false(origin_has(set, origin_make(1000, ORIGIN_SELF)));
	assert_true(origin_reaches(set, 5, ORIGIN_OP));
	assert_true(origin_reaches(set, 5, ORIGIN_CUT));
	assert_false(origin_reaches(set, 5, ORIGIN_SELF));
	assert_false(origin_reaches(set, 7, ORIGIN_CALL));
	assert_true(origin_reaches(set, 7, ORIGIN_CUT));
	assert_false(origin_reaches(set, 8, ORIGIN_CUT));
}

static void each_step_loosens_the_tie(void **state)
{
	static const struct {
		enum origin_tag had, step, has;
	} cases[] = {
		{ORIGIN_SELF, ORIGIN_OP, ORIGIN_OP},   {ORIGIN_OP, ORIGIN_OP, ORIGIN_OP},     {ORIGIN_CALL, ORIGIN_OP, ORIGIN_CALL},
		{ORIGIN_CUT, ORIGIN_OP, ORIGIN_CUT},   {ORIGIN_SELF, ORIGIN_CALL, ORIGIN_CALL}, {ORIGIN_OP, ORIGIN_CALL, ORIGIN_CALL},
		{ORIGIN_CUT, ORIGIN_CALL, ORIGIN_CUT}, {ORIGIN_SELF, ORIGIN_CUT, ORIGIN_CUT}, {ORIGIN_OP, ORIGIN_CUT, ORIGIN_CUT},
		{ORIGIN_CALL, ORIGIN_CUT, ORIGIN_CUT}, {ORIGIN_SELF, ORIGIN_SELF, ORIGIN_SELF},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct origin_set *set = one(3, cases[i].had);

		assert_ptr_equal(origin_retag(&table, set, cases[i].step), one(3, cases[i].has));
		assert_ptr_equal(origin_retag(&table, set, cases[i].step), one(3, cases[i].has));
	}
	assert_ptr_equal(origin_retag(&table, table.empty, ORIGIN_CUT), table.empty);
}

static void retagged_sets_stay_sets(void **state)
{
	struct origin_set *set = both(both(one(3, ORIGIN_SELF), one(3, ORIGIN_OP)), both(one(3, ORIGIN_CALL), one(4, ORIGIN_SELF)));
	struct origin_set *op = origin_retag(&table, set, ORIGIN_OP);

	assert_ptr_equal(op, both(both(one(3, ORIGIN_OP), one(3, ORIGIN_CALL)), one(4, ORIGIN_OP)));
	assert_ptr_equal(origin_retag(&table, set, ORIGIN_CUT), both(one(3, ORIGIN_CUT), one(4, ORIGIN_CUT)));
	assert_int_equal(set->count, 4); /* it is untouched */
}

static void a_site_is_taken_out_with_all_its_tags(void **state)
{
	struct origin_set *set = both(both(one(3, ORIGIN_SELF), one(3, ORIGIN_CUT)), one(4, ORIGIN_OP));

	assert_ptr_equal(origin_without(&table, set, 3), one(4, ORIGIN_OP));
	assert_ptr_equal(origin_without(&table, set, 5), set);
	assert_ptr_equal(origin_without(&table, one(4, ORIGIN_OP), 4), table.empty);
}

static struct origin_set *many(uint32_t from, uint32_t count)
{
	struct origin_set *set = table.empty;

	for (uint32_t i = 0; i < count; i++)
		set = origin_add(&table, set, origin_make(from + i, ORIGIN_SELF));
	return set;
}

static void a_set_is_bounded_and_says_so(void **state)
{
	struct origin_set *full = many(1, ORIGIN_SET_LIMIT), *over;

	assert_false(full->overflow);
	over = origin_add(&table, full, origin_make(1000, ORIGIN_SELF));
	assert_int_equal(over->count, ORIGIN_SET_LIMIT);
	assert_true(over->overflow);
	assert_true(origin_has(over, origin_make(1000, ORIGIN_SELF))); /* the youngest stays */
	assert_false(origin_has(over, origin_make(1, ORIGIN_SELF)));
	/* and what comes from it keeps saying so */
	assert_true(origin_retag(&table, over, ORIGIN_OP)->overflow);
	assert_true(both(over, one(2000, ORIGIN_SELF))->overflow);
	assert_true(both(one(2000, ORIGIN_SELF), over)->overflow);
	assert_true(origin_without(&table, over, 1000)->overflow);
	assert_int_equal(both(many(1, 100), many(500, 100))->count, ORIGIN_SET_LIMIT);
}

static void many_sets_stay_apart(void **state)
{
	enum { COUNT = 20000 };

	for (uint32_t i = 1; i <= COUNT; i++)
		both(one(i, ORIGIN_SELF), one(i + 1, ORIGIN_OP));
	for (uint32_t i = 1; i <= COUNT; i++) {
		struct origin_set *set = both(one(i, ORIGIN_SELF), one(i + 1, ORIGIN_OP));

		assert_int_equal(set->count, 2);
		assert_true(origin_has(set, origin_make(i, ORIGIN_SELF)));
		assert_true(origin_has(set, origin_make(i + 1, ORIGIN_OP)));
		assert_ptr_equal(both(one(i + 1, ORIGIN_OP), one(i, ORIGIN_SELF)), set);
	}
	assert_true(table.set_count <= 3 * COUNT + 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_origin_is_a_site_and_a_tag, set_up, tear_down),
		cmocka_unit_test_setup_teardown(equal_sets_are_the_same, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unions_are_sorted_and_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(adding_what_is_there_changes_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(membership_is_by_element_or_by_looseness, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_step_loosens_the_tie, set_up, tear_down),
		cmocka_unit_test_setup_teardown(retagged_sets_stay_sets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_site_is_taken_out_with_all_its_tags, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_set_is_bounded_and_says_so, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_sets_stay_apart, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
