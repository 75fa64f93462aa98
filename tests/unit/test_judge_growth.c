#include "flow_fixture.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"

static void growth_names_the_loop_it_lives_over(void **state)
{
	static const struct flow_case cases[] = {
		{"outside all", "xs = []\nfor e in range(99):\n  for x in loader:\n" STEP "    xs.append(loss)\n", "7 store unbounded freed flow step@3\n"},
		{"once an epoch", "xs = []\nfor e in range(99):\n  for x in loader:\n" STEP "  xs.append(loss)\n", "7 store unbounded freed flow epoch@2\n"},
		{"one epoch long", "for e in range(99):\n  xs = []\n  for x in loader:\n" STEP "    xs.append(loss)\n", "7 store epoch freed flow step@3\n"},
		{"an inner list of the step", "for x in loader:\n  xs = []\n  for y in x:\n    xs.append(net(y))\n  opt.step(); opt.zero_grad()\n", ""},
		{"over parts only", "xs = []\nx = 1\nfor l in [net, net]:\n    xs.append(l(x))\n", ""},
		{"no step anywhere", "xs = []\nfor x in loader:\n    xs.append(torch.zeros(1, requires_grad=True) * 2)\n", ""},
	};
	FLOW_CHECK(cases);
}

static void a_walk_later_justifies_what_was_kept(void **state)
{
	static const struct flow_case cases[] = {
		{"summed for one backward", "for e in range(99):\n  xs = []\n  for x in loader:\n    xs.append(crit(net(x), x))\n  sum(xs).backward()\n  opt.step(); opt.zero_grad()\n", ""},
		{"a total walked at the end", "for e in range(99):\n  total = 0\n  for x in loader:\n    total = total + crit(net(x), x)\n  total.backward()\n  opt.step(); opt.zero_grad()\n", ""},
		{"stacked and walked", "for e in range(99):\n  xs = []\n  for x in loader:\n    xs.append(crit(net(x), x))\n  torch.stack(xs).mean().backward()\n  opt.step(); opt.zero_grad()\n", ""},
		{"walked already, walked again", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss)\nsum(xs).item()\n", "6 store unbounded freed flow step@2\n"},
		{"only converted later", "xs = []\nfor x in loader:\n    xs.append(crit(net(x), x))\n    opt.step(); opt.zero_grad()\nprint(sum(xs).item())\n", "3 store unbounded kept flow step@2\n"},
		{"returned unwalked", "def f(data):\n    xs = []\n    for x in data:\n        xs.append(net(x))\n    return xs\n", ""},
		{"returned walked", "def f(data):\n    xs = []\n    for x in data:\n" "        loss = net(x).sum()\n        loss.backward()\n        xs.append(loss)\n    return xs\n", "6 store unbounded freed flow step@3\n"},
		{"returned, made in eval mode", "def f(data):\n    net.eval()\n    xs = []\n    for x in data:\n        xs.append(net(x))\n    return xs\n", "5 forward flow step@4\n5 store unbounded kept flow step@4\n"},
		{"handed on to somebody unknown", "xs = []\nfor x in loader:\n    xs.append(net(x))\n    opt.step(); opt.zero_grad()\nsomebody(xs)\n", ""},
		{"a window walked at once", "xs = []\nfor i, x in enumerate(loader):\n    xs.append(crit(net(x), x))\n    if i % 4 == 3:\n        sum(xs).backward()\n        opt.step(); opt.zero_grad()\n        xs.clear()\n", ""},
	};
	FLOW_CHECK(cases);
}

static void graph_free_growth_is_told_apart(void **state)
{
	struct flow flow;
	const struct fact *fact;

	flow_init(&flow, "xs = []\nfor x in loader:\n    with torch.no_grad():\n        y = net(x)\n    xs.append(y)\n    opt.step(); opt.zero_grad()\n");
	fact = flow_only_fact(&flow);
	assert_int_equal(fact->graph, PROOF_NONE);
	assert_true(fact->grad_off);
	assert_int_equal(fact->growth, GROWTH_UNBOUNDED);
	flow_release(&flow);
	flow_init(&flow, "xs = []\nfor x in loader:\n    y = net(x)\n    xs.append(y.detach()[0])\n    opt.step(); opt.zero_grad()\n");
	fact = flow_only_fact(&flow);
	assert_int_equal(fact->graph, PROOF_NONE);
	assert_true(fact->view);
	flow_release(&flow);
	flow_init(&flow, "xs = []\nfor x in loader:\n    y = net(x).cuda()\n    xs.append(y.detach())\n    opt.step(); opt.zero_grad()\n");
	fact = flow_only_fact(&flow);
	assert_true(fact->on_device);
	assert_false(fact->view);
	assert_false(fact->grad_off);
	flow_release(&flow);
}

static void hidden_state_is_a_chain_through_a_module(void **state)
{
	static const struct flow_case cases[] = {
		{"carried", "h = None\nrnn = nn.RNN(1, 1)\nfor x in loader:\n    y, h = rnn(x, h)\n    opt.step(); opt.zero_grad()\n", "4 carry unbounded kept flow step@3\n"},
		{"detached each time", "h = None\nrnn = nn.RNN(1, 1)\nfor x in loader:\n    y, h = rnn(x, h)\n    h = h.detach()\n    opt.step(); opt.zero_grad()\n", ""},
		{"made anew each time", "rnn = nn.RNN(1, 1)\nfor x in loader:\n    h = None\n    y, h = rnn(x, h)\n    opt.step(); opt.zero_grad()\n", ""},
	};
	FLOW_CHECK(cases);
}

#define TRY "for x in loader:\n    try:\n        net(x).sum().backward()\n        opt.step(); opt.zero_grad()\n"

static void what_a_caught_exception_holds_is_told(void **state)
{
	static const struct flow_case cases[] = {
		{"a retry in the block", TRY "    except torch.OutOfMemoryError:\n        net(x).sum().backward()\n", "6 retry flow\n"},
		{"the message looked at", TRY "    except RuntimeError as e:\n        if 'out of memory' in str(e):\n            net(x).sum().backward()\n", "7 retry flow\n"},
		{"by a function", "def run(x):\n    net(x).sum().backward()\nfor x in loader:\n    try:\n        run(x)\n    except torch.OutOfMemoryError:\n        run(x[:4])\n", "7 retry flow\n"},
		{"by the function of the block", "def run(x):\n    try:\n        net(x).sum().backward()\n    except torch.OutOfMemoryError:\n        run(x[:4])\nfor x in loader:\n    run(x)\n", "5 retry flow\n"},
		{"behind the block", TRY "        bad = False\n    except torch.OutOfMemoryError:\n        bad = True\n    if bad:\n        net(x).sum().backward()\n", ""},
		{"another exception", TRY "    except ValueError:\n        net(x).sum().backward()\n", ""},
		{"no forward was tried", "for x in loader:\n    try:\n        load()\n    except torch.OutOfMemoryError:\n        net(x).sum().backward()\n", ""},
		{"with grad off", TRY "    except torch.OutOfMemoryError:\n        with torch.no_grad():\n            net(x).sum()\n", ""},
		{"the frames are cleared", TRY "    except torch.OutOfMemoryError as e:\n        traceback.clear_frames(e.__traceback__)\n        net(x).sum().backward()\n", ""},
		{"kept in a list", "es = []\n" TRY "    except torch.OutOfMemoryError as e:\n        es.append(('oom', e))\n", "7 exception unbounded flow step@2\n"},
		{"its text kept", "es = []\n" TRY "    except torch.OutOfMemoryError as e:\n        es.append((str(e), e.args, type(e)))\n", ""},
		{"kept for the step", TRY "    except torch.OutOfMemoryError as e:\n        es = []\n        es.append(e)\n", ""},
		{"asked for", "import sys\nes = []\n" TRY "    except torch.OutOfMemoryError:\n        es.append(sys.exc_info()[1])\n", "8 exception unbounded flow step@3\n"},
		{"its class", "import sys\nes = []\n" TRY "    except torch.OutOfMemoryError:\n        es.append(sys.exc_info()[0])\n", ""},
		{"asked for outside", "import sys\nes = []\n" TRY "    except torch.OutOfMemoryError:\n        pass\n    es.append(sys.exc_info())\n", ""},
		{"in an attribute", "class C: pass\nc = C()\n" TRY "    except torch.OutOfMemoryError as e:\n        c.last = e\n", "8 exception constant flow step@3\n"},
		{"in an attribute that each step sets anew", "class C: pass\nc = C()\nfor x in loader:\n    c.last = None\n    try:\n        net(x).sum().backward()\n        opt.step(); opt.zero_grad()\n    except torch.OutOfMemoryError as e:\n        c.last = e\n", ""},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growth_names_the_loop_it_lives_over),
		cmocka_unit_test(a_walk_later_justifies_what_was_kept),
		cmocka_unit_test(graph_free_growth_is_told_apart),
		cmocka_unit_test(hidden_state_is_a_chain_through_a_module),
		cmocka_unit_test(what_a_caught_exception_holds_is_told),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
