#include "base/os.h"

#include "temp_tree.h"

static int tree_setup(void **state)
{
	static struct temp_tree tree;

	temp_tree_init(&tree);
	*state = &tree;
	return 0;
}

static int tree_teardown(void **state)
{
	temp_tree_release(*state);
	return 0;
}

static void holds(const char *path, const char *text)
{
	struct buf found = BUF_INIT;

	assert_true(os_read_file(path, 0, &found, NULL));
	assert_string_equal(buf_text(&found), text);
	buf_release(&found);
}

/* How many entries the current folder has; what was written beside a file must not stay. */
static size_t entries(void)
{
	struct os_entry *found;
	struct arena arena;
	size_t count;

	arena_init(&arena);
	assert_true(os_list(".", &arena, &found, &count, NULL));
	arena_release(&arena);
	return count;
}

static mode_t mode_of(const char *path)
{
	struct stat raw;

	assert_int_equal(stat(path, &raw), 0);
	return raw.st_mode & 07777;
}

static void makes_and_replaces(void **state)
{
	mode_t mask = umask(027);
	size_t before = entries();

	assert_true(os_write_file("new", STR("one"), NULL));
	umask(mask);
	holds("new", "one");
	assert_int_equal(mode_of("new"), 0640);
	assert_int_equal(chmod("new", 0600), 0);
	assert_true(os_write_file("new", STR("two"), NULL));
	holds("new", "two");
	assert_int_equal(mode_of("new"), 0600);
	assert_int_equal(entries(), before + 1);
}

static void follows_links(void **state)
{
	struct os_stat stat;

	temp_tree_file("d/target", "old");
	temp_tree_link("d/target", "link");
	assert_true(os_write_file("link", STR("new"), NULL));
	holds("d/target", "new");
	assert_true(os_stat_get("link", &stat, NULL));
	assert_true(stat.is_link);
}

static void devices_stay_what_they_are(void **state)
{
	struct err err;

	assert_true(os_write_file("/dev/null", STR("gone"), NULL));
	assert_true(access("/dev/null", W_OK) == 0);
	assert_false(os_write_file("/dev/full", STR("much"), &err));
	assert_string_equal(err.message, "cannot write '/dev/full': no space left on device");
}

static void what_fails_is_told_and_leaves_the_file(void **state)
{
	struct err err;

	temp_tree_file("f/old", "old");
	assert_false(os_write_file("nowhere/x", STR("x"), &err));
	assert_int_equal(err.code, ERR_WRITE);
	assert_string_equal(err.message, "cannot write 'nowhere/x': no such file or directory");
	assert_false(os_write_file("f", STR("x"), &err));
	assert_string_equal(err.message, "cannot write 'f': is a directory");
	temp_tree_link("nothing", "dangling");
	assert_false(os_write_file("dangling", STR("x"), &err));
	assert_false(os_write_file("f/old/below", STR("x"), &err));
	assert_string_equal(err.message, "cannot write 'f/old/below': not a directory");
	holds("f/old", "old");
}

static void what_could_be_written_is_told_before(void **state)
{
	static const char *const good[] = {"f/old", "f/another", "another", "/dev/null"};
	static const char *const bad[] = {"nowhere/x", "f", "dangling", "f/old/below", "."};
	struct err err, early;

	temp_tree_file("f/old", "old");
	/* "dangling" is there from before */
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(os_may_write_file(good[i], &err));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(os_may_write_file(bad[i], &early));
		assert_false(os_write_file(bad[i], STR("x"), &err));
		assert_string_equal(early.message, err.message);
	}
	holds("f/old", "old");
	if (geteuid() != 0) {
		assert_int_equal(chmod("f", 0500), 0);
		assert_false(os_may_write_file("f/another", &err));
		assert_false(os_may_write_file("f/old", &err));
		assert_int_equal(chmod("f", 0700), 0);
	}
}

static void appends(void **state)
{
	assert_true(os_append_file("log", STR("a"), NULL));
	assert_true(os_append_file("log", STR("b"), NULL));
	holds("log", "ab");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_and_replaces),
		cmocka_unit_test(follows_links),
		cmocka_unit_test(devices_stay_what_they_are),
		cmocka_unit_test(what_fails_is_told_and_leaves_the_file),
		cmocka_unit_test(what_could_be_written_is_told_before),
		cmocka_unit_test(appends),
	};

	return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
