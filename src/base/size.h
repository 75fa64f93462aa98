/* Numbers of bytes as people write them. Pure. */
#ifndef VRAMLINT_BASE_SIZE_H
#define VRAMLINT_BASE_SIZE_H

#include <stdbool.h>

/* "4096", "64k", "1.5 MB", "1GiB": k, M, G and T are thousands, with "i" 1024s; case matters not. *BYTES is 0 for NULL; false,
 * and *BYTES as it was, where TEXT is anything else. */
bool size_from_text(const char *text, double *bytes);

#endif
