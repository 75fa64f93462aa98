#include "cli/settings_text.h"

#include <string.h>

#include "cli/message.h"
#include "text/json_writer.h"

bool settings_tell_faults(const struct config *config)
{
	enum { MOST = 20 };
	size_t count, told = 0;
	const struct config_fault *faults = config_faults(config, &count);

	for (size_t i = 0; i < count; i++) {
		if (!faults[i].is_error)
			message_warning("%s", faults[i].sentence);
	}
	for (size_t i = 0; i < count; i++) {
		if (faults[i].is_error && told++ < MOST)
			message_error("%s", faults[i].sentence);
	}
	if (told > MOST)
		message_error("%zu more faults of the configuration are not shown", told - MOST);
	return told > 0;
}

/* ---- TOML ---- */

static bool is_list(enum setting_kind kind, size_t count)
{
	return kind == TAKES_RULES || kind == TAKES_PATTERNS || kind == TAKES_NAMES || kind == TAKES_RULES_AT ||
	       (kind == TAKES_FORMATS && count > 1);
}

/* TEXT in quotes; what JSON escapes, TOML escapes alike. */
static void quoted_add(struct buf *out, const char *text)
{
	struct json_writer writer;

	json_writer_init(&writer, out);
	json_text(&writer, text);
}

/* Ends the line begun at START with where its value was said. */
static void place_add(struct buf *out, size_t start, const struct setting_place *place)
{
	enum { COLUMN = 48 };
	size_t length = out->length - start;
	struct arena arena;

	arena_init(&arena);
	buf_add_repeat(out, ' ', length < COLUMN ? COLUMN - length : 2);
	buf_format(out, "# %s\n", setting_place_text(place, &arena));
	arena_release(&arena);
}

/* Whether two items can stand in one list: said at once, for one key. */
static bool belong_together(const struct setting_item *a, const struct setting_item *b)
{
	return a->place.source == b->place.source && strcmp(a->place.name, b->place.name) == 0 &&
	       a->place.text == b->place.text &&
	       (!a->place.text || source_line(a->place.text, a->place.span.start) == source_line(b->place.text, b->place.span.start)) &&
	       (a->key == b->key || (a->key && b->key && strcmp(a->key, b->key) == 0));
}

static void item_add(struct buf *out, const struct setting_item *item, enum setting_kind kind)
{
	if (kind == TAKES_SWITCH || kind == TAKES_KEPT)
		buf_add_text(out, item->text);
	else
		quoted_add(out, item->text);
}

/* A line for each run of items that were said together. */
static void value_add(struct buf *out, enum setting_id id, const struct setting_value *value)
{
	const struct setting_row *row = &setting_rows[id];
	bool has_lists = is_list(row->kind, value->count);
	size_t start = out->length;

	if (value->count == 0) {
		buf_format(out, "%s = []", row->name);
		place_add(out, start, &value->place);
	}
	for (size_t i = 0; i < value->count;) {
		const struct setting_item *first = &value->items[i];
		size_t end = i + 1;

		while (has_lists && end < value->count && belong_together(first, &value->items[end]))
			end++;
		start = out->length;
		buf_add_text(out, row->name);
		if (first->key) {
			buf_add_char(out, '.');
			if (row->kind == TAKES_KEPT)
				buf_add_text(out, first->key);
			else
				quoted_add(out, first->key);
		}
		buf_add_text(out, has_lists ? " = [" : " = ");
		for (; i < end; i++) {
			if (&value->items[i] != first)
				buf_add_text(out, ", ");
			item_add(out, &value->items[i], row->kind);
		}
		if (has_lists)
			buf_add_char(out, ']');
		place_add(out, start, &first->place);
	}
}

static void rules_add(struct buf *out, const struct settings *settings)
{
	static const char *const names[] = {"hint", "note", "warning", "error"};

	buf_add_text(out, "\n# rules that run:\n");
	for (size_t i = 0; i < settings->rules->count; i++) {
		const struct rule *rule = settings->rules->rules[i];
		int severity = settings->selection.severity[rule->index];

		if (!settings->selection.enabled[rule->index])
			continue;
		buf_format(out, "#   %s %s%s%s\n", rule->code, rule->name, severity == SEVERITY_OWN ? "" : ", ",
			   severity == SEVERITY_OWN ? "" : names[severity]);
	}
}

void settings_text_add(struct buf *out, const struct settings *settings)
{
	bool any_default = false;

	buf_format(out, "# configuration file: %s\n", settings->file ? settings->file : "none");
	for (int id = 0; id < SETTING_COUNT; id++) {
		if (settings->layer->values[id].given)
			value_add(out, (enum setting_id)id, &settings->layer->values[id]);
	}
	for (int id = 0; id < SETTING_COUNT; id++) {
		if (settings->layer->values[id].given)
			continue;
		if (!any_default)
			buf_add_text(out, "\n# by default:\n");
		any_default = true;
		buf_format(out, "#   %s: %s\n", setting_rows[id].name, setting_rows[id].fallback);
	}
	rules_add(out, settings);
}

/* ---- JSON ---- */

static void member(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_text(writer, text);
}

static void item_json(struct json_writer *writer, const struct setting_item *item, enum setting_kind kind, struct arena *arena)
{
	json_object_begin(writer);
	if (item->key)
		member(writer, "key", item->key);
	json_key(writer, "value");
	if (kind == TAKES_SWITCH)
		json_bool(writer, strcmp(item->text, "true") == 0);
	else
		json_text(writer, item->text);
	member(writer, "from", setting_place_text(&item->place, arena));
	json_object_end(writer);
}

void settings_json_add(struct buf *out, const struct settings *settings)
{
	static const char *const sources[] = {"default", "option", "file", "environment", "option", "option"};
	struct json_writer writer;
	struct arena arena;

	arena_init(&arena);
	json_writer_init(&writer, out);
	json_object_begin(&writer);
	member(&writer, "file", settings->file);
	json_key(&writer, "settings");
	json_object_begin(&writer);
	for (int id = 0; id < SETTING_COUNT; id++) {
		const struct setting_value *value = &settings->layer->values[id];

		json_key(&writer, setting_rows[id].name);
		json_object_begin(&writer);
		member(&writer, "source", sources[value->given ? value->place.source : SOURCE_DEFAULT]);
		if (!value->given)
			member(&writer, "default", setting_rows[id].fallback);
		json_key(&writer, "items");
		json_array_begin(&writer);
		for (size_t i = 0; i < value->count; i++)
			item_json(&writer, &value->items[i], setting_rows[id].kind, &arena);
		json_array_end(&writer);
		json_object_end(&writer);
	}
	json_object_end(&writer);
	json_key(&writer, "rules");
	json_array_begin(&writer);
	for (size_t i = 0; i < settings->rules->count; i++) {
		if (settings->selection.enabled[settings->rules->rules[i]->index])
			json_text(&writer, settings->rules->rules[i]->code);
	}
	json_array_end(&writer);
	json_object_end(&writer);
	buf_add_char(out, '\n');
	arena_release(&arena);
}
