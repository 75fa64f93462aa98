/* Every call to the operating system that this program makes.
 *
 * Errors are returned as text that names the path. Paths are bytes. */
#ifndef VRAMLINT_BASE_OS_H
#define VRAMLINT_BASE_OS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum os_kind { OS_MISSING, OS_FILE, OS_FOLDER, OS_OTHER };

struct os_stat {
	enum os_kind kind;
	bool is_link;      /* the path itself is a symbolic link; the rest speaks of its target */
	uint64_t size;     /* bytes */
	uint64_t device;   /* with inode: identity of what the path leads to */
	uint64_t inode;
	int64_t modified;  /* nanoseconds since 1970 */
};

struct os_entry {
	const char *name; /* within the folder */
	struct os_stat stat;
};

/* What PATH leads to. A missing target is kind OS_MISSING, not an error; false only where it cannot be told. */
bool os_stat_get(const char *path, struct os_stat *stat, struct err *err);
/* Whether A and B, of one path at two times, are of the same file with the same content, as far as that can be told unread. */
bool os_stat_same(const struct os_stat *a, const struct os_stat *b);
/* The entries of folder PATH without "." and "..", sorted by name as bytes, in ARENA. */
bool os_list(const char *path, struct arena *arena, struct os_entry **entries, size_t *count, struct err *err);
/* Appends the whole file to BUF. Files of over LIMIT bytes are ERR_TOO_BIG (0: no limit); folders and devices are ERR_READ. */
bool os_read_file(const char *path, size_t limit, struct buf *buf, struct err *err);
/* Puts BYTES in the place of what the file at PATH holds, at once: whoever opens it sees the old or the new file, whole, and
 * so does who looks after a crash. Links are followed; mode, owner and group stay, other names (hard links) of the old file
 * keep the old one. ERR_WRITE where the file or its folder is read-only, or the owner could not be kept. */
bool os_replace_file(const char *path, struct str bytes, struct err *err);
/* Whether os_replace_file could do so as things stand, without doing it. */
bool os_may_replace_file(const char *path, struct err *err);
/* Appends standard input up to its end. */
bool os_read_stdin(size_t limit, struct buf *buf, struct err *err);

/* Makes BYTES the whole content of the file PATH, at once: it is new or replaced when all is written, and left as it was
 * where something fails. Links are followed, the mode of an existing file stays; devices and pipes are written to. */
bool os_write_file(const char *path, struct str bytes, struct err *err);
/* Whether os_write_file could do so as things stand, without doing it. */
bool os_may_write_file(const char *path, struct err *err);
/* Puts BYTES at the end of the file PATH, which need not exist. */
bool os_append_file(const char *path, struct str bytes, struct err *err);

/* The absolute path with links resolved, in ARENA, or NULL. */
char *os_real_path(const char *path, struct arena *arena);
/* Where this program lies, absolute, in ARENA, or NULL where the system does not tell. */
char *os_program_path(struct arena *arena);
/* The current directory in ARENA, or NULL with ERR set. */
char *os_current_folder(struct arena *arena, struct err *err);

const char *os_env(const char *name); /* NULL where unset */
/* Where a person keeps the configuration file NAME ("git/ignore"), there or not; NULL where it cannot be told. */
const char *os_user_config(struct arena *arena, const char *name);
bool os_is_terminal(int descriptor);
bool os_is_file(int descriptor); /* a regular one, as after "> x" */
int os_terminal_columns(int descriptor); /* 0 where unknown */
int os_terminal_lines(int descriptor);
/* Whether this process is one that the terminal speaks to, and not in the background. */
bool os_owns_terminal(int descriptor);
bool os_can_write(int descriptor); /* without waiting */
int os_cpu_count(void);                  /* at least 1; cores this process may use */
double os_seconds(void);                 /* monotonic clock */
double os_thread_seconds(void);          /* of a processor that this thread has used */

/* Gives memory that was freed back to the system, as far as it takes it; costs up to some milliseconds. */
void os_trim_memory(void);

/* Flushes STREAM and says whether all that was written to it got out. */
bool os_flush(FILE *stream, struct err *err);
/* From now on writing to a pipe that nobody reads, or past the limit of a file's size, is an error like others, and no longer
 * the end of the process. */
void os_ignore_write_signals(void);

/* Runs ARGUMENTS (ended by NULL), the first of which is looked for on PATH, without a shell; hands it INPUT as standard
 * input and appends what it prints to OUT and ERRORS. *STATUS is its exit status, or 128 and the signal that ended it. False
 * with ERR set where it cannot be run. To be called with os_ignore_write_signals in effect. */
bool os_run(const char *const *arguments, struct str input, struct buf *out, struct buf *errors, int *status,
	    struct err *err);

struct os_thread;
/* Starts RUN(ARGUMENT) on a thread with a stack of STACK bytes, or NULL with ERR set. */
struct os_thread *os_thread_new(void (*run)(void *), void *argument, size_t stack, struct err *err);
void os_thread_join(struct os_thread *thread); /* waits, then frees THREAD */
struct os_mutex;
struct os_mutex *os_mutex_new(void);
void os_mutex_free(struct os_mutex *mutex);
void os_mutex_lock(struct os_mutex *mutex);
void os_mutex_unlock(struct os_mutex *mutex);
struct os_condition;
struct os_condition *os_condition_new(void);
void os_condition_free(struct os_condition *condition);
/* Gives MUTEX (held by the caller) up until woken or SECONDS have passed (0: no limit), then holds it again. May wake
 * without a cause. */
void os_condition_wait(struct os_condition *condition, struct os_mutex *mutex, double seconds);
void os_condition_wake_all(struct os_condition *condition);

#endif
