#include "text/notebook.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "{\"nbformat\": 4, \"cells\": ["
#define TAIL "]}\n"
#define CODE(source) "{\"cell_type\": \"code\", \"source\": " source "}"
#define TEXT(source) "{\"cell_type\": \"markdown\", \"source\": " source "}"

static struct source read_as(const char *raw)
{
	struct source source;
	struct err err;

	if (!notebook_init(&source, str_from(raw), &err))
		fail_msg("%s", err.message);
	assert_int_equal(source.length, strlen(source.text));
	return source;
}

static void check_program(const char *raw, const char *program)
{
	struct source source = read_as(raw);

	assert_string_equal(source.text, program);
	source_release(&source);
}

static void check_refused(const char *raw, enum err_code code, const char *message)
{
	struct source source;
	struct err err;

	assert_false(notebook_init(&source, str_from(raw), &err));
	assert_int_equal(err.code, code);
	assert_string_equal(err.message, message);
	source_release(&source);
}

static void cells_become_one_program(void **state)
{
	check_program(HEAD TAIL, "");
	check_program(HEAD CODE("\"a\"") "," CODE("\"b\\n\"") TAIL, "a\nb\n\n");
	check_program(HEAD CODE("[]") "," TEXT("\"x\"") "," CODE("[\"a\\n\", \"b\"]") TAIL, "\na\nb\n");
	check_program(HEAD CODE("[\"a\", \"b\", \"\", \"c\"]") TAIL, "abc\n");
	check_program(HEAD CODE("\"a\\r\\nb\\r\"") "," CODE("\"c\"") TAIL, "a\r\nb\r\nc\n");
	check_program(HEAD CODE("\"a \\\\\"") "," CODE("\"b\"") TAIL, "a \\\n\nb\n");
	check_program(HEAD CODE("\"!ls\\na\"") "," CODE("\"%%bash\\nls\"") "," CODE("\"b\"") TAIL, "0  \na\nb\n");
	check_program(HEAD CODE("\"  a\\n  b\"") TAIL, "if True:\n  a\n  b\n");
	check_program(HEAD CODE("\"\\ud83d\\ude00 \\ud83d\"") TAIL, "\xf0\x9f\x98\x80 \xef\xbf\xbd\n");
	/* the last of two keys counts, as in Python */
	check_program("{\"cells\": [" CODE("\"a\"") "], \"nbformat\": 4, \"cells\": [" CODE("\"b\", \"source\": \"c\"") "]}", "c\n");
	check_program("{\"nbformat\": 3, \"worksheets\": [{\"cells\": [{\"cell_type\": \"code\", \"input\": [\"a\\n\"], "
		      "\"language\": \"python\"}, {\"cell_type\": \"code\", \"input\": \"b\", \"language\": \"R\"}]}]}",
		      "a\n\n");
	check_program("\xef\xbb\xbf" HEAD CODE("\"a\"") TAIL, "a\n");
}

static void places_count_within_cells(void **state)
{
	struct source source = read_as("{\"nbformat\": 4,\n\"cells\": [\n" TEXT("\"x\"") ",\n" CODE("[\"%%time\\n\",\n\"a\\n\"]") ",\n" CODE(
		"\"  \xc3\xa9\\n  %time for x in y: b\\n  c\"") TAIL);
	/* "%%time" is blank, and lines are added before the indented cell and before the timed loop */
	static const char program[] = "      \na\n\nif True:\n  \xc3\xa9\n  if True:\n        for x in y: b\n  c\n";
	static const uint32_t cells[] = {2, 2, 2, 3, 3, 3, 3, 3, 3};
	static const uint32_t lines[] = {1, 2, 3, 1, 1, 2, 2, 3, 3};
	static const uint32_t file_lines[] = {4, 5, 5, 6, 6, 6, 6, 6, 6};
	static const bool added[] = {false, false, false, true, false, true, false, false, true};
	struct place place;
	uint32_t at;

	assert_string_equal(source.text, program);
	assert_int_equal(source.line_count, 9);
	for (uint32_t i = 0; i < 9; i++) {
		at = source.line_starts[i];
		assert_int_equal(source_cell(&source, at), cells[i]);
		assert_int_equal(source_place(&source, at).line, lines[i]);
		assert_int_equal(source_file_line(&source, at), file_lines[i]);
		assert_int_equal(source.origins[i].is_added, added[i]);
	}
	assert_true(str_is(source_line_written(&source, 1), "%%time"));
	assert_true(str_is(source_line_written(&source, 7), "  %time for x in y: b"));
	assert_int_equal(source_cell_offset(&source, source.line_starts[1]), 7);
	at = source.line_starts[7] + 2; /* "c" */
	place = source_place(&source, at);
	assert_int_equal(place.column, 3);
	assert_int_equal(source_cell_offset(&source, at), strlen("  \xc3\xa9\n  %time for x in y: b\n  "));
	source_release(&source);
}

static void languages_are_told(void **state)
{
	check_refused("{\"nbformat\": 4, \"cells\": [], \"metadata\": {\"language_info\": {\"name\": \"R\"}}}", ERR_FOREIGN,
		      "the notebook is in 'r', not in Python; nothing in it was checked");
	check_refused("{\"metadata\": {\"kernelspec\": {\"name\": \"x\", \"language\": \"julia\"}}, \"nbformat\": 4, \"cells\": []}",
		      ERR_FOREIGN, "the notebook is in 'julia', not in Python; nothing in it was checked");
	check_refused("{\"metadata\": {\"kernelspec\": {\"name\": \"ir\"}}, \"nbformat\": 4, \"cells\": []}", ERR_FOREIGN,
		      "the notebook is in 'r', not in Python; nothing in it was checked");
	check_program("{\"metadata\": {\"kernelspec\": {\"name\": \"iris\"}, \"language_info\": 3}, \"nbformat\": 4, \"cells\": []}", "");
	check_program("{\"metadata\": {\"language_info\": {\"name\": \"python\"}, \"kernelspec\": {\"language\": \"sagemath\"}},"
		      "\"nbformat\": 4, \"cells\": []}", "");
	check_program(HEAD "{\"cell_type\": \"code\", \"metadata\": {\"vscode\": {\"languageId\": \"sql\"}}, \"source\": \"a\"},"
			   CODE("\"b\"") TAIL, "b\n");
}

static void faults_have_a_place(void **state)
{
	check_refused("", ERR_PARSE, "not valid JSON: the text ends too early at line 1 column 1");
	check_refused("{\"cells\": [\n", ERR_PARSE, "not valid JSON: the text ends too early at line 2 column 1");
	check_refused("{\"cells\": []}", ERR_PARSE, "not a notebook: there is no 'nbformat' at line 1 column 1");
	check_refused("{\"nbformat\": 4}", ERR_PARSE, "not a notebook: there are no 'cells' at line 1 column 1");
	check_refused("{\"nbformat\": 5}", ERR_PARSE, "the notebook format is not known (2, 3 and 4 are) at line 1 column 14");
	check_refused(HEAD "7" TAIL, ERR_PARSE, "cell 1 is no object at line 1 column 27");
	check_refused(HEAD TEXT("\"\"") ",\n{\"source\": \"\"}" TAIL, ERR_PARSE, "cell 2 has no 'cell_type' at line 2 column 1");
	check_refused(HEAD "{\"cell_type\": 1}" TAIL, ERR_PARSE, "cell 1 has a 'cell_type' that is no text at line 1 column 41");
	check_refused(HEAD CODE("{}") TAIL, ERR_PARSE,
		      "cell 1 has a source that is neither a text nor a list of texts at line 1 column 59");
	check_refused(HEAD CODE("[[]]") TAIL, ERR_PARSE, "cell 1 has a line that is no text at line 1 column 60");
}

/* ---- edits ---- */

/* After the EDIT of the first place where AT stands in the program, RAW is WANTED. */
static void check_edit(const char *raw, const char *at, uint32_t length, const char *text, const char *wanted)
{
	struct source source = read_as(raw);
	const char *found = strstr(source.text, at);
	struct edit edit = {{0, 0}, text};
	struct buf out = BUF_INIT;
	struct err err;

	assert_non_null(found);
	edit.span.start = (uint32_t)(found - source.text);
	edit.span.end = edit.span.start + length;
	assert_true(notebook_allows(&source, &edit));
	assert_true(notebook_apply(str_from(raw), &edit, 1, &out, &err));
	assert_string_equal(buf_text(&out), wanted);
	buf_release(&out);
	source_release(&source);
}

static void only_the_string_changes(void **state)
{
	check_edit(HEAD CODE("[\n \"\\u00e9 = x\\n\",\r\n \"y\"]") TAIL, "x", 1, "z\"\\",
		   HEAD CODE("[\n \"\\u00e9 = z\\\"\\\\\\n\",\r\n \"y\"]") TAIL);
	check_edit(HEAD CODE("\"a\\nb\\tc\"") TAIL, "b", 0, "\xc3\xa9", HEAD CODE("\"a\\n\xc3\xa9" "b\\tc\"") TAIL);
	check_edit(HEAD CODE("\"\\ud83d\\ude00x\"") TAIL, "x", 1, "", HEAD CODE("\"\\ud83d\\ude00\"") TAIL);
	check_edit(HEAD CODE("\"a\"") TAIL, "a", 2, "", HEAD CODE("\"\"") TAIL);
	check_edit(HEAD CODE("\"a\"") "," CODE("\"b\"") TAIL, "\nb", 0, "!", HEAD CODE("\"a!\"") "," CODE("\"b\"") TAIL);
	check_edit(HEAD CODE("\"a\\n\"") "," CODE("\"b\"") TAIL, "b", 0, "!", HEAD CODE("\"a\\n\"") "," CODE("\"!b\"") TAIL);
	check_edit(HEAD CODE("\"  a\\n  b\"") TAIL, "b", 1, "c", HEAD CODE("\"  a\\n  c\"") TAIL);
	check_edit(HEAD CODE("\"%time x = 1\"") TAIL, "x", 1, "y", HEAD CODE("\"%time y = 1\"") TAIL);
}

static void lists_stay_lists_of_lines(void **state)
{
	const char *three = HEAD CODE("[\n  \"a\\n\",\n  \"b\\n\",\n  \"c\"\n ]") TAIL;

	/* lines put in */
	check_edit(three, "b", 0, "x\ny\n", HEAD CODE("[\n  \"a\\n\",\n  \"x\\n\",\n  \"y\\n\",\n  \"b\\n\",\n  \"c\"\n ]") TAIL);
	check_edit(three, "a", 0, "x\n", HEAD CODE("[\n  \"x\\n\",\n  \"a\\n\",\n  \"b\\n\",\n  \"c\"\n ]") TAIL);
	check_edit(three, "c", 1, "c\nx", HEAD CODE("[\n  \"a\\n\",\n  \"b\\n\",\n  \"c\\n\",\n  \"x\"\n ]") TAIL);
	check_edit(HEAD CODE("[\n  \"a\"\n ]") TAIL, "a", 0, "x\n", HEAD CODE("[\n  \"x\\n\",\n  \"a\"\n ]") TAIL);
	check_edit(HEAD CODE("[\"a\"]") TAIL, "a", 0, "x\n", HEAD CODE("[\"x\\n\",\"a\"]") TAIL);
	check_edit(HEAD CODE("[]") TAIL, "\n", 0, "x", HEAD CODE("[\"x\"]") TAIL);
	/* lines taken away */
	check_edit(three, "a", 2, "", HEAD CODE("[\n  \"b\\n\",\n  \"c\"\n ]") TAIL);
	check_edit(three, "b", 2, "", HEAD CODE("[\n  \"a\\n\",\n  \"c\"\n ]") TAIL);
	check_edit(three, "c", 1, "", HEAD CODE("[\n  \"a\\n\",\n  \"b\\n\"\n ]") TAIL);
	check_edit(three, "c", 2, "", HEAD CODE("[\n  \"a\\n\",\n  \"b\\n\"\n ]") TAIL);
	check_edit(three, "a", 4, "", HEAD CODE("[\n  \"c\"\n ]") TAIL);
	check_edit(three, "a", 6, "", HEAD CODE("[\n  \n ]") TAIL);
	/* lines made one */
	check_edit(three, "\nb", 1, " ", HEAD CODE("[\n  \"a b\\n\",\n  \"c\"\n ]") TAIL);
	check_edit(three, "\nb\n", 3, "", HEAD CODE("[\n  \"ac\"\n ]") TAIL);
	/* strings that are no lines */
	check_edit(HEAD CODE("[\"a\", \"b\", \"\", \"c\\nd\"]") TAIL, "b", 1, "x", HEAD CODE("[\"a\", \"x\", \"\", \"c\\nd\"]") TAIL);
}

static void several_edits_are_made(void **state)
{
	const char *raw = HEAD CODE("[\"a\\n\", \"b\\n\", \"c\\n\", \"d\"]") "," TEXT("\"\"") "," CODE("\"e f\"") "," CODE("\"g\"") TAIL;
	struct edit edits[] = {{{0, 2}, ""}, {{2, 4}, ""}, {{6, 6}, "("}, {{7, 7}, ")"}, {{8, 8}, "_"}, {{10, 11}, "F"}, {{10, 10}, "!"}};
	struct buf out = BUF_INIT;
	struct err err;

	check_program(raw, "a\nb\nc\nd\ne f\ng\n");
	assert_true(notebook_apply(str_from(raw), edits, 6, &out, &err));
	assert_string_equal(buf_text(&out), HEAD CODE("[\"c\\n\", \"(d)\"]") "," TEXT("\"\"") "," CODE("\"_e F\"") "," CODE("\"g\"") TAIL);
	buf_reset(&out);
	assert_true(notebook_apply(str_from(raw), edits, 0, &out, &err));
	assert_string_equal(buf_text(&out), raw);
	buf_reset(&out);
	assert_false(notebook_apply(STR("x"), edits, 1, &out, &err));
	assert_int_equal(out.length, 0);
	buf_release(&out);
}

static void magics_and_borders_are_not_touched(void **state)
{
	struct source source = read_as(HEAD CODE("\"\\n%%time\\na\\n!ls\\nb\"") "," CODE("\"x = !ls\\n%time  y\"") "," CODE("\"  c\"") TAIL);
	static const struct {
		struct edit edit;
		bool allowed;
	} cases[] = {
		{{{8, 9}, "z"}, true},	   /* a */
		{{{0, 0}, "z"}, false},  /* before %%time, which must stay the first line */
		{{{1, 1}, "z"}, false},
		{{{1, 3}, "z"}, false},  /* of it */
		{{{3, 3}, "z"}, false},
		{{{8, 8}, "z"}, true},	  /* before a */
		{{{10, 10}, "z"}, true}, /* before !ls */
		{{{11, 11}, "z"}, false},
		{{{8, 11}, "z"}, false},
		{{{10, 13}, "z"}, false},
		{{{13, 13}, "z"}, false}, /* behind !ls */
		{{{13, 14}, "z"}, false}, /* the end of its line */
		{{{7, 7}, "z"}, false},   /* behind %%time */
		{{{14, 15}, "z"}, true},  /* b */
		{{{14, 16}, "z"}, true},  /* with the end of its line */
		{{{14, 17}, "z"}, false}, /* into the next cell */
		{{{16, 16}, "z"}, true},
		{{{16, 17}, "z"}, true},
		{{{16, 21}, "z"}, false}, /* x = ! */
		{{{31, 32}, "z"}, true},  /* y */
		{{{31, 31}, "z"}, true},
		{{{31, 31}, "z\n"}, false}, /* %time runs one line */
		{{{32, 32}, "\rz"}, false},
		{{{8, 8}, "z\n"}, true},
		{{{29, 29}, "z"}, false},
		{{{33, 33}, "z"}, false}, /* if True: */
		{{{33, 43}, "z"}, false},
		{{{44, 45}, "z"}, true},  /* c */
		{{{44, 46}, "z"}, true},
		{{{46, 46}, "z"}, false}, /* behind all */
		{{{44, 47}, "z"}, false},
		{{{45, 44}, "z"}, false},
	};

	assert_string_equal(source.text, "\n      \na\n0  \nb\nx = 0  \n0;     y\nif True:\n  c\n");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (notebook_allows(&source, &cases[i].edit) != cases[i].allowed)
			fail_msg("%u to %u", cases[i].edit.span.start, cases[i].edit.span.end);
	source_release(&source);
}

static void names_tell_notebooks(void **state)
{
	assert_true(notebook_is_name("a/b.ipynb"));
	assert_false(notebook_is_name("ipynb"));
	assert_false(notebook_is_name("b.ipynb.py"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_become_one_program),  cmocka_unit_test(places_count_within_cells),
		cmocka_unit_test(languages_are_told),	     cmocka_unit_test(faults_have_a_place),
		cmocka_unit_test(only_the_string_changes),   cmocka_unit_test(lists_stay_lists_of_lines),
		cmocka_unit_test(several_edits_are_made),    cmocka_unit_test(magics_and_borders_are_not_touched),
		cmocka_unit_test(names_tell_notebooks),
	};

	return cmocka_run_group_tests_name("notebook", tests, NULL, NULL);
}
