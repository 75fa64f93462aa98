#include "py/parse.h"

#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/mem.h"

const TSLanguage *tree_sitter_python(void);

static const char *const node_names[PY_NODE_COUNT] = {
	NULL,
#define PY_NODE(constant, name) name,
#include "py/nodes.inc"
#undef PY_NODE
};

static const char *const field_names[PY_FIELD_COUNT] = {
	NULL,
#define PY_FIELD(constant, name) name,
#include "py/fields.inc"
#undef PY_FIELD
};

void py_grammar_init(struct py_grammar *grammar)
{
	const TSLanguage *language = tree_sitter_python();
	grammar->language = language;
	grammar->symbols = ts_language_symbol_count(language);
	grammar->nodes = mem_new(grammar->symbols, 1);
	/* Several symbols may share a name (aliases), so that every symbol is looked at. */
	for (uint32_t symbol = 0; symbol < grammar->symbols; symbol++) {
		if (ts_language_symbol_type(language, (TSSymbol)symbol) != TSSymbolTypeRegular)
			continue;
		const char *name = ts_language_symbol_name(language, (TSSymbol)symbol);
		for (int kind = 1; name && kind < PY_NODE_COUNT; kind++)
			if (strcmp(name, node_names[kind]) == 0)
				grammar->nodes[symbol] = (uint8_t)kind;
	}
	grammar->field_ids = ts_language_field_count(language) + 1;
	grammar->fields = mem_new(grammar->field_ids, 1);
	for (int field = 1; field < PY_FIELD_COUNT; field++) {
		TSFieldId id = ts_language_field_id_for_name(language, field_names[field],
							    (uint32_t)strlen(field_names[field]));
		if (id)
			grammar->fields[id] = (uint8_t)field;
	}
}

void py_grammar_release(struct py_grammar *grammar)
{
	free(grammar->nodes);
	free(grammar->fields);
	memset(grammar, 0, sizeof *grammar);
}

enum py_node py_kind(const struct py_grammar *grammar, TSNode node)
{
	TSSymbol symbol = ts_node_symbol(node);
	return symbol < grammar->symbols ? (enum py_node)grammar->nodes[symbol] : PY_OTHER;
}

void py_parser_init(struct py_parser *parser)
{
	parser->parser = ts_parser_new();
	parser->cursor_ready = false;
	parser->stop = NULL;
	parser->stop_context = NULL;
	memset(&parser->repair, 0, sizeof parser->repair);
	if (!parser->parser || !ts_parser_set_language(parser->parser, tree_sitter_python()))
		BUG("the Python grammar does not fit this tree-sitter");
}

void py_parser_release(struct py_parser *parser)
{
	if (parser->cursor_ready)
		ts_tree_cursor_delete(&parser->cursor);
	ts_parser_delete(parser->parser);
	repair_release(&parser->repair);
	memset(parser, 0, sizeof *parser);
}

/* ---- what the parser reads ---- */

/* The grammar's scanner looks ahead over all blank and comment lines, from each of them anew, which takes time squared
 * in their number. Runs of this many comment lines are therefore blanked out for the parser. */
enum { COMMENT_RUN = 64 };

/* Whether the line from AT to END has nothing but a comment. One with the quotes of a long string may be part of one. */
static bool is_comment_line(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\f'))
		at++;
	if (at == end || *at != '#')
		return false;
	for (; end - at >= 3; at++)
		if ((*at == '"' || *at == '\'') && at[1] == *at && at[2] == *at)
			return false;
	return true;
}

static bool is_blank_line(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\f'))
		at++;
	return at == end;
}

static uint32_t line_end(struct str text, uint32_t at)
{
	while (at < text.length && text.at[at] != '\n' && text.at[at] != '\r')
		at++;
	return at;
}

static char *copy_get(struct str text, char **copy)
{
	if (!*copy)
		*copy = mem_dup(text.at, text.length);
	return *copy;
}

static void blank_out(struct str text, struct span run, char **copy)
{
	char *out = copy_get(text, copy);
	for (uint32_t i = run.start; i < run.end; i++)
		if (out[i] != '\n' && out[i] != '\r')
			out[i] = ' ';
}

/* To the grammar CR alone ends no line. Whether there is any. */
static bool plain_line_ends(struct str text, char **copy)
{
	bool any = false;
	const char *end = text.at + text.length;
	for (const char *at = text.at; at < end && (at = memchr(at, '\r', (size_t)(end - at))); at++)
		if (at + 1 == end || at[1] != '\n') {
			copy_get(text, copy)[at - text.at] = '\n';
			any = true;
		}
	return any;
}

/* A copy of TEXT, byte for byte in the same places, as the grammar can take it, or NULL where it can take TEXT itself.
 * *HAS_CR: whether it has lines that end in CR. */
static char *text_for_grammar(struct str text, bool *has_cr)
{
	char *copy = NULL;
	uint32_t comments = 0;
	struct span run = {0, 0};
	for (uint32_t at = 0, end; at < text.length; at = end + 1) {
		end = line_end(text, at);
		if (is_comment_line(text.at + at, text.at + end)) {
			run.start = comments++ ? run.start : at;
			run.end = end;
		} else if (!is_blank_line(text.at + at, text.at + end)) {
			if (comments >= COMMENT_RUN)
				blank_out(text, run, &copy);
			comments = 0;
		}
	}
	if (comments >= COMMENT_RUN)
		blank_out(text, run, &copy);
	*has_cr = text.length && plain_line_ends(text, &copy);
	return copy;
}

/* Text is handed over in pieces, and how many are asked for tells how often the parser went back. The limit is far above
 * what real code takes, and the same on every machine, as one of time would not be. */
enum { PIECE = 4096, READS_EACH = 60, READS_AT_LEAST = 5000 };

struct reading {
	struct str text;
	uint64_t reads, limit;
	const struct py_parser *parser;
	bool stopped;
	bool wants_no_error; /* a tree with errors is of no use */
};

static const char *read_piece(void *payload, uint32_t byte, TSPoint point, uint32_t *length)
{
	struct reading *reading = payload;
	*length = 0;
	if (byte >= reading->text.length || ++reading->reads > reading->limit)
		return "";
	size_t left = reading->text.length - byte;
	*length = left < PIECE ? (uint32_t)left : PIECE;
	return reading->text.at + byte;
}

static bool ends_early(TSParseState *state)
{
	struct reading *reading = state->payload;
	const struct py_parser *parser = reading->parser;
	reading->stopped = reading->stopped || (parser->stop && parser->stop(parser->stop_context));
	return reading->stopped || reading->reads > reading->limit || (reading->wants_no_error && state->has_error);
}

/* The tree of what READING reads, with OLD (may be NULL) an edited earlier tree; NULL where that takes too long. */
static TSTree *parse(struct py_parser *parser, const TSTree *old, struct reading *reading)
{
	TSInput input = {reading, read_piece, TSInputEncodingUTF8, NULL};
	ts_parser_reset(parser->parser);
	TSTree *tree = ts_parser_parse_with_options(parser->parser, old, input, (TSParseOptions){reading, ends_early});
	if (tree && (reading->stopped || reading->reads > reading->limit)) {
		ts_tree_delete(tree);
		tree = NULL;
	}
	return tree;
}

/* ---- again ---- */

void py_memory_release(struct py_memory *memory)
{
	ts_tree_delete(memory->tree);
	ts_tree_delete(memory->before);
	free(memory->text);
	memset(memory, 0, sizeof *memory);
}

void py_memory_settle(struct py_memory *memory)
{
	ts_tree_delete(memory->before);
	memory->before = NULL;
}

/* How far A and B are alike from their beginnings on. */
static uint32_t common_start(const char *a, const char *b, uint32_t most)
{
	enum { STEP = 64 };
	uint32_t at = 0;
	while (most - at >= STEP && memcmp(a + at, b + at, STEP) == 0)
		at += STEP;
	while (at < most && a[at] == b[at])
		at++;
	return at;
}

static uint32_t common_end(const char *a_end, const char *b_end, uint32_t most)
{
	enum { STEP = 64 };
	uint32_t at = 0;
	while (most - at >= STEP && memcmp(a_end - at - STEP, b_end - at - STEP, STEP) == 0)
		at += STEP;
	while (at < most && a_end[-1 - (long)at] == b_end[-1 - (long)at])
		at++;
	return at;
}

/* The place of OFFSET in TEXT, where FROM is that of an offset BEFORE it. */
static TSPoint point_at(const char *text, uint32_t before, TSPoint from, uint32_t offset)
{
	const char *at = text + before, *end = text + offset, *line_end;
	while (at < end && (line_end = memchr(at, '\n', (size_t)(end - at)))) {
		from.row++;
		from.column = 0;
		at = line_end + 1;
	}
	from.column += (uint32_t)(end - at);
	return from;
}

/* What turns the text of MEMORY into TEXT. */
static TSInputEdit edit_to(const struct py_memory *memory, struct str text)
{
	uint32_t length = (uint32_t)text.length, shorter = length < memory->length ? length : memory->length;
	uint32_t start = common_start(memory->text, text.at, shorter);
	uint32_t end = common_end(memory->text + memory->length, text.at + length, shorter - start);
	TSInputEdit edit = {.start_byte = start, .old_end_byte = memory->length - end, .new_end_byte = length - end};
	edit.start_point = point_at(text.at, 0, (TSPoint){0, 0}, start);
	edit.old_end_point = point_at(memory->text, start, edit.start_point, edit.old_end_byte);
	edit.new_end_point = point_at(text.at, start, edit.start_point, edit.new_end_byte);
	return edit;
}

/* Takes note of how TREE differs from the one in MEMORY, which it grew out of by EDIT; EDITED is the latter after it. */
static void remember_change(struct py_memory *memory, const TSTree *edited, const TSTree *tree, const TSInputEdit *edit)
{
	uint32_t count = 0;
	TSRange *ranges = ts_tree_get_changed_ranges(edited, tree, &count);
	struct span change = {edit->start_byte, edit->new_end_byte};
	for (uint32_t i = 0; i < count; i++) {
		change.start = ranges[i].start_byte < change.start ? ranges[i].start_byte : change.start;
		change.end = ranges[i].end_byte > change.end ? ranges[i].end_byte : change.end;
	}
	free(ranges);
	memory->new_change = change;
	memory->old_change = (struct span){change.start, change.end - edit->new_end_byte + edit->old_end_byte};
	memory->before = ts_tree_copy(memory->tree);
}

/* TREE is that of TEXT; takes COPY, which is what the grammar saw of it, where it is set. */
static void remember(struct py_memory *memory, const TSTree *tree, struct str text, char **copy)
{
	ts_tree_delete(memory->tree);
	free(memory->text);
	memory->tree = ts_tree_copy(tree);
	memory->text = *copy ? *copy : mem_dup(text.at, text.length);
	memory->length = (uint32_t)text.length;
	memory->is_current = true;
	*copy = NULL;
}

static bool is_sound(const TSTree *tree)
{
	return tree && !ts_node_has_error(ts_tree_root_node(tree));
}

/* ---- one text ---- */

/* A text on its way to a tree. */
struct parsing {
	struct py_parser *parser;
	struct py_memory *memory; /* or NULL */
	struct str text;          /* as the grammar takes it */
	uint64_t limit;           /* of reads */
	bool stopped;
	bool is_searched;         /* for what may be repaired */
};

/* One way there. */
struct attempt {
	bool is_repaired; /* what the repair has made of the text was read */
	uint64_t reads;
	TSTree *tree;     /* or NULL */
	TSTree *edited;   /* the tree of the memory, edited into the one of the text, or NULL where that was not used */
	TSInputEdit edit;
};

static void attempt_release(struct attempt *attempt)
{
	ts_tree_delete(attempt->tree);
	ts_tree_delete(attempt->edited);
	*attempt = (struct attempt){.tree = NULL};
}

static struct str text_of(const struct parsing *p, bool is_repaired)
{
	return is_repaired ? (struct str){p->parser->repair.text, p->text.length} : p->text;
}

/* What the text needs, or NULL. */
static const char *repair_of(struct parsing *p)
{
	if (!p->is_searched)
		repair_init(&p->parser->repair, p->text);
	p->is_searched = true;
	return p->parser->repair.text;
}

static void read_all(struct parsing *p, struct attempt *attempt)
{
	struct reading reading = {.text = text_of(p, attempt->is_repaired), .parser = p->parser, .limit = p->limit};
	attempt->tree = parse(p->parser, NULL, &reading);
	attempt->reads = reading.reads;
	p->stopped |= reading.stopped;
}

/* Parses with the tree of the memory. Without WITH_ERRORS there is no tree where that is not known to give what parsing all
 * of the text does: the parser recovers from errors in other ways then. */
static void read_change(struct parsing *p, bool with_errors, struct attempt *attempt)
{
	struct py_memory *memory = p->memory;
	struct reading reading = {.text = text_of(p, attempt->is_repaired), .parser = p->parser, .limit = p->limit,
				  .wants_no_error = !with_errors};
	attempt->edited = ts_tree_copy(memory->tree);
	attempt->edit = edit_to(memory, reading.text);
	ts_tree_edit(attempt->edited, &attempt->edit);
	attempt->tree = parse(p->parser, attempt->edited, &reading);
	attempt->reads = memory->reads + reading.reads;
	p->stopped |= reading.stopped;
	/* near the limit it is not known any more whether all at once would be within it */
	bool is_same = is_sound(attempt->tree) && attempt->reads <= reading.limit / 2;
	if (!is_same && !(with_errors && attempt->tree && !is_sound(attempt->tree)))
		attempt_release(attempt);
}

/* A tree that can be had in no time: of what has changed, and a guess where there are errors in it. */
static struct attempt parse_in_haste(struct parsing *p)
{
	struct attempt plain = {.is_repaired = false}, mended = {.is_repaired = true};
	/* that there are errors takes long to find out in brackets that are never closed */
	if (repair_of(p) && !(p->parser->repair.is_sure && !p->memory->looks_faulty))
		read_change(p, false, &plain);
	if (repair_of(p) && !plain.tree && !p->stopped)
		read_change(p, false, &mended);
	if (!plain.tree && !mended.tree && !p->stopped)
		read_change(p, true, &plain);
	p->memory->is_guess = mended.tree || (plain.tree && !is_sound(plain.tree));
	return mended.tree ? mended : plain;
}

/* The tree of all of the text, or of the repaired one where that has no errors but the other has. */
static struct attempt parse_all(struct parsing *p)
{
	struct attempt plain = {.is_repaired = false}, mended = {.is_repaired = true};
	read_all(p, &plain);
	if (!plain.tree || is_sound(plain.tree) || !repair_of(p))
		return plain;
	read_all(p, &mended);
	bool is_mended = is_sound(mended.tree);
	attempt_release(is_mended ? &plain : &mended);
	if (p->stopped)
		attempt_release(&plain);
	return is_mended ? mended : plain;
}

/* Has the memory know what came of the text, of which COPY, taken where it is set, is what the grammar saw. */
static void memorize(struct parsing *p, const struct attempt *attempt, bool has_cr, char **copy)
{
	struct py_memory *memory = p->memory;
	char *mended = NULL;
	if (attempt->edited) {
		remember_change(memory, attempt->edited, attempt->tree, &attempt->edit);
		memory->is_bounded = !has_cr && !memory->has_cr;
	}
	if (!is_sound(attempt->tree))
		return;
	if (attempt->is_repaired)
		mended = mem_dup(p->parser->repair.text, p->text.length);
	else
		memory->looks_faulty = repair_of(p) && p->parser->repair.is_sure;
	memory->reads = attempt->reads;
	remember(memory, attempt->tree, p->text, mended ? &mended : copy);
	memory->version++;
	memory->has_cr = has_cr;
}

TSTree *py_parse(struct py_parser *parser, struct str text, struct py_memory *memory, struct err *err)
{
	bool has_cr;
	char *copy = text_for_grammar(text, &has_cr);
	struct parsing p = {.parser = parser, .memory = memory, .text = {copy ? copy : text.at ? text.at : "", text.length},
			    .limit = (uint64_t)(text.length / PIECE) * READS_EACH + READS_AT_LEAST};
	struct attempt attempt = {.is_repaired = false};
	repair_release(&parser->repair);
	if (memory) {
		py_memory_settle(memory);
		memory->is_current = memory->is_guess = false;
	}
	if (memory && memory->tree && memory->may_guess)
		attempt = parse_in_haste(&p);
	else if (memory && memory->tree)
		read_change(&p, false, &attempt);
	if (!attempt.tree && !p.stopped)
		attempt = parse_all(&p);
	if (memory && attempt.tree)
		memorize(&p, &attempt, has_cr, &copy);
	if (!attempt.tree)
		err_set(err, ERR_LIMIT, p.stopped ? "the result is not wanted any more" : "cannot parse: the parser gave up");
	if (!attempt.is_repaired)
		repair_release(&parser->repair);
	ts_tree_delete(attempt.edited);
	free(copy);
	return attempt.tree;
}

struct py_child *py_children(struct py_parser *parser, const struct py_grammar *grammar, TSNode node,
			     struct arena *arena, uint32_t *count)
{
	uint32_t total = ts_node_child_count(node), n = 0;
	*count = 0;
	if (!total)
		return NULL;
	struct py_child *children = ARENA_ARRAY(arena, struct py_child, total);
	if (parser->cursor_ready)
		ts_tree_cursor_reset(&parser->cursor, node);
	else
		parser->cursor = ts_tree_cursor_new(node);
	parser->cursor_ready = true;
	if (!ts_tree_cursor_goto_first_child(&parser->cursor))
		return NULL;
	do {
		TSNode child = ts_tree_cursor_current_node(&parser->cursor);
		TSFieldId id = ts_tree_cursor_current_field_id(&parser->cursor);
		enum py_field field = id < grammar->field_ids ? (enum py_field)grammar->fields[id] : PY_NO_FIELD;
		if (!ts_node_is_named(child) && field == PY_NO_FIELD)
			continue;
		if (py_kind(grammar, child) == PY_COMMENT)
			continue;
		children[n++] = (struct py_child){child, field};
	} while (n < total && ts_tree_cursor_goto_next_sibling(&parser->cursor));
	*count = n;
	return children;
}
