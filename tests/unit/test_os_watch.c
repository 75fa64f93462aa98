#include "temp_tree.h"

#include <time.h>

#include "base/os.h"
#include "base/os_watch.h"

/* Each test is made for both ways of watching. */
struct fixture {
	enum os_watch_how how;
	struct temp_tree tree;
	struct os_watch *watch;
};

static struct fixture by_best = {.how = OS_WATCH_BEST};
static struct fixture by_looking = {.how = OS_WATCH_BY_LOOKING};

static bool is_python(const char *name)
{
	return str_ends(str_from(name), ".py");
}

static int set_up(void **state)
{
	struct fixture *fixture = *state;

	temp_tree_init(&fixture->tree);
	temp_tree_file("a.py", "1\n");
	fixture->watch = os_watch_new(fixture->how, is_python);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	os_watch_free(fixture->watch);
	temp_tree_release(&fixture->tree);
	return 0;
}

static void what_changed_since_adding_is_seen(void **state)
{
	struct fixture *fixture = *state;

	assert_true(os_watch_add(fixture->watch, "."));
	temp_tree_file("a.py", "1 + 1\n");
	os_watch_wait(fixture->watch);
	temp_tree_file("b.py", "");
	os_watch_wait(fixture->watch);
	assert_int_equal(rename("b.py", "c.py"), 0);
	os_watch_wait(fixture->watch);
	assert_int_equal(remove("c.py"), 0);
	os_watch_wait(fixture->watch);
	assert_int_equal(mkdir("sub", 0777), 0);
	os_watch_wait(fixture->watch);
}

static void a_folder_is_added_once(void **state)
{
	struct fixture *fixture = *state;

	assert_true(os_watch_add(fixture->watch, "."));
	temp_tree_file("a.py", "1 + 1\n");
	assert_false(os_watch_add(fixture->watch, "."));
	os_watch_wait(fixture->watch);
	assert_int_equal(os_watch_count(fixture->watch), 1);
}

static void a_folder_made_anew_is_another(void **state)
{
	struct fixture *fixture = *state;

	temp_tree_file("sub/b.py", "1\n");
	assert_true(os_watch_add(fixture->watch, "."));
	assert_true(os_watch_add(fixture->watch, "sub"));
	assert_int_equal(rename("sub", "old"), 0);
	temp_tree_file("sub/b.py", "1 + 1\n");
	os_watch_wait(fixture->watch);
	os_watch_add(fixture->watch, "sub");
	temp_tree_file("sub/b.py", "1 + 1 + 1\n");
	os_watch_wait(fixture->watch);
}

static void a_missing_folder_is_seen_once_it_is_there(void **state)
{
	struct fixture *fixture = *state;

	assert_true(os_watch_add(fixture->watch, "later"));
	temp_tree_file("later/b.py", "1\n");
	os_watch_wait(fixture->watch);
}

static void other_files_are_not_seen(void **state)
{
	struct fixture *fixture = *state;
	enum { DELAY_MS = 200 };
	double started;
	struct timespec until = {0, 0};

	assert_true(os_watch_add(fixture->watch, "."));
	temp_tree_file("notes.txt", "");
	/* A child changes a.py later; a wait that minded notes.txt would have ended before. */
	started = os_seconds();
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += DELAY_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pid_t child = fork();
	if (child == 0) {
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		temp_tree_file("a.py", "1 + 1\n");
		_exit(0);
	}
	os_watch_wait(fixture->watch);
	assert_true(os_seconds() - started >= DELAY_MS / 1000.0);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

#define BOTH(test)                                                                                                     \
	{#test, test, set_up, tear_down, &by_best}, {#test " (by looking)", test, set_up, tear_down, &by_looking}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(what_changed_since_adding_is_seen),
		BOTH(a_folder_is_added_once),
		BOTH(a_folder_made_anew_is_another),
		BOTH(a_missing_folder_is_seen_once_it_is_there),
		BOTH(other_files_are_not_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
