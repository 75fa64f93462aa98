#include "rule/fix.h"

#include <string.h>

#include "rule/reading.h"
#include "rule/surround.h"

bool fix_is_primary(struct str code)
{
	int depth = 0;
	char quote = 0;
	for (size_t i = 0; i < code.length; i++) {
		char c = code.at[i];
		if (quote) {
			if (c == '\\')
				i++;
			else if (c == quote)
				quote = 0;
		} else if (c == '"' || c == '\'') {
			quote = c;
		} else if (strchr("([{", c)) {
			depth++;
		} else if (strchr(")]}", c)) {
			depth--;
		} else if (depth == 0 && strchr(" \t\r\n+-*/%@&|^<>=~:,", c)) {
			return false;
		}
	}
	return code.length > 0 && depth == 0 && !quote;
}

static void add_edit(const struct fix_input *in, struct finding *finding, uint32_t start, uint32_t end, const char *text)
{
	enum { MOST = 4 };

	if (!finding->edits)
		finding->edits = ARENA_ARRAY(in->arena, struct edit, MOST);
	finding->edits[finding->edit_count++] = (struct edit){{start, end}, text};
}

/* ---- text behind the value that is kept ---- */

/* Who keeps it, in the code of the store: `xs` of `xs.append(v)` and `xs["a"] += v`, one of several in `a, b = …`. */
struct holder {
	TSNode target;  /* as written on the left; null where it is kept by a call */
	TSNode base;    /* its name; null where it is an attribute or something else */
	bool contains;  /* it is a container of what is kept */
	bool extended;  /* by all elements of the value */
	uint32_t part, parts; /* of several targets it is this one; PARTS 0: it is the only one */
};

static TSNode base_of(const struct syntax *syntax, TSNode node, bool *contains)
{
	TSNode none = {0};

	for (;;) {
		TSNode function = syntax_field(node, "function");

		if (syntax_kind(syntax, node) == PY_SUBSCRIPT)
			node = syntax_field(node, "value");
		else if (syntax_kind(syntax, node) == PY_CALL && syntax_is(syntax, syntax_field(function, "attribute"), "setdefault"))
			node = syntax_field(function, "object");
		else
			return syntax_kind(syntax, node) == PY_IDENTIFIER ? node : none;
		*contains = true;
	}
}

static struct holder holder_of(const struct fix_input *in, TSNode store)
{
	const struct syntax *syntax = in->syntax;
	TSNode function = syntax_field(store, "function");
	struct holder holder = {.extended = in->fact->event->op == STORE_EXTEND};
	enum py_node kind;

	if (syntax_kind(syntax, store) == PY_CALL) {
		holder.base = base_of(syntax, syntax_field(function, "object"), &holder.contains);
		holder.contains |= in->fact->kind != FACT_ACCUMULATE; /* total.add_(loss) */
		return holder;
	}
	holder.target = syntax_field(store, "left");
	kind = syntax_kind(syntax, holder.target);
	if (kind == PY_PATTERN_LIST || kind == PY_TUPLE_PATTERN) {
		TSNode left = holder.target;

		holder.parts = syntax_child_count(syntax, left);
		for (holder.part = 0; holder.part < holder.parts && holder.part < 16; holder.part++) {
			holder.target = syntax_child(syntax, left, holder.part);
			if (str_equal(syntax_text(syntax, holder.target), in->fact->event->name))
				break;
		}
	}
	holder.base = base_of(syntax, holder.target, &holder.contains);
	return holder;
}

/* What a method may be called on. */
static bool is_operand(enum py_node kind)
{
	return kind == PY_IDENTIFIER || kind == PY_ATTRIBUTE || kind == PY_SUBSCRIPT || kind == PY_CALL || kind == PY_BINARY ||
	       kind == PY_UNARY || kind == PY_NAMED;
}

/* The expression in VALUE that is the tensor which HOLDER keeps, or a null node where that is not plain. *INSIDE: it was
 * found in a display or comprehension. */
static TSNode kept_in(const struct fix_input *in, const struct holder *holder, TSNode value, bool *inside)
{
	const struct syntax *syntax = in->syntax;
	TSNode none = {0}, left, right;

	for (int depth = 0; depth < 8 && !ts_node_is_null(value); depth++) {
		switch (syntax_kind(syntax, value)) {
		case PY_PARENTHESIZED:
			value = syntax_child(syntax, value, 0);
			break;
		case PY_EXPRESSION_LIST:
		case PY_TUPLE:
		case PY_LIST:
			if (depth == 0 && holder->parts > 0 && syntax_child_count(syntax, value) == holder->parts) {
				value = syntax_child(syntax, value, holder->part);
				break;
			}
			if (syntax_child_count(syntax, value) != 1)
				return none;
			value = syntax_child(syntax, value, 0);
			*inside = true;
			break;
		case PY_LIST_COMPREHENSION:
		case PY_GENERATOR:
			value = syntax_field(value, "body");
			*inside = true;
			break;
		case PY_DICTIONARY_COMPREHENSION:
			value = syntax_field(syntax_field(value, "body"), "value");
			*inside = true;
			break;
		case PY_BINARY:
			/* total + loss: what is added */
			left = syntax_field(value, "left");
			right = syntax_field(value, "right");
			if (!syntax_is(syntax, syntax_field(value, "operator"), "+") || ts_node_is_null(holder->target))
				return value;
			if (str_equal(syntax_text(syntax, left), syntax_text(syntax, holder->target)))
				value = right;
			else if (str_equal(syntax_text(syntax, right), syntax_text(syntax, holder->target)))
				value = left;
			else
				return value;
			break;
		default:
			return is_operand(syntax_kind(syntax, value)) ? value : none;
		}
	}
	return none;
}

static bool is_as_number(const struct fix_input *in, const struct holder *holder, TSNode store)
{
	if (ts_node_is_null(holder->base))
		return false;
	return reading_is_number(in->syntax, store, syntax_text(in->syntax, holder->base), !holder->contains, in->fact->scalar);
}

/* Whether STORE takes what it keeps one by one from an iterator: that happens in a loop of its own. */
static bool is_iterated(const struct fix_input *in, TSNode store)
{
	const struct loop *loop = in->fact->event->path;
	struct span span = py_span(store);

	return loop && loop->form != LOOP_VIRTUAL && span.start <= loop->span.start && loop->span.end <= span.end;
}

/* What is written before and after a generator expression in the place of what STORE keeps; "" for nothing. */
static const char *displayed_in(const struct fix_input *in, TSNode store)
{
	if (syntax_kind(in->syntax, store) != PY_CALL)
		return "[]";
	return syntax_child_count(in->syntax, syntax_field(store, "arguments")) == 1 ? "" : "()";
}

static void make_append(const struct fix_input *in, TSNode value, struct finding *finding)
{
	TSNode store = syntax_at(in->syntax, in->fact->event->node);
	struct holder holder = holder_of(in, store);
	bool joined = in->fact->rebuilt && in->fact->event->value.object_count > 0;
	bool is_tensor = value_only(&in->fact->event->value, KIND_TENSOR);
	bool inside = false;
	struct span span;

	value = kept_in(in, &holder, value, &inside);
	if (ts_node_is_null(value) || (holder.parts > 0 && holder.part == holder.parts))
		return;
	/* xs = xs + ys joins containers, xs.update(ys) copies one: only what stands in a display there is a tensor */
	if (!inside && (joined || in->fact->event->op == STORE_UPDATE))
		return;
	/* a dictionary or a model's own object has no such method */
	if (!in->fact->scalar && !is_tensor)
		return;
	span = py_span(value);
	if ((holder.extended || is_iterated(in, store)) && !inside) {
		const char *marks = displayed_in(in, store);

		/* the elements of a tensor are views, each of which would keep all of it */
		add_edit(in, finding, span.start, span.start,
			 arena_format(in->arena, "%.1svalue%s%s for value in ", marks, in->fix->text,
				      holder.extended ? ".clone()" : ""));
		if (*marks)
			add_edit(in, finding, span.end, span.end, marks + 1);
	} else {
		bool is_bare = fix_is_primary(syntax_text(in->syntax, value));

		if (!is_bare)
			add_edit(in, finding, span.start, span.start, "(");
		add_edit(in, finding, span.end, span.end, arena_format(in->arena, "%s%s", is_bare ? "" : ")", in->fix->text));
	}
	finding->fix_is_safe = in->fix->safety == FIX_SAFE ||
			       (in->fix->safety == FIX_AS_NUMBER && is_tensor && is_as_number(in, &holder, store));
}

/* Whether backward has walked the graph, in this definition, before the code at WHERE: then nobody down there can. */
static bool is_walked_before(const struct fact *fact)
{
	const struct event *walk = fact->consumption;

	return fact->buffers == BUFFERS_FREED && walk && walk->def == fact->where_def && walk->node.end <= fact->where.start;
}

/* The same for a value that is handed to what keeps it: the argument that is it. */
static void make_append_above(const struct fix_input *in, struct finding *finding)
{
	const struct syntax *syntax = in->syntax;
	const struct site *site = in->fact->site;
	TSNode call = syntax_at(syntax, in->fact->where), arguments = syntax_field(call, "arguments"), kept = {0};

	if (in->fix->only_safe || !site || site->kind != SITE_DERIVED || !site->name.length || !is_walked_before(in->fact) ||
	    syntax_kind(syntax, arguments) != PY_ARGUMENTS)
		return;
	for (uint32_t i = 0; i < syntax_child_count(syntax, arguments) && i < 16; i++) {
		TSNode argument = syntax_child(syntax, arguments, i);

		if (syntax_kind(syntax, argument) == PY_KEYWORD_ARGUMENT)
			argument = syntax_field(argument, "value");
		if (!str_equal(syntax_text(syntax, argument), site->name))
			continue;
		if (!ts_node_is_null(kept)) /* twice: which of them? */
			return;
		kept = argument;
	}
	if (!ts_node_is_null(kept))
		add_edit(in, finding, ts_node_end_byte(kept), ts_node_end_byte(kept), in->fix->text);
}

/* ---- away with it ---- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\f';
}

static bool is_constant(void *context, TSNode node)
{
	const struct syntax *syntax = context;
	TSNode parent = ts_node_parent(node);

	return syntax_kind(syntax, node) != PY_IDENTIFIER ||
	       (syntax_kind(syntax, parent) == PY_KEYWORD_ARGUMENT && syntax_is_field(parent, "name", node));
}

/* Where the line that ENDs there is over. */
static uint32_t behind_line(const struct source *source, uint32_t end)
{
	return end + (source->text[end] == '\r' && source->text[end + 1] == '\n' ? 2 : end < source->length);
}

static bool is_empty_line(const struct source *source, uint32_t line)
{
	struct str text = source_line_text(source, line);

	for (size_t i = 0; i < text.length; i++)
		if (!is_space(text.at[i]))
			return false;
	return true;
}

static uint32_t line_end(const struct source *source, uint32_t offset)
{
	struct str text = source_line_text(source, source_line(source, offset));

	return (uint32_t)(text.at + text.length - source->text);
}

/* Whether the lines from START to END have empty ones above and below, of which one is enough without them. */
static bool stands_alone(const struct source *source, uint32_t start, uint32_t end)
{
	return start > 0 && end < source->length && source_cell(source, start) == source_cell(source, end) &&
	       is_empty_line(source, source_line(source, start) - 1) && is_empty_line(source, source_line(source, end));
}

/* Takes out the statement that CALL is all of, with its line where it has one for itself. */
static void make_remove(const struct fix_input *in, TSNode call, struct finding *finding)
{
	TSNode statement = ts_node_parent(call), block;
	const char *text = in->source->text;
	struct span span;
	uint32_t start, end;

	if (syntax_kind(in->syntax, call) != PY_CALL || syntax_kind(in->syntax, statement) != PY_EXPRESSION_STATEMENT ||
	    ts_node_named_child_count(statement) != 1)
		return;
	/* what it does may be somebody's choice: set_detect_anomaly(debug) */
	if (!syntax_walk(in->syntax, syntax_field(call, "arguments"), is_constant, in->syntax))
		return;
	block = ts_node_parent(statement);
	span = py_span(statement);
	for (start = span.start; start > 0 && is_space(text[start - 1]);)
		start--;
	for (end = span.end; end < in->source->length && is_space(text[end]);)
		end++;
	if (syntax_child_count(in->syntax, block) == 1 && syntax_kind(in->syntax, block) == PY_BLOCK) {
		add_edit(in, finding, span.start, span.end, "pass");
	} else if ((start > 0 && text[start - 1] != '\n' && text[start - 1] != '\r') || text[end] == ';') {
		add_edit(in, finding, span.start, span.end, "pass");
	} else if (text[end] == '#') {
		add_edit(in, finding, span.start, end, "");
	} else {
		end = behind_line(in->source, end);
		if (stands_alone(in->source, start, end))
			end = behind_line(in->source, line_end(in->source, end));
		add_edit(in, finding, start, end, "");
	}
	finding->fix_is_safe = in->fix->safety == FIX_SAFE;
}

/* Whether something takes its graph along from one round of the fact's loop to the next: then backward may walk again what
 * it keeps, until that is put right. */
static bool graph_is_carried(const struct fix_input *in)
{
	const struct judgement *judgement = in->judgement;
	size_t *budget = &in->syntax->budget;

	if (*budget < judgement->count)
		return true;
	*budget -= judgement->count;
	for (size_t i = 0; i < judgement->count; i++) {
		const struct fact *other = &judgement->facts[i];

		bool carries = other->kind == FACT_ACCUMULATE || other->kind == FACT_CARRY ||
			       (other->kind == FACT_ASSIGN && other->growth != GROWTH_CONSTANT);

		if (carries && other->graph != PROOF_NONE && other->loop == in->fact->loop)
			return true;
	}
	return false;
}

/* Takes the keyword argument of CALL out that reads as the fix says. */
static void make_argument(const struct fix_input *in, TSNode call, struct finding *finding)
{
	const struct syntax *syntax = in->syntax;
	TSNode arguments = syntax_field(call, "arguments");
	const char *equals = strchr(in->fix->text, '='), *text = in->source->text;
	struct str name = {in->fix->text, (size_t)(equals - in->fix->text)};
	uint32_t count;

	if (syntax_kind(syntax, call) != PY_CALL || syntax_kind(syntax, arguments) != PY_ARGUMENTS)
		return;
	if (in->fact->kind == FACT_RETAIN && graph_is_carried(in))
		return;
	count = syntax_child_count(syntax, arguments);
	for (uint32_t i = 0; i < count && i < 64; i++) {
		TSNode argument = syntax_child(syntax, arguments, i);
		struct span span = py_span(argument);
		uint32_t end = span.end, start = span.start;

		if (syntax_kind(syntax, argument) != PY_KEYWORD_ARGUMENT ||
		    !str_equal(syntax_text(syntax, syntax_field(argument, "name")), name) ||
		    !syntax_is(syntax, syntax_field(argument, "value"), equals + 1))
			continue;
		while (is_space(text[end]))
			end++;
		if (text[end] == ',') {
			for (end++; is_space(text[end]);)
				end++;
			/* the last of a line goes with the comma, not with the space before what is on the next */
			if (i + 1 == count || text[end] == '\n' || text[end] == '\r' || text[end] == '#')
				for (end = span.end; text[end - 1] != ',';)
					end++;
		} else {
			end = span.end;
			if (i > 0)
				start = ts_node_end_byte(syntax_child(syntax, arguments, i - 1));
		}
		if (memchr(text + start, '#', end - start))
			return;
		add_edit(in, finding, start, end, "");
		finding->fix_is_safe = in->fix->safety == FIX_SAFE;
		return;
	}
}

/* ---- all of them ---- */

static bool edits_drop_a_comment(const struct fix_input *in, const struct finding *finding)
{
	for (size_t i = 0; i < finding->edit_count; i++) {
		struct str gone = source_slice(in->source, finding->edits[i].span);

		if (gone.length > 0 && memchr(gone.at, '#', gone.length))
			return true;
	}
	return false;
}

void fix_make(const struct fix_input *input, struct finding *finding)
{
	struct span span;
	TSNode node;

	if (input->fix->kind == FIX_NONE || ts_node_is_null(input->syntax->root))
		return;
	if (input->fact->elsewhere) {
		if (input->fix->kind == FIX_APPEND)
			make_append_above(input, finding);
		return;
	}
	if (!input->candidate || !query_match_span(input->candidate, input->fix->capture, &span))
		return;
	node = syntax_at(input->syntax, span);
	if (ts_node_is_null(node))
		return;
	switch (input->fix->kind) {
	case FIX_APPEND:
		make_append(input, node, finding);
		break;
	case FIX_REMOVE:
		make_remove(input, node, finding);
		break;
	case FIX_ARGUMENT:
		make_argument(input, node, finding);
		break;
	default:
		surround_make(input, node, finding);
		break;
	}
	finding->fix_is_safe = finding->fix_is_safe && !edits_drop_a_comment(input, finding);
	if (input->fix->only_safe && !finding->fix_is_safe)
		finding->edit_count = 0;
}
