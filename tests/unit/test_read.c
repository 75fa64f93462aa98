#include "flow_fixture.h"


static struct flow flow;

/* What the module's name NAME holds at the end. */
static struct value final(const char *name)
{
	int32_t place = def_local(flow.module, str_from(name));

	if (place < 0)
		fail_msg("nothing is called '%s'", name);
	return cell_get(&flow.analysis.in, flow.analysis.in.module_scope->first_cell + (uint32_t)place);
}

static struct object *object_of(const char *name)
{
	struct value v = final(name);

	assert_int_equal(v.object_count, 1);
	return object_get(&flow.analysis.in, v.objects[0]);
}

static int end(void **state)
{
	if (flow.text)
		flow_release(&flow);
	memset(&flow, 0, sizeof flow);
	return 0;
}

static void begin(const char *text)
{
	flow_init(&flow, text);
}

static void names_stand_for_libraries(void **state)
{
	begin("import torch.nn.functional as G\na = G.relu\nb = torch.nn.Linear\nc = len\nd = undefined\n");
	assert_string_equal(final("a").dotted, "torch.nn.functional.relu");
	assert_string_equal(final("b").dotted, "torch.nn.Linear");
	assert_string_equal(final("c").dotted, "builtins.len");
	assert_int_equal(final("d").kinds, KIND_UNKNOWN);
}

static void elements_keep_their_places(void **state)
{
	begin("a = [1, 'x']\nb = a[0]\nc = a[1]\nd = {'k': 1, 'l': 'x'}\ne = d['k']\nf = d['l']\ng = a[undefined]\nh = [a, 2][0][1]\n");
	assert_true(final("b").number == 1);
	assert_int_equal(final("c").kinds, KIND_TEXT);
	assert_true(final("e").number == 1);
	assert_int_equal(final("f").kinds, KIND_TEXT);
	assert_int_equal(final("g").kinds, KIND_NUMBER | KIND_TEXT);
	assert_int_equal(final("h").kinds, KIND_TEXT);
}

static void views_are_marked(void **state)
{
	begin("t = net(0)\na = t[0]\nb = t[:3]\nc = t[t > 0]\nd = t.select(0, 1)\ne = t + 1\nf = t[0].clone()\ng = t.view(-1)\nh = t[:, 0]\ni = t[t > 0, 0]\n");
	assert_true(final("a").flags & VALUE_VIEW);
	assert_true(final("b").flags & VALUE_VIEW);
	assert_false(final("c").flags & VALUE_VIEW); /* a mask copies */
	assert_true(final("d").flags & VALUE_VIEW);
	assert_false(final("e").flags & VALUE_VIEW);
	assert_true(final("h").flags & VALUE_VIEW);
	assert_false(final("i").flags & VALUE_VIEW);
	assert_false(final("f").flags & VALUE_VIEW);
	assert_false(final("g").flags & VALUE_VIEW); /* another shape of the same storage, no bigger one */
}

static void attributes_are_objects_of_their_own(void **state)
{
	begin("class A:\n    pass\na = A()\na.x = 1\nb = a.x\na.y = []\nc = a.y\nd = undefined.deep.attribute\n");
	assert_true(final("b").number == 1);
	assert_true(object_of("c")->kinds & KIND_CONTAINER);
	assert_int_equal(object_of("c")->owner, object_of("a")->id);
	assert_true(final("d").kinds & KIND_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(names_stand_for_libraries, end),
		cmocka_unit_test_teardown(elements_keep_their_places, end),
		cmocka_unit_test_teardown(views_are_marked, end),
		cmocka_unit_test_teardown(attributes_are_objects_of_their_own, end),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
