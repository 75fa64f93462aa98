/* What the files of base/os share with each other and nobody else. */
#ifndef VRAMLINT_BASE_OS_PRIVATE_H
#define VRAMLINT_BASE_OS_PRIVATE_H

#include <signal.h>
#include <stdbool.h>
#include "base/err.h"
#include "base/str.h"

/* Says "cannot VERB 'PATH': REASON", the reason of errno NUMBER with a small first letter. Returns false. */
bool os_failed(struct err *err, enum err_code code, const char *verb, const char *path, int number);
/* Keeps signals that end a program, such as Ctrl-C, waiting until the one that BEFORE is filled for is let go, so that no
 * file that is half made is left lying about. */
void os_signals_hold(sigset_t *before);
void os_signals_let_go(const sigset_t *before);
/* Writes all of BYTES; errno says why not. */
bool os_put_all(int descriptor, struct str bytes);

#endif
