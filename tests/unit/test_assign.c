#include "flow_fixture.h"

#define LOSS "    loss = crit(net(x), x)\n"
#define STEP LOSS "    loss.backward()\n    opt.step(); opt.zero_grad()\n"

static void totals_grow_in_every_spelling(void **state)
{
	static const struct flow_case cases[] = {
		{"augmented name", "total = 0\nfor x in loader:\n" STEP "    total += loss\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"plain assignment", "total = 0\nfor x in loader:\n" STEP "    total = total + loss\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"the other way round", "total = 0\nfor x in loader:\n" STEP "    total = loss * 0.1 + 0.9 * total\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"subtraction", "total = 0\nfor x in loader:\n" STEP "    total -= loss\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"one key of a dict", "sums = {'a': 0}\nfor x in loader:\n" STEP "    sums['a'] += loss\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"an attribute", "class M:\n    pass\nm = M()\nm.total = 0\nfor x in loader:\n" STEP "    m.total += loss\n",
		 "9 accumulate unbounded freed flow step@5\n"},
		{"by walrus", "total = 0\nfor x in loader:\n" STEP "    print((total := total + loss.item()))\n", ""},
		{"by walrus with a graph", "total = 0\nfor x in loader:\n" STEP "    f = (total := total + loss)\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"unpacked", "a, b = 0, 0\nfor x in loader:\n" STEP "    a, b = a + loss, b + 1\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"in place", "total = torch.zeros(1)\nfor x in loader:\n" STEP "    total.add_(loss)\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"an item of a tensor", "total = torch.zeros(9)\nfor x in loader:\n" STEP "    total[0] = loss\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"two names in turn", "total = 0\nfor x in loader:\n" STEP "    new = total + loss\n    total = new\n", "7 accumulate unbounded freed flow step@2\n"},
	};
	FLOW_CHECK(cases);
}

static void totals_without_graph_do_not(void **state)
{
	static const struct flow_case cases[] = {
		{"item", "total = 0\nfor x in loader:\n" STEP "    total += loss.item()\n", ""},
		{"detach", "total = 0\nfor x in loader:\n" STEP "    total += loss.detach()\n", ""},
		{"float", "total = 0\nfor x in loader:\n" STEP "    total += float(loss)\n", ""},
		{"the name became a float", "total = 0\nfor x in loader:\n" STEP "    loss = loss.item()\n    total += loss\n", ""},
		{"a total that starts anew", "for x in loader:\n    total = 0\n" STEP "    total += loss\n", ""},
		{"dropped before the iteration ends", "total = 0\nfor x in loader:\n" STEP "    total += loss\n    total = 0\n", ""},
		{"deleted before the iteration ends", "total = 0\nfor x in loader:\n" STEP "    total += loss\n    del total\n    total = 0\n",
		 ""},
		{"cut after adding", "total = 0\nfor x in loader:\n" STEP "    total = (total + loss).detach()\n", ""},
		{"no loop at all", "total = 0\nx = loader\n    \nloss = crit(net(x), x)\ntotal += loss\n", ""},
		{"grad off", "total = 0\nwith torch.no_grad():\n  for x in loader:\n" LOSS "    total += loss\n", ""},
		{"a comparison", "hits = 0\nfor x in loader:\n" STEP "    hits += (net(x) > 0).sum()\n", ""},
	};
	FLOW_CHECK(cases);
}

static void the_best_is_kept_not_piled_up(void **state)
{
	static const struct flow_case cases[] = {
		{"if less", "best = 9\nfor x in loader:\n" STEP "    if loss < best:\n        best = loss\n",
		 "7 accumulate constant freed flow step@2\n"},
		{"if greater", "best = 9\nfor x in loader:\n" STEP "    if best > loss:\n        best = loss\n",
		 "7 accumulate constant freed flow step@2\n"},
		{"min", "best = 9\nfor x in loader:\n" STEP "    best = min(best, loss)\n",
		 "6 accumulate constant freed flow step@2\n"},
		{"only the last", "last = None\nfor x in loader:\n" STEP "    last = loss\n", ""},
	};
	FLOW_CHECK(cases);
}

static void containers_grow_in_every_spelling(void **state)
{
	static const struct flow_case cases[] = {
		{"append", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss)\n", "6 store unbounded freed flow step@2\n"},
		{"+= [x]", "xs = []\nfor x in loader:\n" STEP "    xs += [loss]\n", "6 store unbounded freed flow step@2\n"},
		{"xs + [x]", "xs = []\nfor x in loader:\n" STEP "    xs = xs + [loss]\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"cat", "xs = torch.zeros(0)\nfor x in loader:\n" STEP "    xs = torch.cat([xs, loss[None]])\n",
		 "6 accumulate unbounded freed flow step@2\n"},
		{"extend", "xs = []\nfor x in loader:\n" STEP "    xs.extend([loss, loss])\n",
		 "6 store unbounded freed flow step@2\n"},
		{"insert", "xs = []\nfor x in loader:\n" STEP "    xs.insert(0, loss)\n", "6 store unbounded freed flow step@2\n"},
		{"set", "xs = set()\nfor x in loader:\n" STEP "    xs.add(loss)\n", "6 store unbounded freed flow step@2\n"},
		{"row of a tuple", "xs = []\nfor x in loader:\n" STEP "    xs.append((1, loss))\n",
		 "6 store unbounded freed flow step@2\n"},
		{"a list in a dict", "log = {'loss': []}\nfor x in loader:\n" STEP "    log['loss'].append(loss)\n",
		 "6 store unbounded freed flow step@2\n"},
		{"alias", "xs = []\nys = xs\nfor x in loader:\n" STEP "    ys.append(loss)\n",
		 "7 store unbounded freed flow step@3\n"},
		{"bound method", "xs = []\nput = xs.append\nfor x in loader:\n" STEP "    put(loss)\n",
		 "7 store unbounded freed flow step@3\n"},
		{"item without call", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss.item)\n",
		 "6 store unbounded freed flow step@2\n"},
		{"to the cpu", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss.cpu())\n",
		 "6 store unbounded freed flow step@2\n"},
		{"[*xs, x]", "xs = []\nfor x in loader:\n" STEP "    xs = [*xs, loss]\n", "6 accumulate unbounded freed flow step@2\n"},
		{"extend by a generator", "def pair(v):\n    yield v\nxs = []\nfor x in loader:\n" STEP "    xs.extend(pair(loss))\n", "8 store unbounded freed flow step@4\n"},
	};
	FLOW_CHECK(cases);
}

static void keys_tell_whether_a_dict_grows(void **state)
{
	static const struct flow_case cases[] = {
		{"constant", "d = {}\nfor x in loader:\n" STEP "    d['loss'] = loss\n", ""},
		{"counter", "d = {}\nfor i, x in enumerate(loader):\n" STEP "    d[i] = loss\n",
		 "6 store unbounded freed flow step@2\n"},
		{"own counter", "d = {}\nn = 0\nfor x in loader:\n" STEP "    n += 1\n    d[n] = loss\n",
		 "8 store unbounded freed flow step@3\n"},
		{"text with the counter", "d = {}\nfor i, x in enumerate(loader):\n" STEP "    d[f'loss/{i}'] = loss\n",
		 "6 store unbounded freed flow step@2\n"},
		{"modulo", "d = {}\nfor i, x in enumerate(loader):\n" STEP "    d[i % 8] = loss\n", ""},
		{"the outer counter only grows over the outer loop",
		 "d = {}\nfor e in range(99):\n  for x in loader:\n" STEP "    d[e] = loss\n",
		 "7 store unbounded freed flow epoch@2\n"},
		{"setdefault of a growing key", "d = {}\nfor i, x in enumerate(loader):\n" STEP "    d.setdefault(i, loss)\n",
		 "6 store unbounded freed flow step@2\n"},
	};
	FLOW_CHECK(cases);
}

static void what_lets_go_ends_growth(void **state)
{
	static const struct flow_case cases[] = {
		{"made in the loop", "for x in loader:\n    xs = []\n" STEP "    xs.append(loss)\n", ""},
		{"cleared each time", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss)\n    xs.clear()\n", ""},
		{"rebound each time", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss)\n    xs = []\n", ""},
		{"slice deleted", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss)\n    del xs[:]\n", ""},
		{"popped in balance", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss)\n    xs.pop(0)\n", ""},
		{"in finally", "xs = []\nfor x in loader:\n  try:\n" STEP "    xs.append(loss)\n  finally:\n    xs.clear()\n", ""},
		{"in a handler counts not",
		 "xs = []\nfor x in loader:\n  try:\n" STEP "    xs.append(loss)\n  except RuntimeError:\n    xs.clear()\n",
		 "7 store unbounded freed flow step@2\n"},
		{"every so often",
		 "xs = []\nfor i, x in enumerate(loader):\n" STEP "    xs.append(loss)\n    if i % 9 == 0:\n        xs.clear()\n",
		 "6 store window freed flow step@2\n"},
		{"at a length",
		 "xs = []\nfor x in loader:\n" STEP "    xs.append(loss)\n    if len(xs) > 9:\n        xs.pop(0)\n",
		 "6 store window freed flow step@2\n"},
		{"by a guard", "xs = []\nfor x in loader:\n" STEP "    if len(xs) < 9:\n        xs.append(loss)\n",
		 "7 store window freed flow step@2\n"},
		{"by maxlen", "from collections import deque\nxs = deque(maxlen=9)\nfor x in loader:\n" STEP "    xs.append(loss)\n",
		 "7 store window freed flow step@3\n"},
		{"deque without maxlen", "from collections import deque\nxs = deque()\nfor x in loader:\n" STEP "    xs.append(loss)\n",
		 "7 store unbounded freed flow step@3\n"},
		{"maxlen=None is none", "from collections import deque\nxs = deque(maxlen=None)\nfor x in loader:\n" STEP "    xs.append(loss)\n",
		 "7 store unbounded freed flow step@3\n"},
		{"at each epoch's end",
		 "xs = []\nfor e in range(99):\n  for x in loader:\n" STEP "    xs.append(loss)\n  xs.clear()\n",
		 "7 store epoch freed flow step@3\n"},
		{"made for each epoch", "for e in range(99):\n  xs = []\n  for x in loader:\n" STEP "    xs.append(loss)\n",
		 "7 store epoch freed flow step@3\n"},
		{"born under if None",
		 "xs = None\nfor x in loader:\n" STEP "    if xs is None:\n        xs = []\n    xs.append(loss)\n",
		 "8 store unbounded freed flow step@2\n"},
		{"sliced back", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss)\n    xs = xs[-9:]\n", "6 store window freed flow step@2\n"},
		{"slice assigned", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss)\n    xs[:] = []\n", ""},
	};
	FLOW_CHECK(cases);
}

static void unpacking_keeps_places_apart(void **state)
{
	static const struct flow_case cases[] = {
		{"the other one", "xs = []\nfor x in loader:\n" STEP "    a, b = loss, 1\n    xs.append(b)\n", ""},
		{"this one", "xs = []\nfor x in loader:\n" STEP "    a, b = loss, 1\n    xs.append(a)\n",
		 "7 store unbounded freed flow step@2\n"},
		{"nested", "xs = []\nfor x in loader:\n" STEP "    (a, [b, c]) = 1, [2, loss]\n    xs.append(c)\n",
		 "7 store unbounded freed flow step@2\n"},
		{"nested, the other", "xs = []\nfor x in loader:\n" STEP "    (a, [b, c]) = 1, [2, loss]\n    xs.append(b)\n", ""},
		{"the rest", "xs = []\nfor x in loader:\n" STEP "    a, *b = 1, loss, loss\n    xs.append(b)\n",
		 "7 store unbounded freed flow step@2\n"},
		{"chained", "xs = []\nfor x in loader:\n" STEP "    a = b = loss\n    xs.append(b)\n",
		 "7 store unbounded freed flow step@2\n"},
		{"in the for itself", "xs = []\nfor x in loader:\n" STEP "    for k, v in [('a', loss)]:\n        xs.append(v)\n",
		 "7 store unbounded freed flow step@2\n"},
		{"in the for itself, the other", "xs = []\nfor x in loader:\n" STEP "    for k, v in [('a', loss)]:\n        xs.append(k)\n",
		 ""},
		{"values and indices", "xs = []\nfor x in loader:\n" STEP "    v, i = net(x).max(dim=1)\n    xs.append(i)\n", ""},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_grow_in_every_spelling),
		cmocka_unit_test(totals_without_graph_do_not),
		cmocka_unit_test(the_best_is_kept_not_piled_up),
		cmocka_unit_test(containers_grow_in_every_spelling),
		cmocka_unit_test(keys_tell_whether_a_dict_grows),
		cmocka_unit_test(what_lets_go_ends_growth),
		cmocka_unit_test(unpacking_keeps_places_apart),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
