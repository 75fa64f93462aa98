/* Open documents through the analysis: what was found in each, kept as long as it holds. */
#ifndef VRAMLINT_LSP_CHECK_H
#define VRAMLINT_LSP_CHECK_H

#include "engine/fix.h"
#include "lsp/session.h"

/* Makes what was found in DOCUMENT that of its present text and settings. False where that is not known: nothing is to
 * be checked, or it was given up since the client has taken back what it asked for, or has newer text. */
bool check_document(struct session *session, struct document *document);
/* The same for somebody who is typing: where the text does not parse it may be a guess, and the document is due to be checked
 * once more as soon as they pause. */
bool check_hastily(struct session *session, struct document *document);

/* Where the text of DOCUMENT has changed, or it was opened or closed (IS_GONE): tells the analysis of other files, and
 * has those that are open and read it checked again. */
void check_spread(struct session *session, const struct document *document, bool is_gone);
/* The file at PATH has changed on the disk, appeared or gone. */
void check_disk(struct session *session, const char *path);
/* All that is open has to be checked again: those in ROOT, or in any where that is NULL. */
void check_all_again(struct session *session, const struct root *root);
/* What configures ROOT has changed: reads it anew, and has what is open there checked again. */
void check_reload(struct session *session, struct root *root);
/* Looks at the disk for what a client does not tell of; one that watches files knows only those in its folders. */
void check_look(struct session *session);

/* DOCUMENT, which was checked, once more: with no baseline, and with comments that suppress for IGNORE_REASON in the place
 * of fixes. The caller releases RESULT. */
void check_once(struct session *session, struct document *document, const char *ignore_reason, struct lint_result *result);
/* fix_source for DOCUMENT, which was checked and is no notebook. */
bool check_fix(struct session *session, struct document *document, struct fix_policy policy, struct fix_outcome *outcome);
/* lint_source for SOURCE, of the file PATH in ROOT, less what a baseline lists. */
void check_source(struct session *session, struct root *root, const struct settings *settings, const char *path,
		  const struct source *source, struct lint_result *result);

#endif
