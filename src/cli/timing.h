/* Where the time of a run went, for people. */
#ifndef VRAMLINT_CLI_TIMING_H
#define VRAMLINT_CLI_TIMING_H

#include "engine/lint.h"

/* Prints to standard error the seconds of each rule of SETTINGS that looked at anything, the slowest first, and then those of
 * each part; TOTAL: of the whole run. The linter was told to time rules. */
void timing_print(const struct lint_timing *timing, const struct settings *settings, double total);

#endif
