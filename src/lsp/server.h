/* The language server: answers one editor until that ends.
 *
 * Source: Language Server Protocol 3.17. docs/editors.md says what of it there is, and what clients get that can do
 * less. */
#ifndef VRAMLINT_LSP_SERVER_H
#define VRAMLINT_LSP_SERVER_H

#include <stdio.h>
#include "engine/config.h"

struct server_options {
	struct config_request config; /* what the command line said; settings of the editor lie over it */
	int input;                    /* descriptor that the editor writes to */
	FILE *output;
	const char *log;              /* file that what is logged is added to as well, or NULL */
};

/* Returns true where the editor ended it as the protocol wants; else ERR says what ended it, ERR_NONE where the editor
 * has gone without a word. */
bool server_run(const struct server_options *options, struct err *err);

#endif
