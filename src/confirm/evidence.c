#include "confirm/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/path.h"
#include "confirm/say.h"

/* Files that a run names are read to show lines of them; it may name any. */
enum { FILES_READ = 100, FILE_LIMIT = 4 << 20 };
/* Places of one kind that are put into a trail. */
enum { PLACES_SHOWN = 3 };

const struct rule evidence_unpredicted = {
	.code = "VL900",
	.name = "unpredicted-growth",
	.summary = "something grows step by step that no rule predicted",
	.document = "# unpredicted-growth\n\n## What it does\n\n"
		    "Memory that grew in nearly every step of a run, as `vramlint confirm` has seen, at a place that no finding speaks of.\n\n"
		    "## Use instead\n\n"
		    "Keep numbers (`loss.item()`) or tensors without their graph (`loss.detach()`) beyond a step, or let go of what is kept.\n",
	.default_state = RULE_ON,
	.precision = PRECISION_HIGH,
};

/* ---- code ---- */

/* The cell of a notebook that PATH names at its end ("run.ipynb:cell 3"), or 0; *LENGTH is that of the file's path. */
static uint32_t cell_of(const char *path, size_t *length)
{
	static const char mark[] = ".ipynb:cell ";
	const char *at = strstr(path, mark);
	long cell = at ? strtol(at + sizeof mark - 1, NULL, 10) : 0;

	*length = at && cell > 0 ? (size_t)(at - path) + strlen(".ipynb") : strlen(path);
	return cell > 0 && cell <= INT32_MAX ? (uint32_t)cell : 0;
}

/* The text that the linter has seen of PATH, or NULL. */
static const struct source *known_source(const struct judgements *judgements, const char *path)
{
	size_t length, other;

	cell_of(path, &length);
	for (size_t i = 0; i < judgements->findings.count; i++) {
		const struct predicted *finding = judgements->findings.items[i].finding;

		cell_of(finding->path, &other);
		if (other == length && memcmp(finding->path, path, length) == 0)
			return finding->source;
	}
	return NULL;
}

/* The line of SOURCE that is line LINE of the file or cell PATH, or 0. */
static uint32_t line_in(const struct source *source, const char *path, int64_t line)
{
	size_t length;
	uint32_t cell = cell_of(path, &length);

	if (!source->origins)
		return line >= 1 && line <= source->line_count ? (uint32_t)line : 0;
	for (uint32_t i = 0; i < source->line_count; i++) {
		if (source->origins[i].cell == cell && source->origins[i].line == line && !source->origins[i].is_added)
			return i + 1;
	}
	return 0;
}

static struct source *read_source(struct evidence *evidence, const char *path)
{
	struct source *source;
	struct buf raw = BUF_INIT;
	struct err err;
	bool ok;

	if (evidence->read.count >= FILES_READ)
		return NULL;
	source = mem_new(1, sizeof *source);
	ok = os_read_file(path, FILE_LIMIT, &raw, &err) && source_init(source, buf_get(&raw), &err);
	buf_release(&raw);
	if (!ok) {
		free(source);
		return NULL;
	}
	VEC_ADD(&evidence->read, source);
	return source;
}

const struct source *evidence_source(struct evidence *evidence, const char *path)
{
	const struct source *source = known_source(evidence->told->judgements, path);
	void *known;

	if (source || path[0] != '/')
		return source;
	known = map_get(&evidence->sources, str_from(path));
	if (!known) {
		known = read_source(evidence, path);
		known = known ? known : evidence; /* which stands for: not to be had */
		map_put(&evidence->sources, str_from(path), known);
	}
	return known == evidence ? NULL : known;
}

struct str evidence_line(struct evidence *evidence, const char *path, int64_t line)
{
	static const char blanks[] = " \t\f";
	const struct source *source = evidence_source(evidence, path);
	uint32_t number = source ? line_in(source, path, line) : 0;
	struct str text;

	if (number == 0)
		return STR("");
	text = source_line_text(source, number);
	while (text.length > 0 && strchr(blanks, text.at[0])) {
		text.at++;
		text.length--;
	}
	while (text.length > 0 && text.at[text.length - 1] && strchr(blanks, text.at[text.length - 1]))
		text.length--;
	return text;
}

/* What stands in LINE of PATH as a place of a finding; false where there is no such line. */
static bool place_of(struct evidence *evidence, const char *path, int64_t line, struct excerpt *at)
{
	struct str text = evidence_line(evidence, path, line);
	const struct source *source = evidence_source(evidence, path);
	uint32_t start;

	if (text.length == 0)
		return false;
	start = (uint32_t)(text.at - source->text);
	*at = excerpt_at(source, (struct span){start, start + (uint32_t)text.length}, &evidence->arena);
	return true;
}

/* ---- what was seen, in the trail ---- */

static bool is_noted(const struct finding *finding, const struct excerpt *at, size_t from)
{
	for (size_t i = from; i < finding->note_count; i++) {
		if (finding->notes[i].at.start.line == at->start.line)
			return true;
	}
	return false;
}

/* Adds notes for LINES that lie in PATH. NOTES of the finding have room. */
static void add_notes(struct evidence *evidence, struct finding *finding, const char *path, const char *words,
		      const struct reported_line *lines, size_t count)
{
	size_t before = finding->note_count;

	for (size_t i = 0; i < count && finding->note_count - before < PLACES_SHOWN; i++) {
		struct excerpt at;

		if (strcmp(lines[i].path, path) == 0 && place_of(evidence, path, lines[i].line, &at) &&
		    !is_noted(finding, &at, before))
			finding->notes[finding->note_count++] = (struct finding_note){at, words};
	}
}

static void add_trail(struct evidence *evidence, struct evidence_item *item, const char *path)
{
	const struct reported_holder *holder = item->judged->holder;
	struct finding *finding = &item->finding;
	struct finding_note *notes = ARENA_ARRAY(&evidence->arena, struct finding_note, finding->note_count + 2 * PLACES_SHOWN);

	if (!holder || !item->judged->growth.leaks)
		return;
	if (finding->note_count)
		memcpy(notes, finding->notes, finding->note_count * sizeof *notes);
	finding->notes = notes;
	add_notes(evidence, finding, path, "seen in the run: what is kept is made here", holder->allocs.items, holder->allocs.count);
	add_notes(evidence, finding, path, "seen in the run: it is stored here", holder->stores.items, holder->stores.count);
}

static void add_verdict(struct evidence *evidence, struct evidence_item *item)
{
	const struct judged *judged = item->judged;
	struct finding_verdict *verdict = ARENA_NEW(&evidence->arena, struct finding_verdict);
	struct buf words = BUF_INIT;

	say_reason(&words, evidence->told, judged);
	*verdict = (struct finding_verdict){
		.name = judged->finding ? verdict_name(judged->verdict) : "unpredicted",
		.truth = judged->verdict >= VERDICT_CONFIRMED_HOST  ? FINDING_HAPPENS
			 : judged->verdict == VERDICT_REFUTED ? FINDING_DOES_NOT
							      : FINDING_UNDECIDED,
		.words = arena_dup(&evidence->arena, buf_text(&words)),
		.holder = judged->holder ? judged->holder->key : NULL,
		.tensor_bytes = judged->growth.bytes,
		.host_bytes = judged->growth.leaks ? judged->growth.host_bytes : -1,
		.nodes = judged->growth.nodes,
	};
	item->finding.verdict = verdict;
	buf_release(&words);
}

/* ---- items ---- */

/* What a record of a run still knows of a finding, and its line as it is now. */
static void recall(struct evidence *evidence, struct evidence_item *item, const struct predicted *finding)
{
	struct rule *rule = ARENA_NEW(&evidence->arena, struct rule);

	*rule = (struct rule){.code = finding->code, .name = finding->name, .summary = finding->name, .document = ""};
	item->finding = (struct finding){.rule = rule, .severity = finding->severity, .cost = finding->cost, .proof = PROOF_USAGE,
					 .message = finding->message, .scope = ""};
	item->source = evidence_source(evidence, finding->path);
	item->is_placed = place_of(evidence, finding->path, finding->line, &item->finding.at);
}

static void add_predicted(struct evidence *evidence, const struct judged *judged)
{
	const struct predicted *finding = judged->finding;
	struct evidence_item item = {.judged = judged, .source = finding->source, .is_placed = true};
	size_t length;

	cell_of(finding->shown, &length);
	item.path = arena_dup_bytes(&evidence->arena, finding->shown, length);

	if (finding->finding)
		finding_dup(&item.finding, finding->finding, &evidence->arena);
	else
		recall(evidence, &item, finding);
	add_trail(evidence, &item, finding->path);
	add_verdict(evidence, &item);
	VEC_ADD(&evidence->items, item);
}

/* The first line that is known to store to HOLDER or to make what it keeps, and is there; or NULL. */
static const struct reported_line *best_line(struct evidence *evidence, const struct reported_holder *holder)
{
	for (size_t i = 0; i < holder->stores.count; i++) {
		if (evidence_line(evidence, holder->stores.items[i].path, holder->stores.items[i].line).length > 0)
			return &holder->stores.items[i];
	}
	for (size_t i = 0; i < holder->allocs.count; i++) {
		if (evidence_line(evidence, holder->allocs.items[i].path, holder->allocs.items[i].line).length > 0)
			return &holder->allocs.items[i];
	}
	return NULL;
}

static void add_unpredicted(struct evidence *evidence, const struct judged *judged)
{
	const struct reported_holder *holder = judged->holder;
	const struct reported_line *line = best_line(evidence, holder);
	struct evidence_item item = {.judged = judged, .path = ""};
	struct buf text = BUF_INIT;

	item.finding = (struct finding){.rule = &evidence_unpredicted, .severity = SEVERITY_WARNING, .proof = PROOF_FLOW,
					.cost = judged->verdict == VERDICT_CONFIRMED_HOST ? COST_HOST : COST_DEVICE, .scope = ""};
	buf_format(&text, "'%s' grows step by step, and no finding says so", holder->key);
	item.finding.message = arena_dup(&evidence->arena, buf_text(&text));
	if (line && place_of(evidence, line->path, line->line, &item.finding.at)) {
		item.is_placed = true;
		item.source = evidence_source(evidence, line->path);
		buf_reset(&text);
		say_place(&text, evidence->told, line->path, 0);
		item.path = arena_dup(&evidence->arena, buf_text(&text));
		add_trail(evidence, &item, line->path);
	}
	add_verdict(evidence, &item);
	VEC_ADD(&evidence->items, item);
	buf_release(&text);
}

void evidence_init(struct evidence *evidence, const struct told *told)
{
	*evidence = (struct evidence){.told = told};
	arena_init(&evidence->arena);
	map_init(&evidence->sources);
	for (size_t i = 0; i < told->judgements->findings.count; i++)
		add_predicted(evidence, &told->judgements->findings.items[i]);
	for (size_t i = 0; i < told->judgements->unpredicted.count; i++) {
		if (!told_repeats(told, i))
			add_unpredicted(evidence, &told->judgements->unpredicted.items[i]);
	}
}

void evidence_release(struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->read.count; i++) {
		source_release(evidence->read.items[i]);
		free(evidence->read.items[i]);
	}
	VEC_RELEASE(&evidence->read);
	VEC_RELEASE(&evidence->items);
	map_release(&evidence->sources);
	arena_release(&evidence->arena);
}
