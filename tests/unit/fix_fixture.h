/* Programs before and after their fixes, with the built-in rules. A test program that includes this runs its tests between
 * fix_set_up and fix_tear_down. */
#ifndef VRAMLINT_TESTS_FIX_FIXTURE_H
#define VRAMLINT_TESTS_FIX_FIXTURE_H

#include "engine/fix.h"

#include "base/mem.h"

#include "temp_tree.h"

/* What a training step is, in the loop over x. */
#define FIX_HEAD "import torch\nfrom torch import nn\nnet = nn.Linear(1, 1)\nopt = torch.optim.SGD(net.parameters(), lr=1)\n"
#define FIX_STEP "    loss = net(x).mean()\n    loss.backward()\n    opt.step(); opt.zero_grad()\n"

static struct {
	struct rule_set rules;
	struct arena arena;
	struct selection selection;
	struct linter *linter;
	struct lint_worker *worker;
} fixing;

static inline int fix_set_up(void **state)
{
	struct buf warnings = BUF_INIT;
	struct err err = {0};

	arena_init(&fixing.arena);
	assert_true(rule_set_init(&fixing.rules, NULL, &err));
	selection_init(&fixing.selection, &fixing.rules, NULL, NULL, PROOF_USAGE, &fixing.arena, &warnings);
	buf_release(&warnings);
	fixing.linter = linter_new(&fixing.rules, &fixing.selection, NULL, &err);
	fixing.worker = lint_worker_new(fixing.linter);
	return 0;
}

static inline int fix_tear_down(void **state)
{
	lint_worker_free(fixing.worker);
	linter_free(fixing.linter);
	rule_set_release(&fixing.rules);
	arena_release(&fixing.arena);
	return 0;
}

/* TEXT after its fixes, on the heap; OUTCOME (may be NULL) is to be released by the caller. */
static inline char *fix_text(const char *text, bool unsafe, struct fix_outcome *outcome)
{
	struct fix_outcome own;
	struct lint_result result;
	struct source source;
	struct err err = {0};
	char *fixed;

	if (!source_init(&source, str_from(text), &err))
		fail_msg("%s", err.message);
	lint_source(fixing.worker, NULL, &source, &result);
	if (fix_source(fixing.worker, NULL, str_from(text), &source, &result, (struct fix_policy){unsafe}, &own))
		fixed = mem_dup(own.source.text, own.source.length);
	else
		fixed = mem_dup(text, strlen(text));
	if (outcome)
		*outcome = own;
	else
		fix_outcome_release(&own);
	lint_result_release(&result);
	source_release(&source);
	return fixed;
}

/* BEFORE becomes AFTER, and that stays as it is; AFTER NULL: nothing is fixed. */
static inline void fix_check(const char *before, const char *after, bool unsafe)
{
	char *fixed = fix_text(before, unsafe, NULL);
	char *again = fix_text(fixed, unsafe, NULL);

	assert_string_equal(fixed, after ? after : before);
	assert_string_equal(again, fixed);
	free(fixed);
	free(again);
}

#endif
