/* Library knowledge: what calls, classes and methods of libraries do, read from the JSON files in rules/models.
 *
 * The schema is docs/models.md. A model is immutable once loaded and shared by
 * all threads. Later files win over earlier ones. */
#ifndef VRAMLINT_FLOW_MODEL_H
#define VRAMLINT_FLOW_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/str.h"

/* What a value may be; a set of these. No bit at all: nothing is known. */
enum kind {
	KIND_NUMBER = 1 << 0,
	KIND_TEXT = 1 << 1,
	KIND_NONE = 1 << 2,
	KIND_NDARRAY = 1 << 3,
	KIND_TENSOR = 1 << 4,
	KIND_CONTAINER = 1 << 5,
	KIND_MODULE = 1 << 6,
	KIND_OPTIMIZER = 1 << 7,
	KIND_CRITERION = 1 << 8,
	KIND_LOADER = 1 << 9,
	KIND_METRIC = 1 << 10,
	KIND_LOGGER = 1 << 11, /* loggers, printers, trackers and progress bars: they convert what they get */
	KIND_DISTRIBUTION = 1 << 12,
	KIND_HANDLE = 1 << 13,
	KIND_EXCEPTION = 1 << 14,
	KIND_FUNCTION = 1 << 15,
	KIND_GENERATOR = 1 << 16,
	KIND_CLASS = 1 << 17,
	KIND_INSTANCE = 1 << 18,
	KIND_LIBRARY = 1 << 19, /* a module, class or function of a library, known by its dotted name */
	KIND_GRADMODE = 1 << 20, /* a context that sets the grad mode */
	KIND_CONTEXT = 1 << 21,
	KIND_SMALL = 1 << 22,   /* shapes, sizes, devices, dtypes: plain data */
	KIND_UNKNOWN = 1 << 23
};

/* Where the graph of a result comes from. */
enum graph_rule {
	GRAPH_CALL,    /* unknown: as an unresolved call */
	GRAPH_NO,
	GRAPH_MADE,    /* a leaf that requires grad */
	GRAPH_OP,      /* recorded operation on the arguments named by `from` */
	GRAPH_PASS,    /* the argument itself */
	GRAPH_ELEMENT, /* an element of the argument */
	GRAPH_CUT,     /* the argument's data without its graph */
	GRAPH_FORWARD, /* the receiver is a module that is called with the arguments */
	GRAPH_RETURN   /* what calling the argument, a function, returns */
};

enum { MODEL_ALL = -1, MODEL_SELF = -2 };

struct model_returns {
	uint32_t kinds;
	enum graph_rule graph;
	int from;              /* argument number, MODEL_ALL or MODEL_SELF */
	const char *class_name; /* result is an instance of this class, or NULL */
	bool view, large, scalar, concat, full_storage;
	bool accelerator, cpu;
	char indexed;          /* 'd': (values, indices) where a dimension is given; 'a': always; 'u': as unpacked pair */
	bool copies;           /* a new container with the argument's elements */
	bool iterates;         /* yields the argument's elements, with a number before each where `counted` */
	bool in_turn;          /* … of one argument after the other, not side by side */
	bool counted;
	bool fresh;            /* a copy with a storage of its own */
	bool reduces;          /* a scalar unless a dimension is given */
	bool folds;            /* adds up the argument's elements */
	bool spread;           /* the arguments again, as a tuple where there are several */
	const char *parts;     /* a tuple of instances of these classes, separated by spaces, or NULL */
	bool opaque;           /* a thing of which nothing is known until its use shows what it is */
	bool mode;             /* whether the receiver, a module, is in train mode */
	bool identity;         /* a number that tells which object the argument is */
	bool struct_loop;      /* iterating it is no time dimension: parameters, modules, items of one result */
};

enum effect_kind { EFFECT_STORE, EFFECT_RESET, EFFECT_POP, EFFECT_CONSUME, EFFECT_MODE, EFFECT_OPTIM_STEP, EFFECT_OPTIM_ZERO,
	EFFECT_FREEZE, EFFECT_LOG, EFFECT_GRAD, EFFECT_INPLACE, EFFECT_RUN, EFFECT_ESCAPE,
	EFFECT_VISIT };
enum store_op { STORE_APPEND, STORE_EXTEND, STORE_KEY, STORE_UPDATE, STORE_ASSIGN, STORE_ADD };

struct model_effect {
	enum effect_kind kind;
	int on;              /* the holder, consumed value, module…: argument number or MODEL_SELF */
	int value;           /* what is stored or logged: argument number or MODEL_ALL */
	enum store_op op;
	int key;             /* argument that is the key, or MODEL_ALL where there is none */
	const char *mode;    /* "train", "eval", "off", "on", "inference", "argument" */
};

enum { MODEL_EFFECTS = 4 };

struct model_rule {
	struct model_returns returns;
	struct model_effect effects[MODEL_EFFECTS];
	int effect_count;
	uint32_t proves;     /* calling this as a method shows that the receiver is of these kinds */
	uint32_t proves_alone; /* likewise, where nobody takes the result: what changes in place */
	uint32_t first;      /* kinds that the first argument must be for the call to count as consuming it, 0: any */
	bool prefix;         /* knows a whole family of names, such as torch.* */
	bool direct;         /* of them only those without a further dot: not what submodules hold */
	int unless_at;       /* its position, create_graph behind it; -1: only by name */
	const char *unless;  /* keyword that, when literally True, keeps the saved tensors ("retain_graph") */
	const char *mark;    /* what a rule may look for: "releases-cache", "debug", "debug(0)" with a flag; or NULL */
	const char *hook;    /* kind of hook that the first argument becomes: "forward", "pre", "backward", "backward-pre", "gradient" */
	const char *binds;   /* what becomes of the arguments: "attribute", "attributes", "parameters", "arguments", "exception", "fields", "replace"; or NULL */
};

struct model_hook {
	const char *loops[4]; /* "epoch", "step", "call" */
	int loop_count;
	const char *grad;     /* "off", "on" or NULL */
	bool consumes_return;
};

struct model_class {
	const char *name;
	const char *base;     /* dotted name, or NULL */
	const struct model_class *parent; /* what is known of the base, or NULL */
	uint32_t kinds;       /* of an instance */
	const char *role;     /* as written: "list", "module", … or NULL */
	struct map methods;   /* name → struct model_rule */
	struct map hooks;     /* name → struct model_hook */
	struct map fields;    /* attribute → struct model_rule, of which only returns counts */
	struct model_rule *call; /* calling an instance, or NULL */
	struct model_rule *made; /* what the constructor does with its arguments, or NULL */
	bool threads;         /* runs threads of its own until it is closed */
	bool record;          /* the constructor's named arguments become attributes */
	bool wraps;           /* hands its arguments to a module given to it: DataParallel and the like */
	const char *bound;    /* keyword that bounds it ("maxlen"), or NULL */
};

struct model {
	struct arena arena;
	struct map calls;     /* dotted name → struct model_rule */
	struct map call_prefixes; /* "torch.nn.functional." → struct model_rule */
	struct map classes;
	struct map class_prefixes;
	const struct model_class *tensor, *dict; /* of all classes those that are asked for most */
	struct map methods;   /* of any receiver */
	struct map imports;   /* first part of a dotted name that makes a file worth reading */
	struct map aliases;   /* dotted name → canonical dotted name */
	struct map steps;     /* functions and methods that somebody out of sight calls in each step → struct model_hook */
	const char *module_name_pattern; /* PCRE2, or NULL */
};

/* Knowledge beside the built-in one. */
struct model_extra {
	const char *folder;    /* whose JSON files are read, or NULL */
	const char *text;      /* one more such file as text, read last, or NULL */
	const char *text_name; /* what messages call it */
};

/* Loads the embedded files and then EXTRA (may be NULL). */
bool model_init(struct model *model, const struct model_extra *extra, struct err *err);
void model_release(struct model *model);

/* What calling DOTTED does, or NULL where nothing is known. An exact name wins over a "prefix.*", a longer prefix over
 * a shorter one. */
const struct model_rule *model_call(const struct model *model, const char *dotted);
/* The grad mode of the context that RULE (may be NULL) makes, as written: "off", …; NULL where it makes none. */
const char *model_grad_mode(const struct model_rule *rule);
const struct model_class *model_class_get(const struct model *model, const char *dotted);
/* The method of CLASS (may be NULL) or of its bases. */
const struct model_rule *model_method(const struct model *model, const struct model_class *class, struct str name);
const struct model_rule *model_field(const struct model *model, const struct model_class *class, struct str name);
/* The method that any receiver may have. */
const struct model_rule *model_any_method(const struct model *model, struct str name);
const struct model_hook *model_hook_get(const struct model *model, const struct model_class *class, struct str name);
/* The hook that a function or method of that name is, whatever its class: it runs once a step; or NULL. */
const struct model_hook *model_step_get(const struct model *model, struct str name);
const struct model_rule *model_instance_call(const struct model *model, const struct model_class *class);
/* "torch.nn.Module" for "torch.nn.modules.module.Module": the name that entries use; DOTTED itself where none. */
const char *model_canonical(const struct model *model, const char *dotted);
/* Whether CLASS is DOTTED or derives from it. */
bool model_class_is(const struct model *model, const struct model_class *class, const char *dotted);

#endif
