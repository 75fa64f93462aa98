#include "flow_fixture.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"
#define LOOP "for x in loader:\n" STEP "    "
#define KEPT "6 store unbounded freed flow step@2\n"

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

static void literals_are_known(void **state)
{
	begin("a = 3\nb = 'text'\nc = True\nd = False\ne = None\nf = 1.5\ng = f'{a}'\n");
	assert_int_equal(final("a").kinds, KIND_NUMBER);
	assert_true(final("a").number == 3);
	assert_int_equal(final("b").kinds, KIND_TEXT);
	assert_true(str_is(final("b").text, "text"));
	assert_true(final("c").number == 1);
	assert_true(final("d").number == 0);
	assert_int_equal(final("e").kinds, KIND_NONE);
	assert_int_equal(final("f").kinds, KIND_NUMBER);
	assert_true(final("f").number == VALUE_NO_NUMBER);
	assert_int_equal(final("g").kinds, KIND_TEXT);
	assert_null(final("g").text.at);
}

static void arithmetic_has_the_kinds_of_its_operands(void **state)
{
	begin("a = 1 + 2\nb = 1 + net(0)\nc = -a\nd = 'x' + 'y'\ne = '%d' % 1\nf = a < 2\ng = not a\nh = net(0) > 1\ni = 'x' * 3\nj = net(0) is not None\nk = 1 in net(0)\n");
	assert_int_equal(final("a").kinds, KIND_NUMBER);
	assert_int_equal(final("b").kinds, KIND_TENSOR);
	assert_int_equal(final("c").kinds, KIND_NUMBER);
	assert_int_equal(final("d").kinds, KIND_TEXT);
	assert_int_equal(final("e").kinds, KIND_TEXT);
	assert_int_equal(final("f").kinds, KIND_NUMBER);
	assert_int_equal(final("g").kinds, KIND_NUMBER);
	assert_true(final("h").kinds & KIND_TENSOR);
	assert_int_equal(final("i").kinds, KIND_TEXT);
	assert_int_equal(final("j").kinds, KIND_NUMBER);
	assert_int_equal(final("k").kinds, KIND_NUMBER);
	struct origin_set *compared = final("h").origins;
	assert_true(!compared || !compared->count); /* a comparison has no graph */
}

static void displays_are_containers(void **state)
{
	static const struct {
		const char *name, *class;
	} cases[] = {{"a", "builtins.list"}, {"b", "builtins.tuple"}, {"c", "builtins.set"}, {"d", "builtins.dict"},
		     {"e", "builtins.list"}, {"f", "builtins.dict"}, {"g", "builtins.set"}};
	begin("a = [1]\nb = 1, 2\nc = {1}\nd = {'k': 1}\ne = [i for i in a]\nf = {i: i for i in a}\ng = {i for i in a}\n");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_string_equal(object_of(cases[i].name)->library->name, cases[i].class);
		assert_true(object_of(cases[i].name)->kinds & KIND_CONTAINER);
	}
	assert_true(object_of("a")->literal);
	assert_false(object_of("a") == object_of("e"));
}

static void modules_are_known_by_construction(void **state)
{
	begin("a = nn.Conv2d(1, 1, 1)\nb = nn.Sequential(a)\nc = b[0]\nd = torch.optim.Adam(a.parameters())\ne = nn.CrossEntropyLoss()\n");
	assert_true(object_of("a")->kinds & KIND_MODULE);
	assert_ptr_equal(object_of("c"), object_of("a"));
	assert_true(object_of("d")->kinds & KIND_OPTIMIZER);
	assert_true(object_of("e")->kinds & KIND_CRITERION);
}

static void devices_and_extents_are_seen(void **state)
{
	begin("a = torch.zeros(3, device='cuda')\nb = torch.zeros(3).cuda()\nc = b.cpu()\nd = torch.zeros(3).to('cuda:0')\ne = crit(net(0), 0)\nf = torch.zeros(3)\ng = b + 1\nh = e * 2\n");
	assert_int_equal(final("a").device, DEVICE_ACCELERATOR);
	assert_int_equal(final("b").device, DEVICE_ACCELERATOR);
	assert_int_equal(final("c").device, DEVICE_CPU);
	assert_int_equal(final("d").device, DEVICE_ACCELERATOR);
	assert_int_equal(final("e").extent, EXTENT_SCALAR);
	assert_int_equal(final("g").device, DEVICE_ACCELERATOR);
	assert_int_equal(final("h").extent, EXTENT_SCALAR);
	assert_int_not_equal(final("f").device, DEVICE_ACCELERATOR);
}

static void grad_mode_marks_what_is_made(void **state)
{
	begin("a = net(0)\nwith torch.no_grad():\n    b = net(0)\n    c = a * 2\n    e = undefined(0)\nd = b * 2\nf = undefined(0)\n");
	assert_false(final("a").flags & VALUE_GRAD_OFF);
	assert_true(final("b").flags & VALUE_GRAD_OFF);
	assert_true(final("c").flags & VALUE_GRAD_OFF);
	assert_true(final("d").flags & VALUE_GRAD_OFF);
	assert_true(final("e").flags & VALUE_GRAD_OFF);
	assert_false(final("f").flags & VALUE_GRAD_OFF);
	assert_int_equal(origin_tag_of(final("c").origins->items[0]), ORIGIN_CUT);
}

static void expressions_store_what_they_hold(void **state)
{
	static const struct flow_case cases[] = {
		{"in a list", "xs = []\n" LOOP "xs.append([1, [loss]])\n", KEPT},
		{"in a dict", "xs = []\n" LOOP "xs.append({'a': loss})\n", KEPT},
		{"in a set", "xs = []\n" LOOP "xs.append({loss})\n", KEPT},
		{"spread", "xs = []\n" LOOP "xs.append({**{'a': loss}})\n", KEPT},
		{"starred", "xs = []\n" LOOP "xs.append([*[loss]])\n", KEPT},
		{"in a lambda", "xs = []\n" LOOP "xs.append(lambda v=loss: v)\n", KEPT},
		{"by item", "xs = []\n" LOOP "xs.append({'a': loss, 'b': 1}['a'])\n", KEPT},
		{"by the other item", "xs = []\n" LOOP "xs.append({'a': loss, 'b': 1}['b'])\n", ""},
		{"by index", "xs = []\n" LOOP "xs.append((loss, 1)[0])\n", KEPT},
		{"by the other index", "xs = []\n" LOOP "xs.append((loss, 1)[1])\n", ""},
		{"of two lists", "xs = []\n" LOOP "xs.append([1] + [loss])\n", KEPT},
		{"of a list repeated", "xs = []\n" LOOP "xs.append([loss] * 2)\n", KEPT},
		{"of a slice", "xs = []\n" LOOP "xs.append([loss, loss][1:])\n", KEPT},
		{"awaited", "xs = []\nasync def f():\n  for x in loader:\n" STEP "    xs.append(await loss)\n", "7 store unbounded freed flow step@3\n"},
	};
	FLOW_CHECK(cases);
}

static void deep_expressions_end(void **state)
{
	struct buf text = BUF_INIT;

	buf_add_text(&text, "a = ");
	for (int i = 0; i < 20000; i++)
		buf_add_text(&text, i % 2 ? "1 + " : "1 - ");
	buf_add_text(&text, "1\nb = 2\n");
	begin(buf_text(&text));
	assert_true(final("b").number == 2);
	buf_release(&text);
}

static void a_yield_in_no_function_ends(void **state)
{
	begin("for x in loader:\n    yield x\na = 1\n");
	assert_true(final("a").number == 1);
}

static void a_dictionary_gives_its_keys(void **state)
{
	begin("d = {'a': net(0), 'b': net(1)}\nks = [k for k in d]\nfor k in d:\n    pass\nfor i, n in enumerate(d):\n    pass\nfor s in sorted(d):\n    pass\nfor v in d.values():\n    pass\n");
	assert_int_equal(final("k").kinds, KIND_TEXT);
	assert_int_equal(final("n").kinds, KIND_TEXT);
	assert_int_equal(final("s").kinds, KIND_TEXT);
	assert_int_equal(final("v").kinds, KIND_TENSOR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(literals_are_known, end),
		cmocka_unit_test_teardown(arithmetic_has_the_kinds_of_its_operands, end),
		cmocka_unit_test_teardown(displays_are_containers, end),
		cmocka_unit_test_teardown(modules_are_known_by_construction, end),
		cmocka_unit_test_teardown(devices_and_extents_are_seen, end),
		cmocka_unit_test_teardown(grad_mode_marks_what_is_made, end),
		cmocka_unit_test_teardown(expressions_store_what_they_hold, end),
		cmocka_unit_test_teardown(deep_expressions_end, end),
		cmocka_unit_test_teardown(a_yield_in_no_function_ends, end),
		cmocka_unit_test_teardown(a_dictionary_gives_its_keys, end),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
