/* Which reports are made and where each of them goes. */
#ifndef VRAMLINT_CLI_OUTPUTS_H
#define VRAMLINT_CLI_OUTPUTS_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/setting.h"
#include "engine/walk.h"
#include "report/report.h"

struct output {
	const struct report_format *format;
	const char *path; /* NULL: standard output */
};

struct outputs {
	struct output *items; /* on the heap */
	size_t count;
};

/* What was asked for: FORMATS as "NAME" or "NAME=FILE" (none: auto), FILE (may be NULL) for the one that names none,
 * counts per rule with STATISTICS. At most one format for programs, or one for people, goes to standard output.
 * ERR_USAGE names the option and the remedy, ERR_CONFIG the place in a configuration file. To be released in either
 * case; texts are borrowed. */
bool outputs_init(struct outputs *outputs, const struct setting_value *formats, const char *file, bool statistics,
		  struct err *err);
/* Whether PATH has the name of a Python file or notebook. */
bool outputs_is_code(const char *path);
/* Whether no report would overwrite code: a file of WALK, or any other that is there and has the name of a Python file or
 * notebook. */
bool outputs_spare_code(const struct outputs *outputs, const struct walk *walk, struct err *err);
/* From now on FORMAT goes to standard output, and nothing else does. */
void outputs_print(struct outputs *outputs, const struct report_format *format);
void outputs_release(struct outputs *outputs);
/* Appends a line per format for --help. */
void outputs_add_help(struct buf *out);

#endif
