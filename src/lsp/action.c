#include "lsp/action.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/fix.h"
#include "lsp/check.h"
#include "lsp/diagnostic.h"
#include "lsp/edits.h"
#include "lsp/scan.h"
#include "report/links.h"
#include "rule/rule.h"

#define FIX_ALL "source.fixAll.vramlint"

static const char fix_all_title[] = "Fix all that vramlint can fix safely";
/* In the place of a reason that nobody has given yet. */
static const char no_reason[] = "TODO: say why";

const char *const action_commands[] = {"vramlint.explain", "vramlint.fixAll", "vramlint.suppress", "vramlint.checkWorkspace", NULL};

/* ---- what is asked for ---- */

struct asking {
	struct session *session;
	struct document *document;
	const cJSON *only; /* kinds, or NULL: all */
};

/* Whether actions of KIND are: the client names it, or what it is a part of. */
static bool is_wanted(const struct asking *asking, const char *kind)
{
	const cJSON *item;

	if (!cJSON_IsArray(asking->only) || cJSON_GetArraySize(asking->only) == 0)
		return true;
	cJSON_ArrayForEach(item, asking->only) {
		const char *name = cJSON_GetStringValue(item);
		size_t length = name ? strlen(name) : 0;

		if (name && strncmp(kind, name, length) == 0 && (length == 0 || kind[length] == '\0' || kind[length] == '.'))
			return true;
	}
	return false;
}

static const struct finding *finding_by(const struct document *document, const char *fingerprint)
{
	for (size_t i = 0; fingerprint && document->checked && i < document->result.finding_count; i++) {
		if (strcmp(document->result.findings[i].fingerprint, fingerprint) == 0)
			return &document->result.findings[i];
	}
	return NULL;
}

/* ---- edits ---- */

/* Writes the edit that the comment which suppresses FINDING is; false where there is none. */
static bool suppress_edit(struct session *session, struct document *document, const struct finding *finding, const char *reason)
{
	struct lint_result result;
	bool found = false;

	check_once(session, document, reason, &result);
	for (size_t i = 0; i < result.finding_count && !found; i++) {
		const struct finding *other = &result.findings[i];

		found = strcmp(other->fingerprint, finding->fingerprint) == 0 && other->edit_count > 0;
		if (found)
			edits_add(session, document, other->edits, other->edit_count);
	}
	lint_result_release(&result);
	return found;
}

/* Writes the edit that makes all safe fixes; false where there are none. */
static bool fix_all_edit(struct session *session, struct document *document)
{
	static const struct fix_policy safe = {false};
	struct fix_outcome outcome;
	struct edit_group *groups;
	struct arena arena;
	bool *chosen, found;
	struct edit *edits;
	size_t count;

	if (!document->is_notebook) {
		found = check_fix(session, document, safe, &outcome);
		if (found)
			edits_add_difference(session, document, (struct str){outcome.source.text, outcome.source.length});
		fix_outcome_release(&outcome);
		return found;
	}
	arena_init(&arena);
	found = fix_choose(&document->result, safe, &arena, &groups, &chosen) > 0;
	if (found) {
		edits = edit_order(groups, document->result.finding_count, chosen, &count);
		edits_add(session, document, edits, count);
		free(edits);
	}
	arena_release(&arena);
	return found;
}

/* ---- actions ---- */

static void action_begin(const struct asking *asking, const char *title, const char *kind)
{
	struct json_writer *json = &asking->session->wire.json;

	json_object_begin(json);
	json_member_text(json, "title", title);
	json_member_text(json, "kind", kind);
}

/* What the edit is made of when it is asked for. */
static void data_add(const struct asking *asking, const char *what, const struct finding *finding)
{
	struct json_writer *json = &asking->session->wire.json;

	json_member_object(json, "data");
	json_member_text(json, "uri", asking->document->uri);
	json_member_text(json, "what", what);
	if (finding)
		json_member_text(json, "fingerprint", finding->fingerprint);
	json_object_end(json);
}

/* The diagnostics that the client sent along, as far as they are FINDING's: the action is shown beside them. */
static void diagnostics_add(const struct asking *asking, const cJSON *sent, const struct finding *finding)
{
	struct json_writer *json = &asking->session->wire.json;
	const cJSON *item;

	json_member_array(json, "diagnostics");
	cJSON_ArrayForEach(item, sent) {
		const char *fingerprint = field_text(item, "data.fingerprint");

		if (fingerprint && strcmp(fingerprint, finding->fingerprint) == 0)
			wire_add_value(&asking->session->wire, item);
	}
	json_array_end(json);
}

/* TEXT without the blanks around it. */
static struct str trimmed(struct str text)
{
	while (text.length && isspace((unsigned char)text.at[0]))
		text = (struct str){text.at + 1, text.length - 1};
	while (text.length && isspace((unsigned char)text.at[text.length - 1]))
		text.length--;
	return text;
}

/* "Write 'losses.append(loss.detach())' (VL101)", "Delete '# noqa: VL101' (VL001)"; where it is more than a line "Fix VL302
 * eval-no-grad". */
static void fix_title(struct buf *title, const struct document *document, const struct finding *finding)
{
	enum { LONGEST = 60 };
	const struct edit *edit = &finding->edits[0];
	const struct source *source = &document->source;
	struct str line = source_line_written(source, source_line(source, edit->span.start));
	uint32_t start = source->line_starts[source_line(source, edit->span.start) - 1];
	struct str gone = trimmed(source_slice(source, edit->span)), left;
	bool deletes = !*edit->text && str_starts(gone, "#") && str_find(gone, STR("\n"), 0) == SIZE_MAX;
	struct buf after = BUF_INIT;

	if (finding->edit_count == 1 && edit->span.end <= start + line.length && !strpbrk(edit->text, "\r\n")) {
		buf_add(&after, line.at, edit->span.start - start);
		buf_add_text(&after, edit->text);
		buf_add(&after, line.at + (edit->span.end - start), line.length - (edit->span.end - start));
	}
	left = deletes && finding->edit_count == 1 ? gone : trimmed(buf_get(&after));
	if (left.length && left.length <= LONGEST)
		buf_format(title, "%s '%.*s' (%s)", deletes ? "Delete" : "Write", STR_ARG(left), finding->rule->code);
	else
		buf_format(title, "Fix %s %s", finding->rule->code, finding->rule->name);
	if (!finding->fix_is_safe)
		buf_add_text(title, " – may change what the code does");
	buf_release(&after);
}

static void fix_add(const struct asking *asking, const cJSON *sent, const struct finding *finding)
{
	struct json_writer *json = &asking->session->wire.json;
	struct buf title = BUF_INIT;

	if (!finding->edit_count)
		return;
	fix_title(&title, asking->document, finding);
	action_begin(asking, buf_text(&title), "quickfix");
	diagnostics_add(asking, sent, finding);
	if (finding->fix_is_safe)
		json_member_bool(json, "isPreferred", true);
	json_key(json, "edit");
	edits_add(asking->session, asking->document, finding->edits, finding->edit_count);
	json_object_end(json);
	buf_release(&title);
}

static void command_add(const struct asking *asking, const char *title, const char *command)
{
	struct json_writer *json = &asking->session->wire.json;

	json_member_object(json, "command");
	json_member_text(json, "title", title);
	json_member_text(json, "command", command);
	json_member_array(json, "arguments");
}

static void command_end(const struct asking *asking)
{
	json_array_end(&asking->session->wire.json);
	json_object_end(&asking->session->wire.json);
}

static void suppress_add(const struct asking *asking, const cJSON *sent, const struct finding *finding)
{
	struct session *session = asking->session;
	struct json_writer *json = &session->wire.json;
	bool asks = session->client.asks_for_reason;
	struct buf title = BUF_INIT;

	if (rule_asks_for(finding->rule, "event", "suppression"))
		return;
	buf_format(&title, "Suppress %s on this line%s", finding->rule->code, asks ? "…" : "");
	action_begin(asking, buf_text(&title), "quickfix");
	diagnostics_add(asking, sent, finding);
	if (asks) {
		command_add(asking, buf_text(&title), "vramlint.suppress");
		json_object_begin(json);
		json_member_text(json, "uri", asking->document->uri);
		json_member_text(json, "fingerprint", finding->fingerprint);
		json_member_text(json, "code", finding->rule->code);
		json_object_end(json);
		command_end(asking);
	} else if (session->client.resolves_edits) {
		data_add(asking, "suppress", finding);
	} else {
		json_key(json, "edit");
		if (!suppress_edit(session, asking->document, finding, no_reason))
			edits_add(session, asking->document, NULL, 0);
	}
	json_object_end(json);
	buf_release(&title);
}

static void explain_add(const struct asking *asking, const cJSON *sent, const struct finding *finding)
{
	struct buf title = BUF_INIT;

	buf_format(&title, "Explain %s %s", finding->rule->code, finding->rule->name);
	action_begin(asking, buf_text(&title), "quickfix");
	diagnostics_add(asking, sent, finding);
	command_add(asking, buf_text(&title), "vramlint.explain");
	json_text(&asking->session->wire.json, finding->rule->code);
	command_end(asking);
	json_object_end(&asking->session->wire.json);
	buf_release(&title);
}

static void fix_all_add(const struct asking *asking)
{
	struct json_writer *json = &asking->session->wire.json;
	const struct lint_result *result = &asking->document->result;
	bool any = false;

	for (size_t i = 0; i < result->finding_count; i++)
		any |= fix_is_wanted((struct fix_policy){false}, &result->findings[i]);
	if (!any)
		return;
	action_begin(asking, fix_all_title, FIX_ALL);
	if (asking->session->client.resolves_edits) {
		data_add(asking, "fixAll", NULL);
	} else {
		json_key(json, "edit");
		if (!fix_all_edit(asking->session, asking->document))
			edits_add(asking->session, asking->document, NULL, 0);
	}
	json_object_end(json);
}

/* The findings of PART that stand, at least in part, between FROM and TO. */
typedef VEC(const struct finding *) finding_list;

static finding_list findings_at(const struct document *document, const struct document_part *part, uint32_t from, uint32_t to)
{
	finding_list list = {NULL, 0, 0};

	for (size_t i = 0; i < document->result.finding_count; i++) {
		const struct finding *finding = &document->result.findings[i];

		if (finding->at.span.start <= to && finding->at.span.end >= from &&
		    document_part_at(document, &document->source, finding->at.span.start) == part)
			VEC_ADD(&list, finding);
	}
	return list;
}

/* Whether one before INDEX is of the same rule (and begins on the same line, where LINE): a menu need not
 * offer the same twice. */
static bool is_repeated(const finding_list *list, size_t index, bool line)
{
	const struct finding *finding = list->items[index];

	for (size_t i = 0; i < index; i++) {
		if (list->items[i]->rule == finding->rule && (!line || list->items[i]->at.start.line == finding->at.start.line))
			return true;
	}
	return false;
}

static void quick_fixes_add(const struct asking *asking, const cJSON *sent, const finding_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		fix_add(asking, sent, list->items[i]);
		if (!is_repeated(list, i, true))
			suppress_add(asking, sent, list->items[i]);
		if (!is_repeated(list, i, false))
			explain_add(asking, sent, list->items[i]);
	}
}

void action_answer(struct session *session, const struct message *message)
{
	struct json_writer *json = &session->wire.json;
	const cJSON *sent = field(message->params, "context.diagnostics");
	struct document_part *part;
	struct asking asking = {session, documents_find(&session->documents, field_text(message->params, "textDocument.uri"), &part),
				field(message->params, "context.only")};
	struct position from, to;
	finding_list list;
	uint32_t start, end;
	bool ok = part && session->client.takes_literals && check_document(session, asking.document) &&
		  position_read(field(message->params, "range.start"), &from) &&
		  position_read(field(message->params, "range.end"), &to);

	wire_answer(&session->wire, message->id);
	json_array_begin(json);
	if (ok) {
		const struct document *document = asking.document;
		enum position_encoding encoding = session->client.encoding;

		start = document_offset(document, part, &document->source, encoding, from);
		end = document_offset(document, part, &document->source, encoding, to);
		list = findings_at(document, part, start, end);
		if (is_wanted(&asking, "quickfix"))
			quick_fixes_add(&asking, sent, &list);
		VEC_RELEASE(&list);
		if (is_wanted(&asking, FIX_ALL))
			fix_all_add(&asking);
	}
	json_array_end(json);
	wire_send(&session->wire);
}

void action_resolve(struct session *session, const struct message *message)
{
	struct json_writer *json = &session->wire.json;
	const char *what = field_text(message->params, "data.what");
	struct document *document = documents_find(&session->documents, field_text(message->params, "data.uri"), NULL);
	const struct finding *finding;
	const cJSON *member;

	if (!document || !what || !check_document(session, document)) {
		wire_fail(&session->wire, message->id, WIRE_FAILED, "the document is not what it was; ask for its actions again");
		return;
	}
	finding = finding_by(document, field_text(message->params, "data.fingerprint"));
	wire_answer(&session->wire, message->id);
	json_object_begin(json);
	cJSON_ArrayForEach(member, message->params) {
		if (strcmp(member->string, "edit") == 0)
			continue;
		json_key(json, member->string);
		wire_add_value(&session->wire, member);
	}
	json_key(json, "edit");
	if (!(finding && strcmp(what, "suppress") == 0 && suppress_edit(session, document, finding, no_reason)) &&
	    !(strcmp(what, "fixAll") == 0 && fix_all_edit(session, document)))
		edits_add(session, document, NULL, 0);
	json_object_end(json);
	wire_send(&session->wire);
}

/* ---- commands ---- */

/* Asks the client to suppress FINDING of DOCUMENT for REASON or, where it is NULL, to make all safe fixes; nothing where
 * there are none. The command is answered after that: lsp-mode of Emacs loses what comes behind an answer it waits for. */
static void apply(struct session *session, const char *label, struct document *document, const struct finding *finding,
		  const char *reason)
{
	struct json_writer *json = &session->wire.json;
	bool found;

	wire_request(&session->wire, "workspace/applyEdit");
	json_object_begin(json);
	json_member_text(json, "label", label);
	json_key(json, "edit");
	found = finding ? suppress_edit(session, document, finding, reason) : fix_all_edit(session, document);
	json_object_end(json);
	if (found)
		wire_send(&session->wire);
}

static void answer_null(struct session *session, const struct message *message)
{
	wire_answer(&session->wire, message->id);
	json_text(&session->wire.json, NULL);
	wire_send(&session->wire);
}

static void run_fix_all(struct session *session, const struct message *message, const cJSON *argument)
{
	struct document *document = documents_find(&session->documents, cJSON_GetStringValue(argument), NULL);

	if (!document) {
		wire_fail(&session->wire, message->id, WIRE_INVALID_PARAMS, "'vramlint.fixAll' takes the address of an open document");
		return;
	}
	if (check_document(session, document))
		apply(session, fix_all_title, document, NULL, NULL);
	answer_null(session, message);
}

/* REASON as one line that may stand in a comment. */
static const char *one_line(struct arena *arena, const char *reason)
{
	char *copy = arena_dup(arena, reason);

	for (char *c = copy; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	}
	return copy;
}

static void run_suppress(struct session *session, const struct message *message, const cJSON *argument)
{
	struct document *document = documents_find(&session->documents, field_text(argument, "uri"), NULL);
	const char *reason = field_text(argument, "reason");
	const struct finding *finding = NULL;
	struct arena arena;

	if (document && check_document(session, document))
		finding = finding_by(document, field_text(argument, "fingerprint"));
	if (!finding) {
		wire_fail(&session->wire, message->id, WIRE_INVALID_PARAMS, "there is no such finding any more");
		return;
	}
	arena_init(&arena);
	apply(session, "suppress a finding", document, finding, reason ? one_line(&arena, reason) : no_reason);
	arena_release(&arena);
	answer_null(session, message);
}

/* The rule of any of the open folders that NAME names. */
static const struct rule *rule_named(struct session *session, const char *name, const char **link)
{
	for (size_t i = session->workspace.roots.count; name && i-- > 0;) {
		struct root *root = session->workspace.roots.items[i];
		const struct settings *settings = config_for_folder(workspace_config(&session->workspace, root), root->path);
		const struct rule *rule = rule_set_find(settings->rules, str_from(name));
		const char *const *links = rule ? workspace_links(root, settings) : NULL;

		*link = links ? links[rule->index] : NULL;
		if (rule)
			return rule;
	}
	return NULL;
}

/* For clients that make nothing of the answer: opens the document, or says in a sentence what the rule is about. */
static void show_rule(struct session *session, const struct rule *rule, const char *link)
{
	struct json_writer *json = &session->wire.json;
	struct buf text = BUF_INIT;

	if (link && session->client.shows_documents) {
		wire_request(&session->wire, "window/showDocument");
		json_object_begin(json);
		json_member_text(json, "uri", link);
		json_member_bool(json, "takeFocus", true);
		json_object_end(json);
		wire_send(&session->wire);
		return;
	}
	buf_format(&text, "%s %s: %s; 'vramlint explain %s' says more", rule->code, rule->name, rule->summary, rule->code);
	session_show(session, SESSION_INFO, buf_text(&text));
	buf_release(&text);
}

static void run_explain(struct session *session, const struct message *message, const cJSON *argument)
{
	struct json_writer *json = &session->wire.json;
	const char *link = NULL;
	const struct rule *rule = rule_named(session, cJSON_GetStringValue(argument), &link);

	if (!rule) {
		wire_fail(&session->wire, message->id, WIRE_INVALID_PARAMS, "'vramlint.explain' takes the code or name of a rule");
		return;
	}
	wire_answer(&session->wire, message->id);
	json_object_begin(json);
	json_member_text(json, "code", rule->code);
	json_member_text(json, "name", rule->name);
	json_member_text(json, "markdown", rule->document);
	json_object_end(json);
	wire_send(&session->wire);
	if (!session->client.shows_explanations)
		show_rule(session, rule, link);
}

void action_execute(struct session *session, const struct message *message)
{
	const char *command = field_text(message->params, "command");
	const cJSON *argument = cJSON_GetArrayItem(field(message->params, "arguments"), 0);

	if (command && strcmp(command, "vramlint.explain") == 0) {
		run_explain(session, message, argument);
	} else if (command && strcmp(command, "vramlint.fixAll") == 0) {
		run_fix_all(session, message, argument);
	} else if (command && strcmp(command, "vramlint.suppress") == 0) {
		run_suppress(session, message, argument);
	} else if (command && strcmp(command, "vramlint.checkWorkspace") == 0) {
		answer_null(session, message);
		scan_begin(session);
	} else {
		wire_fail(&session->wire, message->id, WIRE_INVALID_PARAMS, "there is no such command");
	}
}
