#include <string.h>
#include "flow/interp.h"
#include "flow/lower.h"

/* Names that other files of the project define. Each file is run once for the analysis of a file that needs it, when one
 * of its names is first read. */

enum { UNITS = 12, UNIT_BYTES = 160 << 10 };

static struct loaded *loaded_by_def(const struct interp *in, const struct def *module)
{
	for (size_t i = 0; i < in->loaded.count; i++)
		if (in->loaded.items[i]->unit->module == module)
			return in->loaded.items[i];
	return NULL;
}

static const struct def *root_of(const struct interp *in, const struct scope *scope)
{
	const struct def *def = scope ? scope->def : in->module;
	for (; scope; scope = scope->parent)
		def = scope->def;
	while (def && def->parent)
		def = def->parent;
	return def ? def : in->module;
}

const char *import_from(const struct interp *in)
{
	const struct loaded *loaded = loaded_by_def(in, root_of(in, in->frame ? in->frame->scope : in->module_scope));
	return loaded ? loaded->unit->path : in->path_name;
}

bool import_is_local(const struct interp *in, const char *dotted)
{
	size_t first = strcspn(dotted, ".");
	return in->units && in->path_name && !(first && map_has(&in->model->imports, (struct str){dotted, first}));
}

/* What the walk that is under way must find as it was when a file has been run in the middle of it. */
struct standing {
	struct frame *frame;
	struct loop *path;
	struct call *call;
	struct handling *handling;
	const struct expr *statement_value;
	struct value grad;
	uint32_t cond_open[64], periods_open[64];
	size_t log, events;
	uint32_t compared;
	int module_depth, forward_depth, method_depth, hook_depth;
	bool trial, lazy;
	struct str lazy_name;
};

static void stand_aside(struct interp *in, struct standing *s)
{
	memset(s, 0, sizeof *s);
	s->frame = in->frame;
	s->path = in->path;
	s->call = in->call;
	s->handling = in->handling;
	s->statement_value = in->statement_value;
	s->grad = cell_get(in, in->grad_cell);
	memcpy(s->cond_open, in->cond_open, sizeof s->cond_open);
	memcpy(s->periods_open, in->periods_open, sizeof s->periods_open);
	s->log = in->log.count;
	s->events = in->events.count;
	s->compared = in->compared_count;
	s->module_depth = in->module_depth;
	s->forward_depth = in->forward_depth;
	s->method_depth = in->method_depth;
	s->hook_depth = in->hook_depth;
	s->trial = in->trial;
	s->lazy = in->lazy_birth;
	s->lazy_name = in->lazy_name;
	in->frame = NULL;
	in->path = NULL;
	in->call = NULL;
	in->handling = NULL;
	in->trial = in->lazy_birth = false;
	in->lazy_name.length = 0;
	in->compared_count = 0;
	in->module_depth = in->forward_depth = in->method_depth = in->hook_depth = 0;
	memset(in->cond_open, 0, sizeof in->cond_open);
	memset(in->periods_open, 0, sizeof in->periods_open);
	grad_set(in, GRAD_ON);
}

static void go_on(struct interp *in, const struct standing *s)
{
	in->frame = s->frame;
	in->path = s->path;
	in->call = s->call;
	in->handling = s->handling;
	in->statement_value = s->statement_value;
	memcpy(in->cond_open, s->cond_open, sizeof s->cond_open);
	memcpy(in->periods_open, s->periods_open, sizeof s->periods_open);
	in->compared_count = s->compared;
	in->module_depth = s->module_depth;
	in->forward_depth = s->forward_depth;
	in->method_depth = s->method_depth;
	in->hook_depth = s->hook_depth;
	in->trial = s->trial;
	in->lazy_birth = s->lazy;
	in->lazy_name = s->lazy_name;
	/* what the file has defined stays, whichever branch first asked for it; what it did on the way is its own affair */
	in->log.count = s->log;
	in->events.count = s->events;
	in->cells.items[in->grad_cell].value = s->grad;
}

static struct object *new_module(struct interp *in, const struct unit *unit)
{
	struct object *object = ARENA_NEW(in->arena, struct object);
	object->id = (uint32_t)in->objects.count;
	object->kinds = KIND_LIBRARY;
	object->is_module = true;
	object->node = unit;
	VEC_ADD(&in->objects, object);
	return object;
}

static void run_statement(struct interp *in, const struct unit *unit, uint32_t number)
{
	struct block one = {&unit->module->body.stmts[number], 1};
	exec_block(in, &one);
}

/* Definitions are many and asked for seldom: they wait until somebody reads their name. */
static void run_or_put_off(struct interp *in, struct loaded *loaded, uint32_t number)
{
	const struct stmt *stmt = loaded->unit->module->body.stmts[number];
	int32_t place = stmt->kind == STMT_DEF ? def_local(loaded->unit->module, stmt->def->name) : -1;
	if (place < 0) {
		run_statement(in, loaded->unit, number);
		return;
	}
	struct value later = value_of(KIND_UNKNOWN);
	later.flags = VALUE_IMPORT;
	later.number = number;
	in->cells.items[loaded->scope->first_cell + (uint32_t)place].value = later;
}

static struct loaded *load(struct interp *in, const struct unit *unit)
{
	struct loaded *loaded = loaded_by_def(in, unit->module);
	if (loaded)
		return loaded;
	if (in->loaded.count >= UNITS || in->loaded_bytes + unit->text.length > UNIT_BYTES || in->budget <= 0)
		return NULL;
	loaded = ARENA_NEW(in->arena, struct loaded);
	loaded->unit = unit;
	loaded->module = new_module(in, unit);
	loaded->scope = ARENA_NEW(in->arena, struct scope);
	loaded->scope->def = unit->module;
	loaded->scope->first_cell = (uint32_t)in->cells.count;
	loaded->module->scope = loaded->scope;
	for (uint32_t i = 0; i < unit->module->local_count; i++)
		cell_new(in, unit->module->locals[i], 0, unit->module);
	VEC_ADD(&in->loaded, loaded); /* now, so that files which import each other end */
	in->loaded_bytes += (uint32_t)unit->text.length;
	struct standing standing;
	stand_aside(in, &standing);
	struct frame frame = {.def = unit->module, .scope = loaded->scope};
	in->frame = &frame;
	for (uint32_t i = 0; i < unit->module->body.count; i++)
		run_or_put_off(in, loaded, i);
	go_on(in, &standing);
	return loaded;
}

/* Runs the definition that was put off under CELL. */
static struct value define(struct interp *in, uint32_t cell, uint32_t statement)
{
	struct loaded *loaded = loaded_by_def(in, in->cells.items[cell].def);
	if (!loaded || statement >= loaded->unit->module->body.count)
		return value_bottom();
	struct standing standing;
	stand_aside(in, &standing);
	struct frame frame = {.def = loaded->unit->module, .scope = loaded->scope};
	in->frame = &frame;
	in->cells.items[cell].value = value_bottom();
	run_statement(in, loaded->unit, statement);
	go_on(in, &standing);
	return cell_get(in, cell);
}

struct value import_member(struct interp *in, struct object *module, struct str name)
{
	const struct unit *unit = module->node;
	int32_t place = def_local(module->scope->def, name);
	if (place >= 0) {
		struct value value = import_cell(in, module->scope->first_cell + (uint32_t)place);
		if (!value_is_bottom(&value))
			return value;
	}
	struct value value = import_star(in, module->scope->def, name);
	if (value_is_bottom(&value) && unit->is_package && name.length < 100)
		value = import_value(in, unit->path, arena_format(in->arena, ".%.*s", STR_ARG(name)));
	return value;
}

enum { IMPORT_DEPTH = 12 };

struct value import_value(struct interp *in, const char *from, const char *dotted)
{
	size_t used = 0;
	if (in->import_depth >= IMPORT_DEPTH)
		return value_bottom();
	const struct unit *unit = in->units->find(in->units->context, from, dotted, &used);
	struct loaded *loaded = unit && unit->module != in->module ? load(in, unit) : NULL;
	if (!loaded)
		return value_bottom();
	struct value value = object_value(in, loaded->module);
	in->import_depth++;
	for (const char *rest = dotted + used; *rest; ) {
		rest += *rest == '.';
		size_t n = strcspn(rest, ".");
		struct object *object = value.object_count == 1 ? object_get(in, value.objects[0]) : NULL;
		if (!object || !object->is_module) {
			value = value_bottom();
			break;
		}
		value = import_member(in, object, (struct str){rest, n});
		rest += n;
	}
	in->import_depth--;
	return value;
}

struct value import_cell(struct interp *in, uint32_t cell)
{
	struct value value = cell_get(in, cell);
	if (!(value.flags & VALUE_IMPORT))
		return value;
	if (!value.dotted && value.number != VALUE_NO_NUMBER && value.number >= 0)
		return define(in, cell, (uint32_t)value.number);
	struct value found = value_bottom();
	if (value.dotted && value.text.at)
		found = import_value(in, value.text.at, value.dotted);
	if (value_is_bottom(&found)) {
		found = value;
		found.flags &= (uint16_t)~VALUE_IMPORT;
		found.text = (struct str){NULL, 0};
	}
	/* nothing undoes this: it is what the import has meant all along */
	in->cells.items[cell].value = found;
	return found;
}

void import_all(struct interp *in, const char *dotted)
{
	struct star star = {.def = root_of(in, in->frame ? in->frame->scope : in->module_scope), .from = import_from(in),
			    .dotted = dotted};
	for (size_t i = 0; i < in->stars.count; i++)
		if (in->stars.items[i].def == star.def && strcmp(in->stars.items[i].dotted, dotted) == 0)
			return;
	VEC_ADD(&in->stars, star);
}

static struct object *star_module(struct interp *in, size_t number)
{
	struct star star = in->stars.items[number];
	if (star.looked_up)
		return star.module;
	struct value all = import_value(in, star.from, star.dotted);
	struct object *object = all.object_count == 1 ? object_get(in, all.objects[0]) : NULL;
	bool other = object && object->is_module && object->scope->def != star.def;
	in->stars.items[number].looked_up = true; /* looking it up may have added to the list */
	in->stars.items[number].module = other ? object : NULL;
	return in->stars.items[number].module;
}

struct value import_star(struct interp *in, const struct def *module, struct str name)
{
	struct value value = value_bottom();
	struct place_key key = {module, NULL, (uint32_t)str_hash(name), 'N'};
	const struct str *absent = place_get(in, &key);
	if (absent && str_equal(*absent, name))
		return value;
	size_t stars = in->stars.count;
	for (size_t i = 0; i < in->stars.count && value_is_bottom(&value) && in->import_depth < IMPORT_DEPTH; i++) {
		if (in->stars.items[i].def != module)
			continue;
		struct object *object = star_module(in, i);
		in->import_depth++;
		if (object)
			value = import_member(in, object, name);
		in->import_depth--;
	}
	if (value_is_bottom(&value) && !absent && stars == in->stars.count && in->import_depth == 0) {
		struct str *noted = ARENA_NEW(in->arena, struct str); /* so that it isn't looked for again */
		*noted = name;
		place_put(in, &key, noted);
	}
	return value;
}

struct value import_name(struct interp *in, struct str name)
{
	if (!in->stars.count)
		return value_bottom();
	return import_star(in, root_of(in, in->frame ? in->frame->scope : in->module_scope), name);
}

uint32_t unit_line(const struct unit *unit, struct span span)
{
	uint32_t line = 1;
	for (uint32_t i = 0; i < span.start - unit->base; i++)
		line += unit->text.at[i] == '\n';
	return line;
}

const struct unit *unit_of(const struct interp *in, struct span span)
{
	for (size_t i = 0; span.start >= in->text.length && i < in->loaded.count; i++) {
		const struct unit *unit = in->loaded.items[i]->unit;
		if (span.start >= unit->base && span.end <= unit->base + unit->text.length)
			return unit;
	}
	return NULL;
}
