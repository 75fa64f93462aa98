#include "cli/command.h"

#include "cli/manual.h"

static const struct option_row man_options[] = {{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL}};

static int man_run(const struct command *command, int count, char *const *arguments)
{
	return command_print(command, count, arguments, manual_add);
}

const struct command command_man = {
	.name = "man",
	.operands = "",
	.summary = "print the manual page",
	.details = "It is written in mdoc: `vramlint man | man -l -` shows it where it is not installed.",
	.options = man_options,
	.run = man_run,
};
