/* A finding in plain words, for formats without a place of their own for cost and help. Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_WORDS_H
#define VRAMLINT_REPORT_WORDS_H

#include "base/buf.h"
#include "rule/finding.h"

/* Appends message, cost and help as sentences with SEPARATOR between them, after the cell where there is one. The text is
 * as the code that is checked made it: escape it for where it goes. */
void words_add(struct buf *out, const struct finding *finding, const char *separator);

#endif
