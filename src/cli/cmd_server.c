#include "cli/command.h"

#include <stdio.h>

#include "base/os.h"
#include "cli/message.h"
#include "lsp/server.h"

struct server_values {
	struct setting_texts settings[SETTING_COUNT], configs;
	bool isolated, stdio;
	const char *log_file;
};

#define VALUE(member) offsetof(struct server_values, member)

static const struct option_row server_options[] = {
#include "cli/setting_options.inc"
	{"stdio", 0, OPTION_OWN_FLAG, NULL, "speak on standard input and output, which is all there is", VALUE(stdio), NULL},
	{"log-file", 0, OPTION_TEXT, "FILE", "add what is logged to FILE as well", VALUE(log_file), NULL},
	{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL},
};

/* Whether options and environment make sense. */
static bool request_is_valid(const struct config_request *request, struct err *err)
{
	struct config *config = config_new(request, err);

	config_free(config);
	return config != NULL;
}

static int serve(const struct server_options *options)
{
	struct err err;

	os_ignore_write_signals();
	if (server_run(options, &err))
		return STATUS_CLEAN;
	if (err.code)
		message_error("%s", err.message);
	return err.code ? STATUS_FAILED : STATUS_FINDINGS;
}

static int server_command_run(const struct command *command, int count, char *const *arguments)
{
	struct server_values values = {.isolated = false};
	struct option_result result;
	struct err err;
	int status;

	if (command_parse(command, count, arguments, &values, &result, &status)) {
		struct server_options options = {
			.config = {.options = values.settings, .configs = values.configs.items,
				   .config_count = values.configs.count, .isolated = values.isolated},
			.input = 0, .output = stdout, .log = values.log_file};

		if (result.operand_count > 0)
			err_set(&err, ERR_USAGE, "'server' takes no argument, not '%s'", result.operands[0]);
		if (result.operand_count > 0 || !request_is_valid(&options.config, &err))
			status = command_usage_error(command, &err);
		else
			status = serve(&options);
	}
	option_result_release(&result);
	return status;
}

const struct command command_server = {
	.name = "server",
	.operands = "",
	.summary = "serve an editor: findings while you type, by the language server protocol",
	.details = "Editors start it; docs/editors.md says how. What is said here holds where the editor's own settings say\n"
		   "nothing. Exit status: 0 where the editor ended it, 1 where it went away, 2 where something went wrong.",
	.options = server_options,
	.run = server_command_run,
};
