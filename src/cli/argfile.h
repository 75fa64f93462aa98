/* "@FILE" among the arguments: the lines of FILE, an argument each, for command lines longer than a system takes. */
#ifndef VRAMLINT_CLI_ARGFILE_H
#define VRAMLINT_CLI_ARGFILE_H

#include "base/arena.h"
#include "base/err.h"

/* ARGUMENTS with each "@FILE" before "--" replaced by the lines of FILE that are not empty; those are not looked at
 * again. What exists under its name with the "@" is a path and stays: a file that someone calls "@x.py" must not become
 * options when a hook passes it. The new array lies in ARENA, *COUNT is its length; NULL with ERR set where a file
 * cannot be read or holds a NUL. */
char *const *argfile_expand(int *count, char *const *arguments, struct arena *arena, struct err *err);

#endif
