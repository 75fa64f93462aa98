/* A document that is checked with a memory after each of many edits has, each time, the result of a fresh check: findings,
 * problems and all that the analysis saw. Longer runs: test_again SEED ROUNDS. */
#include "engine/lint.h"

#include "temp_tree.h"
#include "base/os.h"
#include "base/vec.h"
#include "report/report.h"

static struct {
	struct rule_set rules;
	struct arena arena;
	struct settings settings;
	struct lint_worker *fresh, *again;
	struct linter *linter;
	VEC(struct str) texts;
	uint64_t random;
	long rounds;
} at = {.random = 1, .rounds = 2};

enum { EDITS = 40 };

static unsigned below(size_t limit)
{
	return limit ? temp_tree_random(&at.random, (unsigned)limit) : 0;
}

static void add_texts(const char *folder, size_t each)
{
	struct os_entry *entries;
	struct buf text = BUF_INIT;
	struct err err;
	size_t count;

	assert_true(os_list(folder, &at.arena, &entries, &count, &err));
	for (size_t i = 0; i < count; i += each) {
		const char *path = arena_format(&at.arena, "%s/%s", folder, entries[i].name);

		if (entries[i].stat.kind != OS_FILE || !str_ends(str_from(path), ".py"))
			continue;
		buf_reset(&text);
		assert_true(os_read_file(path, 0, &text, &err));
		VEC_ADD(&at.texts, arena_dup_str(&at.arena, buf_get(&text)));
	}
	buf_release(&text);
}

static int set_up(void **state)
{
	struct rule_pick all = {.name = "ALL", .verb = RULE_TAKE, .rank = 1};
	struct err err;

	(void)state;
	arena_init(&at.arena);
	assert_true(rule_set_init(&at.rules, NULL, &err));
	selection_init(&at.settings.selection, &at.rules, &all, 1, false, PROOF_NAME, &at.arena);
	at.linter = linter_new(&at.rules, NULL, &err);
	linter_explain(at.linter);
	at.settings.linter = at.linter;
	at.settings.rules = &at.rules;
	at.fresh = lint_worker_new();
	at.again = lint_worker_new();
	add_texts("tests/cases/a", 3);
	add_texts("tests/cases/b", 3);
	for (size_t i = 0; i < at.rules.count; i++)
		add_texts(arena_format(&at.arena, "fixtures/%s", at.rules.rules[i]->name), 4);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	lint_worker_free(at.fresh);
	lint_worker_free(at.again);
	linter_free(at.linter);
	rule_set_release(&at.rules);
	arena_release(&at.arena);
	VEC_RELEASE(&at.texts);
	return 0;
}

/* ---- edits ---- */

static void replace(struct buf *text, size_t start, size_t end, struct str by)
{
	struct buf out = BUF_INIT;

	buf_add(&out, buf_text(text), start);
	buf_add_str(&out, by);
	buf_add(&out, buf_text(text) + end, text->length - end);
	buf_release(text);
	*text = out;
}

static size_t line_start(const struct buf *text, size_t offset)
{
	while (offset > 0 && buf_text(text)[offset - 1] != '\n')
		offset--;
	return offset;
}

static size_t lines_on(const struct buf *text, size_t offset, unsigned lines)
{
	while (offset < text->length && lines)
		lines -= buf_text(text)[offset++] == '\n';
	return offset;
}

/* Where the next edit is: near the last one, or somewhere else. */
static size_t place(const struct buf *text, size_t *cursor)
{
	if (below(6) == 0 || *cursor > text->length)
		*cursor = below(text->length + 1);
	return *cursor;
}

static void type(struct buf *text, size_t *cursor)
{
	static const char *const words[] = {
		"x", "q", "1", " ", "\n", "    ", "\t", "(", ")", "[", "]", "{", "}", "\"", "'", "\"\"\"", "'''", "#", ":", ".", ",", "=",
		"\\", "\\\n", "f\"{", "}\"", ".append(loss)", ".item()", "with torch.no_grad():\n", "for x in y:\n    ", "é", "損失", "\xf0\x9f\x90\x8d",
		"\xff", "\0", "\r", "\r\n", "\n\n", "\f", "lambda: ", "print >>x", "match x:\n", "async ", "await ", "del ", "global total\n",
		"@torch.no_grad()\n", "if True:\n", "else:\n", "return\n", "import torch\n", "class A(nn.Module):\n", "# vramlint: ignore[VL101]\n",
		"# type: ignore",
	};
	const char *word = words[below(sizeof words / sizeof *words)];
	size_t where = place(text, cursor);

	replace(text, where, where, (struct str){word, *word ? strlen(word) : 1});
	*cursor = where + (*word ? strlen(word) : 1);
}

static void erase(struct buf *text, size_t *cursor)
{
	size_t where = place(text, cursor), most = text->length - where;
	size_t length = below(3) ? 1 : below(40);

	replace(text, where, where + (length < most ? length : most), STR(""));
}

static void erase_lines(struct buf *text, size_t *cursor)
{
	size_t where = line_start(text, place(text, cursor));

	replace(text, where, lines_on(text, where, 1 + below(8)), STR(""));
	*cursor = where;
}

static void paste(struct buf *text, size_t *cursor)
{
	struct str other = at.texts.items[below(at.texts.count)];
	size_t where = line_start(text, place(text, cursor)), from = below(other.length + 1);

	while (from > 0 && other.at[from - 1] != '\n')
		from--;
	size_t end = from + below(400);
	replace(text, where, where, (struct str){other.at + from, (end < other.length ? end : other.length) - from});
	*cursor = where;
}

/* Puts TOKEN at the beginning of some lines, or takes it away there. */
static void shift(struct buf *text, size_t *cursor, struct str token, bool away)
{
	size_t where = line_start(text, place(text, cursor));

	for (unsigned lines = 1 + below(12); lines && where < text->length; lines--) {
		bool is_there = str_starts((struct str){buf_text(text) + where, text->length - where}, token.at);

		if (!away)
			replace(text, where, where, token);
		else if (is_there)
			replace(text, where, where + token.length, STR(""));
		where = lines_on(text, where, 1);
	}
}

/* A run of comments of a length around the one from which on they are not parsed. */
static void add_comments(struct buf *text, size_t *cursor)
{
	struct buf run = BUF_INIT;
	size_t where = line_start(text, place(text, cursor));

	for (unsigned lines = 60 + below(8); lines; lines--)
		buf_add_text(&run, below(9) ? "# words\n" : below(2) ? "\n" : "    # \"quoted\"\n");
	replace(text, where, where, buf_get(&run));
	buf_release(&run);
}

static void change_line_ends(struct buf *text)
{
	static const char *const ends[] = {"\n", "\r\n", "\r"};
	const char *to = ends[below(3)];
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < text->length; i++) {
		char c = buf_text(text)[i];

		if (c == '\r' && i + 1 < text->length && buf_text(text)[i + 1] == '\n')
			continue;
		if (c == '\r' || c == '\n')
			buf_add_text(&out, to);
		else
			buf_add_char(&out, c);
	}
	buf_release(text);
	*text = out;
}

static void edit(struct buf *text, size_t *cursor, struct buf *earlier)
{
	switch (below(24)) {
	case 0:
		erase_lines(text, cursor);
		break;
	case 1:
	case 2:
		paste(text, cursor);
		break;
	case 3:
		shift(text, cursor, STR("    "), below(2));
		break;
	case 4:
		shift(text, cursor, STR("#"), below(2));
		break;
	case 5:
		if (below(4) == 0)
			add_comments(text, cursor);
		break;
	case 6:
		if (below(4) == 0)
			change_line_ends(text);
		break;
	case 7: /* undo */
		buf_reset(text);
		buf_add_str(text, buf_get(earlier));
		break;
	case 8:
		buf_reset(earlier);
		buf_add_str(earlier, buf_get(text));
		break;
	case 9:
	case 10:
	case 11:
	case 12:
		erase(text, cursor);
		break;
	default:
		type(text, cursor);
	}
}

/* ---- results ---- */

/* All that RESULT says, in words. */
static void render(const struct lint_result *result, const struct source *source, struct buf *out)
{
	struct run_file file = {"x.py", result, NULL, source, &at.settings, NULL};
	struct report report;

	report_init(&report, report_format_find("json-lines"), (struct report_options){.shows_suppressed = true, .rules = &at.rules});
	report.format->begin(&report);
	report.format->file(&report, &file);
	buf_reset(out);
	buf_add_str(out, buf_get(&report.out));
	report_release(&report);
	for (size_t i = 0; i < result->suppressed_count; i++)
		buf_format(out, "suppressed %u %s\n", result->suppressed[i].finding.at.span.start, result->suppressed[i].finding.message);
	for (size_t i = 0; i < result->problem_count; i++)
		buf_format(out, "problem %u-%u %s\n", result->problems[i].at.span.start, result->problems[i].at.span.end, result->problems[i].text);
	buf_format(out, "%s\n%d\n%s", result->failure ? result->failure : "", result->skipped,
		   result->explanation ? result->explanation : "");
}

static size_t compared, whole, guessed;

/* Checks SOURCE once more and compares with FRESH. In a hurry what is a guess may be anything. */
static void compare_again(const struct buf *text, const struct source *source, const struct lint_result *fresh, bool hurries)
{
	struct lint_result again;
	struct buf one = BUF_INIT, other = BUF_INIT;

	lint_worker_hurry(at.again, hurries);
	lint_source(at.again, &at.settings, NULL, source, &again);
	render(fresh, source, &one);
	render(&again, source, &other);
	assert_true(hurries || !again.is_guess);
	guessed += again.is_guess;
	if (!again.is_guess && (one.length != other.length || memcmp(buf_text(&one), buf_text(&other), one.length) != 0)) {
		os_write_file("/tmp/vramlint-again.py", buf_get(text), NULL);
		fail_msg("the results differ, for /tmp/vramlint-again.py:\n%s\n---- and again:\n%s", buf_text(&one), buf_text(&other));
	}
	buf_release(&one);
	buf_release(&other);
	lint_result_release(&again);
}

static void compare(const struct buf *text, struct lint_memory *memory)
{
	struct lint_result fresh;
	struct source source;

	source_init_plain(&source, buf_get(text));
	lint_source(at.fresh, &at.settings, NULL, &source, &fresh);
	lint_worker_remember(at.again, memory);
	if (below(2))
		compare_again(text, &source, &fresh, true);
	if (below(4))
		compare_again(text, &source, &fresh, false);
	compared++;
	whole += !fresh.problem_count && !fresh.failure && !fresh.skipped;
	lint_result_release(&fresh);
	source_release(&source);
}

static void edit_and_compare(size_t files)
{
	struct lint_memory *memory = lint_memory_new();
	struct buf text = BUF_INIT, earlier = BUF_INIT;
	size_t cursor = 0;

	buf_add_text(&text, "import torch\n");
	for (size_t i = 0; i < files; i++)
		buf_add_str(&text, at.texts.items[below(at.texts.count)]);
	buf_add_str(&earlier, buf_get(&text));
	compare(&text, memory);
	for (int i = 0; i < EDITS; i++) {
		edit(&text, &cursor, &earlier);
		compare(&text, memory);
		if (below(30) == 0)
			lint_memory_forget(memory);
	}
	buf_release(&text);
	buf_release(&earlier);
	lint_memory_free(memory);
}

static void again_is_as_fresh(void **state)
{
	(void)state;
	assert_true(at.texts.count > 100);
	for (long i = 0; i < at.rounds; i++) {
		edit_and_compare(1);
		edit_and_compare(1);
		edit_and_compare(1);
		edit_and_compare(8);
	}
	assert_true(whole > compared / 20);
	assert_true(guessed > compared / 20);
}

/* Someone writes a file from its first character to its last. */
static void typing_a_file_is_as_fresh(void **state)
{
	struct lint_memory *memory = lint_memory_new();
	struct str whole_text = at.texts.items[below(at.texts.count)];
	struct buf text = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < whole_text.length && i < 600; i++) {
		buf_add_char(&text, whole_text.at[i]);
		compare(&text, memory);
	}
	buf_release(&text);
	lint_memory_free(memory);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(again_is_as_fresh),
		cmocka_unit_test(typing_a_file_is_as_fresh),
	};

	if (argc > 2) {
		at.random = (uint64_t)atoll(argv[1]);
		at.rounds = atol(argv[2]);
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
