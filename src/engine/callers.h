/* How the other files of a project call a function: a search by name, made only where a finding hangs on it. */
#ifndef VRAMLINT_ENGINE_CALLERS_H
#define VRAMLINT_ENGINE_CALLERS_H

#include "flow/unit.h"

struct calls_seen {
	uint32_t all;   /* calls of a function or method of that name */
	uint32_t quiet; /* … that stand, by the text around them, where grad is off */
};

/* Adds the calls of NAME in UNIT to SEEN. */
void callers_count(const struct unit *unit, struct str name, struct calls_seen *seen);

#endif
