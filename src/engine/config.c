#include "engine/config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/os.h"
#include "base/path.h"
#include "base/vec.h"
#include "engine/lint.h"
#include "engine/stamps.h"
#include "engine/vocabulary.h"

struct config_file {
	const char *path;   /* absolute */
	const char *shown;
	const char *folder;
	struct toml toml;
	struct setting_layer layer; /* with what it extends beneath */
	bool has_section;
	bool is_open;       /* it is being read */
	const struct config_file *extended; /* by which it is reached now, for circles */
};

struct config {
	struct arena arena;
	const char *current, *folder; /* the current folder, and the one that options speak of */
	struct setting_layer fallback; /* the options, where files are stronger */
	struct setting_layer given;  /* environment and command line */
	struct config_file *named;   /* by --config */
	bool isolated, explains, times_rules, options_are_fallback;
	struct config_file *user;    /* the one for files that no other is for */
	bool user_sought;
	struct map files;            /* path → config_file */
	struct map folders;          /* folder → settings */
	struct map by_file;          /* path of the file, or "" → settings */
	struct map variants;         /* settings and what per-file-ignores leave out → settings */
	struct map linters;          /* what they are made of → linter_kept */
	struct map told;             /* warnings */
	struct stamps stamps;        /* of what was read or looked for */
	struct linters *own_linters; /* or NULL */
	struct linters *shared;      /* these, or those of others */
	VEC(struct config_file *) file_list;
	VEC(struct linter_kept *) linter_list;
	VEC(struct toml *) pairs;
	VEC(struct config_fault) faults;
	size_t error_count;
};

/* ---- what is wrong ---- */

/* Keeps TEXT, which is about PLACE: of a file, or of a part of one where it has a text. */
static void fault_add(struct config *config, bool is_error, const struct setting_place *place, const char *text)
{
	struct config_fault fault = {.is_error = is_error, .path = place->path, .text = arena_dup(&config->arena, text)};

	fault.sentence = fault.text;
	if (place->text || place->name)
		fault.sentence = arena_format(&config->arena, "%s: %s", setting_place_text(place, &config->arena), text);
	if (place->text) {
		fault.source = place->text;
		fault.span = place->span;
	}
	if (!is_error && map_put(&config->told, str_from(fault.sentence), config))
		return;
	VEC_ADD(&config->faults, fault);
	config->error_count += is_error;
}

static void error_add(struct config *config, const struct setting_place *place, const char *text)
{
	fault_add(config, true, place, text);
}

static void warning_add(struct config *config, const struct setting_place *place, const char *text)
{
	fault_add(config, false, place, text);
}

/* The place of what is said about the file PATH (may be NULL) as a whole, by words that name it. */
static struct setting_place place_of(const char *path)
{
	return (struct setting_place){.source = SOURCE_FILE, .path = path};
}

const struct config_fault *config_faults(const struct config *config, size_t *count)
{
	*count = config->faults.count;
	return config->faults.items;
}

bool config_is_faulty(const struct config *config)
{
	return config->error_count > 0;
}

/* ---- one file ---- */

/* Larger files are not read: nobody wrote them. */
enum { FILE_LIMIT = TOML_LIMIT };

static bool is_pyproject(const struct config_file *file)
{
	return strcmp(path_name(file->path), "pyproject.toml") == 0;
}

static struct setting_place place_in(const struct config_file *file, struct span span)
{
	return (struct setting_place){SOURCE_FILE, file->shown, &file->toml.source, span, file->folder, file->path};
}

/* Whether a broken TEXT seems to have a section of ours: a line that begins with it. */
static bool mentions_section(struct str text)
{
	for (size_t at = 0; (at = str_find(text, STR("vramlint"), at)) != SIZE_MAX; at++) {
		size_t start = at;

		while (start > 0 && text.at[start - 1] != '\n')
			start--;
		if (strspn(text.at + start, " \t[.\"'tol") >= at - start)
			return true;
	}
	return false;
}

/* Warns of tables in TABLE that seem to be meant for us: at the TOP of the file ours itself, below "tool" what is like it. */
static void warn_of_slips(struct config *config, const struct config_file *file, const struct toml_value *table, bool top)
{
	enum { SLIPS = 2 };

	for (const struct toml_entry *entry = table->entries; entry; entry = entry->next) {
		size_t slips = str_distance(entry->key, STR("vramlint"), SLIPS + 1);
		struct setting_place place = place_in(file, entry->key_span);

		if (entry->value->kind == TOML_TABLE && slips <= (top ? 0 : SLIPS))
			warning_add(config, &place, arena_format(&config->arena, "'[%s%s]' is not read; did you mean '[tool.vramlint]'?",
								 top ? "" : "tool.", entry->key.at));
	}
}

static const struct toml_value *section_find(struct config *config, const struct config_file *file)
{
	const struct toml_entry *tool, *entry;

	if (!is_pyproject(file))
		return file->toml.root;
	tool = toml_get(&file->toml, file->toml.root, STR("tool"));
	if (tool && tool->value->kind != TOML_TABLE)
		tool = NULL;
	entry = tool ? toml_get(&file->toml, tool->value, STR("vramlint")) : NULL;
	if (!entry)
		warn_of_slips(config, file, file->toml.root, true);
	if (!entry && tool)
		warn_of_slips(config, file, tool->value, false);
	if (entry && entry->value->kind != TOML_TABLE) {
		struct setting_place place = place_in(file, entry->value->span);

		error_add(config, &place, "'tool.vramlint' must be a table");
		return NULL;
	}
	return entry ? entry->value : NULL;
}

static const char *unknown_key(struct config *config, const struct config_file *file, const struct toml_entry *entry)
{
	const char *nearest = setting_nearest(entry->key);

	if (!is_pyproject(file) && str_is(entry->key, "tool"))
		return "'[tool.vramlint]' is for pyproject.toml; here its keys stand at the top of the file";
	return arena_format(&config->arena, "unknown key '%s'%s%s%s", entry->key.at, nearest ? "; did you mean '" : "",
			    nearest ? nearest : "", nearest ? "'?" : "");
}

/* Reads all keys of SECTION, however many are wrong. */
static void section_read(struct config *config, struct config_file *file, const struct toml_value *section)
{
	for (const struct toml_entry *entry = section->entries; entry; entry = entry->next) {
		enum setting_id id = setting_find(entry->key);
		struct setting_place place = place_in(file, entry->key_span);
		struct err err;

		if (id == SETTING_COUNT)
			error_add(config, &place, unknown_key(config, file, entry));
		else if (!setting_read(&file->layer, id, entry->value, place, &config->arena, &place.span, &err))
			error_add(config, &place, err.message);
	}
}

static struct config_file *file_get(struct config *config, const char *path, struct config_file *from);

/* "a.toml → b.toml → a.toml" */
static const char *circle_of(struct config *config, const struct config_file *file, const struct config_file *from)
{
	const char *text = file->shown;

	for (; from != file; from = from->extended)
		text = arena_format(&config->arena, "%s → %s", from->shown, text);
	return arena_format(&config->arena, "%s → %s", file->shown, text);
}

static void extend(struct config *config, struct config_file *file)
{
	const struct setting_value *value = &file->layer.values[SETTING_EXTEND];
	struct setting_layer merged;
	struct config_file *base;
	const char *path;
	struct os_stat stat;
	struct err err = {ERR_NONE, ""};

	if (!value->count)
		return;
	path = path_absolute(&config->arena, file->folder, value->items[0].text);
	if (!path)
		path = path_join(&config->arena, file->folder, value->items[0].text);
	stamps_note(&config->stamps, path);
	if (os_stat_get(path, &stat, &err) && stat.kind == OS_FILE) {
		base = file_get(config, path, file);
		if (base->is_open)
			err_set(&err, ERR_CONFIG, "'extend' goes round in a circle: %s", circle_of(config, base, file));
		else if (!base->has_section)
			err_set(&err, ERR_CONFIG, "'%s' has no section [tool.vramlint]", base->shown);
		if (!err.code) {
			merged = base->layer;
			setting_layer_add(&merged, &file->layer, &config->arena);
			file->layer = merged;
			return;
		}
	} else if (!err.code) {
		err_set(&err, ERR_READ, "cannot read '%s': %s", value->items[0].text,
			stat.kind == OS_MISSING  ? "no such file or directory"
			: stat.kind == OS_FOLDER ? "is a folder"
						 : "is not a regular file");
	}
	error_add(config, &value->items[0].place, err.message);
}

/* What TEXT, which is no TOML, means: an error, or a word about it where it hardly is for us. */
static void broken_file(struct config *config, struct config_file *file, struct span at, const struct err *err)
{
	struct setting_place place = place_in(file, at);
	struct str text = {file->toml.source.text, file->toml.source.length};

	file->has_section = !is_pyproject(file) || mentions_section(text);
	if (!file->toml.source.line_starts) /* too large to be looked at */
		error_add(config, &(struct setting_place){.source = SOURCE_FILE, .name = file->shown, .path = file->path}, err->message);
	else if (file->has_section)
		error_add(config, &place, err->message);
	else
		warning_add(config, &place, arena_format(&config->arena, "%s (read no further; it seems to have no section [tool.vramlint])",
							 err->message));
}

static void file_read(struct config *config, struct config_file *file)
{
	const struct toml_value *section;
	struct buf text = BUF_INIT;
	struct span at = {0, 0};
	struct err err;

	if (!os_read_file(file->shown, FILE_LIMIT, &text, &err)) {
		struct setting_place place = place_of(file->path);

		file->has_section = true;
		error_add(config, &place, err.message);
	} else if (!toml_init(&file->toml, buf_get(&text), &at, &err)) {
		broken_file(config, file, at, &err);
	} else if ((section = section_find(config, file))) {
		file->has_section = true;
		section_read(config, file, section);
		extend(config, file);
	}
	buf_release(&text);
}

/* The file at PATH, absolute, read once; FROM extends it, or is NULL. */
static struct config_file *file_get(struct config *config, const char *path, struct config_file *from)
{
	struct config_file *file = map_get(&config->files, str_from(path));

	if (file)
		return file;
	file = mem_new(1, sizeof *file);
	VEC_ADD(&config->file_list, file);
	file->path = arena_dup(&config->arena, path);
	file->shown = path_relative(&config->arena, config->current, file->path);
	file->folder = path_folder(&config->arena, file->path);
	file->extended = from;
	map_put(&config->files, str_from(path), file);
	file->is_open = true;
	file_read(config, file);
	file->is_open = false;
	return file;
}

/* ---- which file ---- */

static bool is_file(struct config *config, const char *path)
{
	struct os_stat stat;

	stamps_note(&config->stamps, path);
	return os_stat_get(path, &stat, NULL) && stat.kind == OS_FILE;
}

static struct config_file *file_in(struct config *config, const char *folder)
{
	static const char *const names[] = {"vramlint.toml", ".vramlint.toml", "pyproject.toml"};
	struct config_file *found = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *path = path_join(&config->arena, folder, names[i]);
		struct config_file *file = is_file(config, path) ? file_get(config, path, NULL) : NULL;

		if (!file || !file->has_section)
			continue;
		if (found) {
			struct setting_place place = place_of(file->path);

			warning_add(config, &place, arena_format(&config->arena, "'%s' is not read: '%s' lies beside it",
								 file->shown, found->shown));
		} else {
			found = file;
		}
	}
	return found;
}

/* The person's own, or NULL. */
static struct config_file *user_file(struct config *config)
{
	const char *path;

	if (config->user_sought)
		return config->user;
	config->user_sought = true;
	path = os_user_config(&config->arena, "vramlint/vramlint.toml");
	if (path && is_file(config, path))
		config->user = file_get(config, path, NULL);
	return config->user;
}

/* ---- settings ---- */

static const char *path_setting(struct config *config, const struct setting_layer *layer, enum setting_id id)
{
	const struct setting_value *value = &layer->values[id];
	const struct setting_item *item = value->count ? &value->items[value->count - 1] : NULL;
	const char *path;

	if (!item || strcmp(item->place.folder, config->current) == 0)
		return item ? item->text : NULL;
	path = path_absolute(&config->arena, item->place.folder, item->text);
	if (!path)
		return path_join(&config->arena, item->place.folder, item->text);
	return path_relative(&config->arena, config->current, path);
}

/* Keeps why a linter cannot be made, with the place of the key that asked for it. */
static void linter_fault(struct config *config, const struct setting_value *value, const struct err *err)
{
	bool is_file = value->count && value->items[value->count - 1].place.source == SOURCE_FILE;
	struct setting_place place = is_file ? value->items[value->count - 1].place : place_of(NULL);

	error_add(config, &place, err->message);
}

/* Warns where FOLDER, which may be NULL, holds no file from which WHAT could come; VALUE names it. */
static void folder_warn(struct config *config, const char *folder, const struct setting_value *value, const char *what)
{
	struct setting_place place = place_of(value->place.path);
	struct os_entry *entries;
	struct arena arena;
	struct err err;
	size_t count, found = 0;

	if (!folder)
		return;
	arena_init(&arena);
	if (os_list(folder, &arena, &entries, &count, &err)) {
		for (size_t i = 0; i < count; i++)
			found += str_ends(str_from(entries[i].name), ".json");
		if (!found)
			warning_add(config, &place, arena_format(&config->arena, "no %s come from '%s': no '.json' file lies in it",
								 what, folder));
	}
	arena_release(&arena);
}

static const struct linter_kept *linter_get(struct config *config, const struct setting_layer *layer)
{
	const char *rules = path_setting(config, layer, SETTING_RULES);
	const char *vocabulary = vocabulary_model(layer, &config->arena);
	struct model_extra knowledge = {path_setting(config, layer, SETTING_MODELS), vocabulary, "configuration"};
	const struct setting_value *models = &layer->values[SETTING_MODELS];
	const char *key = arena_format(&config->arena, "%s\n%s\n%s", rules ? rules : "",
				       knowledge.folder ? knowledge.folder : "", vocabulary ? vocabulary : "");
	struct linter_kept *kept = map_get(&config->linters, str_from(key));

	if (kept)
		return kept;
	if (rules)
		stamps_note(&config->stamps, rules);
	if (knowledge.folder)
		stamps_note(&config->stamps, knowledge.folder);
	kept = linters_get(config->shared, rules, &knowledge);
	VEC_ADD(&config->linter_list, kept);
	map_put(&config->linters, str_from(key), kept);
	folder_warn(config, rules, &layer->values[SETTING_RULES], "rules");
	folder_warn(config, knowledge.folder, models, "models");
	if (!kept->linter)
		linter_fault(config, &layer->values[kept->has_rules && models->given ? SETTING_MODELS : SETTING_RULES], &kept->err);
	if (kept->linter && config->explains)
		linter_explain(kept->linter);
	if (kept->linter && config->times_rules)
		linter_time_rules(kept->linter);
	return kept;
}

typedef VEC(struct rule_pick) pick_list;

static void picks_add(struct config *config, const struct setting_layer *layer, enum setting_id id, enum rule_verb verb,
		      pick_list *picks)
{
	const struct setting_value *value = &layer->values[id];

	for (size_t i = 0; i < value->count; i++) {
		const struct setting_item *item = &value->items[i];
		struct rule_pick pick = {.name = item->text, .verb = verb, .rank = (int)item->place.source};

		if (verb == RULE_GRADE) {
			pick.name = item->key;
			severity_from_name(item->text, &pick.severity);
		} else if (item->key) { /* per-file-ignores */
			pick.name = item->text;
		}
		if (item->place.source == SOURCE_FILE)
			pick.place = &item->place;
		VEC_ADD(picks, pick);
	}
}

static void warn_of_pick(const struct rule_pick *pick, const char *text, void *context)
{
	struct setting_place place = pick->place ? *(const struct setting_place *)pick->place : place_of(NULL);

	warning_add(context, &place, text);
}

static void rules_select(struct config *config, struct settings *settings)
{
	const struct setting_layer *layer = settings->layer;
	const char *confidence = setting_text(layer, SETTING_CONFIDENCE);
	bool defaults = !layer->values[SETTING_SELECT].given;
	enum proof least = PROOF_USAGE;
	pick_list picks = {0};

	if (confidence)
		proof_from_name(confidence, &least);
	picks_add(config, layer, SETTING_SELECT, RULE_TAKE, &picks);
	picks_add(config, layer, SETTING_EXTEND_SELECT, RULE_TAKE, &picks);
	picks_add(config, layer, SETTING_IGNORE, RULE_LEAVE, &picks);
	picks_add(config, layer, SETTING_EXTEND_IGNORE, RULE_LEAVE, &picks);
	picks_add(config, layer, SETTING_SEVERITY, RULE_GRADE, &picks);
	if (setting_switch(layer, SETTING_REQUIRE_REASON, false))
		VEC_ADD(&picks, (struct rule_pick){.name = "missing-reason", .verb = RULE_TAKE,
						   .rank = (int)layer->values[SETTING_REQUIRE_REASON].place.source});
	selection_init(&settings->selection, settings->rules, picks.items, picks.count, defaults, least, &config->arena);
	picks_add(config, layer, SETTING_FILE_IGNORES, RULE_LEAVE, &picks);
	picks_add(config, layer, SETTING_EXTEND_FILE_IGNORES, RULE_LEAVE, &picks);
	picks_add(config, layer, SETTING_FIXABLE, RULE_TAKE, &picks);
	picks_add(config, layer, SETTING_UNFIXABLE, RULE_LEAVE, &picks);
	picks_warn(picks.items, picks.count, settings->rules, warn_of_pick, config);
	picks.count = 0;
	picks_add(config, layer, SETTING_FIXABLE, RULE_TAKE, &picks);
	picks_add(config, layer, SETTING_UNFIXABLE, RULE_LEAVE, &picks);
	settings->fixable = ARENA_ARRAY(&config->arena, bool, settings->rules->count + 1);
	for (size_t i = 0; i < settings->rules->count; i++)
		settings->fixable[i] = !layer->values[SETTING_FIXABLE].given;
	rules_choose(settings->fixable, settings->rules, picks.items, picks.count);
	VEC_RELEASE(&picks);
}

static void patterns_read(struct config *config, struct settings *settings, const char *folder)
{
	const struct setting_value *values = settings->layer->values;
	struct arena *arena = &config->arena;

	settings_patterns_init(&settings->exclude, &values[SETTING_EXCLUDE], settings_exclude, folder,
			       &values[SETTING_EXTEND_EXCLUDE], arena);
	settings_patterns_init(&settings->include, &values[SETTING_INCLUDE], settings_include, folder, NULL, arena);
	settings_patterns_init(&settings->file_ignores, &values[SETTING_FILE_IGNORES], NULL, folder,
			       &values[SETTING_EXTEND_FILE_IGNORES], arena);
}

static enum severity level_setting(const struct setting_layer *layer, enum setting_id id, enum severity fallback)
{
	const char *text = setting_text(layer, id);
	enum severity level = fallback;

	if (text)
		severity_from_name(text, &level);
	return level;
}

/* The settings where FILE (may be NULL) is the configuration file. */
static const struct settings *settings_of(struct config *config, const struct config_file *file)
{
	struct str key = str_from(file ? file->path : "");
	struct settings *settings = map_get(&config->by_file, key);
	struct setting_layer *layer;
	const struct linter_kept *kept;

	if (settings)
		return settings;
	settings = ARENA_NEW(&config->arena, struct settings);
	settings->layer = layer = ARENA_NEW(&config->arena, struct setting_layer);
	if (config->options_are_fallback)
		*layer = config->fallback;
	if (file && config->options_are_fallback)
		setting_layer_add(layer, &file->layer, &config->arena);
	else if (file)
		*layer = file->layer;
	setting_layer_add(layer, &config->given, &config->arena);
	settings->file = file ? file->shown : NULL;
	kept = linter_get(config, layer);
	settings->linter = kept->linter;
	settings->rules = &kept->rules;
	rules_select(config, settings);
	patterns_read(config, settings, file ? file->folder : config->folder);
	settings->min_severity = level_setting(layer, SETTING_MIN_SEVERITY, SEVERITY_HINT);
	settings->fail_on = level_setting(layer, SETTING_FAIL_ON, SEVERITY_NOTE);
	settings->fix = setting_switch(layer, SETTING_FIX, false);
	settings->unsafe_fixes = setting_switch(layer, SETTING_UNSAFE_FIXES, false);
	settings->require_reason = setting_switch(layer, SETTING_REQUIRE_REASON, false);
	settings->respect_gitignore = setting_switch(layer, SETTING_GITIGNORE, true);
	settings->force_exclude = setting_switch(layer, SETTING_FORCE_EXCLUDE, false);
	settings->baseline = path_setting(config, layer, SETTING_BASELINE);
	map_put(&config->by_file, key, settings);
	return settings;
}

const struct settings *config_for_folder(struct config *config, const char *folder)
{
	const struct settings *settings = map_get(&config->folders, str_from(folder));
	struct config_file *file;

	if (settings)
		return settings;
	if (config->named || config->isolated)
		settings = settings_of(config, config->named);
	else if ((file = file_in(config, folder)))
		settings = settings_of(config, file);
	else if (strcmp(folder, "/") == 0)
		settings = settings_of(config, user_file(config));
	else
		settings = config_for_folder(config, path_folder(&config->arena, folder));
	map_put(&config->folders, str_from(folder), (void *)(uintptr_t)settings);
	return settings;
}

const struct settings *config_for_file(struct config *config, const char *path)
{
	const struct settings *settings = config_for_folder(config, path_folder(&config->arena, path));
	const struct settings_patterns *ignores = &settings->file_ignores;
	struct settings *variant;
	struct buf key = BUF_INIT;
	bool any = false;

	buf_add(&key, (const char *)&settings, sizeof settings);
	for (size_t i = 0; i < ignores->count; i++) {
		bool covers = settings_pattern_covers(&ignores->items[i], path);

		buf_add_char(&key, covers ? '1' : '0');
		any |= covers;
	}
	variant = any ? map_get(&config->variants, buf_get(&key)) : NULL;
	if (any && !variant) {
		size_t rules = settings->rules->count;

		variant = ARENA_NEW(&config->arena, struct settings);
		*variant = *settings;
		variant->selection.enabled = ARENA_ARRAY(&config->arena, bool, rules + 1);
		memcpy(variant->selection.enabled, settings->selection.enabled, rules * sizeof(bool));
		for (size_t i = 0; i < ignores->count; i++) {
			for (size_t r = 0; r < rules && key.bytes[sizeof settings + i] == '1'; r++) {
				if (rule_is_named(ignores->items[i].rules, settings->rules->rules[r]))
					variant->selection.enabled[settings->rules->rules[r]->index] = false;
			}
		}
		map_put(&config->variants, buf_get(&key), variant);
	}
	buf_release(&key);
	return any ? variant : settings;
}

const struct settings *config_for_run(struct config *config, const char *const *paths, size_t count)
{
	const char *common = NULL;
	struct os_stat stat;

	for (size_t i = 0; i < count; i++) {
		const char *folder = path_absolute(&config->arena, config->current, paths[i]);

		if (!folder)
			folder = config->current;
		else if (!os_stat_get(folder, &stat, NULL) || stat.kind != OS_FOLDER)
			folder = path_folder(&config->arena, folder);
		if (!common)
			common = folder;
		while (strcmp(common, folder) != 0 && !path_below(common, folder) && strcmp(common, "/") != 0)
			common = path_folder(&config->arena, common);
	}
	return config_for_folder(config, common ? common : config->current);
}

/* ---- environment and command line ---- */

static bool environment_read(struct config *config, struct setting_layer *layer, struct err *err)
{
	for (int id = 0; id < SETTING_COUNT; id++) {
		char *name = arena_format(&config->arena, "VRAMLINT_%s", setting_rows[id].name);
		struct setting_place place = {.source = SOURCE_ENVIRONMENT, .name = name, .folder = config->current};
		const char *text;

		for (char *c = name; *c; c++)
			*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
		text = os_env(name);
		/* a table is said in a file; VRAMLINT_CONFIRM tells a process that it is watched */
		if (id != SETTING_EXTEND && setting_rows[id].kind != TAKES_KEPT && text && *text &&
		    !setting_read_text(layer, (enum setting_id)id, text, place, &config->arena, err))
			return false;
	}
	return true;
}

static bool options_read(struct config *config, const struct setting_texts *options, struct setting_layer *layer,
			 struct err *err)
{
	for (int id = 0; options && id < SETTING_COUNT; id++) {
		const char *name = arena_format(&config->arena, "--%s", setting_rows[id].name);
		struct setting_place place = {.source = config->options_are_fallback ? SOURCE_FALLBACK : SOURCE_OPTION, .name = name,
					      .folder = config->folder};

		for (size_t i = 0; i < options[id].count; i++) {
			if (!setting_read_text(layer, (enum setting_id)id, options[id].items[i], place, &config->arena, err))
				return false;
		}
	}
	return true;
}

/* Reads KEY=VALUE, which is TOML. */
static bool pair_read(struct config *config, const char *text, struct setting_layer *layer, struct err *err)
{
	struct toml *toml = mem_new(1, sizeof *toml);
	struct span at;

	VEC_ADD(&config->pairs, toml);
	if (!toml_init(toml, str_from(text), &at, err))
		return err_context(err, "option '--config' was given '%s', which is no KEY=VALUE of TOML", text);
	for (const struct toml_entry *entry = toml->root->entries; entry; entry = entry->next) {
		enum setting_id id = setting_find(entry->key);
		struct setting_place place = {SOURCE_PAIR, "--config", &toml->source, entry->key_span, config->current, NULL};
		struct setting_layer one = {0};

		if (id == SETTING_EXTEND)
			return err_set(err, ERR_USAGE, "option '--config': 'extend' is for files; name the file instead: "
						       "'--config FILE'");
		if (id == SETTING_COUNT) {
			const char *nearest = setting_nearest(entry->key);

			return err_set(err, ERR_USAGE, "option '--config' knows no key '%s'%s%s%s", entry->key.at,
				       nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
		}
		if (!setting_read(&one, id, entry->value, place, &config->arena, &at, err))
			return err_context(err, "option '--config'");
		setting_layer_add(layer, &one, &config->arena);
	}
	return true;
}

/* Takes what --config was given: a file, or a key with its value. */
static bool config_take(struct config *config, const char *text, struct setting_layer *pairs, struct err *err)
{
	const char *path;

	if (!is_file(config, text) && strchr(text, '='))
		return pair_read(config, text, pairs, err);
	if (!is_file(config, text))
		return err_set(err, ERR_USAGE, "option '--config' takes a file or KEY=VALUE, and there is no file '%s'", text);
	if (config->named)
		return err_set(err, ERR_USAGE, "option '--config' takes one file, not '%s' and '%s'", config->named->shown,
			       text);
	if (config->isolated)
		return err_set(err, ERR_USAGE, "option '--isolated' reads no file, so that '--config %s' cannot stand beside it",
			       text);
	path = path_absolute(&config->arena, config->current, text);
	if (!path)
		path = os_real_path(text, &config->arena);
	config->named = file_get(config, path ? path : text, NULL);
	if (!config->named->has_section)
		return err_set(err, ERR_USAGE, "option '--config' was given '%s', which has no section [tool.vramlint]", text);
	return true;
}

struct config *config_new(const struct config_request *request, struct err *err)
{
	struct config *config = mem_new(1, sizeof *config);
	struct setting_layer pairs = {0}, options = {0};
	bool ok;

	arena_init(&config->arena);
	config->isolated = request->isolated;
	config->explains = request->explains;
	config->times_rules = request->times_rules;
	config->options_are_fallback = request->options_are_fallback;
	if (!request->linters)
		config->own_linters = linters_new(NULL);
	config->shared = request->linters ? request->linters : config->own_linters;
	config->current = os_current_folder(&config->arena, NULL);
	if (!config->current)
		config->current = "/";
	config->folder = request->folder ? arena_dup(&config->arena, request->folder) : config->current;
	ok = environment_read(config, &config->given, err);
	for (size_t i = 0; ok && i < request->config_count; i++)
		ok = config_take(config, request->configs[i], &pairs, err);
	ok = ok && options_read(config, request->options, &options, err);
	if (!ok) {
		config_free(config);
		return NULL;
	}
	setting_layer_add(&config->given, &pairs, &config->arena);
	if (config->options_are_fallback)
		config->fallback = options;
	else
		setting_layer_add(&config->given, &options, &config->arena);
	return config;
}

void config_free(struct config *config)
{
	if (!config)
		return;
	struct map *maps[] = {&config->files, &config->folders, &config->by_file, &config->variants, &config->linters,
			      &config->told};

	for (size_t i = 0; i < config->file_list.count; i++) {
		toml_release(&config->file_list.items[i]->toml);
		free(config->file_list.items[i]);
	}
	for (size_t i = 0; i < config->linter_list.count; i++)
		linters_give(config->linter_list.items[i]);
	linters_free(config->own_linters);
	for (size_t i = 0; i < config->pairs.count; i++) {
		toml_release(config->pairs.items[i]);
		free(config->pairs.items[i]);
	}
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		map_release(maps[i]);
	VEC_RELEASE(&config->file_list);
	VEC_RELEASE(&config->linter_list);
	VEC_RELEASE(&config->pairs);
	VEC_RELEASE(&config->faults);
	stamps_release(&config->stamps);
	arena_release(&config->arena);
	free(config);
}

/* ---- changes ---- */

bool config_is_stale(const struct config *config)
{
	return stamps_changed(&config->stamps);
}
