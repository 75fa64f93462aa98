#include "rule/predicate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/os.h"

struct fixture {
	struct arena arena;
	struct event event;
	struct loop loop;
	struct fact fact;
};

static int set_up(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof fixture);
	arena_init(&fixture.arena);
	fixture.fact.event = &fixture.event;
	fixture.fact.mode = -1;
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	arena_release(&((struct fixture *)*state)->arena);
	return 0;
}

static bool asked(struct fixture *f, const char *text)
{
	struct predicate_use use;
	struct err err = {0};

	if (!predicate_use_init(&use, text, &f->arena, &err))
		fail_msg("%s", err.message);
	bool holds = predicate_use_holds(&use, &f->fact);
	predicate_use_release(&use);
	return holds;
}

static void refused(struct fixture *f, const char *text, const char *message)
{
	struct predicate_use use;
	struct err err = {0};

	assert_false(predicate_use_init(&use, text, &f->arena, &err));
	assert_int_equal(err.code, ERR_CONFIG);
	if (!strstr(err.message, message))
		fail_msg("'%s' is told as: %s", text, err.message);
	predicate_use_release(&use);
}

/* Of several names that exclude each other, exactly the one in force holds. */
static void only(struct fixture *f, const char *predicate, const char *const *values, size_t count, size_t which)
{
	char text[64];

	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof text, "%s: %s", predicate, values[i]);
		if (asked(f, text) != (i == which))
			fail_msg("'%s' where it is '%s'", text, values[which]);
	}
}

static void what_happened(void **state)
{
	struct fixture *f = *state;

	for (int kind = FACT_STORE; kind <= (int)FACT_CUT_TRAINED; kind++) {
		char text[64];

		if (kind == FACT_ASSIGN)
			continue; /* reserved: nothing makes it yet */
		f->fact.kind = (enum fact_kind)kind;
		snprintf(text, sizeof text, "event: %s", fact_kind_name(f->fact.kind));
		assert_true(asked(f, text));
		assert_false(asked(f, kind == FACT_STORE ? "event: log" : "event: store"));
	}
}

static void what_is_known_of_the_value(void **state)
{
	struct fixture *f = *state;

	assert_true(asked(f, "value: no-graph"));
	assert_false(asked(f, "value: graph"));
	f->fact.graph = PROOF_NAME;
	assert_true(asked(f, "value: graph"));
	assert_false(asked(f, "value: no-graph"));
	assert_true(asked(f, "value: not-scalar"));
	f->fact.scalar = true;
	assert_true(asked(f, "value: scalar"));
	assert_false(asked(f, "value: not-scalar"));
	assert_false(asked(f, "value: view"));
	f->fact.view = true;
	assert_true(asked(f, "value: view"));
	assert_false(asked(f, "value: on-device"));
	f->fact.on_device = true;
	assert_true(asked(f, "value: on-device"));
	assert_false(asked(f, "value: grad-off"));
	f->fact.grad_off = true;
	assert_true(asked(f, "value: grad-off"));
}

static void buffers_growth_and_mode_are_one_of_several(void **state)
{
	static const char *const buffers[] = {"kept", "freed", "partly"};
	static const char *const growths[] = {"none", "unbounded", "epoch", "window", "constant"};
	static const char *const modes[] = {"unknown", "eval", "train"};
	struct fixture *f = *state;

	for (size_t i = 0; i < 3; i++) {
		f->fact.buffers = (enum buffers)i;
		only(f, "buffers", buffers, 3, i);
	}
	for (size_t i = 0; i < 5; i++) {
		f->fact.growth = (enum growth)i;
		only(f, "growth", growths, 5, i);
	}
	for (size_t i = 0; i < 3; i++) {
		f->fact.mode = (int)i - 1;
		only(f, "mode", modes, 3, i);
	}
}

static void holders(void **state)
{
	struct fixture *f = *state;

	assert_true(asked(f, "holder: local"));
	assert_false(asked(f, "holder: owned"));
	f->fact.kept_by_owner = true;
	assert_false(asked(f, "holder: local"));
	assert_true(asked(f, "holder: owned"));
	assert_true(asked(f, "holder: tensor"));
	f->event.value.object_count = 1;
	assert_false(asked(f, "holder: tensor"));
}

static void chains_joins_and_loops(void **state)
{
	struct fixture *f = *state;

	assert_true(asked(f, "joined: no"));
	assert_false(asked(f, "joined: yes"));
	f->fact.rebuilt = true;
	assert_true(asked(f, "joined: yes"));
	assert_true(asked(f, "chain: computed"));
	assert_false(asked(f, "chain: selected"));
	f->event.selects = true;
	assert_true(asked(f, "chain: selected"));
	assert_false(asked(f, "chain: computed"));
	assert_true(asked(f, "loop: none"));
	assert_false(asked(f, "loop: some"));
	f->fact.loop = &f->loop;
	assert_true(asked(f, "loop: some"));
	assert_false(asked(f, "loop: none"));
}

static void one_of_several_values_is_enough(void **state)
{
	struct fixture *f = *state;

	f->fact.growth = GROWTH_WINDOW;
	assert_true(asked(f, "growth: unbounded|window"));
	assert_true(asked(f, "growth:window"));
	assert_true(asked(f, " growth :  epoch | window  "));
	assert_false(asked(f, "growth: unbounded|epoch"));
}

static void names_are_matched_by_pattern(void **state)
{
	struct fixture *f = *state;

	assert_false(asked(f, "name: /loss/"));
	assert_true(asked(f, "name: /^$/"));
	f->event.name = (struct str){"self.losses[0]", 11};
	assert_true(asked(f, "name: /loss/"));
	assert_true(asked(f, "name: /^self\\.\\w+s$/"));
	assert_false(asked(f, "name: /\\[/"));
	assert_false(asked(f, "name: /^loss/"));
	assert_true(asked(f, "name: /^(self)[.]/")); /* a group changes nothing */
}

static void mistakes_are_named(void **state)
{
	struct fixture *f = *state;

	refused(f, "growth", "unknown fact 'growth'");
	refused(f, "color: red", "unknown fact 'color: red'");
	refused(f, "color: red", "event, value, buffers");
	refused(f, "growth: big", "'growth' cannot be 'big' (it is none|unbounded|epoch|window|constant)");
	refused(f, "growth: window|big", "cannot be 'big'");
	refused(f, "growth: wind", "cannot be 'wind'");
	refused(f, "growth: ", "'growth' has no value");
	refused(f, "name: loss", "'name' takes a pattern between slashes, not 'loss'");
	refused(f, "name: /", "pattern between slashes");
	refused(f, "name: /(/", "pattern '/(/' does not compile");
}

/* The list for a person and the table must not drift apart. */
static void the_message_knows_every_predicate(void **state)
{
	struct fixture *f = *state;
	struct predicate_use use;
	struct err err = {0};

	assert_false(predicate_use_init(&use, "nothing: x", &f->arena, &err));
	for (const struct predicate *p = predicates; p->name; p++) {
		assert_non_null(strstr(err.message, p->name));
		assert_true(strlen(p->summary) > 5);
	}
}

/* The line that the row for NAME of a table of DOCUMENT is, or an empty slice. */
static struct str row_of(struct str document, const char *name)
{
	char start[64];

	snprintf(start, sizeof start, "\n| `%s` |", name);
	size_t at = str_find(document, str_from(start), 0);
	if (at == SIZE_MAX)
		return (struct str){NULL, 0};
	struct str row = {document.at + at + strlen(start), document.length - at - strlen(start)};
	size_t end = str_find(row, STR("\n"), 0);
	return end == SIZE_MAX ? row : (struct str){row.at, end};
}

/* The words in backquotes of a row's second cell, joined like the values of a predicate. */
static void values_of(struct str row, char *out, size_t room)
{
	size_t used = 0;
	bool inside = false;

	for (size_t i = 0; i < row.length && used + 2 < room && (inside || row.at[i] != '|'); i++) {
		if (row.at[i] == '`') {
			inside = !inside;
			if (inside && used)
				out[used++] = '|';
		} else if (inside) {
			out[used++] = row.at[i];
		}
	}
	out[used] = '\0';
}

/* The section of docs/rules.md that starts with HEADING, up to the next one. */
static struct str section(struct str document, const char *heading)
{
	size_t at = str_find(document, str_from(heading), 0);
	if (at == SIZE_MAX)
		fail_msg("docs/rules.md has no '%s'", heading);
	size_t end = str_find(document, STR("\n## "), at + 1);
	return (struct str){document.at + at, (end == SIZE_MAX ? document.length : end) - at};
}

/* Run from the root of the repository, as all suites are. */
static void the_document_knows_every_predicate_and_value(void **state)
{
	struct buf text = BUF_INIT;
	struct err err = {0};
	char values[512];

	(void)state;
	if (!os_read_file("docs/rules.md", 1u << 20, &text, &err))
		fail_msg("%s", err.message);
	struct str facts = section(buf_get(&text), "## Facts to ask for");
	for (const struct predicate *p = predicates; p->name; p++) {
		struct str row = row_of(facts, p->name);
		if (!row.at)
			fail_msg("docs/rules.md has no row for '%s'", p->name);
		values_of(row, values, sizeof values);
		if (strcmp(values, p->values ? p->values : "/pattern/") != 0)
			fail_msg("docs/rules.md: '%s' is '%s', but says '%s'", p->name, p->values, values);
	}
	for (enum fact_kind kind = FACT_STORE; kind <= FACT_SUPPRESSION; kind++)
		if (!row_of(facts, fact_kind_name(kind)).at)
			fail_msg("docs/rules.md does not say what '%s' is", fact_kind_name(kind));
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_happened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_known_of_the_value, set_up, tear_down),
		cmocka_unit_test_setup_teardown(buffers_growth_and_mode_are_one_of_several, set_up, tear_down),
		cmocka_unit_test_setup_teardown(holders, set_up, tear_down),
		cmocka_unit_test_setup_teardown(chains_joins_and_loops, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_of_several_values_is_enough, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_are_matched_by_pattern, set_up, tear_down),
		cmocka_unit_test_setup_teardown(mistakes_are_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_message_knows_every_predicate, set_up, tear_down),
		cmocka_unit_test(the_document_knows_every_predicate_and_value),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
