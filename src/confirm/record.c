#include "confirm/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "text/json_field.h"

/* ---- writing ---- */

static void finding_add(struct json_writer *json, size_t id, const struct predicted *finding)
{
	json_object_begin(json);
	json_member_int(json, "id", (int64_t)id);
	json_member_text(json, "path", finding->path);
	json_member_int(json, "line", finding->line);
	json_member_int(json, "end_line", finding->end_line);
	json_member_text(json, "code", finding->code);
	json_member_text(json, "name", finding->name);
	json_member_text(json, "cost", cost_name(finding->cost));
	json_member_text(json, "severity", severity_name(finding->severity));
	json_member_text(json, "shown", finding->shown);
	json_member_int(json, "column", finding->column);
	json_member_text(json, "message", finding->message);
	json_object_end(json);
}

void record_findings(struct json_writer *json, const struct predicted *findings, size_t count)
{
	json_member_array(json, "findings");
	for (size_t i = 0; i < count; i++)
		finding_add(json, i, &findings[i]);
	json_array_end(json);
}

void record_begin(struct buf *out, const struct confirm_request *request, const char *command)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object_begin(&json);
	json_member_text(&json, "ev", "request");
	json_member_text(&json, "schema", "confirm/1");
	json_member_text(&json, "command", command);
	json_member_int(&json, "steps", request->steps);
	record_findings(&json, request->findings, request->finding_count);
	json_object_end(&json);
	buf_add_char(out, '\n');
}

/* ---- reading ---- */

/* Numbers of the processes by the order in which they first spoke: a record has their lines mixed. */
struct speakers {
	VEC(int64_t) processes;
};

/* How many processes a record may have: the search for each line's is by rows. */
enum { MOST_SPEAKERS = 4096 };

static bool speaker_get(struct speakers *speakers, int64_t process, uint32_t *number)
{
	/* most lines are of who spoke last */
	for (size_t i = speakers->processes.count; i-- > 0;) {
		if (speakers->processes.items[i] == process) {
			*number = (uint32_t)i;
			return true;
		}
	}
	if (speakers->processes.count == MOST_SPEAKERS)
		return false;
	*number = (uint32_t)speakers->processes.count;
	VEC_ADD(&speakers->processes, process);
	return true;
}

static const char *text_of(struct arena *arena, const cJSON *object, const char *name)
{
	const char *text = field_text(object, name);

	return arena_dup(arena, text ? text : "");
}

static void take_finding(struct record *record, const cJSON *item)
{
	struct arena *arena = &record->arena;
	struct predicted finding = {.path = text_of(arena, item, "path"), .shown = text_of(arena, item, "shown"),
				    .code = text_of(arena, item, "code"), .name = text_of(arena, item, "name"),
				    .message = text_of(arena, item, "message"), .severity = SEVERITY_WARNING, .cost = COST_DEVICE,
				    .line = field_number(item, "line", 0), .column = field_number(item, "column", 1)};
	const char *severity = field_text(item, "severity"), *cost = field_text(item, "cost");

	finding.end_line = field_number(item, "end_line", finding.line);
	if (*finding.shown == '\0')
		finding.shown = finding.path;
	if (severity)
		severity_from_name(severity, &finding.severity);
	if (cost)
		cost_from_name(cost, &finding.cost);
	VEC_ADD(&record->findings, finding);
}

static bool take_request(struct record *record, struct str line)
{
	cJSON *request = cJSON_ParseWithLength(line.at, line.length);
	const char *kind = field_text(request, "ev"), *schema = field_text(request, "schema");
	bool ok = kind && strcmp(kind, "request") == 0 && schema && strcmp(schema, "confirm/1") == 0;
	const cJSON *item;

	if (ok) {
		record->command = text_of(&record->arena, request, "command");
		cJSON_ArrayForEach(item, field(request, "findings"))
			take_finding(record, item);
	}
	cJSON_Delete(request);
	return ok;
}

/* An event goes where those of its process go; what is no event is counted there. */
static void take_line(struct speakers *speakers, struct str line, struct confirm_outcome *outcome)
{
	cJSON *event = cJSON_ParseWithLength(line.at, line.length);
	const cJSON *time = field(event, "t");
	uint32_t number = 0;

	if (speaker_get(speakers, field_number(event, "pid", -1), &number)) {
		reported_take(&outcome->reported, number, line);
		reported_take(&outcome->reported, number, STR("\n"));
	}
	if (cJSON_IsNumber(time) && time->valuedouble > outcome->seconds)
		outcome->seconds = time->valuedouble;
	cJSON_Delete(event);
}

bool record_read(const char *path, struct record *record, struct confirm_outcome *outcome, struct err *err)
{
	struct speakers speakers = {{NULL, 0, 0}};
	struct buf text = BUF_INIT;
	struct str rest;
	bool ok = false, is_first = true;

	*record = (struct record){.command = ""};
	*outcome = (struct confirm_outcome){.end = CONFIRM_DONE};
	arena_init(&record->arena);
	reported_init(&outcome->reported);
	if (!os_read_file(path, 2 * (size_t)REPORTED_RECORD_LIMIT, &text, err))
		goto out;
	rest = buf_get(&text);
	while (rest.length > 0) {
		size_t end = str_find(rest, STR("\n"), 0);
		struct str line = {rest.at, end == SIZE_MAX ? rest.length : end};

		if (is_first && !take_request(record, line))
			break;
		if (!is_first)
			take_line(&speakers, line, outcome);
		is_first = false;
		end = end == SIZE_MAX ? rest.length : end + 1;
		rest = (struct str){rest.at + end, rest.length - end};
	}
	ok = !is_first || err_set(err, ERR_PARSE, "'%s' is no record of a run, as 'vramlint confirm --record FILE' writes one", path);
out:
	VEC_RELEASE(&speakers.processes);
	buf_release(&text);
	return ok;
}

static int64_t index_of(const struct predicted *finding, const struct predicted *findings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (findings[i].line == finding->line && findings[i].column == finding->column &&
		    strcmp(findings[i].path, finding->path) == 0 && strcmp(findings[i].code, finding->code) == 0)
			return (int64_t)i;
	}
	return -1;
}

void record_rebase(const struct record *record, const struct predicted *findings, size_t count, struct reported *reported)
{
	int64_t *now = mem_new(record->findings.count + 1, sizeof *now), known = (int64_t)record->findings.count;

	for (size_t i = 0; i < record->findings.count; i++)
		now[i] = index_of(&record->findings.items[i], findings, count);
	for (size_t p = 0; p < reported->processes.count; p++) {
		struct reported_process *process = reported->processes.items[p];

		for (size_t i = 0; i < process->covers.count; i++) {
			struct reported_cover *cover = &process->covers.items[i];

			cover->finding = cover->finding >= 0 && cover->finding < known ? now[cover->finding] : -1;
		}
		for (size_t i = 0; i < process->probes.count; i++) {
			struct reported_probe *probe = &process->probes.items[i];

			probe->finding = probe->finding >= 0 && probe->finding < known ? now[probe->finding] : -1;
		}
	}
	free(now);
}

void record_release(struct record *record)
{
	VEC_RELEASE(&record->findings);
	arena_release(&record->arena);
}
