#include "base/map.h"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int values[3] = {0, 1, 2};

static void puts_gets_and_removes(void **state)
{
	struct map map = MAP_INIT;

	assert_null(map_get(&map, STR("a")));
	assert_null(map_put(&map, STR("a"), &values[0]));
	assert_null(map_put(&map, STR("b"), &values[1]));
	assert_int_equal(map.count, 2);
	assert_ptr_equal(map_get(&map, STR("a")), &values[0]);
	assert_ptr_equal(map_put(&map, STR("a"), &values[2]), &values[0]);
	assert_int_equal(map.count, 2);
	assert_ptr_equal(map_remove(&map, STR("a")), &values[2]);
	assert_null(map_remove(&map, STR("a")));
	assert_false(map_has(&map, STR("a")));
	assert_int_equal(map.count, 1);
	map_release(&map);
	assert_int_equal(map.count, 0);
	assert_false(map_has(&map, STR("b")));
}

static void null_is_a_value(void **state)
{
	struct map map = MAP_INIT;

	map_put(&map, STR("a"), NULL);
	assert_true(map_has(&map, STR("a")));
	assert_null(map_get(&map, STR("a")));
	map_release(&map);
}

static void keys_are_copied_bytes(void **state)
{
	struct map map;
	char key[] = "one\0two";

	map_init(&map);
	map_put(&map, (struct str){key, 7}, &values[0]);
	map_put(&map, (struct str){NULL, 0}, &values[1]);
	memset(key, 'x', sizeof key);
	assert_ptr_equal(map_get(&map, (struct str){"one\0two", 7}), &values[0]);
	assert_null(map_get(&map, STR("one")));
	assert_ptr_equal(map_get(&map, STR("")), &values[1]);
	map_release(&map);
}

struct seen {
	int count;
	int until;
};

static bool number_follows(struct str key, void *value, void *context)
{
	struct seen *seen = context;
	char expected[16];

	snprintf(expected, sizeof expected, "key%d", seen->count * 2);
	assert_true(str_is(key, expected));
	return ++seen->count != seen->until;
}

static void iterates_in_order_of_insertion(void **state)
{
	struct map map = MAP_INIT;
	struct seen seen = {0, -1};
	char key[16];

	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof key, "key%d", i);
		map_put(&map, str_from(key), &values[0]);
	}
	for (int i = 1; i < 1000; i += 2) {
		snprintf(key, sizeof key, "key%d", i);
		map_remove(&map, str_from(key));
	}
	/* A new value does not move its entry. */
	map_put(&map, STR("key0"), &values[1]);
	map_each(&map, number_follows, &seen);
	assert_int_equal(seen.count, 500);
	seen = (struct seen){0, 3};
	map_each(&map, number_follows, &seen);
	assert_int_equal(seen.count, 3);
	map_release(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_gets_and_removes),
		cmocka_unit_test(null_is_a_value),
		cmocka_unit_test(keys_are_copied_bytes),
		cmocka_unit_test(iterates_in_order_of_insertion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
