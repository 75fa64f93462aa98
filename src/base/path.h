/* Paths as text: nothing here looks at the disk. "/" stands between parts. */
#ifndef VRAMLINT_BASE_PATH_H
#define VRAMLINT_BASE_PATH_H

#include <stdbool.h>
#include "base/arena.h"

/* NAME in FOLDER; NAME itself where FOLDER is "" (the current one) or NAME is absolute. */
const char *path_join(struct arena *arena, const char *folder, const char *name);
/* The absolute path of PATH, seen from the folder CURRENT, without "." and ".."; NULL where ".." follows a name, which
 * may be a link. */
char *path_absolute(struct arena *arena, const char *current, const char *path);
/* PATH relative to FOLDER, both absolute and plain; "" where they are the same. */
const char *path_relative(struct arena *arena, const char *folder, const char *path);
/* The folder that holds PATH, which is absolute and plain; "/" for "/". */
const char *path_folder(struct arena *arena, const char *path);
/* What of PATH comes behind FOLDER, both absolute and plain; NULL where PATH does not lie below it. */
const char *path_below(const char *folder, const char *path);
/* Behind the last "/". */
const char *path_name(const char *path);

#endif
