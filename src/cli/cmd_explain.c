#include "cli/command.h"

#include "cli/message.h"
#include "cli/output.h"
#include "cli/own_rules.h"

struct explain_values {
	struct own_rules_values own;
};

static const struct option_row explain_options[] = {
	OWN_RULES_OPTIONS,
	{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL},
};

static int print_document(const struct rule_set *rules, const char *name)
{
	const struct rule *rule = rule_set_find(rules, str_from(name));
	struct buf out = BUF_INIT;
	int status;

	if (!rule) {
		const char *nearest = rule_set_nearest(rules, str_from(name));

		if (nearest)
			message_error("no rule is called '%s'; did you mean '%s'?", name, nearest);
		else
			message_error("no rule is called '%s' (see 'vramlint rules')", name);
		return STATUS_FAILED;
	}
	buf_add_text(&out, rule->document);
	if (out.length == 0 || out.bytes[out.length - 1] != '\n')
		buf_add_char(&out, '\n');
	status = output_finish(&out);
	buf_release(&out);
	return status;
}

static int explain_run(const struct command *command, int count, char *const *arguments)
{
	struct explain_values values = {.own.isolated = false};
	const struct rule_set *rules;
	struct config *config = NULL;
	struct option_result result;
	struct err err;
	int status;

	if (!command_parse(command, count, arguments, &values, &result, &status))
		goto out;
	if (result.operand_count != 1) {
		err_set(&err, ERR_USAGE, "'explain' takes one rule");
		status = command_usage_error(command, &err);
	} else {
		rules = own_rules_get(command, &values.own, &config);
		status = rules ? print_document(rules, result.operands[0]) : STATUS_FAILED;
	}
	config_free(config);
out:
	option_result_release(&result);
	return status;
}

const struct command command_explain = {
	.name = "explain",
	.operands = "RULE",
	.summary = "print what a rule finds, why it costs memory and what to write instead",
	.details = "RULE is a code or a name: VL101, tensor-append.",
	.options = explain_options,
	.run = explain_run,
};
