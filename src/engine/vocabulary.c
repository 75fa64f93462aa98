#include "engine/vocabulary.h"

#include <string.h>

#include "text/json_writer.h"

enum { KEEP, SAFE };

/* The dotted name without its last part, or "" where it has one part. */
static struct str owner_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return (struct str){name, dot ? (size_t)(dot - name) : 0};
}

static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

/* By Python's custom the names of classes begin with a capital. */
static bool is_class_name(struct str dotted)
{
	size_t start = dotted.length;

	while (start > 0 && dotted.at[start - 1] != '.')
		start--;
	return start < dotted.length && dotted.at[start] >= 'A' && dotted.at[start] <= 'Z';
}

static void member(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_text(writer, text);
}

static void effect_write(struct json_writer *writer, int effect)
{
	json_key(writer, "returns");
	json_object_begin(writer);
	member(writer, "graph", "no");
	json_object_end(writer);
	if (effect == KEEP) {
		json_key(writer, "store");
		json_object_begin(writer);
		member(writer, "op", "append");
		json_object_end(writer);
	}
}

/* "lab.utils.record" is a function, "lab.Recorder.add" a method of a class, "add" a method of whatever it is called on. */
static void call_write(struct json_writer *writer, const char *name, int effect)
{
	struct str owner = owner_of(name);

	json_object_begin(writer);
	if (is_class_name(owner)) {
		json_key(writer, "class");
		json_str(writer, owner);
		json_member_bool(writer, "adds", true);
		json_key(writer, "methods");
		json_object_begin(writer);
		json_key(writer, last_part(name));
		json_object_begin(writer);
		effect_write(writer, effect);
		json_object_end(writer);
		json_object_end(writer);
	} else {
		member(writer, owner.length ? "call" : "method", name);
		effect_write(writer, effect);
	}
	json_object_end(writer);
}

/* A method of that name may be one of a tensor's own kind, too. */
static void tensor_method_write(struct json_writer *writer, const char *name)
{
	json_object_begin(writer);
	member(writer, "class", "torch.Tensor");
	json_member_bool(writer, "adds", true);
	json_key(writer, "methods");
	json_object_begin(writer);
	json_key(writer, name);
	json_object_begin(writer);
	effect_write(writer, SAFE);
	json_object_end(writer);
	json_object_end(writer);
	json_object_end(writer);
}

static void module_write(struct json_writer *writer, const char *name)
{
	json_object_begin(writer);
	member(writer, "class", name);
	member(writer, "base", "torch.nn.Module");
	member(writer, "role", "module");
	json_object_end(writer);
}

/* A hook that is called in each step of each epoch. */
static void step_write(struct json_writer *writer, const char *name)
{
	static const char *const loops[] = {"epoch", "step"};

	json_object_begin(writer);
	json_key(writer, "class");
	json_str(writer, owner_of(name));
	json_member_bool(writer, "adds", true);
	json_key(writer, "hooks");
	json_object_begin(writer);
	json_key(writer, last_part(name));
	json_object_begin(writer);
	json_key(writer, "loops");
	json_array_begin(writer);
	for (int i = 0; i < 2; i++)
		json_text(writer, loops[i]);
	json_array_end(writer);
	json_object_end(writer);
	json_object_end(writer);
	json_object_end(writer);
}

static void entries_write(struct json_writer *writer, const struct setting_layer *layer)
{
	const struct setting_value *values = layer->values;

	for (size_t i = 0; i < values[SETTING_MODULE_TYPES].count; i++)
		module_write(writer, values[SETTING_MODULE_TYPES].items[i].text);
	for (size_t i = 0; i < values[SETTING_KEEPS].count; i++)
		call_write(writer, values[SETTING_KEEPS].items[i].text, KEEP);
	for (size_t i = 0; i < values[SETTING_SAFE_CALLS].count; i++) {
		const char *name = values[SETTING_SAFE_CALLS].items[i].text;

		call_write(writer, name, SAFE);
		if (!owner_of(name).length)
			tensor_method_write(writer, name);
	}
	for (size_t i = 0; i < values[SETTING_STEP_FUNCTIONS].count; i++) {
		if (owner_of(values[SETTING_STEP_FUNCTIONS].items[i].text).length)
			step_write(writer, values[SETTING_STEP_FUNCTIONS].items[i].text);
	}
}

/* The bare names among those that run once a step. */
static void steps_write(struct json_writer *writer, const struct setting_value *steps)
{
	json_key(writer, "step_functions");
	json_array_begin(writer);
	for (size_t i = 0; i < steps->count; i++) {
		if (!owner_of(steps->items[i].text).length)
			json_text(writer, steps->items[i].text);
	}
	json_array_end(writer);
}

/* A file that imports any of these libraries is worth reading. */
static void imports_write(struct json_writer *writer, const struct setting_layer *layer)
{
	static const enum setting_id ids[] = {SETTING_MODULE_TYPES, SETTING_KEEPS, SETTING_SAFE_CALLS, SETTING_STEP_FUNCTIONS};

	json_key(writer, "imports");
	json_array_begin(writer);
	for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
		for (size_t i = 0; i < layer->values[ids[k]].count; i++) {
			const char *name = layer->values[ids[k]].items[i].text;

			if (owner_of(name).length)
				json_str(writer, (struct str){name, strcspn(name, ".")});
		}
	}
	json_array_end(writer);
}

const char *vocabulary_model(const struct setting_layer *layer, struct arena *arena)
{
	const struct setting_value *values = layer->values;
	struct json_writer writer;
	struct buf out = BUF_INIT;
	const char *text;

	if (!values[SETTING_MODULE_TYPES].count && !values[SETTING_KEEPS].count && !values[SETTING_SAFE_CALLS].count &&
	    !values[SETTING_STEP_FUNCTIONS].count)
		return NULL;
	json_writer_init(&writer, &out);
	json_object_begin(&writer);
	imports_write(&writer, layer);
	steps_write(&writer, &values[SETTING_STEP_FUNCTIONS]);
	json_key(&writer, "entries");
	json_array_begin(&writer);
	entries_write(&writer, layer);
	json_array_end(&writer);
	json_object_end(&writer);
	text = arena_dup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}
