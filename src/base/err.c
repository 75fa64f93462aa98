#include "base/err.h"

#include <stdio.h>
#include <string.h>

/* Ends MESSAGE, of which the first SIZE - 1 bytes are kept, in "..." without cutting a UTF-8 sequence. */
static void message_cut(char *message, size_t size)
{
	size_t end = size - sizeof "...";

	while (end > 0 && ((unsigned char)message[end] & 0xC0) == 0x80)
		end--;
	memcpy(message + end, "...", sizeof "...");
}

static void message_format(char *message, size_t size, const char *format, va_list args)
{
	int length = vsnprintf(message, size, format, args);

	if (length < 0)
		snprintf(message, size, "an error whose text cannot be written");
	else if ((size_t)length >= size)
		message_cut(message, size);
}

bool err_set(struct err *err, enum err_code code, const char *format, ...)
{
	struct err made = {code, ""};
	va_list args;

	if (!err)
		return false;
	/* Not straight into *ERR: the arguments may point there. */
	va_start(args, format);
	message_format(made.message, sizeof made.message, format, args);
	va_end(args);
	*err = made;
	return false;
}

bool err_context(struct err *err, const char *format, ...)
{
	char context[sizeof err->message];
	struct err inner;
	va_list args;

	if (!err)
		return false;
	inner = *err;
	va_start(args, format);
	message_format(context, sizeof context, format, args);
	va_end(args);
	return err_set(err, inner.code, "%s: %s", context, inner.message);
}
