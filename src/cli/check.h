/* What the parts of the command `check` share: what was asked for, and what is to be checked. */
#ifndef VRAMLINT_CLI_CHECK_H
#define VRAMLINT_CLI_CHECK_H

#include "base/os_watch.h"
#include "cli/only_new.h"
#include "cli/option.h"
#include "cli/sink.h"
#include "engine/config.h"
#include "engine/walk.h"

/* The command line. */
struct check_values {
	struct setting_texts settings[SETTING_COUNT];
	struct setting_texts configs;
	int colour; /* enum colour_when */
	int threads;
	const char *output_file;
	const char *sarif_category;
	const char *stdin_filename;
	const char *add_ignore; /* the reason, or NULL */
	int max_findings;       /* -1: no limit */
	struct only_new_options only_new;
	bool isolated, no_cache, explain, show_files, show_settings, show_suppressed;
	bool diff, fix_only, show_fixes, exit_non_zero_on_fix;
	bool exit_zero, quiet, silent, verbose, statistics, timing, watch;
};

/* What is to be checked: files, or standard input with its settings. */
struct check_task {
	const char *const *paths;
	size_t path_count;
	struct walk walk;
	const char *stdin_name;          /* as shown, or NULL */
	const struct settings *settings; /* of the whole run */
	bool is_left_out;                /* standard input is a file that the configuration leaves out */
};

bool check_reads_stdin(const struct option_result *result);
/* Finds the files; WATCH (may be NULL) follows their folders. CONFIG owns the settings. */
void check_task_init(struct check_task *task, const struct check_values *values, const struct option_result *result,
		     struct config *config, struct os_watch *watch);
void check_task_release(struct check_task *task);
/* Checks all of it, and makes the fixes that are wanted. */
void check_task_run(struct check_task *task, const struct check_values *values, struct only_new *only_new,
		    struct sink *sink);
/* Which rules of the settings for the whole run are on for any file. In ARENA. */
struct selection check_task_selection(const struct check_task *task, struct arena *arena);

#endif
