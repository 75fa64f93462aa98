#include "flow_fixture.h"

#define LOOP "for x in loader:\n    y = net(x)\n    opt.step(); opt.zero_grad()\n"

static void blocks_turn_grad_off_and_back_on(void **state)
{
	static const struct flow_case cases[] = {
		{"no_grad", "xs = []\n" LOOP "    with torch.no_grad():\n        z = net(x)\n    xs.append(z)\n", ""},
		{"behind the block", "xs = []\n" LOOP "    with torch.no_grad():\n        pass\n    xs.append(net(x))\n", "7 store unbounded kept flow step@2\n"},
		{"inference mode", "xs = []\n" LOOP "    with torch.inference_mode():\n        z = net(x)\n    xs.append(z)\n", ""},
		{"inference mode, not", "xs = []\n" LOOP "    with torch.inference_mode(False):\n        z = net(x)\n    xs.append(z)\n", "7 store unbounded kept flow step@2\n"},
		{"on again inside", "xs = []\n" LOOP "    with torch.no_grad():\n        with torch.enable_grad():\n            z = net(x)\n    xs.append(z)\n", "8 store unbounded kept flow step@2\n"},
		{"set to false", "xs = []\n" LOOP "    with torch.set_grad_enabled(False):\n        z = net(x)\n    xs.append(z)\n", ""},
		{"set to true", "xs = []\n" LOOP "    with torch.set_grad_enabled(True):\n        z = net(x)\n    xs.append(z)\n", "7 store unbounded kept flow step@2\n"},
		{"set to whatever", "xs = []\n" LOOP "    with torch.set_grad_enabled(train):\n        z = net(x)\n    xs.append(z)\n", "7 store unbounded kept flow step@2\n"},
		{"several contexts", "xs = []\n" LOOP "    with open('f') as f, torch.no_grad():\n        z = net(x)\n    xs.append(z)\n", ""},
		{"in parentheses", "xs = []\n" LOOP "    with (open('f') as f, torch.no_grad()):\n        z = net(x)\n    xs.append(z)\n", ""},
		{"held in a name", "xs = []\noff = torch.no_grad()\n" LOOP "    with off:\n        z = net(x)\n    xs.append(z)\n", ""},
		{"under another name", "from torch import no_grad as off\nxs = []\n" LOOP "    with off():\n        z = net(x)\n    xs.append(z)\n", ""},
		{"on one side only", "from contextlib import nullcontext\nxs = []\n" LOOP "    with nullcontext() if train else torch.no_grad():\n        z = net(x)\n    xs.append(z)\n", "8 store unbounded kept flow step@3\n"},
		{"a graph made before survives the block", "xs = []\n" LOOP "    with torch.no_grad():\n        xs.append(y)\n", "6 store unbounded kept flow step@2\n"},
		{"arithmetic in the block is not recorded", "xs = []\n" LOOP "    with torch.no_grad():\n        z = y * 2\n    xs.append(z)\n", ""},
		{"an unrelated context changes nothing", "xs = []\n" LOOP "    with open('f') as f:\n        z = net(x)\n    xs.append(z)\n", "7 store unbounded kept flow step@2\n"},
		{"autocast changes nothing", "xs = []\n" LOOP "    with torch.autocast('cuda'):\n        z = net(x)\n    xs.append(z)\n", "7 store unbounded kept flow step@2\n"},
		{"a return inside ends it", "xs = []\ndef f(x):\n    with torch.no_grad():\n        return net(x)\n" LOOP "    f(x)\n    xs.append(net(x))\n", "9 store unbounded kept flow step@5\n"},
	};
	FLOW_CHECK(cases);
}

static void decorators_turn_grad_off(void **state)
{
	static const struct flow_case cases[] = {
		{"with parentheses", "xs = []\n@torch.no_grad()\ndef f(x):\n    return net(x)\n" LOOP "    xs.append(f(x))\n", ""},
		{"without", "xs = []\n@torch.no_grad\ndef f(x):\n    return net(x)\n" LOOP "    xs.append(f(x))\n", ""},
		{"inference mode", "xs = []\n@torch.inference_mode()\ndef f(x):\n    return net(x)\n" LOOP "    xs.append(f(x))\n", ""},
		{"set_grad_enabled", "xs = []\n@torch.set_grad_enabled(False)\ndef f(x):\n    return net(x)\n" LOOP "    xs.append(f(x))\n", ""},
		{"wrapped by hand", "xs = []\ndef f(x):\n    return net(x)\ng = torch.no_grad()(f)\n" LOOP "    xs.append(g(x))\n", ""},
		{"of a method", "xs = []\nclass K:\n    @torch.no_grad()\n    def f(self, x):\n        return net(x)\nk = K()\n" LOOP "    xs.append(k.f(x))\n", ""},
		{"on inside outranks it", "xs = []\n@torch.no_grad()\ndef f(x):\n    with torch.enable_grad():\n        return net(x)\n" LOOP "    xs.append(f(x))\n", "9 store unbounded kept flow step@6\n"},
		{"enable_grad under no_grad", "xs = []\n@torch.enable_grad()\ndef f(x):\n    return net(x)\nwith torch.no_grad():\n  for x in loader:\n    xs.append(f(x))\n    opt.step(); opt.zero_grad()\n", "7 store unbounded kept flow step@6\n"},
		{"ends with the function", "xs = []\n@torch.no_grad()\ndef f(x):\n    return net(x)\n" LOOP "    f(x)\n    xs.append(net(x))\n", "9 store unbounded kept flow step@5\n"},
		{"one of the project", "import functools\ndef quiet(f):\n    @functools.wraps(f)\n    def inner(*a):\n        with torch.no_grad():\n            return f(*a)\n    return inner\nxs = []\n@quiet\ndef f(x):\n    return net(x)\n" LOOP "    xs.append(f(x))\n", ""},
		{"one of the project that lets it be", "def loud(f):\n    def inner(*a):\n        return f(*a)\n    return inner\nxs = []\n@loud\ndef f(x):\n    return net(x)\n" LOOP "    xs.append(f(x))\n", "12 store unbounded kept flow step@9\n"},
		{"several, the one nearest the function too", "def loud(f):\n    return f\nxs = []\n@loud\n@torch.no_grad()\ndef f(x):\n    return net(x)\n" LOOP "    xs.append(f(x))\n", ""},
	};
	FLOW_CHECK(cases);
}

static void contexts_of_the_project_are_looked_into(void **state)
{
	static const struct flow_case cases[] = {
		{"a generator that turns it off", "from contextlib import contextmanager\n@contextmanager\ndef quiet():\n    with torch.no_grad():\n        yield\nxs = []\n" LOOP "    with quiet():\n        z = net(x)\n    xs.append(z)\n", ""},
		{"a generator that does not", "from contextlib import contextmanager\n@contextmanager\ndef timed():\n    yield 1\nxs = []\n" LOOP "    with timed():\n        z = net(x)\n    xs.append(z)\n", "11 store unbounded kept flow step@6\n"},
		{"behind it grad is back", "from contextlib import contextmanager\n@contextmanager\ndef quiet():\n    with torch.no_grad():\n        yield\nxs = []\n" LOOP "    with quiet():\n        pass\n    xs.append(net(x))\n", "12 store unbounded kept flow step@7\n"},
		{"what it yields is bound", "from contextlib import contextmanager\n@contextmanager\ndef give(v):\n    yield v\nxs = []\n" LOOP "    with give(y) as z:\n        xs.append(z)\n", "10 store unbounded kept flow step@6\n"},
		{"what enter returns is bound", "class G:\n    def __init__(self, v):\n        self.v = v\n    def __enter__(self):\n        return self.v.item()\n    def __exit__(self, *a):\n        pass\nxs = []\n" LOOP "    with G(y) as z:\n        xs.append(z)\n", ""},
		{"what exit does is done", "class G:\n    def __init__(self):\n        self.xs = []\n    def __enter__(self):\n        return self\n    def __exit__(self, *a):\n        self.xs.clear()\ng = G()\n" LOOP "    with g as h:\n        h.xs.append(y)\n", ""},
		{"an enter that switches, an exit that restores", "class Off:\n    def __enter__(self):\n        torch.set_grad_enabled(False)\n    def __exit__(self, *a):\n        torch.set_grad_enabled(True)\nxs = []\n" LOOP "    with Off():\n        z = net(x)\n    xs.append(z)\n", ""},
		{"an exit stack", "from contextlib import ExitStack\nxs = []\n" LOOP "    with ExitStack() as s:\n        s.enter_context(torch.no_grad())\n        z = net(x)\n    xs.append(z)\n", ""},
		{"what an unknown one gives", "xs = []\n" LOOP "    with somebody(x) as z:\n        z.backward()\n        xs.append(z)\n", "7 store unbounded freed usage step@2\n"},
	};
	FLOW_CHECK(cases);
}

static void contexts_that_cover_nothing_are_told(void **state)
{
	static const struct flow_case cases[] = {
		{"made and dropped", "torch.no_grad()\n", "1 grad-dropped flow\n"},
		{"inference mode", "torch.inference_mode()\n", "1 grad-dropped flow\n"},
		{"entered", "with torch.no_grad():\n    pass\n", ""},
		{"kept", "off = torch.no_grad()\n", ""},
		{"switched and trained", "torch.set_grad_enabled(False)\nfor x in loader:\n    net(x).sum().backward()\n", "1 grad-left flow\n"},
		{"switched and nothing trained", "torch.set_grad_enabled(False)\nprint(net(x))\n", ""},
		{"switched on", "torch.set_grad_enabled(True)\nfor x in loader:\n    net(x).sum().backward()\n", ""},
		{"switched back", "torch.set_grad_enabled(False)\nnet(x)\ntorch.set_grad_enabled(True)\nfor x in loader:\n    net(x).sum().backward()\n", ""},
		{"a yield inside, trained outside", "def gen():\n    with torch.no_grad():\n        for x in loader:\n            yield net(x)\nfor y in gen():\n    net(y).sum().backward()\n", "4 grad-yield flow\n"},
		{"a yield inside, nothing trained", "def gen():\n    with torch.no_grad():\n        for x in loader:\n            yield net(x)\nfor y in gen():\n    print(1)\n", ""},
		{"of a context manager that is its purpose", "from contextlib import contextmanager\n@contextmanager\ndef quiet():\n    with torch.no_grad():\n        yield\nwith quiet():\n    net(x).sum().backward()\n", ""},
		{"a yield behind the block", "def gen():\n    with torch.no_grad():\n        a = net(x)\n    yield a\nfor y in gen():\n    net(y).sum().backward()\n", ""},
		{"on, and then off", "torch.set_grad_enabled(True)\ntorch.set_grad_enabled(False)\nfor x in loader:\n    net(x).sum().backward()\n", "2 grad-left flow\n"},
		{"of a fixture", "@pytest.fixture(scope='module')\ndef gen():\n    with torch.no_grad():\n        yield net(x)\nwith torch.no_grad():\n    net(x).sum().backward()\n", ""},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_turn_grad_off_and_back_on),
		cmocka_unit_test(decorators_turn_grad_off),
		cmocka_unit_test(contexts_of_the_project_are_looked_into),
		cmocka_unit_test(contexts_that_cover_nothing_are_told),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
