#include "flow/model.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/embedded.h"
#include "base/os.h"

static const struct {
	const char *name;
	uint32_t kinds;
} kind_names[] = {
	{"number", KIND_NUMBER}, {"text", KIND_TEXT}, {"none", KIND_NONE}, {"ndarray", KIND_NDARRAY},
	{"tensor", KIND_TENSOR}, {"container", KIND_CONTAINER}, {"module", KIND_MODULE},
	{"optimizer", KIND_OPTIMIZER}, {"criterion", KIND_CRITERION | KIND_MODULE}, {"loader", KIND_LOADER},
	{"metric", KIND_METRIC}, {"logger", KIND_LOGGER}, {"distribution", KIND_DISTRIBUTION}, {"handle", KIND_HANDLE},
	{"exception", KIND_EXCEPTION}, {"function", KIND_FUNCTION}, {"generator", KIND_GENERATOR},
	{"instance", KIND_INSTANCE}, {"gradmode", KIND_GRADMODE}, {"context", KIND_CONTEXT}, {"small", KIND_SMALL},
	{"unknown", KIND_UNKNOWN}, {"list", KIND_CONTAINER}, {"dict", KIND_CONTAINER}, {"set", KIND_CONTAINER},
	{"tuple", KIND_CONTAINER}, {"counter", KIND_CONTAINER}, {"scheduler", KIND_INSTANCE}, {"scaler", KIND_INSTANCE},
	{"engine", KIND_INSTANCE},
};

struct reading {
	struct model *model;
	const char *file;
	const char *entry;
	struct err *err;
};

static bool bad(struct reading *r, const char *what, const char *value)
{
	return err_set(r->err, ERR_CONFIG, "cannot use '%s': entry '%s': unknown %s '%s'", r->file,
		       r->entry ? r->entry : "?", what, value ? value : "");
}

static const char *text_at(struct reading *r, const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsString(item) ? arena_dup(&r->model->arena, item->valuestring) : NULL;
}

static bool flag_at(const cJSON *object, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static bool read_kinds(struct reading *r, const char *text, uint32_t *kinds)
{
	*kinds = 0;
	while (text && *text) {
		size_t n = strcspn(text, "|");
		bool known = false;
		for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++)
			if (strlen(kind_names[i].name) == n && memcmp(kind_names[i].name, text, n) == 0) {
				*kinds |= kind_names[i].kinds;
				known = true;
			}
		if (!known)
			return bad(r, "kind", text);
		text += n + (text[n] == '|');
	}
	return true;
}

/* "arg(2)", "2", "self", "all" */
static bool read_place(struct reading *r, const char *text, int *place)
{
	if (!text || strcmp(text, "all") == 0 || strcmp(text, "args") == 0)
		*place = MODEL_ALL;
	else if (strcmp(text, "self") == 0)
		*place = MODEL_SELF;
	else if (sscanf(text, "arg(%d)", place) != 1 && sscanf(text, "%d", place) != 1)
		return bad(r, "place", text);
	return true;
}

static bool read_graph(struct reading *r, const char *text, struct model_returns *returns)
{
	static const struct {
		const char *name;
		enum graph_rule rule;
	} rules[] = {{"no", GRAPH_NO}, {"made", GRAPH_MADE}, {"op", GRAPH_OP}, {"pass", GRAPH_PASS},
		     {"element", GRAPH_ELEMENT}, {"cut", GRAPH_CUT}, {"forward", GRAPH_FORWARD}, {"call", GRAPH_CALL},
		     {"return", GRAPH_RETURN}};
	size_t n = strcspn(text, "(");
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (strlen(rules[i].name) != n || memcmp(rules[i].name, text, n) != 0)
			continue;
		returns->graph = rules[i].rule;
		returns->from = MODEL_ALL;
		if (!text[n])
			return true;
		char inner[32] = "";
		snprintf(inner, sizeof inner, "%.*s", (int)strcspn(text + n + 1, ")"), text + n + 1);
		return read_place(r, inner, &returns->from);
	}
	return bad(r, "graph", text);
}

static bool read_returns(struct reading *r, const cJSON *object, struct model_returns *returns)
{
	returns->from = MODEL_ALL;
	if (!cJSON_IsObject(object))
		return true;
	const char *kind = text_at(r, object, "kind"), *graph = text_at(r, object, "graph");
	const char *device = text_at(r, object, "device"), *extent = text_at(r, object, "extent");
	const char *indexed = text_at(r, object, "indexed");
	returns->class_name = text_at(r, object, "class");
	returns->view = flag_at(object, "view");
	returns->concat = flag_at(object, "concat");
	returns->copies = flag_at(object, "copies");
	returns->iterates = flag_at(object, "iterates");
	returns->counted = flag_at(object, "counted");
	returns->in_turn = flag_at(object, "in_turn");
	returns->identity = flag_at(object, "identity");
	returns->mode = flag_at(object, "mode");
	returns->opaque = flag_at(object, "opaque");
	returns->struct_loop = flag_at(object, "struct_loop");
	returns->full_storage = flag_at(object, "full_storage");
	returns->spread = flag_at(object, "spread");
	returns->folds = flag_at(object, "folds");
	returns->fresh = flag_at(object, "fresh");
	returns->reduces = flag_at(object, "reduces");
	returns->parts = text_at(r, object, "parts");
	returns->accelerator = device && strcmp(device, "accelerator") == 0;
	returns->cpu = device && strcmp(device, "cpu") == 0;
	returns->large = extent && strcmp(extent, "large") == 0;
	returns->scalar = extent && strcmp(extent, "scalar") == 0;
	returns->indexed = indexed ? indexed[0] : 0;
	if (kind && !read_kinds(r, kind, &returns->kinds))
		return false;
	return !graph || read_graph(r, graph, returns);
}

static bool read_op(struct reading *r, const char *text, enum store_op *op)
{
	static const char *const names[] = {"append", "extend", "key", "update", "assign", "add"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text && strcmp(text, names[i]) == 0) {
			*op = (enum store_op)i;
			return true;
		}
	return bad(r, "store operation", text);
}

static bool add_effect(struct reading *r, struct model_rule *rule, struct model_effect effect)
{
	if (rule->effect_count == MODEL_EFFECTS)
		return bad(r, "fifth effect in", r->entry);
	rule->effects[rule->effect_count++] = effect;
	return true;
}

static bool read_store(struct reading *r, const cJSON *store, struct model_rule *rule)
{
	struct model_effect effect = {EFFECT_STORE, MODEL_SELF, MODEL_ALL, STORE_APPEND, MODEL_ALL, NULL};
	const char *into = text_at(r, store, "into"), *key = text_at(r, store, "key");
	if (!read_op(r, text_at(r, store, "op"), &effect.op) || !read_place(r, text_at(r, store, "value"), &effect.value))
		return false;
	if (into && !read_place(r, into, &effect.on))
		return false;
	if (key && !read_place(r, key, &effect.key))
		return false;
	return add_effect(r, rule, effect);
}

/* Effects that are written as one word with a place or a mode for value. */
static bool read_simple_effects(struct reading *r, const cJSON *object, struct model_rule *rule)
{
	static const struct {
		const char *key;
		enum effect_kind kind;
		bool place;
	} effects[] = {{"reset", EFFECT_RESET, true}, {"pop", EFFECT_POP, true}, {"consume", EFFECT_CONSUME, true},
		       {"mode", EFFECT_MODE, false}, {"freeze", EFFECT_FREEZE, false}, {"log", EFFECT_LOG, true},
		       {"grad", EFFECT_GRAD, false}, {"inplace", EFFECT_INPLACE, true}, {"run", EFFECT_RUN, true},
		       {"step", EFFECT_OPTIM_STEP, true}, {"zero", EFFECT_OPTIM_ZERO, true}, {"escape", EFFECT_ESCAPE, true},
		       {"visit", EFFECT_VISIT, true}};
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
		const char *text = text_at(r, object, effects[i].key);
		if (!text)
			continue;
		struct model_effect effect = {effects[i].kind, MODEL_SELF, MODEL_ALL, STORE_APPEND, MODEL_ALL, NULL};
		if (!effects[i].place)
			effect.mode = text;
		else if (effect.kind == EFFECT_LOG || effect.kind == EFFECT_INPLACE) {
			if (!read_place(r, text, &effect.value))
				return false;
		} else if (!read_place(r, text, &effect.on))
			return false;
		if (!add_effect(r, rule, effect))
			return false;
	}
	return true;
}

static struct model_rule *read_rule(struct reading *r, const cJSON *object)
{
	struct model_rule *rule = ARENA_NEW(&r->model->arena, struct model_rule);
	const cJSON *store = cJSON_GetObjectItemCaseSensitive(object, "store");
	const char *proves = text_at(r, object, "proves"), *alone = text_at(r, object, "proves_alone"), *first = text_at(r, object, "first");
	rule->unless = text_at(r, object, "unless");
	rule->binds = text_at(r, object, "binds");
	rule->hook = text_at(r, object, "hook");
	rule->mark = text_at(r, object, "mark");
	rule->direct = flag_at(object, "direct");
	const cJSON *position = cJSON_GetObjectItemCaseSensitive(object, "unless_at");
	rule->unless_at = cJSON_IsNumber(position) ? position->valueint : -1;
	if (!read_returns(r, cJSON_GetObjectItemCaseSensitive(object, "returns"), &rule->returns))
		return NULL;
	if (proves && !read_kinds(r, proves, &rule->proves))
		return NULL;
	if (alone && !read_kinds(r, alone, &rule->proves_alone))
		return NULL;
	if (first && !read_kinds(r, first, &rule->first))
		return NULL;
	if (cJSON_IsObject(store) && !read_store(r, store, rule))
		return NULL;
	for (const cJSON *item = cJSON_IsArray(store) ? store->child : NULL; item; item = item->next)
		if (!read_store(r, item, rule))
			return NULL;
	return read_simple_effects(r, object, rule) ? rule : NULL;
}

/* Keys of METHODS may name several methods: "append add". */
static bool read_methods(struct reading *r, const cJSON *methods, struct map *map)
{
	for (const cJSON *item = cJSON_IsObject(methods) ? methods->child : NULL; item; item = item->next) {
		struct model_rule *rule = read_rule(r, item);
		if (!rule)
			return false;
		for (const char *name = item->string; *name;) {
			size_t n = strcspn(name, " ");
			map_put(map, (struct str){name, n}, rule);
			name += n + (name[n] == ' ');
		}
	}
	return true;
}

static bool read_hooks(struct reading *r, const cJSON *hooks, struct map *map)
{
	for (const cJSON *item = cJSON_IsObject(hooks) ? hooks->child : NULL; item; item = item->next) {
		struct model_hook *hook = ARENA_NEW(&r->model->arena, struct model_hook);
		const cJSON *loops = cJSON_GetObjectItemCaseSensitive(item, "loops");
		const char *ret = text_at(r, item, "return");
		hook->grad = text_at(r, item, "grad");
		hook->consumes_return = ret && strcmp(ret, "consume") == 0;
		for (const cJSON *loop = cJSON_IsArray(loops) ? loops->child : NULL; loop && hook->loop_count < 4; loop = loop->next)
			if (cJSON_IsString(loop))
				hook->loops[hook->loop_count++] = arena_dup(&r->model->arena, loop->valuestring);
		for (const char *name = item->string; *name;) {
			size_t n = strcspn(name, " ");
			map_put(map, (struct str){name, n}, hook);
			name += n + (name[n] == ' ');
		}
	}
	return true;
}

/* Puts VALUE under NAME, or under its prefix where NAME ends in ".*". */
static void put_name(struct map *exact, struct map *prefixes, const char *name, void *value)
{
	struct str key = str_from(name);
	if (str_ends(key, ".*"))
		map_put(prefixes, (struct str){key.at, key.length - 1}, value);
	else
		map_put(exact, key, value);
}

static bool read_members(struct reading *r, const cJSON *object, struct model_class *class)
{
	return read_methods(r, cJSON_GetObjectItemCaseSensitive(object, "methods"), &class->methods) &&
	       read_methods(r, cJSON_GetObjectItemCaseSensitive(object, "fields"), &class->fields) &&
	       read_hooks(r, cJSON_GetObjectItemCaseSensitive(object, "hooks"), &class->hooks);
}

static bool read_class(struct reading *r, const cJSON *object, const char *name)
{
	struct model_class *known = flag_at(object, "adds") ? map_get(&r->model->classes, str_from(name)) : NULL;
	struct model_class *class = known ? known : ARENA_NEW(&r->model->arena, struct model_class);
	const cJSON *call = cJSON_GetObjectItemCaseSensitive(object, "instance");
	const cJSON *made = cJSON_GetObjectItemCaseSensitive(object, "made");
	if (known)
		return read_members(r, object, class);
	class->name = arena_dup(&r->model->arena, name);
	class->base = text_at(r, object, "base");
	class->role = text_at(r, object, "role");
	class->bound = text_at(r, object, "bound");
	class->record = flag_at(object, "record");
	class->wraps = flag_at(object, "wraps");
	class->threads = flag_at(object, "threads");
	if (class->role && !read_kinds(r, class->role, &class->kinds))
		return false;
	if (call && !(class->call = read_rule(r, call)))
		return false;
	if (made && !(class->made = read_rule(r, made)))
		return false;
	if (!read_members(r, object, class))
		return false;
	put_name(&r->model->classes, &r->model->class_prefixes, name, class);
	return true;
}

/* Calls BODY for the string VALUE or for each string of the list VALUE. */
static bool each_name(struct reading *r, const cJSON *object, const cJSON *value,
		      bool (*body)(struct reading *, const cJSON *, const char *))
{
	if (cJSON_IsString(value)) {
		r->entry = value->valuestring;
		return body(r, object, value->valuestring);
	}
	for (const cJSON *item = cJSON_IsArray(value) ? value->child : NULL; item; item = item->next) {
		if (!cJSON_IsString(item))
			continue;
		r->entry = item->valuestring;
		if (!body(r, object, item->valuestring))
			return false;
	}
	return true;
}

static bool read_call_entry(struct reading *r, const cJSON *object, const char *name)
{
	struct model_rule *rule = read_rule(r, object);
	if (rule)
		rule->prefix = str_ends(str_from(name), ".*");
	if (rule)
		put_name(&r->model->calls, &r->model->call_prefixes, name, rule);
	return rule != NULL;
}

static bool read_method_entry(struct reading *r, const cJSON *object, const char *name)
{
	struct model_rule *rule = read_rule(r, object);
	if (rule)
		map_put(&r->model->methods, str_from(name), rule);
	return rule != NULL;
}

static bool read_alias(struct reading *r, const cJSON *object, const char *name)
{
	const char *target = text_at(r, object, "is");
	if (!target)
		return bad(r, "alias without 'is':", name);
	map_put(&r->model->aliases, str_from(name), (void *)(uintptr_t)target);
	return true;
}

static bool read_entry(struct reading *r, const cJSON *entry)
{
	static const struct {
		const char *key;
		bool (*read)(struct reading *, const cJSON *, const char *);
	} forms[] = {{"call", read_call_entry}, {"class", read_class}, {"method", read_method_entry}, {"alias", read_alias}};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		const cJSON *value = cJSON_GetObjectItemCaseSensitive(entry, forms[i].key);
		if (value)
			return each_name(r, entry, value, forms[i].read);
	}
	return err_set(r->err, ERR_CONFIG, "cannot use '%s': an entry has none of call, class, method, alias", r->file);
}

static void read_steps(struct reading *r, const cJSON *names)
{
	struct model_hook *hook = ARENA_NEW(&r->model->arena, struct model_hook);
	*hook = (struct model_hook){.loops = {"epoch", "step"}, .loop_count = 2};
	for (const cJSON *item = cJSON_IsArray(names) ? names->child : NULL; item; item = item->next)
		if (cJSON_IsString(item))
			map_put(&r->model->steps, str_from(item->valuestring), hook);
}

static bool place_of_error(struct reading *r, struct str text)
{
	const char *at = cJSON_GetErrorPtr();
	int line = 1, column = 1;
	for (const char *p = text.at; at && p < at && p < text.at + text.length; p++) {
		column = *p == '\n' ? 1 : column + 1;
		line += *p == '\n';
	}
	return err_set(r->err, ERR_CONFIG, "cannot read '%s': not valid JSON at line %d, column %d", r->file, line, column);
}

static bool read_file(struct model *model, const char *file, struct str text, struct err *err)
{
	struct reading r = {model, file, NULL, err};
	cJSON *root = cJSON_ParseWithLength(text.at, text.length);
	if (!root)
		return place_of_error(&r, text);
	bool ok = true;
	const cJSON *imports = cJSON_GetObjectItemCaseSensitive(root, "imports");
	const cJSON *entries = cJSON_GetObjectItemCaseSensitive(root, "entries");
	const char *pattern = text_at(&r, root, "module_names");
	if (pattern)
		model->module_name_pattern = pattern;
	for (const cJSON *item = cJSON_IsArray(imports) ? imports->child : NULL; item; item = item->next)
		if (cJSON_IsString(item))
			map_put(&model->imports, str_from(item->valuestring), model);
	read_steps(&r, cJSON_GetObjectItemCaseSensitive(root, "step_functions"));
	if (!cJSON_IsArray(entries))
		ok = err_set(err, ERR_CONFIG, "cannot use '%s': it has no list 'entries'", file);
	for (const cJSON *entry = ok ? entries->child : NULL; entry && ok; entry = entry->next)
		ok = read_entry(&r, entry);
	cJSON_Delete(root);
	return ok;
}

static bool read_folder(struct model *model, const char *folder, struct err *err)
{
	struct os_entry *entries;
	size_t count;
	if (!os_list(folder, &model->arena, &entries, &count, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!str_ends(str_from(entries[i].name), ".json") || entries[i].stat.kind != OS_FILE)
			continue;
		const char *path = arena_format(&model->arena, "%s/%s", folder, entries[i].name);
		struct buf text = BUF_INIT;
		bool ok = os_read_file(path, 16u << 20, &text, err) && read_file(model, path, buf_get(&text), err);
		buf_release(&text);
		if (!ok)
			return false;
	}
	return true;
}

static bool find_parent(struct str key, void *value, void *context)
{
	struct model_class *class = value;
	(void)key;
	class->parent = class->base ? model_class_get(context, class->base) : NULL;
	return true;
}

bool model_init(struct model *model, const struct model_extra *extra, struct err *err)
{
	memset(model, 0, sizeof *model);
	arena_init(&model->arena);
	bool ok = true;
	for (size_t i = 0; i < embedded_file_count && ok; i++) {
		const struct embedded_file *file = &embedded_files[i];
		if (str_starts(str_from(file->name), "rules/models/"))
			ok = read_file(model, file->name, (struct str){file->text, file->length}, err);
	}
	ok = ok && (!extra || !extra->folder || read_folder(model, extra->folder, err));
	ok = ok && (!extra || !extra->text || read_file(model, extra->text_name, str_from(extra->text), err));
	if (!ok) {
		model_release(model);
		return false;
	}
	map_each(&model->classes, find_parent, model);
	map_each(&model->class_prefixes, find_parent, model);
	model->tensor = model_class_get(model, "torch.Tensor");
	model->dict = model_class_get(model, "builtins.dict");
	return true;
}

static bool release_class(struct str key, void *value, void *context)
{
	struct model_class *class = value;
	(void)key;
	(void)context;
	map_release(&class->methods);
	map_release(&class->hooks);
	map_release(&class->fields);
	return true;
}

void model_release(struct model *model)
{
	map_each(&model->classes, release_class, NULL);
	map_each(&model->class_prefixes, release_class, NULL);
	struct map *maps[] = {&model->calls, &model->call_prefixes, &model->classes, &model->class_prefixes,
			      &model->methods, &model->imports, &model->aliases, &model->steps};
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		map_release(maps[i]);
	arena_release(&model->arena);
}

const char *model_canonical(const struct model *model, const char *dotted)
{
	const char *name = map_get(&model->aliases, str_from(dotted));
	return name ? name : dotted;
}

/* Exact, else under the longest prefix that ends at a dot. */
static void *find_name(const struct map *exact, const struct map *prefixes, const char *dotted)
{
	struct str name = str_from(dotted);
	void *value = map_get(exact, name);
	for (size_t n = name.length; !value && n > 0; n--)
		if (name.at[n - 1] == '.')
			value = map_get(prefixes, (struct str){name.at, n});
	return value;
}

const struct model_rule *model_call(const struct model *model, const char *dotted)
{
	const char *name = model_canonical(model, dotted);
	const struct model_rule *rule = find_name(&model->calls, &model->call_prefixes, name);
	if (rule && rule->prefix && rule->direct) {
		struct str package = str_from(name);
		while (package.length && package.at[package.length - 1] != '.')
			package.length--;
		return map_get(&model->call_prefixes, package);
	}
	return rule;
}

const char *model_grad_mode(const struct model_rule *rule)
{
	for (int i = 0; rule && i < rule->effect_count; i++)
		if (rule->effects[i].kind == EFFECT_GRAD)
			return rule->effects[i].mode;
	return NULL;
}

const struct model_class *model_class_get(const struct model *model, const char *dotted)
{
	return find_name(&model->classes, &model->class_prefixes, model_canonical(model, dotted));
}

/* Bases are few; the bound keeps a loop in the data from hanging us. */
enum { BASES = 16 };

const struct model_rule *model_method(const struct model *model, const struct model_class *class, struct str name)
{
	for (int i = 0; class && i < BASES; i++, class = class->parent) {
		const struct model_rule *rule = map_get(&class->methods, name);
		if (rule)
			return rule;
	}
	return NULL;
}

const struct model_rule *model_field(const struct model *model, const struct model_class *class, struct str name)
{
	for (int i = 0; class && i < BASES; i++, class = class->parent) {
		const struct model_rule *rule = map_get(&class->fields, name);
		if (rule)
			return rule;
	}
	return NULL;
}

const struct model_rule *model_any_method(const struct model *model, struct str name)
{
	return map_get(&model->methods, name);
}

const struct model_hook *model_hook_get(const struct model *model, const struct model_class *class, struct str name)
{
	for (int i = 0; class && i < BASES; i++, class = class->parent) {
		const struct model_hook *hook = map_get(&class->hooks, name);
		if (hook)
			return hook;
	}
	return NULL;
}

const struct model_hook *model_step_get(const struct model *model, struct str name)
{
	return map_get(&model->steps, name);
}

const struct model_rule *model_instance_call(const struct model *model, const struct model_class *class)
{
	for (int i = 0; class && i < BASES; i++, class = class->parent)
		if (class->call)
			return class->call;
	return NULL;
}

bool model_class_is(const struct model *model, const struct model_class *class, const char *dotted)
{
	for (int i = 0; class && i < BASES; i++, class = class->parent)
		if (strcmp(class->name, dotted) == 0)
			return true;
	return false;
}
