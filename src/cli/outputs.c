#include "cli/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/os.h"
#include "base/path.h"
#include "cli/ci.h"

enum { STANDARD_OUTPUT = 1 };
static const char auto_name[] = "auto";

/* What "auto" means for a report that goes to PATH. */
static const struct report_format *auto_format(const char *path)
{
	bool is_job = ci_is_github() && !path && !os_is_file(STANDARD_OUTPUT);

	return report_format_find(is_job ? "github" : "full");
}

/* Says what is wrong with ITEM, which the name of where it was said comes before. */
static bool fail(const struct setting_item *item, struct err *err, const char *text)
{
	struct arena arena;

	arena_init(&arena);
	if (item->place.source == SOURCE_FILE)
		err_set(err, ERR_CONFIG, "%s: 'output-format' %s", setting_place_text(&item->place, &arena), text);
	else if (item->place.source == SOURCE_ENVIRONMENT)
		err_set(err, ERR_USAGE, "environment variable '%s' %s", item->place.name, text);
	else
		err_set(err, ERR_USAGE, "option '--output-format' %s", text);
	arena_release(&arena);
	return false;
}

static bool unknown_format(const struct setting_item *item, struct str name, struct err *err)
{
	struct buf text = BUF_INIT;
	struct nearest nearest;

	nearest_init(&nearest, name);
	nearest_offer(&nearest, auto_name);
	for (size_t i = 0; report_formats[i]; i++)
		nearest_offer(&nearest, report_formats[i]->name);
	if (nearest.best) {
		buf_format(&text, "knows no '%.*s'; did you mean '%s'?", STR_ARG(name), nearest.best);
	} else {
		buf_format(&text, "takes %s", auto_name);
		for (size_t i = 0; report_formats[i]; i++)
			buf_format(&text, "%s%s", report_formats[i + 1] ? ", " : " or ", report_formats[i]->name);
		buf_format(&text, ", not '%.*s'", STR_ARG(name));
	}
	fail(item, err, buf_text(&text));
	buf_release(&text);
	return false;
}

/* "NAME" or "NAME=FILE"; FILE "-" is standard output. */
static bool output_from_item(struct output *output, const struct setting_item *item, const char *file, struct err *err)
{
	const char *equals = strchr(item->text, '=');
	struct str name = {item->text, equals ? (size_t)(equals - item->text) : strlen(item->text)};

	/* whoever checks the code of others must not find files overwritten because that code says so */
	if (equals && item->place.source == SOURCE_FILE)
		return fail(item, err, "takes no file here; write it on the command line: '--output-format FORMAT=FILE'");
	output->path = equals ? equals + 1 : file;
	if (output->path && !*output->path)
		return equals ? fail(item, err, "names no file")
			      : err_set(err, ERR_USAGE, "option '--output-file' names no file");
	if (output->path && strcmp(output->path, "-") == 0)
		output->path = NULL;
	if (str_is(name, auto_name)) {
		output->format = auto_format(output->path);
		return true;
	}
	for (size_t i = 0; report_formats[i]; i++) {
		output->format = report_formats[i];
		if (str_is(name, output->format->name))
			return true;
	}
	return unknown_format(item, name, err);
}

/* Whether A and B can both be made. */
static bool outputs_agree(const struct output *a, const struct output *b, struct err *err)
{
	bool one_is_statistics = a->format == report_format_find("statistics") ||
				 b->format == report_format_find("statistics");

	if (a->path && b->path && strcmp(a->path, b->path) == 0)
		return err_set(err, ERR_USAGE, "'%s' and '%s' would both be written to '%s'", a->format->name,
			       b->format->name, a->path);
	if (a->path || b->path)
		return true;
	if (one_is_statistics && a->format != b->format && !a->format->for_programs && !b->format->for_programs)
		return true;
	return err_set(err, ERR_USAGE,
		       "'%s' and '%s' would both go to standard output; give one a file, as in '--output-format %s=FILE'",
		       a->format->name, b->format->name, b->format->name);
}

static bool add(struct outputs *outputs, const struct setting_item *item, const char *file, struct err *err)
{
	struct output *output = &outputs->items[outputs->count];

	if (!output_from_item(output, item, file, err))
		return false;
	for (size_t i = 0; i < outputs->count; i++) {
		if (!outputs_agree(&outputs->items[i], output, err))
			return false;
	}
	outputs->count++;
	return true;
}

/* Whether FILE, where it is given, is the place of some format. */
static bool file_is_used(const struct setting_value *formats, const char *file)
{
	bool free_one = formats->count == 0;

	for (size_t i = 0; i < formats->count; i++)
		free_one |= strchr(formats->items[i].text, '=') == NULL;
	return !file || free_one;
}

bool outputs_init(struct outputs *outputs, const struct setting_value *formats, const char *file, bool statistics,
		  struct err *err)
{
	static const struct setting_item by_default = {.text = auto_name, .place.source = SOURCE_DEFAULT},
					 counts = {.text = "statistics", .place.source = SOURCE_OPTION};
	/* --statistics counts in place of what shows findings, unless the command line asks for both */
	bool shows_findings = formats->count > 0 && (!statistics || formats->place.source == SOURCE_OPTION);

	*outputs = (struct outputs){mem_new(formats->count + 3, sizeof *outputs->items), 0};
	if (!file_is_used(formats, file))
		return err_set(err, ERR_USAGE,
			       "option '--output-file' has nothing to write: each '--output-format' names a file of its own");
	for (size_t i = 0; i < formats->count && (shows_findings || file); i++) {
		if (!add(outputs, &formats->items[i], file, err))
			return false;
	}
	if (formats->count == 0 && (!statistics || file) && !add(outputs, &by_default, file, err))
		return false;
	return !statistics || add(outputs, &counts, NULL, err);
}

bool outputs_is_code(const char *path)
{
	static const char *const endings[] = {".py", ".pyi", ".ipynb"};

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		if (str_ends(str_from(path), endings[i]))
			return true;
	}
	return false;
}

/* Whether a file of WALK leads to REAL, an absolute path without links. */
static bool is_checked(const struct walk *walk, const char *real, struct arena *arena)
{
	for (size_t i = 0; i < walk->file_count; i++) {
		const char *other;

		if (strcmp(path_name(walk->files[i].path), path_name(real)) != 0)
			continue;
		other = os_real_path(walk->files[i].path, arena);
		if (other && strcmp(other, real) == 0)
			return true;
	}
	return false;
}

bool outputs_spare_code(const struct outputs *outputs, const struct walk *walk, struct err *err)
{
	struct arena arena;
	bool ok = true;

	arena_init(&arena);
	for (size_t i = 0; ok && i < outputs->count; i++) {
		const char *path = outputs->items[i].path;
		const char *real = path ? os_real_path(path, &arena) : NULL;

		if (real && (outputs_is_code(real) || is_checked(walk, real, &arena)))
			ok = err_set(err, ERR_USAGE, "the report '%s' would overwrite '%s', which is code; name another file",
				     outputs->items[i].format->name, path);
	}
	arena_release(&arena);
	return ok;
}

void outputs_print(struct outputs *outputs, const struct report_format *format)
{
	size_t kept = 0;

	for (size_t i = 0; i < outputs->count; i++) {
		if (outputs->items[i].path)
			outputs->items[kept++] = outputs->items[i];
	}
	outputs->items[kept++] = (struct output){format, NULL};
	outputs->count = kept;
}

void outputs_release(struct outputs *outputs)
{
	free(outputs->items);
	*outputs = (struct outputs){NULL, 0};
}

void outputs_add_help(struct buf *out)
{
	buf_format(out, "  %-12s %s\n", auto_name,
		   "github in a job of GitHub Actions whose output is no file, else full (the default)");
	for (size_t i = 0; report_formats[i]; i++)
		buf_format(out, "  %-12s %s\n", report_formats[i]->name, report_formats[i]->summary);
}
