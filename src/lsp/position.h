/* Places as the protocol counts them: lines from 0, characters in units of the encoding that was agreed on.
 *
 * Pure functions. Source: Language Server Protocol 3.17, "Position". */
#ifndef VRAMLINT_LSP_POSITION_H
#define VRAMLINT_LSP_POSITION_H

#include "text/source.h"

enum position_encoding { POSITION_UTF16, POSITION_UTF8, POSITION_UTF32 };

/* "utf-8" and so on. */
const char *position_encoding_name(enum position_encoding encoding);

struct position {
	uint32_t line, character;
};

/* Units of TEXT, which is UTF-8. */
uint32_t position_units(enum position_encoding encoding, struct str text);
/* Bytes of the first UNITS units of LINE, at most all of it; a character that they cut is left out. */
size_t position_bytes(enum position_encoding encoding, struct str line, uint32_t units);

/* The position of OFFSET in SOURCE, in a notebook within its cell, whose number is source_cell(). */
struct position position_of(enum position_encoding encoding, const struct source *source, uint32_t offset);

#endif
