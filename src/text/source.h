/* A document as text: its bytes in UTF-8 and where its lines begin.
 *
 * What was read is decoded once: UTF-8 with or without a byte order mark, or
 * the encoding that a PEP 263 cookie in the first two lines names, through
 * iconv. Offsets are bytes of the decoded text. A source owns its text. */
#ifndef VRAMLINT_TEXT_SOURCE_H
#define VRAMLINT_TEXT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Where a line of a notebook's program stands. */
struct source_origin {
	uint32_t cell;      /* 1-based, over all cells */
	uint32_t line;      /* 1-based, within the cell */
	uint32_t file_line; /* 1-based, of the JSON */
	bool is_added;      /* stands in no cell: it makes what follows Python */
};

struct source {
	char *text;            /* UTF-8 without byte order mark, NUL-terminated; may hold NUL bytes inside */
	uint32_t length;       /* bytes */
	uint32_t *line_starts; /* offset of each line; line_starts[0] == 0 */
	uint32_t line_count;   /* at least 1; CR, LF and CRLF each end a line */
	bool had_mark;         /* a byte order mark was dropped */
	uint32_t repaired;     /* bytes that were not valid in the encoding and became U+FFFD */
	char encoding[32];     /* "utf-8", or the cookie's name in lower case */

	/* Of a notebook's program (text/notebook.h); else NULL and 0. */
	struct source_origin *origins; /* of each line */
	char *written;                 /* TEXT as it is in the cells, before what is no Python was replaced; LENGTH bytes */
	struct span *masks;            /* what was replaced, in order */
	uint32_t mask_count;
	bool has_gaps;                 /* cells are left out that may know the variables of the others */
};

struct place {
	uint32_t line;   /* 1-based */
	uint32_t column; /* 1-based, in code points */
};

/* Largest file taken on, in bytes. */
#define SOURCE_LIMIT ((size_t)256 << 20)

/* Decodes RAW as Python source. Errors: ERR_BINARY (NUL bytes or control bytes that no text has, in the first 8 KiB,
 * in such numbers that it is no text), ERR_DECODE (a cookie that names no known encoding, or more bad bytes than a
 * hundredth of the text), ERR_TOO_BIG. Source: PEP 263. */
bool source_init(struct source *source, struct str raw, struct err *err);
/* Makes a source of TEXT, which is decoded already and is taken, that is otherwise as OTHER, a plain
 * file. */
void source_init_like(struct source *source, const struct source *other, struct buf *text);
/* Takes TEXT, of less than SOURCE_LIMIT bytes, as the UTF-8 that it says it is: no cookie, nothing repaired. */
void source_init_plain(struct source *source, struct str text);
/* COPY becomes a source of its own that is as SOURCE is. */
void source_dup(struct source *copy, const struct source *source);
void source_release(struct source *source);

/* Appends TEXT, which is what the decoded text is to become, as the bytes of a file: byte order mark and encoding are those
 * that SOURCE was read with. RAW is what that was; where it would not come out as it is the file is not to be touched:
 * ERR_DECODE, as where TEXT has a character that the encoding lacks. */
bool source_encode(const struct source *source, struct str raw, struct str text, struct buf *out, struct err *err);
/* What ends a line of SOURCE: "\n", "\r\n" or "\r", by its first line; "\n" where there is but one. */
const char *source_line_end(const struct source *source);

/* The 1-based line that holds OFFSET, counted in TEXT, also where that is a notebook's program. */
uint32_t source_line(const struct source *source, uint32_t offset);
/* Line (1-based) and column (code points) of OFFSET as people count them: in a notebook within the cell. */
struct place source_place(const struct source *source, uint32_t offset);
/* The notebook's cell that holds OFFSET, 1-based over all cells; 0 in a plain file. */
uint32_t source_cell(const struct source *source, uint32_t offset);
/* OFFSET counted in the source of its cell; OFFSET itself in a plain file. Takes time by the lines of the cell. */
uint32_t source_cell_offset(const struct source *source, uint32_t offset);
/* The line of the file that holds OFFSET: of a notebook the line of its JSON. */
uint32_t source_file_line(const struct source *source, uint32_t offset);
/* Column in UTF-16 units, 0-based, of OFFSET within its line (LSP, SARIF). */
uint32_t source_utf16_column(const struct source *source, uint32_t offset);
/* Text of line LINE (1-based, as source_line counts) without its end. */
struct str source_line_text(const struct source *source, uint32_t line);
/* The same as it was written: with its magics, in a notebook. */
struct str source_line_written(const struct source *source, uint32_t line);
struct str source_slice(const struct source *source, struct span span);

#endif
