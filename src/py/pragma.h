/* Comments that speak to the linter: `# vramlint: ignore[VL101] -- reason`, `# noqa: VL101` and their like.
 *
 * Only comments of the tree count, never text that looks like one inside a
 * string. Pure; time is linear in the file. Says what is written and which
 * lines it is about, and nothing of rules: names are kept as they stand. */
#ifndef VRAMLINT_PY_PRAGMA_H
#define VRAMLINT_PY_PRAGMA_H

#include "base/arena.h"
#include "py/parse.h"
#include "text/source.h"

enum pragma_kind {
	PRAGMA_IGNORE,      /* one logical line */
	PRAGMA_DISABLE,     /* from here to PRAGMA_ENABLE or the end of the block */
	PRAGMA_ENABLE,
	PRAGMA_FILE_IGNORE,
	PRAGMA_NOQA,        /* of flake8 and ruff; one logical line */
	PRAGMA_MALFORMED    /* meant for us, but not to be understood */
};

struct pragma_name {
	struct span span;
	struct str text; /* in the source's text */
};

struct pragma {
	enum pragma_kind kind;
	struct span node;    /* the comment as the tree has it, which before CRLF holds the CR */
	struct span comment; /* all of it, which may be more than this pragma */
	struct span span;    /* the pragma: from its own '#' to the end of its reason */
	struct span list;    /* behind the word: from '[' to behind ']'; empty where nothing is named */
	struct pragma_name *names;
	size_t name_count;   /* 0: all rules */
	struct str reason;   /* what follows "--", without blanks around it; empty where there is none */
	uint32_t line;       /* 1-based, of the comment */
	uint32_t first, last; /* 1-based lines it is about; 0 where there are none */
	const char *fault;   /* PRAGMA_MALFORMED: what is wrong, for a message; else NULL */
};

struct pragma_list {
	struct pragma *items; /* in order of place */
	size_t count;
};

/* Finds all of SOURCE, whose tree has ROOT, in ARENA. A comment behind code is about the logical line it stands in: the
 * statement, or of a compound statement what comes before its block, with decorators. One that stands alone inside such
 * a line is about that line too, else about the next one. The lines of a file-ignore are all lines. */
void pragmas_find(struct pragma_list *list, const struct py_grammar *grammar, TSNode root, const struct source *source,
		  struct arena *arena);
/* Whether TEXT may hold any, by a scan of its bytes. */
bool pragmas_are_likely(struct str text);

#endif
