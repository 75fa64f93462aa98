#include "rule/syntax.h"

#include <ctype.h>

#include "base/buf.h"

/* What is remembered: pointers to these. */
static const char remembered[2] = {0, 1};

void syntax_release(struct syntax *syntax)
{
	map_release(&syntax->answers);
	map_release(&syntax->imported);
	lookup_release(&syntax->lookup);
}

static struct str key_of(struct buf *key, struct syntax_question question)
{
	buf_format(key, "%d %d ", question.kind, question.depth);
	buf_add_str(key, question.word);
	return buf_get(key);
}

bool syntax_recall(const struct syntax *syntax, struct syntax_question question, bool *answer)
{
	struct buf key = BUF_INIT;
	const char *known = map_get(&syntax->answers, key_of(&key, question));

	buf_release(&key);
	if (known)
		*answer = *known != 0;
	return known != NULL;
}

bool syntax_remember(struct syntax *syntax, struct syntax_question question, bool answer)
{
	struct buf key = BUF_INIT;

	map_put(&syntax->answers, key_of(&key, question), (void *)(uintptr_t)&remembered[answer]);
	buf_release(&key);
	return answer;
}

enum py_node syntax_kind(const struct syntax *syntax, TSNode node)
{
	return ts_node_is_null(node) ? PY_OTHER : py_kind(syntax->grammar, node);
}

struct str syntax_text(const struct syntax *syntax, TSNode node)
{
	struct span span;

	if (ts_node_is_null(node))
		return STR("");
	span = py_span(node);
	return (struct str){syntax->text.at + span.start, span.end - span.start};
}

bool syntax_is(const struct syntax *syntax, TSNode node, const char *text)
{
	return str_is(syntax_text(syntax, node), text);
}

TSNode syntax_at(const struct syntax *syntax, struct span span)
{
	TSNode none = {0};
	TSNode node;

	if (ts_node_is_null(syntax->root) || span.end <= span.start)
		return none;
	node = ts_node_named_descendant_for_byte_range(syntax->root, span.start, span.end);
	if (ts_node_is_null(node) || ts_node_start_byte(node) != span.start || ts_node_end_byte(node) != span.end)
		return none;
	return node;
}

TSNode syntax_field(TSNode node, const char *field)
{
	TSNode none = {0};

	return ts_node_is_null(node) ? none : ts_node_child_by_field_name(node, field, (uint32_t)strlen(field));
}

bool syntax_is_field(TSNode parent, const char *field, TSNode node)
{
	TSNode child = syntax_field(parent, field);

	return !ts_node_is_null(child) && ts_node_eq(child, node);
}

uint32_t syntax_child_count(const struct syntax *syntax, TSNode node)
{
	TSTreeCursor cursor = ts_tree_cursor_new(node);
	uint32_t count = 0;

	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do {
			TSNode child = ts_tree_cursor_current_node(&cursor);

			count += ts_node_is_named(child) && syntax_kind(syntax, child) != PY_COMMENT;
		} while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	return count;
}

TSNode syntax_child(const struct syntax *syntax, TSNode node, uint32_t index)
{
	TSTreeCursor cursor = ts_tree_cursor_new(node);
	TSNode found = {0};

	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do {
			TSNode child = ts_tree_cursor_current_node(&cursor);

			if (!ts_node_is_named(child) || syntax_kind(syntax, child) == PY_COMMENT)
				continue;
			if (index-- > 0)
				continue;
			found = child;
			break;
		} while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	return found;
}

TSNode syntax_statement(const struct syntax *syntax, TSNode node)
{
	TSNode parent;

	for (; !ts_node_is_null(node); node = parent) {
		parent = ts_node_parent(node);
		if (syntax_kind(syntax, parent) == PY_BLOCK || syntax_kind(syntax, parent) == PY_MODULE)
			return node;
	}
	return node;
}

TSNode syntax_scope(const struct syntax *syntax, TSNode node)
{
	while (!ts_node_is_null(node) && syntax_kind(syntax, node) != PY_MODULE) {
		node = ts_node_parent(node);
		if (syntax_kind(syntax, node) == PY_FUNCTION || syntax_kind(syntax, node) == PY_LAMBDA)
			return node;
	}
	return syntax->root;
}

bool syntax_walk(struct syntax *syntax, TSNode node, bool (*visit)(void *context, TSNode node), void *context)
{
	TSTreeCursor cursor;
	bool going = true, done = false;

	if (ts_node_is_null(node))
		return true;
	cursor = ts_tree_cursor_new(node);
	while (going && !done) {
		going = syntax->budget > 0 && visit(context, ts_tree_cursor_current_node(&cursor));
		syntax->budget -= syntax->budget > 0;
		if (ts_tree_cursor_goto_first_child(&cursor))
			continue;
		while (!ts_tree_cursor_goto_next_sibling(&cursor) && !done)
			done = !ts_tree_cursor_goto_parent(&cursor);
	}
	ts_tree_cursor_delete(&cursor);
	return going;
}

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* So much text is looked through in the time that a node takes. */
enum { BYTES_A_NODE = 512 };

/* Takes COST from the budget; false where that is spent. */
static bool spend(struct syntax *syntax, size_t cost)
{
	syntax->budget -= cost < syntax->budget ? cost : syntax->budget;
	return syntax->budget > 0;
}

bool syntax_text_has(struct syntax *syntax, struct str code)
{
	return spend(syntax, syntax->text.length / BYTES_A_NODE) && str_find(syntax->text, code, 0) != SIZE_MAX;
}

bool syntax_each(struct syntax *syntax, TSNode node, struct str word, bool (*visit)(void *context, TSNode node), void *context)
{
	enum { NODES_A_HIT = 64 };
	struct str text = syntax_text(syntax, node);
	size_t start = text.length ? (size_t)(text.at - syntax->text.at) : 0;

	if (word.length == 0 || !spend(syntax, text.length / BYTES_A_NODE))
		return false;
	for (size_t at = 0; (at = str_find(text, word, at)) < text.length; at += word.length) {
		uint32_t from = (uint32_t)(start + at), to = (uint32_t)(from + word.length);
		TSNode found;

		if ((at > 0 && is_word_byte(text.at[at - 1])) ||
		    (at + word.length < text.length && is_word_byte(text.at[at + word.length])))
			continue;
		if (!spend(syntax, NODES_A_HIT))
			return false;
		found = ts_node_named_descendant_for_byte_range(node, from, to);
		if (syntax_kind(syntax, found) == PY_IDENTIFIER && !visit(context, found))
			return false;
	}
	return true;
}

bool syntax_word_in(struct str word, const char *list)
{
	size_t length;

	for (; *list; list += length + (list[length] == ' ')) {
		length = strcspn(list, " ");
		if (str_equal(word, (struct str){list, length}))
			return true;
	}
	return false;
}
