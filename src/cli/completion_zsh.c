#include "cli/completion.h"

#include <string.h>

#include "cli/candidates.h"
#include "cli/command.h"

static const char sources[] = "_files -g \"*.(py|pyi|ipynb)(-.)\"";

/* TEXT within single quotes, with a backslash before each of SPECIAL. */
static void add_escaped(struct buf *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'') {
			buf_add_text(out, "'\\''");
			continue;
		}
		if (strchr(special, *text))
			buf_add_char(out, '\\');
		buf_add_char(out, *text);
	}
}

/* " \\\n\t\t\t'VL101[summary]'" for each */
static void add_described(struct buf *out, const struct candidates *candidates)
{
	for (size_t i = 0; i < candidates->count; i++) {
		buf_format(out, " \\\n\t\t'%s", candidates->items[i].word);
		if (candidates->items[i].summary) {
			buf_add_char(out, '[');
			add_escaped(out, candidates->items[i].summary, "\\[]:");
			buf_add_char(out, ']');
		}
		buf_add_char(out, '\'');
	}
}

/* The function that offers rules, of which there are too many for a line. */
static void add_rules(struct buf *out, const struct rule_set *rules, struct arena *arena)
{
	struct candidates list = candidates_of_operands("RULES", rules, arena);
	struct candidates one = candidates_of_operands("RULE", rules, arena);

	buf_add_text(out, "_vramlint_some_rules() {\n\t_values -s , rule");
	add_described(out, &list);
	buf_add_text(out, "\n}\n\n_vramlint_one_rule() {\n\t_values rule");
	add_described(out, &one);
	buf_add_text(out, "\n}\n\n_vramlint_refs() {\n"
			  "\tlocal -a refs\n"
			  "\trefs=(${(f)\"$(git for-each-ref --format='%(refname:short)' 2>/dev/null)\"})\n"
			  "\tcompadd -a refs\n"
			  "}\n\n");
}

/* What _arguments is to do for one of CANDIDATES, within single quotes. */
static void add_action(struct buf *out, const struct candidates *candidates)
{
	bool is_rule = candidates->count && candidates->items[0].summary;

	switch (candidates->kind) {
	case CANDIDATE_NOTHING:
		buf_add_char(out, ' ');
		return;
	case CANDIDATE_LIST:
		buf_add_text(out, "_vramlint_some_rules");
		return;
	case CANDIDATE_FOLDERS:
		buf_add_text(out, "_files -/");
		return;
	case CANDIDATE_FILES:
		buf_add_text(out, "_files");
		return;
	case CANDIDATE_SOURCES:
		buf_add_text(out, sources);
		return;
	case CANDIDATE_REFS:
		buf_add_text(out, "_vramlint_refs");
		return;
	case CANDIDATE_WORDS:
		break;
	}
	buf_add_text(out, is_rule ? "((" : "(");
	for (size_t i = 0; i < candidates->count; i++) {
		buf_format(out, "%s%s", i == 0 ? "" : " ", candidates->items[i].word);
		if (is_rule) {
			buf_add_text(out, "\\:\"");
			add_escaped(out, candidates->items[i].summary, "\\:\"$`");
			buf_add_char(out, '"');
		}
	}
	buf_add_text(out, is_rule ? "))" : ")");
}

/* "[help]" and, where it takes one, ":RULES:action'" */
static void add_rest(struct buf *out, const struct option_row *row, const struct rule_set *rules, struct arena *arena)
{
	buf_add_char(out, '[');
	add_escaped(out, row->help, "\\[]:");
	buf_add_char(out, ']');
	if (option_takes_value(row)) {
		struct candidates candidates = candidates_of_value(row, rules, arena);

		buf_add_char(out, ':');
		add_escaped(out, row->argument, "\\:[]");
		buf_add_char(out, ':');
		add_action(out, &candidates);
	}
	buf_add_char(out, '\'');
}

static void add_option(struct buf *out, const struct option_row *row, const struct rule_set *rules, struct arena *arena)
{
	bool takes_value = option_takes_value(row);

	if (row->name && row->letter)
		buf_format(out, " \\\n\t\t'(-%c --%s)'{-%c%s,--%s%s}'", row->letter, row->name, row->letter,
			   takes_value ? "+" : "", row->name, takes_value ? "=" : "");
	else if (row->name)
		buf_format(out, " \\\n\t\t'*--%s%s", row->name, takes_value ? "=" : "");
	else
		buf_format(out, " \\\n\t\t'-%c%s", row->letter, takes_value ? "+" : "");
	add_rest(out, row, rules, arena);
}

static void add_command(struct buf *out, const struct command *command, const struct rule_set *rules, struct arena *arena)
{
	struct candidates operands = candidates_of_operands(command->operands, rules, arena);
	const struct option_row *row;

	buf_format(out, "_vramlint_command_%s() {\n\t_arguments -s -S", command->name);
	for (size_t i = 0; (row = option_row_get(command->options, i)); i++)
		add_option(out, row, rules, arena);
	if (strchr(command->operands, '.'))
		buf_add_text(out, " \\\n\t\t'*: :");
	else
		buf_add_text(out, " \\\n\t\t'1: :");
	if (strcmp(command->operands, "RULE") == 0)
		buf_add_text(out, "_vramlint_one_rule");
	else
		add_action(out, &operands);
	buf_add_text(out, "'\n}\n\n");
}

static void zsh_add(struct buf *out, const struct rule_set *rules, struct arena *arena)
{
	buf_add_text(out, "#compdef vramlint\n# Completes vramlint in zsh; written by `vramlint completions zsh`.\n\n");
	add_rules(out, rules, arena);
	for (size_t i = 0; commands[i]; i++)
		add_command(out, commands[i], rules, arena);
	buf_add_text(out, "_vramlint_first() {\n\tlocal -a commands=(");
	for (size_t i = 0; commands[i]; i++) {
		buf_format(out, "\n\t\t'%s:", commands[i]->name);
		add_escaped(out, commands[i]->summary, "\\:");
		buf_add_char(out, '\'');
	}
	buf_format(out,
		   "\n\t)\n\t_describe -t commands command commands\n\t%s\n}\n\n"
		   "_vramlint() {\n"
		   "\tlocal curcontext=$curcontext state state_descr line ret=1\n"
		   "\tlocal -A opt_args\n"
		   "\t_arguments -C '(- *)'{-h,--help}'[print help]' '(- *)'{-V,--version}'[print the version]' \\\n"
		   "\t\t'1: :_vramlint_first' '*:: :->rest' && ret=0\n"
		   "\tcase $state:$words[1] in\n\trest:(",
		   sources);
	for (size_t i = 0; commands[i]; i++)
		buf_format(out, "%s%s", i == 0 ? "" : "|", commands[i]->name);
	/* Read as a file the functions are only defined; found by name, as zsh does it, this file is the function. */
	buf_add_text(out, ")) _vramlint_command_$words[1] && ret=0 ;;\n"
			  "\trest:*) _vramlint_command_check && ret=0 ;;\n"
			  "\tesac\n"
			  "\treturn ret\n"
			  "}\n\n"
			  "if [[ $funcstack[1] == _vramlint ]]; then\n"
			  "\t_vramlint \"$@\"\n"
			  "else\n"
			  "\tcompdef _vramlint vramlint\n"
			  "fi\n");
}

const struct completion completion_zsh = {"zsh", zsh_add};
