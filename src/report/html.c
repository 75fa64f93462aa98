/* One page with everything in it: it needs no network, and no script to be read. The frame is page.html. */
#include <stdlib.h>

#include "base/mem.h"
#include "report/diff.h"
#include "report/formats.h"
#include "report/frame.h"
#include "report/html_code.h"
#include "report/summary.h"
#include "rule/rule.h"

struct page {
	struct buf files;    /* sections */
	struct buf contents; /* items of the list of files */
	struct buf troubles; /* items of the list of what could not be checked */
	size_t file_count;
};

static void html_begin(struct report *report)
{
	report->state = mem_new(1, sizeof(struct page));
}

static void add_head(struct buf *out, const struct finding *finding)
{
	buf_format(out, "<h3><span class=\"severity\">%s</span> <span class=\"rule\" title=\"", severity_name(finding->severity));
	html_add(out, str_from(finding->rule->summary));
	buf_format(out, "\">%s %s</span> <span class=\"place\">", finding->rule->code, finding->rule->name);
	if (finding->at.cell)
		buf_format(out, "cell %lu, ", (unsigned long)finding->at.cell);
	buf_format(out, "line %lu", (unsigned long)finding->at.start.line);
	if (finding->scope && *finding->scope) {
		buf_add_text(out, " in ");
		html_add(out, str_from(finding->scope));
	}
	buf_add_text(out, "</span></h3>\n<p class=\"message\">");
	html_add(out, str_from(finding->message));
	buf_add_text(out, "</p>\n");
}

static void add_remark(struct buf *out, const char *name, const char *text)
{
	if (!text)
		return;
	buf_format(out, "<dt>%s</dt><dd>", name);
	html_add(out, str_from(text));
	buf_add_text(out, "</dd>\n");
}

/* The lines of a diff, which diff_add has made for a terminal. */
static void add_diff(struct buf *out, const struct finding *finding)
{
	struct snippet_frame frame = {false, 1, 0};
	struct buf text = BUF_INIT;

	diff_add(&text, &frame, finding);
	if (text.length > 0)
		buf_add_text(out, "<div class=\"diff\">");
	for (size_t start = 0, end; start < text.length; start = end + 1) {
		struct str line;

		end = str_find(buf_get(&text), STR("\n"), start);
		line = (struct str){text.bytes + start, end - start};
		if (str_find(line, STR(" |"), 0) != SIZE_MAX && str_find(line, STR(" |"), 0) + 2 == line.length)
			continue; /* the bar above */
		buf_format(out, "<span class=\"%s\">",
			   line.at[strspn(line.at, "0123456789 ")] == '-' ? "removed" : "added");
		html_add(out, line);
		buf_add_text(out, "</span>");
	}
	if (text.length > 0)
		buf_add_text(out, "</div>\n");
	buf_release(&text);
}

static void add_finding(struct buf *out, const struct source *source, const struct finding *finding)
{
	buf_format(out, "<article class=\"finding %s\" data-severity=\"%s\" data-rule=\"%s %s\">\n",
		   severity_name(finding->severity), severity_name(finding->severity), finding->rule->code,
		   finding->rule->name);
	add_head(out, finding);
	html_code_add(out, source, finding);
	if (finding->growth || finding->help || diff_remark(finding)) {
		buf_add_text(out, "<dl>\n");
		add_remark(out, "cost", finding->growth);
		add_remark(out, "help", finding->help);
		add_remark(out, "fix", diff_remark(finding));
		buf_add_text(out, "</dl>\n");
	}
	add_diff(out, finding);
	buf_add_text(out, "</article>\n");
}

static void add_trouble(struct page *page, const char *path, const struct excerpt *at, const char *text)
{
	buf_add_text(&page->troubles, "<li>");
	if (path && at) {
		html_add(&page->troubles, str_from(path));
		excerpt_add_place(&page->troubles, at);
		buf_add_text(&page->troubles, ": ");
	}
	html_add(&page->troubles, str_from(text));
	buf_add_text(&page->troubles, "</li>\n");
}

static void add_count(struct buf *out, size_t count)
{
	buf_format(out, " <span class=\"count\">%zu finding%s</span>", count, count == 1 ? "" : "s");
}

static void html_file(struct report *report, const struct run_file *file)
{
	const struct lint_result *result = file->result;
	struct page *page = report->state;

	if (file->error)
		add_trouble(page, NULL, NULL, file->error);
	for (size_t i = 0; result && i < result->problem_count; i++)
		add_trouble(page, file->path, &result->problems[i].at, result->problems[i].text);
	if (!result || result->finding_count == 0)
		return;
	page->file_count++;
	buf_format(&page->contents, "<li><a href=\"#file-%zu\">", page->file_count);
	html_add(&page->contents, str_from(file->path));
	buf_add_text(&page->contents, "</a>");
	add_count(&page->contents, result->finding_count);
	buf_add_text(&page->contents, "</li>\n");
	buf_format(&page->files, "<section class=\"file\" id=\"file-%zu\">\n<h2><a href=\"#file-%zu\">", page->file_count,
		   page->file_count);
	html_add(&page->files, str_from(file->path));
	buf_add_text(&page->files, "</a>");
	add_count(&page->files, result->finding_count);
	buf_add_text(&page->files, "</h2>\n");
	for (size_t i = 0; i < result->finding_count; i++)
		add_finding(&page->files, file->source, &result->findings[i]);
	buf_add_text(&page->files, "</section>\n");
}

static void html_failure(struct report *report, const char *text)
{
	add_trouble(report->state, NULL, NULL, text);
}

static void add_body(struct buf *out, const struct page *page)
{
	if (page->troubles.length > 0) {
		buf_add_text(out, "<section class=\"troubles\">\n<strong>Not all could be checked</strong>\n<ul>\n");
		buf_add_str(out, buf_get(&page->troubles));
		buf_add_text(out, "</ul>\n</section>\n");
	}
	if (page->file_count > 1) {
		buf_format(out, "<nav><details%s><summary>%zu files</summary>\n<ul>\n", page->file_count > 12 ? "" : " open",
			   page->file_count);
		buf_add_str(out, buf_get(&page->contents));
		buf_add_text(out, "</ul>\n</details></nav>\n");
	}
	buf_add_str(out, buf_get(&page->files));
	buf_add_text(out, "<footer>vramlint " VRAMLINT_VERSION "; ‘vramlint explain CODE’ says more about a rule.</footer>\n");
}

static void html_end(struct report *report, const struct report_totals *totals)
{
	struct str frame = frame_get("src/report/page.html");
	struct buf summary = BUF_INIT;

	frame_add_up_to(&report->out, &frame, STR("<!--style-->"));
	buf_add_str(&report->out, frame_get("src/report/page.css"));
	frame_add_up_to(&report->out, &frame, STR("<!--summary-->"));
	if (totals->files > totals->paths)
		summary_add(&summary, totals);
	if (summary.length > 0)
		buf_add(&report->out, summary.bytes, summary.length - 1); /* without its line end */
	frame_add_up_to(&report->out, &frame, STR("<!--body-->\n"));
	add_body(&report->out, report->state);
	buf_add_str(&report->out, frame);
	buf_release(&summary);
}

static void html_release(struct report *report)
{
	struct page *page = report->state;

	buf_release(&page->files);
	buf_release(&page->contents);
	buf_release(&page->troubles);
	free(page);
}

const struct report_format report_html = {
	.name = "html",
	.summary = "one page: findings by file, the code, the trail drawn over it",
	.for_programs = true,
	.begin = html_begin,
	.file = html_file,
	.failure = html_failure,
	.end = html_end,
	.release = html_release,
};
