#include "engine/config.h"

#include "temp_tree.h"
#include "base/path.h"

struct subject {
	struct temp_tree tree;
	struct arena arena;
	struct config *config;
};

static int set_up(void **state)
{
	struct subject *subject = calloc(1, sizeof *subject);

	temp_tree_init(&subject->tree);
	arena_init(&subject->arena);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	*state = subject;
	return 0;
}

static int tear_down(void **state)
{
	struct subject *subject = *state;

	if (subject->config)
		config_free(subject->config);
	arena_release(&subject->arena);
	temp_tree_release(&subject->tree);
	free(subject);
	return 0;
}

/* Begins anew, with what --config was given (may be NULL). */
static void begin(struct subject *subject, const char *given, bool isolated)
{
	struct config_request request = {.configs = &given, .config_count = given != NULL, .isolated = isolated};
	struct err err = {ERR_NONE, ""};

	if (subject->config)
		config_free(subject->config);
	subject->config = config_new(&request, &err);
	if (!subject->config)
		fail_msg("%s", err.message);
}

/* Why a configuration with this --config is refused. */
static const char *refused(struct subject *subject, const char *given, bool isolated)
{
	struct config_request request = {.configs = &given, .config_count = 1, .isolated = isolated};
	struct err err = {ERR_NONE, ""};

	assert_null(config_new(&request, &err));
	return arena_dup(&subject->arena, err.message);
}

static const char *absolute(struct subject *subject, const char *path)
{
	return *path ? path_join(&subject->arena, subject->tree.folder, path) : subject->tree.folder;
}

static const struct settings *at(struct subject *subject, const char *file)
{
	if (!subject->config)
		begin(subject, NULL, false);
	return config_for_file(subject->config, absolute(subject, file));
}

static bool runs(const struct settings *settings, const char *rule)
{
	return settings->selection.enabled[rule_set_find(settings->rules, str_from(rule))->index];
}

/* The file that counts for PATH, "" where none does. */
static const char *file_for(struct subject *subject, const char *path)
{
	const char *file = at(subject, path)->file;

	return file ? file : "";
}

/* The sentences of errors, or of warnings, a line each. */
static const char *faults(struct subject *subject, bool errors)
{
	size_t count;
	const struct config_fault *list = config_faults(subject->config, &count);
	const char *lines = "";

	for (size_t i = 0; i < count; i++) {
		if (list[i].is_error == errors)
			lines = arena_format(&subject->arena, "%s%s%s", lines, *lines ? "\n" : "", list[i].sentence);
	}
	assert_int_equal(errors && *lines, errors && config_is_faulty(subject->config));
	return lines;
}

static const char *errors(struct subject *subject)
{
	return faults(subject, true);
}

static const char *warnings(struct subject *subject)
{
	return faults(subject, false);
}

static void without_files_the_defaults_hold(void **state)
{
	const struct settings *settings = at(*state, "x.py");

	assert_null(settings->file);
	assert_true(runs(settings, "VL101") && !runs(settings, "late-del"));
	assert_int_equal(settings->selection.min_confidence, PROOF_USAGE);
	assert_int_equal(settings->fail_on, SEVERITY_NOTE);
	assert_true(settings->respect_gitignore && !settings->force_exclude && !settings->fix);
	assert_non_null(settings->linter);
	assert_string_equal(errors(*state), "");
}

static void the_nearest_file_with_our_section_counts(void **state)
{
	temp_tree_file("pyproject.toml", "[tool.vramlint]\n");
	temp_tree_file("a/pyproject.toml", "[project]\nname = 'a'\n");
	temp_tree_file("a/b/.vramlint.toml", "");
	temp_tree_file("a/b/c/vramlint.toml", "");
	temp_tree_file("a/b/c/d/x", "");
	assert_string_equal(file_for(*state, "x.py"), "pyproject.toml");
	assert_string_equal(file_for(*state, "a/x.py"), "pyproject.toml");
	assert_string_equal(file_for(*state, "a/b/x.py"), "a/b/.vramlint.toml");
	assert_string_equal(file_for(*state, "a/b/c/d/x.py"), "a/b/c/vramlint.toml");
	assert_ptr_equal(at(*state, "a/x.py"), at(*state, "y.py"));
	assert_ptr_equal(at(*state, "a/x.py")->linter, at(*state, "a/b/x.py")->linter);
}

static void one_in_a_folder_counts_and_the_others_are_told(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("pyproject.toml", "[tool.vramlint]\n");
	temp_tree_file(".vramlint.toml", "");
	assert_string_equal(file_for(subject, "x.py"), ".vramlint.toml");
	assert_string_equal(warnings(subject), "'pyproject.toml' is not read: '.vramlint.toml' lies beside it");
}

static void a_broken_pyproject_matters_where_it_is_ours(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("a/pyproject.toml", "[project\n");
	temp_tree_file("b/pyproject.toml", "[tool.vramlint]\nselect = [\n");
	assert_string_equal(file_for(subject, "a/x.py"), "");
	assert_string_equal(errors(subject), "");
	assert_non_null(strstr(warnings(subject), "a/pyproject.toml:1:1: the header that begins here lacks its ']'"));
	assert_string_equal(file_for(subject, "b/x.py"), "b/pyproject.toml");
	assert_non_null(strstr(errors(subject), "b/pyproject.toml:2:10: the list that begins here"));
}

static void extending_lays_a_file_over_another(void **state)
{
	const struct settings *settings;

	temp_tree_file("base.toml", "ignore = ['VL1']\nextend-exclude = ['/gen']\nmin-confidence = 'flow'\nrules = 'none'\n");
	temp_tree_file("a/vramlint.toml", "extend = '../base.toml'\nignore = ['VL302']\nextend-exclude = ['x']\nrules = 'own'\n");
	assert_int_equal(mkdir("a/own", 0777), 0);
	settings = at(*state, "a/x.py");
	assert_string_equal(errors(*state), "");
	assert_true(runs(settings, "VL101") && !runs(settings, "VL302"));
	assert_int_equal(settings->selection.min_confidence, PROOF_FLOW);
	/* each pattern counts from the folder of the file that says it */
	assert_non_null(settings_excluded_by(settings, absolute(*state, "gen"), true));
	assert_null(settings_excluded_by(settings, absolute(*state, "a/gen"), true));
	assert_non_null(settings_excluded_by(settings, absolute(*state, "a/b/x"), true));
}

static void what_cannot_be_extended_is_told(void **state)
{
	temp_tree_file("a/vramlint.toml", "extend = '../b/vramlint.toml'");
	temp_tree_file("b/vramlint.toml", "extend = '../a/vramlint.toml'");
	temp_tree_file("c/vramlint.toml", "extend = 'gone.toml'");
	temp_tree_file("d/pyproject.toml", "[project]");
	temp_tree_file("d/vramlint.toml", "extend = 'pyproject.toml'");
	at(*state, "a/x.py");
	at(*state, "c/x.py");
	at(*state, "d/x.py");
	assert_string_equal(errors(*state),
			    "b/vramlint.toml:1:10: 'extend' goes round in a circle: a/vramlint.toml → b/vramlint.toml → a/vramlint.toml\n"
			    "c/vramlint.toml:1:10: cannot read 'gone.toml': no such file or directory\n"
			    "d/vramlint.toml:1:10: 'd/pyproject.toml' has no section [tool.vramlint]");
}

static void all_faults_of_a_file_are_told(void **state)
{
	temp_tree_file("vramlint.toml", "selct = []\nfix = 1\n[tool.vramlint]\n");
	at(*state, "x.py");
	assert_string_equal(errors(*state), "vramlint.toml:1:1: unknown key 'selct'; did you mean 'select'?\n"
					    "vramlint.toml:2:7: 'fix' takes true or false, not a number\n"
					    "vramlint.toml:3:2: '[tool.vramlint]' is for pyproject.toml; here its keys stand at the top of the file");
}

static void rules_that_no_one_knows_are_no_error(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("vramlint.toml", "ignore = ['tensor-apend']\n");
	at(subject, "x.py");
	assert_string_equal(errors(subject), "");
	assert_string_equal(warnings(subject),
			    "vramlint.toml:1:11: no rule is called 'tensor-apend'; did you mean 'tensor-append'?");
}

static void rules_are_left_out_by_file(void **state)
{
	temp_tree_file("vramlint.toml", "[per-file-ignores]\n'tests' = ['VL1']\n'a/*_old.py' = ['VL302', 'ALL']\n'!src' = ['VL402']\n");
	assert_true(runs(at(*state, "src/x.py"), "VL101") && runs(at(*state, "src/x.py"), "VL402"));
	assert_true(!runs(at(*state, "src/tests/b/x.py"), "VL101") && runs(at(*state, "src/tests/b/x.py"), "VL302"));
	assert_false(runs(at(*state, "a/x_old.py"), "VL401"));
	assert_true(runs(at(*state, "b/a/x_old.py"), "VL401"));
	assert_false(runs(at(*state, "b/x.py"), "VL402"));
	assert_ptr_equal(at(*state, "b/x.py"), at(*state, "c/y.py"));
}

static void the_command_line_wins_over_environment_and_file(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("vramlint.toml", "min-confidence = 'name'\nfail-on = 'error'\nignore = ['VL101']\n");
	setenv("VRAMLINT_FAIL_ON", "hint", 1);
	setenv("VRAMLINT_SELECT", "VL1", 1);
	begin(subject, "min-confidence = 'flow'", false);
	assert_int_equal(at(subject, "x.py")->selection.min_confidence, PROOF_FLOW);
	assert_int_equal(at(subject, "x.py")->fail_on, SEVERITY_HINT);
	assert_true(runs(at(subject, "x.py"), "VL101") && !runs(at(subject, "x.py"), "VL302"));
	unsetenv("VRAMLINT_FAIL_ON");
	unsetenv("VRAMLINT_SELECT");
}

static void a_file_can_be_named_for_all(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("a/vramlint.toml", "");
	temp_tree_file("other.toml", "");
	begin(subject, "other.toml", false);
	assert_string_equal(file_for(subject, "a/x.py"), "other.toml");
	begin(subject, NULL, true);
	assert_string_equal(file_for(subject, "a/x.py"), "");
	assert_non_null(strstr(refused(subject, "gone.toml", false), "no file 'gone.toml'"));
	assert_non_null(strstr(refused(subject, "other.toml", true), "--isolated"));
	assert_non_null(strstr(refused(subject, "selct=[]", false), "did you mean 'select'?"));
	assert_non_null(strstr(refused(subject, "fix=yes", false), "text needs quotes: \"yes\""));
	assert_non_null(strstr(refused(subject, "fix='yes'", false), "'fix' takes true or false"));
	temp_tree_file("pyproject.toml", "[project]\n");
	assert_non_null(strstr(refused(subject, "pyproject.toml", false), "no section"));
}

static void a_persons_own_file_is_the_last_resort(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("home/vramlint/vramlint.toml", "");
	temp_tree_file("a/vramlint.toml", "");
	setenv("XDG_CONFIG_HOME", absolute(subject, "home"), 1);
	assert_string_equal(file_for(subject, "x.py"), "home/vramlint/vramlint.toml");
	assert_string_equal(file_for(subject, "a/x.py"), "a/vramlint.toml");
	unsetenv("XDG_CONFIG_HOME");
}

static void a_run_has_the_settings_of_what_holds_all_paths(void **state)
{
	static const char *const inner[] = {"a/b/x.py"}, *const both[] = {"a/b/x.py", "a/c"}, *const far[] = {"a", "d"};
	struct subject *subject = *state;

	temp_tree_file("vramlint.toml", "");
	temp_tree_file("a/vramlint.toml", "");
	temp_tree_file("a/b/vramlint.toml", "");
	temp_tree_file("a/b/x.py", "");
	temp_tree_file("a/c/x.py", "");
	temp_tree_file("d/x.py", "");
	begin(subject, NULL, false);
	assert_string_equal(config_for_run(subject->config, inner, 1)->file, "a/b/vramlint.toml");
	assert_string_equal(config_for_run(subject->config, both, 2)->file, "a/vramlint.toml");
	assert_string_equal(config_for_run(subject->config, far, 2)->file, "vramlint.toml");
	assert_string_equal(config_for_run(subject->config, NULL, 0)->file, "vramlint.toml");
}

static void files_are_left_out_from_the_folder_on_that_says_so(void **state)
{
	const struct settings *settings;

	temp_tree_file("build/p/vramlint.toml", "extend-exclude = ['data/*', '!data/keep', './top.py', '#x']\n");
	settings = at(*state, "build/p/x.py");
	assert_null(settings_file_excluded_by(settings, absolute(*state, "build/p/x.py")));
	assert_non_null(settings_file_excluded_by(settings, absolute(*state, "build/p/q/venv/r/x.py")));
	assert_non_null(settings_file_excluded_by(settings, absolute(*state, "build/p/data/a/x.py")));
	assert_null(settings_file_excluded_by(settings, absolute(*state, "build/p/data/keep/x.py")));
	assert_null(settings_file_excluded_by(settings, absolute(*state, "build/p/q/data/x.py")));
	assert_non_null(settings_file_excluded_by(settings, absolute(*state, "build/p/top.py")));
	assert_null(settings_file_excluded_by(settings, absolute(*state, "build/p/q/top.py")));
	assert_non_null(settings_file_excluded_by(settings, absolute(*state, "build/p/#x/top.py")));
	assert_string_equal(settings_file_excluded_by(settings, absolute(*state, "build/p/top.py"))->text, "./top.py");
	assert_true(settings_includes(settings, absolute(*state, "build/p/x.pyi")));
	assert_false(settings_includes(settings, absolute(*state, "build/p/x.txt")));
}

static void own_words_make_a_linter_of_their_own(void **state)
{
	temp_tree_file("a/vramlint.toml", "safe-calls = ['lab.f']\n");
	temp_tree_file("b/vramlint.toml", "safe-calls = ['lab.f']\n");
	temp_tree_file("c/vramlint.toml", "models = 'gone'\n");
	assert_ptr_not_equal(at(*state, "x.py")->linter, at(*state, "a/x.py")->linter);
	assert_ptr_equal(at(*state, "b/x.py")->linter, at(*state, "a/x.py")->linter);
	assert_string_equal(errors(*state), "");
	at(*state, "c/x.py");
	assert_string_equal(errors(*state), "c/vramlint.toml:1:10: cannot read 'c/gone': no such file or directory");
}

static void faults_have_their_place(void **state)
{
	struct subject *subject = *state;
	const struct config_fault *fault;
	size_t count;

	temp_tree_file("a/vramlint.toml", "# é\nselct = 1\nrules = 'gone'\n");
	temp_tree_file("a/pyproject.toml", "[tool.vramlint]\n");
	at(subject, "a/x.py");
	fault = config_faults(subject->config, &count);
	assert_int_equal(count, 3);
	assert_true(fault->is_error);
	assert_string_equal(fault->path, absolute(subject, "a/vramlint.toml"));
	assert_string_equal(fault->text, "unknown key 'selct'; did you mean 'select'?");
	assert_string_equal(fault->sentence, "a/vramlint.toml:2:1: unknown key 'selct'; did you mean 'select'?");
	assert_true(str_is(source_slice(fault->source, fault->span), "selct"));
	fault++;
	assert_false(fault->is_error);
	assert_string_equal(fault->path, absolute(subject, "a/pyproject.toml"));
	assert_null(fault->source);
	assert_string_equal(fault->text, fault->sentence);
	fault++;
	assert_true(fault->is_error);
	assert_true(str_is(source_slice(fault->source, fault->span), "'gone'"));
	assert_string_equal(fault->text, "cannot read 'a/gone': no such file or directory");
}

static void names_of_rules_have_their_place(void **state)
{
	struct subject *subject = *state;
	const struct config_fault *fault;
	size_t count;

	temp_tree_file("vramlint.toml", "ignore = ['tensor-apend']\n");
	at(subject, "x.py");
	fault = config_faults(subject->config, &count);
	assert_int_equal(count, 1);
	assert_false(fault->is_error || config_is_faulty(subject->config));
	assert_true(str_is(source_slice(fault->source, fault->span), "'tensor-apend'"));
}

/* Begins anew with OPTION as option '--select', weaker than files where FALLBACK. */
static void begin_with(struct subject *subject, const char *option, bool fallback)
{
	struct setting_texts options[SETTING_COUNT] = {{NULL, 0}};
	struct config_request request = {.options = options, .options_are_fallback = fallback};
	struct err err;

	options[SETTING_SELECT] = (struct setting_texts){&option, 1};
	config_free(subject->config);
	subject->config = config_new(&request, &err);
	assert_non_null(subject->config);
}

static void options_may_be_weaker_than_files(void **state)
{
	struct subject *subject = *state;
	const struct settings *settings;

	temp_tree_file("a/vramlint.toml", "select = ['VL302']\n");
	temp_tree_file("b/vramlint.toml", "min-severity = 'error'\n");
	begin_with(subject, "VL101", true);
	settings = at(subject, "a/x.py");
	assert_true(runs(settings, "VL302") && !runs(settings, "VL101"));
	settings = at(subject, "b/x.py");
	assert_true(runs(settings, "VL101") && !runs(settings, "VL302"));
	assert_int_equal(settings->min_severity, SEVERITY_ERROR);
	settings = at(subject, "x.py");
	assert_true(runs(settings, "VL101") && !runs(settings, "VL302"));
	begin_with(subject, "VL101", false);
	settings = at(subject, "a/x.py");
	assert_true(runs(settings, "VL101") && !runs(settings, "VL302"));
	setenv("VRAMLINT_SELECT", "VL104", 1);
	begin_with(subject, "VL101", true);
	unsetenv("VRAMLINT_SELECT");
	settings = at(subject, "x.py");
	assert_true(runs(settings, "VL104") && !runs(settings, "VL101"));
}

/* Whether a configuration for a/b/x.py is out of date after COMMAND. */
static bool is_stale_after(struct subject *subject, const char *command)
{
	bool stale;

	begin(subject, NULL, false);
	at(subject, "a/b/x.py");
	stale = config_is_stale(subject->config);
	assert_false(stale);
	assert_int_equal(system(command), 0);
	return config_is_stale(subject->config);
}

static void a_configuration_knows_when_it_is_out_of_date(void **state)
{
	struct subject *subject = *state;

	temp_tree_file("a/vramlint.toml", "extend = '../base.toml'\nmodels = 'models'\n");
	temp_tree_file("base.toml", "");
	temp_tree_file("a/models/m.json", "{}");
	assert_false(is_stale_after(subject, "touch a/b.py vramlint.toml"));
	assert_true(is_stale_after(subject, "echo >> a/vramlint.toml"));
	assert_true(is_stale_after(subject, "echo >> base.toml"));
	assert_true(is_stale_after(subject, "mv base.toml gone"));
	assert_true(is_stale_after(subject, "mv gone base.toml"));
	assert_true(is_stale_after(subject, "echo '{ }' > a/models/m.json"));
	assert_true(is_stale_after(subject, "rm a/models/m.json"));
	assert_true(is_stale_after(subject, "mkdir -p a/b; touch a/b/.vramlint.toml"));
	assert_true(is_stale_after(subject, "rm a/b/.vramlint.toml"));
}

static void configurations_share_linters(void **state)
{
	struct subject *subject = *state;
	struct linters *linters = linters_new(NULL);
	struct config_request request = {.linters = linters};
	struct config *one = config_new(&request, NULL), *other = config_new(&request, NULL);
	const struct settings *first, *second;
	const struct linter *linter;

	temp_tree_file("vramlint.toml", "models = 'models'\n");
	temp_tree_file("models/m.json", "{\"entries\": []}");
	first = config_for_file(one, absolute(subject, "x.py"));
	second = config_for_file(other, absolute(subject, "y.py"));
	assert_non_null(first->linter);
	assert_ptr_equal(first->linter, second->linter);
	assert_ptr_equal(first->rules, second->rules);
	linter = second->linter;
	config_free(one);
	config_free(other);
	one = config_new(&request, NULL); /* and with those that came before */
	assert_ptr_equal(config_for_file(one, absolute(subject, "x.py"))->linter, linter);
	temp_tree_file("models/n.json", "{\"entries\": []}");
	other = config_new(&request, NULL);
	assert_ptr_not_equal(config_for_file(other, absolute(subject, "x.py"))->linter, linter);
	config_free(one);
	config_free(other);
	linters_free(linters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(without_files_the_defaults_hold),
		TEST(the_nearest_file_with_our_section_counts),
		TEST(one_in_a_folder_counts_and_the_others_are_told),
		TEST(a_broken_pyproject_matters_where_it_is_ours),
		TEST(extending_lays_a_file_over_another),
		TEST(what_cannot_be_extended_is_told),
		TEST(all_faults_of_a_file_are_told),
		TEST(rules_that_no_one_knows_are_no_error),
		TEST(rules_are_left_out_by_file),
		TEST(the_command_line_wins_over_environment_and_file),
		TEST(a_file_can_be_named_for_all),
		TEST(a_persons_own_file_is_the_last_resort),
		TEST(a_run_has_the_settings_of_what_holds_all_paths),
		TEST(files_are_left_out_from_the_folder_on_that_says_so),
		TEST(own_words_make_a_linter_of_their_own),
		TEST(faults_have_their_place),
		TEST(names_of_rules_have_their_place),
		TEST(options_may_be_weaker_than_files),
		TEST(a_configuration_knows_when_it_is_out_of_date),
		TEST(configurations_share_linters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
