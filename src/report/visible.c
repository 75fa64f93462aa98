#include "report/visible.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

/* Joiners make emoji and Indic letters and are harmless; every other format character could hide or turn text. */
static bool is_joiner(utf8proc_int32_t code)
{
	return code == 0x200C || code == 0x200D;
}

static bool must_be_escaped(utf8proc_int32_t code)
{
	switch (utf8proc_category(code)) {
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CS:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
		return true;
	case UTF8PROC_CATEGORY_CF:
		return !is_joiner(code);
	default:
		return false;
	}
}

static void escape(struct visible_piece *piece, uint32_t code)
{
	const char *format = code > 0xFFFF ? "\\U%08x" : code > 0xFF ? "\\u%04x" : "\\x%02x";

	if (code == '\n' || code == '\r' || code == '\t')
		snprintf(piece->text, sizeof piece->text, "\\%c", code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
	else
		snprintf(piece->text, sizeof piece->text, format, (unsigned)code);
	piece->length = piece->width = strlen(piece->text);
}

struct visible_piece visible_piece_get(struct str text)
{
	struct visible_piece piece = {"", 1, 1, 1};
	unsigned char first = (unsigned char)text.at[0];
	utf8proc_int32_t code;
	utf8proc_ssize_t taken;

	if (first >= ' ' && first < 0x7F) {
		piece.text[0] = text.at[0];
		return piece;
	}
	taken = utf8proc_iterate((const utf8proc_uint8_t *)text.at, (utf8proc_ssize_t)text.length, &code);
	if (taken <= 0) {
		escape(&piece, first);
		return piece;
	}
	piece.taken = (size_t)taken;
	if (must_be_escaped(code)) {
		escape(&piece, (uint32_t)code);
		return piece;
	}
	memcpy(piece.text, text.at, piece.taken);
	piece.length = piece.taken;
	piece.width = (size_t)utf8proc_charwidth(code);
	return piece;
}

void visible_add(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.length;) {
		struct visible_piece piece = visible_piece_get((struct str){text.at + i, text.length - i});

		buf_add(out, piece.text, piece.length);
		i += piece.taken;
	}
}

size_t visible_width(struct str text)
{
	size_t width = 0;

	for (size_t i = 0; i < text.length;) {
		struct visible_piece piece = visible_piece_get((struct str){text.at + i, text.length - i});

		width += piece.width;
		i += piece.taken;
	}
	return width;
}

/* Where the word at START ends: code in quotes is one, blanks and all, where a line has ROOM for it. */
static size_t word_end(struct str text, size_t start, size_t room)
{
	size_t end = str_find(text, STR(" "), start);
	size_t quote = start < text.length && text.at[start] == '\'' ? str_find(text, STR("'"), start + 1) : SIZE_MAX;

	if (quote != SIZE_MAX && quote > end) {
		size_t whole = str_find(text, STR(" "), quote);

		whole = whole < text.length ? whole : text.length;
		if (visible_width((struct str){text.at + start, whole - start}) <= room)
			return whole;
	}
	return end < text.length ? end : text.length;
}

void visible_add_wrapped(struct buf *out, struct str text, size_t room, struct str next_line, size_t indent)
{
	size_t used = 0;

	for (size_t start = 0; start <= text.length;) {
		size_t left = room > indent ? room - indent : 0;
		struct str word = {text.at + start, word_end(text, start, left) - start};
		size_t width = visible_width(word);

		if (start > 0 && room > 0 && used > indent && used + 1 + width > room) {
			buf_add_char(out, '\n');
			buf_add_str(out, next_line);
			buf_add_repeat(out, ' ', indent);
			used = indent;
		} else if (start > 0) {
			buf_add_char(out, ' ');
			used++;
		}
		visible_add(out, word);
		used += width;
		start += word.length + 1;
	}
}
