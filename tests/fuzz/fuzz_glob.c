/* The first line as a path, the rest as an ignore file for it. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "text/glob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	const char *end = size ? memchr(bytes, '\n', size) : NULL;
	struct str path = {size ? bytes : "", end ? (size_t)(end - bytes) : size};
	struct str file = {end ? end + 1 : "", end ? size - path.length - 1 : 0};
	struct glob_list list;
	struct arena arena;

	arena_init(&arena);
	glob_list_init(&list, file, &arena);
	for (int is_folder = 0; is_folder < 2; is_folder++) {
		int verdict = glob_list_match(&list, path, is_folder);

		if (verdict < -1 || verdict > 1 || (!list.count && verdict != -1))
			BUG("a verdict that does not exist");
	}
	glob_match(file, path);
	arena_release(&arena);
	return 0;
}
