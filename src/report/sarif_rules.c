#include "report/sarif_rules.h"

#include <ctype.h>
#include <string.h>

#include "rule/select.h"

/* What GitHub takes: characters of a description, tags it shows. */
enum { DESCRIPTION_LIMIT = 1000, TAGS_SHOWN = 10 };

const char *sarif_level(enum severity severity)
{
	return severity == SEVERITY_ERROR ? "error" : severity == SEVERITY_WARNING ? "warning" : "note";
}

static bool is_listed(const struct report_options *options, const struct rule *rule)
{
	return !options->selection || options->selection->enabled[rule->index];
}

int sarif_rule_index(const struct report_options *options, const struct rule *rule)
{
	int index = 0;

	for (size_t i = 0; i < options->rules->count; i++) {
		const struct rule *known = options->rules->rules[i];

		if (strcmp(known->code, rule->code) == 0)
			return is_listed(options, known) ? index : -1;
		index += is_listed(options, known);
	}
	return -1;
}

static void write_text(struct json_writer *writer, const char *key, const char *text)
{
	json_member_object(writer, key);
	json_member_text(writer, "text", text);
	json_object_end(writer);
}

/* SUMMARY as a sentence. */
static void write_summary(struct json_writer *writer, const char *key, const char *summary)
{
	struct buf text = BUF_INIT;

	buf_format(&text, "%c%s.", toupper((unsigned char)summary[0]), summary + 1);
	write_text(writer, key, buf_text(&text));
	buf_release(&text);
}

/* The first paragraph under the first heading of DOCUMENT; empty where there is none. */
static struct str first_paragraph(struct str document)
{
	size_t start = str_find(document, STR("\n## "), 0);
	size_t end;

	start = start == SIZE_MAX ? SIZE_MAX : str_find(document, STR("\n\n"), start + 1);
	if (start == SIZE_MAX)
		return STR("");
	start += 2;
	end = str_find(document, STR("\n\n"), start);
	if (end == SIZE_MAX)
		end = document.length;
	return (struct str){document.at + start, end - start};
}

static void write_description(struct json_writer *writer, const struct rule *rule)
{
	struct str text = first_paragraph(str_from(rule->document));

	if (text.length == 0 || text.length > DESCRIPTION_LIMIT) {
		write_summary(writer, "fullDescription", rule->summary);
		return;
	}
	json_member_object(writer, "fullDescription");
	json_key(writer, "text");
	json_str(writer, text);
	json_object_end(writer);
}

static void write_help(struct json_writer *writer, const struct rule *rule)
{
	const char *document = rule->document && *rule->document ? rule->document : rule->summary;

	json_member_object(writer, "help");
	json_member_text(writer, "text", document);
	json_member_text(writer, "markdown", document);
	json_object_end(writer);
}

/* The worst that the rule ever says; a result has a level of its own. */
static enum severity severity_of(const struct rule *rule)
{
	enum severity worst = SEVERITY_HINT;

	for (size_t i = 0; i < rule->variant_count; i++) {
		const struct rule_variant *variant = &rule->variants[i];
		enum severity severity = variant->cost == COST_DEVICE ? SEVERITY_ERROR : SEVERITY_WARNING;

		if (variant->severity_given)
			severity = variant->severity;
		else if (rule->default_state == RULE_HINT)
			severity = SEVERITY_HINT;
		if (severity > worst)
			worst = severity;
	}
	return worst;
}

static bool has_tag(const struct rule *rule, const char *tag)
{
	for (size_t i = 0; i < rule->tag_count; i++) {
		if (strcmp(rule->tags[i], tag) == 0)
			return true;
	}
	return false;
}

/* No "security-severity", which would make each finding an alert of security. */
static void write_properties(struct json_writer *writer, const struct rule *rule)
{
	static const char *const common[] = {"pytorch", "performance"};
	enum severity severity = severity_of(rule);

	json_member_object(writer, "properties");
	json_member_text(writer, "precision", rule_precision_name(rule));
	json_member_text(writer, "problem.severity",
			 severity == SEVERITY_ERROR     ? "error"
			 : severity == SEVERITY_WARNING ? "warning"
							: "recommendation");
	json_member_array(writer, "tags");
	for (size_t i = 0; i < rule->tag_count && i < TAGS_SHOWN - 2; i++)
		json_text(writer, rule->tags[i]);
	for (size_t i = 0; i < 2; i++) {
		if (!has_tag(rule, common[i]))
			json_text(writer, common[i]);
	}
	json_array_end(writer);
	json_object_end(writer);
}

static void write_rule(struct json_writer *writer, const struct rule *rule)
{
	json_object_begin(writer);
	json_member_text(writer, "id", rule->code);
	json_member_text(writer, "name", rule->name);
	write_summary(writer, "shortDescription", rule->summary);
	write_description(writer, rule);
	write_help(writer, rule);
	json_member_object(writer, "defaultConfiguration");
	json_member_text(writer, "level", sarif_level(severity_of(rule)));
	json_object_end(writer);
	write_properties(writer, rule);
	json_object_end(writer);
}

void sarif_write_tool(struct json_writer *writer, const struct report_options *options)
{
	json_member_object(writer, "tool");
	json_member_object(writer, "driver");
	json_member_text(writer, "name", "vramlint");
	json_member_text(writer, "version", VRAMLINT_VERSION);
	json_member_text(writer, "semanticVersion", VRAMLINT_VERSION);
	json_member_array(writer, "rules");
	for (size_t i = 0; options->rules && i < options->rules->count; i++) {
		if (is_listed(options, options->rules->rules[i]))
			write_rule(writer, options->rules->rules[i]);
	}
	json_array_end(writer);
	json_object_end(writer);
	json_object_end(writer);
}
