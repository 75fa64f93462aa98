/* Any bytes as a document: what is read and where its lines lie. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "text/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(const struct source *source, uint32_t offset)
{
	struct place place = source_place(source, offset);

	if (place.line < 1 || place.line > source->line_count || place.line != source_line(source, offset))
		BUG("a line lies outside of its document");
	if (source->line_starts[place.line - 1] > offset || place.column < 1)
		BUG("a place lies before its line");
	/* within a character both of its units are counted already */
	if (((unsigned char)source->text[offset] & 0xC0) == 0x80)
		return;
	if (source_utf16_column(source, offset) > offset - source->line_starts[place.line - 1])
		BUG("a column has more units than bytes");
}

static void check_lines(const struct source *source)
{
	for (uint32_t line = 0; line <= source->line_count + 1; line++) {
		struct str text = source_line_text(source, line);

		if (text.length && (memchr(text.at, '\n', text.length) || memchr(text.at, '\r', text.length)))
			BUG("a line holds the end of another");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str raw = {(const char *)data, size};
	struct source source;
	struct err err;
	uint32_t step;

	if (!source_init(&source, raw, &err))
		return 0;
	if (source.text[source.length] != '\0' || source.line_starts[0] != 0)
		BUG("a document has no beginning or no end");
	check_lines(&source);
	step = source.length / 64 + 1;
	for (uint32_t offset = 0; offset <= source.length; offset += step)
		check_place(&source, offset);
	check_place(&source, source.length);
	source_slice(&source, (struct span){source.length / 2, UINT32_MAX});
	source_release(&source);
	return 0;
}
