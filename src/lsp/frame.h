/* Messages out of a stream of bytes, as the language server protocol frames them: a header, then so many bytes.
 *
 * Bytes come in pieces of any size. The caller owns the struct. One thread.
 * Source: Language Server Protocol 3.17, "Base Protocol". */
#ifndef VRAMLINT_LSP_FRAME_H
#define VRAMLINT_LSP_FRAME_H

#include "base/buf.h"
#include "base/err.h"

/* Bytes of a header, and of a message, that are taken on. */
enum { FRAME_HEADER_LIMIT = 16 << 10, FRAME_BODY_LIMIT = 512 << 20 };

struct frame_reader {
	struct buf bytes; /* those that came and were not handed out */
	size_t at;        /* what of them was looked at */
};

enum frame_state {
	FRAME_MORE,  /* bytes are missing */
	FRAME_BODY,  /* here is a message */
	FRAME_FAULT, /* a header without a length was passed over; one may go on */
	FRAME_LOST   /* no header ends, or one announces more than is taken on: nothing that follows can be trusted */
};

void frame_reader_release(struct frame_reader *reader);
void frame_reader_add(struct frame_reader *reader, const char *bytes, size_t length);
/* The next message in BODY, valid until the next call. FRAME_FAULT and FRAME_LOST set ERR. */
enum frame_state frame_reader_next(struct frame_reader *reader, struct str *body, struct err *err);

/* Appends BODY with its header. */
void frame_add(struct buf *out, struct str body);

#endif
