#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rule/finding.h"
#include "rule/rule.h"

static void each_name_leads_back_to_its_value(void **state)
{
	for (int i = SEVERITY_HINT; i <= SEVERITY_ERROR; i++) {
		enum severity severity;

		assert_true(severity_from_name(severity_name((enum severity)i), &severity));
		assert_int_equal(severity, i);
	}
	for (int i = COST_DEVICE; i <= COST_CORRECTNESS; i++) {
		enum cost cost;

		assert_true(cost_from_name(cost_name((enum cost)i), &cost));
		assert_int_equal(cost, i);
	}
	for (int i = PROOF_NONE; i <= PROOF_FLOW; i++) {
		enum proof proof;

		assert_true(proof_from_name(proof_name((enum proof)i), &proof));
		assert_int_equal(proof, i);
	}
}

static void names_are_those_of_the_options(void **state)
{
	assert_string_equal(severity_name(SEVERITY_HINT), "hint");
	assert_string_equal(severity_name(SEVERITY_ERROR), "error");
	assert_string_equal(cost_name(COST_DEVICE), "device");
	assert_string_equal(cost_name(COST_CORRECTNESS), "correctness");
	assert_string_equal(proof_name(PROOF_NONE), "none");
	assert_string_equal(proof_name(PROOF_SIBLING), "sibling");
	assert_string_equal(proof_name(PROOF_FLOW), "flow");
}

static void unknown_names_change_nothing(void **state)
{
	enum severity severity = SEVERITY_NOTE;
	enum cost cost = COST_PEAK;
	enum proof proof = PROOF_USAGE;

	assert_false(severity_from_name("fatal", &severity));
	assert_false(severity_from_name("", &severity));
	assert_false(severity_from_name("Hint", &severity));
	assert_false(cost_from_name("money", &cost));
	assert_false(proof_from_name("flows", &proof));
	assert_int_equal(severity, SEVERITY_NOTE);
	assert_int_equal(cost, COST_PEAK);
	assert_int_equal(proof, PROOF_USAGE);
}

static void values_out_of_range_have_a_name(void **state)
{
	assert_string_equal(severity_name((enum severity)99), "unknown");
}

static struct finding at(const struct rule *rule, uint32_t start, uint32_t end, const char *message)
{
	return (struct finding){.rule = rule, .at = {.span = {start, end}}, .message = message};
}

static void order_is_by_place_then_code_then_message(void **state)
{
	static const struct rule first = {.code = "VL101"}, second = {.code = "VL102"};
	const struct finding sorted[] = {
		at(&second, 1, 5, "z"), at(&second, 2, 3, "z"), at(&first, 2, 4, "a"),
		at(&first, 2, 4, "b"),	at(&second, 2, 4, "a"),
	};
	const int count = sizeof sorted / sizeof *sorted;

	for (int i = 0; i < count; i++) {
		for (int j = 0; j < count; j++) {
			int order = finding_compare(&sorted[i], &sorted[j]);

			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
	}
}

static void places_far_apart_do_not_overflow(void **state)
{
	static const struct rule rule = {.code = "VL101"};
	struct finding near = at(&rule, 0, 1, "m"), far = at(&rule, UINT32_MAX - 1, UINT32_MAX, "m");

	assert_true(finding_compare(&near, &far) < 0);
	assert_true(finding_compare(&far, &near) > 0);
}

static void a_copy_lives_on_its_own(void **state)
{
	char line[] = "xs.append(x)", message[] = "kept", text[] = "made here", edit[] = ".item()";
	struct finding_note note = {.at = {.line_text = line, .line_length = 5}, .text = text};
	struct edit change = {{1, 2}, edit};
	struct finding finding = {.at = {.span = {3, 8}, .line_text = line, .line_length = sizeof line - 1}, .message = message, .scope = "",
				  .notes = &note, .note_count = 1, .edits = &change, .edit_count = 1};
	struct arena arena;
	struct finding copy;

	arena_init(&arena);
	finding_dup(&copy, &finding, &arena);
	memset(line, '!', sizeof line);
	memset(message, '!', sizeof message - 1);
	memset(text, '!', sizeof text - 1);
	memset(edit, '!', sizeof edit - 1);
	memset(&note, 0, sizeof note);
	memset(&change, 0, sizeof change);
	assert_string_equal(copy.message, "kept");
	assert_string_equal(copy.at.line_text, "xs.append(x)");
	assert_string_equal(copy.notes[0].text, "made here");
	assert_string_equal(copy.notes[0].at.line_text, "xs.ap");
	assert_string_equal(copy.edits[0].text, ".item()");
	assert_null(copy.help);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_name_leads_back_to_its_value),
		cmocka_unit_test(names_are_those_of_the_options),
		cmocka_unit_test(unknown_names_change_nothing),
		cmocka_unit_test(values_out_of_range_have_a_name),
		cmocka_unit_test(order_is_by_place_then_code_then_message),
		cmocka_unit_test(places_far_apart_do_not_overflow),
		cmocka_unit_test(a_copy_lives_on_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
