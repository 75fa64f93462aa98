/* JUnit's XML: a suite a file, a failed test a finding. */
#include <stdlib.h>

#include "base/mem.h"
#include "report/formats.h"
#include "report/place.h"
#include "report/region.h"
#include "report/words.h"
#include "report/xml.h"
#include "rule/rule.h"

/* What the start tag counts. */
struct counts {
	size_t tests, failures, errors, skipped;
};

struct suites {
	struct buf text; /* waits, since the first tag counts them */
	struct counts counts;
};

static void junit_begin(struct report *report)
{
	report->state = mem_new(1, sizeof(struct suites));
}

static void add_counts(struct buf *out, const struct counts *counts)
{
	buf_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", counts->tests,
		   counts->failures, counts->errors, counts->skipped);
}

static void add_suite(struct suites *suites, const char *name, const struct counts *counts, const struct buf *cases)
{
	buf_add_text(&suites->text, "  <testsuite");
	xml_add_attribute(&suites->text, "name", str_from(name));
	add_counts(&suites->text, counts);
	buf_add_text(&suites->text, ">\n");
	buf_add_str(&suites->text, buf_get(cases));
	buf_add_text(&suites->text, "  </testsuite>\n");
	suites->counts.tests += counts->tests;
	suites->counts.failures += counts->failures;
	suites->counts.errors += counts->errors;
	suites->counts.skipped += counts->skipped;
}

static void add_case(struct buf *out, const char *path, struct str name, uint32_t line)
{
	buf_add_text(out, "    <testcase");
	xml_add_attribute(out, "classname", str_from(path));
	xml_add_attribute(out, "name", name);
	xml_add_attribute(out, "file", str_from(path));
	if (line)
		buf_format(out, " line=\"%lu\"", (unsigned long)line);
	buf_add_text(out, ">");
}

/* What a failed test prints: where, what and the trail. */
static void add_story(struct buf *out, const char *path, const struct finding *finding)
{
	buf_add_text(out, path);
	excerpt_add_place(out, &finding->at);
	buf_add_text(out, ": ");
	words_add(out, finding, "\n");
	for (size_t i = 0; i < finding->note_count; i++) {
		buf_format(out, "\n%zu. %s", i + 1, path);
		excerpt_add_place(out, &finding->notes[i].at);
		buf_format(out, ": %s", finding->notes[i].text);
	}
}

/* What does not fail the run is no failed test, but one that was passed over. */
static void add_finding(struct buf *out, const struct run_file *file, const struct finding *finding, bool fails)
{
	struct buf text = BUF_INIT;

	buf_format(&text, "%s %s at ", finding->rule->code, finding->rule->name);
	place_add_position(&text, &finding->at);
	add_case(out, file->path, buf_get(&text), region_of(&finding->at, file->source, COLUMN_CHARACTERS).line);
	buf_format(out, "<%s", fails ? "failure" : "skipped");
	xml_add_attribute(out, "message", str_from(finding->message));
	if (fails)
		xml_add_attribute(out, "type", str_from(severity_name(finding->severity)));
	buf_add_char(out, '>');
	buf_reset(&text);
	add_story(&text, file->path, finding);
	xml_add(out, buf_get(&text));
	buf_format(out, "</%s></testcase>\n", fails ? "failure" : "skipped");
	buf_release(&text);
}

static void add_error(struct buf *out, const char *path, const char *text)
{
	add_case(out, path, STR("can be checked"), 0);
	buf_add_text(out, "<error");
	xml_add_attribute(out, "message", str_from(text));
	buf_add_text(out, " type=\"failure\"/></testcase>\n");
}

static void junit_file(struct report *report, const struct run_file *file)
{
	struct counts counts = {0, 0, 0, 0};
	struct buf cases = BUF_INIT;

	if (file->error) {
		add_error(&cases, file->path, file->error);
		counts.errors = counts.tests = 1;
	}
	for (size_t i = 0; file->result && i < file->result->finding_count; i++) {
		const struct finding *finding = &file->result->findings[i];
		bool fails = finding->severity >= file->settings->fail_on;

		add_finding(&cases, file, finding, fails);
		counts.tests++;
		counts.failures += fails;
		counts.skipped += !fails;
	}
	if (counts.tests > 0)
		add_suite(report->state, file->path, &counts, &cases);
	buf_release(&cases);
}

static void junit_failure(struct report *report, const char *text)
{
	static const struct counts one = {.tests = 1, .errors = 1};
	struct buf cases = BUF_INIT;

	add_error(&cases, "vramlint", text);
	add_suite(report->state, "vramlint", &one, &cases);
	buf_release(&cases);
}

/* Some servers take a report without a test for a broken one. */
static void add_passed(struct suites *suites)
{
	static const struct counts one = {.tests = 1};
	struct buf cases = BUF_INIT;

	buf_add_text(&cases, "    <testcase classname=\"vramlint\" name=\"no findings\"/>\n");
	add_suite(suites, "vramlint", &one, &cases);
	buf_release(&cases);
}

static void junit_end(struct report *report, const struct report_totals *totals)
{
	struct suites *suites = report->state;

	if (suites->counts.tests == 0)
		add_passed(suites);
	buf_add_text(&report->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vramlint\"");
	add_counts(&report->out, &suites->counts);
	buf_add_text(&report->out, ">\n");
	buf_add_str(&report->out, buf_get(&suites->text));
	buf_add_text(&report->out, "</testsuites>\n");
}

static void junit_release(struct report *report)
{
	struct suites *suites = report->state;

	buf_release(&suites->text);
	free(suites);
}

const struct report_format report_junit = {
	.name = "junit",
	.summary = "JUnit's XML: a suite a file, a failed test a finding",
	.for_programs = true,
	.begin = junit_begin,
	.file = junit_file,
	.failure = junit_failure,
	.end = junit_end,
	.release = junit_release,
};
