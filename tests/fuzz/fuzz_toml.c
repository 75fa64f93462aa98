/* Any bytes as TOML: what is read lies within the text, and what is refused has a place there. */
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "text/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_within(const struct toml *toml, const struct toml_value *value)
{
	if (value->span.end < value->span.start || value->span.end > toml->source.length)
		BUG("a value lies outside of its document");
	for (const struct toml_entry *entry = value->entries; entry; entry = entry->next) {
		if (value->kind == TOML_TABLE && toml_get(toml, value, entry->key) != entry)
			BUG("a key is not found where it was put");
		check_within(toml, entry->value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct toml toml;
	struct span at;
	struct err err = {ERR_NONE, ""};

	if (toml_init(&toml, (struct str){(const char *)data, size}, &at, &err))
		check_within(&toml, toml.root);
	else if (!err.message[0] || at.start > toml.source.length)
		BUG("a fault has no words or no place");
	toml_release(&toml);
	return 0;
}
