#include "py/repair.h"

#include <string.h>

#include "base/mem.h"

/* Kinds of brackets. */
enum { BRACKETS = 3 };
static const char openers[] = "([{", closers[] = ")]}";

struct bracket {
	uint32_t at;
	uint32_t kind;
	bool is_operand; /* a value begins here; else what stands before is called or indexed */
};

struct reader {
	struct str text;
	struct repair *repair;
	VEC(struct bracket) open;
	uint32_t open_of[BRACKETS]; /* … of each kind */
	uint32_t at;
	uint32_t start, indent; /* of the statement at hand */
	bool has_colon;         /* outside of brackets */
	struct span token;      /* read last; of brackets all from the one to the other */
	bool is_value;          /* … it ends a value */
	bool was_operand;       /* … and nothing of that value is before it */
	uint32_t value_end;     /* of the last one in the statement */
	struct span half;       /* from where on the statement needs another word, which did not come; or empty */
	struct span decorators; /* in front of the statement; or empty */
	bool has_open, has_stray; /* brackets that are never closed, and some that nothing opens: they may be each other's */
	uint64_t work;
};

/* How often each byte may be looked at: behind a bracket that is never closed reading begins again. */
enum { WORK = 8 };

static char char_at(const struct reader *reader, uint32_t at)
{
	return at < reader->text.length ? reader->text.at[at] : '\0';
}

static bool ends_line(const struct reader *reader, uint32_t at)
{
	char c = char_at(reader, at);

	return at >= reader->text.length || c == '\n' || c == '\r';
}

static uint32_t line_end(const struct reader *reader, uint32_t at)
{
	while (!ends_line(reader, at))
		at++;
	return at;
}

static bool begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool continues_name(char c)
{
	return begins_name(c) || (c >= '0' && c <= '9');
}

static struct str word_at(const struct reader *reader, uint32_t at)
{
	uint32_t end = at;

	if (begins_name(char_at(reader, at)))
		while (continues_name(char_at(reader, end)))
			end++;
	return (struct str){reader->text.at + at, end - at};
}

/* A constant, as STR() is none to all compilers. */
#define STR_IS(literal) {(literal), sizeof(literal) - 1}

static bool is_one_of(struct str word, const struct str *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_equal(word, words[i]))
			return true;
	return false;
}

/* Statements that go on in an indented block. */
static bool is_head(struct str word)
{
	static const struct str words[] = {
		STR_IS("async"), STR_IS("class"), STR_IS("def"), STR_IS("elif"), STR_IS("else"), STR_IS("except"),
		STR_IS("finally"), STR_IS("for"), STR_IS("if"), STR_IS("try"), STR_IS("while"), STR_IS("with"),
	};

	return is_one_of(word, words, sizeof words / sizeof *words);
}

/* Words that stand in no expression. */
static bool is_statement_only(struct str word)
{
	static const struct str words[] = {
		STR_IS("assert"), STR_IS("break"), STR_IS("class"), STR_IS("continue"), STR_IS("def"), STR_IS("del"),
		STR_IS("elif"), STR_IS("except"), STR_IS("finally"), STR_IS("global"), STR_IS("import"),
		STR_IS("nonlocal"), STR_IS("pass"), STR_IS("raise"), STR_IS("return"), STR_IS("try"), STR_IS("while"),
		STR_IS("with"),
	};

	return is_one_of(word, words, sizeof words / sizeof *words);
}

/* Words behind which a value begins. */
static bool is_operator(struct str word)
{
	static const struct str words[] = {
		STR_IS("and"), STR_IS("as"), STR_IS("assert"), STR_IS("await"), STR_IS("del"), STR_IS("elif"), STR_IS("else"),
		STR_IS("except"), STR_IS("from"), STR_IS("if"), STR_IS("import"), STR_IS("in"), STR_IS("is"), STR_IS("lambda"),
		STR_IS("not"), STR_IS("or"), STR_IS("raise"), STR_IS("return"), STR_IS("while"), STR_IS("with"),
		STR_IS("yield"),
	};

	return is_one_of(word, words, sizeof words / sizeof *words);
}

/* … which may end a statement all the same. */
static bool ends_statement(struct str word)
{
	static const struct str words[] = {
		STR_IS("else"), STR_IS("raise"), STR_IS("return"), STR_IS("yield"),
	};

	return is_one_of(word, words, sizeof words / sizeof *words);
}

/* Goes on behind a token that was read. */
static void pass(struct reader *reader, struct span token, bool is_value)
{
	reader->token = token;
	reader->was_operand = !reader->is_value;
	reader->is_value = is_value;
	reader->at = token.end;
	if (is_value)
		reader->value_end = token.end;
}

/* What was left out from START on is read again. */
static void restore(struct reader *reader, uint32_t start)
{
	struct repair *repair = reader->repair;
	struct span *last;

	while (repair->left_out.count && (last = &repair->left_out.items[repair->left_out.count - 1])->start >= start) {
		memcpy(repair->text + last->start, reader->text.at + last->start, last->end - last->start);
		repair->left_out.count--;
	}
}

/* Overwrites PLACE with spaces and, at its beginning, with INSTEAD as far as there is room for all of it. */
static void leave_out(struct reader *reader, struct span place, const char *instead)
{
	struct repair *repair = reader->repair;
	size_t length = strlen(instead), room = 0;

	if (!repair->text)
		repair->text = mem_dup(reader->text.at, reader->text.length);
	restore(reader, place.start);
	for (uint32_t i = place.start; i < place.end; i++) {
		room += room == i - place.start && !ends_line(reader, i);
		if (!ends_line(reader, i))
			repair->text[i] = ' ';
	}
	if (length <= room)
		memcpy(repair->text + place.start, instead, length);
	VEC_ADD(&repair->left_out, place);
}

/* The innermost one is not open any more. */
static struct bracket close_bracket(struct reader *reader)
{
	struct bracket bracket = reader->open.items[--reader->open.count];

	reader->open_of[bracket.kind]--;
	return bracket;
}

/* Gives up the brackets from the one with this NUMBER on, which are never closed, up to END, and goes on there. */
static void give_up(struct reader *reader, size_t number, uint32_t end)
{
	const struct bracket *bracket = &reader->open.items[number];
	struct str word = word_at(reader, reader->start);
	const char *instead = bracket->is_operand ? "_" : "";

	if (number == 0 && is_head(word)) {
		/* the block is still there */
		end = line_end(reader, bracket->at);
		instead = bracket->is_operand ? "_:" : str_is(word, "def") ? "():" : ":";
		reader->has_colon = true;
	}
	leave_out(reader, (struct span){bracket->at, end}, instead);
	reader->has_open = true;
	pass(reader, (struct span){bracket->at, end}, true);
	while (reader->open.count > number)
		close_bracket(reader);
}

/* ---- statements ---- */

/* What the line at *AT, which becomes the place of its first character, is indented by. */
static uint32_t indent_of(const struct reader *reader, uint32_t *at)
{
	uint32_t line = *at;

	while (char_at(reader, *at) == ' ' || char_at(reader, *at) == '\t' || char_at(reader, *at) == '\f')
		++*at;
	return *at - line;
}

static uint32_t next_line(const struct reader *reader, uint32_t at)
{
	at = line_end(reader, at);
	if (at >= reader->text.length)
		return at;
	return at + (char_at(reader, at) == '\r' && char_at(reader, at + 1) == '\n' ? 2 : 1);
}

/* Whether the next line with code, behind the one that is at END, is indented by more than the statement at hand. */
static bool block_follows(struct reader *reader, uint32_t end)
{
	uint32_t at, indent;

	for (uint32_t line = next_line(reader, end); line < reader->text.length; line = next_line(reader, at)) {
		at = line;
		indent = indent_of(reader, &at);
		reader->work += indent + 1;
		if (!ends_line(reader, at) && char_at(reader, at) != '#')
			return indent > reader->indent;
	}
	return false;
}

/* The head of a block ends where the reader is, without a colon. */
static void mend_head(struct reader *reader)
{
	bool is_def = str_is(word_at(reader, reader->start), "def");
	struct span token = reader->token;

	if (!block_follows(reader, reader->at))
		leave_out(reader, (struct span){reader->decorators.end ? reader->decorators.start : reader->start, token.end}, "");
	else if (reader->is_value && is_def && char_at(reader, token.start) == '(')
		leave_out(reader, token, "():");
	else if (reader->is_value && !is_def && token.start > reader->start)
		leave_out(reader, token, reader->was_operand ? "_:" : ":");
	else if (!reader->is_value && reader->value_end > reader->start && !is_def)
		leave_out(reader, (struct span){reader->value_end, token.end}, ":");
}

/* The statement ends where the reader is, behind an operator. */
static void drop_operator(struct reader *reader)
{
	struct str last = {reader->text.at + reader->token.start, reader->token.end - reader->token.start};
	char c = last.length ? last.at[0] : '\0', before = reader->token.start ? reader->text.at[reader->token.start - 1] : '\0';
	bool is_from = str_is(word_at(reader, reader->start), "from"), has_value = reader->value_end > reader->start;
	bool may_end = c == ',' || c == ':' || c == ';' || ends_statement(last) ||
		       (c == '.' && (before == '.' || (before >= '0' && before <= '9'))) ||
		       (c == '*' && is_from);

	if (!may_end)
		leave_out(reader, (struct span){has_value && !is_from ? reader->value_end : reader->start, reader->token.end}, "");
}

static void end_statement(struct reader *reader)
{
	if (reader->token.end <= reader->start)
		return; /* there is none */
	if (!reader->has_colon && is_head(word_at(reader, reader->start)))
		mend_head(reader);
	else if (reader->half.end && !reader->has_colon)
		leave_out(reader, (struct span){reader->half.start, reader->token.end}, "");
	else if (!reader->is_value)
		drop_operator(reader);
	if (char_at(reader, reader->start) != '@')
		reader->decorators = (struct span){0, 0};
	else
		reader->decorators = (struct span){reader->decorators.end ? reader->decorators.start : reader->start,
						   reader->token.end};
}

/* At the beginning of a statement or the end of the text: decorators are in front of nothing that they could be. */
static void drop_decorators(struct reader *reader)
{
	struct str word = word_at(reader, reader->start);

	if (reader->decorators.end && char_at(reader, reader->start) != '@' && !str_is(word, "def") && !str_is(word, "class") &&
	    !str_is(word, "async"))
		leave_out(reader, reader->decorators, "");
}

/* Whether the line whose first character is at AT, so far indented, begins a statement though brackets are open. */
static bool begins_statement(const struct reader *reader, uint32_t at, uint32_t indent)
{
	struct str word = word_at(reader, at);
	uint32_t behind = at + (uint32_t)word.length;

	if (!word.length || char_at(reader, behind) == '"' || char_at(reader, behind) == '\'')
		return false;
	return indent <= reader->indent || is_statement_only(word);
}

/* At the beginning of a line: what it is indented by is read. */
static void read_indent(struct reader *reader)
{
	uint32_t line = reader->at, at = line, indent = indent_of(reader, &at);

	if (ends_line(reader, at) || char_at(reader, at) == '#') {
		reader->at = at;
		return;
	}
	if (reader->open.count && begins_statement(reader, at, indent)) {
		give_up(reader, 0, line);
		if (reader->at != line)
			return;
		end_statement(reader);
	}
	if (!reader->open.count) {
		reader->start = at;
		reader->indent = indent;
		reader->has_colon = reader->is_value = false;
		reader->token = (struct span){at, at};
		reader->half = (struct span){0, 0};
		drop_decorators(reader);
	}
	reader->at = at;
}

/* ---- tokens ---- */

static void read_line_end(struct reader *reader)
{
	if (!reader->open.count)
		end_statement(reader);
	reader->token.end = reader->start; /* it has ended */
	reader->at = next_line(reader, reader->at);
	read_indent(reader);
}

/* Whether what ends before END, a string from START on, has a value in braces that goes on: its closing quote was put before. */
static bool is_half_formatted(const struct reader *reader, uint32_t start, uint32_t end)
{
	uint32_t at = start, depth = 0;
	bool is_formatted = false;

	for (; char_at(reader, at) != '"' && char_at(reader, at) != '\''; at++)
		is_formatted |= char_at(reader, at) == 'f' || char_at(reader, at) == 'F';
	for (; is_formatted && at < end; at++) {
		char c = char_at(reader, at);

		if (c == '{' && !depth && char_at(reader, at + 1) == '{')
			at++;
		else if (c == '{')
			depth++;
		else if (c == '}' && depth)
			depth--;
	}
	for (; depth && !ends_line(reader, at); at++)
		if (char_at(reader, at) == '}')
			return false;
	return depth;
}

/* The string whose quote is at the place reached, its prefix, from START on, being before. False where a long one never
 * ends. */
static bool read_string(struct reader *reader, uint32_t start)
{
	char quote = char_at(reader, reader->at);
	bool is_long = char_at(reader, reader->at + 1) == quote && char_at(reader, reader->at + 2) == quote, is_closed = false;
	uint32_t at = reader->at + (is_long ? 3 : 1), length = (uint32_t)reader->text.length;

	for (; at < length && !is_closed && (is_long || !ends_line(reader, at)); at++) {
		if (char_at(reader, at) == '\\')
			at += char_at(reader, at + 1) == '\r' && char_at(reader, at + 2) == '\n' ? 2 : 1;
		else
			is_closed = char_at(reader, at) == quote &&
				    (!is_long || (char_at(reader, at + 1) == quote && char_at(reader, at + 2) == quote));
	}
	at += is_closed && is_long ? 2 : 0;
	at = at < length ? at : length;
	if (!is_long && (!is_closed || is_half_formatted(reader, start, at))) {
		leave_out(reader, (struct span){start, at}, reader->is_value ? "" : "_");
		reader->repair->is_sure |= !is_closed;
	}
	pass(reader, (struct span){start, at}, true);
	return !is_long || is_closed;
}

/* WORD may be the one half of a statement or the other: of 'from … import' or, behind a value, 'if … else'. */
static void read_half(struct reader *reader, struct str word)
{
	if (str_is(word, "from") && reader->at == reader->start)
		reader->half = (struct span){reader->at, reader->at + 1};
	else if (str_is(word, "if") && reader->is_value)
		reader->half = (struct span){reader->value_end, reader->at};
	else if (str_is(word, "import") || str_is(word, "else"))
		reader->half = (struct span){0, 0};
}

static bool read_word(struct reader *reader)
{
	struct str word = word_at(reader, reader->at);
	uint32_t start = reader->at, end = start + (uint32_t)word.length;

	if ((char_at(reader, end) == '"' || char_at(reader, end) == '\'') && word.length <= 2) {
		reader->at = end;
		return read_string(reader, start);
	}
	if (!reader->open.count)
		read_half(reader, word);
	pass(reader, (struct span){start, end}, !is_operator(word));
	return true;
}

static void read_opener(struct reader *reader, uint32_t kind)
{
	uint32_t at = reader->at;

	VEC_ADD(&reader->open, ((struct bracket){at, kind, openers[kind] == '{' || !reader->is_value}));
	reader->open_of[kind]++;
	pass(reader, (struct span){at, at + 1}, false);
}

static void read_closer(struct reader *reader, uint32_t kind)
{
	size_t number = reader->open.count;
	uint32_t at = reader->at;

	if (!reader->open_of[kind]) {
		leave_out(reader, (struct span){at, at + 1}, "");
		reader->has_stray = true;
		reader->at = at + 1;
		return;
	}
	while (reader->open.items[number - 1].kind != kind)
		number--;
	if (number < reader->open.count)
		give_up(reader, number, at);

	struct bracket bracket = close_bracket(reader);

	pass(reader, (struct span){bracket.at, at + 1}, true);
	reader->was_operand = bracket.is_operand;
}

/* One token, or one space. False: there is nothing to be done about this text. */
static bool read_token(struct reader *reader)
{
	uint32_t at = reader->at;
	char c = char_at(reader, at);
	const char *bracket;

	if (ends_line(reader, at)) {
		read_line_end(reader);
	} else if (c == '#') {
		reader->at = line_end(reader, at);
	} else if (c == '\\' && ends_line(reader, at + 1)) {
		reader->at = next_line(reader, at);
	} else if (c == '"' || c == '\'') {
		return read_string(reader, at);
	} else if (begins_name(c)) {
		return read_word(reader);
	} else if (c && (bracket = strchr(openers, c))) {
		read_opener(reader, (uint32_t)(bracket - openers));
	} else if (c && (bracket = strchr(closers, c))) {
		read_closer(reader, (uint32_t)(bracket - closers));
	} else if (c == ' ' || c == '\t' || c == '\f') {
		reader->at++;
	} else {
		pass(reader, (struct span){at, at + 1}, c >= '0' && c <= '9');
		reader->has_colon |= c == ':' && !reader->open.count;
	}
	return true;
}

static bool read(struct reader *reader)
{
	uint64_t limit = (uint64_t)reader->text.length * WORK;

	read_indent(reader);
	while (reader->at < reader->text.length || reader->open.count) {
		uint32_t before = reader->at;

		if (before >= reader->text.length) {
			give_up(reader, 0, before);
			continue;
		}
		if (!read_token(reader))
			return false;
		reader->work += reader->at > before ? reader->at - before : before - reader->at;
		if (reader->work > limit)
			return false;
	}
	end_statement(reader);
	reader->start = (uint32_t)reader->text.length;
	drop_decorators(reader);
	return true;
}

void repair_init(struct repair *repair, struct str text)
{
	struct reader reader = {.text = text, .repair = repair};

	memset(repair, 0, sizeof *repair);
	if (text.length >= UINT32_MAX / 2 || !read(&reader))
		repair_release(repair);
	repair->is_sure |= reader.has_open != reader.has_stray;
	VEC_RELEASE(&reader.open);
}

void repair_release(struct repair *repair)
{
	free(repair->text);
	repair->text = NULL;
	VEC_RELEASE(&repair->left_out);
}
