/* Paths as text; nothing is looked up on the disk. */
#ifndef VRAMLINT_TEXT_PATH_H
#define VRAMLINT_TEXT_PATH_H

#include "base/arena.h"

/* NAME in FOLDER; NAME itself where FOLDER is "". */
const char *path_join(struct arena *arena, const char *folder, const char *name);
/* The absolute path of PATH, as seen from folder CURRENT, without "." and ".."; NULL where ".." follows a name, which may
 * be a link. */
char *path_absolute(struct arena *arena, const char *current, const char *path);
/* PATH relative to FOLDER, both absolute and plain; "" where they are the same. */
const char *path_relative(struct arena *arena, const char *folder, const char *path);

#endif
