/* Finds the command that the first argument names. */
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "cli/argfile.h"
#include "cli/command.h"
#include "cli/message.h"

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

static int no_command(void)
{
	struct buf out = BUF_INIT;

	command_add_overview(&out);
	fwrite(out.bytes, 1, out.length, stderr);
	buf_release(&out);
	message_error("no command is given");
	return STATUS_FAILED;
}

/* ARGUMENTS without the program's name; at least one. */
static int run(int count, char *const *arguments)
{
	const struct command *command;

	if (is_any_of(arguments[0], "--version", "-V"))
		return command_version.run(&command_version, count - 1, arguments + 1);
	command = command_find(is_any_of(arguments[0], "--help", "-h") ? "help" : arguments[0]);
	if (command)
		return command->run(command, count - 1, arguments + 1);
	if (is_path(arguments[0]))
		return command_check.run(&command_check, count, arguments);
	if (arguments[0][0] == '-') {
		message_error("option '%s' has no command before it; did you mean 'vramlint check %s'?", arguments[0],
			      arguments[0]);
		return STATUS_FAILED;
	}
	return command_unknown(arguments[0], "neither a command nor a path");
}

int main(int argc, char **argv)
{
	int count = argc > 0 ? argc - 1 : 0;
	char *const *arguments;
	struct arena arena;
	struct err err;
	int status;

	os_ignore_broken_pipe();
	arena_init(&arena);
	arguments = argfile_expand(&count, argv + 1, &arena, &err);
	if (!arguments) {
		message_error("%s", err.message);
		status = STATUS_FAILED;
	} else {
		status = count > 0 ? run(count, arguments) : no_command();
	}
	arena_release(&arena);
	return status;
}
