#include "report/words.h"

#include "report/place.h"

static void add_sentence(struct buf *out, const char *separator, const char *name, const char *text)
{
	if (!text)
		return;
	buf_format(out, "%s%s", separator, name);
	buf_add_text(out, text);
	buf_add_char(out, '.');
}

void words_add(struct buf *out, const struct finding *finding, const char *separator)
{
	place_add_cell(out, &finding->at);
	add_sentence(out, "", "", finding->message);
	add_sentence(out, separator, "Cost: ", finding->growth);
	add_sentence(out, separator, "Help: ", finding->help);
}
