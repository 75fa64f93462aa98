#include "cli/prediction.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/path.h"
#include "cli/message.h"
#include "cli/settings_text.h"
#include "rule/rule.h"

/* A run does not speak of comments. */
static bool is_judged(const struct finding *finding)
{
	return !rule_asks_for(finding->rule, "event", "suppression");
}

static const struct source *keep_source(struct prediction *prediction, const struct source *source)
{
	struct source *copy;

	if (!source)
		return NULL;
	copy = mem_new(1, sizeof *copy);
	source_dup(copy, source);
	VEC_ADD(&prediction->sources, copy);
	return copy;
}

static void keep(struct prediction *prediction, const struct run_file *file)
{
	struct arena *arena = &prediction->arena;
	const char *path = path_join(arena, prediction->current, file->path), *real = os_real_path(path, arena);
	const struct source *source = keep_source(prediction, file->source);

	for (size_t i = 0; i < file->result->finding_count; i++) {
		struct finding *copy;
		const char *cell;

		if (!is_judged(&file->result->findings[i]))
			continue;
		copy = ARENA_NEW(arena, struct finding);
		finding_dup(copy, &file->result->findings[i], arena);
		cell = copy->at.cell ? arena_format(arena, ":cell %u", copy->at.cell) : "";
		VEC_ADD(&prediction->findings,
			((struct predicted){.path = arena_format(arena, "%s%s", real ? real : path, cell),
					    .shown = arena_format(arena, "%s%s", file->path, cell), .code = copy->rule->code,
					    .name = copy->rule->name, .message = copy->message, .severity = copy->severity,
					    .cost = copy->cost, .line = copy->at.start.line, .end_line = copy->at.end.line,
					    .column = copy->at.start.column, .finding = copy, .source = source}));
	}
}

static void on_file(struct run_sink *base, const struct run_file *file)
{
	struct prediction *prediction = (struct prediction *)base;

	prediction->settings = file->settings;
	if (file->error)
		message_warning("%s", file->error);
	for (size_t i = 0; file->result && i < file->result->finding_count; i++) {
		if (is_judged(&file->result->findings[i])) {
			keep(prediction, file);
			return;
		}
	}
}

bool prediction_make(struct prediction *prediction, struct config *config, const char *const *paths, size_t count)
{
	struct walk walk;
	struct err err;
	bool ok;

	*prediction = (struct prediction){.base = {.file = on_file}};
	arena_init(&prediction->arena);
	prediction->current = os_current_folder(&prediction->arena, &err);
	walk_init(&walk, config, paths, count);
	for (size_t i = 0; i < walk.problem_count; i++)
		message_error("%s", walk.problems[i].text);
	ok = walk.problem_count == 0 && !settings_tell_faults(config) && prediction->current;
	if (ok)
		run_files(walk.files, walk.file_count, 0, RUN_MAKES_NO_FIXES, NULL, &prediction->base);
	ok = ok && !config_is_faulty(config);
	walk_release(&walk);
	return ok;
}

void prediction_release(struct prediction *prediction)
{
	for (size_t i = 0; i < prediction->sources.count; i++) {
		source_release(prediction->sources.items[i]);
		free(prediction->sources.items[i]);
	}
	VEC_RELEASE(&prediction->sources);
	VEC_RELEASE(&prediction->findings);
	arena_release(&prediction->arena);
}
