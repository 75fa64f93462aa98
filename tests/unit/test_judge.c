#include "flow_fixture.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step()\n"

static void loops_have_kinds(void **state)
{
	static const struct flow_case cases[] = {
		{"a loop that steps", "for x in loader:\n" STEP, "step@1\n"},
		{"around it", "for e in range(99):\n  for x in loader:\n" STEP, "epoch@1 step@2\n"},
		{"around a small number of epochs", "for e in range(3):\n  for x in loader:\n" STEP, "epoch@1 step@2\n"},
		{"two around", "for r in range(99):\n for e in range(99):\n  for x in loader:\n" STEP, "epoch@1 epoch@2 step@3\n"},
		{"no optimizer: the innermost backward", "for e in range(99):\n  for x in loader:\n    net(x).sum().backward()\n", "epoch@1 step@2\n"},
		{"no backward: the innermost forward", "for e in range(99):\n  for x in loader:\n    net(x)\n", "epoch@1 step@2\n"},
		{"a phase without grad inside a step", "for x in loader:\n" STEP "    for y in val:\n        with torch.no_grad():\n            net(y)\n", "step@1 step@5\n"},
		{"neither", "for x in loader:\n    print(x)\n", "plain@1\n"},
		{"over a display", "for x in loader:\n" STEP "    for a in [1, 2]:\n        net(x)\n", "step@1 struct@5\n"},
		{"over parameters", "for x in loader:\n" STEP "    for p in net.parameters():\n        p.norm()\n", "step@1 struct@5\n"},
		{"over a small range", "for x in loader:\n" STEP "    for i in range(3):\n        net(x)\n", "step@1 struct@5\n"},
		{"over a small range that steps", "for i in range(3):\n    x = loader\n" STEP, "step@1\n"},
		{"over layers", "layers = nn.ModuleList([net, net])\nfor x in loader:\n  for l in layers:\n    x = l(x)\n  x.sum().backward()\n  opt.step()\n", "step@2 struct@3\n"},
		{"a retry", "for x in loader:\n  while True:\n   try:\n" STEP "    break\n   except RuntimeError:\n    pass\n", "step@1 retry@2\n"},
		{"while", "while going:\n    x = 1\n" STEP, "step@1\n"},
		{"a step in a callee", "def step(x):\n" STEP "for x in loader:\n    step(x)\n", "step@5\n"},
		{"over names and parameters", "for x in loader:\n" STEP "    for n, p in net.named_parameters():\n        p.norm()\n", "step@1 struct@5\n"},
		{"over what was made of parameters", "for x in loader:\n" STEP "    for v in [p.norm() for p in net.parameters()]:\n        net(v)\n", "step@1 struct@5 struct@5\n"},
		{"over a dict display", "for x in loader:\n" STEP "    for k in {'a': 1}:\n        net(x)\n", "step@1 struct@5\n"},
		{"over two loaders", "for x, y in zip(loader, other):\n" STEP, "step@1\n"},
		{"over few of the same", "for x in loader:\n" STEP "    for i in [0] * 3:\n        net(x)\n", "step@1 struct@5\n"},
		{"inside it, with the forward", "for x in loader:\n  for y in x:\n    net(y).sum().backward()\n  opt.step()\n", "step@1 intra@2\n"},
	};
	FLOW_CHECK_LOOPS(cases);
}

static void growth_names_the_loop_it_lives_over(void **state)
{
	static const struct flow_case cases[] = {
		{"outside all", "xs = []\nfor e in range(99):\n  for x in loader:\n" STEP "    xs.append(loss)\n", "7 store unbounded freed flow step@3\n"},
		{"once an epoch", "xs = []\nfor e in range(99):\n  for x in loader:\n" STEP "  xs.append(loss)\n", "7 store unbounded freed flow epoch@2\n"},
		{"one epoch long", "for e in range(99):\n  xs = []\n  for x in loader:\n" STEP "    xs.append(loss)\n", "7 store epoch freed flow step@3\n"},
		{"an inner list of the step", "for x in loader:\n  xs = []\n  for y in x:\n    xs.append(net(y))\n  opt.step()\n", ""},
		{"over parts only", "xs = []\nx = 1\nfor l in [net, net]:\n    xs.append(l(x))\n", ""},
		{"no step anywhere", "xs = []\nfor x in loader:\n    xs.append(torch.zeros(1, requires_grad=True) * 2)\n", ""},
	};
	FLOW_CHECK(cases);
}

static void a_walk_later_justifies_what_was_kept(void **state)
{
	static const struct flow_case cases[] = {
		{"summed for one backward", "for e in range(99):\n  xs = []\n  for x in loader:\n    xs.append(crit(net(x), x))\n  sum(xs).backward()\n  opt.step()\n", ""},
		{"a total walked at the end", "for e in range(99):\n  total = 0\n  for x in loader:\n    total = total + crit(net(x), x)\n  total.backward()\n  opt.step()\n", ""},
		{"stacked and walked", "for e in range(99):\n  xs = []\n  for x in loader:\n    xs.append(crit(net(x), x))\n  torch.stack(xs).mean().backward()\n  opt.step()\n", ""},
		{"walked already, walked again", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss)\nsum(xs).item()\n", "6 store unbounded freed flow step@2\n"},
		{"only converted later", "xs = []\nfor x in loader:\n    xs.append(crit(net(x), x))\n    opt.step()\nprint(sum(xs).item())\n", "3 store unbounded kept flow step@2\n"},
		{"returned unwalked", "def f(data):\n    xs = []\n    for x in data:\n        xs.append(net(x))\n    return xs\n", ""},
		{"returned walked", "def f(data):\n    xs = []\n    for x in data:\n" "        loss = net(x).sum()\n        loss.backward()\n        xs.append(loss)\n    return xs\n", "6 store unbounded freed flow step@3\n"},
		{"returned, made in eval mode", "def f(data):\n    net.eval()\n    xs = []\n    for x in data:\n        xs.append(net(x))\n    return xs\n", "5 forward flow step@4\n5 store unbounded kept flow step@4\n"},
		{"handed on to somebody unknown", "xs = []\nfor x in loader:\n    xs.append(net(x))\n    opt.step()\nsomebody(xs)\n", ""},
		{"a window walked at once", "xs = []\nfor i, x in enumerate(loader):\n    xs.append(crit(net(x), x))\n    if i % 4 == 3:\n        sum(xs).backward()\n        opt.step()\n        xs.clear()\n", ""},
	};
	FLOW_CHECK(cases);
}

static void graph_free_growth_is_told_apart(void **state)
{
	struct flow flow;
	const struct fact *fact;

	flow_init(&flow, "xs = []\nfor x in loader:\n    with torch.no_grad():\n        y = net(x)\n    xs.append(y)\n    opt.step()\n");
	fact = flow_only_fact(&flow);
	assert_int_equal(fact->graph, PROOF_NONE);
	assert_true(fact->grad_off);
	assert_int_equal(fact->growth, GROWTH_UNBOUNDED);
	flow_release(&flow);
	flow_init(&flow, "xs = []\nfor x in loader:\n    y = net(x)\n    xs.append(y.detach()[0])\n    opt.step()\n");
	fact = flow_only_fact(&flow);
	assert_int_equal(fact->graph, PROOF_NONE);
	assert_true(fact->view);
	flow_release(&flow);
	flow_init(&flow, "xs = []\nfor x in loader:\n    y = net(x).cuda()\n    xs.append(y.detach())\n    opt.step()\n");
	fact = flow_only_fact(&flow);
	assert_true(fact->on_device);
	assert_false(fact->view);
	assert_false(fact->grad_off);
	flow_release(&flow);
}

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

static void forwards_without_need_of_a_graph_are_told(void **state)
{
	static const struct flow_case cases[] = {
		{"in eval mode", "net.eval()\nfor x in loader:\n    print(net(x).argmax())\n", "3 forward flow step@2\n"},
		{"in train mode", "net.train()\nfor x in loader:\n    print(net(x).argmax())\n", ""},
		{"mode unknown", "for x in loader:\n    print(net(x).argmax())\n", ""},
		{"train(False)", "net.train(False)\nfor x in loader:\n    print(net(x).argmax())\n", "3 forward flow step@2\n"},
		{"train(flag)", "net.train(flag)\nfor x in loader:\n    print(net(x).argmax())\n", ""},
		{"back in train mode", "net.eval()\nnet.train()\nfor x in loader:\n    print(net(x).argmax())\n", ""},
		{"under no_grad", "net.eval()\nfor x in loader:\n    with torch.no_grad():\n        print(net(x).argmax())\n", ""},
		{"under inference mode", "net.eval()\nwith torch.inference_mode():\n  for x in loader:\n    print(net(x).argmax())\n", ""},
		{"frozen", "net.requires_grad_(False)\nnet.eval()\nfor x in loader:\n    print(net(x).argmax())\n", ""},
		{"walked", "net.eval()\nfor x in loader:\n    net(x).sum().backward()\n", ""},
		{"handed on", "net.eval()\nfor x in loader:\n    somebody(net(x))\n", "3 forward flow step@2\n"},
		{"no loop", "net.eval()\nprint(net(x).argmax())\n", ""},
		{"in a function by use", "def evaluate(model, data):\n    model.eval()\n    for x in data:\n        print(model(x).argmax())\n", "4 forward usage step@3\n"},
		{"of a caller with grad off", "def evaluate(data):\n    net.eval()\n    for x in data:\n        print(net(x).argmax())\nwith torch.no_grad():\n    evaluate(loader)\n", ""},
		{"a mode set by an unknown call", "net.eval()\nsomebody(net)\nfor x in loader:\n    print(net(x).argmax())\n", ""},
		{"only in a handler", "net.eval()\nfor x in loader:\n    try:\n        risk()\n    except ValueError:\n        net(x).item()\n", ""},
		{"behind a dropped context, which is the cause", "net.eval()\ntorch.no_grad()\nfor x in loader:\n    print(net(x).argmax())\n", "2 grad-dropped flow\n"},
		{"a module of the project", "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(1, 1)\n    def forward(self, x):\n        return self.l(x)\nm = M()\nm.eval()\nfor x in loader:\n    print(m(x).argmax())\n", "10 forward flow step@9\n"},
		{"its parts are in the mode of the whole", "m = nn.Sequential(net)\nm.eval()\nfor x in loader:\n    print(net(x).argmax())\n", "4 forward flow step@3\n"},
		{"its parameters given to an unknown call", "net.eval()\nsomebody(net.parameters())\nfor x in loader:\n    print(net(x).argmax())\n", "4 forward flow step@3\n"},
		{"in a mode that is computed", "net.eval()\nfor x in loader:\n    with torch.set_grad_enabled(flag):\n        print(net(x).argmax())\n", ""},
		{"in an unknown context that speaks of evaluation", "net.eval()\nfor x in loader:\n    with evaluating(net.head):\n        print(net(x).argmax())\n", ""},
		{"in an unknown context that does not", "net.eval()\nfor x in loader:\n    with timed():\n        print(net(x).argmax())\n", "4 forward flow step@2\n"},
	};
	FLOW_CHECK(cases);
}

static void optimizers_of_what_no_gradient_reaches_are_told(void **state)
{
	static const struct flow_case cases[] = {
		{"the module ran with grad off", "head = nn.Linear(1, 1)\nfor x in loader:\n    with torch.no_grad():\n        y = net(x)\n    head(y).sum().backward()\n    opt.step()\n", "5 cut-trained flow step@2\n"},
		{"it ran with grad on", "head = nn.Linear(1, 1)\nfor x in loader:\n    y = net(x)\n    head(y).sum().backward()\n    opt.step()\n", ""},
		{"another optimizer owns it", "head = nn.Linear(1, 1)\no = torch.optim.SGD(head.parameters(), lr=1)\nfor x in loader:\n    with torch.no_grad():\n        y = net(x)\n    head(y).sum().backward()\n    o.step()\n", ""},
		{"one of two walks reaches it", "for x in loader:\n    with torch.no_grad():\n        y = net(x)\n    z = net(x)\n    (y * z).sum().backward()\n    opt.step()\n", ""},
		{"detached", "head = nn.Linear(1, 1)\nfor x in loader:\n    y = net(x).detach()\n    head(y).sum().backward()\n    opt.step()\n", "4 cut-trained flow step@2\n"},
	};
	FLOW_CHECK(cases);
}

static void hidden_state_is_a_chain_through_a_module(void **state)
{
	static const struct flow_case cases[] = {
		{"carried", "h = None\nrnn = nn.RNN(1, 1)\nfor x in loader:\n    y, h = rnn(x, h)\n    opt.step()\n", "4 carry unbounded kept flow step@3\n"},
		{"detached each time", "h = None\nrnn = nn.RNN(1, 1)\nfor x in loader:\n    y, h = rnn(x, h)\n    h = h.detach()\n    opt.step()\n", ""},
		{"made anew each time", "rnn = nn.RNN(1, 1)\nfor x in loader:\n    h = None\n    y, h = rnn(x, h)\n    opt.step()\n", ""},
	};
	FLOW_CHECK(cases);
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
		cmocka_unit_test(loops_have_kinds),
		cmocka_unit_test(growth_names_the_loop_it_lives_over),
		cmocka_unit_test(a_walk_later_justifies_what_was_kept),
		cmocka_unit_test(graph_free_growth_is_told_apart),
		cmocka_unit_test(facts_say_more_of_the_value),
		cmocka_unit_test(the_place_is_where_the_value_is_handed_over),
		cmocka_unit_test(forwards_without_need_of_a_graph_are_told),
		cmocka_unit_test(optimizers_of_what_no_gradient_reaches_are_told),
		cmocka_unit_test(hidden_state_is_a_chain_through_a_module),
		cmocka_unit_test(names_of_what_is_told),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
