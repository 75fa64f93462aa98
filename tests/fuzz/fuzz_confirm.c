/* Any bytes as what the agents of a run report: whatever they say, all reports can be made of it, JSON is JSON, and nothing that
 * a terminal would obey gets into the text. */
#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "confirm/page.h"
#include "confirm/picture.h"
#include "confirm/results.h"
#include "confirm/tell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_json(struct buf *out, const char *name)
{
	cJSON *json = cJSON_ParseWithLength(buf_text(out), out->length);

	if (!json)
		BUG(name);
	cJSON_Delete(json);
	buf_reset(out);
}

static void check_text(struct buf *out)
{
	for (size_t i = 0; i < out->length; i++) {
		unsigned char byte = (unsigned char)out->bytes[i];

		if ((byte < ' ' && byte != '\n') || byte == 0x7f)
			BUG("a control character is in the text");
	}
	buf_reset(out);
}

static void tell_all(const struct told *told)
{
	struct report_host host = {.folder = "/here"};
	struct evidence evidence;
	struct buf out = BUF_INIT;

	tell_text(&out, told);
	check_text(&out);
	tell_json(&out, told);
	check_json(&out, "the report for programs is no JSON");
	evidence_init(&evidence, told);
	results_tell(&out, &evidence, NULL, &host);
	check_json(&out, "the log is no JSON");
	page_tell(&out, &evidence);
	picture_file(&out, told);
	evidence_release(&evidence);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct predicted findings[] = {
		{.path = "/here/train.py", .shown = "train.py", .code = "VL101", .name = "tensor-append", .message = "m",
		 .severity = SEVERITY_ERROR, .cost = COST_DEVICE, .line = 3, .end_line = 3, .column = 5},
		{.path = "/here/train.py", .shown = "train.py", .code = "VL303", .name = "eval-not-restored", .message = "m",
		 .severity = SEVERITY_WARNING, .cost = COST_CORRECTNESS, .line = 9, .end_line = 12, .column = 1},
	};
	struct os_memory memory = {64 << 20, 32 << 20, false};
	struct confirm_outcome outcome = {.end = CONFIRM_DONE, .seconds = 1};
	struct told told = {.outcome = &outcome, .command = "train.py", .folder = "/here"};
	struct judgements judgements;
	struct str rest = {(const char *)data, size};

	reported_init(&outcome.reported);
	/* in pieces, and by two connections */
	for (uint32_t connection = 0; rest.length > 0; connection ^= rest.length % 3 == 0) {
		size_t length = rest.length < 700 ? rest.length : 700;

		reported_take(&outcome.reported, connection, (struct str){rest.at, length});
		rest = (struct str){rest.at + length, rest.length - length};
	}
	judge_run(&outcome.reported, findings, sizeof findings / sizeof *findings, &judgements);
	told.judgements = &judgements;
	told_init(&told, &memory);
	tell_all(&told);
	told_release(&told);
	judgements_release(&judgements);
	reported_release(&outcome.reported);
	return 0;
}
