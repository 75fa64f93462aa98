#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "cli/ci.h"
#include "report/guard.h"
#include "report/visible.h"

/* In one write, so that lines of several processes on one terminal do not mix. */
static void print(const char *kind, const char *format, va_list args)
{
	struct buf text = BUF_INIT;
	struct buf line = BUF_INIT;
	struct buf guarded = BUF_INIT;

	buf_format_list(&text, format, args);
	buf_format(&line, "vramlint: %s: ", kind);
	visible_add(&line, buf_get(&text));
	buf_add_char(&line, '\n');
	if (ci_reads_commands())
		guard_add(&guarded, buf_get(&line));
	else
		buf_add_str(&guarded, buf_get(&line));
	fwrite(guarded.bytes, 1, guarded.length, stderr);
	buf_release(&guarded);
	buf_release(&line);
	buf_release(&text);
}

void message_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print("error", format, args);
	va_end(args);
}

void message_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print("note", format, args);
	va_end(args);
}

void message_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print("warning", format, args);
	va_end(args);
}

