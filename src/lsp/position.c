#include "lsp/position.h"

const char *position_encoding_name(enum position_encoding encoding)
{
	static const char *const names[] = {[POSITION_UTF16] = "utf-16", [POSITION_UTF8] = "utf-8", [POSITION_UTF32] = "utf-32"};

	return names[encoding];
}

/* Units of the character that begins with the byte C; 0 where none begins. */
static uint32_t units_of(enum position_encoding encoding, unsigned char c)
{
	if (encoding == POSITION_UTF8)
		return 1;
	if ((c & 0xC0) == 0x80)
		return 0;
	return encoding == POSITION_UTF16 && c >= 0xF0 ? 2 : 1;
}

uint32_t position_units(enum position_encoding encoding, struct str text)
{
	uint32_t units = 0;

	if (encoding == POSITION_UTF8)
		return (uint32_t)text.length;
	for (size_t i = 0; i < text.length; i++)
		units += units_of(encoding, (unsigned char)text.at[i]);
	return units;
}

static bool is_inside(struct str line, size_t at)
{
	return at < line.length && ((unsigned char)line.at[at] & 0xC0) == 0x80;
}

size_t position_bytes(enum position_encoding encoding, struct str line, uint32_t units)
{
	size_t at = 0;

	if (encoding == POSITION_UTF8) {
		at = units < line.length ? units : line.length;
		while (at > 0 && is_inside(line, at))
			at--;
		return at;
	}
	while (at < line.length) {
		uint32_t more = units_of(encoding, (unsigned char)line.at[at]);

		if (more > units)
			break;
		units -= more;
		do
			at++;
		while (is_inside(line, at));
	}
	return at;
}

struct position position_of(enum position_encoding encoding, const struct source *source, uint32_t offset)
{
	uint32_t line = source_line(source, offset), start = source->line_starts[line - 1];
	const char *text = source->written ? source->written : source->text;

	if (offset > source->length)
		offset = source->length;
	return (struct position){source_place(source, offset).line - 1,
				 position_units(encoding, (struct str){text + start, offset - start})};
}
