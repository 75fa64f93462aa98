#include "text/source.h"

#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* How the text was decoded, and what was wrong with it. */
struct decoding {
	struct buf out;
	size_t raw_length;
	uint32_t repaired;
	size_t first_bad; /* offset in OUT of the first repair */
	unsigned char first_byte;
};

static void repair(struct decoding *decoding, unsigned char byte)
{
	if (decoding->repaired++ == 0) {
		decoding->first_bad = decoding->out.length;
		decoding->first_byte = byte;
	}
	buf_add_codepoint(&decoding->out, 0xFFFD);
}

static bool is_beyond_repair(const struct decoding *decoding)
{
	return decoding->repaired > decoding->raw_length / 100;
}

/* Bytes from AT on that are plain ASCII. */
static size_t ascii_run(struct str text, size_t at)
{
	size_t from = at;
	uint64_t word;

	while (text.length - at >= sizeof word) {
		memcpy(&word, text.at + at, sizeof word);
		if (word & UINT64_C(0x8080808080808080))
			break;
		at += sizeof word;
	}
	while (at < text.length && !((unsigned char)text.at[at] & 0x80))
		at++;
	return at - from;
}

static void utf8_decode(struct decoding *decoding, struct str raw)
{
	size_t start = 0;
	size_t at = 0;

	while (at < raw.length && !is_beyond_repair(decoding)) {
		size_t length = ascii_run(raw, at);

		if (length == 0)
			length = str_utf8_length(raw, at);
		if (length > 0) {
			at += length;
			continue;
		}
		buf_add(&decoding->out, raw.at + start, at - start);
		repair(decoding, (unsigned char)raw.at[at]);
		start = ++at;
	}
	buf_add(&decoding->out, raw.at + start, at - start);
}

/* Adds what CONVERTER still holds back at the end of the text. */
static void iconv_flush(iconv_t converter, struct buf *out)
{
	size_t room = 64;
	char *to;

	buf_reserve(out, room);
	to = out->bytes + out->length;
	iconv(converter, NULL, NULL, &to, &room);
	out->length = (size_t)(to - out->bytes);
	out->bytes[out->length] = '\0';
}

/* Converts through CONVERTER; bytes that it refuses are repaired one by one. In pieces, as each call may look at all of
 * what it is given, and each bad byte is a call more. */
static void iconv_decode(struct decoding *decoding, iconv_t converter, struct str raw)
{
	enum { PIECE = 4096 };
	/* iconv reads through a pointer to char that is not const, and writes nothing there. */
	char *in = (char *)(uintptr_t)raw.at;
	char *end = in + raw.length;
	struct buf *out = &decoding->out;

	while (in < end && !is_beyond_repair(decoding)) {
		size_t piece = end - in < PIECE ? (size_t)(end - in) : PIECE;
		size_t left = piece;
		size_t room = 4 * PIECE;
		size_t result;
		int number;
		char *to;

		buf_reserve(out, room);
		to = out->bytes + out->length;
		result = iconv(converter, &in, &left, &to, &room);
		number = errno;
		out->length = (size_t)(to - out->bytes);
		out->bytes[out->length] = '\0';
		/* Stopping for room, or before a sequence that the next piece completes, is no fault. */
		if (result != (size_t)-1 || number == E2BIG || (number == EINVAL && left < piece && in + left < end))
			continue;
		repair(decoding, (unsigned char)*in++);
		iconv(converter, NULL, NULL, NULL, NULL);
	}
	iconv_flush(converter, out);
}

/* Whether a comment in ASCII comes out of CONVERTER as it went in. A cookie was read as ASCII, so that an encoding in
 * which it means something else is not the file's. */
static bool converter_keeps_ascii(iconv_t converter)
{
	static const char probe[] = "# -*- coding: a0_.z=9 -*-\n";
	char in[sizeof probe];
	char out[4 * sizeof probe];
	char *from = in;
	char *to = out;
	size_t left = sizeof probe - 1;
	size_t room = sizeof out;
	bool same;

	memcpy(in, probe, sizeof probe);
	same = iconv(converter, &from, &left, &to, &room) != (size_t)-1 && (size_t)(to - out) == sizeof probe - 1 &&
	       memcmp(out, probe, sizeof probe - 1) == 0;
	iconv(converter, NULL, NULL, NULL, NULL);
	return same;
}

/* The name that iconv knows for what Python calls NAME (lower case, "-" for "_"). */
static const char *iconv_name(const char *name)
{
	static const char *const aliases[][2] = {
		{"latin-1", "iso-8859-1"}, {"iso-latin-1", "iso-8859-1"}, {"latin", "iso-8859-1"},
		{"cyrillic", "iso-8859-5"}, {"latin-9", "iso-8859-15"}, {"latin9", "iso-8859-15"},
		{"mac-roman", "macintosh"}, {"macroman", "macintosh"}, {"eucjp", "euc-jp"}, {"euckr", "euc-kr"},
		{"shiftjis", "shift-jis"}, {"s-jis", "shift-jis"}, {"cp-1251", "cp1251"}, {"cp-1252", "cp1252"},
		{"koi8r", "koi8-r"}, {"koi8u", "koi8-u"}, {"936", "gbk"}, {"gb18030-2000", "gb18030"},
	};

	for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
		if (strcmp(name, aliases[i][0]) == 0)
			return aliases[i][1];
	}
	return name;
}

static bool name_is_utf8(const char *name)
{
	/* ASCII is a part of UTF-8; that Python refuses bytes beyond it is not this program's concern. */
	static const char *const names[] = {"utf-8", "utf8", "utf", "u8", "cp65001", "ascii", "us-ascii", "646"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return strncmp(name, "utf-8-", 6) == 0 || strncmp(name, "utf8-", 5) == 0;
}

/* The text of the line that starts at AT, without its end; *NEXT is where the next line starts. */
static struct str raw_line(struct str raw, size_t at, size_t *next)
{
	size_t end = at;

	while (end < raw.length && raw.at[end] != '\n' && raw.at[end] != '\r')
		end++;
	*next = end < raw.length ? end + 1 : end;
	if (end + 1 < raw.length && raw.at[end] == '\r' && raw.at[end + 1] == '\n')
		*next = end + 2;
	return (struct str){raw.at + at, end - at};
}

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

/* What PEP 263 finds in a comment: coding[:=][ \t]*([-_.a-zA-Z0-9]+). Empty where there is none. */
static struct str comment_cookie(struct str comment)
{
	size_t at = 0;

	while ((at = str_find(comment, STR("coding"), at)) != SIZE_MAX) {
		size_t start;

		at += strlen("coding");
		if (at >= comment.length || (comment.at[at] != ':' && comment.at[at] != '='))
			continue;
		start = at + 1;
		while (start < comment.length && (comment.at[start] == ' ' || comment.at[start] == '\t'))
			start++;
		at = start;
		while (at < comment.length && is_name_byte(comment.at[at]))
			at++;
		if (at > start)
			return (struct str){comment.at + start, at - start};
	}
	return STR("");
}

static struct str cookie_find(struct str raw)
{
	size_t at = 0;

	for (int i = 0; i < 2; i++) {
		struct str line = raw_line(raw, at, &at);
		size_t indent = 0;
		struct str cookie;

		while (indent < line.length && strchr(" \t\f", line.at[indent]) && line.at[indent])
			indent++;
		/* Only a blank line or a comment may stand before the second line's cookie. */
		if (indent < line.length && line.at[indent] != '#')
			break;
		cookie = comment_cookie((struct str){line.at + indent, line.length - indent});
		if (cookie.length)
			return cookie;
	}
	return STR("");
}

/* COOKIE in lower case with "-" for "_", without an editor's ending for line ends, cut to fit. */
static void encoding_normalise(char *encoding, size_t size, struct str cookie)
{
	static const char *const endings[] = {"-unix", "-dos", "-mac"};
	size_t length = cookie.length < size - 1 ? cookie.length : size - 1;

	for (size_t i = 0; i < length; i++)
		encoding[i] = cookie.at[i] == '_' ? '-' : (char)tolower((unsigned char)cookie.at[i]);
	encoding[length] = '\0';
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		size_t ending = strlen(endings[i]);

		if (length > ending && strcmp(encoding + length - ending, endings[i]) == 0)
			encoding[length - ending] = '\0';
	}
}

struct mark {
	const char *bytes;
	size_t length;
	const char *encoding;
};

/* UTF-32 before UTF-16, whose mark begins it. */
static const struct mark marks[] = {
	{"\xEF\xBB\xBF", 3, "utf-8"},
	{"\xFF\xFE\0\0", 4, "utf-32le"},
	{"\0\0\xFE\xFF", 4, "utf-32be"},
	{"\xFF\xFE", 2, "utf-16le"},
	{"\xFE\xFF", 2, "utf-16be"},
};

/* Drops the byte order mark from *RAW and returns the encoding that it tells, or NULL. */
static const char *mark_drop(struct str *raw)
{
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		if (raw->length < marks[i].length || memcmp(raw->at, marks[i].bytes, marks[i].length) != 0)
			continue;
		*raw = (struct str){raw->at + marks[i].length, raw->length - marks[i].length};
		return marks[i].encoding;
	}
	return NULL;
}

/* More than one byte in 32 that text does not have, and more than a slip of an editor. Compressed data has one in ten. */
static bool is_binary(struct str raw)
{
	size_t looked = raw.length < 8192 ? raw.length : 8192;
	size_t strange = 0;

	for (size_t i = 0; i < looked; i++) {
		unsigned char c = (unsigned char)raw.at[i];

		/* 0x1A is the end of a file from DOS, 0x1B begins the shifts of ISO-2022. */
		strange += (c < 0x20 && !(c >= '\b' && c <= '\r') && c != 0x1A && c != 0x1B) || c == 0x7F;
	}
	return strange > 4 && strange > looked / 32;
}

static bool text_decode(struct source *source, struct decoding *decoding, struct str raw, bool marked, struct err *err)
{
	iconv_t converter;
	bool ok;

	if (name_is_utf8(source->encoding)) {
		strcpy(source->encoding, "utf-8");
		utf8_decode(decoding, raw);
		return true;
	}
	converter = iconv_open("UTF-8", iconv_name(source->encoding));
	if (converter == (iconv_t)-1)
		return err_set(err, ERR_DECODE, "the encoding '%s' is not known", source->encoding);
	ok = marked || converter_keeps_ascii(converter);
	if (ok)
		iconv_decode(decoding, converter, raw);
	else
		err_set(err, ERR_DECODE, "the cookie names '%s', in which the cookie itself cannot be read",
			source->encoding);
	iconv_close(converter);
	return ok;
}

static void lines_find(struct source *source)
{
	VEC(uint32_t) starts = {0};

	VEC_ADD(&starts, 0);
	for (uint32_t i = 0; i < source->length; i++) {
		char c = source->text[i];

		if (c == '\n' || (c == '\r' && source->text[i + 1] != '\n'))
			VEC_ADD(&starts, i + 1);
	}
	source->line_starts = starts.items;
	source->line_count = (uint32_t)starts.count;
}

bool source_init(struct source *source, struct str raw, struct err *err)
{
	struct decoding decoding = {BUF_INIT, raw.length, 0, 0, 0};
	const char *marked;

	*source = (struct source){.encoding = "utf-8"};
	if (raw.length > SOURCE_LIMIT)
		return err_set(err, ERR_TOO_BIG, "larger than %zu bytes", SOURCE_LIMIT);
	if (!raw.at)
		raw = STR("");
	marked = mark_drop(&raw);
	source->had_mark = marked != NULL;
	if ((!marked || strcmp(marked, "utf-8") == 0) && is_binary(raw))
		return err_set(err, ERR_BINARY, "is binary, not text");
	if (marked)
		strcpy(source->encoding, marked);
	else
		encoding_normalise(source->encoding, sizeof source->encoding, cookie_find(raw));
	if (!source->encoding[0])
		strcpy(source->encoding, "utf-8");
	if (!text_decode(source, &decoding, raw, marked != NULL, err)) {
		buf_release(&decoding.out);
		return false;
	}
	buf_reserve(&decoding.out, 0);
	source->text = decoding.out.bytes;
	source->length = (uint32_t)decoding.out.length;
	source->repaired = decoding.repaired;
	lines_find(source);
	if (is_beyond_repair(&decoding)) {
		err_set(err, ERR_DECODE, "not text in the encoding '%s': the byte 0x%02x in line %u is the first bad one",
			source->encoding, decoding.first_byte, source_line(source, (uint32_t)decoding.first_bad));
		source_release(source);
		return false;
	}
	return true;
}

void source_init_like(struct source *source, const struct source *other, struct buf *text)
{
	*source = *other;
	buf_reserve(text, 0);
	source->text = text->bytes;
	source->length = (uint32_t)text->length;
	*text = (struct buf)BUF_INIT;
	lines_find(source);
}

/* Converts all of TEXT, or stops at what the encoding lacks, whose offset is returned. */
static size_t iconv_encode(iconv_t converter, struct str text, struct buf *out)
{
	enum { PIECE = 4096 };
	char *in = (char *)(uintptr_t)text.at;
	size_t left = text.length;

	while (left > 0) {
		size_t room = PIECE;
		size_t result;
		char *to;

		buf_reserve(out, room);
		to = out->bytes + out->length;
		result = iconv(converter, &in, &left, &to, &room);
		out->length = (size_t)(to - out->bytes);
		if (result == (size_t)-1 && errno != E2BIG)
			break;
	}
	iconv_flush(converter, out);
	return (size_t)(in - text.at);
}

/* Appends TEXT with its mark in the encoding of SOURCE; false where a character cannot be told in it. */
static bool text_encode(const struct source *source, struct str text, struct buf *out, struct err *err)
{
	iconv_t converter;
	size_t done;

	for (size_t i = 0; source->had_mark && i < sizeof marks / sizeof marks[0]; i++) {
		if (strcmp(source->encoding, marks[i].encoding) == 0)
			buf_add(out, marks[i].bytes, marks[i].length);
	}
	if (strcmp(source->encoding, "utf-8") == 0) {
		buf_add_str(out, text);
		return true;
	}
	converter = iconv_open(iconv_name(source->encoding), "UTF-8");
	if (converter == (iconv_t)-1)
		return err_set(err, ERR_DECODE, "nothing can be written in the encoding '%s'", source->encoding);
	done = iconv_encode(converter, text, out);
	iconv_close(converter);
	if (done == text.length)
		return true;
	return err_set(err, ERR_DECODE, "the encoding '%s' has no character '%.*s'", source->encoding,
		       (int)(str_utf8_length(text, done) ? str_utf8_length(text, done) : 1), text.at + done);
}

bool source_encode(const struct source *source, struct str raw, struct str text, struct buf *out, struct err *err)
{
	struct buf same = BUF_INIT;
	bool ok = text_encode(source, (struct str){source->text, source->length}, &same, err);

	if (ok && !str_equal(buf_get(&same), raw))
		ok = source->repaired
			     ? err_set(err, ERR_DECODE, "it has bytes that are not '%s', which would be lost",
				       source->encoding)
			     : err_set(err, ERR_DECODE, "its text can be read but not written back in the encoding '%s'",
				       source->encoding);
	buf_release(&same);
	return ok && text_encode(source, text, out, err);
}

const char *source_line_end(const struct source *source)
{
	uint32_t end = source->line_count > 1 ? source->line_starts[1] : 0;

	if (end == 0 || source->text[end - 1] == '\r')
		return end == 0 ? "\n" : "\r";
	return end > 1 && source->text[end - 2] == '\r' ? "\r\n" : "\n";
}

void source_init_plain(struct source *source, struct str text)
{
	*source = (struct source){.encoding = "utf-8"};
	source->text = mem_dup(text.at, text.length);
	source->length = (uint32_t)text.length;
	lines_find(source);
}

/* COUNT elements of SIZE bytes on the heap, as those at FROM; NULL where that is. */
static void *array_dup(const void *from, size_t count, size_t size)
{
	void *copy = from ? mem_new(count, size) : NULL;

	if (copy && count > 0)
		memcpy(copy, from, count * size);
	return copy;
}

void source_dup(struct source *copy, const struct source *source)
{
	*copy = *source;
	copy->text = array_dup(source->text, source->length + (size_t)1, 1);
	copy->line_starts = array_dup(source->line_starts, source->line_count, sizeof *source->line_starts);
	copy->origins = array_dup(source->origins, source->line_count, sizeof *source->origins);
	copy->written = array_dup(source->written, source->length, 1);
	copy->masks = array_dup(source->masks, source->mask_count, sizeof *source->masks);
}

void source_release(struct source *source)
{
	free(source->text);
	free(source->line_starts);
	free(source->origins);
	free(source->written);
	free(source->masks);
	*source = (struct source){.encoding = ""};
}

static uint32_t offset_clamp(const struct source *source, uint32_t offset)
{
	return offset < source->length ? offset : source->length;
}

uint32_t source_line(const struct source *source, uint32_t offset)
{
	uint32_t low = 0;
	uint32_t high = source->line_count;

	/* line_starts[low] <= offset < line_starts[high] */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (source->line_starts[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low + 1;
}

struct place source_place(const struct source *source, uint32_t offset)
{
	struct place place = {source_line(source, offset), 1};

	offset = offset_clamp(source, offset);
	for (uint32_t i = source->line_starts[place.line - 1]; i < offset; i++)
		place.column += ((unsigned char)source->text[i] & 0xC0) != 0x80;
	if (source->origins)
		place.line = source->origins[place.line - 1].line;
	return place;
}

uint32_t source_cell(const struct source *source, uint32_t offset)
{
	return source->origins ? source->origins[source_line(source, offset) - 1].cell : 0;
}

uint32_t source_cell_offset(const struct source *source, uint32_t offset)
{
	uint32_t line = source_line(source, offset) - 1;
	uint32_t before = offset - source->line_starts[line];

	if (!source->origins)
		return offset;
	for (uint32_t i = line; i > 0 && source->origins[i - 1].cell == source->origins[line].cell; i--) {
		if (!source->origins[i - 1].is_added)
			before += source->line_starts[i] - source->line_starts[i - 1];
	}
	return before;
}

uint32_t source_file_line(const struct source *source, uint32_t offset)
{
	uint32_t line = source_line(source, offset);

	return source->origins ? source->origins[line - 1].file_line : line;
}

uint32_t source_utf16_column(const struct source *source, uint32_t offset)
{
	uint32_t units = 0;

	offset = offset_clamp(source, offset);
	for (uint32_t i = source->line_starts[source_line(source, offset) - 1]; i < offset; i++) {
		unsigned char c = (unsigned char)source->text[i];

		/* Four bytes of UTF-8 are a pair of surrogates. */
		units += ((c & 0xC0) != 0x80) + (c >= 0xF0);
	}
	return units;
}

struct str source_line_text(const struct source *source, uint32_t line)
{
	uint32_t start;
	uint32_t end;

	if (line < 1 || line > source->line_count)
		return STR("");
	start = source->line_starts[line - 1];
	end = line < source->line_count ? source->line_starts[line] : source->length;
	if (line < source->line_count) {
		end--;
		if (end > start && source->text[end] == '\n' && source->text[end - 1] == '\r')
			end--;
	}
	return (struct str){source->text + start, end - start};
}

struct str source_line_written(const struct source *source, uint32_t line)
{
	struct str text = source_line_text(source, line);

	if (source->written && text.length)
		text.at = source->written + (text.at - source->text);
	return text;
}

struct str source_slice(const struct source *source, struct span span)
{
	uint32_t start = offset_clamp(source, span.start);
	uint32_t end = offset_clamp(source, span.end);

	return (struct str){source->text + start, end > start ? end - start : 0};
}
