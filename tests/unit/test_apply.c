#include "flow_fixture.h"

#define LOSS "    loss = crit(net(x), x)\n"
#define STEP LOSS "    loss.backward()\n    opt.step(); opt.zero_grad()\n"
#define LOOP "for x in loader:\n" STEP "    "

static void conversions_end_the_graph(void **state)
{
	static const struct flow_case cases[] = {
		{"item", "xs = []\n" LOOP "xs.append(loss.item())\n", ""},
		{"tolist", "xs = []\n" LOOP "xs.append(loss.tolist())\n", ""},
		{"float", "xs = []\n" LOOP "xs.append(float(loss))\n", ""},
		{"detach", "xs = []\n" LOOP "xs.append(loss.detach())\n", ""},
		{"data", "xs = []\n" LOOP "xs.append(loss.data)\n", ""},
		{"numpy", "xs = []\n" LOOP "xs.append(loss.detach().cpu().numpy())\n", ""},
		{"text", "xs = []\n" LOOP "xs.append(str(loss))\n", ""},
		{"len", "xs = []\n" LOOP "xs.append(len(loss))\n", ""},
		{"shape", "xs = []\n" LOOP "xs.append(loss.shape)\n", ""},
		{"argmax", "xs = []\n" LOOP "xs.append(net(x).argmax(1))\n", ""},
		{"a new tensor", "xs = []\n" LOOP "xs.append(torch.tensor(loss))\n", ""},
		{"formatted", "xs = []\n" LOOP "xs.append(f'{loss}')\n", ""},
		{"formatted by percent", "xs = []\n" LOOP "xs.append('%s' % loss)\n", ""},
	};
	FLOW_CHECK(cases);
}

static void what_moves_or_views_keeps_it(void **state)
{
	static const struct flow_case cases[] = {
		{"cpu", "xs = []\n" LOOP "xs.append(loss.cpu())\n", "6 store unbounded freed flow step@2\n"},
		{"to", "xs = []\n" LOOP "xs.append(loss.to('cuda'))\n", "6 store unbounded freed flow step@2\n"},
		{"clone", "xs = []\n" LOOP "xs.append(loss.clone())\n", "6 store unbounded freed flow step@2\n"},
		{"view", "xs = []\n" LOOP "xs.append(loss.view(-1))\n", "6 store unbounded freed flow step@2\n"},
		{"index", "xs = []\n" LOOP "xs.append(loss[0])\n", "6 store unbounded freed flow step@2\n"},
		{"negation", "xs = []\n" LOOP "xs.append(-loss)\n", "6 store unbounded freed flow step@2\n"},
		{"a function of torch", "xs = []\n" LOOP "xs.append(torch.log(loss))\n", "6 store unbounded freed flow step@2\n"},
		{"stacked", "xs = []\n" LOOP "xs.append(torch.stack([loss, loss]))\n", "6 store unbounded freed flow step@2\n"},
		{"the values of a pair", "xs = []\n" LOOP "xs.append(torch.max(loss, 0)[0])\n", "6 store unbounded freed flow step@2\n"},
		{"the indices of a pair", "xs = []\n" LOOP "xs.append(torch.max(loss, 0)[1])\n", ""},
		{"by attribute of the pair", "xs = []\n" LOOP "xs.append(torch.topk(loss, 3).indices)\n", ""},
		{"requires_grad makes a leaf", "xs = []\nfor x in loader:\n" STEP "    w = torch.zeros(3, requires_grad=True)\n    xs.append(w * 2)\n", "7 store unbounded kept flow step@2\n"},
		{"without it there is none", "xs = []\nfor x in loader:\n" STEP "    w = torch.zeros(3)\n    xs.append(w * 2)\n", ""},
		{"parameters", "xs = []\n" LOOP "xs.append(sum(p.norm() for p in net.parameters()))\n", "6 store unbounded kept flow step@2\n"},
		{"parameters without their graph", "xs = []\n" LOOP "xs.append(sum(p.data.norm() for p in net.parameters()))\n", ""},
		{"values by attribute of the pair", "xs = []\n" LOOP "xs.append(torch.max(loss, 0).values)\n", "6 store unbounded freed flow step@2\n"},
		{"gradients of gradients", "xs = []\nfor x in loader:\n" STEP "    g = torch.autograd.grad(net(x), x, create_graph=True)[0]\n    xs.append(g)\n", "6 retain flow step@2\n7 store unbounded kept flow step@2\n"},
		{"gradients", "xs = []\nfor x in loader:\n" STEP "    g = torch.autograd.grad(net(x), x)[0]\n    xs.append(g)\n", ""},
	};
	FLOW_CHECK(cases);
}

static void backward_frees_what_it_walks(void **state)
{
	static const struct flow_case cases[] = {
		{"none", "xs = []\nfor x in loader:\n" LOSS "    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "5 store unbounded kept flow step@2\n"},
		{"behind the store", "xs = []\nfor x in loader:\n" LOSS "    xs.append(loss)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n", "4 store unbounded freed flow step@2\n"},
		{"retained", "xs = []\nfor x in loader:\n" LOSS "    loss.backward(retain_graph=True)\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "4 retain flow step@2\n6 store unbounded kept flow step@2\n"},
		{"not retained", "xs = []\nfor x in loader:\n" LOSS "    loss.backward(retain_graph=False)\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "6 store unbounded freed flow step@2\n"},
		{"create_graph keeps it too", "xs = []\nfor x in loader:\n" LOSS "    loss.backward(create_graph=True)\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "6 store unbounded kept flow step@2\n"},
		{"under a condition", "xs = []\nfor x in loader:\n" LOSS "    if x:\n        loss.backward()\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "7 store unbounded partly flow step@2\n"},
		{"on both sides of a condition", "xs = []\nfor x in loader:\n" LOSS "    if x:\n        loss.backward()\n    else:\n        (loss * 2).backward()\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "9 store unbounded freed flow step@2\n"},
		{"of something else", "xs = []\nfor x in loader:\n" LOSS "    other = net(x).sum()\n    other.backward()\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "7 store unbounded kept flow step@2\n"},
		{"of what was computed from it", "xs = []\nfor x in loader:\n" LOSS "    (loss * 2).backward()\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "6 store unbounded freed flow step@2\n"},
		{"of its data", "xs = []\nfor x in loader:\n" LOSS "    loss.detach().backward()\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "4 cut-trained flow step@2\n6 store unbounded kept flow step@2\n"},
		{"by torch.autograd.backward", "xs = []\nfor x in loader:\n" LOSS "    torch.autograd.backward(loss)\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "6 store unbounded freed flow step@2\n"},
		{"by torch.autograd.grad", "xs = []\nfor x in loader:\n" LOSS "    g = torch.autograd.grad(loss, x)\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "6 store unbounded freed flow step@2\n"},
		{"by a scaler", "xs = []\ns = torch.cuda.amp.GradScaler()\nfor x in loader:\n" LOSS "    s.scale(loss).backward()\n    s.step(opt)\n    xs.append(loss)\n", "7 store unbounded freed flow step@3\n"},
		{"only in a handler", "xs = []\nfor x in loader:\n" LOSS "    try:\n        risk()\n    except ValueError:\n        loss.backward()\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "9 store unbounded kept flow step@2\n"},
		{"by a closure of the optimizer", "xs = []\nfor x in loader:\n  def closure():\n" LOSS "    loss.backward()\n    xs.append(loss)\n    return loss\n  opt.step(closure)\n", "6 store unbounded freed flow step@2\n"},
		{"a number has no backward", "xs = []\nfor x in loader:\n" LOSS "    opt.step(); opt.zero_grad()\n    xs.append(loss.item())\n", ""},
		{"by an engine", "xs = []\nfor x in loader:\n" LOSS "    engine.backward(loss)\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n", "6 store unbounded freed flow step@2\n"},
	};
	FLOW_CHECK(cases);
}

static void frozen_modules_record_nothing(void **state)
{
	static const struct flow_case cases[] = {
		{"by method", "m = nn.Linear(1, 1)\nm.requires_grad_(False)\nxs = []\n" LOOP "xs.append(m(x))\n", ""},
		{"by a loop over its parameters", "m = nn.Linear(1, 1)\nfor p in m.parameters():\n    p.requires_grad = False\nxs = []\n" LOOP "xs.append(m(x))\n", ""},
		{"thawed", "m = nn.Linear(1, 1)\nm.requires_grad_(False)\nm.requires_grad_(True)\nxs = []\n" LOOP "xs.append(m(x))\n", "9 store unbounded kept flow step@5\n"},
		{"under a condition", "m = nn.Linear(1, 1)\nif flag:\n    m.requires_grad_(False)\nxs = []\n" LOOP "xs.append(m(x))\n", "9 store unbounded kept flow step@5\n"},
		{"another module is", "m = nn.Linear(1, 1)\nm.requires_grad_(False)\nxs = []\n" LOOP "xs.append(net(x))\n", "8 store unbounded kept flow step@4\n"},
		{"a copy is frozen apart", "import copy\nm = copy.deepcopy(net)\nm.requires_grad_(False)\nxs = []\n" LOOP "xs.append(net(x))\n", "9 store unbounded kept flow step@5\n"},
		{"a part of it", "m = nn.Sequential(net, nn.Linear(1, 1))\nm.requires_grad_(False)\nxs = []\n" LOOP "xs.append(net(x))\n", ""},
		{"what went in with a graph comes out with it", "m = nn.Linear(1, 1)\nm.requires_grad_(False)\nxs = []\n" LOOP "xs.append(m(net(x)))\n", "8 store unbounded kept flow step@4\n"},
		{"their parameters", "m = nn.Linear(1, 1)\nm.requires_grad_(False)\nxs = []\n" LOOP "xs.append(sum(p.norm() for p in m.parameters()))\n", ""},
	};
	FLOW_CHECK(cases);
}

static void loggers_are_told(void **state)
{
	static const struct flow_case cases[] = {
		{"print", LOOP "print(loss)\n", "5 log flow step@1\n"},
		{"print with text", LOOP "print('loss', 1, loss)\n", "5 log flow step@1\n"},
		{"print of an f-string", LOOP "print(f'{loss}')\n", "5 log flow step@1\n"},
		{"print of percent", LOOP "print('%s' % loss)\n", "5 log flow step@1\n"},
		{"print of a number", LOOP "print(loss.item())\n", ""},
		{"print outside a loop", LOOP "pass\nprint(loss)\n", ""},
		{"logging", "import logging\n" LOOP "logging.info('%s', loss)\n", "6 log flow step@2\n"},
		{"a writer", "from torch.utils.tensorboard import SummaryWriter\nw = SummaryWriter()\n" LOOP "w.add_scalar('a', loss, 1)\n", "7 log flow step@3\n"},
		{"a writer, a number", "from torch.utils.tensorboard import SummaryWriter\nw = SummaryWriter()\n" LOOP "w.add_scalar('a', loss.item(), 1)\n", ""},
		{"a dict", "import wandb\n" LOOP "wandb.log({'loss': loss})\n", "6 log flow step@2\n"},
		{"a bar", "from tqdm import tqdm\nbar = tqdm(loader)\nfor x in bar:\n" STEP "    bar.set_postfix(loss=loss)\n", "7 log flow step@3\n"},
		{"in a helper", "def show(v):\n    print(v)\n" LOOP "show(loss)\n", "7 log flow step@3\n"},
	};
	FLOW_CHECK(cases);
}

static void containers_are_read_as_the_library_says(void **state)
{
	static const struct flow_case cases[] = {
		{"sum of a list", "xs = []\n" LOOP "xs.append(sum([loss, 1]))\n", "6 store unbounded freed flow step@2\n"},
		{"zip", "xs = []\nfor x in loader:\n" STEP "    for a, b in zip([loss], [1]):\n        xs.append(b)\n", ""},
		{"zip, the other", "xs = []\nfor x in loader:\n" STEP "    for a, b in zip([loss], [1]):\n        xs.append(a)\n", "7 store unbounded freed flow step@2\n"},
		{"enumerate", "xs = []\nfor x in loader:\n" STEP "    for i, v in enumerate([loss]):\n        xs.append(i)\n", ""},
		{"items", "xs = []\nfor x in loader:\n" STEP "    for k, v in {'a': loss}.items():\n        xs.append(k)\n", ""},
		{"values", "xs = []\nfor x in loader:\n" STEP "    for v in {'a': loss}.values():\n        xs.append(v)\n", "7 store unbounded freed flow step@2\n"},
		{"get", "xs = []\n" LOOP "xs.append({'a': loss}.get('a'))\n", "6 store unbounded freed flow step@2\n"},
		{"map", "xs = []\n" LOOP "xs.extend(map(float, [loss]))\n", ""},
		{"map of the identity", "xs = []\n" LOOP "xs.extend(map(lambda v: v, [loss]))\n", "6 store unbounded freed flow step@2\n"},
		{"a copy", "xs = []\n" LOOP "xs.append(list([loss]))\n", "6 store unbounded freed flow step@2\n"},
		{"a copy is another", "xs = []\nfor x in loader:\n" STEP "    ys = list(xs)\n    ys.append(loss)\n", ""},
		{"popped", "xs = []\nfor x in loader:\n" STEP "    ys = [loss]\n    xs.append(ys.pop())\n", "7 store unbounded freed flow step@2\n"},
		{"defaultdict", "from collections import defaultdict\nd = defaultdict(list)\n" LOOP "d['a'].append(loss)\n", "7 store unbounded freed flow step@3\n"},
		{"a deep copy", "import copy\nxs = []\n" LOOP "xs.append(copy.deepcopy([loss for _ in x]))\n", "7 store unbounded freed flow step@3\n"},
		{"dict by name", "xs = []\n" LOOP "xs.append(dict(a=loss, b=1)['a'])\n", "6 store unbounded freed flow step@2\n"},
		{"dict by the other name", "xs = []\n" LOOP "xs.append(dict(a=loss, b=1)['b'])\n", ""},
		{"update", "d = {}\nxs = []\nfor x in loader:\n" STEP "    d.update(a=loss)\n    xs.append(d['a'])\n", "8 store unbounded freed flow step@3\n"},
	};
	FLOW_CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conversions_end_the_graph),
		cmocka_unit_test(what_moves_or_views_keeps_it),
		cmocka_unit_test(backward_frees_what_it_walks),
		cmocka_unit_test(frozen_modules_record_nothing),
		cmocka_unit_test(loggers_are_told),
		cmocka_unit_test(containers_are_read_as_the_library_says),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
