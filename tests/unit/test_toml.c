/* With an argument this prints, for each file named on a line of standard input, its values as a line of JSON, or "error"
 * and the message: tests/config compares that with Python's tomllib. */
#include "text/toml.h"

#include "temp_tree.h"
#include "base/os.h"
#include "text/json_writer.h"

static struct toml toml;
static struct span at;
static struct err err;

static bool reads(const char *text)
{
	return toml_init(&toml, str_from(text), &at, &err);
}

/* The value under the dotted KEY. */
static const struct toml_value *value(const char *key)
{
	const struct toml_value *table = toml.root;

	while (*key) {
		size_t length = strcspn(key, ".");
		const struct toml_entry *entry = toml_get(&toml, table, (struct str){key, length});

		if (!entry)
			fail_msg("no key '%s'", key);
		table = entry->value;
		key += length + (key[length] == '.');
	}
	return table;
}

static const char *text(const char *key)
{
	assert_int_equal(value(key)->kind, TOML_TEXT);
	return value(key)->text.at;
}

/* Refuses TEXT, whose fault is at LINE and COLUMN. */
static void check_refused(const char *document, unsigned line, unsigned column, const char *message)
{
	struct place place;

	if (reads(document))
		fail_msg("accepted: %s", document);
	place = source_place(&toml.source, at.start);
	if (!strstr(err.message, message) || place.line != line || place.column != column)
		fail_msg("%s: %u:%u: %s", document, place.line, place.column, err.message);
	toml_release(&toml);
}

static void scalars_have_their_values(void **state)
{
	(void)state;
	assert_true(reads("a = 'x'\nb = -1_0\nc = 1e3\nd = true\ne = 1979-05-27T07:32:00Z\nf = 0xFf\ng = -inf\n"));
	assert_string_equal(text("a"), "x");
	assert_int_equal(value("b")->integer, -10);
	assert_true(value("c")->number == 1000.0);
	assert_true(value("d")->truth);
	assert_int_equal(value("e")->kind, TOML_DATE);
	assert_true(str_is(value("e")->text, "1979-05-27T07:32:00Z"));
	assert_int_equal(value("f")->integer, 255);
	assert_true(value("g")->number < 0);
	toml_release(&toml);
}

static void strings_of_all_kinds_are_decoded(void **state)
{
	(void)state;
	assert_true(reads("a = \"\\u00e9\\t\\\"\"\nb = '\\t'\nc = \"\"\"\none \\  \n   two\"\"\"\"\nd = '''\r\nx\r\ny''''\n"));
	assert_string_equal(text("a"), "\xc3\xa9\t\"");
	assert_string_equal(text("b"), "\\t");
	assert_string_equal(text("c"), "one two\"");
	assert_string_equal(text("d"), "x\ny'");
	toml_release(&toml);
}

static void values_know_where_they_stand(void **state)
{
	const struct toml_entry *entry;

	(void)state;
	assert_true(reads("# c\n[tool.x]\nlist = [ 1, \"two\" ]\n"));
	entry = value("tool.x.list")->entries->next;
	assert_int_equal(source_place(&toml.source, entry->value->span.start).line, 3);
	assert_int_equal(source_place(&toml.source, entry->value->span.start).column, 13);
	assert_true(str_is(source_slice(&toml.source, value("tool.x")->span), "tool.x"));
	toml_release(&toml);
}

static void tables_nest_in_every_way(void **state)
{
	(void)state;
	assert_true(reads("a.b.c = 1\na.b.d = 2\n[x]\ny = {z.w = 3, z.v = 4}\n[[l.m]]\nn = 5\n[[l.m]]\nn = 6\n[l.m.o]\np = 7\n"));
	assert_int_equal(value("a.b.d")->integer, 2);
	assert_int_equal(value("x.y.z.v")->integer, 4);
	assert_int_equal(value("l.m")->count, 2);
	assert_true(toml_get(&toml, value("l.m")->last->value, STR("o")) != NULL);
	toml_release(&toml);
}

static void what_is_defined_twice_is_refused(void **state)
{
	(void)state;
	check_refused("a = 1\na = 2\n", 2, 1, "already has a value");
	check_refused("[a]\n[a]\n", 2, 2, "already defined");
	check_refused("a = {}\n[a.b]\n", 2, 2, "{ … }");
	check_refused("a = []\n[[a]]\n", 2, 3, "no list of [[tables]]");
	check_refused("[a.b]\n[a]\nb.c = 1\n", 3, 1, "defined elsewhere");
	check_refused("a = 1\n[a.b]\n", 2, 2, "no table");
	check_refused("a = {x = 1, x = 2}\n", 1, 13, "already has a value");
}

static void faults_are_told_with_their_place(void **state)
{
	(void)state;
	check_refused("a = 1\nb = flow\n", 2, 5, "text needs quotes: \"flow\"");
	check_refused("a = [VL101]\n", 1, 6, "text needs quotes: \"VL101\"");
	check_refused("x = 1\na = [\"b, 2]\n", 2, 6, "lacks its closing quote");
	check_refused("a = [\"b\" 2]\n", 1, 5, "lacks its ']'");
	check_refused("a = [1,\nb = 2\n", 1, 5, "lacks its ']'");
	check_refused("a: 1\n", 1, 1, "have '=' between");
	check_refused("a = True\n", 1, 5, "small letter");
	check_refused("a = \xff\n", 1, 5, "0xff is no UTF-8");
	check_refused("a = 1\n\x01\n", 2, 1, "control character 0x01");
	check_refused("a = 99999999999999999999\n", 1, 5, "64 bits");
	check_refused("a = 2023-02-30\n", 1, 5, "no such day");
	check_refused("a = \"\\ud800\"\n", 1, 5, "no character");
	check_refused("é = 1\n", 1, 1, "no valid TOML");
}

static void nothing_is_too_deep_or_too_large(void **state)
{
	struct buf deep = BUF_INIT;

	(void)state;
	buf_add_text(&deep, "a = ");
	buf_add_repeat(&deep, '[', 5000);
	buf_add_repeat(&deep, ']', 5000);
	check_refused(buf_text(&deep), 1, 105, "nested too deeply");
	buf_reset(&deep);
	for (int i = 0; i < 5000; i++)
		buf_add_text(&deep, "a.");
	buf_add_text(&deep, "b = 1");
	check_refused(buf_text(&deep), 1, 1, "too many parts");
	buf_reset(&deep);
	buf_add_repeat(&deep, '\n', TOML_LIMIT + 1);
	assert_false(reads(buf_text(&deep)));
	toml_release(&toml);
	/* large, in one line and in many, takes no time squared */
	buf_reset(&deep);
	buf_add_text(&deep, "a = [");
	for (int i = 0; i < 100000; i++)
		buf_add_text(&deep, "'x', ");
	buf_add_text(&deep, "]\n");
	for (int i = 0; i < 50000; i++)
		buf_format(&deep, "k%d = %d\n", i, i);
	assert_true(reads(buf_text(&deep)));
	assert_int_equal(value("a")->count, 100000);
	toml_release(&toml);
	buf_release(&deep);
}

static void nothing_at_all_is_a_document(void **state)
{
	(void)state;
	assert_true(toml_init(&toml, (struct str){NULL, 0}, &at, &err));
	assert_int_equal(toml.root->count, 0);
	toml_release(&toml);
}

/* ---- for comparison with tomllib ---- */

static void dump(struct json_writer *writer, const struct toml_value *value)
{
	char number[64];

	switch (value->kind) {
	case TOML_TEXT:
		json_str(writer, value->text);
		return;
	case TOML_INTEGER:
		json_int(writer, value->integer);
		return;
	case TOML_BOOL:
		json_bool(writer, value->truth);
		return;
	case TOML_ARRAY:
		json_array_begin(writer);
		for (const struct toml_entry *entry = value->entries; entry; entry = entry->next)
			dump(writer, entry->value);
		json_array_end(writer);
		return;
	case TOML_FLOAT:
	case TOML_DATE:
	case TOML_TABLE:
		break;
	}
	json_object_begin(writer);
	if (value->kind == TOML_FLOAT) {
		snprintf(number, sizeof number, "%a", value->number);
		json_key(writer, "%float");
		json_text(writer, number);
	} else if (value->kind == TOML_DATE) {
		json_key(writer, "%date");
		json_str(writer, value->text);
	}
	for (const struct toml_entry *entry = value->entries; entry; entry = entry->next) {
		json_key(writer, entry->key.at);
		dump(writer, entry->value);
	}
	json_object_end(writer);
}

static int dump_files(void)
{
	struct buf text = BUF_INIT, out = BUF_INIT;
	char path[4096];

	while (fgets(path, sizeof path, stdin)) {
		struct json_writer writer;

		path[strcspn(path, "\n")] = '\0';
		buf_reset(&text);
		buf_reset(&out);
		json_writer_init(&writer, &out);
		if (!os_read_file(path, 0, &text, &err))
			return 2;
		if (toml_init(&toml, buf_get(&text), &at, &err))
			dump(&writer, toml.root);
		else
			buf_format(&out, "error %s", err.message);
		toml_release(&toml);
		puts(buf_text(&out));
	}
	buf_release(&text);
	buf_release(&out);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scalars_have_their_values),
		cmocka_unit_test(strings_of_all_kinds_are_decoded),
		cmocka_unit_test(values_know_where_they_stand),
		cmocka_unit_test(tables_nest_in_every_way),
		cmocka_unit_test(what_is_defined_twice_is_refused),
		cmocka_unit_test(faults_are_told_with_their_place),
		cmocka_unit_test(nothing_is_too_deep_or_too_large),
		cmocka_unit_test(nothing_at_all_is_a_document),
	};

	(void)argv;
	return argc > 1 ? dump_files() : cmocka_run_group_tests(tests, NULL, NULL);
}
