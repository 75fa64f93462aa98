#include "text/json_field.h"

#include <math.h>
#include <string.h>

const cJSON *field(const cJSON *object, const char *path)
{
	char name[64];

	while (object && *path) {
		size_t length = strcspn(path, ".");

		if (!cJSON_IsObject(object) || length >= sizeof name)
			return NULL;
		memcpy(name, path, length);
		name[length] = '\0';
		object = cJSON_GetObjectItemCaseSensitive(object, name);
		path += length + (path[length] == '.');
	}
	return cJSON_IsNull(object) ? NULL : object;
}

const char *field_text(const cJSON *object, const char *path)
{
	return cJSON_GetStringValue(field(object, path));
}

bool field_is_true(const cJSON *object, const char *path)
{
	return cJSON_IsTrue(field(object, path));
}

int64_t field_whole(const cJSON *item, int64_t fallback)
{
	double number = cJSON_IsNumber(item) ? item->valuedouble : NAN;

	return fabs(number) < 9e15 ? (int64_t)number : fallback;
}

int64_t field_number(const cJSON *object, const char *path, int64_t fallback)
{
	return field_whole(field(object, path), fallback);
}

bool field_has(const cJSON *object, const char *path, const char *text)
{
	const cJSON *list = field(object, path), *item;

	if (!cJSON_IsArray(list))
		return false;
	cJSON_ArrayForEach(item, list) {
		if (cJSON_IsString(item) && strcmp(item->valuestring, text) == 0)
			return true;
	}
	return false;
}
