#include "flow_fixture.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"
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
		{"starred dict beside a name", "xs = []\ndef keep(a, b, c=0):\n    xs.append(c)\n" LOOP "keep(a=loss, **{'b': loss})\n", ""},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_reach_parameters),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
