#include "flow_fixture.h"

static struct flow flow;
static struct interp *in;
static const struct span here = {3, 9};
static const int places[8]; /* stand for syntax, of which only the address counts */

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

static struct value tensor_from(struct site *site, enum origin_tag tag)
{
	struct value v = value_of(KIND_TENSOR);

	v.origins = origin_one(&in->origins, origin_make(site->id, tag));
	return v;
}

static void put(struct object *object, const char *name, struct value value)
{
	cell_set(in, object_slot(in, object, str_from(name), true), value);
}

static void one_place_makes_one_object_a_call(void **state)
{
	struct call call = {0};
	struct object *object = object_new(in, &places[0], 0, KIND_CONTAINER, here);

	assert_int_not_equal(object->id, 0);
	assert_ptr_equal(object_get(in, object->id), object);
	assert_false(object->reborn);
	assert_ptr_equal(object_new(in, &places[0], 0, KIND_CONTAINER, here), object);
	assert_true(object->reborn);
	assert_ptr_not_equal(object_new(in, &places[1], 0, KIND_CONTAINER, here), object);
	assert_ptr_not_equal(object_new(in, &places[0], 1, KIND_CONTAINER, here), object);
	in->call = &call;
	assert_ptr_not_equal(object_new(in, &places[0], 0, KIND_CONTAINER, here), object);
}

static void what_is_made_anew_is_empty(void **state)
{
	struct object *object = object_new(in, &places[0], 0, KIND_CONTAINER, here);

	put(object, "a", value_of(KIND_TENSOR));
	add_element(in, object, value_of(KIND_TENSOR));
	object_new(in, &places[0], 0, KIND_CONTAINER, here);
	struct value a = cell_get(in, object_slot(in, object, STR("a"), false)), rest = cell_get(in, object->rest);
	assert_true(value_is_bottom(&a));
	assert_true(value_is_bottom(&rest));
}

static void an_object_is_born_on_the_path_of_the_moment(void **state)
{
	struct loop *loop = loop_enter(in, &places[0], LOOP_FOR, here);

	assert_null(object_new(in, &places[0], 0, 0, here)->birth);
	in->path = loop;
	assert_ptr_equal(object_new(in, &places[1], 0, 0, here)->birth, loop);
	assert_int_equal(loop->born.count, 1);
	/* under `if x is None` it is born where x lives */
	in->lazy_birth = true;
	in->lazy_path = NULL;
	assert_null(object_new(in, &places[2], 0, 0, here)->birth);
}

static void its_value_refers_to_it(void **state)
{
	struct object *object = object_new(in, &places[0], 0, KIND_MODULE, here);
	struct value v = object_value(in, object);

	assert_int_equal(v.kinds, KIND_MODULE);
	assert_int_equal(v.object_count, 1);
	assert_int_equal(v.objects[0], object->id);
	assert_int_equal(v.made.start, 3);
	object->kinds = 0;
	assert_int_equal(object_value(in, object).kinds, KIND_UNKNOWN);
}

static void slots_are_found_by_name(void **state)
{
	struct object *object = object_new(in, &places[0], 0, KIND_INSTANCE, here);
	uint32_t a = object_slot(in, object, STR("a"), true), b = object_slot(in, object, STR("b"), true);

	assert_int_not_equal(a, b);
	assert_int_equal(object_slot(in, object, STR("a"), false), a);
	assert_int_equal(object_slot(in, object, STR("c"), false), 0);
	assert_int_equal(in->cells.items[a].object, object->id);
}

/* Computed names would make slots without end. */
static void very_many_slots_share_one_cell(void **state)
{
	struct object *object = object_new(in, &places[0], 0, KIND_CONTAINER, here);
	uint32_t last = 0;

	for (int i = 0; i < 1000; i++)
		last = object_slot(in, object, str_from(arena_format(in->arena, "k%d", i)), true);
	assert_true(object->slots.count < 200);
	assert_int_equal(last, object_rest(in, object));
	assert_int_equal(object_slot(in, object, STR("k999"), false), 0);
}

static void elements_are_joined_and_tied_to_the_holder(void **state)
{
	struct object *object = object_new(in, &places[0], 0, KIND_CONTAINER, here);
	struct site *site = site_new(in, SITE_CALL, &places[1], 0, here);
	struct value v = object_elements(in, object);

	assert_true(value_is_bottom(&v));
	put(object, "0", value_of(KIND_NUMBER));
	put(object, "%hidden", value_of(KIND_TEXT)); /* no program can name it */
	add_element(in, object, tensor_from(site, ORIGIN_SELF));
	v = object_elements(in, object);
	assert_int_equal(v.kinds, KIND_NUMBER | KIND_TENSOR);
	assert_true(origin_has(v.origins, origin_make(site->id, ORIGIN_SELF)));
	assert_true(origin_has(v.origins, origin_make(object_site(in, object), ORIGIN_CALL)));
	assert_int_equal(in->sites.items[object->site]->kind, SITE_OBJECT);
	assert_int_equal(in->sites.items[object->site]->object, object->id);
}

static void origins_are_gathered_from_all_that_is_held(void **state)
{
	struct site *site = site_new(in, SITE_CALL, &places[4], 0, here);
	struct object *outer = object_new(in, &places[0], 0, KIND_CONTAINER, here);
	struct object *inner = object_new(in, &places[1], 0, KIND_INSTANCE, here);
	struct object *module = object_new(in, &places[2], 0, KIND_MODULE | KIND_INSTANCE, here);
	struct value whole = object_value(in, outer);

	put(inner, "loss", tensor_from(site, ORIGIN_OP));
	add_element(in, outer, object_value(in, inner));
	assert_true(origin_has(deep_origins(in, &whole), origin_make(site->id, ORIGIN_OP)));
	/* who refers to a module does not hold what it holds */
	put(module, "loss", tensor_from(site, ORIGIN_OP));
	whole = object_value(in, module);
	assert_int_equal(deep_origins(in, &whole)->count, 0);
	/* a bound method holds its receiver */
	struct object *method = object_new(in, &places[3], 0, KIND_FUNCTION, here);
	method->receiver = tensor_from(site, ORIGIN_SELF);
	whole = object_value(in, method);
	assert_true(origin_has(deep_origins(in, &whole), origin_make(site->id, ORIGIN_SELF)));
}

static void what_holds_itself_ends(void **state)
{
	struct object *object = object_new(in, &places[0], 0, KIND_CONTAINER, here);
	struct value v = object_value(in, object);

	for (int i = 0; i < 20; i++)
		put(object, arena_format(in->arena, "%d", i), v);
	add_element(in, object, v);
	assert_int_equal(deep_origins(in, &v)->count, 0);
}

static void use_proves_all_objects_of_a_value(void **state)
{
	struct value v = object_value(in, object_new(in, &places[0], 0, KIND_UNKNOWN, here));

	v.objects[v.object_count++] = object_new(in, &places[1], 0, KIND_UNKNOWN, here)->id;
	object_prove(in, &v, KIND_MODULE);
	object_prove(in, &v, KIND_METRIC);
	assert_int_equal(object_get(in, v.objects[0])->proved, KIND_MODULE | KIND_METRIC);
	assert_int_equal(object_get(in, v.objects[1])->proved, KIND_MODULE | KIND_METRIC);
}

static void inputs_are_the_same_thing_each_time(void **state)
{
	struct value a = input_value(in, &places[0], 0, STR("model"), here), b = input_value(in, &places[0], 0, STR("model"), here);

	assert_int_equal(a.objects[0], b.objects[0]);
	assert_ptr_equal(a.origins, b.origins);
	assert_true(object_get(in, a.objects[0])->input);
	assert_false(object_get(in, a.objects[0])->reborn);
	assert_int_equal(in->sites.items[origin_site(a.origins->items[0])]->kind, SITE_INPUT);
}

static void loops_nest_and_are_known_by_place_and_path(void **state)
{
	struct loop *outer = loop_enter(in, &places[0], LOOP_FOR, here), *inner;

	assert_int_equal(outer->depth, 1);
	assert_ptr_equal(loop_enter(in, &places[0], LOOP_FOR, here), outer);
	in->path = outer;
	inner = loop_enter(in, &places[1], LOOP_WHILE, here);
	assert_int_equal(inner->depth, 2);
	assert_ptr_equal(inner->outer, outer);
	assert_true(loop_within(inner, outer));
	assert_true(loop_within(inner, inner));
	assert_false(loop_within(outer, inner));
	assert_false(loop_within(NULL, outer));
	in->path = NULL;
	assert_ptr_not_equal(loop_enter(in, &places[1], LOOP_WHILE, here), inner);
}

static void calls_nest(void **state)
{
	struct def callee = {.index = 0}, other = {.index = 1};
	struct call *outer = call_enter(in, NULL, &callee, here), *inner;

	assert_int_equal(outer->depth, 1);
	assert_ptr_equal(call_enter(in, NULL, &callee, here), outer);
	assert_ptr_not_equal(call_enter(in, NULL, &other, here), outer);
	in->call = outer;
	in->path = loop_enter(in, &places[0], LOOP_FOR, here);
	inner = call_enter(in, NULL, &other, here);
	assert_int_equal(inner->depth, 2);
	assert_ptr_equal(inner->outer, outer);
	assert_ptr_equal(inner->callee, &other);
	assert_ptr_equal(inner->path, in->path);
}

static void sites_and_loops_remember_where_they_are(void **state)
{
	struct def def = {0};
	struct frame frame = {.def = &def};
	struct loop *loop;
	struct site *site;

	in->frame = &frame;
	loop = loop_enter(in, &places[0], LOOP_FOR, here);
	in->path = loop;
	site = site_new(in, SITE_CALL, &places[1], 0, here);
	assert_ptr_equal(loop->def, &def);
	assert_ptr_equal(site->def, &def);
	assert_ptr_equal(site->path, loop);
	assert_ptr_equal(site->node, &places[1]);
	assert_ptr_equal(object_new(in, &places[2], 0, 0, here)->def, &def);
	in->frame = NULL;
}

static void events_remember_where_and_when(void **state)
{
	struct loop *loop = loop_enter(in, &places[0], LOOP_FOR, here);
	uint32_t order;

	in->events.count = 0;
	order = event_add(in, EVENT_STORE, here)->order;
	in->path = loop;
	cond_push(in);
	grad_set(in, GRAD_OFF);
	event_add(in, EVENT_RESET, here);
	cond_pop(in);
	event_add(in, EVENT_RESET, here);
	assert_null(in->events.items[0].path);
	assert_int_equal(in->events.items[0].cond, 0);
	assert_int_equal(in->events.items[0].grad, GRAD_ON);
	assert_ptr_equal(in->events.items[1].path, loop);
	assert_int_equal(in->events.items[1].cond, 1u << 1); /* open at the depth of the loop */
	assert_int_equal(in->events.items[1].grad, GRAD_OFF);
	assert_true(in->events.items[1].order > order);
	assert_int_equal(in->events.items[2].cond, 0);
	assert_false(in->events.items[2].in_handler);
}

static void a_mode_reaches_the_parts_of_a_module(void **state)
{
	struct object *whole = object_new(in, &places[0], 0, KIND_MODULE, here), *part = object_new(in, &places[1], 0, KIND_MODULE, here);
	struct object *list = object_new(in, &places[2], 0, KIND_CONTAINER, here);

	assert_int_equal(object_mode(in, whole), -1);
	put(whole, "part", object_value(in, part));
	put(whole, "list", object_value(in, list));
	put(part, "whole", object_value(in, whole)); /* a loop of references ends */
	set_mode(in, whole, STR("%mode"), 0);
	assert_int_equal(object_mode(in, whole), 0);
	assert_int_equal(object_mode(in, part), 0);
	assert_int_equal(object_mode(in, list), -1);
	set_mode(in, part, STR("%mode"), 1);
	assert_int_equal(object_mode(in, part), 1);
	set_mode(in, part, STR("%mode"), VALUE_NO_NUMBER);
	assert_int_equal(object_mode(in, part), -1);
	assert_int_equal(hidden_number(in, whole, STR("%frozen")), -1);
	set_mode(in, whole, STR("%frozen"), 1);
	assert_int_equal(hidden_number(in, part, STR("%frozen")), 1);
}

static void a_carry_is_a_site_a_cell_and_loop(void **state)
{
	struct loop *loop = loop_enter(in, &places[0], LOOP_FOR, here);
	uint32_t a = cell_new(in, STR("total"), 0, NULL), b = cell_new(in, STR("b"), 0, NULL);
	struct site *site = carry_site(in, loop, a);

	assert_ptr_equal(carry_site(in, loop, a), site);
	assert_ptr_not_equal(carry_site(in, loop, b), site);
	assert_int_equal(site->kind, SITE_CARRY);
	assert_ptr_equal(site->loop, loop);
	assert_null(site->path);
	assert_true(str_is(site->name, "total"));
}

static void tags_and_origins_of_values(void **state)
{
	struct site *site = site_new(in, SITE_CALL, &places[0], 0, here);
	struct value v = value_of(KIND_TENSOR), t = tensor_from(site, ORIGIN_SELF);

	assert_null(tag_value(in, v, ORIGIN_CUT).origins);
	assert_ptr_equal(value_add_origins(in, v, t.origins).origins, t.origins);
	t = tag_value(in, t, ORIGIN_CUT);
	assert_true(origin_has(t.origins, origin_make(site->id, ORIGIN_CUT)));
	assert_null(value_with_origins(t, NULL).origins);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_place_makes_one_object_a_call, begin, end),
		cmocka_unit_test_setup_teardown(what_is_made_anew_is_empty, begin, end),
		cmocka_unit_test_setup_teardown(an_object_is_born_on_the_path_of_the_moment, begin, end),
		cmocka_unit_test_setup_teardown(its_value_refers_to_it, begin, end),
		cmocka_unit_test_setup_teardown(slots_are_found_by_name, begin, end),
		cmocka_unit_test_setup_teardown(very_many_slots_share_one_cell, begin, end),
		cmocka_unit_test_setup_teardown(elements_are_joined_and_tied_to_the_holder, begin, end),
		cmocka_unit_test_setup_teardown(origins_are_gathered_from_all_that_is_held, begin, end),
		cmocka_unit_test_setup_teardown(what_holds_itself_ends, begin, end),
		cmocka_unit_test_setup_teardown(use_proves_all_objects_of_a_value, begin, end),
		cmocka_unit_test_setup_teardown(inputs_are_the_same_thing_each_time, begin, end),
		cmocka_unit_test_setup_teardown(loops_nest_and_are_known_by_place_and_path, begin, end),
		cmocka_unit_test_setup_teardown(calls_nest, begin, end),
		cmocka_unit_test_setup_teardown(sites_and_loops_remember_where_they_are, begin, end),
		cmocka_unit_test_setup_teardown(events_remember_where_and_when, begin, end),
		cmocka_unit_test_setup_teardown(a_mode_reaches_the_parts_of_a_module, begin, end),
		cmocka_unit_test_setup_teardown(a_carry_is_a_site_a_cell_and_loop, begin, end),
		cmocka_unit_test_setup_teardown(tags_and_origins_of_values, begin, end),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
