#include "lsp/message.h"

#include "base/buf.h"
#include "temp_tree.h"

static struct message *read_text(const char *text)
{
	struct err err;

	return message_new(str_from(text), &err);
}

/* The text that params.x says in a notification whose params are PARAMS. */
static void check_text(const char *params, const char *wanted)
{
	struct buf text = BUF_INIT;
	struct message *message;

	buf_format(&text, "{\"method\":\"m\",\"params\":{\"x\":\"%s\"}}", params);
	message = read_text(buf_text(&text));
	assert_non_null(message);
	assert_string_equal(field_text(message->params, "x"), wanted);
	message_free(message);
	buf_release(&text);
}

static void what_cjson_cannot_hold_is_replaced(void **state)
{
	check_text("a\\u0000b", "a\001b");
	check_text("a\\\\u0000b", "a\\u0000b");
	check_text("a\\ud83d\\ude00b", "a\xf0\x9f\x98\x80" "b");
	check_text("a\\ud83db", "a\xef\xbf\xbd" "b");
	check_text("a\\ude00\\ud83d", "a\xef\xbf\xbd\xef\xbf\xbd");
	check_text("a\\\"\\n", "a\"\n");
	check_text("a\xff\xc3z", "a??z");
	check_text("\xc3\xa9", "\xc3\xa9");
}

static void requests_notifications_and_answers_are_told_apart(void **state)
{
	struct message *message = read_text("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":null}");

	assert_string_equal(message->method, "m");
	assert_int_equal(message->id->valueint, 7);
	assert_null(message->params);
	message_free(message);
	message = read_text("{\"id\":\"7\",\"result\":null}");
	assert_null(message->method);
	assert_string_equal(message->id->valuestring, "7");
	message_free(message);
	message = read_text("{\"method\":\"m\"}");
	assert_null(message->id);
	message_free(message);
}

static void what_is_no_message_has_no_root(void **state)
{
	static const char *const texts[] = {"[]", "1", "{}", "{\"id\":{},\"method\":\"m\"}", "{\"id\":1}", "{\"method\":7}", "null"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct message *message = read_text(texts[i]);

		assert_non_null(message);
		assert_null(message->root);
		message_free(message);
	}
}

static void what_is_no_json_is_an_error(void **state)
{
	static const char *const texts[] = {"", "{", "{}x", "{\"a\":}", "\\", "{\"a\":\"\\u12\"}"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_null(read_text(texts[i]));
}

static void fields_are_found_by_their_path(void **state)
{
	struct message *message = read_text("{\"method\":\"m\",\"params\":{\"a\":{\"b\":[\"x\",\"y\"],\"n\":3,\"t\":true,"
					    "\"half\":0.5,\"big\":1e30,\"null\":null}}}");
	const cJSON *params = message->params;

	assert_true(field_has(params, "a.b", "y"));
	assert_false(field_has(params, "a.b", "z"));
	assert_false(field_has(params, "a.n", "z"));
	assert_int_equal(field_number(params, "a.n", 9), 3);
	assert_int_equal(field_number(params, "a.big", 9), 9);
	assert_int_equal(field_number(params, "a.b", 9), 9);
	assert_true(field_is_true(params, "a.t"));
	assert_false(field_is_true(params, "a.n"));
	assert_null(field(params, "a.null"));
	assert_null(field(params, "a.n.deeper"));
	assert_null(field(params, "z.b"));
	assert_null(field_text(params, "a.n"));
	message_free(message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cjson_cannot_hold_is_replaced),
		cmocka_unit_test(requests_notifications_and_answers_are_told_apart),
		cmocka_unit_test(what_is_no_message_has_no_root),
		cmocka_unit_test(what_is_no_json_is_an_error),
		cmocka_unit_test(fields_are_found_by_their_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
