/* Scripts that teach a shell to complete vramlint's command line; one file a shell.
 *
 * Made from the tables of commands and options and the built-in rules, so that
 * they never lag behind. They run nothing but the shell's own commands and,
 * for names of commits, git. One thread. */
#ifndef VRAMLINT_CLI_COMPLETION_H
#define VRAMLINT_CLI_COMPLETION_H

#include "base/arena.h"
#include "base/buf.h"
#include "rule/rule.h"

struct completion {
	const char *shell;
	/* Appends the whole script; ARENA is for what it needs on the way. */
	void (*add)(struct buf *out, const struct rule_set *rules, struct arena *arena);
};

extern const struct completion completion_bash, completion_zsh, completion_fish;

#endif
