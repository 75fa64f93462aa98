#include "lsp/frame.h"

#include <ctype.h>
#include <strings.h>

static const char length_name[] = "content-length";

void frame_reader_release(struct frame_reader *reader)
{
	buf_release(&reader->bytes);
	reader->at = 0;
}

/* Forgets what was handed out. */
static void drop_read(struct frame_reader *reader)
{
	struct buf *bytes = &reader->bytes;

	if (reader->at == 0)
		return;
	bytes->length -= reader->at;
	memmove(bytes->bytes, bytes->bytes + reader->at, bytes->length);
	bytes->bytes[bytes->length] = '\0';
	reader->at = 0;
}

void frame_reader_add(struct frame_reader *reader, const char *bytes, size_t length)
{
	/* One huge message must not keep its memory for ever. */
	enum { ROOM_KEPT = 1 << 20 };

	drop_read(reader);
	if (reader->bytes.length == 0 && reader->bytes.room > ROOM_KEPT)
		buf_release(&reader->bytes);
	buf_add(&reader->bytes, bytes, length);
}

/* The number that LINE of a header gives as the length of the message; SIZE_MAX where the line is about something
 * else or its number is none. */
static size_t length_of(struct str line)
{
	size_t at = sizeof length_name - 1, length = 0;

	if (line.length <= at || strncasecmp(line.at, length_name, at) != 0)
		return SIZE_MAX;
	while (at < line.length && (line.at[at] == ' ' || line.at[at] == '\t'))
		at++;
	if (at == line.length || line.at[at++] != ':')
		return SIZE_MAX;
	while (at < line.length && (line.at[at] == ' ' || line.at[at] == '\t'))
		at++;
	if (at == line.length || !isdigit((unsigned char)line.at[at]))
		return SIZE_MAX;
	for (; at < line.length && isdigit((unsigned char)line.at[at]); at++) {
		if (length <= FRAME_BODY_LIMIT)
			length = length * 10 + (size_t)(line.at[at] - '0');
	}
	while (at < line.length && isspace((unsigned char)line.at[at]))
		at++;
	return at == line.length ? length : SIZE_MAX;
}

static size_t header_length(struct str header)
{
	for (size_t start = 0; start < header.length;) {
		size_t end = str_find(header, STR("\n"), start);
		size_t length;

		end = end == SIZE_MAX ? header.length : end + 1;
		length = length_of((struct str){header.at + start, end - start});
		if (length != SIZE_MAX)
			return length;
		start = end;
	}
	return SIZE_MAX;
}

/* The end of the header that the bytes begin with: behind an empty line. Lines may end in LF alone. */
static size_t header_end(struct str bytes)
{
	for (size_t at = 0; (at = str_find(bytes, STR("\n"), at)) != SIZE_MAX; at++) {
		size_t next = at + 1;

		if (next < bytes.length && bytes.at[next] == '\r')
			next++;
		if (next < bytes.length && bytes.at[next] == '\n')
			return next + 1;
	}
	return SIZE_MAX;
}

enum frame_state frame_reader_next(struct frame_reader *reader, struct str *body, struct err *err)
{
	struct str left = {reader->bytes.bytes + reader->at, reader->bytes.length - reader->at};
	struct str head = {left.at, left.length < FRAME_HEADER_LIMIT ? left.length : FRAME_HEADER_LIMIT};
	size_t end, length;

	if (left.length == 0)
		return FRAME_MORE;
	end = header_end(head);
	if (end == SIZE_MAX && head.length == FRAME_HEADER_LIMIT) {
		err_set(err, ERR_LIMIT, "no header of a message ends within %d bytes", FRAME_HEADER_LIMIT);
		return FRAME_LOST;
	}
	if (end == SIZE_MAX)
		return FRAME_MORE;
	length = header_length((struct str){left.at, end});
	if (length == SIZE_MAX) {
		reader->at += end;
		err_set(err, ERR_PARSE, "a header has no 'Content-Length'");
		return FRAME_FAULT;
	}
	if (length > FRAME_BODY_LIMIT) {
		err_set(err, ERR_TOO_BIG, "a message is announced to be larger than %d bytes", FRAME_BODY_LIMIT);
		return FRAME_LOST;
	}
	if (left.length - end < length)
		return FRAME_MORE;
	*body = (struct str){left.at + end, length};
	reader->at += end + length;
	return FRAME_BODY;
}

void frame_add(struct buf *out, struct str body)
{
	buf_format(out, "Content-Length: %zu\r\n\r\n", body.length);
	buf_add_str(out, body);
}
