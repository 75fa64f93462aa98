/* Verdicts as findings of their own: with what was seen beside what was predicted, in the trail and as its verdict.
 *
 * Owns its copies and the code that it has read. One thread. */
#ifndef VRAMLINT_CONFIRM_EVIDENCE_H
#define VRAMLINT_CONFIRM_EVIDENCE_H

#include "base/map.h"
#include "confirm/told.h"
#include "rule/rule.h"

struct evidence_item {
	const struct judged *judged;
	const char *path;   /* to be shown */
	const struct source *source; /* or NULL */
	struct finding finding;
	bool is_placed;     /* else nothing is known of where it is: the finding has no line */
};

struct evidence {
	struct arena arena;
	const struct told *told;
	VEC(struct evidence_item) items; /* findings in their order, then what nobody predicted */
	struct map sources;              /* by path: what was read */
	VEC(struct source *) read;
};

/* The rule of what grows and no other rule predicted. */
extern const struct rule evidence_unpredicted;

/* TOLD is borrowed. */
void evidence_init(struct evidence *evidence, const struct told *told);
void evidence_release(struct evidence *evidence);
/* The text of the file PATH, absolute, as the linter saw it or as it is now, or NULL. It is read once, and only so many and so
 * large files are. */
const struct source *evidence_source(struct evidence *evidence, const char *path);
/* Line LINE of it without the blanks around, empty where there is none. */
struct str evidence_line(struct evidence *evidence, const char *path, int64_t line);

#endif
