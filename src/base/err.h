/* One error a person can act on: what failed, on what, why.
 *
 * Messages are lower case, without full stop, subject in quotes:
 * "cannot read 'x.py': permission denied". A function that can fail returns
 * bool or NULL and fills its last parameter; callers may add context. */
#ifndef VRAMLINT_BASE_ERR_H
#define VRAMLINT_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>

enum err_code {
	ERR_NONE,
	ERR_USAGE,   /* a bad option or argument */
	ERR_CONFIG,  /* a bad configuration, rule or data file */
	ERR_READ,    /* a file or folder that cannot be read */
	ERR_WRITE,   /* output that cannot be written */
	ERR_DECODE,  /* bytes that are not text in the encoding they claim */
	ERR_BINARY,  /* not text at all */
	ERR_FOREIGN, /* in another language than Python */
	ERR_TOO_BIG, /* larger than this program takes on */
	ERR_PARSE,   /* text that is not what it should be */
	ERR_LIMIT    /* a limit of time, depth or size was met */
};

struct err {
	enum err_code code;
	char message[512]; /* NUL-terminated, cut with "..." where too long */
};

/* Sets *ERR and returns false, so that callers may write: return err_set(err, ERR_READ, "…"). ERR may be NULL. */
bool err_set(struct err *err, enum err_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Puts "CONTEXT: " before the message that *ERR holds; returns false. */
bool err_context(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
