#include "rule/match.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/map.h"
#include "base/os.h"
#include "base/vec.h"
#include "rule/fix.h"
#include "rule/predicate.h"
#include "rule/trained.h"

struct matching {
	const struct match_input *in;
	struct syntax syntax; /* with what is left of its budget */
	struct map subjects; /* rule and subject → 1 + number of the finding */
	VEC(struct finding) findings;
};

/* ---- candidates ---- */

static int by_first_capture(const void *a, const void *b)
{
	const struct query_match *x = a, *y = b;
	if (x->captures[0].span.start != y->captures[0].span.start)
		return x->captures[0].span.start < y->captures[0].span.start ? -1 : 1;
	if (x->captures[0].span.end != y->captures[0].span.end)
		return x->captures[0].span.end < y->captures[0].span.end ? -1 : 1;
	if (x->pattern != y->pattern)
		return x->pattern < y->pattern ? -1 : 1;
	/* and so on: in whatever order they were found, this one is the same */
	for (uint32_t i = 1; i < x->capture_count && i < y->capture_count; i++)
		if (x->captures[i].span.start != y->captures[i].span.start)
			return x->captures[i].span.start < y->captures[i].span.start ? -1 : 1;
	return (x->capture_count > y->capture_count) - (x->capture_count < y->capture_count);
}

/* They come nearly in order: few have to move, and these not far. Whatever comes in another way is sorted as it is. */
static void put_in_order(struct query_match *items, size_t count)
{
	size_t moves_left = 8 * count;
	for (size_t i = 1; i < count; i++) {
		size_t to = i;
		if (items[i - 1].captures[0].span.start < items[i].captures[0].span.start)
			continue; /* as nearly all are */
		while (to > 0 && moves_left > 0 && by_first_capture(&items[to - 1], &items[i]) > 0) {
			to--;
			moves_left--;
		}
		if (moves_left == 0) {
			qsort(items, count, sizeof *items, by_first_capture);
			return;
		}
		if (to == i)
			continue;
		struct query_match moved = items[i];
		memmove(&items[to + 1], &items[to], (i - to) * sizeof *items);
		items[to] = moved;
	}
}

/* The candidate of RULE at SPAN; those of all rules that begin there come from FIRST on. */
static const struct query_match *candidate_at(const struct matching *m, const struct rule *rule, struct span span, size_t first)
{
	const struct query_match_list *list = m->in->candidates;
	const struct query_match *best = NULL;
	for (size_t i = first; i < list->count && list->items[i].captures[0].span.start == span.start; i++) {
		const struct query_match *match = &list->items[i];
		struct span at = match->captures[0].span;
		/* of several patterns at one place the one that captured most says most */
		if (match->source == rule->index && at.end == span.end &&
		    (!best || match->capture_count > best->capture_count))
			best = match;
	}
	return best;
}

/* ---- words ---- */

static struct str slice(const struct matching *m, struct span span)
{
	return source_slice(m->in->source, span);
}

/* Source text as part of a sentence: one line, not too long. */
static void add_code(struct buf *out, struct str code)
{
	enum { MOST = 48 };
	size_t n = 0;
	bool cut = false;
	while (n < code.length && code.at[n] != '\n' && code.at[n] != '\r' && n < MOST)
		n++;
	cut = n < code.length;
	while (cut && n > 0 && ((unsigned char)code.at[n] & 0xc0) == 0x80)
		n--;
	buf_add(out, code.at, n);
	if (cut)
		buf_add_text(out, "…");
}

/* "line 3", in a notebook "line 3 of cell 2" where FACT happens in another cell. */
static void add_line(struct buf *out, const struct matching *m, const struct fact *fact, uint32_t offset)
{
	const struct source *source = m->in->source;
	uint32_t cell = source_cell(source, offset);
	buf_format(out, "line %u", source_place(source, offset).line);
	if (cell != source_cell(source, fact->where.start))
		buf_format(out, " of cell %u", cell);
}

/* The method that the loop around FACT calls: hooks of a framework share its loop. NULL where the loop is written. */
static const struct def *method_of_loop(const struct fact *fact)
{
	const struct call *call = fact->event->call;
	if (fact->loop->form != LOOP_VIRTUAL)
		return NULL;
	while (call && call->outer)
		call = call->outer;
	return call && !call->node && call->callee ? call->callee : fact->loop->def;
}

static void add_loop(struct buf *out, const struct matching *m, const struct fact *fact)
{
	const struct loop *loop = fact->loop;
	const struct unit *unit = loop ? unit_of(&m->in->analysis->in, loop->span) : NULL;
	if (!loop) {
		buf_add_text(out, "the loop");
	} else if (unit) {
		buf_format(out, "the loop in line %u of '%s'", unit_line(unit, loop->span), unit->shown);
	} else if (loop->form == LOOP_VIRTUAL) {
		buf_format(out, "every %s", loop->virtual_name[0] == 'e' ? "epoch" : loop->virtual_name[0] == 's' ? "step" : "call");
		const struct def *method = method_of_loop(fact);
		if (method && method->name.length && loop->virtual_name[0] != 'e')
			buf_format(out, " of '%.*s'", STR_ARG(method->name));
	} else if (loop->variable.length && loop->form != LOOP_WHILE) {
		buf_format(out, "the loop over '%.*s' (", STR_ARG(loop->variable));
		add_line(out, m, fact, loop->span.start);
		buf_add_char(out, ')');
	} else {
		buf_add_text(out, "the loop at ");
		add_line(out, m, fact, loop->span.start);
	}
}

static struct str holder_name(const struct fact *fact)
{
	struct str name = fact->event->name;
	bool of_holder = fact->kind == FACT_CUT_TRAINED || fact->kind == FACT_UNOWNED || fact->kind == FACT_REMADE || fact->kind == FACT_UNRESET ||
			 fact->kind == FACT_WORKER_COPY || (fact->kind == FACT_STORE && !name.length);
	if (of_holder && fact->holder)
		name = fact->holder->name;
	if (fact->name.length)
		name = fact->name;
	return name.length ? name : STR("it");
}

/* The call that FACT is reported at, where what it calls did it; else a null node. */
static TSNode call_reported(const struct matching *m, const struct fact *fact)
{
	TSNode none = {0}, call = fact->elsewhere && !ts_node_is_null(m->syntax.root) ? syntax_at(&m->syntax, fact->where) : none;
	return syntax_kind(&m->syntax, call) == PY_CALL ? call : none;
}

/* The name that was given to the call that FACT is reported at and stands for the value; empty where that is not known. */
static struct str name_handed_over(const struct matching *m, const struct fact *fact)
{
	struct str none = {"", 0};
	TSNode call = call_reported(m, fact), made = fact->event->value.made.end ? syntax_at(&m->syntax, fact->event->value.made) : call;
	if (ts_node_is_null(call) || ts_node_is_null(made))
		return none;
	TSNode assignment = ts_node_parent(made), arguments = syntax_field(call, "arguments");
	if (!syntax_is_field(assignment, "right", made) || syntax_kind(&m->syntax, arguments) != PY_ARGUMENTS)
		return none;
	struct str name = syntax_text(&m->syntax, syntax_field(assignment, "left"));
	for (uint32_t i = 0; i < syntax_child_count(&m->syntax, arguments) && i < 16; i++)
		if (str_equal(syntax_text(&m->syntax, syntax_child(&m->syntax, arguments, i)), name))
			return name;
	return none;
}

/* The holder as those who call see it: 'meter.values' for 'self.values' at 'meter.add(loss)'. */
static void add_holder(struct buf *out, const struct matching *m, const struct fact *fact)
{
	enum { LONGEST = 40 };
	struct str name = holder_name(fact);
	const struct call *call = fact->event->call;
	TSNode node = call && call->self && call->span.start == fact->where.start && call->span.end == fact->where.end
			      ? call_reported(m, fact)
			      : (TSNode){0};
	struct str receiver = ts_node_is_null(node) ? (struct str){"", 0}
						    : syntax_text(&m->syntax, syntax_field(syntax_field(node, "function"), "object"));
	if (!str_starts(name, "self.") || !receiver.length || receiver.length > LONGEST || str_find(receiver, STR("\n"), 0) != SIZE_MAX) {
		add_code(out, name);
		return;
	}
	add_code(out, receiver);
	add_code(out, (struct str){name.at + 4, name.length - 4});
}

static void add_value(struct buf *out, const struct matching *m, const struct fact *fact, const struct query_match *candidate)
{
	struct span span;
	bool found = candidate && query_match_span(candidate, "value", &span);
	struct str given = name_handed_over(m, fact);
	if (fact->elsewhere && fact->site && fact->site->name.length && fact->site->kind == SITE_DERIVED)
		add_code(out, fact->site->name);
	else if (found && !fact->elsewhere)
		add_code(out, slice(m, span));
	else if (given.length)
		add_code(out, given);
	else if (fact->site && fact->site->kind == SITE_DERIVED && fact->site->name.length)
		add_code(out, fact->site->name);
	else if (fact->event->value.made.end)
		add_code(out, slice(m, fact->event->value.made));
	else
		buf_add_text(out, "the value");
}

/* Whether the value is written as a list, tuple, set or dictionary around it. */
static bool is_wrapped(const struct matching *m, const struct fact *fact, const struct query_match *candidate)
{
	struct span span;
	if (fact->elsewhere || !candidate || !query_match_span(candidate, "value", &span) || ts_node_is_null(m->syntax.root))
		return false;
	enum py_node kind = syntax_kind(&m->syntax, syntax_at(&m->syntax, span));
	return kind == PY_LIST || kind == PY_TUPLE || kind == PY_SET || kind == PY_DICTIONARY;
}

/* The value of FACT as written, in parentheses where a method is CALLED on it and it needs them. */
static void add_operand(struct buf *out, const struct matching *m, const struct fact *fact,
			const struct query_match *candidate, bool called)
{
	struct buf code = BUF_INIT;
	bool has_name = fact->site && fact->site->kind == SITE_DERIVED && fact->site->name.length;
	if (called && has_name && is_wrapped(m, fact, candidate))
		add_code(&code, fact->site->name); /* what is around it has no such method */
	else
		add_value(&code, m, fact, candidate);
	bool wrap = called && !fix_is_primary((struct str){buf_text(&code), code.length});
	buf_format(out, wrap ? "(%s)" : "%s", buf_text(&code));
	buf_release(&code);
}

static bool is_in_function(const struct fact *fact)
{
	return fact->where_def && fact->where_def->name.length;
}

/* The function that FACT happens in or, where there is none, "this file", which wants no quotes; CLOSES: a quote follows the
 * placeholder. Returns how many characters behind it are done with. */
static size_t add_function(struct buf *out, const struct fact *fact, bool closes)
{
	bool quoted = closes && out->length > 0 && out->bytes[out->length - 1] == '\'';

	if (is_in_function(fact)) {
		add_code(out, fact->where_def->name);
		return 0;
	}
	if (quoted)
		out->length--;
	buf_add_text(out, "this file");
	return quoted;
}

/* Fills in the {placeholders} of a template. */
static const char *fill(const struct matching *m, const char *template, const struct fact *fact,
			const struct query_match *candidate)
{
	struct buf out = BUF_INIT;
	if (!template)
		return NULL;
	for (const char *at = template; *at;) {
		size_t n = strcspn(at, "{");
		buf_add(&out, at, n);
		at += n;
		if (!*at)
			break;
		size_t end = strcspn(at, "}"), skip = 0;
		struct str word = {at + 1, end ? end - 1 : 0};
		if (str_is(word, "name"))
			add_holder(&out, m, fact);
		else if (str_is(word, "value"))
			add_operand(&out, m, fact, candidate, at[end] && at[end + 1] == '.');
		else if (str_is(word, "loop"))
			add_loop(&out, m, fact);
		else if (str_is(word, "place"))
			add_code(&out, slice(m, fact->where));
		else if (str_is(word, "function"))
			skip = add_function(&out, fact, at[end] && at[end + 1] == '\'');
		else if (str_is(word, "made"))
			add_line(&out, m, fact, fact->site ? fact->site->span.start : fact->where.start);
		else
			buf_add(&out, at, end + 1);
		at += end + (at[end] == '}') + skip;
	}
	const char *text = arena_dup(m->in->arena, buf_text(&out));
	buf_release(&out);
	return text;
}

/* ---- the trail ---- */

struct trail {
	struct finding_note notes[8];
	size_t count;
};

static void add_note(const struct matching *m, struct trail *trail, struct span span, const char *text)
{
	if (trail->count == 8 || span.end == 0 || span.start >= m->in->source->length)
		return;
	trail->notes[trail->count++] = (struct finding_note){excerpt_at(m->in->source, span, m->in->arena), text};
}

static const char *words_of_site(const struct matching *m, const struct fact *fact)
{
	const struct site *site = fact->site;
	struct arena *arena = m->in->arena;
	switch (site->kind) {
	case SITE_DERIVED:
		return arena_format(arena, "'%.*s' is computed here and carries its autograd graph", STR_ARG(site->name));
	case SITE_LEAF:
		return "parameters that require grad: what is computed from them carries a graph";
	case SITE_INPUT:
		return arena_format(arena, "'%.*s' comes in here", STR_ARG(site->name));
	case SITE_CALL:
		return "what this call returns is walked by backward, so it carries a graph";
	default:
		return site->name.length ? arena_format(arena, "this call of '%.*s' records the autograd graph", STR_ARG(site->name))
					 : "this forward records the autograd graph";
	}
}

static void note_buffers(const struct matching *m, const struct fact *fact, struct trail *trail)
{
	if (fact->kind != FACT_STORE && fact->kind != FACT_ACCUMULATE)
		return;
	if (fact->graph == PROOF_NONE || !fact->consumption)
		return;
	add_note(m, trail, fact->consumption->node,
		 fact->shares ? "backward walks the graph that it belongs to here and frees what they share; the rest keeps its saved tensors"
		 : fact->buffers == BUFFERS_PARTLY
			 ? "backward walks it here, but only under a condition: it may hold its saved tensors"
			 : "backward walks it here and frees its saved tensors; the nodes of the graph stay, in host memory");
}

static const char *with_name(const struct matching *m, struct str name, const char *words)
{
	struct buf text = BUF_INIT;
	buf_add_char(&text, '\'');
	add_code(&text, name);
	buf_format(&text, "' %s", words);
	const char *kept = arena_dup(m->in->arena, buf_text(&text));
	buf_release(&text);
	return kept;
}

/* Where a value that was handed down is kept; it may be another file. */
static void note_elsewhere(const struct matching *m, const struct fact *fact, struct trail *trail)
{
	const struct unit *unit = unit_of(&m->in->analysis->in, fact->event->node);
	if (unit)
		add_note(m, trail, fact->where,
			 arena_format(m->in->arena, "it is kept in '%s', line %u", unit->shown, unit_line(unit, fact->event->node)));
	else
		add_note(m, trail, fact->event->node, "and is kept here");
}

static void make_trail(const struct matching *m, const struct fact *fact, struct finding *finding)
{
	struct trail trail = {.count = 0};
	bool keeps = fact->kind == FACT_STORE || fact->kind == FACT_ACCUMULATE || fact->kind == FACT_CARRY ||
		     fact->kind == FACT_EXCEPTION;
	if (fact->site && fact->graph != PROOF_NONE)
		add_note(m, &trail, fact->site->span, words_of_site(m, fact));
	else if (fact->grad_off && fact->event->value.made.end)
		add_note(m, &trail, fact->event->value.made, "made here with grad off");
	note_buffers(m, fact, &trail);
	if (fact->kind == FACT_STORE && fact->holder && fact->holder->span.end)
		add_note(m, &trail, fact->holder->span,
			 with_name(m, holder_name(fact), fact->holder->input ? "comes in here, from outside the loop"
									  : "is made here, outside the loop"));
	if (fact->kind == FACT_RETRY || fact->kind == FACT_EXCEPTION)
		add_note(m, &trail, fact->event->caught,
			 "what is caught here holds the frames of the forward that failed, with their tensors");
	if (fact->elsewhere)
		note_elsewhere(m, fact, &trail);
	if (fact->loop) {
		struct span head = method_of_loop(fact) ? method_of_loop(fact)->head : fact->loop->span;
		if (head.start < m->in->source->length)
			finding->loop = head;
		add_note(m, &trail, head,
			 keeps ? with_name(m, holder_name(fact), "outlives each iteration of this loop") : "in each iteration");
	}
	if (fact->reset)
		add_note(m, &trail, fact->reset->node, "it is let go here");
	finding->notes = ARENA_ARRAY(m->in->arena, struct finding_note, trail.count + 1);
	memcpy(finding->notes, trail.notes, trail.count * sizeof *trail.notes);
	finding->note_count = trail.count;
}

/* ---- findings ---- */

static enum severity severity_of(const struct matching *m, const struct rule *rule, const struct rule_variant *variant,
				 const struct fact *fact)
{
	const signed char *wanted = m->in->selection->severity;
	if (wanted && wanted[rule->index] != SEVERITY_OWN)
		return (enum severity)wanted[rule->index];
	if (variant->severity_given)
		return variant->severity;
	if (rule->default_state == RULE_HINT)
		return SEVERITY_HINT;
	int level = variant->cost == COST_DEVICE ? SEVERITY_ERROR : SEVERITY_WARNING;
	level -= fact->growth == GROWTH_WINDOW || fact->growth == GROWTH_EPOCH ? 1 : fact->growth == GROWTH_CONSTANT ? 2 : 0;
	return level < SEVERITY_HINT ? SEVERITY_HINT : (enum severity)level;
}

static const struct rule_variant *variant_for(const struct matching *m, const struct rule *rule, const struct fact *fact)
{
	for (size_t i = 0; i < rule->variant_count; i++) {
		const struct rule_variant *variant = &rule->variants[i];
		bool holds = true;
		for (size_t k = 0; k < variant->where_count && holds; k++)
			holds = predicate_use_holds(&variant->where[k], fact);
		enum proof limit = m->in->selection->min_confidence;
		if (variant->least && variant->least < limit)
			limit = variant->least;
		if (holds)
			return fact->proof >= limit ? variant : NULL;
	}
	return NULL;
}

static bool says_more(const struct finding *a, const struct finding *b)
{
	return a->proof != b->proof ? a->proof > b->proof : a->severity > b->severity;
}

static void keep(struct matching *m, const struct finding *finding, const struct fact *fact)
{
	struct {
		const void *rule, *loop;
		struct span where;
	} subject = {finding->rule, NULL, {0, 0}};
	subject.where = fact->where;
	struct str key = {(const char *)&subject, sizeof subject};
	size_t known = (size_t)(uintptr_t)map_get(&m->subjects, key);
	if (!known && fact->kind == FACT_FORWARD) { /* one finding a loop */
		subject.loop = fact->loop;
		subject.where = (struct span){0, 0};
		known = (size_t)(uintptr_t)map_get(&m->subjects, key);
	}
	if (known) {
		if (says_more(finding, &m->findings.items[known - 1]) && fact->kind != FACT_FORWARD)
			m->findings.items[known - 1] = *finding;
		return;
	}
	VEC_ADD(&m->findings, *finding);
	map_put(&m->subjects, key, (void *)(uintptr_t)m->findings.count);
	if (fact->kind == FACT_FORWARD) {
		subject.loop = NULL;
		subject.where = fact->where;
		map_put(&m->subjects, key, (void *)(uintptr_t)m->findings.count);
	}
}

/* Whether the fact is a conclusion about values, whose steps have to be shown; others are what the line itself says. */
static bool needs_trail(const struct fact *fact)
{
	return fact->kind <= FACT_FORWARD;
}

static const char *help_for(struct matching *m, const struct rule_variant *variant, const struct fact *fact)
{
	if (!is_in_function(fact))
		return variant->help_outside ? variant->help_outside : variant->help;
	if (variant->help_training && trained_through(m->in->analysis, fact, fact->where_def->span, &m->syntax.budget))
		return variant->help_training;
	return variant->help;
}

static void match_fact(struct matching *m, const struct rule *rule, const struct fact *fact,
		       const struct query_match *candidate)
{
	const struct rule_variant *variant = variant_for(m, rule, fact);
	if (!variant)
		return;
	struct finding finding = {.rule = rule, .cost = variant->cost, .proof = fact->proof};
	finding.at = excerpt_at(m->in->source, fact->where, m->in->arena);
	finding.severity = severity_of(m, rule, variant, fact);
	finding.message = fill(m, variant->message, fact, candidate);
	finding.growth = fill(m, variant->growth, fact, candidate);
	finding.help = fill(m, help_for(m, variant, fact), fact, candidate);
	make_trail(m, fact, &finding);
	fix_make(&(struct fix_input){&m->syntax, m->in->source, &variant->fix, fact, m->in->judgement, m->in->analysis, candidate,
				     m->in->arena}, &finding);
	if (finding.note_count == 0 && needs_trail(fact))
		return; /* a finding that cannot say why is not reported */
	keep(m, &finding, fact);
}

static void match_fact_in_time(struct matching *m, const struct rule *rule, const struct fact *fact, size_t first)
{
	double began = m->in->seconds ? os_seconds() : 0;
	const struct query_match *candidate = candidate_at(m, rule, fact->event->node, first);
	/* queries look at this file; what another one does with a value of ours is what the analysis says */
	if (candidate || fact->event->node.start >= m->in->source->length)
		match_fact(m, rule, fact, candidate);
	if (m->in->seconds)
		m->in->seconds[rule->index] += os_seconds() - began;
}

static int by_finding(const void *a, const void *b)
{
	return finding_compare(a, b);
}

void match_place(const struct rule_set *rules, struct query_match_list *candidates)
{
	for (size_t i = 0; i < candidates->count; i++) {
		struct query_match *match = &candidates->items[i];
		const char *at = rules->rules[match->source]->at;
		for (uint32_t k = 1; k < match->capture_count; k++) {
			if (strcmp(match->captures[k].name, at) != 0)
				continue;
			struct query_capture first = match->captures[0];
			match->captures[0] = match->captures[k];
			match->captures[k] = first;
		}
	}
	put_in_order(candidates->items, candidates->count);
}

struct finding *match_rules(const struct match_input *input, size_t *count)
{
	struct matching m = {.in = input, .syntax = input->syntax};
	for (size_t i = 0; i < input->judgement->count; i++) {
		const struct fact *fact = &input->judgement->facts[i];
		size_t first = query_matches_before(input->candidates, fact->event->node.start);
		for (size_t r = 0; r < input->rules->count; r++)
			if (input->selection->enabled[r])
				match_fact_in_time(&m, input->rules->rules[r], fact, first);
	}
	*count = m.findings.count;
	struct finding *out = ARENA_ARRAY(input->arena, struct finding, m.findings.count + 1);
	if (m.findings.count)
		memcpy(out, m.findings.items, m.findings.count * sizeof *out);
	if (*count)
		qsort(out, *count, sizeof *out, by_finding);
	VEC_RELEASE(&m.findings);
	map_release(&m.subjects);
	syntax_release(&m.syntax);
	return out;
}
