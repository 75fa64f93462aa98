/* One document in, its findings out: the only way into the analysis.
 *
 * Prints nothing. A linter, made of rules and knowledge, is shared by all threads and immutable; each thread
 * has a worker of its own, which keeps a parser and memory for reuse. */
#ifndef VRAMLINT_ENGINE_LINT_H
#define VRAMLINT_ENGINE_LINT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/err.h"
#include "rule/finding.h"
#include "rule/rule.h"
#include "flow/model.h"
#include "engine/settings.h"
#include "text/source.h"

struct linter;
struct lint_worker;

/* RULES are borrowed and must outlive the linter. NULL with ERR set where the library KNOWLEDGE (may be NULL, added to
 * the built-in one) or a query is malformed. */
struct linter *linter_new(const struct rule_set *rules, const struct model_extra *knowledge, struct err *err);
void linter_free(struct linter *linter);

/* From now on results carry an explanation. Call before workers start. */
void linter_explain(struct linter *linter);
/* From now on imports find files as they are in OVERLAY (borrowed). Call before workers start. */
struct overlay;
void linter_overlay(struct linter *linter, const struct overlay *overlay);
/* The file PATH, real and absolute, or any (NULL), has changed, appeared or gone. Call when no worker runs. Returns whether
 * more may change than results that have it among their `reads` or ask around: then those that `seek` may as well. */
bool linter_forget(struct linter *linter, const char *path);
/* Forgets what has changed on the disk since it was read; returns whether anything has. Call when no worker runs. */
bool linter_refresh(struct linter *linter);
/* Gives back what imported files take, but for KEPT bytes of those that were read last. Call when no worker runs. */
void linter_rest(struct linter *linter, size_t kept);
/* From now on it is taken how long each rule takes. Call before workers start. */
void linter_time_rules(struct linter *linter);
/* What RULE, one of the linter's, has taken so far beside the analysis, which all share. Call when no worker runs. */
struct rule_work {
	double seconds;    /* spent on asking for its facts and wording its findings, summed over threads */
	size_t candidates; /* places that its query captured */
};
struct rule_work linter_rule_work(const struct linter *linter, const struct rule *rule);
/* Time spent so far on reading, parsing and lowering imported files, in seconds, summed over threads. */
double linter_import_seconds(const struct linter *linter);

/* Goes from linter to linter as the settings of its files want. */
struct lint_worker *lint_worker_new(void);
void lint_worker_free(struct lint_worker *worker);

struct baseline;
struct changed;
/* What a run leaves out, and how it suppresses. All of it is borrowed and may be NULL. */
struct lint_limits {
	const struct baseline *baseline; /* findings that it has are suppressed */
	const struct changed *changed;   /* findings that are not about what has changed are left out */
	const char *ignore_reason;       /* the fix of a finding is a comment that suppresses it, with this reason, "" for none */
};
/* From now on results are within LIMITS (copied; what it points to is borrowed; NULL: none). */
void lint_worker_limit(struct lint_worker *worker, const struct lint_limits *limits);

/* Gives back the memory that it keeps for the next document: as much as the largest one so far took. For times of rest. */
void lint_worker_rest(struct lint_worker *worker);

/* What is remembered of one document from one check to the next, which makes that faster and changes nothing else. It
 * belongs to whoever keeps the document; one worker at a time uses it, any worker may. */
struct lint_memory;
struct lint_memory *lint_memory_new(void);
void lint_memory_free(struct lint_memory *memory); /* may be NULL */
/* Gives back what it holds; the next check is one from scratch. For documents that nobody has edited for a while. */
void lint_memory_forget(struct lint_memory *memory);
/* From now on lint_source remembers the document in MEMORY (borrowed; NULL: nowhere). */
void lint_worker_remember(struct lint_worker *worker, struct lint_memory *memory);
/* From now on a remembered document that does not parse is checked as fast as one that does, at the price that the result
 * may be a guess, which says so; or (false, as at first) it is not. */
void lint_worker_hurry(struct lint_worker *worker, bool hurries);
/* From now on lint_source asks STALE(CONTEXT), on the worker's thread and many times, whether nobody wants its result any
 * more, and ends early where so (NULL: never). */
void lint_worker_stop_when(struct lint_worker *worker, bool (*stale)(void *context), void *context);

/* Something that a person should know about the file beside findings. */
struct lint_problem {
	struct excerpt at; /* where; span empty and line 0 where it speaks of the whole file */
	const char *text;  /* "cannot parse from here: …" */
};

/* As many problems are told of one document at most. */
enum { LINT_PROBLEMS = 4 };
/* A finding that is not reported, and why. */
struct lint_suppressed {
	struct finding finding;
	enum suppressed_by { SUPPRESSED_BY_COMMENT, SUPPRESSED_BY_BASELINE } kind;
	const char *reason;     /* as its author wrote it, or NULL */
	struct excerpt comment; /* SUPPRESSED_BY_COMMENT: where that stands; else line 0 */
};

/* Order of struct lint_suppressed by finding_compare, for qsort. */
int lint_suppressed_order(const void *a, const void *b);

struct lint_result {
	struct arena arena; /* owns all below */
	struct finding *findings; /* sorted by finding_compare */
	size_t finding_count;
	struct lint_suppressed *suppressed; /* sorted by finding_compare; none of them is in `findings` */
	size_t suppressed_count;
	struct lint_problem *problems;
	size_t problem_count;
	const char *explanation; /* what the analysis saw, lines ended by LF, where the linter was told to explain; else NULL */
	const char *failure; /* why nothing of it could be checked ("cannot parse: the parser gave up"), or NULL */
	bool skipped; /* the prefilter saw that nothing could be found */
	bool is_guess; /* made in a hurry: the text does not parse, and a check that takes its time may find other things around there */
	bool is_stale; /* the check ended early, as lint_worker_stop_when wanted; `failure` says so */
	/* What else it depends on than the document, its settings and its path: */
	const char *const *reads; /* real paths of other files that were read for it, each once, in no order */
	size_t read_count;
	bool seeks;       /* imports were looked up in the project: a file that appears or goes may lead them elsewhere */
	bool asks_around; /* who calls its functions was looked up in all files of its folder and those above */
};

/* Time spent, in seconds, summed over the files of a worker. `interpret` and `judge` include what linter_import_seconds says,
 * since a file that is imported is read when the first one asks for it. */
struct lint_timing {
	double prefilter, parse, query, lower, interpret, judge, rules;
};

/* Checks SOURCE, which messages call PATH, as SETTINGS say. Never fails: what could not be analysed is a problem in the result.
 * RESULT is initialised here and released by the caller. */
void lint_source(struct lint_worker *worker, const struct settings *settings, const char *path,
		 const struct source *source, struct lint_result *result);
/* Makes the result of a document that was not looked at: TEXT says why. */
void lint_remark(const char *text, struct lint_result *result);
void lint_result_release(struct lint_result *result);
struct lint_timing lint_worker_timing(const struct lint_worker *worker);

#endif
