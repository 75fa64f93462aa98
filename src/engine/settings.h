/* What applies to one checked file: which rules, how severe, what is left out, what may be fixed.
 *
 * Shared by all files that it is the same for; made by engine/config, immutable once files are checked. */
#ifndef VRAMLINT_ENGINE_SETTINGS_H
#define VRAMLINT_ENGINE_SETTINGS_H

#include <stdbool.h>
#include "engine/setting.h"
#include "rule/select.h"
#include "text/glob.h"

struct linter;

struct settings_pattern {
	struct glob_list glob;  /* of one pattern */
	const char *folder;     /* absolute: it matches below this one; without "/" in it at any depth */
	const char *text;       /* as written */
	const char *rules;      /* for per-file-ignores: what is left out, a name */
	struct setting_place place;
};

struct settings_patterns {
	struct settings_pattern *items;
	size_t count;
};

struct settings {
	const struct linter *linter;
	const struct rule_set *rules; /* of the linter */
	struct selection selection;
	bool *fixable;                /* by rule index; NULL: all */
	enum severity min_severity;   /* findings below it are left out */
	enum severity fail_on;        /* least severity of a finding that fails a run */
	bool fix, unsafe_fixes;
	bool require_reason;
	bool respect_gitignore, force_exclude;
	const char *baseline;         /* path as to open it, or NULL */
	struct settings_patterns exclude, include, file_ignores;
	const struct setting_layer *layer; /* all that was said, and where */
	const char *file;             /* the configuration file as shown, or NULL */
};

/* The pattern that leaves out PATH, absolute, itself; NULL where none does. What lies above it is not looked at. */
const struct settings_pattern *settings_excluded_by(const struct settings *settings, const char *path, bool is_folder);
/* The pattern that leaves out the file PATH or a folder above it, from the pattern's own folder on. */
const struct settings_pattern *settings_file_excluded_by(const struct settings *settings, const char *path);
/* Whether a file of that path, found in a folder, is one to check. */
bool settings_includes(const struct settings *settings, const char *path);
/* Whether PATTERN, of per-file-ignores, names the file PATH or a folder above it. */
bool settings_pattern_covers(const struct settings_pattern *pattern, const char *path);
/* Reads patterns, those of VALUE or, where it says nothing, FALLBACK below FOLDER; those of EXTRA (may be NULL) too. */
void settings_patterns_init(struct settings_patterns *patterns, const struct setting_value *value,
			    const char *const *fallback, const char *folder, const struct setting_value *extra,
			    struct arena *arena);
/* What is left out, and what is taken, where nothing is said; ended by NULL. */
extern const char *const settings_exclude[], *const settings_include[];

#endif
