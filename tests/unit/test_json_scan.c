#include "text/json_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check_whole(const char *text)
{
	struct json_scan scan;
	struct err err;

	json_scan_init(&scan, str_from(text));
	if (!json_scan_skip(&scan) || !json_scan_end(&scan)) {
		json_scan_err(&scan, &err);
		fail_msg("'%s': %s", text, err.message);
	}
	assert_int_equal(scan.depth, 0);
}

static void check_refused(struct str text, const char *message)
{
	struct json_scan scan;
	struct err err;

	json_scan_init(&scan, text);
	assert_false(json_scan_skip(&scan) && json_scan_end(&scan));
	assert_false(json_scan_err(&scan, &err));
	assert_string_equal(err.message, message);
	assert_int_equal(err.code, ERR_PARSE);
	/* a fault lasts */
	assert_false(json_scan_skip(&scan));
	assert_int_equal(json_scan_kind(&scan), JSON_NONE);
}

static void what_is_json_is_skipped(void **state)
{
	static const char *const texts[] = {
		"{}", "[]", " [ ] ", "1", "-0", "0.5", "1e9", "1E+9", "-12.25e-3", "NaN", "-Infinity", "Infinity", "true", "false",
		"null", "\"\"", "\"a\\n\\\"\\\\\\/\\u00e9\\ud83d\\ude00\"", "{\"a\":[1,{\"b\":[]},\"c\"],\"d\":{}}",
		"\t[1 ,\r\n2]\n", "[[[[]]],[[{}]]]", "\"h\xc3\xa9\xf0\x9f\x98\x80\"",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check_whole(texts[i]);
}

static void faults_have_a_place(void **state)
{
	static const char *const texts[][2] = {
		{"", "not valid JSON: the text ends too early at line 1 column 1"},
		{"[1,\n 2", "not valid JSON: the text ends too early at line 2 column 3"},
		{"[1 2]", "not valid JSON: ',' or ']' is missing at line 1 column 4"},
		{"[1,]", "not valid JSON: nothing follows the ',' at line 1 column 4"},
		{"[,1]", "not valid JSON: a value is missing at line 1 column 2"},
		{"{\"a\"}", "not valid JSON: ':' is missing at line 1 column 5"},
		{"{\"a\":1,}", "not valid JSON: nothing follows the ',' at line 1 column 8"},
		{"{a:1}", "not valid JSON: a key in quotes is missing at line 1 column 2"},
		{"{\"a\":1]", "not valid JSON: ',' or '}' is missing at line 1 column 7"},
		{"[1}", "not valid JSON: ',' or ']' is missing at line 1 column 3"},
		{"[1] x", "not valid JSON: something follows its end at line 1 column 5"},
		{"01", "not valid JSON: a number is malformed at line 1 column 1"},
		{"[-]", "not valid JSON: a number is malformed at line 1 column 2"},
		{"[1.]", "not valid JSON: a number is malformed at line 1 column 2"},
		{"[1e]", "not valid JSON: a number is malformed at line 1 column 2"},
		{"nul", "not valid JSON: the text ends too early at line 1 column 4"},
		{"nux", "not valid JSON: a value is missing at line 1 column 1"},
		{"\"a\nb\"", "not valid JSON: a control character in a text at line 1 column 3"},
		{"\"\xc3\xa9\\x\"", "not valid JSON: an escape is unknown at line 1 column 3"},
		{"\"\\u12g4\"", "not valid JSON: an escape is unknown at line 1 column 2"},
		{"\"\\u12", "not valid JSON: the text ends too early at line 1 column 6"},
		{"\"abc", "not valid JSON: the text ends too early at line 1 column 5"},
		{"\r\n\"\xff\"", "not valid UTF-8 at line 2 column 2"},
		{"\"\xed\xa0\x80\"", "not valid UTF-8 at line 1 column 2"},
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check_refused(str_from(texts[i][0]), texts[i][1]);
	check_refused(STR("\"\0\""), "not valid JSON: a control character in a text at line 1 column 2");
	check_refused(STR("[\"\\\0\"]"), "not valid JSON: an escape is unknown at line 1 column 3");
}

static void depth_is_limited(void **state)
{
	struct buf text = BUF_INIT;
	struct json_scan scan;

	buf_add_repeat(&text, '[', JSON_SCAN_DEPTH);
	buf_add_repeat(&text, ']', JSON_SCAN_DEPTH);
	check_whole(buf_text(&text));
	buf_reset(&text);
	buf_add_repeat(&text, '[', JSON_SCAN_DEPTH + 1);
	json_scan_init(&scan, buf_get(&text));
	assert_false(json_scan_skip(&scan));
	assert_string_equal(scan.fault, "nested too deeply");
	buf_release(&text);
}

static void values_are_visited(void **state)
{
	struct str text = STR("{\"\\u0061\": [1, \"x\", {}], \"b\": 7, \"c\": -1, \"d\": 1e3, \"e\": 99999999999}");
	static const uint32_t numbers[] = {7, UINT32_MAX, UINT32_MAX, UINT32_MAX};
	struct json_literal key, value;
	struct json_scan scan;
	uint32_t number;

	json_scan_init(&scan, text);
	assert_int_equal(json_scan_kind(&scan), JSON_OBJECT);
	assert_true(json_scan_object(&scan));
	assert_true(json_scan_key(&scan, &key));
	assert_true(json_literal_is(text, key, "a"));
	assert_false(json_literal_is(text, key, "b"));
	assert_true(json_scan_array(&scan));
	assert_true(json_scan_item(&scan));
	assert_int_equal(json_scan_kind(&scan), JSON_NUMBER);
	assert_true(json_scan_skip(&scan));
	assert_true(json_scan_item(&scan));
	assert_true(json_scan_text(&scan, &value));
	assert_true(json_scan_item(&scan));
	assert_true(json_scan_skip(&scan));
	assert_false(json_scan_item(&scan));
	for (size_t i = 0; i < 4; i++) {
		assert_true(json_scan_key(&scan, &key));
		assert_true(json_scan_whole(&scan, &number));
		assert_int_equal(number, numbers[i]);
	}
	assert_false(json_scan_key(&scan, &key));
	assert_true(json_scan_end(&scan));
	assert_null(scan.fault);
}

static void check_said(const char *literal, const char *said)
{
	struct buf out = BUF_INIT;

	json_literal_add(&out, str_from(literal), (struct json_literal){0, strlen(literal), true});
	assert_string_equal(buf_text(&out), said);
	buf_release(&out);
}

static void escapes_are_undone(void **state)
{
	check_said("a\\n\\t\\r\\b\\f\\\"\\\\\\/b", "a\n\t\r\b\f\"\\/b");
	check_said("\\u00e9\\u20AC", "\xc3\xa9\xe2\x82\xac");
	check_said("\\ud83d\\ude00!", "\xf0\x9f\x98\x80!");
	check_said("\\ud83d!\\ude00\\ud83d\\u0041\\ud83d", "\xef\xbf\xbd!\xef\xbf\xbd\xef\xbf\xbd" "A\xef\xbf\xbd");
	check_said("\xc3\xa9\xf0\x9f\x98\x80", "\xc3\xa9\xf0\x9f\x98\x80");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_json_is_skipped), cmocka_unit_test(faults_have_a_place),
		cmocka_unit_test(depth_is_limited),	   cmocka_unit_test(values_are_visited),
		cmocka_unit_test(escapes_are_undone),
	};

	return cmocka_run_group_tests_name("json_scan", tests, NULL, NULL);
}
