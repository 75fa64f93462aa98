#include "engine/ignore.h"

#include <string.h>
#include "py/lines.h"
#include "py/pragma.h"

/* Columns up to which a comment stays behind its line: as long as black and ruff let lines be. */
enum { WIDEST = 88 };

struct ignoring {
	const struct ignore_input *in;
	struct arena *arena; /* of the result */
	struct lines lines;
	bool *in_string;
	const struct pragma **known; /* comments that name what they suppress on one line, in the order of these lines */
	size_t known_count;
	size_t next; /* the first of them that may be about the line at hand or a later one */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f';
}

static struct span line_span(const struct ignoring *g, uint32_t line)
{
	uint32_t start = g->in->source->line_starts[line - 1];
	return (struct span){start, start + (uint32_t)source_line_text(g->in->source, line).length};
}

static void find_known(struct ignoring *g)
{
	struct pragma_list list;
	pragmas_find(&list, g->in->grammar, g->in->root, g->in->source, g->in->scratch);
	g->known = ARENA_ARRAY(g->in->scratch, const struct pragma *, list.count + 1);
	for (size_t i = 0; i < list.count; i++)
		if (list.items[i].kind == PRAGMA_IGNORE && list.items[i].name_count && list.items[i].first)
			g->known[g->known_count++] = &list.items[i];
}

static const struct pragma *known_at(struct ignoring *g, uint32_t line)
{
	while (g->next < g->known_count && g->known[g->next]->last < line)
		g->next++;
	return g->next < g->known_count && g->known[g->next]->first <= line ? g->known[g->next] : NULL;
}

/* Whether a comment may stand at the end of LINE. */
static bool takes_comment(const struct ignoring *g, uint32_t line)
{
	struct str text = source_line_text(g->in->source, line);
	return !g->in_string[line] && !str_ends(text, "\\");
}

static struct edit behind(const struct ignoring *g, uint32_t line, const char *comment)
{
	struct span span = line_span(g, line);
	uint32_t end = span.end;
	while (end > span.start && is_blank(g->in->source->text[end - 1]))
		end--;
	return (struct edit){{end, span.end}, arena_format(g->arena, "  %s", comment)};
}

static struct edit above(const struct ignoring *g, uint32_t line, const char *comment)
{
	struct span span = line_span(g, line);
	const char *text = g->in->source->text + span.start;
	int depth = 0;
	while (is_blank(text[depth]))
		depth++;
	return (struct edit){{span.start, span.start},
			     arena_format(g->arena, "%.*s%s%s", depth, text, comment, source_line_end(g->in->source))};
}

static size_t columns(struct str text)
{
	size_t count = 0;
	for (size_t i = 0; i < text.length; i++)
		count += ((unsigned char)text.at[i] & 0xc0) != 0x80;
	return count;
}

static struct edit new_comment(const struct ignoring *g, const struct finding *finding)
{
	uint32_t line = source_line(g->in->source, finding->at.span.start), last = g->lines.last[line];
	const char *reason = g->in->reason;
	const char *comment = arena_format(g->arena, "# vramlint: ignore[%s]%s%s", finding->rule->code, *reason ? " -- " : "", reason);
	while (line < last && !takes_comment(g, line))
		line++;
	struct str text = source_line_text(g->in->source, line);
	if (columns(text) + 2 + columns(str_from(comment)) <= WIDEST)
		return behind(g, line, comment);
	return above(g, g->lines.first[line], comment);
}

/* CODE among those that KNOWN names, and the reason where it has none. */
static struct edit added_to(const struct ignoring *g, const struct pragma *known, const char *code)
{
	uint32_t end = known->names[known->name_count - 1].span.end;
	if (known->reason.length || !*g->in->reason)
		return (struct edit){{end, end}, arena_format(g->arena, ", %s", code)};
	return (struct edit){{end, known->list.end}, arena_format(g->arena, ", %s] -- %s", code, g->in->reason)};
}

void ignore_findings(const struct ignore_input *in, struct lint_result *result)
{
	struct ignoring g = {.in = in, .arena = &result->arena};
	if (!result->finding_count)
		return;
	lines_init(&g.lines, in->grammar, in->root, in->source, in->scratch);
	g.in_string = lines_in_strings(in->grammar, in->root, in->source, in->scratch);
	find_known(&g);
	for (size_t i = 0; i < result->finding_count; i++) {
		struct finding *finding = &result->findings[i];
		finding->edits = NULL;
		finding->edit_count = 0;
		if (rule_asks_for(finding->rule, "event", "suppression"))
			continue;
		uint32_t line = source_line(in->source, finding->at.span.start);
		const struct pragma *known = known_at(&g, line);
		struct edit *edit = finding->edits = ARENA_NEW(g.arena, struct edit);
		finding->edit_count = 1;
		finding->fix_is_safe = true;
		/* one comment a logical line: what it does not take now is added to it in the next round */
		finding->fix_reach = (struct span){line_span(&g, g.lines.first[line]).start, line_span(&g, g.lines.last[line]).end};
		if (!known) {
			*edit = new_comment(&g, finding);
			continue;
		}
		*edit = added_to(&g, known, finding->rule->code);
		if (known->span.start < finding->fix_reach.start)
			finding->fix_reach.start = known->span.start;
	}
}
