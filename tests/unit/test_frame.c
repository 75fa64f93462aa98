#include "lsp/frame.h"

#include "temp_tree.h"

/* What comes out of BYTES, given in pieces of PIECE bytes: bodies between "|", "!" for a fault, "?" where it is lost. */
static void check(const char *bytes, size_t length, size_t piece, const char *wanted)
{
	struct frame_reader reader = {BUF_INIT, 0};
	struct buf out = BUF_INIT;
	enum frame_state state = FRAME_MORE;
	struct err err;

	for (size_t at = 0; at < length && state != FRAME_LOST; at += piece) {
		struct str body;

		frame_reader_add(&reader, bytes + at, length - at < piece ? length - at : piece);
		while ((state = frame_reader_next(&reader, &body, &err)) != FRAME_MORE && state != FRAME_LOST) {
			buf_add_char(&out, '|');
			buf_add_str(&out, state == FRAME_BODY ? body : STR("!"));
		}
	}
	if (state == FRAME_LOST)
		buf_add_char(&out, '?');
	assert_string_equal(buf_text(&out), wanted);
	buf_release(&out);
	frame_reader_release(&reader);
}

static void check_text(const char *text, const char *wanted)
{
	for (size_t piece = 1; piece <= strlen(text) + 1; piece++)
		check(text, strlen(text), piece, wanted);
}

static void messages_come_out_however_they_are_cut(void **state)
{
	check_text("Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]", "|{}|[1]");
	check_text("Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n1", "||1");
	check_text("Content-Type: x; charset=utf-8\r\ncontent-length :2\r\n\r\n{}", "|{}");
	check_text("Content-Length: 2\n\n{}", "|{}");
	check_text("Content-Length: 9\r\n\r\n{}", "");
	check_text("Content-Leng", "");
}

static void a_header_without_length_is_passed_over(void **state)
{
	check_text("Content-Type: x\r\n\r\nContent-Length: 2\r\n\r\n{}", "|!|{}");
	check_text("Content-Length: x\r\n\r\nContent-Length: 2\r\n\r\n{}", "|!|{}");
	check_text("Content-Length: -1\r\n\r\nContent-Length: 2\r\n\r\n{}", "|!|{}");
	check_text("Content-Length: 2 3\r\n\r\nContent-Length: 2\r\n\r\n{}", "|!|{}");
	check_text("Content-Lengthy: 2\r\n\r\nContent-Length: 2\r\n\r\n{}", "|!|{}");
}

static void what_is_announced_too_large_ends_the_reading(void **state)
{
	check_text("Content-Length: 99999999999999999999999999\r\n\r\n", "?");
	check_text("Content-Length: 536870913\r\n\r\n", "?");
}

static void a_header_without_end_ends_the_reading(void **state)
{
	size_t length = FRAME_HEADER_LIMIT + 10;
	char *bytes = test_malloc(length);

	memset(bytes, 'x', length);
	check(bytes, length, length, "?");
	check(bytes, length, 4096, "?");
	test_free(bytes);
}

static void bodies_may_hold_any_bytes(void **state)
{
	check("Content-Length: 3\r\n\r\n\r\n\nContent-Length: 1\r\n\r\nx", 46, 5, "|\r\n\n|x");
}

static void a_body_is_framed_by_its_bytes(void **state)
{
	struct buf out = BUF_INIT;

	frame_add(&out, STR("\"é\""));
	assert_string_equal(buf_text(&out), "Content-Length: 4\r\n\r\n\"é\"");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_come_out_however_they_are_cut),
		cmocka_unit_test(a_header_without_length_is_passed_over),
		cmocka_unit_test(what_is_announced_too_large_ends_the_reading),
		cmocka_unit_test(a_header_without_end_ends_the_reading),
		cmocka_unit_test(bodies_may_hold_any_bytes),
		cmocka_unit_test(a_body_is_framed_by_its_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
