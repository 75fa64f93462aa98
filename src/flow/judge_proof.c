#include "flow/judging.h"

#include <string.h>

enum proof stronger(enum proof a, enum proof b)
{
	return a > b ? a : b;
}

enum proof weaker(enum proof a, enum proof b)
{
	return a < b ? a : b;
}

bool consumed(struct judging *j, uint32_t site, enum origin_tag loosest)
{
	return j->consumed_tag[site] <= (uint8_t)loosest;
}

bool walked(struct judging *j, uint32_t site)
{
	return consumed(j, site, ORIGIN_CALL) || j->consumed_parts[site];
}

static bool sibling_consumed(struct judging *j, const struct site *site)
{
	return j->consumed_parts[site->parent] > (consumed(j, site->id, ORIGIN_CALL) ? 1u : 0u);
}

static bool named_like_module(struct judging *j, struct str name)
{
	if (!j->module_names || !name.length)
		return false;
	const char *dot = NULL;
	for (size_t i = 0; i < name.length; i++)
		if (name.at[i] == '.')
			dot = name.at + i + 1;
	struct str last = dot ? (struct str){dot, (size_t)(name.at + name.length - dot)} : name;
	pcre2_match_data *match = pcre2_match_data_create(1, NULL);
	int rc = pcre2_match(j->module_names, (PCRE2_SPTR)last.at, last.length, 0, 0, match, NULL);
	pcre2_match_data_free(match);
	return rc >= 0;
}

enum proof module_proof(struct judging *j, const struct site *site)
{
	enum proof proof = site->proof;
	if (site->frozen)
		return PROOF_NONE;
	if (!site->object)
		return proof;
	const struct object *object = object_get(j->in, site->object);
	if (object->proved & KIND_MODULE)
		proof = stronger(proof, PROOF_USAGE);
	else if (named_like_module(j, site->name))
		proof = stronger(proof, PROOF_NAME);
	return proof;
}

/* An unresolved call that was given a module, or is a method of one. */
static bool is_module_call(struct judging *j, const struct site *site)
{
	return site->module_given || (site->object && (object_get(j->in, site->object)->proved & KIND_MODULE));
}

enum proof graph_proof(struct judging *j, const struct origin_set *set, enum origin_tag loosest);

static bool is_layer(struct judging *j, const struct site *site)
{
	const struct object *object = site->object ? object_get(j->in, site->object) : NULL;
	return object && object->library && (object->kinds & KIND_MODULE) && !object->class_def &&
	       str_starts(str_from(object->library->name), "torch.nn.") && !object->library->wraps;
}

static bool named_like_loss(struct str name)
{
	return str_ends(name, "criterion") || str_ends(name, "loss_fn") || str_ends(name, "loss_func") || str_ends(name, "crit") ||
	       str_ends(name, "_loss") || str_is(name, "loss");
}

static enum proof site_proof_now(struct judging *j, const struct site *site)
{
	struct interp *in = j->in;
	if (site->grad_off || j->plain[site->kind == SITE_ELEMENT ? site->parent : site->id])
		return PROOF_NONE;
	switch (site->kind) {
	case SITE_LEAF:
		return site->proof;
	case SITE_DERIVED:
		/* backward that runs on this very value shows that it has a graph, whichever operand brought it */
		return stronger(site->inputs ? graph_proof(j, site->inputs, ORIGIN_OP) : PROOF_NONE,
				j->consumed_tag[site->id] == ORIGIN_SELF ? PROOF_USAGE : PROOF_NONE);
	case SITE_FORWARD:
		if (site->frozen && site->inputs)
			return graph_proof(j, site->inputs, ORIGIN_OP);
		if (site->proof == PROOF_FLOW)
			return PROOF_FLOW;
		if (consumed(j, site->id, ORIGIN_CALL) && !site->frozen)
			return stronger(module_proof(j, site), PROOF_USAGE);
		/* what computes a loss from what carries a graph, in training or by its name, hands the graph on */
		if (site->inputs && (named_like_loss(site->name) || (site->object && j->walked[site->object])))
			return stronger(module_proof(j, site), weaker(PROOF_USAGE, graph_proof(j, site->inputs, ORIGIN_CALL)));
		return module_proof(j, site);
	case SITE_CALL:
		if (j->needed[site->id] || (is_module_call(j, site) && consumed(j, site->id, ORIGIN_CALL)))
			return PROOF_USAGE;
		/* a term of what backward walks that is called a loss */
		if (named_like_loss(site->name) && consumed(j, site->id, ORIGIN_OP))
			return PROOF_USAGE;
		return consumed(j, site->id, ORIGIN_CALL) ? PROOF_SIBLING : PROOF_NONE;
	case SITE_ELEMENT: {
		const struct site *whole = in->sites.items[site->parent];
		enum proof proof = whole->kind == SITE_FORWARD ? module_proof(j, whole) : PROOF_NONE;
		/* which of several results carries the graph, only a layer of torch itself is known for */
		if (proof > PROOF_SIBLING && !is_layer(j, whole) && sibling_consumed(j, site))
			proof = PROOF_SIBLING;
		bool module = whole->kind == SITE_FORWARD || is_module_call(j, whole);
		bool own = module ? consumed(j, site->id, ORIGIN_CALL) : j->needed[site->id];
		if (own || j->needed[whole->id])
			proof = stronger(proof, PROOF_USAGE);
		else if (proof < PROOF_SIBLING && sibling_consumed(j, site))
			proof = PROOF_SIBLING;
		return proof;
	}
	case SITE_INPUT:
		if (j->needed[site->id])
			return PROOF_USAGE;
		if (str_find(site->name, STR("loss"), 0) == SIZE_MAX)
			return PROOF_NONE;
		return consumed(j, site->id, ORIGIN_OP) ? PROOF_USAGE : PROOF_NAME;
	default:
		return PROOF_NONE;
	}
}

enum proof site_proof(struct judging *j, uint32_t id)
{
	if (j->site_proof[id])
		return (enum proof)(j->site_proof[id] - 1);
	if (j->site_busy[id])
		return PROOF_NONE; /* derived from itself around a loop: the others decide */
	j->site_busy[id] = 1;
	enum proof proof = site_proof_now(j, j->in->sites.items[id]);
	j->site_busy[id] = 0;
	j->site_proof[id] = (uint8_t)(1 + proof);
	return proof;
}

/* A parameter itself keeps no graph; what is computed from it does. */
static bool is_leaf_itself(struct judging *j, origin element)
{
	return origin_tag_of(element) == ORIGIN_SELF && j->in->sites.items[origin_site(element)]->kind == SITE_LEAF;
}

enum proof graph_proof(struct judging *j, const struct origin_set *set, enum origin_tag loosest)
{
	enum proof proof = PROOF_NONE;
	for (uint32_t i = 0; i < set->count && proof < PROOF_FLOW; i++)
		if (origin_tag_of(set->items[i]) <= loosest && !is_leaf_itself(j, set->items[i]))
			proof = stronger(proof, site_proof(j, origin_site(set->items[i])));
	return proof;
}

const struct site *top_site(struct judging *j, const struct origin_set *set, uint32_t except)
{
	const struct site *self = NULL, *op = NULL;
	for (uint32_t i = 0; i < set->count; i++) {
		const struct site *site = j->in->sites.items[origin_site(set->items[i])];
		enum origin_tag tag = origin_tag_of(set->items[i]);
		if (site->kind == SITE_OBJECT || site->kind == SITE_CARRY || tag > ORIGIN_OP ||
		    (except && site->kind == SITE_DERIVED && site->cell == except) ||
		    site_proof(j, site->id) == PROOF_NONE)
			continue;
		if (tag == ORIGIN_SELF)
			self = site;
		else
			op = site;
	}
	return self ? self : op;
}
