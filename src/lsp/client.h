/* What the editor said at the beginning that it can do and wants. Plain data. */
#ifndef VRAMLINT_LSP_CLIENT_H
#define VRAMLINT_LSP_CLIENT_H

#include "lsp/message.h"
#include "lsp/position.h"

struct client {
	enum position_encoding encoding;
	bool pulls;               /* it asks for diagnostics; else they are sent to it */
	bool takes_related;       /* places beside that of a diagnostic */
	bool takes_tags;
	bool takes_versions;      /* edits that say which version of a document they are for */
	bool takes_literals;      /* code actions; else commands are all that it knows */
	bool resolves_edits;      /* it asks for the edit of an action when that is chosen */
	bool hover_is_markdown;
	bool watches_files;       /* when asked to */
	bool tells_settings;      /* when asked for: workspace/configuration */
	bool registers_settings;  /* it tells of changes only when asked to */
	bool shows_progress;
	bool shows_documents;     /* opens a file when asked to */
	bool refreshes_lenses, refreshes_hints;
	/* Of our own extensions: */
	bool asks_for_reason;     /* it asks a person why a finding is suppressed */
	bool shows_findings;      /* it shows diagnostics and what is related to them beside what is hovered over */
	bool shows_explanations;  /* it shows what the command vramlint.explain returns */
};

/* Reads PARAMS of the request `initialize`. */
void client_init(struct client *client, const cJSON *params);

#endif
