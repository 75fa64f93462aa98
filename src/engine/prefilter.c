#include "engine/prefilter.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* The comma-separated dotted names after `import` or `from`. */
static bool names_wanted(const struct model *model, const char *at, const char *end, bool several)
{
	for (;;) {
		at = skip_blanks(at, end);
		const char *start = at;
		while (at < end && is_word(*at))
			at++;
		if (at > start && map_has(&model->imports, (struct str){start, (size_t)(at - start)}))
			return true;
		while (at < end && *at != ',' && *at != '\n' && *at != '\r' && *at != '#')
			at++;
		if (!several || at == end || *at != ',')
			return false;
		at++;
	}
}

bool prefilter_passes(const struct model *model, struct str text)
{
	const char *end = text.at + text.length;
	for (size_t at = 0; (at = str_find(text, STR("import"), at)) != SIZE_MAX; at += 6) {
		const char *word = text.at + at;
		if (at + 6 < text.length && is_word(word[6]))
			continue;
		/* back to where the statement begins */
		const char *line = word;
		while (line > text.at && line[-1] != '\n' && line[-1] != '\r' && line[-1] != ';')
			line--;
		line = skip_blanks(line, end);
		bool from = end - line > 5 && line[0] == 'f' && line[1] == 'r' && line[2] == 'o' && line[3] == 'm' && !is_word(line[4]);
		if (from ? names_wanted(model, line + 4, end, false) : names_wanted(model, word + 6, end, true))
			return true;
	}
	return false;
}
