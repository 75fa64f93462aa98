#include "cli/only_new.h"

#include <string.h>

#include "cli/message.h"

bool only_new_options_are_valid(const struct only_new_options *options, struct err *err)
{
	const char *writes = options->update_baseline ? "--update-baseline" : options->prune_baseline ? "--prune-baseline" : NULL;
	const char *changes = options->diff_base ? "--diff-base" : options->staged ? "--staged" : NULL;

	if (writes && !options->baseline)
		return err_set(err, ERR_USAGE, "option '%s' needs '--baseline FILE'", writes);
	if (options->update_baseline && options->prune_baseline)
		return err_set(err, ERR_USAGE, "options '--update-baseline' and '--prune-baseline' exclude each other; the first does both");
	if (writes && changes)
		return err_set(err, ERR_USAGE, "option '%s' looks at all findings and cannot be combined with '%s'", writes, changes);
	if (options->diff_base && options->staged)
		return err_set(err, ERR_USAGE, "options '--diff-base' and '--staged' exclude each other");
	return true;
}

static void on_file(struct run_sink *base, const struct run_file *file)
{
	struct only_new *only_new = (struct only_new *)base;

	if (file->result && only_new->baseline)
		baseline_note(only_new->baseline, file->path, file->result, only_new->rules, only_new->selection);
	only_new->next->file(only_new->next, file);
}

static void on_progress(struct run_sink *base, size_t done, size_t total)
{
	struct only_new *only_new = (struct only_new *)base;

	only_new->next->progress(only_new->next, done, total);
}

bool only_new_init(struct only_new *only_new, const struct only_new_options *options, const struct rule_set *rules,
		   const struct selection *selection, struct err *err)
{
	enum baseline_mode mode = options->update_baseline ? BASELINE_UPDATE
				  : options->prune_baseline ? BASELINE_PRUNE
							    : BASELINE_READ;

	*only_new = (struct only_new){.options = *options, .rules = rules, .selection = selection};
	if (options->baseline && !(only_new->baseline = baseline_new(options->baseline, mode, err)))
		return false;
	if ((options->diff_base || options->staged) && !(only_new->changed = changed_new(options->diff_base, err)))
		return err_context(err, "option '%s'", options->staged ? "--staged" : "--diff-base");
	only_new->limits = (struct lint_limits){only_new->baseline, only_new->changed, NULL};
	return true;
}

void only_new_release(struct only_new *only_new)
{
	baseline_free(only_new->baseline);
	changed_free(only_new->changed);
}

struct run_sink *only_new_sink(struct only_new *only_new, struct run_sink *next)
{
	only_new->next = next;
	only_new->base = (struct run_sink){on_file, next->progress ? on_progress : NULL};
	return &only_new->base;
}

enum { ENTRIES_TOLD = 10 };

static void tell_entry(const char *entry, void *context)
{
	size_t *told = context;

	if ((*told)++ < ENTRIES_TOLD)
		message_warning("the baseline lists %s, which is not found any more", entry);
}

static const char *entries(size_t count)
{
	return count == 1 ? "entry" : "entries";
}

bool only_new_finish(struct only_new *only_new, struct err *err)
{
	const struct only_new_options *options = &only_new->options;
	bool writes = options->update_baseline || options->prune_baseline;
	struct baseline_totals totals;
	size_t told = 0;

	if (!only_new->baseline)
		return true;
	totals = baseline_finish(only_new->baseline, writes || options->quiet ? NULL : tell_entry, &told);
	if (!writes && totals.stale > 0 && !options->quiet)
		message_warning("%zu %s of baseline '%s' can go; '--prune-baseline' takes %s out", totals.stale,
				entries(totals.stale), options->baseline, totals.stale == 1 ? "it" : "them");
	if (!writes)
		return true;
	if (!baseline_write(only_new->baseline, err))
		return false;
	if (!options->quiet)
		message_note("baseline '%s' now has %zu %s: %zu new, %zu gone", options->baseline, totals.kept + totals.added,
			     entries(totals.kept + totals.added), totals.added, totals.stale);
	return true;
}
