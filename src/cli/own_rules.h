/* The rules that a command about rules is about: the built-in ones and those of --rules or of the configuration for the
 * current folder. */
#ifndef VRAMLINT_CLI_OWN_RULES_H
#define VRAMLINT_CLI_OWN_RULES_H

#include "cli/command.h"
#include "engine/config.h"

struct own_rules_values {
	struct setting_texts settings[SETTING_COUNT];
	struct setting_texts configs;
	bool isolated;
};

/* Rows of an option table whose values have `own`, a struct own_rules_values, as their first member. */
#define OWN_RULES_OPTIONS                                                                                              \
	{"rules", 0, OPTION_SETTING, "DIR", "load more rules from DIR",                                                \
	 offsetof(struct own_rules_values, settings[SETTING_RULES]), NULL},                                            \
	{"config", 0, OPTION_TEXTS, "FILE|KEY=VALUE", "take this configuration file, or this value of a key",          \
	 offsetof(struct own_rules_values, configs), NULL},                                                            \
	{"isolated", 0, OPTION_FLAG, NULL, "read no configuration files", offsetof(struct own_rules_values, isolated), NULL}

/* The rules, owned by *CONFIG, which the caller frees; NULL where that has told why not. */
const struct rule_set *own_rules_get(const struct command *command, const struct own_rules_values *values,
				     struct config **config);

#endif
