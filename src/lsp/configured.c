#include "lsp/configured.h"

#include <stdlib.h>
#include <string.h>

#include "lsp/diagnostic.h"

/* Faults of one configuration that are told: who has more mends these first. */
enum { FAULTS_TOLD = 200 };

struct faults {
	const struct config_fault *items;
	size_t count;
};

static struct faults faults_of(const struct root *root)
{
	struct faults faults = {NULL, 0};

	if (root->config)
		faults.items = config_faults(root->config, &faults.count);
	if (faults.count > FAULTS_TOLD)
		faults.count = FAULTS_TOLD;
	return faults;
}

static bool same_path(const struct config_fault *a, const struct config_fault *b)
{
	return a->path && b->path && strcmp(a->path, b->path) == 0;
}

/* Whether the fault at INDEX is the first about its file. */
static bool is_first(struct faults faults, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (same_path(&faults.items[i], &faults.items[index]))
			return false;
	}
	return faults.items[index].path != NULL;
}

static void fault_add(struct session *session, const struct config_fault *fault)
{
	struct json_writer *json = &session->wire.json;
	enum position_encoding encoding = session->client.encoding;
	struct position start = {0, 0}, end = {0, 0};

	if (fault->source && fault->source->line_starts) {
		start = position_of(encoding, fault->source, fault->span.start);
		end = position_of(encoding, fault->source, fault->span.end);
	}
	json_object_begin(json);
	json_key(json, "range");
	diagnostic_add_range(json, start, end);
	json_member_int(json, "severity", fault->is_error ? 1 : 2);
	json_member_text(json, "source", "vramlint");
	json_member_text(json, "message", fault->text);
	json_object_end(json);
}

/* Sends the diagnostics of PATH, as ROOT calls it: those of FAULTS that are about it. */
static void publish(struct session *session, const struct root *root, const char *path, struct faults faults)
{
	struct json_writer *json = &session->wire.json;
	struct arena arena;

	arena_init(&arena);
	wire_notify(&session->wire, "textDocument/publishDiagnostics");
	json_object_begin(json);
	json_member_text(json, "uri", workspace_address(root, path, &arena));
	json_member_array(json, "diagnostics");
	for (size_t i = 0; i < faults.count; i++) {
		if (faults.items[i].path && strcmp(faults.items[i].path, path) == 0)
			fault_add(session, &faults.items[i]);
	}
	json_array_end(json);
	json_object_end(json);
	wire_send(&session->wire);
	arena_release(&arena);
}

/* Whether the person was shown TEXT, of whichever folder: one file may configure several. */
static bool was_shown(const struct session *session, const char *text)
{
	for (size_t i = 0; i < session->workspace.roots.count; i++) {
		const char *shown = session->workspace.roots.items[i]->fault_shown;

		if (shown && strcmp(shown, text) == 0)
			return true;
	}
	return false;
}

/* Shows TEXT, which is about ROOT, to the person, unless that is what they saw already. */
static void show_once(struct session *session, struct root *root, const char *text)
{
	bool known = was_shown(session, text);

	free(root->fault_shown);
	root->fault_shown = mem_dup_text(text);
	if (!known)
		session_show(session, SESSION_ERROR, text);
}

void configured_tell(struct session *session, struct root *root)
{
	struct faults faults = faults_of(root);
	const struct config_fault *worst = NULL;
	size_t told = root->faults_told;
	struct buf text = BUF_INIT;

	if (root->config && !faults.count) {
		free(root->fault_shown);
		root->fault_shown = NULL;
	}
	if (faults.count == told)
		return;
	root->faults_told = faults.count;
	for (size_t i = 0; i < faults.count; i++) {
		if (is_first(faults, i))
			publish(session, root, faults.items[i].path, faults);
	}
	for (size_t i = told; i < faults.count; i++) {
		if (faults.items[i].is_error && !worst)
			worst = &faults.items[i];
		session_log(session, faults.items[i].is_error ? SESSION_ERROR : SESSION_WARNING, faults.items[i].sentence);
	}
	if (worst && told == 0) {
		buf_format(&text, "vramlint: %s", worst->sentence);
		show_once(session, root, buf_text(&text));
	}
	buf_release(&text);
}

void configured_forget(struct session *session, struct root *root)
{
	struct faults faults = faults_of(root);

	for (size_t i = 0; i < faults.count && i < root->faults_told; i++) {
		if (is_first(faults, i))
			publish(session, root, faults.items[i].path, (struct faults){NULL, 0});
	}
	root->faults_told = 0;
}
