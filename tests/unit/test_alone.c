/* A definition parsed alone, from nothing but its own lines, gives what it gives within its file: the same ir, the same
 * candidates of queries, the same facts. */
#include "flow_fixture.h"

#include "base/embedded.h"
#include "base/os.h"
#include "ir_dump.h"
#include "py/query.h"

static const char *const files[] = {
	"tests/cases/a/002-trainer-total.leak.py",         /* a trainer class */
	"tests/cases/a/014-closure-nonlocal.leak.py",      /* functions in functions */
	"tests/cases/a/058-lightning-val-outputs.leak.py", /* a Lightning module */
	"tests/cases/a/092-deferred-report-lambda.leak.py",
	"tests/cases/b/118-override-drops-decorator.leak.py",
	"examples/train.py",
};

static struct query_set *queries;

static int set_up(void **state)
{
	struct query_source sources[64];
	struct err err = {0};
	size_t count = 0;

	flow_set_up(state);
	for (size_t i = 0; i < embedded_file_count && count < 64; i++)
		if (str_starts(str_from(embedded_files[i].name), "queries/"))
			sources[count++] = (struct query_source){embedded_files[i].name, str_from(embedded_files[i].text)};
	queries = query_set_new(flow_grammar.language, sources, count, &err);
	if (!queries)
		print_error("%s\n", err.message);
	return queries ? 0 : -1;
}

static int tear_down(void **state)
{
	query_set_free(queries);
	return flow_tear_down(state);
}

/* Where the text of a definition alone begins in its file, and that text made parseable: under `if 1:` where it is
 * indented. */
static uint32_t cut(const char *text, struct span span, struct buf *out)
{
	uint32_t line = span.start;

	while (line > 0 && text[line - 1] != '\n')
		line--;
	buf_reset(out);
	if (line < span.start)
		buf_add_text(out, "if 1:\n");
	uint32_t offset = line - (uint32_t)out->length; /* may wrap around; so does adding it */
	buf_add(out, text + line, span.end - line);
	buf_add_char(out, '\n');
	return offset;
}

static TSNode alone_node(TSTree *tree, bool indented)
{
	TSNode node = ts_node_named_child(ts_tree_root_node(tree), 0);

	assert_false(ts_node_has_error(ts_tree_root_node(tree)));
	return indented ? ts_node_named_child(ts_node_child_by_field_name(node, "consequence", 11), 0) : node;
}

static TSNode node_at(TSNode root, struct span span)
{
	TSNode node = ts_node_named_descendant_for_byte_range(root, span.start, span.end);

	assert_int_equal(ts_node_start_byte(node), span.start);
	assert_int_equal(ts_node_end_byte(node), span.end);
	return node;
}

/* A module with one definition, NODE, and nothing else. */
static void lower_in_module(struct flow *flow, TSNode node)
{
	struct stmt *statement = ARENA_NEW(&flow->arena, struct stmt);
	struct def *module = ARENA_NEW(&flow->arena, struct def);

	flow->lower.defs = mem_resize(NULL, 16, sizeof *flow->lower.defs);
	flow->lower.def_room = 16;
	flow->lower.defs[flow->lower.def_count++] = module;
	module->kind = DEF_MODULE;
	module->body.stmts = ARENA_ARRAY(&flow->arena, struct stmt *, 1);
	module->body.stmts[0] = statement;
	module->body.count = 1;
	statement->kind = STMT_DEF;
	statement->def = lower_def(&flow->lower, node, module);
	statement->span = statement->def->span;
	module->locals = &statement->def->name;
	module->local_count = 1;
	module->local_table_size = 2;
	module->local_table = ARENA_ARRAY(&flow->arena, uint32_t, 2);
	module->local_table[str_hash(statement->def->name) & 1] = 1;
	flow->module = module;
}

/* A parser and an arena with nothing in them yet. */
static void flow_open(struct flow *flow, const char *text, uint32_t offset)
{
	struct err err;

	memset(flow, 0, sizeof *flow);
	arena_init(&flow->arena);
	buf_init(&flow->out);
	py_parser_init(&flow->parser);
	flow->text = arena_dup(&flow->arena, text);
	flow->tree = py_parse(&flow->parser, str_from(flow->text), NULL, &err);
	assert_non_null(flow->tree);
	flow->lower = (struct lower){.parser = &flow->parser,
				     .grammar = &flow_grammar,
				     .text = str_from(flow->text),
				     .arena = &flow->arena,
				     .offset = offset};
}

static const char *ir_text(struct flow *flow, const struct def *def)
{
	buf_reset(&flow->out);
	ir_dump_def(&flow->out, def);
	return buf_text(&flow->out);
}

/* The candidates below NODE that begin within SPAN. */
static const char *candidates_text(struct flow *flow, TSNode node, uint32_t offset, struct span span)
{
	struct query_match_list list = {0};
	TSQueryCursor *cursor = ts_query_cursor_new();

	query_set_run(queries, cursor, node, str_from(flow->text), offset, &list);
	buf_reset(&flow->out);
	for (size_t i = 0; i < list.count; i++) {
		const struct query_match *match = &list.items[i];

		if (match->captures[0].span.start < span.start || match->captures[0].span.end > span.end)
			continue;
		buf_format(&flow->out, "%u", match->source);
		for (uint32_t k = 0; k < match->capture_count; k++)
			buf_format(&flow->out, " @%s %u:%u", match->captures[k].name, match->captures[k].span.start,
				   match->captures[k].span.end);
		buf_add_char(&flow->out, '\n');
	}
	free(list.items);
	ts_query_cursor_delete(cursor);
	return buf_text(&flow->out);
}

static void add_span(struct buf *out, const char *what, const struct span *span)
{
	if (span)
		buf_format(out, " %s %u:%u", what, span->start, span->end);
}

/* Everything that a rule or a message could ask of each fact. */
static const char *facts_text(struct flow *flow)
{
	buf_reset(&flow->out);
	for (size_t i = 0; i < flow->judgement.count; i++) {
		const struct fact *fact = &flow->judgement.facts[i];
		const struct event *event = fact->event;

		buf_format(&flow->out, "%s '%.*s' proof %d graph %d buffers %d growth %d mode %d flags %d%d%d%d%d%d%d",
			   fact_kind_name(fact->kind), STR_ARG(event->name), (int)fact->proof, (int)fact->graph,
			   (int)fact->buffers, (int)fact->growth, fact->mode, fact->view, fact->scalar, fact->on_device,
			   fact->grad_off, fact->elsewhere, fact->rebuilt, fact->kept_by_owner);
		add_span(&flow->out, "where", &fact->where);
		add_span(&flow->out, "event", &event->node);
		add_span(&flow->out, "made", &event->value.made);
		add_span(&flow->out, "in", fact->where_def ? &fact->where_def->head : NULL);
		add_span(&flow->out, "loop", fact->loop ? &fact->loop->span : NULL);
		if (fact->loop)
			buf_format(&flow->out, " %s", loop_kind_name(flow->judgement.loops[fact->loop->id]));
		add_span(&flow->out, "holder", fact->holder ? &fact->holder->span : NULL);
		add_span(&flow->out, "site", fact->site ? &fact->site->span : NULL);
		add_span(&flow->out, "walked", fact->consumption ? &fact->consumption->node : NULL);
		add_span(&flow->out, "reset", fact->reset ? &fact->reset->node : NULL);
		buf_add_char(&flow->out, '\n');
	}
	return buf_text(&flow->out);
}

struct seen {
	size_t definitions, candidates, facts, indented, decorated;
};

/* DEF is from the whole file WHOLE. */
static void compare(struct flow *whole, const struct def *def, const char *file, struct seen *seen)
{
	struct buf own = BUF_INIT;
	struct flow alone, within;
	uint32_t offset = cut(whole->text, def->span, &own);
	bool indented = str_starts(buf_get(&own), "if 1:");

	flow_open(&alone, buf_text(&own), offset);
	flow_open(&within, whole->text, 0);
	TSNode alone_def = alone_node(alone.tree, indented);
	TSNode within_def = node_at(ts_tree_root_node(within.tree), def->span);
	lower_in_module(&alone, alone_def);
	lower_in_module(&within, within_def);
	if (strcmp(ir_text(whole, def), ir_text(&alone, alone.lower.defs[1])) != 0)
		fail_msg("%s: '%.*s' alone lowers to\n%s\nbut to this in its file\n%s", file, STR_ARG(def->name),
			 buf_text(&alone.out), buf_text(&whole->out));
	assert_int_equal(alone.lower.expr_count, within.lower.expr_count);
	assert_string_equal(candidates_text(whole, ts_tree_root_node(whole->tree), 0, def->span),
			    candidates_text(&alone, alone_def, offset, def->span));
	seen->candidates += alone.out.length > 0;
	flow_run(&alone, str_from(whole->text));
	flow_run(&within, str_from(whole->text));
	assert_string_equal(facts_text(&alone), facts_text(&within));
	seen->facts += alone.judgement.count;
	seen->definitions++;
	seen->indented += indented;
	seen->decorated += def->decorator_count > 0;
	flow_release(&alone);
	flow_release(&within);
	buf_release(&own);
}

static void each_definition(const char *file, struct seen *seen)
{
	struct buf text = BUF_INIT;
	struct err err = {0};
	struct flow whole;

	if (!os_read_file(file, 1u << 20, &text, &err))
		fail_msg("%s (run from the root of the repository)", err.message);
	flow_open(&whole, buf_text(&text), 0);
	whole.module = lower_def(&whole.lower, ts_tree_root_node(whole.tree), NULL);
	for (uint32_t i = 0; i < whole.lower.def_count; i++) {
		const struct def *def = whole.lower.defs[i];

		if (def->kind == DEF_FUNCTION || def->kind == DEF_CLASS)
			compare(&whole, def, file, seen);
	}
	flow_release(&whole);
	buf_release(&text);
}

static void real_definitions_alone_are_as_within_their_file(void **state)
{
	struct seen all = {0};
	size_t files_with_facts = 0;

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct seen seen = {0};

		each_definition(files[i], &seen);
		all.definitions += seen.definitions;
		all.indented += seen.indented;
		all.decorated += seen.decorated;
		all.candidates += seen.candidates;
		all.facts += seen.facts;
		files_with_facts += seen.facts > 0;
	}
	/* equal nothings would show nothing */
	assert_true(all.definitions >= 20);
	assert_true(all.candidates >= 20);
	assert_true(all.indented >= 8);
	assert_true(all.decorated >= 1);
	assert_true(all.facts >= 10);
	assert_true(files_with_facts >= 3);
}

static void every_case_alone_is_as_within_its_file(void **state)
{
	static const char *const folders[] = {"tests/cases/a", "tests/cases/b"};
	struct seen seen = {0};

	for (size_t f = 0; f < 2; f++) {
		struct os_entry *entries;
		struct arena arena;
		struct err err = {0};
		size_t count;

		arena_init(&arena);
		if (!os_list(folders[f], &arena, &entries, &count, &err))
			fail_msg("%s (run from the root of the repository)", err.message);
		for (size_t i = 0; i < count; i++)
			if (str_ends(str_from(entries[i].name), ".leak.py"))
				each_definition(arena_format(&arena, "%s/%s", folders[f], entries[i].name), &seen);
		arena_release(&arena);
	}
	assert_true(seen.definitions > 200);
	assert_true(seen.decorated > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_definitions_alone_are_as_within_their_file),
		cmocka_unit_test(every_case_alone_is_as_within_its_file),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
