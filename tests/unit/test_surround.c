#include "rule/surround.h"

#include "fix_fixture.h"

#define EVAL "def evaluate(net, loader):\n"

static void a_function_that_only_evaluates_is_decorated(void **state)
{
	fix_check("import torch\nnet = torch.nn.Linear(1, 1)\n\ndef evaluate(net, loader):\n    net.eval()\n    n = 0\n"
		  "    for x, y in loader:\n        n += (net(x).argmax(1) == y).sum().item()\n    return n\n\nprint(evaluate(net, loader))\n",
		  "import torch\nnet = torch.nn.Linear(1, 1)\n\n@torch.no_grad()\ndef evaluate(net, loader):\n    net.eval()\n    n = 0\n"
		  "    for x, y in loader:\n        n += (net(x).argmax(1) == y).sum().item()\n    return n\n\nprint(evaluate(net, loader))\n",
		  true);
	/* closest to the function, as a property or a static method is no function any more */
	fix_check("import torch as th\nnet = th.nn.Linear(1, 1)\n\n@timed\ndef evaluate(net, loader):\n\tnet.eval()\n\tn = 0\n"
		  "\tfor x, y in loader:\n\t\tn += (net(x).argmax(1) == y).sum().item()\n\treturn n\n\nprint(evaluate(net, loader))\n",
		  "import torch as th\nnet = th.nn.Linear(1, 1)\n\n@timed\n@th.no_grad()\ndef evaluate(net, loader):\n\tnet.eval()\n\tn = 0\n"
		  "\tfor x, y in loader:\n\t\tn += (net(x).argmax(1) == y).sum().item()\n\treturn n\n\nprint(evaluate(net, loader))\n",
		  true);
}

/* What it calls for that may be called by other files to train. */
static void the_function_with_the_loop_is_decorated(void **state)
{
	fix_check("def scores(net, x):\n    return net(x)\n\ndef evaluate(net, held_out):\n    n = 0\n    net.eval()\n    for x, y in held_out:\n"
		  "        n += (scores(net, x).argmax(1) == y).sum().item()\n    return n\n\nimport torch\n\nprint(evaluate(torch.nn.Linear(1, 1), a))\n",
		  "import torch\ndef scores(net, x):\n    return net(x)\n\n@torch.no_grad()\ndef evaluate(net, held_out):\n    n = 0\n    net.eval()\n"
		  "    for x, y in held_out:\n        n += (scores(net, x).argmax(1) == y).sum().item()\n    return n\n\nimport torch\n\n"
		  "print(evaluate(torch.nn.Linear(1, 1), a))\n",
		  true);
	/* with nothing before it */
	fix_check("def evaluate(net, held_out):\n    n = 0\n    net.eval()\n    for x, y in held_out:\n"
		  "        n += (scores(net, x).argmax(1) == y).sum().item()\n    return n\n\ndef scores(net, x):\n    return net(x)\n\n"
		  "from torch import nn\n\nprint(evaluate(nn.Linear(1, 1), a))\n",
		  "import torch\n@torch.no_grad()\ndef evaluate(net, held_out):\n    n = 0\n    net.eval()\n    for x, y in held_out:\n"
		  "        n += (scores(net, x).argmax(1) == y).sum().item()\n    return n\n\ndef scores(net, x):\n    return net(x)\n\n"
		  "from torch import nn\n\nprint(evaluate(nn.Linear(1, 1), a))\n",
		  true);
	/* the loop does more than that */
	fix_check(FIX_HEAD "def count(x, y):\n    net.eval()\n    return (net(x).argmax(1) == y).sum().item()\n\nfor x, y in a:\n    net.train()\n"
			   FIX_STEP "    print(count(x, y))\n",
		  FIX_HEAD "@torch.no_grad()\ndef count(x, y):\n    net.eval()\n    return (net(x).argmax(1) == y).sum().item()\n\nfor x, y in a:\n"
			   "    net.train()\n" FIX_STEP "    print(count(x, y))\n",
		  true);
}

static void an_import_that_lacks_is_added(void **state)
{
	fix_check("\"\"\"What it does.\"\"\"\nfrom __future__ import annotations\nfrom torch import nn\nnet = nn.Linear(1, 1)\nnet.eval()\n"
		  "for x, y in loader:\n    print((net(x).argmax(1) == y).sum().item())\n",
		  "\"\"\"What it does.\"\"\"\nfrom __future__ import annotations\nimport torch\nfrom torch import nn\nnet = nn.Linear(1, 1)\nnet.eval()\n"
		  "with torch.no_grad():\n    for x, y in loader:\n        print((net(x).argmax(1) == y).sum().item())\n",
		  true);
	/* one that is tried for is one */
	fix_check("try:\n    import torch\n    from torch import nn\nexcept ImportError:\n    torch = None\nnet = nn.Linear(1, 1)\nnet.eval()\n"
		  "for x, y in loader:\n    print((net(x).argmax(1) == y).sum().item())\n",
		  "try:\n    import torch\n    from torch import nn\nexcept ImportError:\n    torch = None\nnet = nn.Linear(1, 1)\nnet.eval()\n"
		  "with torch.no_grad():\n    for x, y in loader:\n        print((net(x).argmax(1) == y).sum().item())\n",
		  true);
}

/* What is imported further down, or where nobody may get to, is not there yet. */
static void an_import_counts_from_its_place_on(void **state)
{
#define LOOPS(name) "def " name "(net, loader):\n    net.eval()\n    for x, y in loader:\n        print((net(x).argmax(1) == y).sum().item())\n\n"
#define CALLS "net = th.nn.Linear(1, 1)\nfirst(net, a)\nsecond(net, a)\n"
	fix_check("# why\n" LOOPS("first") "if x:\n    import torch as th\nelse:\n    import torch\n\n" LOOPS("second") CALLS,
		  "# why\nimport torch\n@torch.no_grad()\n" LOOPS("first") "if x:\n    import torch as th\nelse:\n    import torch\n\n"
		  "@th.no_grad()\n" LOOPS("second") CALLS,
		  true);
	fix_check("try:\n    if x:\n        import os, torch as th\nexcept ImportError:\n    import torch\nimport re\n\n" LOOPS("first") LOOPS("second") CALLS,
		  "try:\n    if x:\n        import os, torch as th\nexcept ImportError:\n    import torch\nimport re\n\n@th.no_grad()\n" LOOPS("first")
		  "@th.no_grad()\n" LOOPS("second") CALLS,
		  true);
#undef CALLS
#undef LOOPS
}

/* What a program prints as its texts does not move with its code. */
static void texts_of_several_lines_stay(void **state)
{
	fix_check("import torch\nnet = torch.nn.Linear(1, 1)\nnet.eval()\nfor x, y in loader:\n    # why\n    n = (net(x).argmax(1) == y).sum()\n\n"
		  "    print(f\"\"\"\n  {n.item()}\n\"\"\", '''a\nb''')  # end\n",
		  "import torch\nnet = torch.nn.Linear(1, 1)\nnet.eval()\nwith torch.no_grad():\n    for x, y in loader:\n        # why\n"
		  "        n = (net(x).argmax(1) == y).sum()\n\n        print(f\"\"\"\n  {n.item()}\n\"\"\", '''a\nb''')  # end\n",
		  true);
}

static void lines_end_as_they_did(void **state)
{
	fix_check("import torch\r\nnet = torch.nn.Linear(1, 1)\r\nnet.eval()\r\nfor x, y in loader:\r\n\tprint((net(x).argmax(1) == y).sum().item())\r\n",
		  "import torch\r\nnet = torch.nn.Linear(1, 1)\r\nnet.eval()\r\nwith torch.no_grad():\r\n\tfor x, y in loader:\r\n\t\tprint((net(x).argmax(1) == y).sum().item())\r\n",
		  true);
}

static void what_trains_is_left_out(void **state)
{
	/* the function trains elsewhere: the loop alone */
	fix_check(FIX_HEAD "def run(net):\n    for x in loader:\n        net(x).mean().backward()\n        opt.step(); opt.zero_grad()\n    net.eval()\n"
			   "    for x, y in held_out:\n        print((net(x).argmax(1) == y).sum().item())\nrun(net)\n",
		  FIX_HEAD "def run(net):\n    for x in loader:\n        net(x).mean().backward()\n        opt.step(); opt.zero_grad()\n    net.eval()\n"
			   "    with torch.no_grad():\n        for x, y in held_out:\n            print((net(x).argmax(1) == y).sum().item())\nrun(net)\n",
		  true);
	/* so does what it calls */
	fix_check(FIX_HEAD "def learn(net):\n    for x in loader:\n        net(x).mean().backward()\n        opt.step(); opt.zero_grad()\n"
			   "def run(net):\n    learn(net)\n    net.eval()\n"
			   "    for x, y in held_out:\n        print((net(x).argmax(1) == y).sum().item())\nrun(net)\n",
		  FIX_HEAD "def learn(net):\n    for x in loader:\n        net(x).mean().backward()\n        opt.step(); opt.zero_grad()\n"
			   "def run(net):\n    learn(net)\n    net.eval()\n"
			   "    with torch.no_grad():\n        for x, y in held_out:\n            print((net(x).argmax(1) == y).sum().item())\nrun(net)\n",
		  true);
}

/* Who trains is told from what the file defines and imports, not from what it says of that. */
static void what_is_called_is_looked_up(void **state)
{
#define HEAD "import json, mine\n" FIX_HEAD "from mine import score as rate\nfrom torch import rand\n# def score(): import helper\n"
#define QUIET(call)                                                                                                    \
	fix_check(HEAD "net.eval()\nfor x, y in loader:\n    print((net(x).argmax(1) == y).sum().item(), " call ")\n",     \
		  HEAD "net.eval()\nwith torch.no_grad():\n    for x, y in loader:\n"                                   \
		       "        print((net(x).argmax(1) == y).sum().item(), " call ")\n",                                  \
		  true)
#define LOUD(call) fix_check(HEAD "net.eval()\nfor x, y in loader:\n    print((net(x).argmax(1) == y).sum().item(), " call ")\n", NULL, true)
	QUIET("json.dumps(x)");
	QUIET("helper(x)");
	QUIET("helper.run(x)");
	QUIET("rand(x)");
	LOUD("mine.run(x)");
	LOUD("rate(x)");
	LOUD("update(x)");
	LOUD("tuner.train(x)");
	QUIET("tuner.train(x), tuner.eval()");
	/* of a class, the method of that class */
#define CLASSES(first, second)                                                                                         \
	FIX_HEAD "class A:\n    def run(self, x):\n        " first "\n\nclass B:\n    def run(self, x):\n        " second    \
		 "\n\n"
#define LOOP "    def evaluate(self, loader):\n        net.eval()\n        for x, y in loader:\n            self.run(x)\n"
#define COUNT "print((net(x).argmax(1) == y).sum().item())\n\nB().evaluate(a)\n"
	fix_check(CLASSES("x.backward()", "print(x)") LOOP "            " COUNT,
		  CLASSES("x.backward()", "print(x)") "    @torch.no_grad()\n" LOOP "            " COUNT, true);
	fix_check(CLASSES("print(x)", "x.backward()") LOOP "            " COUNT,
		  CLASSES("print(x)", "x.backward()") LOOP "            with torch.no_grad():\n                " COUNT, true);
	/* or else what it was given */
	fix_check(CLASSES("pass", "self.extra = 1") "    def evaluate(self, loader):\n        net.eval()\n        for x, y in loader:\n"
		  "            print(self.extra(net(x)).argmax(1).item())\n\nB().evaluate(a)\n",
		  CLASSES("pass", "self.extra = 1") "    @torch.no_grad()\n    def evaluate(self, loader):\n        net.eval()\n        for x, y in loader:\n"
		  "            print(self.extra(net(x)).argmax(1).item())\n\nB().evaluate(a)\n",
		  true);
	fix_check(CLASSES("pass", "self.extras = 1") "    def evaluate(self, loader):\n        net.eval()\n        for x, y in loader:\n"
		  "            print(self.extra(net(x)).argmax(1).item())\n\nB().evaluate(a)\n",
		  NULL, true);
#undef LOOP
}

static void a_teacher_gets_its_statement(void **state)
{
	fix_check(FIX_HEAD "teacher = nn.Linear(1, 1)\nteacher.eval()\nfor x in loader:\n    goal = teacher(x)  # soft\n"
			   "    loss = (net(x) - goal.detach()).mean()\n    loss.backward()\n    opt.step(); opt.zero_grad()\n",
		  FIX_HEAD "teacher = nn.Linear(1, 1)\nteacher.eval()\nfor x in loader:\n    with torch.no_grad():\n        goal = teacher(x)  # soft\n"
			   "    loss = (net(x) - goal.detach()).mean()\n    loss.backward()\n    opt.step(); opt.zero_grad()\n",
		  true);
	/* which has no line of its own */
	fix_check(FIX_HEAD "teacher = nn.Linear(1, 1)\nteacher.eval()\nfor x in loader:\n    goal = teacher(x); print(1)\n"
			   "    loss = (net(x) - goal.detach()).mean()\n    loss.backward()\n    opt.step(); opt.zero_grad()\n",
		  NULL, true);
}

/* One function for training and for evaluation: what is right for one would take the graph from the other. */
static void what_training_calls_as_well_keeps_its_graph(void **state)
{
#define SHARED FIX_HEAD "def scores(net, x):\n    return net(x)\n\ndef fit(net, loader, held_out):\n    net.train()\n" \
			"    for x, y in loader:\n        opt.zero_grad()\n        (scores(net, x) - y).mean().backward()\n        opt.step()\n" \
			"    net.eval()\n    n = 0\n"
	fix_check(SHARED "    for x, y in held_out:\n        n += (scores(net, x).argmax(1) == y).sum().item()\n    return n\n\nfit(net, a, b)\n",
		  SHARED "    with torch.no_grad():\n        for x, y in held_out:\n            n += (scores(net, x).argmax(1) == y).sum().item()\n"
			 "    return n\n\nfit(net, a, b)\n",
		  true);
	/* a loop that does both */
	fix_check(FIX_HEAD "def run(net, loader, training):\n    net.train(training)\n    n = 0\n    for x, y in loader:\n"
			   "        loss = (net(x) - y).mean()\n        if training:\n            opt.zero_grad()\n            loss.backward()\n"
			   "            opt.step()\n        n += loss.item()\n    return n\n\nrun(net, a, True)\nrun(net, b, False)\n",
		  NULL, true);
	/* the caller of the one that trains is out of sight */
	fix_check(FIX_HEAD "def scores(net, x):\n    return net(x)\n\ndef step(x):\n    net.train()\n    return scores(net, x)\n\n"
			   "def evaluate(held_out):\n    n = 0\n    net.eval()\n    for x, y in held_out:\n"
			   "        n += (scores(net, x).argmax(1) == y).sum().item()\n    return n\n\nevaluate(a)\n",
		  FIX_HEAD "def scores(net, x):\n    return net(x)\n\ndef step(x):\n    net.train()\n    return scores(net, x)\n\n"
			   "@torch.no_grad()\ndef evaluate(held_out):\n    n = 0\n    net.eval()\n    for x, y in held_out:\n"
			   "        n += (scores(net, x).argmax(1) == y).sum().item()\n    return n\n\nevaluate(a)\n",
		  true);
}

/* enable_grad comes last and wins: a context further out would change nothing. */
static void grad_is_off_inside_of_what_switches_it_on(void **state)
{
#define ON FIX_HEAD "@torch.enable_grad()\ndef scores(x):\n"
#define LOOP "\ndef evaluate(a):\n    net.eval()\n    for x, y in a:\n        print((scores(x).argmax(1) == y).sum().item())\n\nevaluate(a)\n"
	fix_check(ON "    return net(x)\n" LOOP, ON "    with torch.no_grad():\n        return net(x)\n" LOOP, true);
}

static void it_is_never_safe(void **state)
{
	fix_check("import torch\nnet = torch.nn.Linear(1, 1)\nnet.eval()\nfor x, y in loader:\n    print((net(x).argmax(1) == y).sum().item())\n",
		  NULL, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_that_only_evaluates_is_decorated),
		cmocka_unit_test(the_function_with_the_loop_is_decorated),
		cmocka_unit_test(an_import_that_lacks_is_added),
		cmocka_unit_test(an_import_counts_from_its_place_on),
		cmocka_unit_test(texts_of_several_lines_stay),
		cmocka_unit_test(lines_end_as_they_did),
		cmocka_unit_test(what_trains_is_left_out),
		cmocka_unit_test(what_is_called_is_looked_up),
		cmocka_unit_test(a_teacher_gets_its_statement),
		cmocka_unit_test(what_training_calls_as_well_keeps_its_graph),
		cmocka_unit_test(grad_is_off_inside_of_what_switches_it_on),
		cmocka_unit_test(it_is_never_safe),
	};

	return cmocka_run_group_tests(tests, fix_set_up, fix_tear_down);
}
