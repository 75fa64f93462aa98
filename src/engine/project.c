#include "engine/project.h"

#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "base/mem.h"
#include "base/os.h"
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
};

struct project {
	const struct py_grammar *grammar;
	const struct model *model;
	struct os_mutex *mutex; /* guards all below */
	struct map units;       /* path → struct loaded_unit, or to `missing` */
	struct map found;       /* importing folder, space, dotted name → struct loaded_unit, or `missing` */
	struct map used;        /* … → how much of the name is the file's, plus one */
	struct map quiet;       /* folder, space, function → 2 where all calls are quiet, else 1 */
	uint64_t next_base;
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
	struct err err;
	project->next_base = FIRST_BASE;
	arena_init(&project->arena);
	project->current = os_current_folder(&project->arena, &err);
	return project;
}

static bool free_unit(struct str path, void *value, void *context)
{
	struct loaded_unit *loaded = value;
	(void)path;
	(void)context;
	if (loaded == &missing)
		return true;
	arena_release(&loaded->arena);
	source_release(&loaded->source);
	free(loaded);
	return true;
}

void project_free(struct project *project)
{
	if (!project)
		return;
	map_each(&project->units, free_unit, NULL);
	map_release(&project->units);
	map_release(&project->found);
	map_release(&project->used);
	map_release(&project->quiet);
	arena_release(&project->arena);
	os_mutex_free(project->mutex);
	free(project);
}

/* ---- one file ---- */

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

static struct loaded_unit *read_unit(struct project *project, const char *path, uint32_t base)
{
	struct loaded_unit *loaded = mem_new(1, sizeof *loaded);
	struct buf raw = BUF_INIT;
	struct err err;
	arena_init(&loaded->arena);
	bool ok = os_read_file(path, LARGEST_UNIT, &raw, &err) && source_init(&loaded->source, buf_get(&raw), &err);
	buf_release(&raw);
	if (ok) {
		size_t below = project->current ? strlen(project->current) : 0;
		bool inside = below && strncmp(path, project->current, below) == 0 && path[below] == '/';
		loaded->unit.path = arena_dup(&loaded->arena, path);
		loaded->unit.shown = loaded->unit.path + (inside ? below + 1 : 0);
		loaded->unit.text = (struct str){loaded->source.text, loaded->source.length};
		loaded->unit.base = base;
		loaded->unit.is_package = str_ends(str_from(path), "/__init__.py");
		loaded->unit.is_reported = prefilter_passes(project->model, loaded->unit.text);
		ok = lower_unit(project, loaded);
		if (!ok)
			source_release(&loaded->source);
	}
	if (ok)
		return loaded;
	arena_release(&loaded->arena);
	free(loaded);
	return &missing;
}

static struct loaded_unit *unit_at(struct project *project, const char *path)
{
	struct os_stat stat;
	struct err err;
	os_mutex_lock(project->mutex);
	struct loaded_unit *known = map_get(&project->units, str_from(path));
	uint64_t base = project->next_base;
	os_mutex_unlock(project->mutex);
	if (known)
		return known;
	bool file = os_stat_get(path, &stat, &err) && stat.kind == OS_FILE && stat.size <= LARGEST_UNIT;
	if (file) {
		/* what is decoded may take up to three bytes for each one read */
		os_mutex_lock(project->mutex);
		base = project->next_base;
		project->next_base += 3 * stat.size + 4;
		os_mutex_unlock(project->mutex);
	}
	double began = os_seconds();
	struct loaded_unit *made = file && base + 3 * stat.size < UINT32_MAX ? read_unit(project, path, (uint32_t)base) : &missing;
	double spent = os_seconds() - began;
	os_mutex_lock(project->mutex);
	project->seconds += spent;
	known = map_get(&project->units, str_from(path));
	if (!known)
		map_put(&project->units, str_from(path), made);
	os_mutex_unlock(project->mutex);
	if (known && made != &missing)
		free_unit((struct str){"", 0}, made, NULL); /* another thread was faster */
	return known ? known : made;
}

/* ---- names ---- */

static bool exists(const char *folder, const char *name)
{
	char path[LONGEST + 64];
	struct os_stat stat;
	struct err err;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return os_stat_get(path, &stat, &err) && stat.kind != OS_MISSING;
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

static bool is_marked(const char *folder)
{
	static const char *const marks[] = {".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt",
					    "README.md", "LICENSE"};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (exists(folder, marks[i]))
			return true;
	return false;
}

/* How many folders, FOLDER first, imports are looked up in: up to the one that holds the project; where none does, up to
 * the one around the package. */
static int folders_of(const char *folder)
{
	char at[LONGEST];
	int package = 0;
	bool inside = true;
	snprintf(at, sizeof at, "%s", folder);
	for (int up = 0; up < FOLDERS_ABOVE; up++) {
		if (is_marked(at))
			return up + 1;
		inside &= exists(at, "__init__.py");
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
	int folders = folders_of(folder);
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
		if (loaded == &missing && !installed && exists(at, "src")) {
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

static const struct unit *find(void *context, const char *from, const char *dotted, size_t *used)
{
	struct project *project = context;
	char folder[LONGEST], key[2 * LONGEST];
	const char *slash = strrchr(from, '/');
	size_t length = slash ? (size_t)(slash - from) : 0;
	if (length + 1 >= sizeof folder || strlen(dotted) >= LONGEST / 2)
		return NULL;
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)length : 1, slash ? from : ".");
	if (slash == from)
		folder[0] = '\0';
	snprintf(key, sizeof key, "%s %s", folder, dotted);
	os_mutex_lock(project->mutex);
	struct loaded_unit *known = map_get(&project->found, str_from(key));
	*used = known ? (size_t)(uintptr_t)map_get(&project->used, str_from(key)) - 1 : 0;
	os_mutex_unlock(project->mutex);
	if (!known) {
		struct arena arena;
		arena_init(&arena);
		const char *real = os_real_path(folder[0] ? folder : "/", &arena);
		snprintf(folder, sizeof folder, "%s", real && strlen(real) < sizeof folder ? real : "/nowhere");
		arena_release(&arena);
		known = dotted[0] == '.' ? relative(project, folder, dotted, used) : absolute(project, folder, dotted, used);
		os_mutex_lock(project->mutex);
		map_put(&project->found, str_from(key), known);
		map_put(&project->used, str_from(key), (void *)(uintptr_t)(*used + 1));
		os_mutex_unlock(project->mutex);
	}
	return known == &missing ? NULL : &known->unit;
}

/* ---- callers ---- */

enum { SEARCHED = 200 };

/* Counts calls of NAME in the files of FOLDER itself, but for the one at EXCEPT. */
static void search_folder(struct project *project, const char *folder, const char *except, struct str name,
			  struct calls_seen *seen, int *searched)
{
	struct arena arena;
	struct os_entry *entries;
	size_t count = 0;
	struct err err;
	arena_init(&arena);
	if (!os_list(folder, &arena, &entries, &count, &err))
		count = 0;
	for (size_t i = 0; i < count && *searched < SEARCHED; i++) {
		if (!str_ends(str_from(entries[i].name), ".py") || entries[i].stat.kind != OS_FILE)
			continue;
		const char *path = arena_format(&arena, "%s/%s", folder, entries[i].name);
		if (strcmp(path, except) == 0)
			continue;
		++*searched;
		const struct loaded_unit *loaded = unit_at(project, path);
		if (loaded != &missing && str_find(loaded->unit.text, name, 0) != SIZE_MAX)
			callers_count(&loaded->unit, name, seen);
	}
	arena_release(&arena);
}

static bool called_quietly(void *context, const char *path, struct str name)
{
	struct project *project = context;
	struct arena arena;
	struct calls_seen seen = {0, 0};
	int searched = 0;
	char folder[LONGEST], key[2 * LONGEST];
	arena_init(&arena);
	const char *real = os_real_path(path, &arena);
	snprintf(folder, sizeof folder, "%s", real && strlen(real) < sizeof folder ? real : "");
	snprintf(key, sizeof key, "%s %.*s", folder, (int)(name.length < 200 ? name.length : 200), name.at);
	os_mutex_lock(project->mutex);
	uintptr_t known = (uintptr_t)map_get(&project->quiet, str_from(key));
	os_mutex_unlock(project->mutex);
	/* the folder of the file and those above, up to the project's */
	for (int up = 0; !known && real && up < 4 && cut_last(folder); up++) {
		search_folder(project, folder, real, name, &seen, &searched);
		if (is_marked(folder))
			break;
	}
	arena_release(&arena);
	if (known)
		return known == 2;
	bool quiet = seen.all > 0 && seen.quiet == seen.all;
	os_mutex_lock(project->mutex);
	map_put(&project->quiet, str_from(key), (void *)(uintptr_t)(quiet ? 2 : 1));
	os_mutex_unlock(project->mutex);
	return quiet;
}

double project_seconds(struct project *project)
{
	os_mutex_lock(project->mutex);
	double seconds = project->seconds;
	os_mutex_unlock(project->mutex);
	return seconds;
}

struct unit_source project_source(struct project *project)
{
	return (struct unit_source){find, called_quietly, project};
}
