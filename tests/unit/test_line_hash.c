#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/line_hash.h"

enum { MOST = 8 };

/* Whether there are hashes for RAW, and which. */
static bool hash(struct str raw, struct line_hash *hashes)
{
	struct source source;
	bool ok;

	assert_true(source_init(&source, raw, NULL));
	assert_true(source.line_count <= MOST);
	ok = line_hashes_get(&source, hashes);
	source_release(&source);
	return ok;
}

/* The value is that of the tests of github/codeql-action; tests/formats compares others with a port of the definition. */
static void values_are_those_of_code_scanning(void **state)
{
	struct line_hash hashes[MOST];

	/* an empty file is one empty line */
	assert_true(hash(STR(""), hashes));
	assert_true(hashes[0].hash == UINT64_C(0xc129715d7a2bc9a3));
	assert_int_equal(hashes[0].count, 1);
}

static void blanks_and_line_ends_do_not_matter(void **state)
{
	struct line_hash a[MOST], b[MOST];

	assert_true(hash(STR("if x:\n    y = 1\n"), a));
	assert_true(hash(STR("if  x:\r\n\ty=1\r\n"), b));
	for (int i = 0; i < 3; i++)
		assert_true(a[i].hash == b[i].hash);
	assert_true(hash(STR("if x:\r    y = 1\r"), b));
	assert_true(a[1].hash == b[1].hash);
	assert_true(a[0].hash != a[1].hash);
}

static void equal_lines_are_counted(void **state)
{
	char text[6 * 120];
	struct line_hash hashes[MOST];
	size_t length = 0;

	/* Equal for more characters than are hashed. */
	for (int line = 0; line < 5; line++) {
		for (int i = 0; i < 101; i++)
			text[length++] = 'x';
		text[length++] = '\n';
	}
	assert_true(hash((struct str){text, length}, hashes));
	assert_true(hashes[0].hash == hashes[3].hash);
	assert_int_equal(hashes[0].count, 1);
	assert_int_equal(hashes[3].count, 4);
}

static void a_byte_order_mark_counts(void **state)
{
	struct line_hash with[MOST], without[MOST];

	assert_true(hash(STR("\xEF\xBB\xBFx = 1\ny = 2\n"), with));
	assert_true(hash(STR("x = 1\ny = 2\n"), without));
	assert_true(with[0].hash != without[0].hash);
	assert_true(with[1].hash == without[1].hash);
}

static void other_encodings_have_none(void **state)
{
	struct line_hash hashes[MOST];

	assert_false(hash(STR("# coding: latin-1\nx = '\xE9'\n"), hashes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_of_code_scanning),
		cmocka_unit_test(blanks_and_line_ends_do_not_matter),
		cmocka_unit_test(equal_lines_are_counted),
		cmocka_unit_test(a_byte_order_mark_counts),
		cmocka_unit_test(other_encodings_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
