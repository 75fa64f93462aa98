#include <ctype.h>
#include <string.h>
#include "flow/interp.h"
#include "flow/lower.h"

static bool exec_stmt(struct interp *in, const struct stmt *s);

/* ---- the rest ---- */

static void leave_loop(struct interp *in, bool again)
{
	struct loop_frame *loop = in->frame ? in->frame->loops : NULL;
	if (!loop)
		return;
	struct delta **list = again ? &loop->continues : &loop->breaks;
	*list = delta_leaving(in, loop->mark, *list, loop->grad_depth);
}

/* Modes that the function has switched and that this return leaves as they are. */
static void note_left(struct interp *in, struct frame *frame)
{
	if (frame->final_depth)
		return;
	if (frame->switched_off && frame->switched_off <= in->events.count)
		in->events.items[frame->switched_off - 1].left = true;
	for (size_t i = 0; i < sizeof frame->evals / sizeof *frame->evals; i++) {
		struct event *event = frame->evals[i] && frame->evals[i] <= in->events.count ? &in->events.items[frame->evals[i] - 1] : NULL;
		if (event && event->kind == EVENT_MODE && object_mode(in, object_get(in, event->holder)) == 0)
			event->left = true;
	}
}

static void exec_return(struct interp *in, const struct stmt *s)
{
	struct value v = s->value ? eval(in, s->value) : value_of(KIND_NONE);
	struct frame *frame = in->frame;
	if (!frame)
		return;
	frame->result = value_join(&in->origins, &frame->result, &v);
	if (!frame->caller) {
		struct event *event = event_add(in, EVENT_RETURN, s->span);
		event_value(in, event, &v);
	}
	note_left(in, frame);
	frame->exits = delta_leaving(in, frame->entry, frame->exits, 0);
}

static void exec_delete(struct interp *in, const struct stmt *s)
{
	for (uint16_t i = 0; i < s->target_count; i++) {
		const struct expr *target = s->targets[i];
		if (target->kind == EXPR_NAME) {
			uint32_t cell = lookup_cell(in, target->name);
			struct value none = value_bottom();
			if (cell) {
				let_go(in, cell, &none, s->span);
				cell_set(in, cell, value_of(KIND_NONE));
			}
			continue;
		}
		if (!target->count)
			continue;
		struct value owner = eval(in, target->items[0]);
		bool item = target->kind == EXPR_SUBSCRIPT && target->count == 2 && target->items[1]->kind != EXPR_SLICE;
		if (target->kind == EXPR_ATTRIBUTE && str_is(target->name, "grad"))
			note_zeroed(in, &owner, s->span);
		for (uint8_t j = 0; j < owner.object_count && !(owner.flags & VALUE_PARAMETER); j++) {
			struct object *object = object_get(in, owner.objects[j]);
			if (target->kind == EXPR_SUBSCRIPT) {
				reset_object(in, object, item, s->span);
				struct value key = item ? eval(in, target->items[1]) : value_of(KIND_UNKNOWN);
				drop_item(in, &owner, &key);
			} else {
				uint32_t cell = object_slot(in, object, target->name, true);
				struct value none = value_of(KIND_NONE);
				let_go(in, cell, &none, s->span);
				event_add(in, EVENT_RESET, s->span)->cell = cell;
				cell_set(in, cell, none);
			}
		}
	}
}

static void exec_import(struct interp *in, const struct stmt *s)
{
	for (uint32_t i = 0; i < s->import_count; i++) {
		const char *dotted = arena_dup_bytes(in->arena, s->imports[i].dotted.at, s->imports[i].dotted.length);
		bool local = import_is_local(in, dotted);
		in->has_star |= str_is(s->imports[i].name, "*");
		if (local && str_is(s->imports[i].name, "*"))
			import_all(in, dotted);
		uint32_t cell = lookup_cell(in, s->imports[i].name);
		if (!cell)
			continue;
		struct value value = value_of(KIND_LIBRARY);
		if (local) {
			value.flags |= VALUE_IMPORT;
			value.text = str_from(import_from(in));
		}
		value.dotted = model_canonical(in->model, dotted);
		value.made = s->span;
		cell_set(in, cell, value);
	}
}

/* A decorator of another file that has nothing to do with grad modes: what it wraps is called as it is. Walking it would
 * say no more, and would lose which argument is which. */
static bool is_transparent(const struct interp *in, const struct def *decorator)
{
	return (decorator->index & DEF_ELSEWHERE) && !speaks_of_grad(source_text(in, decorator->span));
}

/* Of several that a decorator may have returned, those that switch grad, where there are such: it does when it has to. */
static struct value switched_of(struct interp *in, const struct value *functions)
{
	struct value out = *functions;
	out.object_count = 0;
	for (uint8_t i = 0; i < functions->object_count; i++)
		if (object_get(in, functions->objects[i])->grad_mode)
			out.objects[out.object_count++] = functions->objects[i];
	return out.object_count ? out : *functions;
}

/* What decorators make of a function: the marks that matter, or the result of calling a project's own. */
static struct value decorate(struct interp *in, struct object *function, const struct def *def)
{
	struct value value = object_value(in, function);
	for (uint32_t i = def->decorator_count; i-- > 0;) {
		const struct expr *e = def->decorators[i];
		if (e->kind == EXPR_ATTRIBUTE && (str_is(e->name, "setter") || str_is(e->name, "deleter"))) {
			struct value property = eval(in, e->items[0]);
			struct object *of = property.object_count == 1 ? object_get(in, property.objects[0]) : NULL;
			if (of && of->is_property) {
				of->setter = str_is(e->name, "setter") ? function->id : of->setter;
				return property;
			}
		}
		struct value decorator = eval(in, e);
		const char *dotted = decorator.dotted;
		struct value factory = e->kind == EXPR_CALL ? eval(in, e->items[0]) : decorator;
		const struct model_rule *made = factory.dotted ? model_call(in->model, factory.dotted) : NULL;
		if (made && made->mark && strcmp(made->mark, "caches") == 0)
			function->cached = e->span;
		if (dotted && strcmp(dotted, "builtins.property") == 0)
			function->is_property = true;
		else if (dotted && strcmp(dotted, "builtins.staticmethod") == 0)
			function->is_static = true;
		else if (dotted && strcmp(dotted, "builtins.classmethod") == 0)
			function->is_class_method = true;
		else if (dotted && strstr(dotted, "cached_property"))
			function->is_property = true;
		if (dotted) {
			const char *grad = model_grad_mode(model_call(in->model, dotted));
			function->grad_mode = grad ? grad : function->grad_mode;
			continue;
		}
		for (uint8_t j = 0; j < decorator.object_count; j++) {
			struct object *object = object_get(in, decorator.objects[j]);
			if (object->grad_mode && !(object->kinds & KIND_FUNCTION)) {
				function->grad_mode = object->grad_mode;
				function->grad_argument = object->grad_argument;
			} else if (object->function && in->frame && !is_transparent(in, object->function)) {
				struct args *args = args_new(in, 1);
				args_add(args, value, (struct str){"", 0}, NULL);
				struct value wrapped = call_value(in, &decorator, args, e);
				if (wrapped.object_count && (wrapped.kinds & KIND_FUNCTION))
					value = switched_of(in, &wrapped);
			}
		}
	}
	return value;
}

static void exec_def(struct interp *in, const struct stmt *s)
{
	struct def *def = s->def;
	uint32_t cell = lookup_cell(in, def->name);
	struct value value;
	if (def->kind == DEF_CLASS) {
		value = object_value(in, class_define(in, def)->object);
	} else {
		struct object *object = object_new(in, def, 0, KIND_FUNCTION, def->head);
		object->function = def;
		object->scope = in->frame ? in->frame->scope : in->module_scope;
		object->name = def->name;
		if (!(def->index & DEF_ELSEWHERE))
			in->functions[def->index] = object;
		for (uint32_t i = 0; i < def->param_count; i++)
			if (def->params[i].fallback)
				cell_set(in, object_slot(in, object, def->params[i].name, true), eval(in, def->params[i].fallback));
		value = decorate(in, object, def);
	}
	if (cell)
		cell_set(in, cell, value);
}

/* Whether S makes what an `if x is None` around it found missing: x itself or an item of it. */
static bool is_lazy_target(struct interp *in, const struct stmt *s)
{
	if (!in->lazy_name.length || s->target_count != 1)
		return false;
	struct str target = source_text(in, s->targets[0]->span);
	return target.length >= in->lazy_name.length && memcmp(target.at, in->lazy_name.at, in->lazy_name.length) == 0 &&
	       (target.length == in->lazy_name.length || target.at[in->lazy_name.length] == '[');
}

static bool is_word_byte(char byte)
{
	return byte == '_' || isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80;
}

/* Whether NAME is written only once in the text of the definition at hand. */
static bool written_once(const struct interp *in, struct str name)
{
	enum { LONGEST = 100000 };
	struct str text = source_text(in, in->frame->def->span);
	int count = 0;
	if (text.length > LONGEST)
		return false;
	for (size_t at = str_find(text, name, 0); at != SIZE_MAX && count < 2; at = str_find(text, name, at + name.length))
		count += !(at && is_word_byte(text.at[at - 1])) &&
			 !(at + name.length < text.length && is_word_byte(text.at[at + name.length]));
	return count == 1;
}

/* guard = torch.no_grad(), and nobody asks for guard: the mode that was made covers nothing. */
static void note_unused_mode(struct interp *in, const struct stmt *s, const struct value *value)
{
	const struct expr *made = s->value;
	if (!(value->kinds & KIND_GRADMODE) || s->target_count != 1 || s->targets[0]->kind != EXPR_NAME || !in->frame ||
	    in->frame->def->kind != DEF_FUNCTION || def_declares_outer(in->frame->def, s->targets[0]->name))
		return;
	for (uint16_t i = 0; made->kind == EXPR_CONDITIONAL && i < 3; i += 2)
		if (made->items[i]->kind == EXPR_CALL)
			made = made->items[i];
	if (made->kind != EXPR_CALL || !written_once(in, s->targets[0]->name))
		return;
	struct event *event = event_add(in, EVENT_GRAD_CONTEXT, made->span);
	event->grad_dropped = true;
	event->name = source_text(in, made->items[0]->span);
	event->mode = -1;
}

bool exec_stmt(struct interp *in, const struct stmt *s)
{
	switch (s->kind) {
	case STMT_EXPR:
		in->statement_value = s->value;
		eval(in, s->value);
		in->statement_value = NULL;
		return true;
	case STMT_ASSERT:
		if (s->value)
			eval(in, s->value);
		return true;
	case STMT_ASSIGN:
		if (s->value) {
			in->lazy_birth = is_lazy_target(in, s);
			bool one = s->target_count && (s->targets[0]->kind == EXPR_NAME || s->targets[0]->kind == EXPR_ATTRIBUTE);
			in->naming = one ? s->targets[0]->name : (struct str){"", 0};
			in->naming_frame = in->frame;
			struct value v = eval(in, s->value);
			in->naming.length = 0;
			in->lazy_birth = false;
			note_unused_mode(in, s, &v);
			for (uint16_t i = 0; i < s->target_count; i++)
				assign_target(in, s->targets[i], v, s->span);
		}
		return true;
	case STMT_AUGMENT:
		exec_augment(in, s);
		return true;
	case STMT_RETURN:
		exec_return(in, s);
		return false;
	case STMT_RAISE:
		if (s->value)
			eval(in, s->value);
		return false;
	case STMT_BREAK:
	case STMT_CONTINUE:
		leave_loop(in, s->kind == STMT_CONTINUE);
		return false;
	case STMT_DELETE:
		exec_delete(in, s);
		return true;
	case STMT_IMPORT:
		exec_import(in, s);
		return true;
	case STMT_IF:
		return exec_if(in, s);
	case STMT_FOR:
		return exec_for(in, s);
	case STMT_WHILE:
		return exec_while(in, s);
	case STMT_TRY:
		return exec_try(in, s);
	case STMT_WITH:
		return exec_with(in, s, 0);
	case STMT_MATCH:
		return exec_match(in, s);
	case STMT_DEF:
		exec_def(in, s);
		return true;
	}
	return true;
}

bool exec_block(struct interp *in, const struct block *block)
{
	for (uint32_t i = 0; i < block->count; i++) {
		if (in->budget <= 0) {
			in->partial = true;
			return true;
		}
		if (!exec_stmt(in, block->stmts[i]))
			return false;
	}
	return true;
}
