/* Standard output, checked: what could not be written is an error and never lost in silence. */
#ifndef VRAMLINT_CLI_OUTPUT_H
#define VRAMLINT_CLI_OUTPUT_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/err.h"

/* Writes TEXT and, once it is out, empties it. Where the reader has gone (EPIPE, as after `| head`) nobody is
 * left to work for: the process ends at once with status 2 and without a word. */
bool output_write(struct buf *text, struct err *err);
/* Writes TEXT, reports an error, and returns the exit status of a command that had nothing else to do: 0 or 2. */
int output_finish(struct buf *text);

#endif
