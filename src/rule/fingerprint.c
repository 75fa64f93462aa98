#include "rule/fingerprint.h"

#include <inttypes.h>
#include <xxhash.h>
#include "base/map.h"
#include "rule/rule.h"

static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\f';
}

static void add_words(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.length; i++)
		if (!is_space(text.at[i]))
			buf_add_char(out, text.at[i]);
}

static void add_part(struct buf *out, const char *text)
{
	buf_add_text(out, text);
	buf_add_char(out, '\0');
}

void fingerprints_set(struct finding *findings, size_t count, const struct source *source, struct arena *arena)
{
	struct buf key = BUF_INIT;
	struct map seen = MAP_INIT;
	for (size_t i = 0; i < count; i++) {
		buf_reset(&key);
		add_part(&key, findings[i].rule->code);
		add_part(&key, findings[i].scope ? findings[i].scope : "");
		add_words(&key, source_line_written(source, source_line(source, findings[i].at.span.start)));
		uintptr_t before = (uintptr_t)map_get(&seen, buf_get(&key));
		map_put(&seen, buf_get(&key), (void *)(before + 1));
		buf_format(&key, "%c%" PRIuPTR, 0, before);
		XXH128_hash_t hash = XXH3_128bits(key.bytes, key.length);
		findings[i].fingerprint = arena_format(arena, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
	}
	map_release(&seen);
	buf_release(&key);
}

void fingerprint_add_of_project(struct buf *out, const char *path, const struct finding *finding)
{
	struct buf key = BUF_INIT;
	add_part(&key, path);
	add_part(&key, finding->fingerprint ? finding->fingerprint : "");
	XXH128_hash_t hash = XXH3_128bits(key.bytes, key.length);
	buf_format(out, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
	buf_release(&key);
}
