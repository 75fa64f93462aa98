#include "cli/argfile.h"

#include <limits.h>
#include <string.h>

#include "base/os.h"
#include "base/vec.h"

enum { LARGEST = 64 << 20 };

struct words {
	char **items;
	size_t count, room;
};

static bool is_argfile(const char *argument)
{
	struct os_stat stat;

	return argument[0] == '@' && argument[1] &&
	       !(os_stat_get(argument, &stat, NULL) && (stat.kind != OS_MISSING || stat.is_link));
}

static void add_lines(struct words *words, struct str text, struct arena *arena)
{
	size_t start = 0;

	while (start < text.length) {
		const char *line = text.at + start;
		const char *end = memchr(line, '\n', text.length - start);
		size_t length = end ? (size_t)(end - line) : text.length - start;

		start += length + 1;
		if (length && line[length - 1] == '\r')
			length--;
		if (length)
			VEC_ADD(words, arena_dup_bytes(arena, line, length));
	}
}

static bool add_file(struct words *words, const char *path, struct arena *arena, struct err *err)
{
	struct buf text = BUF_INIT;
	bool ok = os_read_file(path, LARGEST, &text, err);

	if (ok && text.length && memchr(text.bytes, '\0', text.length))
		ok = err_set(err, ERR_USAGE, "'%s' is no list of arguments: it holds a NUL byte", path);
	if (ok)
		add_lines(words, buf_get(&text), arena);
	else
		err_context(err, "argument '@%s'", path);
	buf_release(&text);
	return ok;
}

char *const *argfile_expand(int *count, char *const *arguments, struct arena *arena, struct err *err)
{
	struct words words = {0};
	char **expanded = NULL;
	bool only_operands = false;
	bool ok = true;

	for (int i = 0; i < *count && ok; i++) {
		only_operands |= strcmp(arguments[i], "--") == 0;
		if (only_operands || !is_argfile(arguments[i]))
			VEC_ADD(&words, arguments[i]);
		else
			ok = add_file(&words, arguments[i] + 1, arena, err);
	}
	if (ok && words.count >= INT_MAX)
		ok = err_set(err, ERR_USAGE, "too many arguments");
	if (ok) {
		expanded = ARENA_ARRAY(arena, char *, words.count + 1);
		if (words.count)
			memcpy(expanded, words.items, words.count * sizeof *expanded);
		*count = (int)words.count;
	}
	VEC_RELEASE(&words);
	return expanded;
}
