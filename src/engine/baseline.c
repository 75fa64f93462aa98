#include "engine/baseline.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "base/os.h"
#include "base/vec.h"
#include "text/json_writer.h"
#include "base/path.h"

struct entry {
	const char *path;  /* relative to the baseline's folder, as in the file */
	const char *shown; /* the same as a run shows it, or NULL where no run can */
	const char *code;
	const char *scope;
	const char *fingerprint;
	const char *text; /* of the line, for people; may be "" */
	bool used, added, stale;
};

/* What was looked for in a file. */
struct search {
	const struct rule_set *rules;
	const struct selection *selection;
};

struct baseline {
	struct arena arena;
	const char *file;
	const char *folder;  /* absolute, of the file */
	const char *current; /* absolute */
	enum baseline_mode mode;
	VEC(struct entry *) entries;
	struct map by_key;  /* path shown, 0, fingerprint → entry */
	struct map checked; /* path shown → struct search */
	struct buf text;    /* of the file as it was read */
};

/* Bytes of a baseline; a hundred make an entry. */
enum { LARGEST = 256 << 20 };

/* ---- names ---- */

/* TEXT as it comes back out of JSON: bytes that are not UTF-8 become U+FFFD. */
static void add_valid(struct buf *out, const char *text)
{
	struct str rest = str_from(text);
	for (size_t at = 0, n; at < rest.length; at += n ? n : 1) {
		n = str_utf8_length(rest, at);
		if (n)
			buf_add(out, rest.at + at, n);
		else
			buf_add_codepoint(out, 0xFFFD);
	}
}

/* PATH relative to the current folder: editors hand over absolute ones. */
static const char *usual(const struct baseline *baseline, const char *path, struct arena *arena)
{
	return path[0] == '/' ? path_relative(arena, baseline->current, path) : path;
}

static void add_key(struct buf *key, const char *shown, const char *fingerprint)
{
	add_valid(key, shown);
	buf_add_char(key, '\0');
	buf_add_text(key, fingerprint);
}

static struct entry *find(const struct baseline *baseline, const char *shown, const char *fingerprint)
{
	struct arena scratch;
	struct buf key = BUF_INIT;
	arena_init(&scratch);
	add_key(&key, usual(baseline, shown, &scratch), fingerprint);
	struct entry *entry = map_get(&baseline->by_key, buf_get(&key));
	buf_release(&key);
	arena_release(&scratch);
	return entry;
}

static void add_entry(struct baseline *baseline, struct entry *entry)
{
	struct buf key = BUF_INIT;
	if (entry->shown) {
		add_key(&key, entry->shown, entry->fingerprint);
		if (!map_has(&baseline->by_key, buf_get(&key))) {
			map_put(&baseline->by_key, buf_get(&key), entry);
			VEC_ADD(&baseline->entries, entry);
		}
	} else {
		VEC_ADD(&baseline->entries, entry);
	}
	buf_release(&key);
}

/* ---- reading ---- */

static bool malformed(const struct baseline *baseline, struct err *err, const char *what)
{
	return err_set(err, ERR_CONFIG, "cannot use baseline '%s': %s; repair it, or delete it and make it anew with "
		       "'--update-baseline'", baseline->file, what);
}

static const char *text_of(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsString(item) ? item->valuestring : NULL;
}

static bool read_entry(struct baseline *baseline, const cJSON *object, size_t number, struct err *err)
{
	static const char *const keys[] = {"path", "code", "scope", "fingerprint"};
	struct entry *entry = ARENA_NEW(&baseline->arena, struct entry);
	const char *values[4];
	for (int i = 0; i < 4; i++) {
		values[i] = text_of(object, keys[i]);
		if (!values[i])
			return malformed(baseline, err, arena_format(&baseline->arena, "entry %zu has no text under '%s'", number, keys[i]));
		values[i] = arena_dup(&baseline->arena, values[i]);
	}
	*entry = (struct entry){.path = values[0], .code = values[1], .scope = values[2], .fingerprint = values[3]};
	entry->text = arena_dup(&baseline->arena, text_of(object, "text") ? text_of(object, "text") : "");
	const char *absolute = path_absolute(&baseline->arena, baseline->folder, entry->path);
	entry->shown = absolute ? path_relative(&baseline->arena, baseline->current, absolute) : NULL;
	add_entry(baseline, entry);
	return true;
}

static bool read_entries(struct baseline *baseline, const cJSON *root, struct err *err)
{
	const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "version");
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "findings");
	size_t number = 1;
	if (!cJSON_IsObject(root) || !cJSON_IsNumber(version) || !cJSON_IsArray(list))
		return malformed(baseline, err, "it is no object with 'version' and a list 'findings'");
	if (version->valuedouble != 1)
		return malformed(baseline, err, "this program reads version 1 of baselines only");
	for (const cJSON *item = list->child; item; item = item->next, number++)
		if (!read_entry(baseline, item, number, err))
			return false;
	return true;
}

static bool parse(struct baseline *baseline, struct err *err)
{
	struct str text = {buf_text(&baseline->text), baseline->text.length};
	const char *end = NULL;
	cJSON *root = cJSON_ParseWithLengthOpts(text.at, text.length + 1, &end, true);
	if (!root) {
		int line = 1;
		for (const char *at = text.at; end && at < end; at++)
			line += *at == '\n';
		return malformed(baseline, err, arena_format(&baseline->arena, "not valid JSON near line %d", line));
	}
	bool ok = read_entries(baseline, root, err);
	cJSON_Delete(root);
	return ok;
}

/* The folder of the baseline's file, absolute; NULL with ERR set where there is none. */
static const char *folder_of(struct baseline *baseline, struct err *err)
{
	char *folder = arena_dup(&baseline->arena, baseline->file);
	char *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	const char *real = os_real_path(slash ? folder : ".", &baseline->arena);
	if (!real)
		err_set(err, ERR_READ, "cannot read baseline '%s': there is no such folder", baseline->file);
	return real;
}

static bool read_file(struct baseline *baseline, struct err *err)
{
	struct os_stat stat;
	if (!os_stat_get(baseline->file, &stat, err))
		return false;
	if (stat.kind == OS_MISSING && baseline->mode == BASELINE_UPDATE)
		return true;
	if (stat.kind == OS_MISSING)
		return err_set(err, ERR_READ, "cannot read baseline '%s': there is no such file; '--update-baseline' makes one",
			       baseline->file);
	if (!os_read_file(baseline->file, LARGEST, &baseline->text, err))
		return false;
	return parse(baseline, err);
}

struct baseline *baseline_new(const char *path, enum baseline_mode mode, struct err *err)
{
	struct baseline *baseline = mem_new(1, sizeof *baseline);
	arena_init(&baseline->arena);
	map_init(&baseline->by_key);
	map_init(&baseline->checked);
	baseline->file = arena_dup(&baseline->arena, path);
	baseline->mode = mode;
	baseline->current = os_current_folder(&baseline->arena, err);
	baseline->folder = baseline->current ? folder_of(baseline, err) : NULL;
	if (baseline->folder && read_file(baseline, err))
		return baseline;
	baseline_free(baseline);
	return NULL;
}

void baseline_free(struct baseline *baseline)
{
	if (!baseline)
		return;
	VEC_RELEASE(&baseline->entries);
	map_release(&baseline->by_key);
	map_release(&baseline->checked);
	buf_release(&baseline->text);
	arena_release(&baseline->arena);
	free(baseline);
}

/* ---- a run ---- */

bool baseline_has(const struct baseline *baseline, const char *shown, const struct finding *finding)
{
	return baseline->mode == BASELINE_UPDATE || find(baseline, shown, finding->fingerprint);
}

/* The path of SHOWN for the file: relative to the baseline's folder. */
static const char *path_for_file(struct baseline *baseline, const char *shown)
{
	const char *absolute = path_absolute(&baseline->arena, baseline->current, shown);
	return absolute ? path_relative(&baseline->arena, baseline->folder, absolute) : shown;
}

/* The line of FINDING without the blanks around it, cut where it is long. */
static const char *text_for_file(struct baseline *baseline, const struct finding *finding)
{
	enum { MOST = 80 };
	struct str text = {finding->at.line_text, finding->at.line_length};
	while (text.length && (*text.at == ' ' || *text.at == '\t'))
		text = (struct str){text.at + 1, text.length - 1};
	size_t length = text.length < MOST ? text.length : MOST;
	while (length < text.length && length && ((unsigned char)text.at[length] & 0xc0) == 0x80)
		length--;
	while (length && (text.at[length - 1] == ' ' || text.at[length - 1] == '\t'))
		length--;
	return arena_format(&baseline->arena, "%.*s%s", (int)length, text.at, text.length > MOST ? "…" : "");
}

static void add_finding(struct baseline *baseline, const char *shown, const struct finding *finding)
{
	struct entry *entry = ARENA_NEW(&baseline->arena, struct entry);
	*entry = (struct entry){.path = path_for_file(baseline, shown),
				.shown = arena_dup(&baseline->arena, shown),
				.code = arena_dup(&baseline->arena, finding->rule->code),
				.scope = arena_dup(&baseline->arena, finding->scope ? finding->scope : ""),
				.fingerprint = arena_dup(&baseline->arena, finding->fingerprint),
				.text = text_for_file(baseline, finding),
				.used = true, .added = true};
	add_entry(baseline, entry);
}

void baseline_note(struct baseline *baseline, const char *shown, const struct lint_result *result,
		   const struct rule_set *rules, const struct selection *selection)
{
	struct search *search = ARENA_NEW(&baseline->arena, struct search);
	struct buf path = BUF_INIT;
	*search = (struct search){rules, selection};
	shown = usual(baseline, shown, &baseline->arena);
	for (size_t i = 0; i < result->suppressed_count; i++) {
		const struct lint_suppressed *one = &result->suppressed[i];
		if (one->kind != SUPPRESSED_BY_BASELINE)
			continue;
		struct entry *entry = find(baseline, shown, one->finding.fingerprint);
		if (entry)
			entry->used = true;
		else
			add_finding(baseline, shown, &one->finding);
	}
	/* what could not be parsed may hide what an entry stands for */
	add_valid(&path, shown);
	if (!result->problem_count)
		map_put(&baseline->checked, buf_get(&path), search);
	buf_release(&path);
}

static int by_place(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;
	int order = strcmp(x->path, y->path);
	order = order ? order : strcmp(x->code, y->code);
	order = order ? order : strcmp(x->scope, y->scope);
	return order ? order : strcmp(x->fingerprint, y->fingerprint);
}

static bool was_looked_for(const struct entry *entry, const struct search *search)
{
	const struct rule *rule = rule_set_find(search->rules, str_from(entry->code));
	return !rule || (search->selection->enabled[rule->index] && search->selection->min_confidence <= PROOF_USAGE);
}

static bool is_gone(const struct entry *entry)
{
	struct os_stat stat;
	return entry->shown && os_stat_get(entry->shown, &stat, NULL) && stat.kind == OS_MISSING;
}

/* "VL101 for 'xs.append(loss)' in 'fit' of 'train.py'" */
static const char *words(struct baseline *baseline, const struct entry *entry)
{
	const char *text = *entry->text ? arena_format(&baseline->arena, " for '%s'", entry->text) : "";
	const char *scope = *entry->scope ? arena_format(&baseline->arena, "'%s' of ", entry->scope) : "";
	return arena_format(&baseline->arena, "%s%s in %s'%s'", entry->code, text, scope, entry->path);
}

struct baseline_totals baseline_finish(struct baseline *baseline, void (*tell)(const char *entry, void *context),
				       void *context)
{
	struct baseline_totals totals = {0, 0, 0};
	if (baseline->entries.count)
		qsort(baseline->entries.items, baseline->entries.count, sizeof *baseline->entries.items, by_place);
	for (size_t i = 0; i < baseline->entries.count; i++) {
		struct entry *entry = baseline->entries.items[i];
		const struct search *search = entry->shown ? map_get(&baseline->checked, str_from(entry->shown)) : NULL;
		entry->stale = !entry->used && (search ? was_looked_for(entry, search) : is_gone(entry));
		totals.stale += entry->stale;
		totals.added += entry->added;
		totals.kept += !entry->stale && !entry->added;
		if (entry->stale && tell)
			tell(words(baseline, entry), context);
	}
	return totals;
}

static void add_text(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_text(writer, text);
}

bool baseline_write(const struct baseline *baseline, struct err *err)
{
	struct buf out = BUF_INIT;
	const char *between = "\n";
	bool ok = true;
	buf_add_text(&out, "{\n\"version\": 1,\n\"findings\": [");
	for (size_t i = 0; i < baseline->entries.count; i++) {
		const struct entry *entry = baseline->entries.items[i];
		struct json_writer writer;
		if (entry->stale)
			continue;
		buf_add_text(&out, between);
		between = ",\n";
		json_writer_init(&writer, &out);
		json_object_begin(&writer);
		add_text(&writer, "path", entry->path);
		add_text(&writer, "code", entry->code);
		add_text(&writer, "scope", entry->scope);
		add_text(&writer, "text", entry->text);
		add_text(&writer, "fingerprint", entry->fingerprint);
		json_object_end(&writer);
	}
	buf_add_text(&out, "\n]\n}\n");
	if (!str_equal(buf_get(&out), buf_get(&baseline->text)))
		ok = os_write_file(baseline->file, buf_get(&out), err);
	buf_release(&out);
	return ok;
}
