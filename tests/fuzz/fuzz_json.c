/* Any bytes as a user's own data: after a first byte 'm' library knowledge, after any other a rule, a line
 * "---" and its query. What loads is then used on a training script. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/lint.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char script[] =
	"import torch\n"
	"import torch.nn as nn\n"
	"class Net(nn.Module):\n"
	"    def forward(self, x, *rest, **more):\n"
	"        self.kept.append(torch.relu(x))\n"
	"        return self.head(x)\n"
	"net, losses, total = Net(), [], 0\n"
	"with torch.no_grad():\n"
	"    state = torch.load('x', map_location='cpu')\n"
	"for x, y in torch.utils.data.DataLoader(data):\n"
	"    loss = nn.functional.mse_loss(net(x), y)\n"
	"    loss.backward()\n"
	"    total += loss.mean().detach().cpu().item()\n"
	"    losses.append(loss)\n"
	"    history['x'] = torch.cat([history['x'], loss])\n"
	"    print(loss, total, *losses, **history)\n";

static char folder[] = "/tmp/vramlint-fuzz-XXXXXX";

static void folder_remove(void)
{
	static const char *const names[] = {"a.json", "a.scm", "a.md"};
	char path[64];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (!mkdtemp(folder))
		BUG("no temporary folder");
	atexit(folder_remove);
	return 0;
}

static void file_write(const char *name, struct str text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "wb");
	if (!file || fwrite(text.at, 1, text.length, file) != text.length || fclose(file) != 0)
		BUG("the temporary folder cannot be written");
}

static void script_check(const struct rule_set *rules, const char *models)
{
	static const struct rule_pick all = {.name = "ALL", .verb = RULE_TAKE};
	struct model_extra knowledge = {.folder = models};
	struct settings settings = {.rules = NULL};
	struct lint_worker *worker;
	struct lint_result result;
	struct linter *linter;
	struct source source;
	struct arena arena;
	struct err err;

	arena_init(&arena);
	selection_init(&settings.selection, rules, &all, 1, false, PROOF_NAME, &arena);
	settings.linter = linter = linter_new(rules, &knowledge, &err);
	if (linter && source_init(&source, STR(script), &err)) {
		worker = lint_worker_new();
		lint_source(worker, &settings, "fuzz.py", &source, &result);
		lint_result_release(&result);
		lint_worker_free(worker);
		source_release(&source);
	}
	linter_free(linter);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str all = {(const char *)data + 1, size - 1};
	struct rule_set rules;
	bool is_model;
	struct err err;
	size_t at;

	if (!size)
		return 0;
	is_model = data[0] == 'm';
	if (is_model) {
		file_write("a.json", all);
	} else {
		at = str_find(all, STR("\n---\n"), 0);
		if (at == SIZE_MAX)
			return 0;
		file_write("a.json", (struct str){all.at, at});
		file_write("a.scm", (struct str){all.at + at + 5, all.length - at - 5});
		file_write("a.md", STR("# a\n"));
	}
	if (rule_set_init(&rules, is_model ? NULL : folder, &err)) {
		script_check(&rules, is_model ? folder : NULL);
		rule_set_release(&rules);
	}
	return 0;
}
