#include "flow_fixture.h"

#define LOOP "xs = []\nfor x in loader:\n    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n    "

static void computed_names_keep_what_they_get(void **state)
{
#define BOX "class B:\n    def __init__(self, **kw):\n        "
	static const struct flow_case cases[] = {
		{"update", BOX "self.__dict__.update(kw)\n" LOOP "xs.append(B(a=loss))\n", "9 store unbounded freed flow step@5\n"},
		{"update, the other", BOX "self.__dict__.update(kw)\n" LOOP "xs.append(B(a=loss, b=1).b)\n", ""},
		{"vars", BOX "vars(self).update(kw)\n" LOOP "xs.append(B(a=loss))\n", "9 store unbounded freed flow step@5\n"},
		{"vars, one of two", BOX "vars(self).update(kw)\n" LOOP "xs.append(vars(B(a=loss, b=1))['b'])\n", ""},
		{"an item", BOX "self.__dict__['a'] = kw['a']\n" LOOP "xs.append(B(a=loss).a)\n", "9 store unbounded freed flow step@5\n"},
		{"setattr", BOX "for k, v in kw.items(): setattr(self, k, v)\n" LOOP "xs.append(B(a=loss))\n",
		 "9 store unbounded freed flow step@5\n"},
		{"setattr, a number", BOX "for k, v in kw.items(): setattr(self, k, v)\n" LOOP "xs.append(B(a=loss.item()))\n", ""},
		{"read by its name", BOX "for k, v in kw.items(): setattr(self, k, v)\n" LOOP "xs.append(B(a=loss).a)\n",
		 "9 store unbounded freed flow step@5\n"},
		{"vars of something unknown", LOOP "xs.append(vars(f(1)))\n", ""},
		{"too few arguments", LOOP "setattr(xs)\n    getattr()\n    vars()\n", ""},
	};
	FLOW_CHECK(cases);
}

static void the_end_of_a_list_is_written(void **state)
{
	static const struct flow_case cases[] = {
		{"the end", LOOP "xs[len(xs):] = [loss]\n", "6 store unbounded freed flow step@2\n"},
		{"of another", LOOP "xs[len(x):] = [loss]\n", ""},
		{"up to there", LOOP "xs[:len(xs)] = [loss]\n", ""},
		{"all of it", LOOP "xs[:] = [loss]\n", ""},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computed_names_keep_what_they_get),
		cmocka_unit_test(the_end_of_a_list_is_written),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
