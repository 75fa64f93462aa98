/* Python definitions as the interpreter reads them: small trees of expressions and statements.
 *
 * Made from syntax by flow/lower, one definition at a time, and free of the
 * syntax tree afterwards. Everything lives in the arena of the file. */
#ifndef VRAMLINT_FLOW_IR_H
#define VRAMLINT_FLOW_IR_H

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

struct def;
struct stmt;

enum expr_kind {
	EXPR_UNKNOWN, /* a construct of no interest, or one nested too deeply; its items are still evaluated */
	EXPR_NAME,
	EXPR_NUMBER,
	EXPR_TEXT,     /* items: the values formatted into it */
	EXPR_CONSTANT, /* name: True, False, None or ... */
	EXPR_ATTRIBUTE, /* items[0].name */
	EXPR_SUBSCRIPT, /* items[0][items[1], …] */
	EXPR_SLICE,
	EXPR_CALL,      /* items[0](items[1], …) */
	EXPR_BINARY,    /* items[0] op items[1] op …, flattened to the left */
	EXPR_COMPARE,
	EXPR_BOOLEAN,   /* and, or */
	EXPR_NOT,
	EXPR_UNARY,
	EXPR_CONDITIONAL, /* items: value, test, other */
	EXPR_LAMBDA,      /* def */
	EXPR_TUPLE,
	EXPR_LIST,
	EXPR_SET,
	EXPR_DICT,        /* items: EXPR_PAIR or EXPR_DOUBLE_STAR */
	EXPR_PAIR,        /* items: key, value */
	EXPR_COMPREHENSION, /* op: '[', '{', ':' or '('; items[0] element (a pair for ':'); clauses */
	EXPR_AWAIT,
	EXPR_YIELD,       /* op 'f' for `yield from`; items may be empty */
	EXPR_STAR,
	EXPR_DOUBLE_STAR,
	EXPR_NAMED,       /* walrus: items[0] target, items[1] value */
	EXPR_KEYWORD      /* an argument name=items[0] */
};

struct clause {
	struct expr *target;
	struct expr *iterable;   /* NULL: an `if` clause */
	struct expr *condition;
	struct span span;
};

struct expr {
	enum expr_kind kind;
	char op;            /* first byte of the operator; '=' for ==, '!' for !=, 'i' in, 's' is, 'n' not in, 'S' is not */
	uint16_t count;     /* items */
	uint16_t clause_count;
	struct span span;
	struct str name;    /* identifier, attribute, keyword, constant, text of a plain string */
	int64_t number;     /* of EXPR_NUMBER where it is an integer that fits; INT64_MIN otherwise */
	struct expr **items;
	struct clause *clauses;
	struct def *def;
};

struct block {
	struct stmt **stmts;
	uint32_t count;
};

enum stmt_kind {
	STMT_EXPR,    /* value */
	STMT_ASSIGN,  /* targets = value; value NULL for a bare annotation */
	STMT_AUGMENT, /* targets[0] op= value */
	STMT_RETURN,
	STMT_DELETE,  /* targets */
	STMT_RAISE,
	STMT_BREAK,
	STMT_CONTINUE,
	STMT_IMPORT,  /* names bound here: imports */
	STMT_IF,      /* value, body, other */
	STMT_FOR,     /* targets[0] in value: body; other */
	STMT_WHILE,   /* value, body, other */
	STMT_TRY,     /* body, handlers, other, final */
	STMT_WITH,    /* items: value as target; body */
	STMT_MATCH,   /* value, handlers as cases */
	STMT_DEF,     /* def: a function or a class */
	STMT_ASSERT
};

struct handler {
	struct expr *type;   /* exception class, or NULL; a case's guard */
	struct str name;     /* bound name, or empty */
	struct block body;
	struct str *bound;   /* names a case's pattern binds */
	uint32_t bound_count;
	struct span span;
};

struct with_item {
	struct expr *value;
	struct expr *target; /* or NULL */
};

struct import {
	struct str name;   /* bound here; "*" for all */
	struct str dotted; /* what it stands for: "torch.nn.functional"; leading dots where relative */
};

struct stmt {
	enum stmt_kind kind;
	char op;
	bool is_async;
	uint16_t target_count;
	struct span span;
	struct expr **targets;
	struct expr *value;
	struct expr *annotation;
	struct block body, other, final;
	struct handler *handlers;
	uint32_t handler_count;
	struct with_item *items;
	uint32_t item_count;
	struct import *imports;
	uint32_t import_count;
	struct def *def;
};

enum param_kind { PARAM_PLAIN, PARAM_STAR, PARAM_DOUBLE_STAR };

struct param {
	struct str name;
	enum param_kind kind;
	bool keyword_only;
	struct expr *fallback;   /* default, or NULL */
	struct expr *annotation; /* or NULL */
};

enum def_kind { DEF_MODULE, DEF_FUNCTION, DEF_LAMBDA, DEF_CLASS, DEF_COMPREHENSION };

/* Where a definition stands in its file, and its lowered body once it was asked for. */
struct def {
	enum def_kind kind;
	struct str name;
	struct span span;          /* decorators included */
	struct span head;          /* from `def` or `class` to the name's end */
	struct def *parent;
	struct param *params;
	uint32_t param_count;
	struct expr **decorators;
	uint32_t decorator_count;
	struct expr **bases;       /* keyword arguments included */
	uint32_t base_count;
	struct block body;
	struct str *locals;        /* names the body binds, parameters first */
	uint32_t local_count;
	uint32_t *local_table;     /* open hash from names to 1 + their place in locals */
	uint32_t local_table_size; /* a power of two, or 0 */
	struct str *outer;         /* names declared global or nonlocal */
	uint32_t outer_count;
	bool is_async;
	bool is_generator;         /* has a yield of its own */
	bool has_inner;            /* functions or lambdas inside it may read its names later */
	bool truncated;            /* something in it was nested too deeply to be read */
	uint32_t index;            /* number within the file, in order of their places */
};

#endif
