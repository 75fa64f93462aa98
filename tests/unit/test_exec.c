#include "flow_fixture.h"

/* STEP: the body of a training step on line 2 … 4 inside `for x in loader:` on line 1 or wherever it is put. */
#define LOSS "    loss = crit(net(x), x)\n"
#define STEP LOSS "    loss.backward()\n    opt.step()\n"

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
	};
	FLOW_CHECK(cases);
}

static void branches_are_joined(void **state)
{
	static const struct flow_case cases[] = {
		{"one side makes a graph",
		 "xs = []\nfor x in loader:\n" STEP "    if x:\n        y = loss\n    else:\n        y = 0\n    xs.append(y)\n",
		 "10 store unbounded freed flow step@2\n"},
		{"no side does",
		 "xs = []\nfor x in loader:\n" STEP "    if x:\n        y = loss.item()\n    else:\n        y = 0\n    xs.append(y)\n",
		 ""},
		{"elif", "xs = []\nfor x in loader:\n" STEP "    y = 0\n    if a:\n        pass\n    elif b:\n        y = loss\n    xs.append(y)\n",
		 "11 store unbounded freed flow step@2\n"},
		{"a side that leaves does not count",
		 "xs = []\nfor x in loader:\n" STEP "    y = loss\n    if x:\n        continue\n    else:\n        y = 0\n    xs.append(y)\n",
		 ""},
		{"a side that raises does not count",
		 "xs = []\nfor x in loader:\n" STEP "    y = loss\n    if x:\n        raise Stop\n    else:\n        y = 0\n    xs.append(y)\n",
		 ""},
		{"never", "xs = []\nfor x in loader:\n" STEP "    if False:\n        xs.append(loss)\n", ""},
		{"zero is never", "xs = []\nfor x in loader:\n" STEP "    if 0:\n        xs.append(loss)\n", ""},
		{"always", "xs = []\nfor x in loader:\n" STEP "    if True:\n        pass\n    else:\n        xs.append(loss)\n", ""},
		{"main guard", "if __name__ == '__main__':\n  xs = []\n  for x in loader:\n" STEP "    xs.append(loss)\n",
		 "7 store unbounded freed flow step@3\n"},
		{"match", "xs = []\nfor x in loader:\n" STEP "    match x:\n        case 1:\n            y = loss\n        case _:\n            y = 0\n    xs.append(y)\n",
		 "11 store unbounded freed flow step@2\n"},
		{"match binds parts",
		 "xs = []\nfor x in loader:\n" STEP "    match (loss, 1):\n        case (a, b):\n            xs.append(a)\n",
		 "8 store unbounded freed flow step@2\n"},
		{"conditional expression", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss if x else 0)\n",
		 "6 store unbounded freed flow step@2\n"},
		{"conditional expression without", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss.item() if x else 0)\n", ""},
		{"conditional expression, literal", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss if False else 0)\n", ""},
		{"or", "xs = []\nfor x in loader:\n" STEP "    xs.append(0 or loss)\n", "6 store unbounded freed flow step@2\n"},
		{"zero is never, in an expression", "xs = []\nfor x in loader:\n" STEP "    xs.append(loss if 0 else 1)\n", ""},
		{"behind the main guard", "xs = []\nfor x in loader:\n" STEP "    if __name__ == '__main__':\n        pass\n    else:\n        xs.append(loss)\n", ""},
		{"another guard is a condition", "xs = []\nfor x in loader:\n" STEP "    if 1 == '__main__':\n        pass\n    else:\n        xs.append(loss)\n", "9 store unbounded freed flow step@2\n"},
		{"each side of an expression may assign", "xs = []\nfor x in loader:\n" STEP "    z = (y := 0) if x else (y := loss)\n    xs.append(y)\n", "7 store unbounded freed flow step@2\n"},
	};
	FLOW_CHECK(cases);
}

static void tests_narrow_names(void **state)
{
	static const struct flow_case cases[] = {
		{"isinstance of tensor", "xs = []\nfor x in loader:\n" STEP "    if isinstance(loss, torch.Tensor):\n        loss = loss.item()\n    xs.append(loss)\n",
		 ""},
		{"is_tensor", "xs = []\nfor x in loader:\n" STEP "    if torch.is_tensor(loss):\n        loss = loss.item()\n    xs.append(loss)\n",
		 ""},
		{"not is_tensor", "xs = []\nfor x in loader:\n" STEP "    if not torch.is_tensor(loss):\n        xs.append(loss)\n", ""},
		{"is_tensor keeps the graph inside", "xs = []\nfor x in loader:\n" STEP "    if torch.is_tensor(loss):\n        xs.append(loss)\n",
		 "7 store unbounded freed flow step@2\n"},
		{"isinstance of float", "xs = []\nfor x in loader:\n" STEP "    if isinstance(loss, float):\n        xs.append(loss)\n", ""},
		{"no item method", "xs = []\nfor x in loader:\n" STEP "    if not hasattr(loss, 'item'):\n        xs.append(loss)\n", ""},
		{"is None", "xs = []\nfor x in loader:\n" STEP "    if loss is None:\n        xs.append(loss)\n", ""},
		{"is not None", "xs = []\nfor x in loader:\n" STEP "    if loss is not None:\n        xs.append(loss)\n",
		 "7 store unbounded freed flow step@2\n"},
		{"and", "xs = []\nfor x in loader:\n" STEP "    if x and isinstance(loss, float):\n        xs.append(loss)\n", ""},
		{"in a conditional expression",
		 "xs = []\nfor x in loader:\n" STEP "    xs.append(loss.item() if torch.is_tensor(loss) else loss)\n", ""},
		{"isinstance of several numbers", "xs = []\nfor x in loader:\n" STEP "    if isinstance(loss, (int, float)):\n        xs.append(loss)\n", ""},
		{"or narrows nothing", "xs = []\nfor x in loader:\n" STEP "    if x or isinstance(loss, float):\n        xs.append(loss)\n", "7 store unbounded freed flow step@2\n"},
	};
	FLOW_CHECK(cases);
}

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

static void tries_join_what_may_have_happened(void **state)
{
	static const struct flow_case cases[] = {
		{"the handler sees what the body did",
		 "xs = []\nfor x in loader:\n  y = 0\n  try:\n" STEP "    y = loss\n  except ValueError:\n    xs.append(y)\n",
		 "10 store unbounded freed flow step@2\n"},
		{"and what it had not done yet",
		 "xs = []\nfor x in loader:\n" STEP "    y = loss\n    try:\n        y = 0\n        risk()\n    except ValueError:\n        xs.append(y)\n",
		 "11 store unbounded freed flow step@2\n"},
		{"else runs after the body", "xs = []\nfor x in loader:\n  try:\n" STEP "  except ValueError:\n    pass\n  else:\n    xs.append(loss)\n",
		 "10 store unbounded freed flow step@2\n"},
		{"finally runs after a body that leaves",
		 "xs = []\nfor x in loader:\n" STEP "    try:\n        continue\n    finally:\n        xs.append(loss)\n",
		 "9 store unbounded freed flow step@2\n"},
		{"the bound exception is no tensor",
		 "xs = []\nfor x in loader:\n  try:\n" STEP "  except ValueError as loss:\n    xs.append(loss)\n", ""},
		{"a handler that leaves is not joined",
		 "xs = []\nfor x in loader:\n  y = 0\n  try:\n" STEP "    y = loss\n    y = y.item()\n  except ValueError:\n    continue\n  xs.append(y)\n",
		 ""},
	};
	FLOW_CHECK(cases);
}

static void comprehensions_are_loops_with_names_of_their_own(void **state)
{
	static const struct flow_case cases[] = {
		{"converted", "xs = [crit(net(x), x).item() for x in loader]\n", ""},
		{"elements are kept", "xs = []\nfor x in loader:\n" STEP "    ys = [loss for _ in range(2)]\n    xs.append(ys)\n",
		 "7 store unbounded freed flow step@2\n"},
		{"the name outside is another", "x = 0\nxs = []\nfor b in loader:\n    loss = crit(net(b), b)\n    loss.backward()\n    opt.step()\n    ys = [x for x in [loss]]\n    xs.append(x)\n",
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
		cmocka_unit_test(branches_are_joined),
		cmocka_unit_test(tests_narrow_names),
		cmocka_unit_test(loops_are_left_and_entered),
		cmocka_unit_test(tries_join_what_may_have_happened),
		cmocka_unit_test(comprehensions_are_loops_with_names_of_their_own),
		cmocka_unit_test(unpacking_keeps_places_apart),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
