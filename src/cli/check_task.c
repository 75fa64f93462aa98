#include "cli/check.h"

#include <string.h>

#include "base/os.h"
#include "base/path.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/watch.h"
#include "engine/run.h"

bool check_reads_stdin(const struct option_result *result)
{
	return result->operand_count == 1 && strcmp(result->operands[0], "-") == 0;
}

static void files_find(struct check_task *task, struct config *config, struct os_watch *watch)
{
	static const char *const here[] = {"."};

	if (task->path_count == 0) {
		task->paths = here;
		task->path_count = 1;
	}
	walk_init(&task->walk, config, task->paths, task->path_count);
	while (watch && watch_follow(watch, &task->walk)) {
		walk_release(&task->walk);
		walk_init(&task->walk, config, task->paths, task->path_count);
	}
	task->settings = config_for_run(config, task->paths, task->path_count);
}

void check_task_init(struct check_task *task, const struct check_values *values, const struct option_result *result,
		     struct config *config, struct os_watch *watch)
{
	struct arena arena;
	const char *path, *current;

	*task = (struct check_task){.paths = result->operands, .path_count = result->operand_count};
	if (!check_reads_stdin(result)) {
		files_find(task, config, watch);
		return;
	}
	arena_init(&task->walk.arena);
	task->stdin_name = values->stdin_filename ? values->stdin_filename : "<stdin>";
	arena_init(&arena);
	current = os_current_folder(&arena, NULL);
	path = current ? path_absolute(&arena, current, task->stdin_name) : NULL;
	task->settings = path ? config_for_file(config, path) : config_for_run(config, NULL, 0);
	task->is_left_out = path && values->stdin_filename && task->settings->force_exclude &&
			    settings_file_excluded_by(task->settings, path);
	arena_release(&arena);
}

void check_task_release(struct check_task *task)
{
	walk_release(&task->walk);
}

struct selection check_task_selection(const struct check_task *task, struct arena *arena)
{
	const struct settings *whole = task->settings, *last = whole;
	struct selection selection = whole->selection;

	selection.enabled = ARENA_ARRAY(arena, bool, whole->rules->count + 1);
	memcpy(selection.enabled, whole->selection.enabled, whole->rules->count * sizeof *selection.enabled);
	for (size_t i = 0; i < task->walk.file_count; i++) {
		const struct settings *own = task->walk.files[i].settings;

		for (size_t r = 0; own != last && own->rules == whole->rules && r < whole->rules->count; r++)
			selection.enabled[r] |= own->selection.enabled[r];
		last = own;
	}
	return selection;
}

/* Which fixes are to be made. What a configuration wants is for files, and yields to an option that it does not go
 * with. */
static enum run_fixes fixes_wanted(const struct check_values *values, const struct check_task *task)
{
	const struct settings *settings = task->settings;
	const struct only_new_options *known = &values->only_new;
	bool is_option = settings->layer->values[SETTING_FIX].place.source == SOURCE_OPTION;

	if (values->diff)
		return RUN_SHOWS_FIXES;
	if (values->fix_only || values->add_ignore || (settings->fix && is_option))
		return RUN_WRITES_FIXES;
	if (!settings->fix || task->stdin_name || known->diff_base || known->staged || known->update_baseline)
		return RUN_MAKES_NO_FIXES;
	return RUN_WRITES_FIXES;
}

/* Sends the document itself, fixed or as it is, to standard output, and the report to standard error. */
static void print_fixed(struct sink *sink, struct buf *text)
{
	struct buf *fixed = &sink->fixer.text;

	if (!sink->write_failed && !output_write(fixed->length > 0 ? fixed : text, &sink->write_error))
		sink->write_failed = true;
}

static void check_stdin(const struct check_task *task, const struct check_values *values, struct only_new *only_new,
			struct sink *sink)
{
	enum run_fixes fixes = fixes_wanted(values, task);
	struct run_totals totals = {0};
	struct buf text = BUF_INIT;
	struct err err;

	sink->to_stderr = fixes == RUN_WRITES_FIXES;
	if (!os_read_stdin(SOURCE_LIMIT, &text, &err))
		sink_add_failure(sink, err.message);
	else if (!task->is_left_out)
		totals = run_text(task->settings, task->stdin_name, buf_get(&text), fixes, &only_new->limits,
				  only_new_sink(only_new, &sink->base));
	sink_finish(sink, totals, 0);
	if (sink->to_stderr)
		print_fixed(sink, &text);
	buf_release(&text);
}

static void no_file(struct sink *sink, const struct check_task *task)
{
	struct err err;

	if (task->path_count == 1)
		err_set(&err, ERR_READ, "no Python file in '%s'", task->paths[0]);
	else
		err_set(&err, ERR_READ, "no Python file in any of the %zu paths", task->path_count);
	sink_add_failure(sink, err.message);
}

static void check_paths(struct check_task *task, const struct check_values *values, struct only_new *only_new,
			struct sink *sink)
{
	struct walk *walk = &task->walk;
	bool is_empty = walk->file_count + walk->excluded_count == 0;
	struct run_totals totals = {0};
	struct err err;

	for (size_t i = 0; i < walk->problem_count; i++)
		sink_add_failure(sink, walk->problems[i].text);
	if (only_new->changed && !changed_select(only_new->changed, walk, &err)) {
		sink_add_failure(sink, err.message);
	} else if (walk->file_count > 0) {
		totals = run_files(walk->files, walk->file_count, values->threads, fixes_wanted(values, task),
				   &only_new->limits, only_new_sink(only_new, &sink->base));
		/* they may all turn out to be notebooks in other languages */
		is_empty = totals.files + walk->excluded_count == 0;
		sink_write_fixes(sink);
	} else if (only_new->changed && !is_empty && !values->quiet) {
		message_note("nothing that is checked has changed");
	}
	if (is_empty && walk->problem_count == 0)
		no_file(sink, task);
	sink_finish(sink, totals, walk->problem_count);
}

void check_task_run(struct check_task *task, const struct check_values *values, struct only_new *only_new,
		    struct sink *sink)
{
	if (task->stdin_name)
		check_stdin(task, values, only_new, sink);
	else
		check_paths(task, values, only_new, sink);
}
