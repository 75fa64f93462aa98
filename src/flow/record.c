#include "flow/interp.h"

/* ---- records: things with named fields that no class statement describes ---- */

enum { MOST_FIELDS = 64 };

static void add_field(struct object *maker, struct str name)
{
	if (maker->field_count < MOST_FIELDS)
		maker->fields[maker->field_count++] = name;
}

/* "loss acc", "loss, acc", ["loss", "acc"] or [("loss", float)]: the names in GIVEN. */
static void read_fields(struct interp *in, struct object *maker, const struct value *given)
{
	struct str text = given->text;
	for (uint32_t i = 0; text.at && i < text.length;) {
		uint32_t start = i;
		while (i < text.length && text.at[i] != ' ' && text.at[i] != ',')
			i++;
		if (i > start)
			add_field(maker, (struct str){text.at + start, i - start});
		i += i < text.length;
	}
	const struct object *list = given->object_count == 1 ? object_get(in, given->objects[0]) : NULL;
	for (size_t i = 0; list && i < list->slots.count; i++) {
		struct value field = cell_get(in, list->slots.items[i].cell);
		if (field.object_count)
			field = element_at(in, &field, 0, NULL);
		if (field.text.at)
			add_field(maker, field.text);
	}
}

struct value record_class(struct interp *in, const struct model_rule *rule, struct args *args, const struct expr *node)
{
	struct object *maker = object_new(in, node, 17, KIND_FUNCTION, node->span);
	const struct value *given = args_get(args, 1, "field_names");
	maker->makes = &rule->returns;
	maker->field_count = 0;
	if (!maker->fields)
		maker->fields = ARENA_ARRAY(in->arena, struct str, MOST_FIELDS);
	if (given)
		read_fields(in, maker, given);
	return object_value(in, maker);
}

void record_fill(struct interp *in, struct object *record, const struct object *maker, const struct args *args)
{
	uint32_t place = 0;
	for (uint32_t i = 0; i < args->count; i++) {
		struct str name = args->names[i];
		bool known = !name.length && place < maker->field_count;
		if (known)
			name = maker->fields[place];
		if (!name.length) { /* a starred one, or fields that nobody can read */
			add_element(in, record, args->values[i]);
			continue;
		}
		uint32_t cell = object_slot(in, record, name, true);
		fill_cell(in, cell, args->values[i], record->span, name, false);
		for (uint32_t k = 0; (record->kinds & KIND_CONTAINER) && k < maker->field_count; k++)
			if (str_equal(maker->fields[k], name))
				cell_set(in, object_slot(in, record, position_name(in, k), true), cell_get(in, cell));
		place += known;
	}
}

struct value record_make(struct interp *in, struct object *maker, struct args *args, const struct expr *node)
{
	struct object *record = object_new(in, node ? (const void *)node : (const void *)maker, 18, maker->makes->kinds,
					   node ? node->span : maker->span);
	record->library = maker->makes->class_name ? model_class_get(in->model, maker->makes->class_name) : NULL;
	record->literal = (record->kinds & KIND_CONTAINER) && !args->more;
	record_fill(in, record, maker, args);
	return object_value(in, record);
}

void record_named(struct interp *in, struct object *record, const struct args *args)
{
	for (uint32_t i = 0; i < args->count; i++)
		if (args->names[i].length)
			fill_cell(in, object_slot(in, record, args->names[i], true), args->values[i], record->span, args->names[i], false);
}

/* ---- a record with other fields ---- */

static bool is_position(struct str name)
{
	return name.length && name.at[0] >= '0' && name.at[0] <= '9';
}

/* Puts what FROM has, with ARGS in place of the fields that they name, into COPY; WEAK: what COPY has stays as well. */
static void replace_fields(struct interp *in, const struct object *from, const struct args *args, struct object *copy,
			   const struct value *fields, bool weak, struct span made)
{
	for (size_t i = 0; i < from->slots.count && i < MOST_FIELDS; i++) {
		struct str name = from->slots.items[i].name;
		/* a tuple's field stands under its name and then under its position */
		struct str field = i > 0 && is_position(name) ? from->slots.items[i - 1].name : name;
		struct value value = fields[i];
		for (uint32_t k = 0; k < args->count; k++)
			if (args->names[k].length && str_equal(args->names[k], field))
				value = args->values[k];
		uint32_t cell = object_slot(in, copy, name, true);
		struct value old = cell_get(in, cell);
		if (weak)
			cell_set(in, cell, value_join(&in->origins, &old, &value));
		else
			fill_cell(in, cell, value, made, name, false);
	}
}

struct value record_replace(struct interp *in, const struct value *records, struct args *args, const struct expr *node)
{
	struct value out = value_bottom();
	/* all is read first: a copy that this place made last may be among the records */
	struct value *fields = ARENA_ARRAY(&in->scratch, struct value, VALUE_OBJECTS * MOST_FIELDS);
	for (uint8_t i = 0; i < records->object_count; i++) {
		const struct object *from = object_get(in, records->objects[i]);
		for (size_t k = 0; k < from->slots.count && k < MOST_FIELDS; k++)
			fields[i * MOST_FIELDS + k] = cell_get(in, from->slots.items[k].cell);
	}
	struct object *copy = NULL;
	for (uint8_t i = 0; i < records->object_count; i++) {
		struct object *from = object_get(in, records->objects[i]);
		bool weak = copy != NULL;
		if (!copy)
			copy = object_new(in, node, 21, from->kinds, node->span);
		if (!copy->class_def)
			copy->class_def = from->class_def;
		copy->library = from->library;
		copy->literal = from->literal;
		replace_fields(in, from, args, copy, &fields[i * MOST_FIELDS], weak, node->span);
		out = object_value(in, copy);
	}
	return value_is_bottom(&out) ? value_of(KIND_UNKNOWN) : out;
}
