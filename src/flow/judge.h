/* From events to facts: what survives, what is a step, who needs the graph, what backward freed.
 *
 * Judges all events of a file after its walks. Facts live in the analysis'
 * arena. The procedures are those of docs/analysis.md. */
#ifndef VRAMLINT_FLOW_JUDGE_H
#define VRAMLINT_FLOW_JUDGE_H

#include "flow/analysis.h"

enum loop_kind { LOOP_PLAIN, LOOP_STRUCT, LOOP_RETRY, LOOP_STEP, LOOP_EPOCH, LOOP_INTRA, LOOP_CALL };
enum growth { GROWTH_NONE, GROWTH_UNBOUNDED, GROWTH_EPOCH, GROWTH_WINDOW, GROWTH_CONSTANT };
enum buffers { BUFFERS_KEPT, BUFFERS_FREED, BUFFERS_PARTLY };

/* What a fact is about; `event` in a rule's `where`. */
enum fact_kind {
	FACT_STORE,        /* into a container */
	FACT_ACCUMULATE,   /* a running total */
	FACT_CARRY,        /* a chain through a module: hidden state */
	FACT_ASSIGN,       /* an attribute or outer name */
	FACT_LOG,
	FACT_FORWARD,
	FACT_GRAD_DROPPED, /* a grad context made and not entered */
	FACT_GRAD_LEFT,    /* grad switched off by statement and not back on */
	FACT_GRAD_YIELD,   /* a yield inside a grad block of a generator */
	FACT_INFERENCE,    /* what inference mode made goes through a forward that backward walks */
	FACT_CACHE,        /* the allocator's cache or the garbage collector is run every step */
	FACT_DEBUG,        /* a debugging aid is on around training */
	FACT_RETAIN,       /* saved tensors are kept for a backward that does not come */
	FACT_CREATE,       /* backward records the gradients, and they stay */
	FACT_UNZEROED,     /* an optimizer steps and nothing zeroes */
	FACT_GRADS_KEPT,   /* gradients are zeroed in place */
	FACT_UNOWNED,      /* gradients pile up in a module that no optimizer owns */
	FACT_EVAL_LEFT,    /* a module stays in eval mode and is trained so */
	FACT_CTX,          /* an autograd function keeps a tensor as attribute */
	FACT_RETRY,        /* a forward while the exception of one that ran out of memory is being handled */
	FACT_EXCEPTION,    /* such an exception is kept */
	FACT_HOOK_STORE,   /* a hook keeps a value in a container */
	FACT_HOOKED,       /* a hook is registered again and again */
	FACT_REMADE,       /* an optimizer, loader or writer is made anew, or parameters are added, again and again */
	FACT_UNRESET,      /* a metric is updated and computed in every epoch and never reset */
	FACT_REGISTERED,   /* an object puts itself into a container that outlives it */
	FACT_CACHED,       /* a cache of results keeps its arguments */
	FACT_WORKER_COPY,  /* a big list of Python objects is read by worker processes */
	FACT_LATE,         /* a forward's result is still bound while the next forward runs */
	FACT_CUT_TRAINED,  /* an optimizer steps modules that only grad-off code reached */
	FACT_SUPPRESSION   /* a comment that suppresses findings is of no use or not to be understood; made by engine/suppress */
};

struct fact {
	enum fact_kind kind;
	const struct event *event;
	struct span where;           /* the place to report */
	struct def *where_def;       /* the definition that place stands in */
	enum proof proof;            /* the weakest of its claims */
	enum proof graph;            /* that the value carries a graph; PROOF_NONE: it does not, as far as seen */
	enum buffers buffers;
	enum growth growth;
	const struct loop *loop;     /* over which it grows, or that makes it a step */
	const struct object *holder; /* or NULL */
	const struct site *site;     /* that speaks for the value, or NULL */
	const struct event *consumption; /* that walked it, or NULL */
	bool shares;           /* `consumption` walks not the value, but the forward's graph that it is a part of */
	const struct event *reset;   /* that bounds it, or NULL */
	bool view;                   /* the value is a view of a bigger storage */
	bool scalar;
	bool on_device;              /* evidence that it lies on the accelerator */
	bool on_host;                /* evidence that it does not */
	bool tensor;                 /* the value, or something in it, is surely a tensor */
	bool grad_off;               /* made while grad was off */
	bool elsewhere;              /* the store itself stands in another definition than `where` */
	bool rebuilt;                /* grown by joining containers or tensors end to end */
	bool consumed_later;         /* unfreed, and something may still walk it */
	bool kept_by_owner;          /* the holder belongs to an object or the module, not to a function */
	bool trains;                 /* the loop steps an optimizer or runs backward */
	bool emptied;                /* something somewhere empties the holder */
	bool grads;                  /* of autograd.grad, not of backward */
	bool returned;               /* what is kept is what is returned */
	const char *what;            /* which form of it, or NULL */
	struct str name;             /* of who holds it, where the event has none */
	bool memo;                   /* the holder is asked whether it has a key */
	const char *key;             /* "identity", "item" (the argument of a dataset's __getitem__), else NULL */
	bool workers;                /* the holder belongs to a dataset that worker processes read */
	int mode;                    /* of the module of a forward: 1 train, 0 eval, -1 unknown */
};

struct judgement {
	struct fact *facts; /* in order of events */
	size_t count;
	enum loop_kind *loops; /* by loop id */
	uint8_t *site_proof;   /* enum proof by site id */
};

void judge(struct analysis *analysis, struct judgement *judgement);
/* "step", "epoch", … for explanations; never NULL. */
const char *loop_kind_name(enum loop_kind kind);
const char *growth_name(enum growth growth);
const char *fact_kind_name(enum fact_kind kind);

#endif
