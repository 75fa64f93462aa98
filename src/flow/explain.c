#include "flow/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct explaining {
	const struct interp *in;
	const struct judgement *judgement;
	const struct source *source;
	struct buf *out;
};

static const char *const event_words[] = {
	[EVENT_STORE] = "store",
	[EVENT_ACCUMULATE] = "accumulate",
	[EVENT_ASSIGN] = "assign",
	[EVENT_RESET] = "reset",
	[EVENT_CONSUME] = "consume",
	[EVENT_ESCAPE] = "escape",
	[EVENT_RETURN] = "return",
	[EVENT_FORWARD] = "forward",
	[EVENT_CONVERT] = "convert",
	[EVENT_LOG] = "log",
	[EVENT_GRAD_CONTEXT] = "grad",
	[EVENT_YIELD] = "yield",
	[EVENT_MODE] = "mode",
	[EVENT_MADE] = "made",
	[EVENT_STEP] = "optimizer step",
	[EVENT_ZERO] = "zero_grad",
	[EVENT_MARK] = "mark",
	[EVENT_RETRY] = "retry",
};
static const char *const grad_words[] = {"on", "off", "inference", "unknown", "on and off"};
static const char *const site_words[] = {"forward", "call", "element", "input", "parameter", "derived", "holder", "gradient", "carry"};
static const char *const tag_words[] = {"is", "from", "through call of", "cut from"};

struct line_words {
	char text[32]; /* "12", in a notebook "cell 3:12" */
};

static struct line_words line_of(const struct explaining *e, uint32_t offset)
{
	struct line_words words = {"0"};
	uint32_t cell = source_cell(e->source, offset);
	if (offset && offset >= e->source->length)
		return words;
	int used = cell ? snprintf(words.text, sizeof words.text, "cell %" PRIu32 ":", cell) : 0;
	snprintf(words.text + used, sizeof words.text - (size_t)used, "%" PRIu32, source_place(e->source, offset).line);
	return words;
}

/* A name as written, on one line and without anything that a terminal would obey. */
static void say_name(const struct explaining *e, struct str name)
{
	enum { MOST = 60 };
	buf_add_text(e->out, " '");
	for (size_t i = 0; i < name.length && i < MOST && name.at[i] != '\n' && name.at[i] != '\r'; i++)
		buf_add_char(e->out, (unsigned char)name.at[i] < 0x20 || name.at[i] == 0x7f ? '?' : name.at[i]);
	buf_add_char(e->out, '\'');
}

static void say_path(const struct explaining *e, const struct loop *path)
{
	if (!path) {
		buf_add_text(e->out, "no loop");
		return;
	}
	for (const struct loop *loop = path; loop; loop = loop->outer)
		buf_format(e->out, "%s%s:%s", loop == path ? "" : " < ", loop_kind_name(e->judgement->loops[loop->id]),
			   line_of(e, loop->span.start).text);
}

static void say_origins(const struct explaining *e, const struct origin_set *set)
{
	for (uint32_t i = 0; i < set->count; i++) {
		const struct site *site = e->in->sites.items[origin_site(set->items[i])];
		buf_format(e->out, "%s%s %s", i ? ", " : "", tag_words[origin_tag_of(set->items[i])], site_words[site->kind]);
		if (site->name.length)
			say_name(e, site->name);
		buf_format(e->out, ":%s", line_of(e, site->span.start).text);
		if (e->judgement->site_proof)
			buf_format(e->out, " (%s)", (const char *[]){"no graph", "name", "sibling", "usage", "flow"}[e->judgement->site_proof[site->id]]);
	}
	if (set->overflow)
		buf_add_text(e->out, ", and more");
}

static void say_event(const struct explaining *e, const struct event *event)
{
	buf_format(e->out, "%s: %s", line_of(e, event->node.start).text, event_words[event->kind]);
	if (event->name.length)
		say_name(e, event->name);
	buf_add_text(e->out, " [");
	say_path(e, event->path);
	buf_format(e->out, "] grad %s", grad_words[event->grad]);
	if (event->cond)
		buf_add_text(e->out, ", conditional");
	if (event->retains)
		buf_add_text(e->out, ", retains");
	if (event->kind == EVENT_FORWARD || event->kind == EVENT_MODE)
		buf_format(e->out, ", mode %s", event->mode == 1 ? "train" : event->mode == 0 ? "eval" : "unknown");
	if (event->origins->count) {
		buf_add_text(e->out, "; value ");
		say_origins(e, event->origins);
	}
	buf_add_char(e->out, '\n');
}

static void say_fact(const struct explaining *e, const struct fact *fact)
{
	static const char *const proofs[] = {"none", "name", "sibling", "usage", "flow"};
	static const char *const buffers[] = {"kept", "freed", "perhaps freed"};
	buf_format(e->out, "%s: => %s: growth %s, graph %s, saved tensors %s, proof %s", line_of(e, fact->where.start).text,
		   fact_kind_name(fact->kind), growth_name(fact->growth), proofs[fact->graph], buffers[fact->buffers],
		   proofs[fact->proof]);
	if (fact->loop)
		buf_format(e->out, ", over the %s loop at line %s", loop_kind_name(e->judgement->loops[fact->loop->id]),
			   line_of(e, fact->loop->span.start).text);
	if (fact->consumption)
		buf_format(e->out, ", walked at line %s", line_of(e, fact->consumption->node.start).text);
	buf_add_char(e->out, '\n');
}

void explain(const struct analysis *analysis, const struct judgement *judgement, const struct source *source,
	     struct buf *out)
{
	struct explaining e = {&analysis->in, judgement, source, out};
	for (size_t i = 0; i < analysis->in.events.count; i++) {
		const struct unit *unit = unit_of(&analysis->in, analysis->in.events.items[i].node);
		if (unit)
			buf_format(out, "%s ", unit->shown);
		say_event(&e, &analysis->in.events.items[i]);
	}
	for (size_t i = 0; i < judgement->count; i++)
		say_fact(&e, &judgement->facts[i]);
}
