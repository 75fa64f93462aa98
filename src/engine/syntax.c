#include "engine/syntax.h"

/* On to the next node at which something did not parse, in or behind the present one, without recursion. */
static bool next_faulty(TSTreeCursor *cursor)
{
	if (ts_node_has_error(ts_tree_cursor_current_node(cursor)) && ts_tree_cursor_goto_first_child(cursor))
		return true;
	while (!ts_tree_cursor_goto_next_sibling(cursor))
		if (!ts_tree_cursor_goto_parent(cursor))
			return false;
	return true;
}

/* tree-sitter's queries take time squared in the children of one node, of which only errors can have this many. */
enum { ERROR_CHILDREN = 4000 };

static bool first_fault(TSNode node, struct span *fault, bool *hopeless)
{
	TSTreeCursor cursor = ts_tree_cursor_new(node);
	bool found = false;
	*hopeless = false;
	do {
		TSNode at = ts_tree_cursor_current_node(&cursor);
		if (!found && (ts_node_is_error(at) || ts_node_is_missing(at))) {
			*fault = py_span(at);
			found = true;
		}
		*hopeless |= ts_node_is_error(at) && ts_node_child_count(at) > ERROR_CHILDREN;
	} while (!*hopeless && next_faulty(&cursor));
	ts_tree_cursor_delete(&cursor);
	return found;
}

bool syntax_fault(TSNode root, const struct repair *repair, struct span *fault, bool *hopeless)
{
	*hopeless = false;
	if (!repair->left_out.count)
		return ts_node_has_error(root) && first_fault(root, fault, hopeless);
	*fault = repair->left_out.items[0];
	return true;
}

static uint32_t last_cell(const struct source *source, struct span span)
{
	return source_cell(source, span.end > span.start ? span.end - 1 : span.end);
}

/* Adds the FAULT that lies in PART of the program. They come in order; the first in a cell counts. */
static void add_fault(const struct source *source, struct syntax_faults *faults, struct span part, struct span fault)
{
	size_t count = faults->places.count;
	if (!count || source_cell(source, faults->places.items[count - 1].start) != source_cell(source, fault.start))
		VEC_ADD(&faults->places, fault);
	faults->cross |= source_cell(source, part.start) != last_cell(source, part);
}

void syntax_cells(const struct source *source, TSNode root, const struct repair *repair, struct syntax_faults *faults)
{
	TSTreeCursor cursor = ts_tree_cursor_new(root);
	*faults = (struct syntax_faults){.cross = ts_node_is_error(root)};
	for (size_t i = 0; i < repair->left_out.count; i++)
		add_fault(source, faults, repair->left_out.items[i], repair->left_out.items[i]);
	if (!faults->cross && ts_tree_cursor_goto_first_child(&cursor))
		do {
			TSNode node = ts_tree_cursor_current_node(&cursor);
			struct span fault;
			bool hopeless;
			if (!ts_node_has_error(node) || !first_fault(node, &fault, &hopeless))
				continue;
			add_fault(source, faults, py_span(node), fault);
			faults->cross |= hopeless;
		} while (!faults->cross && ts_tree_cursor_goto_next_sibling(&cursor));
	ts_tree_cursor_delete(&cursor);
}

/* Whether the part of the program from START to END parses; else where it does not. */
static bool parses(struct py_parser *parser, struct str text, struct span part, struct span *fault)
{
	struct err err;
	bool hopeless, ok;
	TSTree *tree = py_parse(parser, (struct str){text.at + part.start, part.end - part.start}, NULL, &err);
	*fault = (struct span){0, 0};
	if (!tree)
		return false;
	ok = !syntax_fault(ts_tree_root_node(tree), &parser->repair, fault, &hopeless);
	ts_tree_delete(tree);
	return ok;
}

void syntax_sound_cells(const struct source *source, struct py_parser *parser, struct buf *text,
			struct syntax_faults *faults)
{
	size_t base = text->length;
	*faults = (struct syntax_faults){.cross = true};
	buf_add(text, source->text, source->length);
	for (uint32_t line = 0, next; line < source->line_count; line = next) {
		struct span part = {source->line_starts[line], source->length}, fault;
		next = line + 1;
		while (next < source->line_count && source->origins[next].cell == source->origins[line].cell)
			next++;
		if (next < source->line_count)
			part.end = source->line_starts[next];
		if (parses(parser, (struct str){source->text, source->length}, part, &fault))
			continue;
		VEC_ADD(&faults->places, (struct span){part.start + fault.start, part.start + fault.end});
		for (uint32_t i = part.start; i < part.end; i++)
			if (source->text[i] != '\n' && source->text[i] != '\r')
				text->bytes[base + i] = ' ';
	}
}

void syntax_faults_release(struct syntax_faults *faults)
{
	VEC_RELEASE(&faults->places);
}
