#include "cli/command.h"

#include <ctype.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/message.h"
#include "cli/output.h"

const struct command *const commands[] = {&command_check, &command_explain, &command_rules, &command_config, &command_server, &command_confirm,
					  &command_completions, &command_man, &command_version, &command_help, NULL};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	/* as ruff calls it */
	return strcmp(name, "rule") == 0 ? &command_explain : NULL;
}

int command_unknown(const char *name, const char *expected)
{
	struct nearest nearest;

	nearest_init(&nearest, str_from(name));
	for (size_t i = 0; commands[i]; i++)
		nearest_offer(&nearest, commands[i]->name);
	if (nearest.best)
		message_error("'%s' is %s; did you mean '%s'?", name, expected, nearest.best);
	else
		message_error("'%s' is %s (see 'vramlint --help')", name, expected);
	return STATUS_FAILED;
}

void command_add_overview(struct buf *out)
{
	buf_add_text(out, "vramlint finds code in PyTorch training scripts that leaks GPU or host memory.\n\n"
			  "Usage: vramlint COMMAND [OPTION]...\n"
			  "       vramlint PATH [OPTION]...        the same as `vramlint check`\n"
			  "       vramlint @FILE                   arguments from FILE, one a line\n\nCommands:\n");
	for (size_t i = 0; commands[i]; i++)
		buf_format(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
	buf_add_text(out, "\nOptions:\n"
			  "  -h, --help       print this help; `vramlint COMMAND --help` for a command\n"
			  "  -V, --version    print the version\n\n"
			  "Exit status: 0 no findings, 1 findings, 2 something could not be done.\n");
}

static void add_help(const struct command *command, struct buf *out)
{
	buf_format(out, "Usage: vramlint %s [OPTION]...%s%s\n\n", command->name, *command->operands ? " " : "",
		   command->operands);
	buf_format(out, "%c%s.\n", toupper((unsigned char)command->summary[0]), command->summary + 1);
	if (command->details)
		buf_format(out, "\n%s\n", command->details);
	buf_add_text(out, "\nOptions:\n");
	option_add_help(command->options, out);
	if (command->add_help)
		command->add_help(out);
}

static int print_help(const struct command *command)
{
	struct buf out = BUF_INIT;
	int status;

	add_help(command, &out);
	status = output_finish(&out);
	buf_release(&out);
	return status;
}

int command_usage_error(const struct command *command, const struct err *err)
{
	if (str_ends(str_from(err->message), "?"))
		message_error("%s", err->message);
	else
		message_error("%s (see 'vramlint %s --help')", err->message, command->name);
	return STATUS_FAILED;
}

bool command_parse(const struct command *command, int count, char *const *arguments, void *values,
		   struct option_result *result, int *status)
{
	struct err err;

	if (!option_parse(command->options, count, arguments, values, result, &err)) {
		*status = command_usage_error(command, &err);
		return false;
	}
	if (result->help) {
		*status = print_help(command);
		return false;
	}
	return true;
}

int command_print(const struct command *command, int count, char *const *arguments, void (*add)(struct buf *out))
{
	struct buf out = BUF_INIT;
	struct option_result result;
	struct err err;
	char no_values;
	int status;

	if (!command_parse(command, count, arguments, &no_values, &result, &status))
		goto out;
	if (result.operand_count > 0) {
		err_set(&err, ERR_USAGE, "'%s' takes no argument, not '%s'", command->name, result.operands[0]);
		status = command_usage_error(command, &err);
	} else {
		add(&out);
		status = output_finish(&out);
	}
out:
	option_result_release(&result);
	buf_release(&out);
	return status;
}
