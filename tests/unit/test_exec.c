#include "flow_fixture.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"
#define LOOP "for x in loader:\n" STEP "    "

static void what_is_deleted_is_gone(void **state)
{
	static const struct flow_case cases[] = {
		{"a name", "xs = []\n" LOOP "y = loss\n    del y\n    xs.append(y)\n", ""},
		{"another name", "xs = []\n" LOOP "y = loss\n    del x\n    xs.append(y)\n", "8 store unbounded freed flow step@2\n"},
		{"several names", "xs = []\n" LOOP "y = z = loss\n    del y, z\n    xs.append(z)\n", ""},
		{"a slice of a list", "xs = []\n" LOOP "ys = [loss]\n    del ys[:]\n    xs.append(ys)\n", ""},
		{"one item of a list", "xs = []\n" LOOP "ys = [loss, loss]\n    del ys[0]\n    xs.append(ys)\n", "8 store unbounded freed flow step@2\n"},
		{"an attribute", "class K:\n    pass\nk = K()\nxs = []\n" LOOP "k.v = loss\n    del k.v\n    xs.append(k.v)\n", ""},
		{"a list with its name, every step", "xs = []\n" LOOP "xs.append(loss)\n    del xs\n    xs = []\n", ""},
		{"a key each step lets go", "d = {}\nfor i, x in enumerate(loader):\n" STEP "    d[i] = loss\n    del d[i]\n", ""},
	};
	FLOW_CHECK(cases);
}

static void what_is_raised_or_asserted_is_evaluated(void **state)
{
	static const struct flow_case cases[] = {
		{"assert", "xs = []\n" LOOP "assert xs.append(loss) is None\n", "6 store unbounded freed flow step@2\n"},
		{"raise ends the path", "xs = []\n" LOOP "raise ValueError\n    xs.append(loss)\n", ""},
		{"so does return", "def f():\n  xs = []\n  for x in loader:\n" STEP "    return 1\n    xs.append(loss)\n", ""},
		{"and continue", "xs = []\n" LOOP "continue\n    xs.append(loss)\n", ""},
	};
	FLOW_CHECK(cases);
}

static void imports_bind_names(void **state)
{
	static const struct flow_case cases[] = {
		{"in a function", "def f():\n  from torch import no_grad\n  xs = []\n  for x in loader:\n    with no_grad():\n      y = net(x)\n    xs.append(y)\n    opt.step(); opt.zero_grad()\n", ""},
		{"over another meaning", "no_grad = open\nfrom torch import no_grad\nxs = []\nfor x in loader:\n    with no_grad():\n      y = net(x)\n    xs.append(y)\n    opt.step(); opt.zero_grad()\n", ""},
		{"until it is bound anew", "from torch import no_grad\nno_grad = open\nxs = []\nfor x in loader:\n    with no_grad('f'):\n      y = net(x)\n    xs.append(y)\n    opt.step(); opt.zero_grad()\n", "7 store unbounded kept flow step@4\n"},
	};
	FLOW_CHECK(cases);
}

static void decorators_make_of_functions_what_they_say(void **state)
{
	static const struct flow_case cases[] = {
		{"cached property", "from functools import cached_property\nclass K:\n    def __init__(self, v):\n        self.v = v\n    @cached_property\n    def number(self):\n        return self.v.item()\nxs = []\n" LOOP "xs.append(K(loss).number)\n", ""},
		{"an unknown one leaves it", "xs = []\n@somebody\ndef f(v):\n    return v.item()\n" LOOP "xs.append(f(loss))\n", ""},
		{"one of the project that gives another function", "def number(f):\n    return lambda v: 0\nxs = []\n@number\ndef f(v):\n    return v\n" LOOP "xs.append(f(loss))\n", ""},
		{"wraps", "import functools\ndef same(f):\n    @functools.wraps(f)\n    def inner(v):\n        return f(v)\n    return inner\nxs = []\n@same\ndef f(v):\n    return v\n" LOOP "xs.append(f(loss))\n", "15 store unbounded freed flow step@11\n"},
	};
	FLOW_CHECK(cases);
}

static void a_class_statement_leaves_the_loop_as_it_was(void **state)
{
	static const struct flow_case cases[] = {
		{"behind it", "xs = []\nfor x in loader:\n    class K:\n        a = 1\n" STEP "    xs.append(loss)\n", "8 store unbounded freed flow step@2\n"},
		{"in its body", "xs = []\nclass K:\n    n = xs.append(1)\n" LOOP "xs.append(loss)\n", "8 store unbounded freed flow step@4\n"},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_deleted_is_gone),
		cmocka_unit_test(what_is_raised_or_asserted_is_evaluated),
		cmocka_unit_test(imports_bind_names),
		cmocka_unit_test(decorators_make_of_functions_what_they_say),
		cmocka_unit_test(a_class_statement_leaves_the_loop_as_it_was),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
