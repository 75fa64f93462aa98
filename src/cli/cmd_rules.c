#include "cli/command.h"

#include <string.h>

#include "cli/output.h"
#include "cli/own_rules.h"
#include "cli/rule_json.h"

enum rules_format { RULES_TEXT, RULES_JSON };

struct rules_values {
	struct own_rules_values own;
	int format;
};

static const struct option_choice format_choices[] = {{"text", RULES_TEXT}, {"json", RULES_JSON}, {NULL, 0}};

static const struct option_row rules_options[] = {
	{"output-format", 0, OPTION_OWN_CHOICE, "FORMAT", "text or json (default: text)",
	 offsetof(struct rules_values, format), format_choices},
	OWN_RULES_OPTIONS,
	{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL},
};

static size_t widest_name(const struct rule_set *rules)
{
	size_t widest = strlen("name");

	for (size_t i = 0; i < rules->count; i++) {
		size_t width = strlen(rules->rules[i]->name);

		if (width > widest)
			widest = width;
	}
	return widest;
}

static void add_table(struct buf *out, const struct rule_set *rules)
{
	int width = (int)widest_name(rules);

	buf_format(out, "%-6s %-*s %-8s %s\n", "code", width, "name", "default", "summary");
	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *rule = rules->rules[i];

		buf_format(out, "%-6s %-*s %-8s %s\n", rule->code, width, rule->name,
			   rule_default_name(rule), rule->summary);
	}
}

static void add_json(struct buf *out, const struct rule_set *rules)
{
	struct json_writer writer;

	json_writer_init(&writer, out);
	json_array_begin(&writer);
	for (size_t i = 0; i < rules->count; i++)
		rule_json_add(&writer, rules->rules[i], false);
	json_array_end(&writer);
	buf_add_char(out, '\n');
}

static int print_rules(const struct command *command, const struct rules_values *values)
{
	struct buf out = BUF_INIT;
	struct config *config;
	const struct rule_set *rules = own_rules_get(command, &values->own, &config);
	int status = STATUS_FAILED;

	if (rules && values->format == RULES_JSON)
		add_json(&out, rules);
	else if (rules)
		add_table(&out, rules);
	if (rules)
		status = output_finish(&out);
	buf_release(&out);
	config_free(config);
	return status;
}

static int rules_run(const struct command *command, int count, char *const *arguments)
{
	struct rules_values values = {.format = RULES_TEXT};
	struct option_result result;
	struct err err;
	int status;

	if (command_parse(command, count, arguments, &values, &result, &status)) {
		if (result.operand_count > 0) {
			err_set(&err, ERR_USAGE, "'rules' takes no argument, not '%s'", result.operands[0]);
			status = command_usage_error(command, &err);
		} else {
			status = print_rules(command, &values);
		}
	}
	option_result_release(&result);
	return status;
}

const struct command command_rules = {
	.name = "rules",
	.operands = "",
	.summary = "list the rules",
	.options = rules_options,
	.run = rules_run,
};
