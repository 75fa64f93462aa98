#include "text/json_writer.h"

#include <inttypes.h>
#include <utf8proc.h>

void json_writer_init(struct json_writer *writer, struct buf *out)
{
	*writer = (struct json_writer){out, false};
}

static void value_begin(struct json_writer *writer)
{
	if (writer->needs_comma)
		buf_add_char(writer->out, ',');
	writer->needs_comma = true;
}

static void nest_begin(struct json_writer *writer, char bracket)
{
	value_begin(writer);
	buf_add_char(writer->out, bracket);
	writer->needs_comma = false;
}

static void nest_end(struct json_writer *writer, char bracket)
{
	buf_add_char(writer->out, bracket);
	writer->needs_comma = true;
}

void json_object_begin(struct json_writer *writer)
{
	nest_begin(writer, '{');
}

void json_object_end(struct json_writer *writer)
{
	nest_end(writer, '}');
}

void json_array_begin(struct json_writer *writer)
{
	nest_begin(writer, '[');
}

void json_array_end(struct json_writer *writer)
{
	nest_end(writer, ']');
}

static void escape_add(struct buf *out, uint32_t code)
{
	static const char short_forms[0x20] = {['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};

	if (code == '"' || code == '\\')
		buf_format(out, "\\%c", (char)code);
	else if (code < 0x20 && short_forms[code])
		buf_format(out, "\\%c", short_forms[code]);
	else if (code > 0xFFFF)
		buf_format(out, "\\u%04x\\u%04x", (unsigned)(0xD800 + ((code - 0x10000) >> 10)),
			   (unsigned)(0xDC00 + (code & 0x3FF)));
	else
		buf_format(out, "\\u%04x", (unsigned)code);
}

/* Whether CODE, which stands after BEFORE, is better not shown as it is: JSON is printed to terminals and in logs of jobs,
 * where control characters and marks of direction act, and "##" may begin a command. */
static bool needs_escape(utf8proc_int32_t code, char before)
{
	if (code < 0x7F)
		return code < 0x20 || code == '"' || code == '\\' || (code == '#' && before == '#');
	switch (utf8proc_category(code)) {
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
		return true;
	default:
		return false;
	}
}

static void quoted_add(struct buf *out, struct str text)
{
	size_t start = 0;
	size_t at = 0;

	buf_add_char(out, '"');
	while (at < text.length) {
		size_t length = str_utf8_length(text, at);
		utf8proc_int32_t code = (unsigned char)text.at[at];

		if (length > 1)
			utf8proc_iterate((const utf8proc_uint8_t *)text.at + at, (utf8proc_ssize_t)length, &code);
		if (length > 0 && !needs_escape(code, at > 0 ? text.at[at - 1] : '\0')) {
			at += length;
			continue;
		}
		buf_add(out, text.at + start, at - start);
		if (length == 0)
			buf_add_codepoint(out, 0xFFFD);
		else
			escape_add(out, (uint32_t)code);
		at += length ? length : 1;
		start = at;
	}
	buf_add(out, text.at + start, at - start);
	buf_add_char(out, '"');
}

void json_key(struct json_writer *writer, const char *key)
{
	json_str(writer, str_from(key));
	buf_add_char(writer->out, ':');
	writer->needs_comma = false;
}

void json_text(struct json_writer *writer, const char *text)
{
	if (text) {
		json_str(writer, str_from(text));
		return;
	}
	value_begin(writer);
	buf_add_text(writer->out, "null");
}

void json_str(struct json_writer *writer, struct str text)
{
	value_begin(writer);
	/* A slice of nothing may have no address. */
	quoted_add(writer->out, text.at ? text : STR(""));
}

void json_int(struct json_writer *writer, int64_t number)
{
	value_begin(writer);
	buf_format(writer->out, "%" PRId64, number);
}

void json_raw(struct json_writer *writer, struct str value)
{
	value_begin(writer);
	buf_add_str(writer->out, value);
}

void json_bool(struct json_writer *writer, bool value)
{
	value_begin(writer);
	buf_add_text(writer->out, value ? "true" : "false");
}

void json_member_text(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_text(writer, text);
}

void json_member_int(struct json_writer *writer, const char *key, int64_t number)
{
	json_key(writer, key);
	json_int(writer, number);
}

void json_member_known(struct json_writer *writer, const char *key, int64_t number)
{
	json_key(writer, key);
	if (number >= 0)
		json_int(writer, number);
	else
		json_text(writer, NULL);
}

void json_member_bool(struct json_writer *writer, const char *key, bool value)
{
	json_key(writer, key);
	json_bool(writer, value);
}

void json_member_object(struct json_writer *writer, const char *key)
{
	json_key(writer, key);
	json_object_begin(writer);
}

void json_member_array(struct json_writer *writer, const char *key)
{
	json_key(writer, key);
	json_array_begin(writer);
}
