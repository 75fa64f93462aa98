#include "rule/surround.h"

#include "base/buf.h"
#include "base/vec.h"
#include "rule/trained.h"

/* ---- what must not come under a context that switches grad off ---- */

/* Words of code that computes gradients, or prepares for it. */
static const char differentiating[] = "backward autograd enable_grad set_grad_enabled requires_grad requires_grad_ retain_grad "
				      "grad zero_grad jacobian hessian jacrev jacfwd vjp jvp value_and_grad";
/* Methods that train, whatever they belong to. */
static const char training_methods[] = "fit learn optimize finetune adapt attack train_step training_step train_epoch "
				       "train_one_epoch step_and_update manual_backward";
/* Parts of names of functions that train. */
static const char *const training_parts[] = {"train", "fit", "optimi", "attack", "adapt",
					     "learn", "tune", "update", "backprop"};
/* Packages none of whose functions trains. */
static const char plain_packages[] = "torch torchvision torchaudio torchmetrics tqdm numpy math time random os sys logging "
				     "json csv re PIL matplotlib scipy einops pathlib itertools collections functools copy cv2 "
				     "typing dataclasses contextlib statistics warnings datetime";
static const char builtins[] = "print len range enumerate zip float int bool str sum max min abs round sorted reversed list "
			       "dict set tuple map filter any all next iter isinstance getattr hasattr repr format super open "
			       "type id vars";

enum { CALLS_DEEP = 4 };

struct search {
	struct syntax *syntax;
	int depth; /* of calls followed */
};

static bool is_quiet(struct syntax *syntax, TSNode node, int depth);

static bool import_is_plain(const struct import *import)
{
	struct str package = import->dotted;
	size_t dot = str_find(package, STR("."), 0);

	if (dot < package.length)
		package.length = dot;
	return syntax_word_in(package, plain_packages);
}

static bool sounds_like_training(struct str name)
{
	for (size_t i = 0; i < sizeof training_parts / sizeof *training_parts; i++)
		if (str_find(name, str_from(training_parts[i]), 0) < name.length)
			return true;
	return false;
}

/* Whether a call of the function DEFINITION trains nothing; its decorators have a say in that. */
static bool definition_is_quiet(struct syntax *syntax, const struct def *definition, int depth)
{
	struct syntax_question question = {SYNTAX_IS_QUIET, depth, {(const char *)&definition->span, sizeof definition->span}};
	bool known;

	if (depth >= CALLS_DEEP)
		return false;
	if (syntax_recall(syntax, question, &known))
		return known;
	return syntax_remember(syntax, question, is_quiet(syntax, syntax_at(syntax, definition->span), depth + 1));
}

static bool ask_named_call(struct syntax *syntax, struct str name, int depth)
{
	const struct def *definition = lookup_definition(&syntax->lookup, name, (struct span){0, UINT32_MAX});
	const struct import *import;

	if (definition)
		return definition->kind == DEF_CLASS || definition_is_quiet(syntax, definition, depth);
	import = lookup_import(&syntax->lookup, name);
	return import ? import_is_plain(import) : !sounds_like_training(name);
}

/* Whether a call of what is named NAME trains nothing. */
static bool named_call_is_quiet(struct syntax *syntax, struct str name, int depth)
{
	struct syntax_question question = {SYNTAX_CALLS_QUIET, depth, name};
	bool known;

	if (syntax_word_in(name, builtins))
		return true;
	if (syntax_recall(syntax, question, &known))
		return known;
	return syntax_remember(syntax, question, ask_named_call(syntax, name, depth));
}

/* Whether the file has the code BEFORE, NAME and BEHIND in one. */
static bool file_says(struct syntax *syntax, const char *before, struct str name, const char *behind)
{
	struct syntax_question question = {.kind = SYNTAX_HAS_TEXT};
	struct buf code = BUF_INIT;
	bool known;

	buf_format(&code, "%s%.*s%s", before, STR_ARG(name), behind);
	question.word = buf_get(&code);
	if (!syntax_recall(syntax, question, &known))
		known = syntax_remember(syntax, question, syntax_text_has(syntax, question.word));
	buf_release(&code);
	return known;
}

static bool own_method_is_quiet(struct syntax *syntax, TSNode function, struct str method, int depth)
{
	const struct def *class = lower_def_at(syntax->lookup.lower, ts_node_start_byte(function)), *definition = NULL;

	while (class && class->kind != DEF_CLASS)
		class = class->parent;
	if (class)
		definition = lookup_definition(&syntax->lookup, method, class->span);
	if (definition)
		return definition_is_quiet(syntax, definition, depth);
	/* something that it was given, or a method of a class out of sight */
	return file_says(syntax, "self.", method, " =");
}

static bool method_call_is_quiet(struct syntax *syntax, TSNode function, int depth)
{
	struct str method = syntax_text(syntax, syntax_field(function, "attribute"));
	TSNode object = syntax_field(function, "object");
	const struct import *import;

	if (syntax_word_in(method, training_methods))
		return false;
	if (str_is(method, "train")) /* of a module that is also put into eval mode, or of a trainer? */
		return file_says(syntax, "", syntax_text(syntax, object), ".eval(");
	if (syntax_is(syntax, object, "self"))
		return own_method_is_quiet(syntax, function, method, depth);
	while (syntax_kind(syntax, object) == PY_ATTRIBUTE)
		object = syntax_field(object, "object");
	if (syntax_kind(syntax, object) != PY_IDENTIFIER)
		return true;
	import = lookup_import(&syntax->lookup, syntax_text(syntax, object));
	return !import || import_is_plain(import);
}

static bool node_is_quiet(void *context, TSNode node)
{
	struct search *search = context;
	struct syntax *syntax = search->syntax;
	enum py_node kind = syntax_kind(syntax, node);
	TSNode function;

	if (kind == PY_YIELD || kind == PY_AWAIT)
		return false;
	if (kind == PY_IDENTIFIER)
		return !syntax_word_in(syntax_text(syntax, node), differentiating);
	if (kind != PY_CALL)
		return true;
	function = syntax_field(node, "function");
	if (syntax_kind(syntax, function) == PY_IDENTIFIER)
		return named_call_is_quiet(syntax, syntax_text(syntax, function), search->depth);
	if (syntax_kind(syntax, function) == PY_ATTRIBUTE)
		return method_call_is_quiet(syntax, function, search->depth);
	return true;
}

/* Whether the code below NODE, and what it calls in this file, computes no gradient and yields to nobody. */
static bool is_quiet(struct syntax *syntax, TSNode node, int depth)
{
	struct search search = {.syntax = syntax, .depth = depth};

	return syntax_walk(syntax, node, node_is_quiet, &search) && syntax->budget > 0;
}

/* ---- the name that a module goes by, and its import ---- */

struct imported {
	struct str name;   /* "torch", or what it is called here; empty where it is not imported */
	uint32_t at;       /* where it is */
	uint32_t place;    /* where an import may be put */
};

/* What STATEMENT, an import, calls PACKAGE; empty where it does not import that as a whole. */
static struct str name_of_import(const struct syntax *syntax, TSNode statement, const char *package)
{
	for (uint32_t i = 0; i < syntax_child_count(syntax, statement) && i < 64; i++) {
		TSNode child = syntax_child(syntax, statement, i);

		if (syntax_kind(syntax, child) == PY_ALIASED_IMPORT && syntax_is(syntax, syntax_field(child, "name"), package))
			return syntax_text(syntax, syntax_field(child, "alias"));
		if (syntax_kind(syntax, child) == PY_DOTTED_NAME && syntax_is(syntax, syntax_child(syntax, child, 0), package))
			return syntax_text(syntax, syntax_child(syntax, child, 0));
	}
	return STR("");
}

/* Whether an import may be put before the statement NODE of the module. */
static bool may_follow_import(const struct syntax *syntax, TSNode node)
{
	enum py_node kind = syntax_kind(syntax, node);
	bool is_text = kind == PY_EXPRESSION_STATEMENT && syntax_kind(syntax, ts_node_named_child(node, 0)) == PY_STRING;
	bool is_future = kind == PY_OTHER && str_starts(syntax_text(syntax, node), "from __future__");

	return ts_node_is_named(node) && kind != PY_COMMENT && !is_text && !is_future;
}

/* Looks among the statements of the module, and in the blocks of those that only try or ask. */
static struct imported find_import(const struct syntax *syntax, const char *package)
{
	TSTreeCursor cursor = ts_tree_cursor_new(syntax->root);
	struct imported imported = {STR(""), UINT32_MAX, UINT32_MAX};
	bool going = ts_tree_cursor_goto_first_child(&cursor);

	while (going && !imported.name.length) {
		TSNode node = ts_tree_cursor_current_node(&cursor);
		enum py_node kind = syntax_kind(syntax, node);

		if (imported.place == UINT32_MAX && may_follow_import(syntax, node))
			imported.place = ts_node_start_byte(node);
		if (kind == PY_IMPORT) {
			imported.name = name_of_import(syntax, node, package);
			imported.at = ts_node_start_byte(node);
		}
		if ((kind == PY_TRY || kind == PY_IF || kind == PY_BLOCK) && ts_tree_cursor_goto_first_child(&cursor))
			continue;
		while (!(going = ts_tree_cursor_goto_next_sibling(&cursor)) && ts_tree_cursor_goto_parent(&cursor))
			;
	}
	ts_tree_cursor_delete(&cursor);
	return imported;
}

/* The same, which is looked for once; what it is called before END. */
static struct imported import_of(const struct fix_input *in, const char *package, uint32_t end)
{
	struct map *known = &in->syntax->imported;
	struct imported *kept = map_get(known, str_from(package)), imported;

	if (!kept) {
		kept = ARENA_NEW(in->arena, struct imported);
		*kept = find_import(in->syntax, package);
		map_put(known, str_from(package), kept);
	}
	imported = *kept;
	if (imported.at >= end)
		imported.name = STR("");
	return imported;
}

/* ---- edits ---- */

struct surround {
	const struct fix_input *in;
	struct finding *finding;
	const char *line_end;
	const char *context; /* the code of the context */
	const char *import;  /* to be added at IMPORT_PLACE, or NULL */
	uint32_t import_place;
	VEC(struct edit) edits;
};

static void add(struct surround *s, uint32_t at, const char *text)
{
	VEC_ADD(&s->edits, (struct edit){{at, at}, text});
}

static uint32_t line_start(const struct source *source, uint32_t offset)
{
	return source->line_starts[source_line(source, offset) - 1];
}

/* The space before OFFSET on its line; false where there is something else. */
static bool indent_at(const struct source *source, uint32_t offset, struct str *indent)
{
	uint32_t start = line_start(source, offset);

	*indent = (struct str){source->text + start, offset - start};
	for (size_t i = 0; i < indent->length; i++)
		if (indent->at[i] != ' ' && indent->at[i] != '\t')
			return false;
	return true;
}

/* Whether nothing but a comment follows on the line that ENDs there. */
static bool ends_its_line(const struct source *source, uint32_t end)
{
	while (end < source->length && (source->text[end] == ' ' || source->text[end] == '\t'))
		end++;
	return end >= source->length || source->text[end] == '\n' || source->text[end] == '\r' || source->text[end] == '#';
}

static void finish(struct surround *s, struct span reach)
{
	struct finding *finding = s->finding;

	finding->edits = ARENA_ARRAY(s->in->arena, struct edit, s->edits.count + 1);
	if (s->import)
		finding->edits[finding->edit_count++] = (struct edit){{s->import_place, s->import_place}, s->import};
	memcpy(finding->edits + finding->edit_count, s->edits.items, s->edits.count * sizeof *s->edits.items);
	finding->edit_count += s->edits.count;
	finding->fix_reach = reach;
	finding->fix_is_safe = s->in->fix->safety == FIX_SAFE;
}

static bool decorate(struct surround *s, TSNode function)
{
	const struct fix_input *in = s->in;
	TSNode whole = ts_node_parent(function);
	uint32_t start = ts_node_start_byte(function);
	struct str indent, decorators;

	if (syntax_kind(in->syntax, function) != PY_FUNCTION || syntax_is(in->syntax, syntax_field(function, "name"), "forward") ||
	    !str_starts(syntax_text(in->syntax, function), "def") || !indent_at(in->source, start, &indent))
		return false;
	if (syntax_kind(in->syntax, whole) != PY_DECORATED)
		whole = function;
	decorators = (struct str){in->source->text + ts_node_start_byte(whole), start - ts_node_start_byte(whole)};
	if (str_find(decorators, str_from(s->context), 0) < decorators.length) /* which did not help */
		return false;
	if (!is_quiet(in->syntax, whole, 0) || trained_through(in->analysis, in->fact, py_span(whole), &in->syntax->budget))
		return false;
	add(s, start, arena_format(in->arena, "@%s%s%.*s", s->context, s->line_end, STR_ARG(indent)));
	finish(s, py_span(whole));
	return true;
}

/* Marks the lines of the statement that begin inside of a string. */
struct lines {
	const struct syntax *syntax;
	const struct source *source;
	uint32_t first, count;
	bool *inside;
};

static bool mark_string(void *context, TSNode node)
{
	struct lines *lines = context;
	uint32_t from, to;

	if (syntax_kind(lines->syntax, node) != PY_STRING)
		return true;
	from = source_line(lines->source, ts_node_start_byte(node));
	to = source_line(lines->source, ts_node_end_byte(node));
	for (uint32_t line = from + 1; line <= to && line - lines->first < lines->count; line++)
		lines->inside[line - lines->first] = true;
	return true;
}

/* By what the code around is indented: what the body of STATEMENT or of what holds it has more than that. */
static const char *unit_of_indent(const struct fix_input *in, TSNode statement, struct str indent)
{
	TSNode body = syntax_field(statement, "body");
	struct str inner;

	if (!ts_node_is_null(body) && indent_at(in->source, ts_node_start_byte(syntax_child(in->syntax, body, 0)), &inner) &&
	    inner.length > indent.length)
		return arena_dup_bytes(in->arena, inner.at + indent.length, inner.length - indent.length);
	return indent.length > 0 && indent.at[0] == '\t' ? "\t" : "    ";
}

static bool put_in_block(struct surround *s, TSNode statement)
{
	const struct fix_input *in = s->in;
	const struct source *source = in->source;
	enum py_node kind = syntax_kind(in->syntax, statement);
	TSNode around;
	struct span span;
	struct str indent;
	struct lines lines;
	const char *unit;

	if (ts_node_is_null(statement) || kind == PY_FUNCTION || kind == PY_CLASS || kind == PY_DECORATED)
		return false;
	around = ts_node_parent(ts_node_parent(statement));
	if (str_starts(syntax_text(in->syntax, around), arena_format(in->arena, "with %s:", s->context))) /* likewise */
		return false;
	span = py_span(statement);
	if (!indent_at(source, span.start, &indent) || !ends_its_line(source, span.end) || !is_quiet(in->syntax, statement, 0) ||
	    trained_through(in->analysis, in->fact, span, &in->syntax->budget))
		return false;
	lines = (struct lines){in->syntax, source, source_line(source, span.start), 0, NULL};
	lines.count = source_line(source, span.end > span.start ? span.end - 1 : span.end) - lines.first + 1;
	lines.inside = ARENA_ARRAY(in->arena, bool, lines.count);
	if (!syntax_walk(in->syntax, statement, mark_string, &lines))
		return false;
	unit = unit_of_indent(in, statement, indent);
	add(s, span.start, arena_format(in->arena, "with %s:%s%.*s%s", s->context, s->line_end, STR_ARG(indent), unit));
	for (uint32_t i = 1; i < lines.count; i++) {
		uint32_t start = source->line_starts[lines.first + i - 1];

		if (!lines.inside[i] && source_line_text(source, lines.first + i).length > 0)
			add(s, start, unit);
	}
	finish(s, (struct span){line_start(source, span.start), span.end});
	return true;
}

/* The loop around NODE that FACT speaks of, or else the innermost; null where there is none in the function. */
static TSNode loop_around(const struct fix_input *in, TSNode node)
{
	TSNode innermost = {0};

	for (node = ts_node_parent(node); !ts_node_is_null(node); node = ts_node_parent(node)) {
		enum py_node kind = syntax_kind(in->syntax, node);

		if (kind == PY_FUNCTION || kind == PY_LAMBDA || kind == PY_CLASS)
			break;
		if (kind != PY_FOR && kind != PY_WHILE)
			continue;
		if (in->fact->loop && in->fact->loop->span.start == ts_node_start_byte(node))
			return node;
		if (ts_node_is_null(innermost))
			innermost = node;
	}
	return innermost;
}

/* The loop that FACT speaks of where that isn't in the function of CODE, but in one that calls it; null where it is, or is
 * out of sight. */
static TSNode loop_of_caller(const struct fix_input *in, TSNode code)
{
	const struct loop *loop = in->fact->loop;
	TSNode node = {0};

	if (!loop || (loop->form != LOOP_FOR && loop->form != LOOP_WHILE) || loop->span.start >= in->source->length)
		return node;
	node = ts_node_descendant_for_byte_range(in->syntax->root, loop->span.start, loop->span.start);
	while (!ts_node_is_null(node) && ts_node_start_byte(node) == loop->span.start && syntax_kind(in->syntax, node) != PY_FOR &&
	       syntax_kind(in->syntax, node) != PY_WHILE)
		node = ts_node_parent(node);
	if (ts_node_is_null(node) || ts_node_start_byte(node) != loop->span.start ||
	    ts_node_eq(syntax_scope(in->syntax, node), syntax_scope(in->syntax, code)))
		return (TSNode){0};
	return node;
}

/* Where it evaluates comes before what it calls to do so, which others may call as well. */
static void make_at(struct surround *s, TSNode node, TSNode caller)
{
	const struct fix_input *in = s->in;

	if (!ts_node_is_null(caller) && (decorate(s, syntax_scope(in->syntax, caller)) || put_in_block(s, caller)))
		return;
	if (!decorate(s, syntax_scope(in->syntax, node)) && !put_in_block(s, loop_around(in, node)))
		put_in_block(s, syntax_statement(in->syntax, node));
}

/* Where the first of the places is that the context may be named at. */
static uint32_t first_place(const struct syntax *syntax, TSNode node, TSNode caller)
{
	uint32_t first = ts_node_start_byte(node);
	TSNode scope;

	if (ts_node_is_null(caller))
		return first;
	scope = syntax_scope(syntax, caller);
	if (syntax_kind(syntax, scope) == PY_FUNCTION)
		caller = scope;
	return ts_node_start_byte(caller) < first ? ts_node_start_byte(caller) : first;
}

void surround_make(const struct fix_input *in, TSNode node, struct finding *finding)
{
	const char *text = in->fix->text, *rest = strchr(text, '}');
	struct surround s = {.in = in, .finding = finding, .line_end = source_line_end(in->source)};
	TSNode caller = loop_of_caller(in, node);
	struct imported imported;

	s.context = text;
	if (text[0] == '{' && rest) {
		const char *package = arena_dup_bytes(in->arena, text + 1, (size_t)(rest - text - 1));

		imported = import_of(in, package, first_place(in->syntax, node, caller));
		if (!imported.name.length) {
			s.import = arena_format(in->arena, "import %s%s", package, s.line_end);
			s.import_place = imported.place;
			imported.name = str_from(package);
		}
		s.context = arena_format(in->arena, "%.*s%s", STR_ARG(imported.name), rest + 1);
	}
	if (s.import && (s.import_place == UINT32_MAX || s.import_place != line_start(in->source, s.import_place)))
		return;
	make_at(&s, node, caller);
	VEC_RELEASE(&s.edits);
}
