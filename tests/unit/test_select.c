#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rule/rule.h"
#include "rule/select.h"

static struct rule append = {.code = "VL101", .name = "tensor-append", .default_state = RULE_ON, .index = 0};
static struct rule item = {.code = "VL102", .name = "missing-item", .default_state = RULE_ON, .index = 1};
static struct rule retain = {.code = "VL104", .name = "attr-retain", .default_state = RULE_OPT_IN, .index = 2};
static struct rule logged = {.code = "VL201", .name = "raw-tensor-log", .default_state = RULE_HINT, .index = 3};
static struct rule *all[] = {&append, &item, &retain, &logged};

struct fixture {
	struct rule_set rules;
	struct arena arena;
	struct buf warnings;
	char enabled[8]; /* "1101" in order of the rules */
};

static int set_up(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof fixture);
	fixture.rules.rules = all;
	fixture.rules.count = sizeof all / sizeof *all;
	arena_init(&fixture.arena);
	buf_init(&fixture.warnings);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	arena_release(&fixture->arena);
	buf_release(&fixture->warnings);
	return 0;
}

/* The entries of LIST, separated by commas. */
static void pick_each(struct fixture *fixture, const char *list, enum rule_verb verb, struct rule_pick *picks,
		      size_t *count)
{
	char *names = arena_dup(&fixture->arena, list ? list : "");

	for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
		picks[(*count)++] = (struct rule_pick){.name = name, .verb = verb};
}

static void keep_warning(const struct rule_pick *pick, const char *text, void *context)
{
	buf_add(context, text, strlen(text) + 1);
}

static const char *selected(struct fixture *fixture, const char *select, const char *ignore)
{
	struct rule_pick picks[16];
	struct selection selection;
	size_t count = 0;

	buf_reset(&fixture->warnings);
	pick_each(fixture, select, RULE_TAKE, picks, &count);
	pick_each(fixture, ignore, RULE_LEAVE, picks, &count);
	selection_init(&selection, &fixture->rules, picks, count, !select, PROOF_USAGE, &fixture->arena);
	picks_warn(picks, count, &fixture->rules, keep_warning, &fixture->warnings);
	assert_int_equal(selection.min_confidence, PROOF_USAGE);
	for (size_t i = 0; i < fixture->rules.count; i++)
		fixture->enabled[i] = selection.enabled[i] ? '1' : '0';
	return fixture->enabled;
}

static void without_lists_the_defaults_run(void **state)
{
	assert_string_equal(selected(*state, NULL, NULL), "1101");
}

static void select_names_codes_prefixes_and_all(void **state)
{
	assert_string_equal(selected(*state, "VL101", NULL), "1000");
	assert_string_equal(selected(*state, "raw-tensor-log", NULL), "0001");
	assert_string_equal(selected(*state, "VL1", NULL), "1110");
	assert_string_equal(selected(*state, "VL10", NULL), "1110");
	assert_string_equal(selected(*state, "ALL", NULL), "1111");
	assert_string_equal(selected(*state, "VL102,attr-retain", NULL), "0110");
	assert_string_equal(selected(*state, "", NULL), "0000");
}

static void case_matters_not(void **state)
{
	assert_string_equal(selected(*state, "vl101,Raw-Tensor-Log", NULL), "1001");
	assert_string_equal(selected(*state, "all", "vl2"), "1110");
	assert_int_equal(((struct fixture *)*state)->warnings.length, 0);
}

static void ignore_takes_from_the_defaults(void **state)
{
	assert_string_equal(selected(*state, NULL, "VL1"), "0001");
	assert_string_equal(selected(*state, NULL, "ALL"), "0000");
	assert_string_equal(selected(*state, NULL, "tensor-append"), "0101");
}

static void the_more_specific_entry_wins(void **state)
{
	assert_string_equal(selected(*state, "VL101", "VL1"), "1000");
	assert_string_equal(selected(*state, "VL1", "VL101"), "0110");
	assert_string_equal(selected(*state, "VL10", "VL1"), "1110");
	assert_string_equal(selected(*state, "VL1", "VL10"), "0000");
	assert_string_equal(selected(*state, "VL1", "ALL"), "1110");
	assert_string_equal(selected(*state, "ALL", "VL1"), "0001");
	assert_string_equal(selected(*state, "tensor-append", "VL10"), "1000");
}

static void at_equal_specificity_ignore_wins(void **state)
{
	assert_string_equal(selected(*state, "ALL", "ALL"), "0000");
	assert_string_equal(selected(*state, "VL1", "VL1"), "0000");
	assert_string_equal(selected(*state, "VL101,VL102", "tensor-append"), "0100");
}

static void a_list_counts_by_its_most_specific_entry(void **state)
{
	assert_string_equal(selected(*state, "ALL,VL101", "VL10"), "1001");
	assert_string_equal(selected(*state, "VL1", "VL2,VL102,ALL"), "1010");
}

static void a_part_of_a_name_is_no_prefix(void **state)
{
	assert_string_equal(selected(*state, "tensor", NULL), "0000");
	assert_string_equal(selected(*state, "VL1011", NULL), "0000");
	assert_non_null(strstr(buf_text(&((struct fixture *)*state)->warnings), "'VL1011'"));
}

static void unknown_names_are_told_with_the_nearest(void **state)
{
	struct fixture *fixture = *state;

	assert_string_equal(selected(fixture, "tensor-apend,VL101", "no-such-thing-at-all"), "1000");
	assert_memory_equal(buf_text(&fixture->warnings),
			    "no rule is called 'tensor-apend'; did you mean 'tensor-append'?\0"
			    "no rule is called 'no-such-thing-at-all'\0",
			    fixture->warnings.length);
	assert_int_equal(fixture->warnings.length, 64 + 41);
}

static void a_higher_rank_wins_over_a_more_exact_name(void **state)
{
	static const struct rule_pick picks[] = {
		{.name = "VL101", .verb = RULE_LEAVE, .rank = 1},
		{.name = "VL1", .verb = RULE_TAKE, .rank = 2},
		{.name = "VL102", .verb = RULE_LEAVE, .rank = 2},
	};
	bool chosen[] = {false, false, false, true};
	struct fixture *fixture = *state;

	rules_choose(chosen, &fixture->rules, picks, 3);
	assert_true(chosen[0] && !chosen[1] && chosen[2] && chosen[3]);
}

static void grades_go_to_the_most_exactly_named(void **state)
{
	static const struct rule_pick picks[] = {
		{.name = "ALL", .verb = RULE_GRADE, .severity = SEVERITY_HINT},
		{.name = "VL101", .verb = RULE_GRADE, .severity = SEVERITY_ERROR},
		{.name = "VL1", .verb = RULE_GRADE, .severity = SEVERITY_NOTE},
	};
	struct fixture *fixture = *state;
	struct selection selection;

	selection_init(&selection, &fixture->rules, picks, 3, true, PROOF_FLOW, &fixture->arena);
	assert_int_equal(selection.severity[0], SEVERITY_ERROR);
	assert_int_equal(selection.severity[1], SEVERITY_NOTE);
	assert_int_equal(selection.severity[3], SEVERITY_HINT);
	assert_true(selection.enabled[0] && !selection.enabled[2]);
	selection_init(&selection, &fixture->rules, NULL, 0, true, PROOF_FLOW, &fixture->arena);
	assert_int_equal(selection.severity[0], SEVERITY_OWN);
}

static void enabled_is_by_index_not_by_place(void **state)
{
	static struct rule last = {.code = "VL001", .name = "early", .default_state = RULE_OPT_IN, .index = 1};
	static struct rule first = {.code = "VL900", .name = "late", .default_state = RULE_ON, .index = 0};
	static struct rule *swapped[] = {&last, &first};
	struct fixture *fixture = *state;

	fixture->rules.rules = swapped;
	fixture->rules.count = 2;
	assert_string_equal(selected(fixture, NULL, NULL), "10");
	assert_string_equal(selected(fixture, "early", NULL), "01");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_lists_the_defaults_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(select_names_codes_prefixes_and_all, set_up, tear_down),
		cmocka_unit_test_setup_teardown(case_matters_not, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ignore_takes_from_the_defaults, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_more_specific_entry_wins, set_up, tear_down),
		cmocka_unit_test_setup_teardown(at_equal_specificity_ignore_wins, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_list_counts_by_its_most_specific_entry, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_part_of_a_name_is_no_prefix, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unknown_names_are_told_with_the_nearest, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_higher_rank_wins_over_a_more_exact_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(grades_go_to_the_most_exactly_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(enabled_is_by_index_not_by_place, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
