/* Options of a command as a table, from which parsing, --help, the manual page and the shells' completions are made.
 * An option that is not given may come from the environment: VRAMLINT_NAME.
 *
 * A row says where in the command's struct of values its value goes. Rows end
 * with one without a name; every table has --help on top of its rows. Values
 * and operands point into argv. */
#ifndef VRAMLINT_CLI_OPTION_H
#define VRAMLINT_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/setting.h"

enum option_kind {
	OPTION_FLAG,   /* bool, set to true */
	OPTION_TEXT,   /* const char *; where the argument is "[=NAME]" the option may stand alone, which sets "" */
	OPTION_CHOICE, /* int, the value of one of CHOICES */
	OPTION_NUMBER, /* int, from 0 to OPTION_NUMBER_LIMIT */
	OPTION_COUNT,  /* the same to OPTION_COUNT_LIMIT */
	OPTION_TEXTS,  /* struct setting_texts: what was given each time */
	OPTION_SETTING, /* the same, for a key of the configuration, which also reads the environment */
	OPTION_ON,     /* … to which a flag adds "true" */
	OPTION_OFF,    /* … or "false" */
	OPTION_OWN_FLAG,  /* as OPTION_FLAG and OPTION_CHOICE, of a command other than `check`, where the variable of its */
	OPTION_OWN_CHOICE /* name means `check`'s option: it is not read */
};

enum { OPTION_NUMBER_LIMIT = 1024, OPTION_COUNT_LIMIT = 1000000 };

struct option_choice {
	const char *name;
	int value;
};

struct option_row {
	const char *name; /* without "--", or NULL where there is only a letter; both missing ends the table */
	char letter;      /* of the short form, or 0 */
	enum option_kind kind;
	const char *argument; /* its name in help, which also says what completes it (cli/candidates.h); NULL for a flag */
	const char *help;
	size_t offset; /* of the value */
	const struct option_choice *choices; /* ended by a NULL name */
};

struct option_result {
	const char **operands; /* on the heap; released by option_result_release */
	size_t operand_count;
	bool help; /* --help was given; the rest of the line was not read */
	struct arena arena; /* of the values that are several texts */
};

/* Reads the environment and ARGUMENTS by ROWS into VALUES: "--name=value", "--name value", "-j4", "-j 4", "-qj4"; after
 * "--" all is an operand; "-" is one. ERR_USAGE names the option, what it takes and the nearest that exists. RESULT is to be released
 * in either case. */
bool option_parse(const struct option_row *rows, int count, char *const *arguments, void *values,
		  struct option_result *result, struct err *err);
void option_result_release(struct option_result *result);
/* The INDEXth of ROWS, after them the row of --help, then NULL. */
const struct option_row *option_row_get(const struct option_row *rows, size_t index);
/* Whether the next word is its value where none follows a '='. */
bool option_takes_value(const struct option_row *row);
/* Appends a line per option for --help. */
void option_add_help(const struct option_row *rows, struct buf *out);

#endif
