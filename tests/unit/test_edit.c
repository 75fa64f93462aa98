#include "text/edit.h"

#include <time.h>

#include "temp_tree.h"

/* TEXT after what can be made at once of COUNT groups. */
static char *changed(const char *text, const struct edit_group *groups, size_t count, size_t chosen)
{
	struct buf out = BUF_INIT;
	bool marks[16];

	assert_int_equal(edit_choose(groups, count, marks), chosen);
	edit_apply(str_from(text), groups, count, marks, &out);
	return out.bytes;
}

static void check_changed(const char *text, const struct edit_group *groups, size_t count, size_t chosen,
			  const char *wanted)
{
	char *got = changed(text, groups, count, chosen);

	assert_string_equal(got, wanted);
	free(got);
}

static void edits_are_made_in_order_of_place(void **state)
{
	struct edit wrap[] = {{{4, 4}, "("}, {{9, 9}, ").f()"}};
	struct edit word[] = {{{0, 1}, "yy"}};
	struct edit_group groups[] = {{wrap, 2, {4, 9}}, {word, 1, {0, 1}}};

	check_changed("x = a + b\n", groups, 2, 2, "yy = (a + b).f()\n");
	check_changed("x = a + b\n", groups, 1, 1, "x = (a + b).f()\n");
	check_changed("x = a + b\n", groups, 0, 0, "x = a + b\n");
}

static void what_reaches_into_another_waits(void **state)
{
	struct edit block[] = {{{0, 0}, "with:\n\t"}, {{2, 2}, "\t"}};
	struct edit inner[] = {{{3, 3}, "z"}};
	struct edit behind[] = {{{4, 5}, "q"}};
	struct edit_group groups[] = {{inner, 1, {3, 3}}, {block, 2, {0, 4}}, {behind, 1, {4, 5}}};

	/* the outer one begins first, and what begins where it ends is not in its way */
	check_changed("a\nb\nc\n", groups, 3, 2, "with:\n\ta\n\tb\nq\n");
	check_changed("a\nb\nc\n", groups, 1, 1, "a\nbz\nc\n");
}

static void two_insertions_at_one_place_take_turns(void **state)
{
	struct edit one[] = {{{1, 1}, "1"}}, two[] = {{{1, 1}, "2"}};
	struct edit_group groups[] = {{one, 1, {1, 1}}, {two, 1, {1, 1}}};

	check_changed("ab", groups, 2, 1, "a1b");
}

static void one_group_at_a_time_inserts_out_of_reach(void **state)
{
	struct edit one[] = {{{0, 0}, "import t\n"}, {{5, 5}, "@t"}}, two[] = {{{0, 0}, "import t\n"}, {{8, 8}, "@t"}};
	struct edit three[] = {{{9, 10}, "-"}};
	struct edit_group groups[] = {{two, 2, {8, 9}}, {one, 2, {5, 6}}, {three, 1, {9, 10}}};

	check_changed("0123456789", groups, 3, 2, "import t\n01234@t5678-");
}

static void an_insertion_keeps_out_of_what_is_replaced(void **state)
{
	struct edit out[] = {{{2, 2}, "import t\n"}, {{8, 8}, "@t"}};
	struct edit name[] = {{{1, 4}, "name"}}, before[] = {{{0, 2}, "-"}};
	struct edit_group inside[] = {{name, 1, {1, 4}}, {out, 2, {8, 9}}};
	struct edit_group beside[] = {{before, 1, {0, 2}}, {out, 2, {8, 9}}};

	check_changed("0123456789", inside, 2, 1, "01import t\n234567@t89");
	check_changed("0123456789", beside, 2, 2, "-import t\n234567@t89");
}

static void check_diff(const char *old, const char *new, const char *wanted)
{
	struct buf out = BUF_INIT;

	edit_add_diff(&out, "a", "b", str_from(old), str_from(new));
	assert_string_equal(buf_text(&out), wanted);
	buf_release(&out);
}

static void diffs_are_what_patch_reads(void **state)
{
	check_diff("a\n", "a\n", "");
	check_diff("", "a\n", "--- a\n+++ b\n@@ -0,0 +1 @@\n+a\n");
	check_diff("a\n", "", "--- a\n+++ b\n@@ -1 +0,0 @@\n-a\n");
	check_diff("a\nb\n", "a\nc\n", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
	check_diff("a\nb", "a\nb\n", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
	check_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
		   "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
	/* six lines between two changes are shown once, seven make two hunks */
	check_diff("x\n1\n2\n3\n4\n5\n6\ny\n", "1\n2\n3\n4\n5\n6\n",
		   "--- a\n+++ b\n@@ -1,8 +1,6 @@\n-x\n 1\n 2\n 3\n 4\n 5\n 6\n-y\n");
	check_diff("x\n1\n2\n3\n4\n5\n6\n7\ny\n", "1\n2\n3\n4\n5\n6\n7\n",
		   "--- a\n+++ b\n@@ -1,4 +1,3 @@\n-x\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-y\n");
}

static void names_cannot_forge_lines(void **state)
{
	struct buf out = BUF_INIT;

	edit_add_diff(&out, "a\n+++ \"b", "ä", STR("x\n"), STR("y\n"));
	assert_string_equal(buf_text(&out), "--- \"a\\012+++ \\\"b\"\n+++ ä\n@@ -1 +1 @@\n-x\n+y\n");
	buf_release(&out);
}

/* What DIFF makes of OLD; both end in LF or are empty. */
static struct buf patched(struct str old, struct str diff)
{
	struct buf out = BUF_INIT;
	size_t at = 0, line = 0;

	for (size_t start = 0; start < diff.length;) {
		size_t end = str_find(diff, STR("\n"), start) + 1;
		struct str text = {diff.at + start, end - start};

		if (str_starts(text, "@@ -")) {
			size_t first = strtoul(text.at + 4, NULL, 10);

			if (first > 0 && !strstr(text.at, ",0 +"))
				first--;
			for (; line < first; line++) {
				size_t next = str_find(old, STR("\n"), at) + 1;

				buf_add(&out, old.at + at, next - at);
				at = next;
			}
		} else if (!str_starts(text, "---") && !str_starts(text, "+++")) {
			if (text.at[0] != '-')
				buf_add(&out, text.at + 1, text.length - 1);
			if (text.at[0] != '+') {
				assert_memory_equal(old.at + at, text.at + 1, text.length - 1);
				at += text.length - 1;
				line++;
			}
		}
		start = end;
	}
	buf_add(&out, old.at + at, old.length - at);
	return out;
}

static void check_round(struct buf *old, struct buf *new)
{
	struct buf diff = BUF_INIT, again;

	edit_add_diff(&diff, "a", "b", buf_get(old), buf_get(new));
	again = patched(buf_get(old), buf_get(&diff));
	assert_true(str_equal(buf_get(&again), buf_get(new)));
	buf_release(&again);
	buf_release(&diff);
}

static void a_diff_leads_from_one_text_to_the_other(void **state)
{
	uint64_t seed = 1;

	for (int round = 0; round < 300; round++) {
		unsigned words = 2 + temp_tree_random(&seed, 40), length = temp_tree_random(&seed, round < 290 ? 60 : 3000);
		struct buf old = BUF_INIT, new = BUF_INIT;

		for (unsigned i = 0; i < length; i++) {
			unsigned word = temp_tree_random(&seed, words), fate = temp_tree_random(&seed, 8);

			if (fate != 0)
				buf_format(&old, "word %u\n", word);
			if (fate != 1)
				buf_format(&new, "word %u\n", fate == 2 ? word + 1 : word);
		}
		check_round(&old, &new);
		buf_release(&old);
		buf_release(&new);
	}
}

/* Measured: 0.2 s; a search without a limit takes minutes. */
static void nothing_in_common_takes_no_time(void **state)
{
	struct buf old = BUF_INIT, new = BUF_INIT, diff = BUF_INIT;
	clock_t started = clock();

	for (int i = 0; i < 100000; i++) {
		buf_format(&old, "old %d\n", i);
		buf_format(&new, "new %d\n", i);
	}
	edit_add_diff(&diff, "a", "b", buf_get(&old), buf_get(&new));
	assert_true(diff.length > old.length + new.length);
	assert_true((double)(clock() - started) / CLOCKS_PER_SEC < 20);
	buf_release(&old);
	buf_release(&new);
	buf_release(&diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits_are_made_in_order_of_place),
		cmocka_unit_test(what_reaches_into_another_waits),
		cmocka_unit_test(two_insertions_at_one_place_take_turns),
		cmocka_unit_test(one_group_at_a_time_inserts_out_of_reach),
		cmocka_unit_test(an_insertion_keeps_out_of_what_is_replaced),
		cmocka_unit_test(diffs_are_what_patch_reads),
		cmocka_unit_test(names_cannot_forge_lines),
		cmocka_unit_test(a_diff_leads_from_one_text_to_the_other),
		cmocka_unit_test(nothing_in_common_takes_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
