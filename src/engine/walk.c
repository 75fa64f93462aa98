#include "engine/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/os.h"
#include "base/path.h"
#include "base/vec.h"
#include "text/glob.h"

/* Larger ignore files are not read: nobody wrote them. */
enum { IGNORE_FILE_LIMIT = 16 << 20 };

/* The ignore files of one folder, over those of the folders above it. */
struct level {
	const struct level *above;
	size_t base; /* length of the folder's real path, which the patterns are relative to */
	struct glob_list plain;   /* .ignore */
	struct glob_list git;     /* .gitignore */
	struct glob_list exclude; /* .git/info/exclude */
	bool is_git_top;
};

/* One file or folder in its three spellings. */
struct item {
	const char *path;    /* as to open it; "" is the current folder */
	const char *logical; /* absolute, links as they were named */
	const char *real;    /* absolute, links resolved up to the named root; what ignore files are matched with */
	const char *shown;   /* logical, relative to the current folder; set when the walk is over */
	const struct level *level; /* of the folder that holds it; for a root, of the folders above */
	const struct settings *settings; /* for what the folder holds */
	struct os_stat stat;
	bool is_linked; /* a link led here */
	bool is_named;  /* is itself one of the paths */
};

struct walker {
	struct glob_list own;    /* what its user has git ignore everywhere */
	bool own_is_read;
	struct walk *walk;
	struct config *config;
	struct arena scratch; /* folders, levels and listings; dies with the walk */
	const char *current;  /* the current folder, or NULL where it cannot be told */
	struct map folders;   /* those visited, by device and inode */
	VEC(struct item) roots;
	VEC(struct item) stack; /* folders and files yet to be taken, the next one last */
	VEC(struct item) links; /* folders behind links: after all others, so that files keep their plain paths */
	VEC(struct item) files; /* found, with repetitions */
	VEC(const char *) entered; /* folders, in the walk's arena */
};

static void problem_add(struct walker *walker, struct walk_problem problem)
{
	struct walk *walk = walker->walk;
	size_t room = walk->problem_count;

	/* Doubles at each power of two; there are few. */
	if ((room & (room - 1)) == 0) {
		struct walk_problem *grown = ARENA_ARRAY(&walk->arena, struct walk_problem, room ? room * 2 : 1);

		if (room)
			memcpy(grown, walk->problems, room * sizeof *grown);
		walk->problems = grown;
	}
	problem.path = arena_dup(&walk->arena, problem.path);
	problem.text = arena_dup(&walk->arena, problem.text);
	walk->problems[walk->problem_count++] = problem;
}

/* Whether FOLDER's settings take the entry of that NAME, at REAL. */
static bool is_wanted(const struct item *folder, const char *real, const char *name, bool is_folder)
{
	/* Emacs marks a file being edited by a dangling link ".#file.py". */
	if (!is_folder && (str_starts(str_from(name), ".#") || !settings_includes(folder->settings, real)))
		return false;
	return !settings_excluded_by(folder->settings, real, is_folder);
}

/* Reads ignore file NAME of FOLDER into LIST; a missing one is empty. */
static void ignore_read(struct walker *walker, struct glob_list *list, const char *folder, const char *name)
{
	const char *path = path_join(&walker->scratch, folder, name);
	struct buf text = BUF_INIT;
	struct os_stat stat;
	struct err err;

	*list = (struct glob_list){NULL, 0};
	if (!os_stat_get(path, &stat, NULL) || stat.kind != OS_FILE)
		return;
	if (os_read_file(path, IGNORE_FILE_LIMIT, &text, &err))
		glob_list_init(list, buf_get(&text), &walker->scratch);
	else
		problem_add(walker, (struct walk_problem){path, err.message});
	buf_release(&text);
}

/* The level of FOLDER, whose real path is REAL; ABOVE itself where the folder adds nothing. */
static const struct level *level_new(struct walker *walker, const struct level *above, const char *folder,
				     const char *real)
{
	struct level level = {.above = above, .base = strcmp(real, "/") == 0 ? 0 : strlen(real)};
	struct level *made;
	struct os_stat stat;

	ignore_read(walker, &level.plain, folder, ".ignore");
	ignore_read(walker, &level.git, folder, ".gitignore");
	level.is_git_top = os_stat_get(path_join(&walker->scratch, folder, ".git"), &stat, NULL) &&
			   stat.kind != OS_MISSING;
	if (level.is_git_top)
		ignore_read(walker, &level.exclude, folder, ".git/info/exclude");
	else if (!level.plain.count && !level.git.count)
		return above;
	made = ARENA_NEW(&walker->scratch, struct level);
	*made = level;
	return made;
}

static struct str level_path(const struct level *level, const char *real)
{
	return str_from(real + level->base + 1);
}

/* The file that its user has git read wherever it works, or NULL. FOLDER lies in a work tree, whose own configuration may name
 * another one. */
static const char *own_ignore_file(struct walker *walker, const char *folder)
{
	const char *const arguments[] = {"git", "-C", folder, "config", "--path", "--get", "core.excludesFile", NULL};
	const char *path = NULL;
	struct buf out = BUF_INIT;
	struct buf errors = BUF_INIT;
	struct err err;
	int status;

	if (os_run(arguments, STR(""), &out, &errors, &status, &err) && status == 0 && str_ends(buf_get(&out), "\n"))
		path = arena_dup_bytes(&walker->scratch, out.bytes, out.length - 1);
	buf_release(&out);
	buf_release(&errors);
	return path ? path_join(&walker->scratch, folder, path) : os_user_config(&walker->scratch, "git/ignore");
}

/* Asked for once: work trees within one walk hardly ever differ there. */
static const struct glob_list *own_ignores(struct walker *walker, const char *folder)
{
	const char *path = walker->own_is_read ? NULL : own_ignore_file(walker, folder);

	walker->own_is_read = true;
	if (path)
		ignore_read(walker, &walker->own, "", path);
	return &walker->own;
}

/* What is said for all of the work tree whose top is LEVEL: 1 ignored, 0 not, -1 nothing. */
static int top_verdict(struct walker *walker, const struct level *level, const char *real, bool is_folder)
{
	int verdict = glob_list_match(&level->exclude, level_path(level, real), is_folder);
	const char *top;

	if (verdict >= 0)
		return verdict;
	top = level->base ? arena_dup_bytes(&walker->scratch, real, level->base) : "/";
	return glob_list_match(own_ignores(walker, top), level_path(level, real), is_folder);
}

/* The nearest file that says something decides; .ignore before .gitignore, and no .gitignore beyond the top of its
 * work tree. */
static bool is_ignored(struct walker *walker, const struct level *levels, const char *real, bool is_folder)
{
	int verdict;

	for (const struct level *level = levels; level; level = level->above) {
		verdict = glob_list_match(&level->plain, level_path(level, real), is_folder);
		if (verdict >= 0)
			return verdict == 1;
	}
	for (const struct level *level = levels; level; level = level->above) {
		verdict = glob_list_match(&level->git, level_path(level, real), is_folder);
		if (verdict < 0 && level->is_git_top)
			return top_verdict(walker, level, real, is_folder) == 1;
		if (verdict >= 0)
			return verdict == 1;
	}
	return false;
}

/* The levels of the folders above REAL, from the top of the work tree that holds it; NULL where none does. */
static const struct level *levels_above(struct walker *walker, const char *real)
{
	char *path = arena_dup(&walker->scratch, real);
	const struct level *level = NULL;
	size_t top = SIZE_MAX;
	struct os_stat stat;
	char *slash;

	/* A root that is itself the top of a work tree has nothing above it. */
	for (;;) {
		const char *git = path_join(&walker->scratch, path[0] ? path : "/", ".git");

		if (os_stat_get(git, &stat, NULL) && stat.kind != OS_MISSING) {
			top = strlen(path);
			break;
		}
		slash = strrchr(path, '/');
		if (!slash)
			return NULL;
		*slash = '\0';
	}
	/* Down again, a folder at a time, without the last, which is the root itself. */
	for (size_t at = top; real[at] && strcmp(real, "/") != 0;) {
		const char *folder = at ? arena_dup_bytes(&walker->scratch, real, at) : "/";

		level = level_new(walker, level, folder, folder);
		at++;
		while (real[at] && real[at] != '/')
			at++;
	}
	return level;
}

static const char *root_logical(struct walker *walker, const char *path, const char *real)
{
	const char *absolute = walker->current ? path_absolute(&walker->scratch, walker->current, path) : path;

	return absolute ? absolute : real;
}

static const char *item_shown(struct walker *walker, const struct item *item)
{
	if (!walker->current)
		return item->path;
	return path_relative(&walker->scratch, walker->current, item->logical);
}

/* Whether the folder is visited for the first time. */
static bool folder_enter(struct walker *walker, const struct os_stat *stat)
{
	uint64_t identity[2] = {stat->device, stat->inode};
	struct str key = {(const char *)identity, sizeof identity};

	if (map_has(&walker->folders, key))
		return false;
	map_put(&walker->folders, key, NULL);
	return true;
}

/* Whether the file that was named is left out all the same. */
static bool is_left_out(struct walker *walker, const char *logical)
{
	const struct settings *settings = config_for_file(walker->config, logical);

	return settings->force_exclude && settings_file_excluded_by(settings, logical);
}

static void root_add(struct walker *walker, const char *path)
{
	struct item root = {.path = path, .is_named = true};
	struct err err;

	if (!os_stat_get(path, &root.stat, &err)) {
		problem_add(walker, (struct walk_problem){path, err.message});
		return;
	}
	if (root.stat.kind == OS_MISSING || root.stat.kind == OS_OTHER) {
		const char *why = root.stat.kind == OS_OTHER ? "is not a regular file; '-' reads standard input"
				  : root.stat.is_link	     ? "the link leads nowhere"
							     : "no such file or folder";

		err_set(&err, ERR_READ, "cannot read '%s': %s", path, why);
		problem_add(walker, (struct walk_problem){path, err.message});
		return;
	}
	root.is_linked = root.stat.is_link;
	root.real = os_real_path(path, &walker->scratch);
	if (!root.real)
		root.real = path;
	root.logical = root_logical(walker, path, root.real);
	if (root.stat.kind == OS_FOLDER) {
		while (strncmp(root.path, "./", 2) == 0 && root.path[2] != '/')
			root.path += 2;
		if (strcmp(root.path, ".") == 0)
			root.path = "";
		VEC_ADD(&walker->roots, root);
	} else if (is_left_out(walker, root.logical)) {
		walker->walk->excluded_count++;
	} else {
		root.is_named = true;
		VEC_ADD(&walker->files, root);
	}
}

/* Sorts what the folder holds into files, folders and links. */
static void entry_add(struct walker *walker, const struct item *folder, const struct level *level,
		      const struct os_entry *entry)
{
	struct arena *arena = &walker->scratch;
	bool is_folder = entry->stat.kind == OS_FOLDER;
	struct item item = {.level = level, .stat = entry->stat, .is_linked = folder->is_linked || entry->stat.is_link};
	struct err err;

	item.real = path_join(arena, folder->real, entry->name);
	if (!is_wanted(folder, item.real, entry->name, is_folder))
		return;
	if (folder->settings->respect_gitignore && level && is_ignored(walker, level, item.real, is_folder))
		return;
	item.path = path_join(arena, folder->path, entry->name);
	item.logical = path_join(arena, folder->logical, entry->name);
	if (is_folder && entry->stat.is_link) {
		VEC_ADD(&walker->links, item);
	} else if (is_folder) {
		VEC_ADD(&walker->stack, item);
	} else if (entry->stat.kind == OS_FILE) {
		VEC_ADD(&walker->files, item);
	} else if (entry->stat.kind == OS_MISSING && entry->stat.is_link) {
		if (os_stat_get(item.path, &item.stat, &err))
			err_set(&err, ERR_READ, "cannot read '%s': the link leads nowhere", item.path);
		problem_add(walker, (struct walk_problem){item.path, err.message});
	}
}

static void folder_walk(struct walker *walker, struct item *folder)
{
	const char *path = folder->path[0] ? folder->path : ".";
	struct os_entry *entries;
	const struct level *level;
	struct err err;
	size_t count;

	if (!folder_enter(walker, &folder->stat))
		return;
	if (!os_list(path, &walker->scratch, &entries, &count, &err)) {
		problem_add(walker, (struct walk_problem){path, err.message});
		return;
	}
	VEC_ADD(&walker->entered, arena_dup(&walker->walk->arena, path));
	folder->settings = config_for_folder(walker->config, folder->real);
	level = level_new(walker, folder->level, folder->path, folder->real);
	for (size_t i = 0; i < count; i++)
		entry_add(walker, folder, level, &entries[i]);
}

static void stack_walk(struct walker *walker)
{
	while (walker->stack.count) {
		struct item folder = walker->stack.items[--walker->stack.count];

		folder_walk(walker, &folder);
	}
}

static int root_order(const void *a, const void *b)
{
	const struct item *left = a;
	const struct item *right = b;
	int order = strcmp(left->real, right->real);

	if (!order)
		order = left->is_linked - right->is_linked;
	return order ? order : strcmp(left->path, right->path);
}

static int problem_order(const void *a, const void *b)
{
	const struct walk_problem *left = a;
	const struct walk_problem *right = b;
	int order = strcmp(left->path, right->path);

	return order ? order : strcmp(left->text, right->text);
}

/* Plain paths before those through links, so that of two paths to one file the plain one is kept. */
static int preference_order(const void *a, const void *b)
{
	const struct item *left = a;
	const struct item *right = b;

	if (left->is_linked != right->is_linked)
		return left->is_linked - right->is_linked;
	return strcmp(left->shown, right->shown);
}

static int file_order(const void *a, const void *b)
{
	return strcmp(((const struct walk_file *)a)->shown, ((const struct walk_file *)b)->shown);
}

static void folders_finish(struct walker *walker)
{
	struct walk *walk = walker->walk;

	walk->folder_count = walker->entered.count;
	walk->folders = ARENA_ARRAY(&walk->arena, const char *, walk->folder_count + 1);
	for (size_t i = 0; i < walk->folder_count; i++)
		walk->folders[i] = walker->entered.items[i];
}

/* Fills walk->files with each file once, in order of what is shown. */
static void files_finish(struct walker *walker)
{
	struct walk *walk = walker->walk;
	struct map seen = MAP_INIT;

	if (!walker->files.count)
		return;
	for (size_t i = 0; i < walker->files.count; i++)
		walker->files.items[i].shown = item_shown(walker, &walker->files.items[i]);
	qsort(walker->files.items, walker->files.count, sizeof *walker->files.items, preference_order);
	walk->files = ARENA_ARRAY(&walk->arena, struct walk_file, walker->files.count);
	for (size_t i = 0; i < walker->files.count; i++) {
		const struct item *item = &walker->files.items[i];
		uint64_t identity[2] = {item->stat.device, item->stat.inode};
		struct str key = {(const char *)identity, sizeof identity};

		size_t known = (size_t)(uintptr_t)map_get(&seen, key);

		if (known) {
			walk->files[known - 1].is_named |= item->is_named;
			continue;
		}
		map_put(&seen, key, (void *)(uintptr_t)(walk->file_count + 1));
		walk->files[walk->file_count++] = (struct walk_file){
			.path = arena_dup(&walk->arena, item->path),
			.shown = arena_dup(&walk->arena, item->shown),
			.is_named = item->is_named,
			.settings = config_for_file(walker->config, item->is_named ? item->logical : item->real),
		};
	}
	map_release(&seen);
	qsort(walk->files, walk->file_count, sizeof *walk->files, file_order);
}

static void walker_release(struct walker *walker)
{
	VEC_RELEASE(&walker->roots);
	VEC_RELEASE(&walker->stack);
	VEC_RELEASE(&walker->links);
	VEC_RELEASE(&walker->files);
	VEC_RELEASE(&walker->entered);
	map_release(&walker->folders);
	arena_release(&walker->scratch);
}

void walk_init(struct walk *walk, struct config *config, const char *const *paths, size_t count)
{
	struct walker walker = {.walk = walk, .config = config, .folders = MAP_INIT};

	*walk = (struct walk){.files = NULL};
	arena_init(&walk->arena);
	arena_init(&walker.scratch);
	walker.current = os_current_folder(&walker.scratch, NULL);
	for (size_t i = 0; i < count; i++)
		root_add(&walker, paths[i]);
	/* The order in which folders were named must not show: of one inside the other, the outer goes first. */
	if (walker.roots.count)
		qsort(walker.roots.items, walker.roots.count, sizeof *walker.roots.items, root_order);
	for (size_t i = 0; i < walker.roots.count; i++) {
		walker.roots.items[i].level = levels_above(&walker, walker.roots.items[i].real);
		VEC_ADD(&walker.stack, walker.roots.items[i]);
		stack_walk(&walker);
	}
	for (size_t i = 0; i < walker.links.count; i++) {
		VEC_ADD(&walker.stack, walker.links.items[i]);
		stack_walk(&walker);
	}
	if (walk->problem_count)
		qsort(walk->problems, walk->problem_count, sizeof *walk->problems, problem_order);
	files_finish(&walker);
	folders_finish(&walker);
	walker_release(&walker);
}

void walk_release(struct walk *walk)
{
	arena_release(&walk->arena);
	*walk = (struct walk){.files = NULL};
}
