#include "report/title.h"

#include <string.h>

#include "report/style.h"

void title_add(struct buf *out, const struct report_options *options, const struct rule *rule)
{
	const char *link = options->links ? options->links[rule->index] : NULL;

	style_begin(out, options->colour, STYLE_CODE);
	if (link)
		buf_format(out, "\x1b]8;;%s\x1b\\", link);
	buf_format(out, "%s %s", rule->code, rule->name);
	if (link)
		buf_add_text(out, "\x1b]8;;\x1b\\");
	style_end(out, options->colour, STYLE_CODE);
}

void title_add_padded(struct buf *out, const struct report_options *options, const struct rule *rule, size_t width)
{
	size_t used = strlen(rule->code) + 1 + strlen(rule->name);

	title_add(out, options, rule);
	buf_add_repeat(out, ' ', used < width ? width - used : 0);
}
