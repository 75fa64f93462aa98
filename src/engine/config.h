/* From configuration files, environment and command line to the settings of each file.
 *
 * For a file the nearest vramlint.toml, .vramlint.toml or pyproject.toml with a section [tool.vramlint] in its folder or
 * one above it counts, and no other; what it extends lies beneath it, environment and command line over it.
 * A configuration owns all settings, rules and linters that it hands out. One thread; what it has handed out may be read
 * by any. Faults in files end nothing: they are kept, and settings are handed out all the same; whoever goes on asks
 * config_faults before. */
#ifndef VRAMLINT_ENGINE_CONFIG_H
#define VRAMLINT_ENGINE_CONFIG_H

#include <stdbool.h>
#include "base/err.h"
#include "engine/linters.h"
#include "engine/settings.h"

struct config;

struct config_request {
	const struct setting_texts *options; /* by enum setting_id, or NULL */
	const char **configs;                /* what --config was given: files, KEY=VALUE */
	size_t config_count;
	bool isolated;                       /* no configuration file is looked for */
	bool explains;                       /* see linter_explain */
	bool times_rules;                    /* see linter_time_rules */
	const char *folder;                  /* absolute: what `options` are relative to; NULL: the current one */
	bool options_are_fallback;           /* what `options` say counts only where no file, variable or pair says otherwise */
	struct linters *linters;             /* where linters are shared; NULL: own ones */
};

/* NULL with ERR_USAGE where an option or an environment variable is at fault. */
struct config *config_new(const struct config_request *request, struct err *err);
void config_free(struct config *config); /* may be NULL */

/* The settings for files in FOLDER, absolute and plain. */
const struct settings *config_for_folder(struct config *config, const char *folder);
/* … for the file PATH, absolute and plain, less what per-file-ignores leave out there. */
const struct settings *config_for_file(struct config *config, const char *path);
/* … for what concerns a whole run, such as the output format: those of the deepest folder that holds all PATHS. */
const struct settings *config_for_run(struct config *config, const char *const *paths, size_t count);

/* Something about the configuration that a person should know. */
struct config_fault {
	bool is_error;               /* what was meant does not count; else a warning */
	const char *path;            /* of the file that it is about, absolute, or NULL */
	const struct source *source; /* that file's text where `span` is a place in it, else NULL */
	struct span span;
	const char *text;            /* "unknown key 'selct'; did you mean 'select'?" */
	const char *sentence;        /* … with its place: "vramlint.toml:3:1: unknown key 'selct'; …" */
};
/* What was found so far, in that order, until more settings are asked for; sources live as long as the configuration. */
const struct config_fault *config_faults(const struct config *config, size_t *count);
bool config_is_faulty(const struct config *config); /* an error is among them */

/* Whether a file or folder that was read, or a place where one was looked for, is not as it was then. */
bool config_is_stale(const struct config *config);

#endif
