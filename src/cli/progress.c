#include "cli/progress.h"

#include <stdio.h>

#include "base/os.h"
#include "cli/terminal.h"

#define PATIENCE 1.0 /* seconds that nobody minds waiting without a word */

void progress_init(struct progress *progress, bool wanted)
{
	*progress = (struct progress){wanted && terminal_can_redraw(), false, os_seconds()};
}

void progress_draw(struct progress *progress, size_t done, size_t total)
{
	if (!progress->enabled || os_seconds() - progress->started < PATIENCE)
		return;
	fprintf(stderr, "\rchecked %zu of %zu files\x1b[K", done, total);
	fflush(stderr);
	progress->drawn = true;
}

void progress_erase(struct progress *progress)
{
	if (!progress->drawn)
		return;
	fputs("\r\x1b[K", stderr);
	fflush(stderr);
	progress->drawn = false;
}
