#include "py/query.h"

#include <stdlib.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include "base/buf.h"
#include "base/vec.h"

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

struct pattern {
	uint32_t source;
	struct test *tests;
	uint32_t test_count;
};

struct query_set {
	struct arena arena;
	TSQuery *query;
	struct pattern *patterns;
	uint32_t pattern_count;
	const char **captures;
	uint32_t capture_count;
	bool *has; /* by source × capture */
	size_t source_count;
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

/* ---- the text of a pattern ---- */

static size_t skip_space(struct str text, size_t at)
{
	while (at < text.length && (strchr(" \t\r\n\f", text.at[at]) || text.at[at] == ';')) {
		if (text.at[at] == ';')
			while (at < text.length && text.at[at] != '\n')
				at++;
		else
			at++;
	}
	return at;
}

/* Behind the text in quotes at AT. */
static size_t skip_quoted(struct str text, size_t at)
{
	for (at++; at < text.length && text.at[at] != '"'; at++)
		at += text.at[at] == '\\';
	return at + 1;
}

/* Behind what is in parentheses or brackets at AT. */
static size_t skip_group(struct str text, size_t at)
{
	int depth = 0;
	do {
		at = skip_space(text, at);
		if (at >= text.length)
			break;
		char c = text.at[at];
		depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
		at = c == '"' ? skip_quoted(text, at) : at + 1;
	} while (depth > 0);
	return at;
}

/* Whether the pattern TEXT captures its outermost node, and asks nothing of what is around that. */
static bool captures_root(struct str text)
{
	for (size_t at = skip_space(text, 0); at < text.length && (text.at[at] == '(' || text.at[at] == '[');) {
		size_t behind = skip_space(text, skip_group(text, at));
		if (behind < text.length && text.at[behind] == '@')
			return text.at[at] == '(' && text.at[skip_space(text, at + 1)] != '(';
		if (text.at[at] == '[')
			return false;
		at = skip_space(text, at + 1); /* a group with its predicates */
	}
	return false;
}

struct query_set *query_set_new(const TSLanguage *language, const struct query_source *sources, size_t count,
				struct err *err)
{
	struct query_set *set = mem_new(1, sizeof *set);
	struct buf all = BUF_INIT;
	uint32_t offset = 0;
	TSQueryError kind = TSQueryErrorNone;
	arena_init(&set->arena);
	for (size_t i = 0; i < count; i++) {
		buf_add_str(&all, sources[i].text);
		buf_add_char(&all, '\n');
	}
	set->query = ts_query_new(language, buf_text(&all), (uint32_t)all.length, &offset, &kind);
	if (!set->query) {
		report_error(language, sources, count, err);
		buf_release(&all);
		query_set_free(set);
		return NULL;
	}
	set->identity = str_hash(buf_get(&all)) | 1;
	set->is_local = true;
	for (uint32_t i = 0; i < ts_query_pattern_count(set->query); i++) {
		uint32_t start = ts_query_start_byte_for_pattern(set->query, i), end = ts_query_end_byte_for_pattern(set->query, i);
		set->is_local &= ts_query_is_pattern_rooted(set->query, i) &&
				 captures_root((struct str){buf_text(&all) + start, end - start});
	}
	buf_release(&all);
	set->source_count = count;
	set->capture_count = ts_query_capture_count(set->query);
	set->captures = ARENA_ARRAY(&set->arena, const char *, set->capture_count + 1);
	set->has = ARENA_ARRAY(&set->arena, bool, (count + 1) * (set->capture_count + 1));
	for (uint32_t i = 0; i < set->capture_count; i++) {
		uint32_t length;
		const char *name = ts_query_capture_name_for_id(set->query, i, &length);
		set->captures[i] = arena_dup_bytes(&set->arena, name, length);
	}
	set->pattern_count = ts_query_pattern_count(set->query);
	set->patterns = ARENA_ARRAY(&set->arena, struct pattern, set->pattern_count + 1);
	for (uint32_t i = 0; i < set->pattern_count; i++) {
		uint32_t at = ts_query_start_byte_for_pattern(set->query, i), source = 0;
		while (source + 1 < count && at > sources[source].text.length) {
			at -= (uint32_t)sources[source].text.length + 1;
			source++;
		}
		set->patterns[i].source = source;
		if (!read_pattern(set, i, sources[source].name, err)) {
			query_set_free(set);
			return NULL;
		}
		for (uint32_t c = 0; c < set->capture_count; c++)
			if (ts_query_capture_quantifier_for_id(set->query, i, c) != TSQuantifierZero)
				set->has[source * set->capture_count + c] = true;
	}
	return set;
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
	arena_release(&set->arena);
	free(set);
}

bool query_set_has_capture(const struct query_set *set, uint32_t source, struct str name)
{
	for (uint32_t c = 0; c < set->capture_count; c++)
		if (str_is(name, set->captures[c]) && set->has[source * set->capture_count + c])
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

static void add_match(const struct query_set *set, const TSQueryMatch *match, uint32_t offset,
		      struct query_match_list *matches)
{
	struct query_match out = {.source = set->patterns[match->pattern_index].source, .pattern = match->pattern_index};
	for (uint16_t i = 0; i < match->capture_count && out.capture_count < QUERY_CAPTURES; i++) {
		TSNode node = match->captures[i].node;
		out.captures[out.capture_count++] =
			(struct query_capture){set->captures[match->captures[i].index],
					       {ts_node_start_byte(node) + offset, ts_node_end_byte(node) + offset}};
	}
	VEC_ADD(matches, out);
}

void query_set_run(const struct query_set *set, TSQueryCursor *cursor, TSNode node, struct str text, uint32_t offset,
		   struct query_match_list *matches)
{
	TSQueryMatch match;
	ts_query_cursor_exec(cursor, set->query, node);
	while (ts_query_cursor_next_match(cursor, &match)) {
		const struct pattern *pattern = &set->patterns[match.pattern_index];
		bool holds = true;
		for (uint32_t i = 0; i < pattern->test_count && holds; i++)
			holds = test_holds(&pattern->tests[i], &match, text);
		if (holds)
			add_match(set, &match, offset, matches);
	}
}

/* ---- again ---- */

/* A match is packed into 1 + 2 × captures words: pattern and number of captures; start, length and number of each capture. */
enum { PATTERN_SHIFT = 8, CAPTURE_BITS = 8, LONGEST = 1 << (32 - CAPTURE_BITS) };

void query_memory_release(struct query_memory *memory)
{
	free(memory->words);
	memset(memory, 0, sizeof *memory);
}

static uint32_t capture_number(const struct query_set *set, const char *name)
{
	uint32_t i = 0;
	while (set->captures[i] != name)
		i++;
	return i;
}

/* Remembers MATCHES from number FIRST on. */
static void remember(const struct query_set *set, const struct query_match_list *matches, size_t first,
		     struct query_memory *memory)
{
	size_t words = 0;
	for (size_t i = first; i < matches->count; i++)
		words += 1 + 2 * matches->items[i].capture_count;
	if (words > memory->room) {
		memory->room = words + words / 8;
		free(memory->words);
		memory->words = mem_resize(NULL, memory->room, sizeof *memory->words);
	}
	uint32_t *at = memory->words;
	for (size_t i = first; i < matches->count; i++) {
		const struct query_match *match = &matches->items[i];
		*at++ = match->pattern << PATTERN_SHIFT | match->capture_count;
		for (uint32_t k = 0; k < match->capture_count; k++) {
			struct span span = match->captures[k].span;
			*at++ = span.start;
			*at++ = (span.end - span.start) << CAPTURE_BITS | capture_number(set, match->captures[k].name);
		}
	}
	memory->count = words;
	memory->queries = set->identity;
}

/* Adds what MEMORY has before, or behind, what has changed. */
static void recall(const struct query_set *set, const struct query_memory *memory, const struct query_change *change,
		   bool behind, struct query_match_list *matches)
{
	uint32_t shift = behind ? change->now.end - change->before.end : 0;
	for (size_t at = 0; at < memory->count;) {
		struct query_match match = {.pattern = memory->words[at] >> PATTERN_SHIFT};
		uint32_t count = memory->words[at] & ((1u << PATTERN_SHIFT) - 1);
		const uint32_t *word = &memory->words[at + 1];
		at += 1 + 2 * (size_t)count;
		uint32_t start = word[0], end = start + (word[1] >> CAPTURE_BITS);
		if (behind ? start < change->before.end : end > change->before.start)
			continue;
		match.source = set->patterns[match.pattern].source;
		match.capture_count = count;
		for (uint32_t k = 0; k < count; k++, word += 2) {
			start = word[0] + shift;
			match.captures[k] = (struct query_capture){set->captures[word[1] & ((1u << CAPTURE_BITS) - 1)],
								   {start, start + (word[1] >> CAPTURE_BITS)}};
		}
		VEC_ADD(matches, match);
	}
}

/* What touches the edge of a change counts as changed. */
static struct span widened(struct span span, struct str text)
{
	return (struct span){span.start ? span.start - 1 : 0, span.end < text.length ? span.end + 1 : span.end};
}

void query_set_run_again(const struct query_set *set, TSQueryCursor *cursor, TSNode node, struct str text,
			 const struct query_change *change, struct query_memory *memory, struct query_match_list *matches)
{
	size_t first = matches->count;
	bool fits = set->is_local && set->capture_count < 1u << CAPTURE_BITS && text.length < LONGEST;
	bool knows = fits && change && memory->queries == set->identity;
	if (knows) {
		struct query_change wide = {change->before, widened(change->now, text)};
		wide.before.start -= change->now.start - wide.now.start;
		wide.before.end += wide.now.end - change->now.end;
		recall(set, memory, &wide, false, matches);
		ts_query_cursor_set_byte_range(cursor, wide.now.start, wide.now.end);
		query_set_run(set, cursor, node, text, 0, matches);
		ts_query_cursor_set_byte_range(cursor, 0, UINT32_MAX);
		recall(set, memory, &wide, true, matches);
	} else {
		query_set_run(set, cursor, node, text, 0, matches);
	}
	if (ts_query_cursor_did_exceed_match_limit(cursor)) {
		/* what was lost hangs on what was searched at the same time */
		if (knows) {
			matches->count = first;
			query_set_run(set, cursor, node, text, 0, matches);
		}
		fits = false;
	}
	memory->queries = 0;
	if (fits)
		remember(set, matches, first, memory);
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
