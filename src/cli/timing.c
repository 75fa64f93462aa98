#include "cli/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct rule_line {
	const struct rule *rule;
	struct rule_work work;
};

static int slowest_first(const void *a, const void *b)
{
	const struct rule_line *x = a, *y = b;

	if (x->work.seconds != y->work.seconds)
		return x->work.seconds < y->work.seconds ? 1 : -1;
	return strcmp(x->rule->code, y->rule->code);
}

static void print_rules(const struct settings *settings)
{
	const struct rule_set *rules = settings->rules;
	struct rule_line *lines = mem_new(rules->count + 1, sizeof *lines);

	for (size_t i = 0; i < rules->count; i++)
		lines[i] = (struct rule_line){rules->rules[i], linter_rule_work(settings->linter, rules->rules[i])};
	if (rules->count > 0)
		qsort(lines, rules->count, sizeof *lines, slowest_first);
	for (size_t i = 0; i < rules->count; i++) {
		if (lines[i].work.candidates > 0)
			fprintf(stderr, "timing: %s %s %.4f s, %zu place%s looked at\n", lines[i].rule->code, lines[i].rule->name,
				lines[i].work.seconds, lines[i].work.candidates, lines[i].work.candidates == 1 ? "" : "s");
	}
	free(lines);
}

void timing_print(const struct lint_timing *timing, const struct settings *settings, double total)
{
	print_rules(settings);
	fprintf(stderr,
		"timing: prefilter %.3f s, parse %.3f s, query %.3f s, lower %.3f s, interpret %.3f s, judge %.3f s, rules %.3f s "
		"(sums over threads, %.3f s of it for imported files); whole run %.3f s\n",
		timing->prefilter, timing->parse, timing->query, timing->lower, timing->interpret, timing->judge, timing->rules,
		linter_import_seconds(settings->linter), total);
}
