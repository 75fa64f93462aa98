#include "cli/output.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

static bool write_failed(int number, struct err *err)
{
	const char *reason = strerror(number);

	if (number == EPIPE)
		_Exit(2);
	return err_set(err, ERR_WRITE, "cannot write to standard output: %c%s", tolower((unsigned char)reason[0]),
		       reason + 1);
}

bool output_write(struct buf *text, struct err *err)
{
	bool written;

	if (text->length == 0)
		return true;
	errno = 0;
	written = fwrite(text->bytes, 1, text->length, stdout) == text->length && fflush(stdout) == 0;
	if (!written)
		return write_failed(errno, err);
	buf_reset(text);
	return true;
}

int output_finish(struct buf *text)
{
	struct err err;

	if (output_write(text, &err))
		return 0;
	message_error("%s", err.message);
	return 2;
}
