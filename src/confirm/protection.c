#include "confirm/protection.h"

#include <string.h>

#include "base/os.h"
#include "base/os_temp.h"
#include "base/path.h"
#include "confirm/say.h"
#include "report/visible.h"

/* ---- the plan ---- */

static bool is_in(const char *path, const char *folder)
{
	return strcmp(path, folder) == 0 || path_below(folder, path);
}

/* What belongs to all programs: an overlay would cut them off from each other. */
static bool is_common(const char *folder)
{
	static const char *const whole[] = {"/dev", "/proc", "/sys", "/run"};
	static const char *const tops[] = {"/", "/tmp", "/var", "/var/tmp", "/home", "/etc", "/usr", "/usr/bin", "/usr/local",
					   "/usr/local/bin", "/usr/lib", "/bin", "/lib", "/opt"};

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
		if (is_in(folder, whole[i]))
			return true;
	}
	for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
		if (strcmp(folder, tops[i]) == 0)
			return true;
	}
	return false;
}

/* Adds FOLDER, unless it lies in one of them; those that lie in it are in it. */
static void folder_add(struct protection *protection, const char *folder)
{
	enum { MOST = 8 };
	size_t kept = 0;

	if (is_common(folder))
		return;
	for (size_t i = 0; i < protection->folders.count; i++) {
		if (is_in(folder, protection->folders.items[i]))
			return;
	}
	for (size_t i = 0; i < protection->folders.count; i++) {
		if (!is_in(protection->folders.items[i], folder))
			protection->folders.items[kept++] = protection->folders.items[i];
	}
	protection->folders.count = kept;
	if (kept < MOST)
		VEC_ADD(&protection->folders, folder);
}

/* The folder that is written to where PATH is: itself, that of a script, or where it would be made. NULL: none. */
static const char *written_at(const char *path, struct arena *arena)
{
	struct os_stat stat;

	if (!os_stat_get(path, &stat, NULL))
		return NULL;
	if (stat.kind == OS_FOLDER)
		return os_real_path(path, arena);
	if (stat.kind != OS_MISSING)
		return str_ends(str_from(path), ".py") ? os_real_path(path_folder(arena, path), arena) : NULL;
	while (os_stat_get(path, &stat, NULL) && stat.kind == OS_MISSING && strcmp(path, "/") != 0)
		path = path_folder(arena, path);
	return stat.kind == OS_FOLDER ? os_real_path(path, arena) : NULL;
}

/* The path that a word of a command may be: "--out=x" names x. */
static const char *path_in(const char *word)
{
	const char *equals = word[0] == '-' ? strchr(word, '=') : NULL;

	return equals ? equals + 1 : word[0] == '-' ? "" : word;
}

static void word_add(struct protection *protection, const char *word, const char *current, const char *home,
		     struct arena *arena)
{
	const char *path = path_in(word), *folder;

	/* names in the current folder are protected with it, as are words that are no paths */
	if (!strchr(path, '/') && strcmp(path, "..") != 0)
		return;
	path = path_absolute(arena, current, path);
	folder = path ? written_at(path, arena) : NULL;
	/* a home is not taken for an output because something new is to lie in it */
	if (folder && !(home && strcmp(folder, home) == 0 && strcmp(path, folder) != 0))
		folder_add(protection, folder);
}

static void open_add(struct protection *protection, const char *path, struct arena *arena)
{
	const char *real = path && path[0] == '/' ? os_real_path(path, arena) : NULL;

	for (size_t i = 0; real && i < protection->folders.count; i++) {
		if (path_below(protection->folders.items[i], real)) {
			VEC_ADD(&protection->open, real);
			return;
		}
	}
}

void protection_plan(struct protection *protection, const char *const *command, const char *current, struct arena *arena)
{
	static const char *const caches[] = {"XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "HF_DATASETS_CACHE", "TORCH_HOME"};
	const char *home = os_env("HOME");

	*protection = (struct protection){.current = current};
	home = home && home[0] == '/' ? os_real_path(home, arena) : NULL;
	folder_add(protection, current);
	for (size_t i = 1; command[0] && command[i]; i++)
		word_add(protection, command[i], current, home, arena);
	for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
		open_add(protection, os_env(caches[i]), arena);
	if (home)
		open_add(protection, arena_format(arena, "%s/.cache", home), arena);
}

void protection_release(struct protection *protection)
{
	VEC_RELEASE(&protection->folders);
	VEC_RELEASE(&protection->open);
}

/* ---- its place ---- */

/* Whether a path below FOLDER may stand in a search path, among a mount's options and as the name of a socket. */
static bool is_plain(const char *folder)
{
	enum { SOCKET_LEAVES = 80 };

	return folder[0] == '/' && strlen(folder) <= SOCKET_LEAVES && !folder[strcspn(folder, " \t\n,:;\\'\"")];
}

static bool is_protected(const struct protection *protection, const char *folder)
{
	for (size_t i = 0; i < protection->folders.count; i++) {
		if (is_in(folder, protection->folders.items[i]))
			return true;
	}
	return false;
}

/* Where what the script writes has more room, which may be much: often /tmp is a part of the memory. */
static const char *roomier(const char *a, const char *b)
{
	return os_free_space(b) > os_free_space(a) ? b : a;
}

const char *protection_place(const struct protection *protection, struct arena *arena, struct err *err)
{
	const char *wanted = os_env("TMPDIR"), *made = NULL;
	const char *const places[] = {wanted && *wanted ? wanted : roomier("/tmp", "/var/tmp"), "/tmp", "/var/tmp", "/dev/shm"};
	enum { PLACES = sizeof places / sizeof *places };
	struct err other;

	/* at first outside of what is protected, where the counter may be loaded; and where that is nowhere, anywhere */
	for (size_t i = 0; i < 2 * PLACES && !made; i++) {
		const char *real = os_real_path(places[i % PLACES], arena);

		if (real && is_plain(real) && (i >= PLACES || (!is_protected(protection, real) && os_may_execute(real))))
			made = os_temp_new(real, arena, &other);
	}
	return made ? made : os_temp_new(places[0], arena, err); /* which says why not */
}

/* ---- protecting ---- */

/* Who is told what is not protected. */
struct warning {
	void (*warn)(const char *text, void *context);
	void *context;
	struct arena *arena;
};

static void warn_of(const struct warning *warning, const char *folder, const char *reason)
{
	if (warning->warn)
		warning->warn(arena_format(warning->arena, "what the script writes to '%s' in this run stays there, except by torch.save: %s",
					   folder, reason),
			      warning->context);
}

/* What is mounted in a folder is no part of an overlay on it. */
static void mounts_add(struct protection *protection, const struct warning *warning)
{
	for (size_t i = 0; i < protection->folders.count; i++) {
		const char **paths;
		size_t count = os_mounts_below(protection->folders.items[i], warning->arena, &paths);

		for (size_t p = 0; p < count; p++) {
			bool is_known = false;

			for (size_t o = 0; o < protection->open.count; o++)
				is_known = is_known || is_in(paths[p], protection->open.items[o]);
			if (is_known)
				continue;
			VEC_ADD(&protection->open, paths[p]);
			warn_of(warning, paths[p], "it is mounted there");
		}
	}
}

/* Gives up folder INDEX, or all where INDEX is none. */
static void give_up(struct protection *protection, size_t index, const char *reason, const struct warning *warning)
{
	size_t kept = 0, count = protection->folders.count;

	for (size_t i = 0; i < count; i++) {
		const char *folder = protection->folders.items[i];

		if (index >= count || i == index)
			warn_of(warning, folder, reason);
		else
			protection->folders.items[kept++] = folder;
	}
	protection->folders.count = kept;
}

void protection_try(struct protection *protection, const char *folder, struct arena *arena,
		    void (*warn)(const char *text, void *context), void *context)
{
	const struct warning warning = {warn, context, arena};
	size_t failed;
	struct err err;

	if (is_common(protection->current))
		warn_of(&warning, protection->current, "it belongs to all programs");
	for (size_t i = protection->folders.count; i-- > 0;) {
		if (is_in(folder, protection->folders.items[i]))
			give_up(protection, i, "the folder for temporary files is in it", &warning);
	}
	mounts_add(protection, &warning);
	while (protection->folders.count) {
		protection->shelter = (struct os_shelter){.place = arena_format(arena, "%s/written", folder),
							  .folders = protection->folders.items, .count = protection->folders.count,
							  .open = protection->open.items, .open_count = protection->open.count};
		if (os_shelter_try(&protection->shelter, &failed, &err))
			return;
		give_up(protection, failed, err.message, &warning);
	}
	protection->shelter.count = 0;
}

/* ---- afterwards ---- */

static void look_at(struct protection *protection, const char *written, const char *folder, int depth, struct arena *arena)
{
	enum { MOST_FILES = 100000, DEEPEST = 64 };
	struct os_entry *entries;
	size_t count;

	if (depth > DEEPEST || protection->files > MOST_FILES || !os_list(written, arena, &entries, &count, NULL))
		return;
	for (size_t i = 0; i < count; i++) {
		const struct os_entry *entry = &entries[i];
		const char *path = arena_format(arena, "%s/%s", folder, entry->name);

		if (entry->stat.kind == OS_FOLDER && !entry->stat.is_link) {
			if (strcmp(entry->name, "__pycache__") != 0)
				look_at(protection, arena_format(arena, "%s/%s", written, entry->name), path, depth + 1, arena);
		} else if (entry->stat.kind == OS_OTHER) {
			protection->removed++; /* in an upper layer a device stands for what is gone */
		} else {
			if (protection->files < PROTECTION_SHOWN)
				protection->paths[protection->files] = path;
			protection->files++;
			protection->bytes += entry->stat.is_link ? 0 : entry->stat.size;
		}
	}
}

void protection_look(struct protection *protection, struct arena *arena)
{
	static const int64_t NO_ROOM = 1 << 20;
	int64_t room;

	for (size_t i = 0; i < protection->shelter.count; i++)
		look_at(protection, os_shelter_written(&protection->shelter, i, arena), protection->shelter.folders[i], 0, arena);
	room = protection->shelter.count ? os_free_space(protection->shelter.place) : -1;
	protection->is_full = room >= 0 && room < NO_ROOM;
}

void protection_tell(struct buf *out, const struct protection *protection)
{
	size_t shown = protection->files < PROTECTION_SHOWN ? protection->files : PROTECTION_SHOWN;

	if (protection->is_full) {
		buf_add_text(out, "no room was left where what is written is kept, in ");
		visible_add(out, str_from(protection->shelter.place));
		buf_add_text(out, "; TMPDIR names another place, and --unprotected has it written where the script says\n");
	}
	if (protection->files + protection->removed == 0)
		return;
	buf_format(out, "kept away and gone with the run: %zu file%s written (", protection->files,
		   protection->files == 1 ? "" : "s");
	say_bytes(out, (double)protection->bytes);
	buf_add_char(out, ')');
	if (protection->removed)
		buf_format(out, ", %zu removed", protection->removed);
	for (size_t i = 0; i < shown; i++) {
		buf_add_text(out, i ? ", " : ": ");
		visible_add(out, str_from(protection->paths[i]));
	}
	buf_add_text(out, protection->files > shown ? ", …\n" : "\n");
}

void protection_add(struct json_writer *json, const struct protection *protection)
{
	json_member_array(json, "protected");
	for (size_t i = 0; i < protection->shelter.count; i++)
		json_text(json, protection->shelter.folders[i]);
	json_array_end(json);
	json_member_object(json, "kept_away");
	json_member_int(json, "files", (int64_t)protection->files);
	json_member_int(json, "bytes", (int64_t)protection->bytes);
	json_member_int(json, "removed", (int64_t)protection->removed);
	json_member_array(json, "paths");
	for (size_t i = 0; i < PROTECTION_SHOWN && protection->paths[i]; i++)
		json_text(json, protection->paths[i]);
	json_array_end(json);
	json_object_end(json);
}
