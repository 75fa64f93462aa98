#include "flow_fixture.h"

#define METER "from collections import defaultdict, deque\nclass M:\n    def __init__(self): self.t = 0\n    def up(self, v): self.t += v\n"
#define STEP "for s, x in enumerate(loader):\n    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"

static void missing_elements_are_made_once_for_each_key(void **state)
{
	static const struct flow_case cases[] = {
		{"a class", METER "d = defaultdict(M)\n" STEP "    d['a'].up(loss)\n", "10 accumulate unbounded freed flow step@6\n"},
		{"a lambda", METER "d = defaultdict(lambda: M())\n" STEP "    d['a'].up(loss)\n",
		 "10 accumulate unbounded freed flow step@6\n"},
		{"keys that are not known", METER "d = defaultdict(M)\n" STEP "    d[f(x)].up(loss)\n",
		 "10 accumulate unbounded freed flow step@6\n"},
		{"each key has its own", METER "d = defaultdict(M)\n" STEP "    d['a'].up(loss)\n    d['b'].up(loss.item())\n",
		 "10 accumulate unbounded freed flow step@6\n"},
		{"made anew each step", METER STEP "    d = defaultdict(M)\n    d['a'].up(loss)\n", ""},
		{"bounded ones", METER "d = defaultdict(lambda: deque(maxlen=2))\n" STEP "    d['a'].append(loss)\n",
		 "10 store window freed flow step@6\n"},
		{"one in another", METER "d = defaultdict(lambda: defaultdict(list))\n" STEP "    d['a']['b'].append(loss)\n",
		 "10 store unbounded freed flow step@6\n"},
		{"a factory with arguments", METER "from functools import partial\nd = defaultdict(partial(list))\n" STEP
		 "    d['a'].append(loss)\n", "11 store unbounded freed flow step@7\n"},
		{"a known key after unknown ones", METER "d = defaultdict(list)\nfor x in loader:\n    for k, v in net(x).items():\n"
		 "        d[k].append(v)\ntorch.stack(d['a']).sum().backward()\n", ""},
	};
	FLOW_CHECK(cases);
}

static void classes_make_what_is_missing(void **state)
{
#define BANK "class B(dict):\n    def __missing__(self, k):\n        self[k] = []\n        return self[k]\n"
	static const struct flow_case cases[] = {
		{"kept", BANK "b = B()\n" STEP "    b['a'].append(loss)\n", "10 store unbounded freed flow step@6\n"},
		{"numbers", BANK "b = B()\n" STEP "    b['a'].append(loss.item())\n", ""},
		{"of one step", BANK STEP "    b = B()\n    b['a'].append(loss)\n", ""},
		{"not kept there", "class B(dict):\n    def __missing__(self, k): return []\nb = B()\n" STEP "    b['a'].append(loss)\n", ""},
		{"by its own name again", "class B(dict):\n    def __missing__(self, k): return self[k]\nb = B()\n" STEP "    b['a']\n", ""},
	};
	FLOW_CHECK(cases);
}

static void what_a_kept_record_gets_is_kept(void **state)
{
	static const struct flow_case cases[] = {
		{"an entry of an entry", "d = {}\n" STEP "    d[s] = {}\n    d[s]['a'] = loss\n", "7 store unbounded freed flow step@2\n"},
		{"of a default", METER "d = defaultdict(dict)\n" STEP "    d[s]['a'] = loss\n", "10 store unbounded freed flow step@6\n"},
		{"of a default under one key", METER "d = defaultdict(dict)\n" STEP "    d['k']['a'] = loss\n", ""},
		{"set where missing", "d = {}\n" STEP "    d.setdefault(s, {})['a'] = loss\n", "6 store unbounded freed flow step@2\n"},
		{"set where missing under one key", "d = {}\n" STEP "    d.setdefault('k', {})['a'] = loss\n", ""},
		{"the last of a list", "d = []\n" STEP "    d.append({})\n    d[-1]['a'] = loss\n", "7 store unbounded freed flow step@2\n"},
		{"by its own name", "d = []\n" STEP "    r = {}\n    d.append(r)\n    r['a'] = loss\n", "8 store unbounded freed flow step@2\n"},
		{"an attribute", "class R: pass\nd = []\n" STEP "    r = R()\n    d.append(r)\n    r.a = loss\n",
		 "9 store unbounded freed flow step@3\n"},
		{"emptied in each step", "d = []\n" STEP "    d.append({})\n    d[-1]['a'] = loss\n    d.clear()\n", ""},
		{"the same record again and again", "d = []\nr = {}\n" STEP "    d.append(r)\n    r['a'] = loss\n", "7 store unbounded freed flow step@3\n"},
		{"a record of one step", STEP "    d = {}\n    d[s] = {}\n    d[s]['a'] = loss\n", ""},
		{"without its graph", "d = {}\n" STEP "    d[s] = {}\n    d[s]['a'] = loss.item()\n", ""},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_elements_are_made_once_for_each_key),
		cmocka_unit_test(classes_make_what_is_missing),
		cmocka_unit_test(what_a_kept_record_gets_is_kept),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
