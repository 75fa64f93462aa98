#include "lsp/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

/* ---- text that cJSON can take ---- */

/* The number of "\uXXXX" at AT, or -1. */
static long escape_at(struct str body, size_t at)
{
	char digits[5] = {0}, *end;
	long code;

	if (at + 6 > body.length || body.at[at] != '\\' || body.at[at + 1] != 'u')
		return -1;
	memcpy(digits, body.at + at + 2, 4);
	if (strspn(digits, "0123456789abcdefABCDEF") != 4)
		return -1;
	code = strtol(digits, &end, 16);
	return code;
}

static bool is_high(long code)
{
	return code >= 0xD800 && code < 0xDC00;
}

static bool is_low(long code)
{
	return code >= 0xDC00 && code < 0xE000;
}

/* Appends what stands at AT, an escape; returns its length. */
static size_t escape_repair(struct str body, size_t at, struct buf *out)
{
	long code = escape_at(body, at);
	size_t length = code < 0 ? 2 : 6;
	const char *instead = NULL;

	if (is_high(code) && is_low(escape_at(body, at + 6)))
		length = 12;
	else if (is_high(code) || is_low(code))
		instead = "\\ufffd";
	else if (code == 0)
		instead = "\\u0001";
	if (at + length > body.length)
		length = body.length - at;
	buf_add_str(out, instead ? str_from(instead) : (struct str){body.at + at, length});
	return length;
}

static bool needs_look(char c)
{
	return (unsigned char)c >= 0x80 || c == '\\' || c == '\0';
}

static void repair(struct str body, struct buf *out)
{
	for (size_t at = 0, start = 0; at < body.length; start = at) {
		size_t length;

		while (at < body.length && !needs_look(body.at[at]))
			at++;
		buf_add(out, body.at + start, at - start);
		if (at == body.length)
			return;
		if (body.at[at] == '\\') {
			at += escape_repair(body, at, out);
			continue;
		}
		length = body.at[at] ? str_utf8_length(body, at) : 0;
		if (length)
			buf_add(out, body.at + at, length);
		else
			buf_add_char(out, '?');
		at += length ? length : 1;
	}
}

/* ---- messages ---- */

/* Sets the parts of MESSAGE; false where it is none of JSON-RPC 2.0. */
static bool parts_find(struct message *message)
{
	const cJSON *id = cJSON_GetObjectItemCaseSensitive(message->root, "id");

	if (!cJSON_IsObject(message->root))
		return false;
	message->method = field_text(message->root, "method");
	message->params = field(message->root, "params");
	if (cJSON_IsString(id) || cJSON_IsNumber(id))
		message->id = id;
	if (message->method)
		return !id || message->id || cJSON_IsNull(id);
	return message->id && (cJSON_HasObjectItem(message->root, "result") || field(message->root, "error"));
}

struct message *message_new(struct str body, struct err *err)
{
	struct buf text = BUF_INIT;
	struct message *message = NULL;
	const char *end;
	cJSON *root;

	repair(body, &text);
	root = cJSON_ParseWithLengthOpts(buf_text(&text), text.length + 1, &end, true);
	buf_release(&text);
	if (!root) {
		err_set(err, ERR_PARSE, "a message is no JSON");
		return NULL;
	}
	message = mem_new(1, sizeof *message);
	message->root = root;
	message->size = body.length;
	if (!parts_find(message)) {
		cJSON_Delete(root);
		*message = (struct message){.size = body.length};
	}
	return message;
}

void message_free(struct message *message)
{
	if (!message)
		return;
	cJSON_Delete(message->root);
	free(message);
}
