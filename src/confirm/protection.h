/* What of the user's a run may not touch, and where its writes go instead.
 *
 * The current folder and those that the command's words name are covered by overlays (base/os_shelter), where the system
 * lets us; the upper layers lie in the run's temporary folder and go with it. Caches stay open: what is fetched shall not be
 * fetched for each run. Text is in the arena that is handed in. */
#ifndef VRAMLINT_CONFIRM_PROTECTION_H
#define VRAMLINT_CONFIRM_PROTECTION_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/os_shelter.h"
#include "base/vec.h"
#include "text/json_writer.h"

enum { PROTECTION_SHOWN = 5 };

struct protection {
	const char *current;       /* the folder that the command is started in */
	VEC(const char *) folders; /* absolute */
	VEC(const char *) open;    /* in them, and left as they are */
	struct os_shelter shelter; /* counts 0: nothing is protected */
	/* after the run: */
	bool is_full;              /* there is no room left where it writes to */
	size_t files, removed;
	uint64_t bytes;
	const char *paths[PROTECTION_SHOWN]; /* of the first files; the rest are NULL */
};

/* What COMMAND (ended by NULL), started in CURRENT, may write to. */
void protection_plan(struct protection *protection, const char *const *command, const char *current, struct arena *arena);
void protection_release(struct protection *protection);
/* A new temporary folder, outside of what is protected where there is one, that fits into a search path and has room for a
 * socket's name behind it; NULL with ERR set. */
const char *protection_place(const struct protection *protection, struct arena *arena, struct err *err);
/* Tries to protect what is planned, by way of FOLDER; WARN is told what is not and why. */
void protection_try(struct protection *protection, const char *folder, struct arena *arena,
		    void (*warn)(const char *text, void *context), void *context);
/* Looks at what was written. */
void protection_look(struct protection *protection, struct arena *arena);
/* Appends what was kept away, in a line; nothing where that is nothing. */
void protection_tell(struct buf *out, const struct protection *protection);
/* Members of an object that is open: "kept_away" or null. */
void protection_add(struct json_writer *json, const struct protection *protection);

#endif
