/* Links to files, and from rules to their documents, for terminals and editors that follow them. */
#ifndef VRAMLINT_REPORT_LINKS_H
#define VRAMLINT_REPORT_LINKS_H

#include "base/arena.h"
#include "rule/rule.h"

/* By index of rule the URL of its document, "file:///usr/local/share/doc/vramlint/rules/NAME.md", in ARENA; NULL for a
 * rule whose document is not there. NULL for all where nothing is installed beside the program: the documents are looked
 * for at ../share/doc/vramlint/rules from it. */
const char *const *links_find(const struct rule_set *rules, struct arena *arena);
/* "file:///home/a%20b/x.py" for the absolute PATH, in ARENA. */
const char *links_file_url(const char *path, struct arena *arena);

#endif
