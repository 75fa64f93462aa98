#include "py/query.h"

#include <stdlib.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include "base/buf.h"
#include "base/vec.h"
#include "py/query_text.h"

enum test_kind { TEST_MATCH, TEST_EQUAL, TEST_ANY_OF };

struct test {
	enum test_kind kind;
	bool negated;
	uint32_t capture;
	uint32_t other;      /* capture compared with, or UINT32_MAX */
	struct str *texts;
	uint32_t text_count;
	pcre2_code *pattern;
};

/* A pattern of a source that a compiled one stands for. */
struct meaning {
	uint32_t source;
	uint32_t number;  /* of the pattern among those of all sources */
	const char *name; /* of the first capture; NULL: as compiled */
};

struct pattern {
	const struct meaning *meanings;
	size_t meaning_count;
	struct test *tests;
	uint32_t test_count;
};

/* The patterns of SOURCE capture something as NAME. */
struct has_capture {
	uint32_t source;
	const char *name;
};

struct query_set {
	struct arena arena;
	TSQuery *query;
	struct pattern *patterns;
	uint32_t pattern_count;
	const char **captures;
	uint32_t capture_count;
	VEC(struct has_capture) has;
	uint64_t identity; /* of its texts, not 0 */
	bool is_local; /* what a pattern matches hangs on its first capture alone */
};

static const char *const error_words[] = {"", "syntax error", "no node is called that", "no field is called that",
					  "no capture is called that", "such a structure cannot be", "the language is unknown"};

static void place_in(struct str text, uint32_t offset, uint32_t *line, uint32_t *column)
{
	*line = *column = 1;
	for (uint32_t i = 0; i < offset && i < text.length; i++) {
		*column = text.at[i] == '\n' ? 1 : *column + 1;
		*line += text.at[i] == '\n';
	}
}

/* Together an unclosed query runs on into the next one; each alone shows which it is. */
static bool report_error(const TSLanguage *language, const struct query_source *sources, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t line, column, offset = 0;
		TSQueryError kind = TSQueryErrorNone;
		TSQuery *alone = ts_query_new(language, sources[i].text.at, (uint32_t)sources[i].text.length, &offset, &kind);
		if (alone) {
			ts_query_delete(alone);
			continue;
		}
		place_in(sources[i].text, offset, &line, &column);
		return err_set(err, ERR_CONFIG, "cannot use '%s': line %u, column %u: %s", sources[i].name, line, column,
			       error_words[kind <= TSQueryErrorLanguage ? kind : 1]);
	}
	return err_set(err, ERR_CONFIG, "cannot use the queries: %s", error_words[1]);
}

static struct str string_value(const struct query_set *set, uint32_t id)
{
	uint32_t length;
	const char *text = ts_query_string_value_for_id(set->query, id, &length);
	return (struct str){text, length};
}

static bool compile_pattern(struct test *test, const char *name, struct err *err)
{
	int code;
	PCRE2_SIZE at;
	test->pattern = pcre2_compile((PCRE2_SPTR)test->texts[0].at, test->texts[0].length, PCRE2_UTF, &code, &at, NULL);
	if (test->pattern) {
		pcre2_jit_compile(test->pattern, PCRE2_JIT_COMPLETE);
		return true;
	}
	PCRE2_UCHAR message[160];
	pcre2_get_error_message(code, message, sizeof message);
	return err_set(err, ERR_CONFIG, "cannot use '%s': pattern '%.*s': %s", name, STR_ARG(test->texts[0]), (char *)message);
}

/* One predicate: its name, a capture, then texts or another capture. */
static bool read_test(struct query_set *set, const TSQueryPredicateStep *steps, uint32_t count, struct test *test,
		      const char *name, struct err *err)
{
	struct str op = count ? string_value(set, steps[0].value_id) : STR("");
	test->negated = str_starts(op, "not-");
	struct str base = test->negated ? (struct str){op.at + 4, op.length - 4} : op;
	bool known = true;
	if (str_is(base, "match?"))
		test->kind = TEST_MATCH;
	else if (str_is(base, "eq?"))
		test->kind = TEST_EQUAL;
	else if (str_is(base, "any-of?"))
		test->kind = TEST_ANY_OF;
	else
		known = false;
	if (!known || count < 3 || steps[1].type != TSQueryPredicateStepTypeCapture)
		return err_set(err, ERR_CONFIG, "cannot use '%s': predicate '#%.*s' is unknown or lacks its capture", name,
			       STR_ARG(op));
	test->capture = steps[1].value_id;
	test->other = UINT32_MAX;
	test->texts = ARENA_ARRAY(&set->arena, struct str, count);
	for (uint32_t i = 2; i < count; i++) {
		if (steps[i].type == TSQueryPredicateStepTypeCapture)
			test->other = steps[i].value_id;
		else if (steps[i].type == TSQueryPredicateStepTypeString)
			test->texts[test->text_count++] = string_value(set, steps[i].value_id);
	}
	if (test->kind == TEST_MATCH)
		return test->text_count && compile_pattern(test, name, err);
	return true;
}

static bool read_pattern(struct query_set *set, uint32_t index, const char *name, struct err *err)
{
	struct pattern *pattern = &set->patterns[index];
	uint32_t count;
	const TSQueryPredicateStep *steps = ts_query_predicates_for_pattern(set->query, index, &count);
	pattern->tests = ARENA_ARRAY(&set->arena, struct test, count + 1);
	for (uint32_t start = 0; start < count;) {
		uint32_t end = start;
		while (end < count && steps[end].type != TSQueryPredicateStepTypeDone)
			end++;
		if (!read_test(set, steps + start, end - start, &pattern->tests[pattern->test_count++], name, err))
			return false;
		start = end + 1;
	}
	return true;
}

/* A part of the text that is compiled. */
struct chunk {
	struct str body; /* of a pattern that others may say as well, else empty */
	uint32_t start;
	VEC(struct meaning) meanings;
};

struct chunks {
	VEC(struct chunk) list;
	struct buf text;
	uint32_t parts;
};

static void chunks_release(struct chunks *chunks)
{
	for (size_t i = 0; i < chunks->list.count; i++)
		VEC_RELEASE(&chunks->list.items[i].meanings);
	VEC_RELEASE(&chunks->list);
	buf_release(&chunks->text);
}

/* The patterns of a part that is not understood are numbered from its number on. */
enum { PART_SHIFT = 10 };

static void add_part(struct query_set *set, struct chunks *chunks, uint32_t source, const struct query_part *part)
{
	struct meaning meaning = {source, chunks->parts++ << PART_SHIFT, NULL};
	struct chunk *chunk = NULL;
	if (part->body.length)
		meaning.name = arena_dup_str(&set->arena, part->name).at;
	for (size_t i = 0; part->body.length && i < chunks->list.count && !chunk; i++)
		if (str_equal(chunks->list.items[i].body, part->body))
			chunk = &chunks->list.items[i];
	if (!chunk) {
		VEC_ADD(&chunks->list, ((struct chunk){.body = part->body, .start = (uint32_t)chunks->text.length}));
		chunk = &chunks->list.items[chunks->list.count - 1];
		buf_add_str(&chunks->text, part->text);
		buf_add_char(&chunks->text, '\n');
	}
	VEC_ADD(&chunk->meanings, meaning);
}

static void note_capture(struct query_set *set, uint32_t source, const char *name)
{
	VEC_ADD(&set->has, ((struct has_capture){source, name}));
}

/* Sets what the compiled pattern INDEX, which lies in CHUNK as number WITHIN, stands for. */
static void mean(struct query_set *set, uint32_t index, const struct chunk *chunk, uint32_t within)
{
	struct pattern *pattern = &set->patterns[index];
	struct meaning *meanings = ARENA_ARRAY(&set->arena, struct meaning, chunk->meanings.count);
	uint32_t root = UINT32_MAX; /* capture */
	pattern->meanings = meanings;
	pattern->meaning_count = chunk->meanings.count;
	for (size_t i = 0; i < chunk->meanings.count; i++) {
		meanings[i] = chunk->meanings.items[i];
		meanings[i].number += within;
		if (meanings[i].name)
			note_capture(set, meanings[i].source, meanings[i].name);
	}
	for (uint32_t c = 0; meanings[0].name && c < set->capture_count; c++)
		if (strcmp(set->captures[c], meanings[0].name) == 0)
			root = c;
	for (uint32_t c = 0; c < set->capture_count; c++)
		for (size_t i = 0; c != root && i < pattern->meaning_count; i++)
			if (ts_query_capture_quantifier_for_id(set->query, index, c) != TSQuantifierZero)
				note_capture(set, meanings[i].source, set->captures[c]);
}

static bool read_patterns(struct query_set *set, const struct chunks *chunks, const struct query_source *sources,
			  struct err *err)
{
	uint32_t at = 0, within = 0;
	set->is_local = true;
	for (uint32_t i = 0; i < set->pattern_count; i++, within++) {
		uint32_t start = ts_query_start_byte_for_pattern(set->query, i), end = ts_query_end_byte_for_pattern(set->query, i);
		while (at + 1 < chunks->list.count && chunks->list.items[at + 1].start <= start) {
			at++;
			within = 0;
		}
		mean(set, i, &chunks->list.items[at], within);
		if (!read_pattern(set, i, sources[set->patterns[i].meanings[0].source].name, err))
			return false;
		set->is_local &= ts_query_is_pattern_rooted(set->query, i) &&
				 query_text_captures_root((struct str){buf_text(&chunks->text) + start, end - start});
	}
	return true;
}

struct query_set *query_set_new(const TSLanguage *language, const struct query_source *sources, size_t count,
				struct err *err)
{
	struct query_set *set = mem_new(1, sizeof *set);
	struct chunks chunks = {.text = BUF_INIT};
	struct query_part part;
	uint32_t offset = 0;
	TSQueryError kind = TSQueryErrorNone;
	bool ok = false;
	arena_init(&set->arena);
	for (size_t i = 0; i < count; i++)
		for (size_t at = 0; query_text_next(sources[i].text, &at, &part);)
			add_part(set, &chunks, (uint32_t)i, &part);
	set->query = ts_query_new(language, buf_text(&chunks.text), (uint32_t)chunks.text.length, &offset, &kind);
	if (!set->query) {
		report_error(language, sources, count, err);
		goto out;
	}
	set->identity = str_hash(buf_get(&chunks.text)) | 1;
	set->capture_count = ts_query_capture_count(set->query);
	set->captures = ARENA_ARRAY(&set->arena, const char *, set->capture_count + 1);
	for (uint32_t i = 0; i < set->capture_count; i++) {
		uint32_t length;
		const char *name = ts_query_capture_name_for_id(set->query, i, &length);
		set->captures[i] = arena_dup_bytes(&set->arena, name, length);
	}
	set->pattern_count = ts_query_pattern_count(set->query);
	set->patterns = ARENA_ARRAY(&set->arena, struct pattern, set->pattern_count + 1);
	ok = read_patterns(set, &chunks, sources, err);
out:
	chunks_release(&chunks);
	if (ok)
		return set;
	query_set_free(set);
	return NULL;
}

void query_set_free(struct query_set *set)
{
	if (!set)
		return;
	for (uint32_t i = 0; i < set->pattern_count; i++)
		for (uint32_t k = 0; k < set->patterns[i].test_count; k++)
			pcre2_code_free(set->patterns[i].tests[k].pattern);
	if (set->query)
		ts_query_delete(set->query);
	VEC_RELEASE(&set->has);
	arena_release(&set->arena);
	free(set);
}

bool query_set_has_capture(const struct query_set *set, uint32_t source, struct str name)
{
	for (size_t i = 0; i < set->has.count; i++)
		if (set->has.items[i].source == source && str_is(name, set->has.items[i].name))
			return true;
	return false;
}

static bool captured(const TSQueryMatch *match, uint32_t capture, struct str text, struct str *out)
{
	for (uint16_t i = 0; i < match->capture_count; i++) {
		if (match->captures[i].index != capture)
			continue;
		uint32_t start = ts_node_start_byte(match->captures[i].node), end = ts_node_end_byte(match->captures[i].node);
		if (end > text.length || start > end)
			return false;
		*out = (struct str){text.at + start, end - start};
		return true;
	}
	return false;
}

static bool regex_matches(const pcre2_code *pattern, struct str text)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	int rc = pcre2_match(pattern, (PCRE2_SPTR)text.at, text.length, 0, PCRE2_NO_UTF_CHECK, data, NULL);
	pcre2_match_data_free(data);
	return rc >= 0;
}

static bool test_holds(const struct test *test, const TSQueryMatch *match, struct str text)
{
	struct str value, other;
	bool holds = false;
	if (!captured(match, test->capture, text, &value))
		return true;
	if (test->kind == TEST_MATCH) {
		holds = regex_matches(test->pattern, value);
	} else if (test->other != UINT32_MAX) {
		holds = captured(match, test->other, text, &other) && str_equal(value, other);
	} else {
		for (uint32_t i = 0; i < test->text_count; i++)
			holds |= str_equal(value, test->texts[i]);
	}
	return holds != test->negated;
}

/* ---- packed matches ---- */

/* A match is packed into words: its pattern and number of captures; start, end and number of each capture. */
enum { COUNT_BITS = 8, CAPTURE_WORDS = 3, MATCH_WORDS = 1 + CAPTURE_WORDS * QUERY_CAPTURES };

static uint32_t captures_of(const uint32_t *words)
{
	return words[0] & ((1u << COUNT_BITS) - 1);
}

static void pack(const TSQueryMatch *match, uint32_t *words)
{
	uint32_t count = match->capture_count < QUERY_CAPTURES ? match->capture_count : QUERY_CAPTURES;
	*words++ = (uint32_t)match->pattern_index << COUNT_BITS | count;
	for (uint32_t i = 0; i < count; i++) {
		*words++ = ts_node_start_byte(match->captures[i].node);
		*words++ = ts_node_end_byte(match->captures[i].node);
		*words++ = match->captures[i].index;
	}
}

/* Appends all that the match in WORDS means. */
static void unpack(const struct query_set *set, const uint32_t *words, uint32_t offset, struct query_match_list *matches)
{
	const struct pattern *pattern = &set->patterns[words[0] >> COUNT_BITS];
	struct query_match out = {.capture_count = captures_of(words)};
	words++;
	for (uint32_t i = 0; i < out.capture_count; i++, words += CAPTURE_WORDS)
		out.captures[i] = (struct query_capture){set->captures[words[2]], {words[0] + offset, words[1] + offset}};
	for (size_t i = 0; i < pattern->meaning_count; i++) {
		out.source = pattern->meanings[i].source;
		out.pattern = pattern->meanings[i].number;
		if (pattern->meanings[i].name)
			out.captures[0].name = pattern->meanings[i].name;
		VEC_ADD(matches, out);
	}
}

static void keep(struct query_memory *memory, const uint32_t *words)
{
	size_t count = 1 + CAPTURE_WORDS * captures_of(words);
	if (memory->count + count > memory->room) {
		memory->room = memory->room ? memory->room + memory->room / 2 : 1024;
		memory->words = mem_resize(memory->words, memory->room, sizeof *memory->words);
	}
	memcpy(memory->words + memory->count, words, count * sizeof *words);
	memory->count += count;
}

/* Appends the matches below NODE, and keeps them in MEMORY, which may be NULL. */
static void run(const struct query_set *set, TSQueryCursor *cursor, TSNode node, struct str text, uint32_t offset,
		struct query_memory *memory, struct query_match_list *matches)
{
	uint32_t words[MATCH_WORDS];
	TSQueryMatch match;
	ts_query_cursor_exec(cursor, set->query, node);
	while (ts_query_cursor_next_match(cursor, &match)) {
		const struct pattern *pattern = &set->patterns[match.pattern_index];
		bool holds = true;
		for (uint32_t i = 0; i < pattern->test_count && holds; i++)
			holds = test_holds(&pattern->tests[i], &match, text);
		if (!holds)
			continue;
		pack(&match, words);
		if (memory)
			keep(memory, words);
		unpack(set, words, offset, matches);
	}
}

void query_set_run(const struct query_set *set, TSQueryCursor *cursor, TSNode node, struct str text, uint32_t offset,
		   struct query_match_list *matches)
{
	run(set, cursor, node, text, offset, NULL, matches);
}

/* ---- again ---- */

void query_memory_copy(struct query_memory *copy, const struct query_memory *memory)
{
	*copy = (struct query_memory){memory->queries, NULL, memory->count, memory->count};
	if (memory->count) {
		copy->words = mem_resize(NULL, memory->count, sizeof *copy->words);
		memcpy(copy->words, memory->words, memory->count * sizeof *copy->words);
	}
}

void query_memory_release(struct query_memory *memory)
{
	free(memory->words);
	memset(memory, 0, sizeof *memory);
}

/* Appends what OLD has before, or behind, what has changed, and keeps it in MEMORY. */
static void recall(const struct query_set *set, const struct query_memory *old, const struct query_change *change,
		   bool behind, struct query_memory *memory, struct query_match_list *matches)
{
	uint32_t shift = behind ? change->now.end - change->before.end : 0;
	uint32_t words[MATCH_WORDS];
	for (size_t at = 0, count; at < old->count; at += count) {
		const uint32_t *match = old->words + at;
		count = 1 + CAPTURE_WORDS * captures_of(match);
		/* the first capture is the outermost node */
		if (behind ? match[1] < change->before.end : match[2] > change->before.start)
			continue;
		memcpy(words, match, count * sizeof *words);
		for (size_t i = 1; i < count; i += CAPTURE_WORDS) {
			words[i] += shift;
			words[i + 1] += shift;
		}
		keep(memory, words);
		unpack(set, words, 0, matches);
	}
}

/* CHANGE with what touches its edges. */
static struct query_change widened(const struct query_change *change, struct str text)
{
	struct query_change wide = *change;
	uint32_t before = wide.now.start ? 1 : 0, behind = wide.now.end < text.length ? 1 : 0;
	wide.now.start -= before;
	wide.before.start -= before;
	wide.now.end += behind;
	wide.before.end += behind;
	return wide;
}

void query_set_run_again(const struct query_set *set, TSQueryCursor *cursor, TSNode node, struct str text,
			 const struct query_change *change, struct query_memory *memory, struct query_match_list *matches)
{
	struct query_memory next = {.queries = set->identity};
	size_t first = matches->count;
	bool knows = set->is_local && change && memory->queries == set->identity;
	if (knows) {
		struct query_change wide = widened(change, text);
		recall(set, memory, &wide, false, &next, matches);
		ts_query_cursor_set_byte_range(cursor, wide.now.start, wide.now.end);
		run(set, cursor, node, text, 0, &next, matches);
		ts_query_cursor_set_byte_range(cursor, 0, UINT32_MAX);
		recall(set, memory, &wide, true, &next, matches);
	} else {
		run(set, cursor, node, text, 0, set->is_local ? &next : NULL, matches);
	}
	bool exceeds = ts_query_cursor_did_exceed_match_limit(cursor);
	if (exceeds && knows) {
		/* what was lost hangs on what was searched at the same time */
		matches->count = first;
		run(set, cursor, node, text, 0, NULL, matches);
	}
	query_memory_release(memory);
	if (set->is_local && !exceeds)
		*memory = next;
	else
		query_memory_release(&next);
}

size_t query_matches_before(const struct query_match_list *matches, uint32_t start)
{
	size_t low = 0, high = matches->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (matches->items[middle].captures[0].span.start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool query_match_span(const struct query_match *match, const char *name, struct span *span)
{
	for (uint32_t i = 0; i < match->capture_count; i++)
		if (strcmp(match->captures[i].name, name) == 0) {
			*span = match->captures[i].span;
			return true;
		}
	return false;
}
