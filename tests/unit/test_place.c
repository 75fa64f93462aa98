#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/place.h"

static void path_becomes(const char *folder, const char *root, const char *path, const char *expected)
{
	struct report_host host = {.folder = folder, .root = root};
	struct buf out = BUF_INIT;

	place_add_path(&out, &host, path);
	assert_string_equal(buf_text(&out), expected);
	buf_release(&out);
}

static void paths_start_at_the_root(void **state)
{
	path_becomes("/w/repo", "/w/repo", "a/b.py", "a/b.py");
	path_becomes("/w/repo/part", "/w/repo", "a/b.py", "part/a/b.py");
	path_becomes("/w/repo/part/x", "/w/repo/", "b.py", "part/x/b.py");
	path_becomes("/w/repo/part/x", "/w/repo", "../b.py", "part/b.py");
	path_becomes("/w/repo/part/x", "/w/repo", "../../b.py", "b.py");
	path_becomes("/w/repo/part/x", "/w/repo", "../../../b.py", "../b.py");
	path_becomes("/w/repo", "/w/repo", "/w/repo/a.py", "a.py");
}

static void what_lies_elsewhere_stays(void **state)
{
	path_becomes("/w/repository", "/w/repo", "b.py", "b.py");
	path_becomes("/elsewhere", "/w/repo", "b.py", "b.py");
	path_becomes("/w/repo", NULL, "../b.py", "../b.py");
	path_becomes("/w/repo", "/w/repo", "/other/a.py", "/other/a.py");
	path_becomes(NULL, NULL, "b.py", "b.py");
	path_becomes("/", "/", "b.py", "b.py");
}

static void uris_are_escaped(void **state)
{
	struct buf out = BUF_INIT;

	place_add_uri(&out, STR("a b/c:d%\xC3\xA9\xFF[1]#?.py"));
	assert_string_equal(buf_text(&out), "a%20b/c%3Ad%25%C3%A9%FF%5B1%5D%23%3F.py");
	buf_release(&out);
}

static void cells_are_named(void **state)
{
	struct excerpt plain = {.start = {20, 9}};
	struct excerpt cell = {.start = {20, 9}, .cell = 3};
	struct buf out = BUF_INIT;

	place_add_position(&out, &plain);
	place_add_cell(&out, &plain);
	buf_add_char(&out, ' ');
	place_add_position(&out, &cell);
	buf_add_char(&out, ' ');
	place_add_cell(&out, &cell);
	assert_string_equal(buf_text(&out), "20:9 cell 3:20:9 cell 3, line 20: ");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_start_at_the_root),
		cmocka_unit_test(what_lies_elsewhere_stays),
		cmocka_unit_test(uris_are_escaped),
		cmocka_unit_test(cells_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
