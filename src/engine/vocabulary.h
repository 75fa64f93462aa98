/* What a project says of its own libraries, as library knowledge (docs/models.md). */
#ifndef VRAMLINT_ENGINE_VOCABULARY_H
#define VRAMLINT_ENGINE_VOCABULARY_H

#include "base/arena.h"
#include "engine/setting.h"

/* A model file's text that says what `step-functions`, `keeps`, `safe-calls` and `module-types` of LAYER say, or NULL
 * where they say nothing. */
const char *vocabulary_model(const struct setting_layer *layer, struct arena *arena);

#endif
