/* Python source to a tree-sitter tree, whole or in part, once or after an edit.
 *
 * A parser belongs to one worker. Trees are owned by the caller. Numbers of
 * node kinds are the same for every parser; a table gives them names of ours. */
#ifndef VRAMLINT_PY_PARSE_H
#define VRAMLINT_PY_PARSE_H

#include <stdbool.h>
#include <tree_sitter/api.h>
#include "base/err.h"
#include "base/str.h"
#include "py/repair.h"

struct py_parser {
	TSParser *parser;
	TSTreeCursor cursor; /* shared by whoever walks the tree of the moment */
	bool cursor_ready;
	bool (*stop)(void *context); /* may be NULL: whether nobody wants the tree any more, asked while parsing */
	void *stop_context;
	/* Of the last text, where its tree is that of the repaired one, which has no errors then; else nothing is left out. */
	struct repair repair;
};

/* What is remembered of a text from one time to the next, so that only what has changed is parsed. Zeroed: nothing. */
struct py_memory {
	TSTree *tree;  /* of the last text that had no error in it once it was repaired, or NULL; owned, and not to be edited */
	char *text;    /* … that text as the grammar saw it, heap */
	uint32_t length;
	uint64_t reads; /* what parsing it took, all times together */
	uint64_t version; /* counts the trees */
	bool has_cr;    /* the text has a CR alone in a line, for which the grammar saw LF */
	bool looks_faulty; /* … which a repair is sure that it has */
	bool may_guess; /* wanted: a tree with errors as fast as one without, though it may not be the one that parsing all gives */
	/* Set by each py_parse: */
	bool is_current; /* its text is the one in `tree` */
	bool is_guess;   /* its tree is such a one: made from `tree` as it is now or, with errors, as it was before and stays */
	TSTree *before;  /* the tree that its tree was made from, or NULL where it was made from nothing */
	struct span old_change, new_change; /* all in which BEFORE and its tree differ lies within: bytes of the one, of the other */
	bool is_bounded; /* … and so does all in which their texts differ, comments apart that are not in the tree */
};

/* The kinds of syntax nodes that the analysis tells apart. */
enum py_node {
	PY_OTHER,
#define PY_NODE(constant, name) constant,
#include "py/nodes.inc"
#undef PY_NODE
	PY_NODE_COUNT
};

/* Fields of syntax nodes. */
enum py_field {
	PY_NO_FIELD,
#define PY_FIELD(constant, name) constant,
#include "py/fields.inc"
#undef PY_FIELD
	PY_FIELD_COUNT
};

/* Maps the grammar's numbers to ours; immutable, shared. */
struct py_grammar {
	const TSLanguage *language;
	uint8_t *nodes;    /* enum py_node by symbol */
	uint32_t symbols;
	uint8_t *fields;   /* enum py_field by field id */
	uint32_t field_ids;
};

/* Never fails: a name the grammar lacks is a fault of ours. */
void py_grammar_init(struct py_grammar *grammar);
void py_grammar_release(struct py_grammar *grammar);
enum py_node py_kind(const struct py_grammar *grammar, TSNode node);

void py_parser_init(struct py_parser *parser);
void py_parser_release(struct py_parser *parser);
/* The tree of TEXT, or NULL with ERR_LIMIT where the parser gave up or was told to stop. Comments in long runs of lines are
 * not in the tree, nor is what PARSER's repair leaves out of a text that has errors with it and none without. With
 * MEMORY (may be NULL) it takes time by what has changed since, as long as TEXT has no error in it that a repair does not
 * mend; the tree is the same as without, but for a guess. */
TSTree *py_parse(struct py_parser *parser, struct str text, struct py_memory *memory, struct err *err);
/* Lets `before` go, once nobody compares the two any more. */
void py_memory_settle(struct py_memory *memory);
void py_memory_release(struct py_memory *memory); /* it is zeroed again */

struct py_child {
	TSNode node;
	enum py_field field;
};
struct arena;
/* The children of NODE that are named or carry a field, comments left out, in ARENA; linear in their number. */
struct py_child *py_children(struct py_parser *parser, const struct py_grammar *grammar, TSNode node, struct arena *arena,
			     uint32_t *count);

static inline struct span py_span(TSNode node)
{
	return (struct span){ts_node_start_byte(node), ts_node_end_byte(node)};
}

#endif
