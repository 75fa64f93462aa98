/* A line on standard error that says how far a long run is; drawn over, and gone at the end. One thread. */
#ifndef VRAMLINT_CLI_PROGRESS_H
#define VRAMLINT_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
	bool enabled;
	bool drawn;
	double started; /* by os_seconds */
};

/* Draws only where WANTED, on a terminal, and once the run has taken over a second. */
void progress_init(struct progress *progress, bool wanted);
void progress_draw(struct progress *progress, size_t done, size_t total);
/* Takes the line away, before other output and at the end. */
void progress_erase(struct progress *progress);

#endif
