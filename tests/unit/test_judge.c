#include "flow_fixture.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"

static void facts_say_more_of_the_value(void **state)
{
	struct flow flow;
	const struct fact *fact;

	flow_init(&flow, "class K:\n    def __init__(self):\n        self.xs = []\nk = K()\nfor x in loader:\n" STEP
			 "    k.xs.append(loss)\n");
	fact = flow_only_fact(&flow);
	assert_true(fact->scalar);
	assert_true(fact->kept_by_owner);
	assert_string_equal(arena_dup_bytes(&flow.arena, fact->event->name.at, fact->event->name.length), "k.xs");
	assert_int_equal(flow_line(&flow, fact->consumption->node.start), 7);
	assert_int_equal(flow_line(&flow, fact->holder->span.start), 3);
	assert_string_equal(arena_dup_bytes(&flow.arena, fact->holder->name.at, fact->holder->name.length), "self.xs");
	assert_int_equal(flow_line(&flow, fact->site->span.start), 6);
	assert_int_equal(fact->site->kind, SITE_DERIVED);
	assert_true(str_is(fact->site->name, "loss"));
	assert_false(fact->elsewhere);
	flow_release(&flow);
	flow_init(&flow, "xs = []\nfor i, x in enumerate(loader):\n" STEP "    xs.append(net(x))\n    if i % 9 == 0:\n        xs.clear()\n");
	fact = flow_only_fact(&flow);
	assert_false(fact->scalar);
	assert_false(fact->kept_by_owner);
	assert_null(fact->consumption);
	assert_int_equal(flow_line(&flow, fact->reset->node.start), 8);
	flow_release(&flow);
	flow_init(&flow, "xs = torch.zeros(0)\nfor x in loader:\n" STEP "    xs = torch.cat([xs, loss])\n");
	assert_true(flow_only_fact(&flow)->rebuilt);
	flow_release(&flow);
	flow_init(&flow, "xs = torch.zeros(0)\nfor x in loader:\n" STEP "    xs = xs + loss\n");
	assert_false(flow_only_fact(&flow)->rebuilt);
	flow_release(&flow);
}

/* What is made where it is kept is reported there; what is handed down, at the call that hands it over. */
static void the_place_is_where_the_value_is_handed_over(void **state)
{
	struct flow flow;
	const struct fact *fact;

	flow_init(&flow, "xs = []\ndef keep(v):\n    xs.append(v)\ndef twice(v):\n    keep(v)\nfor x in loader:\n" STEP "    twice(loss)\n");
	fact = flow_only_fact(&flow);
	assert_int_equal(flow_line(&flow, fact->where.start), 10);
	assert_int_equal(flow_line(&flow, fact->event->node.start), 3);
	assert_true(fact->elsewhere);
	assert_ptr_equal(fact->where_def, flow.module);
	flow_release(&flow);
	flow_init(&flow, "xs = []\ndef step(x):\n" STEP "    xs.append(loss)\nfor x in loader:\n    step(x)\n");
	fact = flow_only_fact(&flow);
	assert_int_equal(flow_line(&flow, fact->where.start), 6);
	assert_false(fact->elsewhere);
	assert_string_equal(arena_dup_bytes(&flow.arena, fact->where_def->name.at, fact->where_def->name.length), "step");
	flow_release(&flow);
}

static void names_of_what_is_told(void **state)
{
	assert_string_equal(loop_kind_name(LOOP_STEP), "step");
	assert_string_equal(loop_kind_name(LOOP_CALL), "call");
	assert_string_equal(growth_name(GROWTH_NONE), "none");
	assert_string_equal(growth_name(GROWTH_CONSTANT), "constant");
	assert_string_equal(fact_kind_name(FACT_STORE), "store");
	assert_string_equal(fact_kind_name(FACT_CUT_TRAINED), "cut-trained");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_say_more_of_the_value),
		cmocka_unit_test(the_place_is_where_the_value_is_handed_over),
		cmocka_unit_test(names_of_what_is_told),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
