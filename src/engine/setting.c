#include "engine/setting.h"

#include <string.h>

#include "base/nearest.h"
#include "base/vec.h"

const struct setting_row setting_rows[SETTING_COUNT] = {
#define KEY(constant, name, kind, fallback, help) {name, kind, fallback, help},
#define OPTION(constant, name, kind, argument, fallback, help) {name, kind, fallback, help},
#define SWITCH(constant, name, fallback, help, help_off) {name, TAKES_SWITCH, #fallback, help},
#define CHOICE OPTION
#include "engine/setting.inc"
#undef CHOICE
#undef KEY
#undef OPTION
#undef SWITCH
};

static const struct {
	const char *text;
	bool is_list;
} kinds[] = {
	[TAKES_RULES] = {"a list of rules, as in [\"VL1\", \"tensor-append\"]", true},
	[TAKES_RULES_AT] = {"a table of lists of rules, as in {\"tests/*\" = [\"VL101\"]}", true},
	[TAKES_LEVELS] = {"a table of severities, as in {VL101 = \"error\"}", true},
	[TAKES_PROOF] = {"\"flow\", \"usage\", \"sibling\" or \"name\"", false},
	[TAKES_LEVEL] = {"\"hint\", \"note\", \"warning\" or \"error\"", false},
	[TAKES_PATTERNS] = {"a list of patterns, as in [\"data\", \"tests/*.py\"]", true},
	[TAKES_SWITCH] = {"true or false", false},
	[TAKES_PATH] = {"a path, as in \"tools/own\"", false},
	[TAKES_FORMATS] = {"a format, as in \"concise\", or a list of them", true},
	[TAKES_NAMES] = {"a list of dotted names, as in [\"lab.meters.record\"]", true},
	[TAKES_KEPT] = {"a table", true},
};

const char *setting_kind_text(enum setting_kind kind)
{
	return kinds[kind].text;
}

const char *const *setting_choices(enum setting_kind kind)
{
	static const char *const proofs[] = {"flow", "usage", "sibling", "name", NULL};
	static const char *const levels[] = {"hint", "note", "warning", "error", NULL};

	return kind == TAKES_PROOF ? proofs : kind == TAKES_LEVEL || kind == TAKES_LEVELS ? levels : NULL;
}

enum setting_id setting_find(struct str name)
{
	int id = 0;

	while (id < SETTING_COUNT && !str_is(name, setting_rows[id].name))
		id++;
	return (enum setting_id)id;
}

const char *setting_nearest(struct str name)
{
	struct nearest nearest;

	nearest_init(&nearest, name);
	for (int id = 0; id < SETTING_COUNT; id++)
		nearest_offer(&nearest, setting_rows[id].name);
	return nearest.best;
}

bool setting_adds(enum setting_id id)
{
	return str_starts(str_from(setting_rows[id].name), "extend-") || setting_rows[id].kind == TAKES_LEVELS ||
	       setting_rows[id].kind == TAKES_NAMES || setting_rows[id].kind == TAKES_KEPT;
}

const char *setting_text(const struct setting_layer *layer, enum setting_id id)
{
	const struct setting_value *value = &layer->values[id];

	return value->count ? value->items[value->count - 1].text : NULL;
}

bool setting_switch(const struct setting_layer *layer, enum setting_id id, bool fallback)
{
	const char *text = setting_text(layer, id);

	return text ? strcmp(text, "true") == 0 : fallback;
}

const char *setting_place_text(const struct setting_place *place, struct arena *arena)
{
	struct place at;

	if (place->source == SOURCE_DEFAULT)
		return "default";
	if (place->source != SOURCE_FILE || !place->text)
		return place->name;
	at = source_place(place->text, place->span.start);
	return arena_format(arena, "%s:%lu:%lu", place->name, (unsigned long)at.line, (unsigned long)at.column);
}

/* What is being read. */
struct reading {
	struct setting_layer *layer;
	enum setting_id id;
	struct setting_place place;
	struct arena *arena;
	VEC(struct setting_item) items;
	struct span *fault; /* NULL for text */
	struct err *err;
};

static void item_add(struct reading *reading, const char *key, const char *text, struct span span)
{
	struct setting_item item = {key ? arena_dup(reading->arena, key) : NULL, arena_dup(reading->arena, text),
				    reading->place};

	item.place.span = span;
	VEC_ADD(&reading->items, item);
}

static bool fail(struct reading *reading, struct span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Says what is wrong after the name of the key: "'select' takes a list …". */
static bool fail(struct reading *reading, struct span at, const char *format, ...)
{
	const char *name = setting_rows[reading->id].name;
	struct buf text = BUF_INIT;
	va_list args;

	va_start(args, format);
	buf_format_list(&text, format, args);
	va_end(args);
	if (reading->fault)
		*reading->fault = at;
	if (reading->place.source == SOURCE_OPTION || reading->place.source == SOURCE_FALLBACK)
		err_set(reading->err, ERR_USAGE, "option '--%s' %s", name, buf_text(&text));
	else if (reading->place.source == SOURCE_ENVIRONMENT)
		err_set(reading->err, ERR_USAGE, "environment variable '%s' %s", reading->place.name, buf_text(&text));
	else
		err_set(reading->err, ERR_CONFIG, "'%s' %s", name, buf_text(&text));
	buf_release(&text);
	return false;
}

/* Keeps what was read, after what was there where MORE. */
static void reading_keep(struct reading *reading, bool more)
{
	struct setting_value *value = &reading->layer->values[reading->id];
	size_t before = more ? value->count : 0;
	struct setting_item *items = ARENA_ARRAY(reading->arena, struct setting_item, before + reading->items.count + 1);

	if (before)
		memcpy(items, value->items, before * sizeof *items);
	if (reading->items.count)
		memcpy(items + before, reading->items.items, reading->items.count * sizeof *items);
	*value = (struct setting_value){true, items, before + reading->items.count, reading->place};
}

/* ---- words ---- */

static bool choice_is_known(enum setting_kind kind, struct str text)
{
	const char *const *choices = setting_choices(kind);

	while (*choices && !str_is(text, *choices))
		choices++;
	return *choices != NULL;
}

/* "flow, usage, sibling or name", each between QUOTE. */
static const char *choice_list(struct reading *reading, enum setting_kind kind, const char *quote)
{
	const char *const *choices = setting_choices(kind);
	struct buf list = BUF_INIT;
	const char *text;

	for (size_t i = 0; choices[i]; i++)
		buf_format(&list, "%s%s%s%s", i == 0 ? "" : choices[i + 1] ? ", " : " or ", quote, choices[i], quote);
	text = arena_dup(reading->arena, buf_text(&list));
	buf_release(&list);
	return text;
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* A dotted name of Python; its last part may be "*". */
static bool is_dotted_name(struct str text)
{
	bool starts = true;

	for (size_t i = 0; i < text.length; i++) {
		char c = text.at[i];

		if (starts && c == '*' && i > 0 && i + 1 == text.length)
			return true;
		if (starts ? !is_name_start(c) : !is_name_start(c) && c != '.' && !(c >= '0' && c <= '9'))
			return false;
		starts = c == '.';
	}
	return text.length > 0 && !starts;
}

/* Checks one word of a list or a scalar. QUOTE: how words are quoted where it was written. */
static bool word_is_sound(struct reading *reading, struct str word, struct span span, const char *quote)
{
	enum setting_kind kind = setting_rows[reading->id].kind;

	if (memchr(word.at, '\0', word.length))
		return fail(reading, span, "has a NUL character in it");
	if (kind == TAKES_PROOF || kind == TAKES_LEVEL || kind == TAKES_LEVELS)
		return choice_is_known(kind, word) ||
		       fail(reading, span, "takes %s, not '%.*s'", choice_list(reading, kind, quote), STR_ARG(word));
	if (word.length == 0)
		return fail(reading, span, "has an empty text in it");
	if (kind == TAKES_NAMES && !is_dotted_name(word))
		return fail(reading, span, "takes dotted names, as in lab.meters.record, not '%.*s'", STR_ARG(word));
	return true;
}

/* ---- TOML ---- */

/* VALUE is none of KIND. */
static bool wrong_type(struct reading *reading, enum setting_kind kind, const struct toml_value *value)
{
	const char *suffix = kind == setting_rows[reading->id].kind ? "" : kind == TAKES_RULES ? " for each pattern" : " for each rule";

	return fail(reading, value->span, "takes %s%s, not %s", kinds[kind].text, suffix, toml_kind_name(value->kind));
}

static bool word_read(struct reading *reading, const char *key, const struct toml_value *value)
{
	enum setting_kind kind = setting_rows[reading->id].kind;

	if (value->kind != TOML_TEXT && (kind == TAKES_RULES || kind == TAKES_RULES_AT || kind == TAKES_PATTERNS || kind == TAKES_NAMES))
		return fail(reading, value->span, "takes texts in its list, not %s", toml_kind_name(value->kind));
	if (value->kind != TOML_TEXT)
		return wrong_type(reading, kind == TAKES_LEVELS ? TAKES_LEVEL : kind, value);
	if (!word_is_sound(reading, value->text, value->span, "\""))
		return false;
	item_add(reading, key, value->text.at, value->span);
	return true;
}

static bool list_read(struct reading *reading, const char *key, const struct toml_value *value)
{
	enum setting_kind kind = setting_rows[reading->id].kind;
	bool ok = true;

	if (value->kind != TOML_ARRAY)
		return wrong_type(reading, kind == TAKES_RULES_AT ? TAKES_RULES : kind, value);
	for (const struct toml_entry *entry = value->entries; entry && ok; entry = entry->next)
		ok = word_read(reading, key, entry->value);
	return ok;
}

/* The values of a table that nobody reads yet, under dotted keys. The reader of TOML bounds the depth. */
static void kept_read(struct reading *reading, const char *prefix, const struct toml_value *table)
{
	for (const struct toml_entry *entry = table->entries; entry; entry = entry->next) {
		const char *key = arena_format(reading->arena, "%s%s%s", prefix, *prefix ? "." : "", entry->key.at);
		struct str text = source_slice(reading->place.text, entry->value->span);

		if (entry->value->kind == TOML_TABLE && !entry->value->fixed)
			kept_read(reading, key, entry->value);
		else
			item_add(reading, key, arena_dup_str(reading->arena, text).at, entry->value->span);
	}
}

static bool table_read(struct reading *reading, const struct toml_value *value)
{
	bool ok = true;

	if (value->kind != TOML_TABLE)
		return wrong_type(reading, setting_rows[reading->id].kind, value);
	if (setting_rows[reading->id].kind == TAKES_KEPT) {
		kept_read(reading, "", value);
		return true;
	}
	for (const struct toml_entry *entry = value->entries; entry && ok; entry = entry->next) {
		if (entry->key.length == 0 || memchr(entry->key.at, '\0', entry->key.length))
			ok = fail(reading, entry->key_span, "has an empty key, or one with a NUL character");
		else if (setting_rows[reading->id].kind == TAKES_LEVELS)
			ok = word_read(reading, entry->key.at, entry->value);
		else
			ok = list_read(reading, entry->key.at, entry->value);
	}
	return ok;
}

static bool value_read(struct reading *reading, const struct toml_value *value)
{
	switch (setting_rows[reading->id].kind) {
	case TAKES_RULES_AT:
	case TAKES_LEVELS:
	case TAKES_KEPT:
		return table_read(reading, value);
	case TAKES_RULES:
	case TAKES_PATTERNS:
	case TAKES_NAMES:
		return list_read(reading, NULL, value);
	case TAKES_FORMATS:
		return value->kind == TOML_ARRAY ? list_read(reading, NULL, value) : word_read(reading, NULL, value);
	case TAKES_SWITCH:
		if (value->kind != TOML_BOOL)
			return wrong_type(reading, TAKES_SWITCH, value);
		item_add(reading, NULL, value->truth ? "true" : "false", value->span);
		return true;
	case TAKES_PROOF:
	case TAKES_LEVEL:
	case TAKES_PATH:
		return word_read(reading, NULL, value);
	}
	BUG("a key of no kind");
}

bool setting_read(struct setting_layer *layer, enum setting_id id, const struct toml_value *value,
		  struct setting_place place, struct arena *arena, struct span *fault, struct err *err)
{
	struct reading reading = {.layer = layer, .id = id, .place = place, .arena = arena, .fault = fault, .err = err};
	bool ok;

	reading.place.span = value->span;
	ok = value_read(&reading, value);
	if (ok)
		reading_keep(&reading, false);
	VEC_RELEASE(&reading.items);
	return ok;
}

/* ---- text ---- */

static struct str trimmed(struct str text)
{
	while (text.length && strchr(" \t\r\n", text.at[0]))
		text = (struct str){text.at + 1, text.length - 1};
	while (text.length && strchr(" \t\r\n", text.at[text.length - 1]))
		text.length--;
	return text;
}

/* Takes what comes before the next END off the front of LIST. */
static bool next_part(struct str *list, char end, struct str *part)
{
	const char *at;
	size_t length;

	if (!list->at)
		return false;
	at = memchr(list->at, end, list->length);
	length = at ? (size_t)(at - list->at) : list->length;
	*part = trimmed((struct str){list->at, length});
	*list = at ? (struct str){at + 1, list->length - length - 1} : (struct str){NULL, 0};
	return true;
}

static bool words_add(struct reading *reading, const char *key, struct str list)
{
	const struct span nowhere = {0, 0};
	struct str word;

	while (next_part(&list, ',', &word)) {
		if (word.length == 0)
			continue;
		if (!word_is_sound(reading, word, nowhere, ""))
			return false;
		item_add(reading, key, arena_dup_str(reading->arena, word).at, nowhere);
	}
	return true;
}

/* "PATTERN:RULES;…" or "RULE=LEVEL,…". */
static bool pairs_add(struct reading *reading, struct str list, char between, char end)
{
	struct str part;

	while (next_part(&list, end, &part)) {
		const char *at = NULL;
		struct str key;

		for (size_t i = part.length; i > 0 && !at; i--)
			at = part.at[i - 1] == between ? part.at + i - 1 : NULL;
		if (part.length == 0)
			continue;
		key = trimmed((struct str){part.at, at ? (size_t)(at - part.at) : 0});
		if (key.length == 0)
			return fail(reading, (struct span){0, 0}, "takes %s, not '%.*s'",
				    between == ':' ? "PATTERN:RULES" : "RULE=LEVEL", STR_ARG(part));
		if (!words_add(reading, arena_dup_str(reading->arena, key).at,
			       (struct str){at + 1, (size_t)(part.at + part.length - at - 1)}))
			return false;
	}
	return true;
}

static bool switch_add(struct reading *reading, struct str text)
{
	static const char *const words[][2] = {{"true", "false"}, {"1", "0"}, {"yes", "no"}, {"on", "off"}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		for (int side = 0; side < 2; side++) {
			if (str_is(text, words[i][side])) {
				item_add(reading, NULL, side ? "false" : "true", (struct span){0, 0});
				return true;
			}
		}
	}
	return fail(reading, (struct span){0, 0}, "takes true or false, not '%.*s'", STR_ARG(text));
}

static bool text_read(struct reading *reading, struct str text)
{
	switch (setting_rows[reading->id].kind) {
	case TAKES_RULES_AT:
		return pairs_add(reading, text, ':', ';');
	case TAKES_LEVELS:
		return pairs_add(reading, text, '=', ',');
	case TAKES_SWITCH:
		return switch_add(reading, trimmed(text));
	case TAKES_KEPT:
		return fail(reading, (struct span){0, 0}, "can be said in a file only");
	case TAKES_PATH:
	case TAKES_PROOF:
	case TAKES_LEVEL:
		if (!word_is_sound(reading, text, (struct span){0, 0}, ""))
			return false;
		item_add(reading, NULL, arena_dup_str(reading->arena, text).at, (struct span){0, 0});
		return true;
	case TAKES_FORMATS:
		if (reading->place.source != SOURCE_OPTION && reading->place.source != SOURCE_FALLBACK)
			return words_add(reading, NULL, text);
		/* each --output-format says one, whose file may have commas in its name */
		item_add(reading, NULL, arena_dup_str(reading->arena, text).at, (struct span){0, 0});
		return true;
	default:
		return words_add(reading, NULL, text);
	}
}

bool setting_read_text(struct setting_layer *layer, enum setting_id id, const char *text, struct setting_place place,
		       struct arena *arena, struct err *err)
{
	struct reading reading = {.layer = layer, .id = id, .place = place, .arena = arena, .err = err};
	bool ok = text_read(&reading, str_from(text));

	if (ok)
		reading_keep(&reading, kinds[setting_rows[id].kind].is_list);
	VEC_RELEASE(&reading.items);
	return ok;
}

/* ---- layers ---- */

static bool is_about_selection(int id)
{
	return id == SETTING_SELECT || id == SETTING_EXTEND_SELECT || id == SETTING_IGNORE || id == SETTING_EXTEND_IGNORE;
}

/* Takes away what was said by a source weaker than SOURCE. */
static void weaker_drop(struct setting_value *value, enum setting_source source, struct arena *arena)
{
	struct setting_item *items = ARENA_ARRAY(arena, struct setting_item, value->count + 1);
	size_t kept = 0;

	for (size_t i = 0; i < value->count; i++) {
		if (value->items[i].place.source >= source)
			items[kept++] = value->items[i];
	}
	value->given = value->given && value->place.source >= source;
	value->items = items;
	value->count = kept;
}

void setting_layer_add(struct setting_layer *layer, const struct setting_layer *over, struct arena *arena)
{
	const struct setting_value *select = &over->values[SETTING_SELECT];

	for (int id = 0; id < SETTING_COUNT && select->given; id++) {
		if (is_about_selection(id))
			weaker_drop(&layer->values[id], select->place.source, arena);
	}
	for (int id = 0; id < SETTING_COUNT; id++) {
		const struct setting_value *value = &over->values[id];
		struct setting_value *kept = &layer->values[id];
		bool is_stronger = kept->given && kept->place.source < value->place.source;
		struct setting_item *items;

		if (!value->given)
			continue;
		if (!kept->count || !(setting_adds((enum setting_id)id) || (id == SETTING_IGNORE && is_stronger))) {
			*kept = *value;
			continue;
		}
		items = ARENA_ARRAY(arena, struct setting_item, kept->count + value->count + 1);
		memcpy(items, kept->items, kept->count * sizeof *items);
		if (value->count)
			memcpy(items + kept->count, value->items, value->count * sizeof *items);
		*kept = (struct setting_value){true, items, kept->count + value->count, value->place};
	}
}
