/* Fields of JSON that cJSON has read, by their path. What is returned is borrowed from the tree. */
#ifndef VRAMLINT_TEXT_JSON_FIELD_H
#define VRAMLINT_TEXT_JSON_FIELD_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/* The member that PATH leads to: "textDocument.uri"; NULL where it is missing or null. */
const cJSON *field(const cJSON *object, const char *path);
const char *field_text(const cJSON *object, const char *path); /* NULL where it is no string */
bool field_is_true(const cJSON *object, const char *path);
/* A whole number; FALLBACK where it is none. */
int64_t field_number(const cJSON *object, const char *path, int64_t fallback);
/* The same of ITEM itself, which may be NULL. */
int64_t field_whole(const cJSON *item, int64_t fallback);
/* Whether the list at PATH holds the string TEXT. */
bool field_has(const cJSON *object, const char *path, const char *text);

#endif
