#include "flow_fixture.h"

#define LOOP "xs = []\nfor x in loader:\n    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n    "
#define PAIR "from collections import namedtuple\nR = namedtuple('R', 'a, b')\n"

static void named_tuples_keep_their_fields(void **state)
{
	static const struct flow_case cases[] = {
		{"by position", PAIR LOOP "xs.append(R(loss, 1))\n", "8 store unbounded freed flow step@4\n"},
		{"by name", PAIR LOOP "xs.append(R(b=1, a=loss))\n", "8 store unbounded freed flow step@4\n"},
		{"one field, by name", PAIR LOOP "xs.append(R(loss, 1).a)\n", "8 store unbounded freed flow step@4\n"},
		{"one field, by position", PAIR LOOP "xs.append(R(loss, 1)[0])\n", "8 store unbounded freed flow step@4\n"},
		{"the other field, by name", PAIR LOOP "xs.append(R(loss, 1).b)\n", ""},
		{"the other field, by position", PAIR LOOP "xs.append(R(loss, 1)[1])\n", ""},
		{"unpacked", PAIR LOOP "a, b = R(loss, 1)\n    xs.append(b)\n", ""},
		{"replaced", PAIR LOOP "xs.append(R(loss, 1)._replace(a=0))\n", ""},
		{"replaced, the other", PAIR LOOP "xs.append(R(loss, 1)._replace(b=0))\n", "8 store unbounded freed flow step@4\n"},
		{"a list of fields", "import collections\nR = collections.namedtuple('R', ['a', 'b'])\n" LOOP "xs.append(R(loss, 1).b)\n", ""},
		{"fields with types", "import typing\nR = typing.NamedTuple('R', [('a', int), ('b', int)])\n" LOOP "xs.append(R(loss, 1).b)\n", ""},
		{"fields out of sight", "from collections import namedtuple\nR = namedtuple('R', names)\n" LOOP "xs.append(R(loss, 1))\n",
		 "8 store unbounded freed flow step@4\n"},
		{"a class of its own", PAIR "class C(R): pass\n" LOOP "xs.append(C(loss, 1))\n", "9 store unbounded freed flow step@5\n"},
		{"a class of its own, the other field", PAIR "class C(R): pass\n" LOOP "xs.append(C(loss, 1).b)\n", ""},
	};
	FLOW_CHECK(cases);
}

static void namespaces_keep_what_is_named(void **state)
{
	static const struct flow_case cases[] = {
		{"kept", "import types\n" LOOP "xs.append(types.SimpleNamespace(a=loss))\n", "7 store unbounded freed flow step@3\n"},
		{"a number", "import types\n" LOOP "xs.append(types.SimpleNamespace(a=loss.item()))\n", ""},
		{"the other", "import types\n" LOOP "xs.append(types.SimpleNamespace(a=loss, b=1).b)\n", ""},
	};
	FLOW_CHECK(cases);
}

static void replaced_records_carry_their_totals(void **state)
{
	static const struct flow_case cases[] = {
		{"a total", "from dataclasses import dataclass, replace\n@dataclass\nclass S:\n    t: int = 0\ns = S()\n" LOOP
		 "s = replace(s, t=s.t + loss)\n", "11 accumulate unbounded freed flow step@7\n"},
		{"the last value", "from dataclasses import dataclass, replace\n@dataclass\nclass S:\n    t: int = 0\ns = S()\n" LOOP
		 "s = replace(s, t=loss)\n", ""},
		{"a field that is left alone", "from dataclasses import dataclass, replace\n@dataclass\nclass S:\n    t: int = 0\n    n: int = 0\ns = S()\n" LOOP
		 "s = replace(s, n=s.n + 1)\n    s = replace(s, t=s.t + loss)\n", "13 accumulate unbounded freed flow step@8\n"},
		{"of nothing", "from dataclasses import replace\nreplace()\n", ""},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named_tuples_keep_their_fields),
		cmocka_unit_test(namespaces_keep_what_is_named),
		cmocka_unit_test(replaced_records_carry_their_totals),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
