#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/candidates.h"
#include "cli/command.h"

struct fixture {
	struct rule_set rules;
	struct arena arena;
};

static int set_up(void **state)
{
	static struct fixture fixture;
	struct err err;

	assert_true(rule_set_init(&fixture.rules, NULL, &err));
	arena_init(&fixture.arena);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	rule_set_release(&fixture->rules);
	arena_release(&fixture->arena);
	return 0;
}

static struct candidates of(void **state, const char *name)
{
	struct fixture *fixture = *state;

	return candidates_of_operands(name, &fixture->rules, &fixture->arena);
}

static bool offers(struct candidates candidates, const char *word)
{
	for (size_t i = 0; i < candidates.count; i++) {
		if (strcmp(candidates.items[i].word, word) == 0)
			return true;
	}
	return false;
}

static void names_in_help_say_what_fits(void **state)
{
	assert_int_equal(of(state, "[PATH]...").kind, CANDIDATE_SOURCES);
	assert_int_equal(of(state, "DIR").kind, CANDIDATE_FOLDERS);
	assert_int_equal(of(state, "FILE").kind, CANDIDATE_FILES);
	assert_int_equal(of(state, "FILE|KEY=VALUE").kind, CANDIDATE_FILES);
	assert_int_equal(of(state, "COMMIT").kind, CANDIDATE_REFS);
	assert_int_equal(of(state, "N").kind, CANDIDATE_NOTHING);
	assert_int_equal(of(state, "").kind, CANDIDATE_NOTHING);
	assert_true(offers(of(state, "[COMMAND]"), "check"));
	assert_true(offers(of(state, "FORMAT[=FILE]"), "concise"));
	assert_true(offers(of(state, "FORMAT"), "auto"));
}

static void rules_are_offered_by_name_and_code(void **state)
{
	struct candidates list = of(state, "RULES");
	struct candidates one = of(state, "RULE");

	assert_int_equal(list.kind, CANDIDATE_LIST);
	assert_true(offers(list, "tensor-append"));
	assert_true(offers(list, "VL101"));
	assert_true(offers(list, "ALL"));
	assert_int_equal(one.kind, CANDIDATE_WORDS);
	assert_true(offers(one, "VL101"));
	assert_false(offers(one, "ALL"));
}

static void words_and_choices_are_themselves(void **state)
{
	static const struct option_choice levels[] = {{"low", 0}, {"high", 1}, {NULL, 0}};
	static const struct option_row row = {"level", 0, OPTION_CHOICE, "FILE", "", 0, levels};
	struct fixture *fixture = *state;
	struct candidates words = of(state, "bash|zsh|fish");
	struct candidates choices = candidates_of_value(&row, &fixture->rules, &fixture->arena);

	assert_int_equal(words.count, 3);
	assert_string_equal(words.items[0].word, "bash");
	assert_string_equal(words.items[2].word, "fish");
	assert_int_equal(choices.kind, CANDIDATE_WORDS);
	assert_int_equal(choices.count, 2);
	assert_true(offers(choices, "high"));
}

/* The scripts put words where a shell would read signs as its own. */
static void words_are_plain(void **state)
{
	struct fixture *fixture = *state;

	for (size_t i = 0; commands[i]; i++) {
		const struct option_row *row;

		for (size_t k = 0; (row = option_row_get(commands[i]->options, k)); k++) {
			struct candidates found = candidates_of_value(row, &fixture->rules, &fixture->arena);

			for (size_t n = 0; n < found.count; n++)
				assert_int_equal(strspn(found.items[n].word, "abcdefghijklmnopqrstuvwxyz"
									     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"),
						 strlen(found.items[n].word));
		}
	}
}

/* Tables are put together from several files. */
static void no_option_stands_twice(void **state)
{
	for (size_t i = 0; commands[i]; i++) {
		const struct option_row *row, *other;

		for (size_t k = 0; (row = option_row_get(commands[i]->options, k)); k++) {
			for (size_t n = 0; n < k && (other = option_row_get(commands[i]->options, n)); n++) {
				assert_false(row->name && other->name && strcmp(row->name, other->name) == 0);
				assert_false(row->letter && row->letter == other->letter);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_in_help_say_what_fits),
		cmocka_unit_test(rules_are_offered_by_name_and_code),
		cmocka_unit_test(words_and_choices_are_themselves),
		cmocka_unit_test(words_are_plain),
		cmocka_unit_test(no_option_stands_twice),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
