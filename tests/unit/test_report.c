#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "report/report.h"
#include "rule/rule.h"

static const struct rule append = {.code = "VL101", .name = "tensor-append"};

/* line 12 of the source starts at byte 100, line 9 at byte 60 */
#define LINE_12 "    losses.append(loss)"
#define LINE_9 "    loss = f(x)"

static struct excerpt excerpt(const char *line, uint32_t line_start, uint32_t number, uint32_t from, uint32_t to)
{
	return (struct excerpt){
		.span = {line_start + from, line_start + to},
		.start = {number, from + 1},
		.end = {number, to + 1},
		.line_text = line,
		.line_length = strlen(line),
	};
}

static struct finding plain_finding(void)
{
	return (struct finding){
		.rule = &append,
		.at = excerpt(LINE_12, 100, 12, 4, 23),
		.severity = SEVERITY_ERROR,
		.cost = COST_DEVICE,
		.proof = PROOF_FLOW,
		.message = "'losses' keeps 'loss' with its graph",
	};
}

struct rendering {
	struct lint_result result;
	struct finding finding;
	struct finding_note notes[3];
	struct finding_edit edits[2];
	struct lint_problem problem;
	struct report report;
	struct report_totals totals;
	const char *path;
};

static int set_up(void **state)
{
	static struct rendering rendering;

	memset(&rendering, 0, sizeof rendering);
	rendering.finding = plain_finding();
	rendering.finding.notes = rendering.notes;
	rendering.finding.edits = rendering.edits;
	rendering.result.findings = &rendering.finding;
	rendering.result.finding_count = 1;
	rendering.path = "src/train.py";
	*state = &rendering;
	return 0;
}

static int tear_down(void **state)
{
	report_release(&((struct rendering *)*state)->report);
	return 0;
}

/* The whole report of one file. */
static const char *render(struct rendering *rendering, const char *format, struct report_options options)
{
	struct run_file file = {rendering->path, &rendering->result, NULL, NULL};

	report_release(&rendering->report);
	report_init(&rendering->report, report_format_find(format), options);
	rendering->totals = (struct report_totals){0};
	report_totals_add(&rendering->totals, &file, SEVERITY_NOTE);
	rendering->report.format->begin(&rendering->report);
	rendering->report.format->file(&rendering->report, &file);
	rendering->report.format->end(&rendering->report, &rendering->totals);
	return buf_text(&rendering->report.out);
}

static const struct report_options quiet = {false, 0, true};

static void formats_are_found_by_name(void **state)
{
	for (size_t i = 0; report_formats[i]; i++)
		assert_ptr_equal(report_format_find(report_formats[i]->name), report_formats[i]);
	assert_null(report_format_find("fullest"));
	assert_null(report_format_find(""));
}

static void concise_is_one_line(void **state)
{
	assert_string_equal(render(*state, "concise", (struct report_options){0}),
			    "src/train.py:12:5: VL101 tensor-append [error] 'losses' keeps 'loss' with its graph\n");
}

static void no_format_lets_names_or_messages_write_to_the_terminal(void **state)
{
	struct rendering *rendering = *state;

	rendering->path = "a\nb\x1b[2J.py";
	rendering->finding.message = "'\xE2\x80\xAE' is \x07";
	for (size_t i = 0; report_formats[i]; i++) {
		const char *text = render(rendering, report_formats[i]->name, quiet);

		assert_null(strstr(text, "a\nb"));
		assert_null(strchr(text, '\x1b'));
		assert_null(strchr(text, '\x07'));
	}
}

static void full_shows_the_source_under_the_headline(void **state)
{
	assert_string_equal(render(*state, "full", quiet),
			    "src/train.py:12:5: error VL101 tensor-append: 'losses' keeps 'loss' with its graph\n"
			    "   |\n"
			    "12 |     losses.append(loss)\n"
			    "   |     ^^^^^^^^^^^^^^^^^^^\n"
			    "\n");
}

static void full_numbers_the_trail_and_shows_each_line_once(void **state)
{
	struct rendering *rendering = *state;

	/* Each excerpt has a copy of its line. */
	static const char copy[] = LINE_12;

	rendering->notes[0] = (struct finding_note){excerpt(copy, 100, 12, 18, 22), "kept here"};
	rendering->notes[1] = (struct finding_note){excerpt(LINE_9, 60, 9, 4, 8), "made by 'f'"};
	rendering->notes[2] = (struct finding_note){excerpt(LINE_9, 60, 9, 11, 15), "which has weights"};
	rendering->finding.note_count = 3;
	rendering->finding.growth = "one graph a step";
	rendering->finding.help = "append 'loss.item()'";
	assert_string_equal(render(rendering, "full", quiet),
			    "src/train.py:12:5: error VL101 tensor-append: 'losses' keeps 'loss' with its graph\n"
			    "   |\n"
			    "12 |     losses.append(loss)\n"
			    "   |     ^^^^^^^^^^^^^^^^^^^\n"
			    "   |                   ---- 1. kept here\n"
			    "   |\n"
			    " 9 |     loss = f(x)\n"
			    "   |     ---- 2. made by 'f'\n"
			    "   |            ---- 3. which has weights\n"
			    "   |\n"
			    "   = cost: one graph a step\n"
			    "   = help: append 'loss.item()'\n"
			    "\n");
}

static void the_gutter_is_as_wide_as_the_widest_number(void **state)
{
	struct rendering *rendering = *state;

	rendering->notes[0] = (struct finding_note){excerpt(LINE_9, 60, 1009, 4, 8), "made by 'f'"};
	rendering->finding.note_count = 1;
	assert_string_equal(strchr(render(rendering, "full", quiet), '\n'), "\n"
									    "     |\n"
									    "  12 |     losses.append(loss)\n"
									    "     |     ^^^^^^^^^^^^^^^^^^^\n"
									    "     |\n"
									    "1009 |     loss = f(x)\n"
									    "     |     ---- 1. made by 'f'\n"
									    "\n");
}

static void full_shows_edits_as_before_and_after(void **state)
{
	struct rendering *rendering = *state;

	rendering->edits[0] = (struct finding_edit){{100 + 4, 100 + 10}, "history"};
	rendering->edits[1] = (struct finding_edit){{100 + 22, 100 + 22}, ".item()"};
	rendering->finding.edit_count = 2;
	assert_non_null(strstr(render(rendering, "full", quiet), "   |\n"
								 "12 -     losses.append(loss)\n"
								 "12 +     history.append(loss.item())\n\n"));
}

static void full_shows_edits_that_add_lines(void **state)
{
	struct rendering *rendering = *state;

	rendering->edits[0] = (struct finding_edit){{100, 100}, "    loss = loss.item()\n"};
	rendering->finding.edit_count = 1;
	assert_non_null(strstr(render(rendering, "full", quiet), "12 -     losses.append(loss)\n"
								 "12 +     loss = loss.item()\n"
								 "13 +     losses.append(loss)\n\n"));
}

static void full_shows_edits_of_lines_of_the_trail(void **state)
{
	struct rendering *rendering = *state;

	rendering->notes[0] = (struct finding_note){excerpt(LINE_9, 60, 9, 4, 8), "made by 'f'"};
	rendering->finding.note_count = 1;
	rendering->edits[0] = (struct finding_edit){{60 + 15, 60 + 15}, ".detach()"};
	rendering->finding.edit_count = 1;
	assert_non_null(strstr(render(rendering, "full", quiet), " 9 -     loss = f(x)\n"
								 " 9 +     loss = f(x).detach()\n"));
}

static void half_of_a_change_is_not_shown(void **state)
{
	struct rendering *rendering = *state;

	rendering->edits[0] = (struct finding_edit){{5, 7}, "elsewhere"};
	rendering->edits[1] = (struct finding_edit){{122, 122}, ".item()"};
	rendering->finding.edit_count = 2;
	assert_null(strstr(render(rendering, "full", quiet), "12 -"));
}

static void full_colours_only_on_demand(void **state)
{
	const char *text = render(*state, "full", (struct report_options){true, 0, true});

	assert_non_null(strstr(text, "\x1b[1;31merror\x1b[0m"));
	assert_null(strchr(render(*state, "full", quiet), '\x1b'));
}

static void full_shows_problems_and_the_others_leave_them(void **state)
{
	struct rendering *rendering = *state;

	rendering->problem = (struct lint_problem){excerpt(LINE_9, 60, 9, 4, 8), "cannot parse from here"};
	rendering->result.problems = &rendering->problem;
	rendering->result.problem_count = 1;
	rendering->result.finding_count = 0;
	assert_string_equal(render(rendering, "full", (struct report_options){0}),
			    "src/train.py:9:5: problem: cannot parse from here\n"
			    "  |\n"
			    "9 |     loss = f(x)\n"
			    "  |     ^^^^\n"
			    "\n"
			    "No findings in 1 file; 1 problem.\n");
	for (size_t i = 0; report_formats[i]; i++) {
		bool is_shown = *render(rendering, report_formats[i]->name, quiet) != '\0';

		assert_int_equal(is_shown, report_formats[i]->shows_problems);
	}
}

static void a_problem_of_the_whole_file_has_no_place(void **state)
{
	struct rendering *rendering = *state;

	rendering->problem.text = "nested too deeply";
	rendering->result.problems = &rendering->problem;
	rendering->result.problem_count = 1;
	rendering->result.finding_count = 0;
	assert_string_equal(render(rendering, "full", quiet), "src/train.py: problem: nested too deeply\n\n");
}

static const char *text_of(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static int number_of(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	assert_true(cJSON_IsNumber(item));
	return item->valueint;
}

static cJSON *parse_line(const char *text)
{
	cJSON *object = cJSON_Parse(text);

	assert_int_equal(text[strlen(text) - 1], '\n');
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	assert_non_null(object);
	return object;
}

static void json_lines_say_all(void **state)
{
	struct rendering *rendering = *state;
	const cJSON *fix, *edit, *note;
	cJSON *object;

	rendering->notes[0] = (struct finding_note){excerpt(LINE_9, 60, 9, 4, 8), "made by 'f'"};
	rendering->finding.note_count = 1;
	rendering->edits[0] = (struct finding_edit){{122, 122}, ".item()"};
	rendering->finding.edit_count = 1;
	rendering->finding.fix_is_safe = true;
	rendering->finding.growth = "one graph a step";
	rendering->finding.help = "append \"it\"";
	object = parse_line(render(rendering, "json-lines", (struct report_options){0}));
	assert_string_equal(text_of(object, "path"), "src/train.py");
	assert_int_equal(number_of(object, "line"), 12);
	assert_int_equal(number_of(object, "column"), 5);
	assert_int_equal(number_of(object, "end_line"), 12);
	assert_int_equal(number_of(object, "end_column"), 24);
	assert_string_equal(text_of(object, "code"), "VL101");
	assert_string_equal(text_of(object, "name"), "tensor-append");
	assert_string_equal(text_of(object, "severity"), "error");
	assert_string_equal(text_of(object, "cost"), "device");
	assert_string_equal(text_of(object, "proof"), "flow");
	assert_string_equal(text_of(object, "message"), "'losses' keeps 'loss' with its graph");
	assert_string_equal(text_of(object, "growth"), "one graph a step");
	assert_string_equal(text_of(object, "help"), "append \"it\"");
	note = cJSON_GetArrayItem(cJSON_GetObjectItem(object, "trail"), 0);
	assert_int_equal(number_of(note, "line"), 9);
	assert_int_equal(number_of(note, "end_column"), 9);
	assert_string_equal(text_of(note, "text"), "made by 'f'");
	fix = cJSON_GetObjectItem(object, "fix");
	assert_true(cJSON_IsTrue(cJSON_GetObjectItem(fix, "safe")));
	edit = cJSON_GetArrayItem(cJSON_GetObjectItem(fix, "edits"), 0);
	assert_int_equal(number_of(edit, "start"), 122);
	assert_int_equal(number_of(edit, "end"), 122);
	assert_string_equal(text_of(edit, "text"), ".item()");
	cJSON_Delete(object);
}

static void json_lines_leave_out_what_is_not_there(void **state)
{
	cJSON *object = parse_line(render(*state, "json-lines", (struct report_options){0}));

	assert_false(cJSON_HasObjectItem(object, "growth"));
	assert_false(cJSON_HasObjectItem(object, "help"));
	assert_false(cJSON_HasObjectItem(object, "trail"));
	assert_false(cJSON_HasObjectItem(object, "fix"));
	cJSON_Delete(object);
}

static void totals_count_by_severity_and_limit(void **state)
{
	struct rendering *rendering = *state;
	struct finding findings[3] = {plain_finding(), plain_finding(), plain_finding()};
	struct run_file file = {"a.py", &rendering->result, NULL, NULL};
	struct run_file unread = {"b.py", NULL, "cannot read 'b.py'", NULL};
	struct report_totals totals = {0};

	findings[1].severity = SEVERITY_HINT;
	findings[2].severity = SEVERITY_WARNING;
	rendering->result.findings = findings;
	rendering->result.finding_count = 3;
	report_totals_add(&totals, &file, SEVERITY_WARNING);
	report_totals_add(&totals, &unread, SEVERITY_WARNING);
	assert_int_equal(totals.files, 2);
	assert_int_equal(totals.failed, 1);
	assert_int_equal(totals.findings, 3);
	assert_int_equal(totals.failing, 2);
	assert_int_equal(totals.reported, 1);
	assert_int_equal(totals.by_severity[SEVERITY_HINT], 1);
	assert_int_equal(totals.by_severity[SEVERITY_ERROR], 1);
}

#define MORE "'vramlint explain CODE' says more about a rule.\n"

static const char *last_lines(struct rendering *rendering, struct report_totals totals)
{
	report_release(&rendering->report);
	report_init(&rendering->report, report_format_find("full"), (struct report_options){0});
	rendering->report.format->end(&rendering->report, &totals);
	return buf_text(&rendering->report.out);
}

static void the_summary_is_a_sentence(void **state)
{
	struct report_totals totals = {.files = 12};

	assert_string_equal(last_lines(*state, totals), "All clear: no findings in 12 files.\n");
	totals.failed = 2;
	assert_string_equal(last_lines(*state, totals), "No findings in 10 files; 2 could not be checked.\n");
	totals = (struct report_totals){.files = 9, .findings = 3, .by_severity = {1, 0, 0, 2}, .reported = 2,
					.failing = 2};
	assert_string_equal(last_lines(*state, totals), "Found 3 findings (2 errors, 1 hint) in 2 files.\n" MORE);
	totals = (struct report_totals){.files = 9, .findings = 1, .by_severity = {1}, .reported = 1};
	assert_string_equal(last_lines(*state, totals),
			    "Found 1 finding (1 hint) in 1 file; hints alone do not fail a run.\n" MORE);
	totals.failing = 1;
	assert_string_equal(last_lines(*state, totals), "Found 1 finding (1 hint) in 1 file.\n" MORE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_found_by_name),
		cmocka_unit_test_setup_teardown(concise_is_one_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_format_lets_names_or_messages_write_to_the_terminal, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(full_shows_the_source_under_the_headline, set_up, tear_down),
		cmocka_unit_test_setup_teardown(full_numbers_the_trail_and_shows_each_line_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_gutter_is_as_wide_as_the_widest_number, set_up, tear_down),
		cmocka_unit_test_setup_teardown(full_shows_edits_as_before_and_after, set_up, tear_down),
		cmocka_unit_test_setup_teardown(full_shows_edits_that_add_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(full_shows_edits_of_lines_of_the_trail, set_up, tear_down),
		cmocka_unit_test_setup_teardown(half_of_a_change_is_not_shown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(full_colours_only_on_demand, set_up, tear_down),
		cmocka_unit_test_setup_teardown(full_shows_problems_and_the_others_leave_them, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_problem_of_the_whole_file_has_no_place, set_up, tear_down),
		cmocka_unit_test_setup_teardown(json_lines_say_all, set_up, tear_down),
		cmocka_unit_test_setup_teardown(json_lines_leave_out_what_is_not_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(totals_count_by_severity_and_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_summary_is_a_sentence, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
