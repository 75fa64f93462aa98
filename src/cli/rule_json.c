#include "cli/rule_json.h"

const char *rule_default_name(const struct rule *rule)
{
	static const char *const names[] = {[RULE_ON] = "on", [RULE_HINT] = "hint", [RULE_OPT_IN] = "opt-in"};

	return names[rule->default_state];
}

void rule_json_add(struct json_writer *writer, const struct rule *rule, bool whole)
{
	json_object_begin(writer);
	json_member_text(writer, "code", rule->code);
	json_member_text(writer, "name", rule->name);
	json_member_text(writer, "default", rule_default_name(rule));
	json_member_text(writer, "summary", rule->summary);
	json_member_text(writer, "since", rule->since);
	json_member_text(writer, "precision", rule_precision_name(rule));
	json_member_array(writer, "tags");
	for (size_t i = 0; i < rule->tag_count; i++)
		json_text(writer, rule->tags[i]);
	json_array_end(writer);
	if (whole)
		json_member_text(writer, "document", rule->document);
	json_object_end(writer);
}
