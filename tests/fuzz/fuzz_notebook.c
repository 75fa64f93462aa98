/* Any bytes as a notebook: what is read, where it stands, and that an edit changes what it says and nothing else. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "text/notebook.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static void check_masks(const struct source *source)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < source->length; i++) {
		while (mask < source->mask_count && source->masks[mask].end <= i)
			mask++;
		if (source->text[i] == source->written[i])
			continue;
		if (mask == source->mask_count || source->masks[mask].start > i)
			BUG("a byte was replaced outside of the masks");
		if (is_line_end(source->text[i]) || is_line_end(source->written[i]))
			BUG("a line end was replaced");
	}
}

static void check_lines(const struct source *source, struct str raw)
{
	uint32_t file_lines = 1;

	for (size_t i = 0; i < raw.length; i++)
		file_lines += is_line_end(raw.at[i]);
	for (uint32_t line = 0; line + 1 < source->line_count; line++) {
		const struct source_origin *origin = &source->origins[line];
		struct place place = source_place(source, source->line_starts[line]);

		if (origin->cell < 1 || origin->line < 1 || origin->file_line > file_lines || place.line != origin->line)
			BUG("a line lies outside of the notebook");
		if (line > 0 && origin->cell < source->origins[line - 1].cell)
			BUG("cells are out of order");
	}
}

/* What is written in the cells, without what was added between them; *OFFSET becomes one in that. */
static void written_add(const struct source *source, uint32_t *offset, struct buf *out)
{
	uint32_t at = *offset;

	for (uint32_t line = 0; line < source->line_count; line++) {
		uint32_t start = source->line_starts[line];
		uint32_t end = line + 1 < source->line_count ? source->line_starts[line + 1] : source->length;

		if (source->origins[line].is_added)
			continue;
		if (at >= start && at < end)
			*offset = (uint32_t)out->length + (at - start);
		buf_add(out, source->written + start, end - start);
	}
}

/* Makes EDIT, which puts in an "x", through the file and by hand. */
static void check_insertion(const struct source *source, struct str raw, const struct edit *edit)
{
	struct buf file = BUF_INIT, before = BUF_INIT, after = BUF_INIT;
	uint32_t at = edit->span.start, none = UINT32_MAX;
	struct source changed;

	if (!notebook_apply(raw, edit, 1, &file, NULL) || file.length < raw.length + 1)
		BUG("an edit that is allowed was not made");
	if (!notebook_init(&changed, buf_get(&file), NULL))
		BUG("an edit broke the notebook");
	written_add(source, &at, &before);
	written_add(&changed, &none, &after);
	if (after.length != before.length + 1 || after.bytes[at] != 'x' || memcmp(after.bytes, before.bytes, at) != 0 ||
	    memcmp(after.bytes + at + 1, before.bytes + at, before.length - at) != 0)
		BUG("an edit changed something else");
	source_release(&changed);
	buf_release(&file);
	buf_release(&before);
	buf_release(&after);
}

/* Takes a part away, which may make another program of the rest, but a notebook. */
static void check_removal(struct str raw, const struct edit *edit)
{
	struct buf file = BUF_INIT;
	struct source changed;

	if (!notebook_apply(raw, edit, 1, &file, NULL) || file.length >= raw.length)
		BUG("an edit that is allowed was not made");
	if (!notebook_init(&changed, buf_get(&file), NULL))
		BUG("an edit broke the notebook");
	source_release(&changed);
	buf_release(&file);
}

static bool is_in_character(const struct source *source, uint32_t offset)
{
	return ((unsigned char)source->text[offset] & 0xC0) == 0x80;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str raw = {(const char *)data, size};
	struct buf same = BUF_INIT;
	struct source source;
	struct err err;

	if (!notebook_init(&source, raw, &err)) {
		if (!err.message[0])
			BUG("a fault without a message");
		return 0;
	}
	check_masks(&source);
	check_lines(&source, raw);
	if (!notebook_apply(raw, NULL, 0, &same, NULL) || !str_equal(buf_get(&same), raw))
		BUG("no edit changes the file");
	for (uint32_t at = 0; at < source.length; at += source.length / 16 + 1) {
		struct span span = {at, at + (uint32_t)(data[at % size] % 8)};
		struct edit put = {{at, at}, "x"}, take = {span, ""};

		if (is_in_character(&source, at))
			continue;
		if (notebook_allows(&source, &put))
			check_insertion(&source, raw, &put);
		if (span.end > at && span.end < source.length && !is_in_character(&source, span.end) &&
		    !(span.end == at + 1 && is_line_end(source.text[at])) && notebook_allows(&source, &take))
			check_removal(raw, &take);
	}
	source_release(&source);
	buf_release(&same);
	return 0;
}
