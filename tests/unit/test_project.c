#include "engine/project.h"

#include "temp_tree.h"
#include "base/buf.h"

struct subject {
	struct temp_tree tree;
	struct py_grammar grammar;
	struct model model;
	struct overlay *overlay;
	struct project *project;
	struct arena arena;
	struct project_look look;
	struct unit_source units;
};

static int set_up(void **state)
{
	struct subject *subject = calloc(1, sizeof *subject);
	struct err err;

	temp_tree_init(&subject->tree);
	temp_tree_file("README.md", "");
	py_grammar_init(&subject->grammar);
	assert_true(model_init(&subject->model, NULL, &err));
	subject->overlay = overlay_new();
	subject->project = project_new(&subject->grammar, &subject->model);
	project_overlay(subject->project, subject->overlay);
	arena_init(&subject->arena);
	subject->look = (struct project_look){.project = subject->project, .arena = &subject->arena};
	subject->units = project_source(&subject->look);
	*state = subject;
	return 0;
}

static int tear_down(void **state)
{
	struct subject *subject = *state;

	project_free(subject->project);
	overlay_free(subject->overlay);
	model_release(&subject->model);
	py_grammar_release(&subject->grammar);
	arena_release(&subject->arena);
	temp_tree_release(&subject->tree);
	free(subject);
	return 0;
}

static const char *path_in(struct subject *subject, const char *name)
{
	return arena_format(&subject->arena, "%s/%s", subject->tree.folder, name);
}

/* The unit that DOTTED leads to from train.py, or NULL. */
static const struct unit *found(struct subject *subject, const char *dotted)
{
	size_t used;

	return subject->units.find(subject->units.context, path_in(subject, "train.py"), dotted, &used);
}

static const char *text_of(struct subject *subject, const char *dotted)
{
	const struct unit *unit = found(subject, dotted);

	return unit ? unit->text.at : "none";
}

static bool is_quiet(struct subject *subject, const char *function)
{
	return subject->units.called_quietly(subject->units.context, path_in(subject, "train.py"), str_from(function));
}

static bool forget(struct subject *subject, const char *name)
{
	return project_forget(subject->project, path_in(subject, name));
}

static void an_open_file_counts_as_it_is_in_the_editor(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("meters.py", "x = 1\n");
	assert_string_equal(text_of(subject, "meters"), "x = 1\n");
	overlay_set(subject->overlay, path_in(subject, "meters.py"), STR("y = 2\n"));
	assert_string_equal(text_of(subject, "meters"), "x = 1\n"); /* nobody has said so yet */
	assert_false(forget(subject, "meters.py"));
	assert_string_equal(text_of(subject, "meters"), "y = 2\n");
	overlay_remove(subject->overlay, path_in(subject, "meters.py"));
	assert_false(forget(subject, "meters.py"));
	assert_string_equal(text_of(subject, "meters"), "x = 1\n");
}

static void an_open_file_need_not_be_on_the_disk(void **state)
{
	struct subject *subject = *state;

	assert_string_equal(text_of(subject, "meters"), "none");
	overlay_set(subject->overlay, path_in(subject, "meters.py"), STR("y = 2\n"));
	assert_true(forget(subject, "meters.py"));
	assert_string_equal(text_of(subject, "meters"), "y = 2\n");
	overlay_remove(subject->overlay, path_in(subject, "meters.py"));
	assert_true(forget(subject, "meters.py"));
	assert_string_equal(text_of(subject, "meters"), "none");
}

static void links_lead_to_the_file_that_is_open(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("real/meters.py", "x = 1\n");
	temp_tree_link("real", "pkg");
	assert_string_equal(text_of(subject, "pkg.meters"), "x = 1\n");
	assert_int_equal(subject->look.read_count, 1);
	assert_string_equal(subject->look.reads[0], path_in(subject, "real/meters.py"));
	overlay_set(subject->overlay, path_in(subject, "real/meters.py"), STR("y = 2\n"));
	assert_false(forget(subject, "real/meters.py"));
	assert_string_equal(text_of(subject, "pkg.meters"), "y = 2\n");
}

static void what_is_read_is_told_once(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("a.py", "");
	temp_tree_file("b.py", "");
	assert_false(subject->look.seeks);
	found(subject, "nothing");
	assert_true(subject->look.seeks);
	assert_int_equal(subject->look.read_count, 0);
	found(subject, "a");
	found(subject, "b.thing");
	found(subject, "a.thing");
	assert_int_equal(subject->look.read_count, 2);
	assert_string_equal(subject->look.reads[1], path_in(subject, "b.py"));
	assert_false(subject->look.asks_around);
	is_quiet(subject, "f");
	assert_true(subject->look.asks_around);
}

static void files_come_and_go(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("pkg/__init__.py", "i = 1\n");
	assert_string_equal(text_of(subject, "pkg.meters"), "i = 1\n");
	temp_tree_file("pkg/meters.py", "x = 1\n");
	assert_true(forget(subject, "pkg/meters.py"));
	assert_string_equal(text_of(subject, "pkg.meters"), "x = 1\n");
	assert_int_equal(unlink("pkg/meters.py"), 0);
	assert_true(forget(subject, "pkg/meters.py"));
	assert_string_equal(text_of(subject, "pkg.meters"), "i = 1\n");
	temp_tree_file("pkg/meters.py", "x = 2\n");
	assert_true(forget(subject, "pkg/meters.py"));
	assert_string_equal(text_of(subject, "pkg.meters"), "x = 2\n");
}

static void a_file_that_nobody_looked_for_changes_nothing(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("meters.py", "x = 1\n");
	temp_tree_file("train.py", "import meters\n");
	assert_string_equal(text_of(subject, "meters"), "x = 1\n");
	assert_string_equal(text_of(subject, "other"), "none");
	assert_false(forget(subject, "train.py")); /* someone types there */
	assert_false(forget(subject, "data/new.py"));
	assert_true(forget(subject, "other.py"));
	assert_string_equal(text_of(subject, "other"), "none");
	assert_true(forget(subject, "src/other.py"));
	assert_true(forget(subject, "pkg/__init__.py"));
}

static void a_file_that_becomes_unusable_leads_on(void **state)
{
	struct subject *subject = *state;
	struct buf large = BUF_INIT;

	temp_tree_file("meters.py", "x = 1\n");
	temp_tree_file("src/meters.py", "s = 1\n");
	assert_string_equal(text_of(subject, "meters"), "x = 1\n");
	while (large.length <= 64 << 10)
		buf_add_text(&large, "x = 'much'\n");
	temp_tree_bytes("meters.py", large.bytes, large.length);
	assert_true(forget(subject, "meters.py"));
	assert_string_equal(text_of(subject, "meters"), "s = 1\n");
	temp_tree_bytes("meters.py", "\0\1\2\3\4\5\6\7", 8); /* small, and no text: seen only when it is read */
	forget(subject, "meters.py");
	assert_string_equal(text_of(subject, "meters"), "s = 1\n");
	temp_tree_file("meters.py", "x = 3\n");
	assert_true(forget(subject, "meters.py"));
	assert_string_equal(text_of(subject, "meters"), "x = 3\n");
	buf_release(&large);
}

static void a_refresh_sees_what_has_changed(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("a.py", "x = 1\n");
	assert_string_equal(text_of(subject, "a"), "x = 1\n");
	assert_string_equal(text_of(subject, "b"), "none");
	project_refresh(subject->project);
	assert_string_equal(text_of(subject, "a"), "x = 1\n");
	temp_tree_file("a.py", "x = 12\n");
	temp_tree_file("b.py", "b = 1\n");
	assert_string_equal(text_of(subject, "a"), "x = 1\n");
	assert_string_equal(text_of(subject, "b"), "none");
	project_refresh(subject->project);
	assert_string_equal(text_of(subject, "a"), "x = 12\n");
	assert_string_equal(text_of(subject, "b"), "b = 1\n");
	overlay_set(subject->overlay, path_in(subject, "a.py"), STR("open\n"));
	forget(subject, "a.py");
	assert_string_equal(text_of(subject, "a"), "open\n");
	temp_tree_file("a.py", "x = 123\n");
	project_refresh(subject->project);
	assert_string_equal(text_of(subject, "a"), "open\n");
}

static void all_is_forgotten_at_once(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("a.py", "x = 1\n");
	found(subject, "a");
	found(subject, "b");
	temp_tree_file("a.py", "x = 12\n");
	temp_tree_file("b.py", "b = 1\n");
	assert_true(project_forget(subject->project, NULL));
	assert_string_equal(text_of(subject, "a"), "x = 12\n");
	assert_string_equal(text_of(subject, "b"), "b = 1\n");
}

static void callers_are_asked_again_after_a_change(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("train.py", "def evaluate(): pass\n");
	temp_tree_file("main.py", "with torch.no_grad():\n    evaluate()\n");
	assert_true(is_quiet(subject, "evaluate"));
	overlay_set(subject->overlay, path_in(subject, "main.py"), STR("evaluate()\n"));
	assert_false(forget(subject, "main.py"));
	assert_false(is_quiet(subject, "evaluate"));
	overlay_remove(subject->overlay, path_in(subject, "main.py"));
	forget(subject, "main.py");
	assert_true(is_quiet(subject, "evaluate"));
	overlay_set(subject->overlay, path_in(subject, "new.py"), STR("evaluate()\n"));
	forget(subject, "new.py");
	assert_false(is_quiet(subject, "evaluate"));
	/* a file that is typed in has no say in who calls it: nobody looks around for that */
	unlink("main.py");
	overlay_remove(subject->overlay, path_in(subject, "new.py"));
	forget(subject, "train.py");
	assert_false(is_quiet(subject, "evaluate"));
	temp_tree_file("main.py", "with torch.no_grad():\n    evaluate()\n");
	forget(subject, "train.py");
	assert_false(is_quiet(subject, "evaluate"));
	forget(subject, "main.py");
	assert_true(is_quiet(subject, "evaluate"));
}

static void spans_last_however_often_a_file_is_read(void **state)
{
	struct subject *subject = *state;
	struct buf text = BUF_INIT;
	uint32_t base, highest = 0;

	temp_tree_file("a.py", "x = 1\n");
	temp_tree_file("b.py", "x = 1\n");
	base = found(subject, "a")->base;
	for (int i = 0; i < 100000; i++) {
		overlay_set(subject->overlay, path_in(subject, "a.py"), i % 2 ? STR("x = 1\n") : STR("y = 22\n"));
		forget(subject, "a.py");
		assert_int_equal(found(subject, "a")->base, base);
		arena_reset(&subject->arena);
		subject->look.read_count = subject->look.room = 0;
	}
	/* one that grows and shrinks, and is removed now and then */
	for (int i = 0; i < 4000; i++) {
		const struct unit *unit;

		buf_reset(&text);
		for (int k = 0; k < i * 37 % 500; k++)
			buf_add_text(&text, "#################################################################\n");
		if (i % 50 == 0) {
			overlay_remove(subject->overlay, path_in(subject, "b.py"));
			assert_int_equal(i % 100 == 0 ? unlink("b.py") : 0, 0);
			forget(subject, "b.py");
			assert_int_equal(found(subject, "b") == NULL, i % 100 == 0);
			temp_tree_file("b.py", "x = 1\n");
		}
		overlay_set(subject->overlay, path_in(subject, "b.py"), buf_get(&text));
		forget(subject, "b.py");
		unit = found(subject, "b");
		assert_non_null(unit);
		assert_int_equal(unit->text.length, text.length);
		highest = unit->base > highest ? unit->base : highest;
		arena_reset(&subject->arena);
		subject->look.read_count = subject->look.room = 0;
	}
	assert_true(highest - base < 4 << 20);
	buf_release(&text);
}

static void what_was_not_asked_for_lately_is_read_again(void **state)
{
	struct subject *subject = *state;
	const struct unit *old, *new;

	struct buf text = BUF_INIT;

	for (int i = 0; i < 1000; i++)
		buf_add_text(&text, "x = 1\n");
	temp_tree_file("old.py", buf_text(&text));
	buf_release(&text);
	temp_tree_file("new.py", "y = 2\n");
	old = found(subject, "old");
	new = found(subject, "new");
	project_rest(subject->project, 5000);
	/* without a word of it, so that what is seen was kept */
	temp_tree_file("old.py", "x = 3\n");
	temp_tree_file("new.py", "y = 4\n");
	assert_null(old->module);
	assert_non_null(new->module);
	assert_string_equal(text_of(subject, "new"), "y = 2\n");
	assert_string_equal(text_of(subject, "old"), "x = 3\n");
	assert_non_null(found(subject, "old")->module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_not_asked_for_lately_is_read_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_open_file_counts_as_it_is_in_the_editor, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_open_file_need_not_be_on_the_disk, set_up, tear_down),
		cmocka_unit_test_setup_teardown(links_lead_to_the_file_that_is_open, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_read_is_told_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_come_and_go, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_that_nobody_looked_for_changes_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_that_becomes_unusable_leads_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_refresh_sees_what_has_changed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_is_forgotten_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(callers_are_asked_again_after_a_change, set_up, tear_down),
		cmocka_unit_test_setup_teardown(spans_last_however_often_a_file_is_read, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
