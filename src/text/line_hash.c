#include "text/line_hash.h"

#include <string.h>

#include "base/map.h"

enum { WINDOW = 100, FACTOR = 37, END_OF_FILE = 0xFFFF, BYTE_ORDER_MARK = 0xFEFF };

/* A polynomial over the last WINDOW characters; it rolls with them. */
struct roller {
	uint16_t window[WINDOW];
	uint32_t lines[WINDOW]; /* which line begins with the character there; 0: none */
	uint64_t hash;          /* wraps around */
	uint64_t leaving;       /* FACTOR to the power of WINDOW */
	int at;
	uint32_t line;
	bool line_starts, after_cr;
	uint32_t line_count;
	struct line_hash *hashes;
	struct map seen; /* hash → how often */
};

static void tell(struct roller *roller)
{
	struct str key = {(const char *)&roller->hash, sizeof roller->hash};
	uint32_t line = roller->lines[roller->at];
	uintptr_t count = (uintptr_t)map_get(&roller->seen, key) + 1;

	map_put(&roller->seen, key, (void *)count);
	roller->lines[roller->at] = 0;
	/* The end of the file counts as a character, and so may begin a line that is none. */
	if (line <= roller->line_count)
		roller->hashes[line - 1] = (struct line_hash){roller->hash, (uint32_t)count};
}

static void roll(struct roller *roller, uint16_t unit)
{
	roller->hash = roller->hash * FACTOR + unit - roller->leaving * roller->window[roller->at];
	roller->window[roller->at] = unit;
	roller->at = (roller->at + 1) % WINDOW;
}

/* Takes one unit of UTF-16. */
static void take(struct roller *roller, uint16_t unit)
{
	bool is_rest = unit == ' ' || unit == '\t' || (unit == '\n' && roller->after_cr);

	roller->after_cr = unit == '\r';
	if (is_rest)
		return;
	if (unit == '\r')
		unit = '\n';
	if (roller->lines[roller->at])
		tell(roller);
	if (roller->line_starts)
		roller->lines[roller->at] = ++roller->line;
	roller->line_starts = unit == '\n';
	roll(roller, unit);
}

/* The code point at *AT of TEXT, which is UTF-8; *AT goes behind it. */
static uint32_t next_code(struct str text, size_t *at)
{
	unsigned char first = (unsigned char)text.at[(*at)++];
	uint32_t code = first < 0x80 ? first : first < 0xE0 ? first & 0x1F : first < 0xF0 ? first & 0x0F : first & 0x07;

	while (first >= 0xC0 && *at < text.length && ((unsigned char)text.at[*at] & 0xC0) == 0x80)
		code = code << 6 | ((unsigned char)text.at[(*at)++] & 0x3F);
	return code;
}

static void take_text(struct roller *roller, struct str text)
{
	for (size_t at = 0; at < text.length;) {
		uint32_t code = next_code(text, &at);

		if (code >= 0x10000) {
			take(roller, (uint16_t)(0xD800 + ((code - 0x10000) >> 10)));
			code = 0xDC00 + (code & 0x3FF);
		}
		take(roller, (uint16_t)code);
	}
}

bool line_hashes_get(const struct source *source, struct line_hash *hashes)
{
	struct roller roller = {.leaving = 1, .line_starts = true, .line_count = source->line_count, .hashes = hashes};

	if (strcmp(source->encoding, "utf-8") != 0 || source->repaired > 0)
		return false;
	for (int i = 0; i < WINDOW; i++)
		roller.leaving *= FACTOR;
	if (source->had_mark)
		take(&roller, BYTE_ORDER_MARK);
	take_text(&roller, (struct str){source->text, source->length});
	take(&roller, END_OF_FILE);
	for (int i = 0; i < WINDOW; i++) {
		if (roller.lines[roller.at])
			tell(&roller);
		roll(&roller, 0);
	}
	map_release(&roller.seen);
	return true;
}
