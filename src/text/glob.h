/* Patterns over paths, with gitignore's meaning.
 *
 * Source: gitignore(5); tested against `git check-ignore`. Immutable once made. */
#ifndef VRAMLINT_TEXT_GLOB_H
#define VRAMLINT_TEXT_GLOB_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/str.h"

struct glob_pattern {
	struct str text;     /* without "!", the leading and the trailing "/" */
	bool negated;        /* "!": what matches is taken back in */
	bool folders_only;   /* ended in "/" */
	bool anchored;       /* has a "/" before its end: matches from the folder of its file only */
};

struct glob_list {
	struct glob_pattern *patterns;
	size_t count;
};

/* Whether TEXT matches PATTERN: `*` and `?` stop at "/", `**` crosses it, `[a-z]`, `[!a]` and `\` as in gitignore.
 * Never exponential. */
bool glob_match(struct str pattern, struct str text);
/* Reads the lines of an ignore file; comments and blank lines are left out. Slices point into ARENA. */
void glob_list_init(struct glob_list *list, struct str ignore_file, struct arena *arena);
/* Verdict of the last pattern that matches PATH (relative to the list's folder, "/" between parts): 1 ignored,
 * 0 taken back in, -1 no pattern matches. */
int glob_list_match(const struct glob_list *list, struct str path, bool is_folder);

#endif
