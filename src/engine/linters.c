#include "engine/linters.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "engine/stamps.h"

struct linters {
	const struct overlay *overlay;
	VEC(struct linter_kept *) list;
};

struct linters *linters_new(const struct overlay *overlay)
{
	struct linters *linters = mem_new(1, sizeof *linters);

	linters->overlay = overlay;
	return linters;
}

static void kept_free(struct linter_kept *kept)
{
	linter_free(kept->linter);
	if (kept->has_rules)
		rule_set_release(&kept->rules);
	free(kept->key);
	free(kept);
}

void linters_free(struct linters *linters)
{
	if (!linters)
		return;
	for (size_t i = 0; i < linters->list.count; i++)
		kept_free(linters->list.items[i]);
	VEC_RELEASE(&linters->list);
	free(linters);
}

static void unused_drop(struct linters *linters)
{
	size_t kept = 0;

	for (size_t i = 0; i < linters->list.count; i++) {
		if (linters->list.items[i]->users)
			linters->list.items[kept++] = linters->list.items[i];
		else
			kept_free(linters->list.items[i]);
	}
	linters->list.count = kept;
}

/* What tells linters apart: folders with what lies in them, and words. */
static char *key_of(const char *rules, const struct model_extra *knowledge)
{
	const char *folders[] = {rules, knowledge->folder};
	struct buf key = BUF_INIT;
	char *text;

	for (size_t i = 0; i < 2; i++) {
		if (folders[i])
			buf_format(&key, "%s %016llx", folders[i], (unsigned long long)stamp_of(folders[i]));
		buf_add_char(&key, '\n');
	}
	buf_add_text(&key, knowledge->text ? knowledge->text : "");
	text = mem_dup(buf_text(&key), key.length);
	buf_release(&key);
	return text;
}

struct linter_kept *linters_get(struct linters *linters, const char *rules, const struct model_extra *knowledge)
{
	char *key = key_of(rules, knowledge);
	struct linter_kept *kept = NULL;

	for (size_t i = 0; i < linters->list.count && !kept; i++) {
		if (strcmp(linters->list.items[i]->key, key) == 0)
			kept = linters->list.items[i];
	}
	if (kept) {
		free(key);
		kept->users++;
		return kept;
	}
	unused_drop(linters);
	kept = mem_new(1, sizeof *kept);
	VEC_ADD(&linters->list, kept);
	kept->key = key;
	kept->users = 1;
	kept->has_rules = rule_set_init(&kept->rules, rules, &kept->err);
	if (kept->has_rules)
		kept->linter = linter_new(&kept->rules, knowledge, &kept->err);
	else
		kept->rules.count = 0;
	if (kept->linter)
		linter_overlay(kept->linter, linters->overlay);
	return kept;
}

void linters_give(struct linter_kept *kept)
{
	kept->users--;
}

bool linters_forget(struct linters *linters, const char *path)
{
	bool far = false;

	for (size_t i = 0; i < linters->list.count; i++)
		far |= linters->list.items[i]->linter && linter_forget(linters->list.items[i]->linter, path);
	return far;
}

bool linters_refresh(struct linters *linters)
{
	bool any = false;

	for (size_t i = 0; i < linters->list.count; i++) {
		if (linters->list.items[i]->linter)
			any |= linter_refresh(linters->list.items[i]->linter);
	}
	return any;
}

void linters_rest(struct linters *linters, size_t kept)
{
	for (size_t i = 0; i < linters->list.count; i++) {
		if (linters->list.items[i]->linter)
			linter_rest(linters->list.items[i]->linter, kept);
	}
}
