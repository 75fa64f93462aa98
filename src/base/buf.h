/* A growing string of bytes on the heap, always followed by NUL.
 *
 * The caller owns the struct; `buf_release` frees the bytes. */
#ifndef VRAMLINT_BASE_BUF_H
#define VRAMLINT_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include "base/str.h"

struct buf {
	char *bytes; /* NULL only while nothing was ever added */
	size_t length;
	size_t room;
};

#define BUF_INIT {NULL, 0, 0}

void buf_init(struct buf *buf);
void buf_release(struct buf *buf);
void buf_reset(struct buf *buf); /* empties it, keeps the memory */
void buf_reserve(struct buf *buf, size_t more); /* room for MORE bytes beyond the length */
void buf_add(struct buf *buf, const char *bytes, size_t length);
void buf_add_text(struct buf *buf, const char *text);
void buf_add_str(struct buf *buf, struct str text);
void buf_add_char(struct buf *buf, char c);
void buf_add_repeat(struct buf *buf, char c, size_t count);
/* CODE as UTF-8; a surrogate or a number over 0x10FFFF becomes U+FFFD. */
void buf_add_codepoint(struct buf *buf, uint32_t code);
void buf_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_format_list(struct buf *buf, const char *format, va_list args);
/* The bytes as a slice, valid until the next change. */
struct str buf_get(const struct buf *buf);
/* The NUL-terminated text, "" where nothing was added; valid until the next change. */
const char *buf_text(const struct buf *buf);

#endif
