/* A fix that puts code under a context: `@torch.no_grad()` above a function, or `with torch.no_grad():` around a loop or a
 * statement, and the import it takes. */
#ifndef VRAMLINT_RULE_SURROUND_H
#define VRAMLINT_RULE_SURROUND_H

#include "rule/fix.h"

/* Sets the edits and their reach of FINDING for the code at NODE: the decorator where the function with the loop computes
 * nothing that is differentiated, as far as the file shows; else a block around the loop. Where that is in a function that
 * calls this one and neither will do, the same is tried here, and then a block around the statement. What backward walks
 * when somebody else calls the function never comes under it. */
void surround_make(const struct fix_input *input, TSNode node, struct finding *finding);

#endif
