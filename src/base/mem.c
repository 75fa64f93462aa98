#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No exit handlers and no flushing: other threads may still be running. */
static _Noreturn void memory_is_out(void)
{
	fputs("vramlint: out of memory\n", stderr);
	_Exit(2);
}

void *mem_new(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		memory_is_out();
	return memory;
}

void *mem_resize(void *old, size_t count, size_t size)
{
	void *memory;
	size_t bytes;

	if (size && count > SIZE_MAX / size)
		memory_is_out();
	bytes = count * size;
	/* A size of zero would free OLD. */
	memory = realloc(old, bytes ? bytes : 1);
	if (!memory)
		memory_is_out();
	return memory;
}

char *mem_dup(const char *text, size_t length)
{
	char *copy;

	if (length == SIZE_MAX)
		memory_is_out();
	copy = mem_resize(NULL, length + 1, 1);
	if (length)
		memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *mem_dup_text(const char *text)
{
	return mem_dup(text, strlen(text));
}

void mem_bug(const char *file, int line, const char *message)
{
	fprintf(stderr, "vramlint: %s:%d: this is a fault of vramlint: %s\n", file, line, message);
#ifdef VRAMLINT_DEBUG
	abort();
#else
	_Exit(2);
#endif
}
