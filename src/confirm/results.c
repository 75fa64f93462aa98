#include "confirm/results.h"

#include <string.h>

#include "confirm/say.h"
#include "report/report.h"

/* The rules of SETTINGS and the one of what no rule predicted. */
static struct report_options options_of(const struct settings *settings, const struct report_host *host, struct arena *arena)
{
	struct rule_set *rules = ARENA_NEW(arena, struct rule_set);
	struct selection *selection = ARENA_NEW(arena, struct selection);
	struct rule *extra = ARENA_NEW(arena, struct rule);
	size_t count = settings ? settings->rules->count : 0;

	rules->rules = ARENA_ARRAY(arena, struct rule *, count + 1);
	selection->enabled = ARENA_ARRAY(arena, bool, count + 1);
	for (size_t i = 0; i < count; i++) {
		rules->rules[i] = settings->rules->rules[i];
		selection->enabled[i] = settings->selection.enabled[i];
	}
	*extra = evidence_unpredicted;
	extra->index = count;
	rules->rules[count] = extra;
	rules->count = count + 1;
	selection->enabled[count] = true;
	return (struct report_options){.rules = rules, .selection = selection, .host = host};
}

static bool is_same_file(const struct evidence_item *a, const struct evidence_item *b)
{
	return a->is_placed && b->is_placed && strcmp(a->path, b->path) == 0;
}

/* The items from INDEX on that lie in the file of that one, as the result of checking it. Returns how many. */
static size_t tell_file(struct report *report, const struct evidence *evidence, size_t index, struct arena *arena)
{
	const struct evidence_item *first = &evidence->items.items[index];
	struct lint_result result = {.findings = ARENA_ARRAY(arena, struct finding, evidence->items.count - index)};
	struct run_file file = {.path = first->path, .result = &result, .source = first->source};

	while (index < evidence->items.count && is_same_file(first, &evidence->items.items[index]))
		result.findings[result.finding_count++] = evidence->items.items[index++].finding;
	report->format->file(report, &file);
	return result.finding_count;
}

/* What grows at a place that nobody knows has no file either. */
static void tell_unplaced(struct report *report, const struct evidence_item *item)
{
	struct buf text = BUF_INIT;

	buf_format(&text, "%s: %s", item->finding.message, item->finding.verdict->words);
	report->format->failure(report, buf_text(&text));
	buf_release(&text);
}

static void tell_troubles(struct report *report, const struct told *told)
{
	struct buf text = BUF_INIT;

	if (!told_saw_steps(told)) {
		say_run(&text, told);
		buf_add_char(&text, '\n');
	}
	say_troubles(&text, told);
	for (size_t at = 0, end; at < text.length; at = end + 1) {
		end = str_find(buf_get(&text), STR("\n"), at);
		text.bytes[end] = '\0';
		report->format->failure(report, text.bytes + at);
	}
	buf_release(&text);
}

void results_tell(struct buf *out, const struct evidence *evidence, const struct settings *settings,
		  const struct report_host *host)
{
	struct report_totals totals = {.files = 1, .failed = !told_saw_steps(evidence->told)};
	struct report report;
	struct arena arena;

	arena_init(&arena);
	report_init(&report, report_format_find("sarif"), options_of(settings, host, &arena));
	report.format->begin(&report);
	for (size_t i = 0; i < evidence->items.count;) {
		if (evidence->items.items[i].is_placed)
			i += tell_file(&report, evidence, i, &arena);
		else
			tell_unplaced(&report, &evidence->items.items[i++]);
	}
	tell_troubles(&report, evidence->told);
	report.format->end(&report, &totals);
	buf_add_str(out, buf_get(&report.out));
	report_release(&report);
	arena_release(&arena);
}
