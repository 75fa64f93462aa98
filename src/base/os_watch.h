/* Waits for files of some folders to change.
 *
 * By inotify(7) on Linux, and by looking twice a second where there is none, or where the system has no more watches to
 * give. Sees the entries of a folder, not those of folders within. The caller owns the watch. One thread. */
#ifndef VRAMLINT_BASE_OS_WATCH_H
#define VRAMLINT_BASE_OS_WATCH_H

#include <stdbool.h>
#include <stddef.h>

enum os_watch_how { OS_WATCH_BEST, OS_WATCH_BY_LOOKING };

struct os_watch;
/* Changes of files whose name IS_WANTED refuses are not seen; folders that appear or go always are. */
struct os_watch *os_watch_new(enum os_watch_how how, bool (*is_wanted)(const char *name));
void os_watch_free(struct os_watch *watch);
/* From now on sees the entries of FOLDER; one that cannot be read is seen once it can. False where it was watched
 * already: then nothing that happened since is lost. */
bool os_watch_add(struct os_watch *watch, const char *folder);
/* Folders that are watched. */
size_t os_watch_count(const struct os_watch *watch);
/* Returns after an entry was made, written, renamed or removed, and none was for a twentieth of a second: editors and
 * version control change files in several steps. Changes since os_watch_add, or the last wait, count. */
void os_watch_wait(struct os_watch *watch);

#endif
