/* What the parts of flow/judge share: the state of one judgement, and what they ask each other.
 *
 * One judgement runs on one thread; its memory is the analysis' arena. */
#ifndef VRAMLINT_FLOW_JUDGING_H
#define VRAMLINT_FLOW_JUDGING_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include "flow/judge.h"

/* Event numbers by key: those of key K are items[start[K]] … items[start[K + 1] - 1]. */
struct index {
	uint32_t *start;
	uint32_t *items;
};

struct judging {
	struct interp *in;
	struct judgement *out;
	uint8_t *site_proof;   /* 1 + enum proof once known, by site id */
	uint8_t *site_busy;
	enum loop_kind *loops;
	bool *has_step, *has_backward;
	bool *steps_itself;         /* by loop: virtual, of a method that is a step */
	VEC(struct fact) facts;
	struct index consumptions; /* by the sites that they reach; all of them under site 0 */
	struct index escapes;      /* likewise */
	struct index resets;       /* by holder */
	struct index restarts;     /* resets of names and slots, by cell */
	struct index assigns;      /* assignments and restarts of attributes and outer names, by cell */
	struct index zeros;        /* by optimizer or module; those of what is not known under 0 */
	struct index backwards;    /* consumptions by loop id + 1, 0 outside loops */
	struct index contexts;     /* grad contexts, by index of their definition; all of them behind the last */
	struct index forwards;     /* by module and by those that own it */
	struct index modes;        /* likewise */
	struct index marks;        /* marks and logs, by the objects they concern */
	struct index steps;        /* optimizer steps, by optimizer; 0: all of them */
	struct index defs;         /* forwards, backwards and steps, by index of their definition */
	uint8_t *consumed_tag;     /* by site: the closest tag under which a consumption reaches it */
	bool *walked_again;         /* by event: a backward whose graph is needed by a later one */
	bool *walked;               /* by object: backward walks what calling it gave somewhere */
	bool *counted;              /* by site of a carry: the name counts up, or is computed with, over the loop */
	bool *needed;              /* by site: a consumption reaches it by recorded operations and nothing else explains its graph */
	bool *plain;               /* by site: what it makes has no graph, or the program would have stopped */
	uint32_t *consumed_parts;  /* by site: how many of its elements are consumed */
	bool *workers;              /* by definition index: a class whose instances worker processes read; NULL until asked for */
	bool *owned;               /* by object: an optimizer owns it; NULL until asked for */
	bool trained_off;          /* something was walked backward or stepped while grad was off */
	pcre2_code *module_names;
};

/* judge_index.c */
/* Writes the keys under which an event is found to KEYS, which has room for all sites of a set; returns how many. */
typedef uint32_t keys_of(struct interp *in, const struct event *event, uint32_t *keys);
void index_build(struct interp *in, struct index *index, uint32_t key_count, keys_of *keys_of_event);
uint32_t context_keys(struct interp *in, const struct event *event, uint32_t *keys);
uint32_t restart_keys(struct interp *in, const struct event *event, uint32_t *keys);
uint32_t reset_keys(struct interp *in, const struct event *event, uint32_t *keys);
uint32_t backward_keys(struct interp *in, const struct event *event, uint32_t *keys);
uint32_t consumption_keys(struct interp *in, const struct event *event, uint32_t *keys);
const struct event *index_event(const struct judging *j, const struct index *index, uint32_t key, uint32_t place);
uint32_t escape_keys(struct interp *in, const struct event *event, uint32_t *keys);
uint32_t index_count(const struct index *index, uint32_t key);
uint32_t forward_keys(struct interp *in, const struct event *event, uint32_t *keys);
uint32_t mode_keys(struct interp *in, const struct event *event, uint32_t *keys);
uint32_t work_keys(struct interp *in, const struct event *event, uint32_t *keys);
uint32_t assign_keys(struct interp *in, const struct event *event, uint32_t *keys);
uint32_t mark_keys(struct interp *in, const struct event *event, uint32_t *keys);
uint32_t step_keys(struct interp *in, const struct event *event, uint32_t *keys);
uint32_t zero_keys(struct interp *in, const struct event *event, uint32_t *keys);

/* judge_loops.c */
bool leaks(const struct judging *j, const struct loop *loop);
/* The innermost loop of PATH that is of the one kind or the other, or NULL. */
const struct loop *loop_around(const struct judging *j, const struct loop *path, enum loop_kind one, enum loop_kind other);
/* The innermost loop of PATH that is time, whatever its kind. */
const struct loop *time_loop(const struct judging *j, const struct loop *path);
void decide_loops(struct judging *j);

/* judge_proof.c */
/* The site that speaks for a value: the youngest it is, else the youngest it was computed from; not the running total
 * of cell EXCEPT itself. */
const struct site *top_site(struct judging *j, const struct origin_set *set, uint32_t except);
enum proof stronger(enum proof a, enum proof b);
enum proof site_proof(struct judging *j, uint32_t id);
enum proof weaker(enum proof a, enum proof b);
bool consumed(struct judging *j, uint32_t site, enum origin_tag loosest);
/* Whether backward walks what SITE made, or a part of it. */
bool walked(struct judging *j, uint32_t site);
enum proof graph_proof(struct judging *j, const struct origin_set *set, enum origin_tag loosest);
/* That the thing called at SITE is a module. */
enum proof module_proof(struct judging *j, const struct site *site);

/* judge_growth.c */
void judge_accumulation(struct judging *j, const struct event *event);
void judge_store(struct judging *j, const struct event *event);
/* A value that was handed down to where it is kept is reported at the call that handed it over. */
void place(struct fact *fact);
/* Reports FACT at CALL. */
void place_at(struct fact *fact, const struct call *call);
/* Whether what EVENT did happens in every iteration of LOOP. */
bool every_iteration(const struct event *event, const struct loop *loop);
/* … or in every so many of them. */
bool again_and_again(const struct event *event, const struct loop *loop);
enum proof loop_proof(const struct judging *j, const struct loop *loop);
struct fact new_fact(enum fact_kind kind, const struct event *event);
/* An attribute or outer name gets a value that may outlive the step. */
void judge_attribute(struct judging *j, const struct event *event);
void judge_log(struct judging *j, const struct event *event);
void judge_retry(struct judging *j, const struct event *event);
void judge_exception(struct judging *j, const struct event *event);

/* judge_training.c */
void judge_mark(struct judging *j, const struct event *event);
void judge_backward(struct judging *j, const struct event *event);
/* Whether OBJECT, an optimizer or a module, is zeroed in LOOP, or was given to somebody who may do it. */
bool zeroed_in(struct judging *j, uint32_t object, const struct loop *loop);
void judge_zeroing(struct judging *j, const struct event *step);
void judge_zero_in_place(struct judging *j, const struct event *event);
void judge_mode(struct judging *j, const struct event *event);
void judge_assign(struct judging *j, const struct event *event);

/* judge_repeats.c */
/* Results of forwards that names still hold when the loop's next forward runs. */
void judge_late(struct judging *j);
/* Judges a mark of what must not happen again and again; false where EVENT is none. */
bool judge_repeated(struct judging *j, const struct event *mark);
void judge_made(struct judging *j, const struct event *event);
/* A value kept by a method that works like a metric's update, while nothing resets the metric. */
void judge_meter(struct judging *j, const struct event *store);
/* A value kept in a container: whether it is a copy of a module, one for each step or epoch. */
void judge_snapshot(struct judging *j, const struct event *store);
/* … or an object registers itself there. */
void judge_registration(struct judging *j, const struct event *store);
/* Whether some loader hands a dataset of CLASS to worker processes. */
bool has_workers(struct judging *j, const struct def *class);

/* judge_grad.c */
/* Whether OBJECT is OWNER or belongs to it. */
bool owns(struct interp *in, uint32_t owner, uint32_t object);
uint32_t optimizer_modules(struct interp *in, const struct object *holder, uint32_t *modules, uint32_t count,
			   uint32_t room, int depth);
void judge_grad_context(struct judging *j, const struct event *event);
void judge_forward(struct judging *j, const struct event *event);
void judge_yield(struct judging *j, const struct event *event);
void judge_step(struct judging *j, const struct event *step);

#endif
