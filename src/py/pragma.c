#include "py/pragma.h"

#include <string.h>
#include "base/vec.h"
#include "py/lines.h"

/* ---- words ---- */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f';
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static bool same_word(struct str word, const char *text)
{
	if (strlen(text) != word.length)
		return false;
	for (size_t i = 0; i < word.length; i++)
		if (lower(word.at[i]) != text[i])
			return false;
	return true;
}

/* What is left of a comment while it is read; OFFSET is where that stands in the source. */
struct reader {
	const char *text; /* of the source */
	uint32_t at, end;
};

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && is_blank(r->text[r->at]))
		r->at++;
}

static struct pragma_name take_word(struct reader *r)
{
	uint32_t start = r->at;
	while (r->at < r->end && is_word(r->text[r->at]))
		r->at++;
	return (struct pragma_name){{start, r->at}, {r->text + start, r->at - start}};
}

static bool take(struct reader *r, char c)
{
	if (r->at == r->end || r->text[r->at] != c)
		return false;
	r->at++;
	return true;
}

enum addressee { ADDRESSEE_NONE, ADDRESSEE_US, ADDRESSEE_NOQA };

/* Whom the text behind the '#' at R speaks to; R then stands behind that word. */
static enum addressee addressee_of(struct reader *r)
{
	if (!take(r, '#'))
		return ADDRESSEE_NONE;
	skip_blanks(r);
	struct str word = take_word(r).text;
	return same_word(word, "vramlint") ? ADDRESSEE_US : same_word(word, "noqa") ? ADDRESSEE_NOQA : ADDRESSEE_NONE;
}

bool pragmas_are_likely(struct str text)
{
	return str_find(text, STR("vramlint"), 0) != SIZE_MAX;
}

/* ---- which '#' begins a comment ---- */

struct walker {
	const struct py_grammar *grammar;
	const struct source *source;
	TSTreeCursor cursor;
	VEC(uint32_t) ends; /* of the nodes around the present one, from the root on */
};

/* Goes to the innermost node that holds OFFSET; false where it lies between two nodes. Offsets must not go down from
 * call to call, so that all calls together take one walk. Strings are not entered where they are text. */
static bool go_to(struct walker *w, uint32_t offset)
{
	for (;;) {
		TSNode node = ts_tree_cursor_current_node(&w->cursor);
		if (ts_node_end_byte(node) <= offset) {
			if (ts_tree_cursor_goto_next_sibling(&w->cursor))
				continue;
			if (!w->ends.count || w->ends.items[w->ends.count - 1] > offset)
				return false;
			ts_tree_cursor_goto_parent(&w->cursor);
			w->ends.count--;
			continue;
		}
		if (ts_node_start_byte(node) > offset)
			return false;
		if (py_kind(w->grammar, node) == PY_STRING_CONTENT || !ts_tree_cursor_goto_first_child(&w->cursor))
			return true;
		VEC_ADD(&w->ends, ts_node_end_byte(node));
	}
}

/* Whether the '#' at OFFSET stands in a comment. Long runs of comments are not in the tree: there it lies between nodes,
 * and alone on its line. ALONE: nothing but blanks before it. */
static bool is_comment_at(struct walker *w, uint32_t offset, bool alone, struct span *comment)
{
	if (go_to(w, offset)) {
		TSNode node = ts_tree_cursor_current_node(&w->cursor);
		*comment = py_span(node);
		return py_kind(w->grammar, node) == PY_COMMENT;
	}
	*comment = (struct span){offset, offset};
	while (alone && comment->end < w->source->length && !is_line_end(w->source->text[comment->end]))
		comment->end++;
	return alone;
}

/* ---- one pragma ---- */

static bool malformed(struct pragma *pragma, const char *fault)
{
	pragma->kind = PRAGMA_MALFORMED;
	pragma->fault = fault;
	return true;
}

static const struct {
	const char *word;
	enum pragma_kind kind;
} verbs[] = {
	{"ignore", PRAGMA_IGNORE}, {"disable", PRAGMA_DISABLE}, {"enable", PRAGMA_ENABLE}, {"file-ignore", PRAGMA_FILE_IGNORE},
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static bool find_verb(struct str word, enum pragma_kind *kind)
{
	for (int i = 0; i < VERBS; i++)
		if (same_word(word, verbs[i].word)) {
			*kind = verbs[i].kind;
			return true;
		}
	return false;
}

static const char *unknown_verb(struct str word, struct arena *arena)
{
	const char *best = NULL;
	size_t distance = word.length / 2 + 1;
	for (int i = 0; i < VERBS; i++) {
		size_t d = str_distance(word, str_from(verbs[i].word), distance);
		if (d < distance) {
			distance = d;
			best = verbs[i].word;
		}
	}
	if (!word.length)
		return "'ignore', 'disable', 'enable' or 'file-ignore' is missing";
	if (word.length > 20)
		word.length = 20;
	return best ? arena_format(arena, "'%.*s' is unknown; did you mean '%s'?", STR_ARG(word), best)
		    : arena_format(arena, "'%.*s' is unknown", STR_ARG(word));
}

/* The names between '[' and ']', or false. R stands behind the '['. */
static bool read_list(struct reader *r, struct pragma *pragma, struct arena *arena)
{
	VEC(struct pragma_name) names = {0};
	uint32_t open = r->at - 1;
	const char *fault = NULL;
	do {
		skip_blanks(r);
		struct pragma_name name = take_word(r);
		if (name.text.length)
			VEC_ADD(&names, name);
		skip_blanks(r);
	} while (take(r, ','));
	if (!take(r, ']'))
		fault = r->at == r->end ? "']' is missing" : "rules stand between '[' and ']', with commas";
	else if (!names.count)
		fault = "no rule stands between '[' and ']'";
	pragma->list = (struct span){open, r->at};
	pragma->names = ARENA_ARRAY(arena, struct pragma_name, names.count + 1);
	if (names.count)
		memcpy(pragma->names, names.items, names.count * sizeof *names.items);
	pragma->name_count = names.count;
	VEC_RELEASE(&names);
	return !fault || !malformed(pragma, fault);
}

/* What follows the list: nothing, another comment, or a reason. */
static bool read_reason(struct reader *r, struct pragma *pragma)
{
	pragma->span.end = r->at;
	skip_blanks(r);
	if (r->at == r->end || r->text[r->at] == '#')
		return true;
	if (!take(r, '-') || !take(r, '-'))
		return !malformed(pragma, "a reason goes behind '--'");
	skip_blanks(r);
	uint32_t end = r->end;
	while (end > r->at && is_blank(r->text[end - 1]))
		end--;
	pragma->reason = (struct str){r->text + r->at, end - r->at};
	pragma->span.end = end;
	return true;
}

/* What follows "vramlint"; false where it is no pragma but talk about the program. */
static bool read_ours(struct reader *r, struct pragma *pragma, struct arena *arena)
{
	skip_blanks(r);
	bool colon = take(r, ':');
	skip_blanks(r);
	struct pragma_name verb = take_word(r);
	skip_blanks(r);
	bool bracket = r->at < r->end && r->text[r->at] == '[';
	pragma->span.end = r->end;
	if (!colon)
		return bracket && find_verb(verb.text, &pragma->kind) && malformed(pragma, "':' is missing behind 'vramlint'");
	if (!find_verb(verb.text, &pragma->kind))
		return malformed(pragma, unknown_verb(verb.text, arena));
	pragma->list = (struct span){verb.span.end, verb.span.end};
	if (take(r, '[') && !read_list(r, pragma, arena))
		return true;
	read_reason(r, pragma);
	return true;
}

/* A code of some linter, or a name that only we can have. */
static bool is_noqa_name(struct str word)
{
	size_t letters = 0;
	if (memchr(word.at, '-', word.length))
		return true;
	while (letters < word.length && lower(word.at[letters]) >= 'a' && lower(word.at[letters]) <= 'z')
		letters++;
	return letters > 0 && letters < word.length && strspn(word.at + letters, "0123456789") >= word.length - letters;
}

/* What follows "noqa", as ruff reads it: codes with commas or blanks between; without a colon all rules. */
static bool read_noqa(struct reader *r, struct pragma *pragma, struct arena *arena)
{
	VEC(struct pragma_name) names = {0};
	pragma->kind = PRAGMA_NOQA;
	pragma->span.end = r->at;
	skip_blanks(r);
	if (!take(r, ':'))
		return true;
	pragma->list.start = r->at;
	for (;;) {
		while (r->at < r->end && (is_blank(r->text[r->at]) || r->text[r->at] == ','))
			r->at++;
		struct pragma_name name = take_word(r);
		if (!name.text.length || !is_noqa_name(name.text))
			break;
		VEC_ADD(&names, name);
	}
	pragma->names = ARENA_ARRAY(arena, struct pragma_name, names.count + 1);
	if (names.count)
		memcpy(pragma->names, names.items, names.count * sizeof *names.items);
	pragma->name_count = names.count;
	pragma->span.end = pragma->list.end = names.count ? names.items[names.count - 1].span.end : pragma->span.end;
	VEC_RELEASE(&names);
	return pragma->name_count > 0; /* "noqa:" without codes says nothing */
}

/* ---- all of them ---- */

/* Where code begins: behind the document string and imports. */
static uint32_t top_end(TSNode root)
{
	TSTreeCursor cursor = ts_tree_cursor_new(root);
	uint32_t end = UINT32_MAX;
	bool more = ts_tree_cursor_goto_first_child(&cursor);
	for (; more && end == UINT32_MAX; more = ts_tree_cursor_goto_next_sibling(&cursor)) {
		TSNode node = ts_tree_cursor_current_node(&cursor);
		const char *type = ts_node_type(node);
		bool is_string = strcmp(type, "expression_statement") == 0 && ts_node_child_count(node) == 1 &&
				 strcmp(ts_node_type(ts_node_child(node, 0)), "string") == 0;
		if (ts_node_is_named(node) && !is_string && strcmp(type, "comment") != 0 && !strstr(type, "import"))
			end = ts_node_start_byte(node);
	}
	ts_tree_cursor_delete(&cursor);
	return end;
}

/* The line of code behind LINE, in a notebook within the cell, or 0. */
static uint32_t next_line(const struct source *source, const struct lines *lines, uint32_t line)
{
	uint32_t next = lines->next[line];
	if (next && source->origins && source->origins[next - 1].cell != source->origins[line - 1].cell)
		return 0;
	return next;
}

/* The lines PRAGMA is about, or what keeps it from being about any. ALONE: it has a line of its own. */
static void place(struct pragma *pragma, const struct source *source, const struct lines *lines, bool alone, uint32_t top)
{
	uint32_t line = pragma->line;
	bool within = lines->joined[line - 1] || lines->joined[line];
	switch (pragma->kind) {
	case PRAGMA_IGNORE:
	case PRAGMA_NOQA:
		if (alone && !within)
			line = pragma->kind == PRAGMA_NOQA ? 0 : next_line(source, lines, line);
		pragma->first = line ? lines->first[line] : 0;
		pragma->last = line ? lines->last[line] : 0;
		break;
	case PRAGMA_DISABLE:
	case PRAGMA_ENABLE:
		if (!alone || within)
			malformed(pragma, "it needs a line of its own");
		pragma->first = line;
		pragma->last = lines->end[line];
		break;
	case PRAGMA_FILE_IGNORE:
		if (!alone)
			malformed(pragma, "it needs a line of its own");
		else if (pragma->span.start > top && !source->origins) /* the cells of a notebook are equal */
			malformed(pragma, "it goes above the first line of code");
		pragma->first = 1;
		pragma->last = lines->count;
		break;
	case PRAGMA_MALFORMED:
		break;
	}
}

static bool is_alone(const struct source *source, uint32_t offset)
{
	while (offset && is_blank(source->text[offset - 1]))
		offset--;
	return !offset || is_line_end(source->text[offset - 1]);
}

/* The '#' of the next pragma in or behind START, up to END, or END; where it is a pragma, WHOM it speaks to. */
static uint32_t next_start(const struct source *source, uint32_t start, uint32_t end, enum addressee *whom)
{
	*whom = ADDRESSEE_NONE;
	while (start < end) {
		const char *hash = memchr(source->text + start, '#', end - start);
		struct reader r = {source->text, hash ? (uint32_t)(hash - source->text) : end, end};
		start = r.at;
		if (start == end || (*whom = addressee_of(&r)) != ADDRESSEE_NONE)
			return start;
		start++;
	}
	return end;
}

void pragmas_find(struct pragma_list *list, const struct py_grammar *grammar, TSNode root, const struct source *source,
		  struct arena *arena)
{
	VEC(struct pragma) found = {0};
	struct walker walker = {.grammar = grammar, .source = source};
	struct lines lines = {0};
	enum addressee whom, next_whom;
	uint32_t top = 0;
	*list = (struct pragma_list){NULL, 0};
	uint32_t at = next_start(source, 0, source->length, &whom);
	if (at == source->length)
		return;
	walker.cursor = ts_tree_cursor_new(root);
	for (; at < source->length; at = next_start(source, at + 1, source->length, &whom)) {
		struct span comment;
		bool alone = is_alone(source, at);
		if (!is_comment_at(&walker, at, alone, &comment))
			continue;
		if (!lines.count) {
			lines_init(&lines, grammar, root, source, arena);
			top = top_end(root);
		}
		struct pragma pragma = {.node = comment, .span = {at, at}, .line = source_line(source, at)};
		while (comment.end > at && is_line_end(source->text[comment.end - 1]))
			comment.end--;
		pragma.comment = comment;
		/* a reason ends where the next pragma begins */
		struct reader r = {source->text, at, next_start(source, at + 1, comment.end, &next_whom)};
		addressee_of(&r);
		if (!(whom == ADDRESSEE_US ? read_ours(&r, &pragma, arena) : read_noqa(&r, &pragma, arena)))
			continue;
		place(&pragma, source, &lines, is_alone(source, comment.start), top);
		VEC_ADD(&found, pragma);
	}
	ts_tree_cursor_delete(&walker.cursor);
	VEC_RELEASE(&walker.ends);
	list->items = ARENA_ARRAY(arena, struct pragma, found.count + 1);
	if (found.count)
		memcpy(list->items, found.items, found.count * sizeof *found.items);
	list->count = found.count;
	VEC_RELEASE(&found);
}
