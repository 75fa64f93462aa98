#include "flow_fixture.h"

#define LOSS "    loss = crit(net(x), x)\n"
#define STEP LOSS "    loss.backward()\n    opt.step(); opt.zero_grad()\n"

static void loops_are_left_and_entered(void **state)
{
	static const struct flow_case cases[] = {
		{"while", "xs = []\nwhile going:\n    x = next(it)\n" STEP "    xs.append(loss)\n",
		 "7 store unbounded freed flow step@2\n"},
		{"while True with break",
		 "xs = []\nwhile True:\n    x = next(it)\n" STEP "    xs.append(loss)\n    if x > 9:\n        break\n",
		 "7 store unbounded freed flow step@2\n"},
		{"what a break leaves behind is seen after the loop",
		 "xs = []\nfor x in loader:\n  y = 0\n  while True:\n" STEP "    y = loss\n    if x:\n      break\n    y = 0\n  xs.append(y)\n",
		 "12 store unbounded freed flow epoch@2\n"},
		{"continue carries to the next iteration",
		 "xs = []\nkept = 0\nfor x in loader:\n" STEP "    xs.append(kept)\n    kept = loss\n    if x:\n        continue\n    kept = 0\n",
		 "7 store unbounded freed flow step@3\n"},
		{"what no path carries on is not seen",
		 "xs = []\nkept = 0\nfor x in loader:\n" STEP "    xs.append(kept)\n    kept = loss\n    if x:\n        break\n    kept = 0\n",
		 ""},
		{"the else of a loop runs", "xs = []\nfor e in range(99):\n  for x in loader:\n" STEP "  else:\n    xs.append(loss)\n",
		 "8 store unbounded freed flow epoch@2\n"},
		{"a loop may be skipped",
		 "xs = []\nfor x in loader:\n" STEP "    y = loss\n    for z in x:\n        y = 0\n    xs.append(y)\n",
		 "9 store unbounded freed flow step@2\n"},
		{"async for", "async def f():\n  xs = []\n  async for x in loader:\n" STEP "    xs.append(loss)\n",
		 "7 store unbounded freed flow step@3\n"},
	};
	FLOW_CHECK(cases);
}

static void comprehensions_are_loops_with_names_of_their_own(void **state)
{
	static const struct flow_case cases[] = {
		{"converted", "xs = [crit(net(x), x).item() for x in loader]\n", ""},
		{"elements are kept", "xs = []\nfor x in loader:\n" STEP "    ys = [loss for _ in range(2)]\n    xs.append(ys)\n",
		 "7 store unbounded freed flow step@2\n"},
		{"the name outside is another", "x = 0\nxs = []\nfor b in loader:\n    loss = crit(net(b), b)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n    ys = [x for x in [loss]]\n    xs.append(x)\n",
		 ""},
		{"two clauses", "xs = []\nfor x in loader:\n" STEP "    xs.extend(v for row in [[loss]] for v in row)\n",
		 "6 store unbounded freed flow step@2\n"},
		{"with a condition", "xs = []\nfor x in loader:\n" STEP "    xs.extend([v for v in [loss] if v > 0])\n",
		 "6 store unbounded freed flow step@2\n"},
		{"dictionary", "xs = []\nfor x in loader:\n" STEP "    xs.append({k: loss for k in 'ab'})\n",
		 "6 store unbounded freed flow step@2\n"},
		{"dictionary of numbers", "xs = []\nfor x in loader:\n" STEP "    xs.append({k: v.item() for k, v in {'a': loss}.items()})\n",
		 ""},
		{"walrus binds in the function", "xs = []\nfor x in loader:\n" STEP "    ys = [(last := v) for v in [loss]]\n    xs.append(last)\n",
		 "7 store unbounded freed flow step@2\n"},
		{"sum over a generator", "total = 0\nfor x in loader:\n" STEP "    total += sum(v for v in [loss, loss])\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"list", "for e in range(99):\n  xs = [crit(net(x), x) for x in loader]\n", "2 store epoch kept flow step@2\n"},
	};
	FLOW_CHECK(cases);
}

static void comprehensions_over_few_things_tell_them_apart(void **state)
{
#define NETS "a, b = nn.Linear(4, 1), nn.Linear(4, 1)\nopt = torch.optim.SGD([*a.parameters(), *b.parameters()])\n"
#define DONE "    opt.step(); opt.zero_grad()\n"
	static const struct flow_case cases[] = {
		{"the first of two", NETS "xs = []\nfor x in loader:\n    p, q = [m(x) for m in (a, b)]\n    q.backward()\n" DONE
		 "    xs.append(p)\n", "8 store unbounded kept flow step@4\n"},
		{"the second of two", NETS "xs = []\nfor x in loader:\n    p, q = [m(x) for m in (a, b)]\n    q.backward()\n" DONE
		 "    xs.append(q)\n", "8 store unbounded freed flow step@4\n"},
		{"graphs of their own", NETS "for x in loader:\n    p, q = (m(x) for m in (a, b))\n    p.backward(retain_graph=True)\n"
		 "    q.backward()\n" DONE, "5 retain flow step@3\n"},
		{"one graph", NETS "for x in loader:\n    h = a(x)\n    p, q = (m(h) for m in (a, b))\n    p.backward(retain_graph=True)\n"
		 "    q.backward()\n" DONE, ""},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_are_left_and_entered),
		cmocka_unit_test(comprehensions_are_loops_with_names_of_their_own),
		cmocka_unit_test(comprehensions_over_few_things_tell_them_apart),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
