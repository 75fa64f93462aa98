/* The code of a finding in HTML, with the trail drawn over it. Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_HTML_CODE_H
#define VRAMLINT_REPORT_HTML_CODE_H

#include "base/buf.h"
#include "rule/finding.h"
#include "text/source.h"

/* Appends TEXT for content or an attribute: what would control, turn or hide is shown as visible_add does, tabs stay. */
void html_add(struct buf *out, struct str text);
/* Appends the lines that FINDING and its trail speak of, each place marked and numbered, with lines around them where
 * SOURCE (may be NULL) has them. */
void html_code_add(struct buf *out, const struct source *source, const struct finding *finding);

#endif
