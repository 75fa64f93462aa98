#include "cli/command.h"

#include "cli/manual.h"
#include "cli/message.h"
#include "cli/output.h"

static const struct option_row man_options[] = {{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL}};

static int man_run(const struct command *command, int count, char *const *arguments)
{
	struct buf out = BUF_INIT;
	struct option_result result;
	struct err err;
	char no_values;
	int status;

	if (!command_parse(command, count, arguments, &no_values, &result, &status))
		goto out;
	if (result.operand_count > 0) {
		err_set(&err, ERR_USAGE, "'man' takes no argument, not '%s'", result.operands[0]);
		status = command_usage_error(command, &err);
	} else {
		manual_add(&out);
		status = output_finish(&out);
	}
out:
	option_result_release(&result);
	buf_release(&out);
	return status;
}

const struct command command_man = {
	.name = "man",
	.operands = "",
	.summary = "print the manual page",
	.details = "It is written in mdoc: `vramlint man | man -l -` shows it where it is not installed.",
	.options = man_options,
	.run = man_run,
};
