/* Workflow commands of GitHub Actions, which become annotations of a change, and the summary of the job. GitHub shows ten
 * of each level of a step and drops the rest, so the most important come first and the rest is told elsewhere. Source:
 * docs.github.com, "Workflow commands for GitHub Actions". */
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "report/formats.h"
#include "report/guard.h"
#include "report/place.h"
#include "report/ranking.h"
#include "report/region.h"
#include "report/summary.h"
#include "report/visible.h"
#include "report/words.h"
#include "rule/rule.h"

enum {
	SHOWN_OF_LEVEL = 10,
	MESSAGE_LIMIT = 3000,              /* bytes before escapes; GitHub takes 4096 characters */
	SUMMARY_LIMIT = (1 << 20) - 1024, /* bytes of the 1 MiB that the page of a job takes */
};

/* A finding, written for each place that may take it. */
struct notice {
	const char *command; /* "::error file=…::…" */
	const char *line;    /* for the log */
	const char *row;     /* of the table in the summary */
};

struct collection {
	struct arena arena;
	struct ranking ranking;
	size_t errors; /* about what could not be checked, printed at once */
};

static void github_begin(struct report *report)
{
	report->state = mem_new(1, sizeof(struct collection));
}

/* TEXT, which is visible, as data of a command or, with IS_PROPERTY, of one of its properties. */
static void add_escaped(struct buf *out, struct str text, bool is_property)
{
	for (size_t i = 0; i < text.length; i++) {
		char c = text.at[i];

		if (c == '%' || c == '\n' || c == '\r' || (is_property && (c == ':' || c == ',')))
			buf_format(out, "%%%02X", (unsigned char)c);
		else
			buf_add_char(out, c);
	}
}

static void add_path(struct buf *out, const struct report *report, const char *path)
{
	struct buf from_root = BUF_INIT;
	struct buf shown = BUF_INIT;

	place_add_path(&from_root, report->options.host, path);
	visible_add(&shown, buf_get(&from_root));
	add_escaped(out, buf_get(&shown), true);
	buf_release(&shown);
	buf_release(&from_root);
}

/* Columns may be named only where begin and end are one line; in a notebook they are not known. */
static void add_lines(struct buf *out, const struct excerpt *at, const struct source *source)
{
	struct region region = region_of(at, source, COLUMN_CHARACTERS);

	buf_format(out, ",line=%lu,endLine=%lu", (unsigned long)region.line, (unsigned long)region.end_line);
	if (region.line == region.end_line && !at->cell)
		buf_format(out, ",col=%lu,endColumn=%lu", (unsigned long)region.column,
			   (unsigned long)region.end_column);
}

static void add_message(struct buf *out, const struct finding *finding)
{
	struct buf words = BUF_INIT;
	struct buf shown = BUF_INIT;
	size_t start = 0;

	words_add(&words, finding, "\n");
	for (size_t end; start < words.length; start = end + 1) {
		end = str_find(buf_get(&words), STR("\n"), start);
		end = end == SIZE_MAX ? words.length : end;
		if (start > 0)
			buf_add_char(&shown, '\n');
		visible_add(&shown, (struct str){words.bytes + start, end - start});
	}
	if (shown.length > MESSAGE_LIMIT) {
		shown.length = MESSAGE_LIMIT;
		while (((unsigned char)shown.bytes[shown.length] & 0xC0) == 0x80)
			shown.length--;
		buf_add_text(&shown, "...");
	}
	add_escaped(out, buf_get(&shown), false);
	buf_release(&shown);
	buf_release(&words);
}

static const char *level_of(enum severity severity)
{
	return severity == SEVERITY_ERROR ? "error" : severity == SEVERITY_WARNING ? "warning" : "notice";
}

static const char *command_for(struct report *report, const struct run_file *file, const struct finding *finding)
{
	struct collection *collection = report->state;
	struct buf out = BUF_INIT;
	const char *text;

	buf_format(&out, "::%s file=", level_of(finding->severity));
	add_path(&out, report, file->path);
	add_lines(&out, &finding->at, file->source);
	buf_format(&out, ",title=%s %s::", finding->rule->code, finding->rule->name);
	add_message(&out, finding);
	text = arena_dup(&collection->arena, buf_text(&out));
	buf_release(&out);
	return text;
}

/* In the log, where nothing may be taken for a command. */
static const char *line_for(struct collection *collection, const char *path, const struct finding *finding)
{
	struct buf line = BUF_INIT;
	struct buf out = BUF_INIT;
	const char *text;

	visible_add(&line, str_from(path));
	excerpt_add_place(&line, &finding->at);
	buf_format(&line, ": %s %s %s: ", severity_name(finding->severity), finding->rule->code, finding->rule->name);
	visible_add(&line, str_from(finding->message));
	guard_add(&out, buf_get(&line));
	text = arena_dup(&collection->arena, buf_text(&out));
	buf_release(&out);
	buf_release(&line);
	return text;
}

/* TEXT in Markdown, where each mark of ASCII may be written with a backslash (CommonMark, 2.4). */
static void add_markdown(struct buf *out, struct str text)
{
	struct buf shown = BUF_INIT;

	visible_add(&shown, text);
	for (size_t i = 0; i < shown.length; i++) {
		if (strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", shown.bytes[i]))
			buf_add_char(out, '\\');
		buf_add_char(out, shown.bytes[i]);
	}
	buf_release(&shown);
}

static const char *row_for(struct collection *collection, const char *path, const struct finding *finding)
{
	struct buf place = BUF_INIT;
	struct buf out = BUF_INIT;
	const char *text;

	buf_add_text(&place, path);
	excerpt_add_place(&place, &finding->at);
	buf_format(&out, "| %s | %s %s | ", severity_name(finding->severity), finding->rule->code, finding->rule->name);
	add_markdown(&out, buf_get(&place));
	buf_add_text(&out, " | ");
	add_markdown(&out, str_from(finding->message));
	buf_add_text(&out, " |\n");
	text = arena_dup(&collection->arena, buf_text(&out));
	buf_release(&out);
	buf_release(&place);
	return text;
}

static void github_file(struct report *report, const struct run_file *file)
{
	struct collection *collection = report->state;

	for (size_t i = 0; file->result && i < file->result->finding_count; i++) {
		const struct finding *finding = &file->result->findings[i];
		struct notice *notice = ARENA_NEW(&collection->arena, struct notice);

		notice->command = command_for(report, file, finding);
		notice->line = line_for(collection, file->path, finding);
		notice->row = row_for(collection, file->path, finding);
		ranking_add(&collection->ranking, finding, notice);
	}
	if (file->error)
		report->format->failure(report, file->error);
}

static void github_failure(struct report *report, const char *text)
{
	struct collection *collection = report->state;
	struct buf shown = BUF_INIT;

	if (collection->errors++ >= SHOWN_OF_LEVEL)
		return; /* standard error has them all */
	visible_add(&shown, str_from(text));
	buf_add_text(&report->out, "::error title=vramlint::");
	add_escaped(&report->out, buf_get(&shown), false);
	buf_add_char(&report->out, '\n');
	buf_release(&shown);
}

static void add_line(struct buf *out, const char *text)
{
	buf_add_text(out, text);
	buf_add_char(out, '\n');
}

/* Prints what GitHub shows, and notes in SHOWN which that is; returns how many. */
static size_t add_commands(struct report *report, bool *shown)
{
	const struct collection *collection = report->state;
	size_t left[] = {
		[SEVERITY_HINT] = SHOWN_OF_LEVEL - 1, /* hints and notes are one level, and one place is for the rest */
		[SEVERITY_NOTE] = 0,
		[SEVERITY_WARNING] = SHOWN_OF_LEVEL,
		[SEVERITY_ERROR] = collection->errors < SHOWN_OF_LEVEL ? SHOWN_OF_LEVEL - collection->errors : 0,
	};
	size_t count = 0;

	for (size_t i = 0; i < collection->ranking.count; i++) {
		enum severity severity = collection->ranking.items[i].severity;
		size_t *of_level = &left[severity == SEVERITY_NOTE ? SEVERITY_HINT : severity];

		if (*of_level == 0)
			continue;
		(*of_level)--;
		shown[i] = true;
		count++;
		add_line(&report->out, ((const struct notice *)collection->ranking.items[i].item)->command);
	}
	return count;
}

static void add_rest(struct report *report, const bool *shown, size_t count)
{
	const struct collection *collection = report->state;

	if (count == 0)
		return;
	buf_format(&report->out,
		   "::notice title=vramlint::%zu more finding%s in the log of this step and in the summary of the job\n",
		   count, count == 1 ? " is" : "s are");
	buf_format(&report->out, "::group::%zu more finding%s\n", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < collection->ranking.count; i++) {
		if (!shown[i])
			add_line(&report->out, ((const struct notice *)collection->ranking.items[i].item)->line);
	}
	buf_add_text(&report->out, "::endgroup::\n");
}

static void make_summary(struct report *report, const struct report_totals *totals)
{
	const struct ranking *ranking = &((struct collection *)report->state)->ranking;
	struct buf *out = &report->job_summary;
	size_t i = 0;

	buf_add_text(out, "### vramlint\n\n");
	summary_add(out, totals);
	if (ranking->count > 0)
		buf_add_text(out, "\n| severity | rule | place | finding |\n|---|---|---|---|\n");
	for (; i < ranking->count; i++) {
		const char *row = ((const struct notice *)ranking->items[i].item)->row;

		if (out->length + strlen(row) > SUMMARY_LIMIT)
			break;
		buf_add_text(out, row);
	}
	if (i < ranking->count)
		buf_format(out, "\n%zu more have no room here.\n", ranking->count - i);
	buf_add_char(out, '\n');
}

static void github_end(struct report *report, const struct report_totals *totals)
{
	struct collection *collection = report->state;
	bool *shown = mem_new(collection->ranking.count + 1, sizeof *shown);

	ranking_sort(&collection->ranking);
	add_rest(report, shown, collection->ranking.count - add_commands(report, shown));
	if (!report->options.quiet && totals->files != totals->paths)
		summary_add(&report->out, totals);
	make_summary(report, totals);
	free(shown);
}

static void github_release(struct report *report)
{
	struct collection *collection = report->state;

	ranking_release(&collection->ranking);
	arena_release(&collection->arena);
	free(collection);
}

const struct report_format report_github = {
	.name = "github",
	.summary = "annotations of GitHub Actions, the most important first, and the summary of the job",
	.for_programs = true,
	.begin = github_begin,
	.file = github_file,
	.failure = github_failure,
	.end = github_end,
	.release = github_release,
};
