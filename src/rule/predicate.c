#include "rule/predicate.h"

#include <string.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static bool fact_is(const struct fact *fact, struct str value)
{
	return str_is(value, fact_kind_name(fact->kind));
}

static bool value_is(const struct fact *fact, struct str value)
{
	if (str_is(value, "graph"))
		return fact->graph != PROOF_NONE;
	if (str_is(value, "no-graph"))
		return fact->graph == PROOF_NONE;
	if (str_is(value, "scalar"))
		return fact->scalar;
	if (str_is(value, "not-scalar"))
		return !fact->scalar;
	if (str_is(value, "view"))
		return fact->view;
	if (str_is(value, "on-device"))
		return fact->on_device;
	if (str_is(value, "not-on-host"))
		return !fact->on_host;
	if (str_is(value, "tensor"))
		return fact->tensor;
	return str_is(value, "grad-off") && fact->grad_off;
}

static bool buffers_are(const struct fact *fact, struct str value)
{
	static const char *const names[] = {"kept", "freed", "partly"};
	return str_is(value, names[fact->buffers]);
}

static bool growth_is(const struct fact *fact, struct str value)
{
	return str_is(value, growth_name(fact->growth));
}

static bool holder_is(const struct fact *fact, struct str value)
{
	if (str_is(value, "owned"))
		return fact->kept_by_owner;
	if (str_is(value, "local"))
		return !fact->kept_by_owner;
	if (str_is(value, "never-emptied"))
		return !fact->emptied;
	if (str_is(value, "memo"))
		return fact->memo;
	if (str_is(value, "in-workers"))
		return fact->workers;
	return str_is(value, "tensor") && !fact->event->value.object_count;
}

static bool key_is(const struct fact *fact, struct str value)
{
	return fact->key && str_is(value, fact->key);
}

static bool joined_is(const struct fact *fact, struct str value)
{
	return str_is(value, fact->rebuilt ? "yes" : "no");
}

static bool chain_is(const struct fact *fact, struct str value)
{
	return str_is(value, "selected") ? fact->event->selects : !fact->event->selects;
}

static bool mode_is(const struct fact *fact, struct str value)
{
	return str_is(value, fact->mode == 0 ? "eval" : fact->mode == 1 ? "train" : "unknown");
}

static bool of_is(const struct fact *fact, struct str value)
{
	if (str_is(value, "grads"))
		return fact->grads;
	if (str_is(value, "backward"))
		return !fact->grads;
	if (str_is(value, "returned") || str_is(value, "kept"))
		return fact->returned == str_is(value, "returned");
	return fact->what && str_is(value, fact->what);
}

static bool loop_is(const struct fact *fact, struct str value)
{
	if (str_is(value, "training"))
		return fact->trains;
	return str_is(value, fact->loop ? "some" : "none");
}

const struct predicate predicates[] = {
	{"event", "what happened",
	 "store|accumulate|carry|assign|log|forward|grad-dropped|grad-left|grad-yield|inference|cut-trained|"
	 "cache-release|debug|retain|create-graph|unzeroed|grads-kept|unowned|eval-left|ctx|retry|exception|"
	 "hook-store|hooked|remade|unreset|registered|cached|worker-copy|late", fact_is},
	{"value", "what is known of the value", "graph|no-graph|tensor|scalar|not-scalar|view|on-device|not-on-host|grad-off", value_is},
	{"buffers", "whether backward freed the saved tensors", "kept|freed|partly", buffers_are},
	{"growth", "how it grows", "none|unbounded|epoch|window|constant", growth_is},
	{"holder", "what keeps it", "owned|local|never-emptied|memo|in-workers|tensor", holder_is},
	{"key", "what the holder is keyed by", "identity|item", key_is},
	{"joined", "whether it grows by joining containers or tensors end to end", "yes|no", joined_is},
	{"chain", "whether the old value is chosen or computed with", "selected|computed", chain_is},
	{"of", "which form of it", "grads|backward|returned|kept|gradients|outputs|optimizer|optimizer-of-epoch|loader|threads|parameters|snapshots|list|total|self|argument|results|carried", of_is},
	{"mode", "mode of the module called", "train|eval|unknown", mode_is},
	{"loop", "whether a step loop is around", "some|none|training", loop_is},
	{"name", "name of the holder, as written", NULL, NULL},
	{NULL, NULL, NULL, NULL},
};

static bool known_value(const struct predicate *predicate, struct str value)
{
	for (const char *at = predicate->values; *at;) {
		size_t n = strcspn(at, "|");
		if (str_equal(value, (struct str){at, n}))
			return true;
		at += n + (at[n] == '|');
	}
	return false;
}

static struct str trimmed(struct str text)
{
	while (text.length && text.at[0] == ' ')
		text.at++, text.length--;
	while (text.length && text.at[text.length - 1] == ' ')
		text.length--;
	return text;
}

static bool read_pattern(struct predicate_use *use, struct str value, struct err *err)
{
	int code;
	PCRE2_SIZE at;
	if (value.length < 2 || value.at[0] != '/' || value.at[value.length - 1] != '/')
		return err_set(err, ERR_CONFIG, "'%s' takes a pattern between slashes, not '%.*s'", use->predicate->name,
			       STR_ARG(value));
	use->pattern = pcre2_compile((PCRE2_SPTR)value.at + 1, value.length - 2, 0, &code, &at, NULL);
	if (use->pattern)
		return true;
	return err_set(err, ERR_CONFIG, "pattern '%.*s' does not compile", STR_ARG(value));
}

bool predicate_use_init(struct predicate_use *use, const char *text, struct arena *arena, struct err *err)
{
	const char *colon = strchr(text, ':');
	struct str name = colon ? (struct str){text, (size_t)(colon - text)} : str_from(text);
	memset(use, 0, sizeof *use);
	for (const struct predicate *p = predicates; p->name; p++)
		if (str_is(trimmed(name), p->name))
			use->predicate = p;
	if (!colon || !use->predicate)
		return err_set(err, ERR_CONFIG, "unknown fact '%s' (known: event, value, buffers, growth, holder, key, joined, chain, of, mode, loop, name)",
			       text);
	struct str rest = trimmed(str_from(colon + 1));
	if (!use->predicate->values)
		return read_pattern(use, rest, err);
	use->values = ARENA_ARRAY(arena, struct str, rest.length + 1);
	while (rest.length) {
		size_t bar = str_find(rest, STR("|"), 0);
		struct str value = trimmed(bar == SIZE_MAX ? rest : (struct str){rest.at, bar});
		if (!known_value(use->predicate, value))
			return err_set(err, ERR_CONFIG, "fact '%s' cannot be '%.*s' (it is %s)", use->predicate->name,
				       STR_ARG(value), use->predicate->values);
		use->values[use->value_count++] = arena_dup_str(arena, value);
		rest = bar == SIZE_MAX ? (struct str){rest.at, 0} : (struct str){rest.at + bar + 1, rest.length - bar - 1};
	}
	return use->value_count > 0 || err_set(err, ERR_CONFIG, "fact '%s' has no value", use->predicate->name);
}

void predicate_use_release(struct predicate_use *use)
{
	pcre2_code_free(use->pattern);
	use->pattern = NULL;
}

bool predicate_use_holds(const struct predicate_use *use, const struct fact *fact)
{
	if (use->pattern) {
		struct str name = fact->event->name;
		pcre2_match_data *data = pcre2_match_data_create(1, NULL);
		int rc = pcre2_match(use->pattern, (PCRE2_SPTR)(name.at ? name.at : ""), name.length, 0, 0, data, NULL);
		pcre2_match_data_free(data);
		return rc >= 0;
	}
	for (size_t i = 0; i < use->value_count; i++)
		if (use->predicate->holds(fact, use->values[i]))
			return true;
	return false;
}
