/* What the client has sent and nobody has looked at: read by a thread of its own, so that work under way can be told of
 * newer text and of requests that are not wanted any more. */
#ifndef VRAMLINT_LSP_INBOX_H
#define VRAMLINT_LSP_INBOX_H

#include <stdbool.h>
#include <stdint.h>
#include "lsp/message.h"

struct inbox;

/* Begins to read DESCRIPTOR. NULL with ERR set where no thread can be started. */
struct inbox *inbox_new(int descriptor, struct err *err);
/* Stops reading. */
void inbox_free(struct inbox *inbox);
/* From now on the end of PROCESS, the client, is the end of the stream. */
void inbox_watch(struct inbox *inbox, int64_t process);

enum inbox_news {
	INBOX_MESSAGE, /* *MESSAGE is the caller's; is_cancelled may still be set by inbox_is_cancelled only */
	INBOX_FAULT,   /* ERR says what was wrong with a frame or its text; one may go on */
	INBOX_TIMEOUT,
	INBOX_END      /* nothing will come any more; ERR says why, ERR_NONE where the stream has simply ended */
};
/* What comes next, within SECONDS (0: what is there; less than 0: no limit). */
enum inbox_news inbox_next(struct inbox *inbox, double seconds, struct message **message, struct err *err);

/* Whether a message waits that makes work on the document URI useless: a change of it, its end, or the server's. */
bool inbox_outdates(struct inbox *inbox, const char *uri);
/* Whether the client has taken back the request ID, which was handed out and is being worked on. */
bool inbox_is_cancelled(struct inbox *inbox, const cJSON *id);

#endif
