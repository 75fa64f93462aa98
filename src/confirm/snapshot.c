#include "confirm/snapshot.h"

#include <string.h>

#include "base/os.h"

static const struct reported_process *first_of(const struct reported *reported)
{
	const struct reported_process *best = NULL;

	for (size_t i = 0; i < reported->processes.count; i++) {
		const struct reported_process *process = reported->processes.items[i];

		if (process->snapshot && (!best || process->steps > best->steps))
			best = process;
	}
	return best;
}

/* "memory-rank1.pickle" for "memory.pickle" */
static const char *name_beside(struct arena *arena, const char *file, const struct reported_process *process)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
	int stem = (int)(dot && dot > base ? (size_t)(dot - file) : strlen(file));
	bool ranked = process->rank >= 0;

	return arena_format(arena, "%.*s-%s%lld%s", stem, file, ranked ? "rank" : "",
			    (long long)(ranked ? process->rank : process->process), file + stem);
}

static bool keep(const char *from, const char *folder, const char *to, struct err *err)
{
	struct buf bytes = BUF_INIT;
	size_t length = strlen(folder);
	bool ok;

	if (strncmp(from, folder, length) != 0 || from[length] != '/' || strstr(from, "/../"))
		return err_set(err, ERR_READ, "cannot take '%s' for a memory snapshot: it lies outside of the run's folder", from);
	ok = os_read_file(from, 0, &bytes, err) && os_write_file(to, buf_get(&bytes), err);
	buf_release(&bytes);
	return ok;
}

size_t snapshot_keep(const struct reported *reported, const char *folder, const char *file, struct err *err)
{
	const struct reported_process *first = first_of(reported);
	struct arena arena;
	size_t kept = 0;

	arena_init(&arena);
	for (size_t i = 0; i < reported->processes.count; i++) {
		const struct reported_process *process = reported->processes.items[i];

		if (process == first)
			kept += keep(process->snapshot, folder, file, err);
		else if (process->snapshot && process->steps > 0)
			kept += keep(process->snapshot, folder, name_beside(&arena, file, process), err);
		else if (process->no_snapshot)
			err_set(err, ERR_READ, "no memory snapshot was made: %s", process->no_snapshot);
	}
	arena_release(&arena);
	return kept;
}
