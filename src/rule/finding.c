#include "rule/finding.h"

#include <string.h>

#include "rule/rule.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const severity_names[] = {
	[SEVERITY_HINT] = "hint",
	[SEVERITY_NOTE] = "note",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_ERROR] = "error",
};

static const char *const cost_names[] = {
	[COST_DEVICE] = "device", [COST_HOST] = "host",		      [COST_PEAK] = "peak",
	[COST_SPEED] = "speed",	  [COST_CORRECTNESS] = "correctness",
};

static const char *const proof_names[] = {
	[PROOF_NONE] = "none",	 [PROOF_NAME] = "name", [PROOF_SIBLING] = "sibling",
	[PROOF_USAGE] = "usage", [PROOF_FLOW] = "flow",
};

static const char *name_at(const char *const *names, size_t count, size_t index)
{
	return index < count ? names[index] : "unknown";
}

/* The index of NAME in NAMES, or COUNT. */
static size_t name_index(const char *const *names, size_t count, const char *name)
{
	size_t i = 0;

	while (i < count && strcmp(names[i], name) != 0)
		i++;
	return i;
}

const char *severity_name(enum severity severity)
{
	return name_at(severity_names, COUNT(severity_names), (size_t)severity);
}

const char *cost_name(enum cost cost)
{
	return name_at(cost_names, COUNT(cost_names), (size_t)cost);
}

const char *proof_name(enum proof proof)
{
	return name_at(proof_names, COUNT(proof_names), (size_t)proof);
}

bool severity_from_name(const char *name, enum severity *severity)
{
	size_t i = name_index(severity_names, COUNT(severity_names), name);

	if (i == COUNT(severity_names))
		return false;
	*severity = (enum severity)i;
	return true;
}

bool cost_from_name(const char *name, enum cost *cost)
{
	size_t i = name_index(cost_names, COUNT(cost_names), name);

	if (i == COUNT(cost_names))
		return false;
	*cost = (enum cost)i;
	return true;
}

bool proof_from_name(const char *name, enum proof *proof)
{
	size_t i = name_index(proof_names, COUNT(proof_names), name);

	if (i == COUNT(proof_names))
		return false;
	*proof = (enum proof)i;
	return true;
}

struct excerpt excerpt_at(const struct source *source, struct span span, struct arena *arena)
{
	struct str line = source_line_written(source, source_line(source, span.start));
	struct excerpt out = {.span = span};

	out.start = source_place(source, span.start);
	out.end = source_place(source, span.end);
	out.cell = source_cell(source, span.start);
	if (source_cell(source, span.end) != out.cell) /* a line end belongs to the line it ends */
		out.end = source_place(source, span.end - 1);
	out.line_text = arena_dup_bytes(arena, line.at, line.length);
	out.line_length = line.length;
	return out;
}

void excerpt_add_place(struct buf *out, const struct excerpt *at)
{
	if (at->cell)
		buf_format(out, ":cell %lu", (unsigned long)at->cell);
	if (at->start.line)
		buf_format(out, ":%lu:%lu", (unsigned long)at->start.line, (unsigned long)at->start.column);
}

static const char *text_dup(const char *text, struct arena *arena)
{
	return text ? arena_dup(arena, text) : NULL;
}

static struct excerpt excerpt_dup(const struct excerpt *at, struct arena *arena)
{
	struct excerpt copy = *at;

	copy.line_text = at->line_text ? arena_dup_bytes(arena, at->line_text, at->line_length) : NULL;
	return copy;
}

void finding_dup(struct finding *copy, const struct finding *finding, struct arena *arena)
{
	*copy = *finding;
	copy->at = excerpt_dup(&finding->at, arena);
	copy->scope = text_dup(finding->scope, arena);
	copy->fingerprint = text_dup(finding->fingerprint, arena);
	copy->message = text_dup(finding->message, arena);
	copy->growth = text_dup(finding->growth, arena);
	copy->help = text_dup(finding->help, arena);
	copy->notes = ARENA_ARRAY(arena, struct finding_note, finding->note_count + 1);
	for (size_t i = 0; i < finding->note_count; i++)
		copy->notes[i] = (struct finding_note){excerpt_dup(&finding->notes[i].at, arena), text_dup(finding->notes[i].text, arena)};
	copy->edits = finding->edit_count ? ARENA_ARRAY(arena, struct edit, finding->edit_count) : NULL;
	for (size_t i = 0; i < finding->edit_count; i++)
		copy->edits[i] = (struct edit){finding->edits[i].span, text_dup(finding->edits[i].text, arena)};
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

int finding_compare(const struct finding *a, const struct finding *b)
{
	int order = compare_numbers(a->at.span.start, b->at.span.start);

	if (order == 0)
		order = compare_numbers(a->at.span.end, b->at.span.end);
	if (order == 0)
		order = strcmp(a->rule->code, b->rule->code);
	if (order == 0)
		order = strcmp(a->message, b->message);
	return order;
}
