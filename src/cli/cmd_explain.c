#include "cli/command.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/own_rules.h"
#include "cli/rule_json.h"
#include "rule/select.h"

enum explain_format { EXPLAIN_MARKDOWN, EXPLAIN_JSON };

struct explain_values {
	struct own_rules_values own;
	int format;
};

static const struct option_choice format_choices[] = {
	{"markdown", EXPLAIN_MARKDOWN}, {"json", EXPLAIN_JSON}, {NULL, 0}};

static const struct option_row explain_options[] = {
	{"output-format", 0, OPTION_OWN_CHOICE, "FORMAT", "markdown or json (default: markdown)",
	 offsetof(struct explain_values, format), format_choices},
	OWN_RULES_OPTIONS,
	{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL},
};

/* Marks in CHOSEN what NAME names; false where that is nothing, which it says. */
static bool choose(bool *chosen, const struct rule_set *rules, const char *name)
{
	const char *nearest;
	bool found = false;

	for (size_t i = 0; i < rules->count; i++) {
		bool is_named = rule_is_named(name, rules->rules[i]);

		chosen[i] |= is_named;
		found |= is_named;
	}
	if (found)
		return true;
	nearest = rule_set_nearest(rules, str_from(name));
	if (nearest)
		message_error("no rule is called '%s'; did you mean '%s'?", name, nearest);
	else
		message_error("no rule is called '%s' (see 'vramlint rules')", name);
	return false;
}

static void add_markdown(struct buf *out, const struct rule_set *rules, const bool *chosen)
{
	for (size_t i = 0; i < rules->count; i++) {
		if (!chosen[i])
			continue;
		if (out->length > 0)
			buf_add_char(out, '\n');
		buf_add_text(out, rules->rules[i]->document);
		if (out->length == 0 || out->bytes[out->length - 1] != '\n')
			buf_add_char(out, '\n');
	}
}

static void add_json(struct buf *out, const struct rule_set *rules, const bool *chosen)
{
	struct json_writer writer;

	json_writer_init(&writer, out);
	json_array_begin(&writer);
	for (size_t i = 0; i < rules->count; i++) {
		if (chosen[i])
			rule_json_add(&writer, rules->rules[i], true);
	}
	json_array_end(&writer);
	buf_add_char(out, '\n');
}

static int print_documents(const struct rule_set *rules, const struct option_result *result, int format)
{
	bool *chosen = mem_new(rules->count + 1, sizeof *chosen);
	int status = STATUS_FAILED;
	struct buf out = BUF_INIT;
	bool all_found = true;

	for (size_t i = 0; i < result->operand_count; i++)
		all_found &= choose(chosen, rules, result->operands[i]);
	if (all_found) {
		if (format == EXPLAIN_JSON)
			add_json(&out, rules, chosen);
		else
			add_markdown(&out, rules, chosen);
		status = output_finish(&out);
	}
	buf_release(&out);
	free(chosen);
	return status;
}

static int explain_run(const struct command *command, int count, char *const *arguments)
{
	struct explain_values values = {.format = EXPLAIN_MARKDOWN};
	const struct rule_set *rules;
	struct config *config = NULL;
	struct option_result result;
	struct err err;
	int status;

	if (!command_parse(command, count, arguments, &values, &result, &status))
		goto out;
	if (result.operand_count == 0) {
		err_set(&err, ERR_USAGE, "'explain' takes a rule");
		status = command_usage_error(command, &err);
	} else {
		rules = own_rules_get(command, &values.own, &config);
		status = rules ? print_documents(rules, &result, values.format) : STATUS_FAILED;
	}
	config_free(config);
out:
	option_result_release(&result);
	return status;
}

const struct command command_explain = {
	.name = "explain",
	.operands = "RULE...",
	.summary = "print what a rule finds, why it costs memory and what to write instead",
	.details = "RULE is a code, a prefix of codes, a name or ALL: VL101, VL1, tensor-append. 'vramlint rule' is the same.",
	.options = explain_options,
	.run = explain_run,
};
