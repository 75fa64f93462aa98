#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void buf_init(struct buf *buf)
{
	*buf = (struct buf)BUF_INIT;
}

void buf_release(struct buf *buf)
{
	free(buf->bytes);
	buf_init(buf);
}

void buf_reset(struct buf *buf)
{
	buf->length = 0;
	if (buf->bytes)
		buf->bytes[0] = '\0';
}

void buf_reserve(struct buf *buf, size_t more)
{
	size_t needed = buf->length + more + 1;
	size_t room = buf->room ? buf->room : 64;

	if (more >= SIZE_MAX / 2 - buf->length)
		BUG("a buffer larger than half of the address space");
	if (needed <= buf->room)
		return;
	while (room < needed)
		room += room / 2;
	buf->bytes = mem_resize(buf->bytes, room, 1);
	buf->room = room;
	buf->bytes[buf->length] = '\0';
}

void buf_add(struct buf *buf, const char *bytes, size_t length)
{
	buf_reserve(buf, length);
	if (length)
		memcpy(buf->bytes + buf->length, bytes, length);
	buf->length += length;
	buf->bytes[buf->length] = '\0';
}

void buf_add_text(struct buf *buf, const char *text)
{
	buf_add(buf, text, strlen(text));
}

void buf_add_str(struct buf *buf, struct str text)
{
	buf_add(buf, text.at, text.length);
}

void buf_add_char(struct buf *buf, char c)
{
	buf_add(buf, &c, 1);
}

void buf_add_repeat(struct buf *buf, char c, size_t count)
{
	buf_reserve(buf, count);
	memset(buf->bytes + buf->length, c, count);
	buf->length += count;
	buf->bytes[buf->length] = '\0';
}

void buf_add_codepoint(struct buf *buf, uint32_t code)
{
	char bytes[4];
	size_t length;

	if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
		code = 0xFFFD;
	if (code < 0x80) {
		buf_add_char(buf, (char)code);
		return;
	}
	length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	for (size_t i = length - 1; i > 0; i--) {
		bytes[i] = (char)(0x80 | (code & 0x3F));
		code >>= 6;
	}
	bytes[0] = (char)(0xF00 >> length | code);
	buf_add(buf, bytes, length);
}

void buf_format(struct buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_format_list(buf, format, args);
	va_end(args);
}

void buf_format_list(struct buf *buf, const char *format, va_list args)
{
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	if (length < 0)
		BUG("a format that printf refuses");
	buf_reserve(buf, (size_t)length);
	vsnprintf(buf->bytes + buf->length, (size_t)length + 1, format, again);
	buf->length += (size_t)length;
	va_end(again);
}

struct str buf_get(const struct buf *buf)
{
	return (struct str){buf_text(buf), buf->length};
}

const char *buf_text(const struct buf *buf)
{
	return buf->bytes ? buf->bytes : "";
}
