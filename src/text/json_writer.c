#include "text/json_writer.h"

#include <inttypes.h>

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

static void escape_add(struct buf *out, unsigned char c)
{
	static const char short_forms[0x20] = {['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};

	if (c == '"' || c == '\\')
		buf_format(out, "\\%c", c);
	else if (short_forms[c])
		buf_format(out, "\\%c", short_forms[c]);
	else
		buf_format(out, "\\u%04x", c);
}

static void quoted_add(struct buf *out, struct str text)
{
	size_t start = 0;
	size_t at = 0;

	buf_add_char(out, '"');
	while (at < text.length) {
		unsigned char c = (unsigned char)text.at[at];
		size_t length = str_utf8_length(text, at);

		if (length > 0 && c >= 0x20 && c != '"' && c != '\\') {
			at += length;
			continue;
		}
		buf_add(out, text.at + start, at - start);
		if (length == 0)
			buf_add_codepoint(out, 0xFFFD);
		else
			escape_add(out, c);
		start = ++at;
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

void json_bool(struct json_writer *writer, bool value)
{
	value_begin(writer);
	buf_add_text(writer->out, value ? "true" : "false");
}
