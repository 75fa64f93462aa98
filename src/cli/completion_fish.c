#include "cli/completion.h"

#include "cli/candidates.h"
#include "cli/command.h"

/* In single quotes fish knows \\ and \' only. */
static void add_quoted(struct buf *out, const char *text)
{
	buf_add_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			buf_add_char(out, '\\');
		buf_add_char(out, *text);
	}
	buf_add_char(out, '\'');
}

static void add_words(struct buf *out, const struct candidates *candidates)
{
	for (size_t i = 0; i < candidates->count; i++) {
		buf_format(out, " \\\n        %s ", candidates->items[i].word);
		add_quoted(out, candidates->items[i].summary ? candidates->items[i].summary : "");
	}
}

static void add_functions(struct buf *out, const struct rule_set *rules, struct arena *arena)
{
	struct candidates list = candidates_of_operands("RULES", rules, arena);
	struct candidates formats = candidates_of_operands("FORMAT", rules, arena);

	buf_add_text(out, "function __vramlint_rules\n    printf '%s\\t%s\\n'");
	add_words(out, &list);
	buf_add_text(out, "\nend\n\nfunction __vramlint_formats\n    printf '%s\\t%s\\n'");
	add_words(out, &formats);
	buf_add_text(out, "\nend\n\n"
			  "function __vramlint_first\n"
			  "    test (count (commandline -opc)) -eq 1\n"
			  "end\n\n"
			  "# Whether the command is the one named; a path in its place means 'check'.\n"
			  "function __vramlint_in --argument-names wanted\n"
			  "    set -l words (commandline -opc)\n"
			  "    test (count $words) -gt 1; or return 1\n"
			  "    set -l command check\n"
			  "    if contains -- $words[2]");
	for (size_t i = 0; commands[i]; i++)
		buf_format(out, " %s", commands[i]->name);
	buf_add_text(out, "\n        set command $words[2]\n"
			  "    end\n"
			  "    test $command = $wanted\n"
			  "end\n\n");
}

/* The rest of a `complete` command, for a value or an operand. */
static void add_action(struct buf *out, const char *name, const struct candidates *candidates)
{
	switch (candidates->kind) {
	case CANDIDATE_NOTHING:
		buf_add_text(out, " -f");
		return;
	case CANDIDATE_LIST:
		buf_add_text(out, " -f -a '(__fish_append , (__vramlint_rules))'");
		return;
	case CANDIDATE_FOLDERS:
		buf_add_text(out, " -f -a '(__fish_complete_directories (commandline -ct))'");
		return;
	case CANDIDATE_FILES:
	case CANDIDATE_SOURCES:
		buf_add_text(out, " -F");
		return;
	case CANDIDATE_REFS:
		buf_add_text(out, " -f -a '(git for-each-ref --format=\"%(refname:short)\" 2>/dev/null)'");
		return;
	case CANDIDATE_WORDS:
		break;
	}
	if (str_is(str_from(name), "RULE")) {
		buf_add_text(out, " -f -a '(__vramlint_rules)'");
		return;
	}
	if (str_starts(str_from(name), "FORMAT") && candidates->items[0].summary) {
		buf_add_text(out, " -f -a '(__vramlint_formats)'");
		return;
	}
	buf_add_text(out, " -f -a '");
	for (size_t i = 0; i < candidates->count; i++)
		buf_format(out, "%s%s", i == 0 ? "" : " ", candidates->items[i].word);
	buf_add_char(out, '\'');
}

static void add_command(struct buf *out, const struct command *command, const struct rule_set *rules, struct arena *arena)
{
	struct candidates operands = candidates_of_operands(command->operands, rules, arena);
	const struct option_row *row;

	buf_format(out, "\ncomplete -c vramlint -n __vramlint_first -a %s -d ", command->name);
	add_quoted(out, command->summary);
	buf_add_char(out, '\n');
	for (size_t i = 0; (row = option_row_get(command->options, i)); i++) {
		buf_format(out, "complete -c vramlint -n '__vramlint_in %s'", command->name);
		if (row->letter)
			buf_format(out, " -s %c", row->letter);
		if (row->name)
			buf_format(out, " -l %s", row->name);
		if (option_takes_value(row)) {
			struct candidates candidates = candidates_of_value(row, rules, arena);

			buf_add_text(out, " -r");
			add_action(out, row->argument, &candidates);
		}
		buf_add_text(out, " -d ");
		add_quoted(out, row->help);
		buf_add_char(out, '\n');
	}
	buf_format(out, "complete -c vramlint -n '__vramlint_in %s'", command->name);
	add_action(out, command->operands, &operands);
	buf_add_char(out, '\n');
}

static void fish_add(struct buf *out, const struct rule_set *rules, struct arena *arena)
{
	buf_add_text(out, "# Completes vramlint in fish; written by `vramlint completions fish`.\n\n");
	add_functions(out, rules, arena);
	buf_add_text(out, "complete -c vramlint -n __vramlint_first -F\n"
			  "complete -c vramlint -n __vramlint_first -s h -l help -d 'print help'\n"
			  "complete -c vramlint -n __vramlint_first -s V -l version -d 'print the version'\n");
	for (size_t i = 0; commands[i]; i++)
		add_command(out, commands[i], rules, arena);
}

const struct completion completion_fish = {"fish", fish_add};
