#include "flow_fixture.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"

static void loops_have_kinds(void **state)
{
	static const struct flow_case cases[] = {
		{"a loop that steps", "for x in loader:\n" STEP, "step@1\n"},
		{"around it", "for e in range(99):\n  for x in loader:\n" STEP, "epoch@1 step@2\n"},
		{"around a small number of epochs", "for e in range(3):\n  for x in loader:\n" STEP, "epoch@1 step@2\n"},
		{"two around", "for r in range(99):\n for e in range(99):\n  for x in loader:\n" STEP, "epoch@1 epoch@2 step@3\n"},
		{"no optimizer: the innermost backward", "for e in range(99):\n  for x in loader:\n    net(x).sum().backward()\n", "epoch@1 step@2\n"},
		{"no backward: the innermost forward", "for e in range(99):\n  for x in loader:\n    net(x)\n", "epoch@1 step@2\n"},
		{"a phase without grad inside a step", "for x in loader:\n" STEP "    for y in val:\n        with torch.no_grad():\n            net(y)\n", "step@1 step@5\n"},
		{"neither", "for x in loader:\n    print(x)\n", "plain@1\n"},
		{"over a display", "for x in loader:\n" STEP "    for a in [1, 2]:\n        net(x)\n", "step@1 struct@5\n"},
		{"over parameters", "for x in loader:\n" STEP "    for p in net.parameters():\n        p.norm()\n", "step@1 struct@5\n"},
		{"over a small range", "for x in loader:\n" STEP "    for i in range(3):\n        net(x)\n", "step@1 struct@5\n"},
		{"over a small range that steps", "for i in range(3):\n    x = loader\n" STEP, "step@1\n"},
		{"over layers", "layers = nn.ModuleList([net, net])\nfor x in loader:\n  for l in layers:\n    x = l(x)\n  x.sum().backward()\n  opt.step(); opt.zero_grad()\n", "step@2 struct@3\n"},
		{"a retry", "for x in loader:\n  while True:\n   try:\n" STEP "    break\n   except RuntimeError:\n    pass\n", "step@1 retry@2\n"},
		{"while", "while going:\n    x = 1\n" STEP, "step@1\n"},
		{"a step in a callee", "def step(x):\n" STEP "for x in loader:\n    step(x)\n", "step@5\n"},
		{"over names and parameters", "for x in loader:\n" STEP "    for n, p in net.named_parameters():\n        p.norm()\n", "step@1 struct@5\n"},
		{"over what was made of parameters", "for x in loader:\n" STEP "    for v in [p.norm() for p in net.parameters()]:\n        net(v)\n", "step@1 struct@5 struct@5\n"},
		{"over a dict display", "for x in loader:\n" STEP "    for k in {'a': 1}:\n        net(x)\n", "step@1 struct@5\n"},
		{"over two loaders", "for x, y in zip(loader, other):\n" STEP, "step@1\n"},
		{"over few of the same", "for x in loader:\n" STEP "    for i in [0] * 3:\n        net(x)\n", "step@1 struct@5\n"},
		{"inside it, with the forward", "for x in loader:\n  for y in x:\n    net(y).sum().backward()\n  opt.step(); opt.zero_grad()\n", "step@1 intra@2\n"},
	};
	FLOW_CHECK_LOOPS(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_have_kinds),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
