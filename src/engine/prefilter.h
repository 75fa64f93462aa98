/* Whether a file can have a finding at all, by a scan of its bytes. */
#ifndef VRAMLINT_ENGINE_PREFILTER_H
#define VRAMLINT_ENGINE_PREFILTER_H

#include <stdbool.h>
#include "base/str.h"
#include "flow/model.h"

/* Whether TEXT imports one of the libraries that MODEL knows to deal in tensors. May err towards true, never towards
 * false for imports written as statements on lines of their own. */
bool prefilter_passes(const struct model *model, struct str text);

#endif
