/* What stays the same of a finding while the file around it is edited.
 *
 * Pure functions over findings; any number of threads. */
#ifndef VRAMLINT_RULE_FINGERPRINT_H
#define VRAMLINT_RULE_FINGERPRINT_H

#include "base/arena.h"
#include "base/buf.h"
#include "rule/finding.h"
#include "text/source.h"

/* Sets `fingerprint` of COUNT findings of one file, sorted by finding_compare: 32 hexadecimal digits, XXH3 with 128 bits
 * over the rule's code, the scope, the line's words without the space between them, and how many before it in the file
 * are equal in all of that. Unique within the file; knows nothing of line numbers, of indentation, or of where the file
 * lies. */
void fingerprints_set(struct finding *findings, size_t count, const struct source *source, struct arena *arena);

/* Appends what tells FINDING from all others of a project: 32 hexadecimal digits over PATH and its fingerprint. */
void fingerprint_add_of_project(struct buf *out, const char *path, const struct finding *finding);

#endif
