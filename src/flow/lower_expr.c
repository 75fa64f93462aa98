#include "flow/lowering.h"

#include <stdlib.h>
#include "base/vec.h"

struct str text_of(const struct lower *l, TSNode node)
{
	uint32_t start = ts_node_start_byte(node) - l->text_start, end = ts_node_end_byte(node) - l->text_start;
	if (end > l->text.length)
		end = (uint32_t)l->text.length;
	return start < end ? (struct str){l->text.at + start, end - start} : (struct str){"", 0};
}

struct span span_of(const struct lower *l, TSNode node)
{
	return (struct span){ts_node_start_byte(node) + l->offset, ts_node_end_byte(node) + l->offset};
}

void set_span(struct lower *l, struct span *span, struct span at)
{
	*span = at;
	if (l->function)
		VEC_ADD(&l->function->places, span);
}

/* For what is of use for the text at hand only. */
static struct arena *passing_arena(const struct lower *l)
{
	return l->function ? l->outer_arena : l->arena;
}

struct py_child *kids(struct lower *l, TSNode node, uint32_t *count)
{
	return py_children(l->parser, l->grammar, node, passing_arena(l), count);
}

enum py_node kind_of(const struct lower *l, TSNode node)
{
	return py_kind(l->grammar, node);
}

TSNode field_of(const struct py_child *children, uint32_t count, enum py_field field)
{
	for (uint32_t i = 0; i < count; i++)
		if (children[i].field == field)
			return children[i].node;
	return (TSNode){0};
}

bool has_node(TSNode node)
{
	return node.id != NULL;
}

struct expr *new_expr(struct lower *l, enum expr_kind kind, TSNode node)
{
	struct expr *e = ARENA_NEW(l->arena, struct expr);
	e->kind = kind;
	set_span(l, &e->span, span_of(l, node));
	e->number = INT64_MIN;
	l->expr_count++;
	return e;
}

static void set_items(struct lower *l, struct expr *e, struct expr **items, size_t count)
{
	e->items = ARENA_ARRAY(l->arena, struct expr *, count ? count : 1);
	for (size_t i = 0; i < count && i < UINT16_MAX; i++)
		e->items[e->count++] = items[i];
}

/* ---- names that a definition binds ---- */

int32_t def_local(const struct def *def, struct str name)
{
	if (!def->local_table_size)
		return -1;
	uint32_t mask = def->local_table_size - 1;
	for (uint32_t at = (uint32_t)str_hash(name) & mask;; at = (at + 1) & mask) {
		uint32_t place = def->local_table[at];
		if (!place)
			return -1;
		if (str_equal(def->locals[place - 1], name))
			return (int32_t)place - 1;
	}
}

bool def_declares_outer(const struct def *def, struct str name)
{
	for (uint32_t i = 0; i < def->outer_count; i++)
		if (str_equal(def->outer[i], name))
			return true;
	return false;
}

static void enter_local(struct def *def, uint32_t place)
{
	uint32_t mask = def->local_table_size - 1;
	uint32_t at = (uint32_t)str_hash(def->locals[place]) & mask;
	while (def->local_table[at])
		at = (at + 1) & mask;
	def->local_table[at] = place + 1;
}

void add_name(struct lower *l, struct str **list, uint32_t *count, struct str name)
{
	/* Rooms double at powers of two, so that the list may live in the arena. */
	if ((*count & (*count - 1)) == 0) {
		struct str *grown = ARENA_ARRAY(l->arena, struct str, *count ? *count * 2 : 2);
		if (*count)
			memcpy(grown, *list, *count * sizeof **list);
		*list = grown;
	}
	(*list)[(*count)++] = name;
}

void add_local(struct lower *l, struct def *def, struct str name)
{
	if (def_local(def, name) >= 0)
		return;
	add_name(l, &def->locals, &def->local_count, name);
	if (def->local_count * 2 <= def->local_table_size) {
		enter_local(def, def->local_count - 1);
		return;
	}
	def->local_table_size = def->local_table_size ? def->local_table_size * 2 : 8;
	def->local_table = ARENA_ARRAY(l->arena, uint32_t, def->local_table_size);
	for (uint32_t i = 0; i < def->local_count; i++)
		enter_local(def, i);
}

void bind_name(struct lower *l, struct str name)
{
	struct def *def = l->def;
	while (def && def->kind == DEF_COMPREHENSION)
		def = def->parent;
	if (def && name.length && !def_declares_outer(def, name))
		add_local(l, def, name);
}

/* ---- expressions ---- */

struct expr *lower_children_as(struct lower *l, TSNode node, enum expr_kind kind)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct expr *e = new_expr(l, kind, node);
	e->items = ARENA_ARRAY(l->arena, struct expr *, count ? count : 1);
	for (uint32_t i = 0; i < count && e->count < UINT16_MAX; i++)
		if (ts_node_is_named(children[i].node))
			e->items[e->count++] = lower_expr(l, children[i].node);
	return e;
}

static int64_t read_integer(struct str digits)
{
	int64_t value = 0;
	for (size_t i = 0; i < digits.length; i++) {
		if (digits.at[i] == '_')
			continue;
		if (digits.at[i] < '0' || digits.at[i] > '9' || value > INT64_MAX / 10 - 9)
			return INT64_MIN;
		value = value * 10 + (digits.at[i] - '0');
	}
	return value;
}

static struct expr *lower_string(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct expr *e = new_expr(l, EXPR_TEXT, node);
	e->items = ARENA_ARRAY(l->arena, struct expr *, count ? count : 1);
	for (uint32_t i = 0; i < count && e->count < UINT16_MAX; i++) {
		enum py_node kind = kind_of(l, children[i].node);
		if (kind == PY_STRING_CONTENT && !e->name.length) {
			e->name = text_of(l, children[i].node);
		} else if (kind == PY_INTERPOLATION) {
			uint32_t inner;
			struct py_child *parts = kids(l, children[i].node, &inner);
			TSNode value = field_of(parts, inner, PY_F_EXPRESSION);
			if (has_node(value))
				e->items[e->count++] = lower_expr(l, value);
		} else if (kind == PY_STRING) {
			struct expr *part = lower_string(l, children[i].node);
			if (part->count == 1 || part->count > 1)
				e->items[e->count++] = part;
			else if (!e->name.length)
				e->name = part->name;
		}
	}
	return e;
}

/* a + b + c, however long, becomes one node with its operands in order, without recursion down the left. */
static struct expr *lower_binary(struct lower *l, TSNode node)
{
	struct expr *e = new_expr(l, EXPR_BINARY, node);
	VEC(TSNode) right = {0};
	TSNode left = node;
	for (;;) {
		uint32_t count;
		struct py_child *children = kids(l, left, &count);
		TSNode op = field_of(children, count, PY_F_OPERATOR);
		char c = has_node(op) && text_of(l, op).length ? text_of(l, op).at[0] : '?';
		if (!e->op)
			e->op = c;
		TSNode r = field_of(children, count, PY_F_RIGHT);
		TSNode next = field_of(children, count, PY_F_LEFT);
		if (!has_node(r) || !has_node(next))
			break;
		VEC_ADD(&right, r);
		left = next;
		if (kind_of(l, left) != PY_BINARY)
			break;
		/* Only a run of one operator is flattened; `%` stays apart, it formats. */
		struct py_child *inner = kids(l, left, &count);
		TSNode inner_op = field_of(inner, count, PY_F_OPERATOR);
		if (!has_node(inner_op) || text_of(l, inner_op).at[0] != e->op || e->op == '%')
			break;
	}
	e->items = ARENA_ARRAY(l->arena, struct expr *, right.count + 1);
	e->items[e->count++] = lower_expr(l, left);
	for (size_t i = right.count; i > 0 && e->count < UINT16_MAX; i--)
		e->items[e->count++] = lower_expr(l, right.items[i - 1]);
	VEC_RELEASE(&right);
	return e;
}

static struct expr *lower_compare(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct expr *e = new_expr(l, EXPR_COMPARE, node);
	e->items = ARENA_ARRAY(l->arena, struct expr *, count ? count : 1);
	for (uint32_t i = 0; i < count && e->count < UINT16_MAX; i++) {
		struct str text = text_of(l, children[i].node);
		if (children[i].field != PY_F_OPERATORS)
			e->items[e->count++] = lower_expr(l, children[i].node);
		else if (str_starts(text, "is"))
			e->op = text.length > 2 || str_ends(text, "not") ? 'S' : 's';
		else if (str_starts(text, "not"))
			e->op = e->op == 's' ? 'S' : 'n';
		else if (text.length)
			e->op = text.at[0] == '=' ? '=' : text.at[0];
	}
	return e;
}

void note_import(struct lower *l, const struct stmt *import)
{
	VEC_ADD(&l->imports, import);
	if (l->function)
		VEC_ADD(&l->function->imports, import);
}

void note_called(struct lower *l, struct str name)
{
	map_put(&l->called, name, l);
	if (l->function)
		VEC_ADD(&l->function->called, name);
}

void note_asked(struct lower *l, struct str base, struct str method)
{
	enum { MOST = 24 };
	struct asked_method *first = map_get(&l->asked, base);
	uint32_t count = 0;
	if (l->function)
		VEC_ADD(&l->function->asked, ((struct asked_name){base, method}));
	for (const struct asked_method *known = first; known; known = known->next)
		if (str_equal(known->name, method) || ++count == MOST)
			return;
	struct asked_method *asked = ARENA_NEW(passing_arena(l), struct asked_method);
	*asked = (struct asked_method){method, first};
	map_put(&l->asked, base, asked);
}

static struct expr *lower_call(struct lower *l, TSNode node)
{
	uint32_t count, inner = 0;
	struct py_child *children = kids(l, node, &count);
	TSNode function = field_of(children, count, PY_F_FUNCTION), arguments = field_of(children, count, PY_F_ARGUMENTS);
	struct expr *e = new_expr(l, EXPR_CALL, node);
	struct py_child *args = NULL;
	bool generator = has_node(arguments) && kind_of(l, arguments) == PY_GENERATOR;
	if (has_node(arguments) && !generator)
		args = kids(l, arguments, &inner);
	e->items = ARENA_ARRAY(l->arena, struct expr *, inner + 2u);
	e->items[e->count++] = has_node(function) ? lower_expr(l, function) : new_expr(l, EXPR_UNKNOWN, node);
	if (e->items[0]->name.length && (e->items[0]->kind == EXPR_NAME || e->items[0]->kind == EXPR_ATTRIBUTE))
		note_called(l, e->items[0]->name);
	if (e->items[0]->kind == EXPR_ATTRIBUTE && e->items[0]->count) {
		const struct expr *base = e->items[0]->items[0];
		if (base->kind == EXPR_NAME || base->kind == EXPR_ATTRIBUTE)
			note_asked(l, base->name, e->items[0]->name);
	}
	if (generator)
		e->items[e->count++] = lower_expr(l, arguments);
	for (uint32_t i = 0; i < inner && e->count < UINT16_MAX; i++)
		if (ts_node_is_named(args[i].node))
			e->items[e->count++] = lower_expr(l, args[i].node);
	return e;
}

struct def *new_def(struct lower *l, enum def_kind kind, TSNode node)
{
	struct def *def = ARENA_NEW(l->arena, struct def);
	def->kind = kind;
	set_span(l, &def->span, span_of(l, node));
	set_span(l, &def->head, def->span);
	def->parent = l->def;
	if (l->function)
		VEC_ADD(&l->function->scopes, def);
	return def;
}

/* Names bound by a comprehension's `for` are its own; a walrus inside binds in the function. */
static struct expr *lower_comprehension(struct lower *l, TSNode node, char op)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct expr *e = new_expr(l, EXPR_COMPREHENSION, node);
	e->op = op;
	e->clauses = ARENA_ARRAY(l->arena, struct clause, count ? count : 1);
	e->items = ARENA_ARRAY(l->arena, struct expr *, 1);
	struct def *scope = new_def(l, DEF_COMPREHENSION, node), *outer = l->def;
	e->def = scope;
	TSNode body = {0};
	for (uint32_t i = 0; i < count; i++) {
		enum py_node kind = kind_of(l, children[i].node);
		if (children[i].field == PY_F_BODY)
			body = children[i].node;
		if (kind != PY_FOR_IN && kind != PY_IF_CLAUSE)
			continue;
		uint32_t inner;
		struct py_child *parts = kids(l, children[i].node, &inner);
		struct clause *clause = &e->clauses[e->clause_count++];
		set_span(l, &clause->span, span_of(l, children[i].node));
		l->def = scope;
		if (kind == PY_FOR_IN) {
			TSNode left = field_of(parts, inner, PY_F_LEFT), right = field_of(parts, inner, PY_F_RIGHT);
			clause->iterable = has_node(right) ? lower_expr(l, right) : new_expr(l, EXPR_UNKNOWN, node);
			clause->target = has_node(left) ? lower_expr(l, left) : NULL;
			bind_comprehension(l, clause->target);
		} else if (inner) {
			clause->condition = lower_expr(l, parts[0].node);
		}
	}
	l->def = scope;
	e->items[0] = has_node(body) ? lower_expr(l, body) : new_expr(l, EXPR_UNKNOWN, node);
	e->count = 1;
	l->def = outer;
	return e;
}

void lower_params(struct lower *l, struct def *def, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	bool keyword_only = false;
	def->params = ARENA_ARRAY(l->arena, struct param, count ? count : 1);
	for (uint32_t i = 0; i < count; i++) {
		TSNode child = children[i].node;
		struct param *param = &def->params[def->param_count];
		enum py_node kind = kind_of(l, child);
		uint32_t inner = 0;
		struct py_child *parts = kind == PY_IDENTIFIER ? NULL : kids(l, child, &inner);
		TSNode name = kind == PY_IDENTIFIER ? child : field_of(parts, inner, PY_F_NAME);
		if (kind == PY_KEYWORD_SEPARATOR || kind == PY_POSITIONAL_SEPARATOR) {
			keyword_only |= kind == PY_KEYWORD_SEPARATOR;
			continue;
		}
		if (!has_node(name) && inner)
			name = parts[0].node;
		if (!has_node(name))
			continue;
		enum py_node pattern = kind_of(l, name) == PY_IDENTIFIER ? kind : kind_of(l, name);
		if (pattern == PY_LIST_SPLAT_PATTERN || pattern == PY_DICTIONARY_SPLAT_PATTERN) {
			param->kind = pattern == PY_LIST_SPLAT_PATTERN ? PARAM_STAR : PARAM_DOUBLE_STAR;
			keyword_only = true;
			while (kind_of(l, name) != PY_IDENTIFIER && ts_node_named_child_count(name))
				name = ts_node_named_child(name, 0);
		}
		TSNode value = field_of(parts, inner, PY_F_VALUE), type = field_of(parts, inner, PY_F_TYPE);
		param->name = text_of(l, name);
		param->keyword_only = keyword_only && param->kind == PARAM_PLAIN;
		param->fallback = has_node(value) ? lower_expr(l, value) : NULL;
		param->annotation = has_node(type) ? lower_expr(l, type) : NULL;
		def->param_count++;
	}
}

void bind_params(struct lower *l, struct def *def)
{
	for (uint32_t i = 0; i < def->param_count; i++)
		add_local(l, def, def->params[i].name);
}

void register_def(struct lower *l, struct def *def)
{
	for (struct def *up = def->parent; up && !up->has_inner; up = up->parent)
		up->has_inner = true;
	if (l->def_count == l->def_room) {
		l->def_room = l->def_room ? l->def_room * 2 : 16;
		l->defs = mem_resize(l->defs, l->def_room, sizeof *l->defs);
	}
	if (l->function)
		VEC_ADD(&l->function->defs, def);
	def->index = l->def_count | l->first_index;
	l->defs[l->def_count++] = def;
	if (def->kind != DEF_LAMBDA)
		VEC_ADD(&l->named, def);
}

static struct expr *lower_lambda(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	TSNode params = field_of(children, count, PY_F_PARAMETERS), body = field_of(children, count, PY_F_BODY);
	struct expr *e = new_expr(l, EXPR_LAMBDA, node);
	struct def *def = new_def(l, DEF_LAMBDA, node), *outer = l->def;
	def->name = STR("lambda");
	e->def = def;
	register_def(l, def);
	if (has_node(params))
		lower_params(l, def, params);
	bind_params(l, def);
	l->def = def;
	struct stmt *ret = ARENA_NEW(l->arena, struct stmt);
	ret->kind = STMT_RETURN;
	set_span(l, &ret->span, span_of(l, node));
	ret->value = has_node(body) ? lower_expr(l, body) : NULL;
	def->body.stmts = ARENA_ARRAY(l->arena, struct stmt *, 1);
	def->body.stmts[0] = ret;
	def->body.count = 1;
	l->def = outer;
	return e;
}

static void mark_generator(struct lower *l)
{
	struct def *def = l->def;
	while (def && def->kind == DEF_COMPREHENSION)
		def = def->parent;
	if (def)
		def->is_generator = true;
}

/* OBJECT.NAME and NAME=VALUE: an expression under one field, a name under another. */
static struct expr *lower_with_name(struct lower *l, TSNode node, enum expr_kind kind, enum py_field value, enum py_field name)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	TSNode inner = field_of(children, count, value), word = field_of(children, count, name);
	struct expr *e = new_expr(l, kind, node);
	struct expr *item = has_node(inner) ? lower_expr(l, inner) : new_expr(l, EXPR_UNKNOWN, node);
	set_items(l, e, &item, 1);
	e->name = has_node(word) ? text_of(l, word) : (struct str){"", 0};
	return e;
}

static struct expr *lower_subscript(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct expr *e = new_expr(l, EXPR_SUBSCRIPT, node);
	e->items = ARENA_ARRAY(l->arena, struct expr *, count ? count : 1);
	for (uint32_t i = 0; i < count && e->count < UINT16_MAX; i++)
		if (children[i].field == PY_F_VALUE || children[i].field == PY_F_SUBSCRIPT)
			e->items[e->count++] = lower_expr(l, children[i].node);
	return e;
}

/* Two children under the given fields, in that order. */
static struct expr *lower_two(struct lower *l, TSNode node, enum expr_kind kind, enum py_field a, enum py_field b)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct expr *e = new_expr(l, kind, node);
	TSNode first = field_of(children, count, a), second = field_of(children, count, b);
	struct expr *items[2] = {has_node(first) ? lower_expr(l, first) : new_expr(l, EXPR_UNKNOWN, node),
				 has_node(second) ? lower_expr(l, second) : new_expr(l, EXPR_UNKNOWN, node)};
	set_items(l, e, items, 2);
	return e;
}

static struct expr *lower_named(struct lower *l, TSNode node)
{
	struct expr *e = lower_two(l, node, EXPR_NAMED, PY_F_NAME, PY_F_VALUE);
	if (e->items[0]->kind == EXPR_NAME)
		bind_name(l, e->items[0]->name);
	return e;
}

static struct expr *lower_atom(struct lower *l, TSNode node, enum expr_kind kind)
{
	struct expr *e = new_expr(l, kind, node);
	e->name = text_of(l, node);
	if (kind == EXPR_NUMBER)
		e->number = read_integer(e->name);
	return e;
}

static struct expr *lower_yield(struct lower *l, TSNode node)
{
	struct expr *e = lower_children_as(l, node, EXPR_YIELD);
	struct str text = text_of(l, node);
	for (size_t i = 5; i < text.length && (text.at[i] == ' ' || text.at[i] == 'f'); i++)
		if (text.at[i] == 'f' && text.length - i > 5 && memcmp(text.at + i, "from ", 5) == 0)
			e->op = 'f';
	mark_generator(l);
	return e;
}

static struct expr *lower_expr_kind(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children;
	switch (kind_of(l, node)) {
	case PY_IDENTIFIER:
		return lower_atom(l, node, EXPR_NAME);
	case PY_INTEGER:
	case PY_FLOAT:
		return lower_atom(l, node, EXPR_NUMBER);
	case PY_TRUE:
	case PY_FALSE:
	case PY_NONE:
		return lower_atom(l, node, EXPR_CONSTANT);
	case PY_STRING:
	case PY_CONCATENATED_STRING:
		return lower_string(l, node);
	case PY_ATTRIBUTE:
		return lower_with_name(l, node, EXPR_ATTRIBUTE, PY_F_OBJECT, PY_F_ATTRIBUTE);
	case PY_SUBSCRIPT:
		return lower_subscript(l, node);
	case PY_SLICE:
		return lower_children_as(l, node, EXPR_SLICE);
	case PY_CALL:
		return lower_call(l, node);
	case PY_BINARY:
		return lower_binary(l, node);
	case PY_COMPARISON:
		return lower_compare(l, node);
	case PY_BOOLEAN: {
		struct expr *e = lower_two(l, node, EXPR_BOOLEAN, PY_F_LEFT, PY_F_RIGHT);
		children = kids(l, node, &count);
		TSNode op = field_of(children, count, PY_F_OPERATOR);
		e->op = has_node(op) && text_of(l, op).length ? text_of(l, op).at[0] : 'a';
		return e;
	}
	case PY_NOT:
		return lower_children_as(l, node, EXPR_NOT);
	case PY_UNARY:
		return lower_children_as(l, node, EXPR_UNARY);
	case PY_CONDITIONAL:
		return lower_children_as(l, node, EXPR_CONDITIONAL);
	case PY_LAMBDA:
		return lower_lambda(l, node);
	case PY_TUPLE:
	case PY_TUPLE_PATTERN:
	case PY_PATTERN_LIST:
	case PY_EXPRESSION_LIST:
		return lower_children_as(l, node, EXPR_TUPLE);
	case PY_LIST:
	case PY_LIST_PATTERN:
		return lower_children_as(l, node, EXPR_LIST);
	case PY_SET:
		return lower_children_as(l, node, EXPR_SET);
	case PY_DICTIONARY:
		return lower_children_as(l, node, EXPR_DICT);
	case PY_PAIR:
		return lower_two(l, node, EXPR_PAIR, PY_F_KEY, PY_F_VALUE);
	case PY_LIST_COMPREHENSION:
		return lower_comprehension(l, node, '[');
	case PY_SET_COMPREHENSION:
		return lower_comprehension(l, node, '{');
	case PY_DICTIONARY_COMPREHENSION:
		return lower_comprehension(l, node, ':');
	case PY_GENERATOR:
		return lower_comprehension(l, node, '(');
	case PY_AWAIT:
		return lower_children_as(l, node, EXPR_AWAIT);
	case PY_YIELD:
		return lower_yield(l, node);
	case PY_LIST_SPLAT:
	case PY_LIST_SPLAT_PATTERN:
		return lower_children_as(l, node, EXPR_STAR);
	case PY_DICTIONARY_SPLAT:
	case PY_DICTIONARY_SPLAT_PATTERN:
		return lower_children_as(l, node, EXPR_DOUBLE_STAR);
	case PY_NAMED:
		return lower_named(l, node);
	case PY_KEYWORD_ARGUMENT:
		return lower_with_name(l, node, EXPR_KEYWORD, PY_F_VALUE, PY_F_NAME);
	case PY_PARENTHESIZED:
	case PY_TYPE:
	case PY_AS_PATTERN_TARGET:
		children = kids(l, node, &count);
		return count ? lower_expr(l, children[0].node) : new_expr(l, EXPR_UNKNOWN, node);
	default:
		return lower_children_as(l, node, EXPR_UNKNOWN);
	}
}

struct expr *lower_expr(struct lower *l, TSNode node)
{
	if (l->depth >= LOWER_DEPTH_LIMIT) {
		l->truncated = true;
		return new_expr(l, EXPR_UNKNOWN, node);
	}
	l->depth++;
	struct expr *e = lower_expr_kind(l, node);
	l->depth--;
	return e;
}
