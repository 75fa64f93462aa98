/* What is said about one place: the finding, its trail and its fix.
 *
 * Everything hangs in the arena of the file result that holds it and needs
 * neither the tree nor the source any more. */
#ifndef VRAMLINT_RULE_FINDING_H
#define VRAMLINT_RULE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "flow/proof.h"
#include "text/edit.h"
#include "text/source.h"

struct rule;

enum severity { SEVERITY_HINT, SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };
enum cost { COST_DEVICE, COST_HOST, COST_PEAK, COST_SPEED, COST_CORRECTNESS };

/* "hint", "note", "warning", "error" and so on; never NULL. */
const char *severity_name(enum severity severity);
const char *cost_name(enum cost cost);
const char *proof_name(enum proof proof);
/* The value called NAME, or false. */
bool severity_from_name(const char *name, enum severity *severity);
bool cost_from_name(const char *name, enum cost *cost);
bool proof_from_name(const char *name, enum proof *proof);

/* A range of the source with the text of its first line, so that it can be shown later. */
struct excerpt {
	struct span span;      /* bytes of the decoded source */
	struct place start;    /* 1-based line and code-point column */
	struct place end;      /* exclusive */
	uint32_t cell;         /* of a notebook, 1-based over all cells, lines then count within it; 0: a plain file */
	const char *line_text; /* the first line, without its end, valid UTF-8; may hold control characters */
	size_t line_length;    /* bytes */
};

/* An excerpt of SOURCE at SPAN, its line copied into ARENA. */
struct excerpt excerpt_at(const struct source *source, struct span span, struct arena *arena);
/* Appends ":5:9", in a notebook ":cell 3:5:9"; nothing where AT speaks of the whole file. */
void excerpt_add_place(struct buf *out, const struct excerpt *at);

struct finding_note {
	struct excerpt at;
	const char *text; /* "made here by 'criterion'", lower case, no full stop */
};

/* What a run of the code has shown of a finding. */
struct finding_verdict {
	const char *name;    /* "confirmed", "confirmed-host", "refuted", "not-observed" or "unpredicted" */
	enum finding_truth { FINDING_HAPPENS, FINDING_DOES_NOT, FINDING_UNDECIDED } truth;
	const char *words;   /* why, one sentence, lower case, no full stop */
	const char *holder;  /* what keeps it, or NULL; then a step: */
	double tensor_bytes, host_bytes, nodes; /* host_bytes -1: not known */
};

struct finding {
	const struct rule *rule;
	struct excerpt at;
	const char *scope;       /* function and class around it, from outside in: "Trainer.fit"; "" at module level */
	const char *fingerprint; /* see rule/fingerprint.h */
	enum severity severity;
	enum cost cost;
	enum proof proof;
	const char *message; /* one sentence, names the variable and the loop */
	const char *growth;  /* how fast it grows and its bound, one sentence, or NULL */
	const char *help;    /* the edit in words, or NULL */
	struct finding_note *notes; /* the trail, in the order to read */
	size_t note_count;
	struct span loop; /* the head of the loop in which it grows; empty where there is none, or in another file */
	struct edit *edits; /* the fix, ordered by place, or NULL */
	size_t edit_count;
	struct span fix_reach; /* see edit_group; empty: from the first edit to the last */
	bool fix_is_safe;
	const struct finding_verdict *verdict; /* NULL: the code was not run */
};

/* COPY becomes FINDING with all that it has but its rule and verdict, which stay borrowed, in ARENA. */
void finding_dup(struct finding *copy, const struct finding *finding, struct arena *arena);
/* Order by place, then code, then message: <0, 0, >0. */
int finding_compare(const struct finding *a, const struct finding *b);

#endif
