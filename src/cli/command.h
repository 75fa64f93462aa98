/* The commands, one file each, and the table that lists them.
 *
 * A command gets the arguments after its name and returns the exit status: 0,
 * 1 where there are findings, 2 where it could not do what was asked; the last
 * line on standard error then says why. */
#ifndef VRAMLINT_CLI_COMMAND_H
#define VRAMLINT_CLI_COMMAND_H

#include "base/buf.h"
#include "base/err.h"
#include "cli/option.h"

enum { STATUS_CLEAN = 0, STATUS_FINDINGS = 1, STATUS_FAILED = 2 };

struct command {
	const char *name;
	const char *operands; /* "[PATH]...", for help */
	const char *summary;  /* one line */
	const char *details;  /* paragraphs for its help, or NULL */
	const struct option_row *options;
	void (*add_help)(struct buf *out); /* more for its help, or NULL */
	int (*run)(const struct command *command, int count, char *const *arguments);
};

extern const struct command command_check, command_explain, command_rules, command_config, command_completions,
	command_man, command_version, command_help, command_server, command_confirm;

/* In the order of help, ended by NULL. */
extern const struct command *const commands[];
/* The one called NAME, of which "rule" is another name of `explain`, or NULL. */
const struct command *command_find(const char *name);
/* Says that NAME is EXPECTED ("no command"), with the nearest command; returns STATUS_FAILED. */
int command_unknown(const char *name, const char *expected);
/* Appends what `vramlint --help` prints. */
void command_add_overview(struct buf *out);

/* option_parse for COMMAND, whose usual ends it deals with: prints help or the error. Returns true where the command
 * should go on, else *STATUS is what it should return; RESULT is to be released in either case. */
bool command_parse(const struct command *command, int count, char *const *arguments, void *values,
		   struct option_result *result, int *status);
/* All of a command that has neither options nor operands and prints what ADD appends. */
int command_print(const struct command *command, int count, char *const *arguments, void (*add)(struct buf *out));
/* Prints the error, with a hint at the command's help where it does not ask "did you mean …?"; returns
 * STATUS_FAILED. */
int command_usage_error(const struct command *command, const struct err *err);

#endif
