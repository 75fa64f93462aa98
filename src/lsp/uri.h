/* From the addresses of documents, as editors write them, to paths (report/links.h knows the way back).
 *
 * Source: RFC 8089, RFC 3986. */
#ifndef VRAMLINT_LSP_URI_H
#define VRAMLINT_LSP_URI_H

#include "base/arena.h"

/* The absolute path that URI names, in ARENA; NULL where it names no file of this machine ("untitled:…",
 * "file://elsewhere/…", a NUL in it). */
const char *uri_to_path(struct arena *arena, const char *uri);
/* The same with links resolved; where the file is not there, those of its folder. */
const char *uri_to_real_path(struct arena *arena, const char *uri);

#endif
