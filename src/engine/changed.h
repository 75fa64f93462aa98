/* What git says has changed: which files, and which of their lines.
 *
 * git is run without a shell and told not to heed what a user has configured about diffs. Immutable once files are
 * selected; any number of threads may then ask. */
#ifndef VRAMLINT_ENGINE_CHANGED_H
#define VRAMLINT_ENGINE_CHANGED_H

#include <stdbool.h>
#include "base/err.h"
#include "engine/walk.h"
#include "rule/finding.h"

struct changed;

/* What differs between the files as they are and the commit where HEAD left BASE (git merge-base); files that git does
 * not know are new, those of submodules are compared with the commit that is recorded there. With BASE NULL: what is staged, that is, differs between the index and HEAD. NULL with ERR set where
 * git is missing, the current folder is in no work tree, or BASE is no commit that has anything in common with HEAD. */
struct changed *changed_new(const char *base, struct err *err);
void changed_free(struct changed *changed);

/* Leaves in WALK only what has changed. Of staged files what is staged is to be checked. */
bool changed_select(struct changed *changed, struct walk *walk, struct err *err);

/* Whether a changed line of the file shown as SHOWN is one of FINDING's lines, or one on which a step of its trail begins.
 * Of notebooks all counts as changed that has changed at all. */
bool changed_touches(const struct changed *changed, const char *shown, const struct finding *finding);

#endif
