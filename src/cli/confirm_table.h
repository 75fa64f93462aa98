/* The table [confirm] of a configuration file as options of `vramlint confirm`: what the command line and the environment do
 * not say. */
#ifndef VRAMLINT_CLI_CONFIRM_TABLE_H
#define VRAMLINT_CLI_CONFIRM_TABLE_H

#include "cli/option.h"
#include "engine/settings.h"

/* ARGUMENTS, COUNT of them, behind what the table says, in ARENA: the later wins. NULL, with what is wrong told on standard
 * error, where the table has a key that is none of ROWS or a value that its option does not take. VALUES: as for option_parse,
 * to try them on. */
char *const *confirm_table_join(const struct settings *settings, const struct option_row *rows, void *values, int *count,
				char *const *arguments, struct arena *arena);

#endif
