#include "lsp/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "engine/walk.h"
#include "lsp/check.h"
#include "lsp/configured.h"
#include "lsp/diagnostic.h"
#include "report/links.h"
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
		json_key(json, "cancellable");
		json_bool(json, true);
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

/* Sends what was found in PATH, which is not open; SOURCE was made of it. */
static void publish(struct session *session, const char *path, const struct settings *settings, struct source *source,
		    struct lint_result *result)
{
	struct document document = {.path = (char *)(uintptr_t)path, .settings = settings, .checked = 1, .source = *source,
				    .result = *result};
	struct document_part part = {.is_code = true};
	struct arena arena;

	arena_init(&arena);
	part.uri = (char *)(uintptr_t)links_file_url(path, &arena);
	document.uri = part.uri;
	document.parts.items = &part;
	document.parts.count = 1;
	diagnostic_publish(session, &document, true);
	arena_release(&arena);
}

static bool is_open(struct session *session, const char *path)
{
	for (size_t i = 0; i < session->documents.items.count; i++) {
		const char *other = session->documents.items.items[i]->path;

		if (other && strcmp(other, path) == 0)
			return true;
	}
	return false;
}

/* Checks the file at PATH, which is real, and tells of what is found; returns how much that is. */
static size_t file_check(struct session *session, struct root *root, const char *path, const struct settings *settings)
{
	struct lint_limits limits = {workspace_baseline(&session->workspace, root, settings), NULL, NULL};
	struct buf raw = BUF_INIT;
	struct source source;
	struct lint_result result;
	size_t count = 0;

	if (os_read_file(path, SOURCE_LIMIT, &raw, NULL) && source_init(&source, buf_get(&raw), NULL)) {
		lint_worker_limit(session->worker, &limits);
		lint_source(session->worker, settings, path, &source, &result);
		count = result.finding_count;
		if (count) {
			publish(session, path, settings, &source, &result);
			VEC_ADD(&session->scanned, mem_dup(path, strlen(path)));
		}
		lint_result_release(&result);
		source_release(&source);
		session->worked = os_seconds();
	}
	buf_release(&raw);
	return count;
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
	struct arena arena;
	const char *path;

	arena_init(&arena);
	path = os_real_path(file->path, &arena);
	/* findings of a notebook belong to its cells, which have no address until it is open */
	if (path && file->settings->linter && !notebook_is_name(path) && !is_open(session, path))
		session->scan->findings += file_check(session, root, path, file->settings);
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

static void take_back(struct session *session)
{
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < session->scanned.count; i++) {
		if (!is_open(session, session->scanned.items[i]))
			diagnostic_clear(session, links_file_url(session->scanned.items[i], &arena));
		free(session->scanned.items[i]);
	}
	session->scanned.count = 0;
	arena_release(&arena);
}

void scan_begin(struct session *session)
{
	scan_end(session);
	take_back(session);
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

	while (!scan->has_walk || scan->file == scan->walk.file_count) {
		if (!walk_begin(session)) {
			scan_end(session);
			return;
		}
	}
	next_check(session, session->workspace.roots.items[scan->root], &scan->walk.files[scan->file++]);
	scan->files++;
	progress_report(session);
}

void scan_cancel(struct session *session, const char *name)
{
	if (name && strcmp(name, token) == 0)
		scan_end(session);
}

bool scan_forget(struct session *session, const char *path)
{
	struct arena arena;
	bool known = false;

	arena_init(&arena);
	for (size_t i = 0; path && i < session->scanned.count && !known; i++) {
		char **slot = &session->scanned.items[i];

		known = strcmp(*slot, path) == 0;
		if (!known)
			continue;
		diagnostic_clear(session, links_file_url(path, &arena));
		free(*slot);
		*slot = session->scanned.items[--session->scanned.count];
	}
	arena_release(&arena);
	return known;
}

void scan_again(struct session *session, const char *path)
{
	struct root *root = workspace_root(&session->workspace, path);
	const struct settings *settings;

	if (!scan_forget(session, path))
		return;
	settings = workspace_settings(&session->workspace, root, path);
	if (settings)
		file_check(session, root, path, settings);
}
