#include "lsp/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/path.h"
#include "lsp/action.h"
#include "lsp/capabilities.h"
#include "lsp/check.h"
#include "lsp/configured.h"
#include "lsp/diagnostic.h"
#include "lsp/hover.h"
#include "lsp/lens.h"
#include "lsp/scan.h"
#include "lsp/uri.h"
#include "report/links.h"

/* How long a client may take to tell its settings before findings are sent without: what is wrong for a moment flickers. */
static const double SETTINGS_DELAY = 0.5;
/* Seconds without work after which memory is given back. */
static const double REST_DELAY = 1;
/* Bytes of imported files that are kept then: those of a project or two. */
enum { IMPORTS_KEPT = 6 << 20 };

enum stage { STAGE_NEW, STAGE_STARTING, STAGE_OPEN, STAGE_SHUT, STAGE_EXIT };

struct server {
	struct session session;
	enum stage stage;
	bool ended_well;
	const char *log;
};

/* ---- what a person sees ---- */

static void log_to_file(const struct server *server, enum session_level level, const char *text)
{
	static const char *const names[] = {"", "error", "warning", "info"};
	struct buf line = BUF_INIT;

	if (!server->log)
		return;
	buf_format(&line, "%.3f %s: ", os_seconds(), names[level]);
	buf_add_text(&line, text);
	buf_add_char(&line, '\n');
	os_append_file(server->log, buf_get(&line), NULL);
	buf_release(&line);
}

static void say(struct session *session, const char *method, enum session_level level, const char *text)
{
	struct json_writer *json = &session->wire.json;

	wire_notify(&session->wire, method);
	json_object_begin(json);
	json_member_int(json, "type", level);
	json_member_text(json, "message", text);
	json_object_end(json);
	wire_send(&session->wire);
}

void session_log(struct session *session, enum session_level level, const char *text)
{
	log_to_file((struct server *)session, level, text);
	say(session, "window/logMessage", level, text);
}

void session_show(struct session *session, enum session_level level, const char *text)
{
	log_to_file((struct server *)session, level, text);
	say(session, "window/showMessage", level, text);
}

/* Once, however many folders it is true of. */
static void tell_settings(const char *text, void *context)
{
	struct session *session = context;

	for (size_t i = 0; i < session->complaints.count; i++) {
		if (strcmp(session->complaints.items[i], text) == 0)
			return;
	}
	VEC_ADD(&session->complaints, mem_dup_text(text));
	session_show(session, SESSION_WARNING, text);
}

void session_forget_complaints(struct session *session)
{
	for (size_t i = 0; i < session->complaints.count; i++)
		free(session->complaints.items[i]);
	session->complaints.count = 0;
}

/* ---- settings of the editor ---- */

/* What SAID says of us, NULL where that is nothing; some editors send it under our name. */
static const cJSON *section_of(const cJSON *said)
{
	const cJSON *section = field(said, "vramlint");

	section = section ? section : said;
	return section && section->child ? section : NULL;
}

static void settings_take(struct session *session, struct root *root, const cJSON *said)
{
	const cJSON *section = section_of(said);

	if (section == root->said || cJSON_Compare(section, root->said, true)) /* both may be NULL */
		return;
	check_reload(session, root);
	workspace_say(&session->workspace, root, section);
	session->wants_refresh = true;
}

static void settings_take_all(struct session *session, const cJSON *said)
{
	for (size_t i = 0; i < session->workspace.roots.count; i++)
		settings_take(session, session->workspace.roots.items[i], said);
}

/* SAID is what counts for all folders, those that come later included, until they are asked for. */
static void settings_set(struct session *session, const cJSON *said)
{
	cJSON *copy = cJSON_Duplicate(said, true);

	cJSON_Delete(session->settings_first);
	session->settings_first = copy;
	settings_take_all(session, copy);
}

/* Asks for the settings of each folder. */
static void settings_ask(struct session *session)
{
	struct json_writer *json = &session->wire.json;

	if (!session->client.tells_settings)
		return;
	session->settings_asked = wire_request(&session->wire, "workspace/configuration");
	json_object_begin(json);
	json_member_array(json, "items");
	for (size_t i = 0; i < session->workspace.roots.count; i++) {
		const char *uri = session->workspace.roots.items[i]->uri;

		json_object_begin(json);
		if (*uri)
			json_member_text(json, "scopeUri", uri);
		json_member_text(json, "section", "vramlint");
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
	wire_send(&session->wire);
}

/* What the client answers to that. Folders may have changed since; then they are asked for again. */
static void settings_answered(struct session *session, const struct message *message)
{
	const cJSON *list = field(message->root, "result");

	session->settings_asked = 0;
	session->settings_until = 0;
	if ((size_t)cJSON_GetArraySize(list) != session->workspace.roots.count)
		return;
	for (size_t i = 0; i < session->workspace.roots.count; i++) {
		const cJSON *said = cJSON_GetArrayItem(list, (int)i);

		/* null: the editor has none, or has none any more */
		settings_take(session, session->workspace.roots.items[i], cJSON_IsObject(said) ? said : session->settings_first);
	}
}

/* ---- begin and end ---- */

static void folders_open(struct session *session, const cJSON *params)
{
	const cJSON *folders = field(params, "workspaceFolders"), *folder;
	const char *uri = field_text(params, "rootUri"), *path = field_text(params, "rootPath");
	struct arena arena;

	if (cJSON_IsArray(folders)) {
		cJSON_ArrayForEach(folder, folders) {
			if (field_text(folder, "uri"))
				workspace_add(&session->workspace, field_text(folder, "uri"));
		}
	} else if (uri) {
		workspace_add(&session->workspace, uri);
	} else if (path) {
		arena_init(&arena);
		workspace_add(&session->workspace, links_file_url(path, &arena));
		arena_release(&arena);
	}
}

static void initialize(struct server *server, const struct message *message)
{
	struct session *session = &server->session;
	struct json_writer *json = &session->wire.json;
	int64_t process = field_number(message->params, "processId", 0);

	client_init(&session->client, message->params);
	if (process > 0)
		inbox_watch(session->inbox, process);
	folders_open(session, message->params);
	wire_answer(&session->wire, message->id);
	json_object_begin(json);
	capabilities_add(session);
	json_member_object(json, "serverInfo");
	json_member_text(json, "name", "vramlint");
	json_member_text(json, "version", VRAMLINT_VERSION);
	json_object_end(json);
	json_object_end(json);
	wire_send(&session->wire);
	if (field(message->params, "initializationOptions.settings"))
		settings_set(session, field(message->params, "initializationOptions.settings"));
	server->stage = STAGE_STARTING;
}

static void initialized(struct server *server, const struct message *message)
{
	capabilities_register(&server->session);
	settings_ask(&server->session);
	if (server->session.settings_asked)
		server->session.settings_until = os_seconds() + SETTINGS_DELAY;
	server->stage = STAGE_OPEN;
}

static void shut_down(struct server *server, const struct message *message)
{
	scan_end(&server->session);
	wire_answer(&server->session.wire, message->id);
	json_text(&server->session.wire.json, NULL);
	wire_send(&server->session.wire);
	server->stage = STAGE_SHUT;
}

static void leave(struct server *server, const struct message *message)
{
	server->ended_well = server->stage == STAGE_SHUT;
	server->stage = STAGE_EXIT;
}

/* ---- documents ---- */

static void document_changed(struct session *session, struct document *document, double delay)
{
	if (!document)
		return;
	document->due = os_seconds() + delay;
	check_spread(session, document, false);
}

static double debounce_of(struct session *session, const struct document *document)
{
	return document ? workspace_root(&session->workspace, document->path)->debounce : 0;
}

static void opened(struct session *session, struct document *document)
{
	check_look(session);
	if (document)
		document->is_scanned = scan_forget(session, document->path);
	document_changed(session, document, 0);
}

static void did_open(struct server *server, const struct message *message)
{
	opened(&server->session, documents_open(&server->session.documents, message->params));
}

static void did_open_notebook(struct server *server, const struct message *message)
{
	opened(&server->session, documents_open_notebook(&server->session.documents, message->params));
}

static void did_change(struct server *server, const struct message *message)
{
	struct session *session = &server->session;
	struct document *document = documents_change(&session->documents, message->params, session->client.encoding);

	document_changed(session, document, debounce_of(session, document));
}

static void cell_gone(const struct document_part *part, void *context)
{
	struct session *session = context;

	if (!session->client.pulls)
		diagnostic_clear(session, part->uri);
}

static void did_change_notebook(struct server *server, const struct message *message)
{
	struct session *session = &server->session;
	struct document *document = documents_change_notebook(&session->documents, message->params, session->client.encoding,
							      cell_gone, session);

	document_changed(session, document, debounce_of(session, document));
	session->wants_refresh |= document != NULL; /* what one cell says changes others */
}

static void closed(struct session *session, struct document *document)
{
	char *path;

	if (!document)
		return;
	check_spread(session, document, true);
	for (size_t i = 0; i < document->parts.count; i++)
		cell_gone(&document->parts.items[i], session);
	path = document->is_scanned && document->path ? mem_dup_text(document->path) : NULL;
	documents_close(&session->documents, document);
	if (path)
		scan_return(session, path);
	free(path);
}

static void did_close(struct server *server, const struct message *message)
{
	struct session *session = &server->session;
	struct document *document = documents_find(&session->documents, field_text(message->params, "textDocument.uri"), NULL);

	closed(session, document && !document->is_notebook ? document : NULL);
}

static void did_close_notebook(struct server *server, const struct message *message)
{
	struct session *session = &server->session;

	closed(session, documents_find(&session->documents, field_text(message->params, "notebookDocument.uri"), NULL));
}

static void did_save(struct server *server, const struct message *message)
{
	check_look(&server->session);
	scan_doubt(&server->session);
}

/* ---- the rest of the workspace ---- */

static bool configures(const char *name)
{
	return strcmp(name, "pyproject.toml") == 0 || strcmp(name, "vramlint.toml") == 0 || strcmp(name, ".vramlint.toml") == 0;
}

static void did_change_files(struct server *server, const struct message *message)
{
	struct session *session = &server->session;
	const cJSON *change;
	struct arena arena;
	bool configured = false;

	arena_init(&arena);
	cJSON_ArrayForEach(change, field(message->params, "changes")) {
		const char *uri = field_text(change, "uri"), *path = uri ? uri_to_real_path(&arena, uri) : NULL;

		if (path && configures(path_name(path)))
			configured = true;
		else if (path)
			check_disk(session, path);
	}
	if (configured)
		check_look(session);
	arena_release(&arena);
}

static void did_change_settings(struct server *server, const struct message *message)
{
	const cJSON *said = field(message->params, "settings");

	if (server->session.client.tells_settings)
		settings_ask(&server->session);
	else if (cJSON_IsObject(said))
		settings_set(&server->session, said);
}

static void folder_remove(struct session *session, const char *uri)
{
	struct root *root = uri ? workspace_find(&session->workspace, uri) : NULL;

	if (!root)
		return;
	configured_forget(session, root);
	workspace_remove(&session->workspace, uri);
}

static void did_change_folders(struct server *server, const struct message *message)
{
	struct session *session = &server->session;
	const cJSON *folder;

	scan_restart(session);
	check_all_again(session, NULL);
	cJSON_ArrayForEach(folder, field(message->params, "event.removed"))
		folder_remove(session, field_text(folder, "uri"));
	cJSON_ArrayForEach(folder, field(message->params, "event.added")) {
		if (field_text(folder, "uri"))
			workspace_add(&session->workspace, field_text(folder, "uri"));
	}
	if (session->client.tells_settings)
		settings_ask(session);
	else if (session->settings_first)
		settings_take_all(session, session->settings_first);
}

static void progress_cancel(struct server *server, const struct message *message)
{
	scan_cancel(&server->session, field_text(message->params, "token"));
}

/* ---- requests that a part answers ---- */

#define ANSWERS(name, function)                                                                                        \
	static void name(struct server *server, const struct message *message)                                        \
	{                                                                                                              \
		function(&server->session, message);                                                                   \
	}
ANSWERS(diagnostic, diagnostic_answer)
ANSWERS(hover, hover_answer)
ANSWERS(code_action, action_answer)
ANSWERS(code_action_resolve, action_resolve)
ANSWERS(execute_command, action_execute)
ANSWERS(code_lens, lens_answer)
ANSWERS(inlay_hint, lens_answer_hints)
#undef ANSWERS

struct handler {
	const char *method;
	bool is_request;
	void (*handle)(struct server *server, const struct message *message);
};

static const struct handler handlers[] = {
	{"textDocument/didChange", false, did_change},
	{"textDocument/didOpen", false, did_open},
	{"textDocument/didClose", false, did_close},
	{"textDocument/didSave", false, did_save},
	{"textDocument/diagnostic", true, diagnostic},
	{"textDocument/hover", true, hover},
	{"textDocument/codeAction", true, code_action},
	{"codeAction/resolve", true, code_action_resolve},
	{"textDocument/codeLens", true, code_lens},
	{"textDocument/inlayHint", true, inlay_hint},
	{"notebookDocument/didOpen", false, did_open_notebook},
	{"notebookDocument/didChange", false, did_change_notebook},
	{"notebookDocument/didClose", false, did_close_notebook},
	{"notebookDocument/didSave", false, did_save},
	{"workspace/executeCommand", true, execute_command},
	{"workspace/didChangeConfiguration", false, did_change_settings},
	{"workspace/didChangeWatchedFiles", false, did_change_files},
	{"workspace/didChangeWorkspaceFolders", false, did_change_folders},
	{"window/workDoneProgress/cancel", false, progress_cancel},
	{"initialized", false, initialized},
	{"shutdown", true, shut_down},
};

static const struct handler *handler_for(const char *method)
{
	for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
		if (strcmp(handlers[i].method, method) == 0)
			return &handlers[i];
	}
	return NULL;
}

static void request(struct server *server, const struct message *message)
{
	struct session *session = &server->session;
	const struct handler *handler = handler_for(message->method);
	struct buf text = BUF_INIT;

	if (strcmp(message->method, "initialize") == 0 && server->stage == STAGE_NEW) {
		initialize(server, message);
	} else if (server->stage == STAGE_NEW) {
		wire_fail(&session->wire, message->id, WIRE_NOT_INITIALIZED, "the first request has to be 'initialize'");
	} else if (server->stage == STAGE_SHUT) {
		wire_fail(&session->wire, message->id, WIRE_INVALID_REQUEST, "the server was shut down");
	} else if (message->is_cancelled) {
		wire_fail(&session->wire, message->id, WIRE_CANCELLED, "cancelled");
	} else if (handler && handler->is_request) {
		session->answering = message->id;
		handler->handle(server, message);
		session->answering = NULL;
	} else if (strcmp(message->method, "initialize") == 0) {
		wire_fail(&session->wire, message->id, WIRE_INVALID_REQUEST, "'initialize' was requested before");
	} else {
		buf_format(&text, "no such request: '%s'", message->method);
		wire_fail(&session->wire, message->id, WIRE_NO_METHOD, buf_text(&text));
		buf_release(&text);
	}
}

static void handle(struct server *server, const struct message *message)
{
	struct session *session = &server->session;
	const struct handler *handler;

	if (!message->root) {
		wire_fail(&session->wire, NULL, WIRE_INVALID_REQUEST, "a message is neither request, notification nor answer");
	} else if (!message->method) {
		if (session->settings_asked && message->id->valuedouble == (double)session->settings_asked)
			settings_answered(session, message);
	} else if (message->id) {
		request(server, message);
	} else if (strcmp(message->method, "exit") == 0) {
		leave(server, message);
	} else if (server->stage == STAGE_STARTING || server->stage == STAGE_OPEN) {
		handler = handler_for(message->method);
		if (handler && !handler->is_request)
			handler->handle(server, message);
	}
}

/* ---- between messages ---- */

/* The document that is to be checked next, or NULL. */
static struct document *next_due(const struct session *session)
{
	struct document *next = NULL;

	for (size_t i = 0; i < session->documents.items.count; i++) {
		struct document *document = session->documents.items.items[i];

		if (document->due > 0 && (!next || document->due < next->due))
			next = document;
	}
	return next;
}

/* Asks a client that pulls to do so again. */
static void refresh(struct session *session)
{
	session->wants_refresh = false;
	if (session->client.pulls)
		wire_ask(&session->wire, "workspace/diagnostic/refresh");
	if (session->client.refreshes_lenses)
		wire_ask(&session->wire, "workspace/codeLens/refresh");
	if (session->client.refreshes_hints)
		wire_ask(&session->wire, "workspace/inlayHint/refresh");
}

static void check_due(struct session *session, struct document *document)
{
	bool was_changed = document->checked != document->serial && document->checked_last != document->serial;
	bool differs = false;

	document->due = 0;
	session->checking = document->uri;
	if (was_changed)
		check_hastily(session, document);
	else
		check_document(session, document);
	session->checking = NULL;
	if (inbox_outdates(session->inbox, document->uri))
		return; /* what it is now will be checked in its turn */
	document->checked_last = document->serial;
	if (session->client.pulls)
		differs = !was_changed && diagnostic_differs(session, document);
	else if (diagnostic_publish(session, document, was_changed)) /* of lenses a client that is changing it asks by itself */
		differs = !was_changed && workspace_root(&session->workspace, document->path)->lens != LENS_OFF;
	session->wants_refresh |= differs;
}

/* Seconds until there is something to do; less than 0: nothing. */
static double rest_time(const struct session *session)
{
	const struct document *document = next_due(session);
	double left;

	if (session->scan || session->doubted || session->wants_refresh)
		return 0;
	if (!document && !session->worked)
		return -1;
	left = document ? document->due : session->worked + REST_DELAY;
	if (document && left < session->settings_until)
		left = session->settings_until;
	left -= os_seconds();
	return left > 0 ? left : 0;
}

/* Gives memory back that work will want again, until somebody types. */
static void rest(struct session *session)
{
	linters_rest(session->workspace.linters, IMPORTS_KEPT);
	lint_worker_rest(session->worker);
	session->worked = 0;
}

static void do_work(struct server *server)
{
	struct session *session = &server->session;
	struct document *document = next_due(session);

	if (document && document->due <= os_seconds() && session->settings_until <= os_seconds())
		check_due(session, document);
	else if (session->wants_refresh)
		refresh(session);
	else if (session->scan || session->doubted)
		scan_step(session);
	else if (!document && os_seconds() >= session->worked + REST_DELAY)
		rest(session);
}

static void serve(struct server *server, struct err *err)
{
	struct session *session = &server->session;
	struct message *message;

	while (server->stage != STAGE_EXIT && !session->wire.is_broken) {
		bool works = server->stage == STAGE_OPEN || server->stage == STAGE_STARTING;

		switch (inbox_next(session->inbox, works ? rest_time(session) : -1, &message, err)) {
		case INBOX_MESSAGE:
			handle(server, message);
			message_free(message);
			break;
		case INBOX_FAULT:
			session_log(session, SESSION_ERROR, err->message);
			wire_fail(&session->wire, NULL, WIRE_PARSE_ERROR, err->message);
			err->code = ERR_NONE;
			break;
		case INBOX_TIMEOUT:
			do_work(server);
			break;
		case INBOX_END:
			return;
		}
	}
	if (session->wire.is_broken)
		*err = session->wire.err;
}

/* All of the server, on a thread whose stack is deep enough for the analysis. */
struct serving {
	const struct server_options *options;
	struct err err;
	bool ended_well;
};

static void session_release(struct session *session)
{
	scan_release(session);
	session_forget_complaints(session);
	VEC_RELEASE(&session->complaints);
	documents_release(&session->documents);
	lint_worker_free(session->worker);
	workspace_release(&session->workspace);
	wire_release(&session->wire);
	cJSON_Delete(session->settings_first);
}

static void run(void *context)
{
	struct serving *serving = context;
	const struct server_options *options = serving->options;
	struct server server = {.log = options->log};
	struct session *session = &server.session;

	session->inbox = inbox_new(options->input, &serving->err);
	if (!session->inbox)
		return;
	wire_init(&session->wire, options->output);
	workspace_init(&session->workspace, &options->config, tell_settings, session);
	session->worker = lint_worker_new();
	serve(&server, &serving->err);
	serving->ended_well = server.ended_well;
	scan_end(session);
	inbox_free(session->inbox);
	session_release(session);
}

bool server_run(const struct server_options *options, struct err *err)
{
	enum { STACK = 16 << 20 };
	struct serving serving = {options, {ERR_NONE, ""}, false};
	struct os_thread *thread = os_thread_new(run, &serving, STACK, err);

	if (!thread)
		return false;
	os_thread_join(thread);
	*err = serving.err;
	return serving.ended_well;
}
