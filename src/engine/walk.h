/* From the paths a person named to the files to check.
 *
 * Folders are walked in byte order of names, honouring .gitignore, .ignore,
 * .git/info/exclude, the file that core.excludesFile of git names, and what the
 * configuration leaves out; these apply below the named root only. A file that is named itself is always taken, unless the
 * configuration says `force-exclude`. */
#ifndef VRAMLINT_ENGINE_WALK_H
#define VRAMLINT_ENGINE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/err.h"
#include "engine/config.h"

struct walk_file {
	const char *path; /* as to open it */
	const char *shown; /* relative to the current directory, "../" where it lies outside, "/" between parts */
	bool is_named; /* by a person, and not found in a folder */
	struct str text;   /* to be checked in place of what the file holds; at is NULL: that */
	const struct settings *settings;
};

struct walk_problem {
	const char *path;
	const char *text; /* "cannot read 'x': permission denied" */
};

struct walk {
	struct arena arena;
	struct walk_file *files; /* each file once, even where several paths or links lead to it */
	size_t file_count;
	const char **folders; /* as to open them: those that were looked through */
	size_t folder_count;
	struct walk_problem *problems; /* missing paths, unreadable folders, dangling links */
	size_t problem_count;
	size_t excluded_count; /* files named that the configuration leaves out */
};

/* CONFIG says what is left out and gives each file its settings. PATHS that do not exist are problems. Links to folders
 * are followed once each, so loops end. */
void walk_init(struct walk *walk, struct config *config, const char *const *paths, size_t count);
void walk_release(struct walk *walk);

#endif
