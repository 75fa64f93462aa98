/* Linters by what they are made of: compiling the queries of one takes longer than checking a file, so that
 * configurations share them. One thread; the linters themselves are for any number. */
#ifndef VRAMLINT_ENGINE_LINTERS_H
#define VRAMLINT_ENGINE_LINTERS_H

#include <stdbool.h>
#include "base/err.h"
#include "engine/lint.h"
#include "engine/overlay.h"
#include "flow/model.h"
#include "rule/rule.h"

struct linters;

/* A linter with its rules; without one ERR says why, and has_rules whether at least those are sound. */
struct linter_kept {
	struct rule_set rules;
	struct linter *linter;
	bool has_rules;
	struct err err;
	char *key;
	size_t users;
};

/* OVERLAY (borrowed, may be NULL): see linter_overlay. */
struct linters *linters_new(const struct overlay *overlay);
void linters_free(struct linters *linters); /* may be NULL; nobody may use any of them any more */
/* The linter of the built-in rules and those in folder RULES (may be NULL), with KNOWLEDGE: one that is there already, as long
 * as the folders are as they were when it was made. Each is to be given back. */
struct linter_kept *linters_get(struct linters *linters, const char *rules, const struct model_extra *knowledge);
/* KEPT is used by one less. It is freed when room is wanted for another one. */
void linters_give(struct linter_kept *kept);
/* linter_forget, linter_refresh and linter_rest for all. */
bool linters_forget(struct linters *linters, const char *path);
bool linters_refresh(struct linters *linters);
void linters_rest(struct linters *linters, size_t kept);

#endif
