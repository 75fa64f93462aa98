#include "rule/rule.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/embedded.h"
#include "base/os.h"
#include "base/vec.h"
#include "rule/predicate.h"

typedef VEC(struct rule *) rule_list;

struct loading {
	struct rule_set *set;
	rule_list *list;
	const char *file;
	struct err *err;
};

static bool complain(struct loading *l, const char *what)
{
	return err_set(l->err, ERR_CONFIG, "cannot use '%s': %s", l->file, what);
}

static const char *text_at(struct loading *l, const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsString(item) ? arena_dup(&l->set->arena, item->valuestring) : NULL;
}

static bool need_text(struct loading *l, const cJSON *object, const char *key, const char **text)
{
	*text = text_at(l, object, key);
	if (*text && **text)
		return true;
	return err_set(l->err, ERR_CONFIG, "cannot use '%s': it has no text under '%s'", l->file, key);
}

static bool read_where(struct loading *l, const cJSON *list, struct rule_variant *variant)
{
	int count = cJSON_GetArraySize(list);
	variant->where = ARENA_ARRAY(&l->set->arena, struct predicate_use, (size_t)count + 1);
	for (const cJSON *item = list->child; item; item = item->next) {
		if (!cJSON_IsString(item))
			return complain(l, "'where' holds something that is not text");
		if (!predicate_use_init(&variant->where[variant->where_count++], arena_dup(&l->set->arena, item->valuestring),
					&l->set->arena, l->err)) {
			err_context(l->err, "cannot use '%s'", l->file);
			return false;
		}
	}
	return count > 0 || complain(l, "'where' is empty");
}

/* What the fix does is told by the one key that it has of these. */
static bool read_fix_kind(struct loading *l, const cJSON *object, struct rule_fix *fix)
{
	static const struct {
		const char *key;
		enum fix_kind kind;
	} kinds[] = {
		{"append", FIX_APPEND},
		{"remove", FIX_REMOVE},
		{"remove-argument", FIX_ARGUMENT},
		{"around", FIX_AROUND},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!cJSON_GetObjectItemCaseSensitive(object, kinds[i].key))
			continue;
		if (fix->kind != FIX_NONE)
			return complain(l, "a 'fix' does more than one thing");
		fix->kind = kinds[i].kind;
		if (!need_text(l, object, kinds[i].key, &fix->text))
			return false;
	}
	if (fix->kind == FIX_NONE)
		return complain(l, "a 'fix' has none of 'append', 'remove', 'remove-argument', 'around'");
	if (fix->kind == FIX_REMOVE && strcmp(fix->text, "statement") != 0)
		return complain(l, "'remove' of a 'fix' is not 'statement'");
	if (fix->kind == FIX_ARGUMENT && !strchr(fix->text, '='))
		return complain(l, "'remove-argument' of a 'fix' is not like 'name=value'");
	return true;
}

static bool read_fix(struct loading *l, const cJSON *object, struct rule_fix *fix)
{
	const cJSON *safe = cJSON_GetObjectItemCaseSensitive(object, "safe");
	const char *safety = text_at(l, object, "safe"), *otherwise = text_at(l, object, "otherwise");

	if (!object)
		return true;
	if (!cJSON_IsObject(object))
		return complain(l, "'fix' is no object");
	if (safe && !cJSON_IsBool(safe) && !(safety && strcmp(safety, "as-number") == 0))
		return complain(l, "'safe' of a 'fix' is none of true, false, \"as-number\"");
	if (otherwise && strcmp(otherwise, "none") != 0 && strcmp(otherwise, "unsafe") != 0)
		return complain(l, "'otherwise' of a 'fix' is none of none, unsafe");
	fix->safety = safety ? FIX_AS_NUMBER : cJSON_IsTrue(safe) ? FIX_SAFE : FIX_UNSAFE;
	fix->only_safe = otherwise && strcmp(otherwise, "none") == 0;
	return need_text(l, object, "capture", &fix->capture) && read_fix_kind(l, object, fix);
}

static bool read_variant(struct loading *l, const cJSON *object, struct rule_variant *variant)
{
	const char *cost, *severity = text_at(l, object, "severity"), *least = text_at(l, object, "confidence");
	const cJSON *where = cJSON_GetObjectItemCaseSensitive(object, "where");
	if (!cJSON_IsArray(where))
		return complain(l, "a variant has no list 'where'");
	if (!read_where(l, where, variant) || !need_text(l, object, "message", &variant->message) ||
	    !need_text(l, object, "cost", &cost))
		return false;
	if (!cost_from_name(cost, &variant->cost))
		return complain(l, "'cost' is none of device, host, peak, speed, correctness");
	variant->severity_given = severity != NULL;
	if (severity && !severity_from_name(severity, &variant->severity))
		return complain(l, "'severity' is none of error, warning, note, hint");
	if (least && !proof_from_name(least, &variant->least))
		return complain(l, "'confidence' is none of flow, usage, sibling, name");
	variant->growth = text_at(l, object, "growth");
	variant->help = text_at(l, object, "help");
	variant->help_outside = text_at(l, object, "help-outside");
	variant->help_training = text_at(l, object, "help-training");
	return read_fix(l, cJSON_GetObjectItemCaseSensitive(object, "fix"), &variant->fix);
}

static bool read_default(struct loading *l, const char *text, enum rule_default *state)
{
	static const char *const names[] = {"on", "hint", "opt-in"};
	for (int i = 0; i < 3; i++)
		if (strcmp(text, names[i]) == 0) {
			*state = (enum rule_default)i;
			return true;
		}
	return complain(l, "'default' is none of on, hint, opt-in");
}

static const char *const precision_names[] = {
	[PRECISION_LOW] = "low",
	[PRECISION_MEDIUM] = "medium",
	[PRECISION_HIGH] = "high",
	[PRECISION_VERY_HIGH] = "very-high",
};

static bool read_precision(struct loading *l, const char *text, struct rule *rule)
{
	static const enum rule_precision usual[] = {
		[RULE_ON] = PRECISION_HIGH, [RULE_HINT] = PRECISION_MEDIUM, [RULE_OPT_IN] = PRECISION_LOW};
	rule->precision = usual[rule->default_state];
	if (!text)
		return true;
	for (int i = 0; i < 4; i++)
		if (strcmp(text, precision_names[i]) == 0) {
			rule->precision = (enum rule_precision)i;
			return true;
		}
	return complain(l, "'precision' is none of low, medium, high, very-high");
}

const char *rule_precision_name(const struct rule *rule)
{
	return precision_names[rule->precision];
}

static bool read_tags(struct loading *l, const cJSON *tags, struct rule *rule)
{
	if (!cJSON_IsArray(tags))
		return complain(l, "it has no list 'tags'");
	rule->tags = ARENA_ARRAY(&l->set->arena, const char *, (size_t)cJSON_GetArraySize(tags) + 1);
	for (const cJSON *item = tags->child; item; item = item->next)
		if (cJSON_IsString(item))
			rule->tags[rule->tag_count++] = arena_dup(&l->set->arena, item->valuestring);
	return true;
}

static bool code_is_well_formed(const char *code)
{
	return strlen(code) == 5 && strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 2 && strspn(code + 2, "0123456789") == 3;
}

static bool name_is_well_formed(const char *name)
{
	return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static bool read_rule(struct loading *l, const cJSON *root, struct rule *rule)
{
	const char *state;
	const cJSON *variants = cJSON_GetObjectItemCaseSensitive(root, "variants");
	if (!need_text(l, root, "code", &rule->code) || !need_text(l, root, "name", &rule->name) ||
	    !need_text(l, root, "summary", &rule->summary) || !need_text(l, root, "since", &rule->since) ||
	    !need_text(l, root, "at", &rule->at) || !need_text(l, root, "default", &state))
		return false;
	if (!code_is_well_formed(rule->code))
		return complain(l, "'code' is not two capitals and three digits");
	if (!name_is_well_formed(rule->name))
		return complain(l, "'name' is not in kebab-case");
	if (!read_default(l, state, &rule->default_state) || !read_precision(l, text_at(l, root, "precision"), rule) ||
	    !read_tags(l, cJSON_GetObjectItemCaseSensitive(root, "tags"), rule))
		return false;
	if (!cJSON_IsArray(variants) || !variants->child)
		return complain(l, "it has no list 'variants'");
	rule->variants = ARENA_ARRAY(&l->set->arena, struct rule_variant, (size_t)cJSON_GetArraySize(variants));
	for (const cJSON *item = variants->child; item; item = item->next)
		if (!read_variant(l, item, &rule->variants[rule->variant_count++]))
			return false;
	return true;
}

/* Puts RULE into the list in place of one with its code or name, if any. */
static void keep_rule(struct loading *l, struct rule *rule)
{
	for (size_t i = 0; i < l->list->count; i++) {
		struct rule *other = l->list->items[i];
		if (strcmp(other->code, rule->code) == 0 || strcmp(other->name, rule->name) == 0) {
			l->list->items[i] = rule;
			return;
		}
	}
	VEC_ADD(l->list, rule);
}

static bool load_rule(struct loading *l, struct str json, struct str query, struct str document)
{
	cJSON *root = cJSON_ParseWithLength(json.at, json.length);
	if (!root) {
		const char *at = cJSON_GetErrorPtr();
		int line = 1;
		for (const char *p = json.at; at && p < at && p < json.at + json.length; p++)
			line += *p == '\n';
		return err_set(l->err, ERR_CONFIG, "cannot use '%s': not valid JSON near line %d", l->file, line);
	}
	struct rule *rule = ARENA_NEW(&l->set->arena, struct rule);
	rule->origin = arena_dup(&l->set->arena, l->file);
	rule->query = arena_dup_bytes(&l->set->arena, query.at, query.length);
	rule->document = arena_dup_bytes(&l->set->arena, document.at, document.length);
	bool ok = read_rule(l, root, rule);
	cJSON_Delete(root);
	if (ok)
		keep_rule(l, rule);
	return ok;
}

static struct str embedded(const char *name)
{
	for (size_t i = 0; i < embedded_file_count; i++)
		if (strcmp(embedded_files[i].name, name) == 0)
			return (struct str){embedded_files[i].text, embedded_files[i].length};
	return (struct str){NULL, 0};
}

/* "rules/NAME.json" → NAME, or an empty slice where it is something else. */
static struct str rule_file_name(const char *path)
{
	struct str s = str_from(path);
	if (!str_starts(s, "rules/") || !str_ends(s, ".json"))
		return (struct str){NULL, 0};
	struct str name = {s.at + 6, s.length - 11};
	return str_find(name, STR("/"), 0) == SIZE_MAX ? name : (struct str){NULL, 0};
}

static bool load_embedded(struct loading *l)
{
	for (size_t i = 0; i < embedded_file_count; i++) {
		struct str name = rule_file_name(embedded_files[i].name);
		if (!name.length)
			continue;
		l->file = embedded_files[i].name;
		struct str query = embedded(arena_format(&l->set->arena, "queries/%.*s.scm", STR_ARG(name)));
		struct str document = embedded(arena_format(&l->set->arena, "rules/%.*s.md", STR_ARG(name)));
		if (!query.at || !document.at)
			return complain(l, "its query or its document is missing");
		if (!load_rule(l, (struct str){embedded_files[i].text, embedded_files[i].length}, query, document))
			return false;
	}
	return true;
}

/* A companion of NAME.json beside it, or in the sister folder `queries`. */
static bool read_companion(struct loading *l, const char *folder, const char *path, struct buf *text)
{
	const char *beside = arena_format(&l->set->arena, "%s/%s", folder, path);
	struct os_stat stat;
	if (os_stat_get(beside, &stat, NULL) && stat.kind == OS_FILE)
		return os_read_file(beside, 1u << 20, text, l->err);
	const char *sister = arena_format(&l->set->arena, "%s/../queries/%s", folder, path);
	if (str_ends(str_from(path), ".scm") && os_stat_get(sister, &stat, NULL) && stat.kind == OS_FILE)
		return os_read_file(sister, 1u << 20, text, l->err);
	return err_set(l->err, ERR_CONFIG, "cannot use '%s': '%s' is missing beside it", l->file, path);
}

static bool load_folder(struct loading *l, const char *folder)
{
	struct os_entry *entries;
	size_t count;
	if (!os_list(folder, &l->set->arena, &entries, &count, l->err))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct str name = str_from(entries[i].name);
		if (!str_ends(name, ".json") || entries[i].stat.kind != OS_FILE)
			continue;
		name.length -= 5;
		l->file = arena_format(&l->set->arena, "%s/%s", folder, entries[i].name);
		struct buf json = BUF_INIT, query = BUF_INIT, document = BUF_INIT;
		bool ok = os_read_file(l->file, 1u << 20, &json, l->err) &&
			  read_companion(l, folder, arena_format(&l->set->arena, "%.*s.scm", STR_ARG(name)), &query) &&
			  read_companion(l, folder, arena_format(&l->set->arena, "%.*s.md", STR_ARG(name)), &document) &&
			  load_rule(l, buf_get(&json), buf_get(&query), buf_get(&document));
		buf_release(&json);
		buf_release(&query);
		buf_release(&document);
		if (!ok)
			return false;
	}
	return true;
}

static int by_code(const void *a, const void *b)
{
	const struct rule *const *x = a, *const *y = b;
	return strcmp((*x)->code, (*y)->code);
}

bool rule_set_init(struct rule_set *set, const char *folder, struct err *err)
{
	rule_list list = {0};
	memset(set, 0, sizeof *set);
	arena_init(&set->arena);
	struct loading l = {set, &list, NULL, err};
	bool ok = load_embedded(&l) && (!folder || load_folder(&l, folder));
	set->rules = ARENA_ARRAY(&set->arena, struct rule *, list.count + 1);
	if (list.count)
		memcpy(set->rules, list.items, list.count * sizeof *set->rules);
	set->count = list.count;
	VEC_RELEASE(&list);
	qsort(set->rules, set->count, sizeof *set->rules, by_code);
	for (size_t i = 0; i < set->count; i++)
		set->rules[i]->index = i;
	if (!ok)
		rule_set_release(set);
	return ok;
}

void rule_set_release(struct rule_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		for (size_t k = 0; k < set->rules[i]->variant_count; k++)
			for (size_t w = 0; w < set->rules[i]->variants[k].where_count; w++)
				predicate_use_release(&set->rules[i]->variants[k].where[w]);
	set->count = 0;
	arena_release(&set->arena);
}

static bool equal_in_any_case(const char *a, struct str b)
{
	if (strlen(a) != b.length)
		return false;
	for (size_t i = 0; i < b.length; i++) {
		char x = a[i], y = b.at[i];
		x = x >= 'A' && x <= 'Z' ? (char)(x + 32) : x;
		y = y >= 'A' && y <= 'Z' ? (char)(y + 32) : y;
		if (x != y)
			return false;
	}
	return true;
}

const struct rule *rule_set_find(const struct rule_set *set, struct str name)
{
	for (size_t i = 0; i < set->count; i++)
		if (equal_in_any_case(set->rules[i]->code, name) || equal_in_any_case(set->rules[i]->name, name))
			return set->rules[i];
	return NULL;
}

bool rule_asks_for(const struct rule *rule, const char *predicate, const char *value)
{
	for (size_t i = 0; i < rule->variant_count; i++)
		for (size_t k = 0; k < rule->variants[i].where_count; k++) {
			const struct predicate_use *use = &rule->variants[i].where[k];
			for (size_t v = 0; strcmp(use->predicate->name, predicate) == 0 && v < use->value_count; v++)
				if (str_is(use->values[v], value))
					return true;
		}
	return false;
}

const char *rule_set_nearest(const struct rule_set *set, struct str name)
{
	const char *best = NULL;
	size_t distance = name.length / 2 + 1;
	for (size_t i = 0; i < set->count; i++) {
		const char *words[2] = {set->rules[i]->code, set->rules[i]->name};
		for (int k = 0; k < 2; k++) {
			size_t d = str_distance(name, str_from(words[k]), distance);
			if (d < distance) {
				distance = d;
				best = words[k];
			}
		}
	}
	return best;
}
