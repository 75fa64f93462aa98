#include "lsp/client.h"

/* The first of ours that the client offers: of UTF-8 the text is made. */
static enum position_encoding encoding_of(const cJSON *general)
{
	static const enum position_encoding ours[] = {POSITION_UTF8, POSITION_UTF32, POSITION_UTF16};

	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
		if (field_has(general, "positionEncodings", position_encoding_name(ours[i])))
			return ours[i];
	}
	return POSITION_UTF16;
}

void client_init(struct client *client, const cJSON *params)
{
	const cJSON *all = field(params, "capabilities"), *text = field(all, "textDocument");
	const cJSON *workspace = field(all, "workspace"), *window = field(all, "window");
	const cJSON *options = field(params, "initializationOptions");
	/* A client that pulls but cannot be told to pull again would show stale findings. */
	bool pulls = field(text, "diagnostic") && field_is_true(workspace, "diagnostics.refreshSupport");
	const cJSON *shown = field(text, pulls ? "diagnostic" : "publishDiagnostics");

	*client = (struct client){
		.encoding = encoding_of(field(all, "general")),
		.pulls = pulls,
		.takes_related = field_is_true(shown, "relatedInformation") ||
				 field_is_true(text, "publishDiagnostics.relatedInformation"),
		.takes_tags = field(shown, "tagSupport") || field(text, "publishDiagnostics.tagSupport"),
		.takes_versions = field_is_true(workspace, "workspaceEdit.documentChanges"),
		.takes_literals = field(text, "codeAction.codeActionLiteralSupport") != NULL,
		.resolves_edits = field_has(text, "codeAction.resolveSupport.properties", "edit") &&
				  field_is_true(text, "codeAction.dataSupport"),
		.hover_is_markdown = field_has(text, "hover.contentFormat", "markdown"),
		.watches_files = field_is_true(workspace, "didChangeWatchedFiles.dynamicRegistration"),
		.tells_settings = field_is_true(workspace, "configuration"),
		.registers_settings = field_is_true(workspace, "didChangeConfiguration.dynamicRegistration"),
		.shows_progress = field_is_true(window, "workDoneProgress"),
		.shows_documents = field_is_true(window, "showDocument.support"),
		.refreshes_lenses = field_is_true(workspace, "codeLens.refreshSupport"),
		.refreshes_hints = field_is_true(workspace, "inlayHint.refreshSupport"),
		.asks_for_reason = field_is_true(options, "asksForReason"),
		.shows_findings = field_is_true(options, "showsFindings"),
		.shows_explanations = field_is_true(options, "showsExplanations"),
	};
}
