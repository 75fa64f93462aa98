#include "flow_fixture.h"

#define STEP "        loss = crit(net(x), x)\n        loss.backward()\n        opt.step(); opt.zero_grad()\n"
#define MODULE "class M(lightning.LightningModule):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(1, 1)\n        self.xs = []\n"

static void what_nobody_calls_is_walked_on_its_own(void **state)
{
	static const struct flow_case cases[] = {
		{"a function", "def f(data):\n    xs = []\n    for x in data:\n" STEP "        xs.append(loss)\n", "7 store unbounded freed flow step@3\n"},
		{"a function in a function", "def f():\n    def g(data):\n      xs = []\n      for x in data:\n" STEP "        xs.append(loss)\n    return g\n", "8 store unbounded freed flow step@4\n"},
		{"a function called with nothing in it", "def f(data):\n    xs = []\n    for x in data:\n" STEP "        xs.append(loss)\nf([])\n", "7 store unbounded freed flow step@3\n"},
		{"a generator", "def f(data):\n    xs = []\n    for x in data:\n" STEP "        xs.append(loss)\n        yield 1\n", "7 store unbounded freed flow step@3\n"},
		{"a method", "class T:\n  def fit(self, data):\n      xs = []\n      for x in data:\n" STEP "        xs.append(loss)\n", "8 store unbounded freed flow step@4\n"},
		{"a static method", "class T:\n  @staticmethod\n  def fit(data):\n      xs = []\n      for x in data:\n" STEP "        xs.append(loss)\n", "9 store unbounded freed flow step@5\n"},
		{"an async function", "async def f(data):\n    xs = []\n    for x in data:\n" STEP "        xs.append(loss)\n", "7 store unbounded freed flow step@3\n"},
		{"what grows in a call only", "xs = []\ndef f(x):\n    xs.append(net(x).sum())\n", ""},
	};
	FLOW_CHECK(cases);
}

static void what_is_called_is_walked_as_its_callers_call_it(void **state)
{
	static const struct flow_case cases[] = {
		{"all callers turn grad off", "def f(data):\n    xs = []\n    for x in data:\n        xs.append(net(x))\n    opt.step(); opt.zero_grad()\n    return len(xs)\nwith torch.no_grad():\n    f(1)\n", ""},
		{"one of them does not", "def f(data):\n    xs = []\n    for x in data:\n        xs.append(net(x))\n    opt.step(); opt.zero_grad()\n    return len(xs)\nwith torch.no_grad():\n    f(1)\nf(2)\n", "4 store unbounded kept flow step@3\n"},
		{"the caller comes after", "def main():\n    for x in loader:\n        step(x)\nxs = []\ndef step(x):\n" STEP "        xs.append(loss)\n", "9 store unbounded freed flow step@2\n"},
	};
	FLOW_CHECK(cases);
}

static void attributes_live_from_method_to_method(void **state)
{
	static const struct flow_case cases[] = {
		{"filled here, emptied never", "class T:\n    def __init__(self):\n        self.xs = []\n    def fit(self, data):\n        for x in data:\n            loss = crit(net(x), x)\n            loss.backward()\n            opt.step(); opt.zero_grad()\n            self.xs.append(loss)\n", "9 store unbounded freed flow step@5\n"},
		{"made by the constructor's argument", "class T:\n    def __init__(self, m):\n        self.m = m\n    def fit(self, data):\n        xs = []\n        for x in data:\n            y = self.m(x)\n            y.backward()\n            xs.append(y)\n", "9 store unbounded freed usage step@6\n"},
		{"filled by a method called in a loop", "class T:\n    def __init__(self):\n        self.xs = []\n    def step(self, x):\n        loss = crit(net(x), x)\n        loss.backward()\n        opt.step(); opt.zero_grad()\n        self.xs.append(loss)\n    def fit(self, data):\n        for x in data:\n            self.step(x)\n", "8 store unbounded freed flow step@10\n"},
		{"a method that runs backward is called once a step", "class T:\n    def __init__(self):\n        self.xs = []\n    def step(self, x):\n        loss = crit(net(x), x)\n        loss.backward()\n        self.xs.append(loss)\n", "7 store unbounded freed usage call@4\n"},
		{"items of a dataset are made each step", "class D:\n    def __init__(self):\n        self.xs = []\n    def __getitem__(self, i):\n        self.xs.append(net(i))\n        return 1\n", "5 store unbounded kept flow step@4\n"},
		{"another method of a module", "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(1, 1)\n        self.xs = []\n    def other(self, x):\n        self.xs.append(self.l(x))\n", "7 store unbounded kept name call@6\n"},
	};
	FLOW_CHECK(cases);
}

static void hooks_of_frameworks_have_their_loops(void **state)
{
	static const struct flow_case cases[] = {
		{"training step", "import lightning\n" MODULE "    def training_step(self, b, i):\n        loss = self.l(b).sum()\n        self.xs.append(loss)\n        return loss\n", "9 store unbounded freed flow step@7\n"},
		{"emptied by the hook of the epoch", "import lightning\n" MODULE "    def training_step(self, b, i):\n        loss = self.l(b).sum()\n        self.xs.append(loss)\n        return loss\n    def on_train_epoch_end(self):\n        self.xs.clear()\n", "9 store epoch freed flow step@7\n"},
		{"validation step runs with grad off", "import lightning\n" MODULE "    def validation_step(self, b, i):\n        self.xs.append(self.l(b).sum())\n", ""},
		{"a total of the class", "import lightning\n" MODULE "        self.total = 0\n    def training_step(self, b, i):\n        loss = self.l(b).sum()\n        self.total = self.total + loss\n        return loss\n", "10 accumulate unbounded freed flow step@8\n"},
		{"forward of a module is called each step", "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(1, 1)\n        self.xs = []\n    def forward(self, x):\n        y = self.l(x)\n        self.xs.append(y)\n        return y\n", "8 store unbounded kept flow step@6\n"},
	};
	FLOW_CHECK(cases);
}

static void definitions_nobody_wants_are_left_alone(void **state)
{
	bool wanted[8] = {false};
	struct flow flow;

	flow_lower(&flow, FLOW_PRELUDE "def f(data):\n    xs = []\n    for x in data:\n" STEP "        xs.append(loss)\n"
				       "def g(data):\n    xs = []\n    for x in data:\n" STEP "        xs.append(loss)\n");
	flow.first_line = 1;
	wanted[2] = true;
	analysis_run(&flow.analysis, &flow_model, &flow.arena, str_from(flow.text), &flow.lower, flow.module, wanted, NULL, NULL);
	judge(&flow.analysis, &flow.judgement);
	assert_string_equal(flow_facts(&flow, false), "14 store unbounded freed flow step@10\n");
	flow_release(&flow);
}

static void each_walk_is_a_root(void **state)
{
	struct flow flow;

	flow_init(&flow, "def f(a):\n    return a\ndef g(b):\n    return b\nclass C:\n    def m(self):\n        return 1\n");
	assert_int_equal(flow.analysis.in.roots.count, 4);
	assert_ptr_equal(flow.analysis.in.roots.items[0].def, flow.module);
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(flow.analysis.in.roots.items[i].first_event, flow.analysis.in.roots.items[i - 1].end_event);
		assert_int_equal(flow.analysis.in.roots.items[i].id, i);
	}
	assert_false(flow.analysis.in.partial);
	flow_release(&flow);
}

/* The work is bounded whatever the program: calls that nest as a tree would double it with each line. */
static void a_program_that_unfolds_without_end_ends(void **state)
{
	struct buf text = BUF_INIT;
	struct flow flow;

	buf_add_text(&text, "def f0(x):\n    return x\n");
	for (int i = 1; i < 200; i++)
		buf_format(&text, "def f%d(x):\n    for a in x:\n        for b in a:\n            f%d(b) + f%d(b) + f%d(b)\n    return f%d(x)\n", i,
			   i - 1, i - 1, i - 1, i - 1);
	flow_init(&flow, buf_text(&text));
	assert_true(flow.analysis.in.partial);
	flow_release(&flow);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_nobody_calls_is_walked_on_its_own),
		cmocka_unit_test(what_is_called_is_walked_as_its_callers_call_it),
		cmocka_unit_test(attributes_live_from_method_to_method),
		cmocka_unit_test(hooks_of_frameworks_have_their_loops),
		cmocka_unit_test(definitions_nobody_wants_are_left_alone),
		cmocka_unit_test(each_walk_is_a_root),
		cmocka_unit_test(a_program_that_unfolds_without_end_ends),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
