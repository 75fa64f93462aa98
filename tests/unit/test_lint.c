#include "engine/lint.h"

#include "temp_tree.h"
#include "engine/overlay.h"

struct subject {
	struct rule_set rules;
	struct arena arena;
	struct settings settings;
	struct linter *linter;
	struct lint_worker *worker;
};

/* NAME, or the default rules where it is NULL. */
static void select_rules(struct subject *subject, const char *name)
{
	struct rule_pick pick = {.name = name, .verb = RULE_TAKE};

	selection_init(&subject->settings.selection, &subject->rules, &pick, name != NULL, !name, PROOF_USAGE,
		       &subject->arena);
}

static int set_up(void **state)
{
	struct subject *subject = calloc(1, sizeof *subject);
	struct err err = {0};

	arena_init(&subject->arena);
	assert_true(rule_set_init(&subject->rules, NULL, &err));
	select_rules(subject, NULL);
	subject->linter = linter_new(&subject->rules, NULL, &err);
	if (!subject->linter)
		fail_msg("%s", err.message);
	subject->settings.linter = subject->linter;
	subject->worker = lint_worker_new();
	*state = subject;
	return 0;
}

static int tear_down(void **state)
{
	struct subject *subject = *state;

	lint_worker_free(subject->worker);
	linter_free(subject->linter);
	rule_set_release(&subject->rules);
	arena_release(&subject->arena);
	free(subject);
	return 0;
}

static struct lint_result linted(struct subject *subject, const char *text)
{
	struct lint_result result;
	struct source source;
	struct err err = {0};

	if (!source_init(&source, str_from(text), &err))
		fail_msg("%s", err.message);
	lint_source(subject->worker, &subject->settings, "x.py", &source, &result);
	source_release(&source); /* a result needs neither source nor tree */
	return result;
}

#define HEAD "import torch\nfrom torch import nn\nnet = nn.Linear(1, 1)\nopt = torch.optim.SGD(net.parameters(), lr=1)\n"
#define LEAK "xs = []\nfor x in loader:\n    loss = net(x).mean()\n    loss.backward()\n    opt.step(); opt.zero_grad()\n    xs.append(loss)\n"

static void a_leak_is_found_with_its_trail(void **state)
{
	struct lint_result result = linted(*state, HEAD LEAK);

	assert_false(result.skipped);
	assert_int_equal(result.problem_count, 0);
	assert_int_equal(result.finding_count, 1);
	assert_string_equal(result.findings->rule->code, "VL101");
	assert_int_equal(result.findings->at.start.line, 10);
	assert_string_equal(result.findings->at.line_text, "    xs.append(loss)");
	assert_true(result.findings->note_count >= 3);
	lint_result_release(&result);
}

#define LEAKS_IN_FIT "class Trainer:\n    def fit(self, loader):\n        for x in loader:\n            loss = net(x).mean()\n" \
	"            loss.backward()\n            opt.step(); opt.zero_grad()\n            xs.append(loss)\n            xs.append(loss)\n"

static void a_fingerprint_outlives_edits_elsewhere(void **state)
{
	struct lint_result before = linted(*state, HEAD "xs = []\n" LEAKS_IN_FIT);
	struct lint_result after = linted(*state, HEAD "\n# more\nys = []\nxs = []\nif True:\n    pass\n" LEAKS_IN_FIT);

	assert_int_equal(before.finding_count, 2);
	assert_int_equal(after.finding_count, 2);
	assert_string_equal(before.findings[0].scope, "Trainer.fit");
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(strlen(before.findings[i].fingerprint), 32);
		assert_string_equal(before.findings[i].fingerprint, after.findings[i].fingerprint);
	}
	assert_string_not_equal(before.findings[0].fingerprint, before.findings[1].fingerprint);
	lint_result_release(&before);
	lint_result_release(&after);
}

static void a_fingerprint_knows_the_scope(void **state)
{
	struct lint_result module = linted(*state, HEAD LEAK);
	struct lint_result method = linted(*state, HEAD "xs = []\n" LEAKS_IN_FIT);

	assert_string_equal(module.findings[0].scope, "");
	assert_string_not_equal(module.findings[0].fingerprint, method.findings[0].fingerprint);
	lint_result_release(&module);
	lint_result_release(&method);
}

static void files_without_tensors_are_skipped(void **state)
{
	struct lint_result result = linted(*state, "import os\n" LEAK);

	assert_true(result.skipped);
	assert_int_equal(result.finding_count, 0);
	lint_result_release(&result);
	result = linted(*state, "");
	assert_true(result.skipped);
	lint_result_release(&result);
}

static void one_file_leaves_nothing_to_the_next(void **state)
{
	for (int i = 0; i < 3; i++) {
		struct lint_result leak = linted(*state, HEAD LEAK), clean = linted(*state, HEAD "x = 1\n");

		assert_int_equal(leak.finding_count, 1);
		assert_int_equal(clean.finding_count, 0);
		assert_int_equal(clean.problem_count, 0);
		lint_result_release(&clean);
		assert_string_equal(leak.findings->rule->name, "tensor-append");
		lint_result_release(&leak);
	}
}

static void what_does_not_parse_is_told_and_the_rest_checked(void **state)
{
	struct lint_result result = linted(*state, HEAD LEAK "def broken(:\n    pass\n");

	assert_int_equal(result.problem_count, 1);
	assert_non_null(strstr(result.problems->text, "cannot parse"));
	assert_int_equal(result.problems->at.start.line, 11);
	assert_int_equal(result.problems->at.end.line, 11); /* what follows is not marked as well */
	assert_true(result.problems->at.end.column > result.problems->at.start.column);
	assert_int_equal(result.finding_count, 1);
	lint_result_release(&result);
}

static void nesting_too_deep_is_told(void **state)
{
	struct buf text = BUF_INIT;
	struct lint_result result;

	buf_add_text(&text, HEAD LEAK);
	for (int i = 0; i < 5000; i++)
		buf_add_char(&text, '[');
	for (int i = 0; i < 5000; i++)
		buf_add_char(&text, ']');
	buf_add_char(&text, '\n');
	result = linted(*state, buf_text(&text));
	assert_int_equal(result.finding_count, 1);
	assert_int_equal(result.problem_count, 1);
	assert_non_null(strstr(result.problems->text, "nested too deeply"));
	assert_int_equal(result.problems->at.start.line, 0); /* the whole file */
	lint_result_release(&result);
	buf_release(&text);
}

static void findings_are_in_order_and_as_selected(void **state)
{
	static const char both[] = HEAD "total = 0\n" LEAK "    total += loss\n    print(loss)\n";
	struct subject *subject = *state;
	struct lint_result result = linted(subject, both);

	assert_int_equal(result.finding_count, 3);
	assert_string_equal(result.findings[0].rule->code, "VL101");
	assert_string_equal(result.findings[1].rule->code, "VL102");
	assert_string_equal(result.findings[2].rule->code, "VL201");
	assert_int_equal(result.findings[2].severity, SEVERITY_HINT);
	lint_result_release(&result);
	select_rules(subject, "VL102");
	result = linted(subject, both);
	assert_int_equal(result.finding_count, 1);
	assert_string_equal(result.findings->rule->code, "VL102");
	lint_result_release(&result);
	select_rules(subject, NULL);
}

static void comments_suppress(void **state)
{
	struct lint_result result = linted(*state, "# vramlint: file-ignore[VL201] -- shown\n" HEAD LEAK
					   "    xs.append(loss)  # vramlint: ignore[VL1] -- short run\n    print(loss)\n");

	assert_int_equal(result.finding_count, 1);
	assert_int_equal(result.findings->at.start.line, 11);
	assert_int_equal(result.suppressed_count, 2);
	assert_int_equal(result.suppressed[0].kind, SUPPRESSED_BY_COMMENT);
	assert_string_equal(result.suppressed[0].finding.rule->code, "VL101");
	assert_string_equal(result.suppressed[0].reason, "short run");
	assert_int_equal(result.suppressed[0].comment.start.line, 12);
	assert_int_equal(result.suppressed[0].comment.start.column, 22);
	assert_string_equal(result.suppressed[1].finding.rule->code, "VL201");
	assert_string_equal(result.suppressed[1].reason, "shown");
	assert_int_equal(strlen(result.suppressed[1].finding.fingerprint), 32);
	lint_result_release(&result);
}

/* The first SELECTED of NAMES are selected, or, where it is 0, the default rules. */
static void expect_unused(struct subject *subject, const char *const *names, size_t selected, enum proof proof, size_t count)
{
	struct rule_pick picks[2] = {{0}};
	struct lint_result result;

	for (size_t i = 0; i < selected; i++)
		picks[i] = (struct rule_pick){.name = names[i], .verb = RULE_TAKE};
	selection_init(&subject->settings.selection, &subject->rules, picks, selected, !selected, proof, &subject->arena);
	result = linted(subject, HEAD "x = 1  # vramlint: ignore[VL101] -- nothing\ny = 1  # vramlint: ignore[VL4] -- nothing\n");
	assert_int_equal(result.finding_count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(result.findings[i].rule->code, "VL001");
	lint_result_release(&result);
	select_rules(subject, NULL);
}

static void only_what_was_looked_for_is_unused(void **state)
{
	static const char *const names[] = {"VL0", "VL101"};

	expect_unused(*state, NULL, 0, PROOF_USAGE, 2); /* a rule that is off by default is no reason not to say so */
	expect_unused(*state, NULL, 0, PROOF_NAME, 2);
	expect_unused(*state, NULL, 0, PROOF_FLOW, 0);
	expect_unused(*state, names, 2, PROOF_USAGE, 1);
	expect_unused(*state, names, 1, PROOF_USAGE, 0);
	expect_unused(*state, names + 1, 1, PROOF_USAGE, 0);
}

static void what_cannot_be_parsed_makes_nothing_unused(void **state)
{
	struct lint_result result = linted(*state, HEAD "x = 1  # vramlint: ignore[VL101] -- nothing\ndef (:\n");

	assert_int_equal(result.problem_count, 1);
	assert_int_equal(result.finding_count, 0);
	lint_result_release(&result);
}

/* Each keeps a copy of its line, so that all of them would take memory squared in its length. */
static void faults_of_one_line_are_not_told_without_end(void **state)
{
	struct buf text = BUF_INIT;
	struct lint_result result;

	buf_add_text(&text, HEAD "x = 1  # vramlint: ignore[");
	for (int i = 0; i < 20000; i++)
		buf_format(&text, "X%d, ", i);
	buf_add_text(&text, "]");
	for (int i = 0; i < 20000; i++)
		buf_add_text(&text, " # vramlint: ignore[");
	result = linted(*state, buf_text(&text));
	assert_int_equal(result.finding_count, 20);
	lint_result_release(&result);
	buf_release(&text);
}

static void time_is_kept_by_part(void **state)
{
	struct subject *subject = *state;
	struct lint_result result = linted(subject, HEAD LEAK);
	struct lint_timing timing = lint_worker_timing(subject->worker);

	lint_result_release(&result);
	assert_true(timing.parse > 0);
	assert_true(timing.query > 0);
	assert_true(timing.interpret > 0);
	assert_true(timing.judge > 0);
}

static void work_is_kept_by_rule_where_wanted(void **state)
{
	struct subject *subject = *state;
	struct linter *linter = subject->linter;
	const struct rule *append = rule_set_find(&subject->rules, STR("VL101"));
	struct lint_result result = linted(subject, HEAD LEAK);

	lint_result_release(&result);
	assert_int_equal(linter_rule_work(linter, append).candidates, 0);
	linter_time_rules(linter);
	result = linted(subject, HEAD LEAK);
	lint_result_release(&result);
	assert_true(linter_rule_work(linter, append).candidates > 0);
	assert_true(linter_rule_work(linter, append).seconds > 0);
}

static void a_model_of_ones_own_is_known(void **state)
{
	struct subject *subject = *state;
	struct temp_tree tree;
	struct err err = {0};
	struct model_extra knowledge = {0};
	struct settings settings = subject->settings;
	struct linter *linter;
	struct lint_worker *worker;
	struct lint_result result;
	struct source source;

	temp_tree_init(&tree);
	temp_tree_file("own.json", "{\"entries\": [{\"call\": \"mylib.keep\", \"returns\": {\"graph\": \"no\"}, \"store\": "
				   "{\"into\": \"0\", \"op\": \"append\", \"value\": \"1\"}}]}");
	knowledge.folder = tree.folder;
	settings.linter = linter = linter_new(&subject->rules, &knowledge, &err);
	assert_non_null(linter);
	worker = lint_worker_new();
	assert_true(source_init(&source, str_from("import mylib\n" HEAD "xs = []\nfor x in loader:\n    loss = net(x).mean()\n"
						  "    loss.backward()\n    mylib.keep(xs, loss)\n"),
				&err));
	lint_source(worker, &settings, "x.py", &source, &result);
	assert_int_equal(result.finding_count, 1);
	assert_int_equal(result.findings->at.start.line, 10);
	lint_result_release(&result);
	source_release(&source);
	lint_worker_free(worker);
	linter_free(linter);
	temp_tree_file("own.json", "{");
	assert_null(linter_new(&subject->rules, &knowledge, &err));
	assert_non_null(strstr(err.message, "own.json"));
	temp_tree_release(&tree);
}

/* A rule whose parts do not fit each other is refused before any file is read. */
static void rules_and_queries_must_fit(void **state)
{
	static const struct {
		const char *query, *at, *fix, *message;
	} cases[] = {
		{"(call", "store", NULL, "cannot use"},
		{"(call) @other", "store", NULL, "captures nothing as '@store'"},
		{"(call) @store", "store", "value", "its fix wants '@value'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct rule_variant variant = {.fix = {.capture = cases[i].fix}};
		struct rule rule = {.code = "XY001", .name = "own", .query = cases[i].query, .at = cases[i].at, .origin = "own.json",
				    .variants = &variant, .variant_count = 1};
		struct rule *rules[] = {&rule};
		struct rule_set set = {.rules = rules, .count = 1};
		struct err err = {0};

		assert_null(linter_new(&set, NULL, &err));
		assert_int_equal(err.code, ERR_CONFIG);
		if (!strstr(err.message, cases[i].message))
			fail_msg("'%s' is told as: %s", cases[i].query, err.message);
	}
}

static void what_is_no_python_is_lived_with(void **state)
{
	static const char *const texts[] = {
		HEAD "for x in loader:\n    xs.append(net(x))\n    yield x\n",
		HEAD "for x in loader:\n    return xs.append(net(x))\n",
		HEAD "xs.append(net(x))\nawait x\n",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct lint_result result = linted(*state, texts[i]);

		assert_null(result.failure);
		lint_result_release(&result);
	}
}

static void a_worker_may_rest_between_documents(void **state)
{
	struct subject *subject = *state;
	struct lint_memory *memory = lint_memory_new();

	lint_worker_remember(subject->worker, memory);
	for (int i = 0; i < 3; i++) {
		struct lint_result result = linted(subject, HEAD LEAK);

		assert_int_equal(result.finding_count, 1);
		lint_result_release(&result);
		lint_worker_rest(subject->worker);
		if (i == 1)
			lint_memory_forget(memory);
	}
	lint_worker_remember(subject->worker, NULL);
	lint_memory_free(memory);
}

static bool stale_after(void *context)
{
	return --*(int *)context < 0;
}

static void a_check_ends_when_nobody_wants_it(void **state)
{
	struct subject *subject = *state;
	int asked = 1 << 30, needed;
	struct lint_result result;

	lint_worker_stop_when(subject->worker, stale_after, &asked);
	result = linted(subject, HEAD LEAK);
	assert_false(result.is_stale);
	assert_int_equal(result.finding_count, 1);
	lint_result_release(&result);
	needed = (1 << 30) - asked;
	assert_true(needed > 3);
	for (int at = 0; at < needed; at++) {
		asked = at;
		result = linted(subject, HEAD LEAK);
		assert_true(result.is_stale);
		assert_string_equal(result.failure, "the result is not wanted any more");
		assert_int_equal(result.finding_count + result.problem_count, 0);
		lint_result_release(&result);
	}
	lint_worker_stop_when(subject->worker, NULL, NULL);
	result = linted(subject, HEAD LEAK);
	assert_int_equal(result.finding_count, 1);
	lint_result_release(&result);
}

static void a_check_that_ended_early_leaves_nothing_wrong(void **state)
{
	struct subject *subject = *state;
	int left = 1 << 30, needed;
	struct lint_result result;

	lint_worker_stop_when(subject->worker, stale_after, &left);
	result = linted(subject, HEAD "y = f(1)\n" LEAK);
	lint_result_release(&result);
	needed = (1 << 30) - left;
	for (int at = 0; at < needed; at++) {
		struct lint_memory *memory = lint_memory_new();

		lint_worker_remember(subject->worker, memory);
		left = 1 << 30;
		result = linted(subject, HEAD LEAK);
		lint_result_release(&result);
		left = at;
		result = linted(subject, HEAD "y = f(1)\n" LEAK);
		lint_result_release(&result);
		left = 1 << 30;
		result = linted(subject, HEAD "y = f(1)\n" LEAK "z = f(2)\n");
		assert_int_equal(result.finding_count, 1);
		assert_int_equal(result.findings->at.start.line, 11);
		lint_result_release(&result);
		lint_worker_remember(subject->worker, NULL);
		lint_memory_free(memory);
	}
	lint_worker_stop_when(subject->worker, NULL, NULL);
}

static struct lint_result linted_at(struct subject *subject, const char *path, const char *text)
{
	struct lint_result result;
	struct source source;

	source_init_plain(&source, str_from(text));
	lint_source(subject->worker, &subject->settings, path, &source, &result);
	source_release(&source);
	return result;
}

static void an_open_unsaved_file_counts(void **state)
{
	struct subject *subject = *state;
	struct overlay *overlay = overlay_new();
	struct temp_tree tree;
	struct lint_result result;
	const char *text = HEAD "from meters import keep\nfor x in loader:\n    loss = net(x).mean()\n    loss.backward()\n"
			   "    opt.step(); opt.zero_grad()\n    keep(loss)\n";

	temp_tree_init(&tree);
	temp_tree_file("README.md", "");
	temp_tree_file("meters.py", "xs = []\ndef keep(x):\n    xs.append(x.item())\n");
	char *path = arena_format(&subject->arena, "%s/train.py", tree.folder);
	char *meters = arena_format(&subject->arena, "%s/meters.py", tree.folder);
	linter_overlay(subject->linter, overlay);
	linter_forget(subject->linter, NULL);
	result = linted_at(subject, path, text);
	assert_int_equal(result.finding_count, 0);
	assert_int_equal(result.read_count, 1);
	assert_string_equal(result.reads[0], meters);
	assert_true(result.seeks);
	lint_result_release(&result);
	overlay_set(overlay, meters, STR("xs = []\ndef keep(x):\n    xs.append(x)\n"));
	assert_false(linter_forget(subject->linter, meters));
	result = linted_at(subject, path, text);
	assert_int_equal(result.finding_count, 1);
	lint_result_release(&result);
	overlay_remove(overlay, meters);
	temp_tree_file("meters.py", "def keep(x):\n    pass\n");
	linter_refresh(subject->linter);
	linter_forget(subject->linter, meters);
	result = linted_at(subject, path, text);
	assert_int_equal(result.finding_count, 0);
	lint_result_release(&result);
	linter_forget(subject->linter, NULL);
	linter_overlay(subject->linter, NULL);
	overlay_free(overlay);
	temp_tree_release(&tree);
}

static void nothing_is_freed_without_harm(void **state)
{
	linter_free(NULL);
	lint_worker_free(NULL);
	lint_memory_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_python_is_lived_with),
		cmocka_unit_test(a_leak_is_found_with_its_trail),
		cmocka_unit_test(a_fingerprint_outlives_edits_elsewhere),
		cmocka_unit_test(a_fingerprint_knows_the_scope),
		cmocka_unit_test(files_without_tensors_are_skipped),
		cmocka_unit_test(one_file_leaves_nothing_to_the_next),
		cmocka_unit_test(what_does_not_parse_is_told_and_the_rest_checked),
		cmocka_unit_test(nesting_too_deep_is_told),
		cmocka_unit_test(findings_are_in_order_and_as_selected),
		cmocka_unit_test(comments_suppress),
		cmocka_unit_test(only_what_was_looked_for_is_unused),
		cmocka_unit_test(what_cannot_be_parsed_makes_nothing_unused),
		cmocka_unit_test(faults_of_one_line_are_not_told_without_end),
		cmocka_unit_test(time_is_kept_by_part),
		cmocka_unit_test(work_is_kept_by_rule_where_wanted),
		cmocka_unit_test(a_model_of_ones_own_is_known),
		cmocka_unit_test(rules_and_queries_must_fit),
		cmocka_unit_test(a_worker_may_rest_between_documents),
		cmocka_unit_test(a_check_ends_when_nobody_wants_it),
		cmocka_unit_test(a_check_that_ended_early_leaves_nothing_wrong),
		cmocka_unit_test(an_open_unsaved_file_counts),
		cmocka_unit_test(nothing_is_freed_without_harm),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
