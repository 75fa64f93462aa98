/* Any bytes as a document, through all rules. */
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "engine/lint.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rule_set rules;
static struct arena arena;
static struct settings settings;
static struct linter *linter;
static struct lint_worker *worker;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct rule_pick all = {.name = "ALL", .verb = RULE_TAKE};
	struct err err;

	arena_init(&arena);
	if (!rule_set_init(&rules, NULL, &err))
		BUG("the built-in rules do not load");
	selection_init(&settings.selection, &rules, &all, 1, false, PROOF_NAME, &arena);
	settings.linter = linter = linter_new(&rules, NULL, &err);
	if (!linter)
		BUG("the built-in rules make no linter");
	/* One worker for all documents, as in a run: what a document leaves behind is part of the test. */
	worker = lint_worker_new();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str raw = {(const char *)data, size};
	struct lint_result result;
	struct source source;
	struct err err;

	if (!source_init(&source, raw, &err))
		return 0;
	lint_source(worker, &settings, "fuzz.py", &source, &result);
	for (size_t i = 0; i < result.finding_count; i++) {
		const struct excerpt *at = &result.findings[i].at;

		if (at->start.line < 1 || at->start.line > source.line_count)
			BUG("a finding lies outside of its document");
	}
	lint_result_release(&result);
	source_release(&source);
	return 0;
}
