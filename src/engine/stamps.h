/* Whether files and folders are still as they were when they were read, or as missing as they were. One thread. */
#ifndef VRAMLINT_ENGINE_STAMPS_H
#define VRAMLINT_ENGINE_STAMPS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/map.h"

/* Says what is at PATH, unread: another number where the file, or the entries of the folder, have changed. */
uint64_t stamp_of(const char *path);

/* Zeroed: none. */
struct stamps {
	struct map paths; /* → struct stamp */
};

/* Takes note of PATH as it is now, before it is read, unless it was noted before. */
void stamps_note(struct stamps *stamps, const char *path);
/* Whether any of what was noted is not as it was. */
bool stamps_changed(const struct stamps *stamps);
void stamps_release(struct stamps *stamps);

#endif
