#include "engine/project.h"

#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/vec.h"
#include "engine/callers.h"
#include "engine/prefilter.h"
#include "flow/lower.h"
#include "text/source.h"

enum { LARGEST_UNIT = 64 << 10, FOLDERS_ABOVE = 6, LONGEST = 900 };
/* Spans of units begin beyond those of any file that is checked. */
enum { FIRST_BASE = 1 << 28 };

struct loaded_unit {
	struct unit unit;
	struct arena arena;
	struct source source;
	char *path;          /* by which it was asked for */
	char *real;          /* … with links resolved */
	struct os_stat stat; /* of the file as it was read; OS_MISSING where the text came from the overlay */
	uint64_t room;       /* spans from unit.base on that are its own */
	struct os_mutex *lowering; /* held while it is lowered */
	enum { NOT_LOWERED, LOWERED, NOT_TO_BE_LOWERED } state; /* many are only searched for a name */
	uint64_t used;       /* when it was last asked for, in turns */
	bool is_stale;       /* to be read again before it is used */
	bool is_none;        /* the file is of no use; unit and source are empty */
};

/* Spans that nobody uses any more. */
struct room {
	uint64_t base, size;
};

struct project {
	const struct py_grammar *grammar;
	const struct model *model;
	const struct overlay *overlay; /* or NULL */
	struct os_mutex *reading; /* held while a unit is read again; before `mutex` */
	struct os_mutex *mutex; /* guards all below */
	struct map units;       /* path → struct loaded_unit, or to `missing` */
	struct map found;       /* importing folder, space, dotted name → struct loaded_unit, or `missing` */
	struct map used;        /* … → how much of the name is the file's, plus one */
	struct map quiet;       /* folder, space, function → 2 where all calls are quiet, else 1 */
	uint64_t next_base;
	uint64_t turn;          /* of asking for a unit */
	VEC(struct room) rooms;
	struct arena arena;     /* of the thread that made the project */
	const char *current;    /* folder, or NULL */
	double seconds;         /* spent on reading, parsing and lowering files, by all threads */
};

static struct loaded_unit missing;

struct project *project_new(const struct py_grammar *grammar, const struct model *model)
{
	struct project *project = mem_new(1, sizeof *project);
	project->grammar = grammar;
	project->model = model;
	project->mutex = os_mutex_new();
	project->reading = os_mutex_new();
	struct err err;
	project->next_base = FIRST_BASE;
	arena_init(&project->arena);
	project->current = os_current_folder(&project->arena, &err);
	return project;
}

void project_overlay(struct project *project, const struct overlay *overlay)
{
	project->overlay = overlay;
}

static void empty_unit(struct loaded_unit *loaded)
{
	arena_release(&loaded->arena);
	source_release(&loaded->source);
	loaded->unit = (struct unit){.base = loaded->unit.base};
	loaded->state = NOT_LOWERED;
}

static void free_unit(struct loaded_unit *loaded)
{
	empty_unit(loaded);
	os_mutex_free(loaded->lowering);
	free(loaded->path);
	free(loaded->real);
	free(loaded);
}

static bool free_each(struct str path, void *value, void *context)
{
	(void)path;
	(void)context;
	if (value != &missing)
		free_unit(value);
	return true;
}

/* Drops which file a name leads to. */
static void forget_names(struct project *project)
{
	map_release(&project->found);
	map_release(&project->used);
}

void project_free(struct project *project)
{
	if (!project)
		return;
	map_each(&project->units, free_each, NULL);
	map_release(&project->units);
	forget_names(project);
	map_release(&project->quiet);
	VEC_RELEASE(&project->rooms);
	arena_release(&project->arena);
	os_mutex_free(project->reading);
	os_mutex_free(project->mutex);
	free(project);
}

/* ---- one file ---- */

/* Spans for a file of SIZE bytes: what is decoded may take up to three bytes for each one read. */
static uint64_t room_for(uint64_t size)
{
	enum { STEP = 1 << 12 };
	return (3 * size + 4 + STEP - 1) / STEP * STEP;
}

/* Sets BASE to SIZE spans that no other unit has; false where there are none left. */
static bool room_take(struct project *project, uint64_t size, struct room *room)
{
	os_mutex_lock(project->mutex);
	bool any = false;
	for (size_t i = 0; i < project->rooms.count && !any; i++) {
		if (project->rooms.items[i].size < size)
			continue;
		any = true;
		*room = project->rooms.items[i];
		project->rooms.items[i] = project->rooms.items[--project->rooms.count];
	}
	if (!any && project->next_base + size < UINT32_MAX) {
		any = true;
		*room = (struct room){project->next_base, size};
		project->next_base += size;
	}
	os_mutex_unlock(project->mutex);
	return any;
}

static void room_give(struct project *project, struct room room)
{
	os_mutex_lock(project->mutex);
	if (room.size)
		VEC_ADD(&project->rooms, room);
	os_mutex_unlock(project->mutex);
}

static bool lower_unit(struct project *project, struct loaded_unit *loaded)
{
	struct py_parser parser;
	struct err err;
	struct str text = {loaded->source.text, loaded->source.length};
	py_parser_init(&parser);
	TSTree *tree = py_parse(&parser, text, NULL, &err);
	if (tree) {
		struct lower lower = {.parser = &parser, .grammar = project->grammar, .text = text, .arena = &loaded->arena,
				      .offset = loaded->unit.base, .first_index = DEF_ELSEWHERE};
		loaded->unit.module = lower_def(&lower, ts_tree_root_node(tree), NULL);
		loaded->unit.expr_count = lower.expr_count;
		lower_release(&lower);
		ts_tree_delete(tree);
	}
	py_parser_release(&parser);
	return tree != NULL;
}

/* Has what LOADED defines known; false where it cannot be parsed. */
static bool lower_once(struct project *project, struct loaded_unit *loaded)
{
	os_mutex_lock(loaded->lowering);
	if (loaded->state == NOT_LOWERED) {
		double began = os_seconds();
		loaded->state = lower_unit(project, loaded) ? LOWERED : NOT_TO_BE_LOWERED;
		os_mutex_lock(project->mutex);
		project->seconds += os_seconds() - began;
		os_mutex_unlock(project->mutex);
	}
	bool is_lowered = loaded->state == LOWERED;
	os_mutex_unlock(loaded->lowering);
	return is_lowered;
}

/* The file's text, which is TEXT where that is set. */
static bool read_source(const char *path, struct str text, struct source *source)
{
	struct buf raw = BUF_INIT;
	struct err err;
	if (text.at) {
		source_init_plain(source, text);
		return true;
	}
	bool ok = os_read_file(path, LARGEST_UNIT, &raw, &err) && source_init(source, buf_get(&raw), &err);
	buf_release(&raw);
	return ok;
}

static void unit_fill(struct project *project, struct loaded_unit *loaded, uint64_t base)
{
	const char *path = loaded->path;
	size_t below = project->current ? strlen(project->current) : 0;
	bool inside = below && strncmp(path, project->current, below) == 0 && path[below] == '/';
	loaded->unit.path = path;
	loaded->unit.shown = path + (inside ? below + 1 : 0);
	loaded->unit.text = (struct str){loaded->source.text, loaded->source.length};
	loaded->unit.base = (uint32_t)base;
	loaded->unit.is_package = str_ends(str_from(path), "/__init__.py");
	loaded->unit.is_reported = prefilter_passes(project->model, loaded->unit.text);
}

/* Reads the file of LOADED, whose unit is empty. On failure it has neither unit nor spans. */
static bool read_unit(struct project *project, struct loaded_unit *loaded)
{
	struct str text = {NULL, 0};
	struct room own = {loaded->unit.base, loaded->room}, room = own;
	uint64_t size = 0;
	bool fits = false;
	if (overlay_get(project->overlay, loaded->real, &text)) {
		loaded->stat = (struct os_stat){.kind = OS_MISSING};
		size = text.length;
		fits = size <= LARGEST_UNIT;
	} else if (os_stat_get(loaded->path, &loaded->stat, NULL) && loaded->stat.kind == OS_FILE) {
		size = loaded->stat.size;
		fits = size <= LARGEST_UNIT;
	}
	if (fits && room_for(size) > own.size) {
		/* a file that has outgrown its place gets twice what it needs: it is being written */
		room_give(project, own);
		fits = room_take(project, own.size ? 2 * room_for(size) : room_for(size), &room);
		own = fits ? room : (struct room){0, 0};
	}
	bool ok = fits && read_source(loaded->path, text, &loaded->source);
	if (ok) {
		/* it may have grown since it was looked at */
		ok = loaded->source.length < own.size;
		unit_fill(project, loaded, own.base);
		if (!ok)
			empty_unit(loaded);
	}
	if (!ok)
		room_give(project, own);
	loaded->room = ok ? own.size : 0;
	return ok;
}

/* What is at PATH, or `missing` where nothing is. */
static struct loaded_unit *new_unit(struct project *project, const char *path)
{
	struct arena arena;
	struct os_stat stat;
	arena_init(&arena);
	bool on_disk = os_stat_get(path, &stat, NULL) && stat.kind != OS_MISSING;
	const char *real = on_disk ? os_real_path(path, &arena) : NULL;
	struct loaded_unit *loaded = &missing;
	if (real || overlay_get(project->overlay, path, NULL)) {
		loaded = mem_new(1, sizeof *loaded);
		arena_init(&loaded->arena);
		loaded->lowering = os_mutex_new();
		loaded->path = mem_dup_text(path);
		loaded->real = mem_dup_text(real ? real : path);
		loaded->is_none = !read_unit(project, loaded);
	}
	arena_release(&arena);
	return loaded;
}

/* LOADED as its file is now, or `missing`. */
static struct loaded_unit *current(struct project *project, struct loaded_unit *loaded)
{
	if (loaded == &missing)
		return loaded;
	os_mutex_lock(project->mutex);
	bool is_stale = loaded->is_stale, is_none = loaded->is_none;
	loaded->used = ++project->turn;
	os_mutex_unlock(project->mutex);
	if (is_stale) {
		os_mutex_lock(project->reading);
		if (loaded->is_stale) { /* or another thread was faster */
			double began = os_seconds();
			empty_unit(loaded);
			is_none = !read_unit(project, loaded);
			os_mutex_lock(project->mutex);
			project->seconds += os_seconds() - began;
			loaded->is_none = is_none;
			loaded->is_stale = false;
			os_mutex_unlock(project->mutex);
		}
		is_none = loaded->is_none;
		os_mutex_unlock(project->reading);
	}
	return is_none ? &missing : loaded;
}

static struct loaded_unit *unit_at(struct project *project, const char *path)
{
	os_mutex_lock(project->mutex);
	struct loaded_unit *known = map_get(&project->units, str_from(path));
	os_mutex_unlock(project->mutex);
	if (known)
		return current(project, known);
	double began = os_seconds();
	struct loaded_unit *made = new_unit(project, path);
	double spent = os_seconds() - began;
	os_mutex_lock(project->mutex);
	project->seconds += spent;
	known = map_get(&project->units, str_from(path));
	if (made != &missing)
		made->used = ++project->turn;
	if (!known)
		map_put(&project->units, str_from(path), made);
	os_mutex_unlock(project->mutex);
	if (known && made != &missing) { /* another thread was faster */
		room_give(project, (struct room){made->unit.base, made->room});
		free_unit(made);
	}
	made = known ? known : made;
	return made->is_none ? &missing : made;
}

/* ---- names ---- */

static bool exists(const struct project *project, const char *folder, const char *name)
{
	char path[LONGEST + 64];
	struct os_stat stat;
	struct err err;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return overlay_get(project->overlay, path, NULL) || (os_stat_get(path, &stat, &err) && stat.kind != OS_MISSING);
}

/* The file that the longest beginning of NAMES (dots between) leads to below FOLDER; *USED: its length. */
static struct loaded_unit *below(struct project *project, const char *folder, const char *names, size_t *used)
{
	char path[LONGEST + 64];
	for (size_t n = strlen(names); n > 0;) {
		size_t at = (size_t)snprintf(path, sizeof path, "%s/%.*s", folder, (int)n, names);
		if (at + 16 < sizeof path) {
			for (char *c = path + strlen(folder) + 1; *c; c++)
				if (*c == '.')
					*c = '/';
			static const char *const ends[] = {".py", "/__init__.py"};
			for (int i = 0; i < 2; i++) {
				memcpy(path + at, ends[i], strlen(ends[i]) + 1);
				struct loaded_unit *loaded = unit_at(project, path);
				if (loaded != &missing) {
					*used = n;
					return loaded;
				}
			}
		}
		do
			n--;
		while (n > 0 && names[n] != '.');
	}
	*used = 0;
	return &missing;
}

static bool cut_last(char *folder)
{
	char *slash = strrchr(folder, '/');
	if (slash && slash != folder) {
		*slash = '\0';
		return strcmp(folder, "..") != 0 && !str_ends(str_from(folder), "/..");
	}
	return false;
}

static bool is_marked(const struct project *project, const char *folder)
{
	static const char *const marks[] = {".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt",
					    "README.md", "LICENSE"};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (exists(project, folder, marks[i]))
			return true;
	return false;
}

/* How many folders, FOLDER first, imports are looked up in: up to the one that holds the project; where none does, up to
 * the one around the package. */
static int folders_of(const struct project *project, const char *folder)
{
	char at[LONGEST];
	int package = 0;
	bool inside = true;
	snprintf(at, sizeof at, "%s", folder);
	for (int up = 0; up < FOLDERS_ABOVE; up++) {
		if (is_marked(project, at))
			return up + 1;
		inside &= exists(project, at, "__init__.py");
		package += inside;
		if (!cut_last(at))
			break;
	}
	return package + 1;
}

static struct loaded_unit *absolute(struct project *project, const char *folder, const char *dotted, size_t *used)
{
	char at[LONGEST];
	snprintf(at, sizeof at, "%s", folder);
	size_t first = strcspn(dotted, ".");
	int folders = folders_of(project, folder);
	for (int up = 0; up < folders; up++) {
		const char *name = strrchr(at, '/') ? strrchr(at, '/') + 1 : at;
		/* installed packages see themselves, not what else happens to be installed */
		bool installed = strcmp(name, "site-packages") == 0 || strcmp(name, "dist-packages") == 0;
		if (installed) {
			const char *own = folder + strlen(at);
			own += *own == '/';
			if (strcspn(own, "/") != first || strncmp(own, dotted, first) != 0)
				break;
		}
		struct loaded_unit *loaded = below(project, at, dotted, used);
		if (loaded == &missing && !installed && exists(project, at, "src")) {
			char src[LONGEST + 8];
			snprintf(src, sizeof src, "%s/src", at);
			loaded = below(project, src, dotted, used);
		}
		if (loaded != &missing || installed || !cut_last(at))
			return loaded;
	}
	*used = 0;
	return &missing;
}

static struct loaded_unit *relative(struct project *project, const char *folder, const char *dotted, size_t *used)
{
	char at[LONGEST];
	snprintf(at, sizeof at, "%s", folder);
	size_t dots = strspn(dotted, ".");
	for (size_t i = 1; i < dots; i++)
		if (!cut_last(at))
			return &missing;
	struct loaded_unit *loaded = &missing;
	if (dotted[dots])
		loaded = below(project, at, dotted + dots, used);
	if (loaded == &missing) { /* from . import name: a name of the package itself */
		char path[LONGEST + 16];
		snprintf(path, sizeof path, "%s/__init__.py", at);
		loaded = unit_at(project, path);
		*used = 0;
	}
	*used += dots;
	return loaded;
}

/* The file that DOTTED leads to from FOLDER, absolute or not, by KEY as asked before or by a search. */
static struct loaded_unit *found(struct project *project, const char *key, char *folder, size_t size, const char *dotted,
				 size_t *used)
{
	os_mutex_lock(project->mutex);
	struct loaded_unit *known = map_get(&project->found, str_from(key));
	*used = known ? (size_t)(uintptr_t)map_get(&project->used, str_from(key)) - 1 : 0;
	os_mutex_unlock(project->mutex);
	if (known == &missing || (known && current(project, known) != &missing))
		return known;
	struct arena arena;
	arena_init(&arena);
	const char *real = os_real_path(folder[0] ? folder : "/", &arena);
	snprintf(folder, size, "%s", real && strlen(real) < size ? real : "/nowhere");
	arena_release(&arena);
	known = dotted[0] == '.' ? relative(project, folder, dotted, used) : absolute(project, folder, dotted, used);
	os_mutex_lock(project->mutex);
	map_put(&project->found, str_from(key), known);
	map_put(&project->used, str_from(key), (void *)(uintptr_t)(*used + 1));
	os_mutex_unlock(project->mutex);
	return known;
}

static void note_read(struct project_look *look, const struct loaded_unit *loaded)
{
	for (size_t i = 0; i < look->read_count; i++)
		if (strcmp(look->reads[i], loaded->real) == 0)
			return;
	if (look->read_count == look->room) {
		look->room = look->room ? 2 * look->room : 8;
		const char **grown = ARENA_ARRAY(look->arena, const char *, look->room);
		if (look->read_count)
			memcpy(grown, look->reads, look->read_count * sizeof *grown);
		look->reads = grown;
	}
	look->reads[look->read_count++] = arena_dup(look->arena, loaded->real);
}

static const struct unit *find(void *context, const char *from, const char *dotted, size_t *used)
{
	struct project_look *look = context;
	char folder[LONGEST], key[2 * LONGEST];
	const char *slash = strrchr(from, '/');
	size_t length = slash ? (size_t)(slash - from) : 0;
	if (length + 1 >= sizeof folder || strlen(dotted) >= LONGEST / 2)
		return NULL;
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)length : 1, slash ? from : ".");
	if (slash == from)
		folder[0] = '\0';
	snprintf(key, sizeof key, "%s %s", folder, dotted);
	look->seeks = true;
	struct loaded_unit *loaded = found(look->project, key, folder, sizeof folder, dotted, used);
	if (loaded == &missing || !lower_once(look->project, loaded))
		return NULL;
	note_read(look, loaded);
	return &loaded->unit;
}

/* ---- callers ---- */

enum { SEARCHED = 200 };

struct caller_search {
	struct project *project;
	const char *folder, *except;
	struct str name;
	struct calls_seen seen;
	int searched;
};

static void search_file(struct caller_search *search, const char *path)
{
	if (search->searched >= SEARCHED || !str_ends(str_from(path), ".py") || strcmp(path, search->except) == 0)
		return;
	++search->searched;
	struct loaded_unit *loaded = unit_at(search->project, path);
	if (loaded != &missing && str_find(loaded->unit.text, search->name, 0) != SIZE_MAX &&
	    lower_once(search->project, loaded))
		callers_count(&loaded->unit, search->name, &search->seen);
}

/* Searches PATH, open in an editor, where it lies in the folder and is not on the disk yet. */
static void search_unsaved(const char *path, void *context)
{
	struct caller_search *search = context;
	size_t length = strlen(search->folder);
	struct os_stat stat;
	if (strncmp(path, search->folder, length) == 0 && path[length] == '/' && !strchr(path + length + 1, '/') &&
	    os_stat_get(path, &stat, NULL) && stat.kind == OS_MISSING)
		search_file(search, path);
}

/* Counts calls in the files of the folder itself, but for the one at EXCEPT. */
static void search_folder(struct caller_search *search)
{
	struct arena arena;
	struct os_entry *entries;
	size_t count = 0;
	struct err err;
	arena_init(&arena);
	if (!os_list(search->folder, &arena, &entries, &count, &err))
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (entries[i].stat.kind == OS_FILE)
			search_file(search, arena_format(&arena, "%s/%s", search->folder, entries[i].name));
	overlay_each(search->project->overlay, search_unsaved, search);
	arena_release(&arena);
}

static bool called_quietly(void *context, const char *path, struct str name)
{
	struct project_look *look = context;
	struct project *project = look->project;
	struct arena arena;
	char folder[LONGEST], key[2 * LONGEST];
	look->asks_around = true;
	arena_init(&arena);
	const char *real = os_real_path(path, &arena);
	if (!real && overlay_get(project->overlay, path, NULL))
		real = path;
	struct caller_search search = {.project = project, .folder = folder, .except = real, .name = name};
	snprintf(folder, sizeof folder, "%s", real && strlen(real) < sizeof folder ? real : "");
	snprintf(key, sizeof key, "%s %.*s", folder, (int)(name.length < 200 ? name.length : 200), name.at);
	os_mutex_lock(project->mutex);
	uintptr_t known = (uintptr_t)map_get(&project->quiet, str_from(key));
	os_mutex_unlock(project->mutex);
	/* the folder of the file and those above, up to the project's */
	for (int up = 0; !known && real && up < 4 && cut_last(folder); up++) {
		search_folder(&search);
		if (is_marked(project, folder))
			break;
	}
	arena_release(&arena);
	if (known)
		return known == 2;
	bool quiet = search.seen.all > 0 && search.seen.quiet == search.seen.all;
	os_mutex_lock(project->mutex);
	map_put(&project->quiet, str_from(key), (void *)(uintptr_t)(quiet ? 2 : 1));
	os_mutex_unlock(project->mutex);
	return quiet;
}

/* ---- changes ---- */

struct forgetting {
	struct project *project;
	const char *path;   /* NULL: all */
	bool known;         /* it is a unit, whose file is still there */
	bool gone;          /* it was one */
	bool missed;        /* it was looked for, by this name or that of a link, and not there */
	VEC(char *) absent; /* paths that led to no file */
};

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_there(const struct project *project, const struct loaded_unit *loaded)
{
	struct os_stat stat;
	struct str text;
	if (overlay_get(project->overlay, loaded->real, &text))
		return text.length <= LARGEST_UNIT;
	return os_stat_get(loaded->path, &stat, NULL) && stat.kind == OS_FILE && stat.size <= LARGEST_UNIT;
}

static bool forget_unit(struct str path, void *value, void *context)
{
	struct forgetting *forgetting = context;
	struct loaded_unit *loaded = value;
	if (loaded == &missing) {
		char *absent = mem_dup(path.at, path.length);
		forgetting->missed |= forgetting->path && strcmp(name_of(absent), name_of(forgetting->path)) == 0;
		VEC_ADD(&forgetting->absent, absent);
		return true;
	}
	if (forgetting->path && strcmp(loaded->real, forgetting->path) != 0 && strcmp(loaded->path, forgetting->path) != 0)
		return true;
	bool there = is_there(forgetting->project, loaded);
	forgetting->known |= there && !loaded->is_none;
	forgetting->gone |= !there || loaded->is_none;
	loaded->is_stale = true;
	return true;
}

struct caller_answers {
	struct str own; /* of these the file itself has no say */
	VEC(struct str) others;
};

static bool add_other(struct str key, void *value, void *context)
{
	struct caller_answers *answers = context;
	(void)value;
	bool is_own = key.length > answers->own.length && memcmp(key.at, answers->own.at, answers->own.length) == 0 &&
		      key.at[answers->own.length] == ' ';
	if (!is_own)
		VEC_ADD(&answers->others, key);
	return true;
}

/* Drops who calls what, as far as the file PATH (NULL: any) has a say in it: while it is typed in, its own need not be asked
 * for again. */
static void forget_callers(struct project *project, const char *path)
{
	struct caller_answers answers = {.own = str_from(path)};
	if (!path) {
		map_release(&project->quiet);
		return;
	}
	map_each(&project->quiet, add_other, &answers);
	for (size_t i = 0; i < answers.others.count; i++)
		map_remove(&project->quiet, answers.others.items[i]);
	VEC_RELEASE(&answers.others);
}

bool project_forget(struct project *project, const char *path)
{
	struct forgetting forgetting = {.project = project, .path = path};
	map_each(&project->units, forget_unit, &forgetting);
	/* whether a folder is a package is asked of the disk each time */
	bool marks = path && strcmp(name_of(path), "__init__.py") == 0;
	bool far = !path || forgetting.gone || (!forgetting.known && (forgetting.missed || marks));
	for (size_t i = 0; i < forgetting.absent.count; i++) {
		if (far)
			map_remove(&project->units, str_from(forgetting.absent.items[i]));
		free(forgetting.absent.items[i]);
	}
	VEC_RELEASE(&forgetting.absent);
	if (far)
		forget_names(project);
	forget_callers(project, path);
	return far;
}

struct resting {
	VEC(struct loaded_unit *) units;
};

static bool add_unit(struct str path, void *value, void *context)
{
	struct resting *resting = context;
	struct loaded_unit *loaded = value;
	(void)path;
	if (loaded != &missing && !loaded->is_stale && !loaded->is_none)
		VEC_ADD(&resting->units, loaded);
	return true;
}

static int by_last_use(const void *a, const void *b)
{
	const struct loaded_unit *x = *(struct loaded_unit *const *)a, *y = *(struct loaded_unit *const *)b;
	return x->used < y->used ? 1 : x->used > y->used ? -1 : 0;
}

void project_rest(struct project *project, size_t kept)
{
	struct resting resting = {{NULL, 0, 0}};
	size_t bytes = 0;
	map_each(&project->units, add_unit, &resting);
	if (resting.units.count)
		qsort(resting.units.items, resting.units.count, sizeof *resting.units.items, by_last_use);
	for (size_t i = 0; i < resting.units.count; i++) {
		struct loaded_unit *loaded = resting.units.items[i];
		bytes += loaded->arena.used + loaded->source.length;
		if (bytes <= kept)
			continue;
		empty_unit(loaded);
		loaded->is_stale = true;
	}
	VEC_RELEASE(&resting.units);
}

struct refreshing {
	const struct project *project;
	VEC(char *) changed;
};

static bool refresh_unit(struct str path, void *value, void *context)
{
	struct refreshing *refreshing = context;
	const struct loaded_unit *loaded = value;
	struct os_stat stat;
	char *name = mem_dup(path.at, path.length);
	bool told = os_stat_get(name, &stat, NULL);
	bool same = loaded == &missing ? told && stat.kind != OS_FILE : told && os_stat_same(&stat, &loaded->stat);
	if (loaded != &missing && overlay_get(refreshing->project->overlay, loaded->real, NULL))
		same = true; /* whoever changes it tells */
	if (same)
		free(name);
	else
		VEC_ADD(&refreshing->changed, name);
	return true;
}

bool project_refresh(struct project *project)
{
	bool any;

	struct refreshing refreshing = {.project = project};
	map_each(&project->units, refresh_unit, &refreshing);
	for (size_t i = 0; i < refreshing.changed.count; i++) {
		project_forget(project, refreshing.changed.items[i]);
		free(refreshing.changed.items[i]);
	}
	any = refreshing.changed.count > 0;
	VEC_RELEASE(&refreshing.changed);
	map_release(&project->quiet);
	return any;
}

double project_seconds(struct project *project)
{
	os_mutex_lock(project->mutex);
	double seconds = project->seconds;
	os_mutex_unlock(project->mutex);
	return seconds;
}

static bool is_unwanted(void *context)
{
	const struct project_look *look = context;
	return look->stop && look->stop(look->stop_context);
}

struct unit_source project_source(struct project_look *look)
{
	return (struct unit_source){find, called_quietly, is_unwanted, look};
}
