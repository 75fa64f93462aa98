#include "flow/model.h"

#include "temp_tree.h"

static struct model model;

static int set_up(void **state)
{
	struct err err = {0};

	if (!model_init(&model, NULL, &err)) {
		print_error("%s\n", err.message);
		return -1;
	}
	return 0;
}

static int tear_down(void **state)
{
	model_release(&model);
	return 0;
}

static const struct model_rule *call(const char *dotted)
{
	const struct model_rule *rule = model_call(&model, dotted);

	if (!rule)
		fail_msg("nothing is known of calling '%s'", dotted);
	return rule;
}

static const struct model_class *class(const char *dotted)
{
	const struct model_class *found = model_class_get(&model, dotted);

	if (!found)
		fail_msg("'%s' is no class", dotted);
	return found;
}

static const struct model_rule *method(const char *dotted, const char *name)
{
	const struct model_rule *rule = model_method(&model, class(dotted), str_from(name));

	if (!rule)
		fail_msg("'%s' has no method '%s'", dotted, name);
	return rule;
}

static const struct model_hook *hook(const char *dotted, const char *name)
{
	const struct model_hook *found = model_hook_get(&model, class(dotted), str_from(name));

	if (!found)
		fail_msg("'%s' has no hook '%s'", dotted, name);
	return found;
}

static const struct model_effect *effect(const struct model_rule *rule, enum effect_kind kind)
{
	for (int i = 0; i < rule->effect_count; i++)
		if (rule->effects[i].kind == kind)
			return &rule->effects[i];
	fail_msg("it has no effect %d", (int)kind);
	return NULL;
}

static void what_returns_is(const struct model_rule *rule, uint32_t kinds, enum graph_rule graph, int from)
{
	assert_int_equal(rule->returns.kinds, kinds);
	assert_int_equal(rule->returns.graph, graph);
	assert_int_equal(rule->returns.from, from);
}

static void recorded_operations_carry_the_graph(void **state)
{
	what_returns_is(call("torch.relu"), KIND_TENSOR, GRAPH_OP, MODEL_ALL);
	what_returns_is(call("torch.nn.functional.cross_entropy"), KIND_TENSOR, GRAPH_OP, MODEL_ALL);
	what_returns_is(call("torch.linalg.norm"), KIND_TENSOR, GRAPH_OP, MODEL_ALL);
	what_returns_is(call("torch.distributions.kl_divergence"), KIND_TENSOR, GRAPH_OP, MODEL_ALL);
	what_returns_is(call("torch.cat"), KIND_TENSOR, GRAPH_OP, 0);
	assert_true(call("torch.cat")->returns.concat);
	assert_true(call("torch.no_such_operation")->returns.kinds == KIND_TENSOR);
	assert_null(model_call(&model, "torch._utils.render_call"));
	assert_true(call("torch.stack")->returns.large);
	what_returns_is(call("builtins.sum"), KIND_NUMBER | KIND_TENSOR, GRAPH_OP, 0);
	what_returns_is(method("torch.Tensor", "cuda"), KIND_TENSOR, GRAPH_OP, MODEL_SELF);
	assert_true(method("torch.Tensor", "cuda")->returns.accelerator);
	assert_true(method("torch.Tensor", "narrow")->returns.view);
	assert_true(method("torch.Tensor", "mean")->returns.reduces);
	assert_null(model_method(&model, class("torch.Tensor"), STR("no_such_method")));
}

static void other_results_have_no_graph(void **state)
{
	static const char *const names[] = {"torch.zeros", "torch.argmax", "torch.isnan", "torch.randint", "torch.equal",
					    "torch.nn.functional.one_hot", "torch.nn.utils.clip_grad_norm_",
					    "torch.distributed.get_rank", "torch.cuda.is_available", "numpy.array",
					    "builtins.float", "builtins.len", "time.time", "math.exp", "torch.load"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_int_equal(call(names[i])->returns.graph, GRAPH_NO);
	what_returns_is(method("torch.Tensor", "item"), KIND_NUMBER, GRAPH_NO, MODEL_ALL);
	what_returns_is(method("torch.Tensor", "long"), KIND_TENSOR, GRAPH_NO, MODEL_ALL);
	what_returns_is(method("torch.Tensor", "detach"), KIND_TENSOR, GRAPH_CUT, MODEL_SELF);
	what_returns_is(model_field(&model, class("torch.Tensor"), STR("data")), KIND_TENSOR, GRAPH_CUT, MODEL_SELF);
	what_returns_is(model_field(&model, class("torch.Tensor"), STR("grad_fn")), KIND_INSTANCE, GRAPH_PASS, MODEL_SELF);
	what_returns_is(call("torch.nn.Parameter"), KIND_TENSOR, GRAPH_MADE, MODEL_ALL);
}

static void losses_are_scalars_and_some_keep_more(void **state)
{
	assert_true(call("torch.nn.functional.cross_entropy")->returns.scalar);
	assert_false(call("torch.nn.functional.cross_entropy")->returns.full_storage);
	assert_true(call("torch.nn.functional.mse_loss")->returns.full_storage);
	assert_true(model_instance_call(&model, class("torch.nn.MSELoss"))->returns.full_storage);
	assert_false(model_instance_call(&model, class("torch.nn.CrossEntropyLoss"))->returns.full_storage);
	assert_int_equal(class("torch.nn.CrossEntropyLoss")->kinds, KIND_CRITERION | KIND_MODULE);
}

static void pairs_of_values_and_indices_are_marked(void **state)
{
	assert_int_equal(call("torch.topk")->returns.indexed, 'a');
	assert_int_equal(call("torch.max")->returns.indexed, 'd');
	assert_int_equal(method("torch.Tensor", "max")->returns.indexed, 'd');
	assert_int_equal(call("torch.nn.functional.max_pool2d")->returns.indexed, 'u');
	assert_int_equal(call("torch.mean")->returns.indexed, 0);
}

static void modules_are_known_by_prefix_and_base(void **state)
{
	assert_int_equal(class("torch.nn.Linear")->kinds, KIND_MODULE);
	assert_true(model_class_is(&model, class("torch.nn.Linear"), "torch.nn.Module"));
	assert_string_equal(class("torch.nn.modules.module.Module")->name, "torch.nn.Module");
	assert_true(model_class_is(&model, class("pytorch_lightning.LightningModule"), "torch.nn.Module"));
	assert_true(class("torch.nn.ModuleList")->kinds & KIND_CONTAINER);
	assert_int_equal(model_instance_call(&model, class("torch.nn.Linear"))->returns.graph, GRAPH_FORWARD);
	assert_string_equal(effect(method("torch.nn.Linear", "eval"), EFFECT_MODE)->mode, "eval");
	assert_string_equal(effect(method("torch.nn.Linear", "requires_grad_"), EFFECT_FREEZE)->mode, "argument");
	assert_true(method("torch.nn.Linear", "parameters")->returns.struct_loop);
	assert_true(method("torch.nn.Linear", "named_parameters")->returns.counted);
	what_returns_is(call("torchvision.models.resnet18"), KIND_MODULE, GRAPH_NO, MODEL_ALL);
	what_returns_is(call("torch.utils.checkpoint.checkpoint"), 0, GRAPH_RETURN, 0);
}

static void backward_consumes(void **state)
{
	const struct model_rule *rule = method("torch.Tensor", "backward");

	assert_int_equal(effect(rule, EFFECT_CONSUME)->on, MODEL_SELF);
	assert_string_equal(rule->unless, "retain_graph");
	assert_int_equal(effect(call("torch.autograd.grad"), EFFECT_CONSUME)->on, 0);
	assert_int_equal(effect(method("accelerate.Accelerator", "backward"), EFFECT_CONSUME)->on, 0);
	assert_int_equal(effect(method("lightning.Fabric", "backward"), EFFECT_CONSUME)->on, 0);
	assert_int_equal(effect(method("pytorch_lightning.LightningModule", "manual_backward"), EFFECT_CONSUME)->on, 0);
	/* engine.backward(loss) walks the loss, loss.backward() the receiver */
	assert_int_equal(effect(model_any_method(&model, STR("backward")), EFFECT_CONSUME)->on, MODEL_ALL);
	what_returns_is(method("torch.cuda.amp.GradScaler", "scale"), 0, GRAPH_PASS, 0);
	assert_int_equal(effect(method("torch.cuda.amp.GradScaler", "step"), EFFECT_OPTIM_STEP)->on, 0);
}

static void optimizers_step_and_zero(void **state)
{
	assert_int_equal(class("torch.optim.AdamW")->kinds, KIND_OPTIMIZER);
	assert_string_equal(class("torch.optim.Optimizer")->made->binds, "parameters");
	assert_int_equal(effect(method("torch.optim.AdamW", "step"), EFFECT_OPTIM_STEP)->on, MODEL_SELF);
	what_returns_is(method("torch.optim.AdamW", "step"), 0, GRAPH_RETURN, 0);
	assert_int_equal(effect(method("torch.optim.AdamW", "zero_grad"), EFFECT_OPTIM_ZERO)->on, MODEL_SELF);
	assert_int_equal(class("torch.optim.lr_scheduler.StepLR")->kinds & KIND_OPTIMIZER, 0);
	assert_int_equal(model_method(&model, class("torch.optim.lr_scheduler.StepLR"), STR("step"))->effect_count, 0);
}

static void grad_modes_are_told_apart(void **state)
{
	assert_string_equal(effect(call("torch.no_grad"), EFFECT_GRAD)->mode, "off");
	assert_string_equal(effect(call("torch.autograd.grad_mode.no_grad"), EFFECT_GRAD)->mode, "off");
	assert_string_equal(effect(call("torch.enable_grad"), EFFECT_GRAD)->mode, "on");
	assert_string_equal(effect(call("torch.inference_mode"), EFFECT_GRAD)->mode, "inference");
	assert_string_equal(effect(call("torch.set_grad_enabled"), EFFECT_GRAD)->mode, "argument");
	assert_int_equal(call("torch.no_grad")->returns.kinds, KIND_GRADMODE);
	assert_int_equal(call("torch.cuda.amp.autocast")->returns.kinds, KIND_CONTEXT);
}

static void containers_keep_and_give_back(void **state)
{
	const struct model_effect *key = effect(method("builtins.dict", "setdefault"), EFFECT_STORE);

	assert_int_equal(effect(method("builtins.list", "append"), EFFECT_STORE)->op, STORE_APPEND);
	assert_int_equal(effect(method("builtins.list", "insert"), EFFECT_STORE)->value, 1);
	assert_int_equal(effect(method("builtins.list", "clear"), EFFECT_RESET)->on, MODEL_SELF);
	assert_int_equal(key->op, STORE_KEY);
	assert_int_equal(key->key, 0);
	assert_int_equal(key->value, 1);
	assert_int_equal(effect(method("collections.defaultdict", "update"), EFFECT_STORE)->op, STORE_UPDATE);
	assert_int_equal(effect(method("collections.deque", "popleft"), EFFECT_POP)->on, MODEL_SELF);
	assert_string_equal(class("collections.deque")->bound, "maxlen");
	what_returns_is(method("queue.Queue", "get"), 0, GRAPH_ELEMENT, MODEL_SELF);
	assert_true(call("builtins.enumerate")->returns.counted);
	assert_true(call("builtins.zip")->returns.iterates);
	assert_false(call("builtins.zip")->returns.counted);
	assert_true(call("builtins.range")->returns.counted);
	assert_true(call("builtins.sorted")->returns.copies);
	assert_int_equal(effect(method("torch.Tensor", "copy_"), EFFECT_INPLACE)->value, MODEL_ALL);
}

static void loggers_convert(void **state)
{
	assert_int_equal(effect(call("builtins.print"), EFFECT_LOG)->value, MODEL_ALL);
	assert_int_equal(effect(call("wandb.log"), EFFECT_LOG)->value, 0);
	assert_int_equal(effect(call("mlflow.log_metric"), EFFECT_LOG)->value, 1);
	assert_int_equal(effect(method("torch.utils.tensorboard.SummaryWriter", "add_scalar"), EFFECT_LOG)->value, 1);
	assert_string_equal(call("logging.getLogger")->returns.class_name, "logging.Logger");
	assert_int_equal(effect(method("logging.Logger", "info"), EFFECT_LOG)->value, MODEL_ALL);
	assert_string_equal(call("tqdm.trange")->returns.class_name, "tqdm.bar");
	assert_int_equal(class("tqdm.auto.tqdm")->kinds, KIND_LOGGER);
	assert_int_equal(effect(method("tqdm.tqdm", "set_postfix"), EFFECT_LOG)->value, MODEL_ALL);
	assert_int_equal(method("lightning.LightningModule", "log")->effect_count, 0);
}

static void hooks_say_where_they_run(void **state)
{
	const struct model_hook *step = hook("lightning.LightningModule", "training_step");

	assert_int_equal(step->loop_count, 2);
	assert_string_equal(step->loops[0], "epoch");
	assert_string_equal(step->loops[1], "step");
	assert_string_equal(step->grad, "on");
	assert_true(step->consumes_return);
	assert_string_equal(hook("lightning.LightningModule", "validation_step")->grad, "off");
	assert_false(hook("lightning.LightningModule", "validation_step")->consumes_return);
	assert_int_equal(hook("lightning.LightningModule", "on_train_epoch_end")->loop_count, 1);
	assert_string_equal(hook("lightning.LightningModule", "forward")->loops[0], "step");
	assert_null(hook("transformers.Trainer", "prediction_step")->grad);
}

static void metrics_with_list_state_are_marked(void **state)
{
	assert_int_equal(class("torchmetrics.MeanMetric")->kinds, KIND_METRIC);
	assert_false(model_class_is(&model, class("torchmetrics.MeanMetric"), "torchmetrics.list_state"));
	assert_true(model_class_is(&model, class("torchmetrics.CatMetric"), "torchmetrics.list_state"));
	assert_int_equal(effect(method("torchmetrics.CatMetric", "update"), EFFECT_STORE)->op, STORE_APPEND);
	assert_string_equal(class("torchmetrics.AUROC")->bound, "thresholds");
	/* an effect "grad" would make its result a context; the hook says it for overrides */
	assert_int_equal(method("torchmetrics.MeanMetric", "update")->effect_count, 0);
	assert_string_equal(hook("torchmetrics.Metric", "update")->grad, "off");
	assert_int_equal(effect(method("torchmetrics.MeanMetric", "reset"), EFFECT_RESET)->on, MODEL_SELF);
}

static void use_proves_what_a_receiver_is(void **state)
{
	assert_int_equal(model_any_method(&model, STR("parameters"))->proves, KIND_MODULE);
	assert_int_equal(model_any_method(&model, STR("zero_grad"))->proves, KIND_MODULE | KIND_OPTIMIZER);
	assert_int_equal(model_any_method(&model, STR("item"))->proves, KIND_TENSOR);
	assert_null(model_any_method(&model, STR("state_dict")));
}

static void imports_make_a_file_worth_reading(void **state)
{
	assert_true(map_has(&model.imports, STR("torch")));
	assert_true(map_has(&model.imports, STR("lightning")));
	assert_false(map_has(&model.imports, STR("numpy")));
	assert_non_null(model.module_name_pattern);
}

static bool result_class_exists(struct str name, void *value, void *context)
{
	const struct model_rule *rule = value;

	if (rule->returns.class_name)
		class(rule->returns.class_name);
	return true;
}

static bool class_is_sound(struct str name, void *value, void *context)
{
	struct model_class *found = value;

	if (found->base)
		class(found->base);
	map_each(&found->methods, result_class_exists, NULL);
	map_each(&found->fields, result_class_exists, NULL);
	if (found->call)
		result_class_exists(name, found->call, NULL);
	return true;
}

static bool alias_leads_somewhere(struct str name, void *value, void *context)
{
	const char *target = value;

	assert_string_equal(model_canonical(&model, target), target);
	if (!model_call(&model, target) && !model_class_get(&model, target))
		fail_msg("alias '%.*s' leads to '%s', of which nothing is known", STR_ARG(name), target);
	return true;
}

/* A misspelt one would make an entry silently do nothing. */
static void what_entries_refer_to_exists(void **state)
{
	map_each(&model.calls, result_class_exists, NULL);
	map_each(&model.call_prefixes, result_class_exists, NULL);
	map_each(&model.methods, result_class_exists, NULL);
	map_each(&model.classes, class_is_sound, NULL);
	map_each(&model.class_prefixes, class_is_sound, NULL);
	map_each(&model.aliases, alias_leads_somewhere, NULL);
}

/* A folder with one file of TEXT, loaded behind the embedded ones. */
static bool load(const char *text, struct model *own, struct err *err)
{
	struct temp_tree tree;

	temp_tree_init(&tree);
	temp_tree_file("own.json", text);
	struct model_extra extra = {.folder = tree.folder};
	bool ok = model_init(own, &extra, err);
	temp_tree_release(&tree);
	return ok;
}

static void a_folder_adds_to_what_is_known(void **state)
{
	struct model own;
	struct err err = {0};

	assert_true(load("{\"imports\": [\"mylib\"], \"entries\": ["
			 "{\"call\": [\"mylib.keep\", \"torch.relu\"], \"returns\": {\"kind\": \"number\", \"graph\": \"no\"},"
			 " \"store\": [{\"into\": \"0\", \"op\": \"append\", \"value\": \"1\"}]},"
			 "{\"class\": \"mylib.*\", \"role\": \"metric|list\"}]}",
			 &own, &err));
	assert_true(map_has(&own.imports, STR("mylib")));
	assert_int_equal(model_call(&own, "torch.relu")->returns.kinds, KIND_NUMBER);
	assert_int_equal(model_call(&own, "torch.tanh")->returns.kinds, KIND_TENSOR);
	assert_int_equal(effect(model_call(&own, "mylib.keep"), EFFECT_STORE)->on, 0);
	assert_int_equal(model_class_get(&own, "mylib.Meter")->kinds, KIND_METRIC | KIND_CONTAINER);
	model_release(&own);
}

static void mistakes_are_named(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"{\"entries\": [{\"call\": \"a.b\", \"returns\": {\"kind\": \"tenser\"}}]}", "unknown kind 'tenser'"},
		{"{\"entries\": [{\"call\": \"a.b\", \"returns\": {\"graph\": \"opp\"}}]}", "unknown graph 'opp'"},
		{"{\"entries\": [{\"call\": \"a.b\", \"log\": \"first\"}]}", "unknown place 'first'"},
		{"{\"entries\": [{\"call\": \"a.b\", \"store\": {\"op\": \"put\"}}]}", "unknown store operation 'put'"},
		{"{\"entries\": [{\"role\": \"list\"}]}", "none of call, class, method, alias"},
		{"{\"imports\": []}", "no list 'entries'"},
		{"{\"entries\":\n [,]}", "not valid JSON at line 2"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct model own;
		struct err err = {0};

		assert_false(load(cases[i].text, &own, &err));
		assert_int_equal(err.code, ERR_CONFIG);
		assert_non_null(strstr(err.message, cases[i].message));
		assert_non_null(strstr(err.message, "own.json"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_operations_carry_the_graph),
		cmocka_unit_test(other_results_have_no_graph),
		cmocka_unit_test(losses_are_scalars_and_some_keep_more),
		cmocka_unit_test(pairs_of_values_and_indices_are_marked),
		cmocka_unit_test(modules_are_known_by_prefix_and_base),
		cmocka_unit_test(backward_consumes),
		cmocka_unit_test(optimizers_step_and_zero),
		cmocka_unit_test(grad_modes_are_told_apart),
		cmocka_unit_test(containers_keep_and_give_back),
		cmocka_unit_test(loggers_convert),
		cmocka_unit_test(hooks_say_where_they_run),
		cmocka_unit_test(metrics_with_list_state_are_marked),
		cmocka_unit_test(use_proves_what_a_receiver_is),
		cmocka_unit_test(imports_make_a_file_worth_reading),
		cmocka_unit_test(what_entries_refer_to_exists),
		cmocka_unit_test(a_folder_adds_to_what_is_known),
		cmocka_unit_test(mistakes_are_named),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
