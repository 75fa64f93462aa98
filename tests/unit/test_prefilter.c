#include "engine/prefilter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct model model;

static int set_up(void **state)
{
	struct err err = {0};

	return model_init(&model, NULL, &err) ? 0 : -1;
}

static int tear_down(void **state)
{
	model_release(&model);
	return 0;
}

static void files_that_import_tensors_pass(void **state)
{
	static const char *const texts[] = {
		"import torch",
		"import torch\n",
		"import torch.nn as nn\n",
		"import os, torch\n",
		"import os as o, torch as t\n",
		"from torch import nn\n",
		"from torch.nn import functional as F\n",
		"from\ttorch import nn\n",
		"def f():\n    import torch\n",
		"try:\n\timport torch\nexcept ImportError:\n\tpass\n",
		"x = 1; import torch\n",
		"import lightning as L\n",
		"# import\nimport importlib\nimport torch\n",
		"\"\"\"import nothing\"\"\"\r\nimport torch\r\n",
		"import os\rimport torch\r",
		"if x: import torch\n",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!prefilter_passes(&model, str_from(texts[i])))
			fail_msg("held back: %s", texts[i]);
}

static void others_do_not(void **state)
{
	static const char *const texts[] = {
		"",
		"x = 1\n",
		"import os\n",
		"import torchlike\n",
		"import mytorch\n",
		"from os import torch\n",
		"from .torch import nn\n",
		"important = torch\n",
		"import os # torch, torch\n",
		"import os.torch\n",
		"import os as torch\n",
		"import",
		"import ",
		"from torch",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (prefilter_passes(&model, str_from(texts[i])))
			fail_msg("let through: %s", texts[i]);
}

static void nothing_behind_the_end_is_read(void **state)
{
	/* not ended by NUL: what follows would change the answer */
	assert_false(prefilter_passes(&model, (struct str){"import torch", 7}));
	assert_false(prefilter_passes(&model, (struct str){"import torch", 11}));
	assert_true(prefilter_passes(&model, (struct str){"import torchlike", 12}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_import_tensors_pass),
		cmocka_unit_test(others_do_not),
		cmocka_unit_test(nothing_behind_the_end_is_read),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
