/* Findings that are known and accepted for now: a file that lists them, so that only new ones are reported.
 *
 * An entry is a path, relative to the folder of the baseline's file, and a finding's fingerprint, so that it outlives
 * edits elsewhere in the file. Reading is for any number of threads; taking note of results for one. */
#ifndef VRAMLINT_ENGINE_BASELINE_H
#define VRAMLINT_ENGINE_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "engine/lint.h"

enum baseline_mode {
	BASELINE_READ,  /* suppress what is listed */
	BASELINE_PRUNE, /* … and take out what is not found any more */
	BASELINE_UPDATE /* take all that is found */
};

struct baseline;

/* Reads the file at PATH, which for BASELINE_UPDATE need not be there. NULL with ERR set: ERR_READ, or ERR_CONFIG with
 * the place where it is malformed. */
struct baseline *baseline_new(const char *path, enum baseline_mode mode, struct err *err);
void baseline_free(struct baseline *baseline);

/* Whether FINDING in the file shown as SHOWN is suppressed. */
bool baseline_has(const struct baseline *baseline, const char *shown, const struct finding *finding);
/* Takes note of what became of the file shown as SHOWN, when those of RULES were looked for that SELECTION has enabled; both
 * are borrowed. */
void baseline_note(struct baseline *baseline, const char *shown, const struct lint_result *result,
		   const struct rule_set *rules, const struct selection *selection);

struct baseline_totals {
	size_t kept;  /* entries that stand for something, or for files and rules that were not looked at */
	size_t added; /* BASELINE_UPDATE */
	size_t stale; /* entries that stand for nothing any more: their file was checked, or is not there */
};

/* Calls TELL (may be NULL) for each stale entry, in order: what it stood for, as "VL101 for 'xs.append(loss)' in 'fit' of 'src/train.py'".
 * Only rules that were looked for make entries stale. */
struct baseline_totals baseline_finish(struct baseline *baseline, void (*tell)(const char *entry, void *context),
				       void *context);
/* Writes the file anew, sorted, an entry a line, without stale entries; leaves it alone where nothing changes. */
bool baseline_write(const struct baseline *baseline, struct err *err);

#endif
