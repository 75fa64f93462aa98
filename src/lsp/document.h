/* The documents that the editor holds open: a file, or a notebook with its cells.
 *
 * Text is what the editor says, whatever the disk holds. Documents own their parts, and what was found in them. One
 * thread. */
#ifndef VRAMLINT_LSP_DOCUMENT_H
#define VRAMLINT_LSP_DOCUMENT_H

#include "base/map.h"
#include "base/vec.h"
#include "engine/lint.h"
#include "lsp/message.h"
#include "lsp/position.h"

/* A text with an address of its own: the document, or a cell of a notebook. */
struct document_part {
	char *uri;
	int64_t version;
	bool is_code;          /* in Python */
	struct buf text;
	uint32_t seen_line;    /* a line whose start is known, so that changes near each other are found fast */
	size_t seen_start;
	uint64_t shown;        /* hash of the diagnostics that the client has of it; 0: none yet */
};

struct document {
	char *uri;
	char *path;            /* real and absolute; NULL where it is no file */
	bool is_notebook;
	int64_t version;
	VEC(struct document_part) parts; /* one, or the cells in order */
	uint64_t serial;       /* grows with each change of text */

	/* What was found, set by lsp/check: */
	uint64_t checked;      /* serial of the text that it was found in; 0: nothing was yet */
	uint64_t checked_last; /* serial of the text that the client was last told of */
	struct source source;
	struct lint_result result;
	const struct settings *settings; /* that it was checked with */
	struct lint_memory *memory;      /* or NULL */
	bool is_scanned;       /* all files were checked, this one among them */
	double due;            /* when it is to be checked, by os_seconds(); 0: it is not */
	uint64_t used;         /* when it was last worked with, in turns */
};

struct documents {
	VEC(struct document *) items;
	struct map by_uri; /* address of a part, or of a notebook → its document */
	uint64_t serials;
};

void documents_release(struct documents *documents);
/* The document with that address, or with a part of it; NULL where it is not open. *PART (may be NULL): the part, or
 * NULL where URI is a notebook's own. */
struct document *documents_find(const struct documents *documents, const char *uri, struct document_part **part);

/* Carry out what the client notified: parameters of textDocument/didOpen and so on. The document, or NULL where the
 * parameters make no sense or name one that is not open. */
struct document *documents_open(struct documents *documents, const cJSON *params);
struct document *documents_change(struct documents *documents, const cJSON *params, enum position_encoding encoding);
struct document *documents_open_notebook(struct documents *documents, const cJSON *params);
/* Calls GONE for each cell that the notebook loses, or that is no code any more. */
struct document *documents_change_notebook(struct documents *documents, const cJSON *params, enum position_encoding encoding,
					   void (*gone)(const struct document_part *part, void *context), void *context);
void documents_close(struct documents *documents, struct document *document);

/* Forgets what was found in it. */
void document_forget(struct document *document);
/* Makes SOURCE of its text. */
void document_source(const struct document *document, struct source *source);
/* The part that holds OFFSET of SOURCE, which was made of DOCUMENT's text. */
const struct document_part *document_part_at(const struct document *document, const struct source *source, uint32_t offset);
/* The offset in SOURCE of a position in PART; what lies outside is brought inside. */
uint32_t document_offset(const struct document *document, const struct document_part *part, const struct source *source,
			 enum position_encoding encoding, struct position position);
/* Reads {"line": …, "character": …}; false where it is none. */
bool position_read(const cJSON *json, struct position *position);

#endif
