#include "text/json_scan.h"

#include <string.h>

void json_scan_init(struct json_scan *scan, struct str text)
{
	*scan = (struct json_scan){.text = text};
}

bool json_scan_fail(struct json_scan *scan, size_t at, const char *fault)
{
	if (!scan->fault) {
		scan->fault = at < scan->text.length ? fault : "not valid JSON: the text ends too early";
		scan->fault_at = at;
	}
	return false;
}

bool json_scan_err(const struct json_scan *scan, struct err *err)
{
	size_t line = 1;
	size_t column = 1;

	for (size_t i = 0; i < scan->fault_at; i++) {
		char c = scan->text.at[i];

		if (c == '\n' || (c == '\r' && !(i + 1 < scan->text.length && scan->text.at[i + 1] == '\n'))) {
			line++;
			column = 1;
		} else {
			column += ((unsigned char)c & 0xC0) != 0x80;
		}
	}
	return err_set(err, ERR_PARSE, "%s at line %zu column %zu", scan->fault, line, column);
}

/* The next byte that is no space, or -1 at the end or after a fault. */
static int peek(struct json_scan *scan)
{
	const char *text = scan->text.at;

	if (scan->fault)
		return -1;
	while (scan->at < scan->text.length && (text[scan->at] == ' ' || text[scan->at] == '\n' ||
						text[scan->at] == '\r' || text[scan->at] == '\t'))
		scan->at++;
	return scan->at < scan->text.length ? (unsigned char)text[scan->at] : -1;
}

static bool fail_here(struct json_scan *scan, const char *fault)
{
	return json_scan_fail(scan, scan->at, fault);
}

static bool take(struct json_scan *scan, char c, const char *fault)
{
	if (peek(scan) != c)
		return fail_here(scan, fault);
	scan->at++;
	return true;
}

enum json_kind json_scan_kind(struct json_scan *scan)
{
	int c = peek(scan);

	switch (c) {
	case '{':
		return JSON_OBJECT;
	case '[':
		return JSON_ARRAY;
	case '"':
		return JSON_TEXT;
	case 't':
	case 'f':
	case 'n':
		return JSON_WORD;
	default:
		return c == '-' || c == 'N' || c == 'I' || (c >= '0' && c <= '9') ? JSON_NUMBER : JSON_NONE;
	}
}

static bool enter(struct json_scan *scan, char bracket, const char *fault)
{
	if (!take(scan, bracket, fault))
		return false;
	if (scan->depth == JSON_SCAN_DEPTH)
		return json_scan_fail(scan, scan->at - 1, "nested too deeply");
	scan->depth++;
	scan->is_first = true;
	return true;
}

bool json_scan_object(struct json_scan *scan)
{
	return enter(scan, '{', "not valid JSON: an object, '{', is missing");
}

bool json_scan_array(struct json_scan *scan)
{
	return enter(scan, '[', "not valid JSON: a list, '[', is missing");
}

/* Whether there is a next one before BRACKET; eats the comma, or BRACKET. */
static bool next(struct json_scan *scan, char bracket, const char *fault)
{
	int c = peek(scan);

	if (c == bracket) {
		scan->at++;
		scan->depth--;
		scan->is_first = false;
		return false;
	}
	if (!scan->is_first && !take(scan, ',', fault))
		return false;
	scan->is_first = false;
	if (peek(scan) == bracket)
		return fail_here(scan, "not valid JSON: nothing follows the ','");
	return !scan->fault;
}

bool json_scan_key(struct json_scan *scan, struct json_literal *key)
{
	if (!next(scan, '}', "not valid JSON: ',' or '}' is missing"))
		return false;
	if (peek(scan) != '"')
		return fail_here(scan, "not valid JSON: a key in quotes is missing");
	return json_scan_text(scan, key) && take(scan, ':', "not valid JSON: ':' is missing");
}

bool json_scan_item(struct json_scan *scan)
{
	return next(scan, ']', "not valid JSON: ',' or ']' is missing");
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Over the escape at the byte at hand, a backslash. */
static bool skip_escape(struct json_scan *scan)
{
	const char *fault = "not valid JSON: an escape is unknown";
	size_t left = scan->text.length - scan->at;
	const char *at = scan->text.at + scan->at;

	if (left < 2 || (at[1] == 'u' && left < 6))
		return json_scan_fail(scan, scan->text.length, fault);
	if (at[1] == 'u') {
		for (int i = 2; i < 6; i++) {
			if (!is_hex(at[i]))
				return json_scan_fail(scan, scan->at, fault);
		}
	} else if (!at[1] || !strchr("\"\\/bfnrt", at[1])) {
		return json_scan_fail(scan, scan->at, fault);
	}
	scan->at += at[1] == 'u' ? 6 : 2;
	return true;
}

bool json_scan_text(struct json_scan *scan, struct json_literal *literal)
{
	const char *text = scan->text.at;

	if (!take(scan, '"', "not valid JSON: a text in quotes is missing"))
		return false;
	*literal = (struct json_literal){scan->at, 0, false};
	while (scan->at < scan->text.length) {
		unsigned char c = (unsigned char)text[scan->at];
		size_t length;

		if (c == '"') {
			literal->end = scan->at++;
			return true;
		}
		if (c == '\\') {
			literal->has_escapes = true;
			if (!skip_escape(scan))
				return false;
		} else if (c < 0x20) {
			return json_scan_fail(scan, scan->at, "not valid JSON: a control character in a text");
		} else if (c < 0x80) {
			scan->at++;
		} else {
			length = str_utf8_length(scan->text, scan->at);
			if (length == 0)
				return json_scan_fail(scan, scan->at, "not valid UTF-8");
			scan->at += length;
		}
	}
	return fail_here(scan, "");
}

static size_t digits(struct str text, size_t at)
{
	size_t from = at;

	while (at < text.length && text.at[at] >= '0' && text.at[at] <= '9')
		at++;
	return at - from;
}

/* Bytes of the number at AT, or 0. */
static size_t number_length(struct str text, size_t at)
{
	static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
	size_t from = at;
	size_t count;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (str_starts((struct str){text.at + at, text.length - at}, words[i]))
			return strlen(words[i]);
	}
	at += text.at[at] == '-';
	count = digits(text, at);
	if (count == 0 || (count > 1 && text.at[at] == '0'))
		return 0;
	at += count;
	if (at < text.length && text.at[at] == '.') {
		count = digits(text, at + 1);
		if (count == 0)
			return 0;
		at += 1 + count;
	}
	if (at < text.length && (text.at[at] == 'e' || text.at[at] == 'E')) {
		at++;
		at += at < text.length && (text.at[at] == '+' || text.at[at] == '-');
		count = digits(text, at);
		if (count == 0)
			return 0;
		at += count;
	}
	return at - from;
}

static bool skip_number(struct json_scan *scan)
{
	size_t length = number_length(scan->text, scan->at);

	if (length == 0)
		return fail_here(scan, "not valid JSON: a number is malformed");
	scan->at += length;
	return true;
}

bool json_scan_whole(struct json_scan *scan, uint32_t *number)
{
	size_t from;
	uint64_t value = 0;

	if (json_scan_kind(scan) != JSON_NUMBER)
		return fail_here(scan, "not valid JSON: a number is missing");
	from = scan->at;
	if (!skip_number(scan))
		return false;
	for (size_t i = from; i < scan->at && value < UINT32_MAX; i++) {
		char c = scan->text.at[i];

		value = c >= '0' && c <= '9' ? value * 10 + (uint64_t)(c - '0') : UINT32_MAX;
	}
	*number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
	return true;
}

static bool skip_word(struct json_scan *scan)
{
	static const char *const words[] = {"true", "false", "null"};
	struct str rest = {scan->text.at + scan->at, scan->text.length - scan->at};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (str_starts(rest, words[i])) {
			scan->at += strlen(words[i]);
			return true;
		}
		if (rest.length < strlen(words[i]) && strncmp(words[i], rest.at, rest.length) == 0)
			scan->at = scan->text.length;
	}
	return fail_here(scan, "not valid JSON: a value is missing");
}

/* Over a value that holds no others, or into one that does. */
static bool skip_step(struct json_scan *scan)
{
	struct json_literal literal;

	switch (json_scan_kind(scan)) {
	case JSON_OBJECT:
		return json_scan_object(scan);
	case JSON_ARRAY:
		return json_scan_array(scan);
	case JSON_TEXT:
		return json_scan_text(scan, &literal);
	case JSON_NUMBER:
		return skip_number(scan);
	default:
		return skip_word(scan);
	}
}

bool json_scan_skip(struct json_scan *scan)
{
	char inside[JSON_SCAN_DEPTH + 1]; /* the bracket of each list and object that was entered here */
	unsigned outer = scan->depth;

	for (;;) {
		unsigned before = scan->depth;
		char bracket = (char)peek(scan);

		if (!skip_step(scan))
			return false;
		if (scan->depth > before)
			inside[scan->depth] = bracket;
		while (scan->depth > outer) {
			struct json_literal key;

			if (inside[scan->depth] == '{' ? json_scan_key(scan, &key) : json_scan_item(scan))
				break;
			if (scan->fault)
				return false;
		}
		if (scan->depth == outer)
			return true;
	}
}

bool json_scan_end(struct json_scan *scan)
{
	if (peek(scan) >= 0)
		return fail_here(scan, "not valid JSON: something follows its end");
	return !scan->fault;
}

static uint32_t hex4(const char *at)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		char c = at[i];

		value = value * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return value;
}

static uint32_t escaped(struct str text, size_t *at, size_t end)
{
	static const char letters[] = "bfnrt";
	static const char meant[] = "\b\f\n\r\t";
	char c = text.at[*at + 1];
	const char *letter = strchr(letters, c);
	uint32_t code;

	if (c != 'u') {
		*at += 2;
		return letter ? (unsigned char)meant[letter - letters] : (unsigned char)c;
	}
	code = hex4(text.at + *at + 2);
	*at += 6;
	if (code >= 0xD800 && code < 0xDC00 && end - *at >= 6 && text.at[*at] == '\\' && text.at[*at + 1] == 'u') {
		uint32_t low = hex4(text.at + *at + 2);

		if (low >= 0xDC00 && low < 0xE000) {
			*at += 6;
			return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
		}
	}
	return code;
}

void json_literal_step(struct str text, size_t *at, size_t end, struct buf *out)
{
	size_t length = 1;

	if (text.at[*at] == '\\') {
		uint32_t code = escaped(text, at, end);

		if (out)
			buf_add_codepoint(out, code);
		return;
	}
	if ((unsigned char)text.at[*at] >= 0x80)
		length = str_utf8_length(text, *at);
	if (out)
		buf_add(out, text.at + *at, length);
	*at += length;
}

void json_literal_add(struct buf *out, struct str text, struct json_literal literal)
{
	if (!literal.has_escapes) {
		buf_add(out, text.at + literal.start, literal.end - literal.start);
		return;
	}
	for (size_t at = literal.start; at < literal.end;)
		json_literal_step(text, &at, literal.end, out);
}

bool json_literal_is(struct str text, struct json_literal literal, const char *word)
{
	struct buf said = BUF_INIT;
	bool same;

	if (!literal.has_escapes)
		return str_is((struct str){text.at + literal.start, literal.end - literal.start}, word);
	json_literal_add(&said, text, literal);
	same = str_is(buf_get(&said), word);
	buf_release(&said);
	return same;
}
