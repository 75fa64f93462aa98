#include "flow_fixture.h"

#include <stdlib.h>

/* ---- ir as text: all of it, so that two that read the same are the same ---- */

static struct buf out;

static void show_block(const struct block *block);

static void show_name(struct str name)
{
	buf_format(&out, " '%.*s'", STR_ARG(name));
}

static void show_expr(const struct expr *e)
{
	if (!e) {
		buf_add_text(&out, " -");
		return;
	}
	buf_format(&out, " (%d%c %u-%u %lld", e->kind, e->op ? e->op : ' ', e->span.start, e->span.end, (long long)e->number);
	show_name(e->name);
	for (uint16_t i = 0; i < e->count; i++)
		show_expr(e->items[i]);
	for (uint16_t i = 0; i < e->clause_count; i++) {
		buf_format(&out, " for %u-%u", e->clauses[i].span.start, e->clauses[i].span.end);
		show_expr(e->clauses[i].target);
		show_expr(e->clauses[i].iterable);
		show_expr(e->clauses[i].condition);
	}
	if (e->def) {
		buf_format(&out, " def %d %u-%u in %u", e->def->kind, e->def->span.start, e->def->span.end, e->def->parent->span.start);
		show_block(&e->def->body);
	}
	buf_add_char(&out, ')');
}

static void show_stmt(const struct stmt *s)
{
	buf_format(&out, "\n%d %c %d %u-%u", s->kind, s->op ? s->op : ' ', s->is_async, s->span.start, s->span.end);
	for (uint16_t i = 0; i < s->target_count; i++)
		show_expr(s->targets[i]);
	show_expr(s->value);
	show_expr(s->annotation);
	for (uint32_t i = 0; i < s->handler_count; i++) {
		buf_format(&out, " except %u-%u", s->handlers[i].span.start, s->handlers[i].span.end);
		show_name(s->handlers[i].name);
		show_expr(s->handlers[i].type);
		show_block(&s->handlers[i].body);
		for (uint32_t k = 0; k < s->handlers[i].bound_count; k++)
			show_name(s->handlers[i].bound[k]);
	}
	for (uint32_t i = 0; i < s->item_count; i++) {
		show_expr(s->items[i].value);
		show_expr(s->items[i].target);
	}
	for (uint32_t i = 0; i < s->import_count; i++) {
		show_name(s->imports[i].name);
		show_name(s->imports[i].dotted);
	}
	if (s->def)
		buf_format(&out, " def %u", s->def->index);
	show_block(&s->body);
	show_block(&s->other);
	show_block(&s->final);
}

static void show_block(const struct block *block)
{
	buf_add_text(&out, " {");
	for (uint32_t i = 0; i < block->count; i++)
		show_stmt(block->stmts[i]);
	buf_add_char(&out, '}');
}

static void show_def(const struct def *def)
{
	buf_format(&out, "\ndef %d %u %u-%u %u-%u in %d %d%d%d%d", def->kind, def->index, def->span.start, def->span.end, def->head.start,
		   def->head.end, def->parent ? (int)def->parent->index : -1, def->is_async, def->is_generator, def->has_inner,
		   def->truncated);
	show_name(def->name);
	for (uint32_t i = 0; i < def->param_count; i++) {
		buf_format(&out, " %d%d", def->params[i].kind, def->params[i].keyword_only);
		show_name(def->params[i].name);
		show_expr(def->params[i].fallback);
		show_expr(def->params[i].annotation);
	}
	for (uint32_t i = 0; i < def->decorator_count; i++)
		show_expr(def->decorators[i]);
	for (uint32_t i = 0; i < def->base_count; i++)
		show_expr(def->bases[i]);
	for (uint32_t i = 0; i < def->local_count; i++) {
		show_name(def->locals[i]);
		assert_int_equal(def_local(def, def->locals[i]), i);
	}
	for (uint32_t i = 0; i < def->outer_count; i++)
		show_name(def->outer[i]);
	show_block(&def->body);
}

static bool show_called(struct str key, void *value, void *context)
{
	show_name(key);
	return true;
}

static bool show_asked(struct str key, void *value, void *context)
{
	show_name(key);
	for (const struct asked_method *asked = value; asked; asked = asked->next)
		buf_format(&out, ".%.*s", STR_ARG(asked->name));
	return true;
}

static const char *shown(const struct lower *lower)
{
	buf_reset(&out);
	for (uint32_t i = 0; i < lower->def_count; i++)
		show_def(lower->defs[i]);
	for (size_t i = 0; i < lower->named.count; i++)
		buf_format(&out, "\nnamed %u", lower->named.items[i]->index);
	for (size_t i = 0; i < lower->imports.count; i++)
		show_stmt(lower->imports.items[i]);
	buf_format(&out, "\n%u %d", lower->expr_count, lower->truncated);
	map_each(&lower->called, show_called, NULL);
	map_each(&lower->asked, show_asked, NULL);
	return buf_text(&out);
}

/* ---- lowering again and again ---- */

static struct lower_memory memory;
static struct lower again;
static struct arena arena;
static TSTree *tree;
static struct py_parser parser;

static int begin(void **state)
{
	arena_init(&arena);
	py_parser_init(&parser);
	return 0;
}

static void end_text(void)
{
	lower_release(&again);
	ts_tree_delete(tree);
	arena_reset(&arena);
	tree = NULL;
}

static int end(void **state)
{
	end_text();
	lower_memory_release(&memory);
	assert_int_equal(memory.before.count, 0);
	memset(&again, 0, sizeof again);
	arena_release(&arena);
	py_parser_release(&parser);
	buf_release(&out);
	return 0;
}

/* Lowers TEXT with the memory; what comes of it must be what comes of TEXT alone. */
static void lower_again(const char *text)
{
	struct err err;
	char *own = strdup(text); /* gone with the next one */
	char *remembered;
	struct flow alone;

	end_text();
	tree = py_parse(&parser, str_from(own), NULL, &err);
	again = (struct lower){.parser = &parser, .grammar = &flow_grammar, .text = arena_dup_str(&arena, str_from(own)), .arena = &arena,
			       .memory = &memory};
	lower_def(&again, ts_tree_root_node(tree), NULL);
	free(own);
	remembered = strdup(shown(&again));
	flow_lower(&alone, text);
	assert_string_equal(remembered, shown(&alone.lower));
	free(remembered);
	lower_release(&alone.lower);
	ts_tree_delete(alone.tree);
	py_parser_release(&alone.parser);
	arena_release(&alone.arena);
}

static const struct def *def_named(const char *name)
{
	for (uint32_t i = 0; i < again.def_count; i++)
		if (str_is(again.defs[i]->name, name))
			return again.defs[i];
	fail_msg("no %s", name);
	return NULL;
}

#define ALL                                                                                                            \
	"@h(lambda q: q, key=[w for w in s])\n"                                                                        \
	"async def f(a, *b, c: int = g(1), **d):\n"                                                                    \
	"    global k\n"                                                                                               \
	"    async with x.open() as y, z: await y\n"                                                                   \
	"    try: yield 'é' % f'{a!r:>{c}}'\n"                                                                         \
	"    except (A, B) as e: raise\n"                                                                              \
	"    match a:\n"                                                                                               \
	"        case {'u': [v, *_]} if v: import m.n as o\n"                                                          \
	"    def inner(t=lambda: 1):\n"                                                                                \
	"        return {p: p.step() for p in a if p}\n"                                                               \
	"    class Inner:\n"                                                                                           \
	"        def method(self): self.n = t[1:2]\n"                                                                  \
	"    return inner\n"

static void what_has_not_changed_is_taken_as_it_is(void **state)
{
	const struct def *f, *plain;

	lower_again(ALL "def plain(): pass\nx = f(1)\n");
	f = def_named("f");
	plain = def_named("plain");
	lower_again("import torch\n\n" ALL "def plain(): pass\nx = f(2)\n");
	assert_ptr_equal(def_named("f"), f);
	assert_ptr_equal(def_named("plain"), plain);
	lower_again("def plain(): pass\n" ALL "x = f(2)\n");
	assert_ptr_equal(def_named("f"), f);
	assert_ptr_equal(def_named("plain"), plain);
	lower_again("def plain(): pass\n");
	assert_ptr_equal(def_named("plain"), plain);
	end_text();
	assert_int_equal(memory.before.count, 1); /* the other is gone */
}

static void methods_are_functions_as_well(void **state)
{
	const struct def *one, *other;

	lower_again("class A(B):\n    n = 1\n    def one(self): self.x()\n    @p\n    def other(self): pass\n");
	one = def_named("one");
	other = def_named("other");
	lower_again("class A(B):\n    n = 2 + 1\n    def one(self): self.x()\n    @p\n    def other(self): return 1\n");
	assert_ptr_equal(def_named("one"), one);
	assert_ptr_not_equal(def_named("other"), other);
	lower_again("if x:\n    class C:\n        pass\n    def one(self): self.x()\n");
	assert_ptr_equal(def_named("one"), one); /* of another parent */
	lower_again("def one(self): self.x()\n");
	assert_ptr_not_equal(def_named("one"), one); /* what is below it would be indented otherwise */
}

static void twins_are_two(void **state)
{
	const char *twins = "def f(): return g()\ndef f(): return g()\nclass A:\n    def f(): return g()\nclass B:\n    def f(): return g()\n";

	lower_again(twins);
	lower_again(twins);
	lower_again("x = 1\ndef f(): return g()\n");
	lower_again(twins);
}

static void functions_that_bind_names_around_them_are_not_kept(void **state)
{
	const struct def *f;

	lower_again("def f(a=(n := 1)): return n\n");
	f = def_named("f");
	lower_again("def f(a=(n := 1)): return n\n");
	assert_ptr_not_equal(def_named("f"), f);
	assert_true(def_local(again.defs[0], STR("n")) >= 0);
}

static void what_was_repaired_is_not_kept(void **state)
{
	const char *text = "def f():\n    g(\n    return 1\ndef k(): pass\n";
	const struct def *k;

	lower_again(text);
	assert_int_equal(memory.now.count, 1);
	k = def_named("k");
	lower_again(text);
	assert_ptr_equal(def_named("k"), k);
}

static void names_that_nobody_calls_any_more_are_forgotten(void **state)
{
	lower_again("def f(): a.m(); a.n(); g()\ndef k(): a.o()\n");
	assert_true(map_has(&again.called, STR("g")));
	lower_again("def f(): a.m()\ndef k(): a.o()\n");
	assert_false(map_has(&again.called, STR("g")));
	assert_true(map_has(&again.called, STR("o")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_has_not_changed_is_taken_as_it_is, begin, end),
		cmocka_unit_test_setup_teardown(methods_are_functions_as_well, begin, end),
		cmocka_unit_test_setup_teardown(twins_are_two, begin, end),
		cmocka_unit_test_setup_teardown(functions_that_bind_names_around_them_are_not_kept, begin, end),
		cmocka_unit_test_setup_teardown(what_was_repaired_is_not_kept, begin, end),
		cmocka_unit_test_setup_teardown(names_that_nobody_calls_any_more_are_forgotten, begin, end),
	};

	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
