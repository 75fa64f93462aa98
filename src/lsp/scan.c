#include "lsp/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "engine/walk.h"
#include "lsp/check.h"
#include "lsp/configured.h"
#include "lsp/diagnostic.h"
#include "text/notebook.h"

static const char token[] = "vramlint/scan";
/* Between reports of how far it is. */
static const double REPORT_DELAY = 0.2;

struct scan {
	size_t root;      /* whose files are at hand */
	struct walk walk; /* of them, once has_walk */
	bool has_walk;
	size_t file;      /* the next one */
	size_t files, findings; /* done and found in all */
	double reported;
};

/* ---- progress ---- */

static void progress(struct session *session, const char *kind, const char *text, int percentage)
{
	struct json_writer *json = &session->wire.json;
	bool begins = strcmp(kind, "begin") == 0;

	if (!session->client.shows_progress)
		return;
	wire_notify(&session->wire, "$/progress");
	json_object_begin(json);
	json_member_text(json, "token", token);
	json_member_object(json, "value");
	json_member_text(json, "kind", kind);
	if (begins) {
		json_member_text(json, "title", "vramlint: checking all files");
		json_member_bool(json, "cancellable", true);
	}
	if (text)
		json_member_text(json, "message", text);
	if (percentage >= 0)
		json_member_int(json, "percentage", percentage);
	json_object_end(json);
	json_object_end(json);
	wire_send(&session->wire);
}

static void progress_begin(struct session *session)
{
	struct json_writer *json = &session->wire.json;

	if (!session->client.shows_progress)
		return;
	wire_request(&session->wire, "window/workDoneProgress/create");
	json_object_begin(json);
	json_member_text(json, "token", token);
	json_object_end(json);
	wire_send(&session->wire);
	progress(session, "begin", NULL, 0);
}

static void progress_report(struct session *session)
{
	struct scan *scan = session->scan;
	size_t total = scan->walk.file_count;
	double now = os_seconds();
	struct buf text = BUF_INIT;

	if (now - scan->reported < REPORT_DELAY)
		return;
	scan->reported = now;
	buf_format(&text, "%zu of %zu files", scan->file, total);
	progress(session, "report", buf_text(&text), total ? (int)(scan->file * 100 / total) : 0);
	buf_release(&text);
}

/* ---- one file ---- */

/* Sends what was found in SCANNED; SOURCE was made of it. */
static void publish(struct session *session, const struct scanned *scanned, const struct settings *settings,
		    struct source *source, struct lint_result *result)
{
	struct document_part part = {.uri = scanned->uri, .is_code = true};
	struct document document = {.uri = scanned->uri, .path = scanned->path, .settings = settings, .checked = 1,
				    .source = *source, .result = *result};

	document.parts.items = &part;
	document.parts.count = 1;
	diagnostic_publish(session, &document, true);
}

/* The document that PATH is open as, or NULL. */
static struct document *document_of(struct session *session, const char *path)
{
	for (size_t i = 0; i < session->documents.items.count; i++) {
		struct document *document = session->documents.items.items[i];

		if (document->path && strcmp(document->path, path) == 0)
			return document;
	}
	return NULL;
}

/* ---- files that the client was told of ---- */

static struct scanned *scanned_find(struct session *session, const char *path)
{
	for (size_t i = 0; i < session->scanned.count; i++) {
		if (strcmp(session->scanned.items[i].path, path) == 0)
			return &session->scanned.items[i];
	}
	return NULL;
}

static void scanned_free(struct scanned *scanned)
{
	free(scanned->path);
	free(scanned->uri);
	free(scanned->folder);
}

/* Takes back what was told of SCANNED. */
static void scanned_clear(struct session *session, struct scanned *scanned)
{
	diagnostic_clear(session, scanned->uri);
	scanned_free(scanned);
	*scanned = session->scanned.items[--session->scanned.count];
	if (session->doubted > session->scanned.count)
		session->doubted = session->scanned.count;
}

static struct scanned *scanned_add(struct session *session, const char *path, const struct root *root)
{
	struct scanned scanned = {.path = mem_dup_text(path), .folder = mem_dup_text(root->uri)};
	struct arena arena;

	arena_init(&arena);
	scanned.uri = mem_dup_text(workspace_address(root, path, &arena));
	arena_release(&arena);
	VEC_ADD(&session->scanned, scanned);
	return &session->scanned.items[session->scanned.count - 1];
}

/* Checks the file at PATH, which is real, and tells of what is found, or that it is found no more; returns how much that is. */
static size_t file_check(struct session *session, struct root *root, const char *path, const struct settings *settings)
{
	struct scanned *scanned = scanned_find(session, path);
	struct buf raw = BUF_INIT;
	struct source source;
	struct lint_result result;
	size_t count = 0;

	if (os_read_file(path, SOURCE_LIMIT, &raw, NULL) && source_init(&source, buf_get(&raw), NULL)) {
		check_source(session, root, settings, path, &source, &result);
		count = result.finding_count;
		if (count && !scanned)
			scanned = scanned_add(session, path, root);
		if (count)
			publish(session, scanned, settings, &source, &result);
		lint_result_release(&result);
		source_release(&source);
	}
	if (scanned && !count)
		scanned_clear(session, scanned);
	buf_release(&raw);
	return count;
}

/* Checks the file at PATH again, if it is still one to be checked. ROOT: the folder that it is in; NULL: none any more. */
static void again(struct session *session, struct root *root, const char *path)
{
	const struct settings *settings = root ? workspace_settings(&session->workspace, root, path) : NULL;

	if (settings)
		file_check(session, root, path, settings);
	else
		scan_forget(session, path);
}

static void doubted_check(struct session *session)
{
	const struct scanned *doubted = &session->scanned.items[--session->doubted];
	char *path = mem_dup_text(doubted->path);

	again(session, workspace_find(&session->workspace, doubted->folder), path);
	free(path);
}

/* ---- the whole ---- */

static void walk_end(struct scan *scan)
{
	if (scan->has_walk)
		walk_release(&scan->walk);
	scan->has_walk = false;
	scan->file = 0;
}

static void next_check(struct session *session, struct root *root, const struct walk_file *file)
{
	struct document *document;
	struct arena arena;
	const char *path;

	arena_init(&arena);
	path = os_real_path(file->path, &arena);
	/* those of a folder within this one come in their turn */
	if (!path || workspace_root(&session->workspace, file->path) != root)
		goto out;
	session->scan->files++;
	document = document_of(session, path);
	/* findings of a notebook belong to its cells, which have no address until it is open */
	if (notebook_is_name(path))
		goto out;
	if (document)
		document->is_scanned = true;
	else if (file->settings->linter)
		session->scan->findings += file_check(session, root, path, file->settings);
out:
	arena_release(&arena);
}

/* Goes on to the next folder that is open; false where there is none. */
static bool walk_begin(struct session *session)
{
	struct scan *scan = session->scan;
	struct root *root;

	walk_end(scan);
	if (++scan->root >= session->workspace.roots.count)
		return false;
	root = session->workspace.roots.items[scan->root];
	if (!root->is_off) {
		const char *paths[] = {root->path};

		walk_init(&scan->walk, workspace_config(&session->workspace, root), paths, 1);
		scan->has_walk = true;
		configured_tell(session, root);
	}
	return true;
}

void scan_begin(struct session *session)
{
	scan_end(session);
	scan_doubt(session);
	session->scan = mem_new(1, sizeof *session->scan);
	progress_begin(session);
}

void scan_end(struct session *session)
{
	struct scan *scan = session->scan;
	struct buf text = BUF_INIT;

	if (!scan)
		return;
	buf_format(&text, "%zu finding%s in %zu file%s", scan->findings, scan->findings == 1 ? "" : "s", scan->files,
		   scan->files == 1 ? "" : "s");
	progress(session, "end", buf_text(&text), -1);
	session_log(session, SESSION_INFO, buf_text(&text));
	buf_release(&text);
	walk_end(scan);
	free(scan);
	session->scan = NULL;
}

void scan_step(struct session *session)
{
	struct scan *scan = session->scan;

	if (session->doubted) {
		doubted_check(session);
		return;
	}
	while (!scan->has_walk || scan->file == scan->walk.file_count) {
		if (!walk_begin(session)) {
			scan_end(session);
			return;
		}
	}
	next_check(session, session->workspace.roots.items[scan->root], &scan->walk.files[scan->file++]);
	progress_report(session);
}

void scan_cancel(struct session *session, const char *name)
{
	if (name && strcmp(name, token) == 0)
		scan_end(session);
}

bool scan_forget(struct session *session, const char *path)
{
	struct scanned *scanned = path ? scanned_find(session, path) : NULL;

	if (scanned)
		scanned_clear(session, scanned);
	return scanned != NULL;
}

void scan_return(struct session *session, const char *path)
{
	struct root *root = workspace_root(&session->workspace, path);

	if (!document_of(session, path))
		again(session, *root->uri ? root : NULL, path);
}

void scan_doubt(struct session *session)
{
	session->doubted = session->scanned.count;
}

void scan_restart(struct session *session)
{
	if (session->scan)
		scan_begin(session);
	else
		scan_doubt(session);
}

void scan_release(struct session *session)
{
	free(session->scan);
	for (size_t i = 0; i < session->scanned.count; i++)
		scanned_free(&session->scanned.items[i]);
	VEC_RELEASE(&session->scanned);
}
