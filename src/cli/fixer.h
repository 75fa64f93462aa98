/* What --fix does with the fixes of a run: writes the files once all are checked, and tells what was fixed. One thread. */
#ifndef VRAMLINT_CLI_FIXER_H
#define VRAMLINT_CLI_FIXER_H

#include "base/buf.h"
#include "engine/run.h"

struct fixer_file;

struct fixer {
	bool writes;      /* else fixes are only looked at */
	size_t fixed;     /* fixes made, or that would be */
	size_t files;     /* … in so many files */
	struct buf told;  /* what was fixed, a line each: "a.py: fixed 2 VL101 tensor-append" */
	struct buf text;  /* the fixed document that lies in no file */
	struct {
		struct fixer_file *items;
		size_t count, room;
	} pending;
	size_t written;   /* of those */
};

void fixer_release(struct fixer *fixer);
/* Takes over what was fixed in the file that is called SHOWN. */
void fixer_add(struct fixer *fixer, const char *shown, const struct run_fix *fix);
/* Writes the next file that waits; false where none does. ERR says why it could not be written, as where someone else has
 * changed it since it was read; else it is ERR_NONE. */
bool fixer_write_next(struct fixer *fixer, struct err *err);

#endif
