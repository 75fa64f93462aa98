#include "text/glob.h"

#include "temp_tree.h"
#include "base/buf.h"

static void matches_like_gitignore(void **state)
{
	static const struct {
		const char *pattern;
		const char *text;
		bool matches;
	} cases[] = {
		{"a*c", "abc", true},       {"a*c", "ac", true},          {"a*c", "a/c", false},
		{"a?c", "abc", true},       {"a?c", "a/c", false},        {"a**c", "a/c", false},
		{"a/**/c", "a/c", true},    {"a/**/c", "a/b/d/c", true},  {"a/**/c", "a/bc", false},
		{"**/c", "c", true},        {"**/c", "a/b/c", true},      {"**/c", "bc", false},
		{"a/**", "a/b/c", true},    {"a/**", "a", false},         {"**", "a/b", true},
		{"[a-c]x", "bx", true},     {"[!a-c]x", "bx", false},     {"[^a-c]x", "dx", true},
		{"[]a]", "]", true},        {"[a", "a", false},           {"[a-]", "-", true},
		{"[[:digit:]]", "7", true}, {"[[:digit:]]", "d", false},  {"[[:none:]]", "n", false},
		{"[!a]", "/", false},       {"\\*", "*", true},           {"\\*", "a", false},
		{"a\\", "a\\", false},      {"*/b", "a/b", true},         {"*/b", "a/c/b", false},
		{"**/a*b/*c", "ab/x/axb/xc", true},                       {"", "", true},
		{"[a[:digit:]-z]", "c", false},                           {"[a-c-z]", "m", false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (glob_match(str_from(cases[i].pattern), str_from(cases[i].text)) != cases[i].matches)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
	}
}

static void lines_are_read_like_gitignore(void **state)
{
	static const char text[] = "\xef\xbb\xbf" "# comment\n\n  \n!neg\r\n/top/\na/b\n\\#x\nend\\  \nlast  ";
	struct glob_list list;
	struct arena arena;

	arena_init(&arena);
	glob_list_init(&list, STR(text), &arena);
	assert_int_equal(list.count, 6);
	assert_true(str_is(list.patterns[0].text, "neg") && list.patterns[0].negated);
	assert_true(str_is(list.patterns[1].text, "top") && list.patterns[1].anchored && list.patterns[1].folders_only);
	assert_true(str_is(list.patterns[2].text, "a/b") && list.patterns[2].anchored);
	assert_true(str_is(list.patterns[3].text, "\\#x") && !list.patterns[3].anchored);
	assert_true(str_is(list.patterns[4].text, "end\\ "));
	assert_true(str_is(list.patterns[5].text, "last"));
	arena_release(&arena);
}

static void the_last_pattern_decides(void **state)
{
	struct glob_list list;
	struct arena arena;

	arena_init(&arena);
	glob_list_init(&list, STR("*.py\n!keep.py\nout/\n"), &arena);
	assert_int_equal(glob_list_match(&list, STR("d/x.py"), false), 1);
	assert_int_equal(glob_list_match(&list, STR("d/keep.py"), false), 0);
	assert_int_equal(glob_list_match(&list, STR("x.txt"), false), -1);
	assert_int_equal(glob_list_match(&list, STR("d/out"), true), 1);
	assert_int_equal(glob_list_match(&list, STR("d/out"), false), -1);
	arena_release(&arena);
}

static void stars_behind_plain_text_cross_folders(void **state)
{
	struct glob_list list;
	struct arena arena;

	/* Not what the manual says, but what git does. */
	arena_init(&arena);
	glob_list_init(&list, STR("foo**/bar\n"), &arena);
	assert_int_equal(glob_list_match(&list, STR("foo/x/bar"), false), 1);
	glob_list_init(&list, STR("f[o]o**/bar\n"), &arena);
	assert_int_equal(glob_list_match(&list, STR("foo/x/bar"), false), -1);
	arena_release(&arena);
}

static void hostile_patterns_end(void **state)
{
	struct buf pattern = BUF_INIT;
	struct buf text = BUF_INIT;

	for (int i = 0; i < 200; i++)
		buf_add_text(&pattern, i % 3 ? "*a" : "**/*a");
	buf_add_char(&pattern, 'b');
	for (int i = 0; i < 1000; i++)
		buf_add_text(&text, i % 7 ? "a" : "a/");
	assert_false(glob_match(buf_get(&pattern), buf_get(&text)));
	buf_release(&pattern);
	buf_release(&text);
}

static const char *const parts[] = {"a", "b", "ab", "a.b", "ba", "aab", "[a]", "a b", "*b"};
enum { PART_COUNT = sizeof parts / sizeof parts[0] };

/* Writes a tree three deep: folders of every name, files of every name with ".f". Lists all paths. */
static void tree_write(struct buf *paths)
{
	for (int i = 0; i < PART_COUNT; i++) {
		char path[64];

		for (int j = 0; j < 4; j++) {
			for (int k = 0; k < 4; k++) {
				snprintf(path, sizeof path, "%s/%s/%s", parts[i], parts[j], parts[(i + k) % PART_COUNT]);
				temp_tree_file(path, "");
				buf_format(paths, "%s%c", path, 0);
			}
			snprintf(path, sizeof path, "%s/%s", parts[i], parts[j]);
			buf_format(paths, "%s%c", path, 0);
		}
		buf_format(paths, "%s%c", parts[i], 0);
		snprintf(path, sizeof path, "%s.f", parts[i]);
		temp_tree_file(path, "");
		buf_format(paths, "%s%c", path, 0);
	}
}

static void pattern_add(struct buf *out, uint64_t *random)
{
	static const char *const atoms[] = {
		"a", "a", "b", "b", "ab", "*", "*", "**", "?", "/", "/", "/**/", "**/", "/**", ".", "[ab]", "[!a]", "[a-",
		"[]a]", "[[:alpha:]]", "[[:x:]]", "[[:]", "\\", "\\*", "\\[", "[", "]", "!", "#", " ", "[^b-z]", "[\\a]", ".f",
	};
	unsigned count = 1 + temp_tree_random(random, 5);

	if (temp_tree_random(random, 4) == 0)
		buf_add_char(out, '!');
	for (unsigned i = 0; i < count; i++)
		buf_add_text(out, atoms[temp_tree_random(random, sizeof atoms / sizeof atoms[0])]);
	if (temp_tree_random(random, 5) == 0)
		buf_add_char(out, '/');
	if (temp_tree_random(random, 9) == 0)
		buf_add_text(out, "  ");
	buf_add_text(out, temp_tree_random(random, 9) ? "\n" : "\r\n");
}

/* Whether PATH or a folder above it is ignored. */
static bool list_ignores(const struct glob_list *list, struct str path)
{
	struct stat stat_of;
	char copy[128];

	for (size_t end = 1; end < path.length; end++) {
		if (path.at[end] == '/' && glob_list_match(list, (struct str){path.at, end}, true) == 1)
			return true;
	}
	memcpy(copy, path.at, path.length);
	copy[path.length] = '\0';
	assert_int_equal(stat(copy, &stat_of), 0);
	return glob_list_match(list, path, S_ISDIR(stat_of.st_mode)) == 1;
}

static void agrees_with_git(void **state)
{
	struct buf paths = BUF_INIT;
	struct buf ignore = BUF_INIT;
	struct temp_tree tree;
	struct arena arena;
	uint64_t random = 20240607;
	size_t ignored = 0;

	temp_tree_init(&tree);
	arena_init(&arena);
	tree_write(&paths);
	temp_tree_bytes(".paths", paths.bytes, paths.length);
	if (system("git init -q . 2>.log") != 0)
		fail_msg("git is needed to compare with");
	for (int round = 0; round < 400; round++) {
		struct buf expected = BUF_INIT;
		struct buf found = BUF_INIT;
		struct glob_list list;
		FILE *git;
		int c;

		buf_reset(&ignore);
		for (unsigned i = 1 + temp_tree_random(&random, 4); i > 0; i--)
			pattern_add(&ignore, &random);
		temp_tree_bytes(".gitignore", buf_text(&ignore), ignore.length);
		git = popen("git -c core.excludesFile=/dev/null check-ignore --no-index -z --stdin <.paths", "r");
		assert_non_null(git);
		while ((c = fgetc(git)) != EOF)
			buf_add_char(&expected, c ? (char)c : '\n');
		c = pclose(git);
		assert_true(WIFEXITED(c) && WEXITSTATUS(c) <= 1);
		glob_list_init(&list, buf_get(&ignore), &arena);
		for (size_t at = 0; at < paths.length; at += strlen(paths.bytes + at) + 1) {
			if (list_ignores(&list, str_from(paths.bytes + at))) {
				buf_format(&found, "%s\n", paths.bytes + at);
				ignored++;
			}
		}
		if (strcmp(buf_text(&expected), buf_text(&found)) != 0)
			fail_msg("round %d:\n%s\ngit ignores:\n%s\nhere:\n%s", round, ignore.bytes, buf_text(&expected),
				 buf_text(&found));
		buf_release(&expected);
		buf_release(&found);
		arena_reset(&arena);
	}
	/* Patterns that hit nothing would prove nothing. */
	assert_true(ignored > 2000);
	buf_release(&paths);
	buf_release(&ignore);
	arena_release(&arena);
	temp_tree_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_like_gitignore),
		cmocka_unit_test(lines_are_read_like_gitignore),
		cmocka_unit_test(the_last_pattern_decides),
		cmocka_unit_test(stars_behind_plain_text_cross_folders),
		cmocka_unit_test(hostile_patterns_end),
		cmocka_unit_test(agrees_with_git),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
