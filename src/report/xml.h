/* Text in XML. Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_XML_H
#define VRAMLINT_REPORT_XML_H

#include "base/buf.h"

/* Appends TEXT for an attribute in double quotes or for content, XML 1.0 and HTML: marks, line ends and what turns or
 * hides text as references, so that nothing of it ends a tag, a line or a comment. What XML cannot hold, control characters
 * and bytes that are not UTF-8, is written as visible_add does. */
void xml_add(struct buf *out, struct str text);
/* Appends ` NAME="TEXT"`. */
void xml_add_attribute(struct buf *out, const char *name, struct str text);

#endif
