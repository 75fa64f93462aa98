#include "flow_fixture.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"
/* A loop over steps that ends in one more statement, which stands on its line 5. */
#define LOOP "for x in loader:\n" STEP "    "

static void unresolved_calls_keep_nothing_and_prove_little(void **state)
{
	static const struct flow_case cases[] = {
		{"a result that is walked carries a graph", "xs = []\nfor x in loader:\n    loss = other(x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "6 store unbounded freed usage step@2\n"},
		{"a result that is not does not", "xs = []\nfor x in loader:\n    loss = other(x)\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", ""},
		{"what was handed over may be walked there", "xs = []\nfor x in loader:\n    y = net(x)\n    xs.append(y)\nother(xs)\n", ""},
		{"what was handed over walked is gone", "xs = []\n" LOOP "xs.append(loss)\nother(xs)\n", "6 store unbounded freed flow step@2\n"},
		{"a loss and an optimizer together are walked", "xs = []\nfor x in loader:\n    loss = net(x).sum()\n    train(loss, opt)\n    xs.append(loss)\n", "5 store unbounded freed flow step@2\n"},
		{"a part of a result", "xs = []\nfor x in loader:\n    loss, parts = other(x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "6 store unbounded freed usage step@2\n"},
		{"its sibling", "xs = []\nfor x in loader:\n    loss, parts = other(x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n    xs.append(parts)\n", "6 store unbounded kept sibling step@2\n"},
		{"through it", "xs = []\n" LOOP "xs.append(other(loss))\n", ""},
		{"walked through it", "xs = []\nfor x in loader:\n    y = net(x)\n    other(y).backward()\n    opt.step(); opt.zero_grad()\n    xs.append(y)\n", "6 store unbounded freed flow step@2\n"},
		{"a part that nobody walks", "xs = []\nfor x in loader:\n    a, b = other(x)\n    opt.step(); opt.zero_grad()\n    xs.append(b)\n", ""},
		{"an item", "xs = []\nfor x in loader:\n    out = other(x)\n    out['loss'].backward()\n    opt.step(); opt.zero_grad()\n    xs.append(out['loss'])\n", "6 store unbounded freed usage step@2\n"},
		{"another item", "xs = []\nfor x in loader:\n    out = other(x)\n    out['loss'].backward()\n    opt.step(); opt.zero_grad()\n    xs.append(out['logits'])\n", "6 store unbounded kept sibling step@2\n"},
		{"an attribute", "xs = []\nfor x in loader:\n    out = other(x)\n    out.loss.backward()\n    opt.step(); opt.zero_grad()\n    xs.append(out.loss)\n", "6 store unbounded freed usage step@2\n"},
		{"with a module among its arguments", "xs = []\nfor x in loader:\n    y = other(net, x)\n    another(y).backward()\n    opt.step(); opt.zero_grad()\n    xs.append(y)\n", "6 store unbounded freed usage step@2\n"},
		{"without one", "xs = []\nfor x in loader:\n    y = other(x)\n    another(y).backward()\n    opt.step(); opt.zero_grad()\n    xs.append(y)\n", "6 store unbounded freed sibling step@2\n"},
		{"walked beside what explains the graph", "xs = []\nfor x in loader:\n    y = other(x)\n    crit(net(x), y).backward()\n    opt.step(); opt.zero_grad()\n    xs.append(y)\n", "6 store unbounded freed sibling step@2\n"},
		{"walked with nothing else to explain it", "xs = []\nfor x in loader:\n    y = other(x)\n    (y - 1).sum().backward()\n    opt.step(); opt.zero_grad()\n    xs.append(y)\n", "6 store unbounded freed usage step@2\n"},
	};
	FLOW_CHECK(cases);
}

static void what_is_a_module_by_use_is_called_forward(void **state)
{
	static const struct flow_case cases[] = {
		{"by its parameters", "def f(model, data):\n    o = torch.optim.Adam(model.parameters())\n    xs = []\n    for x in data:\n        y = model(x)\n        o.step()\n        xs.append(y)\n", "7 store unbounded kept usage step@4\n"},
		{"by its mode", "def f(model, data, o):\n    model.eval()\n    xs = []\n    for x in data:\n        y = model(x)\n        o.step()\n        xs.append(y)\n", "5 forward usage step@4\n7 store unbounded kept usage step@4\n"},
		{"by backward", "def f(m, data):\n    xs = []\n    for x in data:\n        y = m(x).sum()\n        y.backward()\n        xs.append(y)\n", "6 store unbounded freed usage step@3\n"},
		{"by its name only", "def f(model, data):\n    xs = []\n    for x in data:\n        y = model(x)\n        xs.append(y)\n", "5 store unbounded kept name step@3\n"},
		{"not at all", "def f(fun, data):\n    xs = []\n    for x in data:\n        y = fun(x)\n        xs.append(y)\n", ""},
		{"by its annotation", "def f(fun: nn.Module, data):\n    xs = []\n    for x in data:\n        y = fun(x)\n        xs.append(y)\n", "5 store unbounded kept usage step@3\n"},
		{"through a method of its result", "def f(model, data):\n    o = torch.optim.Adam(model.parameters())\n    xs = []\n    for x in data:\n        y = model(x).sum()\n        o.step()\n        xs.append(y)\n", "7 store unbounded kept usage step@4\n"},
		{"by train()", "def f(model, data, o):\n    model.train()\n    xs = []\n    for x in data:\n        y = model(x)\n        o.step()\n        xs.append(y)\n", "7 store unbounded kept usage step@4\n"},
		{"by the name of an attribute", "class T:\n  def __init__(self, model):\n    self.model = model\n  def fit(self, data):\n    xs = []\n    for x in data:\n        y = self.model(x)\n        xs.append(y)\n", "8 store unbounded kept name step@6\n"},
		{"without a name", "def f(fs, data):\n    xs = []\n    for x in data:\n        y = fs[0](x)\n        xs.append(y)\n", ""},
		{"a parameter that is called loss", "def f(data, train_loss):\n    xs = []\n    for x in data:\n        opt.step(); opt.zero_grad()\n        xs.append(train_loss)\n", "5 store unbounded kept name step@3\n"},
		{"a parameter that is not", "def f(data, value):\n    xs = []\n    for x in data:\n        opt.step(); opt.zero_grad()\n        xs.append(value)\n", ""},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unresolved_calls_keep_nothing_and_prove_little),
		cmocka_unit_test(what_is_a_module_by_use_is_called_forward),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
