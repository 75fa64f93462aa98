#include "rule/rule.h"

#include "temp_tree.h"
#include "base/buf.h"
#include "rule/predicate.h"

static struct temp_tree tree;
static struct rule_set set;

static int set_up(void **state)
{
	temp_tree_init(&tree);
	memset(&set, 0, sizeof set);
	return 0;
}

static int tear_down(void **state)
{
	rule_set_release(&set);
	temp_tree_release(&tree);
	return 0;
}

#define WHERE "\"where\": [\"event: store\"], \"message\": \"m\", \"cost\": \"host\""
#define VARIANTS "\"variants\": [{" WHERE "}]"
#define REST "\"since\": \"0.1.0\", \"summary\": \"s\", \"at\": \"store\", \"default\": \"on\", \"tags\": [\"t\"]"
#define RULE "{\"code\": \"XZ001\", \"name\": \"own-rule\", " REST ", " VARIANTS "}"

static void write_rule(const char *name, const char *json)
{
	char path[64];

	snprintf(path, sizeof path, "own/%s.json", name);
	temp_tree_file(path, json);
	snprintf(path, sizeof path, "own/%s.scm", name);
	temp_tree_file(path, "(call) @store");
	snprintf(path, sizeof path, "own/%s.md", name);
	temp_tree_file(path, "# Own");
}

static void load(const char *folder)
{
	struct err err = {0};

	if (!rule_set_init(&set, folder, &err))
		fail_msg("%s", err.message);
}

static void built_in_rules_are_whole(void **state)
{
	load(NULL);
	assert_true(set.count >= 5);
	for (size_t i = 0; i < set.count; i++) {
		const struct rule *rule = set.rules[i];

		assert_int_equal(rule->index, i);
		assert_true(i == 0 || strcmp(set.rules[i - 1]->code, rule->code) < 0);
		assert_true(rule->variant_count > 0);
		assert_true(strlen(rule->document) > 100);
		assert_non_null(strstr(rule->query, rule->at));
		assert_true(strlen(rule->summary) > 10);
		assert_string_equal(rule->since, "0.1.0");
		assert_true(rule->tag_count > 0);
		for (size_t k = 0; k < rule->variant_count; k++) {
			assert_true(rule->variants[k].where_count > 0);
			assert_true(strlen(rule->variants[k].message) > 10);
		}
	}
}

static void rules_are_found_by_code_and_name(void **state)
{
	const struct rule *rule;

	load(NULL);
	rule = rule_set_find(&set, STR("VL101"));
	assert_non_null(rule);
	assert_string_equal(rule->name, "tensor-append");
	assert_int_equal(rule->default_state, RULE_ON);
	assert_ptr_equal(rule_set_find(&set, STR("tensor-append")), rule);
	assert_ptr_equal(rule_set_find(&set, STR("vl101")), rule);
	assert_ptr_equal(rule_set_find(&set, STR("Tensor-Append")), rule);
	assert_null(rule_set_find(&set, STR("VL10")));
	assert_null(rule_set_find(&set, STR("")));
	assert_int_equal(rule_set_find(&set, STR("VL201"))->default_state, RULE_HINT);
}

static void near_names_are_offered(void **state)
{
	load(NULL);
	assert_string_equal(rule_set_nearest(&set, STR("tensor-apend")), "tensor-append");
	assert_string_equal(rule_set_nearest(&set, STR("VL1O1")), "VL101");
	assert_null(rule_set_nearest(&set, STR("zzzzzzzzzzzz")));
}

static void rules_of_a_folder_come_beside(void **state)
{
	size_t built_in;
	const struct rule *rule;

	load(NULL);
	built_in = set.count;
	rule_set_release(&set);
	write_rule("own-rule", RULE);
	temp_tree_file("own/README.txt", "not a rule");
	load("own");
	assert_int_equal(set.count, built_in + 1);
	rule = rule_set_find(&set, STR("own-rule"));
	assert_ptr_equal(rule_set_find(&set, STR("xz001")), rule);
	assert_string_equal(rule->code, "XZ001");
	assert_string_equal(rule->query, "(call) @store");
	assert_string_equal(rule->document, "# Own");
	assert_string_equal(rule->origin, "own/own-rule.json");
	assert_string_equal(rule->tags[0], "t");
	assert_int_equal(rule->index, set.count - 1);
}

static void a_rule_of_a_folder_takes_the_place_of_its_namesake(void **state)
{
	size_t built_in;

	load(NULL);
	built_in = set.count;
	rule_set_release(&set);
	write_rule("a", "{\"code\": \"VL101\", \"name\": \"other\", " REST ", " VARIANTS "}");
	write_rule("b", "{\"code\": \"XY002\", \"name\": \"missing-item\", " REST ", " VARIANTS "}");
	load("own");
	assert_int_equal(set.count, built_in);
	assert_string_equal(rule_set_find(&set, STR("VL101"))->name, "other");
	assert_null(rule_set_find(&set, STR("tensor-append")));
	assert_string_equal(rule_set_find(&set, STR("missing-item"))->code, "XY002");
}

static void a_query_may_lie_in_the_sister_folder(void **state)
{
	temp_tree_file("rules/own-rule.json", RULE);
	temp_tree_file("rules/own-rule.md", "# Own");
	temp_tree_file("queries/own-rule.scm", "(yield) @store");
	load("rules");
	assert_string_equal(rule_set_find(&set, STR("own-rule"))->query, "(yield) @store");
}

static void variants_are_read(void **state)
{
	const struct rule *rule;

	write_rule("own-rule", "{\"code\": \"XZ001\", \"name\": \"own-rule\", \"since\": \"0.2.0\", \"summary\": \"s\", \"at\": \"store\", "
			       "\"default\": \"opt-in\", \"tags\": [\"a\", \"b\"], \"variants\": ["
			       "{" WHERE ", \"growth\": \"g\", \"help\": \"h\", \"severity\": \"note\", \"confidence\": \"name\", "
			       "\"fix\": {\"capture\": \"value\", \"append\": \".item()\", \"safe\": true}},"
			       "{\"where\": [\"event: log\", \"value: graph|view\"], \"message\": \"n\", \"cost\": \"speed\"}]}");
	load("own");
	rule = rule_set_find(&set, STR("XZ001"));
	assert_int_equal(rule->default_state, RULE_OPT_IN);
	assert_int_equal(rule->tag_count, 2);
	assert_int_equal(rule->variant_count, 2);
	assert_string_equal(rule->variants[0].message, "m");
	assert_string_equal(rule->variants[0].growth, "g");
	assert_string_equal(rule->variants[0].help, "h");
	assert_string_equal(rule->variants[0].fix.capture, "value");
	assert_string_equal(rule->variants[0].fix.text, ".item()");
	assert_int_equal(rule->variants[0].fix.kind, FIX_APPEND);
	assert_int_equal(rule->variants[0].fix.safety, FIX_SAFE);
	assert_true(rule->variants[0].severity_given);
	assert_int_equal(rule->variants[0].severity, SEVERITY_NOTE);
	assert_int_equal(rule->variants[0].least, PROOF_NAME);
	assert_int_equal(rule->variants[0].cost, COST_HOST);
	assert_int_equal(rule->variants[1].where_count, 2);
	assert_int_equal(rule->variants[1].where[1].value_count, 2);
	assert_int_equal(rule->variants[1].cost, COST_SPEED);
	assert_false(rule->variants[1].severity_given);
	assert_int_equal(rule->variants[1].least, PROOF_NONE);
	assert_null(rule->variants[1].growth);
	assert_int_equal(rule->variants[1].fix.kind, FIX_NONE);
}

static void mistakes_are_named_with_their_file(void **state)
{
	static const struct {
		const char *json, *message;
	} cases[] = {
		{"{\n\n,}", "not valid JSON near line 3"},
		{"{\"name\": \"n\", " REST ", " VARIANTS "}", "no text under 'code'"},
		{"{\"code\": \"\", \"name\": \"n\", " REST ", " VARIANTS "}", "no text under 'code'"},
		{"{\"code\": \"XY1\", \"name\": \"n\", " REST ", " VARIANTS "}", "two capitals and three digits"},
		{"{\"code\": \"xy001\", \"name\": \"n\", " REST ", " VARIANTS "}", "two capitals and three digits"},
		{"{\"code\": \"XZ001\", \"name\": \"Bad Name\", " REST ", " VARIANTS "}", "kebab-case"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST "}", "no list 'variants'"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": []}", "no list 'variants'"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{\"message\": \"m\"}]}", "no list 'where'"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{\"where\": [], \"message\": \"m\", \"cost\": \"host\"}]}",
		 "'where' is empty"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{\"where\": [1], \"message\": \"m\", \"cost\": \"host\"}]}",
		 "not text"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST
		 ", \"variants\": [{\"where\": [\"event: birth\"], \"message\": \"m\", \"cost\": \"host\"}]}",
		 "'event' cannot be 'birth'"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{\"where\": [\"event: store\"], \"cost\": \"host\"}]}",
		 "'message'"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST
		 ", \"variants\": [{\"where\": [\"event: store\"], \"message\": \"m\", \"cost\": \"money\"}]}",
		 "'cost' is none of"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{" WHERE ", \"severity\": \"bad\"}]}", "'severity' is none of"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{" WHERE ", \"confidence\": \"sure\"}]}",
		 "'confidence' is none of"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{" WHERE ", \"fix\": {\"capture\": \"v\"}}]}", "'append'"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{" WHERE ", \"fix\": {\"append\": \"x\"}}]}", "'capture'"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{" WHERE ", \"fix\": \"x\"}]}", "'fix' is no object"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{" WHERE
		 ", \"fix\": {\"capture\": \"v\", \"append\": \"x\", \"around\": \"y\"}}]}", "more than one thing"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{" WHERE
		 ", \"fix\": {\"capture\": \"v\", \"remove\": \"x\"}}]}", "'remove'"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{" WHERE
		 ", \"fix\": {\"capture\": \"v\", \"remove-argument\": \"x\"}}]}", "'remove-argument'"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{" WHERE
		 ", \"fix\": {\"capture\": \"v\", \"append\": \"x\", \"safe\": \"perhaps\"}}]}", "'safe'"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", " REST ", \"variants\": [{" WHERE
		 ", \"fix\": {\"capture\": \"v\", \"append\": \"x\", \"otherwise\": \"maybe\"}}]}", "'otherwise'"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", \"since\": \"1\", \"summary\": \"s\", \"at\": \"a\", \"default\": \"off\", \"tags\": [], "
		 VARIANTS "}", "'default' is none of"},
		{"{\"code\": \"XZ001\", \"name\": \"n\", \"since\": \"1\", \"summary\": \"s\", \"at\": \"a\", \"default\": \"on\", " VARIANTS "}",
		 "no list 'tags'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = {0};

		write_rule("bad", cases[i].json);
		assert_false(rule_set_init(&set, "own", &err));
		assert_int_equal(err.code, ERR_CONFIG);
		if (!strstr(err.message, cases[i].message) || !strstr(err.message, "own/bad.json"))
			fail_msg("%s is told as: %s", cases[i].json, err.message);
	}
}

static void missing_companions_are_named(void **state)
{
	struct err err = {0};

	temp_tree_file("own/alone.json", RULE);
	assert_false(rule_set_init(&set, "own", &err));
	assert_non_null(strstr(err.message, "'alone.scm' is missing"));
	temp_tree_file("own/alone.scm", "(call) @store");
	assert_false(rule_set_init(&set, "own", &err));
	assert_non_null(strstr(err.message, "'alone.md' is missing"));
	assert_false(rule_set_init(&set, "nowhere", &err));
	assert_non_null(strstr(err.message, "nowhere"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(built_in_rules_are_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rules_are_found_by_code_and_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(near_names_are_offered, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rules_of_a_folder_come_beside, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_rule_of_a_folder_takes_the_place_of_its_namesake, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_query_may_lie_in_the_sister_folder, set_up, tear_down),
		cmocka_unit_test_setup_teardown(variants_are_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(mistakes_are_named_with_their_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(missing_companions_are_named, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
