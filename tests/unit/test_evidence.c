#include "confirm/evidence.h"

#include "temp_tree.h"

static struct temp_tree tree;
static struct reported_process process;
static struct reported_holder holder;
static struct reported reported;
static struct confirm_outcome outcome;
static struct judgements judgements;
static struct told told;
static struct evidence evidence;
static char path[128];

static int set_up(void **state)
{
	struct reported_process *one = &process;
	struct reported_holder *kept = &holder;
	FILE *file;

	temp_tree_init(&tree);
	snprintf(path, sizeof path, "%s/train.py", tree.folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("xs = []\nfor i in y:\n    x = f(i)\n    xs.append(x)  \n", file);
	fclose(file);
	process = (struct reported_process){.first = 6, .last = 48, .steps = 48, .rank = -1};
	holder = (struct reported_holder){.key = "xs", .host_bytes = -1, .used = -1, .first = -1, .last = -1};
	for (int64_t step = 1; step <= 48; step++)
		VEC_ADD(&holder.births, ((struct reported_birth){.step = step, .tensors = 1, .bytes = 8, .nodes = 2, .device = 8}));
	VEC_ADD(&process.holders, kept);
	reported = (struct reported){.bad_lines = 0};
	VEC_ADD(&reported.processes, one);
	return 0;
}

static int tear_down(void **state)
{
	evidence_release(&evidence);
	told_release(&told);
	judgements_release(&judgements);
	VEC_RELEASE(&process.holders);
	VEC_RELEASE(&holder.births);
	VEC_RELEASE(&holder.stores);
	VEC_RELEASE(&holder.allocs);
	VEC_RELEASE(&reported.processes);
	temp_tree_release(&tree);
	return 0;
}

static const struct evidence_item *gathered(const struct predicted *findings, size_t count)
{
	struct os_memory memory = {-1, -1, false};

	outcome = (struct confirm_outcome){.reported = reported};
	judge_run(&reported, findings, count, &judgements);
	told = (struct told){.outcome = &outcome, .judgements = &judgements, .command = "x", .folder = tree.folder};
	told_init(&told, &memory);
	evidence_init(&evidence, &told);
	assert_int_equal(evidence.items.count, 1);
	return &evidence.items.items[0];
}

static void what_nobody_predicted_is_a_finding_where_it_is_stored(void **state)
{
	const struct evidence_item *item;

	VEC_ADD(&holder.stores, ((struct reported_line){.path = "/nowhere/a.py", .line = 1}));
	VEC_ADD(&holder.stores, ((struct reported_line){.path = path, .line = 4}));
	VEC_ADD(&holder.allocs, ((struct reported_line){.path = path, .line = 3}));
	item = gathered(NULL, 0);
	assert_true(item->is_placed);
	assert_string_equal(item->path, "train.py");
	assert_string_equal(item->finding.rule->code, "VL900");
	assert_string_equal(item->finding.verdict->name, "unpredicted");
	assert_int_equal(item->finding.verdict->truth, FINDING_HAPPENS);
	assert_int_equal(item->finding.at.start.line, 4);
	assert_int_equal(item->finding.at.start.column, 5);
	assert_int_equal(item->finding.at.end.column, 17); /* without the blanks behind it */
	assert_int_equal(item->finding.note_count, 2);
	assert_int_equal(item->finding.notes[0].at.start.line, 3);
	assert_int_equal(item->finding.notes[1].at.start.line, 4);
}

static void what_is_nowhere_has_no_place(void **state)
{
	VEC_ADD(&holder.stores, ((struct reported_line){.path = "/dev/zero", .line = 1}));
	VEC_ADD(&holder.stores, ((struct reported_line){.path = "/", .line = 1}));
	VEC_ADD(&holder.stores, ((struct reported_line){.path = "train.py", .line = 1}));
	VEC_ADD(&holder.stores, ((struct reported_line){.path = path, .line = 99}));
	VEC_ADD(&holder.stores, ((struct reported_line){.path = path, .line = INT64_MAX}));
	VEC_ADD(&holder.stores, ((struct reported_line){.path = path, .line = -1}));
	assert_false(gathered(NULL, 0)->is_placed);
}

static void what_a_record_knows_is_shown_with_its_line(void **state)
{
	const struct predicted finding = {.path = path, .shown = "train.py", .name = "tensor-append", .code = "VL101",
					  .message = "x is kept", .line = 4, .end_line = 4, .column = 5};
	const struct evidence_item *item;

	VEC_ADD(&holder.stores, ((struct reported_line){.path = path, .line = 4}));
	item = gathered(&finding, 1);
	assert_true(item->is_placed);
	assert_string_equal(item->finding.verdict->name, "confirmed");
	assert_string_equal(item->finding.verdict->holder, "xs");
	assert_int_equal(item->finding.at.start.line, 4);
	assert_int_equal(item->finding.note_count, 1);
}

static void a_line_of_a_cell_is_that_of_the_cell(void **state)
{
	struct source_origin origins[] = {{0, 0, 1, true}, {1, 1, 5, false}, {2, 1, 9, false}, {2, 2, 10, false}};
	struct source source;
	struct predicted finding = {.path = "/a.ipynb:cell 2", .shown = "a.ipynb:cell 2", .name = "tensor-append", .code = "VL101",
				    .message = "x is kept", .line = 2, .end_line = 2, .source = &source};

	source_init_plain(&source, STR("\none\ntwo\n three"));
	source.origins = origins;
	source.written = source.text;
	VEC_ADD(&holder.stores, ((struct reported_line){.path = "/a.ipynb:cell 2", .line = 2}));
	assert_string_equal(gathered(&finding, 1)->path, "a.ipynb");
	assert_true(str_equal(evidence_line(&evidence, "/a.ipynb:cell 2", 2), STR("three")));
	assert_true(str_equal(evidence_line(&evidence, "/a.ipynb:cell 1", 1), STR("one")));
	assert_int_equal(evidence_line(&evidence, "/a.ipynb:cell 3", 1).length, 0);
	assert_int_equal(evidence_line(&evidence, "/a.ipynb:cell x", 1).length, 0);
	source.origins = NULL;
	source.written = NULL;
	source_release(&source);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_nobody_predicted_is_a_finding_where_it_is_stored),
		TEST(what_is_nowhere_has_no_place),
		TEST(what_a_record_knows_is_shown_with_its_line),
		TEST(a_line_of_a_cell_is_that_of_the_cell),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
