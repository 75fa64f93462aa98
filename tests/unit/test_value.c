#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "flow/value.h"

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

static struct value joined(struct value a, struct value b)
{
	return value_join(&table, &a, &b);
}

static struct value with_object(uint32_t id)
{
	struct value v = value_of(KIND_CONTAINER);

	v.objects[0] = id;
	v.object_count = 1;
	return v;
}

static struct value with_text(const char *text)
{
	struct value v = value_of(KIND_TEXT);

	v.text = str_from(text);
	return v;
}

static struct value with_number(int64_t number)
{
	struct value v = value_of(KIND_NUMBER);

	v.number = number;
	return v;
}

static void the_bottom_joins_to_the_other(void **state)
{
	struct value v = with_number(4), out = joined(value_bottom(), v);

	assert_true(value_same(&out, &v));
	out = joined(v, value_bottom());
	assert_true(value_same(&out, &v));
	out = joined(value_bottom(), value_bottom());
	assert_true(value_is_bottom(&out));
	assert_false(value_is_bottom(&v));
}

static void kinds_and_origins_are_united(void **state)
{
	struct value a = value_of(KIND_TENSOR), b = value_of(KIND_NUMBER), out;

	a.origins = origin_one(&table, origin_make(1, ORIGIN_SELF));
	b.origins = origin_one(&table, origin_make(2, ORIGIN_OP));
	out = joined(a, b);
	assert_int_equal(out.kinds, KIND_TENSOR | KIND_NUMBER);
	assert_int_equal(out.origins->count, 2);
	b.origins = NULL;
	assert_ptr_equal(joined(a, b).origins, a.origins);
	assert_ptr_equal(joined(b, a).origins, a.origins);
	assert_null(joined(b, b).origins);
}

static void kinds_are_asked_for(void **state)
{
	struct value v = value_of(KIND_TENSOR | KIND_NUMBER), unknown = value_of(KIND_UNKNOWN), none = value_bottom();

	assert_true(value_only(&v, KIND_TENSOR | KIND_NUMBER | KIND_TEXT));
	assert_false(value_only(&v, KIND_TENSOR));
	assert_false(value_only(&none, KIND_TENSOR));
	assert_true(value_may(&v, KIND_TENSOR));
	assert_false(value_may(&v, KIND_TEXT));
	assert_true(value_may(&unknown, KIND_TEXT));
}

static void constants_stay_where_both_agree(void **state)
{
	assert_true(joined(with_number(4), with_number(4)).number == 4);
	assert_true(joined(with_number(4), with_number(5)).number == VALUE_NO_NUMBER);
	assert_true(joined(with_number(4), value_of(KIND_NUMBER)).number == VALUE_NO_NUMBER);
	assert_true(str_is(joined(with_text("a"), with_text("a")).text, "a"));
	assert_null(joined(with_text("a"), with_text("b")).text.at);
	assert_null(joined(with_text("a"), value_of(KIND_TEXT)).text.at);
	assert_null(joined(value_of(KIND_TEXT), with_text("a")).text.at);
}

static void flags_are_united_but_for_those_both_must_have(void **state)
{
	struct value a = value_of(KIND_TENSOR), b = value_of(KIND_TENSOR);

	a.flags = VALUE_VIEW | VALUE_STRUCT;
	b.flags = VALUE_LOADER;
	assert_int_equal(joined(a, b).flags, VALUE_VIEW | VALUE_LOADER);
	b.flags |= VALUE_STRUCT;
	assert_int_equal(joined(a, b).flags, VALUE_VIEW | VALUE_LOADER | VALUE_STRUCT);
}

static void evidence_of_size_and_device_outlives_doubt(void **state)
{
	struct value a = value_of(KIND_TENSOR), b = value_of(KIND_TENSOR);

	a.device = DEVICE_ACCELERATOR;
	b.device = DEVICE_CPU;
	assert_int_equal(joined(a, b).device, DEVICE_ACCELERATOR);
	assert_int_equal(joined(b, a).device, DEVICE_ACCELERATOR);
	a.device = DEVICE_UNKNOWN;
	assert_int_equal(joined(a, b).device, DEVICE_UNKNOWN);
	b.device = DEVICE_UNKNOWN;
	a.extent = EXTENT_LARGE;
	b.extent = EXTENT_SCALAR;
	assert_int_equal(joined(a, b).extent, EXTENT_LARGE);
	assert_int_equal(joined(b, a).extent, EXTENT_LARGE);
	a.extent = EXTENT_UNKNOWN;
	assert_int_equal(joined(a, b).extent, EXTENT_UNKNOWN);
	assert_int_equal(joined(b, b).extent, EXTENT_SCALAR);
}

static void objects_are_gathered_up_to_a_bound(void **state)
{
	struct value out = with_object(1);

	for (uint32_t id = 1; id <= VALUE_OBJECTS; id++)
		out = joined(out, with_object(id));
	assert_int_equal(out.object_count, VALUE_OBJECTS);
	assert_false(out.many_objects);
	assert_int_equal(out.objects[3], 4);
	out = joined(out, with_object(9));
	assert_int_equal(out.object_count, VALUE_OBJECTS);
	assert_true(out.many_objects);
	out = joined(with_object(1), out);
	assert_true(out.many_objects);
}

static void library_names_stay_where_one_is_known(void **state)
{
	struct value a = value_of(KIND_LIBRARY), b = value_of(KIND_LIBRARY);

	a.dotted = "torch.cat";
	char same[] = "torch.cat";
	b.dotted = same;
	assert_string_equal(joined(a, b).dotted, "torch.cat");
	b.dotted = "torch.stack";
	assert_null(joined(a, b).dotted);
	assert_string_equal(joined(a, value_of(KIND_NONE)).dotted, "torch.cat");
	assert_string_equal(joined(value_of(KIND_NONE), a).dotted, "torch.cat");
}

static void counters_are_kept(void **state)
{
	struct value a = value_of(KIND_NUMBER), b = value_of(KIND_NUMBER);
	int loop;

	a.counter = (struct loop *)&loop;
	assert_ptr_equal(joined(a, b).counter, &loop);
	assert_ptr_equal(joined(b, a).counter, &loop);
	assert_null(joined(b, b).counter);
}

static void the_place_is_that_of_the_one_with_a_history(void **state)
{
	struct value number = value_of(KIND_NUMBER), tensor = value_of(KIND_TENSOR);

	number.made = (struct span){1, 2};
	tensor.made = (struct span){7, 9};
	tensor.origins = origin_one(&table, origin_make(1, ORIGIN_SELF));
	assert_int_equal(joined(number, tensor).made.start, 7);
	assert_int_equal(joined(tensor, number).made.start, 7);
	tensor.origins = NULL;
	assert_int_equal(joined(number, tensor).made.start, 1);
	number.made = (struct span){0, 0};
	assert_int_equal(joined(number, tensor).made.start, 7);
}

static void sameness_sees_what_judgements_see(void **state)
{
	struct value a = value_of(KIND_TENSOR), b = a;

	assert_true(value_same(&a, &b));
	b.made = (struct span){4, 5}; /* a place is only for telling */
	assert_true(value_same(&a, &b));
#define DIFFERS(change)                                                                                                \
	do {                                                                                                           \
		b = a;                                                                                                 \
		change;                                                                                                \
		assert_false(value_same(&a, &b));                                                                      \
		assert_false(value_same(&b, &a));                                                                      \
	} while (0)
	DIFFERS(b.kinds |= KIND_NUMBER);
	DIFFERS(b.flags = VALUE_VIEW);
	DIFFERS(b.origins = table.empty);
	DIFFERS(b.number = 1);
	DIFFERS(b.device = DEVICE_CPU);
	DIFFERS(b.extent = EXTENT_LARGE);
	DIFFERS(b.counter = (struct loop *)&table);
	DIFFERS(b.many_objects = true);
	DIFFERS(b.object_count = 1);
	DIFFERS(b.text = STR("a"));
	a = with_object(1);
	DIFFERS(b.objects[0] = 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_bottom_joins_to_the_other, set_up, tear_down),
		cmocka_unit_test_setup_teardown(kinds_and_origins_are_united, set_up, tear_down),
		cmocka_unit_test_setup_teardown(kinds_are_asked_for, set_up, tear_down),
		cmocka_unit_test_setup_teardown(constants_stay_where_both_agree, set_up, tear_down),
		cmocka_unit_test_setup_teardown(flags_are_united_but_for_those_both_must_have, set_up, tear_down),
		cmocka_unit_test_setup_teardown(evidence_of_size_and_device_outlives_doubt, set_up, tear_down),
		cmocka_unit_test_setup_teardown(objects_are_gathered_up_to_a_bound, set_up, tear_down),
		cmocka_unit_test_setup_teardown(library_names_stay_where_one_is_known, set_up, tear_down),
		cmocka_unit_test_setup_teardown(counters_are_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_place_is_that_of_the_one_with_a_history, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sameness_sees_what_judgements_see, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
