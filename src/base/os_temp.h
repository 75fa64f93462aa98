/* A folder for one run, which goes with it. */
#ifndef VRAMLINT_BASE_OS_TEMP_H
#define VRAMLINT_BASE_OS_TEMP_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* Makes a folder that only this user may enter in the folder ABOVE and returns its path in ARENA; NULL with ERR set. */
const char *os_temp_new(const char *above, struct arena *arena, struct err *err);
/* Makes the folder NAME in FOLDER. */
bool os_temp_folder(const char *folder, const char *name, struct err *err);
/* Removes FOLDER, which os_temp_new made, with all in it, whatever its modes; links are not followed. */
void os_temp_remove(const char *folder);

#endif
