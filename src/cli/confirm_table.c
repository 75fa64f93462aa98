#include "cli/confirm_table.h"

#include <ctype.h>
#include <string.h>

#include "base/nearest.h"
#include "base/os.h"
#include "cli/message.h"

/* What a run is like; what becomes of its report is for the command line. */
static const char *const keys[] = {"steps", "time-limit", "stop", "python", "fail-over", "unprotected"};
enum { KEYS = sizeof keys / sizeof *keys };

static bool is_key(const char *name)
{
	for (size_t i = 0; i < KEYS; i++) {
		if (strcmp(keys[i], name) == 0)
			return true;
	}
	return false;
}

static bool tell_unknown(const struct setting_item *item, struct arena *arena)
{
	const char *place = setting_place_text(&item->place, arena);
	struct nearest nearest;

	nearest_init(&nearest, str_from(item->key));
	for (size_t i = 0; i < KEYS; i++)
		nearest_offer(&nearest, keys[i]);
	if (nearest.best)
		message_error("%s: unknown key '%s' in 'confirm'; did you mean '%s'?", place, item->key, nearest.best);
	else
		message_error("%s: unknown key '%s' in 'confirm'", place, item->key);
	return false;
}

/* The text of a value as it is written: strings without their quotes. */
static const char *plain(const char *written, struct arena *arena)
{
	size_t length = strlen(written);
	bool is_quoted = length >= 2 && (written[0] == '"' || written[0] == '\'') && written[length - 1] == written[0];

	return is_quoted ? arena_dup_bytes(arena, written + 1, length - 2) : written;
}

static bool environment_says(const char *key, struct arena *arena)
{
	char *name = arena_format(arena, "VRAMLINT_%s", key);
	const char *text;

	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
	text = os_env(name);
	return text && *text;
}

/* The option that ITEM stands for, NULL in *OPTION where it says nothing new. False, and told, where it is none. */
static bool option_of(const struct setting_item *item, const struct option_row *rows, void *values, char **option,
		      struct arena *arena)
{
	const char *text = plain(item->text, arena);
	bool is_flag = strcmp(item->key, "unprotected") == 0, ok;
	struct option_result result;
	struct err err;

	*option = NULL;
	if (!is_key(item->key))
		return tell_unknown(item, arena);
	if (is_flag && strcmp(text, "true") != 0 && strcmp(text, "false") != 0) {
		message_error("%s: 'unprotected' in 'confirm' takes true or false", setting_place_text(&item->place, arena));
		return false;
	}
	if ((is_flag && strcmp(text, "false") == 0) || environment_says(item->key, arena))
		return true;
	*option = is_flag ? arena_dup(arena, "--unprotected") : arena_format(arena, "--%s=%s", item->key, text);
	ok = option_parse(rows, 1, option, values, &result, &err);
	option_result_release(&result);
	if (!ok)
		message_error("%s: %s", setting_place_text(&item->place, arena), err.message);
	return ok;
}

char *const *confirm_table_join(const struct settings *settings, const struct option_row *rows, void *values, int *count,
				char *const *arguments, struct arena *arena)
{
	const struct setting_value *table = &settings->layer->values[SETTING_CONFIRM];
	char **joined = ARENA_ARRAY(arena, char *, table->count + (size_t)*count + 1);
	size_t known = 0;
	bool ok = true;

	for (size_t i = 0; i < table->count; i++) {
		char *option;

		ok = option_of(&table->items[i], rows, values, &option, arena) && ok;
		if (ok && option)
			joined[known++] = option;
	}
	memcpy(joined + known, arguments, (size_t)*count * sizeof *joined);
	*count += (int)known;
	return ok ? joined : NULL;
}
