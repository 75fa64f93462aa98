#include "py/query_text.h"

#include <string.h>

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
	return at < text.length ? at + 1 : text.length;
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

static size_t skip_name(struct str text, size_t at)
{
	while (at < text.length && !strchr(" \t\r\n\f;()[]@\"", text.at[at]))
		at++;
	return at;
}

static bool begins_pattern(struct str text, size_t at)
{
	return at == text.length || text.at[at] == '(' || text.at[at] == '[';
}

bool query_text_next(struct str text, size_t *at, struct query_part *part)
{
	size_t start = skip_space(text, *at), end = start, name = 0, captures = 0;

	*part = (struct query_part){.text = {text.at + start, text.length - start}, .body = STR(""), .name = STR("")};
	if (start == text.length)
		return false;
	*at = text.length;
	if (!begins_pattern(text, start))
		return true;
	end = skip_group(text, start);
	size_t behind = skip_space(text, end), last = end;
	for (; behind < text.length && text.at[behind] == '@'; behind = skip_space(text, last)) {
		name = behind + 1;
		last = skip_name(text, name);
		captures++;
	}
	if (!begins_pattern(text, behind))
		return true;
	*at = behind;
	part->text.length = last - start;
	struct str body = {text.at + start, end - start};
	if (captures == 1 && query_text_captures_root(part->text) && !memchr(body.at, '#', body.length)) {
		part->body = body;
		part->name = (struct str){text.at + name, last - name};
	}
	return true;
}

bool query_text_captures_root(struct str text)
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
