#include "lsp/workspace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/path.h"
#include "engine/stamps.h"
#include "lsp/message.h"
#include "lsp/uri.h"
#include "report/links.h"

/* Milliseconds that a person has to pause before what is typed is checked, where nothing else is said. */
enum { DEBOUNCE_MS = 100, DEBOUNCE_LIMIT_MS = 10000 };

static struct root *root_new(const char *uri, const char *path)
{
	struct root *root = mem_new(1, sizeof *root);

	root->uri = mem_dup_text(uri);
	root->path = mem_dup_text(path);
	root->debounce = DEBOUNCE_MS / 1000.0;
	arena_init(&root->arena);
	return root;
}

void workspace_reload(struct root *root)
{
	config_free(root->config);
	for (size_t i = 0; i < root->known.count; i++)
		baseline_free(root->known.items[i].baseline);
	root->known.count = 0;
	arena_reset(&root->arena);
	root->config = NULL;
	root->linked = NULL;
	root->links = NULL;
}

static void root_free(struct root *root)
{
	workspace_reload(root);
	arena_release(&root->arena);
	VEC_RELEASE(&root->known);
	cJSON_Delete(root->said);
	free(root->fault_shown);
	free(root->shown);
	free(root->uri);
	free(root->path);
	free(root);
}

void workspace_init(struct workspace *workspace, const struct config_request *base,
		    void (*tell)(const char *text, void *context), void *context)
{
	*workspace = (struct workspace){.base = *base, .overlay = overlay_new(), .tell = tell, .context = context};
	workspace->linters = linters_new(workspace->overlay);
	VEC_ADD(&workspace->roots, root_new("", "/"));
}

void workspace_release(struct workspace *workspace)
{
	for (size_t i = 0; i < workspace->roots.count; i++)
		root_free(workspace->roots.items[i]);
	VEC_RELEASE(&workspace->roots);
	linters_free(workspace->linters);
	overlay_free(workspace->overlay);
}

struct root *workspace_find(const struct workspace *workspace, const char *uri)
{
	for (size_t i = 1; i < workspace->roots.count; i++) {
		if (strcmp(workspace->roots.items[i]->uri, uri) == 0)
			return workspace->roots.items[i];
	}
	return NULL;
}

void workspace_remove(struct workspace *workspace, const char *uri)
{
	size_t kept = 1;

	for (size_t i = 1; i < workspace->roots.count; i++) {
		struct root *root = workspace->roots.items[i];

		if (strcmp(root->uri, uri) == 0)
			root_free(root);
		else
			workspace->roots.items[kept++] = root;
	}
	workspace->roots.count = kept;
}

struct root *workspace_add(struct workspace *workspace, const char *uri)
{
	struct arena arena;
	struct root *root = NULL;
	const char *path, *real;

	workspace_remove(workspace, uri);
	arena_init(&arena);
	path = uri_to_path(&arena, uri);
	real = path ? os_real_path(path, &arena) : NULL;
	if (real) {
		size_t length = strlen(path);

		while (length > 1 && path[length - 1] == '/')
			length--;
		root = root_new(uri, real);
		if (strlen(real) != length || memcmp(path, real, length) != 0)
			root->shown = mem_dup(path, length);
		VEC_ADD(&workspace->roots, root);
	}
	arena_release(&arena);
	return root;
}

struct root *workspace_root(const struct workspace *workspace, const char *path)
{
	struct root *best = workspace->roots.items[0];

	/* what is nowhere yet belongs to the first folder */
	if (!path)
		return workspace->roots.items[workspace->roots.count > 1];
	for (size_t i = 1; i < workspace->roots.count; i++) {
		struct root *root = workspace->roots.items[i];

		if ((path_below(root->path, path) || strcmp(root->path, path) == 0) && strlen(root->path) > strlen(best->path))
			best = root;
	}
	return best;
}

const char *workspace_address(const struct root *root, const char *path, struct arena *arena)
{
	const char *below = root->shown ? path_below(root->path, path) : NULL;

	return links_file_url(below ? path_join(arena, root->shown, below) : path, arena);
}

/* ---- what the editor says ---- */

/* "extendSelect" of "extend-select" */
static const char *camel_case(const char *name, struct arena *arena)
{
	char *copy = arena_dup(arena, name), *out = copy;

	for (const char *c = copy; *c; c++)
		*out++ = *c == '-' && c[1] ? (char)toupper((unsigned char)*++c) : *c;
	*out = '\0';
	return copy;
}

struct reading {
	struct workspace *workspace;
	struct arena *arena;
	const char *name; /* of the key, as the editor has it */
	VEC(const char *) texts;
};

static void complain(const struct reading *reading)
{
	struct workspace *workspace = reading->workspace;

	workspace->tell(arena_format(reading->arena, "the setting 'vramlint.%s' has a value of the wrong kind; it does not count",
				     reading->name), workspace->context);
}

/* Adds VALUE as an option would have it; PREFIX stands before the text: "*.py:" */
static void text_add(struct reading *reading, const char *prefix, const cJSON *value)
{
	const char *text = cJSON_GetStringValue(value);
	const cJSON *item;

	if (cJSON_IsBool(value))
		text = cJSON_IsTrue(value) ? "true" : "false";
	if (text)
		VEC_ADD(&reading->texts, arena_format(reading->arena, "%s%s", prefix, text));
	else if (cJSON_IsArray(value) && !*prefix)
		cJSON_ArrayForEach(item, value)
			text_add(reading, prefix, cJSON_IsString(item) ? item : NULL);
	else
		complain(reading);
}

/* A table: {"tests/a.py": ["VL3"]} or {"VL101": "note"}. */
static void table_add(struct reading *reading, char separator, const cJSON *table)
{
	const cJSON *entry, *item;

	if (!cJSON_IsObject(table)) {
		complain(reading);
		return;
	}
	cJSON_ArrayForEach(entry, table) {
		const char *prefix = arena_format(reading->arena, "%s%c", entry->string, separator);

		if (cJSON_IsArray(entry))
			cJSON_ArrayForEach(item, entry)
				text_add(reading, prefix, item);
		else
			text_add(reading, prefix, entry);
	}
}

/* What SAID says of the keys of the configuration, beside what BASE (may be NULL) says. */
static struct setting_texts *options_of(struct workspace *workspace, const cJSON *said, struct arena *arena)
{
	struct setting_texts *options = ARENA_ARRAY(arena, struct setting_texts, SETTING_COUNT);

	for (int id = 0; id < SETTING_COUNT; id++) {
		const struct setting_row *row = &setting_rows[id];
		struct reading reading = {.workspace = workspace, .arena = arena, .name = camel_case(row->name, arena)};
		const cJSON *value = field(said, reading.name);

		if (workspace->base.options)
			options[id] = workspace->base.options[id];
		if (!value)
			continue;
		if (row->kind == TAKES_RULES_AT || row->kind == TAKES_LEVELS)
			table_add(&reading, row->kind == TAKES_LEVELS ? '=' : ':', value);
		else if (row->kind != TAKES_KEPT)
			text_add(&reading, "", value);
		/* the editor tells of its defaults as well: empty lists and texts are none */
		if (reading.texts.count && *reading.texts.items[reading.texts.count - 1]) {
			options[id].items = ARENA_ARRAY(arena, const char *, reading.texts.count);
			options[id].count = reading.texts.count;
			memcpy(options[id].items, reading.texts.items, reading.texts.count * sizeof *reading.texts.items);
		}
		VEC_RELEASE(&reading.texts);
	}
	return options;
}

static enum lens_kind lens_of(const cJSON *said)
{
	const char *lens = field_text(said, "lens");

	if (lens && strcmp(lens, "codeLens") == 0)
		return LENS_CODE;
	return lens && strcmp(lens, "inlayHint") == 0 ? LENS_INLAY : LENS_OFF;
}

void workspace_say(struct workspace *workspace, struct root *root, const cJSON *said)
{
	int64_t debounce = field_number(said, "debounce", DEBOUNCE_MS);
	cJSON *copy = said ? cJSON_Duplicate(said, true) : NULL;

	cJSON_Delete(root->said);
	root->said = copy;
	root->is_off = cJSON_IsFalse(field(said, "enable"));
	root->lens = lens_of(said);
	root->debounce = (double)(debounce < 0 ? 0 : debounce > DEBOUNCE_LIMIT_MS ? DEBOUNCE_LIMIT_MS : debounce) / 1000.0;
	workspace_reload(root);
}

/* ---- configurations ---- */

/* What the configuration of ROOT is made of. */
static struct config_request request_of(struct workspace *workspace, struct root *root)
{
	struct config_request request = workspace->base;
	const char *preference = field_text(root->said, "configurationPreference");
	const char *file = field_text(root->said, "configuration");

	request.linters = workspace->linters;
	request.folder = root->path;
	request.options = options_of(workspace, root->said, &root->arena);
	request.options_are_fallback = preference && strcmp(preference, "filesystemFirst") == 0;
	request.isolated |= preference && strcmp(preference, "editorOnly") == 0;
	if (file && *file && !request.isolated) {
		const char **configs = ARENA_ARRAY(&root->arena, const char *, request.config_count + 1);

		if (request.config_count)
			memcpy(configs, request.configs, request.config_count * sizeof *configs);
		configs[request.config_count++] = path_join(&root->arena, root->path, file);
		request.configs = configs;
	}
	return request;
}

struct config *workspace_config(struct workspace *workspace, struct root *root)
{
	struct config_request request;
	struct err err;

	if (root->config)
		return root->config;
	request = request_of(workspace, root);
	root->config = config_new(&request, &err);
	if (root->config)
		return root->config;
	workspace->tell(arena_format(&root->arena, "the settings of the editor do not count: %s", err.message), workspace->context);
	request = (struct config_request){.linters = workspace->linters, .folder = root->path};
	root->config = config_new(&request, &err);
	if (!root->config) /* the environment is at fault, which was looked at when the server began */
		BUG("a configuration that cannot be made");
	return root->config;
}

const struct settings *workspace_settings(struct workspace *workspace, struct root *root, const char *path)
{
	struct config *config;
	const struct settings *settings;

	if (root->is_off)
		return NULL;
	config = workspace_config(workspace, root);
	settings = path ? config_for_file(config, path) : config_for_folder(config, root->path);
	if (!settings->linter || (path && settings_file_excluded_by(settings, path)))
		return NULL;
	return settings;
}

const char *const *workspace_links(struct root *root, const struct settings *settings)
{
	if (root->linked != settings->rules) {
		root->linked = settings->rules;
		root->links = links_find(settings->rules, &root->arena);
	}
	return root->links;
}

const struct baseline *workspace_baseline(struct workspace *workspace, struct root *root, const struct settings *settings)
{
	struct known known = {.path = settings->baseline};
	struct err err;

	if (!settings->baseline)
		return NULL;
	for (size_t i = 0; i < root->known.count; i++) {
		if (strcmp(root->known.items[i].path, settings->baseline) == 0)
			return root->known.items[i].baseline;
	}
	known.stamp = stamp_of(known.path);
	known.baseline = baseline_new(known.path, BASELINE_READ, &err);
	if (!known.baseline)
		workspace->tell(err.message, workspace->context);
	VEC_ADD(&root->known, known);
	return known.baseline;
}

bool workspace_is_stale(const struct root *root)
{
	for (size_t i = 0; i < root->known.count; i++) {
		if (stamp_of(root->known.items[i].path) != root->known.items[i].stamp)
			return true;
	}
	return root->config && config_is_stale(root->config);
}
