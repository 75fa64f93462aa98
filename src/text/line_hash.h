/* The fingerprint of lines that GitHub's code scanning computes.
 *
 * Pure function; any thread. */
#ifndef VRAMLINT_TEXT_LINE_HASH_H
#define VRAMLINT_TEXT_LINE_HASH_H

#include <stdbool.h>
#include <stdint.h>
#include "text/source.h"

struct line_hash {
	uint64_t hash;  /* of the line's beginning and what follows, 100 characters without blanks */
	uint32_t count; /* how many lines up to this one have that hash */
};

/* Fills HASHES, one for each of SOURCE's lines. False where the bytes of the file can't be told from the text any more: it
 * was in another encoding than UTF-8, or repaired. Source: src/fingerprints.ts of github/codeql-action, which writes a
 * fingerprint as hash in hexadecimal, ":" and count. */
bool line_hashes_get(const struct source *source, struct line_hash *hashes);

#endif
