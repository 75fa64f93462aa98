#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void memory_is_zeroed_and_aligned(void **state)
{
	struct arena arena;

	arena_init(&arena);
	for (size_t size = 0; size < 3000; size = size * 2 + 1) {
		unsigned char *memory = arena_take(&arena, size);

		assert_int_equal((uintptr_t)memory % sizeof(max_align_t) % 16, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(memory[i], 0);
		memset(memory, 0xAA, size);
	}
	arena_release(&arena);
}

static void zeroed_again_after_reset(void **state)
{
	struct arena arena;
	char *first;
	char *second;

	arena_init(&arena);
	first = arena_take(&arena, 100);
	memset(first, 'x', 100);
	arena_reset(&arena);
	assert_int_equal(arena.used, 0);
	second = arena_take(&arena, 100);
	/* The block is used again, which is the point of a reset. */
	assert_ptr_equal(first, second);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(second[i], 0);
	arena_release(&arena);
}

static void larger_than_a_block(void **state)
{
	struct arena arena;
	size_t size = (size_t)5 << 20;
	char *memory;

	arena_init(&arena);
	arena_take(&arena, 10);
	memory = arena_take(&arena, size);
	memory[size - 1] = 1;
	assert_true(arena.used >= size);
	arena_release(&arena);
}

static void rewind_keeps_what_came_before(void **state)
{
	struct arena arena;
	struct arena_mark empty;
	struct arena_mark mark;
	char *kept;
	void *next;

	arena_init(&arena);
	empty = arena_mark_get(&arena);
	kept = arena_dup(&arena, "kept");
	mark = arena_mark_get(&arena);
	next = arena_take(&arena, 8);
	for (int i = 0; i < 100; i++)
		arena_take(&arena, 1000);
	arena_rewind(&arena, mark);
	assert_string_equal(kept, "kept");
	assert_int_equal(arena.used, mark.used);
	assert_ptr_equal(arena_take(&arena, 8), next);
	arena_rewind(&arena, empty);
	assert_int_equal(arena.used, 0);
	arena_release(&arena);
}

static void memory_is_bounded_over_resets(void **state)
{
	struct arena arena;
	void *first = NULL;

	arena_init(&arena);
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 50; i++) {
			void *memory = arena_take(&arena, 4000);

			if (!first)
				first = memory;
		}
		arena_reset(&arena);
		assert_null(arena.current);
	}
	arena_release(&arena);
	assert_null(arena.spare);
}

static void copies_and_formats(void **state)
{
	struct arena arena;
	struct str slice;
	char *formatted;

	arena_init(&arena);
	assert_string_equal(arena_dup_bytes(&arena, "abcdef", 3), "abc");
	assert_string_equal(arena_dup_bytes(&arena, NULL, 0), "");
	slice = arena_dup_str(&arena, (struct str){"a\0b", 3});
	assert_int_equal(slice.length, 3);
	assert_memory_equal(slice.at, "a\0b", 4);
	formatted = arena_format(&arena, "%05000d|%s", 7, "end");
	assert_int_equal(strlen(formatted), 5004);
	assert_string_equal(formatted + 4999, "7|end");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_aligned),
		cmocka_unit_test(zeroed_again_after_reset),
		cmocka_unit_test(larger_than_a_block),
		cmocka_unit_test(rewind_keeps_what_came_before),
		cmocka_unit_test(memory_is_bounded_over_resets),
		cmocka_unit_test(copies_and_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
