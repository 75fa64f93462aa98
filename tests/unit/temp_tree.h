/* A folder of its own for a test that needs real files. All functions end the test where they fail. */
#ifndef VRAMLINT_TESTS_TEMP_TREE_H
#define VRAMLINT_TESTS_TEMP_TREE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct temp_tree {
	char folder[64]; /* absolute, links resolved; the current folder while the test runs */
	char before[4096];
};

/* Makes the folder and enters it. */
static inline void temp_tree_init(struct temp_tree *tree)
{
	char pattern[] = "/tmp/vramlint-test-XXXXXX";
	char resolved[4096];

	assert_non_null(getcwd(tree->before, sizeof tree->before));
	assert_non_null(mkdtemp(pattern));
	assert_non_null(realpath(pattern, resolved));
	assert_true(strlen(resolved) < sizeof tree->folder);
	strcpy(tree->folder, resolved);
	assert_int_equal(chdir(tree->folder), 0);
}

static inline void temp_tree_release(struct temp_tree *tree)
{
	char command[256];

	assert_int_equal(chdir(tree->before), 0);
	snprintf(command, sizeof command, "chmod -R u+rwx '%s' && rm -rf '%s'", tree->folder, tree->folder);
	assert_int_equal(system(command), 0);
}

/* Makes the folders that lead to PATH. */
static inline void temp_tree_parents(const char *path)
{
	char part[512];

	assert_true(strlen(path) < sizeof part);
	strcpy(part, path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(part, 0777) == 0 || errno == EEXIST);
		*slash = '/';
	}
}

/* Writes LENGTH bytes to PATH, relative to the tree. */
static inline void temp_tree_bytes(const char *path, const char *bytes, size_t length)
{
	FILE *file;

	temp_tree_parents(path);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static inline void temp_tree_file(const char *path, const char *text)
{
	temp_tree_bytes(path, text, strlen(text));
}

static inline void temp_tree_link(const char *target, const char *path)
{
	temp_tree_parents(path);
	assert_int_equal(symlink(target, path), 0);
}

/* The same numbers on every machine. */
static inline unsigned temp_tree_random(uint64_t *state, unsigned below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*state >> 33) % below);
}

#endif
