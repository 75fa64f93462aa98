#include "flow_fixture.h"


static void forwards_without_need_of_a_graph_are_told(void **state)
{
	static const struct flow_case cases[] = {
		{"in eval mode", "net.eval()\nfor x in loader:\n    print(net(x).argmax())\n", "3 forward flow step@2\n"},
		{"in train mode", "net.train()\nfor x in loader:\n    print(net(x).argmax())\n", ""},
		{"mode unknown", "for x in loader:\n    print(net(x).argmax())\n", ""},
		{"train(False)", "net.train(False)\nfor x in loader:\n    print(net(x).argmax())\n", "3 forward flow step@2\n"},
		{"train(flag)", "net.train(flag)\nfor x in loader:\n    print(net(x).argmax())\n", ""},
		{"back in train mode", "net.eval()\nnet.train()\nfor x in loader:\n    print(net(x).argmax())\n", ""},
		{"under no_grad", "net.eval()\nfor x in loader:\n    with torch.no_grad():\n        print(net(x).argmax())\n", ""},
		{"under inference mode", "net.eval()\nwith torch.inference_mode():\n  for x in loader:\n    print(net(x).argmax())\n", ""},
		{"frozen", "net.requires_grad_(False)\nnet.eval()\nfor x in loader:\n    print(net(x).argmax())\n", ""},
		{"walked", "net.eval()\nfor x in loader:\n    net(x).sum().backward()\n", ""},
		{"handed on", "net.eval()\nfor x in loader:\n    somebody(net(x))\n", "3 forward flow step@2\n"},
		{"no loop", "net.eval()\nprint(net(x).argmax())\n", ""},
		{"in a function by use", "def evaluate(model, data):\n    model.eval()\n    for x in data:\n        print(model(x).argmax())\n", "4 forward usage step@3\n"},
		{"of a caller with grad off", "def evaluate(data):\n    net.eval()\n    for x in data:\n        print(net(x).argmax())\nwith torch.no_grad():\n    evaluate(loader)\n", ""},
		{"a mode set by an unknown call", "net.eval()\nsomebody(net)\nfor x in loader:\n    print(net(x).argmax())\n", ""},
		{"only in a handler", "net.eval()\nfor x in loader:\n    try:\n        risk()\n    except ValueError:\n        net(x).item()\n", ""},
		{"behind a dropped context, which is the cause", "net.eval()\ntorch.no_grad()\nfor x in loader:\n    print(net(x).argmax())\n", "2 grad-dropped flow\n"},
		{"a module of the project", "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(1, 1)\n    def forward(self, x):\n        return self.l(x)\nm = M()\nm.eval()\nfor x in loader:\n    print(m(x).argmax())\n", "10 forward flow step@9\n"},
		{"its parts are in the mode of the whole", "m = nn.Sequential(net)\nm.eval()\nfor x in loader:\n    print(net(x).argmax())\n", "4 forward flow step@3\n"},
		{"its parameters given to an unknown call", "net.eval()\nsomebody(net.parameters())\nfor x in loader:\n    print(net(x).argmax())\n", "4 forward flow step@3\n"},
		{"in a mode that is computed", "net.eval()\nfor x in loader:\n    with torch.set_grad_enabled(flag):\n        print(net(x).argmax())\n", ""},
		{"in an unknown context that speaks of evaluation", "net.eval()\nfor x in loader:\n    with evaluating(net.head):\n        print(net(x).argmax())\n", ""},
		{"in an unknown context that does not", "net.eval()\nfor x in loader:\n    with timed():\n        print(net(x).argmax())\n", "4 forward flow step@2\n"},
		{"over parts only", "net.eval()\nfor p in [1, 2]:\n    print(net(p).argmax())\n", ""},
	};
	FLOW_CHECK(cases);
}

static void optimizers_of_what_no_gradient_reaches_are_told(void **state)
{
	static const struct flow_case cases[] = {
		{"the module ran with grad off", "head = nn.Linear(1, 1)\nfor x in loader:\n    with torch.no_grad():\n        y = net(x)\n    head(y).sum().backward()\n    opt.step(); opt.zero_grad()\n", "5 cut-trained flow step@2\n5 unowned flow step@2\n"},
		{"it ran with grad on", "head = nn.Linear(1, 1)\nfor x in loader:\n    y = net(x)\n    head(y).sum().backward()\n    opt.step(); opt.zero_grad()\n", "4 unowned flow step@2\n"},
		{"another optimizer owns it", "head = nn.Linear(1, 1)\no = torch.optim.SGD(head.parameters(), lr=1)\nfor x in loader:\n    with torch.no_grad():\n        y = net(x)\n    head(y).sum().backward()\n    o.step()\n", ""},
		{"one of two walks reaches it", "for x in loader:\n    with torch.no_grad():\n        y = net(x)\n    z = net(x)\n    (y * z).sum().backward()\n    opt.step(); opt.zero_grad()\n", ""},
		{"detached", "head = nn.Linear(1, 1)\nfor x in loader:\n    y = net(x).detach()\n    head(y).sum().backward()\n    opt.step(); opt.zero_grad()\n", "4 cut-trained flow step@2\n4 unowned flow step@2\n"},
		{"in groups", "o = torch.optim.SGD([{'params': net.parameters()}], lr=1)\nhead = nn.Linear(1, 1)\nfor x in loader:\n    with torch.no_grad():\n        y = net(x)\n    head(y).sum().backward()\n    o.step()\n", "6 cut-trained flow step@3\n6 unowned flow step@3\n"},
		{"a part of the module", "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(1, 1)\n    def forward(self, x):\n        return self.l(x)\nm = M()\no = torch.optim.SGD(m.parameters(), lr=1)\nhead = nn.Linear(1, 1)\nfor x in loader:\n    with torch.no_grad():\n        y = m(x)\n    head(y).sum().backward()\n    o.step()\n", "13 cut-trained flow step@10\n13 unowned flow step@10\n"},
		{"another walk reaches it", "head = nn.Linear(1, 1)\nfor x in loader:\n    with torch.no_grad():\n        y = net(x)\n    head(y).sum().backward()\n    net(x).sum().backward()\n    opt.step(); opt.zero_grad()\n", ""},
		{"a walk before it was zeroed reaches it", "head = nn.Linear(1, 1)\nfor x in loader:\n    net(x).sum().backward()\n    opt.step(); opt.zero_grad()\n    with torch.no_grad():\n        y = net(x)\n    head(y).sum().backward()\n    opt.step(); opt.zero_grad()\n", "7 cut-trained flow step@2\n7 unowned flow step@2\n"},
	};
	FLOW_CHECK(cases);
}

#define TRAIN "net(x).sum().backward(); opt.step(); opt.zero_grad()\n"
#define OFF "torch.set_grad_enabled(False)\n"

static void modes_switched_off_by_statement_are_told_where_something_trains_under_them(void **state)
{
	static const struct flow_case cases[] = {
		{"before the loop", OFF "for x in loader:\n    " TRAIN, "1 grad-left flow\n"},
		{"round the loop", "for x in loader:\n    " TRAIN "    " OFF, "3 grad-left flow\n"},
		{"by keyword", "for x in loader:\n    " TRAIN "    torch.set_grad_enabled(mode=False)\n", "3 grad-left flow\n"},
		{"in a loop before", "for x in loader:\n    torch.set_grad_enabled(True)\n    " TRAIN "    " OFF "for y in loader:\n    " TRAIN, "4 grad-left flow\n"},
		{"where somebody asks for it", "if x:\n    " OFF "for y in loader:\n  if not x:\n    " TRAIN, ""},
		{"and back on", "for x in loader:\n    " TRAIN "    " OFF "    torch.set_grad_enabled(True)\n", ""},
		{"and back on at the top", "for x in loader:\n    torch.set_grad_enabled(True)\n    " TRAIN "    " OFF, ""},
		{"and back on before the loop", "torch.set_grad_enabled(True)\nfor x in loader:\n    " TRAIN "    " OFF, "4 grad-left flow\n"},
		{"behind all that trains", "for x in loader:\n    " TRAIN OFF "print(net(x).argmax())\n", ""},
		{"what was recorded before is walked", "for x in loader:\n    torch.set_grad_enabled(True)\n    y = net(x).sum()\n    " OFF "    y.backward(); opt.step(); opt.zero_grad()\n", ""},
		{"in a helper", "def f():\n    " OFF "for x in loader:\n    " TRAIN "    f()\n", "2 grad-left flow\n"},
		{"in a helper that puts it back", "def f():\n    " OFF "    try:\n        return 1\n    finally:\n        torch.set_grad_enabled(True)\nfor x in loader:\n    " TRAIN "    f()\n", ""},
		{"in one of two branches that both choose", "for x in loader:\n    if x:\n        " OFF "    else:\n        torch.set_grad_enabled(True)\n    if not x:\n        " TRAIN, ""},
		{"for others, beside what trains", "def f():\n    " OFF "def g():\n  for x in loader:\n    " TRAIN, "2 grad-left flow\n"},
		{"for others, beside what switches it on", "def f():\n    " OFF "def g():\n  torch.set_grad_enabled(True)\n  for x in loader:\n    " TRAIN, ""},
	};
	FLOW_CHECK(cases);
}

static void a_mode_on_a_function_is_not_on_the_function_it_was_made_of(void **state)
{
	static const struct flow_case cases[] = {
		{"by its new name", "def f():\n  net.eval()\n  for x in loader:\n    print(net(x).argmax())\ng = torch.no_grad()(f)\ng()\n", ""},
		{"by its old name", "def f():\n  net.eval()\n  for x in loader:\n    print(net(x).argmax())\ng = torch.no_grad()(f)\ng()\nf()\n", "4 forward flow step@3\n"},
		{"by its own name", "def f():\n  net.eval()\n  for x in loader:\n    print(net(x).argmax())\nf = torch.no_grad()(f)\n", ""},
		{"wrapped for others", "def w(h):\n  def inner(*a):\n    with torch.no_grad():\n      return h(*a)\n  return inner\n@w\ndef f(m):\n  m.eval()\n  for x in loader:\n    print(m(x).argmax())\n@w\ndef g(m):\n  m.eval()\n", ""},
	};
	FLOW_CHECK(cases);
}

static void a_module_that_asks_for_its_mode_gets_it(void **state)
{
#define CLASS "class M(nn.Module):\n  def __init__(self):\n    super().__init__()\n    self.l = nn.Linear(1, 1)\n  def forward(self, x):\n"
#define USE "m = M()\nm.eval()\nfor x in loader:\n    print(m(x).argmax())\n"
	static const struct flow_case cases[] = {
		{"and switches grad off", CLASS "    with torch.set_grad_enabled(self.training):\n      return self.l(x)\n" USE, ""},
		{"and does so in a branch", CLASS "    if not self.training:\n      with torch.no_grad():\n        return self.l(x)\n    return self.l(x)\n" USE, ""},
		{"and does so only while it trains", CLASS "    if self.training:\n      with torch.no_grad():\n        return self.l(x)\n    return self.l(x)\n" USE, "13 forward flow step@12\n"},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forwards_without_need_of_a_graph_are_told),
		cmocka_unit_test(optimizers_of_what_no_gradient_reaches_are_told),
		cmocka_unit_test(modes_switched_off_by_statement_are_told_where_something_trains_under_them),
		cmocka_unit_test(a_mode_on_a_function_is_not_on_the_function_it_was_made_of),
		cmocka_unit_test(a_module_that_asks_for_its_mode_gets_it),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
