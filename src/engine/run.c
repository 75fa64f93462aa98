#include "engine/run.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/os.h"
#include "engine/pool.h"
#include "text/notebook.h"
#include "text/source.h"

/* Results held at a time: enough that one slow file does not stop the others, few enough to forget their size. */
enum { RESULTS_HELD = 256 };

struct run {
	const struct walk_file *files; /* NULL: the one document is TEXT */
	struct str text;
	size_t count;
	enum run_fixes fixes;
	const struct lint_limits *limits; /* or NULL */
	struct run_sink *sink;
	struct run_totals totals;
};

struct run_worker {
	struct lint_worker *lint;
	struct buf raw; /* kept for the next file */
};

struct run_result {
	struct lint_result lint;
	struct source source; /* kept while the findings are */
	bool is_checked;      /* lint holds something */
	bool has_source;
	bool is_left_out;     /* nobody asked for it, and it is nothing for us */
	struct err err;       /* else why */
	struct fixes *fixes;  /* where some were wanted and possible, or refused; else NULL */
};

/* What run_fix points to. */
struct fixes {
	struct fix_outcome outcome;
	struct buf raw, fixed;
	struct err err;
	bool failed;
};

static void *worker_new(void *context)
{
	const struct run *run = context;
	struct run_worker *worker = mem_new(1, sizeof *worker);

	worker->lint = lint_worker_new();
	lint_worker_limit(worker->lint, run->limits);
	return worker;
}

static void timing_add(struct lint_timing *sum, struct lint_timing more)
{
	sum->prefilter += more.prefilter;
	sum->parse += more.parse;
	sum->query += more.query;
	sum->lower += more.lower;
	sum->interpret += more.interpret;
	sum->judge += more.judge;
	sum->rules += more.rules;
}

static void worker_free(void *context, void *data)
{
	struct run *run = context;
	struct run_worker *worker = data;

	timing_add(&run->totals.timing, lint_worker_timing(worker->lint));
	lint_worker_free(worker->lint);
	buf_release(&worker->raw);
	free(worker);
}

static void raw_reset(struct buf *raw)
{
	/* One huge file must not keep its memory for the whole run. */
	if (raw->room > (size_t)4 << 20)
		buf_release(raw);
	buf_reset(raw);
}

/* Makes the fixes that are wanted in what was checked; RAW is what was read, from FILE or memory. */
static void file_fix(const struct run *run, struct run_worker *worker, const struct walk_file *file, struct str raw,
		     struct run_result *result)
{
	bool puts_comments = run->limits && run->limits->ignore_reason;
	struct fix_policy policy = {!puts_comments && file->settings->unsafe_fixes};
	struct fixes *fixes = mem_new(1, sizeof *fixes);
	struct fix_outcome *outcome = &fixes->outcome;
	bool is_written = run->fixes == RUN_WRITES_FIXES && !run->text.at;

	fix_source(worker->lint, file->settings, file->shown, raw, &result->source, &result->lint, policy, outcome);
	if (outcome->count > 0 && is_written && !os_may_replace_file(file->path, &fixes->err)) {
		err_context(&fixes->err, "'%s' was not fixed", file->shown);
		fixes->failed = true;
	} else if (outcome->notebook.length > 0) {
		fixes->fixed = outcome->notebook;
		buf_init(&outcome->notebook);
		buf_add_str(&fixes->raw, raw);
	} else if (outcome->count > 0 &&
		   !source_encode(&result->source, raw, (struct str){outcome->source.text, outcome->source.length},
				  &fixes->fixed, &fixes->err)) {
		err_context(&fixes->err, "'%s' was not fixed", file->shown);
		fixes->failed = true;
	} else if (outcome->count > 0) {
		buf_add_str(&fixes->raw, raw);
	}
	if (outcome->count > 0 || outcome->refusals.length > 0) {
		result->fixes = fixes;
		return;
	}
	fix_outcome_release(outcome);
	free(fixes);
}

static void fixes_free(struct fixes *fixes)
{
	if (!fixes)
		return;
	fix_outcome_release(&fixes->outcome);
	buf_release(&fixes->raw);
	buf_release(&fixes->fixed);
	free(fixes);
}

static bool document_read(struct source *source, const char *name, struct str raw, struct err *err)
{
	return notebook_is_name(name) ? notebook_init(source, raw, err) : source_init(source, raw, err);
}

/* A notebook in another language is no failure: hooks name whatever was changed. */
static void foreign_take(const struct walk_file *file, struct run_result *result)
{
	if (!file->is_named) {
		result->is_left_out = true;
		return;
	}
	lint_remark(result->err.message, &result->lint);
	result->is_checked = true;
	result->has_source = source_init(&result->source, STR(""), NULL);
}

static void *file_check(void *context, void *data, size_t index)
{
	const struct run *run = context;
	const struct walk_file *file = &run->files[index];
	struct run_worker *worker = data;
	struct run_result *result = mem_new(1, sizeof *result);
	struct str raw = run->text;

	if (file->text.at)
		raw = file->text;
	if (raw.at == NULL) {
		raw_reset(&worker->raw);
		if (!os_read_file(file->path, SOURCE_LIMIT, &worker->raw, &result->err))
			return result;
		raw = buf_get(&worker->raw);
	}
	if (!document_read(&result->source, file->shown, raw, &result->err)) {
		if (result->err.code == ERR_FOREIGN)
			foreign_take(file, result);
		else
			err_context(&result->err, "cannot read '%s'", file->shown);
		return result;
	}
	lint_source(worker->lint, file->settings, file->shown, &result->source, &result->lint);
	result->is_checked = !result->lint.failure;
	if (!result->is_checked) {
		err_set(&result->err, ERR_PARSE, "cannot check '%s': %s", file->shown, result->lint.failure);
		lint_result_release(&result->lint);
	}
	if (result->is_checked && run->fixes)
		file_fix(run, worker, file, raw, result);
	result->has_source = result->is_checked && result->lint.finding_count + result->lint.suppressed_count + result->lint.problem_count > 0;
	if (!result->has_source)
		source_release(&result->source);
	return result;
}

static void result_deliver(void *context, size_t index, void *data)
{
	struct run *run = context;
	struct run_result *result = data;
	struct run_file file = {.path = run->files[index].shown, .settings = run->files[index].settings};
	struct run_fix fix = {NULL, NULL, {NULL, 0}, NULL, {NULL, 0}, NULL};

	if (result->is_left_out) {
		free(result);
		return;
	}
	if (result->is_checked)
		file.result = &result->lint;
	if (result->has_source)
		file.source = &result->source;
	if (!result->is_checked)
		file.error = result->err.message;
	if (result->fixes) {
		fix = (struct run_fix){.outcome = &result->fixes->outcome,
				       .path = run->text.at ? NULL : run->files[index].path,
				       .raw = buf_get(&result->fixes->raw),
				       .before = &result->source,
				       .fixed = buf_get(&result->fixes->fixed),
				       .error = result->fixes->failed ? result->fixes->err.message : NULL};
		file.fix = &fix;
	}
	if (fix.fixed.length > 0) {
		file.result = &fix.outcome->result;
		file.source = &fix.outcome->source;
	}
	run->totals.files++;
	run->totals.failed += !result->is_checked;
	run->sink->file(run->sink, &file);
	if (result->is_checked)
		lint_result_release(&result->lint);
	if (result->has_source)
		source_release(&result->source);
	fixes_free(result->fixes);
	free(result);
}

static void progress_tell(void *context, size_t done)
{
	const struct run *run = context;

	run->sink->progress(run->sink, done, run->count);
}

static struct run_totals run_all(struct run *run, int threads)
{
	struct pool_job job = {
		.context = run,
		.count = run->count,
		.window = RESULTS_HELD,
		.threads = threads > 0 ? threads : os_cpu_count(),
		.worker_new = worker_new,
		.worker_free = worker_free,
		.work = file_check,
		.deliver = result_deliver,
		.tick = run->sink->progress ? progress_tell : NULL,
	};

	pool_run(&job);
	return run->totals;
}

struct run_totals run_files(const struct walk_file *files, size_t count, int threads, enum run_fixes fixes,
			    const struct lint_limits *limits, struct run_sink *sink)
{
	struct run run = {.files = files, .text = {NULL, 0}, .count = count, .fixes = fixes,
			  .limits = limits, .sink = sink};

	return run_all(&run, threads);
}

struct run_totals run_text(const struct settings *settings, const char *shown, struct str raw,
			   enum run_fixes fixes, const struct lint_limits *limits, struct run_sink *sink)
{
	struct walk_file file = {.path = shown, .shown = shown, .is_named = true, .settings = settings};
	struct run run = {.files = &file, .text = raw, .count = 1, .fixes = fixes,
			  .limits = limits, .sink = sink};

	if (!raw.at)
		run.text = STR("");
	return run_all(&run, 1);
}
