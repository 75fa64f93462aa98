/* A snippet of Python through parser, lowering, interpreter and judge, and what came of it as text.
 *
 * Lines are counted from the snippet's own first line: what every snippet needs
 * stands on a line 0 before it. A test program that includes this runs its
 * tests between flow_set_up and flow_tear_down. */
#ifndef VRAMLINT_TESTS_FLOW_FIXTURE_H
#define VRAMLINT_TESTS_FLOW_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "flow/analysis.h"
#include "flow/judge.h"
#include "rule/finding.h"

#define FLOW_PRELUDE                                                                                                   \
	"import torch, torch.nn.functional as F; from torch import nn; net = nn.Linear(4, 1); crit = nn.MSELoss(); "    \
	"opt = torch.optim.SGD(net.parameters(), lr=1)\n"

struct flow {
	struct arena arena;
	struct py_parser parser;
	TSTree *tree;
	char *text;
	uint32_t first_line; /* lines before the snippet */
	struct lower lower;
	struct def *module;
	struct analysis analysis;
	struct judgement judgement;
	struct buf out;
};

static struct model flow_model;
static struct py_grammar flow_grammar;

static inline int flow_set_up(void **state)
{
	struct err err = {0};

	py_grammar_init(&flow_grammar);
	if (model_init(&flow_model, NULL, &err))
		return 0;
	print_error("%s\n", err.message);
	return -1;
}

static inline int flow_tear_down(void **state)
{
	model_release(&flow_model);
	py_grammar_release(&flow_grammar);
	return 0;
}

/* Parses and lowers TEXT as a module; nothing is analysed yet. */
static inline void flow_lower(struct flow *flow, const char *text)
{
	struct err err;

	memset(flow, 0, sizeof *flow);
	arena_init(&flow->arena);
	buf_init(&flow->out);
	py_parser_init(&flow->parser);
	flow->text = arena_dup(&flow->arena, text);
	flow->tree = py_parse(&flow->parser, str_from(flow->text), NULL, &err);
	assert_non_null(flow->tree);
	flow->lower = (struct lower){
		.parser = &flow->parser, .grammar = &flow_grammar, .text = str_from(flow->text), .arena = &flow->arena};
	flow->module = lower_def(&flow->lower, ts_tree_root_node(flow->tree), NULL);
}

/* Analyses what was lowered, in the file TEXT, and judges it. */
static inline void flow_run(struct flow *flow, struct str text)
{
	analysis_run(&flow->analysis, &flow_model, &flow->arena, text, &flow->lower, flow->module, NULL, NULL, NULL);
	judge(&flow->analysis, &flow->judgement);
}

static inline void flow_init(struct flow *flow, const char *snippet)
{
	struct buf text = BUF_INIT;

	buf_format(&text, "%s%s", FLOW_PRELUDE, snippet);
	flow_lower(flow, buf_text(&text));
	buf_release(&text);
	flow->first_line = 1;
	flow_run(flow, str_from(flow->text));
}

static inline void flow_release(struct flow *flow)
{
	if (flow->analysis.in.arena)
		analysis_release(&flow->analysis);
	lower_release(&flow->lower);
	ts_tree_delete(flow->tree);
	py_parser_release(&flow->parser);
	buf_release(&flow->out);
	arena_release(&flow->arena);
}

/* The line of OFFSET, 1 for the snippet's first. */
static inline int flow_line(const struct flow *flow, uint32_t offset)
{
	int line = 1 - (int)flow->first_line;

	for (uint32_t i = 0; i < offset && flow->text[i]; i++)
		line += flow->text[i] == '\n';
	return line;
}

static inline void flow_add_loop(struct flow *flow, const struct loop *loop)
{
	if (loop)
		buf_format(&flow->out, " %s@%d", loop_kind_name(flow->judgement.loops[loop->id]),
			   flow_line(flow, loop->span.start));
}

static inline bool flow_is_growth(const struct fact *fact)
{
	return fact->kind == FACT_STORE || fact->kind == FACT_ACCUMULATE || fact->kind == FACT_CARRY;
}

static inline void flow_add_fact(struct flow *flow, const struct fact *fact)
{
	buf_format(&flow->out, "%d %s", flow_line(flow, fact->where.start), fact_kind_name(fact->kind));
	if (flow_is_growth(fact)) {
		static const char *const buffers[] = {"kept", "freed", "partly"};

		buf_format(&flow->out, " %s %s", growth_name(fact->growth),
			   fact->graph == PROOF_NONE ? "no-graph" : buffers[fact->buffers]);
	}
	if (fact->kind == FACT_EXCEPTION)
		buf_format(&flow->out, " %s", growth_name(fact->growth));
	buf_format(&flow->out, " %s", proof_name(fact->proof));
	flow_add_loop(flow, fact->loop);
	buf_add_char(&flow->out, '\n');
}

/* One line a fact, in order of events: "LINE KIND [GROWTH BUFFERS] PROOF [LOOP-KIND@LINE]". Growth of what carries no
 * graph counts with ALL only. */
static inline const char *flow_facts(struct flow *flow, bool all)
{
	buf_reset(&flow->out);
	for (size_t i = 0; i < flow->judgement.count; i++) {
		const struct fact *fact = &flow->judgement.facts[i];

		/* snippets are short: that they never zero, or that a name stays bound, is not what they are about */
		if (fact->kind == FACT_UNZEROED || fact->kind == FACT_LATE)
			continue;
		if (all || fact->graph != PROOF_NONE || !flow_is_growth(fact))
			flow_add_fact(flow, fact);
	}
	return buf_text(&flow->out);
}

/* The kind of each loop, in order of loops: "step@2 intra@4". */
static inline const char *flow_loops(struct flow *flow)
{
	buf_reset(&flow->out);
	for (size_t i = 0; i < flow->analysis.in.loops.count; i++)
		flow_add_loop(flow, flow->analysis.in.loops.items[i]);
	return flow->out.length ? buf_text(&flow->out) + 1 : "";
}

/* The only fact there is, with or without a graph. */
static inline const struct fact *flow_only_fact(struct flow *flow)
{
	if (flow->judgement.count != 1)
		fail_msg("there are %zu facts:\n%s", flow->judgement.count, flow_facts(flow, true));
	return flow->judgement.facts;
}

static inline size_t flow_count_events(const struct flow *flow, enum event_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < flow->analysis.in.events.count; i++)
		count += flow->analysis.in.events.items[i].kind == kind;
	return count;
}

struct flow_case {
	const char *name, *snippet, *expected;
};

static inline void flow_show(const char *snippet)
{
	int line = 1;

	for (const char *at = snippet; *at; line++) {
		int n = (int)strcspn(at, "\n");

		print_error("    %2d  %.*s\n", line, n, at);
		at += n + (at[n] == '\n');
	}
}

/* Every case is looked at before the test fails, so that one run shows all. */
static inline void flow_check(const struct flow_case *cases, size_t count,
			      const char *(*told)(struct flow *, bool), bool all)
{
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++) {
		struct flow flow;

		flow_init(&flow, cases[i].snippet);
		const char *got = told(&flow, all);

		if (strcmp(got, cases[i].expected ? cases[i].expected : "?\n") != 0) {
			print_error("%s\n", cases[i].name);
			flow_show(cases[i].snippet);
			print_error("  expected:\n%s  got:\n%s", cases[i].expected, got);
			wrong++;
		}
		flow_release(&flow);
	}
	if (wrong)
		fail_msg("%zu of %zu snippets", wrong, count);
}

/* Facts about graphs. */
#define FLOW_CHECK(cases) flow_check(cases, sizeof(cases) / sizeof *(cases), flow_facts, false)
/* All facts. */
#define FLOW_CHECK_ALL(cases) flow_check(cases, sizeof(cases) / sizeof *(cases), flow_facts, true)

static inline const char *flow_told_loops(struct flow *flow, bool all)
{
	flow_loops(flow);
	buf_add_char(&flow->out, '\n');
	return buf_text(&flow->out) + 1;
}

#define FLOW_CHECK_LOOPS(cases) flow_check(cases, sizeof(cases) / sizeof *(cases), flow_told_loops, false)

#endif
