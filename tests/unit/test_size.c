#include "base/size.h"

#include <stddef.h>

#include "temp_tree.h"

static void sizes_are_read(void **state)
{
	static const struct {
		const char *text;
		double bytes;
	} sizes[] = {{NULL, 0}, {"0", 0}, {"4096", 4096}, {"64k", 64000}, {"64K", 64000}, {"64KiB", 65536}, {"64ki", 65536},
		     {"1M", 1e6}, {"1.5 MB", 1.5e6}, {"1GiB", 1073741824}, {"2TB", 2e12}, {"12B", 12}, {".5k", 500}};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		double bytes = -1;

		assert_true(size_from_text(sizes[i].text, &bytes));
		assert_true(bytes == sizes[i].bytes);
	}
}

static void other_texts_are_none(void **state)
{
	static const char *const texts[] = {"", " ", "k", "-1", "+1", "1e5", "0x10", "inf", "nan", "1kk", "1 k B", "1.2.3", "..",
					    "64 kilobytes", "1Mi B", "i", "1i", "1  k"};
	char digits[500] = "";

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		double bytes = 7;

		assert_false(size_from_text(texts[i], &bytes));
		assert_true(bytes == 7);
	}
	memset(digits, '9', sizeof digits - 1);
	assert_false(size_from_text(digits, &(double){0}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_read),
		cmocka_unit_test(other_texts_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
