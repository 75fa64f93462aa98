#include "lsp/check.h"

#include <string.h>

#include "base/os.h"
#include "lsp/configured.h"
#include "lsp/scan.h"

/* How long what other files say may be behind while one is typed in. */
static const double SPREAD_DELAY = 0.3;
/* How long somebody pauses before what does not parse is looked at again with care. */
static const double CARE_DELAY = 0.3;
/* Documents whose syntax trees are kept, so that each key pressed need not parse the whole of them. */
enum { TREES_KEPT = 4 };

static bool is_outdated(void *context)
{
	struct session *session = context;

	if (session->answering && inbox_is_cancelled(session->inbox, session->answering))
		return true;
	return session->checking && inbox_outdates(session->inbox, session->checking);
}

static void tree_forget(struct document *document)
{
	lint_memory_free(document->memory);
	document->memory = NULL;
}

/* Keeps the tree of DOCUMENT, and no more of others than those that were worked with last. */
static void tree_keep(struct session *session, struct document *document)
{
	struct documents *documents = &session->documents;
	struct document *oldest = document;
	size_t kept = 0;

	if (!document->memory)
		document->memory = lint_memory_new();
	document->used = ++documents->serials;
	for (size_t i = 0; i < documents->items.count; i++) {
		struct document *other = documents->items.items[i];

		kept += other->memory != NULL;
		if (other->memory && other->used < oldest->used)
			oldest = other;
	}
	if (kept > TREES_KEPT)
		tree_forget(oldest);
}

/* Has the worker leave out what SETTINGS, of ROOT, say is known. */
static void worker_begin(struct session *session, struct root *root, const struct settings *settings)
{
	lint_worker_limit(session->worker,
			  &(struct lint_limits){workspace_baseline(&session->workspace, root, settings), NULL, NULL});
}

/* What was asked of the worker holds for one use: the next one is about another folder, with other limits. */
static void worker_end(struct session *session)
{
	lint_worker_limit(session->worker, NULL);
	session->worked = os_seconds();
}

void check_source(struct session *session, struct root *root, const struct settings *settings, const char *path,
		  const struct source *source, struct lint_result *result)
{
	worker_begin(session, root, settings);
	lint_source(session->worker, settings, path, source, result);
	worker_end(session);
}

static bool lint(struct session *session, struct document *document, const struct settings *settings, struct root *root)
{
	tree_keep(session, document);
	document_source(document, &document->source);
	lint_worker_remember(session->worker, document->memory);
	lint_worker_stop_when(session->worker, is_outdated, session);
	check_source(session, root, settings, document->path, &document->source, &document->result);
	lint_worker_stop_when(session->worker, NULL, NULL);
	lint_worker_remember(session->worker, NULL);
	lint_worker_hurry(session->worker, false);
	document->checked = document->serial;
	document->settings = settings;
	if (!document->result.is_stale)
		return true;
	document_forget(document);
	return false;
}

static bool check(struct session *session, struct document *document, bool hastily)
{
	struct root *root = workspace_root(&session->workspace, document->path);
	const struct settings *settings;

	if (document->checked == document->serial && (hastily || !document->result.is_guess))
		return true;
	document_forget(document);
	settings = workspace_settings(&session->workspace, root, document->path);
	configured_tell(session, root);
	if (!settings || (!document->is_notebook && !document->parts.items[0].is_code))
		return false;
	lint_worker_hurry(session->worker, hastily);
	return lint(session, document, settings, root);
}

bool check_document(struct session *session, struct document *document)
{
	return check(session, document, false);
}

bool check_hastily(struct session *session, struct document *document)
{
	bool known = check(session, document, true);

	if (known && document->result.is_guess)
		document->due = os_seconds() + CARE_DELAY;
	return known;
}

void check_once(struct session *session, struct document *document, const char *ignore_reason, struct lint_result *result)
{
	struct lint_limits limits = {NULL, NULL, ignore_reason};

	lint_worker_limit(session->worker, &limits);
	lint_source(session->worker, document->settings, document->path, &document->source, result);
	worker_end(session);
}

bool check_fix(struct session *session, struct document *document, struct fix_policy policy, struct fix_outcome *outcome)
{
	struct str raw = {document->source.text, document->source.length};
	bool any;

	worker_begin(session, workspace_root(&session->workspace, document->path), document->settings);
	any = fix_source(session->worker, document->settings, document->path, raw, &document->source, &document->result, policy,
			 outcome);
	worker_end(session);
	return any;
}

/* ---- what depends on what ---- */

static bool reads(const struct document *document, const char *path)
{
	for (size_t i = 0; i < document->result.read_count; i++) {
		if (strcmp(document->result.reads[i], path) == 0)
			return true;
	}
	return document->result.asks_around;
}

static void check_again(struct document *document, double delay)
{
	document_forget(document);
	document->due = os_seconds() + delay;
}

/* Forgets what PATH said, and has the open documents checked again that depend on it. */
static void forget_path(struct session *session, const char *path, double delay)
{
	bool leads_elsewhere = linters_forget(session->workspace.linters, path);

	for (size_t i = 0; i < session->documents.items.count; i++) {
		struct document *other = session->documents.items.items[i];

		if (other->checked && (!other->path || strcmp(other->path, path) != 0) &&
		    (reads(other, path) || (leads_elsewhere && other->result.seeks)))
			check_again(other, delay);
	}
}

/* Another document of the same file, which is open by another name; NULL: there is none. */
static const struct document *document_beside(const struct session *session, const struct document *document)
{
	for (size_t i = 0; i < session->documents.items.count; i++) {
		const struct document *other = session->documents.items.items[i];

		if (other != document && other->path && !other->is_notebook && strcmp(other->path, document->path) == 0)
			return other;
	}
	return NULL;
}

void check_spread(struct session *session, const struct document *document, bool is_gone)
{
	const struct document *open = is_gone && document->path ? document_beside(session, document) : document;

	if (!document->path || document->is_notebook)
		return;
	if (open)
		overlay_set(session->workspace.overlay, document->path, buf_get(&open->parts.items[0].text));
	else
		overlay_remove(session->workspace.overlay, document->path);
	forget_path(session, document->path, is_gone ? 0 : SPREAD_DELAY);
	if (is_gone)
		scan_doubt(session);
}

void check_disk(struct session *session, const char *path)
{
	/* what the editor has counts */
	if (overlay_get(session->workspace.overlay, path, NULL))
		return;
	forget_path(session, path, 0);
	scan_doubt(session);
}

void check_all_again(struct session *session, const struct root *root)
{
	for (size_t i = 0; i < session->documents.items.count; i++) {
		struct document *document = session->documents.items.items[i];

		if (!root || workspace_root(&session->workspace, document->path) == root)
			check_again(document, 0);
	}
}

void check_reload(struct session *session, struct root *root)
{
	scan_restart(session);
	session_forget_complaints(session);
	check_all_again(session, root);
	configured_forget(session, root);
	workspace_reload(root);
}

void check_look(struct session *session)
{
	for (size_t i = 0; i < session->workspace.roots.count; i++) {
		struct root *root = session->workspace.roots.items[i];

		if (workspace_is_stale(root))
			check_reload(session, root);
	}
	if (linters_refresh(session->workspace.linters))
		check_all_again(session, NULL);
	else if (session->client.watches_files)
		return;
	scan_doubt(session);
}
