#include "py/lines.h"

#include "base/vec.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f';
}

/* The syntax that holds statements; all other nodes lie within one logical line. */
static bool holds_statements(const struct py_grammar *grammar, TSNode node)
{
	switch (py_kind(grammar, node)) {
	case PY_MODULE: case PY_BLOCK: case PY_IF: case PY_ELIF: case PY_ELSE: case PY_FOR: case PY_WHILE: case PY_TRY:
	case PY_EXCEPT: case PY_FINALLY: case PY_WITH: case PY_MATCH: case PY_CASE: case PY_FUNCTION: case PY_CLASS:
	case PY_DECORATED:
		return true;
	default:
		return ts_node_is_error(node);
	}
}

static void join(struct lines *lines, const struct source *source, uint32_t start, uint32_t end)
{
	uint32_t last = source_line(source, end > start ? end - 1 : start);
	for (uint32_t line = source_line(source, start); line < last; line++)
		lines->joined[line] = true;
}

/* Joins the lines of each statement, and those before the colon of a compound one. */
static void join_statements(struct lines *lines, const struct source *source, const struct py_grammar *grammar, TSNode root)
{
	VEC(uint32_t) starts = {0}; /* where the nodes around begin */
	TSTreeCursor cursor = ts_tree_cursor_new(root);
	bool down = true;
	for (;;) {
		TSNode node = ts_tree_cursor_current_node(&cursor);
		uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
		uint32_t around = starts.count ? starts.items[starts.count - 1] : start;
		if (down && holds_statements(grammar, node)) {
			/* decorators belong to the line of what they decorate */
			TSFieldId field = ts_tree_cursor_current_field_id(&cursor);
			bool decorated = field < grammar->field_ids && grammar->fields[field] == PY_F_DEFINITION;
			if (ts_tree_cursor_goto_first_child(&cursor)) {
				VEC_ADD(&starts, decorated ? around : start);
				continue;
			}
		} else if (down && ts_node_is_named(node) && py_kind(grammar, node) != PY_COMMENT) {
			join(lines, source, start, end);
		} else if (down && starts.count && end == start + 1 && source->text[start] == ':') {
			join(lines, source, around, end);
		}
		down = ts_tree_cursor_goto_next_sibling(&cursor);
		if (!down) {
			if (!starts.count || !ts_tree_cursor_goto_parent(&cursor))
				break;
			starts.count--;
		}
	}
	ts_tree_cursor_delete(&cursor);
	VEC_RELEASE(&starts);
}

static uint32_t indentation(struct str line)
{
	uint32_t n = 0;
	while (n < line.length && is_blank(line.at[n]))
		n++;
	return n;
}

/* Sets `end`: the line before the next one of code that is less deep. */
static void find_block_ends(struct lines *lines, const struct source *source)
{
	struct place {
		uint32_t line, depth;
	};
	VEC(struct place) behind = {0}; /* lines of code behind the present one; the nearest last, each deeper than those before */
	for (uint32_t line = lines->count; line; line--) {
		struct str text = source_line_text(source, line);
		uint32_t depth = indentation(text);
		size_t low = 0, high = behind.count;
		while (low < high) {
			size_t middle = low + (high - low) / 2;
			if (behind.items[middle].depth < depth)
				low = middle + 1;
			else
				high = middle;
		}
		lines->end[line] = low ? behind.items[low - 1].line - 1 : lines->count;
		if (lines->has_code[line] && lines->first[line] == line) {
			behind.count = low;
			VEC_ADD(&behind, (struct place){line, depth});
		}
	}
	VEC_RELEASE(&behind);
}

void lines_init(struct lines *lines, const struct py_grammar *grammar, TSNode root, const struct source *source,
		       struct arena *arena)
{
	size_t room = (size_t)source->line_count + 2;
	lines->count = source->line_count;
	lines->joined = ARENA_ARRAY(arena, bool, room);
	lines->has_code = ARENA_ARRAY(arena, bool, room);
	lines->first = ARENA_ARRAY(arena, uint32_t, room);
	lines->last = ARENA_ARRAY(arena, uint32_t, room);
	lines->next = ARENA_ARRAY(arena, uint32_t, room);
	lines->end = ARENA_ARRAY(arena, uint32_t, room);
	join_statements(lines, source, grammar, root);
	for (uint32_t line = 1; line <= lines->count; line++) {
		struct str text = source_line_text(source, line);
		uint32_t depth = indentation(text);
		lines->first[line] = lines->joined[line - 1] ? lines->first[line - 1] : line;
		lines->has_code[line] = lines->joined[line - 1] || (depth < text.length && text.at[depth] != '#');
	}
	for (uint32_t line = lines->count; line; line--) {
		lines->last[line] = lines->joined[line] && line < lines->count ? lines->last[line + 1] : line;
		lines->next[line] = line == lines->count ? 0 : lines->has_code[line + 1] ? line + 1 : lines->next[line + 1];
	}
	find_block_ends(lines, source);
}

/* On to the next node, into the present one where INTO, without recursion. */
static bool next_node(TSTreeCursor *cursor, bool into)
{
	if (into && ts_tree_cursor_goto_first_child(cursor))
		return true;
	while (!ts_tree_cursor_goto_next_sibling(cursor))
		if (!ts_tree_cursor_goto_parent(cursor))
			return false;
	return true;
}

bool *lines_in_strings(const struct py_grammar *grammar, TSNode root, const struct source *source, struct arena *arena)
{
	bool *inside = ARENA_ARRAY(arena, bool, (size_t)source->line_count + 2);
	TSTreeCursor cursor = ts_tree_cursor_new(root);
	bool is_string;
	do {
		struct span span = py_span(ts_tree_cursor_current_node(&cursor));
		is_string = py_kind(grammar, ts_tree_cursor_current_node(&cursor)) == PY_STRING;
		uint32_t last = is_string && span.end ? source_line(source, span.end - 1) : 0;
		for (uint32_t line = last ? source_line(source, span.start) : 1; line < last; line++)
			inside[line] = true;
	} while (next_node(&cursor, !is_string));
	ts_tree_cursor_delete(&cursor);
	return inside;
}
