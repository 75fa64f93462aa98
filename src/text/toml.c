#include "text/toml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

#include "base/buf.h"
#include "base/mem.h"

const TSLanguage *tree_sitter_toml(void);

/* Arrays and tables within each other. */
enum { DEPTH = 100 };

struct reader {
	struct toml *toml;
	TSTreeCursor cursor;
	uint32_t section; /* number of the header, or inline table, whose pairs are read */
	uint32_t sections;
	int depth;
	struct span *at;
	struct err *err;
};

/* A key of one or more parts. */
struct path {
	struct str *parts;
	struct span *spans;
	size_t count;
};

static bool fail(struct reader *reader, struct span at, const char *message)
{
	*reader->at = at;
	return err_set(reader->err, ERR_PARSE, "%s", message);
}

static TSNode here(const struct reader *reader)
{
	return ts_tree_cursor_current_node(&reader->cursor);
}

static struct span span_of(TSNode node)
{
	return (struct span){ts_node_start_byte(node), ts_node_end_byte(node)};
}

static struct str slice(const struct reader *reader, struct span span)
{
	return source_slice(&reader->toml->source, span);
}

static bool is_node(TSNode node, const char *type)
{
	return strcmp(ts_node_type(node), type) == 0;
}

/* ---- scalars ---- */

static int hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Appends what the escape at AT of TEXT stands for; *AT goes behind it. */
static bool escape_add(struct reader *reader, struct str text, size_t *at, struct span whole, struct buf *out)
{
	static const char letters[] = "btnfr\"\\", meanings[] = "\b\t\n\f\r\"\\";
	size_t i = *at + 1;
	const char *letter = i < text.length ? strchr(letters, text.at[i]) : NULL;
	size_t digits = i >= text.length ? 0 : text.at[i] == 'u' ? 4 : text.at[i] == 'U' ? 8 : 0;
	uint32_t code = 0;

	if (letter && *letter) {
		buf_add_char(out, meanings[letter - letters]);
		*at = i + 1;
		return true;
	}
	if (!digits) { /* a backslash at the end of a line takes all blanks after it away */
		while (i < text.length && (is_blank(text.at[i]) || text.at[i] == '\n' || text.at[i] == '\r'))
			i++;
		*at = i;
		return true;
	}
	for (size_t k = 1; k <= digits; k++)
		code = code << 4 | (uint32_t)hex_value(text.at[i + k]);
	if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
		return fail(reader, whole, "the escaped code is no character");
	buf_add_codepoint(out, code);
	*at = i + digits + 1;
	return true;
}

/* The text of a quoted key or a string. */
static bool string_read(struct reader *reader, struct span span, struct str *result)
{
	struct str raw = slice(reader, span);
	bool is_basic = raw.at[0] == '"';
	size_t quotes = raw.length >= 6 && raw.at[1] == raw.at[0] && raw.at[2] == raw.at[0] ? 3 : 1;
	struct str text = {raw.at + quotes, raw.length - 2 * quotes};
	struct buf out = BUF_INIT;
	bool ok = true;

	if (quotes == 3 && text.length && (text.at[0] == '\n' || text.at[0] == '\r')) {
		size_t skipped = text.at[0] == '\r' ? 2 : 1;

		text = (struct str){text.at + skipped, text.length - skipped};
	}
	for (size_t at = 0, run = 0; ok && at < text.length;) {
		run = text.at[at] == raw.at[0] ? run + 1 : 0;
		if (run == 3)
			ok = fail(reader, span, "three quotes within the text would end it");
		else if (is_basic && text.at[at] == '\\')
			ok = escape_add(reader, text, &at, span, &out);
		else if (text.at[at] == '\r') /* CRLF is one line end */
			at++;
		else
			buf_add_char(&out, text.at[at++]);
	}
	*result = arena_dup_str(&reader->toml->arena, buf_get(&out));
	buf_release(&out);
	return ok;
}

/* A number without its underscores, on the arena. */
static const char *digits_of(struct reader *reader, struct str text)
{
	char *digits = arena_dup_bytes(&reader->toml->arena, text.at, text.length);
	size_t kept = 0;

	for (size_t i = 0; i < text.length; i++) {
		if (text.at[i] != '_')
			digits[kept++] = text.at[i];
	}
	digits[kept] = '\0';
	return digits;
}

static bool integer_read(struct reader *reader, struct toml_value *value)
{
	const char *digits = digits_of(reader, slice(reader, value->span));
	char letter = digits[0] == '0' ? digits[1] : '\0';
	int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;

	errno = 0;
	value->integer = strtoll(base == 10 ? digits : digits + 2, NULL, base);
	return errno ? fail(reader, value->span, "the number does not fit into 64 bits") : true;
}

static int two_digits(struct str text, size_t at)
{
	return (text.at[at] - '0') * 10 + (text.at[at + 1] - '0');
}

/* The grammar has seen to digits and their ranges; what is left are years, days and leap seconds. */
static bool date_read(struct reader *reader, struct toml_value *value)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	struct str text = slice(reader, value->span);
	size_t time = 0;

	value->text = text;
	if (text.at[2] != ':') {
		int year, month;
		bool is_leap;

		if (str_find(text, STR("-"), 0) != 4 || memcmp(text.at, "0000", 4) == 0)
			return fail(reader, value->span, "the year must have four digits");
		year = two_digits(text, 0) * 100 + two_digits(text, 2);
		month = two_digits(text, 5);
		is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
		if (two_digits(text, 8) > days[month - 1] + (month == 2 && is_leap))
			return fail(reader, value->span, "there is no such day");
		time = 11;
	}
	if (text.length >= time + 8 && two_digits(text, time + 6) > 59)
		return fail(reader, value->span, "there is no such second");
	return true;
}

/* ---- tables ---- */

static struct toml_value *value_new(struct reader *reader, enum toml_kind kind, struct span span)
{
	struct toml_value *value = ARENA_NEW(&reader->toml->arena, struct toml_value);

	value->kind = kind;
	value->span = span;
	return value;
}

static void entry_append(struct reader *reader, struct toml_value *into, struct str key, struct span key_span,
			 struct toml_value *value)
{
	struct toml_entry *entry = ARENA_NEW(&reader->toml->arena, struct toml_entry);

	*entry = (struct toml_entry){key, key_span, value, NULL};
	if (into->last)
		into->last->next = entry;
	else
		into->entries = entry;
	into->last = entry;
	into->count++;
	if (into->kind == TOML_TABLE) {
		struct buf index = BUF_INIT;

		buf_add(&index, (const char *)&into, sizeof into);
		buf_add_str(&index, key);
		map_put(&reader->toml->index, buf_get(&index), entry);
		buf_release(&index);
	}
}

const struct toml_entry *toml_get(const struct toml *toml, const struct toml_value *table, struct str key)
{
	struct buf index = BUF_INIT;
	const struct toml_entry *entry;

	buf_add(&index, (const char *)&table, sizeof table);
	buf_add_str(&index, key);
	entry = map_get(&toml->index, buf_get(&index));
	buf_release(&index);
	return entry;
}

/* The table under part I of PATH in TABLE, made where there is none; of an array of tables its last. NULL with an
 * error where it is something else, or may not be added to. */
static struct toml_value *table_step(struct reader *reader, struct toml_value *table, const struct path *path, size_t i)
{
	const struct toml_entry *entry = toml_get(reader->toml, table, path->parts[i]);
	struct toml_value *next;

	if (!entry) {
		next = value_new(reader, TOML_TABLE, path->spans[i]);
		entry_append(reader, table, path->parts[i], path->spans[i], next);
		return next;
	}
	next = entry->value;
	if (next->many)
		next = next->last->value;
	if (next->kind != TOML_TABLE)
		fail(reader, path->spans[i], "this key already has a value, which is no table");
	else if (next->fixed)
		fail(reader, path->spans[i], "nothing can be added to what was written as { … }");
	else
		return next;
	return NULL;
}

static bool key_part_read(struct reader *reader, TSNode node, struct str *part)
{
	if (is_node(node, "quoted_key"))
		return string_read(reader, span_of(node), part);
	*part = arena_dup_str(&reader->toml->arena, slice(reader, span_of(node)));
	return true;
}

/* Reads the key at the cursor. Dotted keys nest to the left: the last part is the outermost child. */
static bool path_read(struct reader *reader, struct path *path)
{
	struct arena *arena = &reader->toml->arena;
	TSNode node = here(reader);
	size_t depth = 0;
	bool ok = true;

	for (TSNode inner = node; is_node(inner, "dotted_key"); inner = ts_node_child(inner, 0))
		depth++;
	if (depth >= DEPTH)
		return fail(reader, span_of(node), "the key has too many parts");
	path->count = depth + 1;
	path->parts = ARENA_ARRAY(arena, struct str, path->count);
	path->spans = ARENA_ARRAY(arena, struct span, path->count);
	for (size_t i = depth; ok; i--) {
		TSNode part = i ? ts_node_child(node, 2) : node;

		path->spans[i] = span_of(part);
		ok = key_part_read(reader, part, &path->parts[i]);
		if (i == 0)
			break;
		node = ts_node_child(node, 0);
	}
	return ok;
}

static struct toml_value *value_read(struct reader *reader);

/* The key and value of the pair at the cursor go into TABLE. */
static bool pair_read(struct reader *reader, struct toml_value *table)
{
	struct toml_value *value;
	struct path path;
	size_t last;

	ts_tree_cursor_goto_first_child(&reader->cursor);
	if (!path_read(reader, &path))
		return false;
	last = path.count - 1;
	for (size_t i = 0; i < last; i++) {
		table = table_step(reader, table, &path, i);
		if (!table)
			return false;
		if (table->declared || (table->section && table->section != reader->section))
			return fail(reader, path.spans[i], "this table is already defined elsewhere");
		table->section = reader->section;
	}
	if (toml_get(reader->toml, table, path.parts[last]))
		return fail(reader, path.spans[last], "this key already has a value");
	do {
		if (!ts_tree_cursor_goto_next_sibling(&reader->cursor))
			BUG("a pair without a value");
	} while (!ts_node_is_named(here(reader)) || is_node(here(reader), "comment"));
	value = value_read(reader);
	if (!value)
		return false;
	entry_append(reader, table, path.parts[last], path.spans[last], value);
	ts_tree_cursor_goto_parent(&reader->cursor);
	return true;
}

static bool items_read(struct reader *reader, struct toml_value *value)
{
	uint32_t section = reader->section;
	bool ok = true;

	if (++reader->depth > DEPTH)
		return fail(reader, value->span, "lists and tables are nested too deeply");
	reader->section = ++reader->sections;
	ts_tree_cursor_goto_first_child(&reader->cursor);
	do {
		TSNode child = here(reader);

		if (!ts_node_is_named(child) || is_node(child, "comment"))
			continue;
		if (value->kind == TOML_TABLE) {
			ok = pair_read(reader, value);
		} else {
			struct toml_value *item = value_read(reader);

			ok = item != NULL;
			if (ok)
				entry_append(reader, value, STR(""), span_of(child), item);
		}
	} while (ok && ts_tree_cursor_goto_next_sibling(&reader->cursor));
	if (ok)
		ts_tree_cursor_goto_parent(&reader->cursor);
	reader->section = section;
	reader->depth--;
	return ok;
}

/* The value at the cursor, or NULL with an error, after which the cursor may be anywhere. */
static struct toml_value *value_read(struct reader *reader)
{
	TSNode node = here(reader);
	struct toml_value *value = value_new(reader, TOML_DATE, span_of(node));
	bool ok = true;

	if (is_node(node, "string")) {
		value->kind = TOML_TEXT;
		ok = string_read(reader, value->span, &value->text);
	} else if (is_node(node, "integer")) {
		value->kind = TOML_INTEGER;
		ok = integer_read(reader, value);
	} else if (is_node(node, "float")) {
		value->kind = TOML_FLOAT;
		value->number = strtod(digits_of(reader, slice(reader, value->span)), NULL);
	} else if (is_node(node, "boolean")) {
		value->kind = TOML_BOOL;
		value->truth = str_is(slice(reader, value->span), "true");
	} else if (is_node(node, "array") || is_node(node, "inline_table")) {
		value->kind = is_node(node, "array") ? TOML_ARRAY : TOML_TABLE;
		ok = items_read(reader, value);
		value->fixed = true;
	} else {
		ok = date_read(reader, value);
	}
	return ok ? value : NULL;
}

/* The table that the header PATH, in single or double brackets, opens. */
static struct toml_value *header_open(struct reader *reader, const struct path *path, bool many, struct span span)
{
	struct toml_value *table = reader->toml->root, *element;
	const struct toml_entry *entry;
	size_t last = path->count - 1;
	struct toml_value *list;

	for (size_t i = 0; table && i < last; i++)
		table = table_step(reader, table, path, i);
	if (!table)
		return NULL;
	entry = toml_get(reader->toml, table, path->parts[last]);
	if (!many) {
		if (entry && (entry->value->many || entry->value->declared || entry->value->section)) {
			fail(reader, path->spans[last], "this table is already defined");
			return NULL;
		}
		table = table_step(reader, table, path, last);
		if (table) {
			table->declared = true;
			table->span = span;
		}
		return table;
	}
	if (entry && !entry->value->many) {
		fail(reader, path->spans[last], "this key already has a value, which is no list of [[tables]]");
		return NULL;
	}
	list = entry ? entry->value : value_new(reader, TOML_ARRAY, span);
	list->many = true;
	if (!entry)
		entry_append(reader, table, path->parts[last], path->spans[last], list);
	element = value_new(reader, TOML_TABLE, span);
	element->declared = true;
	entry_append(reader, list, STR(""), span, element);
	return element;
}

/* The table or array element at the cursor: its header, then its pairs. */
static bool section_read(struct reader *reader)
{
	bool many = is_node(here(reader), "table_array_element");
	struct toml_value *table = NULL;
	struct path path;
	bool ok = true;

	reader->section = ++reader->sections;
	ts_tree_cursor_goto_first_child(&reader->cursor);
	do {
		TSNode child = here(reader);

		if (!ts_node_is_named(child) || is_node(child, "comment"))
			continue;
		if (table) {
			ok = pair_read(reader, table);
		} else {
			ok = path_read(reader, &path);
			table = ok ? header_open(reader, &path, many, span_of(child)) : NULL;
			ok = table != NULL;
		}
	} while (ok && ts_tree_cursor_goto_next_sibling(&reader->cursor));
	if (ok)
		ts_tree_cursor_goto_parent(&reader->cursor);
	return ok;
}

static bool document_read(struct reader *reader)
{
	bool ok = true;

	reader->section = ++reader->sections;
	if (!ts_tree_cursor_goto_first_child(&reader->cursor))
		return true;
	do {
		if (is_node(here(reader), "pair"))
			ok = pair_read(reader, reader->toml->root);
		else if (ts_node_is_named(here(reader)) && !is_node(here(reader), "comment"))
			ok = section_read(reader);
	} while (ok && ts_tree_cursor_goto_next_sibling(&reader->cursor));
	return ok;
}

/* ---- what is no TOML ---- */

/* Bytes that TOML has nowhere: control characters, CR alone, what is no UTF-8. */
static bool bytes_are_sound(const struct source *source, struct span *at, struct err *err)
{
	struct str text = {source->text, source->length};
	size_t length;

	if (str_starts(text, "\xEF\xBB\xBF"))
		return err_set(err, ERR_PARSE, "the file begins with a byte order mark; save it as UTF-8 without one");
	for (size_t i = 0; i < text.length; i += length) {
		unsigned char c = (unsigned char)text.at[i];

		length = str_utf8_length(text, i);
		*at = (struct span){(uint32_t)i, (uint32_t)i + 1};
		if (!length)
			return err_set(err, ERR_PARSE, "the byte 0x%02x is no UTF-8", c);
		if (c == '\r' ? text.at[i + 1] != '\n' : (c < 0x20 && c != '\t' && c != '\n') || c == 0x7F)
			return err_set(err, ERR_PARSE, "the control character 0x%02x is not allowed", c);
	}
	return true;
}

/* On to the next node at which something did not parse, in or behind the present one. */
static bool next_faulty(TSTreeCursor *cursor)
{
	if (ts_node_has_error(ts_tree_cursor_current_node(cursor)) && ts_tree_cursor_goto_first_child(cursor))
		return true;
	while (!ts_tree_cursor_goto_next_sibling(cursor)) {
		if (!ts_tree_cursor_goto_parent(cursor))
			return false;
	}
	return true;
}

static TSNode first_fault(TSNode root)
{
	TSTreeCursor cursor = ts_tree_cursor_new(root);
	TSNode found = root;

	while (next_faulty(&cursor)) {
		TSNode node = ts_tree_cursor_current_node(&cursor);

		if (ts_node_is_error(node) || ts_node_is_missing(node)) {
			found = node;
			break;
		}
	}
	ts_tree_cursor_delete(&cursor);
	return found;
}

/* The offset in LINE of the quote that opens a text which the line does not end, or SIZE_MAX. Comments are no text. */
static size_t open_quote(struct str line)
{
	size_t opened = SIZE_MAX;

	for (size_t i = 0; i < line.length; i++) {
		char c = line.at[i];

		if (opened == SIZE_MAX && c == '#')
			break;
		if (opened == SIZE_MAX ? c == '"' || c == '\'' : c == line.at[opened])
			opened = opened == SIZE_MAX ? i : SIZE_MAX;
		else if (opened != SIZE_MAX && line.at[opened] == '"' && c == '\\')
			i++;
	}
	return opened;
}

/* The word without quotes that stands where a value is due at AT of LINE, as people who know other formats write it. */
static struct str bare_word(struct str line, size_t at)
{
	size_t end = at;

	while (end < line.length && !strchr(" \t,]#\r\n\"'={}[", line.at[end]))
		end++;
	if (end == at || (line.at[at] >= '0' && line.at[at] <= '9') || strchr("+-", line.at[at]))
		return STR("");
	return (struct str){line.at + at, end - at};
}

/* The header in LINE that lacks its bracket, as an offset, or SIZE_MAX. */
static size_t open_header(struct str line)
{
	size_t at = 0;

	while (at < line.length && is_blank(line.at[at]))
		at++;
	return at < line.length && line.at[at] == '[' && !memchr(line.at, ']', line.length) &&
		       !memchr(line.at, ',', line.length) && line.at[line.length - 1] != '[' ? at : SIZE_MAX;
}

/* Guesses from the line where the parser stumbled what was meant. */
static bool guess(struct reader *reader, struct str line)
{
	size_t equals = str_find(line, STR("="), 0), at = equals, quote = open_quote(line);
	uint32_t start = (uint32_t)(line.at - reader->toml->source.text);
	struct str word;

	if (quote != SIZE_MAX && str_find(line, STR("\"\"\""), 0) == SIZE_MAX &&
	    str_find(line, STR("'''"), 0) == SIZE_MAX) {
		reader->at->start = start + (uint32_t)quote;
		return err_set(reader->err, ERR_PARSE, "the text that begins here lacks its closing quote");
	}
	if (open_header(line) != SIZE_MAX) {
		reader->at->start = start + (uint32_t)open_header(line);
		return err_set(reader->err, ERR_PARSE, "the header that begins here lacks its ']'");
	}
	if (equals == SIZE_MAX && line.length && line.at[strspn(line.at, " \t")] == '"')
		return err_set(reader->err, ERR_PARSE, "this is no valid TOML: a comma may be missing behind it");
	if (equals == SIZE_MAX && memchr(line.at, ':', line.length) && line.at[0] != '[')
		return err_set(reader->err, ERR_PARSE, "this is no valid TOML: a key and its value have '=' between");
	if (equals == SIZE_MAX || memchr(line.at, '"', equals) || memchr(line.at, '#', equals))
		return err_set(reader->err, ERR_PARSE, "this is no valid TOML");
	for (at++; at < line.length && (is_blank(line.at[at]) || line.at[at] == '[');)
		at++;
	word = bare_word(line, at);
	if (word.length && !str_is(word, "true") && !str_is(word, "false")) {
		reader->at->start = start + (uint32_t)at;
		if (str_is(word, "True") || str_is(word, "False"))
			return err_set(reader->err, ERR_PARSE, "'%.*s' begins with a small letter in TOML",
				       STR_ARG(word));
		return err_set(reader->err, ERR_PARSE, "text needs quotes: \"%.*s\"", STR_ARG(word));
	}
	for (at = equals + 1; at < line.length && is_blank(line.at[at]);)
		at++;
	if (at < line.length && line.at[at] == '[') {
		reader->at->start = start + (uint32_t)at;
		return err_set(reader->err, ERR_PARSE, "the list that begins here lacks its ']', or a comma");
	}
	return err_set(reader->err, ERR_PARSE, "this is no valid TOML");
}

static bool explain_fault(struct reader *reader, TSNode fault)
{
	const struct source *source = &reader->toml->source;
	struct span span = span_of(fault);
	uint32_t line;

	/* an error may begin with the blanks and lines before what is wrong */
	while (span.start + 1 < span.end && strchr(" \t\r\n", source->text[span.start]))
		span.start++;
	*reader->at = span;
	line = source_line(source, span.start);
	if (line > 1 && open_header(source_line_text(source, line - 1)) != SIZE_MAX) {
		*reader->at = (struct span){source->line_starts[line - 2], source->line_starts[line - 1]};
		line--;
	}
	return guess(reader, source_line_text(source, line));
}

/* The grammar knows a backslash at the end of a line only where the line ends at once. A copy of TEXT in which it goes
 * behind the blanks after it, byte for byte as long, or NULL where there is none. */
static char *text_for_grammar(struct str text)
{
	char *copy = NULL;

	for (size_t at = 0; (at = str_find(text, STR("\\"), at)) != SIZE_MAX;) {
		size_t end = at + 1;

		while (end < text.length && is_blank(text.at[end]))
			end++;
		if (end > at + 1 && end < text.length && (text.at[end] == '\n' || text.at[end] == '\r')) {
			if (!copy)
				copy = mem_dup(text.at, text.length);
			copy[at] = ' ';
			copy[end - 1] = '\\';
		}
		at = end > at + 1 ? end : at + 2;
	}
	return copy;
}

/* How often the parser may report progress, per KiB and at least: far above what documents of people take. */
enum { CALLS_EACH = 200, CALLS_AT_LEAST = 20000 };

static bool takes_too_long(TSParseState *state)
{
	int64_t *left = state->payload;

	return --*left < 0;
}

struct text_input {
	struct str text;
};

static const char *text_at(void *payload, uint32_t byte, TSPoint point, uint32_t *length)
{
	const struct text_input *input = payload;

	(void)point;
	*length = byte < input->text.length ? (uint32_t)input->text.length - byte : 0;
	return *length ? input->text.at + byte : "";
}

static TSTree *tree_of(struct str text)
{
	TSParser *parser = ts_parser_new();
	char *copy = text_for_grammar(text);
	int64_t calls = (int64_t)(text.length / 1024) * CALLS_EACH + CALLS_AT_LEAST;
	struct text_input input = {{copy ? copy : text.at, text.length}};
	TSTree *tree;

	if (!parser || !ts_parser_set_language(parser, tree_sitter_toml()))
		BUG("the TOML grammar does not fit this tree-sitter");
	tree = ts_parser_parse_with_options(parser, NULL, (TSInput){&input, text_at, TSInputEncodingUTF8, NULL},
					    (TSParseOptions){&calls, takes_too_long});
	ts_parser_delete(parser);
	free(copy);
	return tree;
}

bool toml_init(struct toml *toml, struct str text, struct span *at, struct err *err)
{
	struct reader reader = {.toml = toml, .at = at, .err = err};
	TSTree *tree;
	TSNode root;
	bool ok;

	*toml = (struct toml){.index = MAP_INIT};
	arena_init(&toml->arena);
	*at = (struct span){0, 0};
	if (text.length > TOML_LIMIT)
		return err_set(err, ERR_TOO_BIG, "is larger than %d MB", TOML_LIMIT >> 20);
	source_init_plain(&toml->source, text.at ? text : STR(""));
	toml->root = value_new(&reader, TOML_TABLE, *at);
	if (!bytes_are_sound(&toml->source, at, err))
		return false;
	tree = tree_of((struct str){toml->source.text, toml->source.length});
	if (!tree)
		return err_set(err, ERR_LIMIT, "the parser gave up on this file");
	root = ts_tree_root_node(tree);
	reader.cursor = ts_tree_cursor_new(root);
	ok = ts_node_has_error(root) ? explain_fault(&reader, first_fault(root)) : document_read(&reader);
	ts_tree_cursor_delete(&reader.cursor);
	ts_tree_delete(tree);
	return ok;
}

void toml_release(struct toml *toml)
{
	map_release(&toml->index);
	arena_release(&toml->arena);
	source_release(&toml->source);
}

const char *toml_kind_name(enum toml_kind kind)
{
	static const char *const names[] = {
		[TOML_TEXT] = "a text", [TOML_INTEGER] = "a number", [TOML_FLOAT] = "a number",
		[TOML_BOOL] = "true or false", [TOML_DATE] = "a date", [TOML_ARRAY] = "a list", [TOML_TABLE] = "a table",
	};

	return names[kind];
}
