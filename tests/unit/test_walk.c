#include "engine/walk.h"

#include "temp_tree.h"
#include "base/buf.h"

/* Settings that no file changes. */
static struct config *plain_config(void)
{
	static const struct config_request isolated = {.isolated = true};
	struct err err = {ERR_NONE, ""};
	struct config *config = config_new(&isolated, &err);

	if (!config)
		fail_msg("%s", err.message);
	return config;
}

static int tree_setup(void **state)
{
	struct temp_tree *tree = calloc(1, sizeof *tree);

	temp_tree_init(tree);
	*state = tree;
	/* nothing of whoever runs the tests */
	unsetenv("HOME");
	unsetenv("XDG_CONFIG_HOME");
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	return 0;
}

static int tree_teardown(void **state)
{
	temp_tree_release(*state);
	free(*state);
	return 0;
}

/* Walks PATHS (ended by NULL) and compares what is shown, a line a file, with EXPECTED. Each path must open. */
static void check_walk(const char *const *paths, const char *expected, const char *problems)
{
	struct buf shown = BUF_INIT;
	struct buf told = BUF_INIT;
	struct config *config = plain_config();
	struct walk walk;
	size_t count = 0;

	while (paths[count])
		count++;
	walk_init(&walk, config, paths, count);
	for (size_t i = 0; i < walk.file_count; i++) {
		buf_format(&shown, "%s\n", walk.files[i].shown);
		assert_int_equal(access(walk.files[i].path, F_OK), 0);
	}
	for (size_t i = 0; i < walk.problem_count; i++)
		buf_format(&told, "%s\n", walk.problems[i].text);
	assert_string_equal(buf_text(&shown), expected);
	assert_string_equal(buf_text(&told), problems);
	buf_release(&shown);
	buf_release(&told);
	walk_release(&walk);
	config_free(config);
}

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void takes_python_files_in_order(void **state)
{
	temp_tree_file("b.py", "");
	temp_tree_file("a/z.pyi", "");
	temp_tree_file("a.py", "");
	temp_tree_file("a/sub/deep.py", "");
	temp_tree_file("a/notes.txt", "");
	temp_tree_file("B.py", "");
	temp_tree_file(".hidden/x.py", "");
	check_walk(PATHS("."), ".hidden/x.py\nB.py\na.py\na/sub/deep.py\na/z.pyi\nb.py\n", "");
	check_walk(PATHS("b.py", "./a/", "a"), "a/sub/deep.py\na/z.pyi\nb.py\n", "");
	/* A named file is taken whatever it is called, and once however it is named. */
	check_walk(PATHS("a/notes.txt", "./a/../a/notes.txt", "a/./notes.txt"), "a/notes.txt\n", "");
}

static void shows_paths_from_the_current_folder(void **state)
{
	const struct temp_tree *tree = *state;
	char absolute[128];

	temp_tree_file("here/x.py", "");
	temp_tree_file("there/y.py", "");
	assert_int_equal(chdir("here"), 0);
	check_walk(PATHS("../there", "."), "../there/y.py\nx.py\n", "");
	snprintf(absolute, sizeof absolute, "%s/there", tree->folder);
	check_walk(PATHS(absolute), "../there/y.py\n", "");
	snprintf(absolute, sizeof absolute, "%s/here/x.py", tree->folder);
	check_walk(PATHS(absolute), "x.py\n", "");
	check_walk(PATHS(".."), "../there/y.py\nx.py\n", "");
}

static void leaves_the_usual_folders_out(void **state)
{
	static const char *const names[] = {
		".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox",
		".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode",
		"__pypackages__", "_build", "buck-out", "dist", "node_modules", "site-packages", "venv", "__pycache__",
		"build",
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char path[64];

		snprintf(path, sizeof path, "%s/x.py", names[i]);
		temp_tree_file(path, "");
	}
	/* Only folders, and only below what was named. */
	temp_tree_file("sub/build/src/z.py", "");
	temp_tree_file("venv2/y.py", "");
	check_walk(PATHS("."), "venv2/y.py\n", "");
	check_walk(PATHS("build"), "build/x.py\n", "");
	check_walk(PATHS("sub/build/src", "."), "sub/build/src/z.py\nvenv2/y.py\n", "");
	assert_int_equal(chdir("sub/build"), 0);
	check_walk(PATHS("."), "src/z.py\n", "");
}

static void problems_are_told(void **state)
{
	temp_tree_file("ok/a.py", "");
	temp_tree_link("nowhere", "ok/dangling.py");
	temp_tree_link("user@host.1:2", "ok/.#a.py");
	temp_tree_link("self.py", "ok/self.py");
	temp_tree_link("nowhere", "gone");
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(mkfifo("ok/pipe.py", 0600), 0);
	check_walk(PATHS("ok", "missing.py", "gone", "pipe"), "ok/a.py\n",
		   "cannot read 'gone': the link leads nowhere\n"
		   "cannot read 'missing.py': no such file or folder\n"
		   "cannot read 'ok/dangling.py': the link leads nowhere\n"
		   "cannot read 'ok/self.py': too many levels of symbolic links\n"
		   "cannot read 'pipe': is not a regular file; '-' reads standard input\n");
	/* Root may read everything. */
	if (geteuid() != 0) {
		temp_tree_file("ok/locked/b.py", "");
		assert_int_equal(chmod("ok/locked", 0), 0);
		check_walk(PATHS("ok/locked"), "", "cannot read 'ok/locked': permission denied\n");
	}
}

static void links_are_followed_once(void **state)
{
	temp_tree_file("real/m.py", "");
	temp_tree_file("real/sub/n.py", "");
	temp_tree_link("..", "real/sub/up");
	temp_tree_link(".", "real/self");
	temp_tree_link("real", "a_link");
	temp_tree_link("real/m.py", "a_file.py");
	temp_tree_file("real/data.txt", "");
	temp_tree_link("real/data.txt", "b_file.py");
	/* Plain paths win over those through links, wherever the links stand in the order. */
	check_walk(PATHS("."), "b_file.py\nreal/m.py\nreal/sub/n.py\n", "");
	check_walk(PATHS("real"), "real/m.py\nreal/sub/n.py\n", "");
	check_walk(PATHS("a_link"), "a_link/m.py\na_link/sub/n.py\n", "");
	check_walk(PATHS("a_link", "real"), "real/m.py\nreal/sub/n.py\n", "");
	check_walk(PATHS("real", "a_link"), "real/m.py\nreal/sub/n.py\n", "");
	check_walk(PATHS("a_file.py"), "a_file.py\n", "");
	assert_int_equal(mkdir("other", 0777), 0);
	temp_tree_link("../real", "other/in");
	check_walk(PATHS("other"), "other/in/m.py\nother/in/sub/n.py\n", "");
}

static void ignore_files_count_at_every_level(void **state)
{
	temp_tree_file(".gitignore", "*.gen.py\n/top.py\nskipped/\n");
	temp_tree_file("top.py", "");
	temp_tree_file("x.gen.py", "");
	temp_tree_file("pkg/top.py", "");
	temp_tree_file("pkg/.gitignore", "!y.gen.py\nlocal.py\n");
	temp_tree_file("pkg/y.gen.py", "");
	temp_tree_file("pkg/local.py", "");
	temp_tree_file("pkg/skipped/a.py", "");
	temp_tree_file("pkg/.ignore", "z.py\n");
	temp_tree_file("pkg/z.py", "");
	temp_tree_file("pkg/sub/z.py", "");
	check_walk(PATHS("."), "pkg/top.py\npkg/y.gen.py\n", "");
	/* What is named is taken; what lies above does not count without a work tree. */
	check_walk(PATHS("x.gen.py", "pkg/skipped"), "pkg/skipped/a.py\nx.gen.py\n", "");
}

static void ignore_goes_before_gitignore(void **state)
{
	temp_tree_file(".ignore", "!kept.py\nplain.py\n");
	temp_tree_file("d/.gitignore", "kept.py\n!plain.py\n");
	temp_tree_file("d/kept.py", "");
	temp_tree_file("d/plain.py", "");
	check_walk(PATHS("."), "d/kept.py\n", "");
}

static void folders_above_count_up_to_the_top(void **state)
{
	temp_tree_file(".gitignore", "a.py\n");
	temp_tree_file("repo/.git/info/exclude", "/in/excluded.py\n");
	temp_tree_file("repo/.gitignore", "/in/b.py\ngen/\n");
	temp_tree_file("repo/in/.gitignore", "/src/c.py\n");
	temp_tree_file("repo/in/excluded.py", "");
	temp_tree_file("repo/in/b.py", "");
	temp_tree_file("repo/in/src/a.py", "");
	temp_tree_file("repo/in/src/c.py", "");
	temp_tree_file("repo/in/src/gen/d.py", "");
	check_walk(PATHS("repo/in"), "repo/in/src/a.py\n", "");
	check_walk(PATHS("repo/in/src"), "repo/in/src/a.py\n", "");
	check_walk(PATHS("repo"), "repo/in/src/a.py\n", "");
	check_walk(PATHS("repo/in/src/gen"), "repo/in/src/gen/d.py\n", "");
	/* A work tree within another folder is a world of its own. */
	check_walk(PATHS("."), "repo/in/src/a.py\n", "");
	assert_int_equal(chdir("repo/in/src"), 0);
	check_walk(PATHS("."), "a.py\n", "");
}

static void what_its_user_ignores_everywhere_counts_last(void **state)
{
	char current[4000], folder[4096];

	temp_tree_file("home/git/ignore", "a.py\n/b.py\n");
	temp_tree_file("repo/a.py", "");
	temp_tree_file("repo/b.py", "");
	temp_tree_file("repo/in/b.py", "");
	temp_tree_file("repo/in/a.py", "");
	temp_tree_file("repo/in/.gitignore", "!a.py\n");
	assert_non_null(getcwd(current, sizeof current));
	snprintf(folder, sizeof folder, "%s/home", current);
	setenv("XDG_CONFIG_HOME", folder, 1);
	/* only in a work tree */
	check_walk(PATHS("repo"), "repo/a.py\nrepo/b.py\nrepo/in/a.py\nrepo/in/b.py\n", "");
	if (system("git init -q repo 2>.log") != 0)
		fail_msg("git is needed");
	check_walk(PATHS("repo"), "repo/in/a.py\nrepo/in/b.py\n", "");
	check_walk(PATHS("repo/in"), "repo/in/a.py\nrepo/in/b.py\n", "");
	/* what git is told to read goes before where it looks by itself */
	temp_tree_file("repo/own list", "in\n");
	if (system("git -C repo config core.excludesFile 'own list'") != 0)
		fail_msg("git is needed");
	check_walk(PATHS("repo"), "repo/a.py\nrepo/b.py\n", "");
	unsetenv("XDG_CONFIG_HOME");
}

static void deep_folders_do_not_overflow(void **state)
{
	struct config *config;
	struct walk walk;
	int depth = 0;

	/* Deeper than a path may be long. */
	for (; depth < 2500; depth++)
		if (mkdir("d", 0777) != 0 || chdir("d") != 0)
			break;
	assert_true(depth > 1000);
	assert_int_equal(chdir(((struct temp_tree *)*state)->folder), 0);
	config = plain_config();
	walk_init(&walk, config, PATHS("."), 1);
	assert_int_equal(walk.file_count, 0);
	assert_int_equal(walk.problem_count, 1);
	assert_non_null(strstr(walk.problems[0].text, "file name too long"));
	walk_release(&walk);
	config_free(config);
}

/* A tree whose every folder may have ignore files of random patterns. */
static void random_tree(uint64_t *random, const char *folder, int depth)
{
	static const char *const names[] = {"a", "b", "ab", "c.d", "aab"};
	static const char *const atoms[] = {"a", "b", "*", "**", "/", "?", ".py", "[ab]", "*.py", "/**/", "c", "!"};
	struct buf ignore = BUF_INIT;
	char path[256];

	for (unsigned i = temp_tree_random(random, 3); i > 0; i--) {
		for (unsigned j = 1 + temp_tree_random(random, 4); j > 0; j--)
			buf_add_text(&ignore, atoms[temp_tree_random(random, sizeof atoms / sizeof atoms[0])]);
		buf_add_text(&ignore, temp_tree_random(random, 3) ? "\n" : "/\n");
	}
	snprintf(path, sizeof path, "%s/.gitignore", folder);
	temp_tree_bytes(path, buf_text(&ignore), ignore.length);
	buf_release(&ignore);
	for (size_t i = 0; i < 5; i++) {
		snprintf(path, sizeof path, "%s/%s.py", folder, names[i]);
		temp_tree_file(path, path);
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		if (depth > 0 && temp_tree_random(random, 2))
			random_tree(random, path, depth - 1);
	}
}

/* What git sees below folder ROOT, a line a file. */
static void git_list(struct buf *out, const char *root)
{
	char command[256];
	FILE *git;
	int c;

	snprintf(command, sizeof command,
		 "git -c core.excludesFile=/dev/null ls-files -o --exclude-standard -- '%s' | grep '[.]py$' | LC_ALL=C sort",
		 root);
	git = popen(command, "r");
	assert_non_null(git);
	while ((c = fgetc(git)) != EOF)
		buf_add_char(out, (char)c);
	assert_int_equal(pclose(git), 0);
}

static void agrees_with_git(void **state)
{
	uint64_t random = 7;
	size_t bytes = 0;

	for (int round = 0; round < 25; round++) {
		struct buf expected = BUF_INIT;
		char folder[32];

		snprintf(folder, sizeof folder, "r%d", round);
		random_tree(&random, folder, 3);
		assert_int_equal(chdir(folder), 0);
		temp_tree_file("kept.py", "");
		if (system("git init -q . 2>.log && echo 'aab.py' >>.git/info/exclude") != 0)
			fail_msg("git is needed to compare with");
		git_list(&expected, ".");
		check_walk(PATHS("."), buf_text(&expected), "");
		bytes += expected.length;
		buf_release(&expected);
		assert_int_equal(chdir(".."), 0);
	}
	/* Trees of which all is ignored would prove nothing. */
	assert_true(bytes > 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)
		TEST(takes_python_files_in_order),
		TEST(shows_paths_from_the_current_folder),
		TEST(leaves_the_usual_folders_out),
		TEST(problems_are_told),
		TEST(links_are_followed_once),
		TEST(ignore_files_count_at_every_level),
		TEST(ignore_goes_before_gitignore),
		TEST(folders_above_count_up_to_the_top),
		TEST(what_its_user_ignores_everywhere_counts_last),
		TEST(deep_folders_do_not_overflow),
		TEST(agrees_with_git),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
