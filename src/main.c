/* Finds the command that the first argument names. */
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/output.h"

static bool is_any_of(const char *text, const char *name, const char *letter)
{
	return strcmp(text, name) == 0 || strcmp(text, letter) == 0;
}

/* "-" is a path as well: standard input. */
static bool is_path(const char *text)
{
	struct os_stat stat;

	return strcmp(text, "-") == 0 || (os_stat_get(text, &stat, NULL) && (stat.kind != OS_MISSING || stat.is_link));
}

static int print_version(void)
{
	struct buf out = BUF_INIT;
	int status;

	buf_format(&out, "vramlint %s\n", VRAMLINT_VERSION);
	status = output_finish(&out);
	buf_release(&out);
	return status;
}

static int no_command(void)
{
	struct buf out = BUF_INIT;

	command_add_overview(&out);
	fwrite(out.bytes, 1, out.length, stderr);
	buf_release(&out);
	message_error("no command is given");
	return STATUS_FAILED;
}

int main(int argc, char **argv)
{
	const struct command *command;

	os_ignore_broken_pipe();
	if (argc < 2)
		return no_command();
	if (is_any_of(argv[1], "--version", "-V"))
		return print_version();
	command = command_find(is_any_of(argv[1], "--help", "-h") ? "help" : argv[1]);
	if (command)
		return command->run(command, argc - 2, argv + 2);
	if (is_path(argv[1]))
		return command_check.run(&command_check, argc - 1, argv + 1);
	if (argv[1][0] == '-') {
		message_error("unknown option '%s' before the command (see 'vramlint --help')", argv[1]);
		return STATUS_FAILED;
	}
	return command_unknown(argv[1], "neither a command nor a path");
}
