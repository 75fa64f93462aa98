#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Under the address sanitizer what was given back is poisoned, so that its use after a reset is seen. */
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#endif
#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
#define POISON(at, length) ASAN_POISON_MEMORY_REGION((at), (length))
#define UNPOISON(at, length) ASAN_UNPOISON_MEMORY_REGION((at), (length))
#else
#define POISON(at, length) ((void)(at), (void)(length))
#define UNPOISON(at, length) ((void)(at), (void)(length))
#endif

enum { BLOCK_FIRST = 4096, BLOCK_LARGEST = 1 << 20, ALIGNMENT = alignof(max_align_t) };

struct arena_block {
	struct arena_block *previous;
	size_t size;   /* bytes of data */
	size_t filled; /* of these, handed out */
	alignas(max_align_t) char data[];
};

static struct arena_block *block_new(size_t least, const struct arena_block *after)
{
	size_t size = after ? after->size * 2 : BLOCK_FIRST;
	struct arena_block *block;

	if (size > BLOCK_LARGEST)
		size = BLOCK_LARGEST;
	if (size < least)
		size = least;
	block = mem_resize(NULL, 1, sizeof *block + size);
	block->size = size;
	POISON(block->data, size);
	return block;
}

/* Takes the first spare block that has room for LEAST bytes out of the list, or returns NULL. */
static struct arena_block *spare_take(struct arena *arena, size_t least)
{
	struct arena_block **link = &arena->spare;

	while (*link && (*link)->size < least)
		link = &(*link)->previous;
	if (!*link)
		return NULL;
	struct arena_block *block = *link;
	*link = block->previous;
	return block;
}

static void spare_put(struct arena *arena, struct arena_block *block)
{
	POISON(block->data, block->size);
	block->previous = arena->spare;
	arena->spare = block;
}

static void blocks_free(struct arena_block *block)
{
	while (block) {
		struct arena_block *previous = block->previous;

		UNPOISON(block->data, block->size);
		free(block);
		block = previous;
	}
}

void arena_init(struct arena *arena)
{
	*arena = (struct arena){NULL, NULL, 0};
}

void arena_release(struct arena *arena)
{
	blocks_free(arena->current);
	blocks_free(arena->spare);
	arena_init(arena);
}

void arena_reset(struct arena *arena)
{
	arena_rewind(arena, (struct arena_mark){NULL, 0, 0});
}

struct arena_mark arena_mark_get(const struct arena *arena)
{
	return (struct arena_mark){arena->current, arena->current ? arena->current->filled : 0, arena->used};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
	while (arena->current != mark.block) {
		struct arena_block *block = arena->current;

		if (!block)
			BUG("a mark of another arena, or one that was rewound already");
		arena->current = block->previous;
		spare_put(arena, block);
	}
	if (mark.block) {
		mark.block->filled = mark.filled;
		POISON(mark.block->data + mark.filled, mark.block->size - mark.filled);
	}
	arena->used = mark.used;
}

void *arena_take(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->current;
	size_t taken;
	void *memory;

	if (size > SIZE_MAX / 2)
		BUG("an allocation larger than half of the address space");
	taken = (size ? size + ALIGNMENT - 1 : ALIGNMENT) / ALIGNMENT * ALIGNMENT;
	if (!block || block->size - block->filled < taken) {
		block = spare_take(arena, taken);
		if (!block)
			block = block_new(taken, arena->current);
		block->filled = 0;
		block->previous = arena->current;
		arena->current = block;
	}
	memory = block->data + block->filled;
	UNPOISON(memory, size);
	block->filled += taken;
	arena->used += taken;
	return memset(memory, 0, size);
}

void *arena_take_array(struct arena *arena, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		BUG("the size of an array overflows");
	return arena_take(arena, count * size);
}

char *arena_dup(struct arena *arena, const char *text)
{
	return arena_dup_bytes(arena, text, strlen(text));
}

char *arena_dup_bytes(struct arena *arena, const char *bytes, size_t length)
{
	char *copy = arena_take(arena, length + 1);

	if (length)
		memcpy(copy, bytes, length);
	return copy;
}

struct str arena_dup_str(struct arena *arena, struct str text)
{
	return (struct str){arena_dup_bytes(arena, text.at, text.length), text.length};
}

char *arena_format(struct arena *arena, const char *format, ...)
{
	va_list args;
	va_list again;
	int length;
	char *text;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0)
		BUG("a format that printf refuses");
	text = arena_take(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}
