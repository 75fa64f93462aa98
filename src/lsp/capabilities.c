#include "lsp/capabilities.h"

#include "lsp/action.h"

static void sync_add(struct json_writer *json)
{
	enum { INCREMENTAL = 2 };

	json_member_object(json, "textDocumentSync");
	json_member_bool(json, "openClose", true);
	json_member_int(json, "change", INCREMENTAL);
	json_member_bool(json, "save", true);
	json_object_end(json);
	json_member_object(json, "notebookDocumentSync");
	json_member_array(json, "notebookSelector");
	json_object_begin(json);
	json_member_text(json, "notebook", "*");
	json_member_array(json, "cells");
	json_object_begin(json);
	json_member_text(json, "language", "python");
	json_object_end(json);
	json_array_end(json);
	json_object_end(json);
	json_array_end(json);
	json_member_bool(json, "save", true);
	json_object_end(json);
}

void capabilities_add(struct session *session)
{
	struct json_writer *json = &session->wire.json;

	json_member_object(json, "capabilities");
	json_member_text(json, "positionEncoding", position_encoding_name(session->client.encoding));
	sync_add(json);
	if (session->client.pulls) {
		json_member_object(json, "diagnosticProvider");
		json_member_text(json, "identifier", "vramlint");
		/* what other files do to a document is told by asking to pull again */
		json_member_bool(json, "interFileDependencies", false);
		json_member_bool(json, "workspaceDiagnostics", false);
		json_object_end(json);
	}
	json_member_object(json, "codeActionProvider");
	json_member_array(json, "codeActionKinds");
	json_text(json, "quickfix");
	json_text(json, "source.fixAll.vramlint");
	json_array_end(json);
	json_member_bool(json, "resolveProvider", true);
	json_object_end(json);
	json_member_bool(json, "hoverProvider", true);
	json_member_object(json, "codeLensProvider");
	json_member_bool(json, "resolveProvider", false);
	json_object_end(json);
	json_member_object(json, "inlayHintProvider");
	json_member_bool(json, "resolveProvider", false);
	json_object_end(json);
	json_member_object(json, "executeCommandProvider");
	json_member_array(json, "commands");
	for (size_t i = 0; action_commands[i]; i++)
		json_text(json, action_commands[i]);
	json_array_end(json);
	json_object_end(json);
	json_member_object(json, "workspace");
	json_member_object(json, "workspaceFolders");
	json_member_bool(json, "supported", true);
	json_member_bool(json, "changeNotifications", true);
	json_object_end(json);
	json_object_end(json);
	json_object_end(json);
}

static void registration_begin(struct json_writer *json, const char *method)
{
	json_object_begin(json);
	json_member_text(json, "id", method);
	json_member_text(json, "method", method);
	json_member_object(json, "registerOptions");
}

static void registration_end(struct json_writer *json)
{
	json_object_end(json);
	json_object_end(json);
}

void capabilities_register(struct session *session)
{
	static const char *const watched[] = {"**/*.py", "**/{pyproject.toml,vramlint.toml,.vramlint.toml}"};
	struct json_writer *json = &session->wire.json;

	if (!session->client.watches_files && !session->client.registers_settings)
		return;
	wire_request(&session->wire, "client/registerCapability");
	json_object_begin(json);
	json_member_array(json, "registrations");
	if (session->client.registers_settings) {
		registration_begin(json, "workspace/didChangeConfiguration");
		json_member_text(json, "section", "vramlint");
		registration_end(json);
	}
	if (session->client.watches_files) {
		registration_begin(json, "workspace/didChangeWatchedFiles");
		json_member_array(json, "watchers");
		for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
			json_object_begin(json);
			json_member_text(json, "globPattern", watched[i]);
			json_object_end(json);
		}
		json_array_end(json);
		registration_end(json);
	}
	json_array_end(json);
	json_object_end(json);
	wire_send(&session->wire);
}
