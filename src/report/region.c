#include "report/region.h"

#include "report/snippet.h"

/* The 1-based column after the first LENGTH bytes of a line. */
static uint32_t column_after(const char *line, size_t length, enum column_unit unit)
{
	uint32_t column = 1;

	if (unit == COLUMN_BYTES)
		return (uint32_t)length + 1;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)line[i];

		column += (c & 0xC0) != 0x80;
		/* Four bytes of UTF-8 are a pair of surrogates. */
		column += unit == COLUMN_UTF16 && c >= 0xF0;
	}
	return column;
}

static uint32_t column_in_first_line(const struct excerpt *at, uint32_t column, enum column_unit unit)
{
	return column_after(at->line_text, snippet_column_offset(at, column), unit);
}

/* Of a place in a notebook, from one offset to another. */
static struct region region_of_lines(const struct source *source, uint32_t start, uint32_t end)
{
	if (!source)
		return (struct region){1, 1, 1, 2};
	return (struct region){source_file_line(source, start), 1, source_file_line(source, end), 2};
}

struct region region_of_first_line(const struct excerpt *at, const struct source *source, enum column_unit unit)
{
	struct region region = {at->start.line, column_in_first_line(at, at->start.column, unit), at->start.line, 0};

	if (at->cell)
		return region_of_lines(source, at->span.start, at->span.start);
	if (at->end.line == at->start.line)
		region.end_column = column_in_first_line(at, at->end.column, unit);
	else
		region.end_column = column_after(at->line_text, at->line_length, unit);
	return region;
}

struct region region_of(const struct excerpt *at, const struct source *source, enum column_unit unit)
{
	struct region region = region_of_first_line(at, source, unit);

	if (!source || at->end.line == at->start.line)
		return region;
	if (at->cell)
		return region_of_lines(source, at->span.start, at->span.end > at->span.start ? at->span.end - 1 : at->span.end);
	region.end_line = at->end.line;
	region.end_column = region_of_span(source, (struct span){at->span.end, at->span.end}, unit).column;
	return region;
}

static uint32_t column_of(const struct source *source, uint32_t offset, uint32_t line, enum column_unit unit)
{
	uint32_t start = source->line_starts[line - 1];

	return column_after(source->text + start, offset - start, unit);
}

struct region region_of_span(const struct source *source, struct span span, enum column_unit unit)
{
	struct region region = {source_line(source, span.start), 0, source_line(source, span.end), 0};

	region.column = column_of(source, span.start, region.line, unit);
	region.end_column = column_of(source, span.end, region.end_line, unit);
	return region;
}
