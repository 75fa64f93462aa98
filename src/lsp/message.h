/* What a client sent, read as JSON, and fields of it.
 *
 * A message owns its tree; what is read from it is borrowed. */
#ifndef VRAMLINT_LSP_MESSAGE_H
#define VRAMLINT_LSP_MESSAGE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "text/json_field.h"

struct message {
	cJSON *root;
	const char *method;  /* NULL of a response */
	const cJSON *id;     /* a number or a string; NULL of a notification */
	const cJSON *params; /* or NULL */
	bool is_cancelled;   /* the client wants no answer any more */
	size_t size;         /* bytes that it came in */
};

/* Reads BODY. Bytes that are not UTF-8 become '?'; a NUL becomes U+0001 and half a surrogate U+FFFD, which take as many units
 * in each encoding of positions. NULL with ERR_PARSE where it is no JSON; a message without a root where it is none of the
 * protocol. */
struct message *message_new(struct str body, struct err *err);
void message_free(struct message *message); /* may be NULL */

#endif
