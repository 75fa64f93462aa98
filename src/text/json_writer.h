/* Writes JSON, escaped and correctly nested, to a buffer.
 *
 *	json_object_begin(&w); json_key(&w, "line"); json_int(&w, 3); json_object_end(&w);
 *
 * Commas are the writer's business. Compact, no trailing spaces. Bytes that are not UTF-8 become U+FFFD; characters that
 * control a terminal, turn or hide text are written as escapes. */
#ifndef VRAMLINT_TEXT_JSON_WRITER_H
#define VRAMLINT_TEXT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

struct json_writer {
	struct buf *out;     /* borrowed */
	bool needs_comma;
};

void json_writer_init(struct json_writer *writer, struct buf *out);
void json_object_begin(struct json_writer *writer);
void json_object_end(struct json_writer *writer);
void json_array_begin(struct json_writer *writer);
void json_array_end(struct json_writer *writer);
void json_key(struct json_writer *writer, const char *key);
void json_text(struct json_writer *writer, const char *text); /* NULL writes null */
void json_str(struct json_writer *writer, struct str text);
void json_int(struct json_writer *writer, int64_t number);
void json_bool(struct json_writer *writer, bool value);
/* VALUE, which is JSON already. */
void json_raw(struct json_writer *writer, struct str value);
/* A key with its value, or with what opens it. */
void json_member_text(struct json_writer *writer, const char *key, const char *text);
void json_member_int(struct json_writer *writer, const char *key, int64_t number);
/* A number that is not known where it is negative: then null. */
void json_member_known(struct json_writer *writer, const char *key, int64_t number);
void json_member_bool(struct json_writer *writer, const char *key, bool value);
void json_member_object(struct json_writer *writer, const char *key);
void json_member_array(struct json_writer *writer, const char *key);

#endif
