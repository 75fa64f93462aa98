/* The memory snapshots that agents have made for pytorch's own viewer, taken out of the run's folder. */
#ifndef VRAMLINT_CONFIRM_SNAPSHOT_H
#define VRAMLINT_CONFIRM_SNAPSHOT_H

#include "base/err.h"
#include "confirm/reported.h"

/* Copies that of the process with most steps to FILE, and those of others that trained beside it, with the rank (or the process)
 * in their name. Only what lies below FOLDER is taken. Returns how many; ERR is set where one could not be. */
size_t snapshot_keep(const struct reported *reported, const char *folder, const char *file, struct err *err);

#endif
