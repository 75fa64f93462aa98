/* Documents that are open in an editor, as they are there and not yet on the disk.
 *
 * The files of a project are read through it, so that an import of an unsaved file finds what its author sees. One thread
 * changes it, while nobody reads; any number of threads may read. */
#ifndef VRAMLINT_ENGINE_OVERLAY_H
#define VRAMLINT_ENGINE_OVERLAY_H

#include <stdbool.h>
#include "base/str.h"

struct overlay;

struct overlay *overlay_new(void);
void overlay_free(struct overlay *overlay); /* may be NULL */
/* The file PATH, absolute with links resolved, there on the disk or not, holds TEXT, UTF-8, which is copied. */
void overlay_set(struct overlay *overlay, const char *path, struct str text);
/* PATH counts as it is on the disk again. */
void overlay_remove(struct overlay *overlay, const char *path);
/* Whether PATH is in OVERLAY (may be NULL); TEXT (may be NULL) is then its text, until it is set again or removed. */
bool overlay_get(const struct overlay *overlay, const char *path, struct str *text);
/* Calls VISIT with each path in OVERLAY (may be NULL), in the order in which they came in. */
void overlay_each(const struct overlay *overlay, void (*visit)(const char *path, void *context), void *context);

#endif
