/* The syntax tree of a file as the makers of fixes look at it: nodes by place, their parents, fields and text.
 *
 * Borrows the tree. One thread. */
#ifndef VRAMLINT_RULE_SYNTAX_H
#define VRAMLINT_RULE_SYNTAX_H

#include <stdbool.h>
#include "base/map.h"
#include "base/str.h"
#include "py/parse.h"
#include "rule/lookup.h"

struct syntax {
	const struct py_grammar *grammar;
	TSNode root; /* of the whole file; may be null where there is no tree */
	struct str text;
	/* Nodes that may still be looked at: what searches whole functions gives up once it is spent, so that a file with
	 * thousands of findings takes no more than its time. */
	size_t budget;
	struct lookup lookup; /* what the file defines and imports; released by syntax_release */
	struct map imported; /* what surround.c found of the packages that it asked for, by name; released likewise */
	struct map answers;  /* to questions that are asked again and again, by what is asked; released likewise */
};

enum { SYNTAX_BUDGET = 2 << 20 };

void syntax_release(struct syntax *syntax);
/* What is asked again and again: which question, how deep in other ones it is asked, and about what. */
struct syntax_question {
	enum {
		SYNTAX_IS_QUIET,    /* surround.c: whether the code at a span is */
		SYNTAX_CALLS_QUIET, /* and a call of a name */
		SYNTAX_HAS_TEXT,    /* whether the file has a piece of code */
		SYNTAX_READS_ANY    /* reading.c: whether the code at a span may read any name */
	} kind;
	int depth;
	struct str word;
};
/* The answer that was remembered; false where none was. */
bool syntax_recall(const struct syntax *syntax, struct syntax_question question, bool *answer);
/* Remembers ANSWER and returns it. */
bool syntax_remember(struct syntax *syntax, struct syntax_question question, bool answer);

enum py_node syntax_kind(const struct syntax *syntax, TSNode node); /* PY_OTHER also of a null node */
struct str syntax_text(const struct syntax *syntax, TSNode node);
bool syntax_is(const struct syntax *syntax, TSNode node, const char *text);
/* The innermost node that spans exactly SPAN, or a null node. */
TSNode syntax_at(const struct syntax *syntax, struct span span);
/* The child under FIELD ("left"), or a null node. */
TSNode syntax_field(TSNode node, const char *field);
/* Whether NODE is what PARENT has under FIELD. */
bool syntax_is_field(TSNode parent, const char *field, TSNode node);
/* The children of NODE that are named and no comments: how many, and the one at INDEX. */
uint32_t syntax_child_count(const struct syntax *syntax, TSNode node);
TSNode syntax_child(const struct syntax *syntax, TSNode node, uint32_t index);
/* The nearest of NODE and its parents that is a statement. */
TSNode syntax_statement(const struct syntax *syntax, TSNode node);
/* The function around NODE, or the module. */
TSNode syntax_scope(const struct syntax *syntax, TSNode node);
/* Calls VISIT for NODE and all below it until it returns false or the budget is spent; false where either was so. */
bool syntax_walk(struct syntax *syntax, TSNode node, bool (*visit)(void *context, TSNode node), void *context);
/* Calls VISIT for each identifier below NODE that is WORD, with the same ends; quicker, as it looks through the text. */
bool syntax_each(struct syntax *syntax, TSNode node, struct str word, bool (*visit)(void *context, TSNode node), void *context);
/* Whether CODE stands anywhere in the file; false where the budget is spent. */
bool syntax_text_has(struct syntax *syntax, struct str code);
/* Whether one of the words in LIST, separated by spaces, is WORD. */
bool syntax_word_in(struct str word, const char *list);

#endif
