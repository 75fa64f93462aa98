#include "rule/lookup.h"

#include "lower_fixture.h"

static struct lookup lookup;

static void look_in(const char *text)
{
	lowered(text);
	lookup = (struct lookup){.lower = &flow.lower};
}

static int looked(void **state)
{
	lookup_release(&lookup);
	return done(state);
}

/* The place of the definition of NAME in SPAN among all, or -1. */
static int defined_in(const char *name, struct span span)
{
	const struct def *def = lookup_definition(&lookup, str_from(name), span);

	return def ? (int)def->index : -1;
}

static int defined(const char *name)
{
	return defined_in(name, (struct span){0, UINT32_MAX});
}

static void imported_from(const char *name, const char *dotted)
{
	const struct import *import = lookup_import(&lookup, str_from(name));

	if (!import != !dotted || (import && !str_is(import->dotted, dotted)))
		fail_msg("'%s' comes from '%.*s'", name, import ? (int)import->dotted.length : 0, import ? import->dotted.at : "");
}

static void definitions_are_found_by_name(void **state)
{
	look_in("# def none\n'''def none'''\n@d\nclass A:\n    async def f(self):\n        def inner(): none()\n"
		"if x:\n    def g(): return lambda none: [none for none in y]\nnone = 1\n");
	assert_int_equal(defined("A"), 1);
	assert_int_equal(defined("f"), 2);
	assert_int_equal(defined("inner"), 3);
	assert_int_equal(defined("g"), 4);
	assert_int_equal(defined("none"), -1);
	assert_int_equal(defined("lambda"), -1);
	assert_int_equal(defined("inne"), -1);
	assert_int_equal(defined("inner2"), -1);
	assert_int_equal(defined(""), -1);
}

static void of_several_the_first_in_the_span_counts(void **state)
{
	look_in("class A:\n    def f(): pass\nclass B:\n    def e():\n        def f(): pass\n    def f(): pass\ndef f(): pass\n");
	assert_int_equal(defined("f"), 2);
	assert_int_equal(defined_in("f", flow.lower.defs[1]->span), 2);
	assert_int_equal(defined_in("f", flow.lower.defs[3]->span), 5);
	assert_int_equal(defined_in("e", flow.lower.defs[1]->span), -1);
	assert_int_equal(defined_in("A", flow.lower.defs[3]->span), -1);
	/* one that lies in it as far as to the end of its name */
	assert_int_equal(defined_in("f", flow.lower.defs[7]->head), 7);
	assert_int_equal(defined_in("f", (struct span){flow.lower.defs[7]->head.start, flow.lower.defs[7]->head.end - 1}), -1);
}

static void imports_are_found_by_what_they_bind_and_where_that_is(void **state)
{
	look_in("import os, mine.train as go\nfrom torch.optim import Adam as Optimizer\n"
		"def f():\n    if x:\n        from .near import (torch, a)\n    from .. import b\n    from c.d import *\n    from .g import *\n# import e\n");
	imported_from("os", "os");
	imported_from("go", "mine.train");
	imported_from("mine", "mine.train");
	imported_from("train", "mine.train");
	imported_from("Optimizer", "torch.optim.Adam");
	imported_from("Adam", "torch.optim.Adam");
	imported_from("optim", "torch.optim.Adam");
	imported_from("torch", "torch.optim.Adam"); /* the first */
	imported_from("a", ".near.a");
	imported_from("near", NULL);
	imported_from("b", "..b");
	imported_from("c", "c.d");
	imported_from("d", "c.d");
	imported_from("e", NULL);
	imported_from("f", NULL);
	imported_from("g", NULL);
	imported_from("torch.optim", NULL);
}

static void nothing_is_found_where_nothing_is(void **state)
{
	look_in("");
	assert_int_equal(defined("f"), -1);
	imported_from("f", NULL);
	/* and nothing is made of a file before somebody asks */
	look_in("import a\ndef f(): pass\n");
	assert_null(lookup.definitions.items);
	assert_null(lookup.imports.items);
	assert_int_equal(defined("f"), 1);
	imported_from("a", "a");
}

static void names_that_are_many_are_found(void **state)
{
	struct buf text = BUF_INIT;
	enum { COUNT = 3000 };

	for (int i = 0; i < COUNT; i++)
		buf_format(&text, "import package%d\nclass name%d:\n    def run(): pass\n", i, i);
	look_in(buf_text(&text));
	for (int i = 0; i < COUNT; i++) {
		buf_reset(&text);
		buf_format(&text, "name%d", i);
		assert_int_equal(defined(buf_text(&text)), 1 + 2 * i);
		assert_int_equal(defined_in("run", flow.lower.defs[1 + 2 * i]->span), 2 + 2 * i);
		buf_reset(&text);
		buf_format(&text, "package%d", i);
		imported_from(buf_text(&text), buf_text(&text));
	}
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(definitions_are_found_by_name, looked),
		cmocka_unit_test_teardown(of_several_the_first_in_the_span_counts, looked),
		cmocka_unit_test_teardown(imports_are_found_by_what_they_bind_and_where_that_is, looked),
		cmocka_unit_test_teardown(nothing_is_found_where_nothing_is, looked),
		cmocka_unit_test_teardown(names_that_are_many_are_found, looked),
	};

	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
