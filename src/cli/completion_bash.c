#include "cli/completion.h"

#include <string.h>

#include "cli/candidates.h"
#include "cli/command.h"

/* compgen -W expands what it is given like any word; so names that git tells are compared here. */
static const char head[] =
	"# Completes vramlint in bash 4 and later; written by `vramlint completions bash`.\n"
	"\n"
	"_vramlint_words() {\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\")\n"
	"}\n"
	"\n"
	"# The last entry of a list with commas.\n"
	"_vramlint_list() {\n"
	"\tlocal entries=\n"
	"\t[[ $word == *,* ]] && entries=${word%,*},\n"
	"\tmapfile -t COMPREPLY < <(compgen -P \"$entries\" -W \"$1\" -- \"${word##*,}\")\n"
	"}\n"
	"\n"
	"_vramlint_folders() {\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(compgen -d -- \"$word\")\n"
	"}\n"
	"\n"
	"_vramlint_files() {\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
	"}\n"
	"\n"
	"_vramlint_sources() {\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(\n"
	"\t\tcompgen -d -- \"$word\"\n"
	"\t\tcompgen -f -X '!*.py' -- \"$word\"\n"
	"\t\tcompgen -f -X '!*.pyi' -- \"$word\"\n"
	"\t\tcompgen -f -X '!*.ipynb' -- \"$word\"\n"
	"\t)\n"
	"}\n"
	"\n"
	"_vramlint_refs() {\n"
	"\tlocal ref\n"
	"\twhile IFS= read -r ref; do\n"
	"\t\t[[ $ref == \"$word\"* ]] && COMPREPLY+=(\"$ref\")\n"
	"\tdone < <(git for-each-ref --format='%(refname:short)' 2>/dev/null)\n"
	"}\n"
	"\n"
	"_vramlint() {\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
	"\tCOMPREPLY=()\n"
	"\t# '--option=value' is three words here\n"
	"\tif [[ $word == = ]]; then\n"
	"\t\tword=\n"
	"\telif [[ $before == = ]]; then\n"
	"\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n";

static const char first_word[] =
	"\tif ((COMP_CWORD == 1)); then\n"
	"\t\t_vramlint_sources\n"
	"\t\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W \"%s\" -- \"$word\")\n"
	"\t\treturn\n"
	"\tfi\n";

static const char *const functions[] = {
	[CANDIDATE_NOTHING] = ":",	   [CANDIDATE_WORDS] = "words", [CANDIDATE_LIST] = "list",
	[CANDIDATE_FOLDERS] = "folders", [CANDIDATE_FILES] = "files", [CANDIDATE_SOURCES] = "sources",
	[CANDIDATE_REFS] = "refs",
};

/* The call that completes one of CANDIDATES. */
static void add_call(struct buf *out, const struct candidates *candidates)
{
	if (candidates->kind == CANDIDATE_NOTHING)
		buf_add_text(out, ":");
	else
		buf_format(out, "_vramlint_%s", functions[candidates->kind]);
	for (size_t i = 0; i < candidates->count; i++)
		buf_format(out, "%s%s", i == 0 ? " '" : " ", candidates->items[i].word);
	if (candidates->count)
		buf_add_char(out, '\'');
}

/* "check,--color | check,-c" */
static void add_pattern(struct buf *out, const struct command *command, const struct option_row *row)
{
	if (row->name)
		buf_format(out, "%s,--%s", command->name, row->name);
	if (row->name && row->letter)
		buf_add_text(out, " | ");
	if (row->letter)
		buf_format(out, "%s,-%c", command->name, row->letter);
}

static void add_values(struct buf *out, const struct command *command, const struct rule_set *rules, struct arena *arena)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_row_get(command->options, i)); i++) {
		struct candidates candidates = candidates_of_value(row, rules, arena);

		if (!option_takes_value(row))
			continue;
		buf_add_text(out, "\t");
		add_pattern(out, command, row);
		buf_add_text(out, ") ");
		add_call(out, &candidates);
		buf_add_text(out, "; return ;;\n");
	}
}

static void add_options(struct buf *out, const struct command *command)
{
	const struct option_row *row;
	const char *before = "";

	buf_format(out, "\t%s,-*) _vramlint_words '", command->name);
	for (size_t i = 0; (row = option_row_get(command->options, i)); i++) {
		if (row->name)
			buf_format(out, "%s--%s", before, row->name);
		else
			buf_format(out, "%s-%c", before, row->letter);
		before = " ";
	}
	buf_add_text(out, "' ;;\n");
}

static void bash_add(struct buf *out, const struct rule_set *rules, struct arena *arena)
{
	struct buf names = BUF_INIT;

	buf_add_text(out, head);
	for (size_t i = 0; commands[i]; i++)
		buf_format(&names, "%s%s", i == 0 ? "" : " ", commands[i]->name);
	buf_add_text(&names, " --help --version");
	buf_format(out, first_word, buf_text(&names));
	buf_add_text(out, "\tcase $command in\n\t");
	for (size_t i = 0; commands[i]; i++)
		buf_format(out, "%s%s", i == 0 ? "" : " | ", commands[i]->name);
	buf_add_text(out, ") ;;\n\t*) command=check ;;\n\tesac\n\tcase $command,$before in\n");
	for (size_t i = 0; commands[i]; i++)
		add_values(out, commands[i], rules, arena);
	buf_add_text(out, "\tesac\n\tcase $command,$word in\n");
	for (size_t i = 0; commands[i]; i++) {
		struct candidates operands = candidates_of_operands(commands[i]->operands, rules, arena);

		add_options(out, commands[i]);
		buf_format(out, "\t%s,*) ", commands[i]->name);
		add_call(out, &operands);
		buf_add_text(out, " ;;\n");
	}
	buf_add_text(out, "\tesac\n}\n\ncomplete -F _vramlint vramlint\n");
	buf_release(&names);
}

const struct completion completion_bash = {"bash", bash_add};
