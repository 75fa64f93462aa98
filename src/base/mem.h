/* Memory from the heap that never comes back NULL.
 *
 * Out of memory is handled here and nowhere else: a message goes to standard
 * error and the process ends with status 2. Thread-safe. */
#ifndef VRAMLINT_BASE_MEM_H
#define VRAMLINT_BASE_MEM_H

#include <stddef.h>

/* COUNT elements of SIZE bytes each, zeroed. The product is checked. Owned by the caller, freed with free(). */
void *mem_new(size_t count, size_t size);

/* OLD (may be NULL) resized to COUNT elements of SIZE bytes; what is new is not zeroed. */
void *mem_resize(void *old, size_t count, size_t size);

/* A heap copy of LENGTH bytes of TEXT, with a NUL after them. */
char *mem_dup(const char *text, size_t length);
/* … of all of TEXT. */
char *mem_dup_text(const char *text);

/* Reports a fault of our own and ends the process: status 2 in release builds, abort() elsewhere. */
#define BUG(message) mem_bug(__FILE__, __LINE__, (message))
_Noreturn void mem_bug(const char *file, int line, const char *message);

#endif
