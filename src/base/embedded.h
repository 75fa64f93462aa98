/* The data files that the build puts into the program: rules, queries, documents, library knowledge.
 *
 * Generated from rules/, queries/, rules/models/ and pages of src/report/ by the Makefile; immutable. */
#ifndef VRAMLINT_BASE_EMBEDDED_H
#define VRAMLINT_BASE_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
	const char *name; /* "rules/tensor-append.json", "queries/tensor-append.scm", "src/report/page.html", … */
	const char *text; /* NUL-terminated */
	size_t length;    /* bytes, without the NUL */
};

/* Sorted by name. */
extern const struct embedded_file embedded_files[];
extern const size_t embedded_file_count;

#endif
