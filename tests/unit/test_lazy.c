#include "flow_fixture.h"

#define ONE "def one(x):\n    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n    return loss\n"
#define GEN ONE "def gen():\n    for x in loader:\n        yield one(x)\n"

static void work_is_done_where_it_is_consumed(void **state)
{
	static const struct flow_case cases[] = {
		{"map", ONE "xs = []\nfor v in map(one, loader):\n    xs.append(v)\n", "8 store unbounded freed flow step@7\n"},
		{"map of map", ONE "xs = []\nfor v in map(float, map(one, loader)):\n    xs.append(v)\n", ""},
		{"a generator expression", ONE "xs = []\nfor v in (one(x) for x in loader):\n    xs.append(v)\n",
		 "8 store unbounded freed flow step@7\n"},
		{"with a condition", ONE "xs = []\nfor v in (one(x) for x in loader if x is not None):\n    xs.append(v)\n",
		 "8 store unbounded freed flow step@7\n"},
		{"over another", ONE "xs = []\nfor v in (y for y in (one(x) for x in loader)):\n    xs.append(v)\n",
		 "8 store unbounded freed flow step@7\n"},
		{"a number of each", ONE "xs = []\nfor v in (one(x).item() for x in loader):\n    xs.append(v)\n", ""},
		{"enumerated", GEN "xs = []\nfor i, v in enumerate(gen()):\n    xs.append(v)\n", "11 store unbounded freed flow epoch@10\n"},
		{"zipped, the other", GEN "xs = []\nfor i, v in zip(range(99), gen()):\n    xs.append(i)\n", ""},
		{"one after the other", GEN "xs = []\ng = gen()\nfor i in range(99):\n    xs.append(next(g))\n",
		 "12 store unbounded freed flow epoch@11\n"},
		{"asked at two places", GEN "xs = []\ng = gen()\nfor i in range(99):\n    xs.append(next(g))\nnext(g).item()\n",
		 "12 store unbounded freed flow epoch@11\n"},
		{"behind a progress bar", "import tqdm\n" GEN "xs = []\nfor v in tqdm.tqdm(gen()):\n    xs.append(v)\n",
		 "12 store unbounded freed flow epoch@11\n"},
		{"over itself", "xs = loader\nfor i in range(99):\n    xs = map(net, xs)\nfor x in xs:\n    f(x)\n", ""},
	};
	FLOW_CHECK(cases);
}

static void whole_iterators_have_loops_of_their_own(void **state)
{
	static const struct flow_case cases[] = {
		{"a list", ONE "xs = list(map(one, loader))\n", "6 store unbounded freed flow step@6\n"},
		{"a list of numbers", ONE "xs = list(map(float, map(one, loader)))\n", ""},
		{"added to a list", ONE "xs = []\nfor e in range(99):\n    xs.extend(map(one, loader))\n", "8 store unbounded freed flow step@8\n"},
		{"summed", ONE "t = sum(map(one, loader))\n", "6 accumulate unbounded freed flow step@6\n"},
		{"accumulated", "from itertools import accumulate\n" ONE "t = list(accumulate(one(x) for x in loader))\n",
		 "7 accumulate unbounded freed flow step@7\n"},
		{"reduced", "from functools import reduce\n" ONE "t = reduce(lambda a, x: a + one(x), loader, 0)\n",
		 "7 accumulate unbounded freed flow step@7\n"},
		{"reduced, numbers", "from functools import reduce\n" ONE "t = reduce(lambda a, x: a + one(x).item(), loader, 0)\n", ""},
		{"reduced, without a sequence", "from functools import reduce\nt = reduce(lambda a, x: a + x)\n", ""},
		{"given to somebody else", "from there import f\n" ONE "f(map(one, loader))\n", ""},
		{"of one step", "for x in loader:\n    ls = list(map(lambda p: crit(net(p), p), (x, x)))\n    sum(ls).backward()\n"
		 "    opt.step(); opt.zero_grad()\n", ""},
	};
	FLOW_CHECK(cases);
}

static void unpacked_generators_give_their_parts_in_order(void **state)
{
	static const struct flow_case cases[] = {
		{"the first", ONE "def g(x):\n    yield one(x)\n    yield 1\nxs = []\nfor x in loader:\n    a, b = g(x)\n    xs.append(a)\n",
		 "12 store unbounded freed flow step@10\n"},
		{"the second", ONE "def g(x):\n    yield one(x)\n    yield 1\nxs = []\nfor x in loader:\n    a, b = g(x)\n    xs.append(b)\n", ""},
		{"in unknown numbers", ONE "def g(x):\n    if x:\n        yield 1\n    yield one(x)\nxs = []\nfor x in loader:\n    a, *b = g(x)\n    xs.append(a)\n",
		 "13 store unbounded freed flow step@11\n"},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_is_done_where_it_is_consumed),
		cmocka_unit_test(whole_iterators_have_loops_of_their_own),
		cmocka_unit_test(unpacked_generators_give_their_parts_in_order),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
