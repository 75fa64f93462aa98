#include "flow_fixture.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"
#define LOOP "for x in loader:\n" STEP "    "

static void methods_keep_in_attributes(void **state)
{
	static const struct flow_case cases[] = {
		{"a list of the instance", "class K:\n    def __init__(self):\n        self.xs = []\n    def keep(self, v):\n        self.xs.append(v)\nk = K()\n" LOOP "k.keep(loss)\n", "11 store unbounded freed flow step@7\n"},
		{"an instance of the iteration", "class K:\n    def __init__(self):\n        self.xs = []\n    def keep(self, v):\n        self.xs.append(v)\n" LOOP "K().keep(loss)\n", ""},
		{"one that converts", "class K:\n    def __init__(self):\n        self.xs = []\n    def keep(self, v):\n        self.xs.append(v.item())\nk = K()\n" LOOP "k.keep(loss)\n", ""},
		{"a total", "class K:\n    def __init__(self):\n        self.sum = 0\n    def keep(self, v):\n        self.sum += v\nk = K()\n" LOOP "k.keep(loss)\n", "11 accumulate unbounded freed flow step@7\n"},
		{"a total that another method resets each time", "class K:\n    def __init__(self):\n        self.sum = 0\n    def keep(self, v):\n        self.sum += v\n    def reset(self):\n        self.sum = 0\nk = K()\n" LOOP "k.keep(loss)\n    k.reset()\n", ""},
		{"a list that another method clears each time", "class K:\n    def __init__(self):\n        self.xs = []\n    def keep(self, v):\n        self.xs.append(v)\n    def reset(self):\n        self.xs.clear()\nk = K()\n" LOOP "k.keep(loss)\n    k.reset()\n", ""},
		{"a class attribute", "class K:\n    xs = []\n    def keep(self, v):\n        self.xs.append(v)\n" LOOP "K().keep(loss)\n", "9 store unbounded freed flow step@5\n"},
		{"an attribute of an attribute", "class A:\n    def __init__(self):\n        self.xs = []\nclass B:\n    def __init__(self):\n        self.a = A()\nb = B()\n" LOOP "b.a.xs.append(loss)\n", "12 store unbounded freed flow step@8\n"},
		{"two instances do not mix", "class K:\n    def __init__(self):\n        self.v = 0\na = K()\nb = K()\nxs = []\n" LOOP "a.v = loss\n    xs.append(b.v)\n", "11 assign flow step@7\n"},
		{"a property that converts", "class K:\n    def __init__(self, v):\n        self.v = v\n    @property\n    def number(self):\n        return self.v.item()\nxs = []\n" LOOP "xs.append(K(loss).number)\n", ""},
		{"a method called through the class", "class K:\n    def keep(self, v):\n        self.xs.append(v)\nk = K()\nk.xs = []\n" LOOP "K.keep(k, loss)\n", "10 store unbounded freed flow step@6\n"},
		{"a static method", "xs = []\nclass K:\n    @staticmethod\n    def keep(v):\n        xs.append(v)\n" LOOP "K.keep(loss)\n    K().keep(loss)\n", "10 store unbounded freed flow step@6\n11 store unbounded freed flow step@6\n"},
		{"a class method", "class K:\n    xs = []\n    @classmethod\n    def keep(cls, v):\n        cls.xs.append(v)\n" LOOP "K.keep(loss)\n", "10 store unbounded freed flow step@6\n"},
		{"a property", "class K:\n    def __init__(self, v):\n        self.v = v\n    @property\n    def twice(self):\n        return self.v * 2\nxs = []\n" LOOP "xs.append(K(loss).twice)\n", "12 store unbounded freed flow step@8\n"},
	};
	FLOW_CHECK(cases);
}

static void members_are_looked_up_through_bases(void **state)
{
	static const struct flow_case cases[] = {
		{"inherited", "class A:\n    def number(self, v):\n        return v.item()\nclass B(A):\n    pass\nxs = []\nb = B()\n" LOOP "xs.append(b.number(loss))\n", ""},
		{"overridden", "class A:\n    def number(self, v):\n        return v.item()\nclass B(A):\n    def number(self, v):\n        return v\nxs = []\nb = B()\n" LOOP "xs.append(b.number(loss))\n", "13 store unbounded freed flow step@9\n"},
		{"super of a method", "class A:\n    def keep(self, v):\n        self.xs.append(v)\nclass B(A):\n    def __init__(self):\n        self.xs = []\n    def keep(self, v):\n        super().keep(v)\nb = B()\n" LOOP "b.keep(loss)\n", "14 store unbounded freed flow step@10\n"},
		{"super of a constructor", "class A:\n    def __init__(self):\n        self.xs = []\nclass B(A):\n    def __init__(self):\n        super().__init__()\nb = B()\n" LOOP "b.xs.append(loss)\n", "12 store unbounded freed flow step@8\n"},
		{"super that converts", "class A:\n    def number(self, v):\n        return v.item()\nclass B(A):\n    def number(self, v):\n        return super().number(v)\nxs = []\nb = B()\n" LOOP "xs.append(b.number(loss))\n", ""},
		{"the first base wins", "class A:\n    def f(self, v):\n        return 0\nclass B:\n    def f(self, v):\n        return v\nclass C(A, B):\n    pass\nxs = []\nc = C()\n" LOOP "xs.append(c.f(loss))\n", ""},
		{"a class that is its own base ends", "class A(A):\n    def f(self, v):\n        return v\nxs = []\na = A()\n" LOOP "xs.append(a.f(loss))\n", "10 store unbounded freed flow step@6\n"},
		{"of many bases the last", "class A: pass\nclass B: pass\nclass C: pass\nclass D: pass\nclass E: pass\nclass G: pass\nclass H: pass\nclass M(A, B, C, D, E, G, H):\n    def f(self, v):\n        return v\nxs = []\nm = M()\n" LOOP "xs.append(m.f(loss))\n", "17 store unbounded freed flow step@13\n"},
	};
	FLOW_CHECK(cases);
}

static void modules_of_the_project_are_called_forward(void **state)
{
	static const struct flow_case cases[] = {
		{"its forward records", "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(1, 1)\n    def forward(self, x):\n        return self.l(x)\nm = M()\nxs = []\nfor x in loader:\n    xs.append(m(x))\n    opt.step(); opt.zero_grad()\n", "10 store unbounded kept flow step@9\n"},
		{"its forward converts", "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(1, 1)\n    def forward(self, x):\n        return self.l(x).item()\nm = M()\nxs = []\nfor x in loader:\n    xs.append(m(x))\n    opt.step(); opt.zero_grad()\n", ""},
		{"another method records too", "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(1, 1)\n    def step(self, x):\n        return self.l(x)\nm = M()\nxs = []\nfor x in loader:\n    xs.append(m.step(x))\n    opt.step(); opt.zero_grad()\n", "10 store unbounded kept flow step@9\n"},
		{"its own parameter", "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = nn.Parameter(torch.zeros(1))\n    def forward(self, x):\n        return self.w * x\nm = M()\nxs = []\nfor x in loader:\n    xs.append(m(x))\n    opt.step(); opt.zero_grad()\n", "10 store unbounded kept flow step@9\n"},
		{"without a forward of its own", "class M(nn.Sequential):\n    pass\nm = M(nn.Linear(1, 1))\nxs = []\nfor x in loader:\n    xs.append(m(x))\n    opt.step(); opt.zero_grad()\n", "6 store unbounded kept flow step@5\n"},
		{"of an unknown base, by its forward", "from models import Base\nclass M(Base):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(1, 1)\n    def forward(self, x):\n        return self.l(x)\nm = M()\nm.eval()\nfor x in loader:\n    print(m(x).argmax())\n", "11 forward flow step@10\n"},
		{"not of a base that is known to be none", "class M(dict):\n    def forward(self, x):\n        return 1\nm = M()\nm.eval()\nfor x in loader:\n    print(m.forward(x))\n", ""},
	};
	FLOW_CHECK(cases);
}

static void records_are_made_from_their_annotations(void **state)
{
	static const struct flow_case cases[] = {
		{"dataclass by position", "from dataclasses import dataclass\n@dataclass\nclass R:\n    a: float\n    b: object\nxs = []\n" LOOP "xs.append(R(1, loss).b)\n", "11 store unbounded freed flow step@7\n"},
		{"dataclass, the other", "from dataclasses import dataclass\n@dataclass\nclass R:\n    a: float\n    b: object\nxs = []\n" LOOP "xs.append(R(1, loss).a)\n", ""},
		{"dataclass by name", "from dataclasses import dataclass\n@dataclass\nclass R:\n    a: float\n    b: object\nxs = []\n" LOOP "xs.append(R(b=loss, a=1).b)\n", "11 store unbounded freed flow step@7\n"},
		{"dataclass with options", "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass R:\n    b: object = None\nxs = []\n" LOOP "xs.append(R(loss))\n", "10 store unbounded freed flow step@6\n"},
		{"a field of its own per instance", "from dataclasses import dataclass, field\n@dataclass\nclass R:\n    xs: list = field(default_factory=list)\n" LOOP "R().xs.append(loss)\n", ""},
		{"a field that lives on", "from dataclasses import dataclass, field\n@dataclass\nclass R:\n    xs: list = field(default_factory=list)\nr = R()\n" LOOP "r.xs.append(loss)\n", "10 store unbounded freed flow step@6\n"},
		{"post init", "from dataclasses import dataclass\n@dataclass\nclass R:\n    v: object\n    def __post_init__(self):\n        self.v = self.v.item()\nxs = []\n" LOOP "xs.append(R(loss).v)\n", ""},
		{"named tuple by name", "from typing import NamedTuple\nclass R(NamedTuple):\n    a: float\n    b: object\nxs = []\n" LOOP "xs.append(R(1, loss).b)\n", "10 store unbounded freed flow step@6\n"},
		{"named tuple by place", "from typing import NamedTuple\nclass R(NamedTuple):\n    a: float\n    b: object\nxs = []\n" LOOP "xs.append(R(1, loss)[0])\n", ""},
		{"named tuple unpacked", "from typing import NamedTuple\nclass R(NamedTuple):\n    a: float\n    b: object\nxs = []\n" LOOP "a, b = R(1, loss)\n    xs.append(a)\n", ""},
		{"replaced, the other", "from typing import NamedTuple\nclass R(NamedTuple):\n    a: float\n    b: object\nxs = []\n" LOOP "xs.append(R(1, loss)._replace(a=0))\n", "10 store unbounded freed flow step@6\n"},
		{"a class without decorator has no such constructor", "class R:\n    b: object = 0\nxs = []\n" LOOP "xs.append(R(loss).b)\n", ""},
		{"replaced twice", "from typing import NamedTuple\nclass R(NamedTuple):\n    a: float\n    b: object\nxs = []\n" LOOP "xs.append(R(1, 2)._replace(b=loss)._replace(a=3).b)\n", "10 store unbounded freed flow step@6\n"},
		{"what has no annotation is no field", "from dataclasses import dataclass\n@dataclass\nclass R:\n    k = 1\n    b: object\nxs = []\n" LOOP "xs.append(R(loss).b)\n", "11 store unbounded freed flow step@7\n"},
		{"replaced", "from typing import NamedTuple\nclass R(NamedTuple):\n    a: float\n    b: object\nxs = []\n" LOOP "xs.append(R(1, loss)._replace(b=0))\n", ""},
		{"replaced over and over", "from typing import NamedTuple\nclass R(NamedTuple):\n    a: float\n    b: object\nxs = []\nr = R(1, 2)\nfor x in loader:\n" STEP "    r = r._replace(b=loss)\n    xs.append(r.b)\n", "12 store unbounded freed flow step@7\n"},
	};
	FLOW_CHECK(cases);
}

static void operators_run_the_methods_of_a_class(void **state)
{
	static const struct flow_case cases[] = {
		{"setitem", "class K:\n    def __init__(self):\n        self.xs = []\n    def __setitem__(self, k, v):\n        self.xs.append(v)\nk = K()\n" LOOP "k['a'] = loss\n", "11 store unbounded freed flow step@7\n"},
		{"setitem that converts", "class K:\n    def __init__(self):\n        self.xs = []\n    def __setitem__(self, k, v):\n        self.xs.append(float(v))\nk = K()\n" LOOP "k['a'] = loss\n", ""},
		{"getitem", "class K:\n    def __getitem__(self, k):\n        return k.item()\nk = K()\nxs = []\n" LOOP "xs.append(k[loss])\n", ""},
		{"call", "class K:\n    def __init__(self):\n        self.xs = []\n    def __call__(self, v):\n        self.xs.append(v)\nk = K()\n" LOOP "k(loss)\n", "11 store unbounded freed flow step@7\n"},
		{"iadd", "class K:\n    def __init__(self):\n        self.xs = []\n    def __iadd__(self, v):\n        self.xs.append(v)\n        return self\nk = K()\n" LOOP "k += loss\n", "12 store unbounded freed flow step@8\n"},
		{"iter", "class K:\n    def __iter__(self):\n        yield 0\nk = K()\nxs = []\n" LOOP "for v in k:\n        xs.append(v)\n", ""},
		{"iter of losses", "class K:\n  def __iter__(self):\n   for x in loader:\n" STEP "    yield loss\nk = K()\nxs = []\nfor v in k:\n    xs.append(v)\n", "11 store unbounded freed flow epoch@10\n"},
		{"getitem gets the key", "class K:\n    def __getitem__(self, k):\n        return k\nk = K()\nxs = []\n" LOOP "xs.append(k[loss])\n", "10 store unbounded freed flow step@6\n"},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(methods_keep_in_attributes),
		cmocka_unit_test(members_are_looked_up_through_bases),
		cmocka_unit_test(modules_of_the_project_are_called_forward),
		cmocka_unit_test(records_are_made_from_their_annotations),
		cmocka_unit_test(operators_run_the_methods_of_a_class),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
