#include "cli/command.h"

#include "cli/message.h"
#include "cli/output.h"

static const struct option_row help_options[] = {{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL}};

static int print_overview(void)
{
	struct buf out = BUF_INIT;
	int status;

	command_add_overview(&out);
	status = output_finish(&out);
	buf_release(&out);
	return status;
}

static int print_help_of(const char *name)
{
	static char help[] = "--help";
	char *const arguments[] = {help};
	const struct command *command = command_find(name);

	if (!command)
		return command_unknown(name, "no command");
	return command->run(command, 1, arguments);
}

static int help_run(const struct command *command, int count, char *const *arguments)
{
	struct option_result result;
	char no_values;
	int status;

	if (!command_parse(command, count, arguments, &no_values, &result, &status))
		goto out;
	if (result.operand_count > 1) {
		message_error("'help' takes one command");
		status = STATUS_FAILED;
	} else {
		status = result.operand_count ? print_help_of(result.operands[0]) : print_overview();
	}
out:
	option_result_release(&result);
	return status;
}

const struct command command_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.summary = "print what a command does and its options",
	.options = help_options,
	.run = help_run,
};
