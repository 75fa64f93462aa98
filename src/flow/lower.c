#include "flow/lowering.h"

#include <stdlib.h>
#include <string.h>

/* Binds the names of a target in the scope of the moment: a comprehension keeps its own. */
void bind_comprehension(struct lower *l, const struct expr *target)
{
	if (!target)
		return;
	if (target->kind == EXPR_NAME)
		add_local(l, l->def, target->name);
	else if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST || target->kind == EXPR_STAR)
		for (uint16_t i = 0; i < target->count; i++)
			bind_comprehension(l, target->items[i]);
}

static void bind_target(struct lower *l, const struct expr *target)
{
	if (!target)
		return;
	if (target->kind == EXPR_NAME)
		bind_name(l, target->name);
	else if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST || target->kind == EXPR_STAR)
		for (uint16_t i = 0; i < target->count; i++)
			bind_target(l, target->items[i]);
}

static struct expr *lower_target(struct lower *l, TSNode node)
{
	struct expr *target = lower_expr(l, node);
	bind_target(l, target);
	return target;
}

static struct stmt *new_stmt(struct lower *l, enum stmt_kind kind, TSNode node)
{
	struct stmt *s = ARENA_NEW(l->arena, struct stmt);
	s->kind = kind;
	set_span(l, &s->span, span_of(l, node));
	return s;
}

static void add_target(struct lower *l, struct stmt *s, struct expr *target)
{
	struct expr **grown = ARENA_ARRAY(l->arena, struct expr *, s->target_count + 1u);
	if (s->target_count)
		memcpy(grown, s->targets, s->target_count * sizeof *grown);
	grown[s->target_count++] = target;
	s->targets = grown;
}

/* a = b = value nests to the right in the syntax; here it is one statement with several targets. */
static struct stmt *lower_assignment(struct lower *l, TSNode node)
{
	struct stmt *s = new_stmt(l, STMT_ASSIGN, node);
	for (int chain = 0; chain < LOWER_DEPTH_LIMIT; chain++) {
		uint32_t count;
		struct py_child *children = kids(l, node, &count);
		TSNode left = field_of(children, count, PY_F_LEFT), right = field_of(children, count, PY_F_RIGHT);
		TSNode type = field_of(children, count, PY_F_TYPE);
		if (has_node(left))
			add_target(l, s, lower_target(l, left));
		if (has_node(type))
			s->annotation = lower_expr(l, type);
		if (!has_node(right))
			return s;
		if (kind_of(l, right) != PY_ASSIGNMENT) {
			s->value = lower_expr(l, right);
			return s;
		}
		node = right;
	}
	return s;
}

static struct stmt *lower_augmented(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct stmt *s = new_stmt(l, STMT_AUGMENT, node);
	TSNode left = field_of(children, count, PY_F_LEFT), right = field_of(children, count, PY_F_RIGHT);
	TSNode op = field_of(children, count, PY_F_OPERATOR);
	s->op = has_node(op) && text_of(l, op).length ? text_of(l, op).at[0] : '+';
	add_target(l, s, has_node(left) ? lower_target(l, left) : new_expr(l, EXPR_UNKNOWN, node));
	s->value = has_node(right) ? lower_expr(l, right) : new_expr(l, EXPR_UNKNOWN, node);
	return s;
}

static struct block one_stmt(struct lower *l, struct stmt *s)
{
	struct block block = {ARENA_ARRAY(l->arena, struct stmt *, 1), 1};
	block.stmts[0] = s;
	return block;
}

static struct block lower_field_block(struct lower *l, const struct py_child *children, uint32_t count,
				      enum py_field field)
{
	TSNode body = field_of(children, count, field);
	return has_node(body) ? lower_block(l, body) : (struct block){NULL, 0};
}

/* The `else` or `finally` clause among CHILDREN. */
static struct block lower_clause(struct lower *l, const struct py_child *children, uint32_t count, enum py_node kind)
{
	for (uint32_t i = 0; i < count; i++) {
		if (kind_of(l, children[i].node) != kind)
			continue;
		uint32_t inner;
		struct py_child *parts = kids(l, children[i].node, &inner);
		for (uint32_t j = 0; j < inner; j++)
			if (kind_of(l, parts[j].node) == PY_BLOCK)
				return lower_block(l, parts[j].node);
	}
	return (struct block){NULL, 0};
}

static struct stmt *lower_if(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct stmt *top = NULL, **at = &top;
	struct stmt *s = new_stmt(l, STMT_IF, node), *last = s;
	TSNode condition = field_of(children, count, PY_F_CONDITION);
	s->value = has_node(condition) ? lower_expr(l, condition) : new_expr(l, EXPR_UNKNOWN, node);
	s->body = lower_field_block(l, children, count, PY_F_CONSEQUENCE);
	*at = s;
	for (uint32_t i = 0; i < count; i++) {
		enum py_node kind = kind_of(l, children[i].node);
		uint32_t inner;
		if (kind == PY_ELIF) {
			struct py_child *parts = kids(l, children[i].node, &inner);
			struct stmt *next = new_stmt(l, STMT_IF, children[i].node);
			TSNode test = field_of(parts, inner, PY_F_CONDITION);
			next->value = has_node(test) ? lower_expr(l, test) : new_expr(l, EXPR_UNKNOWN, node);
			next->body = lower_field_block(l, parts, inner, PY_F_CONSEQUENCE);
			last->other = one_stmt(l, next);
			last = next;
		} else if (kind == PY_ELSE) {
			struct py_child *parts = kids(l, children[i].node, &inner);
			last->other = lower_field_block(l, parts, inner, PY_F_BODY);
		}
	}
	return top;
}

static struct stmt *lower_for(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct stmt *s = new_stmt(l, STMT_FOR, node);
	TSNode left = field_of(children, count, PY_F_LEFT), right = field_of(children, count, PY_F_RIGHT);
	s->value = has_node(right) ? lower_expr(l, right) : new_expr(l, EXPR_UNKNOWN, node);
	add_target(l, s, has_node(left) ? lower_target(l, left) : new_expr(l, EXPR_UNKNOWN, node));
	s->body = lower_field_block(l, children, count, PY_F_BODY);
	s->other = lower_clause(l, children, count, PY_ELSE);
	s->is_async = str_starts(text_of(l, node), "async");
	return s;
}

static struct stmt *lower_while(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct stmt *s = new_stmt(l, STMT_WHILE, node);
	TSNode condition = field_of(children, count, PY_F_CONDITION);
	s->value = has_node(condition) ? lower_expr(l, condition) : new_expr(l, EXPR_UNKNOWN, node);
	s->body = lower_field_block(l, children, count, PY_F_BODY);
	s->other = lower_clause(l, children, count, PY_ELSE);
	return s;
}

static void lower_except(struct lower *l, TSNode node, struct handler *handler)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	set_span(l, &handler->span, span_of(l, node));
	for (uint32_t i = 0; i < count; i++) {
		enum py_node kind = kind_of(l, children[i].node);
		if (kind == PY_BLOCK) {
			handler->body = lower_block(l, children[i].node);
		} else if (kind == PY_AS_PATTERN) {
			uint32_t inner;
			struct py_child *parts = kids(l, children[i].node, &inner);
			if (inner)
				handler->type = lower_expr(l, parts[0].node);
			if (inner > 1) {
				handler->name = text_of(l, parts[inner - 1].node);
				bind_name(l, handler->name);
			}
		} else if (children[i].field == PY_F_ALIAS) {
			handler->name = text_of(l, children[i].node);
			bind_name(l, handler->name);
		} else if (!handler->type) {
			handler->type = lower_expr(l, children[i].node);
		}
	}
}

static struct stmt *lower_try(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct stmt *s = new_stmt(l, STMT_TRY, node);
	s->body = lower_field_block(l, children, count, PY_F_BODY);
	s->handlers = ARENA_ARRAY(l->arena, struct handler, count ? count : 1);
	for (uint32_t i = 0; i < count; i++)
		if (kind_of(l, children[i].node) == PY_EXCEPT)
			lower_except(l, children[i].node, &s->handlers[s->handler_count++]);
	s->other = lower_clause(l, children, count, PY_ELSE);
	s->final = lower_clause(l, children, count, PY_FINALLY);
	return s;
}

static void lower_with_item(struct lower *l, TSNode node, struct with_item *item)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	TSNode value = field_of(children, count, PY_F_VALUE);
	if (!has_node(value) && count)
		value = children[0].node;
	if (!has_node(value)) {
		item->value = new_expr(l, EXPR_UNKNOWN, node);
	} else if (kind_of(l, value) == PY_AS_PATTERN) {
		uint32_t inner;
		struct py_child *parts = kids(l, value, &inner);
		item->value = inner ? lower_expr(l, parts[0].node) : new_expr(l, EXPR_UNKNOWN, node);
		if (inner > 1)
			item->target = lower_target(l, parts[inner - 1].node);
	} else {
		item->value = lower_expr(l, value);
	}
}

static struct stmt *lower_with(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct stmt *s = new_stmt(l, STMT_WITH, node);
	for (uint32_t i = 0; i < count; i++) {
		if (kind_of(l, children[i].node) != PY_WITH_CLAUSE)
			continue;
		uint32_t inner;
		struct py_child *items = kids(l, children[i].node, &inner);
		/* with (a, b): parses as one tuple */
		s->items = ARENA_ARRAY(l->arena, struct with_item, inner ? inner : 1);
		for (uint32_t j = 0; j < inner; j++)
			lower_with_item(l, items[j].node, &s->items[s->item_count++]);
	}
	s->body = lower_field_block(l, children, count, PY_F_BODY);
	return s;
}

static void bind_pattern_names(struct lower *l, TSNode node, struct handler *handler, int depth)
{
	if (depth > 24)
		return;
	if (kind_of(l, node) == PY_IDENTIFIER) {
		struct str name = text_of(l, node);
		add_name(l, &handler->bound, &handler->bound_count, name);
		bind_name(l, name);
		return;
	}
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	for (uint32_t i = 0; i < count; i++)
		if (kind_of(l, children[i].node) != PY_BLOCK && kind_of(l, children[i].node) != PY_IF_CLAUSE)
			bind_pattern_names(l, children[i].node, handler, depth + 1);
}

static void lower_case(struct lower *l, TSNode node, struct handler *handler)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	set_span(l, &handler->span, span_of(l, node));
	for (uint32_t i = 0; i < count; i++) {
		enum py_node kind = kind_of(l, children[i].node);
		if (kind == PY_BLOCK)
			handler->body = lower_block(l, children[i].node);
		else if (kind == PY_IF_CLAUSE)
			handler->type = lower_children_as(l, children[i].node, EXPR_UNKNOWN);
		else
			bind_pattern_names(l, children[i].node, handler, 0);
	}
}

static struct stmt *lower_match(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct stmt *s = new_stmt(l, STMT_MATCH, node);
	TSNode subject = field_of(children, count, PY_F_SUBJECT), body = field_of(children, count, PY_F_BODY);
	s->value = has_node(subject) ? lower_expr(l, subject) : new_expr(l, EXPR_UNKNOWN, node);
	if (!has_node(body))
		return s;
	struct py_child *cases = kids(l, body, &count);
	s->handlers = ARENA_ARRAY(l->arena, struct handler, count ? count : 1);
	for (uint32_t i = 0; i < count; i++)
		if (kind_of(l, cases[i].node) == PY_CASE)
			lower_case(l, cases[i].node, &s->handlers[s->handler_count++]);
	return s;
}

static struct str join_dotted(struct lower *l, struct str module, struct str name)
{
	bool dot = module.length && module.at[module.length - 1] != '.';
	char *joined = arena_format(l->arena, "%.*s%s%.*s", STR_ARG(module), dot ? "." : "", STR_ARG(name));
	return str_from(joined);
}

static void add_import(struct lower *l, struct stmt *s, struct str name, struct str dotted)
{
	struct import *grown = ARENA_ARRAY(l->arena, struct import, s->import_count + 1u);
	if (s->import_count)
		memcpy(grown, s->imports, s->import_count * sizeof *grown);
	grown[s->import_count++] = (struct import){name, dotted};
	s->imports = grown;
	if (!str_is(name, "*"))
		bind_name(l, name);
}

static struct stmt *lower_import(struct lower *l, TSNode node, bool from)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct stmt *s = new_stmt(l, STMT_IMPORT, node);
	TSNode module = field_of(children, count, PY_F_MODULE_NAME);
	struct str base = has_node(module) ? text_of(l, module) : (struct str){"", 0};
	for (uint32_t i = 0; i < count; i++) {
		enum py_node kind = kind_of(l, children[i].node);
		if (kind == PY_WILDCARD_IMPORT)
			add_import(l, s, STR("*"), base);
		if (children[i].field != PY_F_NAME)
			continue;
		struct str name = text_of(l, children[i].node), bound = name;
		if (kind == PY_ALIASED_IMPORT) {
			uint32_t inner;
			struct py_child *parts = kids(l, children[i].node, &inner);
			TSNode what = field_of(parts, inner, PY_F_NAME), as = field_of(parts, inner, PY_F_ALIAS);
			name = has_node(what) ? text_of(l, what) : name;
			bound = has_node(as) ? text_of(l, as) : name;
		} else if (!from) {
			/* `import a.b` binds `a`, which stands for itself */
			size_t dot = str_find(name, STR("."), 0);
			if (dot != SIZE_MAX)
				bound = name = (struct str){name.at, dot};
		}
		add_import(l, s, bound, from ? join_dotted(l, base, name) : name);
	}
	return s;
}

/* What is decorated in NODE, or NODE itself. */
static TSNode definition_in(const struct lower *l, TSNode node)
{
	TSNode inner = kind_of(l, node) == PY_DECORATED ? ts_node_child(node, ts_node_child_count(node) - 1) : node;
	return has_node(inner) ? inner : node;
}

static struct stmt *lower_definition(struct lower *l, TSNode node)
{
	struct stmt *s = new_stmt(l, STMT_DEF, node);
	bool is_function = kind_of(l, definition_in(l, node)) == PY_FUNCTION;
	bool is_outer = l->def->kind == DEF_MODULE || l->def->kind == DEF_CLASS;
	s->def = is_function && is_outer ? lower_function(l, node) : lower_def(l, node, l->def);
	bind_name(l, s->def->name);
	return s;
}

static void lower_outer_names(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	for (uint32_t i = 0; l->def && i < count; i++)
		add_name(l, &l->def->outer, &l->def->outer_count, text_of(l, children[i].node));
}

static struct stmt *lower_values(struct lower *l, TSNode node, enum stmt_kind kind)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct stmt *s = new_stmt(l, kind, node);
	if (count)
		s->value = lower_expr(l, children[0].node);
	return s;
}

static struct stmt *lower_delete(struct lower *l, TSNode node)
{
	struct stmt *s = lower_values(l, node, STMT_DELETE);
	if (s->value && s->value->kind == EXPR_TUPLE) {
		for (uint16_t i = 0; i < s->value->count; i++)
			add_target(l, s, s->value->items[i]);
	} else if (s->value) {
		add_target(l, s, s->value);
	}
	for (uint16_t i = 0; i < s->target_count; i++)
		bind_target(l, s->targets[i]);
	return s;
}

static struct stmt *lower_stmt(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children;
	switch (kind_of(l, node)) {
	case PY_EXPRESSION_STATEMENT:
		children = kids(l, node, &count);
		if (!count)
			return NULL;
		if (kind_of(l, children[0].node) == PY_ASSIGNMENT)
			return lower_assignment(l, children[0].node);
		if (kind_of(l, children[0].node) == PY_AUGMENTED_ASSIGNMENT)
			return lower_augmented(l, children[0].node);
		if (count == 1)
			return lower_values(l, node, STMT_EXPR);
		struct stmt *s = new_stmt(l, STMT_EXPR, node);
		s->value = lower_children_as(l, node, EXPR_TUPLE);
		return s;
	case PY_RETURN:
		return lower_values(l, node, STMT_RETURN);
	case PY_RAISE:
		return lower_values(l, node, STMT_RAISE);
	case PY_ASSERT:
		return lower_values(l, node, STMT_ASSERT);
	case PY_DELETE:
		return lower_delete(l, node);
	case PY_BREAK:
		return new_stmt(l, STMT_BREAK, node);
	case PY_CONTINUE:
		return new_stmt(l, STMT_CONTINUE, node);
	case PY_IMPORT:
		return lower_import(l, node, false);
	case PY_IMPORT_FROM:
		return lower_import(l, node, true);
	case PY_IF:
		return lower_if(l, node);
	case PY_FOR:
		return lower_for(l, node);
	case PY_WHILE:
		return lower_while(l, node);
	case PY_TRY:
		return lower_try(l, node);
	case PY_WITH:
		return lower_with(l, node);
	case PY_MATCH:
		return lower_match(l, node);
	case PY_FUNCTION:
	case PY_CLASS:
	case PY_DECORATED:
		return lower_definition(l, node);
	case PY_GLOBAL:
	case PY_NONLOCAL:
		lower_outer_names(l, node);
		return NULL;
	default:
		return NULL;
	}
}

/* What the parser could not fit together still holds whole statements; those are taken. */
static void add_recovered(struct lower *l, TSNode node, struct stmt **stmts, uint32_t *count, uint32_t room)
{
	uint32_t inner;
	struct py_child *parts = kids(l, node, &inner);
	for (uint32_t i = 0; i < inner && *count < room; i++) {
		struct stmt *s = lower_stmt(l, parts[i].node);
		if (s)
			stmts[(*count)++] = s;
	}
}

struct block lower_block(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct block block = {NULL, 0};
	if (l->depth >= LOWER_DEPTH_LIMIT) {
		l->truncated = true;
		return block;
	}
	uint32_t room = count + (ts_node_has_error(node) ? 64 : 0);
	l->depth += 2;
	block.stmts = ARENA_ARRAY(l->arena, struct stmt *, room);
	for (uint32_t i = 0; i < count; i++) {
		if (ts_node_is_error(children[i].node)) {
			add_recovered(l, children[i].node, block.stmts, &block.count, room - (count - i));
			continue;
		}
		struct stmt *s = lower_stmt(l, children[i].node);
		if (s)
			block.stmts[block.count++] = s;
	}
	l->depth -= 2;
	return block;
}

static void lower_bases(struct lower *l, struct def *def, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	def->bases = ARENA_ARRAY(l->arena, struct expr *, count ? count : 1);
	for (uint32_t i = 0; i < count; i++)
		if (ts_node_is_named(children[i].node))
			def->bases[def->base_count++] = lower_expr(l, children[i].node);
}

static TSNode lower_decorators(struct lower *l, struct def *def, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	def->decorators = ARENA_ARRAY(l->arena, struct expr *, count ? count : 1);
	for (uint32_t i = 0; i < count; i++) {
		if (kind_of(l, children[i].node) != PY_DECORATOR)
			continue;
		uint32_t inner;
		struct py_child *parts = kids(l, children[i].node, &inner);
		if (inner)
			def->decorators[def->decorator_count++] = lower_expr(l, parts[0].node);
	}
	TSNode definition = field_of(children, count, PY_F_DEFINITION);
	return has_node(definition) ? definition : node;
}

struct def *lower_def(struct lower *l, TSNode node, struct def *parent)
{
	struct def *outer = l->def;
	bool outer_truncated = l->truncated;
	l->def = parent;
	struct def *def = new_def(l, DEF_MODULE, node);
	register_def(l, def);
	l->truncated = false;
	if (kind_of(l, node) == PY_DECORATED)
		node = lower_decorators(l, def, node);
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	enum py_node kind = kind_of(l, node);
	if (kind == PY_MODULE || (kind != PY_FUNCTION && kind != PY_CLASS)) {
		l->def = def;
		def->body = lower_block(l, node);
	} else {
		TSNode name = field_of(children, count, PY_F_NAME), bases = field_of(children, count, PY_F_SUPERCLASSES);
		TSNode params = field_of(children, count, PY_F_PARAMETERS);
		def->kind = kind == PY_CLASS ? DEF_CLASS : DEF_FUNCTION;
		def->name = has_node(name) ? text_of(l, name) : (struct str){"", 0};
		def->head.start = span_of(l, node).start;
		def->head.end = span_of(l, has_node(name) ? name : node).end;
		def->is_async = str_starts(text_of(l, node), "async");
		if (has_node(bases))
			lower_bases(l, def, bases);
		if (has_node(params))
			lower_params(l, def, params);
		bind_params(l, def);
		l->def = def;
		def->body = lower_field_block(l, children, count, PY_F_BODY);
	}
	def->truncated = l->truncated;
	l->truncated = outer_truncated || def->truncated;
	l->def = outer;
	return def;
}

void lower_release(struct lower *l)
{
	if (l->memory)
		lower_memory_settle(l->memory);
	free(l->defs);
	map_release(&l->called);
	map_release(&l->asked);
	l->defs = NULL;
	l->def_count = l->def_room = 0;
}
