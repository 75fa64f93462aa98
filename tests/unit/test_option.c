#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/option.h"

struct values {
	bool quiet;
	int threads;
	int level;
	const char *select;
	struct option_list formats;
	int most;
	const char *reason;
};

static const struct option_choice levels[] = {{"low", 3}, {"high", 5}, {NULL, 0}};

static const struct option_row rows[] = {
	{"select", 0, OPTION_TEXT, "RULES", "choose", offsetof(struct values, select), NULL},
	{"level", 'l', OPTION_CHOICE, "LEVEL", "how much", offsetof(struct values, level), levels},
	{NULL, 'j', OPTION_NUMBER, "N", "threads", offsetof(struct values, threads), NULL},
	{"format", 'f', OPTION_LIST, "FORMAT", "how", offsetof(struct values, formats), NULL},
	{"most", 0, OPTION_COUNT, "N", "no more", offsetof(struct values, most), NULL},
	{"add", 0, OPTION_TEXT, "[=REASON]", "add it", offsetof(struct values, reason), NULL},
	{"quiet", 'q', OPTION_FLAG, NULL, "say less", offsetof(struct values, quiet), NULL},
	{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL},
};

static struct values values;
static struct option_result result;
static struct err err;

static int set_up(void **state)
{
	option_list_release(&values.formats);
	memset(&values, 0, sizeof values);
	memset(&result, 0, sizeof result);
	memset(&err, 0, sizeof err);
	return 0;
}

static int tear_down(void **state)
{
	option_result_release(&result);
	option_list_release(&values.formats);
	return 0;
}

/* LINE is split at spaces. */
static bool parse(const char *line)
{
	static char words[256];
	char *arguments[16];
	int count = 0;

	assert_true(strlen(line) < sizeof words);
	strcpy(words, line);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		arguments[count++] = word;
	option_result_release(&result);
	return option_parse(rows, count, arguments, &values, &result, &err);
}

static void each_form_sets_its_value(void **state)
{
	assert_true(parse("--select=a,b --level high -j4 --quiet"));
	assert_string_equal(values.select, "a,b");
	assert_int_equal(values.level, 5);
	assert_int_equal(values.threads, 4);
	assert_true(values.quiet);
	assert_true(parse("--select c --level=low -j 8"));
	assert_string_equal(values.select, "c");
	assert_int_equal(values.level, 3);
	assert_int_equal(values.threads, 8);
	assert_true(parse("-qj16 -lhigh"));
	assert_int_equal(values.threads, 16);
	assert_int_equal(values.level, 5);
}

static void a_value_may_be_empty_or_hold_equals(void **state)
{
	assert_true(parse("--select="));
	assert_string_equal(values.select, "");
	assert_true(parse("--select=a=b"));
	assert_string_equal(values.select, "a=b");
	assert_true(parse("--select --quiet"));
	assert_string_equal(values.select, "--quiet");
	assert_false(values.quiet);
}

static void a_list_keeps_all_in_order(void **state)
{
	assert_true(parse("--format a -f b=c --format=d"));
	assert_int_equal(values.formats.count, 3);
	assert_string_equal(values.formats.items[0], "a");
	assert_string_equal(values.formats.items[1], "b=c");
	assert_string_equal(values.formats.items[2], "d");
}

static void the_rest_are_operands(void **state)
{
	assert_true(parse("a -q b - -- -j c"));
	assert_int_equal(result.operand_count, 5);
	assert_string_equal(result.operands[0], "a");
	assert_string_equal(result.operands[1], "b");
	assert_string_equal(result.operands[2], "-");
	assert_string_equal(result.operands[3], "-j");
	assert_string_equal(result.operands[4], "c");
	assert_true(values.quiet);
}

static void help_ends_the_reading(void **state)
{
	assert_true(parse("-q --help --nonsense"));
	assert_true(result.help);
	assert_true(parse("-qh --nonsense"));
	assert_true(result.help);
	assert_true(parse("-- --help"));
	assert_false(result.help);
}

static void fails(const char *line, const char *message)
{
	assert_false(parse(line));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.message, message);
}

static void mistakes_are_named(void **state)
{
	fails("--slect x", "unknown option '--slect'; did you mean '--select'?");
	fails("--frobnicate", "unknown option '--frobnicate'");
	fails("-x", "unknown option '-x'");
	fails("-qx", "unknown option '-x' in '-qx'");
	fails("--select", "option '--select' needs a value, RULES");
	fails("-j", "option '-j' needs a value, N");
	fails("--quiet=yes", "option '--quiet' takes no value");
	fails("--level=mid", "option '--level' takes low or high, not 'mid'");
	/* Only whole names: an abbreviation would stop working with the next option. */
	fails("--sel x", "unknown option '--sel'; did you mean '--select'?");
}

static void numbers_are_strict(void **state)
{
	static const char *const bad[] = {"-j4x", "-j-1", "-j+4", "-j0x4", "-j1025", "-j4294967297",
					  "-j99999999999999999999", "-j 4.0"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(parse(bad[i]));
		assert_non_null(strstr(err.message, "option '-j' takes a number from 0 to 1024, not '"));
	}
	assert_int_equal(values.threads, 0);
	assert_true(parse("-j0"));
	assert_true(parse("-j1024"));
	assert_int_equal(values.threads, 1024);
}

static void help_has_a_line_for_each(void **state)
{
	struct buf out = BUF_INIT;

	option_add_help(rows, &out);
	assert_string_equal(buf_text(&out), "      --select RULES          choose\n"
					    "  -l, --level LEVEL           how much\n"
					    "  -j N                        threads\n"
					    "  -f, --format FORMAT         how\n"
					    "      --most N                no more\n"
					    "      --add[=REASON]          add it\n"
					    "  -q, --quiet                 say less\n"
					    "  -h, --help                  print this help\n");
	buf_release(&out);
}

static void values_that_may_be_missing(void **state)
{
	assert_true(parse("--add --most 2000 x"));
	assert_string_equal(values.reason, "");
	assert_int_equal(values.most, 2000);
	assert_int_equal(result.operand_count, 1);
	assert_true(parse("--add=why x"));
	assert_string_equal(values.reason, "why");
	assert_false(parse("--most 1000001"));
	assert_string_equal(err.message, "option '--most' takes a number from 0 to 1000000, not '1000001'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_form_sets_its_value, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_value_may_be_empty_or_hold_equals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_list_keeps_all_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_rest_are_operands, set_up, tear_down),
		cmocka_unit_test_setup_teardown(help_ends_the_reading, set_up, tear_down),
		cmocka_unit_test_setup_teardown(mistakes_are_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(numbers_are_strict, set_up, tear_down),
		cmocka_unit_test_setup_teardown(help_has_a_line_for_each, set_up, tear_down),
		cmocka_unit_test_setup_teardown(values_that_may_be_missing, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
