/* SARIF 2.1.0, as GitHub's code scanning takes it. Sources: docs.oasis-open.org, "Static Analysis Results Interchange
 * Format (SARIF) Version 2.1.0"; docs.github.com, "SARIF support for code scanning". */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "report/formats.h"
#include "report/place.h"
#include "report/ranking.h"
#include "report/region.h"
#include "report/sarif_rules.h"
#include "report/words.h"
#include "rule/rule.h"
#include "text/json_writer.h"
#include "text/line_hash.h"

/* GitHub keeps so many results of a run and refuses files of more than 25,000. */
enum { RESULTS_SHOWN = 5000 };
#define ROOT "%SRCROOT%"
static const struct region nowhere = {0, 0, 0, 0};

struct sarif {
	struct arena arena;     /* of the results, as text */
	struct ranking ranking; /* of struct str */
	struct buf notification_text;
	struct json_writer notifications;
};

/* One file while its results are written. */
struct subject {
	const struct report *report;
	const struct run_file *file;
	struct line_hash *hashes; /* or NULL */
	const char *uri;
};

static void sarif_begin(struct report *report)
{
	struct sarif *sarif = report->state = mem_new(1, sizeof *sarif);

	json_writer_init(&sarif->notifications, &sarif->notification_text);
}

static void write_message(struct json_writer *writer, const char *key, const char *text)
{
	json_member_object(writer, key);
	json_member_text(writer, "text", text);
	json_object_end(writer);
}

static void write_region(struct json_writer *writer, const char *key, struct region region)
{
	json_member_object(writer, key);
	json_member_int(writer, "startLine", region.line);
	json_member_int(writer, "startColumn", region.column);
	json_member_int(writer, "endLine", region.end_line);
	json_member_int(writer, "endColumn", region.end_column);
	json_object_end(writer);
}

static void write_artifact(struct json_writer *writer, const char *uri)
{
	struct buf absolute = BUF_INIT;

	if (uri[0] == '/')
		buf_format(&absolute, "file://%s", uri);
	json_member_object(writer, "artifactLocation");
	json_member_text(writer, "uri", absolute.length ? buf_text(&absolute) : uri);
	if (!absolute.length && strncmp(uri, "../", 3) != 0)
		json_member_text(writer, "uriBaseId", ROOT);
	json_object_end(writer);
	buf_release(&absolute);
}

/* REGION may be all zeros: the file as a whole. */
static void write_physical(struct json_writer *writer, const char *uri, struct region region)
{
	json_member_object(writer, "physicalLocation");
	write_artifact(writer, uri);
	if (region.line)
		write_region(writer, "region", region);
	json_object_end(writer);
}

/* ---- the message, with its words linked to the places they speak of ---- */

/* TEXT of a message, where "[" begins a link (SARIF, 3.11.6). */
static void add_linkless(struct buf *out, struct str text)
{
	bool needs_escape = str_find(text, STR("]("), 0) != SIZE_MAX;

	for (size_t i = 0; i < text.length; i++) {
		if (needs_escape && strchr("[]\\", text.at[i]) && text.at[i])
			buf_add_char(out, '\\');
		buf_add_char(out, text.at[i]);
	}
}

static void add_link(struct buf *out, struct str words, size_t id)
{
	buf_add_char(out, '[');
	for (size_t i = 0; i < words.length; i++) {
		if (words.at[i] == '[' || words.at[i] == ']' || words.at[i] == '\\')
			buf_add_char(out, '\\');
		buf_add_char(out, words.at[i]);
	}
	buf_format(out, "](%zu)", id);
}

/* "the loop at line 78" or "the loop over 'step' (line 78)" in MESSAGE for the line of NOTE, or SIZE_MAX; its length goes to
 * *LENGTH. */
static size_t loop_find(struct str message, const struct finding_note *note, size_t *length)
{
	enum { NAME_LIMIT = 80 };
	struct buf line = BUF_INIT;
	size_t start, end;

	buf_format(&line, "line %lu", (unsigned long)note->at.start.line);
	start = str_find(message, STR("the loop "), 0);
	end = start == SIZE_MAX ? SIZE_MAX : str_find(message, buf_get(&line), start);
	if (end == SIZE_MAX || end - start > NAME_LIMIT) {
		buf_release(&line);
		return SIZE_MAX;
	}
	end += line.length;
	buf_release(&line);
	if (end < message.length && isdigit((unsigned char)message.at[end]))
		return SIZE_MAX; /* the beginning of another number */
	end += end < message.length && message.at[end] == ')';
	*length = end - start;
	return start;
}

/* The words of MESSAGE that NOTE speaks of, from offset FROM on: the loop at its line or, where it is none of a loop, the
 * name in quotes that it begins with. Empty where there are none. */
static struct str linked_words(struct str message, size_t from, const struct finding_note *note)
{
	struct str text = str_from(note->text);
	size_t length, end;
	size_t at = loop_find(message, note, &length);

	if (at == SIZE_MAX) {
		end = text.length > 1 && text.at[0] == '\'' ? str_find(text, STR("'"), 1) : SIZE_MAX;
		if (end == SIZE_MAX || end == 1)
			return STR("");
		length = end + 1;
		at = str_find(message, (struct str){text.at, length}, from);
	}
	return at == SIZE_MAX || at < from ? STR("") : (struct str){message.at + at, length};
}

/* The first link in MESSAGE from FROM on, and the number of its note. */
static struct str next_link(const struct finding *finding, struct str message, size_t from, size_t *id)
{
	struct str first = STR("");

	for (size_t i = 0; i < finding->note_count; i++) {
		struct str words = linked_words(message, from, &finding->notes[i]);

		if (words.length > 0 && (first.length == 0 || words.at < first.at)) {
			first = words;
			*id = i + 1;
		}
	}
	return first;
}

static void write_linked_message(struct json_writer *writer, const struct finding *finding)
{
	struct buf words = BUF_INIT;
	struct buf text = BUF_INIT;
	struct str message;
	size_t from = 0;
	size_t id = 0;

	words_add(&words, finding, " ");
	if (finding->verdict)
		buf_format(&words, " In the run: %s; %s.", finding->verdict->name, finding->verdict->words);
	message = buf_get(&words);
	for (struct str link; (link = next_link(finding, message, from, &id)).length > 0;) {
		size_t start = (size_t)(link.at - message.at);

		add_linkless(&text, (struct str){message.at + from, start - from});
		add_link(&text, link, id);
		from = start + link.length;
	}
	add_linkless(&text, (struct str){message.at + from, message.length - from});
	write_message(writer, "message", buf_text(&text));
	buf_release(&text);
	buf_release(&words);
}

/* ---- a result ---- */

/* What is said of a place beside the message. */
static void write_words(struct json_writer *writer, const struct excerpt *at, const char *words)
{
	struct buf text = BUF_INIT;
	struct buf plain = BUF_INIT;

	place_add_cell(&plain, at);
	buf_add_text(&plain, words);
	add_linkless(&text, buf_get(&plain));
	write_message(writer, "message", buf_text(&text));
	buf_release(&plain);
	buf_release(&text);
}

static void write_primary(struct json_writer *writer, const struct subject *subject, const struct finding *finding)
{
	json_member_array(writer, "locations");
	json_object_begin(writer);
	/* One line: GitHub shows a result in a change only where the change has each line of its region. */
	write_physical(writer, subject->uri, region_of_first_line(&finding->at, subject->file->source, COLUMN_UTF16));
	if (finding->scope && *finding->scope) {
		json_member_array(writer, "logicalLocations");
		json_object_begin(writer);
		json_member_text(writer, "fullyQualifiedName", finding->scope);
		json_object_end(writer);
		json_array_end(writer);
	}
	json_object_end(writer);
	json_array_end(writer);
}

static void write_related(struct json_writer *writer, const struct subject *subject, const struct finding *finding)
{
	json_member_array(writer, "relatedLocations");
	for (size_t i = 0; i < finding->note_count; i++) {
		const struct excerpt *at = &finding->notes[i].at;

		json_object_begin(writer);
		json_member_int(writer, "id", (int64_t)i + 1);
		write_physical(writer, subject->uri, region_of(at, subject->file->source, COLUMN_UTF16));
		write_words(writer, at, finding->notes[i].text);
		json_object_end(writer);
	}
	json_array_end(writer);
}

static void write_step(struct json_writer *writer, const struct subject *subject, const struct excerpt *at,
		       const char *text)
{
	json_object_begin(writer);
	json_member_object(writer, "location");
	write_physical(writer, subject->uri, region_of(at, subject->file->source, COLUMN_UTF16));
	write_words(writer, at, text);
	json_object_end(writer);
	json_object_end(writer);
}

/* The trail, and at its end what it led to. */
static void write_flow(struct json_writer *writer, const struct subject *subject, const struct finding *finding)
{
	json_member_array(writer, "codeFlows");
	json_object_begin(writer);
	json_member_array(writer, "threadFlows");
	json_object_begin(writer);
	json_member_array(writer, "locations");
	for (size_t i = 0; i < finding->note_count; i++)
		write_step(writer, subject, &finding->notes[i].at, finding->notes[i].text);
	write_step(writer, subject, &finding->at, finding->message);
	json_array_end(writer);
	json_object_end(writer);
	json_array_end(writer);
	json_object_end(writer);
	json_array_end(writer);
}

static void write_fix(struct json_writer *writer, const struct subject *subject, const struct finding *finding)
{
	const struct source *source = subject->file->source;

	json_member_array(writer, "fixes");
	json_object_begin(writer);
	write_message(writer, "description", finding->help ? finding->help : "the change that removes it");
	json_member_array(writer, "artifactChanges");
	json_object_begin(writer);
	write_artifact(writer, subject->uri);
	json_member_array(writer, "replacements");
	for (size_t i = 0; i < finding->edit_count; i++) {
		json_object_begin(writer);
		write_region(writer, "deletedRegion", region_of_span(source, finding->edits[i].span, COLUMN_UTF16));
		write_message(writer, "insertedContent", finding->edits[i].text);
		json_object_end(writer);
	}
	json_array_end(writer);
	json_object_end(writer);
	json_array_end(writer);
	json_object_end(writer);
	json_array_end(writer);
}

static void write_fingerprints(struct json_writer *writer, const struct subject *subject, const struct finding *finding)
{
	json_member_object(writer, "partialFingerprints");
	if (subject->hashes && !finding->at.cell) {
		const struct line_hash *hash = &subject->hashes[finding->at.start.line - 1];
		struct buf text = BUF_INIT;

		buf_format(&text, "%" PRIx64 ":%lu", hash->hash, (unsigned long)hash->count);
		json_member_text(writer, "primaryLocationLineHash", buf_text(&text));
		buf_release(&text);
	}
	if (finding->fingerprint)
		json_member_text(writer, "vramlint/v1", finding->fingerprint);
	json_object_end(writer);
}

/* What a run has shown, as properties of our own. */
static void write_verdict(struct json_writer *writer, const struct finding_verdict *verdict)
{
	json_member_object(writer, "vramlintConfirm");
	json_member_text(writer, "verdict", verdict->name);
	json_member_text(writer, "reason", verdict->words);
	if (verdict->holder) {
		json_member_text(writer, "holder", verdict->holder);
		json_member_int(writer, "tensorBytesPerStep", (int64_t)verdict->tensor_bytes);
		json_member_int(writer, "graphNodesPerStep", (int64_t)verdict->nodes);
	}
	if (verdict->host_bytes >= 0)
		json_member_int(writer, "hostBytesPerStep", (int64_t)verdict->host_bytes);
	json_object_end(writer);
}

static void write_properties(struct json_writer *writer, const struct finding *finding)
{
	json_member_object(writer, "properties");
	json_member_text(writer, "cost", cost_name(finding->cost));
	json_member_text(writer, "proof", proof_name(finding->proof));
	if (finding->at.cell) {
		json_member_int(writer, "cell", finding->at.cell);
		json_member_int(writer, "cellLine", finding->at.start.line);
	}
	if (finding->edit_count > 0)
		json_member_text(writer, "fixSafety", finding->fix_is_safe ? "safe" : "unsafe");
	if (finding->verdict)
		write_verdict(writer, finding->verdict);
	json_object_end(writer);
}

/* Of what is suppressed by SUPPRESSED, or of what is not where that is NULL. In a run where any result has suppressions
 * all have (SARIF, 3.27.23). */
static void write_state(struct json_writer *writer, const struct report_options *options,
			const struct lint_suppressed *suppressed)
{
	bool is_listed = suppressed && suppressed->kind == SUPPRESSED_BY_BASELINE;

	if (options->has_baseline && (!suppressed || is_listed))
		json_member_text(writer, "baselineState", suppressed ? "unchanged" : "new");
	if (!options->shows_suppressed)
		return;
	json_member_array(writer, "suppressions");
	if (suppressed) {
		json_object_begin(writer);
		json_member_text(writer, "kind", is_listed ? "external" : "inSource");
		json_member_text(writer, "status", "accepted");
		if (suppressed->reason && *suppressed->reason)
			json_member_text(writer, "justification", suppressed->reason);
		json_object_end(writer);
	}
	json_array_end(writer);
}

/* What a run did not show is no failure, and has no level then (SARIF, 3.27.9 and 3.27.10). */
static void write_level(struct json_writer *writer, const struct finding *finding)
{
	if (finding->verdict && finding->verdict->truth != FINDING_HAPPENS) {
		json_member_text(writer, "kind", finding->verdict->truth == FINDING_DOES_NOT ? "pass" : "open");
		json_member_text(writer, "level", "none");
		return;
	}
	json_member_text(writer, "level", sarif_level(finding->severity));
}

/* SUPPRESSED: what suppresses it, or NULL. */
static void write_result(struct json_writer *writer, const struct subject *subject, const struct finding *finding,
			 const struct lint_suppressed *suppressed)
{
	const struct report_options *options = &subject->report->options;
	int index;

	json_object_begin(writer);
	json_member_text(writer, "ruleId", finding->rule->code);
	if (options->rules && (index = sarif_rule_index(options, finding->rule)) >= 0)
		json_member_int(writer, "ruleIndex", index);
	write_level(writer, finding);
	write_linked_message(writer, finding);
	write_primary(writer, subject, finding);
	if (finding->note_count > 0) {
		write_related(writer, subject, finding);
		write_flow(writer, subject, finding);
	}
	if (finding->edit_count > 0 && subject->file->source && !finding->at.cell && !suppressed)
		write_fix(writer, subject, finding);
	write_fingerprints(writer, subject, finding);
	write_state(writer, options, suppressed);
	json_member_int(writer, "rank", ranking_confidence(finding->proof));
	write_properties(writer, finding);
	json_object_end(writer);
}

/* ---- what went wrong ---- */

/* Of REGION in URI; of the whole file where that is all zeros, of nothing in particular where URI is NULL. */
static void write_notification(struct sarif *sarif, const char *level, const char *text, const char *uri,
			       struct region region)
{
	struct json_writer *writer = &sarif->notifications;

	json_object_begin(writer);
	json_member_text(writer, "level", level);
	write_message(writer, "message", text);
	if (uri) {
		json_member_array(writer, "locations");
		json_object_begin(writer);
		write_physical(writer, uri, region);
		json_object_end(writer);
		json_array_end(writer);
	}
	json_object_end(writer);
}

static void write_problem(struct sarif *sarif, const struct subject *subject, const struct lint_problem *problem)
{
	struct region region = nowhere;
	struct buf text = BUF_INIT;

	if (problem->at.start.line && problem->at.line_text)
		region = region_of_first_line(&problem->at, subject->file->source, COLUMN_UTF16);
	place_add_cell(&text, &problem->at);
	buf_add_text(&text, problem->text);
	write_notification(sarif, "warning", buf_text(&text), subject->uri, region);
	buf_release(&text);
}

static void sarif_failure(struct report *report, const char *text)
{
	write_notification(report->state, "error", text, NULL, nowhere);
}

/* ---- a file ---- */

static void keep_result(struct sarif *sarif, const struct subject *subject, const struct finding *finding,
			const struct lint_suppressed *suppressed, struct buf *scratch)
{
	struct str *text = ARENA_NEW(&sarif->arena, struct str);
	struct json_writer writer;

	buf_reset(scratch);
	json_writer_init(&writer, scratch);
	write_result(&writer, subject, finding, suppressed);
	*text = arena_dup_str(&sarif->arena, buf_get(scratch));
	ranking_add(&sarif->ranking, finding, text);
	if (suppressed)
		sarif->ranking.items[sarif->ranking.count - 1].importance = 0; /* the first to go */
}

static void keep_results(struct sarif *sarif, struct subject *subject)
{
	const struct lint_result *result = subject->file->result;
	const struct source *source = subject->file->source;
	size_t suppressed = subject->report->options.shows_suppressed ? result->suppressed_count : 0;
	struct line_hash *hashes = NULL;
	struct buf scratch = BUF_INIT;

	if (source && result->finding_count + suppressed > 0) {
		hashes = mem_new(source->line_count, sizeof *hashes);
		subject->hashes = line_hashes_get(source, hashes) ? hashes : NULL;
	}
	for (size_t i = 0; i < result->finding_count; i++)
		keep_result(sarif, subject, &result->findings[i], NULL, &scratch);
	for (size_t i = 0; i < suppressed; i++)
		keep_result(sarif, subject, &result->suppressed[i].finding, &result->suppressed[i], &scratch);
	for (size_t i = 0; i < result->problem_count; i++)
		write_problem(sarif, subject, &result->problems[i]);
	buf_release(&scratch);
	free(hashes);
}

static void sarif_file(struct report *report, const struct run_file *file)
{
	struct subject subject = {report, file, NULL, NULL};
	struct buf path = BUF_INIT;
	struct buf uri = BUF_INIT;

	place_add_path(&path, report->options.host, file->path);
	place_add_uri(&uri, buf_get(&path));
	subject.uri = buf_text(&uri);
	if (file->error)
		write_notification(report->state, "error", file->error, subject.uri, nowhere);
	if (file->result)
		keep_results(report->state, &subject);
	buf_release(&uri);
	buf_release(&path);
}

/* ---- the run ---- */

static void write_folder(struct json_writer *writer, const char *key, const char *folder)
{
	struct buf uri = BUF_INIT;

	buf_add_text(&uri, "file://");
	place_add_uri(&uri, str_from(folder));
	if (uri.bytes[uri.length - 1] != '/')
		buf_add_char(&uri, '/');
	json_member_object(writer, key);
	json_member_text(writer, "uri", buf_text(&uri));
	json_object_end(writer);
	buf_release(&uri);
}

static void write_root(struct json_writer *writer, const struct report_host *host)
{
	const char *root = host && host->root ? host->root : host ? host->folder : NULL;

	if (!root)
		return;
	json_member_object(writer, "originalUriBaseIds");
	write_folder(writer, ROOT, root);
	json_object_end(writer);
}

static void write_provenance(struct json_writer *writer, const struct report_host *host)
{
	if (!host || !host->repository)
		return;
	json_member_array(writer, "versionControlProvenance");
	json_object_begin(writer);
	json_member_text(writer, "repositoryUri", host->repository);
	if (host->revision)
		json_member_text(writer, "revisionId", host->revision);
	if (host->branch)
		json_member_text(writer, "branch", host->branch);
	json_member_object(writer, "mappedTo");
	json_member_text(writer, "uriBaseId", ROOT);
	json_object_end(writer);
	json_object_end(writer);
	json_array_end(writer);
}

/* Several runs for one commit, such as one for each part of a repository, replace each other unless their names differ. */
static void write_category(struct json_writer *writer, const char *category)
{
	struct buf id = BUF_INIT;

	if (!category || !*category)
		return;
	buf_format(&id, "vramlint/%s/", category);
	json_member_object(writer, "automationDetails");
	json_member_text(writer, "id", buf_text(&id));
	json_object_end(writer);
	buf_release(&id);
}

static void write_invocation(struct json_writer *writer, const struct report *report, const struct report_totals *totals)
{
	const struct report_host *host = report->options.host;
	const struct sarif *sarif = report->state;

	json_member_array(writer, "invocations");
	json_object_begin(writer);
	json_member_bool(writer, "executionSuccessful", totals->failed == 0 && totals->files > 0);
	if (host && host->folder)
		write_folder(writer, "workingDirectory", host->folder);
	json_member_array(writer, "toolExecutionNotifications");
	buf_add_str(writer->out, buf_get(&sarif->notification_text));
	json_array_end(writer);
	json_object_end(writer);
	json_array_end(writer);
}

static void cap_results(struct report *report)
{
	struct sarif *sarif = report->state;
	size_t all = sarif->ranking.count;
	size_t dropped = ranking_cap(&sarif->ranking, RESULTS_SHOWN);
	struct buf text = BUF_INIT;

	if (dropped == 0)
		return;
	buf_format(&text,
		   "the SARIF report leaves out the %zu least important of %zu findings: GitHub shows no more than %d",
		   dropped, all, RESULTS_SHOWN);
	write_notification(sarif, "warning", buf_text(&text), NULL, nowhere);
	buf_format(&report->remarks, "%s\n", buf_text(&text));
	buf_release(&text);
}

static void sarif_end(struct report *report, const struct report_totals *totals)
{
	const struct sarif *sarif = report->state;
	struct json_writer writer;

	cap_results(report);
	json_writer_init(&writer, &report->out);
	json_object_begin(&writer);
	json_member_text(&writer, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_member_text(&writer, "version", "2.1.0");
	json_member_array(&writer, "runs");
	json_object_begin(&writer);
	sarif_write_tool(&writer, &report->options);
	json_member_text(&writer, "columnKind", "utf16CodeUnits");
	write_category(&writer, report->options.category);
	write_root(&writer, report->options.host);
	write_provenance(&writer, report->options.host);
	write_invocation(&writer, report, totals);
	json_member_array(&writer, "results");
	for (size_t i = 0; i < sarif->ranking.count; i++) {
		if (i > 0)
			buf_add_char(&report->out, ',');
		buf_add_str(&report->out, *(const struct str *)sarif->ranking.items[i].item);
	}
	json_array_end(&writer);
	json_object_end(&writer);
	json_array_end(&writer);
	json_object_end(&writer);
	buf_add_char(&report->out, '\n');
}

static void sarif_release(struct report *report)
{
	struct sarif *sarif = report->state;

	ranking_release(&sarif->ranking);
	buf_release(&sarif->notification_text);
	arena_release(&sarif->arena);
	free(sarif);
}

const struct report_format report_sarif = {
	.name = "sarif",
	.summary = "SARIF 2.1.0, for code scanning of GitHub and others",
	.for_programs = true,
	.begin = sarif_begin,
	.file = sarif_file,
	.failure = sarif_failure,
	.end = sarif_end,
	.release = sarif_release,
};
