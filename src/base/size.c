#include "base/size.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What a unit multiplies by, or 0 where UNIT is none. */
static double factor_of(const char *unit)
{
	static const char letters[] = "kmgt";
	const char *letter = *unit ? strchr(letters, tolower((unsigned char)*unit)) : NULL;
	double base = 1000, factor = 1;

	if (letter) {
		unit++;
		if (*unit == 'i' || *unit == 'I') {
			base = 1024;
			unit++;
		}
		for (ptrdiff_t i = 0; i <= letter - letters; i++)
			factor *= base;
	}
	if (*unit == 'b' || *unit == 'B')
		unit++;
	return *unit ? 0 : factor;
}

bool size_from_text(const char *text, double *bytes)
{
	char *end;
	double number, factor;

	if (!text) {
		*bytes = 0;
		return true;
	}
	if (strspn(text, "0123456789.") == 0) /* strtod takes more: signs, blanks, "inf", hexadecimal */
		return false;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return false;
	number = strtod(text, &end);
	if (end == text || strspn(text, "0123456789.") != (size_t)(end - text) || !isfinite(number))
		return false;
	end += *end == ' ';
	factor = factor_of(end);
	if (factor == 0)
		return false;
	*bytes = number * factor;
	return true;
}
