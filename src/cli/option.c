#include "cli/option.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/nearest.h"

/* The arguments as they are read. */
struct reader {
	const struct option_row *rows;
	char *const *arguments;
	int count;
	int next;
	char *values;
	struct option_result *result;
	struct err *err;
};

static bool is_last(const struct option_row *row)
{
	return !row->name && !row->letter;
}

static const struct option_row *find_name(const struct option_row *rows, struct str name)
{
	for (; !is_last(rows); rows++) {
		if (rows->name && str_is(name, rows->name))
			return rows;
	}
	return NULL;
}

static const struct option_row *find_letter(const struct option_row *rows, char letter)
{
	for (; !is_last(rows); rows++) {
		if (rows->letter == letter)
			return rows;
	}
	return NULL;
}

static bool set_number(int *value, int limit, const char *text, const char *shown, struct err *err)
{
	int number = 0;
	bool is_number = *text != '\0';

	for (const char *c = text; *c && is_number; c++) {
		is_number = *c >= '0' && *c <= '9';
		number = number * 10 + (*c - '0');
		if (is_number && number > limit)
			is_number = false;
	}
	if (!is_number)
		return err_set(err, ERR_USAGE, "option '%s' takes a number from 0 to %d, not '%s'", shown,
			       limit, text);
	*value = number;
	return true;
}

static bool set_choice(int *value, const struct option_choice *choices, const char *text, const char *shown,
		       struct err *err)
{
	struct buf names = BUF_INIT;

	for (const struct option_choice *choice = choices; choice->name; choice++) {
		if (strcmp(choice->name, text) == 0) {
			*value = choice->value;
			buf_release(&names);
			return true;
		}
		if (choice != choices)
			buf_add_text(&names, choice[1].name ? ", " : " or ");
		buf_add_text(&names, choice->name);
	}
	err_set(err, ERR_USAGE, "option '%s' takes %s, not '%s'", shown, buf_text(&names), text);
	buf_release(&names);
	return false;
}

static void list_add(struct option_list *list, const char *text)
{
	list->items = mem_resize(list->items, list->count + 1, sizeof *list->items);
	list->items[list->count++] = text;
}

static bool set_value(struct reader *reader, const struct option_row *row, const char *text, const char *shown)
{
	void *value = reader->values + row->offset;

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)value = true;
		return true;
	case OPTION_TEXT:
		*(const char **)value = text;
		return true;
	case OPTION_LIST:
		list_add(value, text);
		return true;
	case OPTION_CHOICE:
		return set_choice(value, row->choices, text, shown, reader->err);
	case OPTION_NUMBER:
		return set_number(value, OPTION_NUMBER_LIMIT, text, shown, reader->err);
	case OPTION_COUNT:
		return set_number(value, OPTION_COUNT_LIMIT, text, shown, reader->err);
	}
	BUG("an option of no kind");
}

/* Sets ROW from TEXT or, where that is NULL, from the next argument. */
static bool take_value(struct reader *reader, const struct option_row *row, const char *text, const char *shown)
{
	if (!text) {
		if (reader->next == reader->count)
			return err_set(reader->err, ERR_USAGE, "option '%s' needs a value, %s", shown,
				       row->argument);
		text = reader->arguments[reader->next++];
	}
	return set_value(reader, row, text, shown);
}

static bool unknown_name(struct reader *reader, struct str name)
{
	struct nearest nearest;

	nearest_init(&nearest, name);
	for (const struct option_row *row = reader->rows; !is_last(row); row++) {
		if (row->name)
			nearest_offer(&nearest, row->name);
	}
	nearest_offer(&nearest, "help");
	if (nearest.best)
		return err_set(reader->err, ERR_USAGE, "unknown option '--%.*s'; did you mean '--%s'?", STR_ARG(name),
			       nearest.best);
	return err_set(reader->err, ERR_USAGE, "unknown option '--%.*s'", STR_ARG(name));
}

/* "--name" or "--name=value" */
static bool read_long(struct reader *reader, const char *argument)
{
	const char *equals = strchr(argument, '=');
	struct str name = {argument + 2, (equals ? (size_t)(equals - argument) : strlen(argument)) - 2};
	const struct option_row *row = find_name(reader->rows, name);
	struct buf shown = BUF_INIT;
	bool ok;

	if (!row && str_is(name, "help")) {
		reader->result->help = true;
		return true;
	}
	if (!row)
		return unknown_name(reader, name);
	buf_format(&shown, "--%s", row->name);
	if (row->kind == OPTION_FLAG && equals)
		ok = err_set(reader->err, ERR_USAGE, "option '%s' takes no value", buf_text(&shown));
	else if (row->argument && row->argument[0] == '[' && !equals)
		ok = set_value(reader, row, "", buf_text(&shown));
	else if (row->kind == OPTION_FLAG)
		ok = set_value(reader, row, NULL, buf_text(&shown));
	else
		ok = take_value(reader, row, equals ? equals + 1 : NULL, buf_text(&shown));
	buf_release(&shown);
	return ok;
}

/* "-q", "-qj4", "-j 4" */
static bool read_short(struct reader *reader, const char *argument)
{
	for (const char *letter = argument + 1; *letter; letter++) {
		const char shown[] = {'-', *letter, '\0'};
		const struct option_row *row = find_letter(reader->rows, *letter);

		if (!row && *letter == 'h') {
			reader->result->help = true;
			return true;
		}
		if (!row && letter == argument + 1)
			return err_set(reader->err, ERR_USAGE, "unknown option '%s'", argument);
		if (!row)
			return err_set(reader->err, ERR_USAGE, "unknown option '%s' in '%s'", shown, argument);
		if (row->kind != OPTION_FLAG)
			return take_value(reader, row, letter[1] ? letter + 1 : NULL, shown);
		set_value(reader, row, NULL, shown);
	}
	return true;
}

bool option_parse(const struct option_row *rows, int count, char *const *arguments, void *values,
		  struct option_result *result, struct err *err)
{
	struct reader reader = {rows, arguments, count, 0, values, result, err};
	bool only_operands = false;

	*result = (struct option_result){mem_new((size_t)count + 1, sizeof *result->operands), 0, false};
	while (reader.next < count && !result->help) {
		const char *argument = arguments[reader.next++];
		bool ok = true;

		if (only_operands || argument[0] != '-' || argument[1] == '\0')
			result->operands[result->operand_count++] = argument;
		else if (strcmp(argument, "--") == 0)
			only_operands = true;
		else if (argument[1] == '-')
			ok = read_long(&reader, argument);
		else
			ok = read_short(&reader, argument);
		if (!ok)
			return false;
	}
	return true;
}

void option_result_release(struct option_result *result)
{
	free(result->operands);
	result->operands = NULL;
	result->operand_count = 0;
}

void option_list_release(struct option_list *list)
{
	free(list->items);
	*list = (struct option_list){NULL, 0};
}

/* "  -j, --threads N" */
static void add_form(struct buf *out, const struct option_row *row)
{
	if (row->letter)
		buf_format(out, "  -%c", row->letter);
	else
		buf_add_text(out, "    ");
	if (row->name)
		buf_format(out, "%s --%s", row->letter ? "," : " ", row->name);
	if (row->argument)
		buf_format(out, "%s%s", row->argument[0] == '[' ? "" : " ", row->argument);
}

static void add_row(struct buf *out, const struct option_row *row)
{
	enum { COLUMN = 30 };
	size_t start = out->length;

	add_form(out, row);
	buf_add_repeat(out, ' ', out->length - start < COLUMN - 1 ? COLUMN - (out->length - start) : 1);
	buf_add_text(out, row->help);
	buf_add_char(out, '\n');
}

const struct option_row *option_row_get(const struct option_row *rows, size_t index)
{
	static const struct option_row help = {"help", 'h', OPTION_FLAG, NULL, "print this help", 0, NULL};

	for (; !is_last(rows); rows++, index--) {
		if (index == 0)
			return rows;
	}
	return index == 0 ? &help : NULL;
}

bool option_takes_value(const struct option_row *row)
{
	/* "--add-ignore[=REASON]" stands alone as well */
	return row->argument && row->argument[0] != '[';
}

void option_add_help(const struct option_row *rows, struct buf *out)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_row_get(rows, i)); i++)
		add_row(out, row);
}
