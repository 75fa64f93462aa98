#include "lsp/position.h"

#include "lsp/uri.h"
#include "temp_tree.h"
#include "text/notebook.h"

/* One, two, three and four bytes of UTF-8. */
static const char line[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";

static void units_are_those_of_the_encoding(void **state)
{
	assert_int_equal(position_units(POSITION_UTF8, str_from(line)), 11);
	assert_int_equal(position_units(POSITION_UTF16, str_from(line)), 6);
	assert_int_equal(position_units(POSITION_UTF32, str_from(line)), 5);
}

static void bytes_are_found_by_units(void **state)
{
	static const size_t utf16[] = {0, 1, 3, 6, 6, 10, 11, 11}, utf32[] = {0, 1, 3, 6, 10, 11, 11};
	static const size_t utf8[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};

	for (uint32_t i = 0; i < sizeof utf16 / sizeof *utf16; i++)
		assert_int_equal(position_bytes(POSITION_UTF16, str_from(line), i), utf16[i]);
	for (uint32_t i = 0; i < sizeof utf32 / sizeof *utf32; i++)
		assert_int_equal(position_bytes(POSITION_UTF32, str_from(line), i), utf32[i]);
	for (uint32_t i = 0; i < sizeof utf8 / sizeof *utf8; i++)
		assert_int_equal(position_bytes(POSITION_UTF8, str_from(line), i), utf8[i]);
}

static void places_of_a_file_count_lines_from_zero(void **state)
{
	struct source source;
	struct position position;

	source_init_plain(&source, STR("x\r\n\xc3\xa9y\rz"));
	position = position_of(POSITION_UTF16, &source, 6);
	assert_int_equal(position.line, 1);
	assert_int_equal(position.character, 2);
	position = position_of(POSITION_UTF8, &source, 99);
	assert_int_equal(position.line, 2);
	assert_int_equal(position.character, 1);
	source_release(&source);
}

static void places_of_a_notebook_count_within_its_cells(void **state)
{
	struct str texts[] = {STR("%matplotlib \xc3\xa9\nx = 1"), {NULL, 0}, STR("y = 2\nz")};
	struct source source;
	struct position position;

	notebook_init_texts(&source, texts, 3);
	position = position_of(POSITION_UTF16, &source, (uint32_t)(strchr(source.text, 'z') - source.text));
	assert_int_equal(position.line, 1);
	assert_int_equal(position.character, 0);
	assert_int_equal(source_cell(&source, (uint32_t)(strchr(source.text, 'z') - source.text)), 3);
	/* behind a magic, that gave way to blanks, as it was written */
	position = position_of(POSITION_UTF16, &source, (uint32_t)(strchr(source.text, '\n') - source.text));
	assert_int_equal(position.character, 13);
	source_release(&source);
}

static void check_path(const char *uri, const char *wanted)
{
	struct arena arena;
	const char *path;

	arena_init(&arena);
	path = uri_to_path(&arena, uri);
	if (wanted)
		assert_string_equal(path, wanted);
	else
		assert_null(path);
	arena_release(&arena);
}

static void addresses_lead_to_paths(void **state)
{
	check_path("file:///a/b.py", "/a/b.py");
	check_path("FILE:///a%20b/%C3%A9.py", "/a b/\xc3\xa9.py");
	check_path("file://localhost/a", "/a");
	check_path("file:///a?query#part", "/a");
	check_path("file:///100%", "/100%");
	check_path("file:///a%zz%4", "/a%zz%4");
	check_path("file:///a%2Fb", "/a/b");
	check_path("file:///a%00b", NULL);
	check_path("file://elsewhere/a", NULL);
	check_path("untitled:Untitled-1", NULL);
	check_path("vscode-notebook-cell:/a.ipynb#X1", NULL);
	check_path("", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_those_of_the_encoding),
		cmocka_unit_test(bytes_are_found_by_units),
		cmocka_unit_test(places_of_a_file_count_lines_from_zero),
		cmocka_unit_test(places_of_a_notebook_count_within_its_cells),
		cmocka_unit_test(addresses_lead_to_paths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
