#include "cli/own_rules.h"

#include "cli/settings_text.h"

const struct rule_set *own_rules_get(const struct command *command, const struct own_rules_values *values,
				     struct config **config)
{
	const struct settings *settings;
	struct err err;

	*config = config_new(&(struct config_request){.options = values->settings, .configs = values->configs.items,
						     .config_count = values->configs.count, .isolated = values->isolated},
			     &err);
	if (!*config) {
		command_usage_error(command, &err);
		return NULL;
	}
	settings = config_for_run(*config, NULL, 0);
	return settings_tell_faults(*config) ? NULL : settings->rules;
}
