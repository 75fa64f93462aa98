#include "cli/manual.h"

#include <ctype.h>
#include <string.h>

#include "cli/command.h"

/* When the text below was last changed; a page must bear a date. */
#define MANUAL_DATE "November 29, 2026"

static const char description[] =
	".Sh DESCRIPTION\n"
	".Nm\n"
	"finds the lines of PyTorch training scripts that keep GPU or host memory until\n"
	"the run dies: losses gathered with their autograd graph, tensors stored for\n"
	"every step, evaluation without no_grad.\n"
	"It follows where a tensor comes from, what holds it and which loop the holder\n"
	"outlives, and says so.\n"
	"It reads code and never runs it.\n"
	".Pp\n"
	"A path in place of a command means\n"
	".Cm check .\n"
	"An argument\n"
	".Pf @ Ar file\n"
	"stands for the lines of\n"
	".Ar file ,\n"
	"an argument each, unless something of that name with its @ exists; after\n"
	".Fl \\&-\n"
	"it is taken as it is.\n";

static const char rest[] =
	".Sh ENVIRONMENT\n"
	".Bl -tag -width FORCE_HYPERLINK\n"
	".It Ev VRAMLINT_NAME\n"
	"What the option\n"
	".Fl \\&-name\n"
	"is where it is not given; the name in capitals, with underscores.\n"
	".It Ev NO_COLOR\n"
	"Not empty: no colour.\n"
	".It Ev FORCE_COLOR , CLICOLOR_FORCE\n"
	"Set and not 0: colour, also where the output is no terminal.\n"
	".It Ev CLICOLOR\n"
	"0: no colour.\n"
	".It Ev FORCE_HYPERLINK\n"
	"0: codes of rules are no links to their documents; anything else: they are,\n"
	"also where the output is no terminal.\n"
	".It Ev TERM\n"
	"dumb: neither colour nor links.\n"
	".It Ev COLUMNS\n"
	"The width to write in.\n"
	".El\n"
	".Sh EXIT STATUS\n"
	".Bl -tag -width 2\n"
	".It 0\n"
	"Nothing was found, or hints only.\n"
	".It 1\n"
	"Something was found.\n"
	".It 2\n"
	"Something could not be done: a bad option, a file that cannot be read.\n"
	"The last line on standard error says what.\n"
	".El\n"
	".Sh EXAMPLES\n"
	"Check the current folder:\n"
	".Pp\n"
	".Dl vramlint check\n"
	".Pp\n"
	"Check what an editor holds:\n"
	".Pp\n"
	".Dl vramlint check - --stdin-filename train.py --output-format json-lines\n"
	".Pp\n"
	"Read what a finding is about:\n"
	".Pp\n"
	".Dl vramlint explain tensor-append\n";

/* mandoc -Tlint minds longer lines. */
enum { LINE_LENGTH = 79 };

/* Words for roff: nothing in them is a request and a dash is one that can be copied. */
static void add_escaped(struct buf *out, struct str text, bool at_start)
{
	for (size_t i = 0; i < text.length; i++) {
		char c = text.at[i];

		if (at_start && (c == '.' || c == '\''))
			buf_add_text(out, "\\&");
		at_start = c == '\n';
		if (c == '\\')
			buf_add_text(out, "\\e");
		else if (c == '-')
			buf_add_text(out, "\\-");
		else
			buf_add_char(out, c);
	}
}

/* Words as a paragraph, in lines of our own; a sentence ends its line. */
static void add_text(struct buf *out, const char *text)
{
	size_t line = out->length;
	bool at_start = true;

	text += strspn(text, " \n");
	for (size_t length; *text; text += length + strspn(text + length, " \n")) {
		size_t before = out->length;
		bool ends_sentence;

		length = strcspn(text, " \n");
		if (!at_start)
			buf_add_char(out, ' ');
		add_escaped(out, (struct str){text, length}, true);
		if (!at_start && out->length - line > LINE_LENGTH) {
			out->bytes[before] = '\n';
			line = before + 1;
		}
		ends_sentence = strchr(".?!", text[length - 1]) && text[length];
		if (ends_sentence) {
			buf_add_char(out, '\n');
			line = out->length;
		}
		at_start = ends_sentence;
	}
	buf_add_char(out, '\n');
}

/* TEXT as it is, each line a line. */
static void add_display(struct buf *out, const char *text)
{
	buf_add_text(out, ".Bd -literal\n");
	add_escaped(out, str_from(text + strspn(text, "\n")), true);
	if (out->bytes[out->length - 1] != '\n')
		buf_add_char(out, '\n');
	buf_add_text(out, ".Ed\n");
}

/* Help's paragraphs; one that begins with spaces is a display. */
static void add_paragraphs(struct buf *out, const char *text)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t length = end ? (size_t)(end - text) : strlen(text);
		struct buf paragraph = BUF_INIT;

		buf_add(&paragraph, text, length);
		if (*text == ' ') {
			add_display(out, buf_text(&paragraph));
		} else {
			buf_add_text(out, ".Pp\n");
			add_text(out, buf_text(&paragraph));
		}
		buf_release(&paragraph);
		text += length + (end ? 2 : 0);
	}
}

static void add_option(struct buf *out, const struct option_row *row)
{
	buf_add_text(out, ".It");
	if (row->letter)
		buf_format(out, " Fl %c", row->letter);
	if (row->name) {
		buf_format(out, "%s Fl \\&-", row->letter ? " ," : "");
		add_escaped(out, str_from(row->name), false);
	}
	if (row->argument) {
		buf_add_text(out, row->argument[0] == '[' ? " Ns Ar " : " Ar ");
		add_escaped(out, str_from(row->argument), false);
	}
	buf_add_char(out, '\n');
	add_text(out, row->help);
}

static void add_command(struct buf *out, const struct command *command)
{
	const struct option_row *row;
	struct buf summary = BUF_INIT;

	buf_format(out, ".Ss %s\n.Nm\n.Cm %s\n.Op Ar option ...\n", command->name, command->name);
	if (*command->operands) {
		buf_add_text(out, ".Ar ");
		add_escaped(out, str_from(command->operands), false);
		buf_add_char(out, '\n');
	}
	buf_format(&summary, "%c%s.", toupper((unsigned char)command->summary[0]), command->summary + 1);
	buf_add_text(out, ".Pp\n");
	add_text(out, buf_text(&summary));
	buf_release(&summary);
	if (command->details)
		add_paragraphs(out, command->details);
	buf_add_text(out, ".Bl -tag -width Ds\n");
	for (size_t i = 0; (row = option_row_get(command->options, i)); i++)
		add_option(out, row);
	buf_add_text(out, ".El\n");
	if (command->add_help) {
		struct buf more = BUF_INIT;

		command->add_help(&more);
		add_display(out, buf_text(&more));
		buf_release(&more);
	}
}

void manual_add(struct buf *out)
{
	buf_add_text(out, ".Dd " MANUAL_DATE "\n.Dt VRAMLINT 1\n.Os\n.Sh NAME\n.Nm vramlint\n"
			  ".Nd find the code in PyTorch training scripts that leaks memory\n"
			  ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar option ...\n"
			  ".Nm\n.Ar path\n.Op Ar option ...\n"
			  ".Nm\n.Fl h | V\n");
	buf_add_text(out, description);
	buf_add_text(out, ".Sh COMMANDS\n");
	for (size_t i = 0; commands[i]; i++)
		add_command(out, commands[i]);
	buf_add_text(out, rest);
}
