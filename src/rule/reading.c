#include "rule/reading.h"

/* What is being followed: a value, on its way through the expressions around it. */
struct flow {
	TSNode node;
	bool contained; /* it is a container of the tensors, not one of them */
};

struct reading {
	struct syntax *syntax;
	TSNode scope;
	TSNode store;   /* what is fixed: its value is nobody else's business */
	struct str name;
	bool total, scalar;
	bool is_bound;  /* the scope gives the name a value */
	bool derived;   /* it was made from what is asked about: what else it may be does not matter */
	int depth;      /* names followed so far */
};

enum { NAMES_MOST = 6, STEPS_MOST = 64 };

/* Methods whose result, or effect on the receiver, does not depend on a graph. */
static const char number_methods[] = "item tolist detach size dim numel argmax argmin isnan isfinite clear index count "
				     "keys";
static const char mutators[] = "append extend add insert clear appendleft update zero_ fill_ pop popleft remove add_ mul_ "
			       "div_ copy_ reset sort reverse";
static const char tensor_methods[] = "mean sum float double cpu cuda to clone sqrt exp log abs round min max div mul add sub "
				     "norm std var pow values get squeeze pop copy view reshape flatten median";
static const char number_functions[] = "float int bool len isinstance type";
static const char passing_functions[] = "sum max min abs sorted list tuple reversed round enumerate zip torch.stack torch.cat "
					"torch.mean torch.sum torch.exp torch.log torch.sqrt torch.hstack torch.vstack";
static const char fresh_functions[] = "list dict set deque defaultdict OrderedDict Counter collections.deque "
				      "collections.defaultdict collections.OrderedDict collections.Counter float int "
				      "torch.zeros torch.ones torch.tensor torch.zeros_like torch.full torch.empty";
/* Who calls one of these may read any name. */
static const char *const reflecting[] = {"locals", "globals", "vars", "exec", "eval"};

static bool name_is_read_as_number(const struct reading *from, struct str name, bool contained, TSNode scope, bool derived);

static TSNode parent_of(TSNode node)
{
	return ts_node_parent(node);
}

/* The name that TARGET stores to or into: `xs` of `xs["a"][0]`; null where it is none. */
static TSNode base_of(const struct syntax *syntax, TSNode target)
{
	TSNode none = {0};

	while (syntax_kind(syntax, target) == PY_SUBSCRIPT)
		target = syntax_field(target, "value");
	return syntax_kind(syntax, target) == PY_IDENTIFIER ? target : none;
}

static bool is_pattern(enum py_node kind)
{
	return kind == PY_PATTERN_LIST || kind == PY_TUPLE_PATTERN || kind == PY_LIST_PATTERN;
}

/* Of SIDE and OTHER, two sides of an assignment with as many parts, the part of OTHER that goes with PART of SIDE. */
static TSNode counterpart(const struct syntax *syntax, TSNode side, TSNode other, TSNode part)
{
	uint32_t count = syntax_child_count(syntax, side);
	TSNode none = {0};

	if (count > 16 || syntax_child_count(syntax, other) != count)
		return none;
	for (uint32_t i = 0; i < count; i++)
		if (ts_node_eq(syntax_child(syntax, side, i), part))
			return syntax_child(syntax, other, i);
	return none;
}

/* Whether a value that is assigned to TARGET, or (not ANEW) added to what is there, is still read as a number. */
static bool goes_to_target(const struct reading *r, TSNode target, bool contained, bool anew)
{
	TSNode base = base_of(r->syntax, target);
	struct str name = syntax_text(r->syntax, base);

	if (ts_node_is_null(base))
		return false;
	if (str_equal(name, r->name))
		return true;
	return name_is_read_as_number(r, name, contained || !ts_node_eq(base, target), r->scope, anew && ts_node_eq(base, target));
}

/* Whether all names that a loop over what holds the tensors sets, in TARGET, are read as numbers within SCOPE. */
static bool loop_reads_numbers(const struct reading *r, TSNode target, bool contained, TSNode scope)
{
	if (syntax_kind(r->syntax, target) == PY_IDENTIFIER)
		return name_is_read_as_number(r, syntax_text(r->syntax, target), contained, scope, true);
	if (!is_pattern(syntax_kind(r->syntax, target)))
		return false;
	for (uint32_t i = 0; i < syntax_child_count(r->syntax, target); i++)
		if (i == 8 || !loop_reads_numbers(r, syntax_child(r->syntax, target, i), contained, scope))
			return false;
	return true;
}

static bool assignment_is_fine(const struct reading *r, TSNode assignment, struct flow flow)
{
	TSNode left = syntax_field(assignment, "left");

	if (ts_node_eq(left, flow.node))
		return true;
	if (syntax_kind(r->syntax, parent_of(assignment)) == PY_ASSIGNMENT)
		return false;
	return goes_to_target(r, left, flow.contained, true);
}

/* What a call makes of its argument FLOW: 1 a number, 0 another value that is like it, -1 who knows. */
static int call_takes(const struct reading *r, TSNode call, struct flow flow)
{
	TSNode function = syntax_field(call, "function");
	struct str text = syntax_text(r->syntax, function);

	if (syntax_word_in(text, number_functions) || str_starts(text, "math."))
		return 1;
	if (syntax_word_in(text, passing_functions))
		return 0;
	if (syntax_kind(r->syntax, function) != PY_ATTRIBUTE || flow.contained || !r->scalar)
		return -1;
	/* "…".format(total) */
	return syntax_kind(r->syntax, syntax_field(function, "object")) == PY_STRING &&
			       syntax_is(r->syntax, syntax_field(function, "attribute"), "format")
		       ? 1
		       : -1;
}

/* The same for METHOD, called on FLOW by CALL. */
static int method_makes(const struct reading *r, TSNode call, struct str method)
{
	bool is_statement = syntax_kind(r->syntax, parent_of(call)) == PY_EXPRESSION_STATEMENT;

	if (is_statement && syntax_word_in(method, mutators))
		return 1;
	if (syntax_word_in(method, number_methods))
		return 1;
	return syntax_word_in(method, tensor_methods) || str_is(method, "items") ? 0 : -1;
}

static bool interpolation_is_number(const struct reading *r, TSNode interpolation, struct flow flow)
{
	struct str text = syntax_text(r->syntax, interpolation);
	size_t end = ts_node_end_byte(flow.node) - ts_node_start_byte(interpolation);

	/* A tensor with one element is formatted as its number; one with more cannot be given a format. */
	while (end < text.length && (text.at[end] == ' ' || text.at[end] == ')'))
		end++;
	if (end + 1 >= text.length || flow.contained)
		return false;
	return text.at[end] == ':' ? text.at[end + 1] != '}' || r->scalar : text.at[end] == '}' && r->scalar;
}

/* One step outward from FLOW: 1 read as a number, 0 moved on to what is around it, -1 unknown. */
static int step_out(const struct reading *r, struct flow *flow)
{
	const struct syntax *syntax = r->syntax;
	TSNode node = flow->node, parent = parent_of(node), call;
	int fate;

	flow->node = parent;
	switch (syntax_kind(syntax, parent)) {
	case PY_BINARY:
		/* "%.3f" % total */
		return syntax_kind(syntax, syntax_field(parent, "left")) == PY_STRING ? -1 : 0;
	case PY_PARENTHESIZED:
	case PY_UNARY:
	case PY_BOOLEAN:
		return 0;
	case PY_COMPARISON:
		/* best is loss: who is asked for, not how much it is */
		return str_find(syntax_text(syntax, parent), STR(" is "), 0) < SIZE_MAX &&
				       str_find(syntax_text(syntax, parent), STR("None"), 0) == SIZE_MAX
			       ? -1
			       : 1;
	case PY_NOT:
	case PY_DELETE:
	case PY_ASSERT:
	case PY_IF_CLAUSE:
		return 1;
	case PY_IF:
	case PY_ELIF:
	case PY_WHILE:
		return syntax_is_field(parent, "condition", node) ? 1 : -1;
	case PY_CONDITIONAL:
		return ts_node_eq(syntax_child(syntax, parent, 1), node) ? 1 : 0;
	case PY_SUBSCRIPT:
		if (!syntax_is_field(parent, "value", node))
			return 1;
		flow->contained = flow->contained && memchr(syntax_text(syntax, parent).at, ':', syntax_text(syntax, parent).length);
		return 0;
	case PY_ATTRIBUTE:
		call = parent_of(parent);
		if (syntax_kind(syntax, call) != PY_CALL || !syntax_is_field(call, "function", parent))
			return syntax_word_in(syntax_text(syntax, syntax_field(parent, "attribute")), "shape ndim dtype device data")
				       ? 1
				       : -1;
		fate = method_makes(r, call, syntax_text(syntax, syntax_field(parent, "attribute")));
		flow->node = call;
		if (syntax_word_in(syntax_text(syntax, syntax_field(parent, "attribute")), "pop get popleft"))
			flow->contained = false;
		return fate;
	case PY_ARGUMENTS:
		call = parent_of(parent);
		if (syntax_kind(syntax, call) != PY_CALL)
			return -1;
		fate = call_takes(r, call, *flow);
		flow->node = call;
		if (syntax_word_in(syntax_text(syntax, syntax_field(call, "function")),
				   "sum max min torch.stack torch.cat torch.mean torch.sum torch.hstack torch.vstack"))
			flow->contained = false;
		return fate;
	case PY_INTERPOLATION:
		flow->node = node;
		return interpolation_is_number(r, parent, *flow) ? 1 : -1;
	case PY_LIST:
	case PY_TUPLE:
	case PY_EXPRESSION_LIST:
		call = parent_of(parent);
		if (syntax_kind(syntax, call) == PY_ASSIGNMENT && is_pattern(syntax_kind(syntax, syntax_field(call, "left")))) {
			TSNode part = counterpart(syntax, parent, syntax_field(call, "left"), node);

			return goes_to_target(r, part, flow->contained, true) ? 1 : -1;
		}
		flow->contained = true;
		return 0;
	case PY_LIST_COMPREHENSION:
	case PY_GENERATOR:
		flow->contained = true;
		return syntax_is_field(parent, "body", node) ? 0 : -1;
	case PY_FOR_IN:
		return syntax_is_field(parent, "right", node) &&
				       loop_reads_numbers(r, syntax_field(parent, "left"), false, parent_of(parent))
			       ? 1
			       : -1;
	case PY_FOR:
		return syntax_is_field(parent, "right", node) &&
				       loop_reads_numbers(r, syntax_field(parent, "left"), false, r->scope)
			       ? 1
			       : -1;
	case PY_ASSIGNMENT:
		flow->node = node;
		return assignment_is_fine(r, parent, *flow) ? 1 : -1;
	case PY_AUGMENTED_ASSIGNMENT:
		return syntax_is_field(parent, "left", node) ||
				       goes_to_target(r, syntax_field(parent, "left"), flow->contained, false)
			       ? 1
			       : -1;
	default:
		return -1;
	}
}

/* Whether RIGHT makes something new, so that nobody else has another name for it. */
static bool is_fresh(const struct syntax *syntax, TSNode right)
{
	switch (syntax_kind(syntax, right)) {
	case PY_INTEGER:
	case PY_FLOAT:
	case PY_NONE:
	case PY_UNARY:
	case PY_LIST:
	case PY_DICTIONARY:
	case PY_SET:
	case PY_TUPLE:
	case PY_LIST_COMPREHENSION:
	case PY_DICTIONARY_COMPREHENSION:
	case PY_BINARY:
		return true;
	case PY_CALL:
		return syntax_word_in(syntax_text(syntax, syntax_field(right, "function")), fresh_functions);
	case PY_ATTRIBUTE:
		return syntax_word_in(syntax_text(syntax, right), "math.inf np.inf numpy.inf torch.inf");
	default:
		return false;
	}
}

/* Whether the name, given a value by ASSIGNMENT at TARGET, has that for itself. */
static bool binding_is_fine(struct reading *r, TSNode assignment, TSNode target)
{
	TSNode right = syntax_field(assignment, "right"), left = syntax_field(assignment, "left");

	r->is_bound = true;
	if (r->derived)
		return true;
	if (is_pattern(syntax_kind(r->syntax, left)))
		right = counterpart(r->syntax, left, right, target);
	if (syntax_kind(r->syntax, parent_of(assignment)) == PY_ASSIGNMENT || syntax_kind(r->syntax, right) == PY_ASSIGNMENT)
		return false;
	return is_fresh(r->syntax, right) || ts_node_eq(assignment, r->store);
}

static bool occurrence_is_fine(struct reading *r, TSNode node)
{
	TSNode parent = parent_of(node), left = parent;
	struct flow flow = {node, !r->total};

	switch (syntax_kind(r->syntax, parent)) {
	case PY_ATTRIBUTE: /* x.name */
		if (syntax_is_field(parent, "attribute", node))
			return true;
		break;
	case PY_KEYWORD_ARGUMENT: /* f(name=…) */
		return syntax_is_field(parent, "name", node);
	case PY_ASSIGNMENT:
		if (syntax_is_field(parent, "left", node))
			return binding_is_fine(r, parent, node);
		break;
	case PY_PATTERN_LIST:
	case PY_TUPLE_PATTERN:
	case PY_LIST_PATTERN:
		left = parent_of(parent);
		if (syntax_kind(r->syntax, left) == PY_ASSIGNMENT)
			return binding_is_fine(r, left, node);
		r->is_bound |= r->derived;
		return r->derived; /* of a loop that was followed here */
	case PY_FOR:
	case PY_FOR_IN:
		if (syntax_is_field(parent, "left", node)) {
			r->is_bound |= r->derived;
			return r->derived;
		}
		break;
	default:
		break;
	}
	for (int i = 0; i < STEPS_MOST && !ts_node_is_null(flow.node); i++) {
		int fate = step_out(r, &flow);

		if (fate)
			return fate > 0;
	}
	return false;
}

static bool visit_name(void *context, TSNode node)
{
	return occurrence_is_fine(context, node);
}

static bool visit_reflecting(void *context, TSNode node)
{
	return syntax_is_field(parent_of(node), "attribute", node);
}

static bool has_reflecting(struct syntax *syntax, TSNode scope)
{
	for (size_t i = 0; i < sizeof reflecting / sizeof *reflecting; i++)
		if (!syntax_each(syntax, scope, str_from(reflecting[i]), visit_reflecting, NULL))
			return true;
	return false;
}

/* Whether SCOPE may read any name: what it keeps is often more than one. */
static bool reads_any_name(struct syntax *syntax, TSNode scope)
{
	struct span span = py_span(scope);
	struct syntax_question question = {SYNTAX_READS_ANY, 0, {(const char *)&span, sizeof span}};
	bool known;

	return syntax_recall(syntax, question, &known) ? known : syntax_remember(syntax, question, has_reflecting(syntax, scope));
}

/* Whether the name is read as numbers wherever it stands in the scope. */
static bool all_are_fine(struct reading *r)
{
	return syntax_each(r->syntax, r->scope, r->name, visit_name, r) && r->is_bound;
}

/* The same question for what comes from the first name and is called NAME within SCOPE. DERIVED: all that SCOPE calls so
 * is made there of it; else it was put into what NAME is. */
static bool name_is_read_as_number(const struct reading *from, struct str name, bool contained, TSNode scope, bool derived)
{
	struct reading r = *from;

	r.name = name;
	r.total = !contained;
	r.scope = scope;
	r.derived = derived;
	r.is_bound = derived;
	r.depth = from->depth + 1;
	return r.depth < NAMES_MOST && all_are_fine(&r);
}

/* Whether a scope gives a name a value of its own, by assignment. */
struct binding {
	const struct syntax *syntax;
	bool found;
};

static bool find_binding(void *context, TSNode node)
{
	struct binding *binding = context;
	TSNode parent = parent_of(node);

	if (is_pattern(syntax_kind(binding->syntax, parent)))
		parent = parent_of(parent);
	binding->found = syntax_kind(binding->syntax, parent) == PY_ASSIGNMENT &&
			 ts_node_end_byte(node) <= ts_node_end_byte(syntax_field(parent, "left"));
	return !binding->found;
}

bool reading_is_number(struct syntax *syntax, TSNode store, struct str name, bool total, bool scalar)
{
	struct reading r = {.syntax = syntax, .store = store, .name = name, .total = total, .scalar = scalar};

	if (ts_node_is_null(store) || ts_node_is_null(syntax->root))
		return false;
	for (r.scope = syntax_scope(syntax, store);; r.scope = syntax_scope(syntax, r.scope)) {
		struct binding binding = {syntax, false};

		syntax_each(syntax, r.scope, name, find_binding, &binding);
		if (binding.found || syntax_kind(syntax, r.scope) == PY_MODULE)
			break;
	}
	return !reads_any_name(syntax, r.scope) && all_are_fine(&r);
}
