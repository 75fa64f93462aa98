#include "engine/run.h"

#include "temp_tree.h"
#include "base/buf.h"
#include "rule/rule.h"
#include "rule/select.h"

/* Collects what a sink is told. */
struct collector {
	struct run_sink sink; /* first: the sink is the collector */
	struct buf told;
	size_t results;
};

static void file_take(struct run_sink *sink, const struct run_file *file)
{
	struct collector *collector = (struct collector *)sink;

	/* Exactly one of the two. */
	assert_true((file->result != NULL) != (file->error != NULL));
	collector->results += file->result != NULL;
	buf_format(&collector->told, "%s: %s\n", file->path, file->error ? file->error : "checked");
}

struct subject {
	struct temp_tree tree;
	struct rule_set rules;
	struct arena arena;
	struct settings settings;
	struct linter *linter;
};

static int subject_setup(void **state)
{
	struct subject *subject = calloc(1, sizeof *subject);
	struct err err = {ERR_NONE, ""};

	temp_tree_init(&subject->tree);
	arena_init(&subject->arena);
	assert_true(rule_set_init(&subject->rules, NULL, &err));
	selection_init(&subject->settings.selection, &subject->rules, NULL, 0, true, PROOF_USAGE, &subject->arena);
	subject->linter = linter_new(&subject->rules, NULL, &err);
	if (!subject->linter)
		fail_msg("%s", err.message);
	subject->settings.linter = subject->linter;
	*state = subject;
	return 0;
}

static int subject_teardown(void **state)
{
	struct subject *subject = *state;

	linter_free(subject->linter);
	rule_set_release(&subject->rules);
	arena_release(&subject->arena);
	temp_tree_release(&subject->tree);
	free(subject);
	return 0;
}

static struct collector run_on(struct subject *subject, struct walk_file *files, size_t count, int threads)
{
	struct collector collector = {{file_take, NULL}, BUF_INIT, 0};
	struct run_totals totals;

	for (size_t i = 0; i < count; i++)
		files[i].settings = &subject->settings;
	totals = run_files(files, count, threads, RUN_MAKES_NO_FIXES, NULL, &collector.sink);

	assert_int_equal(totals.files, count);
	assert_int_equal(totals.failed, count - collector.results);
	return collector;
}

static void files_come_in_order_from_any_number_of_threads(void **state)
{
	enum { COUNT = 600 };
	struct walk_file *files = calloc(COUNT, sizeof *files);
	struct buf expected = BUF_INIT;
	char (*names)[16] = calloc(COUNT, sizeof *names);

	for (size_t i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof names[i], "%04zu.py", i);
		files[i] = (struct walk_file){.path = names[i], .shown = names[i]};
		buf_format(&expected, "%s: checked\n", names[i]);
		/* Large ones between, which take longer than their followers. */
		temp_tree_file(names[i], "x = 1\n");
		for (size_t line = 0; i % 50 == 0 && line < 300; line++) {
			FILE *file = fopen(names[i], "a");

			fprintf(file, "def f%zu(x):\n    return x\n", line);
			fclose(file);
		}
	}
	for (int threads = 0; threads <= 4; threads++) {
		struct collector collector = run_on(*state, files, COUNT, threads);

		assert_string_equal(collector.told.bytes, expected.bytes);
		buf_release(&collector.told);
	}
	buf_release(&expected);
	free(names);
	free(files);
}

static void what_cannot_be_read_ends_nothing(void **state)
{
	static struct walk_file files[] = {
		{.path = "zeros.py", .shown = "shown/zeros.py"}, {.path = "good.py", .shown = "good.py"},
		{.path = "gone.py", .shown = "gone.py"},	 {.path = "cookie.py", .shown = "cookie.py"},
		{.path = "last.py", .shown = "last.py"},
	};
	struct collector collector;

	temp_tree_bytes("zeros.py", (const char[64]){0}, 64);
	temp_tree_file("good.py", "x = 1\n");
	temp_tree_file("cookie.py", "# coding: klingon\n");
	temp_tree_file("last.py", "");
	collector = run_on(*state, files, 5, 2);
	assert_string_equal(collector.told.bytes,
			    "shown/zeros.py: cannot read 'shown/zeros.py': is binary, not text\n"
			    "good.py: checked\n"
			    "gone.py: cannot read 'gone.py': no such file or directory\n"
			    "cookie.py: cannot read 'cookie.py': the encoding 'klingon' is not known\n"
			    "last.py: checked\n");
	buf_release(&collector.told);
}

static void text_in_memory_is_checked_too(void **state)
{
	struct subject *subject = *state;
	struct collector collector = {{file_take, NULL}, BUF_INIT, 0};
	struct run_totals totals = run_text(&subject->settings, "<stdin>", STR("x = 1\n"), RUN_MAKES_NO_FIXES, NULL, &collector.sink);

	assert_int_equal(totals.files, 1);
	totals = run_text(&subject->settings, "empty", (struct str){NULL, 0}, RUN_MAKES_NO_FIXES, NULL, &collector.sink);
	assert_int_equal(totals.failed, 0);
	totals = run_text(&subject->settings, "bad", STR("\xff"), RUN_MAKES_NO_FIXES, NULL, &collector.sink);
	assert_int_equal(totals.failed, 1);
	assert_non_null(strstr(collector.told.bytes, "<stdin>: checked\nempty: checked\nbad: cannot read 'bad': not text"));
	buf_release(&collector.told);
}

/* More errors side by side than can be looked through. */
static void what_cannot_be_parsed_at_all_has_failed(void **state)
{
	struct subject *subject = *state;
	struct collector collector = {.sink = {file_take, NULL}};
	struct buf text = BUF_INIT;
	struct run_totals totals;

	buf_add_text(&text, "import torch\nx = ");
	for (int i = 0; i < 20000; i++)
		buf_add_text(&text, "([{");
	buf_add_text(&text, "\n'''"); /* nothing that is repaired */
	totals = run_text(&subject->settings, "x.py", buf_get(&text), RUN_MAKES_NO_FIXES, NULL, &collector.sink);
	assert_int_equal(totals.failed, 1);
	assert_string_equal(buf_text(&collector.told), "x.py: cannot check 'x.py': cannot parse what begins in line 1\n");
	buf_release(&text);
	buf_release(&collector.told);
}

static void no_files_are_no_trouble(void **state)
{
	struct collector collector = run_on(*state, NULL, 0, 4);

	assert_int_equal(collector.results, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_come_in_order_from_any_number_of_threads),
		cmocka_unit_test(what_cannot_be_read_ends_nothing),
		cmocka_unit_test(text_in_memory_is_checked_too),
		cmocka_unit_test(what_cannot_be_parsed_at_all_has_failed),
		cmocka_unit_test(no_files_are_no_trouble),
	};

	return cmocka_run_group_tests(tests, subject_setup, subject_teardown);
}
