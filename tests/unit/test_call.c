#include "flow_fixture.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step()\n"
/* A loop over steps that ends in one more statement, which stands on its line 5. */
#define LOOP "for x in loader:\n" STEP "    "

static void arguments_reach_parameters(void **state)
{
	static const struct flow_case cases[] = {
		{"by position", "xs = []\ndef keep(a, b):\n    xs.append(b)\n" LOOP "keep(1, loss)\n", "8 store unbounded freed flow step@4\n"},
		{"by position, the other", "xs = []\ndef keep(a, b):\n    xs.append(a)\n" LOOP "keep(1, loss)\n", ""},
		{"by name", "xs = []\ndef keep(a, b):\n    xs.append(b)\n" LOOP "keep(b=loss, a=1)\n", "8 store unbounded freed flow step@4\n"},
		{"by name, the other", "xs = []\ndef keep(a, b):\n    xs.append(a)\n" LOOP "keep(b=loss, a=1)\n", ""},
		{"keyword only", "xs = []\ndef keep(a, *, b):\n    xs.append(b)\n" LOOP "keep(1, b=loss)\n", "8 store unbounded freed flow step@4\n"},
		{"keyword only takes no position", "xs = []\ndef keep(a=0, *, b=0):\n    xs.append(b)\n" LOOP "keep(loss)\n", ""},
		{"positional only", "xs = []\ndef keep(a, /, b):\n    xs.append(b)\n" LOOP "keep(1, loss)\n", "8 store unbounded freed flow step@4\n"},
		{"default", "xs = []\ndef keep(a, b=0):\n    xs.append(b)\n" LOOP "keep(loss)\n", ""},
		{"default made once", "def keep(a, xs=[]):\n    xs.append(a)\n" LOOP "keep(loss)\n", "7 store unbounded freed flow step@3\n"},
		{"rest", "xs = []\ndef keep(a, *rest):\n    xs.append(rest)\n" LOOP "keep(1, 2, loss)\n", "8 store unbounded freed flow step@4\n"},
		{"not in the rest", "xs = []\ndef keep(a, *rest):\n    xs.append(rest)\n" LOOP "keep(loss, 2)\n", ""},
		{"named rest", "xs = []\ndef keep(a, **rest):\n    xs.append(rest)\n" LOOP "keep(1, b=loss)\n", "8 store unbounded freed flow step@4\n"},
		{"not in the named rest", "xs = []\ndef keep(a, **rest):\n    xs.append(rest)\n" LOOP "keep(a=loss, b=1)\n", ""},
		{"by key of the named rest", "xs = []\ndef keep(**rest):\n    xs.append(rest['b'])\n" LOOP "keep(a=loss, b=1)\n", ""},
		{"starred tuple", "xs = []\ndef keep(a, b):\n    xs.append(b)\n" LOOP "keep(*(1, loss))\n", "8 store unbounded freed flow step@4\n"},
		{"starred tuple, the other", "xs = []\ndef keep(a, b):\n    xs.append(a)\n" LOOP "keep(*(1, loss))\n", ""},
		{"starred of unknown length", "xs = []\nys = []\ndef keep(a, b):\n    xs.append(b)\n" LOOP "keep(*[loss for _ in x])\n", "9 store unbounded freed flow step@5\n"},
		{"starred dict", "xs = []\ndef keep(a, b):\n    xs.append(b)\n" LOOP "keep(**{'a': 1, 'b': loss})\n", "8 store unbounded freed flow step@4\n"},
		{"starred dict, the other", "xs = []\ndef keep(a, b):\n    xs.append(a)\n" LOOP "keep(**{'a': 1, 'b': loss})\n", ""},
		{"the holder as argument", "def keep(xs, v):\n    xs.append(v)\nkept = []\n" LOOP "keep(kept, loss)\n", "8 store unbounded freed flow step@4\n"},
		{"a holder made in the loop", "def keep(xs, v):\n    xs.append(v)\n" LOOP "keep([], loss)\n", ""},
		{"first of the rest", "xs = []\ndef keep(a, *rest):\n    xs.append(rest[0])\n" LOOP "keep(1, loss)\n", "8 store unbounded freed flow step@4\n"},
	};
	FLOW_CHECK(cases);
}

static void results_come_back(void **state)
{
	static const struct flow_case cases[] = {
		{"passed on", "xs = []\ndef same(v):\n    return v\n" LOOP "xs.append(same(loss))\n", "8 store unbounded freed flow step@4\n"},
		{"converted", "xs = []\ndef number(v):\n    return v.item()\n" LOOP "xs.append(number(loss))\n", ""},
		{"one of two returns", "xs = []\ndef some(v):\n    if v:\n        return v\n    return 0\n" LOOP "xs.append(some(loss))\n", "10 store unbounded freed flow step@6\n"},
		{"neither of two", "xs = []\ndef some(v):\n    if v:\n        return v.item()\n    return 0\n" LOOP "xs.append(some(loss))\n", ""},
		{"nothing", "xs = []\ndef none(v):\n    v * 2\n" LOOP "xs.append(none(loss))\n", ""},
		{"one of a pair", "xs = []\ndef pair(v):\n    return v, 1\n" LOOP "xs.append(pair(loss)[1])\n", ""},
		{"the other of a pair", "xs = []\ndef pair(v):\n    return v, 1\n" LOOP "xs.append(pair(loss)[0])\n", "8 store unbounded freed flow step@4\n"},
		{"a whole step in a function", "xs = []\ndef step(x):\n" STEP "    return loss\nfor x in loader:\n    xs.append(step(x))\n", "8 store unbounded freed flow step@7\n"},
		{"a step function that converts", "xs = []\ndef step(x):\n" STEP "    return loss.item()\nfor x in loader:\n    xs.append(step(x))\n", ""},
		{"from a try with finally", "xs = []\ndef f(v):\n    try:\n        return v\n    finally:\n        pass\n" LOOP "xs.append(f(loss))\n", "11 store unbounded freed flow step@7\n"},
		{"recursion ends", "xs = []\ndef down(v, n):\n    return v if n == 0 else down(v, n - 1)\n" LOOP "xs.append(down(loss, 3))\n", "8 store unbounded freed flow step@4\n"},
		{"mutual recursion ends", "xs = []\ndef a(v):\n    return b(v)\ndef b(v):\n    return a(v) or v\n" LOOP "xs.append(a(loss))\n", "10 store unbounded freed flow step@6\n"},
		{"code behind a call that never returns is not lost", "xs = []\ndef fail():\n    raise ValueError\n" LOOP "xs.append(loss)\n", "8 store unbounded freed flow step@4\n"},
	};
	FLOW_CHECK(cases);
}

static void functions_see_the_names_around_them(void **state)
{
	static const struct flow_case cases[] = {
		{"nonlocal", "def f():\n  total = 0\n  def add(v):\n    nonlocal total\n    total += v\n  for x in loader:\n" STEP "    add(loss)\nf()\n", "10 accumulate unbounded freed flow step@6\n"},
		{"without nonlocal it is another", "def f():\n  total = 0\n  def add(v):\n    total = 1\n    total += v\n  for x in loader:\n" STEP "    add(loss)\nf()\n", ""},
		{"global", "total = 0\ndef add(v):\n    global total\n    total += v\n" LOOP "add(loss)\n", "9 accumulate unbounded freed flow step@5\n"},
		{"a local name hides it", "total = 0\ndef add(v):\n    total = 0\n    total += v\n" LOOP "add(loss)\n", ""},
		{"closure over a list", "def make():\n    xs = []\n    def add(v):\n        xs.append(v)\n    return add\nadd = make()\n" LOOP "add(loss)\n", "11 store unbounded freed flow step@7\n"},
		{"closure made in the loop", "def make():\n    xs = []\n    def add(v):\n        xs.append(v)\n    return add\n" LOOP "make()(loss)\n", ""},
		{"lambda", "xs = []\nadd = lambda v: xs.append(v)\n" LOOP "add(loss)\n", "7 store unbounded freed flow step@3\n"},
		{"lambda with a default", "xs = []\n" LOOP "xs.append(lambda v=loss: v)\n", "6 store unbounded freed flow step@2\n"},
		{"partial", "from functools import partial\nxs = []\n" LOOP "xs.append(partial(print, loss))\n", "7 store unbounded freed flow step@3\n"},
		{"partial with the holder", "from functools import partial\nxs = []\ndef keep(xs, v):\n    xs.append(v)\nput = partial(keep, xs)\n" LOOP "put(loss)\n", "10 store unbounded freed flow step@6\n"},
		{"a name assigned later in the module", "def keep(v):\n    later.append(v)\nlater = []\n" LOOP "keep(loss)\n", "8 store unbounded freed flow step@4\n"},
		{"variables of a call end with it", "def f(v):\n    try:\n        t = t + v\n    except NameError:\n        t = v\n    return 0\n" LOOP "f(loss)\n", ""},
	};
	FLOW_CHECK(cases);
}

static void generators_run_where_they_are_consumed(void **state)
{
	static const struct flow_case cases[] = {
		{"yields numbers", "xs = []\ndef losses():\n  for x in loader:\n" STEP "    yield loss.item()\nfor v in losses():\n    xs.append(v)\n", ""},
		{"yields", "xs = []\ndef losses():\n  for x in loader:\n" STEP "    yield loss\nfor v in losses():\n    xs.append(v)\n", "9 store unbounded freed flow epoch@8\n"},
		{"into list()", "xs = []\ndef pair(v):\n    yield v\n" LOOP "xs.append(list(pair(loss)))\n", "8 store unbounded freed flow step@4\n"},
		{"into sum()", "total = 0\ndef pair(v):\n    yield v\n" LOOP "total += sum(pair(loss))\n", "8 accumulate unbounded freed flow step@4\n"},
		{"yield from", "xs = []\ndef pair(v):\n    yield from [1, v]\n" LOOP "xs.extend(list(pair(loss)))\n", "8 store unbounded freed flow step@4\n"},
		{"its effects are its consumer's", "xs = []\ndef pair(v):\n    xs.append(v)\n    yield 1\n" LOOP "list(pair(loss))\n", "9 store unbounded freed flow step@5\n"},
	};
	FLOW_CHECK(cases);
}

static void unresolved_calls_keep_nothing_and_prove_little(void **state)
{
	static const struct flow_case cases[] = {
		{"a result that is walked carries a graph", "xs = []\nfor x in loader:\n    loss = other(x)\n    loss.backward()\n    opt.step()\n    xs.append(loss)\n", "6 store unbounded freed usage step@2\n"},
		{"a result that is not does not", "xs = []\nfor x in loader:\n    loss = other(x)\n    opt.step()\n    xs.append(loss)\n", ""},
		{"what was handed over may be walked there", "xs = []\nfor x in loader:\n    y = net(x)\n    xs.append(y)\nother(xs)\n", ""},
		{"what was handed over walked is gone", "xs = []\n" LOOP "xs.append(loss)\nother(xs)\n", "6 store unbounded freed flow step@2\n"},
		{"a loss and an optimizer together are walked", "xs = []\nfor x in loader:\n    loss = net(x).sum()\n    train(loss, opt)\n    xs.append(loss)\n", "5 store unbounded freed flow step@2\n"},
		{"a part of a result", "xs = []\nfor x in loader:\n    loss, parts = other(x)\n    loss.backward()\n    opt.step()\n    xs.append(loss)\n", "6 store unbounded freed usage step@2\n"},
		{"its sibling", "xs = []\nfor x in loader:\n    loss, parts = other(x)\n    loss.backward()\n    opt.step()\n    xs.append(parts)\n", "6 store unbounded kept sibling step@2\n"},
		{"through it", "xs = []\n" LOOP "xs.append(other(loss))\n", ""},
		{"walked through it", "xs = []\nfor x in loader:\n    y = net(x)\n    other(y).backward()\n    opt.step()\n    xs.append(y)\n", "6 store unbounded freed flow step@2\n"},
		{"a part that nobody walks", "xs = []\nfor x in loader:\n    a, b = other(x)\n    opt.step()\n    xs.append(b)\n", ""},
		{"an item", "xs = []\nfor x in loader:\n    out = other(x)\n    out['loss'].backward()\n    opt.step()\n    xs.append(out['loss'])\n", "6 store unbounded freed usage step@2\n"},
		{"another item", "xs = []\nfor x in loader:\n    out = other(x)\n    out['loss'].backward()\n    opt.step()\n    xs.append(out['logits'])\n", "6 store unbounded kept sibling step@2\n"},
		{"an attribute", "xs = []\nfor x in loader:\n    out = other(x)\n    out.loss.backward()\n    opt.step()\n    xs.append(out.loss)\n", "6 store unbounded freed usage step@2\n"},
		{"with a module among its arguments", "xs = []\nfor x in loader:\n    y = other(net, x)\n    another(y).backward()\n    opt.step()\n    xs.append(y)\n", "6 store unbounded freed usage step@2\n"},
		{"without one", "xs = []\nfor x in loader:\n    y = other(x)\n    another(y).backward()\n    opt.step()\n    xs.append(y)\n", "6 store unbounded freed sibling step@2\n"},
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
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_reach_parameters),
		cmocka_unit_test(results_come_back),
		cmocka_unit_test(functions_see_the_names_around_them),
		cmocka_unit_test(generators_run_where_they_are_consumed),
		cmocka_unit_test(unresolved_calls_keep_nothing_and_prove_little),
		cmocka_unit_test(what_is_a_module_by_use_is_called_forward),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
