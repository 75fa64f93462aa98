#include "cli/settings_text.h"

#include <string.h>

#include "base/mem.h"
#include "report/report.h"
#include "text/json_writer.h"

static void member(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_text(writer, text);
}

static void words_json(struct json_writer *writer, const char *key, const char *const *words)
{
	json_key(writer, key);
	json_array_begin(writer);
	for (; *words; words++)
		json_text(writer, *words);
	json_array_end(writer);
}

/* Under KEY, or as an element where that is NULL. */
static void reference(struct json_writer *writer, const char *key, const char *to)
{
	if (key)
		json_key(writer, key);
	json_object_begin(writer);
	member(writer, "$ref", to);
	json_object_end(writer);
}

static void text_items(struct json_writer *writer, const char *pattern)
{
	json_key(writer, "items");
	json_object_begin(writer);
	member(writer, "type", "string");
	json_key(writer, "minLength");
	json_int(writer, 1);
	if (pattern)
		member(writer, "pattern", pattern);
	json_object_end(writer);
}

/* The members that say what values of KIND are. */
static void kind_schema(struct json_writer *writer, enum setting_kind kind)
{
	switch (kind) {
	case TAKES_RULES:
		member(writer, "type", "array");
		reference(writer, "items", "#/definitions/rule");
		return;
	case TAKES_RULES_AT:
		member(writer, "type", "object");
		json_key(writer, "additionalProperties");
		json_object_begin(writer);
		kind_schema(writer, TAKES_RULES);
		json_object_end(writer);
		return;
	case TAKES_LEVELS:
		member(writer, "type", "object");
		json_key(writer, "additionalProperties");
		json_object_begin(writer);
		kind_schema(writer, TAKES_LEVEL);
		json_object_end(writer);
		return;
	case TAKES_PROOF:
	case TAKES_LEVEL:
		words_json(writer, "enum", setting_choices(kind));
		return;
	case TAKES_PATTERNS:
		member(writer, "type", "array");
		text_items(writer, NULL);
		return;
	case TAKES_NAMES:
		member(writer, "type", "array");
		text_items(writer, "^[^\\W\\d]\\w*(\\.[^\\W\\d]\\w*)*(\\.\\*)?$");
		return;
	case TAKES_SWITCH:
		member(writer, "type", "boolean");
		return;
	case TAKES_PATH:
		member(writer, "type", "string");
		json_key(writer, "minLength");
		json_int(writer, 1);
		return;
	case TAKES_FORMATS:
		json_key(writer, "anyOf");
		json_array_begin(writer);
		reference(writer, NULL, "#/definitions/format");
		json_object_begin(writer);
		member(writer, "type", "array");
		reference(writer, "items", "#/definitions/format");
		json_object_end(writer);
		json_array_end(writer);
		return;
	case TAKES_KEPT:
		member(writer, "type", "object");
		return;
	}
	BUG("a key of no kind");
}

/* A list of what editors may offer, beside which anything that matches PATTERN is right too. */
static void definition_begin(struct json_writer *writer, const char *name)
{
	json_key(writer, name);
	json_object_begin(writer);
	json_key(writer, "anyOf");
	json_array_begin(writer);
	json_object_begin(writer);
	json_key(writer, "enum");
	json_array_begin(writer);
}

static void definition_end(struct json_writer *writer, const char *pattern)
{
	json_array_end(writer);
	json_object_end(writer);
	json_object_begin(writer);
	member(writer, "type", "string");
	member(writer, "pattern", pattern);
	json_object_end(writer);
	json_array_end(writer);
	json_object_end(writer);
}

static void definitions(struct json_writer *writer, const struct rule_set *rules)
{
	json_key(writer, "definitions");
	json_object_begin(writer);
	definition_begin(writer, "rule");
	json_text(writer, "ALL");
	for (size_t i = 0; i < rules->count; i++)
		json_text(writer, rules->rules[i]->code);
	for (size_t i = 0; i < rules->count; i++)
		json_text(writer, rules->rules[i]->name);
	definition_end(writer, "^[A-Za-z][A-Za-z0-9-]*$");
	definition_begin(writer, "format");
	json_text(writer, "auto");
	for (size_t i = 0; report_formats[i]; i++)
		json_text(writer, report_formats[i]->name);
	definition_end(writer, "^[a-z-]+$");
	json_object_end(writer);
}

static void fallback(struct json_writer *writer, const struct setting_row *row)
{
	json_key(writer, "default");
	if (row->kind == TAKES_SWITCH)
		json_bool(writer, strcmp(row->fallback, "true") == 0);
	else
		json_text(writer, row->fallback);
}

void settings_schema_add(struct buf *out, const struct rule_set *rules)
{
	struct json_writer writer;

	json_writer_init(&writer, out);
	json_object_begin(&writer);
	member(&writer, "$schema", "http://json-schema.org/draft-07/schema#");
	member(&writer, "title", "vramlint");
	member(&writer, "description", "Configuration of vramlint: vramlint.toml, or [tool.vramlint] in pyproject.toml");
	member(&writer, "type", "object");
	json_member_bool(&writer, "additionalProperties", false);
	json_key(&writer, "properties");
	json_object_begin(&writer);
	for (int id = 0; id < SETTING_COUNT; id++) {
		const struct setting_row *row = &setting_rows[id];

		json_key(&writer, row->name);
		json_object_begin(&writer);
		member(&writer, "description", row->help);
		kind_schema(&writer, row->kind);
		if (row->kind == TAKES_SWITCH || row->kind == TAKES_PROOF || row->kind == TAKES_LEVEL)
			fallback(&writer, row);
		json_object_end(&writer);
	}
	json_object_end(&writer);
	definitions(&writer, rules);
	json_object_end(&writer);
	buf_add_char(out, '\n');
}
