#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/os.h"
#include "rule/predicate.h"

#define DOCUMENT "docs/rules.md"

static struct arena arena;
static struct err err;

static int set_up(void **state)
{
	arena_init(&arena);
	memset(&err, 0, sizeof err);
	return 0;
}

static int tear_down(void **state)
{
	arena_release(&arena);
	return 0;
}

/* "NAME: VALUE|…" asked of FACT. */
static bool holds(const char *text, const struct fact *fact)
{
	struct predicate_use use;

	if (!predicate_use_init(&use, text, &arena, &err))
		fail_msg("'%s': %s", text, err.message);
	bool answer = predicate_use_holds(&use, fact);
	predicate_use_release(&use);
	return answer;
}

static void assert_refused(const char *text, const char *why)
{
	struct predicate_use use;

	if (predicate_use_init(&use, text, &arena, &err))
		fail_msg("'%s' was taken", text);
	if (!strstr(err.message, why))
		fail_msg("'%s': the message is '%s', should have '%s'", text, err.message, why);
	predicate_use_release(&use);
}

/* ---- the document ---- */

/* "| `name` | `a`, `b` | …" as "name:a|b", or an empty text for a line that is no row of facts. */
static void row_add(struct buf *row, struct str line)
{
	size_t cell = 0, quoted = 0;

	buf_reset(row);
	for (size_t i = 0; i < line.length && cell < 3; i++) {
		if (line.at[i] == '|') {
			cell++;
		} else if (line.at[i] == '`') {
			if (quoted++ % 2 == 0 && row->length)
				buf_add_char(row, cell == 1 || row->bytes[row->length - 1] == ':' ? ' ' : '|');
		} else if (quoted % 2) {
			buf_add_char(row, line.at[i]);
		}
		if (cell == 2 && row->length && !memchr(row->bytes, ':', row->length))
			buf_add_char(row, ':');
	}
}

/* The table under the heading "Facts to ask for", a fact a line. */
static void table_read(struct buf *table)
{
	struct buf text = BUF_INIT, row = BUF_INIT;
	bool there = os_read_file(DOCUMENT, 1u << 20, &text, &err);

	if (!there)
		fail_msg("%s", err.message);
	size_t start = str_find(buf_get(&text), STR("## Facts to ask for"), 0);
	assert_int_not_equal(start, SIZE_MAX);
	size_t end = str_find(buf_get(&text), STR("The events,"), start);
	assert_int_not_equal(end, SIZE_MAX);
	for (size_t at = start; at < end;) {
		size_t stop = str_find(buf_get(&text), STR("\n"), at);
		if (text.bytes[at] == '|' && text.bytes[at + 2] == '`') {
			row_add(&row, (struct str){text.bytes + at, stop - at});
			buf_add_str(table, buf_get(&row));
			buf_add_char(table, '\n');
		}
		at = stop + 1;
	}
	buf_release(&row);
	buf_release(&text);
}

static void test_document_lists_the_whole_vocabulary(void **state)
{
	struct buf written = BUF_INIT, known = BUF_INIT;

	table_read(&written);
	for (const struct predicate *p = predicates; p->name; p++)
		buf_format(&known, "%s: %s\n", p->name, p->values ? p->values : "/pattern/");
	assert_string_equal(buf_text(&written), buf_text(&known));
	buf_release(&written);
	buf_release(&known);
}

/* ---- reading ---- */

static void test_every_value_of_the_table_is_understood(void **state)
{
	for (const struct predicate *p = predicates; p->name; p++) {
		struct predicate_use use;
		const char *all = arena_format(&arena, "%s: %s", p->name, p->values ? p->values : "/x/");

		if (!predicate_use_init(&use, all, &arena, &err))
			fail_msg("'%s': %s", all, err.message);
		assert_ptr_equal(use.predicate, p);
		predicate_use_release(&use);
	}
}

static void test_unknown_words_are_refused(void **state)
{
	assert_refused("colour: red", "unknown fact 'colour: red'");
	assert_refused("event", "unknown fact 'event'");
	assert_refused("growth: fast", "fact 'growth' cannot be 'fast' (it is none|unbounded");
	assert_refused("growth: window|fast", "cannot be 'fast'");
	assert_refused("growth:", "has no value");
	assert_refused("name: losses", "between slashes");
	assert_refused("name: /", "between slashes");
	assert_refused("name: /(/", "does not compile");
}

static void test_blanks_do_not_matter(void **state)
{
	struct fact fact = {.growth = GROWTH_WINDOW};

	assert_true(holds("growth:window", &fact));
	assert_true(holds(" growth :  epoch | window ", &fact));
}

/* ---- facts ---- */

static void test_event_and_growth(void **state)
{
	struct fact fact = {.kind = FACT_CUT_TRAINED, .growth = GROWTH_UNBOUNDED};

	assert_true(holds("event: store|cut-trained", &fact));
	assert_false(holds("event: store|log", &fact));
	assert_true(holds("growth: unbounded", &fact));
	assert_false(holds("growth: none|constant", &fact));
}

static void test_value(void **state)
{
	struct fact bare = {0};
	struct fact rich = {.graph = PROOF_NAME, .scalar = true, .view = true, .on_device = true, .grad_off = true};
	static const char *const of_rich[] = {"graph", "scalar", "view", "on-device", "grad-off"};

	for (size_t i = 0; i < sizeof of_rich / sizeof *of_rich; i++) {
		const char *text = arena_format(&arena, "value: %s", of_rich[i]);

		assert_true(holds(text, &rich));
		assert_false(holds(text, &bare));
	}
	assert_true(holds("value: no-graph", &bare));
	assert_false(holds("value: no-graph", &rich));
	assert_true(holds("value: not-scalar", &bare));
	assert_false(holds("value: not-scalar", &rich));
}

static void test_buffers_mode_and_joined(void **state)
{
	struct fact fact = {.buffers = BUFFERS_PARTLY, .mode = -1, .rebuilt = true};

	assert_true(holds("buffers: partly", &fact));
	assert_false(holds("buffers: kept|freed", &fact));
	assert_true(holds("joined: yes", &fact));
	assert_false(holds("joined: no", &fact));
	assert_true(holds("mode: unknown", &fact));
	fact.mode = 0;
	assert_true(holds("mode: eval", &fact));
	fact.mode = 1;
	assert_true(holds("mode: train", &fact));
	assert_false(holds("mode: eval|unknown", &fact));
}

static void test_holder_chain_and_loop(void **state)
{
	struct event event = {.selects = true};
	struct loop loop = {0};
	struct fact fact = {.event = &event, .kept_by_owner = true, .loop = &loop};

	assert_true(holds("holder: owned", &fact));
	assert_false(holds("holder: local", &fact));
	assert_true(holds("holder: tensor", &fact));
	event.value.object_count = 1;
	assert_false(holds("holder: tensor", &fact));
	assert_true(holds("chain: selected", &fact));
	assert_false(holds("chain: computed", &fact));
	assert_true(holds("loop: some", &fact));
	fact.loop = NULL;
	assert_true(holds("loop: none", &fact));
}

static void test_name_is_searched_for_the_pattern(void **state)
{
	struct event event = {.name = STR("self.losses")};
	struct fact fact = {.event = &event};

	assert_true(holds("name: /loss/", &fact));
	assert_true(holds("name: /^self\\.\\w+$/", &fact));
	assert_false(holds("name: /^losses/", &fact));
	event.name = (struct str){NULL, 0};
	assert_false(holds("name: /./", &fact));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_document_lists_the_whole_vocabulary, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_every_value_of_the_table_is_understood, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unknown_words_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_blanks_do_not_matter, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_event_and_growth, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_value, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_buffers_mode_and_joined, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_holder_chain_and_loop, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_name_is_searched_for_the_pattern, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
