#include "rule/reading.h"

#include "fix_fixture.h"

/* Whether the fix of a total is safe where REST follows the loop; FIRST is its start. */
static bool total_is_safe(const char *first, const char *rest)
{
	struct buf text = BUF_INIT;
	char *fixed;
	bool safe;

	buf_format(&text, FIX_HEAD "%s\nfor x in loader:\n" FIX_STEP "    total += loss\n%s\n", first, rest);
	fixed = fix_text(text.bytes, false, NULL);
	safe = strcmp(fixed, text.bytes) != 0;
	free(fixed);
	fixed = fix_text(text.bytes, true, NULL);
	if (!strstr(fixed, "loss.detach()"))
		fail_msg("no fix at all: %s", rest);
	free(fixed);
	buf_release(&text);
	return safe;
}

static bool list_is_safe(const char *first, const char *rest)
{
	struct buf text = BUF_INIT;
	char *fixed;
	bool safe;

	buf_format(&text, FIX_HEAD "%s\nfor x in loader:\n" FIX_STEP "    xs.append(loss)\n%s\n", first, rest);
	fixed = fix_text(text.bytes, false, NULL);
	safe = strcmp(fixed, text.bytes) != 0;
	free(fixed);
	buf_release(&text);
	return safe;
}

static void numbers_made_of_a_total_are_seen(void **state)
{
	static const char *const rests[] = {
		"print(total.item())",
		"print(float(total))",
		"print(total.item() / len(loader))",
		"print(f'{total / 10:.3f}')",
		"results = {}\nresults['loss'] = total\nprint(results['loss'].item())",
		"mean = total / 10\nprint(mean.item())",
		"print((total / 10).detach().cpu())",
		"if total > 3: print('high')",
		"import math\nprint(math.exp(total / 10))",
		"done = total.item() if total > 0 else 0",
		"total = 0.0",
		"del total",
		"",
	};

	for (size_t i = 0; i < sizeof rests / sizeof *rests; i++)
		if (!total_is_safe("total = 0.0", rests[i]))
			fail_msg("not safe: %s", rests[i]);
}

static void what_else_a_total_may_come_to_is_seen(void **state)
{
	static const char *const rests[] = {
		"print(total)",
		"print(f'{total!r}')",
		"print('%s' % total)",
		"print(str(total))",
		"report(total)",
		"report(value=total)",
		"results['loss'] = total",
		"self.total = total",
		"results = old\nresults['loss'] = total",
		"print(f'{total}')", /* a number only if it is known to be a scalar */
		"mean = total / 10\nprint(mean)",
		"mean = total / 10\nreport(mean)",
		"torch.save({'total': total}, 'x')",
		"def f():\n    return total",
		"def f(y=total):\n    return y",
		"print(total.requires_grad)",
		"best = total if total > 0 else None\nreport(best)",
		"print(total is loss)",
		"print(locals())",
		"exec('print(total)')",
		"h = lambda: total",
		"a = b = total",
		"a, b = total, 1\nreport(a)",
	};

	for (size_t i = 0; i < sizeof rests / sizeof *rests; i++)
		if (total_is_safe("total = 0.0", rests[i]))
			fail_msg("safe: %s", rests[i]);
	/* a second name for it from the start on */
	assert_false(total_is_safe("other = total = torch.zeros(1)", "print(total.item())"));
	assert_false(total_is_safe("total = other", "print(total.item())"));
}

static void numbers_made_of_a_list_are_seen(void **state)
{
	static const char *const rests[] = {
		"print(len(xs))",
		"print([x.item() for x in xs])",
		"print(sum(x.item() for x in xs) / len(xs))",
		"print((sum(xs) / len(xs)).item())",
		"print(torch.stack(xs).mean().item())",
		"print(f'{sum(xs) / len(xs):.3f}')",
		"print(xs[-1].item(), max(xs).item())",
		"for v in xs:\n    print(v.item())",
		"for i, v in enumerate(xs):\n    print(v.item())",
		"xs.clear()",
		"last = xs[-1]\nprint(float(last))",
		"if xs: print('some')",
	};

	for (size_t i = 0; i < sizeof rests / sizeof *rests; i++)
		if (!list_is_safe("xs = []", rests[i]))
			fail_msg("not safe: %s", rests[i]);
}

static void what_else_a_list_may_come_to_is_seen(void **state)
{
	static const char *const rests[] = {
		"print(xs)",
		"print(f'{xs}')",
		"plot(xs)",
		"print([x for x in xs])",
		"for x in xs:\n    print(x)",
		"for i, x in enumerate(xs):\n    report(i, x)",
		"print(xs[-1])",
		"ys = xs\nreport(ys)",
		"print(torch.stack(xs).mean())",
		"report(*xs)",
		"zs = [xs]\nreport(zs)",
	};

	for (size_t i = 0; i < sizeof rests / sizeof *rests; i++)
		if (list_is_safe("xs = []", rests[i]))
			fail_msg("safe: %s", rests[i]);
	assert_false(list_is_safe("xs = history", "print(len(xs))"));
}

/* Each name leads to two others; the search ends. */
static void a_maze_of_names_ends(void **state)
{
	struct buf text = BUF_INIT;

	for (int i = 0; i < 400; i++)
		buf_format(&text, "a%d = a%d + a%d\n", i + 1, i, i / 2);
	buf_add_text(&text, "a0 = total\nprint(a400)\n");
	assert_false(total_is_safe("total = 0.0", text.bytes));
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_made_of_a_total_are_seen),
		cmocka_unit_test(what_else_a_total_may_come_to_is_seen),
		cmocka_unit_test(numbers_made_of_a_list_are_seen),
		cmocka_unit_test(what_else_a_list_may_come_to_is_seen),
		cmocka_unit_test(a_maze_of_names_ends),
	};

	return cmocka_run_group_tests(tests, fix_set_up, fix_tear_down);
}
