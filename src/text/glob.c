#include "text/glob.h"

#include <ctype.h>
#include <string.h>

#include "base/vec.h"

/* The byte at offset AT of TEXT, 0 past its end. */
static unsigned char byte_at(struct str text, size_t at)
{
	return at < text.length ? (unsigned char)text.at[at] : 0;
}

/* Whether BYTE is in the POSIX class NAME ("alpha"): 1 or 0, or -1 where there is no such class. */
static int class_has(struct str name, unsigned char byte)
{
	static const struct {
		const char *name;
		int (*has)(int);
	} classes[] = {
		{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
		{"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
		{"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
	};

	for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
		if (str_is(name, classes[i].name))
			return byte < 0x80 && classes[i].has(byte);
	}
	return -1;
}

/* The name in the "[:name:]" whose "[" stands at AT of PATTERN; its address is NULL where there is none. */
static struct str class_name(struct str pattern, size_t at)
{
	size_t start = at + 2;
	size_t end = start;

	if (byte_at(pattern, at + 1) != ':')
		return (struct str){NULL, 0};
	while (end < pattern.length && pattern.at[end] != ']')
		end++;
	if (end >= pattern.length || end == start || pattern.at[end - 1] != ':')
		return (struct str){NULL, 0};
	return (struct str){pattern.at + start, end - 1 - start};
}

/* Whether BYTE is in the set that "[" at AT of PATTERN opens; *AFTER is the offset past its "]".
 * A set without an end matches nothing. */
static bool set_has(struct str pattern, size_t at, unsigned char byte, size_t *after)
{
	bool negated;
	bool matched = false;
	unsigned char before = 0; /* what a following "-" would start its range from */
	bool first = true;

	at++;
	negated = byte_at(pattern, at) == '!' || byte_at(pattern, at) == '^';
	at += negated;
	for (; at < pattern.length; at++, first = false) {
		unsigned char c = byte_at(pattern, at);
		struct str name = c == '[' ? class_name(pattern, at) : (struct str){NULL, 0};

		if (c == ']' && !first) {
			*after = at + 1;
			return matched != negated;
		}
		if (name.at) {
			int has = class_has(name, byte);

			if (has < 0)
				return false;
			matched = matched || has;
			at += name.length + 3;
			before = 0;
			continue;
		}
		if (c == '-' && before && at + 1 < pattern.length && byte_at(pattern, at + 1) != ']') {
			c = byte_at(pattern, ++at);
			if (c == '\\')
				c = byte_at(pattern, ++at);
			matched = matched || (byte >= before && byte <= c);
			before = 0;
			continue;
		}
		if (c == '\\')
			c = byte_at(pattern, ++at);
		matched = matched || byte == c;
		before = c;
	}
	return false;
}

/* Where a star stands that may still take more: the pattern after it and the text it has not taken yet. */
struct star {
	size_t pattern;
	size_t text;
	bool set;
};

struct matcher {
	struct str pattern;
	struct str text;
	size_t p, t;
	struct star part;  /* the last "*": does not take "/" */
	struct star whole; /* the last "**": takes anything */
};

/* Passes the stars at m->p and notes where to come back to. An earlier star of the same or a lesser kind need never be
 * tried again: what it might take, the later one can take too. */
static void stars_pass(struct matcher *m)
{
	size_t first = m->p;
	size_t count = 0;
	unsigned char next;
	bool is_whole;

	while (byte_at(m->pattern, m->p) == '*') {
		m->p++;
		count++;
	}
	next = byte_at(m->pattern, m->p);
	is_whole = count > 1 && (first == 0 || m->pattern.at[first - 1] == '/') &&
		   (m->p == m->pattern.length || next == '/' ||
		    (next == '\\' && byte_at(m->pattern, m->p + 1) == '/'));
	if (!is_whole) {
		m->part = (struct star){m->p, m->t, true};
		return;
	}
	m->whole = (struct star){m->p, m->t, true};
	m->part.set = false;
	/* "**" and "/" may be nothing at all. */
	if (next == '/')
		m->p++;
}

/* Matches one item of the pattern with one byte of the text. */
static bool item_pass(struct matcher *m)
{
	unsigned char item = byte_at(m->pattern, m->p);
	unsigned char byte = byte_at(m->text, m->t);
	size_t after = m->p + 1;
	bool same;

	if (m->p >= m->pattern.length || m->t >= m->text.length)
		return false;
	if (item == '?') {
		same = byte != '/';
	} else if (item == '[') {
		same = byte != '/' && set_has(m->pattern, m->p, byte, &after);
	} else {
		if (item == '\\') {
			if (after >= m->pattern.length)
				return false;
			item = byte_at(m->pattern, after++);
		}
		same = item == byte;
	}
	if (!same)
		return false;
	m->p = after;
	m->t++;
	return true;
}

static bool step_back(struct matcher *m)
{
	struct star *star = &m->part;

	if (!star->set || star->text >= m->text.length || m->text.at[star->text] == '/') {
		star = &m->whole;
		if (!star->set || star->text >= m->text.length)
			return false;
		/* With the "/" of "**" and "/" still to match, the bytes up to the next one cannot. */
		m->p = star->pattern;
		m->t = star->text++;
		return true;
	}
	star->text++;
	m->p = star->pattern;
	m->t = star->text;
	return true;
}

bool glob_match(struct str pattern, struct str text)
{
	struct matcher m = {pattern, text, 0, 0, {0, 0, false}, {0, 0, false}};

	for (;;) {
		if (byte_at(pattern, m.p) == '*') {
			stars_pass(&m);
			/* A closing "**" takes the rest. */
			if (m.whole.set && !m.part.set && m.whole.pattern == pattern.length)
				return true;
		} else if (m.p == pattern.length && m.t == text.length) {
			return true;
		} else if (!item_pass(&m) && !step_back(&m)) {
			return false;
		}
	}
}

/* LINE without the spaces at its end that no backslash guards. */
static struct str spaces_trim(struct str line)
{
	size_t kept = 0;

	for (size_t i = 0; i < line.length; i++) {
		if (line.at[i] == '\\') {
			/* A backslash at the very end keeps the line as it is. */
			if (++i == line.length)
				return line;
			kept = i + 1;
		} else if (line.at[i] != ' ') {
			kept = i + 1;
		}
	}
	line.length = kept;
	return line;
}

/* Reads one line; false where it holds no pattern. */
static bool pattern_read(struct str line, struct glob_pattern *pattern)
{
	*pattern = (struct glob_pattern){STR(""), false, false, false};
	if (line.length == 0 || line.at[0] == '#')
		return false;
	line = spaces_trim(line);
	if (str_starts(line, "!")) {
		pattern->negated = true;
		line = (struct str){line.at + 1, line.length - 1};
	}
	if (str_ends(line, "/")) {
		pattern->folders_only = true;
		line.length--;
	}
	pattern->anchored = line.length > 0 && memchr(line.at, '/', line.length);
	if (str_starts(line, "/"))
		line = (struct str){line.at + 1, line.length - 1};
	pattern->text = line;
	return line.length > 0;
}

void glob_list_init(struct glob_list *list, struct str ignore_file, struct arena *arena)
{
	struct str text = arena_dup_str(arena, ignore_file);
	VEC(struct glob_pattern) patterns = {0};
	size_t at = str_starts(text, "\xEF\xBB\xBF") ? 3 : 0;

	while (at < text.length) {
		size_t end = str_find(text, STR("\n"), at);
		bool is_last = end == SIZE_MAX;
		struct str line = {text.at + at, (is_last ? text.length : end) - at};
		struct glob_pattern pattern;

		if (str_ends(line, "\r"))
			line.length--;
		if (pattern_read(line, &pattern))
			VEC_ADD(&patterns, pattern);
		at = is_last ? text.length : end + 1;
	}
	list->count = patterns.count;
	list->patterns = ARENA_ARRAY(arena, struct glob_pattern, patterns.count);
	if (patterns.count)
		memcpy(list->patterns, patterns.items, patterns.count * sizeof *patterns.items);
	VEC_RELEASE(&patterns);
}

static bool pattern_matches(const struct glob_pattern *pattern, struct str path, struct str name)
{
	struct str text = pattern->text;
	size_t plain = 0;

	if (!pattern->anchored)
		return glob_match(text, name);
	/* As git does it: what comes before the first special byte is compared first and dropped, so that "**" behind it
	 * crosses "/" even where no "/" stands before. */
	while (plain < text.length && !strchr("*?[\\", text.at[plain]))
		plain++;
	if (plain > path.length || memcmp(text.at, path.at, plain) != 0)
		return false;
	return glob_match((struct str){text.at + plain, text.length - plain},
			  (struct str){path.at + plain, path.length - plain});
}

int glob_list_match(const struct glob_list *list, struct str path, bool is_folder)
{
	struct str name = path;

	for (size_t i = path.length; i > 0; i--) {
		if (path.at[i - 1] == '/') {
			name = (struct str){path.at + i, path.length - i};
			break;
		}
	}
	for (size_t i = list->count; i > 0; i--) {
		const struct glob_pattern *pattern = &list->patterns[i - 1];

		if ((!pattern->folders_only || is_folder) && pattern_matches(pattern, path, name))
			return pattern->negated ? 0 : 1;
	}
	return -1;
}
