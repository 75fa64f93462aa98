/* One line a finding, as compilers write them: editors and grep read it. */
#include "report/formats.h"
#include "report/style.h"
#include "report/title.h"
#include "report/visible.h"
#include "rule/rule.h"

static void concise_file(struct report *report, const struct run_file *file)
{
	struct buf *out = &report->out;
	bool colour = report->options.colour;

	for (size_t i = 0; file->result && i < file->result->finding_count; i++) {
		const struct finding *finding = &file->result->findings[i];

		style_begin(out, colour, STYLE_PATH);
		visible_add(out, str_from(file->path));
		style_end(out, colour, STYLE_PATH);
		excerpt_add_place(out, &finding->at);
		buf_add_text(out, ": ");
		title_add(out, &report->options, finding->rule);
		buf_add_text(out, " [");
		style_add(out, colour, style_of_severity(finding->severity), severity_name(finding->severity));
		buf_add_text(out, "] ");
		visible_add(out, str_from(finding->message));
		buf_add_char(out, '\n');
	}
}

const struct report_format report_concise = {
	.name = "concise",
	.summary = "one line a finding: path:line:column: CODE name [severity] message",
	.begin = report_no_begin,
	.file = concise_file,
	.end = report_no_end,
};
