#include "cli/fixer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os.h"
#include "base/vec.h"
#include "report/visible.h"
#include "rule/rule.h"

struct fixer_file {
	char *path;
	char *shown;
	uint64_t read_hash; /* of what the fixes were made for */
	size_t read_length;
	size_t fixed;
	struct buf bytes;
};

void fixer_release(struct fixer *fixer)
{
	for (size_t i = 0; i < fixer->pending.count; i++) {
		free(fixer->pending.items[i].path);
		free(fixer->pending.items[i].shown);
		buf_release(&fixer->pending.items[i].bytes);
	}
	VEC_RELEASE(&fixer->pending);
	buf_release(&fixer->told);
	buf_release(&fixer->text);
}

void fixer_add(struct fixer *fixer, const char *shown, const struct run_fix *fix)
{
	struct fixer_file file = {0};

	if (fix->outcome->count == 0 || fix->error)
		return;
	fixer->fixed += fix->outcome->count;
	fixer->files++;
	for (size_t i = 0; i < fix->outcome->rule_count; i++) {
		const struct fix_count *made = &fix->outcome->rules[i];

		visible_add(&fixer->told, str_from(shown));
		buf_format(&fixer->told, ": fixed %zu %s %s\n", made->count, made->rule->code, made->rule->name);
	}
	if (!fix->path)
		buf_add_str(&fixer->text, fix->fixed);
	if (!fix->path || !fixer->writes)
		return;
	file.path = mem_dup_text(fix->path);
	file.shown = mem_dup_text(shown);
	file.read_hash = str_hash(fix->raw);
	file.read_length = fix->raw.length;
	file.fixed = fix->outcome->count;
	buf_add_str(&file.bytes, fix->fixed);
	VEC_ADD(&fixer->pending, file);
}

/* Whether the file still holds what was read. */
static bool file_is_as_read(const struct fixer_file *file, struct err *err)
{
	struct buf now = BUF_INIT;
	bool ok = os_read_file(file->path, SOURCE_LIMIT, &now, err);

	if (ok && (now.length != file->read_length || str_hash(buf_get(&now)) != file->read_hash))
		ok = err_set(err, ERR_WRITE, "it was changed while it was checked; run again");
	buf_release(&now);
	return ok;
}

bool fixer_write_next(struct fixer *fixer, struct err *err)
{
	struct fixer_file *file;

	*err = (struct err){ERR_NONE, ""};
	if (fixer->written == fixer->pending.count)
		return false;
	file = &fixer->pending.items[fixer->written++];
	if (!file_is_as_read(file, err) || !os_replace_file(file->path, buf_get(&file->bytes), err)) {
		err_context(err, "'%s' was not fixed", file->shown);
		fixer->fixed -= file->fixed;
		fixer->files--;
	}
	return true;
}
