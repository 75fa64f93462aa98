#include "engine/stamps.h"

#include "temp_tree.h"

static int set_up(void **state)
{
	static struct temp_tree tree;

	temp_tree_init(&tree);
	*state = &tree;
	return 0;
}

static int tear_down(void **state)
{
	temp_tree_release(*state);
	return 0;
}

/* Whether what is noted of PATH is seen to change when COMMAND is run. */
static bool sees(const char *path, const char *command)
{
	struct stamps stamps = {0};
	bool seen;

	stamps_note(&stamps, path);
	assert_false(stamps_changed(&stamps));
	assert_int_equal(system(command), 0);
	seen = stamps_changed(&stamps);
	stamps_release(&stamps);
	return seen;
}

static void changes_of_files_are_seen(void **state)
{
	temp_tree_file("a.toml", "x = 1\n");
	assert_true(sees("a.toml", "printf 'x = 22' > a.toml"));
	assert_true(sees("a.toml", "touch -d '2001-01-01' a.toml"));
	assert_true(sees("a.toml", "touch -d '2001-01-01 00:00:00.5' a.toml"));
	assert_true(sees("a.toml", "cp -p a.toml b && mv b a.toml"));
	assert_true(sees("a.toml", "rm a.toml"));
	assert_true(sees("a.toml", "touch a.toml"));
	assert_true(sees("a.toml", "rm a.toml; mkdir a.toml"));
	assert_false(sees("a.toml", "touch other"));
	assert_false(sees("no/such", "true"));
}

static void changes_of_a_folders_files_are_seen(void **state)
{
	temp_tree_file("rules/a.json", "{}");
	assert_true(sees("rules", "touch rules/b.json"));
	assert_true(sees("rules", "printf '{ }' > rules/a.json"));
	assert_true(sees("rules", "rm rules/b.json"));
	assert_false(sees("rules", "cat rules/a.json"));
}

static void what_was_noted_first_counts(void **state)
{
	struct stamps stamps = {0};

	stamps_note(&stamps, "x");
	temp_tree_file("x", "");
	stamps_note(&stamps, "x");
	assert_true(stamps_changed(&stamps));
	stamps_release(&stamps);
	assert_false(stamps_changed(&stamps));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(changes_of_files_are_seen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(changes_of_a_folders_files_are_seen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_noted_first_counts, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
