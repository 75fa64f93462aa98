/* Links from rules to their documents, for terminals that follow them. */
#ifndef VRAMLINT_CLI_LINKS_H
#define VRAMLINT_CLI_LINKS_H

#include "base/arena.h"
#include "rule/rule.h"

/* By index of rule the URL of its document, "file:///usr/local/share/doc/vramlint/rules/NAME.md", in ARENA; NULL for a
 * rule whose document is not there. NULL for all where nothing is installed beside the program: the documents are looked
 * for at ../share/doc/vramlint/rules from it. */
const char *const *links_find(const struct rule_set *rules, struct arena *arena);

#endif
