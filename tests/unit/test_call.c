#include "flow_fixture.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"
/* A loop over steps that ends in one more statement, which stands on its line 5. */
#define LOOP "for x in loader:\n" STEP "    "

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_come_back),
		cmocka_unit_test(functions_see_the_names_around_them),
		cmocka_unit_test(generators_run_where_they_are_consumed),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
