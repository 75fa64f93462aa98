/* The manual page, vramlint(1), made from the tables of commands and options. */
#ifndef VRAMLINT_CLI_MANUAL_H
#define VRAMLINT_CLI_MANUAL_H

#include "base/buf.h"

/* Appends the page in mdoc(7). */
void manual_add(struct buf *out);

#endif
