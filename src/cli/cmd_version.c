#include "cli/command.h"

static const struct option_row version_options[] = {{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL}};

static void version_add(struct buf *out)
{
	buf_format(out, "vramlint %s\n", VRAMLINT_VERSION);
}

static int version_run(const struct command *command, int count, char *const *arguments)
{
	return command_print(command, count, arguments, version_add);
}

const struct command command_version = {
	.name = "version",
	.operands = "",
	.summary = "print the version",
	.options = version_options,
	.run = version_run,
};
