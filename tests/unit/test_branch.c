#include "flow_fixture.h"

#define LOSS "    loss = crit(net(x), x)\n"
#define STEP LOSS "    loss.backward()\n    opt.step(); opt.zero_grad()\n"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_are_joined),
		cmocka_unit_test(tests_narrow_names),
		cmocka_unit_test(tries_join_what_may_have_happened),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
