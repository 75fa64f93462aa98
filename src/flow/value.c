#include "flow/value.h"

#include <ctype.h>

static void join_objects(struct value *out, const struct value *b)
{
	for (uint8_t i = 0; i < b->object_count; i++) {
		if (value_has(out, b->objects[i]))
			continue;
		if (out->object_count == VALUE_OBJECTS)
			out->many_objects = true;
		else
			out->objects[out->object_count++] = b->objects[i];
	}
	out->many_objects |= b->many_objects;
}

/* Flags that hold of the joined value only where both sides have them, or the other side is no tensor at all. */
static const uint16_t must_flags = VALUE_STRUCT;

/* "torch.optim.Either" for two of its classes, which only patterns match; NULL where the names share no more than a whole
 * library, or one is a class and one a function. */
static const char *either_of(struct origin_table *table, const char *a, const char *b)
{
	const char *tail = strrchr(a, '.');
	size_t length = tail ? (size_t)(tail - a) : 0;
	if (!length || strrchr(b, '.') != b + length || strncmp(a, b, length) != 0 || !memchr(a, '.', length))
		return NULL;
	bool class_like = isupper((unsigned char)a[length + 1]);
	if (class_like != !!isupper((unsigned char)b[length + 1]))
		return NULL;
	return arena_format(table->arena, "%.*s.%s", (int)length, a, class_like ? "Either" : "either");
}

struct value value_join(struct origin_table *table, const struct value *a, const struct value *b)
{
	if (value_is_bottom(a))
		return *b;
	if (value_is_bottom(b))
		return *a;
	struct value out = *a;
	out.kinds |= b->kinds;
	out.flags = (uint16_t)(((a->flags | b->flags) & ~must_flags) | (a->flags & b->flags & must_flags));
	join_objects(&out, b);
	if (!a->origins || !b->origins)
		out.origins = a->origins ? a->origins : b->origins;
	else
		out.origins = origin_union(table, a->origins, b->origins);
	if (a->device != b->device)
		out.device = a->device == DEVICE_ACCELERATOR || b->device == DEVICE_ACCELERATOR ? DEVICE_ACCELERATOR
											       : DEVICE_UNKNOWN;
	if (a->extent != b->extent)
		out.extent = a->extent == EXTENT_LARGE || b->extent == EXTENT_LARGE ? EXTENT_LARGE : EXTENT_UNKNOWN;
	if (a->dotted != b->dotted && (!a->dotted || !b->dotted || !str_equal(str_from(a->dotted), str_from(b->dotted))))
		out.dotted = a->dotted && !b->dotted ? a->dotted : !a->dotted ? b->dotted : either_of(table, a->dotted, b->dotted);
	if (a->number != b->number)
		out.number = VALUE_NO_NUMBER;
	if (!a->text.at || !b->text.at || !str_equal(a->text, b->text))
		out.text = (struct str){NULL, 0};
	if (!out.counter)
		out.counter = b->counter;
	if (a->born != b->born)
		out.born = NULL;
	/* The place that speaks for the value is the one that has a history. */
	if (!a->origins || !a->origins->count || (a->made.end == 0))
		out.made = b->origins && b->origins->count ? b->made : a->made.end ? a->made : b->made;
	return out;
}

static bool same_objects(const struct value *a, const struct value *b)
{
	if (a->object_count != b->object_count || a->many_objects != b->many_objects)
		return false;
	for (uint8_t i = 0; i < a->object_count; i++)
		if (a->objects[i] != b->objects[i])
			return false;
	return true;
}

bool value_same(const struct value *a, const struct value *b)
{
	return a->kinds == b->kinds && a->origins == b->origins && a->flags == b->flags && a->number == b->number &&
	       a->counter == b->counter && a->device == b->device && a->extent == b->extent && a->text.at == b->text.at && same_objects(a, b);
}
