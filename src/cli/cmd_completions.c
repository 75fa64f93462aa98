#include "cli/command.h"

#include <string.h>

#include "cli/completion.h"
#include "cli/message.h"
#include "cli/output.h"
#include "rule/rule.h"

static const struct option_row completions_options[] = {{NULL, 0, OPTION_FLAG, NULL, NULL, 0, NULL}};

static const struct completion *const shells[] = {&completion_bash, &completion_zsh, &completion_fish, NULL};

static const struct completion *shell_find(const char *name)
{
	for (size_t i = 0; shells[i]; i++) {
		if (strcmp(shells[i]->shell, name) == 0)
			return shells[i];
	}
	return NULL;
}

static int print_script(const struct completion *shell)
{
	struct buf out = BUF_INIT;
	struct rule_set rules;
	struct arena arena;
	struct err err;
	int status;

	if (!rule_set_init(&rules, NULL, &err)) {
		message_error("%s", err.message);
		return STATUS_FAILED;
	}
	arena_init(&arena);
	shell->add(&out, &rules, &arena);
	status = output_finish(&out);
	arena_release(&arena);
	rule_set_release(&rules);
	buf_release(&out);
	return status;
}

static int completions_run(const struct command *command, int count, char *const *arguments)
{
	const struct completion *shell = NULL;
	struct option_result result;
	struct err err;
	char no_values;
	int status;

	if (!command_parse(command, count, arguments, &no_values, &result, &status))
		goto out;
	if (result.operand_count == 1)
		shell = shell_find(result.operands[0]);
	if (shell) {
		status = print_script(shell);
	} else {
		if (result.operand_count == 1)
			err_set(&err, ERR_USAGE, "no completions for '%s'; there are some for bash, zsh and fish",
				result.operands[0]);
		else
			err_set(&err, ERR_USAGE, "'completions' takes one shell: bash, zsh or fish");
		status = command_usage_error(command, &err);
	}
out:
	option_result_release(&result);
	return status;
}

const struct command command_completions = {
	.name = "completions",
	.operands = "bash|zsh|fish",
	.summary = "print a script that teaches a shell to complete the command line",
	.details = "`make install` puts the scripts where the shells look for them. By hand:\n\n"
		   "  bash  eval \"$(vramlint completions bash)\" in ~/.bashrc\n"
		   "  zsh   eval \"$(vramlint completions zsh)\" in ~/.zshrc, after compinit\n"
		   "  fish  vramlint completions fish > ~/.config/fish/completions/vramlint.fish",
	.options = completions_options,
	.run = completions_run,
};
