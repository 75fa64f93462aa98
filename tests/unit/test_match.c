#include "flow_fixture.h"

#include <stdlib.h>
#include "rule/match.h"
#include "rule/predicate.h"

#define STEP "    loss = crit(net(x), x)\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"
#define LEAK "xs = []\nfor x in loader:\n" STEP "    xs.append(loss)\n"

static const char query[] = "(call function: (attribute) @callee arguments: (argument_list . (_) @value)) @store\n"
			    "(call function: (identifier) @callee) @store\n(assignment) @store";

static const struct rule_fix detach = {FIX_APPEND, "value", ".detach()", FIX_SAFE, false};

/* One rule with up to three variants, given by the test, and what it found. */
struct subject {
	struct flow flow;
	struct source source;
	struct rule rule;
	struct rule *rules[1];
	struct rule_variant variants[3];
	struct predicate_use uses[3];
	struct rule_set set;
	bool enabled[1];
	struct selection selection;
	struct query_set *queries;
	struct query_match_list candidates;
	struct finding *findings;
	size_t count;
};

static struct subject subject;

static int begin(void **state)
{
	struct query_source source = {"own.scm", str_from(query)};
	struct err err = {0};

	memset(&subject, 0, sizeof subject);
	subject.rule = (struct rule){.code = "XY001", .name = "own", .at = "store", .variants = subject.variants};
	subject.rules[0] = &subject.rule;
	subject.set = (struct rule_set){.rules = subject.rules, .count = 1};
	subject.enabled[0] = true;
	subject.selection = (struct selection){subject.enabled, PROOF_USAGE, NULL};
	subject.queries = query_set_new(flow_grammar.language, &source, 1, &err);
	assert_non_null(subject.queries);
	return 0;
}

static int end(void **state)
{
	for (size_t i = 0; i < subject.rule.variant_count; i++)
		predicate_use_release(&subject.uses[i]);
	free(subject.candidates.items);
	query_set_free(subject.queries);
	source_release(&subject.source);
	flow_release(&subject.flow);
	return 0;
}

static struct rule_variant *variant(const char *where, const char *message)
{
	size_t i = subject.rule.variant_count++;
	struct err err = {0};

	if (!predicate_use_init(&subject.uses[i], where, &subject.flow.arena, &err))
		fail_msg("%s", err.message);
	subject.variants[i] =
		(struct rule_variant){.where = &subject.uses[i], .where_count = 1, .message = message, .cost = COST_HOST};
	return &subject.variants[i];
}

/* The snippet has to be known before variants are made: they live in its arena. */
static void snippet(const char *text)
{
	struct err err = {0};

	flow_init(&subject.flow, text);
	assert_true(source_init(&subject.source, str_from(subject.flow.text), &err));
}

static void matched(void)
{
	TSQueryCursor *cursor = ts_query_cursor_new();
	struct match_input input = {.rules = &subject.set,
				    .selection = &subject.selection,
				    .source = &subject.source,
				    .analysis = &subject.flow.analysis,
				    .judgement = &subject.flow.judgement,
				    .candidates = &subject.candidates,
				    .arena = &subject.flow.arena,
				    .syntax = {&flow_grammar, ts_tree_root_node(subject.flow.tree),
					       str_from(subject.flow.text), SYNTAX_BUDGET, {.lower = &subject.flow.lower}, MAP_INIT, MAP_INIT}};

	query_set_run(subject.queries, cursor, ts_tree_root_node(subject.flow.tree), str_from(subject.flow.text), 0,
		      &subject.candidates);
	ts_query_cursor_delete(cursor);
	match_place(&subject.set, &subject.candidates);
	subject.findings = match_rules(&input, &subject.count);
}

static const struct finding *only_finding(void)
{
	matched();
	assert_int_equal(subject.count, 1);
	return subject.findings;
}

static void a_fact_at_a_candidate_is_found(void **state)
{
	const struct finding *finding;

	snippet(LEAK);
	variant("event: store", "kept");
	finding = only_finding();
	assert_ptr_equal(finding->rule, &subject.rule);
	assert_string_equal(finding->message, "kept");
	assert_int_equal(finding->proof, PROOF_FLOW);
	assert_int_equal(finding->cost, COST_HOST);
	assert_int_equal(finding->at.start.line, 7);
	assert_int_equal(finding->at.start.column, 5);
	assert_int_equal(finding->at.end.column, 20);
	assert_string_equal(finding->at.line_text, "    xs.append(loss)");
	assert_int_equal(finding->at.line_length, 19);
	assert_null(finding->growth);
	assert_null(finding->help);
	assert_int_equal(finding->edit_count, 0);
}

static void a_fact_where_no_query_looked_is_not(void **state)
{
	snippet("total = 0\nfor x in loader:\n" STEP "    total += loss\n"); /* the query captures calls only */
	variant("event: accumulate", "kept");
	matched();
	assert_int_equal(subject.count, 0);
}

static void a_fact_that_no_variant_asks_for_is_not(void **state)
{
	snippet(LEAK);
	variant("growth: window", "kept");
	matched();
	assert_int_equal(subject.count, 0);
}

static void a_rule_that_is_not_selected_reports_nothing(void **state)
{
	snippet(LEAK);
	variant("event: store", "kept");
	subject.enabled[0] = false;
	matched();
	assert_int_equal(subject.count, 0);
}

static void the_first_variant_that_holds_speaks(void **state)
{
	snippet(LEAK);
	variant("growth: window", "first");
	variant("growth: unbounded", "second");
	variant("event: store", "third");
	assert_string_equal(only_finding()->message, "second");
}

static void unsure_facts_need_leave(void **state)
{
	static const char unsure[] = "def f(model, data):\n    xs = []\n    for x in data:\n        y = model(x)\n        xs.append(y)\n";

	snippet(unsure);
	variant("event: store", "kept");
	matched();
	assert_int_equal(subject.count, 0);
}

static void leave_is_given_by_the_run(void **state)
{
	snippet("def f(model, data):\n    xs = []\n    for x in data:\n        y = model(x)\n        xs.append(y)\n");
	variant("event: store", "kept");
	subject.selection.min_confidence = PROOF_NAME;
	assert_int_equal(only_finding()->proof, PROOF_NAME);
}

static void or_by_the_rule(void **state)
{
	snippet("def f(model, data):\n    xs = []\n    for x in data:\n        y = model(x)\n        xs.append(y)\n");
	variant("event: store", "kept")->least = PROOF_NAME;
	assert_int_equal(only_finding()->proof, PROOF_NAME);
}

static void placeholders_are_filled_in(void **state)
{
	const struct finding *finding;

	snippet("def f(data):\n    xs = []\n    for i, x in enumerate(data):\n    " "    loss = crit(net(x), x)\n        loss.backward()\n        opt.step(); opt.zero_grad()\n        xs.append(loss)\n");
	variant("event: store", "'{value}' in '{name}' by {loop} of '{function}': {place} made at {made}, {unknown} {")->help = "{name}!";
	finding = only_finding();
	assert_string_equal(finding->message,
			    "'loss' in 'xs' by the loop at line 4 of 'f': xs.append(loss) made at line 5, {unknown} {");
	assert_string_equal(finding->help, "xs!");
}

static void a_method_of_an_expression_is_called_on_all_of_it(void **state)
{
	const struct finding *finding;

	snippet("xs = []\nfor x in loader:\n" STEP "    xs.append(torch.log(loss) + torch.exp(loss))\n");
	variant("event: store", "{value}")->help = "keep '{value}.item()'";
	finding = only_finding();
	assert_string_equal(finding->message, "torch.log(loss) + torch.exp(loss)");
	assert_string_equal(finding->help, "keep '(torch.log(loss) + torch.exp(loss)).item()'");
}

static void a_method_is_called_on_the_tensor_in_a_tuple(void **state)
{
	const struct finding *finding;

	snippet("xs = []\nfor x in loader:\n" STEP "    xs.append((loss, 1))\n");
	variant("event: store", "{value}")->help = "keep '{value}.item()'";
	finding = only_finding();
	assert_string_equal(finding->message, "(loss, 1)");
	assert_string_equal(finding->help, "keep 'loss.item()'");
}

static void a_loop_is_called_by_its_variable(void **state)
{
	snippet(LEAK);
	variant("event: store", "{loop}, {function}");
	assert_string_equal(only_finding()->message, "the loop over 'x' (line 3), this file");
}

static void code_outside_of_functions_has_words_of_its_own(void **state)
{
	struct rule_variant *own;

	snippet(LEAK);
	own = variant("event: store", "'{function}' keeps '{name}' in '{function}'");
	own->help = "put it on '{function}'";
	assert_string_equal(only_finding()->message, "this file keeps 'xs' in this file");
	assert_string_equal(only_finding()->help, "put it on this file");
	own->help_outside = "put it around {loop}";
	assert_string_equal(only_finding()->help, "put it around the loop over 'x' (line 3)");
}

#define COUNTS "    net.eval()\n    for x in held_out:\n        print(net(x).item())\n\nfit(nn.Linear(1, 1))\n"

static void words_for_forward(void)
{
	struct rule_variant *own = variant("event: forward", "found");

	own->help = "put it on '{function}'";
	own->help_training = "leave '{function}' alone";
}

static void functions_that_train_have_words_of_their_own(void **state)
{
	snippet("from torch import nn\ndef fit(net):\n    net.train()\n    for x in loader:\n        opt.zero_grad()\n"
		"        net(x).mean().backward()\n        opt.step()\n" COUNTS);
	words_for_forward();
	assert_string_equal(only_finding()->help, "leave 'fit' alone");
}

static void functions_that_only_evaluate_have_not(void **state)
{
	snippet("from torch import nn\ndef fit(net):\n" COUNTS);
	words_for_forward();
	assert_string_equal(only_finding()->help, "put it on 'fit'");
}

static void long_code_is_cut(void **state)
{
	snippet("xs = []\nfor x in loader:\n" STEP "    xs.append(loss + 1000000 + 2000000 + 3000000 + 4000000 + 5000000)\n");
	variant("event: store", "{value}");
	assert_string_equal(only_finding()->message, "loss + 1000000 + 2000000 + 3000000 + 4000000 + 5…");
}

static void severity_follows_cost_and_growth(void **state)
{
	snippet(LEAK);
	variant("event: store", "kept")->cost = COST_DEVICE;
	assert_int_equal(only_finding()->severity, SEVERITY_ERROR);
}

static void host_costs_less(void **state)
{
	snippet(LEAK);
	variant("event: store", "kept");
	assert_int_equal(only_finding()->severity, SEVERITY_WARNING);
}

static void a_window_is_one_level_less(void **state)
{
	snippet("xs = []\nfor i, x in enumerate(loader):\n" STEP "    xs.append(loss)\n    if i % 9 == 0:\n        xs.clear()\n");
	variant("event: store", "kept")->cost = COST_DEVICE;
	assert_int_equal(only_finding()->severity, SEVERITY_WARNING);
}

static void what_is_constant_is_two_less(void **state)
{
	snippet("best = 9\nfor x in loader:\n" STEP "    best = min(best, loss)\n");
	variant("growth: constant", "kept")->cost = COST_DEVICE;
	assert_int_equal(only_finding()->severity, SEVERITY_NOTE);
}

static void a_given_severity_stands(void **state)
{
	struct rule_variant *v;

	snippet(LEAK);
	v = variant("event: store", "kept");
	v->severity_given = true;
	v->severity = SEVERITY_NOTE;
	subject.rule.default_state = RULE_HINT;
	assert_int_equal(only_finding()->severity, SEVERITY_NOTE);
}

static void rules_of_hints_give_hints(void **state)
{
	snippet(LEAK);
	variant("event: store", "kept")->cost = COST_DEVICE;
	subject.rule.default_state = RULE_HINT;
	assert_int_equal(only_finding()->severity, SEVERITY_HINT);
}

static void the_trail_tells_why(void **state)
{
	static const struct {
		uint32_t line;
		const char *text;
	} expected[] = {{4, "graph"}, {5, "frees its saved tensors"}, {2, "made here"},
			{3, "iteration"}};
	const struct finding *finding;

	snippet(LEAK);
	variant("event: store", "kept");
	finding = only_finding();
	assert_int_equal(finding->note_count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(finding->notes[i].at.start.line, expected[i].line);
		if (!strstr(finding->notes[i].text, expected[i].text))
			fail_msg("note %zu is: %s", i, finding->notes[i].text);
	}
}

static void a_trail_names_the_reset_that_bounds_it(void **state)
{
	const struct finding *finding;

	snippet("xs = []\nfor i, x in enumerate(loader):\n" STEP "    xs.append(loss)\n    if i % 9 == 0:\n        xs.clear()\n");
	variant("event: store", "kept");
	finding = only_finding();
	assert_string_equal(finding->notes[finding->note_count - 1].text, "it is let go here");
	assert_int_equal(finding->notes[finding->note_count - 1].at.start.line, 9);
}

static void a_store_elsewhere_is_told_from_the_call(void **state)
{
	const struct finding *finding;
	bool told = false;

	snippet("xs = []\ndef keep(v):\n    xs.append(v)\nfor x in loader:\n" STEP "    keep(loss)\n");
	variant("event: store", "{value}")->fix = detach;
	finding = only_finding();
	assert_int_equal(finding->at.start.line, 9);
	assert_string_equal(finding->message, "loss");
	for (size_t i = 0; i < finding->note_count; i++)
		told |= strcmp(finding->notes[i].text, "and is kept here") == 0 && finding->notes[i].at.start.line == 4;
	assert_true(told);
	/* the edit is made at the place, and never safe: it may do more with it there */
	assert_int_equal(finding->edit_count, 1);
	assert_string_equal(finding->edits[0].text, ".detach()");
	assert_int_equal(finding->edits[0].span.start, finding->at.span.end - 1);
	assert_false(finding->fix_is_safe);
}

static struct rule_variant *with_fix(void)
{
	struct rule_variant *v = variant("event: store", "kept");

	v->fix = detach;
	return v;
}

static const char *fixed(void)
{
	const struct finding *finding = only_finding();
	struct buf *out = &subject.flow.out;
	uint32_t at = finding->at.span.start;

	buf_reset(out);
	for (size_t i = 0; i < finding->edit_count; i++) {
		buf_add(out, subject.source.text + at, finding->edits[i].span.start - at);
		buf_add_text(out, finding->edits[i].text);
		at = finding->edits[i].span.end;
	}
	buf_add(out, subject.source.text + at, finding->at.span.end - at);
	return buf_text(out);
}

static void a_fix_is_put_behind_a_name(void **state)
{
	snippet(LEAK);
	with_fix();
	assert_string_equal(fixed(), "xs.append(loss.detach())");
	assert_true(subject.findings->fix_is_safe);
}

static void and_behind_a_call(void **state)
{
	snippet("xs = []\nfor x in loader:\n" STEP "    xs.append(torch.log(loss + 1))\n");
	with_fix();
	assert_string_equal(fixed(), "xs.append(torch.log(loss + 1).detach())");
}

static void a_sum_gets_parentheses(void **state)
{
	snippet("xs = []\nfor x in loader:\n" STEP "    xs.append(loss + 1)\n");
	with_fix()->fix.safety = FIX_UNSAFE;
	assert_string_equal(fixed(), "xs.append((loss + 1).detach())");
	assert_false(subject.findings->fix_is_safe);
}

static void a_sum_of_calls_gets_parentheses_too(void **state)
{
	snippet("xs = []\nfor x in loader:\n" STEP "    xs.append(torch.log(loss) + torch.exp(loss))\n");
	with_fix();
	assert_string_equal(fixed(), "xs.append((torch.log(loss) + torch.exp(loss)).detach())");
}

static void brackets_and_quotes_inside_do_not(void **state)
{
	snippet("xs = []\nfor x in loader:\n" STEP "    xs.append(loss[0, 1:2].sum(dim=1))\n");
	with_fix();
	assert_string_equal(fixed(), "xs.append(loss[0, 1:2].sum(dim=1).detach())");
}

static void operators_in_quotes_are_none(void **state)
{
	snippet("xs = []\nfor x in loader:\n" STEP "    d = {'a + b': loss}\n    xs.append(d['a + b'])\n");
	with_fix();
	assert_string_equal(fixed(), "xs.append(d['a + b'].detach())");
}

static void hooks_that_share_a_loop_keep_their_names(void **state)
{
	const struct finding *finding;

	snippet("import lightning as L\nclass M(L.LightningModule):\n    def __init__(self):\n        super().__init__()\n        self.net = nn.Linear(1, 1)\n        self.xs = []\n    def validation_step(self, x, i):\n        return self.net(x).sum()\n    def training_step(self, x, i):\n        loss = self.net(x).sum()\n        self.xs.append(loss)\n        return loss\n");
	variant("event: store", "{loop}");
	finding = only_finding();
	assert_string_equal(finding->message, "every step of 'training_step'");
	assert_int_equal(finding->notes[finding->note_count - 1].at.start.line, 10);
}

static void a_loop_of_somebody_else_is_called_by_what_it_runs(void **state)
{
	snippet("class D:\n    def __init__(self):\n        self.xs = []\n    def __getitem__(self, i):\n        self.xs.append(net(i))\n        return 1\n");
	variant("event: store", "{loop} {value}");
	assert_string_equal(only_finding()->message, "every step of '__getitem__' net(i)");
}

static void of_two_the_surer_is_kept(void **state)
{
	snippet("class T:\n    def __init__(self):\n        self.xs = []\n    def step(self, x):\n        loss = crit(net(x), x)\n        loss.backward()\n"
		"        opt.step(); opt.zero_grad()\n        self.xs.append(loss)\n    def fit(self, data):\n        for x in data:\n            self.step(x)\n");
	subject.selection.min_confidence = PROOF_NAME;
	variant("event: store", "{loop}");
	assert_int_equal(only_finding()->proof, PROOF_FLOW);
}

/* Patterns of one rule may meet at a place: the one that captured most speaks. */
static void the_fullest_candidate_speaks(void **state)
{
	struct query_source source = {"own.scm", STR("(call) @store\n(call function: (_) @callee arguments: (argument_list . (_) @value)) @store\n"
						     "(call function: (_) @callee) @store")};
	struct err err = {0};

	query_set_free(subject.queries);
	subject.queries = query_set_new(flow_grammar.language, &source, 1, &err);
	assert_non_null(subject.queries);
	snippet("xs = []\nfor x in loader:\n" STEP "    xs.append(loss * 1)\n");
	variant("event: store", "{value}")->fix = detach;
	assert_string_equal(fixed(), "xs.append((loss * 1).detach())");
	assert_string_equal(subject.findings->message, "loss * 1");
}

static void one_place_is_reported_once(void **state)
{
	/* two holders may be behind one name */
	snippet("if flag:\n    xs = []\nelse:\n    xs = [0]\nfor x in loader:\n" STEP "    xs.append(loss)\n");
	assert_int_equal(subject.flow.judgement.count, 2);
	variant("event: store", "kept");
	only_finding();
}

static void forwards_are_reported_once_a_loop(void **state)
{
	snippet("net.eval()\nfor x in loader:\n    print(net(x).argmax())\n    print(net(x + 1).argmax())\nfor x in loader:\n    print(net(x).argmax())\n");
	assert_int_equal(subject.flow.judgement.count, 3);
	variant("event: forward", "forward");
	matched();
	assert_int_equal(subject.count, 2);
	assert_int_equal(subject.findings[0].at.start.line, 4);
	assert_int_equal(subject.findings[1].at.start.line, 7);
}

static void findings_are_in_order_of_place(void **state)
{
	snippet("def late():\n    for x in loader:\n        net(x).sum().backward()\n        ys.append(net(x))\nxs = []\nys = []\nfor x in loader:\n" STEP "    xs.append(loss)\nlate()\n");
	variant("event: store", "kept");
	matched();
	assert_int_equal(subject.count, 2);
	assert_int_equal(subject.findings[0].at.start.line, 5);
	assert_int_equal(subject.findings[1].at.start.line, 12);
}

static void an_excerpt_has_its_first_line(void **state)
{
	struct excerpt at;

	snippet("x = [\n    '\xc3\xa4', 1]\n");
	uint32_t start = (uint32_t)(strstr(subject.source.text, "x = [") - subject.source.text);
	at = excerpt_at(&subject.source, (struct span){start + 4, start + 18}, &subject.flow.arena);
	assert_int_equal(at.start.line, 2);
	assert_int_equal(at.start.column, 5);
	assert_int_equal(at.end.line, 3);
	assert_int_equal(at.end.column, 12);
	assert_string_equal(at.line_text, "x = [");
	variant("event: store", "kept");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_fact_at_a_candidate_is_found, begin, end),
		cmocka_unit_test_setup_teardown(a_fact_where_no_query_looked_is_not, begin, end),
		cmocka_unit_test_setup_teardown(a_fact_that_no_variant_asks_for_is_not, begin, end),
		cmocka_unit_test_setup_teardown(a_rule_that_is_not_selected_reports_nothing, begin, end),
		cmocka_unit_test_setup_teardown(the_first_variant_that_holds_speaks, begin, end),
		cmocka_unit_test_setup_teardown(unsure_facts_need_leave, begin, end),
		cmocka_unit_test_setup_teardown(leave_is_given_by_the_run, begin, end),
		cmocka_unit_test_setup_teardown(or_by_the_rule, begin, end),
		cmocka_unit_test_setup_teardown(placeholders_are_filled_in, begin, end),
		cmocka_unit_test_setup_teardown(a_method_is_called_on_the_tensor_in_a_tuple, begin, end),
		cmocka_unit_test_setup_teardown(code_outside_of_functions_has_words_of_its_own, begin, end),
		cmocka_unit_test_setup_teardown(a_method_of_an_expression_is_called_on_all_of_it, begin, end),
		cmocka_unit_test_setup_teardown(a_loop_is_called_by_its_variable, begin, end),
		cmocka_unit_test_setup_teardown(functions_that_train_have_words_of_their_own, begin, end),
		cmocka_unit_test_setup_teardown(functions_that_only_evaluate_have_not, begin, end),
		cmocka_unit_test_setup_teardown(long_code_is_cut, begin, end),
		cmocka_unit_test_setup_teardown(severity_follows_cost_and_growth, begin, end),
		cmocka_unit_test_setup_teardown(host_costs_less, begin, end),
		cmocka_unit_test_setup_teardown(a_window_is_one_level_less, begin, end),
		cmocka_unit_test_setup_teardown(what_is_constant_is_two_less, begin, end),
		cmocka_unit_test_setup_teardown(a_given_severity_stands, begin, end),
		cmocka_unit_test_setup_teardown(rules_of_hints_give_hints, begin, end),
		cmocka_unit_test_setup_teardown(the_trail_tells_why, begin, end),
		cmocka_unit_test_setup_teardown(a_trail_names_the_reset_that_bounds_it, begin, end),
		cmocka_unit_test_setup_teardown(a_store_elsewhere_is_told_from_the_call, begin, end),
		cmocka_unit_test_setup_teardown(a_fix_is_put_behind_a_name, begin, end),
		cmocka_unit_test_setup_teardown(and_behind_a_call, begin, end),
		cmocka_unit_test_setup_teardown(a_sum_gets_parentheses, begin, end),
		cmocka_unit_test_setup_teardown(a_sum_of_calls_gets_parentheses_too, begin, end),
		cmocka_unit_test_setup_teardown(brackets_and_quotes_inside_do_not, begin, end),
		cmocka_unit_test_setup_teardown(operators_in_quotes_are_none, begin, end),
		cmocka_unit_test_setup_teardown(hooks_that_share_a_loop_keep_their_names, begin, end),
		cmocka_unit_test_setup_teardown(a_loop_of_somebody_else_is_called_by_what_it_runs, begin, end),
		cmocka_unit_test_setup_teardown(of_two_the_surer_is_kept, begin, end),
		cmocka_unit_test_setup_teardown(the_fullest_candidate_speaks, begin, end),
		cmocka_unit_test_setup_teardown(one_place_is_reported_once, begin, end),
		cmocka_unit_test_setup_teardown(forwards_are_reported_once_a_loop, begin, end),
		cmocka_unit_test_setup_teardown(findings_are_in_order_of_place, begin, end),
		cmocka_unit_test_setup_teardown(an_excerpt_has_its_first_line, begin, end),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
