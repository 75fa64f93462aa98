#include "base/os_memory.h"

#include "temp_tree.h"

static struct temp_tree tree;

static int set_up(void **state)
{
	temp_tree_init(&tree);
	return 0;
}

static int tear_down(void **state)
{
	temp_tree_release(&tree);
	return 0;
}

static void file(const char *path, const char *text)
{
	char command[512];
	FILE *made;

	snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", path);
	assert_int_equal(system(command), 0);
	made = fopen(path, "w");
	assert_non_null(made);
	fputs(text, made);
	fclose(made);
}

static void check(int64_t total, int64_t available, bool is_limited)
{
	struct os_memory memory = os_memory_get(tree.folder);

	assert_int_equal(memory.total, total);
	assert_int_equal(memory.available, available);
	assert_int_equal(memory.is_limited, is_limited);
}

static void a_machine_has_what_it_says(void **state)
{
	check(-1, -1, false);
	file("proc/meminfo", "MemTotal:       1000 kB\nMemFree:   1 kB\nMemAvailable:    400 kB\n");
	check(1024000, 409600, false);
	file("proc/self/cgroup", "0::/user.slice\n");
	file("sys/fs/cgroup/memory.max", "max\n");
	check(1024000, 409600, false);
}

static void a_group_of_version_2_limits(void **state)
{
	file("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 400 kB\n");
	file("proc/self/cgroup", "0::/a/b\n");
	file("sys/fs/cgroup/a/b/memory.max", "max\n");
	file("sys/fs/cgroup/a/memory.max", "200000\n");
	file("sys/fs/cgroup/a/memory.current", "150000\n");
	file("sys/fs/cgroup/a/memory.stat", "anon 100000\nfile 50000\ninactive_file 30000\n");
	check(200000, 80000, true);
	file("sys/fs/cgroup/a/memory.current", "999999\n");
	check(200000, 0, true);
	file("sys/fs/cgroup/a/memory.max", "2000000\n"); /* more than the machine has */
	check(1024000, 409600, false);
}

static void a_group_of_version_1_limits(void **state)
{
	file("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 400 kB\n");
	file("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/0123\n");
	file("sys/fs/cgroup/memory/memory.limit_in_bytes", "300000\n");
	file("sys/fs/cgroup/memory/memory.usage_in_bytes", "100000\n");
	check(300000, 200000, true);
	file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	check(1024000, 409600, false);
}

static void nonsense_is_no_limit(void **state)
{
	file("proc/meminfo", "MemTotal:");
	file("proc/self/cgroup", "::\n:\n\n0\n4:memory");
	file("sys/fs/cgroup/memory.max", "-5");
	check(0, -1, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_machine_has_what_it_says, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_group_of_version_2_limits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_group_of_version_1_limits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nonsense_is_no_limit, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
