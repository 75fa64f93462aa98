#include "cli/command.h"

#include "cli/message.h"
#include "cli/output.h"

static const struct option_row version_options[] = {{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL}};

static int version_run(const struct command *command, int count, char *const *arguments)
{
	struct buf out = BUF_INIT;
	struct option_result result;
	struct err err;
	char no_values;
	int status;

	if (!command_parse(command, count, arguments, &no_values, &result, &status))
		goto out;
	if (result.operand_count > 0) {
		err_set(&err, ERR_USAGE, "'version' takes no argument, not '%s'", result.operands[0]);
		status = command_usage_error(command, &err);
	} else {
		buf_format(&out, "vramlint %s\n", VRAMLINT_VERSION);
		status = output_finish(&out);
	}
out:
	option_result_release(&result);
	buf_release(&out);
	return status;
}

const struct command command_version = {
	.name = "version",
	.operands = "",
	.summary = "print the version",
	.options = version_options,
	.run = version_run,
};
