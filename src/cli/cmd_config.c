#include "cli/command.h"

#include <string.h>

#include "base/os.h"
#include "base/path.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/settings_text.h"
#include "engine/config.h"
#include "engine/walk.h"

enum config_format { CONFIG_TEXT, CONFIG_JSON };

struct config_values {
	struct setting_texts settings[SETTING_COUNT];
	struct setting_texts configs;
	int format;
	bool isolated, explain, schema;
};

static const struct option_choice format_choices[] = {{"text", CONFIG_TEXT}, {"json", CONFIG_JSON}, {NULL, 0}};

#define VALUE(member) offsetof(struct config_values, member)

static const struct option_row config_options[] = {
	{"explain", 0, OPTION_OWN_FLAG, NULL, "say whether PATH is checked, and what leaves it or its rules out", VALUE(explain), NULL},
	{"schema", 0, OPTION_FLAG, NULL, "print the JSON schema of configuration files", VALUE(schema), NULL},
	{"output-format", 0, OPTION_OWN_CHOICE, "FORMAT", "text or json (default: text)", VALUE(format), format_choices},
#include "cli/setting_options.inc"
	{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL},
};

/* What is asked about. */
struct question {
	const char *shown;
	const char *path; /* absolute */
	bool is_folder;
	const struct settings *settings;
};

static bool question_init(struct question *question, struct config *config, const char *shown, struct arena *arena)
{
	const char *current = os_current_folder(arena, NULL);
	struct os_stat stat;
	struct err err;

	*question = (struct question){.shown = shown, .path = path_absolute(arena, current ? current : "/", shown)};
	if (!question->path)
		question->path = os_real_path(shown, arena);
	if (!question->path || !os_stat_get(shown, &stat, &err) || stat.kind == OS_MISSING) {
		message_error("cannot read '%s': no such file or folder", shown);
		return false;
	}
	question->is_folder = stat.kind == OS_FOLDER;
	question->settings = question->is_folder ? config_for_folder(config, question->path)
						 : config_for_file(config, question->path);
	return true;
}

/* Whether a walk from the current folder, or from the configuration's, comes upon the file. */
static bool is_walked(const struct question *question, struct config *config, struct arena *arena)
{
	const char *current = os_current_folder(arena, NULL);
	const char *root = current && path_below(current, question->path) ? "." : path_folder(arena, question->path);
	bool found = false;
	struct walk walk;

	walk_init(&walk, config, &root, 1);
	for (size_t i = 0; i < walk.file_count && current && !found; i++) {
		const char *path = path_absolute(arena, current, walk.files[i].shown);

		found = path && strcmp(path, question->path) == 0;
	}
	walk_release(&walk);
	return found;
}

static void explain_rules(struct buf *out, const struct question *question, struct arena *arena)
{
	const struct settings_patterns *ignores = &question->settings->file_ignores;

	for (size_t i = 0; i < ignores->count; i++) {
		if (settings_pattern_covers(&ignores->items[i], question->path))
			buf_format(out, "  '%s' leaves %s out there (%s)\n", ignores->items[i].text, ignores->items[i].rules,
				   setting_place_text(&ignores->items[i].place, arena));
	}
}

static void explain(struct buf *out, const struct question *question, struct config *config, struct arena *arena)
{
	const struct settings *settings = question->settings;
	const struct settings_pattern *pattern = settings_file_excluded_by(settings, question->path);

	if (pattern)
		buf_format(out, "%s is left out: '%s' names it or a folder above it (%s)\n", question->shown, pattern->text,
			   setting_place_text(&pattern->place, arena));
	else if (!settings_includes(settings, question->path))
		buf_format(out, "%s is left out where its folder is checked: no pattern of 'include' names it (%s)\n",
			   question->shown,
			   settings->layer->values[SETTING_INCLUDE].given
				   ? setting_place_text(&settings->layer->values[SETTING_INCLUDE].place, arena)
				   : "default");
	else if (!is_walked(question, config, arena))
		buf_format(out, "%s is left out where its folder is checked: .gitignore, .ignore, .git/info/exclude or core.excludesFile of git names it\n",
			   question->shown);
	else
		buf_format(out, "%s is checked\n", question->shown);
	if (pattern && !settings->force_exclude)
		buf_add_text(out, "  it is checked all the same where it is named itself, unless --force-exclude is given\n");
	buf_format(out, "  its configuration file: %s\n", settings->file ? settings->file : "none");
	explain_rules(out, question, arena);
}

static int answer(const struct config_values *values, const char *shown, struct config *config)
{
	struct buf out = BUF_INIT;
	struct question question;
	struct arena arena;
	int status = STATUS_FAILED;

	arena_init(&arena);
	if (!question_init(&question, config, shown, &arena))
		goto out;
	if (values->explain && question.is_folder) {
		message_error("option '--explain' takes a file, and '%s' is a folder", shown);
		goto out;
	}
	if (values->explain && !config_is_faulty(config))
		explain(&out, &question, config, &arena);
	if (settings_tell_faults(config))
		goto out;
	if (values->schema)
		settings_schema_add(&out, question.settings->rules);
	else if (values->format == CONFIG_JSON && !values->explain)
		settings_json_add(&out, question.settings);
	else if (!values->explain)
		settings_text_add(&out, question.settings);
	status = output_finish(&out);
out:
	buf_release(&out);
	arena_release(&arena);
	return status;
}

static int config_run(const struct command *command, int count, char *const *arguments)
{
	struct config_values values = {.format = CONFIG_TEXT};
	struct config *config = NULL;
	struct option_result result;
	struct err err;
	int status;

	if (!command_parse(command, count, arguments, &values, &result, &status))
		goto out;
	if (result.operand_count > 1)
		err_set(&err, ERR_USAGE, "'config' takes one path, not '%s' and '%s'", result.operands[0], result.operands[1]);
	else if (values.explain && result.operand_count == 0)
		err_set(&err, ERR_USAGE, "option '--explain' needs a path");
	else
		config = config_new(&(struct config_request){.options = values.settings, .configs = values.configs.items,
							     .config_count = values.configs.count, .isolated = values.isolated},
				    &err);
	status = config ? answer(&values, result.operand_count ? result.operands[0] : ".", config)
			: command_usage_error(command, &err);
	config_free(config);
out:
	option_result_release(&result);
	return status;
}

const struct command command_config = {
	.name = "config",
	.operands = "[PATH]",
	.summary = "print the configuration that counts and where each value comes from",
	.details = "PATH is a file or a folder (default: the current folder). The nearest vramlint.toml,\n"
		   ".vramlint.toml or pyproject.toml with a section [tool.vramlint] counts.",
	.options = config_options,
	.run = config_run,
};
