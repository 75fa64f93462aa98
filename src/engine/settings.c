#include "engine/settings.h"

#include <string.h>

#include "base/path.h"

/* Ruff's list, with __pycache__ and build. */
const char *const settings_exclude[] = {
	".bzr/", ".direnv/", ".eggs/", ".git/", ".git-rewrite/", ".hg/", ".ipynb_checkpoints/", ".mypy_cache/", ".nox/",
	".pants.d/", ".pyenv/", ".pytest_cache/", ".pytype/", ".ruff_cache/", ".svn/", ".tox/", ".venv/", ".vscode/",
	"__pycache__/", "__pypackages__/", "_build/", "buck-out/", "build/", "dist/", "node_modules/", "site-packages/",
	"venv/", NULL,
};

const char *const settings_include[] = {"*.py", "*.pyi", "*.ipynb", NULL};

static struct settings_pattern pattern_of(const char *text, const char *folder, struct arena *arena)
{
	struct settings_pattern pattern = {.folder = folder, .text = text, .place.source = SOURCE_DEFAULT};
	bool is_negated = text[0] == '!';
	const char *rest = text + is_negated;

	/* To gitignore a pattern that begins with "#" is a comment; to people "./x" is x of this folder. */
	if (strncmp(rest, "./", 2) == 0)
		rest++;
	glob_list_init(&pattern.glob,
		       str_from(arena_format(arena, "%s%s%s", is_negated ? "!" : "", rest[0] == '#' ? "\\" : "", rest)), arena);
	return pattern;
}

static void patterns_add(struct settings_patterns *patterns, const struct setting_value *value, struct arena *arena)
{
	for (size_t i = 0; value && i < value->count; i++) {
		const struct setting_item *item = &value->items[i];
		struct settings_pattern pattern = pattern_of(item->key ? item->key : item->text, item->place.folder, arena);

		pattern.place = item->place;
		pattern.rules = item->key ? item->text : NULL;
		patterns->items[patterns->count++] = pattern;
	}
}

void settings_patterns_init(struct settings_patterns *patterns, const struct setting_value *value,
			    const char *const *fallback, const char *folder, const struct setting_value *extra,
			    struct arena *arena)
{
	size_t fallbacks = 0;

	while (!value->given && fallback && fallback[fallbacks])
		fallbacks++;
	patterns->count = 0;
	patterns->items = ARENA_ARRAY(arena, struct settings_pattern,
				      fallbacks + value->count + (extra ? extra->count : 0) + 1);
	for (size_t i = 0; i < fallbacks; i++)
		patterns->items[patterns->count++] = pattern_of(fallback[i], folder, arena);
	patterns_add(patterns, value, arena);
	patterns_add(patterns, extra, arena);
}

/* As glob_list_match, for an absolute PATH. */
static int pattern_verdict(const struct settings_pattern *pattern, const char *path, bool is_folder)
{
	const char *below = path_below(pattern->folder, path);

	if (!pattern->glob.count || (!below && pattern->glob.patterns[0].anchored))
		return -1;
	return glob_list_match(&pattern->glob, str_from(below ? below : path_name(path)), is_folder);
}

/* The last pattern that has an opinion decides. */
static const struct settings_pattern *last_match(const struct settings_patterns *patterns, const char *path,
						 bool is_folder)
{
	for (size_t i = patterns->count; i > 0; i--) {
		int verdict = pattern_verdict(&patterns->items[i - 1], path, is_folder);

		if (verdict >= 0)
			return verdict ? &patterns->items[i - 1] : NULL;
	}
	return NULL;
}

const struct settings_pattern *settings_excluded_by(const struct settings *settings, const char *path, bool is_folder)
{
	return last_match(&settings->exclude, path, is_folder);
}

bool settings_includes(const struct settings *settings, const char *path)
{
	return last_match(&settings->include, path, false) != NULL;
}

/* Calls TRIES for each folder above the file PATH, the outermost first, and for the file, until one answers. */
static const struct settings_pattern *each_part(const char *path,
						const struct settings_pattern *(*tries)(const void *, const char *, bool),
						const void *context)
{
	struct buf part = BUF_INIT;
	const struct settings_pattern *found = NULL;

	for (size_t i = 1; !found && path[0]; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		buf_reset(&part);
		buf_add(&part, path, i);
		found = tries(context, buf_text(&part), path[i] == '/');
		if (!path[i])
			break;
	}
	buf_release(&part);
	return found;
}

static const struct settings_pattern *excludes_part(const void *context, const char *path, bool is_folder)
{
	const struct settings_patterns *patterns = context;
	const struct settings_pattern *found = last_match(patterns, path, is_folder);

	/* the folders that hold the pattern's own say nothing about what lies in it */
	return found && (!is_folder || path_below(found->folder, path)) ? found : NULL;
}

const struct settings_pattern *settings_file_excluded_by(const struct settings *settings, const char *path)
{
	return each_part(path, excludes_part, &settings->exclude);
}

static const struct settings_pattern *covers_part(const void *context, const char *path, bool is_folder)
{
	const struct settings_pattern *pattern = context;

	if (is_folder && !path_below(pattern->folder, path))
		return NULL;
	return pattern_verdict(pattern, path, is_folder) >= 0 ? pattern : NULL;
}

bool settings_pattern_covers(const struct settings_pattern *pattern, const char *path)
{
	bool covers = each_part(path, covers_part, pattern) != NULL;

	/* "!tests": everywhere but there */
	return pattern->glob.count && pattern->glob.patterns[0].negated ? !covers : covers;
}
