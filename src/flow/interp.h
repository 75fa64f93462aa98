/* The abstract interpreter: walks definitions and records events.
 *
 * One interpreter belongs to one file on one thread; all it makes lives in the
 * arena it was given. The functions here are shared by the parts of the
 * interpreter (state, object, eval, exec, call, class, apply); the way in is flow/analysis. */
#ifndef VRAMLINT_FLOW_INTERP_H
#define VRAMLINT_FLOW_INTERP_H

#include "base/map.h"
#include "base/vec.h"
#include "flow/ir.h"
#include "flow/model.h"
#include "flow/proof.h"
#include "flow/unit.h"
#include "flow/value.h"

/* ---- where: loops and calls ---- */

enum loop_form { LOOP_FOR, LOOP_WHILE, LOOP_COMPREHENSION, LOOP_VIRTUAL };

struct loop {
	struct loop *outer;
	uint32_t depth;      /* 1 for an outermost loop */
	uint32_t id;
	const void *node;    /* its statement, clause, or definition where virtual */
	struct call *call;   /* the chain of calls it runs in */
	struct def *def;     /* the definition it stands in */
	struct span span;    /* its first line */
	enum loop_form form;
	const char *virtual_name; /* "step", "epoch" or "call" of a virtual loop */
	int64_t size;        /* how often it runs, 0 where that is unknown */
	struct str variable; /* the name it assigns, where it is one name */
	const struct expr *target; /* what it assigns, or NULL */
	uint32_t covers[2];  /* objects of which it goes over every element or key once: a container and what that was made from; or 0 */
	struct value *converted[2]; /* what all that they hold has become in its place, or NULL */
	bool is_struct;      /* iterates over parts, not over time */
	bool never_empty;    /* … which are parameters: there are some */
	bool is_range;       /* … because it has few elements, which an optimizer step inside outweighs */
	bool in_forward;     /* inside a module's forward: a part of a step */
	bool in_module;      /* inside another method of a module: the same, unless it evaluates */
	bool retry;          /* its body is a try that leaves on success */
	bool hook;           /* virtual: a hook runs whenever a module out of sight is called */
	struct head_list *head; /* what the last walk found at its back edge */
	VEC(struct object *) born; /* objects made in it and in no loop inside */
};

struct call {
	struct call *outer;
	uint32_t depth;
	uint32_t id;
	const struct expr *node; /* the call expression; NULL for the analysis' own calls */
	struct span span;
	struct def *caller;      /* the definition the call stands in */
	struct def *callee;
	uint32_t self;           /* object whose method was called, or 0 */
	struct loop *path;       /* loops around the call */
};

/* ---- sites ---- */

enum site_kind {
	SITE_FORWARD,   /* a module, or what may be one, was called */
	SITE_CALL,      /* an unresolved function was called */
	SITE_ELEMENT,   /* one part of the result of another site */
	SITE_INPUT,     /* a parameter or attribute of unknown content */
	SITE_LEAF,      /* parameters of a module, tensors made to require grad */
	SITE_DERIVED,   /* a recorded result that got a name */
	SITE_OBJECT,    /* a holder, or an attribute: read from it */
	SITE_GRADIENT,  /* a parameter's gradient that backward may have recorded: create_graph */
	SITE_CARRY      /* a name, slot or attribute at the head of a loop */
};

struct site {
	uint32_t id;
	enum site_kind kind;
	const void *node;
	struct call *call;
	struct loop *path;
	struct def *def;
	struct span span;
	struct str name;        /* of the callee, parameter or variable */
	uint32_t object;        /* callee or holder, 0 where none */
	uint32_t parent;        /* site of which it is an element */
	uint32_t position;
	uint32_t cell;          /* of SITE_CARRY */
	struct loop *loop;      /* of SITE_CARRY */
	struct origin_set *inputs; /* of what it was made from */
	enum proof proof;       /* that it carries a graph, known when it was made */
	bool module_given;      /* something used as a module was among the arguments */
	bool plain_function;    /* the callee is a named function of another file */
	bool grad_off;          /* made while grad was off: it carries no graph */
	bool scalar;            /* scalar arithmetic made it */
	int8_t mode;            /* of the module called: 1 train, 0 eval, -1 unknown */
	bool frozen;
	uint32_t cond;          /* mask of path depths at which a condition was open */
};

/* ---- objects ---- */

struct slot {
	struct str name;
	uint32_t cell;
};

/* How a holder was last kept in another one. */
struct keeping {
	uint32_t holder;
	enum store_op op;
	bool has_key;
	bool each_key; /* a new one for each key, whenever it was made */
	struct value key;
	struct loop *path;
};

struct lazy;

struct object {
	uint32_t id;
	uint32_t kinds;
	uint32_t proved;         /* kinds that its use proves */
	const struct model_class *library;
	struct def *class_def;   /* of an instance or of the class itself */
	const void *node;
	struct call *call;
	uint32_t covers;         /* object of which it has or yields every element, or key, once; or 0 */
	uint32_t applied;        /* of a class of autograd functions: bits of the arguments that were tensors where it was applied */
	uint32_t setter;         /* of a property: the function object that sets it, or 0 */
	uint32_t twin_of;        /* object of which it is a deep copy, or 0 */
	struct loop *birth;      /* path at its birth */
	struct def *def;         /* definition it was born in */
	struct span span;
	struct str name;         /* how a person would call it: "losses", "self.outs" */
	uint32_t owner;          /* object that has it as attribute, or 0 */
	VEC(struct slot) slots;
	uint32_t rest;           /* cell that joins elements without a slot of their own, 0 until needed */
	uint32_t site;           /* its SITE_OBJECT, 0 until needed */
	bool grad_read;          /* somebody looks at its parameters' gradients, or at its own */
	bool is_module;          /* another file of the project; `node` is its unit, `scope` its names */
	bool opaque;             /* an instance of a class out of sight: what its methods keep is unknown */
	bool fresh;              /* an element of an unknown iterable: another one in each iteration */
	bool input;              /* of unknown content: a parameter or an attribute nobody assigns */
	bool literal;            /* a display or constant range of few elements */
	bool few;                /* a generator that yields a few times */
	bool range;              /* counts */
	int64_t size;            /* how many elements it has, 0 where that is unknown */
	bool repeated;           /* [x] * n: the same elements over and over */
	struct span filled;      /* where so many were added, if not where it was made */
	bool looked_up;          /* somebody asks whether a key is in it */
	uint32_t viewed;         /* object whose attributes it shows: __dict__ and vars(), or 0 */
	struct value *factory;   /* what makes the element of a key that is missing, or NULL */
	bool any_key;            /* … and it was asked for keys that are not known */
	struct keeping *kept;    /* or NULL */
	uint32_t guarded;        /* open conditions that bound its length */
	bool bounded;            /* keeps at most a fixed number of elements */
	bool iterator;           /* enumerate, zip and the like */
	bool reborn;             /* the same place made it again in a later iteration */
	struct loop *made_in;    /* loop of the generator expression that it is */
	struct lazy *lazy;       /* of an iterator that does its work where it is consumed, or NULL */
	uint32_t seen;           /* stamp of the last search that reached it */
	uint32_t homes;          /* names and slots that have held it */
	uint32_t local_homes;    /* … of which so many are names of functions */
	uint32_t last_home;
	/* functions */
	struct def *function;    /* of a function or generator */
	struct scope *scope;     /* closure, or scope of a class */
	uint32_t self;           /* receiver of a bound method, 0 where none */
	struct value receiver;   /* of a library method that was read but not called */
	struct str method;
	bool is_class_method, is_static, is_property;
	const char *library_function; /* dotted name of a bound library function */
	const struct model_returns *makes; /* of what makes records: what they are, or NULL */
	struct str *fields;                /* … and the names of their fields */
	uint32_t field_count;
	struct span cached;      /* the decorator that keeps results by arguments, empty: none */
	struct args *bound_args; /* of partial and generators */
	/* grad contexts */
	const char *grad_mode;   /* "off", "on", "inference" or "argument" */
	struct value grad_argument;
	bool parameters_of;      /* an iterator over parameters of its receiver */
};

/* ---- state ---- */

struct cell {
	struct value value;
	struct str name;
	uint32_t object;     /* whose slot it is, 0 for a variable */
	struct def *def;     /* whose variable it is */
	struct call *call;   /* of the frame whose variable it is */
	uint32_t site;       /* stands for what is read from it, where it keeps a tensor for others to read; else 0 */
	bool chained;        /* it was computed from its own old value */
	bool outlives;       /* an inner function may read or set it once the frame is gone */
	uint32_t stamp;      /* scratch of joins */
	uint32_t join_count;
	struct value join_value;
};

struct undo {
	uint32_t cell;
	struct value old;
};

struct cell_value {
	uint32_t cell;
	struct value value;
};

struct delta {
	struct cell_value *items;
	uint32_t count;
	struct delta *next;
};

struct head_list {
	struct cell_value *items;
	uint32_t *carries; /* site of each item, 0 until needed */
	bool *lost;        /* of an object that nothing at the loop's head leads to */
	uint32_t count, room;
};

struct scope {
	struct def *def;
	struct call *call;
	struct scope *parent;
	uint32_t first_cell;
	uint32_t class_object; /* of a class body */
};

struct loop_frame {
	struct loop_frame *outer;
	struct loop *loop;
	uint32_t mark;
	struct delta *breaks, *continues;
	int grad_depth; /* with-blocks open around the loop */
};

/* A with-block whose context is a generator of the project. */
struct with_block {
	const struct stmt *stmt;
	uint32_t next;          /* number of the context behind this one */
	const struct with_item *item;
	struct frame *frame;    /* that the block belongs to */
	struct loop *path;
	struct call *call;
	struct value grad;      /* the grad mode around it */
	bool ran, alive;
};

struct frame {
	struct frame *caller;
	struct def *def;
	struct scope *scope;
	struct call *call;
	struct value result;      /* joined over returns */
	struct value yielded;
	bool yields_grad_off;
	bool yields_many;         /* a yield stands in a loop over time */
	struct object *parts;     /* gets what is yielded in its places, as long as these are known; or NULL */
	uint32_t yield_count;
	uint32_t conditions;      /* open at entry */
	struct delta *exits;      /* states at returns */
	uint32_t entry;           /* mark at entry */
	struct loop_frame *loops;
	uint32_t self;            /* object of the first parameter of a method, or 0 */
	struct def *in_class;     /* class whose method this is, or NULL */
	int handler_depth;
	bool grad_block;          /* inside a with-block that sets the grad mode */
	struct value grads[8];    /* grad modes around the with-blocks that are open, outermost first */
	int grad_depth;
	bool grad_decorated;      /* the grad mode came from a decorator, which a yield leaves */
	struct with_block *block; /* of a context manager: what runs where it yields, or NULL */
	int final_depth;          /* try statements with a finally that are open */
	uint32_t switched_off;    /* 1 + the event that switched grad off by statement, 0: none, or it is on again */
	uint32_t evals[4];        /* 1 + events that switched modules to eval mode */
};

/* ---- events ---- */

enum event_kind {
	EVENT_STORE,      /* a value kept in a holder */
	EVENT_ACCUMULATE, /* a name or slot gets a value computed from its own old one */
	EVENT_ASSIGN,     /* an attribute, slot or outer name gets a value */
	EVENT_RESET,      /* a holder is emptied, or gives one element back (popped) */
	EVENT_CONSUME,    /* backward, or an optimizer that needs the value */
	EVENT_ESCAPE,     /* handed to somebody we do not see */
	EVENT_RETURN,     /* left a function nobody in sight calls */
	EVENT_FORWARD,    /* a module was called */
	EVENT_CONVERT,    /* .item(), float() and the like */
	EVENT_LOG,        /* handed to a logger, printer, tracker, progress bar */
	EVENT_GRAD_CONTEXT, /* a grad mode made and dropped, or switched by statement */
	EVENT_YIELD,      /* inside a block that sets the grad mode */
	EVENT_MODE,       /* train() or eval() */
	EVENT_MADE,       /* an optimizer, a loader or something with threads of its own was made */
	EVENT_STEP,       /* an optimizer stepped */
	EVENT_ZERO,       /* gradients are zeroed, or may be: something unresolved got the optimizer or module */
	EVENT_MARK,       /* a call that library data marks */
	EVENT_RETRY       /* a call in a block that handles running out of memory, and that runs a forward */
};

/* An except block that is being run. */
struct handling {
	struct handling *outer;
	struct frame *frame;
	struct span span;     /* what it catches */
	uint32_t exception;   /* object */
	bool recursed;        /* the function of the block was called from it again, which isn't walked */
};

/* A function that was registered as a hook. */
struct hooked {
	uint32_t module;       /* object it was registered on, or whose parameters it was */
	uint32_t handle;       /* object */
	struct value function;
	const char *kind;      /* "forward", "pre", "backward", "backward-pre" or "gradient" */
	const struct expr *node; /* the call that registered it */
	bool ran;              /* a call of the module was seen since */
	bool removed;          /* … or of the handle's remove() */
};

enum grad_mode { GRAD_ON, GRAD_OFF, GRAD_INFERENCE, GRAD_UNKNOWN, GRAD_BOTH };

struct event {
	enum event_kind kind;
	struct span node;       /* the syntax that did it: joined with the captures of queries */
	struct def *def;
	struct loop *path;
	struct call *call;
	uint32_t order;         /* position in time within a root */
	uint32_t cond;          /* mask of path depths at which a condition was open */
	uint32_t rare;          /* … other than one that holds every so many times */
	struct value value;
	struct origin_set *origins; /* of the value and, for a container, of all in it */
	uint32_t holder;        /* object, or 0 */
	uint32_t cell;          /* of an accumulation or assignment */
	struct loop *carries[4]; /* loops over which an accumulation chains, innermost first */
	uint8_t carry_count;
	enum store_op op;
	struct value key;
	bool has_key;
	bool retains;           /* the consumption keeps the saved tensors */
	struct origin_set *stops; /* of a walk that ends at given inputs: where these come from; what lies before stays whole */
	bool creates;           /* … and records the gradients: create_graph */
	bool wants_grads;       /* autograd.grad, not backward */
	bool only_inputs;       /* … or backward that fills the gradients of the given inputs only, `stops` */
	bool tensor;            /* the value, or something in it, is surely a tensor */
	const struct expr *target; /* of a store by an assignment: what it is written to */
	bool undone;              /* of a store: the same iteration puts something plain in its place */
	const struct block *side; /* of the innermost branch that it stands in, or NULL */
	struct loop *last_in;   /* the loop that the branch it stands in leaves: there it happens once */
	bool left;              /* a return leaves the function with the mode still switched */
	bool lasts;             /* grad is still switched off by it when the function that nobody in sight calls, or the file, ends */
	bool tensor_result;     /* of a call whose result is kept: that may be a tensor */
	bool handed;            /* the flag that says so came in as an argument of the function */
	bool keeps_grads;       /* zeroed in place: set_to_none=False */
	bool in_place;          /* … or by hand, p.grad.zero_(): what the gradient was computed from stays with it */
	const char *mark;
	uint32_t block_end;     /* of a mark that is the context of a block: order at its end */
	bool popped;            /* the reset gives back one element */
	bool detaches;          /* it takes the graph from its value, in place */
	bool in_handler;
	bool linked;            /* an accumulation whose new value holds the old one */
	bool in_hook;           /* done by a function that was registered as a hook */
	struct span caught;     /* of a retry, or of an exception that is kept: the clause that caught it */
	bool rebuilt;           /* an accumulation that joins containers or tensors end to end */
	bool through_module;    /* an accumulation whose chain goes through a call */
	bool selects;           /* the old value or the new, not both: best so far */
	bool grad_dropped;      /* a grad context made and not entered */
	bool bounded;
	bool inference_input;   /* a forward, recorded, of what was made in inference mode */
	enum grad_mode grad;
	struct origin_set *grad_from; /* the statements that switched grad off and may be why it is as it is */
	int mode;               /* module mode: 1 train, 0 eval, -1 unknown */
	uint32_t objects[VALUE_OBJECTS]; /* modules of a forward, optimizers of a step */
	uint8_t object_count;
	struct str name;        /* of the holder, callee or variable, as written */
	struct site *site;      /* of a forward */
	uint32_t root;          /* number of the root walk it belongs to */
	uint32_t frozen;
};

struct args {
	struct value *values;
	struct str *names;       /* empty: positional */
	const struct expr **nodes;
	uint32_t count;
	bool more;               /* a starred argument of unknown length was given */
};

struct root {
	struct def *def;
	uint32_t id;
	size_t first_event, end_event;
	bool callers_known;
};

/* What is made once per place: the same syntax in the same chain of calls is the same thing in every walk. */
struct place_key {
	const void *node;
	const void *within;
	uint32_t variant;
	char what; /* 'O' object, 'K' call, 'L' loop, 'C' carry, 'S' scope, 'G' gathered cells, 'D' class, 'U' copy, 'a'… sites */
};

struct place_entry {
	struct place_key place;
	void *value; /* NULL: free */
};

struct place_table {
	struct place_entry *entries;
	uint32_t room, count; /* room is a power of two, or 0 */
};

/* Another file of the project whose names were asked for. */
struct loaded {
	const struct unit *unit;
	struct scope *scope;
	struct object *module;
};

/* from … import *, in the file DEF. */
struct star {
	const struct def *def;
	const char *from, *dotted;
	bool looked_up;
	struct object *module; /* then what it is, or NULL */
};

struct interp {
	const struct model *model;
	const struct unit_source *units; /* or NULL */
	const char *path_name;           /* of the file, as imports are looked up from; or NULL */
	VEC(struct loaded *) loaded;
	VEC(struct star) stars;
	uint32_t loaded_bytes;
	int import_depth;
	struct arena *arena;
	struct arena scratch; /* states at branches, until the root is walked */
	struct str text;
	struct origin_table origins;
	VEC(struct cell) cells;
	VEC(struct undo) log;
	VEC(struct object *) objects; /* [0] is unused */
	VEC(struct site *) sites;     /* [0] is unused */
	VEC(struct loop *) loops;
	VEC(struct call *) calls;
	VEC(struct event) events;
	VEC(struct root) roots;
	struct place_table places;
	uint32_t *first_child, *next_child; /* by def index: 1 + index of a definition inside, of the next beside */
	struct def *module;
	struct scope *module_scope;
	bool *visited;             /* by def index: was walked as part of a root */
	uint32_t def_count;
	struct def **defs;
	struct frame *frame;
	struct loop *path;
	struct call *call;
	uint32_t cond_open[64];    /* conditions open at each path depth */
	uint32_t periods_open[64]; /* … of which so many ask for a remainder */
	bool trial;                /* a loop around is walked for the first time: its events will be dropped */
	uint32_t stamp;
	bool records_gradients;    /* some backward does: create_graph */
	uint32_t grad_cell;
	uint32_t grad_found;       /* site that stands for the grad mode as a root found it */
	int64_t budget;            /* expressions that may still be evaluated */
	int64_t away_budget;       /* … of which so many in other files */
	bool partial;              /* the budget ran out or something overflowed */
	uint32_t order;
	uint32_t root;
	struct object **functions; /* by def index: the object its definition last made */
	struct str compared[8];    /* names that an open `if a < b` compares */
	uint32_t compared_count;
	int module_depth;          /* methods of project modules entered */
	struct loop *module_path;  /* loops around the outermost of them */
	int forward_depth;         /* forward methods of modules entered */
	int method_depth;          /* any methods of modules entered */
	const void *anchor;        /* stands for "no call" in keys, one a root */
	const void *copy;          /* tells apart what the same code makes several times: copy_of(), or NULL */
	uint32_t forward_count, recorded_count; /* forwards seen so far, and those with grad surely on */
	int eval_depth;
	int lazy_depth;            /* iterators that are asked for an element */
	struct handling *handling; /* innermost block that handles running out of memory around a forward */
	bool catches;              /* there was one */
	bool has_star;             /* all names of some file are imported: what has no other meaning comes from there */
	bool leaf_grads_read;      /* somebody looks at the gradient of something that is no parameter of a module */
	bool resets_unknown;       /* reset() was called on something unknown: it may be any metric */
	VEC(struct hooked) hooked;
	int hook_depth;            /* hooks that are being run */
	const struct map *asked;   /* what methods are called of things of that name, as in struct lower; or NULL */
	struct str naming;         /* the name that the assignment at hand gives to its value */
	const struct frame *naming_frame; /* … which this frame runs */
	const struct def *watched; /* a function whose grad mode is asked for, as its decorators call it; or NULL */
	enum grad_mode watched_mode;
	const struct block *side;  /* of the innermost branch that is being run, or NULL */
	const struct expr *statement_value; /* the expression that is a whole statement */
	bool lazy_birth;           /* under `if x is None`: what is made here is made once */
	struct loop *lazy_path;
	struct str lazy_name;      /* x */
};

/* state.c */
uint32_t cell_new(struct interp *in, struct str name, uint32_t object, struct def *def);
struct value cell_get(struct interp *in, uint32_t cell);
void cell_set(struct interp *in, uint32_t cell, struct value value);
uint32_t state_mark(const struct interp *in);
void state_undo(struct interp *in, uint32_t mark);
struct delta *state_delta(struct interp *in, uint32_t mark, struct delta *next);
/* Undoes to MARK, then applies the join of DELTAS (and, with WITH_ENTRY, of the state at MARK). */
void state_join(struct interp *in, uint32_t mark, const struct delta *deltas, bool with_entry);
/* As state_join, without the variables of the frame that ends here. */
void state_leave(struct interp *in, uint32_t mark, const struct delta *deltas, const struct call *frame);

/* object.c */
void *place_get(const struct interp *in, const struct place_key *place);
void place_put(struct interp *in, const struct place_key *place, void *value); /* VALUE is not NULL */
struct object *object_get(struct interp *in, uint32_t id);
struct object *object_new(struct interp *in, const void *node, uint32_t variant, uint32_t kinds, struct span span);
/* What stands for copy VARIANT of what OF makes here, as `copy` of the interpreter. */
const void *copy_of(struct interp *in, const void *of, uint32_t variant);
/* The object that object_new would make anew, as it is. */
struct object *object_peek(struct interp *in, const void *node, uint32_t variant, uint32_t kinds, struct span span);
struct value object_value(struct interp *in, struct object *object);
uint32_t object_slot(struct interp *in, struct object *object, struct str name, bool create); /* cell or 0 */
uint32_t object_rest(struct interp *in, struct object *object);
uint32_t object_site(struct interp *in, struct object *object);
struct value object_elements(struct interp *in, struct object *object); /* joined */
void object_prove(struct interp *in, const struct value *value, uint32_t kinds);
struct object *input_object(struct interp *in, const void *node, uint32_t variant, struct str name, struct span span);
struct value input_value(struct interp *in, const void *node, uint32_t variant, struct str name, struct span span);
struct site *site_new(struct interp *in, enum site_kind kind, const void *node, uint32_t variant, struct span span);
struct loop *loop_enter(struct interp *in, const void *node, enum loop_form form, struct span span);
struct call *call_enter(struct interp *in, const struct expr *node, struct def *callee, struct span span);
/* Origins of VALUE and of all that is kept in it. */
struct origin_set *deep_origins(struct interp *in, const struct value *value);
/* As deep_origins, with those of what was formatted into text. */
struct origin_set *formatted_origins(struct interp *in, const struct value *value);
struct event *event_add(struct interp *in, enum event_kind kind, struct span node);
/* Empties all slots: what the object held is gone. */
void clear_slots(struct interp *in, struct object *object);
/* Makes INTO the function that FROM is, but for its defaults. */
void copy_function(struct object *into, const struct object *from);
/* … with its defaults. */
void alias_function(struct object *into, const struct object *from);
/* Gives INTO what FROM has under names. */
void copy_slots(struct interp *in, struct object *into, const struct object *from);
/* The cell of the slot at I or, where I is the number of slots, of the rest; may be 0. */
static inline uint32_t object_cell(const struct object *object, size_t i)
{
	return i < object->slots.count ? object->slots.items[i].cell : object->rest;
}
/* Whether a slot of HOLDER, or its rest, has OBJECT. */
bool object_holds(struct interp *in, const struct object *holder, uint32_t object);
/* OBJECT is emptied or, where POPPED, gives back one element. */
void reset_object(struct interp *in, struct object *object, bool popped, struct span node);
/* What was written at SPAN. */
struct str source_text(const struct interp *in, struct span span);
void event_value(struct interp *in, struct event *event, const struct value *value);
bool loop_within(const struct loop *path, const struct loop *loop); /* whether LOOP is PATH or around it */
const struct loop *common_path(const struct loop *a, const struct loop *b); /* the innermost loop around both, or NULL */
struct value value_with_origins(struct value value, struct origin_set *origins);
struct value value_add_origins(struct interp *in, struct value value, struct origin_set *origins);
struct value tag_value(struct interp *in, struct value value, enum origin_tag tag);
int object_mode(struct interp *in, struct object *object); /* 1 train, 0 eval, -1 unknown */
void set_mode(struct interp *in, struct object *object, struct str slot, int64_t mode);
int hidden_number(struct interp *in, struct object *object, struct str slot);

/* The site of CELL's carry over LOOP if a walk has made one, else 0. */
uint32_t carry_known(const struct interp *in, const struct loop *loop, uint32_t cell);
struct site *carry_site(struct interp *in, struct loop *loop, uint32_t cell);

/* eval.c */
struct value eval(struct interp *in, const struct expr *e);
enum grad_mode grad_now(struct interp *in);
bool grad_is_off(struct interp *in);
void grad_set(struct interp *in, enum grad_mode mode);
/* The grad mode is as it is because of the site FROM. */
void grad_because(struct interp *in, uint32_t from);
struct value element_of(struct interp *in, const struct value *value, const struct expr *node);
/* Whether OBJECT is a dictionary, not an iterator over one. */
bool is_dict(struct interp *in, const struct object *object);
/* What iterating VALUE yields where that is a dictionary: its keys. False where it is something else. */
bool dict_keys(struct interp *in, const struct value *value, struct value *key);
/* As element_of, but generators are run and iterators of the project asked. Sets *GRAD_OFF where one yields with grad off. */
struct value next_element(struct interp *in, const struct value *iterable, const struct expr *node, bool *grad_off);
struct value element_at(struct interp *in, const struct value *value, uint32_t position, const struct expr *node);
struct value combine(struct interp *in, const struct value *values, uint32_t count, struct span made); /* recorded op */
struct value read_attribute(struct interp *in, const struct value *object, struct str name, const struct expr *node);
struct value read_item(struct interp *in, const struct value *object, const struct value *key, const struct expr *node);
uint32_t lookup_cell(struct interp *in, struct str name);

/* assign.c: keeping values in names, slots and holders */
void exec_augment(struct interp *in, const struct stmt *s);
/* The containers that CELL held and does not hold any more, with NEXT, are let go unless something else has them. */
/* The innermost loop around here whose iterations each make another VALUE, or NULL. */
struct loop *made_over(const struct interp *in, const struct value *value);
/* Where VALUE may tie to what its name held before: of a container made in the loop around here, all it holds counts. */
const struct origin_set *tied_origins(struct interp *in, const struct value *value);
/* Whether VALUE may be something else than the objects it has, a result of which nothing is known. */
bool is_more_than_objects(struct interp *in, const struct value *value);
/* Whether VALUE surely is a tensor or holds one, not deeper than DEPTH. */
bool holds_tensor(struct interp *in, const struct value *value, int depth);
void let_go(struct interp *in, uint32_t cell, const struct value *next, struct span node);

/* inplace.c */
/* The container of which ITERABLE yields every element or key once; 0: none. */
uint32_t container_covered(struct interp *in, const struct value *iterable);
/* LOOP goes over ITERABLE, which NODE says: notes what it covers. */
void note_covered(struct interp *in, struct loop *loop, const struct value *iterable, const struct expr *node);
/* TARGET, an item of HOLDER, became VALUE at event FIRST: where it is plain, what was stored there before it in
 * the same iteration is gone. */
void note_replaced(struct interp *in, const struct object *holder, const struct expr *target, const struct value *value,
		   size_t first);
/* LOOP is over: what it has converted holds nothing else. */
void convert_covered(struct interp *in, const struct loop *loop);
/* Whether E, a comprehension, makes a dictionary with just the keys of what it goes over. */
bool keeps_keys(const struct expr *e);
/* HOLDER[KEY] became VALUE: where a loop goes over all its keys, at its end nothing else is in it. */
void note_conversion(struct interp *in, const struct object *holder, const struct expr *key, const struct value *value);
/* All that OBJECT holds has become VALUE. */
void convert_all(struct interp *in, struct object *object, const struct value *value);
/* What lay in the dictionary OWNER under KEY, which may be NULL, is gone. */
void drop_item(struct interp *in, const struct value *owner, const struct value *key);
/* What PLACE says has itself become VALUE. */
void change_in_place(struct interp *in, const struct expr *place, const struct value *value);

/* loop.c */
bool exec_for(struct interp *in, const struct stmt *s);
bool exec_while(struct interp *in, const struct stmt *s);
/* What the generator expression E gives for an element of ITERABLE, what its first clause goes over. */
struct value comprehension_next(struct interp *in, const struct expr *e, const struct value *iterable, bool *grad_off);

/* branch.c */
bool exec_if(struct interp *in, const struct stmt *s);
bool exec_match(struct interp *in, const struct stmt *s);
bool exec_try(struct interp *in, const struct stmt *s);
/* The call NODE was run since event FIRST, when so many forwards had been RECORDED: notes it where it retries what ran out of memory. */
void note_retry(struct interp *in, struct span node, size_t first, uint32_t recorded);
/* What in VALUE is an exception that holds the frames of a forward, or NULL. */
const struct object *kept_exception(struct interp *in, const struct value *value, int depth);
/* 1 and 0 where the test E is a literal, a parameter that the call at hand has set, or a module's known mode; else -1. */
int known_truth(struct interp *in, const struct expr *e);
int literal_truth(const struct expr *e); /* … of a literal */

/* exec.c */
bool exec_block(struct interp *in, const struct block *block); /* false: control left it */
void assign_target(struct interp *in, const struct expr *target, struct value value, struct span node);
typedef bool loop_body(struct interp *in, struct loop *loop, void *context);
/* Walks a loop until its head is stable, at most three times; only the last walk's events stay. */
void run_loop(struct interp *in, struct loop *loop, loop_body *body, void *context, bool may_skip);
/* Makes what the test E says hold of the names in it, where it came out as TRUTH. */
void narrow(struct interp *in, const struct expr *e, bool truth);
/* What may be called is one of several: each is run from the same state, and what they left is joined. */
struct sides {
	bool several;
	uint32_t mark;
	struct delta *ends;
};
struct sides sides_begin(struct interp *in, uint32_t count);
void side_begin(struct interp *in, struct sides *sides);
void side_end(struct interp *in, struct sides *sides);
void sides_end(struct interp *in, struct sides *sides);
void cond_push(struct interp *in);
void cond_pop(struct interp *in);
void add_element(struct interp *in, struct object *object, struct value value);
struct value run_comprehension(struct interp *in, const struct expr *e);
void store_into(struct interp *in, uint32_t holder, enum store_op op, const struct value *key, struct value value,
		struct span node, struct str name);
/* HOLDER has VALUE, under KEY where that is not NULL: what VALUE gets from now on, HOLDER keeps too. With EACH_KEY it is
 * another one for each key. */
void note_keeping(struct interp *in, const struct object *holder, enum store_op op, const struct value *key,
		  const struct value *value, bool each_key);
/* Puts VALUE into a slot of a new holder; reports a chain as assign_cell does. */
void fill_cell(struct interp *in, uint32_t cell, struct value value, struct span node, struct str name, bool weak);
/* An in-place write of VALUE to the tensor that BASE names. */
void write_tensor(struct interp *in, const struct expr *base, const struct value *old, const struct value *value,
		  struct span node);
void freeze(struct interp *in, struct object *object, const struct value *on);
/* The gradients of PARAMETERS, or of whatever that is, are set or dropped by hand; NULL where it has none. */
struct event *note_zeroed(struct interp *in, const struct value *parameters, struct span node);
/* Whether iterating the value goes over parts, not over time. */
bool is_parts(struct interp *in, const struct value *iterable, bool *range);
/* OBJECT.ATTRIBUTE = VALUE; NAME is what is written there. */
void set_attribute(struct interp *in, const struct value *object, struct str attribute, struct str name, struct value value,
		   struct span node);
void assign_cell(struct interp *in, uint32_t cell, struct value value, struct span node, struct str name, bool outer);

/* read.c: elements, attributes and items */
/* What is in CELL, with the cell's own site among its origins where it has one. */
struct value read_kept(struct interp *in, uint32_t cell);
struct value library_value(struct interp *in, const char *dotted, struct span made);
struct str position_name(struct interp *in, uint32_t position); /* "0", "1", … */
/* The slot that a constant KEY names, or an empty slice with NULL. */
struct str key_name(struct interp *in, const struct value *key);

/* lazy.c: iterators that do their work where they are consumed */
/* Whether VALUE is one generator, or something lazy, and nothing else. */
bool is_generator(struct interp *in, const struct value *value);
/* What the call NODE gives, which RULE describes: an iterator over the receiver and ARGS; no RULE: a generator expression. */
struct object *lazy_iterator(struct interp *in, const struct model_rule *rule, const struct value *receiver,
			     const struct args *args, const struct expr *node);
/* OBJECT, a progress bar, hands on what ARGS give, the first of which is a generator. */
void lazy_wrapper(struct interp *in, struct object *object, const struct args *args, const struct expr *node);
struct value lazy_next(struct interp *in, struct object *object, const struct expr *node, bool *grad_off);
/* All elements of the generator SOURCE, joined; what it makes itself in a loop of its own. */
struct value drain_generator(struct interp *in, struct object *source, const struct expr *node);
/* Puts all elements of the generator SOURCE into INTO, which is called NAME, as what stands at SPAN says. */
void drain_into(struct interp *in, struct object *source, struct object *into, struct span span, struct str name);
/* VALUE or, where it is lazy, a list of all that it gives. */
struct value drained(struct interp *in, const struct value *value, const struct expr *node);
/* reduce(f, xs, first) */
struct value reduced(struct interp *in, struct args *args, const struct expr *node);
/* VALUE or, where it is a generator, a tuple of all that it gives. */
struct value unpacked(struct interp *in, const struct value *value, const struct expr *node);

/* attribute.c: attributes by names that are computed, and as a dictionary */
/* getattr(x, "y", …) and setattr(x, "y", v). False where it is not known which attribute. */
bool named_attribute(struct interp *in, const struct model_rule *rule, struct args *args, const struct expr *node, struct value *out);
/* Whether all attributes that VALUE has were given to it in sight. */
bool has_plain_attributes(struct interp *in, const struct value *value);
/* What OBJECT was given under names that are not known; false where there is nothing. */
bool unnamed_attribute(struct interp *in, const struct object *object, struct value *held);
/* x.__dict__ where all that x has was given to it in sight. */
bool attributes_of(struct interp *in, struct object *object, struct value *out);
/* As store_into, into the __dict__ of OBJECT. */
void store_attribute(struct interp *in, uint32_t object, enum store_op op, const struct value *key, struct value value,
		     struct span node, struct str name);

/* missing.c: dictionaries that make what is missing */
/* HOLDER was given FACTORY; false where that makes nothing. */
bool factory_given(struct interp *in, struct object *holder, const struct value *factory);
/* Asks for KEY; true where *FOUND is all that can lie there. */
bool make_missing(struct interp *in, struct object *holder, const struct value *key, const struct expr *node, struct value *found);

/* call.c: what is called, and with which meaning */
struct value eval_call(struct interp *in, const struct expr *e);
struct value call_value(struct interp *in, const struct value *callee, struct args *args, const struct expr *node);
struct value call_method(struct interp *in, const struct value *receiver, struct str name, struct args *args,
			 const struct expr *node);
/* torch.no_grad()(f): FUNCTION, run in the mode of CONTEXT. */
struct value under_mode(struct interp *in, const struct object *context, const struct value *function, const struct expr *node);
/* The name by which the call NODE calls, or an empty one. */
struct str callee_name(struct interp *in, const struct expr *node);

/* run.c: definitions in sight */
struct value call_def(struct interp *in, struct object *function, uint32_t self, struct args *args, const struct expr *node);
struct value run_generator(struct interp *in, struct object *generator, const struct expr *node, bool *grad_off);
/* As run_generator: what is yielded first, second, … goes to these places of PARTS, where they are known. */
void run_parts(struct interp *in, struct object *generator, struct object *parts, const struct expr *node);
/* As run_generator for a context manager: BLOCK runs where it yields. */
void run_context(struct interp *in, struct object *generator, const struct expr *node, struct with_block *block);
/* Whether SET leads to what a module or recorded operation made, its graph not cut. */
bool any_recorded(struct interp *in, const struct origin_set *set);

/* args.c */
struct args *eval_args(struct interp *in, const struct expr *call); /* of the call's items but the first */
/* Room for so many arguments, until the root is walked. */
struct args *args_new(struct interp *in, uint32_t room);
/* ARGS for as long as the file's facts. */
struct args *args_keep(struct interp *in, const struct args *args);
void args_add(struct args *args, struct value value, struct str name, const struct expr *node);
const struct value *args_get(const struct args *args, uint32_t position, const char *name);

/* unresolved.c: what is not in sight */
struct value unknown_call(struct interp *in, const struct value *callee, struct str name, const struct value *receiver,
			  struct args *args, const struct expr *node, bool plain_function);
struct value forward_call(struct interp *in, struct object *module, const struct value *callee, struct args *args,
			  const struct expr *node);
/* Whether somewhere in the file methods are called of something called NAME that only modules have. */
bool used_as_module(const struct interp *in, struct str name);
/* What NODE makes: an object of which nothing is known. */
struct value opaque_instance(struct interp *in, struct str name, const struct expr *node);

/* apply.c: what library data says of a call */
/* What an iterator that RETURNS describes hands out, given ELEMENTS of what it goes over. */
struct value iterated(struct interp *in, const struct model_returns *returns, const struct value *elements, uint32_t count,
		      bool method, const struct expr *node);
struct value apply_rule(struct interp *in, const struct model_rule *rule, const struct value *receiver, struct args *args,
			const struct expr *node, struct str name);

/* A container among the operands of an operation stands for its elements, any other VALUE for itself. */
struct value operand(struct interp *in, const struct value *value, const struct expr *node);

/* effect.c */
/* Whether the keyword NAME is given as True. */
bool literally_true(const struct args *args, const char *name);
/* What RULE says that the call NODE does beside what it returns: EFFECT, one of its. */
void apply_effect(struct interp *in, const struct model_rule *rule, const struct model_effect *effect,
		  const struct value *receiver, struct args *args, const struct expr *node);

/* import.c */
/* Whether DOTTED may be a file of the project, and no library that models know. */
bool import_is_local(const struct interp *in, const char *dotted);
/* The file that the code at hand stands in. */
const char *import_from(const struct interp *in);
/* What DOTTED means in the file FROM; bottom where it is not the project's. */
struct value import_value(struct interp *in, const char *from, const char *dotted);
/* What is in CELL, an import that nobody has read yet looked up first. */
struct value import_cell(struct interp *in, uint32_t cell);
struct value import_member(struct interp *in, struct object *module, struct str name);
void import_all(struct interp *in, const char *dotted);
/* NAME where the code at hand, or the file MODULE, gets it from an import of all names; else bottom. */
struct value import_name(struct interp *in, struct str name);
struct value import_star(struct interp *in, const struct def *module, struct str name);
/* The other file that SPAN lies in, or NULL: the one that is reported on. */
const struct unit *unit_of(const struct interp *in, struct span span);
/* The line of UNIT that SPAN begins in. */
uint32_t unit_line(const struct unit *unit, struct span span);

/* The number of DEF in the file that is reported on; definitions of all others share the one behind the last. */
static inline uint32_t def_number(const struct interp *in, const struct def *def)
{
	return !def ? 0 : def->index & DEF_ELSEWHERE ? in->def_count : def->index;
}

/* hook.c */
/* register_forward_hook and the like: RULE says which kind; HANDLE is the result of the call NODE. */
void hook_register(struct interp *in, const struct model_rule *rule, const struct value *receiver, struct args *args,
		   const struct value *handle, const struct expr *node);
/* MODULE was called with ARGS and gave RESULT: runs the hooks on it and on its parts. */
void hooks_run(struct interp *in, struct object *module, const struct args *args, const struct value *result);
/* The optimizers in OPTIMIZER step: runs the hooks on that. */
void step_hooks_run(struct interp *in, const struct value *optimizer);
/* HANDLE, an object, was told to remove its hook. */
void hook_removed(struct interp *in, uint32_t handle);
/* Runs hook NUMBER as whoever calls its module out of sight will; false where it was run or removed already. */
bool hook_run_alone(struct interp *in, size_t number);

/* class.c */
struct class_info {
	struct def *def;
	struct object *object;
	struct scope *scope;
	struct def *bases[6];
	uint32_t base_count;
	const struct model_class *library;
	bool is_record;         /* dataclass or NamedTuple: the constructor follows the annotations */
	bool is_tuple;
	const struct object *maker; /* of the namedtuple that it derives from, or NULL */
	bool open;              /* a base is unknown */
};
struct class_info *class_define(struct interp *in, struct def *def);
struct class_info *class_find(struct interp *in, const struct def *def);
struct value class_instantiate(struct interp *in, struct class_info *class, struct args *args, const struct expr *node);
/* The member NAME of the class or of its project bases, those behind AFTER only where it is not NULL. */
bool class_member(struct interp *in, struct def *class_def, const struct def *after, struct str name, struct value *value);
struct object *class_method(struct interp *in, struct def *class_def, struct str name); /* or NULL */
const struct model_class *class_library_base(struct interp *in, struct def *class_def);

/* record.c: things with named fields that no class statement describes */
/* namedtuple("R", "a b"): what makes such records when it is called; RULE says what they are. */
struct value record_class(struct interp *in, const struct model_rule *rule, struct args *args, const struct expr *node);
struct value record_make(struct interp *in, struct object *maker, struct args *args, const struct expr *node);
void record_fill(struct interp *in, struct object *record, const struct object *maker, const struct args *args);
/* Gives RECORD the arguments that have names. */
void record_named(struct interp *in, struct object *record, const struct args *args);
/* A copy of one of RECORDS with other values of the fields that ARGS name. */
struct value record_replace(struct interp *in, const struct value *records, struct args *args, const struct expr *node);

/* context.c */
/* Runs the body of STMT inside its contexts, from number NEXT on; false where control left it. */
bool exec_with(struct interp *in, const struct stmt *stmt, uint32_t next);
/* The context manager that is being run yields VALUE: runs the block inside it. */
void run_with_block(struct interp *in, struct with_block *block, struct value value);
/* Whether TEXT, code or a name, has to do with grad modes. */
bool speaks_of_grad(struct str text);
void grad_enter(struct interp *in, const char *mode, const struct value *argument);
/* The state at a jump out of all with-blocks of the frame but the first KEPT, which leave the grad mode as it was. */
struct delta *delta_leaving(struct interp *in, uint32_t mark, struct delta *next, int kept);

#endif
