/* Names of places as formats want them: paths, URIs, lines and cells. Owns nothing. Any thread. */
#ifndef VRAMLINT_REPORT_PLACE_H
#define VRAMLINT_REPORT_PLACE_H

#include "base/buf.h"
#include "report/report.h"

/* Appends PATH, which is absolute or relative to the current folder, as relative to the root that HOST (may be NULL) names,
 * else to the current folder. What does not lie there stays as it is. */
void place_add_path(struct buf *out, const struct report_host *host, const char *path);
/* Appends PATH as a URI reference: all but letters, digits and "-._~/" as %XX (RFC 3986). */
void place_add_uri(struct buf *out, struct str path);
/* Appends "20:9" or, in a notebook, "cell 3:20:9". */
void place_add_position(struct buf *out, const struct excerpt *at);
/* Appends "cell 3, line 20: " where AT lies in a notebook, for formats that know lines of files only. */
void place_add_cell(struct buf *out, const struct excerpt *at);

#endif
