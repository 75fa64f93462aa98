#include "text/ipython.h"

#include <ctype.h>
#include <string.h>

/* A line magic that runs the Python behind it, and the letters of its options that take a value. */
struct line_magic {
	const char *name;
	const char *with_value;
};

static const struct line_magic line_magics[] = {
	{"time", ""},	   {"timeit", "nrpv"}, {"prun", "DlsT"},
	{"memit", "rtiT"}, {"lprun", "fmDTu"}, {"mprun", "fT"},
};

/* Cell magics that run the cell as Python, in the notebook's own namespace. */
static const char *const cell_magics[] = {
	"capture", "debug", "ipytest", "memit", "memray_flamegraph", "prun", "scalene", "snakeviz", "time", "timeit", "wandb",
};

/* Those that hand it to something that knows nothing of the notebook's variables. */
static const char *const foreign_magics[] = {
	"HTML", "SVG", "bash", "bigquery", "cmd", "file", "html", "javascript", "js", "latex", "markdown", "perl", "powershell", "pypy",
	"python", "python2", "python3", "ruby", "script", "sh", "sql", "svg", "sx", "system", "writefile",
};

/* What a cell of one line may begin with without a "%" before it, where no Python can follow. */
static const char *const automagics[] = {
	"cat", "cd", "conda", "cp", "env", "load_ext", "mamba", "matplotlib", "mkdir", "mv", "pip", "reload_ext", "rm", "run", "uv",
};

static const char *const compound_words[] = {
	"async", "class", "def", "for", "if", "try", "while", "with",
};

struct masking {
	struct ipython_cell *cell;
	char *text;
	size_t length;
};

#define IS_ONE_OF(word, list) is_one_of((word), (list), sizeof(list) / sizeof *(list))

static bool is_one_of(struct str word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (str_is(word, list[i]))
			return true;
	}
	return false;
}

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_in(const char *set, char c)
{
	return c && strchr(set, c);
}

static bool is_blank(char c)
{
	return is_in(" \t\f", c);
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

/* The byte at AT, or a line end behind the text. */
static char byte_at(const struct masking *m, size_t at)
{
	return at < m->length ? m->text[at] : '\n';
}

static size_t skip_blanks(const struct masking *m, size_t at)
{
	while (is_blank(byte_at(m, at)))
		at++;
	return at;
}

/* Where the line that holds AT ends: at its line end, or at that of the text. */
static size_t line_end(const struct masking *m, size_t at)
{
	while (at < m->length && !is_line_end(m->text[at]))
		at++;
	return at;
}

/* Beyond the line end at AT. */
static size_t line_next(const struct masking *m, size_t at)
{
	if (at < m->length && m->text[at] == '\r' && byte_at(m, at + 1) == '\n')
		at++;
	return at < m->length ? at + 1 : at;
}

/* The same, with the lines after it that a backslash joins to it. */
static size_t joined_line_end(const struct masking *m, size_t at)
{
	size_t end = line_end(m, at);

	while (end > at && end < m->length && m->text[end - 1] == '\\')
		end = line_end(m, line_next(m, end));
	return end;
}

static struct str word_at(const struct masking *m, size_t at)
{
	size_t end = at;

	while (end < m->length && is_word_byte(m->text[end]))
		end++;
	return (struct str){m->text + at, end - at};
}

static void blank(struct masking *m, size_t start, size_t end)
{
	if (start == end)
		return;
	for (size_t i = start; i < end; i++) {
		if (!is_line_end(m->text[i]))
			m->text[i] = ' ';
	}
	VEC_ADD(&m->cell->masks, (struct span){(uint32_t)start, (uint32_t)end});
}

/* Makes an expression of what stands from START to END. */
static void mask(struct masking *m, size_t start, size_t end)
{
	blank(m, start, end);
	if (start < end)
		m->text[start] = '0';
}

/* Where the Python begins that the line magic at AT, a "%", runs; SIZE_MAX where it runs none. */
static size_t magic_statement(const struct masking *m, size_t at)
{
	struct str name = word_at(m, at + 1);
	size_t end = joined_line_end(m, at);
	const struct line_magic *magic = NULL;

	for (size_t i = 0; i < sizeof line_magics / sizeof *line_magics; i++) {
		if (str_is(name, line_magics[i].name))
			magic = &line_magics[i];
	}
	if (!magic || byte_at(m, at + 1 + name.length) != ' ')
		return SIZE_MAX;
	at = skip_blanks(m, at + 1 + name.length);
	while (at < end && m->text[at] == '-') {
		size_t option = at;

		while (at < end && !is_blank(m->text[at]) && !is_line_end(m->text[at]))
			at++;
		at = skip_blanks(m, at);
		if (at < end && at - option > 2 && is_blank(m->text[option + 2]) && is_in(magic->with_value, m->text[option + 1])) {
			while (at < end && !is_blank(m->text[at]) && !is_line_end(m->text[at]))
				at++;
			at = skip_blanks(m, at);
		}
	}
	return at < end && !is_line_end(m->text[at]) ? at : SIZE_MAX;
}

/* Whether the text from START to END, the code of one statement, asks for help at its end: "thing?". */
static bool asks_for_help(const struct masking *m, size_t start, size_t end)
{
	size_t at = end;

	for (int i = 0; i < 2 && at > start && m->text[at - 1] == '?'; i++)
		at--;
	return at < end && at > start && (is_word_byte(m->text[at - 1]) || m->text[at - 1] == '*' || m->text[at - 1] == ']');
}

/* Beyond the string whose first quote stands at AT; one in single quotes ends with its line. */
static size_t skip_string(const struct masking *m, size_t at)
{
	char quote = m->text[at];
	bool is_long = byte_at(m, at + 1) == quote && byte_at(m, at + 2) == quote;

	at += is_long ? 3 : 1;
	while (at < m->length) {
		char c = m->text[at];

		if (c == '\\') {
			at = byte_at(m, at + 1) == '\r' ? line_next(m, at + 1) : at + 2;
		} else if (c == quote && !is_long) {
			return at + 1;
		} else if (c == quote && byte_at(m, at + 1) == quote && byte_at(m, at + 2) == quote) {
			return at + 3;
		} else if (is_line_end(c) && !is_long) {
			return at;
		} else {
			at++;
		}
	}
	return m->length;
}

/* Whether a "=" at AT assigns, and is no part of another operator. */
static bool assigns(const struct masking *m, size_t start, size_t at)
{
	return byte_at(m, at + 1) != '=' && !(at > start && is_in("=!<>+-*/%&|^@:~", m->text[at - 1]));
}

/* The magic that is assigned at AT, beyond the "="; SIZE_MAX where none is. */
static size_t assigned_magic(const struct masking *m, size_t at)
{
	at = skip_blanks(m, at);
	if (byte_at(m, at) == '!')
		return at;
	if (byte_at(m, at) == '%' && word_at(m, skip_blanks(m, at + 1)).length > 0)
		return at;
	return SIZE_MAX;
}

/* Takes the assigned magic at AT away, or only its name. Returns where its line ends. */
static size_t mask_assigned(struct masking *m, size_t at)
{
	size_t end = joined_line_end(m, at);
	size_t statement = m->text[at] == '%' && str_is(word_at(m, at + 1), "time") ? magic_statement(m, at) : SIZE_MAX;

	if (statement == SIZE_MAX)
		mask(m, at, end);
	else
		blank(m, at, statement);
	return end;
}

/* Goes over the statement that begins at AT, masks what is none of Python in it and returns where its line ends. */
static size_t statement_mask(struct masking *m, size_t start)
{
	size_t at = start;
	size_t code_end = start; /* of what is no space and no comment */
	unsigned depth = 0;
	bool assigned = false;

	while (at < m->length) {
		char c = m->text[at];

		if (c == '#') {
			at = line_end(m, at);
			/* what follows the "?" is more than the name */
			code_end = depth ? code_end : start;
		} else if (c == '"' || c == '\'') {
			at = skip_string(m, at);
			code_end = at;
		} else if (c == '\\') {
			at = is_line_end(byte_at(m, at + 1)) ? line_next(m, at + 1) : at + 1;
		} else if (is_line_end(c)) {
			if (depth == 0)
				break;
			at = line_next(m, at);
		} else if (c == '=' && depth == 0 && !assigned && assigns(m, start, at)) {
			size_t magic = assigned_magic(m, ++at);

			assigned = true;
			if (magic != SIZE_MAX)
				return mask_assigned(m, magic);
			code_end = at;
		} else {
			if (is_in("([{", c))
				depth++;
			else if (is_in(")]}", c) && depth > 0)
				depth--;
			at++;
			if (!is_blank(c))
				code_end = at;
		}
	}
	if (asks_for_help(m, start, code_end))
		mask(m, start, code_end);
	return at;
}

/* Whether a statement that begins at AT with one of IPython's escapes is no operator. */
static bool is_escape(const struct masking *m, size_t at)
{
	char c = byte_at(m, at);

	if (!is_in("!?%,;/", c) || at >= m->length)
		return false;
	return byte_at(m, at + 1) != '=' && !(c == '/' && byte_at(m, at + 1) == '/');
}

/* Masks the escaped line at AT, which begins at LINE. Returns where its line ends. */
static size_t escape_mask(struct masking *m, size_t line, size_t at)
{
	size_t end = joined_line_end(m, at);
	size_t statement = m->text[at] == '%' ? magic_statement(m, at) : SIZE_MAX;

	if (statement == SIZE_MAX) {
		mask(m, at, end);
		return end;
	}
	blank(m, at, statement);
	if (IS_ONE_OF(word_at(m, statement), compound_words)) {
		VEC_ADD(&m->cell->headers, (struct span){(uint32_t)line, (uint32_t)at});
	} else {
		m->text[at] = '0';
		m->text[at + 1] = ';';
	}
	return statement_mask(m, statement);
}

static void statements_mask(struct masking *m, size_t at)
{
	while (at < m->length) {
		size_t line = at;

		at = skip_blanks(m, at);
		if (is_escape(m, at))
			at = escape_mask(m, line, at);
		else if (!is_line_end(byte_at(m, at)))
			at = statement_mask(m, at);
		at = line_next(m, at);
	}
}

/* The first line at or after AT that is not empty; the end of the text where all are. */
static size_t first_line(const struct masking *m, size_t at)
{
	while (at < m->length && is_line_end(byte_at(m, skip_blanks(m, at))))
		at = line_next(m, line_end(m, at));
	return at < m->length ? at : m->length;
}

static bool all_lines_are_indented(const struct masking *m, size_t at)
{
	for (at = first_line(m, at); at < m->length; at = first_line(m, line_next(m, line_end(m, at)))) {
		if (!is_blank(m->text[at]))
			return false;
	}
	return true;
}

/* Whether the only line of the cell, at AT, is a command that no Python could be. */
static bool is_automagic(const struct masking *m, size_t at)
{
	struct str word = word_at(m, at);
	size_t next = skip_blanks(m, at + word.length);

	return IS_ONE_OF(word, automagics) && next > at + word.length &&
	       (is_word_byte(byte_at(m, next)) || is_in(".~/$", byte_at(m, next))) &&
	       first_line(m, line_next(m, line_end(m, at))) == m->length;
}

/* Whether the line at AT, in its first column, is a cell magic and not a question about one. */
static bool is_cell_magic(const struct masking *m, size_t at)
{
	struct str name;

	if (byte_at(m, at) != '%' || byte_at(m, at + 1) != '%')
		return false;
	name = word_at(m, at + 2);
	return name.length == 0 || byte_at(m, at + 2 + name.length) != '?';
}

/* Whether the cell magic at AT leaves the rest of the cell to Python. */
static bool cell_magic_runs_python(const struct masking *m, size_t at)
{
	struct str name = word_at(m, at + 2);
	char after = byte_at(m, at + 2 + name.length);

	return (is_blank(after) || is_line_end(after)) && IS_ONE_OF(name, cell_magics);
}

void ipython_cell_init(struct ipython_cell *cell, char *text, size_t length)
{
	struct masking m = {cell, text, length};
	size_t at = 0;
	size_t code;
	bool indented;

	memset(cell, 0, sizeof *cell);
	cell->is_python = true;
	for (;;) {
		at = first_line(&m, at);
		indented = all_lines_are_indented(&m, at);
		code = indented ? skip_blanks(&m, at) : at;
		if (!is_cell_magic(&m, code))
			break;
		cell->is_magic = true;
		if (!cell_magic_runs_python(&m, code)) {
			cell->is_python = false;
			cell->is_apart = IS_ONE_OF(word_at(&m, code + 2), foreign_magics);
			return;
		}
		blank(&m, code, line_end(&m, code));
		at = line_next(&m, line_end(&m, code));
	}
	if (at < length && indented)
		VEC_ADD(&cell->headers, (struct span){(uint32_t)at, (uint32_t)at});
	if (is_automagic(&m, code))
		mask(&m, code, line_end(&m, code));
	statements_mask(&m, at);
}

void ipython_cell_release(struct ipython_cell *cell)
{
	VEC_RELEASE(&cell->masks);
	VEC_RELEASE(&cell->headers);
}
