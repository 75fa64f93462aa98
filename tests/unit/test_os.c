#include "base/os.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "temp_tree.h"

static int tree_setup(void **state)
{
	static struct temp_tree tree;

	temp_tree_init(&tree);
	*state = &tree;
	return 0;
}

static int tree_teardown(void **state)
{
	temp_tree_release(*state);
	return 0;
}

static struct os_stat stat_of(const char *path)
{
	struct os_stat found;

	assert_true(os_stat_get(path, &found, NULL));
	return found;
}

static void tells_kinds(void **state)
{
	struct os_stat by_name;
	struct os_stat by_link;
	struct os_stat found;
	struct err err;

	temp_tree_file("d/f", "12345");
	temp_tree_link("d/f", "to_file");
	temp_tree_link("d", "to_folder");
	temp_tree_link("nowhere", "dangling");
	temp_tree_link("loop", "loop");
	assert_int_equal(mkfifo("pipe", 0600), 0);
	by_name = stat_of("d/f");
	by_link = stat_of("to_file");
	assert_int_equal(by_name.kind, OS_FILE);
	assert_int_equal(by_name.size, 5);
	assert_false(by_name.is_link);
	assert_true(by_link.is_link);
	assert_true(by_link.inode == by_name.inode && by_link.device == by_name.device);
	assert_int_equal(stat_of("to_folder").kind, OS_FOLDER);
	assert_int_equal(stat_of("missing").kind, OS_MISSING);
	assert_int_equal(stat_of("d/f/below").kind, OS_MISSING);
	assert_int_equal(stat_of("dangling").kind, OS_MISSING);
	assert_true(stat_of("dangling").is_link);
	assert_int_equal(stat_of("pipe").kind, OS_OTHER);
	assert_false(os_stat_get("loop", &found, &err));
	assert_string_equal(err.message, "cannot read 'loop': too many levels of symbolic links");
}

static void lists_in_byte_order(void **state)
{
	static const char *const names[] = {".hidden", "B", "a", "a.b", "ab", "loop", "\xc3\xa9"};
	struct os_entry *entries;
	struct arena arena;
	struct err err;
	size_t count;

	for (size_t i = 0; i < 7; i++) {
		char path[32];

		snprintf(path, sizeof path, "list/%s", names[6 - i]);
		if (strcmp(names[6 - i], "loop") == 0)
			temp_tree_link("loop", path);
		else
			temp_tree_file(path, "");
	}
	arena_init(&arena);
	assert_true(os_list("list", &arena, &entries, &count, &err));
	assert_int_equal(count, 7);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(entries[i].name, names[i]);
		assert_int_equal(entries[i].stat.kind, i == 5 ? OS_MISSING : OS_FILE);
	}
	assert_int_equal(mkdir("empty", 0777), 0);
	assert_true(os_list("empty", &arena, &entries, &count, &err));
	assert_int_equal(count, 0);
	assert_false(os_list("missing", &arena, &entries, &count, &err));
	assert_int_equal(err.code, ERR_READ);
	assert_string_equal(err.message, "cannot read 'missing': no such file or directory");
	assert_false(os_list("list/a", &arena, &entries, &count, &err));
	arena_release(&arena);
}

static void check_unreadable(const char *path, size_t limit, enum err_code code, const char *message)
{
	struct buf buf = BUF_INIT;
	struct err err;

	assert_false(os_read_file(path, limit, &buf, &err));
	assert_int_equal(err.code, code);
	assert_string_equal(err.message, message);
	buf_release(&buf);
}

static void reads_whole_files(void **state)
{
	struct buf buf = BUF_INIT;
	struct err err;
	char *large = calloc(300000, 1);

	memset(large, 'z', 300000);
	temp_tree_bytes("nul", "a\0b", 3);
	temp_tree_bytes("large", large, 300000);
	temp_tree_file("empty_file", "");
	assert_true(os_read_file("nul", 0, &buf, &err));
	assert_true(os_read_file("empty_file", 1, &buf, &err));
	assert_true(os_read_file("nul", 3, &buf, &err));
	/* What was there stays. */
	assert_int_equal(buf.length, 6);
	assert_memory_equal(buf.bytes, "a\0ba\0b", 7);
	buf_reset(&buf);
	assert_true(os_read_file("large", 300000, &buf, &err));
	assert_int_equal(buf.length, 300000);
	assert_memory_equal(buf.bytes, large, 300000);
	buf_release(&buf);
	free(large);
}

static void says_why_a_file_is_unreadable(void **state)
{
	assert_int_equal(mkfifo("pipe2", 0600), 0);
	temp_tree_file("four", "4444");
	assert_int_equal(mkdir("folder", 0777), 0);
	check_unreadable("gone", 0, ERR_READ, "cannot read 'gone': no such file or directory");
	check_unreadable("folder", 0, ERR_READ, "cannot read 'folder': is a folder");
	check_unreadable("pipe2", 0, ERR_READ, "cannot read 'pipe2': is not a regular file");
	check_unreadable("four", 3, ERR_TOO_BIG, "cannot read 'four': larger than 3 bytes");
	/* Root may read everything. */
	if (geteuid() != 0) {
		assert_int_equal(chmod("four", 0), 0);
		check_unreadable("four", 0, ERR_READ, "cannot read 'four': permission denied");
	}
}

static void reads_standard_input(void **state)
{
	struct buf buf = BUF_INIT;
	struct err err;
	char *text = calloc(200001, 1);

	memset(text, 'i', 200000);
	temp_tree_file("input", text);
	assert_non_null(freopen("input", "r", stdin));
	assert_true(os_read_stdin(0, &buf, &err));
	assert_int_equal(buf.length, 200000);
	assert_non_null(freopen("input", "r", stdin));
	assert_false(os_read_stdin(1000, &buf, &err));
	assert_int_equal(err.code, ERR_TOO_BIG);
	buf_release(&buf);
	free(text);
}

static void finds_paths(void **state)
{
	const struct temp_tree *tree = *state;
	struct arena arena;
	char expected[128];

	arena_init(&arena);
	temp_tree_file("p/f", "");
	temp_tree_link("p", "q");
	snprintf(expected, sizeof expected, "%s/p/f", tree->folder);
	assert_string_equal(os_real_path("q/./f", &arena), expected);
	assert_null(os_real_path("q/g", &arena));
	assert_string_equal(os_current_folder(&arena, NULL), tree->folder);
	arena_release(&arena);
}

static void a_full_disk_is_an_error(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct err err;

	/* Only Linux has this device. */
	if (!full)
		skip();
	fputs("text", full);
	assert_false(os_flush(full, &err));
	assert_int_equal(err.code, ERR_WRITE);
	fclose(full);
	full = fopen("fine", "w");
	fputs("text", full);
	assert_true(os_flush(full, &err));
	fclose(full);
}

static void a_broken_pipe_is_an_error(void **state)
{
	int ends[2];
	FILE *stream;
	struct err err;

	os_ignore_write_signals();
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	stream = fdopen(ends[1], "w");
	fputs("text", stream);
	assert_false(os_flush(stream, &err));
	assert_string_equal(err.message, "cannot write 'output': broken pipe");
	fclose(stream);
}

struct counter {
	struct os_mutex *mutex;
	struct os_condition *changed;
	int value;
};

static void count_up(void *argument)
{
	struct counter *counter = argument;

	for (int i = 0; i < 10000; i++) {
		os_mutex_lock(counter->mutex);
		counter->value++;
		os_mutex_unlock(counter->mutex);
	}
	os_condition_wake_all(counter->changed);
}

static void use_stack(void *argument)
{
	volatile char frame[12 << 20];

	for (size_t i = 0; i < sizeof frame; i += 4096)
		frame[i] = 1;
	*(int *)argument = frame[0];
}

static void threads_run(void **state)
{
	struct counter counter = {os_mutex_new(), os_condition_new(), 0};
	struct os_thread *threads[4];
	int touched = 0;

	for (int i = 0; i < 4; i++) {
		threads[i] = os_thread_new(count_up, &counter, (size_t)1 << 20, NULL);
		assert_non_null(threads[i]);
	}
	os_mutex_lock(counter.mutex);
	while (counter.value < 40000)
		os_condition_wait(counter.changed, counter.mutex, 0.05);
	os_mutex_unlock(counter.mutex);
	for (int i = 0; i < 4; i++)
		os_thread_join(threads[i]);
	assert_int_equal(counter.value, 40000);
	os_condition_free(counter.changed);
	os_mutex_free(counter.mutex);
	threads[0] = os_thread_new(use_stack, &touched, (size_t)16 << 20, NULL);
	os_thread_join(threads[0]);
	assert_int_equal(touched, 1);
}

static void an_impossible_thread_is_an_error(void **state)
{
	int touched = 0;
	struct err err;

	assert_null(os_thread_new(use_stack, &touched, 1, &err));
	assert_int_equal(err.code, ERR_LIMIT);
}

static void waiting_ends_by_itself(void **state)
{
	struct os_condition *condition = os_condition_new();
	struct os_mutex *mutex = os_mutex_new();
	double start = os_seconds();

	os_mutex_lock(mutex);
	os_condition_wait(condition, mutex, 0.01);
	os_mutex_unlock(mutex);
	assert_true(os_seconds() >= start);
	assert_true(os_cpu_count() >= 1);
	os_condition_free(condition);
	os_mutex_free(mutex);
}

static struct buf content(const char *path)
{
	struct buf text = BUF_INIT;

	assert_true(os_read_file(path, 0, &text, NULL));
	return text;
}

static void check_content(const char *path, const char *wanted)
{
	struct buf text = content(path);

	assert_string_equal(buf_text(&text), wanted);
	buf_release(&text);
}

static void replaces_files_at_once(void **state)
{
	struct os_entry *entries;
	struct arena arena;
	struct stat raw;
	struct err err;
	size_t count;
	int open_before;
	char kept[8] = "";

	temp_tree_file("replace/real", "before");
	temp_tree_link("real", "replace/link");
	assert_int_equal(chmod("replace/real", 0751), 0);
	open_before = open("replace/real", O_RDONLY);
	assert_true(os_replace_file("replace/link", STR("after\0x"), &err));
	check_content("replace/real", "after");
	assert_int_equal(stat_of("replace/real").size, 7);
	assert_true(stat_of("replace/link").is_link);
	assert_int_equal(stat("replace/real", &raw), 0);
	assert_int_equal(raw.st_mode & 07777, 0751);
	/* who has the old file open reads on in it */
	assert_int_equal(read(open_before, kept, sizeof kept), 6);
	assert_string_equal(kept, "before");
	close(open_before);
	/* nothing is left lying about */
	arena_init(&arena);
	assert_true(os_list("replace", &arena, &entries, &count, &err));
	assert_int_equal(count, 2);
	arena_release(&arena);
}

static void says_why_a_file_cannot_be_replaced(void **state)
{
	struct err err;

	assert_false(os_replace_file("missing", STR("x"), &err));
	assert_int_equal(err.code, ERR_WRITE);
	assert_string_equal(err.message, "cannot write 'missing': no such file or directory");
	temp_tree_file("ro/f", "old");
	temp_tree_file("open/f", "old");
	assert_int_equal(chmod("open/f", 0666), 0);
	assert_int_equal(chmod(".", 0755), 0);
	assert_true(os_may_replace_file("ro/f", &err));
	assert_false(os_replace_file("ro", STR("x"), &err));
	assert_string_equal(err.message, "cannot write 'ro': is not a regular file");
	/* the superuser may write anywhere */
	if (geteuid() == 0 && !setegid(65534) && !seteuid(65534)) {
		assert_false(os_replace_file("ro/f", STR("x"), &err));
		assert_string_equal(err.message, "cannot write 'ro/f': permission denied");
		assert_false(os_may_replace_file("ro/f", &err));
		assert_string_equal(err.message, "cannot write 'ro/f': permission denied");
		assert_false(os_may_replace_file("open/f", &err));
		assert_string_equal(err.message, "cannot make a file beside 'open/f': permission denied");
		assert_int_equal(seteuid(0), 0);
		assert_int_equal(setegid(0), 0);
	}
	check_content("ro/f", "old");
}

static bool has_unfinished_file(const char *folder)
{
	struct os_entry *entries;
	struct arena arena;
	struct err err;
	size_t count;
	bool found = false;

	arena_init(&arena);
	assert_true(os_list(folder, &arena, &entries, &count, &err));
	for (size_t i = 0; i < count; i++)
		found |= strncmp(entries[i].name, ".vramlint-", 10) == 0;
	arena_release(&arena);
	return found;
}

/* A program that writes "killed/f" over and over is ended while the new file lies beside the old one. */
static void check_ended_while_writing(bool write(const char *path, struct str bytes, struct err *err), const char *bytes, size_t length)
{
	struct err err;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		while (write("killed/f", (struct str){bytes, length}, &err))
			;
		_exit(1);
	}
	while (!has_unfinished_file("killed"))
		if (waitpid(child, NULL, WNOHANG) != 0)
			fail_msg("the process that was to be ended could not write");
	assert_int_equal(kill(child, SIGTERM), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_false(has_unfinished_file("killed"));
}

static void leaves_nothing_when_it_is_ended(void **state)
{
	enum { LENGTH = 4 << 20 };
	char *bytes = calloc(LENGTH, 1);

	temp_tree_file("killed/f", "before");
	for (int i = 0; i < 5; i++) {
		check_ended_while_writing(os_replace_file, bytes, LENGTH);
		check_ended_while_writing(os_write_file, bytes, LENGTH);
	}
	free(bytes);
}

static void a_limit_of_file_sizes_is_an_error(void **state)
{
	static const char bytes[64 << 10];
	struct rlimit limit = {4096, 4096};
	struct err err;
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		os_ignore_write_signals();
		if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || os_write_file("limited", (struct str){bytes, sizeof bytes}, &err))
			_exit(1);
		_exit(strcmp(err.message, "cannot write 'limited': file too large") == 0 ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_false(has_unfinished_file("."));
}

static void programs_are_run(void **state)
{
	const char *const cat[] = {"cat", NULL}, *const fails[] = {"sh", "-c", "echo \"$1\"; echo no >&2; exit 3", "sh", "a b", NULL};
	const char *const killed[] = {"sh", "-c", "kill -9 $$", NULL}, *const deaf[] = {"true", NULL}, *const missing[] = {"no such program", NULL};
	struct buf input = BUF_INIT, out = BUF_INIT, errors = BUF_INIT;
	struct err err;
	int status;

	os_ignore_write_signals();
	/* more than a pipe holds, both ways at once */
	for (int i = 0; i < 100000; i++)
		buf_add_text(&input, "0123456789");
	assert_true(os_run(cat, buf_get(&input), &out, &errors, &status, &err));
	assert_int_equal(status, 0);
	assert_true(str_equal(buf_get(&input), buf_get(&out)));
	assert_true(os_run(deaf, buf_get(&input), &out, &errors, &status, &err));
	buf_reset(&out);
	assert_true(os_run(fails, STR(""), &out, &errors, &status, &err));
	assert_int_equal(status, 3);
	assert_string_equal(buf_text(&out), "a b\n");
	assert_string_equal(buf_text(&errors), "no\n");
	assert_true(os_run(killed, STR(""), &out, &errors, &status, &err));
	assert_int_equal(status, 128 + 9);
	assert_false(os_run(missing, STR(""), &out, &errors, &status, &err));
	assert_string_equal(err.message, "cannot run 'no such program': it is not installed");
	buf_release(&input);
	buf_release(&out);
	buf_release(&errors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_kinds),
		cmocka_unit_test(lists_in_byte_order),
		cmocka_unit_test(reads_whole_files),
		cmocka_unit_test(says_why_a_file_is_unreadable),
		cmocka_unit_test(reads_standard_input),
		cmocka_unit_test(finds_paths),
		cmocka_unit_test(replaces_files_at_once),
		cmocka_unit_test(says_why_a_file_cannot_be_replaced),
		cmocka_unit_test(leaves_nothing_when_it_is_ended),
		cmocka_unit_test(a_limit_of_file_sizes_is_an_error),
		cmocka_unit_test(programs_are_run),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_broken_pipe_is_an_error),
		cmocka_unit_test(threads_run),
		cmocka_unit_test(an_impossible_thread_is_an_error),
		cmocka_unit_test(waiting_ends_by_itself),
	};

	return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
