/* What came of a run as a page: one file that needs no network and no script. */
#ifndef VRAMLINT_CONFIRM_PAGE_H
#define VRAMLINT_CONFIRM_PAGE_H

#include "confirm/evidence.h"

/* Appends the page. EVIDENCE reads more code for it. */
void page_tell(struct buf *out, struct evidence *evidence);

#endif
