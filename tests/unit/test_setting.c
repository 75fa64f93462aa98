#include "engine/setting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct toml toml;

static int set_up(void **state)
{
	(void)state;
	arena_init(&arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&arena);
	toml_release(&toml);
	memset(&toml, 0, sizeof toml);
	return 0;
}

/* Reads the keys of TEXT, a file, into LAYER; returns what the first fault is, with its place, or NULL. */
static const char *file(struct setting_layer *layer, const char *text)
{
	struct span at;
	struct err err;

	toml_release(&toml);
	if (!toml_init(&toml, str_from(text), &at, &err))
		fail_msg("%s", err.message);
	for (const struct toml_entry *entry = toml.root->entries; entry; entry = entry->next) {
		struct setting_place place = {SOURCE_FILE, "x.toml", &toml.source, entry->key_span, "/x", NULL};
		enum setting_id id = setting_find(entry->key);

		assert_int_not_equal(id, SETTING_COUNT);
		if (!setting_read(layer, id, entry->value, place, &arena, &place.span, &err))
			return arena_format(&arena, "%s: %s", setting_place_text(&place, &arena), err.message);
	}
	return NULL;
}

/* Reads an option, or another SOURCE, into LAYER; returns the fault or NULL. */
static const char *text_from(enum setting_source source, struct setting_layer *layer, enum setting_id id, const char *text)
{
	struct setting_place place = {source, "VRAMLINT_X", NULL, {0, 0}, "/y", NULL};
	struct err err;

	return setting_read_text(layer, id, text, place, &arena, &err) ? NULL : arena_dup(&arena, err.message);
}

static const char *option(struct setting_layer *layer, enum setting_id id, const char *text)
{
	return text_from(SOURCE_OPTION, layer, id, text);
}

/* "key=text key=text …" of what LAYER says under ID. */
static const char *items(const struct setting_layer *layer, enum setting_id id)
{
	const struct setting_value *value = &layer->values[id];
	const char *text = "";

	for (size_t i = 0; i < value->count; i++)
		text = arena_format(&arena, "%s%s%s%s%s", text, i ? " " : "", value->items[i].key ? value->items[i].key : "",
				    value->items[i].key ? "=" : "", value->items[i].text);
	return text;
}

static void every_key_reads_its_kind(void **state)
{
	struct setting_layer layer = {0};

	(void)state;
	assert_null(file(&layer, "select = ['VL1', 'ALL']\nfix = true\nmin-confidence = 'flow'\nbaseline = 'a/b'\n"
				 "output-format = 'full'\nkeeps = ['lab.a', 'b']\nseverity.VL1 = 'hint'\n"
				 "confirm = {a = 1}\n[per-file-ignores]\n'x/*' = ['VL1', 'VL2']\n"));
	assert_string_equal(items(&layer, SETTING_SELECT), "VL1 ALL");
	assert_true(setting_switch(&layer, SETTING_FIX, false));
	assert_false(setting_switch(&layer, SETTING_UNSAFE_FIXES, false));
	assert_string_equal(setting_text(&layer, SETTING_CONFIDENCE), "flow");
	assert_string_equal(setting_text(&layer, SETTING_BASELINE), "a/b");
	assert_string_equal(items(&layer, SETTING_OUTPUT_FORMAT), "full");
	assert_string_equal(items(&layer, SETTING_KEEPS), "lab.a b");
	assert_string_equal(items(&layer, SETTING_SEVERITY), "VL1=hint");
	assert_string_equal(items(&layer, SETTING_FILE_IGNORES), "x/*=VL1 x/*=VL2");
	assert_string_equal(items(&layer, SETTING_CONFIRM), "a=1");
	assert_null(setting_text(&layer, SETTING_MODELS));
	assert_string_equal(setting_place_text(&layer.values[SETTING_SELECT].items[1].place, &arena), "x.toml:1:18");
}

static void wrong_values_are_told_with_their_place(void **state)
{
	static const char *const cases[][2] = {
		{"select = 'VL1'", "x.toml:1:10: 'select' takes a list of rules"},
		{"select = ['a', 3]", "x.toml:1:16: 'select' takes texts in its list, not a number"},
		{"fix = 'yes'", "x.toml:1:7: 'fix' takes true or false, not a text"},
		{"fail-on = 'fatal'", "x.toml:1:11: 'fail-on' takes \"hint\", \"note\", \"warning\" or \"error\", not 'fatal'"},
		{"keeps = ['a b']", "'keeps' takes dotted names"},
		{"keeps = ['a.*.b']", "'keeps' takes dotted names"},
		{"exclude = ['']", "'exclude' has an empty text in it"},
		{"rules = \"a\\u0000b\"", "'rules' has a NUL character in it"},
		{"severity = {VL1 = 3}", "x.toml:1:19: 'severity' takes \"hint\""},
		{"per-file-ignores = {a = 'VL1'}", "takes a list of rules, as in [\"VL1\", \"tensor-append\"] for each pattern, not a text"},
		{"per-file-ignores = {'' = []}", "'per-file-ignores' has an empty key"},
		{"confirm = []", "'confirm' takes a table, not a list"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct setting_layer layer = {0};
		const char *fault = file(&layer, cases[i][0]);

		if (!fault || !strstr(fault, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], fault ? fault : "accepted");
	}
}

static void options_have_commas(void **state)
{
	struct setting_layer layer = {0};

	(void)state;
	assert_null(option(&layer, SETTING_SELECT, " VL1 ,,tensor-append"));
	assert_null(option(&layer, SETTING_SELECT, "VL2"));
	assert_string_equal(items(&layer, SETTING_SELECT), "VL1 tensor-append VL2");
	assert_null(option(&layer, SETTING_FILE_IGNORES, "tests/*:VL1,VL2; c:/x:ALL"));
	assert_string_equal(items(&layer, SETTING_FILE_IGNORES), "tests/*=VL1 tests/*=VL2 c:/x=ALL");
	assert_null(option(&layer, SETTING_SEVERITY, "VL1=error,VL2=hint"));
	assert_string_equal(items(&layer, SETTING_SEVERITY), "VL1=error VL2=hint");
	assert_null(option(&layer, SETTING_FORCE_EXCLUDE, "true"));
	assert_null(option(&layer, SETTING_FORCE_EXCLUDE, "off"));
	assert_false(setting_switch(&layer, SETTING_FORCE_EXCLUDE, true));
	assert_string_equal(option(&layer, SETTING_CONFIDENCE, "x"),
			    "option '--min-confidence' takes flow, usage, sibling or name, not 'x'");
	assert_string_equal(option(&layer, SETTING_SEVERITY, "VL1"), "option '--severity' takes RULE=LEVEL, not 'VL1'");
	assert_string_equal(option(&layer, SETTING_FILE_IGNORES, "VL1"),
			    "option '--per-file-ignores' takes PATTERN:RULES, not 'VL1'");
	assert_string_equal(text_from(SOURCE_ENVIRONMENT, &layer, SETTING_FIX, "maybe"),
			    "environment variable 'VRAMLINT_X' takes true or false, not 'maybe'");
	assert_null(option(&layer, SETTING_EXCLUDE, ""));
	assert_true(layer.values[SETTING_EXCLUDE].given && layer.values[SETTING_EXCLUDE].count == 0);
}

static void a_layer_replaces_and_adds(void **state)
{
	struct setting_layer below = {0}, above = {0};

	(void)state;
	assert_null(file(&below, "ignore = ['VL1']\nexclude = ['a']\nextend-exclude = ['b']\nextend-select = ['VL4']\n"
				 "severity.VL1 = 'hint'\nkeeps = ['k']\nfix = true\n"));
	assert_null(file(&above, "ignore = ['VL2']\nexclude = ['c']\nextend-exclude = ['d']\nseverity.VL2 = 'note'\nkeeps = ['l']\n"));
	setting_layer_add(&below, &above, &arena);
	assert_string_equal(items(&below, SETTING_IGNORE), "VL2");
	assert_string_equal(items(&below, SETTING_EXCLUDE), "c");
	assert_string_equal(items(&below, SETTING_EXTEND_EXCLUDE), "b d");
	assert_string_equal(items(&below, SETTING_EXTEND_SELECT), "VL4");
	assert_string_equal(items(&below, SETTING_SEVERITY), "VL1=hint VL2=note");
	assert_string_equal(items(&below, SETTING_KEEPS), "k l");
	assert_true(setting_switch(&below, SETTING_FIX, false));
}

static void a_stronger_select_begins_anew(void **state)
{
	struct setting_layer layer = {0}, ignoring = {0}, selecting = {0};

	(void)state;
	assert_null(file(&layer, "select = ['VL1']\nignore = ['VL101']\nextend-select = ['VL4']\n"));
	assert_null(option(&ignoring, SETTING_IGNORE, "VL2"));
	setting_layer_add(&layer, &ignoring, &arena);
	assert_string_equal(items(&layer, SETTING_IGNORE), "VL101 VL2");
	assert_string_equal(items(&layer, SETTING_SELECT), "VL1");
	assert_null(option(&selecting, SETTING_SELECT, "VL101"));
	setting_layer_add(&layer, &selecting, &arena);
	assert_string_equal(items(&layer, SETTING_SELECT), "VL101");
	assert_string_equal(items(&layer, SETTING_EXTEND_SELECT), "");
	assert_string_equal(items(&layer, SETTING_IGNORE), "VL2"); /* said at the same strength */
}

static void names_near_a_key_are_found(void **state)
{
	(void)state;
	assert_string_equal(setting_nearest(STR("selct")), "select");
	assert_string_equal(setting_nearest(STR("per_file_ignores")), "per-file-ignores");
	assert_null(setting_nearest(STR("zzzzzz")));
	assert_int_equal(setting_find(STR("Select")), SETTING_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(every_key_reads_its_kind),
		TEST(wrong_values_are_told_with_their_place),
		TEST(options_have_commas),
		TEST(a_layer_replaces_and_adds),
		TEST(a_stronger_select_begins_anew),
		TEST(names_near_a_key_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
