#include "engine/suppress.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/vec.h"
#include "rule/match.h"

/* One name of one comment, or all rules. */
struct entry {
	const struct pragma *pragma;
	const struct pragma_name *name; /* NULL: all rules */
	const char *text; /* of the name */
	bool used;
	uint8_t *codes; /* where all rules are meant: by rule index, whether it suppressed one of that rule */
	struct lint_suppressed *told; /* what it says of a finding, once there is one */
};

/* The entries of one comment. */
struct comment {
	const struct pragma *pragma;
	struct entry *entries;
	size_t count;
};

struct entry_stack {
	struct entry **items;
	size_t count, room;
};

struct suppressing {
	const struct suppress_input *in;
	struct arena *arena; /* of the result */
	struct comment *comments;
	size_t count;
	struct comment **of_lines; /* those about one logical line, in its order */
	size_t of_line_count;
	bool *is_tool; /* by rule index: speaks of comments */
	/* by rule index: who suppresses it where the sweep is */
	struct entry **by_line, **by_file;
	struct entry_stack *by_block;
	uint32_t fault_line; /* the line last found fault with */
	size_t faults;       /* … of it */
};

/* ---- names ---- */

/* Prefixes as long as "VL0" are needed to mean the rules about comments: nobody who suppresses leaks means those. */
enum { TOOL_PREFIX = 3 };

static bool entry_names(const struct suppressing *s, const struct entry *entry, const struct rule *rule)
{
	if (!entry->name)
		return !s->is_tool[rule->index];
	if (s->is_tool[rule->index] && (entry->name->text.length < TOOL_PREFIX || strcasecmp(entry->text, "ALL") == 0))
		return false;
	return rule_is_named(entry->text, rule);
}

static bool names_any(const struct suppressing *s, const struct entry *entry)
{
	if (!entry->name)
		return true;
	for (size_t i = 0; i < s->in->rules->count; i++)
		if (rule_is_named(entry->text, s->in->rules->rules[i]))
			return true;
	return false;
}

/* Whether a comment that suppressed nothing is known to be of no use: all that it names was looked for. */
static bool is_judged(const struct suppressing *s, const struct entry *entry)
{
	const struct rule_set *rules = s->in->rules;
	const struct selection *selection = s->in->selection;
	size_t enabled = 0;
	if (!s->in->is_whole || selection->min_confidence > PROOF_USAGE)
		return false;
	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *rule = rules->rules[i];
		if (s->is_tool[i] || !entry_names(s, entry, rule))
			continue;
		if (!selection->enabled[i] && rule->default_state != RULE_OPT_IN)
			return false;
		enabled += selection->enabled[i];
	}
	return enabled > 0;
}

/* ---- the sweep ---- */

static void set_up(struct suppressing *s, const struct pragma_list *pragmas)
{
	struct arena *scratch = s->in->scratch;
	size_t rules = s->in->rules->count;
	s->count = pragmas->count;
	s->comments = ARENA_ARRAY(scratch, struct comment, pragmas->count + 1);
	s->is_tool = ARENA_ARRAY(scratch, bool, rules + 1);
	s->by_line = ARENA_ARRAY(scratch, struct entry *, rules + 1);
	s->by_file = ARENA_ARRAY(scratch, struct entry *, rules + 1);
	s->by_block = ARENA_ARRAY(scratch, struct entry_stack, rules + 1);
	for (size_t i = 0; i < rules; i++)
		s->is_tool[i] = rule_asks_for(s->in->rules->rules[i], "event", "suppression");
	for (size_t i = 0; i < pragmas->count; i++) {
		struct comment *comment = &s->comments[i];
		const struct pragma *pragma = &pragmas->items[i];
		comment->pragma = pragma;
		comment->count = pragma->kind == PRAGMA_MALFORMED ? 0 : pragma->name_count ? pragma->name_count : 1;
		comment->entries = ARENA_ARRAY(scratch, struct entry, comment->count + 1);
		for (size_t k = 0; k < comment->count; k++) {
			comment->entries[k].pragma = pragma;
			comment->entries[k].name = pragma->name_count ? &pragma->names[k] : NULL;
			if (pragma->name_count)
				comment->entries[k].text = arena_dup_bytes(scratch, pragma->names[k].text.at, pragma->names[k].text.length);
			else
				comment->entries[k].codes = ARENA_ARRAY(scratch, uint8_t, rules + 1);
		}
	}
}

static void tear_down(struct suppressing *s)
{
	for (size_t i = 0; i < s->in->rules->count; i++)
		VEC_RELEASE(&s->by_block[i]);
}

/* Puts COMMENT into TABLE under each rule it names that nobody has yet. */
static void enter(struct suppressing *s, struct comment *comment, struct entry **table)
{
	for (size_t k = 0; k < comment->count; k++)
		for (size_t i = 0; i < s->in->rules->count; i++)
			if (!table[i] && entry_names(s, &comment->entries[k], s->in->rules->rules[i]))
				table[i] = &comment->entries[k];
}

static void end_blocks(struct entry_stack *stack, uint32_t line)
{
	while (stack->count && stack->items[stack->count - 1]->pragma->last < line)
		stack->count--;
}

/* Opens or closes what COMMENT, a disable or enable, names. */
static void switch_block(struct suppressing *s, struct comment *comment)
{
	bool opens = comment->pragma->kind == PRAGMA_DISABLE;
	for (size_t k = 0; k < comment->count; k++) {
		for (size_t i = 0; i < s->in->rules->count; i++) {
			struct entry *entry = &comment->entries[k];
			struct entry_stack *stack = &s->by_block[i];
			if (!entry_names(s, entry, s->in->rules->rules[i]))
				continue;
			end_blocks(stack, comment->pragma->line);
			if (opens) {
				VEC_ADD(stack, entry);
				continue;
			}
			entry->used |= stack->count > 0;
			stack->count = 0;
		}
	}
}

struct sweep {
	size_t next_line;    /* the first of of_lines that may still be about a line to come */
	size_t next_block;
	uint32_t first, last; /* the logical line that by_line speaks of */
};

static bool is_about_a_line(const struct comment *comment)
{
	return (comment->pragma->kind == PRAGMA_IGNORE || comment->pragma->kind == PRAGMA_NOQA) && comment->pragma->first;
}

static bool is_about_a_block(const struct comment *comment)
{
	return comment->pragma->kind == PRAGMA_DISABLE || comment->pragma->kind == PRAGMA_ENABLE;
}

static void sweep_to(struct suppressing *s, struct sweep *sweep, uint32_t line)
{
	for (; sweep->next_block < s->count && s->comments[sweep->next_block].pragma->line < line; sweep->next_block++)
		if (is_about_a_block(&s->comments[sweep->next_block]))
			switch_block(s, &s->comments[sweep->next_block]);
	if (sweep->first <= line && line <= sweep->last)
		return;
	if (sweep->last)
		memset(s->by_line, 0, s->in->rules->count * sizeof *s->by_line);
	sweep->first = sweep->last = 0;
	while (sweep->next_line < s->of_line_count && s->of_lines[sweep->next_line]->pragma->last < line)
		sweep->next_line++;
	for (size_t i = sweep->next_line; i < s->of_line_count && s->of_lines[i]->pragma->first <= line; i++) {
		sweep->first = s->of_lines[i]->pragma->first;
		sweep->last = s->of_lines[i]->pragma->last;
		enter(s, s->of_lines[i], s->by_line);
	}
}

/* The nearest entry that suppresses FINDING, or NULL; all that do are of use. */
static struct entry *suppressor(struct suppressing *s, const struct finding *finding)
{
	size_t rule = finding->rule->index;
	struct entry_stack *stack = &s->by_block[rule];
	end_blocks(stack, source_line(s->in->source, finding->at.span.start));
	struct entry *all[3] = {s->by_line[rule], stack->count ? stack->items[stack->count - 1] : NULL, s->by_file[rule]};
	struct entry *nearest = NULL;
	for (int i = 0; i < 3; i++) {
		if (!all[i])
			continue;
		all[i]->used = true;
		if (all[i]->codes)
			all[i]->codes[rule] = 1;
		nearest = nearest ? nearest : all[i];
	}
	return nearest;
}

struct findings {
	struct finding *items;
	size_t count, room;
};

struct suppressed {
	struct lint_suppressed *items;
	size_t count, room;
};

static const struct lint_suppressed *said_by(const struct suppressing *s, struct entry *entry)
{
	struct str reason = entry->pragma->reason;
	if (entry->told)
		return entry->told;
	entry->told = ARENA_NEW(s->in->scratch, struct lint_suppressed);
	entry->told->kind = SUPPRESSED_BY_COMMENT;
	entry->told->reason = reason.length ? arena_dup_bytes(s->arena, reason.at, reason.length) : NULL;
	entry->told->comment = excerpt_at(s->in->source, entry->pragma->span, s->arena);
	return entry->told;
}

/* Sorts FINDINGS, ordered by place, into KEPT and SUPPRESSED. */
static void sort_out(struct suppressing *s, const struct finding *findings, size_t count, struct findings *kept,
		     struct suppressed *suppressed)
{
	struct sweep sweep = {0, 0, 0, 0};
	memset(s->by_line, 0, s->in->rules->count * sizeof *s->by_line);
	for (size_t i = 0; i < s->in->rules->count; i++)
		s->by_block[i].count = 0;
	for (size_t i = 0; i < count; i++) {
		sweep_to(s, &sweep, source_line(s->in->source, findings[i].at.span.start));
		struct entry *entry = suppressor(s, &findings[i]);
		if (!entry) {
			VEC_ADD(kept, findings[i]);
			continue;
		}
		struct lint_suppressed one = *said_by(s, entry);
		one.finding = findings[i];
		VEC_ADD(suppressed, one);
	}
	sweep_to(s, &sweep, UINT32_MAX); /* blocks behind the last finding are ended as well */
}

/* ---- what is wrong with comments ---- */

static struct edit *edit_new(struct arena *arena, uint32_t start, uint32_t end, const char *text)
{
	struct edit *edit = ARENA_NEW(arena, struct edit);
	*edit = (struct edit){{start, end}, text};
	return edit;
}

static bool is_blank_between(const char *text, uint32_t start, uint32_t end)
{
	while (start < end && (text[start] == ' ' || text[start] == '\t' || text[start] == '\f'))
		start++;
	return start == end;
}

static uint32_t blanks_before(const char *text, uint32_t at)
{
	while (at && (text[at - 1] == ' ' || text[at - 1] == '\t'))
		at--;
	return at;
}

/* The edit that takes PRAGMA out: with its line where that holds nothing else, else with the blanks around it. */
static struct edit *removal(const struct suppressing *s, const struct pragma *pragma)
{
	const struct source *source = s->in->source;
	const char *text = source->text;
	uint32_t start = blanks_before(text, pragma->span.start), end = pragma->span.end;
	uint32_t line_start = source->line_starts[pragma->line - 1];
	bool ends_comment = is_blank_between(text, end, pragma->comment.end);
	if (ends_comment && start == line_start) {
		end = pragma->line < source->line_count ? source->line_starts[pragma->line] : pragma->comment.end;
	} else if (ends_comment) {
		end = pragma->comment.end;
	} else if (pragma->span.start == pragma->comment.start) {
		/* what follows takes its place, with a '#' of its own or this one */
		start = pragma->span.start;
		while (end < pragma->comment.end && (text[end] == ' ' || text[end] == '\t'))
			end++;
		if (text[end] != '#') {
			start++;
			end = pragma->span.end;
		}
	}
	return edit_new(s->arena, start, end, "");
}

/* The edit that leaves only the names of COMMENT that are of use. */
static struct edit *shortening(const struct suppressing *s, const struct comment *comment, const bool *gone)
{
	const struct pragma *pragma = comment->pragma;
	struct buf text = BUF_INIT;
	for (size_t k = 0; k < comment->count; k++)
		if (!gone[k])
			buf_format(&text, "%s%.*s", text.length ? ", " : "", STR_ARG(pragma->names[k].text));
	struct edit *edit = edit_new(s->arena, pragma->names[0].span.start, pragma->names[comment->count - 1].span.end,
					     arena_dup(s->arena, buf_text(&text)));
	buf_release(&text);
	return edit;
}

struct fault {
	const char *what;  /* `comment` in a rule's `where` */
	struct span where;
	struct str name;
	struct str nearest; /* {value} in messages */
	struct edit *edit; /* or NULL */
	bool is_safe;
};

/* Faults told of one line. Nobody writes more, and each keeps a copy of the line. */
enum { FAULTS_A_LINE = 20 };

/* Has the rules say what they have to say about FAULT. */
static void add_fault(struct suppressing *s, const struct pragma *pragma, const struct fault *fault, struct findings *out)
{
	s->faults = pragma->line == s->fault_line ? s->faults + 1 : 1;
	s->fault_line = pragma->line;
	if (s->faults > FAULTS_A_LINE)
		return;
	struct event event = {.node = pragma->node};
	struct site site = {.kind = SITE_DERIVED, .name = fault->nearest};
	struct fact fact = {.kind = FACT_SUPPRESSION, .event = &event, .where = fault->where, .proof = PROOF_FLOW,
			    .what = fault->what, .name = fault->name, .site = &site, .mode = -1};
	struct judgement judgement = {.facts = &fact, .count = 1};
	struct match_input input = {.rules = s->in->rules, .selection = s->in->selection, .source = s->in->source,
				    .judgement = &judgement, .candidates = s->in->candidates, .arena = s->arena};
	size_t count;
	struct finding *found = match_rules(&input, &count);
	for (size_t i = 0; i < count; i++) {
		if (fault->edit && !found[i].edit_count) {
			found[i].edits = fault->edit;
			found[i].edit_count = 1;
			found[i].fix_is_safe = fault->is_safe;
		}
		VEC_ADD(out, found[i]);
	}
}

/* "VL101', 'VL102" */
static struct str joined(const struct suppressing *s, const struct comment *comment, const bool *which)
{
	struct buf text = BUF_INIT;
	for (size_t k = 0; k < comment->count; k++)
		if (which[k])
			buf_format(&text, "%s%.*s", text.length ? "', '" : "", STR_ARG(comment->pragma->names[k].text));
	struct str out = arena_dup_str(s->arena, buf_get(&text));
	buf_release(&text);
	return out;
}

static bool has_fault_of_use(struct suppressing *s, struct comment *comment, struct findings *out)
{
	const struct pragma *pragma = comment->pragma;
	bool *gone = ARENA_ARRAY(s->in->scratch, bool, comment->count + 1);
	size_t count = 0;
	for (size_t k = 0; k < comment->count; k++) {
		/* what an enable ends stands in the file, whatever rules run */
		gone[k] = !comment->entries[k].used && (pragma->kind == PRAGMA_ENABLE ? names_any(s, &comment->entries[k])
										      : is_judged(s, &comment->entries[k]));
		count += gone[k];
	}
	if (!count || (pragma->kind == PRAGMA_NOQA && !pragma->name_count))
		return false;
	struct fault fault = {.what = pragma->kind == PRAGMA_ENABLE ? "idle" : pragma->name_count ? "unused" : "unused-all",
			      .where = pragma->span, .is_safe = true};
	if (pragma->name_count)
		fault.name = joined(s, comment, gone);
	fault.edit = count == comment->count ? removal(s, pragma) : shortening(s, comment, gone);
	add_fault(s, pragma, &fault, out);
	return true;
}

/* "VL101" and its like, which in a noqa is surely meant for us. */
static bool is_code_of_ours(struct str text)
{
	return text.length > 2 && (text.at[0] == 'V' || text.at[0] == 'v') && (text.at[1] == 'L' || text.at[1] == 'l') &&
	       strspn(text.at + 2, "0123456789") >= text.length - 2;
}

static void add_unknown(struct suppressing *s, const struct comment *comment, struct findings *out)
{
	const struct pragma *pragma = comment->pragma;
	bool *gone = ARENA_ARRAY(s->in->scratch, bool, comment->count + 1);
	for (size_t k = 0, told = 0; k < comment->count && told < FAULTS_A_LINE; k++) {
		const struct pragma_name *name = comment->entries[k].name;
		if (!name || names_any(s, &comment->entries[k]) || (pragma->kind == PRAGMA_NOQA && !is_code_of_ours(name->text)))
			continue;
		told++;
		const char *nearest = rule_set_nearest(s->in->rules, name->text);
		struct fault fault = {.what = nearest ? "misspelt" : "unknown", .where = name->span, .name = name->text,
				      .nearest = str_from(nearest)};
		gone[k] = true;
		if (nearest)
			fault.edit = edit_new(s->arena, name->span.start, name->span.end, nearest);
		else
			fault.edit = comment->count == 1 ? removal(s, pragma) : shortening(s, comment, gone);
		gone[k] = false; /* one at a time: what is left of them is looked at again */
		add_fault(s, pragma, &fault, out);
	}
}

/* The edit that names the rules which a comment without names suppresses, or NULL where it suppresses none. */
static struct edit *naming(const struct suppressing *s, const struct entry *entry)
{
	struct buf text = BUF_INIT;
	for (size_t i = 0; i < s->in->rules->count; i++)
		if (entry->codes[i])
			buf_format(&text, "%s%s", text.length ? ", " : "[", s->in->rules->rules[i]->code);
	struct edit *edit = NULL;
	if (text.length) {
		buf_add_char(&text, ']');
		edit = edit_new(s->arena, entry->pragma->list.end, entry->pragma->list.end, arena_dup(s->arena, buf_text(&text)));
	}
	buf_release(&text);
	return edit;
}

static void add_faults(struct suppressing *s, struct comment *comment, struct findings *out)
{
	const struct pragma *pragma = comment->pragma;
	bool suppresses = pragma->kind == PRAGMA_IGNORE || pragma->kind == PRAGMA_DISABLE || pragma->kind == PRAGMA_FILE_IGNORE;
	if (pragma->kind == PRAGMA_MALFORMED) {
		struct fault fault = {.what = "malformed", .where = pragma->span, .name = str_from(pragma->fault)};
		add_fault(s, pragma, &fault, out);
		return;
	}
	bool is_useless = has_fault_of_use(s, comment, out);
	add_unknown(s, comment, out);
	if (suppresses && !pragma->name_count && !is_useless) {
		struct fault fault = {.what = "bare", .where = pragma->span, .edit = naming(s, comment->entries), .is_safe = true};
		add_fault(s, pragma, &fault, out);
	}
	if (suppresses && !pragma->reason.length) {
		struct fault fault = {.what = "unreasoned", .where = pragma->span};
		add_fault(s, pragma, &fault, out);
	}
}

/* ---- all ---- */

static int by_finding(const void *a, const void *b)
{
	return finding_compare(a, b);
}

void suppress(const struct suppress_input *in, struct lint_result *result)
{
	struct suppressing s = {.in = in, .arena = &result->arena};
	struct findings kept = {0}, faults = {0};
	struct suppressed suppressed = {0};
	struct pragma_list pragmas;
	pragmas_find(&pragmas, in->grammar, in->root, in->source, in->scratch);
	if (!pragmas.count)
		return;
	set_up(&s, &pragmas);
	s.of_lines = ARENA_ARRAY(in->scratch, struct comment *, s.count + 1);
	for (size_t i = 0; i < s.count; i++) {
		if (s.comments[i].pragma->kind == PRAGMA_FILE_IGNORE)
			enter(&s, &s.comments[i], s.by_file);
		if (is_about_a_line(&s.comments[i]))
			s.of_lines[s.of_line_count++] = &s.comments[i];
	}
	sort_out(&s, result->findings, result->finding_count, &kept, &suppressed);
	for (size_t i = 0; i < s.count; i++)
		add_faults(&s, &s.comments[i], &faults);
	if (faults.count) {
		qsort(faults.items, faults.count, sizeof *faults.items, by_finding);
		in->identify(faults.items, faults.count, in->context);
		sort_out(&s, faults.items, faults.count, &kept, &suppressed);
		if (kept.count)
			qsort(kept.items, kept.count, sizeof *kept.items, by_finding);
		if (suppressed.count)
			qsort(suppressed.items, suppressed.count, sizeof *suppressed.items, lint_suppressed_order);
	}
	result->findings = ARENA_ARRAY(s.arena, struct finding, kept.count + 1);
	result->suppressed = ARENA_ARRAY(s.arena, struct lint_suppressed, suppressed.count + 1);
	result->finding_count = kept.count;
	result->suppressed_count = suppressed.count;
	if (kept.count)
		memcpy(result->findings, kept.items, kept.count * sizeof *kept.items);
	if (suppressed.count)
		memcpy(result->suppressed, suppressed.items, suppressed.count * sizeof *suppressed.items);
	VEC_RELEASE(&kept);
	VEC_RELEASE(&faults);
	VEC_RELEASE(&suppressed);
	tear_down(&s);
}
