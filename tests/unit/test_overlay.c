#include "engine/overlay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"

static void what_is_set_is_there_until_it_is_removed(void **state)
{
	struct overlay *overlay = overlay_new();
	char text[] = "x = 1\n";
	struct str got;

	overlay_set(overlay, "/a/b.py", str_from(text));
	text[0] = 'y'; /* it has its own copy */
	assert_true(overlay_get(overlay, "/a/b.py", &got));
	assert_true(str_is(got, "x = 1\n"));
	assert_false(overlay_get(overlay, "/a/c.py", &got));
	overlay_set(overlay, "/a/b.py", STR(""));
	assert_true(overlay_get(overlay, "/a/b.py", &got));
	assert_int_equal(got.length, 0);
	assert_non_null(got.at);
	overlay_remove(overlay, "/a/b.py");
	overlay_remove(overlay, "/a/b.py");
	assert_false(overlay_get(overlay, "/a/b.py", NULL));
	overlay_free(overlay);
}

static void without_an_overlay_nothing_is_open(void **state)
{
	assert_false(overlay_get(NULL, "/a/b.py", NULL));
	overlay_each(NULL, NULL, NULL);
	overlay_free(NULL);
}

static void note(const char *path, void *context)
{
	buf_format(context, "%s ", path);
}

static void all_are_visited_in_order(void **state)
{
	struct overlay *overlay = overlay_new();
	struct buf seen = BUF_INIT;

	overlay_set(overlay, "/b", STR("1"));
	overlay_set(overlay, "/a", STR("2"));
	overlay_set(overlay, "/b", STR("3"));
	overlay_each(overlay, note, &seen);
	assert_string_equal(buf_text(&seen), "/b /a ");
	buf_release(&seen);
	overlay_free(overlay);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_set_is_there_until_it_is_removed),
		cmocka_unit_test(without_an_overlay_nothing_is_open),
		cmocka_unit_test(all_are_visited_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
