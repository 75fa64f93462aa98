#include "flow/lower.h"

#include <stdlib.h>
#include "base/vec.h"

static struct expr *lower_expr(struct lower *l, TSNode node);
static struct block lower_block(struct lower *l, TSNode node);
static void bind_comprehension(struct lower *l, const struct expr *target);

static struct str text_of(const struct lower *l, TSNode node)
{
	uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
	if (end > l->text.length)
		end = (uint32_t)l->text.length;
	return start < end ? (struct str){l->text.at + start, end - start} : (struct str){"", 0};
}

static struct span span_of(const struct lower *l, TSNode node)
{
	return (struct span){ts_node_start_byte(node) + l->offset, ts_node_end_byte(node) + l->offset};
}

static struct py_child *kids(struct lower *l, TSNode node, uint32_t *count)
{
	return py_children(l->parser, l->grammar, node, l->arena, count);
}

static enum py_node kind_of(const struct lower *l, TSNode node)
{
	return py_kind(l->grammar, node);
}

static TSNode field_of(const struct py_child *children, uint32_t count, enum py_field field)
{
	for (uint32_t i = 0; i < count; i++)
		if (children[i].field == field)
			return children[i].node;
	return (TSNode){0};
}

static bool has_node(TSNode node)
{
	return node.id != NULL;
}

static struct expr *new_expr(struct lower *l, enum expr_kind kind, TSNode node)
{
	struct expr *e = ARENA_NEW(l->arena, struct expr);
	e->kind = kind;
	e->span = span_of(l, node);
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

static void add_name(struct lower *l, struct str **list, uint32_t *count, struct str name)
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

static void add_local(struct lower *l, struct def *def, struct str name)
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

static void bind_name(struct lower *l, struct str name)
{
	struct def *def = l->def;
	while (def && def->kind == DEF_COMPREHENSION)
		def = def->parent;
	if (def && name.length && !def_declares_outer(def, name))
		add_local(l, def, name);
}

/* ---- expressions ---- */

static struct expr *lower_children_as(struct lower *l, TSNode node, enum expr_kind kind)
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
		map_put(&l->called, e->items[0]->name, l);
	if (generator)
		e->items[e->count++] = lower_expr(l, arguments);
	for (uint32_t i = 0; i < inner && e->count < UINT16_MAX; i++)
		if (ts_node_is_named(args[i].node))
			e->items[e->count++] = lower_expr(l, args[i].node);
	return e;
}

static struct def *new_def(struct lower *l, enum def_kind kind, TSNode node)
{
	struct def *def = ARENA_NEW(l->arena, struct def);
	def->kind = kind;
	def->span = def->head = span_of(l, node);
	def->parent = l->def;
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
		clause->span = span_of(l, children[i].node);
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

static void lower_params(struct lower *l, struct def *def, TSNode node)
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

static void bind_params(struct lower *l, struct def *def)
{
	for (uint32_t i = 0; i < def->param_count; i++)
		add_local(l, def, def->params[i].name);
}

static void register_def(struct lower *l, struct def *def)
{
	for (struct def *up = def->parent; up && !up->has_inner; up = up->parent)
		up->has_inner = true;
	if (l->def_count == l->def_room) {
		l->def_room = l->def_room ? l->def_room * 2 : 16;
		l->defs = mem_resize(l->defs, l->def_room, sizeof *l->defs);
	}
	def->index = l->def_count;
	l->defs[l->def_count++] = def;
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
	ret->span = span_of(l, node);
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

static struct expr *lower_attribute(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	TSNode object = field_of(children, count, PY_F_OBJECT), name = field_of(children, count, PY_F_ATTRIBUTE);
	struct expr *e = new_expr(l, EXPR_ATTRIBUTE, node);
	struct expr *item = has_node(object) ? lower_expr(l, object) : new_expr(l, EXPR_UNKNOWN, node);
	set_items(l, e, &item, 1);
	e->name = has_node(name) ? text_of(l, name) : (struct str){"", 0};
	return e;
}

static struct expr *lower_keyword(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	TSNode name = field_of(children, count, PY_F_NAME), value = field_of(children, count, PY_F_VALUE);
	struct expr *e = new_expr(l, EXPR_KEYWORD, node);
	struct expr *item = has_node(value) ? lower_expr(l, value) : new_expr(l, EXPR_UNKNOWN, node);
	set_items(l, e, &item, 1);
	e->name = has_node(name) ? text_of(l, name) : (struct str){"", 0};
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
		return lower_attribute(l, node);
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
		return lower_keyword(l, node);
	case PY_PARENTHESIZED:
	case PY_TYPE:
	case PY_AS_PATTERN_TARGET:
		children = kids(l, node, &count);
		return count ? lower_expr(l, children[0].node) : new_expr(l, EXPR_UNKNOWN, node);
	default:
		return lower_children_as(l, node, EXPR_UNKNOWN);
	}
}

static struct expr *lower_expr(struct lower *l, TSNode node)
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

/* ---- statements ---- */

/* Binds the names of a target in the scope of the moment: a comprehension keeps its own. */
static void bind_comprehension(struct lower *l, const struct expr *target)
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
	s->span = span_of(l, node);
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
	handler->span = span_of(l, node);
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
	handler->span = span_of(l, node);
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

static struct stmt *lower_definition(struct lower *l, TSNode node)
{
	struct stmt *s = new_stmt(l, STMT_DEF, node);
	s->def = lower_def(l, node, l->def);
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

static struct block lower_block(struct lower *l, TSNode node)
{
	uint32_t count;
	struct py_child *children = kids(l, node, &count);
	struct block block = {NULL, 0};
	if (l->depth >= LOWER_DEPTH_LIMIT) {
		l->truncated = true;
		return block;
	}
	uint32_t room = count + 64;
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
		def->head = (struct span){span_of(l, node).start,
					  has_node(name) ? span_of(l, name).end : span_of(l, node).end};
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
	free(l->defs);
	map_release(&l->called);
	l->defs = NULL;
	l->def_count = l->def_room = 0;
}
