#include "cli/option.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os.h"
#include "base/nearest.h"
#include "base/str.h"

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

static void text_add(struct reader *reader, struct setting_texts *texts, const char *text)
{
	const char **items = ARENA_ARRAY(&reader->result->arena, const char *, texts->count + 1);

	if (texts->count)
		memcpy(items, texts->items, texts->count * sizeof *items);
	items[texts->count++] = text;
	texts->items = items;
}

static bool takes_nothing(const struct option_row *row)
{
	return row->kind == OPTION_FLAG || row->kind == OPTION_OWN_FLAG || row->kind == OPTION_ON || row->kind == OPTION_OFF;
}

static bool set_value(struct reader *reader, const struct option_row *row, const char *text, const char *shown)
{
	void *value = reader->values + row->offset;

	switch (row->kind) {
	case OPTION_FLAG:
	case OPTION_OWN_FLAG:
		*(bool *)value = true;
		return true;
	case OPTION_TEXT:
		*(const char **)value = text;
		return true;
	case OPTION_CHOICE:
	case OPTION_OWN_CHOICE:
		return set_choice(value, row->choices, text, shown, reader->err);
	case OPTION_NUMBER:
		return set_number(value, OPTION_NUMBER_LIMIT, text, shown, reader->err);
	case OPTION_COUNT:
		return set_number(value, OPTION_COUNT_LIMIT, text, shown, reader->err);
	case OPTION_TEXTS:
	case OPTION_SETTING:
		text_add(reader, value, text);
		return true;
	case OPTION_ON:
	case OPTION_OFF:
		text_add(reader, value, row->kind == OPTION_ON ? "true" : "false");
		return true;
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
	if (takes_nothing(row) && equals)
		ok = err_set(reader->err, ERR_USAGE, "option '%s' takes no value", buf_text(&shown));
	else if (row->argument && row->argument[0] == '[' && !equals)
		ok = set_value(reader, row, "", buf_text(&shown));
	else if (takes_nothing(row))
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
		if (!takes_nothing(row))
			return take_value(reader, row, letter[1] ? letter + 1 : NULL, shown);
		set_value(reader, row, NULL, shown);
	}
	return true;
}

/* Sets what the environment says: flags to anything but "", "0", "no", "off" and "false". Options that add up, TEXTS, are
 * set after the others, and only where the command line says nothing of them. */
static bool read_environment(struct reader *reader, bool texts)
{
	static const char *const off[] = {"", "0", "no", "off", "false"};
	bool ok = true;

	for (const struct option_row *row = reader->rows; ok && !is_last(row); row++) {
		char *name = arena_format(&reader->result->arena, "VRAMLINT_%s", row->name ? row->name : "");
		bool is_off = false;
		const char *text;

		if (!row->name || row->kind >= OPTION_SETTING || (row->kind == OPTION_TEXTS) != texts)
			continue;
		if (texts && ((struct setting_texts *)(void *)(reader->values + row->offset))->count)
			continue;
		for (char *c = name; *c; c++)
			*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
		text = os_env(name);
		for (size_t i = 0; text && i < sizeof off / sizeof *off; i++)
			is_off |= strcmp(text, off[i]) == 0;
		if (text && (row->kind == OPTION_FLAG ? !is_off : *text != '\0'))
			ok = set_value(reader, row, text, name);
	}
	return ok;
}

bool option_parse(const struct option_row *rows, int count, char *const *arguments, void *values,
		  struct option_result *result, struct err *err)
{
	struct reader reader = {rows, arguments, count, 0, values, result, err};
	bool only_operands = false;

	*result = (struct option_result){.operands = mem_new((size_t)count + 1, sizeof *result->operands)};
	arena_init(&result->arena);
	if (!read_environment(&reader, false))
		return false;
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
	return result->help || read_environment(&reader, true);
}

void option_result_release(struct option_result *result)
{
	free(result->operands);
	arena_release(&result->arena);
	result->operands = NULL;
	result->operand_count = 0;
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
	if (out->length - start >= COLUMN - 1) {
		buf_add_char(out, '\n');
		start = out->length;
	}
	buf_add_repeat(out, ' ', COLUMN - (out->length - start));
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
