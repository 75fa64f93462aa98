#include "engine/changed.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/map.h"
#include "base/os.h"
#include "base/vec.h"

struct range {
	uint32_t first, last; /* 1-based lines */
};

struct file {
	VEC(struct range) ranges; /* in order */
	bool is_whole;            /* all lines count */
	const char *blob;         /* staged: name of its content in git, else NULL */
};

struct changed {
	struct arena arena;
	const char *top;     /* of the work tree, absolute, links resolved */
	bool is_staged;
	struct map by_path;  /* relative to the top → struct file, all there are */
	struct map by_shown; /* as a run shows it → struct file */
	struct map known;    /* paths that git knows, unless staged */
	VEC(const char *) untold; /* "path/" of submodules of which git cannot say what has changed */
	struct buf blobs;    /* contents of staged files */
};

/* ---- git ---- */

/* "; git says: …", the first line of what it printed as an error. */
static const char *words_of_git(struct changed *changed, const struct buf *errors)
{
	const char *text = buf_text(errors);
	int length = (int)strcspn(text, "\n");
	return length ? arena_format(&changed->arena, "; git says '%.*s'", length > 200 ? 200 : length, text) : "";
}

/* Runs git and appends what it prints to OUT. False without ERR set where it says no and REFUSAL is NULL. */
static bool git(struct changed *changed, const char *const *arguments, struct str input, struct buf *out,
		const char *refusal, struct err *err)
{
	static const char *const first[] = {"git", "--no-pager", "--no-optional-locks"};
	const char *all[32];
	struct buf errors = BUF_INIT;
	size_t count = 0;
	int status;
	for (; count < sizeof first / sizeof *first; count++)
		all[count] = first[count];
	for (; *arguments; arguments++)
		all[count++] = *arguments;
	all[count] = NULL;
	bool ok = os_run(all, input, out, &errors, &status, err);
	if (ok && status != 0) {
		ok = false;
		if (refusal)
			err_set(err, ERR_READ, "%s%s", refusal, words_of_git(changed, &errors));
		else
			err->code = ERR_NONE;
	}
	buf_release(&errors);
	return ok;
}

/* One line that git prints, without its end; NULL where it says no. */
static const char *git_line(struct changed *changed, const char *const *arguments, const char *refusal, struct err *err)
{
	struct buf out = BUF_INIT;
	const char *line = NULL;
	if (git(changed, arguments, STR(""), &out, refusal, err)) {
		if (out.length && out.bytes[out.length - 1] == '\n')
			out.length--;
		line = arena_dup_bytes(&changed->arena, buf_text(&out), out.length);
	}
	buf_release(&out);
	return line;
}

/* ---- files ---- */

static struct file *file_get(struct changed *changed, struct str path)
{
	struct file *file = map_get(&changed->by_path, path);
	if (!file) {
		file = ARENA_NEW(&changed->arena, struct file);
		map_put(&changed->by_path, path, file);
	}
	return file;
}

/* ---- the diff ---- */

static bool take_line(struct str *text, struct str *line)
{
	if (!text->length)
		return false;
	const char *end = memchr(text->at, '\n', text->length);
	size_t length = end ? (size_t)(end - text->at) : text->length;
	size_t taken = length + (end != NULL);
	*line = (struct str){text->at, length};
	*text = (struct str){text->at + taken, text->length - taken};
	return true;
}

/* A name as git quotes it where it holds unusual bytes: "\"b/tab\\there\"". */
static void add_unquoted(struct buf *out, struct str name)
{
	static const char letters[] = "abtnvfr\"\\", bytes[] = "\a\b\t\n\v\f\r\"\\";
	for (size_t i = 1; i < name.length && name.at[i] != '"'; i++) {
		if (name.at[i] != '\\' || i + 1 >= name.length) {
			buf_add_char(out, name.at[i]);
			continue;
		}
		const char *letter = strchr(letters, name.at[++i]);
		if (letter && *letter) {
			buf_add_char(out, bytes[letter - letters]);
			continue;
		}
		int number = 0;
		for (int k = 0; k < 3 && i < name.length && name.at[i] >= '0' && name.at[i] <= '7'; k++, i++)
			number = number * 8 + (name.at[i] - '0');
		i--;
		buf_add_char(out, (char)number);
	}
}

/* The file that a header's "b/name" means; NULL for /dev/null. */
static struct file *file_of_header(struct changed *changed, struct str name)
{
	struct buf path = BUF_INIT;
	if (name.length && name.at[0] == '"') {
		add_unquoted(&path, name);
	} else {
		/* behind a name with blanks git puts a tab */
		if (name.length && name.at[name.length - 1] == '\t')
			name.length--;
		buf_add_str(&path, name);
	}
	struct file *file = NULL;
	if (path.length > 2 && memcmp(path.bytes, "b/", 2) == 0)
		file = file_get(changed, (struct str){path.bytes + 2, path.length - 2});
	buf_release(&path);
	return file;
}

static uint32_t take_number(struct str *text, uint32_t otherwise)
{
	uint32_t number = 0;
	size_t i = 0;
	for (; i < text->length && text->at[i] >= '0' && text->at[i] <= '9'; i++)
		number = number * 10 + (uint32_t)(text->at[i] - '0');
	*text = (struct str){text->at + i, text->length - i};
	return i ? number : otherwise;
}

struct hunk {
	uint32_t old_count, first, count;
};

/* "@@ -12,3 +14 @@ …" */
static bool read_hunk(struct str line, struct hunk *hunk)
{
	if (!str_starts(line, "@@ -"))
		return false;
	line = (struct str){line.at + 4, line.length - 4};
	take_number(&line, 0);
	hunk->old_count = 1;
	if (str_starts(line, ",")) {
		line = (struct str){line.at + 1, line.length - 1};
		hunk->old_count = take_number(&line, 0);
	}
	if (!str_starts(line, " +"))
		return false;
	line = (struct str){line.at + 2, line.length - 2};
	hunk->first = take_number(&line, 0);
	hunk->count = 1;
	if (str_starts(line, ",")) {
		line = (struct str){line.at + 1, line.length - 1};
		hunk->count = take_number(&line, 0);
	}
	return true;
}

/* "Binary files a/x and b/x differ": it is not said which lines. */
static void read_binary(struct changed *changed, struct str line)
{
	size_t at = SIZE_MAX;
	for (size_t from = 0, found; (found = str_find(line, STR(" and "), from)) != SIZE_MAX; from = found + 1)
		at = found;
	if (at == SIZE_MAX || !str_ends(line, " differ"))
		return;
	struct file *file = file_of_header(changed, (struct str){line.at + at + 5, line.length - at - 5 - 7});
	if (file)
		file->is_whole = true;
}

/* "Submodule path 1234567...89abcde (commits not present)" */
static void read_submodule(struct changed *changed, struct str line)
{
	size_t end = line.length;
	if (!str_ends(line, " (commits not present)"))
		return;
	end -= strlen(" (commits not present)");
	while (end && line.at[end - 1] != ' ')
		end--;
	size_t start = strlen("Submodule ");
	if (end > start + 1)
		VEC_ADD(&changed->untold, arena_format(&changed->arena, "%.*s/", (int)(end - 1 - start), line.at + start));
}

static bool is_untold(const struct changed *changed, struct str path)
{
	for (size_t i = 0; i < changed->untold.count; i++)
		if (str_starts(path, changed->untold.items[i]))
			return true;
	return false;
}

static void add_line(struct file *file, uint32_t line)
{
	struct range *last = file->ranges.count ? &file->ranges.items[file->ranges.count - 1] : NULL;
	if (last && last->last + 1 == line)
		last->last = line;
	else
		VEC_ADD(&file->ranges, (struct range){line, line});
}

/* Takes the lines of HUNK off TEXT, which may look like headers, and adds to FILE those that are new. Others stand there
 * in submodules, for which git does not heed --unified. */
static void read_lines(struct file *file, struct hunk hunk, struct str *text)
{
	uint32_t at = hunk.first;
	struct str line;
	for (uint32_t old = hunk.old_count, new = hunk.count; (old || new) && take_line(text, &line);) {
		char sign = line.length ? line.at[0] : ' ';
		if (sign == '\\') /* No newline at end of file */
			continue;
		if (sign == '+' && file)
			add_line(file, at);
		if (sign != '-') {
			at++;
			new -= new > 0;
		}
		if (sign != '+')
			old -= old > 0;
	}
}

static void read_diff(struct changed *changed, struct str text)
{
	struct file *file = NULL;
	struct str line;
	struct hunk hunk;
	while (take_line(&text, &line)) {
		if (str_starts(line, "diff --git ")) {
			file = NULL;
		} else if (str_starts(line, "+++ ")) {
			file = file_of_header(changed, (struct str){line.at + 4, line.length - 4});
		} else if (str_starts(line, "Binary files ")) {
			read_binary(changed, line);
		} else if (str_starts(line, "Submodule ")) {
			read_submodule(changed, line);
		} else if (read_hunk(line, &hunk)) {
			read_lines(file, hunk, &text);
		}
	}
}

/* ---- what there is to compare ---- */

static const char *find_base(struct changed *changed, const char *base, struct err *err)
{
	const char *revision = arena_format(&changed->arena, "%s^{commit}", base);
	const char *const verify[] = {"rev-parse", "--verify", "--quiet", "--end-of-options", revision, NULL};
	const char *const shallow[] = {"rev-parse", "--is-shallow-repository", NULL};
	struct err ignored;
	const char *commit = git_line(changed, verify, NULL, err);
	const char *remedy = "";
	if (!commit && err->code != ERR_NONE)
		return NULL;
	const char *is_shallow = git_line(changed, shallow, NULL, &ignored);
	if (is_shallow && strcmp(is_shallow, "true") == 0)
		remedy = "; this clone is shallow: fetch the rest of its history with 'git fetch --unshallow'";
	if (!commit) {
		err_set(err, ERR_USAGE, "git knows no commit '%s'%s", base, *remedy ? remedy : "; fetch it, or name another one");
		return NULL;
	}
	const char *const merge_base[] = {"merge-base", commit, "HEAD", NULL};
	const char *common = git_line(changed, merge_base, NULL, err);
	if (!common && err->code == ERR_NONE)
		err_set(err, ERR_USAGE, "'%s' and HEAD have no commit in common%s", base, remedy);
	return common;
}

static bool read_changes(struct changed *changed, const char *commit, struct err *err)
{
	const char *const diff[] = {"diff", "--unified=0", "--inter-hunk-context=0", "--no-color", "--no-ext-diff",
				    "--no-textconv", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "--find-renames",
				    changed->is_staged ? "--submodule=short" : "--submodule=diff",
				    changed->is_staged ? "--ignore-submodules=all" : "--ignore-submodules=untracked",
				    changed->is_staged ? "--cached" : commit, "--", NULL};
	struct buf out = BUF_INIT;
	bool ok = git(changed, diff, STR(""), &out, "git cannot say what has changed", err);
	if (ok)
		read_diff(changed, buf_get(&out));
	buf_release(&out);
	return ok;
}

/* Which files git knows, for those that it does not are new. */
static bool read_known(struct changed *changed, struct err *err)
{
	const char *const list[] = {"-C", changed->top, "ls-files", "-z", "--cached", "--recurse-submodules", NULL};
	struct buf out = BUF_INIT;
	bool ok = git(changed, list, STR(""), &out, "git cannot list its files", err);
	for (size_t at = 0; ok && at < out.length; at += strlen(out.bytes + at) + 1)
		map_put(&changed->known, str_from(out.bytes + at), changed);
	buf_release(&out);
	return ok;
}

/* ":100644 100644 OLD NEW M\0path\0", and a second path where it was renamed or copied. */
static bool read_staged(struct changed *changed, struct err *err)
{
	static const char *const diff[] = {"diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-ext-diff", "--no-relative",
					   "--find-renames", "--ignore-submodules=all", "--", NULL};
	struct buf out = BUF_INIT;
	bool ok = git(changed, diff, STR(""), &out, "git cannot say what is staged", err);
	const char *at = buf_text(&out), *end = at + out.length;
	while (ok && at < end) {
		const char *path = at + strlen(at) + 1;
		char mode[7], blob[129], status;
		bool is_entry = sscanf(at, ":%*6[0-7] %6[0-7] %*128[0-9a-f] %128[0-9a-f] %c", mode, blob, &status) == 3;
		if (!is_entry || path >= end)
			break;
		if (status == 'R' || status == 'C')
			path += strlen(path) + 1;
		if (path >= end)
			break;
		/* only files; links and submodules hold no Python */
		if (status != 'D' && strncmp(mode, "100", 3) == 0)
			file_get(changed, str_from(path))->blob = arena_dup(&changed->arena, blob);
		at = path + strlen(path) + 1;
	}
	buf_release(&out);
	return ok;
}

static bool start(struct changed *changed, const char *base, struct err *err)
{
	static const char *const top[] = {"rev-parse", "--show-toplevel", NULL};
	const char *commit = NULL;
	const char *folder = git_line(changed, top, "the current folder is in no work tree of git", err);
	if (!folder)
		return false;
	changed->top = os_real_path(folder, &changed->arena);
	if (!changed->top)
		return err_set(err, ERR_READ, "cannot read '%s', the top of the work tree", folder);
	if (changed->is_staged)
		return read_staged(changed, err) && read_changes(changed, NULL, err);
	commit = find_base(changed, base, err);
	return commit && read_known(changed, err) && read_changes(changed, commit, err);
}

struct changed *changed_new(const char *base, struct err *err)
{
	struct changed *changed = mem_new(1, sizeof *changed);
	arena_init(&changed->arena);
	map_init(&changed->by_path);
	map_init(&changed->by_shown);
	map_init(&changed->known);
	changed->is_staged = base == NULL;
	if (start(changed, base, err))
		return changed;
	changed_free(changed);
	return NULL;
}

static bool release_file(struct str path, void *value, void *context)
{
	struct file *file = value;
	VEC_RELEASE(&file->ranges);
	return true;
}

void changed_free(struct changed *changed)
{
	if (!changed)
		return;
	map_each(&changed->by_path, release_file, NULL);
	map_release(&changed->by_path);
	map_release(&changed->by_shown);
	map_release(&changed->known);
	VEC_RELEASE(&changed->untold);
	buf_release(&changed->blobs);
	arena_release(&changed->arena);
	free(changed);
}

/* ---- files of a run ---- */

/* FILE's path below the top of the work tree, or one of length 0 where it lies outside. */
static struct str path_in_tree(struct changed *changed, const struct walk_file *file)
{
	const char *real = os_real_path(file->path, &changed->arena);
	size_t length = strcmp(changed->top, "/") == 0 ? 0 : strlen(changed->top);
	if (!real || strncmp(real, changed->top, length) != 0 || real[length] != '/')
		return (struct str){"", 0};
	return str_from(real + length + 1);
}

/* The changes of FILE, or NULL where it has none. */
static struct file *changes_of(struct changed *changed, const struct walk_file *file)
{
	struct str path = path_in_tree(changed, file);
	struct file *changes = path.length ? map_get(&changed->by_path, path) : NULL;
	if (changed->is_staged)
		return changes && changes->blob ? changes : NULL;
	if (path.length && map_has(&changed->known, path) && !is_untold(changed, path))
		return changes;
	changes = file_get(changed, path.length ? path : str_from(file->path));
	changes->is_whole = true;
	return changes;
}

/* What follows HEADER, "NAME blob SIZE", in TEXT, with the line end that git puts behind it. */
static bool take_blob(struct str *text, struct str header, struct str *blob)
{
	size_t at = str_find(header, STR(" blob "), 0);
	if (at == SIZE_MAX)
		return false;
	header = (struct str){header.at + at + 6, header.length - at - 6};
	size_t size = take_number(&header, UINT32_MAX);
	if (size >= text->length)
		return false;
	*blob = (struct str){text->at, size};
	*text = (struct str){text->at + size + 1, text->length - size - 1};
	return true;
}

/* Puts what is staged of FILES, in their order, into `blobs`, and points the files to it. */
static bool read_blobs(struct changed *changed, struct walk *walk, struct err *err)
{
	static const char *const batch[] = {"cat-file", "--batch", NULL};
	struct buf input = BUF_INIT;
	for (size_t i = 0; i < walk->file_count; i++)
		buf_format(&input, "%s\n", ((struct file *)map_get(&changed->by_shown, str_from(walk->files[i].shown)))->blob);
	bool ok = git(changed, batch, buf_get(&input), &changed->blobs, "git cannot read what is staged", err);
	size_t at = 0;
	for (size_t i = 0; ok && i < walk->file_count; i++) {
		struct str rest = {changed->blobs.bytes + at, changed->blobs.length - at}, line, blob;
		if (!take_line(&rest, &line) || !take_blob(&rest, line, &blob)) {
			ok = err_set(err, ERR_READ, "git cannot read what is staged of '%s'", walk->files[i].shown);
			break;
		}
		walk->files[i].text = blob;
		at = changed->blobs.length - rest.length;
	}
	buf_release(&input);
	return ok;
}

bool changed_select(struct changed *changed, struct walk *walk, struct err *err)
{
	size_t kept = 0;
	for (size_t i = 0; i < walk->file_count; i++) {
		struct file *file = changes_of(changed, &walk->files[i]);
		if (!file)
			continue;
		map_put(&changed->by_shown, str_from(walk->files[i].shown), file);
		walk->files[kept++] = walk->files[i];
	}
	walk->file_count = kept;
	return !changed->is_staged || !kept || read_blobs(changed, walk, err);
}

static bool holds_any(const struct file *file, uint32_t first, uint32_t last)
{
	size_t low = 0, high = file->ranges.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (file->ranges.items[middle].last < first)
			low = middle + 1;
		else
			high = middle;
	}
	return low < file->ranges.count && file->ranges.items[low].first <= last;
}

bool changed_touches(const struct changed *changed, const char *shown, const struct finding *finding)
{
	const struct file *file = map_get(&changed->by_shown, str_from(shown));
	if (!file)
		return false;
	if (file->is_whole || finding->at.cell || holds_any(file, finding->at.start.line, finding->at.end.line))
		return true;
	for (size_t i = 0; i < finding->note_count; i++)
		if (holds_any(file, finding->notes[i].at.start.line, finding->notes[i].at.start.line))
			return true;
	return false;
}
