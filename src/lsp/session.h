/* One editor and its server: what the parts of src/lsp share.
 *
 * All of it belongs to the thread that answers; the inbox alone has another one. */
#ifndef VRAMLINT_LSP_SESSION_H
#define VRAMLINT_LSP_SESSION_H

#include "lsp/client.h"
#include "lsp/document.h"
#include "lsp/inbox.h"
#include "lsp/wire.h"
#include "lsp/workspace.h"

struct scan;

struct scanned {
	char *path;   /* real */
	char *uri;    /* that the client knows */
	char *folder; /* address of the one it was found in, which may be by a link */
};

struct session {
	struct client client;
	struct wire wire;
	struct inbox *inbox;
	struct documents documents;
	struct workspace workspace;
	struct lint_worker *worker;
	double worked;           /* when a document was last checked; 0: the worker has rested since */
	const cJSON *answering;  /* id of the request at hand, or NULL */
	const char *checking;    /* address of the document being checked for its own sake, or NULL */
	struct scan *scan;       /* of the whole workspace, where one is under way */
	VEC(struct scanned) scanned; /* files that are not open and that the client was told of findings in */
	size_t doubted;          /* how many of these, from the first, are to be looked at again */
	VEC(char *) complaints;  /* about the settings of the editor, that were shown */
	cJSON *settings_first;   /* what was said for all folders, by initializationOptions.settings at first, or NULL */
	double settings_until;   /* nothing is sent before that time, as settings may come */
	int64_t settings_asked;  /* id of our request for settings, or 0 */
	bool wants_refresh;      /* a client that pulls is to be told to do so */
};

enum session_level { SESSION_ERROR = 1, SESSION_WARNING, SESSION_INFO };
/* Shows a message to the person, or in the log. */
void session_show(struct session *session, enum session_level level, const char *text);
/* What was said of the editor's settings holds no more: it may be shown again. */
void session_forget_complaints(struct session *session);
void session_log(struct session *session, enum session_level level, const char *text);

#endif
