/* The verdicts of a run as SARIF, for who reads the findings of `vramlint check` so. */
#ifndef VRAMLINT_CONFIRM_RESULTS_H
#define VRAMLINT_CONFIRM_RESULTS_H

#include "confirm/evidence.h"
#include "engine/settings.h"
#include "report/report.h"

/* Appends the log. SETTINGS: what rules there are, or NULL. HOST: as for other reports. */
void results_tell(struct buf *out, const struct evidence *evidence, const struct settings *settings,
		  const struct report_host *host);

#endif
