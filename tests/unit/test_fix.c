#include "rule/fix.h"

#include <time.h>

#include "fix_fixture.h"

#define STEP FIX_HEAD "xs, total = [], 0\nfor x in loader:\n" FIX_STEP

static void detach_goes_behind_what_is_kept(void **state)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
		{"xs.append(loss)", "xs.append(loss.detach())"},
		{"xs.append(loss * 2)", "xs.append((loss * 2).detach())"},
		{"xs.append((loss))", "xs.append((loss.detach()))"},
		{"xs += [loss]", "xs += [loss.detach()]"},
		{"total += loss", "total += loss.detach()"},
		{"total = total + loss", "total = total + loss.detach()"},
		{"total = loss / 2 + total", "total = (loss / 2).detach() + total"},
		{"total = 0.9 * total + 0.1 * loss", "total = (0.9 * total + 0.1 * loss).detach()"},
		{"total, n = total + loss, 1", "total, n = total + loss.detach(), 1"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf before = BUF_INIT, after = BUF_INIT;

		buf_format(&before, STEP "    %s  # why\nprint(sum(xs), total)\n", cases[i].before);
		buf_format(&after, STEP "    %s  # why\nprint(sum(xs), total)\n", cases[i].after);
		fix_check(before.bytes, after.bytes, true);
		buf_release(&before);
		buf_release(&after);
	}
}

#define METER                                                                                                          \
	FIX_HEAD "class Meter:\n    def __init__(self):\n        self.total = 0\n"                                       \
		 "    def update(self, v, n=1):\n        self.total += v * n\nm = Meter()\nfor x in loader:\n"

/* A generator has no detach(), what it yields has. */
static void what_is_taken_one_by_one_is_detached_one_by_one(void **state)
{
#define YIELDS FIX_HEAD "def run(net):\n    for x in loader:\n        loss = net(x).mean()\n        opt.zero_grad()\n        loss.backward()\n" \
			"        opt.step()\n        yield loss\n\n"
	fix_check(YIELDS "a = list(run(net))\n", YIELDS "a = list(value.detach() for value in run(net))\n", true);
	fix_check(YIELDS "a = []\na += run(net)\n", YIELDS "a = []\na += [value.detach() for value in run(net)]\n", true);
	fix_check(YIELDS "a = []\na.extend(run(net))\n", YIELDS "a = []\na.extend(value.detach() for value in run(net))\n", true);
}

static void what_is_handed_down_is_detached_on_the_way(void **state)
{
	fix_check(METER FIX_STEP "    m.update(loss, len(x))\nprint(m.total)\n",
		  METER FIX_STEP "    m.update(loss.detach(), len(x))\nprint(m.total)\n", true);
	fix_check(METER FIX_STEP "    m.update(v=loss)\nprint(m.total)\n", METER FIX_STEP "    m.update(v=loss.detach())\nprint(m.total)\n",
		  true);
	fix_check(METER FIX_STEP "    m.update(loss)\nprint(m.total.item())\n", NULL, false);
	/* before backward, or which of the two? */
	fix_check(METER "    loss = net(x).mean()\n    m.update(loss)\n    loss.backward()\n    opt.step(); opt.zero_grad()\nprint(m.total)\n",
		  NULL, true);
	fix_check(METER FIX_STEP "    m.update(loss, loss)\nprint(m.total)\n", NULL, true);
}

/* Where the tensor is not plain to see, there is no fix. */
static void nothing_is_guessed(void **state)
{
	static const char *const stores[] = {
		"xs.append((x, loss))",
		"xs.append({'loss': loss})",
		"xs.append(loss if x else None)",
		"total = total + (loss if x else 0)",
		"row = {'loss': loss}; xs.append(row)",
		"xs = xs + [loss]", /* for all it knows a list in a list */
	};

	for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
		struct buf before = BUF_INIT;

		buf_format(&before, STEP "    %s\nprint(xs, total)\n", stores[i]);
		fix_check(before.bytes, NULL, true);
		buf_release(&before);
	}
}

#define LOOP "import gc\n" FIX_HEAD "for x in loader:\n" FIX_STEP

static void statements_go_with_their_line(void **state)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
		{"    gc.collect()\n", ""},
		{"    gc.collect()  # keep me\n", "    # keep me\n"},
		{"    x = 1; gc.collect()\n", "    x = 1; pass\n"},
		{"    gc.collect(); x = 1\n", "    pass; x = 1\n"},
		{"    try: gc.collect()\n    finally: x = 1\n", "    try: pass\n    finally: x = 1\n"},
		{"    try:\n        # why\n        gc.collect()\n    finally:\n        x = 1\n",
		 "    try:\n        # why\n        pass\n    finally:\n        x = 1\n"},
		{"\n    gc.collect()\n\n    x = 1\n", "\n    x = 1\n"},
		{"\n    gc.collect()\n    \t\n\n    x = 1\n", "\n\n    x = 1\n"},
		{"    gc.collect()\n\n    x = 1\n", "\n    x = 1\n"},
		{"\n    gc.collect()\n", "\n"},
		{"    gc.collect(2)", ""},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf before = BUF_INIT, after = BUF_INIT;

		buf_format(&before, LOOP "%s", cases[i].before);
		buf_format(&after, LOOP "%s", cases[i].after);
		fix_check(before.bytes, after.bytes, true);
		fix_check(before.bytes, NULL, false);
		buf_release(&before);
		buf_release(&after);
	}
	fix_check(LOOP "    print(gc.collect())\n", NULL, true);
	fix_check(LOOP "    gc.collect(x)\n", NULL, true);
}

#define RETAIN(arguments)                                                                                              \
	FIX_HEAD "for x in loader:\n    loss = net(x).mean()\n    loss.backward" arguments "\n    opt.step(); opt.zero_grad()\n"

static void arguments_go_with_their_comma(void **state)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
		{RETAIN("(retain_graph=True)"), RETAIN("()")},
		{RETAIN("( retain_graph = True )"), RETAIN("(  )")},
		{RETAIN("(retain_graph=True, inputs=None)"), RETAIN("(inputs=None)")},
		{RETAIN("(inputs=None, retain_graph=True)"), RETAIN("(inputs=None)")},
		{RETAIN("(inputs=None, retain_graph=True,)"), RETAIN("(inputs=None, )")},
		{RETAIN("(\n        retain_graph=True,  # why\n        inputs=None,\n    )"),
		 RETAIN("(\n          # why\n        inputs=None,\n    )")},
		{RETAIN("(\n        inputs=None,  # all\n        retain_graph=True\n    )"), NULL},
		{RETAIN("(None, True)"), NULL},
		{RETAIN("(**options)"), NULL},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		fix_check(cases[i].before, cases[i].after, true);
}

/* A later step's backward may be what keeps the graph. */
static void what_carries_a_graph_comes_first(void **state)
{
	fix_check(FIX_HEAD "rnn = nn.GRU(1, 1)\nh = torch.zeros(1, 1, 1)\nfor x in loader:\n    out, h = rnn(x, h)\n"
			   "    out.mean().backward(retain_graph=True)\n    opt.step(); opt.zero_grad()\n",
		  NULL, true);
}

static void fixes_are_counted_by_rule(void **state)
{
	struct fix_outcome outcome;
	char *text = fix_text("import gc\n" STEP "    gc.collect()\n    xs.append(loss)\n    total += loss\nplot(xs, total)\n", true, &outcome);

	assert_int_equal(outcome.count, 3);
	assert_int_equal(outcome.rule_count, 3);
	assert_string_equal(outcome.rules[0].rule->code, "VL101");
	assert_string_equal(outcome.rules[1].rule->code, "VL102");
	assert_string_equal(outcome.rules[2].rule->code, "VL501");
	assert_int_equal(outcome.rules[2].count, 1);
	assert_int_equal(outcome.refusals.length, 0);
	assert_int_equal(outcome.result.finding_count, 0);
	free(text);
	fix_outcome_release(&outcome);
}

static void what_cannot_be_read_as_a_whole_is_left_alone(void **state)
{
	struct fix_outcome outcome;
	char *text = fix_text(STEP "    xs.append(loss)\nplot(xs)\n) = = 1\n", true, &outcome);

	assert_int_equal(outcome.count, 0);
	assert_non_null(strstr(outcome.refusals.bytes, "was not fixed: it cannot be read as a whole"));
	free(text);
	fix_outcome_release(&outcome);
}

/* Thousands of findings, each of which looks through the same function. */
static void many_fixes_take_no_time(void **state)
{
	struct buf text = BUF_INIT;
	double started = (double)clock() / CLOCKS_PER_SEC;
	char *fixed;

	buf_add_text(&text, FIX_HEAD "def f(net, xs):\n  for x in loader:\n    loss = net(x).mean()\n    loss.backward()\n    opt.step(); opt.zero_grad()\n");
	for (int i = 0; i < 3000; i++)
		buf_format(&text, "    xs[%d].append(loss)\n", i);
	buf_add_text(&text, "xs = [[]]\nf(net, xs)\nf(net, xs)\n");
	fixed = fix_text(text.bytes, true, NULL);
	free(fixed);
	assert_true((double)clock() / CLOCKS_PER_SEC - started < 30);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(detach_goes_behind_what_is_kept),
		cmocka_unit_test(what_is_taken_one_by_one_is_detached_one_by_one),
		cmocka_unit_test(what_is_handed_down_is_detached_on_the_way),
		cmocka_unit_test(nothing_is_guessed),
		cmocka_unit_test(statements_go_with_their_line),
		cmocka_unit_test(arguments_go_with_their_comma),
		cmocka_unit_test(what_carries_a_graph_comes_first),
		cmocka_unit_test(fixes_are_counted_by_rule),
		cmocka_unit_test(what_cannot_be_read_as_a_whole_is_left_alone),
		cmocka_unit_test(many_fixes_take_no_time),
	};

	return cmocka_run_group_tests(tests, fix_set_up, fix_tear_down);
}
